// What curves and plane solids are drawn by. Their particles lie in a plane z = const, so a picture would show a line
// or a cut-out without thickness: a curve becomes a tube of square cross-section, a plane solid a slab, both as thick
// as the material says. A plate, whose triangles are few, is drawn by a finer figure that they carry along. They are
// computed again from the particles whenever they are read.
//
// A cross-section of a tube stands across the mean direction of the two segments that meet at a point, wide enough that
// both sides keep their distance (a mitre); where more or fewer segments meet, each has a cross-section of its own.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "body/body_method.h"
#include "contact/surface_tree.h"
#include "mesh/topology.h"
#include "pliant/math.h"
#include "scene/scene_fem.h"
#include "scene/scene_rod.h"

static void add_triangle(pl_instance_skin *skin, int32_t *triangles, int32_t a, int32_t b, int32_t c) {
  int32_t *corners = triangles + 3 * (ptrdiff_t)skin->triangle_count++;
  corners[0] = a;
  corners[1] = b;
  corners[2] = c;
}

// --- curves -------------------------------------------------------------------------------------------------------

// The tube of a segment from one cross-section to another; each has its corners in the order left front, left back,
// right back, right front, looking along the curve with z towards the front.
static void add_tube(pl_instance_skin *skin, int32_t *triangles, int32_t from, int32_t to, bool cap_from, bool cap_to) {
  int32_t a = 4 * from, b = 4 * to;
  for (int k = 0; k < 4; ++k) {
    int32_t next = (k + 1) % 4;
    add_triangle(skin, triangles, a + k, b + next, a + next);
    add_triangle(skin, triangles, a + k, b + k, b + next);
  }
  if (cap_from) {
    add_triangle(skin, triangles, a, a + 1, a + 2);
    add_triangle(skin, triangles, a, a + 2, a + 3);
  }
  if (cap_to) {
    add_triangle(skin, triangles, b, b + 2, b + 1);
    add_triangle(skin, triangles, b, b + 3, b + 2);
  }
}

static pl_status build_tubes(pl_scene_instance *set, pl_instance_skin *skin, pl_error *error) {
  pl_mesh_view mesh = pl_mesh_get_view(skin->elements);
  int32_t *slots = PL_TAKE(&set->arena, int32_t, 2 * (size_t)mesh.segment_count);
  int32_t *triangles = PL_TAKE(&set->arena, int32_t, 36 * (size_t)mesh.segment_count);
  int32_t *begins = PL_TAKE(&set->arena, int32_t, mesh.point_count),
          *ends = PL_TAKE(&set->arena, int32_t, mesh.point_count);
  int32_t *shared = PL_TAKE(&set->arena, int32_t, mesh.point_count);
  if (set->arena.failed) return pl_fail_memory(error);
  for (int32_t s = 0; s < mesh.segment_count; ++s) {
    begins[mesh.segments[2 * s]]++;
    ends[mesh.segments[2 * s + 1]]++;
  }
  // A cross-section is shared where one segment ends and one begins.
  for (int32_t p = 0; p < mesh.point_count; ++p) shared[p] = begins[p] == 1 && ends[p] == 1 ? skin->slot_count++ : -1;
  for (int32_t s = 0; s < mesh.segment_count; ++s) {
    int32_t *own = slots + 2 * (ptrdiff_t)s, p = mesh.segments[2 * s], q = mesh.segments[2 * s + 1];
    own[0] = shared[p] >= 0 ? shared[p] : skin->slot_count++;
    own[1] = shared[q] >= 0 ? shared[q] : skin->slot_count++;
    add_tube(skin, triangles, own[0], own[1], shared[p] < 0, shared[q] < 0);
  }
  skin->slots = slots;
  skin->triangles = triangles;
  skin->point_count = 4 * skin->slot_count;
  return PL_OK;
}

