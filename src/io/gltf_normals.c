// Normals and tangents that an artist made, kept while the surface deforms.
//
// A file splits vertices along seams, some of which are sharp edges and some only seams of the texture. Vertices of one
// point whose normals agree are smooth across the seam; they share one normal of the surface, weighted by corner angle
// over the triangles of all of them. This normal and one edge make a frame in which the file's normal and tangent have
// fixed coordinates: at rest they are the file's own to rounding, also where an artist bent them away from the surface,
// and they turn with the surface when it moves.
#include "io/gltf_normals.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "math/mat3.h"

// Cosine of the angle up to which two normals are the same: 2.5 degrees, which quantised normals stay below.
static const double SAME_NORMAL = 0.999;

static pl_status read_vectors(pl_gltf *gltf, const pl_gltf_part *part, const char *key, int32_t width, pl_mat3 linear,
                              pl_vec3 *vectors, double *handedness, bool *found) {
  const pl_json *reference = pl_json_find(pl_json_find(part->primitive, "attributes"), key);
  *found = false;
  if (reference == NULL) return PL_OK;
  pl_gltf_accessor accessor;
  pl_status status = pl_gltf_open_accessor(gltf, reference, &accessor);
  if (status < 0) return status;
  if (accessor.count != part->vertex_count || accessor.component_count != width)
    return pl_json_fail(gltf->document, reference, gltf->error, PL_ERROR_INVALID_DATA,
                        "%s must be %d vectors of %d numbers", key, part->vertex_count, width);
  double *values = pl_allocate_array(gltf->context, (size_t)accessor.count * (size_t)width, sizeof *values);
  if (values == NULL) return pl_fail_memory(gltf->error);
  status = pl_gltf_read_doubles(gltf, &accessor, values);
  for (int32_t i = 0; i < accessor.count && status >= 0; ++i) {
    const double *v = values + (size_t)i * (size_t)width;
    pl_vec3 world = pl_mat3_apply(linear, (pl_vec3){v[0], v[1], v[2]});
    vectors[part->vertex_start + i] =
        pl_vec3_is_finite(world) ? pl_vec3_normalize_or(world, (pl_vec3){0, 0, 0}) : (pl_vec3){0, 0, 0};
    if (width == 4) handedness[part->vertex_start + i] = v[3] < 0 ? -1 : 1;
  }
  pl_release(gltf->context, values);
  *found = status >= 0;
  return status;
}

static pl_status read_all(pl_gltf *gltf, const pl_gltf_soup *soup, const pl_gltf_instance *instances,
                          pl_gltf_normals *n) {
  bool *has_normals = PL_TAKE(&gltf->arena, bool, soup->part_count);
  bool *has_tangents = PL_TAKE(&gltf->arena, bool, soup->part_count);
  if (has_normals == NULL || has_tangents == NULL) return pl_fail_memory(gltf->error);
  for (int32_t i = 0; i < soup->part_count; ++i) {
    const pl_gltf_part *part = &soup->parts[i];
    pl_mat3 linear = instances[part->instance].linear;
    pl_mat3 of_normals = pl_mat3_transpose(pl_mat3_inverse(linear));
    pl_status status = read_vectors(gltf, part, "NORMAL", 3, of_normals, n->normals, NULL, &has_normals[i]);
    if (status >= 0 && has_normals[i])
      status = read_vectors(gltf, part, "TANGENT", 4, linear, n->tangents, n->handedness, &has_tangents[i]);
    if (status < 0) return status;
  }
  n->has_normals = has_normals;
  n->has_tangents = has_tangents;
  return PL_OK;
}

// Unite the vertices of each point whose normals agree. Those of a point are few, so each is compared with all.
static pl_status find_smooth(pl_gltf *gltf, const pl_gltf_soup *soup, const int32_t *point_of_vertex,
                             pl_gltf_normals *n) {
  int32_t *next = PL_TAKE(&gltf->arena, int32_t, soup->vertex_count);   // smooth vertices of the same point
  int32_t *first = PL_TAKE(&gltf->arena, int32_t, soup->vertex_count);  // of each point
  if (next == NULL || first == NULL) return pl_fail_memory(gltf->error);
  for (int32_t i = 0; i < soup->vertex_count; ++i) first[i] = -1;
  for (int32_t vertex = 0; vertex < soup->vertex_count; ++vertex) {
    int32_t point = point_of_vertex[vertex], smooth = first[point];
    while (smooth >= 0 && pl_vec3_dot(n->normals[n->vertex_of_smooth[smooth]], n->normals[vertex]) < SAME_NORMAL)
      smooth = next[smooth];
    if (smooth < 0) {
      smooth = n->smooth_count++;
      n->vertex_of_smooth[smooth] = vertex;
      n->edge_of_smooth[smooth] = -1;
      next[smooth] = first[point];
      first[point] = smooth;
    }
    n->smooth_of_vertex[vertex] = smooth;
  }
  return PL_OK;
}

