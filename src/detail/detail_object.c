// Objects: checks, copies, and what follows from a rest shape alone; and what is connected to a triangle of it.
#include "detail/detail_object.h"

#include <string.h>

#include "base/error.h"
#include "detail/detail_descriptor.h"

// Material beyond this many window radii has a weight below 4e-6 and is not asked for.
static const double MATERIAL_REACH = 5;
// Points a stamp reaches lie within this many radii, those on sides that it unfolds too.
static const double STAMP_REACH = 1.5;
// Ways round that are shorter than these fractions of the window and of the stamp are none: ways along edges are never
// quite straight.
static const double MATERIAL_SLACK = 0.5, SURFACE_SLACK = 0.25;

pl_detail_object pl_detail_object_from_mesh(const pl_mesh *tets, const pl_mesh *surface,
                                            const int32_t *material_of_surface) {
  pl_mesh_view material = pl_mesh_get_view(tets), skin = pl_mesh_get_view(surface);
  return (pl_detail_object){.material_count = material.point_count,
                            .material_points = material.points,
                            .tet_count = material.tet_count,
                            .tets = material.tets,
                            .surface_count = skin.point_count,
                            .surface_points = skin.points,
                            .triangle_count = skin.triangle_count,
                            .triangles = skin.triangles,
                            .material_of_surface = material_of_surface};
}

static pl_status check_points(const char *field, const pl_vec3 *points, int32_t count, pl_error *error) {
  if (count < 1 || points == NULL) return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, field, "there are none");
  for (int32_t i = 0; i < count; ++i)
    if (!pl_vec3_is_finite(points[i]))
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, field, "point %d is not finite", i);
  return PL_OK;
}

static pl_status check_indices(const char *field, const int32_t *indices, int64_t count, int32_t end, pl_error *error) {
  for (int64_t i = 0; i < count; ++i)
    if (indices[i] < 0 || indices[i] >= end)
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, field, "entry %lld is %d, but there are %d points",
                           (long long)i, indices[i], end);
  return PL_OK;
}

static pl_status check_object(const pl_detail_object *object, pl_error *error) {
  pl_status status = check_points("object.material_points", object->material_points, object->material_count, error);
  if (status >= 0) status = check_points("object.surface_points", object->surface_points, object->surface_count, error);
  if (status < 0) return status;
  bool has_tets = object->tet_count > 0 && object->tets != NULL;
  if (object->tet_count < 0 || object->triangle_count < 1 || object->triangles == NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "object.triangles", "there are none");
  if (object->material_volumes == NULL && !has_tets)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "object.material_volumes",
                         "give volumes, or tets to take them from");
  status = check_indices("object.triangles", object->triangles, 3 * (int64_t)object->triangle_count,
                         object->surface_count, error);
  if (status >= 0 && has_tets)
    status = check_indices("object.tets", object->tets, 4 * (int64_t)object->tet_count, object->material_count, error);
  if (status >= 0 && has_tets && object->material_of_surface != NULL)
    status = check_indices("object.material_of_surface", object->material_of_surface, object->surface_count,
                           object->material_count, error);
  for (int32_t i = 0; status >= 0 && object->material_volumes != NULL && i < object->material_count; ++i)
    if (!(object->material_volumes[i] >= 0) || !isfinite(object->material_volumes[i]))
      status =
          pl_fail_field(error, PL_ERROR_INVALID_DATA, "object.material_volumes", "that of point %d is not a volume", i);
  return status;
}

// Copies of the arrays, volumes from the tets where they are not given.
static bool copy_object(pl_arena *arena, const pl_detail_object *object, pl_detail_object *to) {
  size_t material_count = (size_t)object->material_count, surface_count = (size_t)object->surface_count;
  *to = *object;
  if (object->tets == NULL) to->tet_count = 0;
  to->material_points = pl_arena_copy(arena, object->material_points, material_count, sizeof(pl_vec3));
  to->surface_points = pl_arena_copy(arena, object->surface_points, surface_count, sizeof(pl_vec3));
  to->triangles = pl_arena_copy(arena, object->triangles, 3 * (size_t)object->triangle_count, sizeof(int32_t));
  to->tets = NULL;  // what is needed of them is in the graph
  to->material_of_surface = NULL;
  double *volumes = PL_TAKE(arena, double, material_count);
  if (arena->failed) return false;
  if (object->material_volumes != NULL) {
    memcpy(volumes, object->material_volumes, material_count * sizeof *volumes);
  } else {
    pl_mesh_view mesh = {.point_count = object->material_count,
                         .points = object->material_points,
                         .tet_count = object->tet_count,
                         .tets = object->tets};
    pl_material_fractions(&mesh, volumes);
  }
  to->material_volumes = volumes;
  return true;
}

