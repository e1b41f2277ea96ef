// Gmsh files of formats 2.2, 4.0 and 4.1, text and binary, as Gmsh and other tools write them.
// ctest: unit
#include "fixtures/mesh_file.h"

static void text_2_2_with_physical_groups_is_read(void **state) {
  (void)state;
  mesh_file file = open_text(
      "$Comments\nmade by hand\n$EndComments\n$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"skin\"\n3 "
      "7 \"meat "
      "$x\"\n$EndPhysicalNames\n"
      "$Nodes\n5\n10 0 0 0\n3 1 0 0\n700 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n$Elements\n5\n1 15 2 0 1 10\n2 1 2 0 1 10 "
      "3\n3 2 2 1 "
      "1 10 700 3\n"
      "4 4 2 7 1 10 3 700 4\n5 4 4 8 1 1 1 3 700 4 "
      "5\n$EndElements\n$NodeData\n1\n\"t\"\n1\n0\n3\n0\n1\n0\n$EndNodeData\n");
  assert_int_equal(file.view.point_count, 5);
  check_point(&file, 2, 0, 1, 0);  // node 700 is the third
  assert_int_equal(file.view.segment_count, 1);
  assert_int_equal(file.view.triangle_count, 1);
  assert_int_equal(file.view.tet_count, 2);
  assert_int_equal(file.view.tet_tags[0], 7);
  assert_int_equal(file.view.tet_tags[1], 8);
  check_near(total_volume(&file.view), 1.0 / 6 + 1.0 / 3, 1e-12);
  close_mesh(&file);
}

static byte_buffer make_binary_2(bool big_endian) {
  byte_buffer b = {.big_endian = big_endian};
  static const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  put_text(&b, "$MeshFormat\n2.2 1 8\n");
  put_integer(&b, 1, 4);
  put_text(&b, "\n$EndMeshFormat\n$Nodes\n4\n");
  for (int i = 0; i < 4; ++i) {
    put_integer(&b, (uint32_t)i + 1, 4);
    for (int k = 0; k < 3; ++k) put_double(&b, x[i][k]);
  }
  put_text(&b, "\n$EndNodes\n$Elements\n3\n");
  const uint32_t numbers[] = {2, 2, 2, 1, 0, 1, 1, 3, 2, 2, 0, 1, 1, 2, 4, 4, 1, 2, 3, 9, 1, 1, 2, 3, 4};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) put_integer(&b, numbers[i], 4);
  put_text(&b, "\n$EndElements\n");
  return b;
}

static void binary_2_2_is_read_in_both_byte_orders(void **state) {
  (void)state;
  for (int big = 0; big < 2; ++big) {
    byte_buffer b = make_binary_2(big == 1);
    mesh_file file = open_bytes(b.bytes, b.size);
    assert_int_equal(file.view.point_count, 4);
    assert_int_equal(file.view.triangle_count, 2);
    assert_int_equal(file.view.tet_count, 1);
    assert_int_equal(file.view.tet_tags[0], 9);
    check_near(total_volume(&file.view), 1.0 / 6, 1e-12);
    close_mesh(&file);
  }
}

