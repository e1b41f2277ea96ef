// Joints of rigid bodies in a coupled solve.
//
// A finger that motors press against a soft body gives way as the motor lets it, and the soft body carries on with what
// is behind its surface: both belong to one solve. Each joint is up to nine rows (joint_potential.h) of where its
// bodies end,
//
//   points     e . (p_a - p_b)             three directions e, across the axis alone for a slider
//   turns      L e . (θ_a - θ_b)           across the axis for a hinge, none for a ball joint
//   axis       motor, and both limits      of the angle of a hinge, times L, or the way of a slider
//
// with their errors at the goals, where the bodies' own steps have taken them, from contact_joint.h, and L a length of
// the bodies so that all are metres. The forces go back to where the sweeps keep theirs: a joint may be solved by one
// in this step and by the other in the next.
#include <math.h>

#include "world/world_coupled_solve.h"
#include "world/world_joints.h"

// Stiffness of rows as a multiple of what the bodies answer with, and what may be left of their errors, metres. Stiff
// rows are few: conjugate gradients take an iteration or two more for each.
static const double JOINT_STIFFNESS = 1e3, ALLOWED_ERROR = 1e-7;

enum { MAX_ROWS = 9 };

struct pl_coupled_joint {
  pl_world_joint *joint;
  int32_t bodies[2];  // -1: the world
  pl_joint_errors errors;
  double length;  // L
  // Directions of the rows of points and of turns; then the motor, and the two limits.
  pl_vec3 point_axes[3], turn_axes[3];
  int32_t point_count, turn_count, count;
  int32_t motor, low, high;  // rows; -1: none
  pl_joint_potential rows[MAX_ROWS];
};

static bool is_part(const pl_coupled *j, int32_t body) {
  return body < 0 || j->bodies[body].rigid != NULL;
}

bool pl_coupled_joints_take(pl_coupled *j) {
  int32_t count = pl_slots_count(&j->world->joints);
  j->joint_count = 0;
  j->joints = PL_SCRATCH(&j->world->scratch, pl_coupled_joint, count);
  j->joint_order = PL_SCRATCH(&j->world->scratch, int32_t, count);
  if (count > 0 && (j->joints == NULL || j->joint_order == NULL)) return false;
  for (int32_t i = 0; i < count; ++i) {
    pl_world_joint *joint = pl_slots_at(&j->world->joints, i);
    int32_t a = joint->rows.a.body, b = joint->rows.b.body;
    if (joint->state.broken != 0 || !is_part(j, a) || !is_part(j, b)) continue;
    if ((a < 0 || pl_coupled_is_obstacle(&j->bodies[a])) && (b < 0 || pl_coupled_is_obstacle(&j->bodies[b]))) continue;
    j->joints[j->joint_count++] = (pl_coupled_joint){.joint = joint, .bodies = {a, b}};
  }
  return true;
}

int32_t pl_coupled_joint_owner(const pl_coupled *j, int32_t joint) {
  const int32_t *bodies = j->joints[joint].bodies;
  return bodies[0] >= 0 && !pl_coupled_is_obstacle(&j->bodies[bodies[0]]) ? bodies[0] : bodies[1];
}

int32_t pl_coupled_joint_body(const pl_coupled *j, int32_t joint, int side) {
  return j->joints[joint].bodies[side];
}

// --- rows

// What nothing moves takes no part.
static const pl_coupled_body *moving_body(const pl_coupled *j, const pl_coupled_joint *it, int side) {
  if (it->bodies[side] < 0) return NULL;
  const pl_coupled_body *b = &j->bodies[it->bodies[side]];
  return pl_coupled_is_obstacle(b) || !(b->rigid->goal.inverse_mass > 0) ? NULL : b;
}

static pl_joint_potential *add_row(pl_coupled_joint *it, double error, double multiplier) {
  pl_joint_potential *row = &it->rows[it->count++];
  *row = (pl_joint_potential){
      .particles = {-1, -1}, .error = error, .low = -HUGE_VAL, .high = HUGE_VAL, .multiplier = multiplier};
  return row;
}