static void shape_tubes(const pl_instance_skin *skin, const pl_vec3 *particles, pl_vec3 *points) {
  pl_mesh_view mesh = pl_mesh_get_view(skin->elements);
  // First the sum of the unit directions of the segments at each cross-section, then its corners.
  for (int32_t i = 0; i < skin->point_count; ++i) points[i] = (pl_vec3){0, 0, 0};
  for (int32_t s = 0; s < mesh.segment_count; ++s) {
    const int32_t *ends = mesh.segments + 2 * (ptrdiff_t)s, *slots = skin->slots + 2 * (ptrdiff_t)s;
    pl_vec3 along = pl_vec3_normalize_or(pl_vec3_sub(particles[ends[1]], particles[ends[0]]), (pl_vec3){1, 0, 0});
    for (int k = 0; k < 2; ++k) {
      points[4 * (ptrdiff_t)slots[k]] = pl_vec3_add(points[4 * (ptrdiff_t)slots[k]], along);
      points[4 * (ptrdiff_t)slots[k] + 1] = particles[ends[k]];
      points[4 * (ptrdiff_t)slots[k] + 2].x += 1;  // segments here
    }
  }
  for (int32_t i = 0; i < skin->slot_count; ++i) {
    pl_vec3 *corners = points + 4 * (ptrdiff_t)i, sum = corners[0], p = corners[1];
    double fraction = pl_vec3_length(sum) / corners[2].x;  // cosine of half the turn
    pl_vec3 along = pl_vec3_normalize_or(sum, (pl_vec3){1, 0, 0});
    double wide = skin->half / fmax(fraction, 0.5);  // a sharp fold would send its mitre far out
    pl_vec3 aside = {-along.y * wide, along.x * wide, 0};
    for (int k = 0; k < 4; ++k) {
      double side = k < 2 ? 1 : -1, up = k == 0 || k == 3 ? skin->half : -skin->half;
      corners[k] = (pl_vec3){p.x + side * aside.x, p.y + side * aside.y, p.z + up};
    }
  }
}

// --- plane solids -------------------------------------------------------------------------------------------------

static pl_status build_slab(pl_scene_instance *set, pl_instance_skin *skin, const pl_mesh *figure, pl_error *error) {
  pl_mesh_view mesh = pl_mesh_get_view(figure);
  pl_elements faces = {mesh.triangles, mesh.triangle_count, 3};
  int32_t n = mesh.point_count, *neighbours;
  int32_t *triangles = PL_TAKE(&set->arena, int32_t, 24 * (size_t)mesh.triangle_count);
  if (triangles == NULL || !pl_neighbours_find(&set->arena, faces, n, &neighbours)) return pl_fail_memory(error);
  for (int32_t t = 0; t < mesh.triangle_count; ++t) {
    const int32_t *c = mesh.triangles + 3 * (ptrdiff_t)t;
    pl_vec3 u = pl_vec3_sub(mesh.points[c[1]], mesh.points[c[0]]),
            v = pl_vec3_sub(mesh.points[c[2]], mesh.points[c[0]]);
    // The face towards +z has points from 0 on, the other one those behind them.
    int32_t front = u.x * v.y - u.y * v.x > 0 ? 0 : n, back = n - front;
    add_triangle(skin, triangles, c[0] + front, c[1] + front, c[2] + front);
    add_triangle(skin, triangles, c[0] + back, c[2] + back, c[1] + back);
    for (int k = 0; k < 3; ++k) {
      if (neighbours[3 * t + k] >= 0) continue;
      int32_t p = c[(k + 1) % 3], q = c[(k + 2) % 3];
      add_triangle(skin, triangles, p + front, p + back, q + back);
      add_triangle(skin, triangles, p + front, q + back, q + front);
    }
  }
  skin->triangles = triangles;
  skin->point_count = 2 * n;
  return PL_OK;
}

