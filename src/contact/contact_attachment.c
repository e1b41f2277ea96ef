// Rows of attachments: points of bodies tied together, hard or by springs. contact_joint.h has the equations.
//
// A spring's impulse P = -h (k C + c u) with C = C_predicted + h (u - u*) at the end of the step and u = J v:
//   u + s P = s h k (h u* - C_predicted) ,   s = 1 / (h² k + h c)
// so that a row wants the velocity on the right and gives way by s P.
#include "contact/contact_joint.h"
#include "pliant/math.h"

static const double MAX_SPEED = 4;  // m/s at which errors of hard points are taken back

static pl_vec3 limited(pl_vec3 v, double max) {
  double length = pl_vec3_length(v);
  return length > max ? pl_vec3_scale(v, max / length) : v;
}

static int32_t body_of(const pl_attachment_rows *rows, int side) {
  return side == 0 ? rows->a : rows->b;
}

// Position of one side: `back` seconds before the end of the step, by the velocity there.
static pl_vec3 position_of(const pl_attachment_rows *rows, const pl_attached_point *point, int side,
                           const pl_contact_body *bodies, double back) {
  int32_t body = body_of(rows, side);
  if (body < 0) return pl_transform_apply(back > 0 ? rows->start_frame : rows->end_frame, point->points[side]);
  const pl_contact_rigid *rigid = bodies[body].rigid;
  if (rigid != NULL) {
    pl_quat turned = pl_quat_from_rotation_vector(pl_vec3_scale(rigid->angular_velocity, -back));
    pl_vec3 arm = pl_quat_rotate(turned, pl_quat_rotate(rigid->rotation, point->points[side]));
    return pl_vec3_add(pl_vec3_add_scaled(rigid->center, rigid->velocity, -back), arm);
  }
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < point->term_counts[side]; ++i) {
    const pl_contact_term *term = &point->terms[side][i];
    pl_vec3 x =
        pl_vec3_add_scaled(bodies[body].positions[term->particle], bodies[body].velocities[term->particle], -back);
    sum = pl_vec3_add_scaled(sum, x, term->weight);
  }
  return sum;
}

// Levers of rigid bodies reach to one point: that of the particles where one side has some.
static void set_arms(const pl_attachment_rows *rows, const pl_attached_point *point, const pl_contact_body *bodies,
                     double back, pl_contact_arm arms[2]) {
  bool b_has_particles = rows->b >= 0 && bodies[rows->b].rigid == NULL;
  pl_vec3 at = position_of(rows, point, b_has_particles ? 1 : 0, bodies, back);
  for (int side = 0; side < 2; ++side) {
    int32_t body = body_of(rows, side);
    arms[side] = (pl_contact_arm){.body = body};
    if (body < 0) continue;
    const pl_contact_rigid *rigid = bodies[body].rigid;
    if (rigid != NULL) {
      arms[side].lever = pl_vec3_sub(at, pl_vec3_add_scaled(rigid->center, rigid->velocity, -back));
    } else {
      arms[side].terms = point->terms[side];
      arms[side].count = point->term_counts[side];
    }
  }
}

static pl_vec3 speed_of(const pl_contact_body *bodies, const pl_contact_arm arms[2]) {
  return pl_vec3_sub(pl_contact_arm_velocity(bodies, &arms[0]), pl_contact_arm_velocity(bodies, &arms[1]));
}

// Inverse of K + s.
static pl_mat3 mass_of(const pl_contact_body *bodies, const pl_contact_arm arms[2], double softness) {
  pl_mat3 k = pl_contact_inverse_mass(bodies, &arms[0], &arms[1]);
  k = pl_mat3_add(k, pl_mat3_diagonal(softness, softness, softness));
  return pl_mat3_determinant(k) > 0 ? pl_mat3_inverse(k) : pl_mat3_zero();
}

