// The vertices of the modelling program. An exporter splits vertices along seams and writes them in an order of its
// own; where each of them carries the number it has in the modelling program (attribute _VERTEX_ID or __VERTEX_ID, in
// every primitive), points get exactly those numbers, and results fit the program's own mesh. The numbers of several
// objects follow each other.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/finding.h"
#include "io/gltf_gather.h"

static const pl_json *find_reference(const pl_gltf_part *part) {
  const pl_json *attributes = pl_json_find(part->primitive, "attributes");
  const pl_json *one = pl_json_find(attributes, "_VERTEX_ID");
  return one != NULL ? one : pl_json_find(attributes, "__VERTEX_ID");
}

static pl_status note_ignored(const pl_gltf *gltf, const pl_json *reference, const char *why) {
  static const pl_finding about = {.severity = PL_SEVERITY_WARNING,
                                   .index = -1,
                                   .kind = "vertex-ids",
                                   .why = "points are then in the order of the file",
                                   .fix = "delete loose vertices, and export the numbers of the vertices as they are"};
  pl_status status = pl_json_add_finding(gltf->document, reference, true, gltf->findings, &about,
                                         "the vertex numbers of this file are not used: %s", why);
  return status < 0 ? pl_fail_memory(gltf->error) : PL_OK;
}

// The numbers of one part; `valid` becomes false where one is not a number of a vertex.
static pl_status read_part(pl_gltf *gltf, const pl_gltf_part *part, const pl_json *reference, int32_t *ids,
                           bool *valid) {
  pl_gltf_accessor accessor;
  pl_status status = pl_gltf_open_accessor(gltf, reference, &accessor);
  if (status < 0) return status;
  if (accessor.count != part->vertex_count || accessor.component_count != 1) {
    *valid = false;
    return PL_OK;
  }
  double *values = pl_allocate_array(gltf->context, (size_t)accessor.count, sizeof *values);
  if (values == NULL) return pl_fail_memory(gltf->error);
  status = pl_gltf_read_doubles(gltf, &accessor, values);
  for (int32_t i = 0; i < accessor.count && status >= 0; ++i) {
    bool good = values[i] >= 0 && values[i] < INT32_MAX && values[i] == floor(values[i]);
    ids[part->vertex_start + i] = good ? (int32_t)values[i] : 0;
    *valid = *valid && good;
  }
  pl_release(gltf->context, values);
  return status;
}

static bool is_same(const pl_gltf_soup *soup, int32_t a, int32_t b) {
  if (memcmp(&soup->points[a], &soup->points[b], sizeof(pl_vec3)) != 0) return false;
  for (int32_t pose = 0; pose < soup->pose_count; ++pose)
    if (memcmp(&soup->poses[pose][a], &soup->poses[pose][b], sizeof(pl_vec3)) != 0) return false;
  return true;
}

// Make the numbers of the pieces follow each other and find a vertex of each. Returns what is wrong with them, or NULL.
static const char *join_pieces(const pl_gltf_soup *soup, int32_t *ids, int32_t *first_of_id, int32_t *id_count) {
  int32_t start = 0;
  *id_count = 0;
  for (int32_t vertex = 0, piece = -1; vertex < soup->vertex_count; ++vertex) {
    if (soup->piece_of_vertex[vertex] != piece) {
      piece = soup->piece_of_vertex[vertex];
      start = *id_count;
    }
    // A number can have no more vertices below it than there are.
    if (ids[vertex] >= soup->vertex_count - start) return "some are missing";
    ids[vertex] += start;
    for (; *id_count <= ids[vertex]; ++*id_count) first_of_id[*id_count] = -1;
    int32_t *first = &first_of_id[ids[vertex]];
    if (*first < 0) *first = vertex;
    if (!is_same(soup, *first, vertex)) return "vertices of one number are at different positions";
  }
  for (int32_t i = 0; i < *id_count; ++i)
    if (first_of_id[i] < 0) return "some are missing";
  return NULL;
}

pl_status pl_gltf_read_ids(pl_gltf *gltf, const pl_gltf_soup *soup, pl_gltf_ids *ids) {
  *ids = (pl_gltf_ids){0};
  int32_t with_ids = 0;
  for (int32_t i = 0; i < soup->part_count; ++i) with_ids += find_reference(&soup->parts[i]) != NULL;
  if (with_ids == 0) return PL_OK;
  const pl_json *reference = find_reference(&soup->parts[0]);
  if (with_ids < soup->part_count)
    return note_ignored(gltf, reference != NULL ? reference : gltf->root, "not every primitive has them");
  ids->id_of_vertex = PL_TAKE(&gltf->arena, int32_t, soup->vertex_count);
  ids->vertex_of_id = PL_TAKE(&gltf->arena, int32_t, soup->vertex_count);
  if (gltf->arena.failed) return pl_fail_memory(gltf->error);
  bool valid = true;
  pl_status status = PL_OK;
  for (int32_t i = 0; i < soup->part_count && status >= 0; ++i)
    status = read_part(gltf, &soup->parts[i], find_reference(&soup->parts[i]), ids->id_of_vertex, &valid);
  if (status < 0) return status;
  const char *wrong =
      valid ? join_pieces(soup, ids->id_of_vertex, ids->vertex_of_id, &ids->count) : "some are not whole numbers";
  if (wrong == NULL) return PL_OK;
  *ids = (pl_gltf_ids){0};
  return note_ignored(gltf, reference, wrong);
}

pl_status pl_gltf_order_by_ids(pl_gltf *gltf, pl_gltf_soup *soup, const pl_gltf_ids *ids) {
  pl_arena *arena = &gltf->arena;
  pl_vec3 *points = PL_TAKE(arena, pl_vec3, ids->count);
  if (points == NULL) return pl_fail_memory(gltf->error);
  for (int32_t i = 0; i < ids->count; ++i) points[i] = soup->points[ids->vertex_of_id[i]];
  soup->points = points;
  for (int32_t pose = 0; pose < soup->pose_count; ++pose) {
    points = PL_TAKE(arena, pl_vec3, ids->count);
    if (points == NULL) return pl_fail_memory(gltf->error);
    for (int32_t i = 0; i < ids->count; ++i) points[i] = soup->poses[pose][ids->vertex_of_id[i]];
    soup->poses[pose] = points;
  }
  pl_status status = pl_gltf_average_groups(gltf, soup, ids->id_of_vertex, ids->count);
  if (status < 0) return status;
  pl_vector *elements[2] = {&soup->segments, &soup->triangles};
  for (int k = 0; k < 2; ++k)
    for (size_t i = 0; i < elements[k]->count; ++i)
      PL_ITEM(elements[k], int32_t, i) = ids->id_of_vertex[PL_ITEM(elements[k], int32_t, i)];
  soup->vertex_count = ids->count;
  return PL_OK;
}
