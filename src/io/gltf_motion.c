// Simulated motion in the file that the mesh came from. The file's tree is kept as it is and grows at the ends of its
// lists, so every number that anything in it refers to stays what it was: nodes and their names, materials, textures,
// texture coordinates, colours, attributes and extras come back, in the order and with the splits of the file. What
// changes:
//
//   positions, normals and tangents of the placed meshes are those of the first frame, in the frame of their node;
//   their morph targets are the further frames (displacements from the first), turned on in turn by one animation;
//   a mesh that several nodes place becomes one mesh for each of them;
//   skins of these nodes, animations and VRM data of the file are dropped: they would move the result once more.
//
// Weights run linearly from key to key, one falling while the next rises. The table of weights has frames x targets
// entries of which all but one a row are zero: it is a sparse accessor over nothing, so that a file grows with the
// number of frames and not with its square.
//
// Buffer: that of the file | pictures from other files | frame 0 | frame 1 | … | tangents | times | sparse indices |
// sparse values. A frame holds positions, normals and tangents of part after part; tangents not in frame 0, where they
// have four numbers.
#include "io/gltf_motion.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/gltf_container.h"
#include "io/gltf_embed.h"
#include "io/gltf_gather.h"
#include "io/gltf_normals.h"
#include "math/mat3.h"
#include "pliant/mesh_file.h"

// What the JSON of one accessor, and of one target of a primitive with its name and weight, can need at most.
enum { WORKSPACE_PER_ACCESSOR = 340, WORKSPACE_PER_TARGET = 130, WORKSPACE_OF_REST = 4000 };

struct pl_gltf_motion {
  pl_context *context;
  pl_bytes bytes;
  pl_gltf gltf;
  bool is_open;
  pl_sheet sheet;
  pl_glb glb;
  pl_gltf_soup soup;
  pl_gltf_instance *instances;
  int32_t instance_count, primitive_count;
  pl_json **meshes;  // of each instance, in the new tree
  pl_json **nodes;
  pl_mat3 *to_nodes;  // from the world to the frame of each instance's node
  pl_gltf_ids ids;
  pl_gltf_normals normals;
  pl_vec3 *points;               // workspace: of all vertices
  float *first[3];               // positions, normals, tangents of frame 0
  uint64_t start, sizes[2];      // of frame 0 in the buffer; bytes of frame 0 and of each further one
  pl_vector boxes;               // of float[6], per frame and part
  int32_t frame_count, written;  // at most, so far
};

pl_status pl_gltf_detect_file(pl_context *context, const char *path, bool *is_gltf, pl_error *error) {
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  pl_mesh_format format = pl_mesh_format_detect(bytes.data, bytes.size);
  pl_bytes_free(&bytes);
  *is_gltf = format == PL_MESH_FORMAT_GLB || format == PL_MESH_FORMAT_GLTF;
  return PL_OK;
}

// --- the tree ---------------------------------------------------------------------------------------------------

static pl_json *item_of(pl_json *list, int32_t index) {
  pl_json *item = list->first;
  while (item != NULL && item->index != index) item = item->next;
  return item;
}

// A file of meshes alone gets a node for each of them.
static void add_nodes(pl_gltf_motion *m) {
  pl_sheet *sheet = &m->sheet;
  pl_json *scene = pl_sheet_add(sheet, "scenes");
  pl_json *roots = pl_json_set(sheet->arena, scene, "nodes", pl_json_new(sheet->arena, PL_JSON_ARRAY));
  pl_json_set_number(sheet->arena, sheet->root, "scene", pl_sheet_index(scene));
  for (int32_t i = 0; i < m->instance_count; ++i) {
    m->nodes[i] = pl_sheet_add(sheet, "nodes");
    pl_json_set_number(sheet->arena, m->nodes[i], "mesh", m->instances[i].mesh->index);
    pl_json_add(roots, pl_json_new_number(sheet->arena, pl_sheet_index(m->nodes[i])));
  }
}

// How many nodes of the file place the mesh.
static int32_t count_uses(const pl_json *nodes, int32_t mesh) {
  int32_t count = 0;
  for (const pl_json *node = nodes == NULL ? NULL : nodes->first; node != NULL; node = node->next) {
    int64_t number = -1;
    count += pl_json_get_integer(pl_json_find(node, "mesh"), &number) && number == mesh;
  }
  return count;
}

