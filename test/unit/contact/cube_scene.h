// Cubes of particles, for tests of contact between bodies: free particles, or held together as a stiff shape-matching solid would.
#ifndef PL_TEST_CUBE_SCENE_H
#define PL_TEST_CUBE_SCENE_H

#include "check.h"
#include "contact/contact.h"
#include "math/mat3.h"
#include "math/rotation.h"

enum { SIDE = 4, PARTICLES = SIDE * SIDE * SIDE, BODIES = 6 };

static const double STEP = 1.0 / 240;
static const pl_vec3 GRAVITY = {0, -9.81, 0};

// The surface of a cube of SIDE^3 particles, edge length 1 around the origin.
typedef struct cube_model {
  pl_vec3 rest[PARTICLES], rest_points[PARTICLES];
  int32_t parents[4 * PARTICLES], point_of_particle[PARTICLES], triangles[3 * 12 * (SIDE - 1) * (SIDE - 1)];
  float weights[4 * PARTICLES];
  pl_contact_surface surface;
} cube_model;

static inline int32_t particle_at(const int slot[3]) {
  return (slot[2] * SIDE + slot[1]) * SIDE + slot[0];
}

static inline void add_face(cube_model *m, int axis, int end) {
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (int i = 0; i + 1 < SIDE; ++i)
    for (int j = 0; j + 1 < SIDE; ++j) {
      int32_t corner[4];
      for (int k = 0; k < 4; ++k) {
        int slot[3];
        slot[axis] = end ? SIDE - 1 : 0, slot[u] = i + (k & 1), slot[v] = j + (k >> 1);
        corner[k] = m->point_of_particle[particle_at(slot)];
      }
      int32_t two[6] = {corner[0], corner[1], corner[3], corner[0], corner[3], corner[2]};
      if (!end) two[1] = corner[3], two[2] = corner[1], two[4] = corner[2], two[5] = corner[3];
      memcpy(&m->triangles[3 * m->surface.triangle_count], two, sizeof two);
      m->surface.triangle_count += 2;
    }
}

static inline void make_cube(cube_model *m) {
  memset(m, 0, sizeof *m);
  for (int z = 0; z < SIDE; ++z)
    for (int y = 0; y < SIDE; ++y)
      for (int x = 0; x < SIDE; ++x) {
        int32_t p = particle_at((int[3]){x, y, z});
        m->rest[p] = pl_vec3_of((double)x / (SIDE - 1) - 0.5, (double)y / (SIDE - 1) - 0.5, (double)z / (SIDE - 1) - 0.5);
        bool is_inside = x % (SIDE - 1) != 0 && y % (SIDE - 1) != 0 && z % (SIDE - 1) != 0;
        if (is_inside) continue;
        int32_t point = m->surface.point_count++;
        m->point_of_particle[p] = point;
        m->rest_points[point] = m->rest[p];
        for (int k = 0; k < 4; ++k) m->parents[4 * point + k] = p;
        m->weights[4 * point] = 1;
      }
  for (int face = 0; face < 6; ++face) add_face(m, face / 2, face % 2);
  m->surface.particle_count = PARTICLES;
  m->surface.parents = m->parents, m->surface.weights = m->weights;
  m->surface.triangles = m->triangles, m->surface.rest_points = m->rest_points;
}

typedef struct scene {
  pl_context *context;
  pl_contact_solver *solver;
  cube_model model;
  int32_t body_count, collider_count;
  pl_contact_body bodies[BODIES];
  pl_vec3 starts[BODIES][PARTICLES], positions[BODIES][PARTICLES], velocities[BODIES][PARTICLES];
  double inverse_masses[BODIES][PARTICLES];
  pl_collider *collider;
  double time;
} scene;

