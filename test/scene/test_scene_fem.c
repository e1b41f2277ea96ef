#define _POSIX_C_SOURCE 200809L
// Scenes with finite elements: every material from the document to frames, thin meshes and what they are drawn by, and
// what is said about mistakes.
// ctest: unit
#include <unistd.h>

#include "body/body_method.h"
#include "fixtures/scene_from_text.h"
#include "pliant/fem.h"
#include "pliant/math.h"
#include "pliant/pliant.h"
#include "solvers/cholmod_solver.h"

static void print_findings(const fixture *s) {
  for (int32_t i = 0; i < pl_findings_count(s->findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *f = pl_findings_get(s->findings, i);
    print_message("%s: %s; %s (line %d)\n", f->kind, f->you_see, f->fix, f->line);
  }
}

static bool was_found(const fixture *s, const char *kind, const char *words) {
  for (int32_t i = 0; i < pl_findings_count(s->findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *f = pl_findings_get(s->findings, i);
    if (strcmp(f->kind, kind) == 0 && f->line > 0 && (strstr(f->you_see, words) || strstr(f->fix, words))) return true;
  }
  return false;
}

#define SCENE(more, mesh, body)                                          \
  "{\"pliant\": 1, \"name\": \"t\", " more " \"meshes\": {\"m\": {" mesh \
  "}},\n"                                                                \
  "\"bodies\": [{\"name\": \"a\", \"mesh\": \"m\", \"method\": \"fem\", " body "}]}"
#define FALLING \
  "\"time\": {\"step\": 0.01666666666666}, \"colliders\": [{\"shape\": \"half_space\", \"position\": [0, -0.25, 0]}],"
#define BAR "\"box\": {\"size\": [0.2, 0.2, 0.4], \"cells\": [2, 2, 4]}"

static pl_model_report model_of(const fixture *s) {
  return pl_model_get_report(pl_body_get_model(s->world, pl_scene_instance_get_body(s->set, 0).id));
}

static void every_material_runs_without_findings(void **state) {
  (void)state;
  static const char *const scenes[] = {
      SCENE(FALLING, BAR, "\"fem\": {\"material\": \"corotated\", \"young\": 3e4}"),
      SCENE(FALLING, BAR, "\"fem\": {\"material\": \"neo-hookean\", \"young\": 3e4, \"scheme\": \"implicit-euler\"}"),
      SCENE(FALLING, BAR, "\"fem\": {\"material\": \"edges\", \"young\": 3e4}"),
      SCENE(FALLING, BAR, "\"fem\": {\"material\": \"fast\", \"young\": 3e4}"),
      SCENE(FALLING, "\"sheet\": {\"size\": [0.4, 0.3], \"spacing\": 0.1}",
            "\"fem\": {\"material\": \"shell\", \"young\": 1e6, \"thickness\": 0.004}"),
      SCENE(FALLING, "\"sheet\": {\"size\": [0.4, 0.3], \"spacing\": 0.1, \"plane\": \"xy\"}",
            "\"fem\": {\"material\": \"plane\", \"young\": 3e4, \"thickness\": 0.05}"),
      SCENE(FALLING, "\"curve\": {\"from\": [-0.2, 0, 0], \"to\": [0.2, 0, 0], \"segments\": 10}",
            "\"fem\": {\"material\": \"curve\", \"young\": 1e6}"),
      // A surface is filled with tets and carried along by them.
      SCENE(FALLING, "\"shape\": {\"kind\": \"ellipsoid\", \"size\": [0.2, 0.2, 0.2]}, \"triangles\": 300",
            "\"tets\": {\"points\": 60}, \"fem\": {\"young\": 3e4}"),
  };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
    fixture s = open_fixture(scenes[i], ".");
    print_findings(&s);
    check_ok(s.status, &s.error);
    assert_int_equal(pl_findings_count(s.findings, PL_SEVERITY_NOTE), 0);
    assert_string_equal(model_of(&s).method, "fem");
    check_ok(pl_world_advance(s.world, 30 / 60.0, 0, NULL, &s.error), &s.error);
    pl_scene_instance_surface surface = pl_scene_instance_get_surface_view(s.set, 0);
    assert_true(surface.triangle_count > 0 && surface.point_count <= 1000);
    pl_vec3 points[1000];
    check_ok(pl_scene_instance_get_surface(s.set, 0, points), &s.error);
    pl_box box = pl_box_from_points(points, surface.point_count);
    print_message("scene %zu: from %.3f to %.3f m above the middle, floor at -0.25\n", i, box.min.y, box.max.y);
    // It fell, and the floor holds it; half a curve's thickness hangs below its contact points.
    check_at_most(-0.27, box.min.y);
    check_at_most(box.min.y, -0.15);
    close_fixture(&s);
  }
}

// --- meshes -------------------------------------------------------------------------------------------------------

static pl_vec3 normal_of(const pl_mesh_view *mesh, int32_t triangle) {
  const int32_t *c = mesh->triangles + 3 * (ptrdiff_t)triangle;
  pl_vec3 u = pl_vec3_sub(mesh->points[c[1]], mesh->points[c[0]]),
          v = pl_vec3_sub(mesh->points[c[2]], mesh->points[c[0]]);
  return pl_vec3_scale(pl_vec3_cross(u, v), 0.5);
}

static void a_sheet_is_a_rectangle_of_nearly_equilateral_triangles(void **state) {
  (void)state;
  static const char *const scenes[] = {
      SCENE("", "\"sheet\": {\"size\": [1, 0.6], \"spacing\": 0.1}", "\"fem\": {\"material\": \"shell\"}"),
      SCENE("", "\"sheet\": {\"size\": [1, 0.6], \"spacing\": 0.1, \"plane\": \"xy\"}",
            "\"fem\": {\"material\": \"plane\"}")};
  for (int i = 0; i < 2; ++i) {
    fixture s = open_fixture(scenes[i], ".");
    check_ok(s.status, &s.error);
    pl_mesh_view mesh = pl_mesh_get_view(pl_scene_instance_get_body(s.set, 0).mesh);
    double area = 0;
    int32_t odd_count = 0;
    for (int32_t t = 0; t < mesh.triangle_count; ++t) {
      pl_vec3 normal = normal_of(&mesh, t);
      double own = i == 0 ? normal.y : normal.z;
      check_near(own, pl_vec3_length(normal), 1e-12);  // all on one side
      area += own;
      for (int k = 0; k < 3; ++k) {
        double edge =
            pl_vec3_distance(mesh.points[mesh.triangles[3 * t + k]], mesh.points[mesh.triangles[3 * t + (k + 1) % 3]]);
        odd_count += !(edge > 0.095 && edge < 0.105);
      }
    }
    check_near(area, 0.6, 1e-12);
    // Seven rows; only the two half triangles that each has at its ends have other edges.
    print_message("%d triangles, %d edges of another length\n", mesh.triangle_count, odd_count);
    assert_int_equal(mesh.triangle_count, 7 * 21);
    assert_int_equal(odd_count, 7 * 2 * 2);
    pl_mesh_check_report report;
    check_ok(pl_mesh_check(s.context, pl_scene_instance_get_body(s.set, 0).mesh, s.findings, &report, &s.error) < 0
                 ? -1
                 : PL_OK,
             &s.error);
    assert_int_equal(report.component_count, 1);
    assert_int_equal(report.open_edge_count,
                     2 * 10 + 2 * 7 + 1);  // the upper row is a shifted one, with one point more
    assert_int_equal(report.flipped_edge_count + report.duplicate_count + report.isolated_point_count, 0);
    close_fixture(&s);
  }
}

static void a_curve_goes_through_its_points(void **state) {
  (void)state;
  fixture s = open_fixture(
      SCENE("\"length_unit\": \"cm\",",
            "\"curve\": {\"points\": [[0, 0, 0], [20, 0, 0], [20, 10, 0]], \"segments\": 2, \"closed\": true}",
            "\"fem\": {\"material\": \"curve\"}"),
      ".");
  check_ok(s.status, &s.error);
  pl_mesh_view mesh = pl_mesh_get_view(pl_scene_instance_get_body(s.set, 0).mesh);
  assert_int_equal(mesh.point_count, 6);
  assert_int_equal(mesh.segment_count, 6);
  const pl_vec3 wanted[] = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}, {0.2, 0.05, 0}, {0.2, 0.1, 0}, {0.1, 0.05, 0}};
  for (int32_t i = 0; i < 6; ++i) {
    check_at_most(pl_vec3_distance(mesh.points[i], wanted[i]), 1e-15);
    assert_int_equal(mesh.segments[2 * i], i);
    assert_int_equal(mesh.segments[2 * i + 1], (i + 1) % 6);
  }
  close_fixture(&s);
}