static void claim_meshes(pl_gltf_motion *m) {
  pl_sheet *sheet = &m->sheet;
  for (int32_t i = 0; i < m->instance_count; ++i) {
    m->meshes[i] = item_of(pl_sheet_list(sheet, "meshes"), m->instances[i].mesh->index);
    if (m->instances[i].node == NULL) continue;
    m->nodes[i] = item_of(pl_sheet_list(sheet, "nodes"), m->instances[i].node->index);
    pl_sheet_remove(m->nodes[i], "skin");
    pl_sheet_remove(m->nodes[i], "weights");
    if (count_uses(pl_json_find(sheet->root, "nodes"), m->meshes[i]->index) < 2) continue;
    m->meshes[i] = pl_json_add(pl_sheet_list(sheet, "meshes"), pl_sheet_copy(sheet, m->meshes[i]));
    pl_json_set_number(sheet->arena, m->nodes[i], "mesh", pl_sheet_index(m->meshes[i]));
  }
}

static bool begins_with(const char *text, int32_t length, const char *beginning) {
  size_t size = strlen(beginning);
  return (size_t)length >= size && memcmp(text, beginning, size) == 0;
}

// Take out members of an object whose keys begin with `beginning`.
static void remove_members(pl_json *object, const char *beginning) {
  for (pl_json *member = object == NULL ? NULL : object->first, *next; member != NULL; member = next) {
    next = member->next;
    if (!begins_with(member->key, member->key_length, beginning)) continue;
    char key[128];
    snprintf(key, sizeof key, "%.*s", (int)member->key_length, member->key);
    pl_sheet_remove(object, key);
  }
}

static void drop_motion(pl_gltf_motion *m) {
  pl_sheet *sheet = &m->sheet;
  pl_sheet_remove(sheet->root, "animations");
  pl_json *extensions = pl_sheet_member(sheet->root, "extensions");
  remove_members(extensions, "VRM");
  if (extensions != NULL && extensions->count == 0) pl_sheet_remove(sheet->root, "extensions");
  pl_sheet_remove_text(sheet, "extensionsUsed", "VRM");
  pl_sheet_remove_text(sheet, "extensionsRequired", "VRM");
  for (int32_t i = 0; i < m->instance_count; ++i) {
    pl_json *primitives = pl_sheet_member(m->meshes[i], "primitives");
    for (pl_json *primitive = primitives->first; primitive != NULL; primitive = primitive->next) {
      remove_members(pl_sheet_member(primitive, "attributes"), "JOINTS_");
      remove_members(pl_sheet_member(primitive, "attributes"), "WEIGHTS_");
      pl_sheet_remove(primitive, "targets");
    }
    pl_sheet_remove(m->meshes[i], "weights");
  }
}

// --- opening ----------------------------------------------------------------------------------------------------

static pl_status find_placements(pl_gltf_motion *m) {
  for (int32_t i = 0; i < m->instance_count; ++i) {
    m->to_nodes[i] = pl_mat3_inverse(m->instances[i].node_linear);
    bool finite = true;
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) finite = finite && isfinite(m->to_nodes[i].m[row][column]);
    if (!finite || fabs(pl_mat3_determinant(m->instances[i].node_linear)) == 0)
      return pl_json_fail(m->gltf.document, m->instances[i].node, m->gltf.error, PL_ERROR_UNSUPPORTED,
                          "this node has a scale of zero, so its mesh cannot move; apply the scale before exporting");
  }
  return PL_OK;
}

// Which vertices are one point, for the normals.
static pl_status find_points(pl_gltf_motion *m, int32_t **point_of_vertex) {
  pl_gltf_soup copy = m->soup;
  copy.segments = copy.triangles = pl_vector_of(m->context, sizeof(int32_t));
  copy.group_count = 0;
  copy.points = pl_arena_copy(&m->gltf.arena, m->soup.points, (size_t)m->soup.vertex_count, sizeof(pl_vec3));
  copy.pose_count = 0;
  if (copy.points == NULL) return pl_fail_memory(m->gltf.error);
  pl_status status = m->ids.count > 0 ? PL_OK : pl_gltf_weld(&m->gltf, &copy, point_of_vertex);
  if (status < 0) return status;
  if (m->ids.count > 0) *point_of_vertex = m->ids.id_of_vertex;
  if (*point_of_vertex != NULL) return PL_OK;
  *point_of_vertex = PL_TAKE(&m->gltf.arena, int32_t, m->soup.vertex_count);
  if (*point_of_vertex == NULL) return pl_fail_memory(m->gltf.error);
  for (int32_t i = 0; i < m->soup.vertex_count; ++i) (*point_of_vertex)[i] = i;
  return PL_OK;
}

