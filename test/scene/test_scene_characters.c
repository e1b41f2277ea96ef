// What the scenes with characters and cars promise in their descriptions, measured: bipeds stand, recover and land, a
// crowd stands, muscles swell, a known squash is used, and dents stay where a car is plastic.
// ctest: physics threads long
#include "fixtures/gallery_scenes.h"

static fixture open_show(const char *name) {
  fixture s = open_gallery(name, 2, (pl_scene_overrides){0});
  assert_int_equal(pl_findings_count(s.findings, PL_SEVERITY_WARNING), 0);
  return s;
}

static void run_until(fixture *s, double time) {
  while (pl_world_get_time(s->world) < time - 1e-9) check_ok(pl_world_step(s->world, NULL, &s->error), &s->error);
}

static pl_body_id body_at(const fixture *s, int32_t index) {
  return pl_scene_instance_get_body(s->set, index).id;
}

static double weight_of(const fixture *s, int32_t body, int32_t manifold, int32_t example) {
  double weights[PL_MAX_EXAMPLE_COUNT] = {0};
  assert_int_equal(pl_body_get_weights(s->world, body_at(s, body), manifold, weights), PL_OK);
  return weights[example];
}

// Of the surface: tets reach beyond it.
static pl_box box_of(const fixture *s, int32_t body) {
  int32_t count = pl_model_get_report(pl_body_get_model(s->world, body_at(s, body))).surface_point_count;
  pl_vec3 *x = calloc((size_t)count, sizeof *x);
  pl_body_get_surface(s->world, body_at(s, body), x);
  pl_box box = pl_box_from_points(x, count);
  free(x);
  return box;
}

// Led, pushed, dropped: all three are on their feet at the end.
static void bipeds_stand_recover_and_land(void **state) {
  (void)state;
  fixture s = open_show("fem-biped");
  pl_vec3 start[3], end[3];
  for (int i = 0; i < 3; ++i) start[i] = pl_body_get_report(s.world, body_at(&s, i)).center;
  double height = box_of(&s, 0).max.y, waved, farthest = 0;
  run_until(&s, 1.5);
  waved = weight_of(&s, 0, 0, 1);
  while (pl_world_get_time(s.world) < 3) {
    check_ok(pl_world_step(s.world, NULL, &s.error), &s.error);
    farthest = fmax(farthest, fabs(pl_body_get_report(s.world, body_at(&s, 1)).center.z - start[1].z));
  }
  run_until(&s, 5);
  for (int i = 0; i < 3; ++i) {
    end[i] = pl_body_get_report(s.world, body_at(&s, i)).center;
    print_message("%s: centre from (%.3f, %.3f, %.3f) to (%.3f, %.3f, %.3f) m\n",
                  pl_scene_instance_get_body(s.set, i).name, start[i].x, start[i].y, start[i].z, end[i].x, end[i].y,
                  end[i].z);
    check_near(end[i].y, start[0].y, 0.05);
    check_near(end[i].x, start[i].x, 0.1);
    check_near(end[i].z, start[i].z, 0.1);
    check_near(box_of(&s, i).max.y, height, 0.08);
  }
  print_message("the push moves the centre by %.3f m; the led one waves with weight %.2f\n", farthest, waved);
  check_at_most(0.01, farthest);
  check_at_most(0.99, waved);
  close_fixture(&s);
}

// Where the ball has not been the crowd is on its feet after 1.2 s; all crouched when they landed.
static void a_crowd_lands_in_a_crouch_and_stands(void **state) {
  (void)state;
  fixture s = open_show("solid-crowd");
  assert_int_equal(pl_scene_instance_body_count(s.set), 101);
  double height = box_of(&s, 0).max.y - box_of(&s, 0).min.y, min_crouch = 1, lowest = 9;
  double crouches[100] = {0};
  int32_t upright_count = 0, far_count = 0;
  for (int frame = 0; frame < 30; ++frame) {
    run_until(&s, frame / 60.0);
    for (int32_t i = 0; i < 100; ++i) crouches[i] = fmax(crouches[i], weight_of(&s, i, 0, 0));
  }
  run_until(&s, 1.2);
  for (int32_t i = 0; i < 100; ++i) {
    pl_vec3 center = pl_body_get_report(s.world, body_at(&s, i)).center;
    min_crouch = fmin(min_crouch, crouches[i]);
    if (center.x < 0) continue;
    ++far_count;
    lowest = fmin(lowest, box_of(&s, i).max.y / height);
    upright_count += box_of(&s, i).max.y > 0.75 * height;  // 0.62 in the crouch, less when lying
  }
  print_message("%d of %d stand, %.2f of their height or more; weights of the crouch are %.2f and more\n",
                upright_count, far_count, lowest, min_crouch);
  assert_int_equal(far_count, 50);
  assert_int_equal(upright_count, far_count);
  check_at_most(0.2, min_crouch);
  close_fixture(&s);
}