static void prepare_point(const pl_attachment_rows *rows, pl_attached_point *point, const pl_contact_body *bodies,
                          double h) {
  set_arms(rows, point, bodies, h, point->start);
  pl_vec3 error = pl_vec3_sub(position_of(rows, point, 0, bodies, 0), position_of(rows, point, 1, bodies, 0));
  pl_vec3 speed = speed_of(bodies, point->start);
  point->target_velocity = (pl_vec3){0, 0, 0};
  if (rows->b < 0)
    point->target_velocity = pl_vec3_scale(
        pl_vec3_sub(position_of(rows, point, 1, bodies, 0), position_of(rows, point, 1, bodies, h)), 1 / h);
  double k = point->stiffness, c = point->damping;
  point->softness = k > 0 ? 1 / (h * h * k + h * c) : 0;
  if (k > 0) {
    point->arrive = pl_vec3_scale(pl_vec3_add_scaled(pl_vec3_scale(error, -1), speed, h), point->softness * h * k);
    point->arrive = pl_vec3_add_scaled(point->arrive, point->target_velocity, point->softness * h * c);
  } else {
    // The velocity of a target is not an error.
    pl_vec3 drift = pl_vec3_sub(pl_vec3_add_scaled(speed, error, -1 / h), point->target_velocity);
    point->arrive = pl_vec3_add(limited(drift, MAX_SPEED), point->target_velocity);
  }
  point->start_mass = mass_of(bodies, point->start, point->softness);
}

void pl_attachment_rows_prepare(pl_attachment_rows *rows, const pl_contact_body *bodies, double step) {
  rows->is_relaxing = false;
  for (int32_t i = 0; i < rows->count; ++i)
    if (rows->points[i].state->broken == 0) prepare_point(rows, &rows->points[i], bodies, step);
}

static void push(pl_contact_body *bodies, const pl_contact_arm arms[2], pl_vec3 impulse) {
  pl_contact_arm_push(bodies, &arms[0], impulse);
  pl_contact_arm_push(bodies, &arms[1], pl_vec3_scale(impulse, -1));
}

void pl_attachment_rows_begin(void *data, pl_contact_body *bodies, const pl_contact_step *step) {
  (void)step;
  pl_attachment_rows *rows = data;
  if (rows->is_solved) return;
  for (int32_t i = 0; i < rows->count; ++i)
    if (rows->points[i].state->broken == 0) push(bodies, rows->points[i].start, rows->points[i].state->impulse);
}

static void sweep_point(pl_attached_point *point, pl_contact_body *bodies, bool corrects) {
  const pl_contact_arm *arms = corrects ? point->start : point->end;
  pl_vec3 wanted = corrects ? point->arrive : point->target_velocity;
  pl_vec3 rest = pl_vec3_sub(wanted, speed_of(bodies, arms));
  if (corrects) rest = pl_vec3_add_scaled(rest, point->state->impulse, -point->softness);
  pl_vec3 impulse = pl_mat3_apply(corrects ? point->start_mass : point->end_mass, rest);
  point->state->impulse = pl_vec3_add(point->state->impulse, impulse);
  push(bodies, arms, impulse);
}

void pl_attachment_rows_sweep(void *data, pl_contact_body *bodies, const pl_contact_step *step, bool corrects) {
  (void)step;
  pl_attachment_rows *rows = data;
  if (rows->is_solved) return;
  bool starts = !corrects && !rows->is_relaxing;
  rows->is_relaxing = !corrects;
  for (int32_t i = 0; i < rows->count; ++i) {
    pl_attached_point *point = &rows->points[i];
    // Springs have acted in the first sweeps: their velocity is none to take away.
    if (point->state->broken != 0 || (!corrects && point->softness > 0)) continue;
    if (starts) {
      set_arms(rows, point, bodies, 0, point->end);
      point->end_mass = mass_of(bodies, point->end, 0);
    }
    sweep_point(point, bodies, corrects);
  }
}

void pl_attachment_rows_finish(pl_attachment_rows *rows, double step) {
  for (int32_t i = 0; i < rows->count; ++i) {
    pl_attached_point *point = &rows->points[i];
    double force = pl_vec3_length(point->state->impulse) / step;
    if (point->break_force > 0 && force > point->break_force) point->state->broken = 1;
    if (point->state->broken != 0) point->state->impulse = (pl_vec3){0, 0, 0};
  }
}