static pl_status gather_parts(pl_gltf_motion *m, int32_t point_count) {
  pl_status status = pl_gltf_list_instances(&m->gltf, &m->instances, &m->instance_count);
  if (status >= 0) status = pl_gltf_gather_instances(&m->gltf, m->instances, m->instance_count, NULL, &m->soup);
  if (status >= 0) status = pl_gltf_read_ids(&m->gltf, &m->soup, &m->ids);
  if (status < 0) return status;
  int32_t there = m->ids.count > 0 ? m->ids.count : m->soup.vertex_count;
  if (there != point_count)
    return pl_fail_at(m->gltf.error, PL_ERROR_INVALID_ARGUMENT, m->gltf.name, 0, 0,
                      "the file has %d vertices, the frames %d points", there, point_count);
  int32_t *point_of_vertex = NULL;
  status = find_points(m, &point_of_vertex);
  if (status >= 0) status = pl_gltf_normals_read(&m->gltf, &m->soup, m->instances, point_of_vertex, &m->normals);
  return status;
}

static pl_status take_memory(pl_gltf_motion *m) {
  pl_arena *arena = &m->gltf.arena;
  size_t count = (size_t)m->soup.vertex_count, instance_count = (size_t)m->instance_count;
  m->meshes = PL_TAKE(arena, pl_json *, instance_count);
  m->nodes = PL_TAKE(arena, pl_json *, instance_count);
  m->to_nodes = PL_TAKE(arena, pl_mat3, instance_count);
  m->points = PL_TAKE(arena, pl_vec3, count);
  for (int i = 0; i < 3; ++i) m->first[i] = PL_TAKE(arena, float, 3 * count);
  return arena->failed ? pl_fail_memory(m->gltf.error) : PL_OK;
}

// Attributes of a part that move: 1 to 3.
static int kinds_of(const pl_gltf_motion *m, int32_t part) {
  return 1 + m->normals.has_normals[part] + m->normals.has_tangents[part];
}

static void plan_sizes(pl_gltf_motion *m) {
  for (int32_t i = 0; i < m->soup.part_count; ++i) {
    uint64_t size = 12 * (uint64_t)m->soup.parts[i].vertex_count;
    int kinds = kinds_of(m, i);
    m->sizes[0] += size * (uint64_t)(kinds > 2 ? 2 : kinds);
    m->sizes[1] += size * (uint64_t)kinds;
  }
}

static pl_status begin_file(pl_gltf_motion *m, pl_file_writer *writer) {
  pl_gltf_buffer *first = NULL;
  pl_status status = pl_sheet_embed(&m->sheet, &m->gltf, &first);
  if (status < 0) return status;
  if (first == NULL) pl_sheet_add(&m->sheet, "buffers");
  pl_vector json = pl_vector_of(m->context, 1);
  status = pl_sheet_failed(&m->sheet) ? pl_fail_memory(m->gltf.error)
                                      : pl_json_write(m->sheet.root, PL_JSON_COMPACT, &json, m->gltf.error);
  uint64_t accessors = 0, frames = (uint64_t)m->frame_count;
  for (int32_t i = 0; i < m->soup.part_count; ++i) accessors += (uint64_t)kinds_of(m, i);
  uint64_t workspace = json.count + WORKSPACE_OF_REST + WORKSPACE_PER_ACCESSOR * accessors * (frames + 1) +
                       WORKSPACE_PER_TARGET * (uint64_t)m->primitive_count * (frames + 1) +
                       256 * (uint64_t)m->instance_count;
  pl_vector_free(&json);
  if (status < 0) return status;
  if (workspace + m->sheet.bytes_start + m->sheet.bytes.count + frames * (m->sizes[1] + 12) > UINT32_MAX ||
      frames * frames > INT32_MAX)
    return pl_fail(m->gltf.error, PL_ERROR_UNSUPPORTED,
                   "%d frames of %d vertices exceed what a GLB file can hold; write PC2 instead", m->frame_count,
                   m->soup.vertex_count);
  m->glb = pl_glb_begin(writer, (size_t)workspace);
  if (first != NULL) pl_file_writer_write(writer, first->data, first->size);
  while (pl_glb_offset(&m->glb) < m->sheet.bytes_start) pl_file_writer_little(writer, 0, 1);
  pl_file_writer_write(writer, m->sheet.bytes.items, m->sheet.bytes.count);
  while (pl_glb_offset(&m->glb) % 4 != 0) pl_file_writer_little(writer, 0, 1);
  m->start = pl_glb_offset(&m->glb);
  return PL_OK;
}

