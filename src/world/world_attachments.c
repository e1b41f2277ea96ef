// Attachments: adding, removing, moving and reports. contact/contact_attachment.c solves them.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "mesh/simplex.h"
#include "pliant/math.h"
#include "world/joint_parameters.h"
#include "world/world_joints.h"

pl_attachment_def pl_default_attachment_def(void) {
  pl_attachment_def def = {.joint = -1, .frame = pl_transform_identity()};
  pl_parameters_set_defaults(&pl_attachment_def_parameters, &def);
  return def;
}

// --- checks

static pl_status check_particles(const int32_t *particles, int32_t count, const pl_body *body, const char *field,
                                 pl_error *error) {
  for (int32_t i = 0; i < count; ++i)
    if (particles[i] < 0 || particles[i] >= body->model->particle_count)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, field, "%d is out of range; the body has particles 0 … %d",
                           particles[i], body->model->particle_count - 1);
  return PL_OK;
}

static pl_status check_ends(const pl_world *world, const pl_attachment_def *def, pl_error *error) {
  const pl_body *a = pl_world_find_body(world, def->body_a), *b = pl_world_find_body(world, def->body_b);
  if (a == NULL) return pl_fail_field(error, PL_ERROR_NOT_FOUND, "body_a", "there is no such body in this world");
  if (b == NULL && def->body_b.slot != 0)
    return pl_fail_field(error, PL_ERROR_NOT_FOUND, "body_b", "there is no such body in this world");
  if (a->model->method->handles_bodies)
    return pl_fail_field(error, PL_ERROR_UNSUPPORTED, "body_a",
                         "bodies of the method %s meet others in their own step; make it body_b and name its bone",
                         a->model->method->name);
  if (b != NULL && b->model->method->get_joints != NULL) {
    if (def->joint < 0 || def->joint >= b->model->particle_count)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "joint", "%d is out of range; the rod has bones 0 … %d",
                           def->joint, b->model->particle_count - 1);
  } else if (def->joint >= 0) {
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "joint", "body_b has no bones; leave it -1");
  } else if (b != NULL && b->model->method->handles_bodies) {
    return pl_fail_field(error, PL_ERROR_UNSUPPORTED, "body_b", "bodies of the method %s meet others in their own step",
                         b->model->method->name);
  }
  pl_status status = check_particles(def->particles, def->particle_count, a, "particles", error);
  if (status < 0 || def->partners == NULL) return status;
  if (b == NULL || def->joint >= 0)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "partners", "partners are particles of a body b");
  return check_particles(def->partners, def->particle_count, b, "partners", error);
}

static pl_status check_def(const pl_world *world, const pl_attachment_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_attachment_def_parameters, def, error);
  if (status < 0) return status;
  if (def->particle_count < 1 || def->particles == NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "particles", "an attachment needs at least one particle");
  if (!pl_transform_is_valid(def->frame))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "frame",
                         "the position must be finite and the rotation not zero");
  for (int32_t i = 0; def->weights != NULL && i < def->particle_count; ++i)
    if (!(def->weights[i] >= 0.0f && def->weights[i] <= 1.0f))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "weights", "weight %d is not between 0 and 1", i);
  if (def->max_distance > 0) {
    const pl_body *a = pl_world_find_body(world, def->body_a), *b = pl_world_find_body(world, def->body_b);
    bool follows = b == NULL || def->joint >= 0 || b->model->method->get_collider != NULL;
    if (!follows || def->break_force > 0 || (a != NULL && a->model->method->get_rigid != NULL))
      return pl_fail_field(error, PL_ERROR_UNSUPPORTED, "max_distance",
                           "only soft bodies that are tied to a kinematic mesh, a bone or the world, and do not come "
                           "off, have a range around their goals");
  }
  if (pl_body_id_is(def->body_a, def->body_b) && def->partners == NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "partners", "a body tied to itself needs partners");
  return check_ends(world, def, error);
}

// --- points

static pl_vec3 particle_position(const pl_body *body, int32_t particle) {
  pl_vec3 unused;
  return body->model->method->get_particle(body->model, body->state, particle, &unused);
}

// A position as a point of a rigid body.
static pl_vec3 point_in_rigid(const pl_body *body, pl_vec3 position) {
  pl_contact_rigid rigid;
  body->model->method->get_rigid(body->model, body->state, &rigid);
  return pl_quat_rotate(pl_quat_conjugate(rigid.rotation), pl_vec3_sub(position, rigid.center));
}