// The error of a's point against b's along e, r being the arms: e . (x + θ × r).
static void act_on_points(const pl_coupled *j, const pl_coupled_joint *it, pl_vec3 e, pl_joint_potential *row) {
  for (int side = 0; side < 2; ++side) {
    const pl_coupled_body *b = moving_body(j, it, side);
    if (b == NULL) continue;
    pl_vec3 along = pl_vec3_scale(e, side == 0 ? 1 : -1), center = b->rigid->goal.center;
    row->particles[side] = b->first;
    row->centers[side] = center;
    row->linear[side] = along;
    row->angular[side] =
        pl_vec3_scale(pl_vec3_cross(pl_vec3_sub(it->errors.points[side], center), along), 1 / b->rigid->length);
  }
}

// The angle of a against b around e, times the length.
static void act_on_turns(const pl_coupled *j, const pl_coupled_joint *it, pl_vec3 e, pl_joint_potential *row) {
  for (int side = 0; side < 2; ++side) {
    const pl_coupled_body *b = moving_body(j, it, side);
    if (b == NULL) continue;
    row->particles[side] = b->first;
    row->centers[side] = b->rigid->goal.center;
    row->angular[side] = pl_vec3_scale(e, (side == 0 ? it->length : -it->length) / b->rigid->length);
  }
}

static int32_t fill_axes(pl_vec3 axes[3], bool across, pl_vec3 axis) {
  if (!across) {
    axes[0] = (pl_vec3){1, 0, 0}, axes[1] = (pl_vec3){0, 1, 0}, axes[2] = (pl_vec3){0, 0, 1};
    return 3;
  }
  axes[0] = pl_vec3_perpendicular(axis);
  axes[1] = pl_vec3_cross(axis, axes[0]);
  return 2;
}

static pl_joint_potential *add_axis_row(const pl_coupled *j, pl_coupled_joint *it, double error, double impulse) {
  bool turns = it->joint->rows.kind == PL_JOINT_ROWS_HINGE;
  double scale = turns ? it->length : 1;
  // A force along the row is that of a torque over the length.
  pl_joint_potential *row = add_row(it, scale * error, -impulse / (scale * j->world->def.step));
  if (turns)
    act_on_turns(j, it, it->joint->rows.axis, row);
  else
    act_on_points(j, it, it->joint->rows.axis, row);
  return row;
}

static void add_axis(const pl_coupled *j, pl_coupled_joint *it) {
  const pl_joint_rows *rows = &it->joint->rows;
  const pl_joint_state *s = rows->state;
  double scale = rows->kind == PL_JOINT_ROWS_HINGE ? it->length : 1;
  if (s->motor >= 1) {
    it->motor = it->count;
    pl_joint_potential *row = add_axis_row(j, it, it->errors.motor, s->motor_impulse);
    row->high = rows->max_torque / scale;
    row->low = -row->high;
  }
  if (!rows->is_limited) return;
  it->low = it->count;
  add_axis_row(j, it, it->errors.low, s->low_impulse)->high = 0;
  it->high = it->count;
  add_axis_row(j, it, it->errors.high, -s->high_impulse)->low = 0;
}

