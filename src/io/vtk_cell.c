// VTK's cell types as cells of ours: shared by the legacy and the XML reader.
//
// Higher-order cells list their corners first. VTK draws the wedge with its first triangle facing outward where other
// tools face it inward; the builder notices that all of them are inside out and turns them.
#include "io/mesh_formats.h"

static const struct {
  unsigned char type, corner_count;
  pl_cell_kind kind;
  unsigned char fixed_count;  // points the type always has, 0 if the number varies
} types[] = {
    {3, 2, PL_CELL_SEGMENT, 2},   {5, 3, PL_CELL_TRIANGLE, 3},  {9, 4, PL_CELL_QUAD, 4},
    {10, 4, PL_CELL_TET, 4},      {12, 8, PL_CELL_HEX, 8},      {13, 6, PL_CELL_PRISM, 6},
    {14, 5, PL_CELL_PYRAMID, 5},  {21, 2, PL_CELL_SEGMENT, 3},  {22, 3, PL_CELL_TRIANGLE, 6},
    {23, 4, PL_CELL_QUAD, 8},     {24, 4, PL_CELL_TET, 10},     {25, 8, PL_CELL_HEX, 20},
    {26, 6, PL_CELL_PRISM, 15},   {27, 5, PL_CELL_PYRAMID, 13}, {28, 4, PL_CELL_QUAD, 9},
    {29, 8, PL_CELL_HEX, 27},     {30, 4, PL_CELL_QUAD, 6},     {31, 6, PL_CELL_PRISM, 12},
    {32, 6, PL_CELL_PRISM, 18},   {33, 8, PL_CELL_HEX, 24},     {34, 3, PL_CELL_TRIANGLE, 7},
    {35, 2, PL_CELL_SEGMENT, 4},  {37, 5, PL_CELL_PYRAMID, 19}, {68, 2, PL_CELL_SEGMENT, 0},
    {69, 3, PL_CELL_TRIANGLE, 0}, {70, 4, PL_CELL_QUAD, 0},     {71, 4, PL_CELL_TET, 0},
    {72, 8, PL_CELL_HEX, 0},      {73, 6, PL_CELL_PRISM, 0},    {74, 5, PL_CELL_PYRAMID, 0},
    {75, 2, PL_CELL_SEGMENT, 0},  {76, 3, PL_CELL_TRIANGLE, 0}, {77, 4, PL_CELL_QUAD, 0},
    {78, 4, PL_CELL_TET, 0},      {79, 8, PL_CELL_HEX, 0},      {80, 6, PL_CELL_PRISM, 0},
    {81, 5, PL_CELL_PYRAMID, 0},
};

enum { QUADRATIC_TET = 24, VERTEX = 1, POLY_VERTEX = 2, POLY_LINE = 4, STRIP = 6, POLYGON = 7, PIXEL = 8, VOXEL = 11 };

static pl_status add_strip(pl_mesh_builder *builder, const int64_t *corners, size_t count, size_t offset) {
  pl_status status = PL_OK;
  for (size_t i = 2; i < count && status >= 0; ++i) {
    bool odd = i % 2 == 1;
    int64_t triangle[3] = {corners[i - 2], corners[odd ? i : i - 1], corners[odd ? i - 1 : i]};
    status = pl_builder_add_cell(builder, PL_CELL_TRIANGLE, triangle, 3, 0, offset);
  }
  return status;
}

static pl_status fail_count(const pl_mesh_builder *builder, int64_t type, size_t count, size_t offset) {
  return pl_source_fail(builder->source, offset, "a cell of VTK type %d has %zu points, which does not fit the type",
                        (int)type, count);
}

// Types whose points are not simply corners.
static pl_status add_special(pl_mesh_builder *builder, int64_t type, const int64_t *corners, size_t count,
                             size_t offset) {
  pl_status status = PL_OK;
  switch (type) {
    case VERTEX:
    case POLY_VERTEX: return PL_OK;
    case POLY_LINE:
      for (size_t i = 1; i < count && status >= 0; ++i)
        status = pl_builder_add_cell(builder, PL_CELL_SEGMENT, corners + i - 1, 2, 0, offset);
      return status;
    case STRIP: return add_strip(builder, corners, count, offset);
    case POLYGON: return pl_builder_add_cell(builder, PL_CELL_POLYGON, corners, count, 0, offset);
    case PIXEL: {
      if (count != 4) return fail_count(builder, type, count, offset);
      int64_t quad[4] = {corners[0], corners[1], corners[3], corners[2]};
      return pl_builder_add_cell(builder, PL_CELL_QUAD, quad, 4, 0, offset);
    }
    case VOXEL: {
      if (count != 8) return fail_count(builder, type, count, offset);
      int64_t hex[8] = {corners[0], corners[1], corners[3], corners[2], corners[4], corners[5], corners[7], corners[6]};
      return pl_builder_add_cell(builder, PL_CELL_HEX, hex, 8, 0, offset);
    }
    default:
      pl_builder_skip_cell(builder, type == 42  ? "a VTK polyhedron"
                                    : type == 0 ? "an empty VTK cell"
                                                : "of a VTK type that is not supported");
      return PL_OK;
  }
}

pl_status pl_vtk_cell_add(pl_mesh_builder *builder, int64_t type, const int64_t *corners, size_t corner_count,
                          size_t offset) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
    if (types[i].type != type) continue;
    if (types[i].fixed_count != 0 ? corner_count != types[i].fixed_count : corner_count < types[i].corner_count)
      return fail_count(builder, type, corner_count, offset);
    pl_status status = pl_builder_add_cell(builder, types[i].kind, corners, 0, 0, offset);
    for (size_t k = types[i].corner_count; k < corner_count && status >= 0; ++k)
      status = pl_builder_add_middle(builder, corners[k], offset);
    if (type == QUADRATIC_TET && status >= 0) pl_builder_set_quadratic(builder);
    return status;
  }
  return add_special(builder, type, corners, corner_count, offset);
}