static pl_status open_file(pl_gltf_motion *m, const char *path, const char *folder, int32_t point_count,
                           pl_file_writer *writer, pl_error *error) {
  pl_status status = pl_gltf_open(&m->gltf, m->context, m->bytes.data, m->bytes.size, path, folder, NULL, error);
  if (status < 0) return status;
  m->is_open = true;
  m->sheet = (pl_sheet){
      .arena = &m->gltf.document->arena, .root = m->gltf.document->root, .bytes = pl_vector_of(m->context, 1)};
  status = pl_sheet_check_lists(&m->sheet, m->gltf.document, error);
  if (status >= 0) status = gather_parts(m, point_count);
  if (status >= 0) status = take_memory(m);
  if (status >= 0) status = find_placements(m);
  if (status < 0) return status;
  for (int32_t i = 0; i < m->instance_count; ++i)
    m->primitive_count += pl_json_find(m->instances[i].mesh, "primitives")->count;
  plan_sizes(m);
  claim_meshes(m);
  if (m->instances[0].node == NULL) add_nodes(m);
  drop_motion(m);
  return begin_file(m, writer);
}

pl_status pl_gltf_motion_open(pl_context *context, const char *path, int32_t point_count, int32_t frame_count,
                              pl_file_writer *writer, pl_gltf_motion **motion, pl_error *error) {
  *motion = NULL;
  pl_gltf_motion *m = pl_allocate_array(context, 1, sizeof *m);
  if (m == NULL) return pl_fail_memory(error);
  m->context = context;
  m->frame_count = frame_count;
  m->boxes = pl_vector_of(context, sizeof(float[6]));
  char *folder = pl_path_folder(context, path);
  pl_status status = folder == NULL ? pl_fail_memory(error) : pl_bytes_read(context, path, &m->bytes, error);
  if (status >= 0) status = open_file(m, path, folder, point_count, writer, error);
  // No file is opened after this, and what messages could show of the folder is in the name.
  m->gltf.folder = NULL;
  pl_release(context, folder);
  if (status < 0) {
    pl_gltf_motion_close(m);
    return status;
  }
  m->gltf.error = NULL;
  *motion = m;
  return PL_OK;
}

void pl_gltf_motion_close(pl_gltf_motion *m) {
  if (m == NULL) return;
  if (m->is_open) {
    pl_vector_free(&m->sheet.bytes);
    pl_gltf_soup_free(&m->soup);
    pl_gltf_close(&m->gltf);
  }
  pl_vector_free(&m->boxes);
  pl_bytes_free(&m->bytes);
  pl_release(m->context, m);
}

// --- frames -----------------------------------------------------------------------------------------------------

typedef enum vertex_kind { POSITION, NORMAL, TANGENT } vertex_kind;

// An attribute of a vertex in the frame of its node.
static pl_vec3 local_vector(const pl_gltf_motion *m, const pl_gltf_part *part, int32_t vertex, vertex_kind kind) {
  const pl_gltf_instance *instance = &m->instances[part->instance];
  switch (kind) {
    case POSITION:
      return pl_mat3_apply(m->to_nodes[part->instance], pl_vec3_sub(m->points[vertex], instance->node_offset));
    case NORMAL:
      return pl_vec3_normalize_or(pl_mat3_apply(pl_mat3_transpose(instance->node_linear), m->normals.normals[vertex]),
                                  (pl_vec3){0, 1, 0});
    default:
      return pl_vec3_normalize_or(pl_mat3_apply(m->to_nodes[part->instance], m->normals.tangents[vertex]),
                                  (pl_vec3){1, 0, 0});
  }
}

