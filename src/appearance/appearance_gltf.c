// The appearance of a surface from its glTF file.
//
// The vertices of every primitive are taken with normal, texture coordinates and colour, and tied to the points of the
// surface; its triangles must be those of the file, in their order, though some of the file's may be missing. Corners
// are found by their points, so that turned triangles (of mirrored nodes) do no harm.
//
// Points of a deformed surface have no normals in the file, so the renderer computes them. The file still says where
// the author wanted edges: vertices at one position with one normal form a group, vertices with different normals have
// an edge between them.
#include <math.h>
#include <string.h>

#include "appearance/appearance_material.h"
#include "base/context.h"
#include "base/error.h"
#include "io/gltf_elements.h"
#include "io/gltf_gather.h"
#include "pliant/math.h"
#include "pliant/mesh_file.h"

struct pl_appearance {
  pl_context *context;
  pl_arena arena;  // holds all that follows but pixels, and this struct
  pl_appearance_view view;
};

// Normals within 1.8 degrees are one.
#define SAME_NORMAL_COSINE 0.9995

typedef struct vertex {
  int32_t point, source;  // of the surface; vertex of the file
  float uv[2], color[4];
  pl_vec3 normal;
} vertex;

typedef struct loader {
  pl_gltf *gltf;
  pl_gltf_soup soup;
  const pl_appearance_surface *surface;
  const int32_t *point_of_vertex;  // NULL: the vertices are the points
  pl_image_list images;
  pl_appearance_material *materials;  // one more than the file has: the default
  pl_uv_source *uv_sources;
  int32_t material_count;
  bool *material_read;
  pl_vector vertices;   // of vertex
  pl_vector triangles;  // of int32_t
  pl_vector parts;      // of pl_appearance_part
  bool has_colors, has_materials, has_normals, fits;
} loader;

// --- the vertices of a primitive ----------------------------------------------------------------------------------

// Numbers of an attribute, `width` a vertex, to be released; NULL where the primitive has none of enough numbers.
typedef struct attribute {
  double *values;
  int32_t width;
} attribute;

static pl_status read_attribute(loader *l, const pl_gltf_part *part, const pl_json *primitive, const char *key,
                                attribute *to) {
  *to = (attribute){0};
  const pl_json *reference = pl_json_find(pl_json_find(primitive, "attributes"), key);
  if (reference == NULL) return PL_OK;
  pl_gltf_accessor accessor;
  pl_status status = pl_gltf_open_accessor(l->gltf, reference, &accessor);
  if (status < 0 || accessor.count != part->vertex_count || accessor.component_count < 2) return status;
  to->values =
      pl_allocate_array(l->gltf->context, (size_t)accessor.count * (size_t)accessor.component_count, sizeof(double));
  if (to->values == NULL) return pl_fail_memory(l->gltf->error);
  to->width = accessor.component_count;
  return pl_gltf_read_doubles(l->gltf, &accessor, to->values);
}

// One primitive while it is read.
typedef struct primitive_reader {
  const pl_gltf_part *part;
  int32_t material;
  attribute uvs, colors, normals;
  int32_t *made;  // vertex made of each of its vertices, -1: none yet
} primitive_reader;

static float finite_float(double value) {
  return isfinite(value) && fabs(value) < 1e6 ? (float)value : 0;
}

static void fill_vertex(const loader *l, const primitive_reader *r, int32_t local, vertex *v) {
  const pl_uv_source *source = &l->uv_sources[r->material];
  for (int c = 0; c < 4; ++c) v->color[c] = 1;
  if (r->uvs.values != NULL) {
    const double *uv = r->uvs.values + (size_t)local * (size_t)r->uvs.width;
    v->uv[0] = finite_float(source->matrix[0] * uv[0] + source->matrix[1] * uv[1] + source->offset[0]);
    v->uv[1] = finite_float(source->matrix[2] * uv[0] + source->matrix[3] * uv[1] + source->offset[1]);
  }
  for (int c = 0; r->colors.width >= 3 && c < r->colors.width && c < 4; ++c)
    v->color[c] = (float)fmin(fmax(r->colors.values[(size_t)local * (size_t)r->colors.width + (size_t)c], 0), 1);
  if (r->normals.width == 3) {
    const double *n = r->normals.values + (size_t)local * 3;
    v->normal = pl_vec3_normalize_or(pl_vec3_of(n[0], n[1], n[2]), pl_vec3_of(0, 0, 0));
  }
}