// Volume inside a closed surface.
static double volume_of(const pl_vec3 *p, const int32_t *triangles, int32_t triangle_count) {
  double sum = 0;
  for (int32_t t = 0; t < triangle_count; ++t) {
    const int32_t *c = triangles + 3 * (ptrdiff_t)t;
    sum += pl_vec3_dot(p[c[0]], pl_vec3_cross(p[c[1]], p[c[2]])) / 6;
  }
  return sum;
}

static void curves_and_plane_solids_are_drawn_closed_and_thick(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double volume;
  } cases[] = {
      {SCENE("", "\"curve\": {\"from\": [0, 0, 0], \"to\": [1, 0, 0]}",
             "\"position\": [0, 2, 0], \"fem\": {\"material\": \"curve\", \"thickness\": 0.1}"),
       0.01},
      // The mitre of a right angle: the middle line is as long as the volume says.
      {SCENE("", "\"curve\": {\"points\": [[0, 0, 0], [1, 0, 0], [1, 1, 0]]}",
             "\"fem\": {\"material\": \"curve\", \"thickness\": 0.1}"),
       0.02},
      {SCENE("", "\"curve\": {\"points\": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], \"closed\": true}",
             "\"fem\": {\"material\": \"curve\", \"thickness\": 0.1}"),
       0.04},
      {SCENE("", "\"sheet\": {\"size\": [1, 0.5], \"spacing\": 0.2, \"plane\": \"xy\"}",
             "\"rotation\": {\"axis\": [0, 0, 1], \"degrees\": 30}, \"fem\": {\"material\": \"plane\", \"thickness\": "
             "0.1}"),
       0.05},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    fixture s = open_fixture(cases[i].text, ".");
    check_ok(s.status, &s.error);
    pl_scene_instance_surface surface = pl_scene_instance_get_surface_view(s.set, 0);
    pl_vec3 points[200];
    assert_true(surface.point_count <= 200);
    check_ok(pl_scene_instance_get_surface(s.set, 0, points), &s.error);
    check_near(volume_of(points, surface.triangles, surface.triangle_count), cases[i].volume, 1e-12);
    pl_mesh_check_report report;
    pl_findings *own = NULL;
    check_ok(pl_findings_create(s.context, &own, &s.error), &s.error);
    assert_true(pl_mesh_check(s.context, pl_scene_instance_get_body(s.set, 0).surface, own, &report, &s.error) >= 0);
    assert_int_equal(report.open_edge_count + report.flipped_edge_count + report.non_manifold_edge_count, 0);
    assert_int_equal(pl_mesh_get_view(pl_scene_instance_get_body(s.set, 0).surface).point_count, surface.point_count);
    pl_findings_destroy(own);
    close_fixture(&s);
  }
}