// Vectors of the first frame, or their way from there.
static pl_status write_vectors(pl_gltf_motion *m, const pl_gltf_part *part, vertex_kind kind, float *box,
                               pl_error *error) {
  for (int32_t i = part->vertex_start; i < part->vertex_start + part->vertex_count; ++i) {
    pl_vec3 v = local_vector(m, part, i, kind);
    const double values[3] = {v.x, v.y, v.z};
    for (int axis = 0; axis < 3; ++axis) {
      float *first = &m->first[kind][3 * (size_t)i + (size_t)axis];
      float value = m->written == 0 ? (float)values[axis] : (float)(values[axis] - (double)*first);
      if (m->written == 0) *first = value;
      if (!isfinite(value))
        return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "vertex %d moves too far for 32-bit floats", i);
      if (kind == POSITION && value < box[axis]) box[axis] = value;
      if (kind == POSITION && value > box[3 + axis]) box[3 + axis] = value;
      if (kind != TANGENT || m->written > 0) pl_file_writer_float32(m->glb.writer, value);
    }
  }
  return PL_OK;
}

pl_status pl_gltf_motion_add(pl_gltf_motion *m, const pl_vec3 *points, pl_error *error) {
  for (int32_t i = 0; i < m->soup.vertex_count; ++i)
    m->points[i] = points[m->ids.count > 0 ? m->ids.id_of_vertex[i] : i];
  pl_gltf_normals_carry(&m->normals, m->points);
  for (int32_t i = 0; i < m->soup.part_count; ++i) {
    float *box = pl_vector_grow(&m->boxes, 1);
    if (box == NULL) return pl_fail_memory(error);
    for (int axis = 0; axis < 3; ++axis) {
      box[axis] = FLT_MAX;
      box[3 + axis] = -FLT_MAX;
    }
    for (int kind = 0; kind < kinds_of(m, i); ++kind) {
      pl_status status = write_vectors(m, &m->soup.parts[i], (vertex_kind)kind, box, error);
      if (status < 0) return status;
    }
  }
  pl_status status = pl_file_writer_status(m->glb.writer);
  if (status < 0) return pl_fail(error, status, "a frame could not be written; is the disk full?");
  m->written++;
  return PL_OK;
}

// --- the end ----------------------------------------------------------------------------------------------------

// A view of bytes that are written already.
static int32_t add_view(pl_gltf_motion *m, uint64_t offset, uint64_t size, int32_t stride, int32_t target) {
  pl_json *view = pl_sheet_add(&m->sheet, "bufferViews");
  pl_json_set_number(m->sheet.arena, view, "buffer", 0);
  pl_json_set_number(m->sheet.arena, view, "byteOffset", (double)offset);
  pl_json_set_number(m->sheet.arena, view, "byteLength", (double)size);
  if (stride != 0) pl_json_set_number(m->sheet.arena, view, "byteStride", stride);
  if (target != 0) pl_json_set_number(m->sheet.arena, view, "target", target);
  return pl_sheet_index(view);
}

// Accessors of a part, one per frame and kind; those of a part follow each other frame by frame.
static void add_accessors(pl_gltf_motion *m, int32_t view, int32_t tangent_view, int32_t *first_of_part) {
  uint64_t in_first = 0, in_others = 0, in_tangents = 0;
  for (int32_t i = 0; i < m->soup.part_count; ++i) {
    int32_t count = m->soup.parts[i].vertex_count;
    uint64_t size = 12 * (uint64_t)count;
    int kinds = kinds_of(m, i);
    for (int32_t frame = 0; frame < m->written; ++frame)
      for (int kind = 0; kind < kinds; ++kind) {
        uint64_t offset = (frame == 0 ? in_first : m->sizes[0] + (uint64_t)(frame - 1) * m->sizes[1] + in_others) +
                          size * (uint64_t)kind;
        bool tangents = frame == 0 && kind == TANGENT;
        pl_json *accessor =
            pl_sheet_add_accessor(&m->sheet, tangents ? tangent_view : view, (size_t)(tangents ? in_tangents : offset),
                                  PL_GLTF_FLOAT, count, tangents ? "VEC4" : "VEC3");
        if (frame == 0 && kind == 0) first_of_part[i] = pl_sheet_index(accessor);
        if (kind != POSITION) continue;
        const float *box = (const float *)m->boxes.items + 6 * ((size_t)frame * (size_t)m->soup.part_count + (size_t)i);
        const double min[3] = {(double)box[0], (double)box[1], (double)box[2]};
        const double max[3] = {(double)box[3], (double)box[4], (double)box[5]};
        pl_json_set_numbers(m->sheet.arena, accessor, "min", min, 3);
        pl_json_set_numbers(m->sheet.arena, accessor, "max", max, 3);
      }
    in_first += size * (uint64_t)(kinds > 2 ? 2 : kinds);
    in_others += size * (uint64_t)kinds;
    if (kinds > 2) in_tangents += 16 * (uint64_t)count;
  }
}