static int32_t take_vertex(loader *l, const primitive_reader *r, int32_t file_vertex, int32_t point) {
  int32_t local = file_vertex - r->part->vertex_start;
  if (r->made[local] >= 0) return r->made[local];
  vertex v = {.point = point, .source = file_vertex};
  fill_vertex(l, r, local, &v);
  if (!pl_vector_push(&l->vertices, &v)) return -1;
  r->made[local] = (int32_t)l->vertices.count - 1;
  return r->made[local];
}

static pl_status read_material(loader *l, const pl_json *primitive, int32_t *material) {
  int64_t number = -1;
  if (pl_json_get_integer(pl_json_find(primitive, "material"), &number)) l->has_materials = true;
  *material = number >= 0 && number < l->material_count - 1 ? (int32_t)number : l->material_count - 1;
  if (l->material_read[*material]) return PL_OK;
  l->material_read[*material] = true;
  return pl_material_read(&l->images, *material < l->material_count - 1 ? *material : -1, &l->materials[*material],
                          &l->uv_sources[*material]);
}

static pl_status open_primitive(loader *l, const pl_json *primitive, const pl_gltf_part *part, primitive_reader *r) {
  *r = (primitive_reader){.part = part};
  pl_status status = read_material(l, primitive, &r->material);
  if (status < 0) return status;
  const char *uv_key = l->uv_sources[r->material].set == 1 ? "TEXCOORD_1" : "TEXCOORD_0";
  status = read_attribute(l, part, primitive, uv_key, &r->uvs);
  if (status >= 0) status = read_attribute(l, part, primitive, "COLOR_0", &r->colors);
  if (status >= 0) status = read_attribute(l, part, primitive, "NORMAL", &r->normals);
  if (status < 0) return status;
  l->has_colors = l->has_colors || r->colors.width >= 3;
  l->has_normals = l->has_normals && r->normals.width == 3;
  r->made = pl_allocate_array(l->gltf->context, (size_t)part->vertex_count, sizeof *r->made);
  if (r->made == NULL) return pl_fail_memory(l->gltf->error);
  for (int32_t i = 0; i < part->vertex_count; ++i) r->made[i] = -1;
  return PL_OK;
}

static void close_primitive(loader *l, const primitive_reader *r) {
  pl_release(l->gltf->context, r->uvs.values);
  pl_release(l->gltf->context, r->colors.values);
  pl_release(l->gltf->context, r->normals.values);
  pl_release(l->gltf->context, r->made);
}

// --- triangles ----------------------------------------------------------------------------------------------------

// For each corner of the surface's triangle, the corner of the file's triangle with the same point; false: another one.
static bool match_corners(const int32_t *wanted, const int32_t points[3], int corner_of[3]) {
  bool used[3] = {false, false, false};
  for (int c = 0; c < 3; ++c) {
    int found = -1;
    for (int k = 0; k < 3 && found < 0; ++k)
      if (!used[k] && points[k] == wanted[c]) found = k;
    if (found < 0) return false;
    used[found] = true;
    corner_of[c] = found;
  }
  return true;
}

static bool add_to_parts(loader *l, int32_t material) {
  int32_t triangle = (int32_t)(l->triangles.count / 3) - 1;
  pl_appearance_part *last = l->parts.count > 0 ? &PL_ITEM(&l->parts, pl_appearance_part, l->parts.count - 1) : NULL;
  if (last != NULL && last->material == material) {
    last->triangle_count++;
    return true;
  }
  return pl_vector_push(&l->parts, &(pl_appearance_part){material, triangle, 1});
}

