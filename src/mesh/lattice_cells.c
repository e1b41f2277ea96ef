// Geometry of the body-centred cubic lattice and the test of triangles against its tets.
//
// All its tets have the same shape (edges 1, 1 and four times sqrt(3)/2 of the cell, quality 0.95), and unlike cubes
// cut into five or six tets it has no preferred diagonal, so a body is equally stiff in mirrored directions.
//
// A triangle and a tet, both convex, are apart exactly when one of 23 directions separates them: the normals of the
// tet's faces and of the triangle, and the cross products of their edges (separating axis theorem). A margin only asks
// for a wider gap: gaps along directions never exceed the distance, so nothing within the margin is missed.
#include "mesh/lattice_cells.h"

#include "base/error.h"

// Overlaps are widened by this much of a cell against rounding.
static const double touch_slack = 1e-9;

// Bytes of marks are the bound: 12 tets a cell.
enum { MAX_CELLS = 1 << 24 };

// Cells per axis, and all together.
static double count_cells(pl_box box, double cell_size, double margin, double counts[3]) {
  pl_vec3 half = pl_vec3_scale(pl_vec3_sub(box.max, box.min), 0.5 / cell_size);
  counts[0] = 2 * ceil(half.x + margin + 1.5);
  counts[1] = 2 * ceil(half.y + margin + 1.5);
  counts[2] = 2 * ceil(half.z + margin + 1.5);
  return counts[0] * counts[1] * counts[2];
}

double pl_lattice_fitting_size(pl_box box, double cell_size, double margin, double max_cells) {
  double counts[3];
  while (count_cells(box, cell_size, margin, counts) > max_cells) cell_size *= 1.1;
  return cell_size;
}

pl_status pl_lattice_lay(pl_lattice *lattice, pl_arena *arena, pl_box box, double cell_size, double margin,
                         pl_error *error) {
  double counts[3], cells = count_cells(box, cell_size, margin, counts);
  if (!(cells <= MAX_CELLS))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "cell_size",
                         "%g m is too small for a surface that is %g m large", cell_size, pl_box_diagonal(box));
  for (int a = 0; a < 3; ++a) lattice->counts[a] = (int32_t)counts[a];
  lattice->cell_size = cell_size;
  lattice->cell_count = (int32_t)cells;
  pl_vec3 size = pl_vec3_of(lattice->counts[0], lattice->counts[1], lattice->counts[2]);
  lattice->origin = pl_vec3_add_scaled(pl_box_center(box), size, -0.5 * cell_size);
  lattice->touched = PL_TAKE(arena, bool, PL_LATTICE_TETS *(size_t)lattice->cell_count);
  lattice->kept = PL_TAKE(arena, bool, PL_LATTICE_TETS *(size_t)lattice->cell_count);
  return arena->failed ? pl_fail_memory(error) : PL_OK;
}

// Corners of a tet in doubled cell coordinates relative to its cell.
static void tet_offsets(int kind, int offsets[4][3]) {
  static const int face[5][2] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 0}};
  int axis = kind / 4, edge = kind % 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (int k = 0; k < 3; ++k) offsets[0][k] = offsets[1][k] = 1;
  offsets[1][axis] = 3;
  for (int end = 0; end < 2; ++end) {
    // The edges go around the face counter-clockwise seen from its far side, which makes the volume positive.
    int *corner = offsets[2 + end];
    corner[axis] = 2;
    corner[u] = face[edge + end][0];
    corner[v] = face[edge + end][1];
  }
}

static int32_t cell_number(const pl_lattice *l, const int32_t cell[3]) {
  return (cell[2] * l->counts[1] + cell[1]) * l->counts[0] + cell[0];
}

static void cell_position(const pl_lattice *l, int32_t number, int32_t cell[3]) {
  cell[0] = number % l->counts[0];
  cell[1] = number / l->counts[0] % l->counts[1];
  cell[2] = number / l->counts[0] / l->counts[1];
}

bool pl_lattice_tet(const pl_lattice *lattice, int32_t tet, int32_t corners[4]) {
  int32_t cell[3];
  cell_position(lattice, tet / PL_LATTICE_TETS, cell);
  for (int a = 0; a < 3; ++a)
    if (cell[a] >= lattice->counts[a] - 1) return false;
  int offsets[4][3];
  tet_offsets(tet % PL_LATTICE_TETS, offsets);
  for (int k = 0; k < 4; ++k) {
    int32_t at[3] = {cell[0] + offsets[k][0] / 2, cell[1] + offsets[k][1] / 2, cell[2] + offsets[k][2] / 2};
    corners[k] = 2 * cell_number(lattice, at) + (k < 2);
  }
  return true;
}

