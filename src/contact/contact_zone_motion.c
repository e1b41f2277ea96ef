// Impact zones (contact_zones.c): their members, and how they move as one rigid piece.
//
// With x0 and x the positions of members at the start and at the end of the step, v their velocities, m their masses,
// X0, X and V the means of these,
//
//   x <- X + R (x0 - X0),   R = exp(I0⁻¹ Σ m (x0 - X0) × (x - x0)),   I0 the inertia around X0
//   v <- V + Ω × (x - X),   Ω = I⁻¹ Σ m (x - X) × v
//
// which keeps momentum and angular momentum. A rigid body is one member, with its own inertia. Members that nothing
// moves, pinned or asleep, lead the others.
//
// Particles that a collider keeps out would be put back, and cross others: so a zone of these does not go deeper into
// the collider, and at last stays where it was on it.
#include <math.h>

#include "contact/contact_solver.h"
#include "contact/contact_zones.h"
#include "math/rotation.h"
#include "pliant/math.h"

// Passes over the particles of a zone that colliders keep out.
enum { SUPPORT_SWEEPS = 3 };

static int32_t root_of(const pl_contact_zones *z, int32_t member) {
  while (z->parents[member] != member) member = z->parents[member] = z->parents[z->parents[member]];
  return member;
}

// Put a member into the zone of another, or into one of its own (-1). Returns it.
static int32_t join(pl_contact_zones *z, int32_t member, int32_t other) {
  if (z->parents[member] < 0) {
    z->parents[member] = member;
    z->members[z->member_count++] = member;
  }
  if (other < 0) return member;
  int32_t a = root_of(z, member), b = root_of(z, other);
  z->parents[a > b ? a : b] = a < b ? a : b;
  return member;
}

int32_t pl_zone_join_point(pl_contact_memory *memory, const pl_contact_body *bodies, int32_t body, int32_t point,
                           int32_t other) {
  const pl_contact_surface *surface = bodies[body].surface;
  if (bodies[body].rigid != NULL) return join(&memory->zones, memory->particle_start[memory->body_count] + body, other);
  for (int k = 0; k < 4; ++k)
    if (surface->weights[4 * (size_t)point + (size_t)k] != 0.0f)
      other =
          join(&memory->zones, memory->particle_start[body] + surface->parents[4 * (size_t)point + (size_t)k], other);
  return other;
}

int32_t pl_zone_join_body(pl_contact_memory *memory, const pl_contact_body *bodies, int32_t body, int32_t other) {
  if (bodies[body].rigid != NULL) return pl_zone_join_point(memory, bodies, body, 0, other);
  for (int32_t i = 0; i < bodies[body].surface->particle_count; ++i)
    other = join(&memory->zones, memory->particle_start[body] + i, other);
  return other;
}

// A member: a particle, or a rigid body.
typedef struct zone_member {
  pl_contact_body *body;
  int32_t index, particle;  // of the body; -1 for a rigid one
  double mass;              // 0: nothing moves it
  pl_mat3 inertia;          // of a rigid body, at the end of the step
  pl_vec3 start, end, velocity, spin;
  pl_quat turn;  // of a rigid body from start to end
} zone_member;