static void find_edges(const pl_gltf_soup *soup, pl_gltf_normals *n) {
  for (int32_t i = 0; i < 3 * n->triangle_count; ++i)
    n->triangles[i] = n->smooth_of_vertex[PL_ITEM(&soup->triangles, int32_t, i)];
  for (int32_t i = 0; i < 3 * n->triangle_count; ++i) {
    int32_t corner = n->triangles[i], other = n->triangles[i % 3 == 2 ? i - 2 : i + 1];
    if (n->edge_of_smooth[corner] < 0) n->edge_of_smooth[corner] = other;
  }
}

// The frame of a smooth vertex: its normal, and an edge across it.
static pl_mat3 frame_of(const pl_gltf_normals *n, int32_t smooth) {
  pl_vec3 up = n->smooth_normals[smooth], along = {1, 0, 0};
  if (n->edge_of_smooth[smooth] >= 0)
    along = pl_vec3_sub(n->smooth_points[n->edge_of_smooth[smooth]], n->smooth_points[smooth]);
  up = pl_vec3_normalize_or(up, (pl_vec3){0, 1, 0});
  pl_vec3 across = pl_vec3_cross(up, along);
  if (!(pl_vec3_length(across) > 1e-9 * pl_vec3_length(along)))
    across = pl_vec3_cross(up, fabs(up.x) < 0.5 ? (pl_vec3){1, 0, 0} : (pl_vec3){0, 0, 1});
  across = pl_vec3_normalize_or(across, (pl_vec3){1, 0, 0});
  along = pl_vec3_cross(across, up);
  return (pl_mat3){{{along.x, across.x, up.x}, {along.y, across.y, up.y}, {along.z, across.z, up.z}}};
}

static void find_surface_normals(pl_gltf_normals *n, const pl_vec3 *points) {
  for (int32_t i = 0; i < n->smooth_count; ++i) n->smooth_points[i] = points[n->vertex_of_smooth[i]];
  pl_normals_compute(n->smooth_points, n->smooth_count, n->triangles, n->triangle_count, n->smooth_normals);
}

pl_status pl_gltf_normals_read(pl_gltf *gltf, const pl_gltf_soup *soup, const pl_gltf_instance *instances,
                               const int32_t *point_of_vertex, pl_gltf_normals *n) {
  pl_arena *arena = &gltf->arena;
  size_t count = (size_t)soup->vertex_count;
  *n = (pl_gltf_normals){.vertex_count = soup->vertex_count, .triangle_count = (int32_t)(soup->triangles.count / 3)};
  n->normals = PL_TAKE(arena, pl_vec3, count);
  n->tangents = PL_TAKE(arena, pl_vec3, count);
  n->handedness = PL_TAKE(arena, double, count);
  n->smooth_of_vertex = PL_TAKE(arena, int32_t, count);
  n->vertex_of_smooth = PL_TAKE(arena, int32_t, count);
  n->edge_of_smooth = PL_TAKE(arena, int32_t, count);
  n->triangles = PL_TAKE(arena, int32_t, soup->triangles.count);
  n->normals_in_frame = PL_TAKE(arena, pl_vec3, count);
  n->tangents_in_frame = PL_TAKE(arena, pl_vec3, count);
  n->smooth_points = PL_TAKE(arena, pl_vec3, count);
  n->smooth_normals = PL_TAKE(arena, pl_vec3, count);
  if (arena->failed) return pl_fail_memory(gltf->error);
  pl_status status = read_all(gltf, soup, instances, n);
  if (status >= 0) status = find_smooth(gltf, soup, point_of_vertex, n);
  if (status < 0) return status;
  find_edges(soup, n);
  find_surface_normals(n, soup->points);
  for (int32_t i = 0; i < n->vertex_count; ++i) {
    pl_mat3 back = pl_mat3_transpose(frame_of(n, n->smooth_of_vertex[i]));
    n->normals_in_frame[i] = pl_mat3_apply(back, n->normals[i]);
    n->tangents_in_frame[i] = pl_mat3_apply(back, n->tangents[i]);
  }
  return PL_OK;
}

void pl_gltf_normals_carry(pl_gltf_normals *n, const pl_vec3 *points) {
  find_surface_normals(n, points);
  for (int32_t i = 0; i < n->vertex_count; ++i) {
    pl_mat3 frame = frame_of(n, n->smooth_of_vertex[i]);
    n->normals[i] = pl_mat3_apply(frame, n->normals_in_frame[i]);
    n->tangents[i] = pl_mat3_apply(frame, n->tangents_in_frame[i]);
  }
}