static void tie_particle(const pl_body *body, int32_t particle, pl_attached_point *point, int side) {
  if (body->model->method->get_rigid != NULL) {
    point->points[side] = point_in_rigid(body, particle_position(body, particle));
    return;
  }
  point->terms[side][0] = (pl_contact_term){particle, 1};
  point->term_counts[side] = 1;
}

static void add_surface_terms(const pl_contact_surface *surface, int32_t surface_point, double scale,
                              pl_attached_point *point) {
  double sum = 0;
  const float *weights = &surface->weights[4 * (size_t)surface_point];
  for (int k = 0; k < 4; ++k) sum += (double)weights[k];
  for (int k = 0; k < 4; ++k) {
    if (weights[k] == 0.0f || scale == 0) continue;
    int32_t particle = surface->parents[4 * (size_t)surface_point + (size_t)k], i = 0;
    while (i < point->term_counts[1] && point->terms[1][i].particle != particle) ++i;
    if (i == point->term_counts[1]) point->terms[1][point->term_counts[1]++] = (pl_contact_term){particle, 0};
    point->terms[1][i].weight += scale * (double)weights[k] / sum;
  }
}

// The nearest point of a soft body's surface. `surface_points` are its points now. Returns the triangle's corners.
static const int32_t *tie_surface(const pl_body *body, const pl_vec3 *surface_points, pl_vec3 position,
                                  pl_attached_point *point) {
  const pl_contact_surface *surface = &body->model->surface;
  double nearest = HUGE_VAL, best[3] = {1, 0, 0};
  const int32_t *corners = surface->triangles;
  for (int32_t t = 0; t < surface->triangle_count; ++t) {
    const int32_t *c = &surface->triangles[3 * t];
    double weights[3];
    pl_vec3 at =
        pl_triangle_nearest(surface_points[c[0]], surface_points[c[1]], surface_points[c[2]], position, weights);
    double distance = pl_vec3_distance(at, position);
    if (!(distance < nearest)) continue;
    nearest = distance;
    corners = c;
    memcpy(best, weights, sizeof best);
  }
  for (int k = 0; k < 3; ++k) add_surface_terms(surface, corners[k], best[k], point);
  return corners;
}

// Axes that move along with a triangle: its normal, its first side, and across both.
static pl_mat3 triangle_axes(const pl_vec3 corners[3]) {
  pl_vec3 side = pl_vec3_sub(corners[1], corners[0]);
  pl_vec3 normal = pl_vec3_cross(side, pl_vec3_sub(corners[2], corners[0]));
  normal = pl_vec3_normalize_or(normal, pl_vec3_of(0, 1, 0));
  side = pl_vec3_normalize_or(side, pl_vec3_of(1, 0, 0));
  return pl_mat3_from_columns(normal, side, pl_vec3_cross(normal, side));
}

static void get_corners(const pl_body *body, const int32_t particles[3], pl_vec3 corners[3]) {
  for (int k = 0; k < 3; ++k) corners[k] = particle_position(body, particles[k]);
}

// The goal of a particle that is at `position` now: `corners` are surface points of body b, or NULL for the frame.
static void set_goal(pl_world_attachment *made, const pl_body *b, const int32_t *corners, pl_vec3 position,
                     double range) {
  pl_attached_goal *goal = &made->goals[made->rows.count - 1];
  *goal = (pl_attached_goal){range, {-1, -1, -1}, pl_transform_apply_inverse(made->state.frame, position)};
  if (corners == NULL) return;
  pl_vec3 positions[3];
  for (int k = 0; k < 3; ++k) goal->corners[k] = b->model->surface.parents[4 * corners[k]];
  get_corners(b, goal->corners, positions);
  goal->offset = pl_mat3_apply(pl_mat3_transpose(triangle_axes(positions)), pl_vec3_sub(position, positions[0]));
}

// Placement of a rod's bone. `joints` has space for all of them.
static pl_transform bone_of(const pl_body *rod, int32_t joint, pl_transform *joints) {
  rod->model->method->get_joints(rod->model, rod->state, joints);
  joints[joint].rotation = pl_quat_normalize(joints[joint].rotation);
  return joints[joint];
}

// The first triangle at a particle of body b.
static const int32_t *triangle_at(const pl_body *b, int32_t particle) {
  const pl_contact_surface *surface = &b->model->surface;
  for (int32_t i = 0; i < 3 * surface->triangle_count; ++i)
    if (surface->parents[4 * surface->triangles[i]] == particle) return &surface->triangles[i - i % 3];
  return surface->triangles;
}