static int32_t body_of(const pl_contact_memory *memory, int32_t particle) {
  int32_t low = 0, high = memory->body_count;
  while (high - low > 1) {
    int32_t middle = (low + high) / 2;
    if (memory->particle_start[middle] <= particle)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Where a rigid body was at the start, from its points there.
static void find_rigid_start(const pl_contact_memory *memory, zone_member *m) {
  const pl_contact_body *body = m->body;
  const pl_contact_rigid *was = &memory->move_rigids[m->index];
  int32_t count = body->surface->particle_count;
  pl_vec3 start = {0, 0, 0}, end = {0, 0, 0};
  pl_mat3 moment = pl_mat3_zero();
  for (int32_t i = 0; i < count; ++i) {
    start = pl_vec3_add_scaled(start, body->starts[i], 1.0 / count);
    end = pl_vec3_add_scaled(end, body->positions[i], 1.0 / count);
  }
  for (int32_t i = 0; i < count; ++i)
    moment =
        pl_mat3_add(moment, pl_mat3_outer(pl_vec3_sub(body->positions[i], end), pl_vec3_sub(body->starts[i], start)));
  pl_quat moved = pl_rotation_of_mat3(moment, pl_quat_identity());
  m->start = pl_vec3_add(start, pl_quat_rotate(pl_quat_conjugate(moved), pl_vec3_sub(was->center, end)));
  pl_quat resolved = pl_quat_multiply(body->rigid->rotation, pl_quat_conjugate(was->rotation));
  m->turn = pl_quat_multiply(resolved, moved);
}

static zone_member get_member(const pl_contact_memory *memory, pl_contact_body *bodies, int32_t number) {
  int32_t particle_count = memory->particle_start[memory->body_count];
  zone_member m = {.turn = pl_quat_identity()};
  if (number >= particle_count) {
    m.index = number - particle_count;
    m.particle = -1;
    m.body = &bodies[m.index];
    const pl_contact_rigid *rigid = m.body->rigid;
    if (rigid->inverse_mass > 0 && !m.body->asleep) {
      m.mass = 1 / rigid->inverse_mass;
      m.inertia = pl_mat3_inverse(rigid->inverse_inertia);
    }
    m.end = m.start = rigid->center;
    if (!m.body->asleep) find_rigid_start(memory, &m);
    m.velocity = rigid->velocity;
    m.spin = rigid->angular_velocity;
    return m;
  }
  m.index = body_of(memory, number);
  m.particle = number - memory->particle_start[m.index];
  m.body = &bodies[m.index];
  double inverse = m.body->inverse_masses[m.particle];
  m.mass = inverse > 0 && !m.body->asleep ? 1 / inverse : 0;
  m.end = m.body->positions[m.particle];
  m.start = m.body->asleep ? m.end : m.body->starts[m.particle];
  m.velocity = m.body->velocities[m.particle];
  return m;
}

// Sums over the members of a zone.
typedef struct zone_motion {
  double mass, held_count;
  pl_vec3 start, end, velocity;  // means
  pl_vec3 way;                   // mean of what nothing moves
  pl_vec3 turn, spin;            // rotation vector from start to end; angular velocity
  pl_vec3 lift, kick;            // metres and m/s that colliders add
} zone_motion;

static pl_vec3 rotation_vector(pl_quat q) {
  pl_vec3 v = {q.x, q.y, q.z};
  double length = pl_vec3_length(v), w = q.w;
  if (!(length > 0)) return v;
  return pl_vec3_scale(v, 2 * atan2(w < 0 ? -length : length, fabs(w)) / length);
}

// Rotation that an inertia gives to an angular momentum. What is on a line has none around it.
static pl_vec3 answer_of(pl_mat3 inertia, pl_vec3 momentum) {
  double min = 1e-9 * (inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2]);
  inertia = pl_mat3_add(inertia, pl_mat3_diagonal(min, min, min));
  if (!(pl_mat3_determinant(inertia) > 0)) return (pl_vec3){0, 0, 0};
  return pl_mat3_apply(pl_mat3_inverse(inertia), momentum);
}

static zone_motion find_motion(const pl_contact_memory *memory, pl_contact_body *bodies, int32_t root) {
  const pl_contact_zones *z = &memory->zones;
  zone_motion zone = {0};
  pl_mat3 inertia = pl_mat3_zero();
  pl_vec3 turn = {0, 0, 0};
  for (int pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < z->member_count; ++i) {
      if (root_of(z, z->members[i]) != root) continue;
      zone_member m = get_member(memory, bodies, z->members[i]);
      if (pass == 0) {
        zone.mass += m.mass;
        zone.start = pl_vec3_add_scaled(zone.start, m.start, m.mass);
        zone.end = pl_vec3_add_scaled(zone.end, m.end, m.mass);
        zone.velocity = pl_vec3_add_scaled(zone.velocity, m.velocity, m.mass);
        if (m.mass > 0) continue;
        zone.held_count++;
        zone.way = pl_vec3_add(zone.way, pl_vec3_sub(m.end, m.start));
      } else if (m.mass > 0) {
        pl_vec3 r = pl_vec3_sub(m.start, zone.start), way = pl_vec3_sub(m.end, m.start);
        inertia = pl_mat3_add(inertia, pl_mat3_add(pl_contact_point_inertia(r, m.mass), m.inertia));
        turn = pl_vec3_add_scaled(turn, pl_vec3_cross(r, way), m.mass);
        if (m.particle < 0) turn = pl_vec3_add(turn, pl_mat3_apply(m.inertia, rotation_vector(m.turn)));
      }
    }
    if (!(zone.mass > 0)) return zone;
    if (pass > 0) continue;
    zone.start = pl_vec3_scale(zone.start, 1 / zone.mass);
    zone.end = pl_vec3_scale(zone.end, 1 / zone.mass);
    zone.velocity = pl_vec3_scale(zone.velocity, 1 / zone.mass);
  }
  zone.turn = answer_of(inertia, turn);
  return zone;
}