static void fill_surface(pl_detail_ground *ground) {
  const pl_detail_object *object = &ground->object;
  pl_normals_compute(object->surface_points, object->surface_count, object->triangles, object->triangle_count,
                     ground->normals);
  for (int32_t t = 0; t < object->triangle_count; ++t) {
    const int32_t *c = object->triangles + 3 * (size_t)t;
    pl_vec3 a = object->surface_points[c[0]];
    double area = 0.5 * pl_vec3_length(pl_vec3_cross(pl_vec3_sub(object->surface_points[c[1]], a),
                                                     pl_vec3_sub(object->surface_points[c[2]], a)));
    for (int k = 0; k < 3; ++k) ground->areas[c[k]] += area / 3;
  }
  ground->origin = pl_box_center(pl_box_from_points(object->surface_points, object->surface_count));
}

// Nearest material point of every surface point, where the caller does not give it.
static void find_anchors(const pl_detail_object *object, int32_t *anchors) {
  for (int32_t i = 0; i < object->surface_count; ++i) {
    double min = HUGE_VAL;
    for (int32_t m = 0; m < object->material_count; ++m) {
      pl_vec3 off = pl_vec3_sub(object->material_points[m], object->surface_points[i]);
      double square = pl_vec3_dot(off, off);
      if (!(square < min)) continue;
      min = square;
      anchors[i] = m;
    }
  }
}

pl_status pl_detail_ground_build(pl_arena *arena, const pl_detail_object *object, pl_detail_ground *ground,
                                 pl_error *error) {
  pl_status status = check_object(object, error);
  if (status < 0) return status;
  memset(ground, 0, sizeof *ground);
  if (!copy_object(arena, object, &ground->object)) return pl_fail_memory(error);
  const pl_detail_object *own = &ground->object;
  pl_material material = {own->material_count, own->material_points, own->material_volumes};
  pl_elements triangles = {own->triangles, own->triangle_count, 3}, tets = {object->tets, own->tet_count, 4};
  ground->normals = PL_TAKE(arena, pl_vec3, own->surface_count);
  ground->areas = PL_TAKE(arena, double, own->surface_count);
  if (arena->failed || !pl_material_rows_take(arena, &material, &ground->rows) ||
      !pl_elements_of_points(arena, triangles, own->surface_count, &ground->triangles_of_point) ||
      !pl_graph_build(arena, triangles, own->surface_points, own->surface_count, &ground->surface_graph))
    return pl_fail_memory(error);
  fill_surface(ground);
  if (own->tet_count == 0) return PL_OK;
  ground->anchors = PL_TAKE(arena, int32_t, own->surface_count);
  if (ground->anchors == NULL ||
      !pl_graph_build(arena, tets, own->material_points, own->material_count, &ground->material_graph))
    return pl_fail_memory(error);
  if (object->material_of_surface != NULL)
    memcpy(ground->anchors, object->material_of_surface, (size_t)own->surface_count * sizeof *ground->anchors);
  else
    find_anchors(own, ground->anchors);
  return PL_OK;
}

bool pl_detail_slot_take(pl_arena *arena, const pl_detail_ground *ground, pl_detail_slot *slot) {
  *slot = (pl_detail_slot){.triangle = -1, .rows = ground->rows};
  slot->fractions = PL_TAKE(arena, float, ground->object.surface_count);
  slot->points = PL_TAKE(arena, int32_t, ground->object.surface_count);
  slot->point_fractions = PL_TAKE(arena, float, ground->object.surface_count);
  slot->near.numbers = PL_TAKE(arena, float, PL_STAMP_LANES *((size_t)ground->object.surface_count / LANES + 1));
  if (ground->object.tet_count > 0) {
    slot->material_fractions = PL_TAKE(arena, float, ground->object.material_count);
    slot->rows.positions =
        pl_arena_copy(arena, ground->rows.positions, PL_MATERIAL_LANES * (size_t)ground->rows.row_count, sizeof(float));
  }
  return !arena->failed;
}

