// Strands where the world is now: guides are sampled, colliders listed, then every strand is mixed (strands_kernel.h)
// and pushed out of what has to be asked point by point. The surface is tubes or bands around that.
//
// Spheres, capsules and half-spaces are done in the kernel. Boxes and rigid meshes are asked through their distance,
// meshes through their field where it knows (collider_field.c). A mesh that deforms has no field: it is asked at the
// guides' points, and
//
//   d(x) >= d(g) - |x - g|
//
// spares most points x of strands near a point g of a guide. Close to the guide the plane through the nearest point of
// the mesh stands for it, elsewhere the mesh is asked.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "mesh/triangle_tree.h"
#include "pliant/math.h"
#include "rod/strands.h"
#include "world/world_state.h"

enum { STRANDS_PER_BLOCK = 128, GUIDES_PER_BLOCK = 16 };
// How far around a guide a deforming mesh is looked for, and its plane stands for it, metres.
static const double REACH = 0.1, SPAN = 0.008;

typedef struct placing {
  pl_strands *strands;
  pl_rod_state state;
  const pl_strands_kernels *kernels;
  pl_vec3 origin;
  pl_strands_frame frame;
  pl_strands_solid *solids;  // rigid ones that the kernel does not know
  const pl_collider **deforming;
  int32_t solid_count, deforming_count;
  float *points;         // three per point; …
  pl_vec3 *rings;        // … or the surface, NULL: not wanted
  double circle[16][2];  // cosine and sine of the corners of a ring
} placing;

// --- guides

// Distance of the nearest deforming mesh and its direction; `reach` where none is nearer.
static double find_deforming(const placing *p, pl_vec3 position, double reach, pl_vec3 *normal) {
  double nearest = reach;
  *normal = (pl_vec3){0, 0, 0};
  for (int32_t i = 0; i < p->deforming_count; ++i) {
    const pl_collider *collider = p->deforming[i];
    pl_vec3 direction;
    if (pl_vec3_distance(position, collider->center) > collider->reach + nearest) continue;
    double distance = pl_triangle_tree_signed_distance(collider->tree, position, reach, NULL, &direction);
    if (!(distance < nearest)) continue;
    nearest = distance;
    *normal = direction;
  }
  return nearest;
}

static pl_vec3 root_of(pl_rod_state s, int32_t slot) {
  return (pl_vec3){s.roots[3 * slot], s.roots[3 * slot + 1], s.roots[3 * slot + 2]};
}

static void sample_guide(const placing *p, int32_t number) {
  pl_strands *strands = p->strands;
  const pl_strands_guide *guide = &strands->guides[number];
  const pl_strands_sampling *sampling = &strands->samplings[guide->sampling];
  const pl_rod_batch *batch = &strands->model->batches[guide->slot / LANES];
  pl_rod_lanes lanes = pl_rod_lanes_of(strands->model, p->state, guide->slot / LANES);
  int32_t lane = guide->slot % LANES;
  size_t n = (size_t)strands->row_points;
  float *to = strands->curves + (size_t)number * PL_STRANDS_COLUMNS * n;
  pl_vec3 joints[PL_ROD_MAX_JOINTS], root = root_of(p->state, guide->slot);
  for (int32_t i = 0; i < sampling->joint_count; ++i) joints[i] = pl_rod_get_vec3(lanes.positions, i, lane);
  for (size_t j = 0; j < n; ++j) {
    pl_vec3 position = pl_strands_sample(sampling, (int32_t)j, joints);
    to[j] = (float)position.x;
    to[n + j] = (float)position.y;
    to[2 * n + j] = (float)position.z;
    if (strands->details != NULL) {
      // Of the joint that counts most there; the orientations at rest are those of the rest pose, the first of all.
      int32_t k = sampling->weights[j][2] > sampling->weights[j][1] ? 2 : 1, joint = sampling->joints[j][k];
      pl_mat3 turn = pl_mat3_from_quat(pl_quat_multiply(pl_rod_get_quat(lanes.rotations, joint, lane),
                                                        pl_quat_conjugate(pl_rod_get_quat(batch->poses, joint, lane))));
      for (size_t c = 0; c < 9; ++c) to[(PL_STRANDS_TURN + c) * n + j] = (float)turn.m[c / 3][c % 3];
    }
    if (p->deforming_count == 0) continue;
    pl_vec3 normal;
    to[PL_STRANDS_DISTANCE * n + j] = (float)find_deforming(p, pl_vec3_add(root, position), REACH, &normal);
    to[PL_STRANDS_NORMAL * n + j] = (float)normal.x;
    to[(PL_STRANDS_NORMAL + 1) * n + j] = (float)normal.y;
    to[(PL_STRANDS_NORMAL + 2) * n + j] = (float)normal.z;
  }
}