// One triangle of the file; `fits` becomes false where the surface has another one in its place.
static bool take_triangle(loader *l, const primitive_reader *r, const int32_t file_vertices[3]) {
  int32_t points[3], next = (int32_t)(l->triangles.count / 3);
  for (int c = 0; c < 3; ++c)
    points[c] = l->point_of_vertex != NULL ? l->point_of_vertex[file_vertices[c]] : file_vertices[c];
  int corner_of[3];
  if (next >= l->surface->triangle_count ||
      !match_corners(l->surface->triangles + 3 * (size_t)next, points, corner_of)) {
    // Surfaces drop triangles without area and those of other bodies.
    bool is_dropped = points[0] < 0 || points[1] < 0 || points[2] < 0 || points[0] == points[1] ||
                      points[1] == points[2] || points[2] == points[0];
    l->fits = l->fits && is_dropped;
    return true;
  }
  int32_t *to = pl_vector_grow(&l->triangles, 3);
  if (to == NULL) return false;
  for (int c = 0; c < 3; ++c) {
    int32_t made = take_vertex(l, r, file_vertices[corner_of[c]], points[corner_of[c]]);
    if (made < 0) return false;
    PL_ITEM(&l->triangles, int32_t, 3 * (size_t)next + (size_t)c) = made;
  }
  return add_to_parts(l, r->material);
}

static pl_status take_primitive(loader *l, const pl_json *primitive, const pl_gltf_part *part) {
  primitive_reader r;
  pl_vector segments = pl_vector_of(l->gltf->context, sizeof(int32_t));
  pl_vector triangles = pl_vector_of(l->gltf->context, sizeof(int32_t));
  pl_status status = open_primitive(l, primitive, part, &r);
  if (status >= 0)
    status =
        pl_gltf_read_elements(l->gltf, primitive, part->vertex_start, part->vertex_count, false, &segments, &triangles);
  for (size_t i = 0; i + 3 <= triangles.count && status >= 0 && l->fits; i += 3)
    if (!take_triangle(l, &r, &PL_ITEM(&triangles, int32_t, i))) status = pl_fail_memory(l->gltf->error);
  pl_vector_free(&segments);
  pl_vector_free(&triangles);
  close_primitive(l, &r);
  return status;
}

// --- points -------------------------------------------------------------------------------------------------------

// Which points the vertices of the file are, and which vertices are at one position. The vertices are the points as
// they are, their numbers in the modelling program, or what was merged.
static pl_status find_points(loader *l, int32_t **seam_of_vertex) {
  const pl_appearance_surface *surface = l->surface;
  int32_t vertex_count = l->soup.vertex_count;
  pl_gltf_ids ids = {0};
  pl_status status = pl_gltf_read_ids(l->gltf, &l->soup, &ids);
  if (status >= 0) status = pl_gltf_weld(l->gltf, &l->soup, seam_of_vertex);
  if (status < 0) return status;
  l->fits = true;
  if (surface->point_of_vertex != NULL) {
    l->point_of_vertex = surface->point_of_vertex;
    l->fits = surface->vertex_count == vertex_count;
  } else if (ids.count > 0 && ids.count == surface->point_count) {
    l->point_of_vertex = ids.id_of_vertex;
  } else if (surface->point_count != vertex_count) {
    l->point_of_vertex = *seam_of_vertex;
    l->fits = *seam_of_vertex != NULL && surface->point_count == l->soup.vertex_count;
  }
  return PL_OK;
}

// Characters give primitives with other joints or weights vertices of their own; a surface of one may need that.
static pl_status gather(loader *l, const pl_gltf_instance *instances, int32_t instance_count) {
  static const char *const skin[] = {"JOINTS_0", "JOINTS_1", "WEIGHTS_0", "WEIGHTS_1", NULL};
  pl_status status = pl_gltf_gather_instances(l->gltf, instances, instance_count, NULL, &l->soup);
  if (status < 0 || l->surface->point_of_vertex == NULL || l->soup.vertex_count == l->surface->vertex_count)
    return status;
  pl_gltf_soup_free(&l->soup);
  return pl_gltf_gather_instances(l->gltf, instances, instance_count, skin, &l->soup);
}