// --- numbers ------------------------------------------------------------------------------------------------------

// Elastic energy of the body when it is stretched by a tenth along x.
static double stretch_energy(const char *text) {
  fixture s = open_fixture(text, ".");
  check_ok(s.status, &s.error);
  pl_mesh_view mesh = pl_mesh_get_view(pl_scene_instance_get_body(s.set, 0).mesh);
  pl_vec3 points[200];
  assert_true(mesh.point_count <= 200);
  for (int32_t i = 0; i < mesh.point_count; ++i)
    points[i] = (pl_vec3){1.1 * mesh.points[i].x, mesh.points[i].y, mesh.points[i].z};
  double energy;
  const pl_model *model = pl_body_get_model(s.world, pl_scene_instance_get_body(s.set, 0).id);
  check_ok(pl_fem_compute_energy(s.context, model, points, &energy, NULL, &s.error), &s.error);
  close_fixture(&s);
  return energy;
}

static void regions_scale_the_modulus_of_what_is_inside(void **state) {
  (void)state;
#define REGION(numbers) SCENE("", BAR, "\"fem\": {\"young_regions\": [" numbers "]}")
  double plain = stretch_energy(REGION(""));
  double whole = stretch_energy(REGION("{\"min\": [-1, -1, -1], \"max\": [1, 1, 1], \"scale\": 4}"));
  double half = stretch_energy(REGION("{\"min\": [-1, -1, -1], \"max\": [1, 1, 0], \"scale\": 4}"));
  double twice =
      stretch_energy(REGION("{\"min\": [-1, -1, -1], \"max\": [1, 1, 1], \"scale\": 4}, "
                            "{\"min\": [-1, -1, -1], \"max\": [1, 1, 1], \"scale\": 5}"));
  double faded =
      stretch_energy(REGION("{\"min\": [-1, -1, -1], \"max\": [1, 1, -0.2], \"scale\": 4, \"border\": 0.4}"));
  print_message("energies: %.6g plain, %.6g whole, %.6g half, %.6g faded J\n", plain, whole, half, faded);
  check_near(whole / plain, 4, 1e-9);
  check_near(half / plain, 2.5, 1e-9);
  check_near(twice / plain, 20, 1e-9);
  // A border from one end to the other: the factor is 2 in the middle and symmetric in its logarithm, so the mean lies
  // between 2 and 2.5.
  check_at_most(2, faded / plain);
  check_at_most(faded / plain, 2.5);
#undef REGION
}