// Shares of the corners of a triangle in a place of its plane, beyond its sides too. A triangle without area keeps the
// shares it is given.
static void barycentric(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 p, double weights[3]) {
  double twice = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  if (!(fabs(twice) > 0)) return;
  weights[1] = ((p.x - a.x) * (c.y - a.y) - (p.y - a.y) * (c.x - a.x)) / twice;
  weights[2] = ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)) / twice;
  weights[0] = 1 - weights[1] - weights[2];
}

// Each point of a finer figure goes with the triangle nearest to it.
static pl_status carry_figure(pl_scene_instance *set, pl_instance_skin *skin, const pl_mesh *figure, double scale,
                              pl_error *error) {
  pl_mesh_view mesh = pl_mesh_get_view(skin->elements), fine = pl_mesh_get_view(figure);
  int32_t n = fine.point_count, *carriers = PL_TAKE(&set->arena, int32_t, 3 * (size_t)n);
  double *weights = PL_TAKE(&set->arena, double, 3 * (size_t)n);
  pl_vec3 *positions = PL_TAKE(&set->arena, pl_vec3, n);
  if (set->arena.failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < n; ++i) positions[i] = pl_vec3_scale(fine.points[i], scale);
  pl_embedding *embedding = NULL;
  pl_status status = pl_embedding_build(set->context, skin->elements, &(pl_embedding_input){positions, n, HUGE_VAL},
                                        &embedding, NULL, error);
  if (status < 0) return status;
  pl_embedding_view view = pl_embedding_get_view(embedding);
  for (int32_t i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) {
      carriers[3 * i + k] = view.parents[4 * i + k];
      weights[3 * i + k] = (double)view.weights[4 * i + k];
    }
    const int32_t *c = carriers + 3 * (ptrdiff_t)i;
    barycentric(mesh.points[c[0]], mesh.points[c[1]], mesh.points[c[2]], positions[i], weights + 3 * (ptrdiff_t)i);
  }
  pl_embedding_destroy(embedding);
  skin->carried_count = n;
  skin->carriers = carriers;
  skin->weights = weights;
  return PL_OK;
}

// The slab of a plate is that of a finer figure. Where the outline is too delicate to be filled more finely, it is that
// of its own triangles; what the scene asks to be drawn must be possible.
static pl_status build_figure(pl_scene_instance *set, pl_instance_skin *skin, const pl_scene_mesh *def,
                              pl_error *error) {
  pl_mesh *figure = NULL;
  pl_status status = pl_scene_make_drawn(set->context, &def->plate, &figure, error);
  if (status < 0 && status != PL_ERROR_OUT_OF_MEMORY && def->plate.drawn.json == NULL)
    return build_slab(set, skin, skin->elements, error);
  if (status >= 0) status = carry_figure(set, skin, figure, def->scale, error);
  if (status >= 0) status = build_slab(set, skin, figure, error);
  pl_mesh_destroy(figure);
  return status;
}

static pl_vec3 carried_position(const pl_instance_skin *skin, const pl_vec3 *particles, int32_t i) {
  if (skin->carried_count == 0) return particles[i];
  pl_vec3 position = {0, 0, 0};
  for (int k = 0; k < 3; ++k)
    position = pl_vec3_add_scaled(position, particles[skin->carriers[3 * i + k]], skin->weights[3 * i + k]);
  return position;
}

static void shape_slab(const pl_instance_skin *skin, const pl_vec3 *particles, pl_vec3 *points) {
  int32_t n = skin->point_count / 2;
  for (int32_t i = 0; i < n; ++i) {
    pl_vec3 position = carried_position(skin, particles, i);
    points[i] = pl_vec3_add(position, (pl_vec3){0, 0, skin->half});
    points[n + i] = pl_vec3_add(position, (pl_vec3){0, 0, -skin->half});
  }
}

// --- both ---------------------------------------------------------------------------------------------------------

static void shape_skin(const pl_instance_skin *skin, const pl_vec3 *particles, pl_vec3 *points) {
  if (skin->slots != NULL)
    shape_tubes(skin, particles, points);
  else
    shape_slab(skin, particles, points);
}