static void sample_guides(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  for (int32_t i = begin; i < end; ++i) sample_guide(data, i);
}

// --- colliders

static void put(float to[3], pl_vec3 v) {
  to[0] = (float)v.x;
  to[1] = (float)v.y;
  to[2] = (float)v.z;
}

static void add_collider(placing *p, pl_strands_form *forms, const pl_collider *shape, pl_transform placement) {
  double clearance = p->strands->def.clearance;
  pl_vec3 center = pl_vec3_sub(placement.position, p->origin),
          up = pl_quat_rotate(placement.rotation, pl_vec3_of(0, 1, 0));
  pl_strands_form form = {.radius = (float)(shape->radius + clearance)};
  switch (shape->shape) {
    case PL_COLLIDER_HALF_SPACE:
      form.is_plane = true;
      form.radius = (float)(pl_vec3_dot(up, center) + clearance);
      put(form.a, up);
      break;
    case PL_COLLIDER_SPHERE: put(form.a, center); break;
    case PL_COLLIDER_CAPSULE:
      put(form.a, pl_vec3_add_scaled(center, up, -shape->half_length));
      put(form.ab, pl_vec3_scale(up, 2 * shape->half_length));
      if (shape->half_length > 0) form.inverse_square = (float)(0.25 / (shape->half_length * shape->half_length));
      break;
    case PL_COLLIDER_BOX:
    case PL_COLLIDER_MESH:
      if (shape->velocities != NULL)
        p->deforming[p->deforming_count++] = shape;
      else
        p->solids[p->solid_count++] = (pl_strands_solid){shape, placement};
      return;
  }
  forms[p->frame.form_count++] = form;
}

static pl_status list_colliders(placing *p, pl_world *world, int32_t index, pl_error *error) {
  const pl_rod_model *model = p->strands->model;
  pl_body_move move = {0};
  pl_status status = pl_world_prepare_contact(world, error);
  if (status < 0) return status;
  pl_world_list_colliders(world, index, &move);
  int32_t count = model->collider_count + move.collider_count;
  pl_strands_form *forms = PL_SCRATCH(&p->strands->scratch, pl_strands_form, count);
  p->solids = PL_SCRATCH(&p->strands->scratch, pl_strands_solid, count);
  p->deforming = PL_SCRATCH(&p->strands->scratch, const pl_collider *, count);
  if (forms == NULL || p->solids == NULL || p->deforming == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < model->collider_count; ++i) {
    const pl_rod_own_collider *own = &model->colliders[i];
    add_collider(p, forms, own->shape, pl_transform_multiply(p->state.kinematic[own->kinematic].now, own->placement));
  }
  for (int32_t i = 0; i < move.collider_count; ++i)
    add_collider(p, forms, move.colliders[i], pl_collider_placement(move.colliders[i], pl_world_get_time(world)));
  p->frame.forms = forms;
  return PL_OK;
}

// Distance of a point in the collider's frame, HUGE_VAL where it is certainly farther than `reach`.
static double distance_within(const pl_collider *shape, pl_vec3 point, double reach, pl_vec3 *normal) {
  double distance, away;
  if (shape->shape != PL_COLLIDER_MESH) return pl_collider_local_distance(shape, point, normal);
  if (pl_vec3_distance(point, shape->center) > shape->reach + reach) return HUGE_VAL;
  if (pl_collider_field_at(&shape->field, point, &distance, normal)) return distance;
  distance = pl_collider_clearance_at(&shape->clearance, point, &away);
  if (distance - away > reach) return HUGE_VAL;
  return pl_triangle_tree_signed_distance(shape->tree, point, HUGE_VAL, NULL, normal);
}

