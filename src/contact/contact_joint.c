// Rows of joints between rigid bodies: see contact_joint.h for the equations.
#include "contact/contact_joint.h"

#include "pliant/math.h"

// Errors are taken back no faster than this: bodies that were put down apart are drawn together, not thrown.
static const double MAX_SPEED = 4, MAX_TURN = 8;  // m/s, rad/s
// A motor that goes to a target covers this fraction of the remaining way in a step.
static const double MOTOR_GAIN = 0.25;
// … and brakes with this fraction of its torque.
static const double BRAKING = 0.8;

static pl_vec3 limited(pl_vec3 v, double max) {
  double length = pl_vec3_length(v);
  return length > max ? pl_vec3_scale(v, max / length) : v;
}

static const pl_contact_rigid *rigid_of(const pl_contact_body *bodies, const pl_joint_frame *frame) {
  return frame->body >= 0 ? bodies[frame->body].rigid : NULL;
}

static pl_vec3 point_of(const pl_contact_rigid *rigid, const pl_joint_frame *frame) {
  return rigid != NULL ? pl_vec3_add(rigid->center, pl_quat_rotate(rigid->rotation, frame->point)) : frame->point;
}

static pl_quat axes_of(const pl_contact_rigid *rigid, const pl_joint_frame *frame) {
  return rigid != NULL ? pl_quat_multiply(rigid->rotation, frame->axes) : frame->axes;
}

// Centre of mass at the start of the step, before the body moved.
static pl_vec3 start_center(const pl_contact_rigid *rigid, double step) {
  return pl_vec3_add_scaled(rigid->center, rigid->velocity, -step);
}

static pl_vec3 start_point(const pl_contact_rigid *rigid, const pl_joint_frame *frame, double step) {
  if (rigid == NULL) return frame->point;
  pl_quat back = pl_quat_from_rotation_vector(pl_vec3_scale(rigid->angular_velocity, -step));
  pl_vec3 arm = pl_quat_rotate(back, pl_quat_rotate(rigid->rotation, frame->point));
  return pl_vec3_add(start_center(rigid, step), arm);
}

static pl_vec3 turning_of(const pl_joint_rows *rows, const pl_contact_body *bodies) {
  const pl_contact_rigid *a = rigid_of(bodies, &rows->a), *b = rigid_of(bodies, &rows->b);
  pl_vec3 zero = {0, 0, 0};
  return pl_vec3_sub(a != NULL ? a->angular_velocity : zero, b != NULL ? b->angular_velocity : zero);
}

static pl_vec3 speed_of(const pl_contact_body *bodies, const pl_contact_arm *a, const pl_contact_arm *b) {
  return pl_vec3_sub(pl_contact_arm_velocity(bodies, a), pl_contact_arm_velocity(bodies, b));
}

bool pl_joint_rows_has_axis(const pl_joint_rows *rows) {
  return rows->kind == PL_JOINT_ROWS_HINGE || rows->kind == PL_JOINT_ROWS_SLIDER;
}

// Inverse of K on the directions that are constrained: all, or those across the axis; zero if nothing can move.
static pl_mat3 mass_of(pl_mat3 k, const pl_vec3 *free_axis) {
  if (free_axis != NULL) {
    pl_mat3 along = pl_mat3_outer(*free_axis, *free_axis);
    pl_mat3 across = pl_mat3_add(pl_mat3_identity(), pl_mat3_scale(along, -1));
    double size = (k.m[0][0] + k.m[1][1] + k.m[2][2]) / 3;
    k = pl_mat3_multiply(pl_mat3_multiply(across, k), across);
    if (!(size > 0)) return pl_mat3_zero();
    pl_mat3 inverse = pl_mat3_inverse(pl_mat3_add(k, pl_mat3_scale(along, size)));
    return pl_mat3_multiply(pl_mat3_multiply(across, inverse), across);
  }
  return pl_mat3_determinant(k) > 0 ? pl_mat3_inverse(k) : pl_mat3_zero();
}

static pl_mat3 angular_answer(const pl_joint_rows *rows, const pl_contact_body *bodies) {
  const pl_contact_rigid *a = rigid_of(bodies, &rows->a), *b = rigid_of(bodies, &rows->b);
  pl_mat3 zero = pl_mat3_zero();
  return pl_mat3_add(a != NULL ? a->inverse_inertia : zero, b != NULL ? b->inverse_inertia : zero);
}