static void set_vectors(pl_gltf_motion *m, pl_json *attributes, int32_t first_accessor, int kinds) {
  static const char *const keys[] = {"POSITION", "NORMAL", "TANGENT"};
  for (int kind = 0; kind < kinds; ++kind)
    pl_json_set_number(m->sheet.arena, attributes, keys[kind], first_accessor + kind);
}

// Attributes and targets of every primitive, names and weights of every mesh.
static void change_meshes(pl_gltf_motion *m, const int32_t *first_of_part) {
  pl_arena *arena = m->sheet.arena;
  for (int32_t i = 0, number = 0; i < m->instance_count; ++i) {
    pl_json *primitives = pl_sheet_member(m->meshes[i], "primitives");
    for (pl_json *primitive = primitives->first; primitive != NULL; primitive = primitive->next) {
      int32_t part = m->soup.part_of_primitive[number++];
      int kinds = kinds_of(m, part);
      pl_json *attributes = pl_sheet_member(primitive, "attributes");
      pl_sheet_remove(attributes, "NORMAL");
      pl_sheet_remove(attributes, "TANGENT");
      set_vectors(m, attributes, first_of_part[part], kinds);
      if (m->written < 2) continue;
      pl_json *targets = pl_json_set(arena, primitive, "targets", pl_json_new(arena, PL_JSON_ARRAY));
      for (int32_t frame = 1; frame < m->written; ++frame)
        set_vectors(m, pl_json_add(targets, pl_json_new(arena, PL_JSON_OBJECT)), first_of_part[part] + frame * kinds,
                    kinds);
    }
    pl_json *extras = pl_sheet_member(m->meshes[i], "extras");
    if (extras != NULL && extras->kind == PL_JSON_OBJECT) pl_sheet_remove(extras, "targetNames");
    if (m->written < 2) continue;
    if (extras == NULL || extras->kind != PL_JSON_OBJECT)
      extras = pl_json_set(arena, m->meshes[i], "extras", pl_json_new(arena, PL_JSON_OBJECT));
    pl_json *names = pl_json_set(arena, extras, "targetNames", pl_json_new(arena, PL_JSON_ARRAY));
    pl_json *weights = pl_json_set(arena, m->meshes[i], "weights", pl_json_new(arena, PL_JSON_ARRAY));
    for (int32_t frame = 1; frame < m->written; ++frame) {
      char name[32];
      snprintf(name, sizeof name, "frame_%04d", frame + 1);
      pl_json_add(names, pl_json_new_text(arena, name));
      pl_json_add(weights, pl_json_new_number(arena, 0));
    }
  }
}

static uint64_t write_tangents(const pl_gltf_motion *m) {
  uint64_t size = 0;
  for (int32_t k = 0; k < m->soup.part_count; ++k) {
    const pl_gltf_part *part = &m->soup.parts[k];
    if (!m->normals.has_tangents[k]) continue;
    for (int32_t i = part->vertex_start; i < part->vertex_start + part->vertex_count; ++i) {
      for (int axis = 0; axis < 3; ++axis)
        pl_file_writer_float32(m->glb.writer, m->first[TANGENT][3 * (size_t)i + (size_t)axis]);
      pl_file_writer_float32(m->glb.writer, (float)m->normals.handedness[i]);
    }
    size += 16 * (uint64_t)part->vertex_count;
  }
  return size;
}