static const char text_4_1[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 12 \"body\"\n$EndPhysicalNames\n$Entities\n1 1 1 2\n"
    "1 0 0 0 0 \n1 0 0 0 1 0 0 1 5 2 1 -1 \n1 0 0 0 1 1 0 0 1 1 \n1 0 0 0 1 1 1 1 12 1 1 \n2 0 0 0 1 1 1 0 0 "
    "\n$EndEntities\n"
    "$PartitionedEntities\n1\n0\n$EndPartitionedEntities\n$Nodes\n3 5 2 90\n0 1 0 1\n90\n0 0 0\n1 1 1 1\n2\n1 0 0 "
    "0.5\n3 1 0 "
    "3\n20\n30\n40\n"
    "0 1 0\n0 0 1\n1 1 1\n$EndNodes\n$Elements\n4 4 1 4\n0 1 15 1\n1 90\n2 1 2 1\n2 90 20 2\n3 1 4 1\n3 90 2 20 30 \n3 "
    "2 4 1\n4 2 "
    "20 30 40 \n$EndElements\n"
    "$Periodic\n1\n0 1 1\n0\n1\n1 1\n$EndPeriodic\n";

static void text_4_1_with_entities_and_parameters_is_read(void **state) {
  (void)state;
  mesh_file file = open_text(text_4_1);
  assert_int_equal(file.view.point_count, 5);
  check_point(&file, 0, 0, 0, 0);
  check_point(&file, 1, 1, 0, 0);
  assert_int_equal(file.view.triangle_count, 1);
  assert_int_equal(file.view.tet_count, 2);
  assert_int_equal(file.view.tet_tags[0], 12);
  assert_int_equal(file.view.tet_tags[1], 0);
  check_near(total_volume(&file.view), 0.5, 1e-12);
  close_mesh(&file);
}

static byte_buffer make_binary_4(int version, bool big_endian) {
  byte_buffer b = {.big_endian = big_endian};
  static const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  bool newer = version == 41;
  int tag_size = newer ? 8 : 4;
  put_text(&b, newer ? "$MeshFormat\n4.1 1 8\n" : "$MeshFormat\n4 1 8\n");
  put_integer(&b, 1, 4);
  put_text(&b, "\n$EndMeshFormat\n$Entities\n");
  const uint64_t counts[4] = {1, 0, 0, 1};
  for (int i = 0; i < 4; ++i) put_integer(&b, counts[i], 8);
  put_integer(&b, 1, 4);
  for (int i = 0; i < (newer ? 3 : 6); ++i) put_double(&b, 0);
  put_integer(&b, 0, 8);
  put_integer(&b, 1, 4);
  for (int i = 0; i < 6; ++i) put_double(&b, 1);
  put_integer(&b, 1, 8);
  put_integer(&b, 44, 4);
  put_integer(&b, 0, 8);
  put_text(&b, "\n$EndEntities\n$Nodes\n");
  const uint64_t node_head[4] = {1, 4, 1, 4};
  for (int i = 0; i < (newer ? 4 : 2); ++i) put_integer(&b, node_head[i], 8);
  put_integer(&b, newer ? 3 : 1, 4);
  put_integer(&b, newer ? 1 : 3, 4);
  put_integer(&b, 0, 4);
  put_integer(&b, 4, 8);
  for (uint64_t i = 0; newer && i < 4; ++i) put_integer(&b, i + 1, 8);
  for (uint64_t i = 0; i < 4; ++i) {
    if (!newer) put_integer(&b, i + 1, 4);
    for (int k = 0; k < 3; ++k) put_double(&b, x[i][k]);
  }
  put_text(&b, "\n$EndNodes\n$Elements\n");
  const uint64_t element_head[4] = {1, 1, 1, 1};
  for (int i = 0; i < (newer ? 4 : 2); ++i) put_integer(&b, element_head[i], 8);
  put_integer(&b, newer ? 3 : 1, 4);
  put_integer(&b, newer ? 1 : 3, 4);
  put_integer(&b, 4, 4);
  put_integer(&b, 1, 8);
  for (uint64_t i = 0; i < 5; ++i) put_integer(&b, i == 0 ? 1 : i, tag_size);
  put_text(&b, "\n$EndElements\n");
  return b;
}

static void binary_4_0_and_4_1_are_read_in_both_byte_orders(void **state) {
  (void)state;
  for (int variant = 0; variant < 4; ++variant) {
    byte_buffer b = make_binary_4(variant < 2 ? 40 : 41, variant % 2 == 1);
    mesh_file file = open_bytes(b.bytes, b.size);
    assert_int_equal(file.view.point_count, 4);
    assert_int_equal(file.view.tet_count, 1);
    assert_int_equal(file.view.tet_tags[0], 44);
    check_near(total_volume(&file.view), 1.0 / 6, 1e-12);
    close_mesh(&file);
  }
}

static void text_4_0_is_read(void **state) {
  (void)state;
  mesh_file file = open_text(
      "$MeshFormat\r\n4 0 8\r\n$EndMeshFormat\r\n$Entities\r\n0 0 0 1\r\n1 0 0 0 1 1 1 1 3 "
      "0\r\n$EndEntities\r\n$Nodes\r\n1 4\r\n1 "
      "3 0 4\r\n"
      "1 0 0 0\r\n2 1 0 0\r\n3 0 1 0\r\n4 0 0 1\r\n$EndNodes\r\n$Elements\r\n1 1\r\n1 3 4 1\r\n1 1 2 3 "
      "4\r\n$EndElements\r\n");
  assert_int_equal(file.view.tet_count, 1);
  assert_int_equal(file.view.tet_tags[0], 3);
  close_mesh(&file);
}

static void second_order_tets_keep_their_nodes(void **state) {
  (void)state;
  mesh_file file = open_text(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n1 .5 0 0\n2 0 0 0\n3 1 0 0\n4 0 1 0\n5 0 0 1\n6 .5 .5 0\n7 0 "
      ".5 0\n8 0 0 "
      ".5\n"
      "9 0 .5 .5\n10 .5 0 .5\n$EndNodes\n$Elements\n1\n1 11 2 0 1 2 3 4 5 1 6 7 8 9 10\n$EndElements\n");
  assert_int_equal(file.view.point_count, 10);
  assert_int_equal(file.view.tet_count, 1);
  check_near(total_volume(&file.view), 1.0 / 6, 1e-12);
  // On the edges 0-1, 1-2, 2-0, 0-3, 1-3, 2-3: Gmsh has the last two the other way round.
  assert_memory_equal(file.view.tet_mids, ((const int32_t[6]){0, 5, 6, 7, 9, 8}), 6 * sizeof(int32_t));
  close_mesh(&file);
}

// Every triangle inside belongs to two tets and every one outside to one: the sides of neighbours match.
static int32_t count_outer_sides(const pl_mesh_view *view) {
  int32_t outer = 0;
  for (int32_t side = 0; side < 4 * view->tet_count; ++side) {
    int partners = 0;
    for (int32_t other = 0; other < 4 * view->tet_count; ++other) {
      int shared = 0;
      for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k)
          if (i != side % 4 && k != other % 4) shared += view->tets[side / 4 * 4 + i] == view->tets[other / 4 * 4 + k];
      partners += other != side && shared == 3;
    }
    assert_true(partners <= 1);
    outer += partners == 0;
  }
  return outer;
}