// Groups of vertices that share a normal: lists of normals at each position.
static bool group_normals(const loader *l, const int32_t *seam_of_vertex, pl_appearance *to, int32_t *groups) {
  int32_t count = (int32_t)l->vertices.count, group_count = 0;
  int32_t seam_count = l->soup.vertex_count;
  int32_t *head = PL_TAKE(&l->gltf->arena, int32_t, seam_count), *next = PL_TAKE(&l->gltf->arena, int32_t, count);
  pl_vec3 *normals = PL_TAKE(&l->gltf->arena, pl_vec3, count);
  if (l->gltf->arena.failed) return false;
  for (int32_t i = 0; i < seam_count; ++i) head[i] = -1;
  for (int32_t i = 0; i < count; ++i) {
    const vertex *v = &PL_ITEM(&l->vertices, vertex, i);
    int32_t seam = seam_of_vertex != NULL ? seam_of_vertex[v->source] : v->source, group = head[seam];
    while (group >= 0 && pl_vec3_dot(normals[group], v->normal) < SAME_NORMAL_COSINE) group = next[group];
    if (group < 0) {
      group = group_count++;
      normals[group] = v->normal;
      next[group] = head[seam];
      head[seam] = group;
    }
    groups[i] = group;
  }
  to->view.normal_groups = groups;
  to->view.normal_group_count = group_count;
  return true;
}

// --- all --------------------------------------------------------------------------------------------------------

static pl_status make_appearance(loader *l, const int32_t *seam_of_vertex, pl_appearance **appearance) {
  pl_arena arena;
  pl_arena_init(&arena, l->gltf->context, 0);
  pl_appearance *made = PL_TAKE(&arena, pl_appearance, 1);
  size_t count = l->vertices.count;
  int32_t *points = PL_TAKE(&arena, int32_t, count), *groups = PL_TAKE(&arena, int32_t, count);
  float *uvs = PL_TAKE(&arena, float, 2 * count), *colors = PL_TAKE(&arena, float, l->has_colors ? 4 * count : 0);
  void *triangles = pl_arena_copy(&arena, l->triangles.items, l->triangles.count, sizeof(int32_t));
  void *parts = pl_arena_copy(&arena, l->parts.items, l->parts.count, sizeof(pl_appearance_part));
  void *materials = pl_arena_copy(&arena, l->materials, (size_t)l->material_count, sizeof(pl_appearance_material));
  void *images = pl_arena_copy(&arena, l->images.images.items, l->images.images.count, sizeof(pl_appearance_image));
  if (arena.failed || (l->has_normals && !group_normals(l, seam_of_vertex, made, groups))) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(l->gltf->error);
  }
  for (size_t i = 0; i < count; ++i) {
    const vertex *v = &PL_ITEM(&l->vertices, vertex, i);
    points[i] = v->point;
    memcpy(uvs + 2 * i, v->uv, sizeof v->uv);
    if (l->has_colors) memcpy(colors + 4 * i, v->color, sizeof v->color);
  }
  pl_appearance_view *view = &made->view;
  view->vertex_count = (int32_t)count;
  view->points = points;
  view->uvs = uvs;
  view->colors = l->has_colors ? colors : NULL;
  view->triangle_count = (int32_t)(l->triangles.count / 3);
  view->triangles = triangles;
  view->part_count = (int32_t)l->parts.count;
  view->parts = parts;
  view->material_count = l->material_count;
  view->materials = materials;
  view->image_count = (int32_t)l->images.images.count;
  view->images = images;
  made->context = l->gltf->context;
  made->arena = arena;
  l->images.images.count = 0;  // the pixels have a new owner
  *appearance = made;
  return PL_OK;
}