// Mass of the bar, and of its part with z above 0.
static void masses_of(const char *text, double *all, double *upper) {
  fixture s = open_fixture(text, ".");
  check_ok(s.status, &s.error);
  const pl_model *model = pl_body_get_model(s.world, pl_scene_instance_get_body(s.set, 0).id);
  pl_mesh_view mesh = pl_mesh_get_view(pl_scene_instance_get_body(s.set, 0).mesh);
  *all = *upper = 0;
  for (int32_t i = 0; i < mesh.point_count; ++i) {
    *all += model->masses[i];
    if (mesh.points[i].z > 1e-9) *upper += model->masses[i];
  }
  close_fixture(&s);
}

static void densities_and_weights_are_where_they_are_asked_for(void **state) {
  (void)state;
  double all, upper, plain, plain_upper;
  masses_of(SCENE("", BAR, "\"fem\": {}"), &plain, &plain_upper);
  masses_of(
      SCENE("", BAR, "\"fem\": {\"density_regions\": [{\"min\": [-1, -1, -1], \"max\": [1, 1, 0], \"scale\": 3}]}"),
      &all, &upper);
  check_near(all / plain, 2, 1e-9);
  masses_of(SCENE("", BAR,
                  "\"fem\": {\"masses\": [{\"min\": [-1, -1, 1e-6], \"max\": [1, 1, 1], \"mass\": 2.5},"
                  "{\"min\": [-1, -1, -1], \"max\": [1, 1, -1e-6], \"mass\": 0.5}]}"),
            &all, &upper);
  check_near(all - plain, 3, 1e-9);
  check_near(upper - plain_upper, 2.5, 1e-9);
}

// A table for the bar of `count` rows of one modulus, but for the second element.
static void write_moduli(const char *path, int count, double young, double second) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("element,young\n", file);
  for (int i = 0; i < count; ++i) fprintf(file, "%d,%g\n", i, i == 1 ? second : young);
  fclose(file);
}

static void a_table_gives_every_element_its_modulus(void **state) {
  (void)state;
  char path[] = "/tmp/pliant_scene_young_XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  char text[1024];
  snprintf(text, sizeof text, SCENE("", BAR, "\"fem\": {\"young\": 1, \"young_table\": \"%s\"}"), path);
  enum { BAR_TETS = 2 * 2 * 4 * 5 };
  double plain = stretch_energy(SCENE("", BAR, "\"fem\": {\"young\": 3e4}"));
  write_moduli(path, BAR_TETS, 3e4, 3e4);
  check_near(stretch_energy(text) / plain, 1, 1e-12);
  // Corners of a cell are a sixth of it, the tet in their middle a third.
  write_moduli(path, BAR_TETS, 3e4, 6e4);
  double more = 16 * (stretch_energy(text) / plain - 1);
  check_near(fmin(fabs(more - 1.0 / 6), fabs(more - 1.0 / 3)), 0, 1e-12);
  static const struct {
    int count;
    double second;
    const char *words;
  } wrong[] = {{BAR_TETS - 1, 1, "79 rows"}, {BAR_TETS, -1, "element 1"}};
  for (int i = 0; i < 2; ++i) {
    write_moduli(path, wrong[i].count, 1, wrong[i].second);
    fixture s = open_fixture(text, ".");
    assert_int_equal(s.status, PL_ERROR_INVALID_DATA);
    assert_true(pl_findings_count(s.findings, PL_SEVERITY_ERROR) >= 1);
    assert_non_null(strstr(pl_findings_get(s.findings, 0)->you_see, wrong[i].words));
    close_fixture(&s);
  }
  unlink(path);
}