static void tie_point(pl_world_attachment *made, const pl_attachment_def *def, int32_t i, const pl_body *a,
                      const pl_body *b, const pl_vec3 *surface_points) {
  double weight = def->weights != NULL ? (double)def->weights[i] : 1;
  int32_t at = made->rows.count++;
  const int32_t *corners = NULL;
  pl_attached_point *point = &made->rows.points[at];
  point->state = &made->states[at];
  point->stiffness = def->stiffness * weight;
  point->damping = def->damping * weight;
  point->break_force = def->break_force * weight;
  tie_particle(a, def->particles[i], point, 0);
  pl_vec3 position = particle_position(a, def->particles[i]);
  if (b == NULL || def->joint >= 0) {
    point->points[1] = pl_transform_apply_inverse(made->state.frame, position);
  } else if (def->partners != NULL) {
    tie_particle(b, def->partners[i], point, 1);
    if (made->goals != NULL) corners = triangle_at(b, def->partners[i]);
  } else if (b->model->method->get_rigid != NULL) {
    point->points[1] = point_in_rigid(b, position);
  } else {
    corners = tie_surface(b, surface_points, position, point);
  }
  if (made->goals != NULL) set_goal(made, b, corners, position, def->max_distance * (1 - weight));
}

static void tie_points(pl_world_attachment *made, const pl_attachment_def *def, const pl_body *a, const pl_body *b,
                       const pl_vec3 *surface_points) {
  // Within a range a weight of 0 is the whole range; otherwise it leaves the particle out.
  for (int32_t i = 0; i < def->particle_count; ++i)
    if (def->max_distance > 0 || def->weights == NULL || def->weights[i] != 0.0f)
      tie_point(made, def, i, a, b, surface_points);
}

static pl_status build_attachment(const pl_world *world, const pl_attachment_def *def, pl_world_attachment *made,
                                  pl_error *error) {
  const pl_body *a = pl_world_find_body(world, def->body_a), *b = pl_world_find_body(world, def->body_b);
  made->body_a = def->body_a;
  made->body_b = def->body_b;
  made->joint = def->joint;
  made->collides = def->collides;
  bool follows = b == NULL || def->joint >= 0 || b->model->method->get_collider != NULL;
  // Implicit bodies fly apart where particles are moved behind the back of their step.
  bool breaks_as_pin = def->break_force == 0 || a->model->method->reports_pins;
  made->is_pinned = follows && breaks_as_pin && (a->model->method->handles_pins || def->max_distance > 0);
  made->backstop = def->backstop;
  made->rows.points = PL_TAKE(&made->arena, pl_attached_point, def->particle_count);
  made->states = PL_TAKE(&made->arena, pl_attached_state, def->particle_count);
  made->saved_states = PL_TAKE(&made->arena, pl_attached_state, def->particle_count);
  if (def->max_distance > 0) made->goals = PL_TAKE(&made->arena, pl_attached_goal, def->particle_count);
  pl_arena workspace;
  pl_arena_init(&workspace, world->context, 0);
  pl_transform *joints = PL_TAKE(&workspace, pl_transform, b != NULL && def->joint >= 0 ? b->model->particle_count : 0);
  pl_vec3 *points = PL_TAKE(&workspace, pl_vec3, b != NULL ? b->model->surface.point_count : 0);
  bool is_allocated = !made->arena.failed && !workspace.failed;
  if (is_allocated) {
    made->state.frame = def->frame;
    made->state.frame.rotation = pl_quat_normalize(def->frame.rotation);
    if (b != NULL && def->joint >= 0) made->state.frame = bone_of(b, def->joint, joints);
    if (b != NULL) b->model->method->get_surface(b->model, b->state, points);
    made->state.target = made->state.frame;
    made->saved = made->state;
    tie_points(made, def, a, b, points);
  }
  pl_arena_destroy(&workspace);
  return is_allocated ? PL_OK : pl_fail_memory(error);
}