// The arm of the strong one is thicker than that of the slim one; the body that knows a squash is squashed deeper.
static void muscles_swell_and_a_known_squash_is_used(void **state) {
  (void)state;
  fixture s = open_show("solid-muscles");
  double squash = 0, lowest[2] = {9, 9};
  while (pl_world_get_time(s.world) < 1) {
    check_ok(pl_world_step(s.world, NULL, &s.error), &s.error);
    squash = fmax(squash, weight_of(&s, 2, 0, 0));
    for (int i = 0; i < 2; ++i) lowest[i] = fmin(lowest[i], box_of(&s, 2 + i).max.y);
  }
  run_until(&s, 1.6);
  double volume[2];
  for (int i = 0; i < 2; ++i) {
    pl_scene_instance_body body = pl_scene_instance_get_body(s.set, i);
    pl_mesh_view mesh = pl_mesh_get_view(body.mesh);
    pl_vec3 *x = calloc((size_t)mesh.point_count, sizeof *x);
    pl_body_get_positions(s.world, body.id, x);
    volume[i] = 0;
    for (int32_t t = 0; t < mesh.tet_count; ++t) {
      const int32_t *c = mesh.tets + 4 * t;
      pl_vec3 middle = pl_vec3_scale(pl_vec3_add(pl_vec3_add(mesh.points[c[0]], mesh.points[c[1]]),
                                                 pl_vec3_add(mesh.points[c[2]], mesh.points[c[3]])),
                                     0.25);
      if (fabs(fabs(middle.x) - 0.27) > 0.06 || middle.y < 0.75) continue;
      pl_vec3 u = pl_vec3_sub(x[c[1]], x[c[0]]), v = pl_vec3_sub(x[c[2]], x[c[0]]), w = pl_vec3_sub(x[c[3]], x[c[0]]);
      volume[i] += pl_vec3_dot(pl_vec3_cross(u, v), w) / 6;
    }
    free(x);
  }
  print_message(
      "upper arms: %.2f litres with muscles, %.2f without; largest weight of the squash %.2f, lowest height "
      "%.2f m with it, %.2f m without\n",
      1e3 * volume[0], 1e3 * volume[1], squash, lowest[0], lowest[1]);
  check_at_most(1.3 * volume[1], volume[0]);
  check_at_most(0.5, squash);
  check_at_most(lowest[0], 0.85 * lowest[1]);
  close_fixture(&s);
}

// After both impacts the plastic car keeps its nose and roof bent, and the elastic one does not.
static void dents_stay_where_a_car_is_plastic(void **state) {
  (void)state;
  fixture s = open_show("solid-dents");
  double length = box_of(&s, 0).max.x - box_of(&s, 0).min.x, deepest[2] = {0, 0};
  for (int frame = 0; frame < 45; ++frame) {
    run_until(&s, frame / 60.0);
    for (int i = 0; i < 2; ++i) deepest[i] = fmax(deepest[i], weight_of(&s, i, 0, 0));
  }
  run_until(&s, 2.5);
  double kept[2], top[2], lengths[2];
  for (int i = 0; i < 2; ++i) {
    kept[i] = weight_of(&s, i, 0, 0);
    top[i] = weight_of(&s, i, 1, 1);
    pl_box box = box_of(&s, i);
    lengths[i] = box.max.x - box.min.x;
  }
  print_message(
      "nose: %.2f at the post, %.2f kept by the plastic car; %.2f and %.2f by the elastic one; roof %.2f and "
      "%.2f; lengths %.3f and %.3f of %.3f m\n",
      deepest[0], kept[0], deepest[1], kept[1], top[0], top[1], lengths[0], lengths[1], length);
  for (int i = 0; i < 2; ++i) check_at_most(0.5, deepest[i]);
  check_at_most(0.5, kept[0]);
  check_at_most(kept[1], 0.15);
  check_at_most(0.15, top[0]);
  check_at_most(top[1], 0.05);
  close_fixture(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bipeds_stand_recover_and_land),
      cmocka_unit_test(a_crowd_lands_in_a_crouch_and_stands),
      cmocka_unit_test(muscles_swell_and_a_known_squash_is_used),
      cmocka_unit_test(dents_stay_where_a_car_is_plastic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