static void pascals_stay_pascals_in_any_length_unit(void **state) {
  (void)state;
  static const char *const metres = SCENE("", BAR,
                                          "\"fem\": {\"young\": 2e4, \"mass_damping\": 1}, \"pins\": [{\"within\": "
                                          "{\"min\": [-1, 0.05, -1], \"max\": [1, 1, 1]}}]");
  static const char *const centimetres = SCENE(
      "\"length_unit\": \"cm\", \"gravity\": [0, -981, 0],", "\"box\": {\"size\": [20, 20, 40], \"cells\": [2, 2, 4]}",
      "\"fem\": {\"young\": 2e4, \"mass_damping\": 1, \"surface_tolerance\": 0.1}, \"pins\": [{\"within\": {\"min\": "
      "[-100, 5, -100], \"max\": [100, 100, 100]}}]");
  pl_vec3 points[2][100];
  int32_t count = 0;
  for (int i = 0; i < 2; ++i) {
    fixture s = open_fixture(i == 0 ? metres : centimetres, ".");
    check_ok(s.status, &s.error);
    check_ok(pl_world_advance(s.world, 0.2, 0, NULL, &s.error), &s.error);
    count = model_of(&s).particle_count;
    assert_true(count <= 100);
    pl_body_get_positions(s.world, pl_scene_instance_get_body(s.set, 0).id, points[i]);
    close_fixture(&s);
  }
  double min = 0, farthest = 0;
  for (int32_t i = 0; i < count; ++i) {
    min = fmin(min, points[0][i].y + 0.1);
    farthest = fmax(farthest, pl_vec3_distance(points[0][i], points[1][i]));
  }
  print_message("lowest point sank by %.4f m; the two units differ by %.2g m\n", -min, farthest);
  check_at_most(min, -1e-3);
  check_at_most(farthest, 1e-6);
}

static void the_direct_solver_of_the_lab_is_used(void **state) {
  (void)state;
  if (pl_cholmod_backend() == NULL) return;
  fixture s = open_fixture(
      SCENE("", "\"box\": {\"size\": [1, 1, 1], \"cells\": [6, 6, 6]}", "\"fem\": {\"solver\": \"direct\"}"), ".");
  check_ok(s.status, &s.error);
  check_ok(pl_world_advance(s.world, 0.01, 0, NULL, &s.error), &s.error);
  pl_fem_report report;
  check_ok(pl_fem_get_report(s.world, pl_scene_instance_get_body(s.set, 0).id, &report), &s.error);
  print_message("%s\n", report.solver);
  assert_non_null(strstr(report.solver, "cholmod"));
  close_fixture(&s);
}

// --- examples, pins, copies -----------------------------------------------------------------------------------------

static void a_driver_leads_the_body_into_its_example(void **state) {
  (void)state;
  fixture s = open_fixture(
      SCENE("\"gravity\": [0, 0, 0],", BAR ", \"poses\": [{\"name\": \"flat\", \"scale\": [1.2, 0.7, 1.2]}]",
            "\"fem\": {\"young\": 1e4, \"mass_damping\": 20, \"examples\": [\"flat\"]},"
            "\"driver\": {\"kind\": \"constant\", \"weights\": [1]}"),
      ".");
  print_findings(&s);
  check_ok(s.status, &s.error);
  check_ok(pl_world_advance(s.world, 1, 0, NULL, &s.error), &s.error);
  pl_vec3 points[100];
  pl_body_get_positions(s.world, pl_scene_instance_get_body(s.set, 0).id, points);
  pl_box box = pl_box_from_points(points, model_of(&s).particle_count);
  check_near(box.max.y - box.min.y, 0.7 * 0.2, 0.004);
  check_near(box.max.x - box.min.x, 1.2 * 0.2, 0.004);
  close_fixture(&s);
}