pl_status pl_world_add_attachment(pl_world *world, const pl_attachment_def *def, pl_attachment_id *id,
                                  pl_error *error) {
  if (id != NULL) *id = (pl_attachment_id){0, 0};
  if (pl_world_check_open(world, "pl_world_add_attachment", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_status status = check_def(world, def, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, world->context, 0);
  pl_world_attachment *made = PL_TAKE(&arena, pl_world_attachment, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->arena = arena;
  status = build_attachment(world, def, made, error);
  pl_slot_id slot = {0, 0};
  if (status >= 0) {
    slot = pl_slots_add(&world->attachments, made);
    if (slot.slot == 0) status = pl_fail_memory(error);
  }
  if (status < 0) {
    arena = made->arena;
    pl_arena_destroy(&arena);
    return status;
  }
  world->prepared = false;
  pl_world_wake_coupled(world, def->body_a, def->body_b);
  if (id != NULL) *id = (pl_attachment_id){slot.slot, slot.generation};
  return PL_OK;
}

// --- what the public header says of attachments that exist

static pl_world_attachment *find_attachment(const pl_world *world, pl_attachment_id id) {
  return pl_slots_get(&world->attachments, (pl_slot_id){id.slot, id.generation});
}

void pl_attachment_release_pins(const pl_world *world, const pl_world_attachment *attachment) {
  const pl_body *body = pl_world_find_body(world, attachment->body_a);
  if (!attachment->is_pinned || body == NULL) return;
  for (int32_t k = 0; k < attachment->rows.count; ++k) {
    int32_t particle = attachment->rows.points[k].terms[0][0].particle;
    body->inverse_masses[particle] = body->model->inverse_masses[particle];
  }
}

pl_status pl_world_remove_attachment(pl_world *world, pl_attachment_id id, pl_error *error) {
  if (pl_world_check_open(world, "pl_world_remove_attachment", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_world_attachment *attachment = pl_slots_remove(&world->attachments, (pl_slot_id){id.slot, id.generation});
  if (attachment == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such attachment in this world");
  pl_world_wake_coupled(world, attachment->body_a, attachment->body_b);
  pl_attachment_release_pins(world, attachment);
  pl_arena arena = attachment->arena;
  pl_arena_destroy(&arena);
  world->prepared = false;
  return PL_OK;
}

int32_t pl_world_attachment_count(const pl_world *world) {
  return pl_slots_count(&world->attachments);
}

pl_attachment_id pl_world_get_attachment(const pl_world *world, int32_t index) {
  if (index < 0 || index >= pl_slots_count(&world->attachments)) return (pl_attachment_id){0, 0};
  pl_slot_id id = pl_slots_id_at(&world->attachments, index);
  return (pl_attachment_id){id.slot, id.generation};
}

pl_status pl_world_move_attachment(pl_world *world, pl_attachment_id id, pl_transform frame, pl_error *error) {
  if (pl_world_check_open(world, "pl_world_move_attachment", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_world_attachment *attachment = find_attachment(world, id);
  if (attachment == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such attachment in this world");
  if (attachment->body_b.slot != 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "the attachment follows a body; only those to the world are moved");
  if (!pl_transform_is_valid(frame))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "frame",
                         "the position must be finite and the rotation not zero");
  pl_world_wake_coupled(world, attachment->body_a, attachment->body_b);
  attachment->state.target = frame;
  attachment->state.target.rotation = pl_quat_normalize(frame.rotation);
  return PL_OK;
}

pl_attachment_report pl_attachment_get_report(const pl_world *world, pl_attachment_id id) {
  pl_attachment_report report = {0};
  const pl_world_attachment *attachment = find_attachment(world, id);
  if (attachment == NULL) return report;
  report.point_count = attachment->rows.count;
  for (int32_t i = 0; i < attachment->rows.count; ++i) {
    const pl_attached_state *s = &attachment->states[i];
    report.broken_count += s->broken != 0;
    if (s->broken != 0) continue;
    report.force = pl_vec3_add_scaled(report.force, s->impulse, 1 / world->def.step);
    report.max_force = fmax(report.max_force, pl_vec3_length(s->impulse) / world->def.step);
  }
  return report;
}

// Placement of a rod's bone now. Out of memory the frame stays as it was for this step.
static pl_transform bone_now(pl_world *world, const pl_body *rod, int32_t joint, pl_transform before) {
  pl_scratch_mark mark = pl_scratch_push(&world->scratch);
  pl_transform *joints = PL_SCRATCH(&world->scratch, pl_transform, rod->model->particle_count);
  pl_transform frame = joints != NULL ? bone_of(rod, joint, joints) : before;
  pl_scratch_pop(&world->scratch, mark);
  return frame;
}

void pl_attachment_follow(pl_world *world, pl_world_attachment *attachment) {
  if (attachment->joint >= 0)
    attachment->state.target =
        bone_now(world, pl_world_find_body(world, attachment->body_b), attachment->joint, attachment->state.target);
  attachment->rows.start_frame = attachment->state.frame;
  attachment->rows.end_frame = attachment->state.target;
  attachment->state.frame = attachment->state.target;
}

// --- attachments that are pins of their body

int32_t pl_world_attached_pin_count(const pl_world *world) {
  int32_t count = 0;
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i) {
    const pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    // A goal with a range has a spring to it and one back to its border.
    if (it->is_pinned) count += (it->goals != NULL ? 2 : 1) * it->rows.count;
  }
  return count;
}

static pl_vec3 pin_target(const pl_world_attachment *attachment, const pl_body *b, pl_transform frame,
                          const pl_attached_point *point) {
  if (b == NULL || attachment->joint >= 0) return pl_transform_apply(frame, point->points[1]);
  pl_vec3 sum = {0, 0, 0};
  for (int32_t k = 0; k < point->term_counts[1]; ++k)
    sum = pl_vec3_add_scaled(sum, particle_position(b, point->terms[1][k].particle), point->terms[1][k].weight);
  return sum;
}

// A goal now, with the normal of the surface that it moves along with (zero for a frame).
static pl_vec3 goal_position(const pl_attached_goal *goal, const pl_body *b, pl_transform frame, pl_vec3 *normal) {
  *normal = (pl_vec3){0, 0, 0};
  if (goal->corners[0] < 0) return pl_transform_apply(frame, goal->offset);
  pl_vec3 corners[3];
  get_corners(b, goal->corners, corners);
  pl_mat3 axes = triangle_axes(corners);
  *normal = pl_mat3_apply(axes, pl_vec3_of(1, 0, 0));
  return pl_vec3_add(corners[0], pl_mat3_apply(axes, goal->offset));
}

static pl_transform frame_now(pl_world *world, const pl_world_attachment *it) {
  const pl_body *b = pl_world_find_body(world, it->body_b);
  return it->joint >= 0 ? bone_now(world, b, it->joint, it->state.frame) : it->state.target;
}

// The border of a range, as the particle's inertia over a step: so stiff that loads hardly pass it.
static const double BORDER = 1000;

// The range of a goal now. A strong spring: it is released by itself where the particle is pulled inwards.
static pl_body_pin range_pin(const pl_world *world, const pl_world_attachment *it, int32_t k, pl_transform frame) {
  const pl_body *a = pl_world_find_body(world, it->body_a), *b = pl_world_find_body(world, it->body_b);
  pl_body_pin pin = {
      .particle = it->rows.points[k].terms[0][0].particle, .range = it->goals[k].range, .backstop = it->backstop};
  pin.target = goal_position(&it->goals[k], b, frame, &pin.normal);
  pin.stiffness = BORDER * a->model->masses[pin.particle] / (world->def.step * world->def.step);
  return pin;
}

// Pins of one particle: it is held on its goal, or pulled to it and kept in its range.
static int32_t list_goal_pins(const pl_world *world, const pl_world_attachment *it, int32_t k, pl_transform frame,
                              pl_body_pin *pins) {
  const pl_attached_point *point = &it->rows.points[k];
  pl_body_pin range = range_pin(world, it, k, frame);
  int32_t count = 0;
  if (range.range == 0 || point->stiffness > 0)
    pins[count++] = (pl_body_pin){
        .particle = range.particle, .target = range.target, .stiffness = point->stiffness, .damping = point->damping};
  // Methods that do not know ranges are put back into them after their move (pl_world_follow_ranges).
  const pl_body *body = pl_world_find_body(world, it->body_a);
  if (range.range > 0 && body->model->method->handles_ranges) pins[count++] = range;
  return count;
}

int32_t pl_world_list_attached_pins(pl_world *world, const pl_body *body, pl_body_pin *pins) {
  int32_t count = 0;
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i) {
    const pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    if (!it->is_pinned || pl_world_find_body(world, it->body_a) != body) continue;
    const pl_body *b = pl_world_find_body(world, it->body_b);
    pl_transform frame = frame_now(world, it);
    for (int32_t k = 0; k < it->rows.count; ++k) {
      const pl_attached_point *point = &it->rows.points[k];
      if (point->state->broken != 0) continue;
      if (it->goals != NULL)
        count += list_goal_pins(world, it, k, frame, pins + count);
      else
        pins[count++] = (pl_body_pin){.particle = point->terms[0][0].particle,
                                      .target = pin_target(it, b, frame, point),
                                      .stiffness = point->stiffness,
                                      .damping = point->damping};
    }
  }
  return count;
}

void pl_world_note_attached_forces(pl_world *world, const pl_body *body, const pl_body_move *move) {
  if (!body->model->method->reports_pins) return;
  // They are the last of the pins, in this order.
  int32_t next = move->pin_count;
  for (int32_t i = pl_slots_count(&world->attachments) - 1; i >= 0; --i) {
    const pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    if (!it->is_pinned || pl_world_find_body(world, it->body_a) != body) continue;
    for (int32_t k = it->rows.count - 1; k >= 0; --k) {
      const pl_attached_point *point = &it->rows.points[k];
      if (point->state->broken != 0) continue;
      if (it->goals == NULL)
        point->state->impulse = pl_vec3_scale(move->pin_forces[--next], world->def.step);
      else
        next -= (it->goals[k].range == 0 || point->stiffness > 0) + (it->goals[k].range > 0);
    }
  }
}

// Put a particle back where it has left its range; the velocity is that with which it would have got there.
static void follow_range(pl_world *world, const pl_body *body, const pl_body_pin *range) {
  const pl_body_method *method = body->model->method;
  pl_vec3 velocity, end = method->get_particle(body->model, body->state, range->particle, &velocity), limited = end;
  if (!pl_body_pin_limit(range, &limited)) return;
  velocity = pl_vec3_add_scaled(velocity, pl_vec3_sub(limited, end), 1 / world->def.step);
  method->set_particle(body->model, body->state, range->particle, limited, velocity);
  world->contacts_found = false;
}

// A particle of an explicit body after its move: pulled to its goal, then put back into its range.
static void follow_goal(pl_world *world, const pl_world_attachment *it, int32_t k, pl_transform frame) {
  const pl_body *a = pl_world_find_body(world, it->body_a);
  const pl_body_method *method = a->model->method;
  const pl_attached_point *point = &it->rows.points[k];
  pl_body_pin range = range_pin(world, it, k, frame);
  pl_vec3 velocity, end = method->get_particle(a->model, a->state, range.particle, &velocity);
  double h = world->def.step;
  if (point->stiffness > 0) {
    double m = a->model->masses[range.particle], pull = h * point->stiffness / m;
    pl_vec3 start = pl_vec3_add_scaled(end, velocity, -h);
    velocity = pl_vec3_add_scaled(velocity, pl_vec3_sub(range.target, start), pull);
    velocity = pl_vec3_scale(velocity, 1 / (1 + h * point->damping / m + h * pull));
    end = pl_vec3_add_scaled(start, velocity, h);
    method->set_particle(a->model, a->state, range.particle, end, velocity);
  }
  follow_range(world, a, &range);
}

void pl_world_follow_goals(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i) {
    const pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    const pl_body *body = pl_world_find_body(world, it->body_a);
    if (it->goals == NULL || body->model->method->handles_pins || pl_body_sleeps(body)) continue;
    pl_transform frame = frame_now(world, it);
    for (int32_t k = 0; k < it->rows.count; ++k) follow_goal(world, it, k, frame);
  }
}

void pl_world_follow_ranges(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i) {
    const pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    const pl_body *body = pl_world_find_body(world, it->body_a);
    bool is_held = body != NULL && body->model->method->handles_pins && !body->model->method->handles_ranges;
    if (it->goals == NULL || !is_held || pl_body_sleeps(body)) continue;
    pl_transform frame = frame_now(world, it);
    for (int32_t k = 0; k < it->rows.count; ++k) {
      pl_body_pin range = range_pin(world, it, k, frame);
      if (range.range > 0) follow_range(world, body, &range);
    }
  }
}

void pl_world_hold_attached_pins(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i) {
    const pl_world_attachment *it = pl_slots_at(&world->attachments, i);
    const pl_body *body = pl_world_find_body(world, it->body_a);
    for (int32_t k = 0; it->is_pinned && k < it->rows.count; ++k)
      if (it->states[k].broken == 0 && it->rows.points[k].stiffness == 0 &&
          (it->goals == NULL || it->goals[k].range == 0))
        body->inverse_masses[it->rows.points[k].terms[0][0].particle] = 0;
  }
}