// Keys of the weights: target t is on at key t + 1 alone.
static void add_animation(pl_gltf_motion *m, double frame_rate) {
  pl_arena *arena = m->sheet.arena;
  pl_file_writer *writer = m->glb.writer;
  int32_t targets = m->written - 1;
  const uint64_t size = 4 * (uint64_t)targets;
  uint64_t times = pl_glb_offset(&m->glb);
  for (int32_t i = 0; i < m->written; ++i) pl_file_writer_float32(writer, (float)(i / frame_rate));
  uint64_t indices = pl_glb_offset(&m->glb);
  for (int32_t i = 0; i < targets; ++i)
    pl_file_writer_little(writer, (uint64_t)(i + 1) * (uint64_t)targets + (uint64_t)i, 4);
  uint64_t values = pl_glb_offset(&m->glb);
  for (int32_t i = 0; i < targets; ++i) pl_file_writer_float32(writer, 1.0f);
  pl_json *input =
      pl_sheet_add_accessor(&m->sheet, add_view(m, times, size + 4, 0, 0), 0, PL_GLTF_FLOAT, m->written, "SCALAR");
  const double first = 0, last = (double)(float)(targets / frame_rate);
  pl_json_set_numbers(arena, input, "min", &first, 1);
  pl_json_set_numbers(arena, input, "max", &last, 1);
  pl_json *output = pl_sheet_add(&m->sheet, "accessors");
  pl_json_set_number(arena, output, "componentType", PL_GLTF_FLOAT);
  pl_json_set_number(arena, output, "count", (double)m->written * targets);
  pl_json_set_text(arena, output, "type", "SCALAR");
  pl_json *sparse = pl_json_set(arena, output, "sparse", pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_number(arena, sparse, "count", targets);
  pl_json *where = pl_json_set(arena, sparse, "indices", pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_number(arena, where, "bufferView", add_view(m, indices, size, 0, 0));
  pl_json_set_number(arena, where, "componentType", PL_GLTF_UNSIGNED_INT);
  pl_json *what = pl_json_set(arena, sparse, "values", pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_number(arena, what, "bufferView", add_view(m, values, size, 0, 0));

  pl_json *animation = pl_sheet_add(&m->sheet, "animations");
  pl_json_set_text(arena, animation, "name", "frames");
  pl_json *channels = pl_json_set(arena, animation, "channels", pl_json_new(arena, PL_JSON_ARRAY));
  pl_json *samplers = pl_json_set(arena, animation, "samplers", pl_json_new(arena, PL_JSON_ARRAY));
  pl_json *sampler = pl_json_add(samplers, pl_json_new(arena, PL_JSON_OBJECT));
  pl_json_set_number(arena, sampler, "input", pl_sheet_index(input));
  pl_json_set_number(arena, sampler, "output", pl_sheet_index(output));
  pl_json_set_text(arena, sampler, "interpolation", "LINEAR");
  for (int32_t i = 0; i < m->instance_count; ++i) {
    pl_json *channel = pl_json_add(channels, pl_json_new(arena, PL_JSON_OBJECT));
    pl_json_set_number(arena, channel, "sampler", 0);
    pl_json *target = pl_json_set(arena, channel, "target", pl_json_new(arena, PL_JSON_OBJECT));
    pl_json_set_number(arena, target, "node", pl_sheet_index(m->nodes[i]));
    pl_json_set_text(arena, target, "path", "weights");
  }
}

pl_status pl_gltf_motion_finish(pl_gltf_motion *m, double frame_rate, pl_error *error) {
  int32_t *first_of_part = PL_TAKE(&m->gltf.arena, int32_t, m->soup.part_count);
  if (first_of_part == NULL) return pl_fail_memory(error);
  uint64_t end = pl_glb_offset(&m->glb), tangent_size = write_tangents(m);
  int32_t view = add_view(m, m->start, end - m->start, 12, PL_GLTF_VERTICES);
  int32_t tangent_view = tangent_size > 0 ? add_view(m, end, tangent_size, 16, PL_GLTF_VERTICES) : -1;
  add_accessors(m, view, tangent_view, first_of_part);
  change_meshes(m, first_of_part);
  if (m->written > 1) add_animation(m, frame_rate);
  pl_json_set_number(m->sheet.arena, pl_sheet_list(&m->sheet, "buffers")->first, "byteLength",
                     (double)pl_glb_offset(&m->glb));
  if (pl_sheet_failed(&m->sheet)) return pl_fail_memory(error);
  pl_vector json = pl_vector_of(m->context, 1);
  pl_status status = pl_json_write(m->sheet.root, PL_JSON_COMPACT, &json, error);
  if (status >= 0) status = pl_glb_finish(&m->glb, &json, error);
  pl_vector_free(&json);
  return status;
}