static inline void begin(scene *s, pl_context *context, int32_t body_count, bool floor) {
  pl_error error = {0};
  memset(s, 0, sizeof *s);
  s->context = context;
  s->body_count = body_count;
  make_cube(&s->model);
  for (int32_t b = 0; b < body_count; ++b) {
    s->bodies[b] = (pl_contact_body){.surface = &s->model.surface,
                                     .starts = s->starts[b],
                                     .positions = s->positions[b],
                                     .velocities = s->velocities[b],
                                     .inverse_masses = s->inverse_masses[b],
                                     .friction = 0.5};
    for (int32_t p = 0; p < PARTICLES; ++p) {
      s->inverse_masses[b][p] = 10;
      s->starts[b][p] = s->positions[b][p] = s->model.rest[p];
    }
  }
  if (floor) {
    pl_collider_def def = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
    check_ok(pl_collider_create(context, &def, &s->collider, &error), &error);
    s->collider_count = 1;
  }
  check_ok(pl_contact_solver_create(context, &s->solver, &error), &error);
}

static inline void prepare(scene *s) {
  pl_error error = {0};
  check_ok(pl_contact_solver_prepare(s->solver, s->bodies, s->body_count, (const pl_collider *const *)&s->collider,
                                     s->collider_count, &error),
           &error);
}

static inline void put(scene *s, int32_t body, pl_transform placement, pl_vec3 velocity) {
  for (int32_t p = 0; p < PARTICLES; ++p) {
    s->positions[body][p] = pl_transform_apply(placement, s->model.rest[p]);
    s->velocities[body][p] = velocity;
  }
}

static inline pl_transform at(double x, double y, double z) {
  return (pl_transform){{x, y, z}, {0, 0, 0, 1}};
}

static inline pl_contact_report solve(scene *s, pl_vec3 gravity) {
  pl_contact_report report;
  pl_error error = {0};
  check_ok(pl_contact_solver_solve(s->solver, s->bodies, s->body_count, (const pl_collider *const *)&s->collider, s->collider_count,
                                   s->time, STEP, 8, gravity, &report, &error),
           &error);
  s->time += STEP;
  return report;
}

// Move every particle on its own.
static inline void fly(scene *s, pl_vec3 gravity) {
  for (int32_t b = 0; b < s->body_count; ++b)
    for (int32_t p = 0; p < PARTICLES; ++p) {
      s->starts[b][p] = s->positions[b][p];
      s->velocities[b][p] = pl_vec3_add_scaled(s->velocities[b][p], gravity, STEP);
      s->positions[b][p] = pl_vec3_add_scaled(s->starts[b][p], s->velocities[b][p], STEP);
    }
}

static inline pl_vec3 center_of(const pl_vec3 *points) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t p = 0; p < PARTICLES; ++p) sum = pl_vec3_add_scaled(sum, points[p], 1.0 / PARTICLES);
  return sum;
}

// Pull a body all the way back to its rest shape, as a stiff shape-matching solid does.
static inline void stiffen(scene *s, int32_t b) {
  pl_vec3 center = center_of(s->positions[b]);
  pl_mat3 a = pl_mat3_zero();
  for (int32_t p = 0; p < PARTICLES; ++p)
    a = pl_mat3_add(a, pl_mat3_outer(pl_vec3_sub(s->positions[b][p], center), s->model.rest[p]));
  pl_quat rotation = pl_rotation_of_mat3(a, pl_quat_identity());
  for (int32_t p = 0; p < PARTICLES; ++p) {
    pl_vec3 goal = pl_vec3_add(center, pl_quat_rotate(rotation, s->model.rest[p]));
    s->velocities[b][p] = pl_vec3_add_scaled(s->velocities[b][p], pl_vec3_sub(goal, s->positions[b][p]), 1 / STEP);
    s->positions[b][p] = goal;
  }
}

static inline pl_contact_report advance_stiff(scene *s, pl_vec3 gravity) {
  fly(s, gravity);
  for (int32_t b = 0; b < s->body_count; ++b) stiffen(s, b);
  return solve(s, gravity);
}

static inline pl_vec3 momentum(const scene *s) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t b = 0; b < s->body_count; ++b)
    for (int32_t p = 0; p < PARTICLES; ++p) sum = pl_vec3_add_scaled(sum, s->velocities[b][p], 1 / s->inverse_masses[b][p]);
  return sum;
}

static inline void end(scene *s) {
  pl_contact_solver_destroy(s->solver);
  pl_collider_destroy(s->context, s->collider);
}

#endif