bool pl_detail_ground_work(pl_arena *arena, const pl_detail_ground *ground, pl_reach_work *work) {
  int32_t surface_count = ground->object.surface_count, material_count = ground->object.material_count;
  return pl_reach_work_take(arena, surface_count > material_count ? surface_count : material_count, work);
}

static void aim_material(const pl_detail_ground *ground, const pl_detail_reach *reach, const int32_t *corners,
                         pl_vec3 middle, pl_reach_work *work, pl_detail_slot *slot) {
  pl_reach_query query = {.center = middle,
                          .starts_at_neighbours = true,
                          .limit = fmax(MATERIAL_REACH * reach->window_radius, STAMP_REACH * reach->stamp_radius),
                          .slack = MATERIAL_SLACK * reach->window_radius};
  for (int k = 0; k < 3; ++k) query.sources[query.source_count++] = ground->anchors[corners[k]];
  pl_graph_reach(&ground->material_graph, &query, work, slot->material_fractions);
  for (int32_t m = 0; m < ground->object.material_count; ++m) {
    size_t at = PL_MATERIAL_LANES * (size_t)(m / LANES) + 3 * LANES + (size_t)(m % LANES);
    slot->rows.positions[at] = ground->rows.positions[at] * slot->material_fractions[m];
  }
  // The lower side of a sheet is far along the surface and near through the material.
  for (int32_t i = 0; i < ground->object.surface_count; ++i)
    slot->fractions[i] = fmaxf(slot->fractions[i], slot->material_fractions[ground->anchors[i]]);
}

// The points of a slot for the kernel.
static void fill_near(const pl_detail_ground *ground, pl_detail_slot *slot) {
  slot->near.count = slot->point_count;
  slot->near.row_count = (slot->point_count + LANES - 1) / LANES;
  for (int32_t k = 0; k < LANES * slot->near.row_count; ++k) {
    float *to = slot->near.numbers + PL_STAMP_LANES * (size_t)(k / LANES) + k % LANES;
    pl_vec3 position = {1e9, 0, 0}, normal = {0, 0, 0};
    if (k < slot->point_count) {
      position = pl_vec3_sub(ground->object.surface_points[slot->points[k]], ground->origin);
      normal = ground->normals[slot->points[k]];
    }
    const double numbers[6] = {position.x, position.y, position.z, normal.x, normal.y, normal.z};
    for (int i = 0; i < 6; ++i) to[LANES * i] = (float)numbers[i];
  }
}

void pl_detail_slot_aim(const pl_detail_ground *ground, const pl_detail_reach *reach, int32_t triangle,
                        pl_reach_work *work, pl_detail_slot *slot) {
  if (slot->triangle == triangle) return;
  const int32_t *corners = ground->object.triangles + 3 * (size_t)triangle;
  const pl_vec3 *rest = ground->object.surface_points;
  pl_vec3 middle =
      pl_vec3_scale(pl_vec3_add(rest[corners[0]], pl_vec3_add(rest[corners[1]], rest[corners[2]])), 1.0 / 3.0);
  double size = 0;
  for (int k = 0; k < 3; ++k) size = fmax(size, pl_vec3_distance(middle, rest[corners[k]]));
  // The contact may be anywhere in the triangle, so everything a stamp around a corner reaches must be there.
  pl_reach_query query = {.center = middle,
                          .source_count = 3,
                          .sources = {corners[0], corners[1], corners[2]},
                          .limit = STAMP_REACH * reach->stamp_radius + size,
                          .slack = SURFACE_SLACK * reach->stamp_radius};
  pl_graph_reach(&ground->surface_graph, &query, work, slot->fractions);
  if (ground->object.tet_count > 0) aim_material(ground, reach, corners, middle, work, slot);
  slot->point_count = 0;
  for (int32_t i = 0; i < ground->object.surface_count; ++i) {
    if (!(slot->fractions[i] > 0)) continue;
    slot->point_fractions[slot->point_count] = slot->fractions[i];
    slot->points[slot->point_count++] = i;
  }
  fill_near(ground, slot);
  slot->triangle = triangle;
}