// Positions of a zone, and the angular velocity that its momentum asks for there.
static void place_zone(const pl_contact_memory *memory, pl_contact_body *bodies, int32_t root, zone_motion *zone) {
  const pl_contact_zones *z = &memory->zones;
  pl_quat rotation = pl_quat_from_rotation_vector(zone->turn);
  pl_mat3 inertia = pl_mat3_zero();
  pl_vec3 momentum = {0, 0, 0};
  for (int32_t i = 0; i < z->member_count; ++i) {
    if (root_of(z, z->members[i]) != root) continue;
    zone_member m = get_member(memory, bodies, z->members[i]);
    if (!(m.mass > 0)) continue;
    pl_vec3 was = pl_vec3_sub(m.end, zone->end), relative = pl_vec3_sub(m.velocity, zone->velocity);
    pl_vec3 r = pl_quat_rotate(rotation, pl_vec3_sub(m.start, zone->start));
    pl_vec3 end = pl_vec3_add(pl_vec3_add(zone->end, zone->lift), r);
    momentum = pl_vec3_add_scaled(momentum, pl_vec3_cross(was, relative), m.mass);
    inertia = pl_mat3_add(inertia, pl_contact_point_inertia(r, m.mass));
    if (m.particle >= 0) {
      m.body->positions[m.particle] = end;
    } else {
      momentum = pl_vec3_add(momentum, pl_mat3_apply(m.inertia, m.spin));
      inertia = pl_mat3_add(inertia, m.inertia);
      pl_quat back = pl_quat_multiply(rotation, pl_quat_conjugate(m.turn));
      m.body->rigid->center = end;
      m.body->rigid->rotation = pl_quat_normalize(pl_quat_multiply(back, m.body->rigid->rotation));
    }
  }
  zone->spin = answer_of(inertia, momentum);
}

// How a collider keeps a member of a zone out; NULL: it need not.
static const pl_contact_hold *hold_of(const pl_contact_zones *z, int32_t root, int32_t i) {
  int32_t number = z->members[i];
  if (root_of(z, number) != root) return NULL;
  return z->holds[number].is_held ? &z->holds[number] : NULL;
}

// Do not let a zone go deeper into colliders.
static void support_zone(const pl_contact_memory *memory, pl_contact_body *bodies, int32_t root, zone_motion *zone) {
  const pl_contact_zones *z = &memory->zones;
  pl_quat rotation = pl_quat_from_rotation_vector(zone->turn);
  for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep)
    for (int32_t i = 0; i < z->member_count; ++i) {
      const pl_contact_hold *hold = hold_of(z, root, i);
      if (hold == NULL) continue;
      pl_vec3 start = get_member(memory, bodies, z->members[i]).start;
      pl_vec3 way = pl_vec3_sub(pl_quat_rotate(rotation, pl_vec3_sub(start, zone->start)), start);
      way = pl_vec3_sub(pl_vec3_add(pl_vec3_add(zone->end, zone->lift), way), hold->way);
      double gap = pl_vec3_dot(hold->normal, way);
      if (gap < 0) zone->lift = pl_vec3_add_scaled(zone->lift, hold->normal, -gap);
      pl_vec3 velocity = pl_vec3_add_scaled(pl_vec3_add(zone->velocity, zone->kick), hold->way, -1 / z->step);
      double speed = pl_vec3_dot(hold->normal, velocity);
      if (speed < 0) zone->kick = pl_vec3_add_scaled(zone->kick, hold->normal, -speed);
    }
}