static void pins_pushes_and_copies_work(void **state) {
  (void)state;
  fixture s = open_fixture(
      SCENE("\"gravity\": [0, 0, 0],", "\"curve\": {\"from\": [0, 0, 0], \"to\": [1, 0, 0], \"segments\": 8}",
            "\"fem\": {\"material\": \"curve\", \"young\": 1e6}, \"repeat\": {\"counts\": [1, 2, 1], \"spacing\": [0, "
            "1, 0]},"
            "\"pins\": [{\"particles\": [0, 1]}], \"pushes\": [{\"force\": [0, 0.5, 0]}]"),
      ".");
  check_ok(s.status, &s.error);
  assert_int_equal(pl_scene_instance_body_count(s.set), 2);
  pl_body_id first = pl_scene_instance_get_body(s.set, 0).id, second = pl_scene_instance_get_body(s.set, 1).id;
  assert_ptr_equal(pl_body_get_model(s.world, first), pl_body_get_model(s.world, second));
  check_ok(pl_world_advance(s.world, 0.25, 0, NULL, &s.error), &s.error);
  pl_vec3 a[9], b[9], tubes[100];
  pl_body_get_positions(s.world, first, a);
  pl_body_get_positions(s.world, second, b);
  check_at_most(pl_vec3_distance(a[1], (pl_vec3){0.125, 0, 0}), 1e-12);
  check_at_most(0.01, a[8].y);
  check_near(b[8].y, a[8].y + 1, 1e-9);
  // The second copy is drawn where it is.
  check_ok(pl_scene_instance_get_surface(s.set, 1, tubes), &s.error);
  pl_box box = pl_box_from_points(tubes, pl_scene_instance_get_surface_view(s.set, 1).point_count);
  check_near(box.max.y, b[8].y, 0.01);
  check_near(box.max.z - box.min.z, 0.01, 1e-12);
  close_fixture(&s);
}

static void a_written_scene_reads_back_to_the_same_bodies(void **state) {
  (void)state;
  char path[] = "/tmp/pliant_scene_fem_XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  fixture s = open_fixture(SCENE("", "\"sheet\": {\"size\": [0.3, 0.2], \"spacing\": 0.1}",
                                 "\"fem\": {\"material\": \"shell\", \"young\": 12345, \"poisson\": 0.4, "
                                 "\"thickness\": 0.02, \"solver\": \"cg\","
                                 "\"young_regions\": [{\"min\": [0, -1, -1], \"max\": [1, 1, 1], \"scale\": 7}]}"),
                           ".");
  check_ok(s.status, &s.error);
  uint64_t hash = model_of(&s).hash;
  check_ok(pl_scene_save(s.context, path, s.scene, &s.error), &s.error);
  pl_scene_instance_destroy(s.set);
  pl_scene_destroy(s.scene);
  check_ok(pl_scene_load(s.context, path, &s.scene, s.findings, &s.error), &s.error);
  pl_scene_build_def def = pl_default_scene_build_def();
  check_ok(pl_scene_build(s.context, &def, s.scene, &s.set, s.findings, &s.error), &s.error);
  s.world = pl_scene_instance_get_world(s.set);
  assert_true(model_of(&s).hash == hash);
  close_fixture(&s);
  unlink(path);
}

// --- mistakes -----------------------------------------------------------------------------------------------------

