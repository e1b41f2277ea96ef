// Abaqus .inp: nodes, elements over several lines, sets, and what is wrong in a file.
// ctest: unit
#include "fixtures/mesh_file.h"

static const char *const NODES =
    "*Heading\n** a comment\n*Node, nset=all\n 1, 0., 0., 0.\n 2, 1., 0., 0.\n 3, 0., 1., 0.\n 4, 0., 0., 1.\n"
    " 15, .5, 0., 0.\n 16, .5, .5, 0.\n 17, 0., .5, 0.\n 18, 0., 0., .5\n 19, .5, 0., .5\n 20, 0., .5, .5\n";

static mesh_file open_parts(const char *rest) {
  static char text[4096];
  snprintf(text, sizeof text, "%s%s", NODES, rest);
  return open_text(text);
}

static void elements_go_over_lines_and_have_sets(void **state) {
  (void)state;
  mesh_file file = open_parts(
      "*Element, type=C3D10, elset=body\r\n1, 1, 2, 3, 4, 15, 16,\r\n17, 18, 19, 20\r\n*Material, "
      "name=x\n*Elastic\n1e5, .3\n");
  assert_int_equal(file.view.point_count, 10);
  assert_int_equal(file.view.tet_count, 1);
  assert_memory_equal(file.view.tet_mids, ((const int32_t[6]){4, 5, 6, 7, 8, 9}), 6 * sizeof(int32_t));
  assert_int_equal(file.view.group_count, 1);
  assert_string_equal(file.view.groups[0].name, "body");
  for (int i = 0; i < 10; ++i) assert_true(file.view.groups[0].weights[i] == 1.0f);
  close_mesh(&file);
}

static void a_tet_that_is_inside_out_is_turned_with_its_nodes(void **state) {
  (void)state;
  mesh_file file = open_parts("*ELEMENT,TYPE=C3D10\n1, 1, 3, 2, 4, 17, 16, 15, 18, 20, 19\n");
  assert_true(has_finding(&file, "turned-tets"));
  const int32_t *c = file.view.tets, *m = file.view.tet_mids;
  static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (int k = 0; k < 6; ++k) {
    pl_vec3 p = file.view.points[c[ends[k][0]]], q = file.view.points[c[ends[k][1]]], at = file.view.points[m[k]];
    check_near(at.x, 0.5 * (p.x + q.x), 1e-12);
    check_near(at.y, 0.5 * (p.y + q.y), 1e-12);
    check_near(at.z, 0.5 * (p.z + q.z), 1e-12);
  }
  close_mesh(&file);
}

// Mixed with linear tets the nodes on edges would hang in the air: they are left out.
static void mixed_orders_become_linear(void **state) {
  (void)state;
  mesh_file file =
      open_parts("*ELEMENT,TYPE=C3D10\n1, 1, 2, 3, 4, 15, 16, 17, 18, 19, 20\n*ELEMENT, TYPE=C3D4\n2, 1, 2, 3, 4\n");
  assert_null(file.view.tet_mids);
  assert_int_equal(file.view.point_count, 4);
  close_mesh(&file);
}

static void mistakes_are_named(void **state) {
  (void)state;
  check_refused("*NODE\n1, 0, 0, 0\n1, 1, 0, 0\n", PL_ERROR_INVALID_DATA, 3, 1, "twice");
  check_refused("*NODE\n1, 0, x, 0\n", PL_ERROR_INVALID_DATA, 2, 7, "number");
  check_refused("*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n", PL_ERROR_INVALID_DATA, 4, 1, "node 2");
  check_refused("*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2\n", PL_ERROR_INVALID_DATA, 5, 1,
                "here are 2");
}

static void damaged_files_are_refused_or_read(void **state) {
  (void)state;
  static char text[4096];
  snprintf(text, sizeof text, "%s*ELEMENT,TYPE=C3D10\n1, 1, 2, 3, 4, 15, 16, 17, 18, 19, 20\n", NODES);
  check_survives(text, strlen(text));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements_go_over_lines_and_have_sets),
      cmocka_unit_test(a_tet_that_is_inside_out_is_turned_with_its_nodes),
      cmocka_unit_test(mixed_orders_become_linear),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(damaged_files_are_refused_or_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