static void place(const pl_coupled *j, pl_coupled_joint *it) {
  pl_contact_body *bodies = j->world->contact_bodies.items;
  pl_joint_rows *rows = &it->joint->rows;
  double h = j->world->def.step, length = 0;
  pl_joint_rows_prepare(rows, bodies, h);
  it->errors = pl_joint_rows_get_errors(rows, bodies, h);
  it->count = 0;
  it->motor = it->low = it->high = -1;
  for (int side = 0; side < 2; ++side)
    if (it->bodies[side] >= 0) length = fmax(length, j->bodies[it->bodies[side]].rigid->length);
  it->length = length;
  it->point_count = fill_axes(it->point_axes, rows->kind == PL_JOINT_ROWS_SLIDER, rows->axis);
  for (int32_t i = 0; i < it->point_count; ++i) {
    pl_vec3 e = it->point_axes[i];
    act_on_points(j, it, e, add_row(it, pl_vec3_dot(e, it->errors.point), -pl_vec3_dot(e, rows->state->impulse) / h));
  }
  it->turn_count = 0;
  if (rows->kind != PL_JOINT_ROWS_BALL)
    it->turn_count = fill_axes(it->turn_axes, rows->kind == PL_JOINT_ROWS_HINGE, rows->axis);
  for (int32_t i = 0; i < it->turn_count; ++i) {
    pl_vec3 e = it->turn_axes[i];
    act_on_turns(j, it, e,
                 add_row(it, length * pl_vec3_dot(e, it->errors.turn),
                         -pl_vec3_dot(e, rows->state->angular_impulse) / (h * length)));
  }
  if (pl_joint_rows_has_axis(rows)) add_axis(j, it);
}

void pl_coupled_joints_place(pl_coupled *j) {
  for (int32_t i = 0; i < j->joint_count; ++i) {
    for (int side = 0; side < 2; ++side)
      if (j->joints[i].bodies[side] >= 0) {
        const pl_coupled_body *b = &j->bodies[j->joints[i].bodies[side]];
        b->body->rigid = b->rigid->goal;  // what contact_joint.c looks at
      }
    place(j, &j->joints[i]);
  }
}

// --- the solve

static pl_coupled_joint *joint_at(const pl_coupled_island *s, int32_t n) {
  return &s->coupled->joints[s->joints[n]];
}

void pl_coupled_joints_set_stiffness(const pl_coupled_island *s) {
  for (int32_t n = 0; n < s->joint_count; ++n) {
    pl_coupled_joint *it = joint_at(s, n);
    for (int32_t i = 0; i < it->count; ++i)
      pl_joint_potential_set_stiffness(&it->rows[i], s->coupled->blocks, JOINT_STIFFNESS);
  }
}

double pl_coupled_joints_evaluate(const pl_coupled_island *s) {
  const pl_coupled *j = s->coupled;
  double energy = 0;
  for (int32_t n = 0; n < s->joint_count; ++n) {
    pl_coupled_joint *it = joint_at(s, n);
    double square = 0;
    for (int32_t i = 0; i < it->count; ++i) {
      energy += pl_joint_potential_evaluate(&it->rows[i], j->ends);
      square += it->rows[i].force * it->rows[i].force;
    }
    // What counts as no residual follows the forces.
    for (int side = 0; side < 2; ++side)
      if (moving_body(j, it, side) != NULL) j->bodies[it->bodies[side]].step.size += square;
  }
  return energy;
}

bool pl_coupled_joints_predict(const pl_coupled_island *s) {
  bool any = false;
  for (int32_t n = 0; n < s->joint_count; ++n) {
    pl_coupled_joint *it = joint_at(s, n);
    for (int32_t i = 0; i < it->count; ++i)
      any = pl_joint_potential_predict(&it->rows[i], s->coupled->direction) || any;
  }
  return any;
}

void pl_coupled_joints_add_gradient(const pl_coupled_island *s, double *gradient) {
  for (int32_t n = 0; n < s->joint_count; ++n) {
    const pl_coupled_joint *it = joint_at(s, n);
    for (int32_t i = 0; i < it->count; ++i) pl_joint_potential_add_gradient(&it->rows[i], gradient);
  }
}

void pl_coupled_joints_add_product(const pl_coupled_island *s, const double *d, double *product) {
  for (int32_t n = 0; n < s->joint_count; ++n) {
    const pl_coupled_joint *it = joint_at(s, n);
    for (int32_t i = 0; i < it->count; ++i) pl_joint_potential_add_product(&it->rows[i], d, product);
  }
}