pl_status pl_instance_make_skin(pl_scene_instance *set, pl_instance_part *part, pl_error *error) {
  pl_instance_skin *skin = PL_TAKE(&set->arena, pl_instance_skin, 1);
  if (skin == NULL) return pl_fail_memory(error);
  skin->elements = part->tets;
  skin->half = 0.5 * part->source->fem.def.thickness;
  bool curve = pl_scene_fem_elements(&part->source->fem) == PL_FEM_OF_SEGMENTS;
  const pl_scene_mesh *def = pl_scene_find_mesh(set->scene, part->source->mesh);
  pl_status status = curve                     ? build_tubes(set, skin, error)
                     : def->plate.json != NULL ? build_figure(set, skin, def, error)
                                               : build_slab(set, skin, skin->elements, error);
  if (status < 0) return status;
  pl_vec3 *points = pl_allocate_array(set->context, (size_t)skin->point_count, sizeof(pl_vec3));
  if (points == NULL) return pl_fail_memory(error);
  shape_skin(skin, pl_mesh_get_view(part->tets).points, points);
  pl_mesh_view view = {.point_count = skin->point_count,
                       .points = points,
                       .triangle_count = skin->triangle_count,
                       .triangles = skin->triangles};
  status = pl_mesh_create(set->context, &view, &part->surface, error);
  pl_release(set->context, points);
  part->skin = skin;
  return status;
}

pl_scene_instance_surface pl_instance_get_part_view(const pl_instance_part *part) {
  pl_model_report model = pl_model_get_report(part->model);
  if (part->skin != NULL)
    return (pl_scene_instance_surface){part->skin->point_count, part->skin->triangle_count, part->skin->triangles};
  if (part->rod != NULL && part->rod->strands != NULL) {
    pl_strands_report strands = pl_strands_get_report(part->rod->strands);
    return (pl_scene_instance_surface){strands.surface_point_count, strands.surface_triangle_count,
                                       pl_strands_get_surface_triangles(part->rod->strands)};
  }
  return (pl_scene_instance_surface){model.surface_point_count, model.surface_triangle_count,
                                     pl_model_get_surface_triangles(part->model)};
}

pl_status pl_instance_get_part_surface(const pl_scene_instance *set, const pl_instance_part *part, pl_vec3 *points) {
  if (part->rod != NULL && part->rod->strands != NULL)
    return pl_strands_get_surface(part->rod->strands, set->world, part->body.id, points, NULL);
  if (part->skin == NULL) return pl_body_get_surface(set->world, part->body.id, points);
  pl_status status = pl_body_get_positions(set->world, part->body.id, set->points);
  if (status >= 0) shape_skin(part->skin, set->points, points);
  return status;
}

pl_scene_instance_surface pl_scene_instance_get_surface_view(const pl_scene_instance *set, int32_t index) {
  return pl_instance_get_part_view(&PL_ITEM(&set->parts, pl_instance_part, index));
}

pl_status pl_scene_instance_get_surface(const pl_scene_instance *set, int32_t index, pl_vec3 *points) {
  return pl_instance_get_part_surface(set, &PL_ITEM(&set->parts, pl_instance_part, index), points);
}

pl_status pl_scene_instance_get_rest(const pl_scene_instance *set, int32_t index, pl_vec3 *points) {
  const pl_instance_player *player = &PL_ITEM(&set->players, pl_instance_player, index);
  const pl_instance_part *part = &PL_ITEM(&set->parts, pl_instance_part, player->part);
  pl_actor_get_rest_points(player->actor, set->points);
  if (part->skin != NULL) {
    shape_skin(part->skin, set->points, points);
    return PL_OK;
  }
  const pl_contact_surface *surface = &part->model->surface;
  for (int32_t i = 0; i < surface->point_count; ++i) points[i] = pl_contact_surface_point(surface, i, set->points);
  return PL_OK;
}