pl_vec3 pl_lattice_point(const pl_lattice *lattice, int32_t point) {
  int32_t cell[3];
  cell_position(lattice, point / 2, cell);
  double shift = point % 2 == 0 ? 0 : 0.5;
  return pl_vec3_add_scaled(lattice->origin, pl_vec3_of(cell[0] + shift, cell[1] + shift, cell[2] + shift),
                            lattice->cell_size);
}

// The largest offset from the cell's centre tells the face, the two others the edge of that face.
int32_t pl_lattice_locate(const pl_lattice *lattice, pl_vec3 position) {
  pl_vec3 q = pl_vec3_scale(pl_vec3_sub(position, lattice->origin), 1 / lattice->cell_size);
  double at[3] = {q.x, q.y, q.z}, offset[3];
  int32_t cell[3];
  int axis = 0;
  for (int a = 0; a < 3; ++a) {
    if (!(at[a] >= 1 && at[a] < lattice->counts[a] - 1)) return -1;
    cell[a] = (int32_t)at[a];
    offset[a] = at[a] - cell[a] - 0.5;
    if (fabs(offset[a]) > fabs(offset[axis])) axis = a;
  }
  if (offset[axis] < 0) cell[axis]--;
  double u = offset[(axis + 1) % 3], v = offset[(axis + 2) % 3];
  int edge = fabs(v) >= fabs(u) ? (v < 0 ? 0 : 2) : (u > 0 ? 1 : 3);
  return PL_LATTICE_TETS * cell_number(lattice, cell) + 4 * axis + edge;
}

// A tet of one of the twelve kinds, relative to its cell, in cells.
typedef struct tet_kind {
  pl_vec3 corners[4], edges[6];
  pl_vec3 normals[4];     // unit
  double min[4], max[4];  // extent along each normal
  pl_box box;
} tet_kind;

// By value: filling the caller's array through a pointer trips loop distribution of gcc 12 at -O3, which then loses
// some of the extents.
static tet_kind make_kind(int number) {
  tet_kind kind;
  int offsets[4][3];
  tet_offsets(number, offsets);
  pl_vec3 c[4];
  for (int k = 0; k < 4; ++k)
    kind.corners[k] = c[k] = pl_vec3_scale(pl_vec3_of(offsets[k][0], offsets[k][1], offsets[k][2]), 0.5);
  kind.box = (pl_box){pl_vec3_min(pl_vec3_min(c[0], c[1]), pl_vec3_min(c[2], c[3])),
                      pl_vec3_max(pl_vec3_max(c[0], c[1]), pl_vec3_max(c[2], c[3]))};
  for (int i = 0, n = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j) kind.edges[n++] = pl_vec3_sub(c[j], c[i]);
  for (int k = 0; k < 4; ++k) {
    pl_vec3 a = c[(k + 1) % 4], b = c[(k + 2) % 4], d = c[(k + 3) % 4];
    pl_vec3 normal = pl_vec3_normalize_or(pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(d, a)), pl_vec3_of(1, 0, 0));
    // Along the normal of a face, the face itself is one end and the opposite corner the other.
    double on_face = pl_vec3_dot(normal, a), opposite = pl_vec3_dot(normal, c[k]);
    kind.normals[k] = normal;
    kind.min[k] = fmin(on_face, opposite);
    kind.max[k] = fmax(on_face, opposite);
  }
  return kind;
}

// A triangle relative to a cell, in cells.
typedef struct triangle {
  pl_vec3 corners[3], edges[3];
  pl_vec3 normal;  // unit, zero without area
  pl_box box;
} triangle;

static bool axis_separates(const tet_kind *kind, const triangle *t, pl_vec3 axis, double gap) {
  double length = pl_vec3_length(axis);
  if (!(length > 1e-12)) return false;
  double a = pl_vec3_dot(axis, t->corners[0]), b = pl_vec3_dot(axis, t->corners[1]),
         c = pl_vec3_dot(axis, t->corners[2]);
  double low = fmin(a, fmin(b, c)), high = fmax(a, fmax(b, c)), min = HUGE_VAL, max = -HUGE_VAL;
  for (int k = 0; k < 4; ++k) {
    double x = pl_vec3_dot(axis, kind->corners[k]);
    min = fmin(min, x);
    max = fmax(max, x);
  }
  return low - max > gap * length || min - high > gap * length;
}