void pl_coupled_joints_add_blocks(const pl_coupled_island *s, double *blocks) {
  for (int32_t n = 0; n < s->joint_count; ++n) {
    const pl_coupled_joint *it = joint_at(s, n);
    for (int32_t i = 0; i < it->count; ++i) pl_joint_potential_add_blocks(&it->rows[i], blocks);
  }
}

bool pl_coupled_joints_any_off(const pl_coupled_island *s) {
  for (int32_t n = 0; n < s->joint_count; ++n) {
    const pl_coupled_joint *it = joint_at(s, n);
    for (int32_t i = 0; i < it->count; ++i)
      if (it->rows[i].holds && fabs(it->rows[i].off) > ALLOWED_ERROR) return true;
  }
  return false;
}

void pl_coupled_joints_update(const pl_coupled_island *s) {
  for (int32_t n = 0; n < s->joint_count; ++n) {
    pl_coupled_joint *it = joint_at(s, n);
    for (int32_t i = 0; i < it->count; ++i) it->rows[i].multiplier = it->rows[i].force;
  }
}

// --- the result

static void push(pl_coupled_rigid *rigid, pl_vec3 point, pl_vec3 force, pl_vec3 torque) {
  pl_vec3 arm = pl_vec3_sub(point, rigid->start.center);
  rigid->force = pl_vec3_add(rigid->force, force);
  rigid->torque = pl_vec3_add(rigid->torque, pl_vec3_add(torque, pl_vec3_cross(arm, force)));
}

static double force_of(const pl_coupled_joint *it, int32_t row) {
  return row >= 0 ? -it->rows[row].force : 0;
}

// Both bodies feel the force at one point, so that no angular momentum comes of it: where the joint was when the step
// began, of which positions follow (as in contact_joint.h).
static void commit(const pl_coupled *j, pl_coupled_joint *it) {
  const pl_joint_rows *rows = &it->joint->rows;
  pl_joint_state *s = rows->state;
  double h = j->world->def.step;
  pl_vec3 force = {0, 0, 0}, torque = {0, 0, 0};
  for (int32_t i = 0; i < it->point_count; ++i) force = pl_vec3_add_scaled(force, it->point_axes[i], force_of(it, i));
  for (int32_t i = 0; i < it->turn_count; ++i)
    torque = pl_vec3_add_scaled(torque, it->turn_axes[i], it->length * force_of(it, it->point_count + i));
  s->impulse = pl_vec3_scale(force, h);
  s->angular_impulse = pl_vec3_scale(torque, h);
  bool turns = rows->kind == PL_JOINT_ROWS_HINGE;
  double scale = turns ? it->length : 1;
  s->motor_impulse = h * scale * force_of(it, it->motor);
  s->low_impulse = h * scale * force_of(it, it->low);
  s->high_impulse = -h * scale * force_of(it, it->high);
  double along = (s->motor_impulse + s->low_impulse - s->high_impulse) / h;
  if (turns)
    torque = pl_vec3_add_scaled(torque, rows->axis, along);
  else if (pl_joint_rows_has_axis(rows))
    force = pl_vec3_add_scaled(force, rows->axis, along);
  int lead = it->bodies[0] >= 0 ? 0 : 1;
  const pl_contact_arm *arm = lead == 0 ? &rows->start.a : &rows->start.b;
  pl_vec3 point = pl_vec3_add(j->bodies[it->bodies[lead]].rigid->start.center, arm->lever);
  for (int side = 0; side < 2; ++side)
    if (it->bodies[side] >= 0)
      push(j->bodies[it->bodies[side]].rigid, point, pl_vec3_scale(force, side == 0 ? 1 : -1),
           pl_vec3_scale(torque, side == 0 ? 1 : -1));
}

void pl_coupled_joints_commit(const pl_coupled *j) {
  for (int32_t i = 0; i < j->joint_count; ++i) {
    if (j->bodies[pl_coupled_joint_owner(j, i)].state == PL_COUPLED_TOGETHER) commit(j, &j->joints[i]);
  }
}