static pl_status take_primitives(loader *l, const pl_gltf_instance *instances, int32_t instance_count) {
  pl_status status = PL_OK;
  for (int32_t i = 0, number = 0; i < instance_count && status >= 0 && l->fits; ++i) {
    const pl_json *primitives = pl_json_find(instances[i].mesh, "primitives");
    for (const pl_json *item = primitives->first; item != NULL && status >= 0 && l->fits; item = item->next)
      status = take_primitive(l, item, &l->soup.parts[l->soup.part_of_primitive[number++]]);
  }
  return status;
}

static pl_status load(loader *l, pl_appearance **appearance) {
  pl_gltf_instance *instances = NULL;
  int32_t instance_count = 0, *seam_of_vertex = NULL;
  pl_status status = pl_gltf_list_instances(l->gltf, &instances, &instance_count);
  if (status >= 0) status = gather(l, instances, instance_count);
  if (status >= 0) status = find_points(l, &seam_of_vertex);
  if (status < 0 || !l->fits) return status;
  const pl_json *materials = pl_json_find(l->gltf->root, "materials");
  l->material_count = 1 + (materials != NULL && materials->kind == PL_JSON_ARRAY ? materials->count : 0);
  l->materials = PL_TAKE(&l->gltf->arena, pl_appearance_material, l->material_count);
  l->uv_sources = PL_TAKE(&l->gltf->arena, pl_uv_source, l->material_count);
  l->material_read = PL_TAKE(&l->gltf->arena, bool, l->material_count);
  if (l->gltf->arena.failed) return pl_fail_memory(l->gltf->error);
  for (int32_t i = 0; i < l->material_count; ++i) l->materials[i] = pl_default_appearance_material();
  l->has_normals = true;
  status = take_primitives(l, instances, instance_count);
  bool complete = l->fits && (int32_t)(l->triangles.count / 3) == l->surface->triangle_count;
  if (status < 0 || !complete || !(l->has_materials || l->has_colors)) return status;
  return make_appearance(l, seam_of_vertex, appearance);
}

static pl_status load_gltf(pl_gltf *gltf, const pl_appearance_surface *surface, pl_appearance **appearance) {
  loader l = {.gltf = gltf,
              .surface = surface,
              .vertices = pl_vector_of(gltf->context, sizeof(vertex)),
              .triangles = pl_vector_of(gltf->context, sizeof(int32_t)),
              .parts = pl_vector_of(gltf->context, sizeof(pl_appearance_part))};
  pl_status status = pl_image_list_init(&l.images, gltf);
  if (status >= 0) status = load(&l, appearance);
  pl_image_list_free(&l.images);
  pl_vector_free(&l.vertices);
  pl_vector_free(&l.triangles);
  pl_vector_free(&l.parts);
  pl_gltf_soup_free(&l.soup);
  return status;
}

pl_status pl_appearance_load(pl_context *context, const char *path, const pl_appearance_surface *surface,
                             pl_appearance **appearance, pl_error *error) {
  *appearance = NULL;
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  pl_mesh_format format = pl_mesh_format_detect(bytes.data, bytes.size);
  if (format != PL_MESH_FORMAT_GLB && format != PL_MESH_FORMAT_GLTF) {
    pl_bytes_free(&bytes);
    return PL_OK;
  }
  char *folder = pl_path_folder(context, path);
  pl_gltf gltf;
  status = folder == NULL ? pl_fail_memory(error)
                          : pl_gltf_open(&gltf, context, bytes.data, bytes.size, path, folder, NULL, error);
  if (status >= 0) {
    status = load_gltf(&gltf, surface, appearance);
    pl_gltf_close(&gltf);
  }
  pl_release(context, folder);
  pl_bytes_free(&bytes);
  return status;
}

void pl_appearance_destroy(pl_appearance *appearance) {
  if (appearance == NULL) return;
  for (int32_t i = 0; i < appearance->view.image_count; ++i)
    pl_appearance_image_free(appearance->context, &appearance->view.images[i]);
  pl_arena arena = appearance->arena;
  pl_arena_destroy(&arena);
}

pl_appearance_view pl_appearance_get_view(const pl_appearance *appearance) {
  return appearance->view;
}