// Leave a zone where it was at the start, on the colliders that keep it out. False if none do.
static bool hold_zone(const pl_contact_memory *memory, pl_contact_body *bodies, int32_t root) {
  const pl_contact_zones *z = &memory->zones;
  pl_vec3 way = {0, 0, 0};
  double count = 0;
  for (int32_t i = 0; i < z->member_count; ++i) {
    const pl_contact_hold *hold = hold_of(z, root, i);
    if (hold == NULL) continue;
    way = pl_vec3_add(way, hold->way);
    ++count;
  }
  if (count == 0) return false;
  way = pl_vec3_scale(way, 1 / count);
  for (int32_t i = 0; i < z->member_count; ++i) {
    if (root_of(z, z->members[i]) != root) continue;
    zone_member m = get_member(memory, bodies, z->members[i]);
    if (!(m.mass > 0)) continue;
    // To the bit where it was, where the collider does not move: nothing crossed there.
    pl_vec3 end = pl_vec3_add(m.start, way), velocity = pl_vec3_scale(way, 1 / z->step);
    if (m.particle >= 0) {
      m.body->positions[m.particle] = end;
      m.body->velocities[m.particle] = velocity;
    } else {
      pl_contact_rigid *rigid = m.body->rigid;
      rigid->center = end;
      rigid->rotation = pl_quat_normalize(pl_quat_multiply(pl_quat_conjugate(m.turn), rigid->rotation));
      rigid->velocity = velocity;
      rigid->angular_velocity = (pl_vec3){0, 0, 0};
    }
    m.body->moved = z->is_changed[m.index] = true;
  }
  return true;
}

void pl_zone_move(pl_contact_memory *memory, pl_contact_body *bodies, int32_t root) {
  pl_contact_zones *z = &memory->zones;
  zone_motion zone = find_motion(memory, bodies, root);
  if (!(zone.mass > 0)) return;
  if (z->support == PL_ZONE_HELD && zone.held_count == 0 && hold_zone(memory, bodies, root)) return;
  if (z->support == PL_ZONE_SUPPORTED && zone.held_count == 0) support_zone(memory, bodies, root, &zone);
  if (zone.held_count > 0) {
    // What nothing moves leads the others.
    zone.end = pl_vec3_add_scaled(zone.start, zone.way, 1 / zone.held_count);
    zone.turn = (pl_vec3){0, 0, 0};
  }
  place_zone(memory, bodies, root, &zone);
  if (zone.held_count > 0) zone.spin = zone.velocity = (pl_vec3){0, 0, 0};
  zone.end = pl_vec3_add(zone.end, zone.lift);
  zone.velocity = pl_vec3_add(zone.velocity, zone.kick);
  for (int32_t i = 0; i < z->member_count; ++i) {
    if (root_of(z, z->members[i]) != root) continue;
    zone_member m = get_member(memory, bodies, z->members[i]);
    if (!(m.mass > 0)) continue;
    pl_vec3 velocity = pl_vec3_add(zone.velocity, pl_vec3_cross(zone.spin, pl_vec3_sub(m.end, zone.end)));
    if (m.particle >= 0) {
      m.body->velocities[m.particle] = velocity;
    } else {
      m.body->rigid->velocity = velocity;
      m.body->rigid->angular_velocity = zone.spin;
    }
    m.body->moved = z->is_changed[m.index] = true;
  }
}