static void push_points(const placing *p, float *positions) {
  size_t n = (size_t)p->strands->row_points;
  double clearance = p->strands->def.clearance;
  for (int32_t i = 0; i < p->solid_count; ++i) {
    const pl_strands_solid *solid = &p->solids[i];
    for (size_t j = 1; j < (size_t)p->strands->def.points; ++j) {
      pl_vec3 position = {(double)positions[j], (double)positions[n + j], (double)positions[2 * n + j]}, normal;
      position = pl_vec3_add(position, p->origin);
      double distance =
          distance_within(solid->shape, pl_transform_apply_inverse(solid->placement, position), clearance, &normal);
      if (!(distance < clearance)) continue;
      normal = pl_vec3_scale(pl_quat_rotate(solid->placement.rotation, normal), clearance - distance);
      positions[j] += (float)normal.x;
      positions[n + j] += (float)normal.y;
      positions[2 * n + j] += (float)normal.z;
    }
  }
}

// The point of a strand's guides that is nearest to a position, relative to it: the columns from there on.
static const float *find_guide(const placing *p, int32_t strand, size_t point, pl_vec3 position, pl_vec3 *from) {
  const pl_strands *strands = p->strands;
  const int32_t *guides = strands->neighbours + (size_t)strand * (size_t)strands->def.neighbours;
  size_t n = (size_t)strands->row_points;
  const float *best = NULL;
  double min = HUGE_VAL;
  *from = (pl_vec3){0, 0, 0};
  for (int32_t k = 0; k < strands->def.neighbours; ++k) {
    const float *curve = strands->curves + (size_t)guides[k] * PL_STRANDS_COLUMNS * n + point;
    pl_vec3 at = {(double)curve[0], (double)curve[n], (double)curve[2 * n]};
    at = pl_vec3_sub(position, pl_vec3_add(at, root_of(p->state, strands->guides[guides[k]].slot)));
    double square = pl_vec3_dot(at, at);
    if (best != NULL && !(square < min)) continue;
    min = square;
    best = curve;
    *from = at;
  }
  return best;
}

static void push_off_deforming(const placing *p, int32_t strand, float *positions) {
  size_t n = (size_t)p->strands->row_points;
  double clearance = p->strands->def.clearance;
  for (size_t j = 1; j < (size_t)p->strands->def.points; ++j) {
    pl_vec3 position = {(double)positions[j], (double)positions[n + j], (double)positions[2 * n + j]}, from, normal;
    position = pl_vec3_add(position, p->origin);
    const float *guide = find_guide(p, strand, j, position, &from);
    double away = pl_vec3_length(from), distance = (double)guide[PL_STRANDS_DISTANCE * n];
    if (distance - away > clearance) continue;
    if (away < SPAN && distance < REACH) {
      normal = (pl_vec3){(double)guide[PL_STRANDS_NORMAL * n], (double)guide[(PL_STRANDS_NORMAL + 1) * n],
                         (double)guide[(PL_STRANDS_NORMAL + 2) * n]};
      distance += pl_vec3_dot(normal, from);
    } else {
      distance = find_deforming(p, position, REACH, &normal);
    }
    if (!(distance < clearance)) continue;
    positions[j] += (float)(normal.x * (clearance - distance));
    positions[n + j] += (float)(normal.y * (clearance - distance));
    positions[2 * n + j] += (float)(normal.z * (clearance - distance));
  }
}

// --- strands