static void hexes_prisms_and_pyramids_are_cut_to_match(void **state) {
  (void)state;
  // Two cubes side by side, a prism on top of the second and a pyramid on top of the first, under many numberings of
  // the points.
  static const double x[15][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0},   {0, 1, 0},   {0, 0, 1},
                                  {1, 0, 1}, {1, 1, 1}, {0, 1, 1},   {2, 0, 0},   {2, 1, 0},
                                  {2, 0, 1}, {2, 1, 1}, {.5, .5, 2}, {1.5, 0, 2}, {1.5, 1, 2}};
  static const int cells[4][9] = {{5, 0, 1, 2, 3, 4, 5, 6, 7},
                                  {5, 1, 8, 9, 2, 5, 10, 11, 6},
                                  {7, 4, 5, 6, 7, 12, -1},
                                  {6, 5, 10, 13, 6, 11, 14, -1}};
  uint32_t random = 12345;
  for (int trial = 0; trial < 60; ++trial) {
    int slot[15];
    for (int i = 0; i < 15; ++i) slot[i] = i;
    for (int i = 14; i > 0 && trial > 0; --i) {
      random = random * 1664525u + 1013904223u;
      int k = (int)((random >> 8) % (uint32_t)(i + 1)), swapped = slot[i];
      slot[i] = slot[k];
      slot[k] = swapped;
    }
    char text[2048];
    int used = snprintf(text, sizeof text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n15\n");
    for (int rank = 0; rank < 15; ++rank)
      for (int i = 0; i < 15; ++i)
        if (slot[i] == rank)
          used +=
              snprintf(text + used, sizeof text - (size_t)used, "%d %g %g %g\n", rank + 1, x[i][0], x[i][1], x[i][2]);
    used += snprintf(text + used, sizeof text - (size_t)used, "$EndNodes\n$Elements\n4\n");
    for (int c = 0; c < 4; ++c) {
      used += snprintf(text + used, sizeof text - (size_t)used, "%d %d 0", c + 1, cells[c][0]);
      for (int k = 1; k < 9 && cells[c][k] >= 0; ++k)
        used += snprintf(text + used, sizeof text - (size_t)used, " %d", slot[cells[c][k]] + 1);
      used += snprintf(text + used, sizeof text - (size_t)used, "\n");
    }
    snprintf(text + used, sizeof text - (size_t)used, "$EndElements\n");
    mesh_file file = open_text(text);
    assert_int_equal(file.view.tet_count, 6 + 6 + 2 + 3);
    check_near(total_volume(&file.view), 1 + 1 + 1.0 / 3 + 0.5, 1e-12);
    // Outside: 4 + 4 quads of the cubes, 4 triangles of the pyramid, 2 quads and 2 triangles of the prism.
    assert_int_equal(count_outer_sides(&file.view), 2 * 8 + 4 + 2 * 2 + 2);
    close_mesh(&file);
  }
}

