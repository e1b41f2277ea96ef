// Forces and pressures of scenes over time: impulses of free bodies, and the strain of one that is pressed all round.
// ctest: unit
#include "body/body_method.h"
#include "fixtures/scene_from_text.h"
#include "pliant/math.h"

static void print_findings(const fixture *s) {
  for (int32_t i = 0; i < pl_findings_count(s->findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *f = pl_findings_get(s->findings, i);
    print_message("%s: %s; %s (line %d)\n", f->kind, f->you_see, f->fix, f->line);
  }
}

#define SCENE(more, mesh, body)                                          \
  "{\"pliant\": 1, \"name\": \"t\", " more " \"meshes\": {\"m\": {" mesh \
  "}},\n"                                                                \
  "\"bodies\": [{\"name\": \"a\", \"mesh\": \"m\", \"method\": \"fem\", " body "}]}"
#define CUBE "\"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, 2]}"
#define FREE "\"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01},"

static pl_vec3 momentum_of(const fixture *s) {
  pl_body_id body = pl_scene_instance_get_body(s->set, 0).id;
  const pl_model *model = pl_body_get_model(s->world, body);
  pl_vec3 velocities[100], sum = {0, 0, 0};
  assert_in_range(model->particle_count, 1, 100);
  pl_body_get_velocities(s->world, body, velocities);
  for (int32_t i = 0; i < model->particle_count; ++i) sum = pl_vec3_add_scaled(sum, velocities[i], model->masses[i]);
  return sum;
}

// A free body has the impulse of all loads. Keys that lie between steps count too: the load is linear in most steps.
static void loads_follow_their_keys(void **state) {
  (void)state;
  static const char *const keys =
      "\"keys\": [{\"time\": 0.1, \"factor\": 0}, {\"time\": 0.3, \"factor\": 2}, {\"time\": 0.4, \"factor\": -1}]";
  char text[1024];
  snprintf(text, sizeof text, SCENE(FREE, CUBE, "\"fem\": {}, \"pushes\": [{\"force\": [0, 3, 0], %s}]"), keys);
  fixture s = open_fixture(text, ".");
  print_findings(&s);
  check_ok(s.status, &s.error);
  // 0 until 0.1 s, then areas of trapezoids, then -1.
  static const double times[4] = {0.1, 0.3, 0.4, 0.6}, impulses[4] = {0, 0.6, 0.75, 0.15};
  for (int k = 0; k < 4; ++k) {
    check_ok(pl_world_advance(s.world, times[k] - pl_world_get_time(s.world), 0, NULL, &s.error), &s.error);
    check_near(momentum_of(&s).y, impulses[k], 1e-6);
  }
  close_fixture(&s);
}

// All round a body shrinks by p (1 - 2 ν) / E in every direction and does not move; on one side it has the impulse p A
// t.
static void a_pressure_acts_against_the_surface(void **state) {
  (void)state;
  for (int quadratic = 0; quadratic < 2; ++quadratic) {
    char text[1024];
    snprintf(text, sizeof text,
             SCENE(FREE, CUBE,
                   "\"position\": [5, 0, 0], \"fem\": {\"young\": 1e5, \"poisson\": 0.3, \"stiffness_damping\": 0.05, "
                   "\"element\": \"%s\"}, \"pushes\": [{\"pressure\": 1000, \"keys\": [{\"time\": 0, \"factor\": 0}, "
                   "{\"time\": 0.3, \"factor\": 1}]}]"),
             quadratic ? "quadratic" : "linear");
    fixture s = open_fixture(text, ".");
    print_findings(&s);
    check_ok(s.status, &s.error);
    check_ok(pl_world_advance(s.world, 1, 0, NULL, &s.error), &s.error);
    int32_t count = pl_body_get_model(s.world, pl_scene_instance_get_body(s.set, 0).id)->particle_count;
    pl_vec3 *points = calloc((size_t)count, sizeof *points);
    pl_body_get_positions(s.world, pl_scene_instance_get_body(s.set, 0).id, points);
    pl_box box = pl_box_from_points(points, count);
    double strain = -1000 * (1 - 2 * 0.3) / 1e5;
    print_message("%s: %.6g x %.6g x %.6g\n", quadratic ? "quadratic" : "linear", box.max.x - box.min.x,
                  box.max.y - box.min.y, box.max.z - box.min.z);
    // The surface shrinks with the body, and strains are not small to the last digit.
    for (int a = 0; a < 3; ++a)
      check_near((&box.max.x)[a] - (&box.min.x)[a], 0.2 * (1 + strain), 0.015 * 0.2 * fabs(strain));
    free(points);
    close_fixture(&s);
  }
  fixture s = open_fixture(SCENE(FREE, CUBE,
                                 "\"fem\": {\"young\": 1e7}, \"pushes\": [{\"within\": {\"min\": [0.099, -1, -1], "
                                 "\"max\": [1, 1, 1]}, \"pressure\": 50, \"until\": 0.2}]"),
                           ".");
  print_findings(&s);
  check_ok(s.status, &s.error);
  check_ok(pl_world_advance(s.world, 0.4, 0, NULL, &s.error), &s.error);
  pl_vec3 momentum = momentum_of(&s);
  check_near(momentum.x, -50 * 0.04 * 0.2, 1e-3 * 0.4);
  check_near(momentum.y, 0, 1e-3 * 0.4);
  check_near(momentum.z, 0, 1e-3 * 0.4);
  close_fixture(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_follow_their_keys),
      cmocka_unit_test(a_pressure_acts_against_the_surface),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