static pl_mat3 cross_matrix(pl_vec3 a) {
  return (pl_mat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

// Velocity of a's point against b's for a unit torque on a: -[r_a] I_a⁻¹ - [r_b] I_b⁻¹.
static pl_mat3 cross_answer(const pl_joint_rows *rows, const pl_contact_body *bodies, const pl_joint_block *block) {
  const pl_contact_rigid *a = rigid_of(bodies, &rows->a), *b = rigid_of(bodies, &rows->b);
  pl_mat3 sum = pl_mat3_zero();
  if (a != NULL) sum = pl_mat3_multiply(cross_matrix(block->a.lever), a->inverse_inertia);
  if (b != NULL) sum = pl_mat3_add(sum, pl_mat3_multiply(cross_matrix(block->b.lever), b->inverse_inertia));
  return pl_mat3_scale(sum, -1);
}

// Arms and answers `back` seconds before the end of the step. Both arms end at the same point, so that opposite
// impulses there have no torque.
static pl_joint_block block_of(const pl_joint_rows *rows, const pl_contact_body *bodies, double back) {
  const pl_contact_rigid *a = rigid_of(bodies, &rows->a), *b = rigid_of(bodies, &rows->b);
  pl_vec3 point = a != NULL ? start_point(a, &rows->a, back) : start_point(b, &rows->b, back);
  pl_joint_block block = {.a.body = rows->a.body, .b.body = rows->b.body};
  if (a != NULL) block.a.lever = pl_vec3_sub(point, start_center(a, back));
  if (b != NULL) block.b.lever = pl_vec3_sub(point, start_center(b, back));
  const pl_vec3 *free_way = rows->kind == PL_JOINT_ROWS_SLIDER ? &rows->axis : NULL;
  const pl_vec3 *free_turn = rows->kind == PL_JOINT_ROWS_HINGE ? &rows->axis : NULL;
  block.mass = mass_of(pl_contact_inverse_mass(bodies, &block.a, &block.b), free_way);
  if (rows->kind == PL_JOINT_ROWS_BALL) return block;
  block.cross = cross_answer(rows, bodies, &block);
  pl_mat3 held = pl_mat3_multiply(pl_mat3_transpose(block.cross), pl_mat3_multiply(block.mass, block.cross));
  block.angular_mass = mass_of(pl_mat3_add(angular_answer(rows, bodies), pl_mat3_scale(held, -1)), free_turn);
  return block;
}

// Rotation vector of a unit quaternion.
static pl_vec3 rotation_vector(pl_quat q) {
  pl_vec3 v = {q.x, q.y, q.z};
  double sine = pl_vec3_length(v), angle = 2 * atan2(sine, fabs(q.w)), sign = q.w < 0 ? -1 : 1;
  return pl_vec3_scale(v, sign * (sine > 1e-12 ? angle / sine : 2));
}

// How far a is turned against b, as a rotation vector in the world; across the axis alone for a hinge.
static pl_vec3 angular_error(const pl_joint_rows *rows, pl_quat qa, pl_quat qb) {
  if (rows->kind != PL_JOINT_ROWS_HINGE) return rotation_vector(pl_quat_multiply(qa, pl_quat_conjugate(qb)));
  pl_vec3 z = {0, 0, 1};
  pl_vec3 za = pl_quat_rotate(qa, z), zb = pl_quat_rotate(qb, z), cross = pl_vec3_cross(zb, za);
  double sine = pl_vec3_length(cross), angle = atan2(sine, pl_vec3_dot(za, zb));
  return sine > 1e-12 ? pl_vec3_scale(cross, angle / sine) : cross;
}

// Angle or way of a along the axis against b, at the end of the step.
static double axis_position(const pl_joint_rows *rows, pl_quat qa, pl_quat qb, pl_vec3 apart) {
  if (rows->kind == PL_JOINT_ROWS_SLIDER) return pl_vec3_dot(rows->axis, apart);
  pl_quat q = pl_quat_multiply(pl_quat_conjugate(qb), qa);
  double angle = 2 * atan2(q.z, q.w);
  return angle > PL_PI ? angle - 2 * PL_PI : angle < -PL_PI ? angle + 2 * PL_PI : angle;
}

static double axis_speed(const pl_joint_rows *rows, const pl_contact_body *bodies, bool corrects) {
  if (rows->kind == PL_JOINT_ROWS_HINGE) return pl_vec3_dot(rows->axis, turning_of(rows, bodies));
  const pl_joint_block *block = corrects ? &rows->start : &rows->end;
  return pl_vec3_dot(rows->axis, speed_of(bodies, &block->a, &block->b));
}

// Speed of a motor that goes to its target: no faster than it can still stop with its torque.
static double speed_to_target(const pl_joint_rows *rows, double left, double step) {
  double fastest = fabs(rows->state->motor_speed);
  if (rows->axis_mass > 0) fastest = fmin(fastest, sqrt(2 * BRAKING * rows->max_torque / rows->axis_mass * fabs(left)));
  return fmax(-fastest, fmin(left * MOTOR_GAIN / step, fastest));
}

static void prepare_axis(pl_joint_rows *rows, const pl_contact_body *bodies, double position, double step) {
  pl_joint_state *s = rows->state;
  double answer = rows->kind == PL_JOINT_ROWS_HINGE
                      ? pl_vec3_dot(rows->axis, pl_mat3_apply(angular_answer(rows, bodies), rows->axis))
                      : pl_contact_inverse_mass_along(bodies, &rows->start.a, &rows->start.b, rows->axis);
  rows->axis_mass = answer > 0 ? 1 / answer : 0;
  double speed = axis_speed(rows, bodies, true), max = rows->kind == PL_JOINT_ROWS_HINGE ? MAX_TURN : MAX_SPEED;
  // A limit that the bodies do not reach in this step lets them come as far as it.
  rows->low_arrive = fmin(speed + (rows->low - position) / step, max);
  rows->high_arrive = fmax(speed + (rows->high - position) / step, -max);
  rows->motor_arrive = s->motor_speed;
  if (s->motor >= 2) {
    double left = s->motor_target - (position - step * speed);
    if (rows->kind == PL_JOINT_ROWS_HINGE) left = remainder(left, 2 * PL_PI);  // the shorter way around
    rows->motor_arrive = speed_to_target(rows, left, step);
  }
  if (s->motor < 1) s->motor_impulse = 0;
  if (!rows->is_limited) s->low_impulse = s->high_impulse = 0;
}

void pl_joint_rows_prepare(pl_joint_rows *rows, const pl_contact_body *bodies, double step) {
  if (rows->state->broken != 0) return;
  const pl_contact_rigid *a = rigid_of(bodies, &rows->a), *b = rigid_of(bodies, &rows->b);
  pl_quat qa = axes_of(a, &rows->a), qb = axes_of(b, &rows->b);
  pl_vec3 apart = pl_vec3_sub(point_of(a, &rows->a), point_of(b, &rows->b));
  rows->axis = pl_quat_rotate(qb, (pl_vec3){0, 0, 1});
  rows->is_relaxing = false;
  rows->start = block_of(rows, bodies, step);
  pl_vec3 speed = speed_of(bodies, &rows->start.a, &rows->start.b), error = angular_error(rows, qa, qb);
  rows->arrive = limited(pl_vec3_add_scaled(speed, apart, -1 / step), MAX_SPEED);
  rows->angular_arrive = limited(pl_vec3_add_scaled(turning_of(rows, bodies), error, -1 / step), MAX_TURN);
  if (pl_joint_rows_has_axis(rows)) prepare_axis(rows, bodies, axis_position(rows, qa, qb, apart), step);
}

pl_joint_errors pl_joint_rows_get_errors(const pl_joint_rows *rows, const pl_contact_body *bodies, double step) {
  pl_vec3 speed = speed_of(bodies, &rows->start.a, &rows->start.b);
  pl_joint_errors e = {
      .points = {point_of(rigid_of(bodies, &rows->a), &rows->a), point_of(rigid_of(bodies, &rows->b), &rows->b)},
      .point = pl_vec3_scale(pl_vec3_sub(speed, rows->arrive), step),
      .turn = pl_vec3_scale(pl_vec3_sub(turning_of(rows, bodies), rows->angular_arrive), step)};
  if (!pl_joint_rows_has_axis(rows)) return e;
  double along = axis_speed(rows, bodies, true);
  e.motor = step * (along - rows->motor_arrive);
  e.low = step * (along - rows->low_arrive);
  e.high = step * (along - rows->high_arrive);
  return e;
}

static void push(pl_contact_body *bodies, const pl_contact_arm *a, const pl_contact_arm *b, pl_vec3 impulse) {
  pl_contact_arm_push(bodies, a, impulse);
  pl_contact_arm_push(bodies, b, pl_vec3_scale(impulse, -1));
}

static void turn_body(pl_contact_body *bodies, int32_t body, pl_vec3 impulse) {
  if (body < 0) return;
  pl_contact_rigid *rigid = bodies[body].rigid;
  rigid->angular_velocity = pl_vec3_add(rigid->angular_velocity, pl_mat3_apply(rigid->inverse_inertia, impulse));
  bodies[body].moved = true;
}

static void turn(const pl_joint_rows *rows, pl_contact_body *bodies, pl_vec3 impulse) {
  turn_body(bodies, rows->a.body, impulse);
  turn_body(bodies, rows->b.body, pl_vec3_scale(impulse, -1));
}

static void push_along_axis(const pl_joint_rows *rows, pl_contact_body *bodies, double impulse) {
  pl_vec3 vector = pl_vec3_scale(rows->axis, impulse);
  if (rows->kind == PL_JOINT_ROWS_HINGE)
    turn(rows, bodies, vector);
  else if (rows->is_relaxing)
    push(bodies, &rows->end.a, &rows->end.b, vector);
  else
    push(bodies, &rows->start.a, &rows->start.b, vector);
}

void pl_joint_rows_begin(void *data, pl_contact_body *bodies, const pl_contact_step *step) {
  (void)step;
  pl_joint_rows *rows = data;
  const pl_joint_state *s = rows->state;
  if (s->broken != 0 || rows->is_solved) return;
  push(bodies, &rows->start.a, &rows->start.b, s->impulse);
  turn(rows, bodies, s->angular_impulse);
  if (pl_joint_rows_has_axis(rows)) push_along_axis(rows, bodies, s->motor_impulse + s->low_impulse - s->high_impulse);
}

static void sweep_motor(pl_joint_rows *rows, pl_contact_body *bodies, double step, bool corrects) {
  pl_joint_state *s = rows->state;
  double max = rows->max_torque * step, speed = axis_speed(rows, bodies, corrects);
  double sum = fmax(-max, fmin(s->motor_impulse + (rows->motor_arrive - speed) * rows->axis_mass, max));
  push_along_axis(rows, bodies, sum - s->motor_impulse);
  s->motor_impulse = sum;
}

static void sweep_limit(pl_joint_rows *rows, pl_contact_body *bodies, bool corrects, double sign) {
  double *total = sign > 0 ? &rows->state->low_impulse : &rows->state->high_impulse;
  // The second sweeps leave a limit alone that the bodies have not reached.
  if (!corrects && *total == 0) return;
  double speed = axis_speed(rows, bodies, corrects), arrive = sign > 0 ? rows->low_arrive : rows->high_arrive;
  double sum = fmax(0, *total + sign * ((corrects ? arrive : 0) - speed) * rows->axis_mass);
  push_along_axis(rows, bodies, sign * (sum - *total));
  *total = sum;
}

static void sweep_axis(pl_joint_rows *rows, pl_contact_body *bodies, double step, bool corrects) {
  if (rows->state->motor >= 1) sweep_motor(rows, bodies, step, corrects);
  if (!rows->is_limited) return;
  sweep_limit(rows, bodies, corrects, 1);
  sweep_limit(rows, bodies, corrects, -1);
}

// The velocities that one joint still lacks.
static pl_joint_vector missing(const pl_joint_rows *rows, const pl_contact_body *bodies, const pl_joint_block *block) {
  return (pl_joint_vector){pl_vec3_scale(speed_of(bodies, &block->a, &block->b), -1),
                           pl_vec3_scale(turning_of(rows, bodies), -1)};
}

// The impulses that give a joint the velocities it lacks, both rows as one: T = S⁻¹ (w - Xᵀ K⁻¹ u), P = K⁻¹ (u - X T)
// for velocities u of the points and w of the turning.
static pl_joint_vector impulses_for(const pl_joint_rows *rows, const pl_joint_block *block, pl_joint_vector lacks) {
  pl_joint_vector impulse = {.turn = {0, 0, 0}};
  if (rows->kind != PL_JOINT_ROWS_BALL) {
    pl_vec3 held = pl_mat3_apply(pl_mat3_transpose(block->cross), pl_mat3_apply(block->mass, lacks.point));
    impulse.turn = pl_mat3_apply(block->angular_mass, pl_vec3_sub(lacks.turn, held));
    lacks.point = pl_vec3_sub(lacks.point, pl_mat3_apply(block->cross, impulse.turn));
  }
  impulse.point = pl_mat3_apply(block->mass, lacks.point);
  return impulse;
}

static void push_block(const pl_joint_rows *rows, pl_contact_body *bodies, const pl_joint_block *block,
                       pl_joint_vector impulse) {
  push(bodies, &block->a, &block->b, impulse.point);
  turn(rows, bodies, impulse.turn);
}

static void add_impulse(pl_joint_rows *rows, pl_joint_vector impulse, double scale) {
  rows->state->impulse = pl_vec3_add_scaled(rows->state->impulse, impulse.point, scale);
  rows->state->angular_impulse = pl_vec3_add_scaled(rows->state->angular_impulse, impulse.turn, scale);
}

static void sweep_block(pl_joint_rows *rows, pl_contact_body *bodies, bool corrects) {
  const pl_joint_block *block = corrects ? &rows->start : &rows->end;
  pl_joint_vector lacks = missing(rows, bodies, block);
  if (corrects) {
    lacks.point = pl_vec3_add(lacks.point, rows->arrive);
    lacks.turn = pl_vec3_add(lacks.turn, rows->angular_arrive);
  }
  pl_joint_vector impulse = impulses_for(rows, block, lacks);
  push_block(rows, bodies, block, impulse);
  // What the second sweeps take back of a correction is not to start the next step.
  add_impulse(rows, impulse, 1);
}

void pl_joint_rows_sweep(void *data, pl_contact_body *bodies, const pl_contact_step *step, bool corrects) {
  pl_joint_rows *rows = data;
  if (rows->state->broken != 0 || rows->is_solved) return;
  if (!corrects && !rows->is_relaxing) {
    rows->is_relaxing = true;
    rows->end = block_of(rows, bodies, 0);
  }
  if (pl_joint_rows_has_axis(rows)) sweep_axis(rows, bodies, step->step, corrects);
  sweep_block(rows, bodies, corrects);
}

void pl_joint_rows_finish(pl_joint_rows *rows, const pl_contact_body *bodies, double step) {
  pl_joint_state *s = rows->state;
  if (s->broken != 0) return;
  const pl_contact_rigid *a = rigid_of(bodies, &rows->a), *b = rigid_of(bodies, &rows->b);
  pl_vec3 apart = pl_vec3_sub(point_of(a, &rows->a), point_of(b, &rows->b));
  if (pl_joint_rows_has_axis(rows))
    s->position = axis_position(rows, axes_of(a, &rows->a), axes_of(b, &rows->b), apart);
  double force = pl_vec3_length(s->impulse) / step, torque = pl_vec3_length(s->angular_impulse) / step;
  if ((rows->break_force > 0 && force > rows->break_force) || (rows->break_torque > 0 && torque > rows->break_torque))
    s->broken = 1;
}

// --- all joints together
//
// The rows of all joints are linear: A λ = b with A = J M⁻¹ Jᵀ, applied by pushing and looking. Conjugate gradients,
// preconditioned by the blocks of single joints; a chain of n joints takes about n iterations, where sweeps take n².
// Without it a chain that carries a load sags or swings, since sweeps bring the load from one joint to the next only.

static const double SOLVE_TOLERANCE = 1e-20;  // of the squared residual
enum { MIN_ITERATIONS = 8, MAX_ITERATIONS = 100 };

static pl_contact_rigid *body_of(const pl_joint_rows *rows, pl_contact_body *bodies, int side) {
  int32_t body = side == 0 ? rows->a.body : rows->b.body;
  return body >= 0 ? bodies[body].rigid : NULL;
}

static void save_velocities(pl_joint_rows *const *rows, int32_t count, pl_contact_body *bodies, pl_joint_work *work) {
  for (int32_t i = 0; i < 2 * count; ++i) {
    const pl_contact_rigid *rigid = body_of(rows[i / 2], bodies, i % 2);
    if (rigid == NULL) continue;
    work[i / 2].velocities[i % 2] = rigid->velocity;
    work[i / 2].angular_velocities[i % 2] = rigid->angular_velocity;
  }
}

static void restore_velocities(pl_joint_rows *const *rows, int32_t count, pl_contact_body *bodies,
                               const pl_joint_work *work) {
  for (int32_t i = 0; i < 2 * count; ++i) {
    pl_contact_rigid *rigid = body_of(rows[i / 2], bodies, i % 2);
    if (rigid == NULL) continue;
    rigid->velocity = work[i / 2].velocities[i % 2];
    rigid->angular_velocity = work[i / 2].angular_velocities[i % 2];
  }
}

static void clear_velocities(pl_joint_rows *const *rows, int32_t count, pl_contact_body *bodies) {
  for (int32_t i = 0; i < 2 * count; ++i) {
    pl_contact_rigid *rigid = body_of(rows[i / 2], bodies, i % 2);
    if (rigid != NULL) rigid->velocity = rigid->angular_velocity = (pl_vec3){0, 0, 0};
  }
}

static double dot(pl_joint_vector a, pl_joint_vector b) {
  return pl_vec3_dot(a.point, b.point) + pl_vec3_dot(a.turn, b.turn);
}

static pl_joint_vector sum_of(pl_joint_vector a, pl_joint_vector b, double scale) {
  return (pl_joint_vector){pl_vec3_add_scaled(a.point, b.point, scale), pl_vec3_add_scaled(a.turn, b.turn, scale)};
}

// Precondition the residuals; returns their product.
static double precondition(pl_joint_rows *const *rows, int32_t count, pl_joint_work *work) {
  double sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (rows[i]->state->broken != 0) continue;
    work[i].scaled = impulses_for(rows[i], &rows[i]->start, work[i].residual);
    sum += dot(work[i].scaled, work[i].residual);
  }
  return sum;
}

// The answers to the directions; returns their product.
static double find_answers(pl_joint_rows *const *rows, int32_t count, pl_contact_body *bodies, pl_joint_work *work) {
  double sum = 0;
  clear_velocities(rows, count, bodies);
  for (int32_t i = 0; i < count; ++i)
    if (rows[i]->state->broken == 0) push_block(rows[i], bodies, &rows[i]->start, work[i].direction);
  for (int32_t i = 0; i < count; ++i) {
    if (rows[i]->state->broken != 0) continue;
    work[i].answer = missing(rows[i], bodies, &rows[i]->start);  // with the sign of what is lacking
    sum -= dot(work[i].direction, work[i].answer);
  }
  return sum;
}

void pl_joint_rows_solve(pl_joint_rows *const *rows, int32_t count, pl_contact_body *bodies, pl_joint_work *work) {
  if (count < 2) return;  // a sweep solves a single joint
  save_velocities(rows, count, bodies, work);
  for (int32_t i = 0; i < count; ++i) pl_joint_rows_begin(rows[i], bodies, NULL);
  for (int32_t i = 0; i < count; ++i) {
    if (rows[i]->state->broken != 0) continue;
    pl_joint_vector arrive = {rows[i]->arrive, rows[i]->angular_arrive};
    work[i].residual = sum_of(missing(rows[i], bodies, &rows[i]->start), arrive, 1);
  }
  double product = precondition(rows, count, work), first = product;
  for (int32_t i = 0; i < count; ++i) work[i].direction = work[i].scaled;
  int32_t max = MIN_ITERATIONS + 2 * count;
  for (int32_t k = 0; k < (max < MAX_ITERATIONS ? max : MAX_ITERATIONS); ++k) {
    if (!(product > SOLVE_TOLERANCE * first)) break;
    double curvature = find_answers(rows, count, bodies, work);
    if (!(curvature > 0)) break;
    double way = product / curvature, last = product;
    for (int32_t i = 0; i < count; ++i) {
      if (rows[i]->state->broken != 0) continue;
      add_impulse(rows[i], work[i].direction, way);
      work[i].residual = sum_of(work[i].residual, work[i].answer, way);
    }
    product = precondition(rows, count, work);
    for (int32_t i = 0; i < count; ++i) work[i].direction = sum_of(work[i].scaled, work[i].direction, product / last);
  }
  restore_velocities(rows, count, bodies, work);
}