static bool are_near(const tet_kind *kind, const triangle *t, double gap) {
  if (!pl_box_overlaps(pl_box_expand(kind->box, gap), t->box)) return false;
  for (int k = 0; k < 4; ++k) {
    double a = pl_vec3_dot(kind->normals[k], t->corners[0]), b = pl_vec3_dot(kind->normals[k], t->corners[1]);
    double c = pl_vec3_dot(kind->normals[k], t->corners[2]);
    if (fmin(a, fmin(b, c)) > kind->max[k] + gap || fmax(a, fmax(b, c)) < kind->min[k] - gap) return false;
  }
  if (axis_separates(kind, t, t->normal, gap)) return false;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 3; ++j) {
      // Unit lengths make the cross product's length say how well the direction is known.
      if (axis_separates(kind, t, pl_vec3_cross(kind->edges[i], t->edges[j]), gap)) return false;
    }
  return true;
}

static triangle make_triangle(const pl_lattice *l, const pl_mesh_view *surface, int32_t index) {
  triangle t;
  t.box = pl_box_empty();
  for (int k = 0; k < 3; ++k) {
    t.corners[k] = pl_vec3_sub(surface->points[surface->triangles[3 * (size_t)index + (size_t)k]], l->origin);
    t.corners[k] = pl_vec3_scale(t.corners[k], 1 / l->cell_size);
    t.box = pl_box_add_point(t.box, t.corners[k]);
  }
  for (int k = 0; k < 3; ++k)
    t.edges[k] = pl_vec3_normalize_or(pl_vec3_sub(t.corners[(k + 1) % 3], t.corners[k]), pl_vec3_of(0, 0, 0));
  t.normal = pl_vec3_normalize_or(pl_vec3_cross(t.edges[0], t.edges[1]), pl_vec3_of(0, 0, 0));
  return t;
}

static triangle shift_triangle(const triangle *t, const int32_t cell[3]) {
  triangle s = *t;
  pl_vec3 by = pl_vec3_of(cell[0], cell[1], cell[2]);
  for (int k = 0; k < 3; ++k) s.corners[k] = pl_vec3_sub(t->corners[k], by);
  s.box = (pl_box){pl_vec3_sub(t->box.min, by), pl_vec3_sub(t->box.max, by)};
  return s;
}

// Whether the plane of the triangle passes the ball around the tets of a cell; spares large triangles most cells of
// their box.
static bool plane_is_near(const triangle *t, double gap) {
  pl_vec3 center = {0.75, 0.75, 0.75};
  return fabs(pl_vec3_dot(t->normal, pl_vec3_sub(center, t->corners[0]))) <= 1.3 + gap;
}

static void touch_cell(pl_lattice *l, const tet_kind *kinds, const triangle *whole, const int32_t cell[3], double gap) {
  bool *touched = &l->touched[PL_LATTICE_TETS * (size_t)cell_number(l, cell)];
  triangle t = shift_triangle(whole, cell);
  if (!plane_is_near(&t, gap)) return;
  for (int k = 0; k < PL_LATTICE_TETS; ++k)
    if (!touched[k] && are_near(&kinds[k], &t, gap)) touched[k] = true;
}

// First and last cell whose tets (which reach from 0 to 1.5 cells past its corner) may overlap [least, most].
static void cell_range(double min, double max, int32_t count, int32_t range[2]) {
  range[0] = (int32_t)fmax(ceil(min - 1.5), 0);
  range[1] = (int32_t)fmin(floor(max), count - 2);
}

void pl_lattice_touch(pl_lattice *lattice, const pl_mesh_view *surface, double margin) {
  tet_kind kinds[PL_LATTICE_TETS];
  for (int k = 0; k < PL_LATTICE_TETS; ++k) kinds[k] = make_kind(k);
  double gap = margin + touch_slack;
  for (int32_t i = 0; i < surface->triangle_count; ++i) {
    triangle t = make_triangle(lattice, surface, i);
    pl_box box = pl_box_expand(t.box, gap);
    int32_t x[2], y[2], z[2], cell[3];
    cell_range(box.min.x, box.max.x, lattice->counts[0], x);
    cell_range(box.min.y, box.max.y, lattice->counts[1], y);
    cell_range(box.min.z, box.max.z, lattice->counts[2], z);
    for (cell[2] = z[0]; cell[2] <= z[1]; ++cell[2])
      for (cell[1] = y[0]; cell[1] <= y[1]; ++cell[1])
        for (cell[0] = x[0]; cell[0] <= x[1]; ++cell[0]) touch_cell(lattice, kinds, &t, cell, gap);
  }
}