static void mistakes_are_reported_with_position_and_fix(void **state) {
  (void)state;
#define CURVE "\"curve\": {\"from\": [0, 0, 0], \"to\": [1, 0, 0]}"
#define SHEET "\"sheet\": {\"size\": [1, 1], \"spacing\": 0.5}"
  static const struct {
    const char *text, *kind, *words;
    bool goes_on;
  } cases[] = {
      {SCENE("", CURVE, "\"fem\": {\"material\": \"corotated\"}"), "wrong-elements", "material `curve`", false},
      {SCENE("", SHEET, "\"fem\": {\"material\": \"fast\"}"), "wrong-elements", "`shell`", false},
      {SCENE("", CURVE, "\"fem\": {\"material\": \"shell\"}"), "wrong-elements", "`sheet`", false},
      {SCENE("", BAR, "\"fem\": {\"material\": \"curve\"}"), "wrong-elements", "segments", false},
      {SCENE("", SHEET, "\"fem\": {\"material\": \"plane\"}"), "not-in-plane", "\"xy\"", false},
      {SCENE("", BAR, "\"fem\": {\"material\": \"plane\"}"), "not-in-plane", "depth", false},
      {SCENE("", CURVE, "\"rotation\": {\"axis\": [1, 0, 0], \"degrees\": 20}, \"fem\": {\"material\": \"curve\"}"),
       "not-in-plane", "around z", false},
      {SCENE("", CURVE, "\"repeat\": {\"counts\": [2, 1, 1], \"turn\": 10}, \"fem\": {\"material\": \"curve\"}"),
       "not-in-plane", "`turn`", false},
      {SCENE("", CURVE, "\"velocity\": [0, 0, 1], \"fem\": {\"material\": \"curve\"}"), "not-in-plane", "no effect",
       true},
      {SCENE("", BAR, "\"fem\": {\"poisson\": 0.5}"), "out-of-range", "0.4999", false},
      {SCENE("", BAR, "\"fem\": {\"young\": 0}"), "out-of-range", "Pa", false},
      {SCENE("", BAR, "\"fem\": {\"material\": \"edges\", \"poisson\": 0.1}"), "poisson", "0.25", true},
      {SCENE("", BAR, "\"fem\": {\"material\": \"fast\", \"poisson\": -0.1}"), "poisson", "`fast`", false},
      {SCENE("", BAR, "\"fem\": {\"material\": \"fast\", \"stiffness_damping\": 0.1}"), "not-with-fast", "mass_damping",
       false},
      {SCENE("", BAR, "\"fem\": {\"material\": \"fast\", \"solver\": \"cg\"}"), "not-with-fast", "no effect", true},
      {SCENE("\"time\": {\"step\": 0.05},", BAR, "\"fem\": {\"material\": \"fast\"}"), "long-step", "1/60", true},
      {SCENE("", BAR, "\"fem\": {\"material\": \"corrotated\"}"), "unknown-word", "corotated", false},
      {SCENE("", BAR, "\"fem\": {\"examples\": [\"x\"]}"), "unknown-name", "pose \"x\"", false},
      {SCENE("", BAR, "\"fem\": {\"young_regions\": [{\"min\": [5, 5, 5], \"max\": [6, 6, 6], \"scale\": 2}]}"),
       "empty-region", "mesh's frame", true},
      {SCENE("", BAR, "\"fem\": {\"young_regions\": [{\"min\": [5, 5, 5], \"max\": [4, 6, 6], \"scale\": 2}]}"),
       "empty-region", "`max`", false},
      {SCENE("", BAR, "\"fem\": {\"density_regions\": [{\"min\": [5, 5, 5], \"max\": [6, 6, 6], \"scale\": 2}]}"),
       "empty-region", "mesh's frame", true},
      {SCENE("", BAR, "\"fem\": {\"masses\": [{\"min\": [5, 5, 5], \"max\": [6, 6, 6], \"mass\": 2}]}"), "empty-region",
       "mesh's frame", true},
      {SCENE("", BAR, "\"fem\": {\"masses\": [{\"min\": [5, 5, 5], \"max\": [4, 6, 6], \"mass\": 2}]}"), "empty-region",
       "`max`", false},
      {SCENE("", BAR, "\"pushes\": [{\"from\": 1}]"), "missing-key", "`pressure`", false},
      {SCENE("", BAR,
             "\"pushes\": [{\"pressure\": 1, \"keys\": [{\"time\": 1, \"factor\": 1}, {\"time\": 1, \"factor\": 2}]}]"),
       "key-order", "sort", false},
      {SCENE("", BAR, "\"pushes\": [{\"pressure\": 1, \"within\": {\"min\": [0.05, -1, -1], \"max\": [0.06, 1, 1]}}]"),
       "empty-push", "box", false},
      {SCENE("", BAR, "\"solid\": {}"), "other-method", "`fem`", false},
      {SCENE("", BAR ", " CURVE, "\"fem\": {}"), "mesh-source", "curve", false},
      {SCENE("", "\"curve\": {\"from\": [0, 0, 0]}", "\"fem\": {\"material\": \"curve\"}"), "curve-ends", "`to`",
       false},
      {SCENE("", "\"curve\": {\"points\": [[0, 0, 0]]}", "\"fem\": {\"material\": \"curve\"}"), "too-few-points",
       "two points", false},
      {SCENE("", "\"curve\": {\"from\": [0, 0, 0], \"to\": [1, 0, 0], \"closed\": true}",
             "\"fem\": {\"material\": \"curve\"}"),
       "too-few-points", "straight", false},
      {SCENE("", "\"curve\": {\"points\": [[0, 0, 0], [0, 0, 0]]}", "\"fem\": {\"material\": \"curve\"}"), "no-length",
       "same place", false},
      {SCENE("", "\"curve\": {\"points\": [[0, 0, 0], [0, 0, 1]]}", "\"fem\": {\"material\": \"curve\"}"),
       "body-failed", "plane", false},
      {SCENE("", "\"sheet\": {\"size\": [1], \"spacing\": 0.5}", "\"fem\": {\"material\": \"shell\"}"), "wrong-length",
       "two numbers", false},
      {SCENE("", "\"sheet\": {\"size\": [1, 1], \"spacing\": 1e-5}", "\"fem\": {\"material\": \"shell\"}"),
       "mesh-failed", "spacing", false},
      {SCENE("", BAR, "\"fem\": {}, \"driver\": {\"kind\": \"constant\", \"weights\": [1]}"), "driver", "examples",
       false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    fixture s = open_fixture(cases[i].text, ".");
    if (!was_found(&s, cases[i].kind, cases[i].words) || (s.status >= 0) != cases[i].goes_on) {
      print_findings(&s);
      fail_msg("case %zu: %s with \"%s\" was not found, or the scene was built (%d)", i, cases[i].kind, cases[i].words,
               s.status);
    }
    close_fixture(&s);
  }
  // The parameters of a method that the body does not have.
  fixture s = open_fixture("{\"pliant\": 1, \"name\": \"t\", \"meshes\": {\"m\": {" BAR
                           "}}, \"bodies\": [{\"name\": \"a\", \"mesh\": \"m\", \"fem\": {}}]}",
                           ".");
  assert_true(s.status < 0 && was_found(&s, "other-method", "\"fem\""));
  close_fixture(&s);
  s = open_fixture("{\"pliant\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"a\", \"method\": \"fem\"}]}", ".");
  assert_true(s.status < 0 && was_found(&s, "missing-key", "`mesh`"));
  close_fixture(&s);
}

static void every_failed_allocation_is_reported(void **state) {
  (void)state;
  static const char *const scenes[] = {
      SCENE("", CURVE, "\"fem\": {\"material\": \"curve\"}"),
      SCENE("", "\"sheet\": {\"size\": [0.2, 0.2], \"spacing\": 0.1, \"plane\": \"xy\"}",
            "\"fem\": {\"material\": \"plane\"}"),
      SCENE("",
            "\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}, \"poses\": [{\"name\": \"flat\", \"scale\": [1, "
            "0.5, 1]}]",
            "\"fem\": {\"examples\": [\"flat\"], \"young_regions\": [{\"min\": [-1, -1, -1], \"max\": [0, 1, 1], "
            "\"scale\": 3}]}"),
      SCENE("", "\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}", "\"fem\": {\"material\": \"fast\"}"),
      SCENE("", "\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}", "\"fem\": {\"material\": \"shell\"}"),
  };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
    failing_allocator allocator = {0};
    pl_context *context = make_failing_context(&allocator);
    int64_t base = allocator.live_count, n = 1;
    for (;; ++n) {
      allocator.fail_at = allocator.call_count + n;
      pl_error error = {0};
      pl_scene *scene = NULL;
      pl_scene_instance *set = NULL;
      pl_scene_build_def def = pl_default_scene_build_def();
      pl_status status = pl_scene_load_memory(
          context, &(pl_memory_source){scenes[i], strlen(scenes[i]), "test.json", "."}, &scene, NULL, &error);
      if (status >= 0) status = pl_scene_build(context, &def, scene, &set, NULL, &error);
      bool failed = allocator.call_count >= allocator.fail_at;
      allocator.fail_at = 0;
      if (failed) {
        assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
        assert_null(set);
      } else {
        check_ok(status, &error);
      }
      pl_scene_instance_destroy(set);
      pl_scene_destroy(scene);
      assert_int_equal(allocator.live_count, base);
      if (!failed) break;
    }
    print_message("scene %zu: %lld allocations\n", i, (long long)n - 1);
    assert_true(n > 5);
    pl_context_destroy(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_material_runs_without_findings),
      cmocka_unit_test(a_sheet_is_a_rectangle_of_nearly_equilateral_triangles),
      cmocka_unit_test(a_curve_goes_through_its_points),
      cmocka_unit_test(curves_and_plane_solids_are_drawn_closed_and_thick),
      cmocka_unit_test(a_table_gives_every_element_its_modulus),
      cmocka_unit_test(regions_scale_the_modulus_of_what_is_inside),
      cmocka_unit_test(densities_and_weights_are_where_they_are_asked_for),
      cmocka_unit_test(pascals_stay_pascals_in_any_length_unit),
      cmocka_unit_test(the_direct_solver_of_the_lab_is_used),
      cmocka_unit_test(a_driver_leads_the_body_into_its_example),
      cmocka_unit_test(pins_pushes_and_copies_work),
      cmocka_unit_test(a_written_scene_reads_back_to_the_same_bodies),
      cmocka_unit_test(mistakes_are_reported_with_position_and_fix),
      cmocka_unit_test(every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