// Rings across the strand. Each has the side of the one before, turned by no more than the strand is.
static void add_rings(const placing *p, const float *positions, pl_vec3 *rings) {
  const pl_strands_def *def = &p->strands->def;
  size_t n = (size_t)p->strands->row_points;
  pl_vec3 side = {0, 0, 0};
  for (int32_t j = 0; j < def->points; ++j) {
    int32_t low = j > 0 ? j - 1 : 0, high = j + 1 < def->points ? j + 1 : j;
    pl_vec3 along = {(double)(positions[high] - positions[low]),
                     (double)(positions[n + (size_t)high] - positions[n + (size_t)low]),
                     (double)(positions[2 * n + (size_t)high] - positions[2 * n + (size_t)low])};
    along = pl_vec3_normalize_or(along, pl_vec3_of(0, 1, 0));
    pl_vec3 any = fabs(along.y) < 0.9 ? pl_vec3_cross(along, pl_vec3_of(0, 1, 0)) : pl_vec3_of(1, 0, 0);
    if (j == 0) side = any;
    side = pl_vec3_add_scaled(side, along, -pl_vec3_dot(side, along));
    side = pl_vec3_normalize_or(side, pl_vec3_normalize_or(any, pl_vec3_of(1, 0, 0)));
    pl_vec3 other = pl_vec3_cross(along, side);
    double radius = def->radius + (def->tip_radius - def->radius) * j / (def->points - 1);
    pl_vec3 center = pl_vec3_add(p->origin, (pl_vec3){(double)positions[j], (double)positions[n + (size_t)j],
                                                      (double)positions[2 * n + (size_t)j]});
    for (int32_t k = 0; k < def->sides; ++k) {
      pl_vec3 out = pl_vec3_add_scaled(pl_vec3_scale(side, p->circle[k][0]), other, -p->circle[k][1]);
      rings[j * def->sides + k] = pl_vec3_add_scaled(center, out, radius);
    }
  }
}

static void place_strands(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const placing *p = data;
  const pl_strands *strands = p->strands;
  size_t n = (size_t)strands->row_points, count = (size_t)strands->def.points;
  _Alignas(32) float positions[3 * PL_STRANDS_MAX_POINTS];
  for (int32_t i = begin; i < end; ++i) {
    float root[3];
    put(root, pl_vec3_sub(pl_transform_apply(p->state.kinematic[strands->bases[i]].now, strands->roots[i]), p->origin));
    p->kernels->mix(&p->frame, i, root, positions);
    if (p->deforming_count > 0) push_off_deforming(p, i, positions);
    if (p->solid_count > 0) push_points(p, positions);
    if (p->rings != NULL) {
      add_rings(p, positions, p->rings + (size_t)i * count * (size_t)strands->def.sides);
      continue;
    }
    float *to = p->points + 3 * count * (size_t)i;
    for (size_t j = 0; j < count; ++j)
      for (size_t c = 0; c < 3; ++c) to[3 * j + c] = positions[c * n + j];
  }
}

static int32_t find_index(const pl_world *world, const pl_body *body) {
  int32_t index = 0;
  while (pl_slots_at(&world->bodies, index) != body) ++index;
  return index;
}

static pl_status place(placing *p, pl_world *world, pl_body_id id, pl_error *error) {
  pl_strands *strands = p->strands;
  const pl_body *body = pl_world_find_body(world, id);
  if (pl_world_check_idle(world, "pl_strands_place", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  if (body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  if (body->model != &strands->model->head)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the strands were made for another model than this body's");
  p->state = pl_rod_state_of(body->model, body->state);
  p->kernels = pl_strands_kernels_choose();
  // Strands as a surface are relative to a joint: single precision then suffices wherever the body is.
  if (p->rings != NULL) p->origin = p->state.kinematic[0].now.position;
  p->frame = (pl_strands_frame){.strands = strands};
  pl_scratch_mark mark = pl_scratch_push(&strands->scratch);
  pl_status status = list_colliders(p, world, find_index(world, body), error);
  if (status >= 0) {
    pl_parallel_for(world->context, strands->guide_count, GUIDES_PER_BLOCK, sample_guides, p);
    pl_parallel_for(world->context, strands->strand_count, STRANDS_PER_BLOCK, place_strands, p);
  }
  pl_scratch_pop(&strands->scratch, mark);
  return status;
}

pl_status pl_strands_place(pl_strands *strands, pl_world *world, pl_body_id body, pl_vec3 origin, float *points,
                           pl_error *error) {
  placing p = {.strands = strands, .origin = origin, .points = points};
  return place(&p, world, body, error);
}

pl_status pl_strands_get_surface(pl_strands *strands, pl_world *world, pl_body_id body, pl_vec3 *points,
                                 pl_error *error) {
  placing p = {.strands = strands, .rings = points};
  for (int32_t k = 0; k < strands->def.sides; ++k) {
    double angle = 2 * PL_PI * k / strands->def.sides;
    p.circle[k][0] = cos(angle);
    p.circle[k][1] = sin(angle);
  }
  return place(&p, world, body, error);
}