static void tets_are_turned_only_if_all_are_inside_out(void **state) {
  (void)state;
  const char *head =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 "
      "1\n$EndNodes\n$Elements\n2\n";
  char text[512];
  snprintf(text, sizeof text, "%s1 4 0 1 3 2 4\n2 4 0 3 2 4 5\n$EndElements\n", head);
  mesh_file turned = open_text(text);
  check_near(total_volume(&turned.view), 0.5, 1e-12);
  assert_true(has_finding(&turned, "turned-tets"));
  close_mesh(&turned);
  snprintf(text, sizeof text, "%s1 4 0 1 3 2 4\n2 4 0 2 3 4 5\n$EndElements\n", head);
  mesh_file left = open_text(text);
  assert_true(tet_volume(&left.view, 0) < 0 && tet_volume(&left.view, 1) > 0);
  assert_false(has_finding(&left, "turned-tets"));
  close_mesh(&left);
}

static void mistakes_are_reported_with_their_place(void **state) {
  (void)state;
  check_refused("$NOD\n1\n1 0 0 0\n$ENDNOD\n", PL_ERROR_UNSUPPORTED, 1, 1, "format 1");
  check_refused("$MeshFormat\n3.0 0 8\n$EndMeshFormat\n", PL_ERROR_UNSUPPORTED, 1, 12, "2.2 or 4.1");
  check_refused("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0\n$EndNodes\n", PL_ERROR_INVALID_DATA, 7, 1,
                "z coordinate");
  check_refused("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 nan 0\n$EndNodes\n", PL_ERROR_INVALID_DATA, 6, 1,
                "not a number");
  check_refused("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n900000\n1 0 0 0\n$EndNodes\n", PL_ERROR_INVALID_DATA, 6,
                1, "bytes are left");
  check_refused("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", PL_ERROR_INVALID_DATA,
                7, 1, "twice");
  check_refused(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 1 0 1 2\n$EndElements\n",
      PL_ERROR_INVALID_DATA, 10, 1, "node 2");
  byte_buffer b = make_binary_4(41, false);
  check_refused_bytes(b.bytes, b.size - 40, PL_ERROR_INVALID_DATA, 0, 0, "byte ");
}

static void a_damaged_file_never_crashes(void **state) {
  (void)state;
  check_survives(text_4_1, sizeof text_4_1 - 1);
  for (int variant = 0; variant < 3; ++variant) {
    byte_buffer b = variant == 0 ? make_binary_2(false) : make_binary_4(variant == 1 ? 40 : 41, variant == 1);
    check_survives(b.bytes, b.size);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_2_2_with_physical_groups_is_read),
      cmocka_unit_test(binary_2_2_is_read_in_both_byte_orders),
      cmocka_unit_test(text_4_1_with_entities_and_parameters_is_read),
      cmocka_unit_test(binary_4_0_and_4_1_are_read_in_both_byte_orders),
      cmocka_unit_test(text_4_0_is_read),
      cmocka_unit_test(second_order_tets_keep_their_nodes),
      cmocka_unit_test(hexes_prisms_and_pyramids_are_cut_to_match),
      cmocka_unit_test(tets_are_turned_only_if_all_are_inside_out),
      cmocka_unit_test(mistakes_are_reported_with_their_place),
      cmocka_unit_test(a_damaged_file_never_crashes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
