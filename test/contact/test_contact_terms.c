// Arms: what an impulse does to particles and rigid bodies, against the definition.
// ctest: unit
#include "check.h"
#include "contact/contact_terms.h"

enum { COUNT = 4 };

// A surface point in the middle of four particles, and a rigid box.
typedef struct pair {
  int32_t parents[4];
  float weights[4];
  pl_contact_surface surface;
  pl_vec3 positions[COUNT], velocities[COUNT];
  double inverse_masses[COUNT];
  pl_contact_rigid rigid;
  pl_contact_body bodies[2];
} pair;

static void make_pair(pair *p) {
  memset(p, 0, sizeof *p);
  for (int i = 0; i < COUNT; ++i) {
    p->parents[i] = i;
    p->weights[i] = (float)(0.1 * (i + 1));
    p->positions[i] = pl_vec3_of(0.3 * i, 0.1 * i * i, 1 - 0.2 * i);
    p->velocities[i] = pl_vec3_of(0.5 - i, 0.2 * i, 1);
    p->inverse_masses[i] = 1 + i;
  }
  p->surface =
      (pl_contact_surface){.point_count = 1, .parents = p->parents, .weights = p->weights, .particle_count = COUNT};
  p->bodies[0] = (pl_contact_body){.surface = &p->surface,
                                   .positions = p->positions,
                                   .velocities = p->velocities,
                                   .inverse_masses = p->inverse_masses};
  p->rigid = (pl_contact_rigid){.center = {0.4, 0.2, 0.1},
                                .rotation = pl_quat_identity(),
                                .velocity = {0.1, 0.2, 0.3},
                                .angular_velocity = {1, -2, 0.5},
                                .inverse_mass = 0.25,
                                .inverse_inertia = pl_mat3_diagonal(3, 1.5, 2)};
  p->bodies[1] = (pl_contact_body){.surface = &p->surface, .positions = p->positions, .rigid = &p->rigid};
}

static void arms_of(pair *p, pl_contact_arm arms[2], pl_contact_term terms[PL_MAX_TERMS]) {
  pl_contact_side side = {0, 1, {0}, {1}};
  arms[0] = pl_contact_arm_of_side(p->bodies, &side, terms);
  arms[1] = pl_contact_arm_of_rigid(p->bodies, 1, pl_vec3_of(0.7, -0.3, 0.6));
}

static pl_vec3 relative(const pair *p, const pl_contact_arm arms[2]) {
  return pl_vec3_sub(pl_contact_arm_velocity(p->bodies, &arms[0]), pl_contact_arm_velocity(p->bodies, &arms[1]));
}

static void weights_of_single_precision_sum_to_one(void **state) {
  (void)state;
  static pair p;
  make_pair(&p);
  pl_contact_arm arms[2];
  pl_contact_term terms[PL_MAX_TERMS];
  arms_of(&p, arms, terms);
  double sum = 0;
  for (int32_t i = 0; i < arms[0].count; ++i) sum += arms[0].terms[i].weight;
  check_near(sum, 1, 1e-15);
}

// K P is how much the relative velocity changes by an impulse P on one arm and -P on the other.
static void inverse_mass_is_the_answer_to_an_impulse(void **state) {
  (void)state;
  static pair p;
  const pl_vec3 impulses[3] = {{0.7, 0, 0}, {0, -0.4, 0}, {0.2, 0.3, 0.9}};
  for (int k = 0; k < 3; ++k) {
    make_pair(&p);
    pl_contact_arm arms[2];
    pl_contact_term terms[PL_MAX_TERMS];
    arms_of(&p, arms, terms);
    pl_mat3 mass = pl_contact_inverse_mass(p.bodies, &arms[0], &arms[1]);
    pl_vec3 before = relative(&p, arms);
    pl_contact_arm_push(p.bodies, &arms[0], impulses[k]);
    pl_contact_arm_push(p.bodies, &arms[1], pl_vec3_scale(impulses[k], -1));
    pl_vec3 change = pl_vec3_sub(relative(&p, arms), before);
    check_near(pl_vec3_distance(change, pl_mat3_apply(mass, impulses[k])), 0, 1e-14);
  }
}

// Two arms of one body: what both share does not answer to opposite impulses.
static void arms_of_one_body_answer_together(void **state) {
  (void)state;
  static pair p;
  make_pair(&p);
  pl_contact_arm a = pl_contact_arm_of_rigid(p.bodies, 1, pl_vec3_of(0.7, -0.3, 0.6));
  pl_contact_arm b = pl_contact_arm_of_rigid(p.bodies, 1, pl_vec3_of(0.1, 0.5, 0.2));
  pl_mat3 mass = pl_contact_inverse_mass(p.bodies, &a, &b);
  pl_vec3 impulse = {0.3, 0.8, -0.2};
  pl_vec3 before = pl_vec3_sub(pl_contact_arm_velocity(p.bodies, &a), pl_contact_arm_velocity(p.bodies, &b));
  pl_contact_arm_push(p.bodies, &a, impulse);
  pl_contact_arm_push(p.bodies, &b, pl_vec3_scale(impulse, -1));
  pl_vec3 after = pl_vec3_sub(pl_contact_arm_velocity(p.bodies, &a), pl_contact_arm_velocity(p.bodies, &b));
  check_near(pl_vec3_distance(pl_vec3_sub(after, before), pl_mat3_apply(mass, impulse)), 0, 1e-14);
  check_near(pl_contact_inverse_mass_along(p.bodies, &a, &a, pl_vec3_of(0, 1, 0)), 0, 1e-14);
}

// Positions of a rigid body's point move by K times the push, to first order.
static void a_push_moves_positions_alone(void **state) {
  (void)state;
  static pair p;
  make_pair(&p);
  pl_contact_arm arm = pl_contact_arm_of_rigid(p.bodies, 1, pl_vec3_of(0.7, -0.3, 0.6)), none = {.body = -1};
  pl_vec3 velocity = p.rigid.velocity, push = {1e-6, 2e-6, -1e-6}, center = p.rigid.center;
  pl_mat3 mass = pl_contact_inverse_mass(p.bodies, &arm, &none);
  pl_contact_arm_move(p.bodies, &arm, push);
  pl_vec3 moved = pl_vec3_add(pl_vec3_sub(p.rigid.center, center),
                              pl_vec3_sub(pl_quat_rotate(p.rigid.rotation, arm.lever), arm.lever));
  check_near(pl_vec3_distance(moved, pl_mat3_apply(mass, push)), 0, 1e-10);
  check_near(pl_vec3_distance(velocity, p.rigid.velocity), 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_of_single_precision_sum_to_one),
      cmocka_unit_test(inverse_mass_is_the_answer_to_an_impulse),
      cmocka_unit_test(arms_of_one_body_answer_together),
      cmocka_unit_test(a_push_moves_positions_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
