// Cases by which elements are judged: bodies of linear or quadratic tets under loads, with what is
// known of their deformation. Shared by `pliant bench elements` and the tests, so only of what the
// public headers have.
//
// All are made from a box of cells in s, t, u in [0, 1], every point of it (those on edges too)
// moved to its place, so that quadratic tets follow curved boundaries.
//
//   cook       48 wide, 44 high where it is held and 16 where it is pulled up; plane strain.
//              Displacement of the upper right corner.
//   block      a cube that stands on its base, which is held, under gravity. Height lost by the
//              middle of its top.
//   beam       a cantilever ten times as long as thick, pulled down at its end. Deflection there.
//   cylinder   a quarter of a tube, outer radius twice the inner, under pressure from inside; plane
//              strain. Radial displacement inside, by Lamé.
#ifndef BENCH_ELEMENT_CASES_H
#define BENCH_ELEMENT_CASES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pliant/pliant.h"

typedef enum element_case_kind {
  ELEMENT_COOK,
  ELEMENT_BLOCK,
  ELEMENT_BEAM,
  ELEMENT_CYLINDER,
  ELEMENT_CASES
} element_case_kind;

static const char *const element_case_names[ELEMENT_CASES] = {"cook", "block", "beam", "cylinder"};

typedef struct element_case {
  element_case_kind kind;
  int32_t cells;  // across
  pl_fem_material material;
  pl_fem_element_order element;
  double poisson;
  double load;  // factor on the loads; 0: 1
  const struct pl_linear_backend *direct;
  // Results.
  int32_t point_count, tet_count;
  double value;  // m
  double worst;  // cylinder: largest error of any point, relative to the largest displacement
  pl_fem_report report;
} element_case;

enum { ELEMENT_PIN_X = 1, ELEMENT_PIN_Y = 2, ELEMENT_PIN_Z = 4 };

static const double element_young = 1e6, element_density = 1000, element_inner = 0.1,
                    element_pressure = 100, element_gravity = 9.81;

static inline double element_case_load(const element_case *c) {
  return c->load > 0 ? c->load : 1;
}

static inline void element_case_cells(const element_case *c, int32_t cells[3]) {
  static const int32_t factors[ELEMENT_CASES][3] = {{2, 1, 0}, {1, 1, 1}, {5, 1, 1}, {1, 2, 0}};
  for (int i = 0; i < 3; ++i)
    cells[i] = factors[c->kind][i] == 0 ? 1 : factors[c->kind][i] * c->cells;
}

// Finer towards 0, and towards both ends: stresses are infinite where a held face ends.
static inline double element_case_to_start(double s) {
  return s * s * (2 - s);
}
static inline double element_case_to_base(double s) {
  return s * (s + 0.25 * (1 - s) * (1 - s));
}
static inline double element_case_to_ends(double t) {
  return t - 0.13 * sin(2 * PL_PI * t);
}

static inline pl_vec3 element_case_place(element_case_kind kind, int32_t cells, double s, double t,
                                         double u) {
  switch (kind) {
    case ELEMENT_COOK:
      s = element_case_to_start(s);
      t = element_case_to_ends(t);
      return (pl_vec3){0.048 * s, 0.044 * s + t * (0.044 - 0.028 * s), 0.01 * u / cells};
    case ELEMENT_BLOCK:
      return (pl_vec3){0.1 * (element_case_to_ends(s) - 0.5), 0.1 * element_case_to_base(t),
                       0.1 * (element_case_to_ends(u) - 0.5)};
    case ELEMENT_BEAM:
      return (pl_vec3){0.1 * element_case_to_start(s), 0.01 * (element_case_to_ends(t) - 0.5),
                       0.01 * (element_case_to_ends(u) - 0.5)};
    default: {
      double radius = element_inner * (1 + s), angle = 0.5 * PL_PI * t;
      return (pl_vec3){radius * cos(angle), radius * sin(angle), 0.1 * u / cells};
    }
  }
}

// Coordinates that are held at a point of the box.
static inline unsigned element_case_pins(element_case_kind kind, double s, double t) {
  switch (kind) {
    case ELEMENT_COOK: return s < 1e-9 ? 7 : ELEMENT_PIN_Z;
    case ELEMENT_BLOCK: return t < 1e-9 ? 7 : 0;
    case ELEMENT_BEAM: return s < 1e-9 ? 7 : 0;
    default:
      return ELEMENT_PIN_Z | (t < 1e-9 ? ELEMENT_PIN_Y : 0U) | (t > 1 - 1e-9 ? ELEMENT_PIN_X : 0U);
  }
}

// Force per area on the face s = 1 (or s = 0 of a cylinder) of the body.
static inline pl_vec3 element_case_traction(element_case_kind kind, pl_vec3 place) {
  switch (kind) {
    case ELEMENT_COOK: return (pl_vec3){0, 100, 0};
    case ELEMENT_BEAM: return (pl_vec3){0, -1, 0};
    case ELEMENT_CYLINDER: {
      double radius = hypot(place.x, place.y);
      return (pl_vec3){element_pressure * place.x / radius, element_pressure * place.y / radius, 0};
    }
    default: return (pl_vec3){0, 0, 0};
  }
}

typedef struct element_case_body {
  pl_mesh *mesh;
  pl_vec3 *box;  // s, t, u of its points
  pl_vec3 *forces, *positions;
  int32_t *pinned;
  uint8_t *axes;
  int32_t pinned_count;
} element_case_body;

static inline void element_case_free(element_case_body *b) {
  pl_mesh_destroy(b->mesh);
  free(b->box);
  free(b->forces);
  free(b->positions);
  free(b->pinned);
  free(b->axes);
}

// Shape functions of a triangle with six nodes, and their slopes, at corner coordinates L.
static inline void element_face_shapes(int node_count, const double L[3], double N[6],
                                       double slopes[6][2]) {
  static const double by[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
  for (int a = 0; a < 3; ++a) {
    N[a] = node_count == 3 ? L[a] : L[a] * (2 * L[a] - 1);
    for (int k = 0; k < 2; ++k)
      slopes[a][k] = node_count == 3 ? by[a][k] : (4 * L[a] - 1) * by[a][k];
  }
  for (int a = 3; a < node_count; ++a) {
    int p = a - 3, q = (a - 2) % 3;
    N[a] = 4 * L[p] * L[q];
    for (int k = 0; k < 2; ++k) slopes[a][k] = 4 * (L[p] * by[q][k] + L[q] * by[p][k]);
  }
}

// Traction over one face, by seven points (degree 5).
static inline void element_face_load(element_case_kind kind, const pl_vec3 *points,
                                     const int32_t *nodes, int node_count, pl_vec3 *forces) {
  static const double a = 0.059715871789770, b = 0.470142064105115, c = 0.797426985353087,
                      d = 0.101286507323456, wa = 0.132394152788506, wc = 0.125939180544827;
  static const double rule[7][4] = {{1.0 / 3, 1.0 / 3, 1.0 / 3, 0.225},
                                    {a, b, b, wa},
                                    {b, a, b, wa},
                                    {b, b, a, wa},
                                    {c, d, d, wc},
                                    {d, c, d, wc},
                                    {d, d, c, wc}};
  (void)a, (void)b, (void)c, (void)d, (void)wa, (void)wc;
  for (int q = 0; q < 7; ++q) {
    double N[6], slopes[6][2];
    element_face_shapes(node_count, rule[q], N, slopes);
    pl_vec3 place = {0, 0, 0}, u = {0, 0, 0}, v = {0, 0, 0};
    for (int k = 0; k < node_count; ++k) {
      place = pl_vec3_add_scaled(place, points[nodes[k]], N[k]);
      u = pl_vec3_add_scaled(u, points[nodes[k]], slopes[k][0]);
      v = pl_vec3_add_scaled(v, points[nodes[k]], slopes[k][1]);
    }
    double area = 0.5 * rule[q][3] * pl_vec3_length(pl_vec3_cross(u, v));
    pl_vec3 traction = element_case_traction(kind, place);
    for (int k = 0; k < node_count; ++k)
      forces[nodes[k]] = pl_vec3_add_scaled(forces[nodes[k]], traction, N[k] * area);
  }
}

static inline void element_case_loads(const element_case *c, element_case_body *b) {
  static const int corners[4][3] = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  static const int mids[4][3] = {{0, 1, 2}, {0, 4, 3}, {1, 5, 4}, {2, 3, 5}};
  pl_mesh_view view = pl_mesh_get_view(b->mesh);
  double side = c->kind == ELEMENT_CYLINDER ? 0 : 1;
  for (int32_t t = 0; c->kind != ELEMENT_BLOCK && t < view.tet_count; ++t)
    for (int f = 0; f < 4; ++f) {
      int32_t nodes[6];
      bool outside = true;
      for (int k = 0; k < 3; ++k) {
        nodes[k] = view.tets[4 * t + corners[f][k]];
        if (view.tet_mids != NULL) nodes[3 + k] = view.tet_mids[6 * t + mids[f][k]];
        outside = outside && fabs(b->box[nodes[k]].x - side) < 1e-9;
      }
      if (outside)
        element_face_load(c->kind, view.points, nodes, view.tet_mids != NULL ? 6 : 3, b->forces);
    }
  for (int32_t i = 0; i < view.point_count; ++i)
    b->forces[i] = pl_vec3_scale(b->forces[i], element_case_load(c));
}

// The mesh with its loads and pins.
static inline pl_status element_case_build(pl_context *context, const element_case *c,
                                           element_case_body *b, pl_error *error) {
  int32_t cells[3];
  pl_mesh *box = NULL, *fine = NULL;
  *b = (element_case_body){0};
  element_case_cells(c, cells);
  pl_status status = pl_mesh_create_box(context, (pl_vec3){1, 1, 1}, cells, &box, error);
  if (status >= 0 && c->element == PL_FEM_QUADRATIC)
    status = pl_mesh_build_quadratic(context, box, &fine, error);
  if (status >= 0) {
    pl_mesh_view view = pl_mesh_get_view(fine != NULL ? fine : box);
    size_t n = (size_t)view.point_count;
    b->box = calloc(n, sizeof(pl_vec3));
    b->forces = calloc(n, sizeof(pl_vec3));
    b->positions = calloc(n, sizeof(pl_vec3));
    b->pinned = calloc(n, sizeof(int32_t));
    b->axes = calloc(n, sizeof(uint8_t));
    for (int32_t i = 0; i < view.point_count; ++i) {
      pl_vec3 p = pl_vec3_add(view.points[i], (pl_vec3){0.5, 0.5, 0.5});
      b->box[i] = p;
      b->positions[i] = element_case_place(c->kind, c->cells, p.x, p.y, p.z);
      unsigned axes = element_case_pins(c->kind, p.x, p.y);
      if (axes == 0) continue;
      b->pinned[b->pinned_count] = i;
      b->axes[b->pinned_count++] = (uint8_t)axes;
    }
    view.points = b->positions;
    status = pl_mesh_create(context, &view, &b->mesh, error);
    if (status >= 0) element_case_loads(c, b);
  }
  pl_mesh_destroy(fine);
  pl_mesh_destroy(box);
  return status;
}

// Radial displacement of the tube at a radius (Lamé, plane strain).
static inline double element_case_lame(double poisson, double radius) {
  double inner = element_inner, outer = 2 * inner;
  double scale = element_pressure * inner * inner / (outer * outer - inner * inner);
  return (1 + poisson) / element_young * scale *
         ((1 - 2 * poisson) * radius + outer * outer / radius);
}

// What the displacement is known to be, for the Poisson's ratios 0, 0.3, 0.45, 0.499 and 0.4999, in
// metres. Of the cylinder by Lamé; of the others from quadratic tets on finer meshes, extrapolated:
// cook from 32 cells across, where 16 differ by less than 0.05 % (with 0 by 0.12 %, and what is
// left is extrapolated); block from 8 and 12 with order 1.5 (its held edges are singular); beam
// from 6 and 8 with order 2.
static inline double element_case_reference(element_case_kind kind, double poisson) {
  static const double ratios[5] = {0, 0.3, 0.45, 0.499, 0.4999};
  static const double values[3][5] = {{3.9170e-5, 3.6850e-5, 3.2865e-5, 3.1088e-5, 3.1051e-5},
                                      {4.9022e-5, 4.8305e-5, 4.5395e-5, 4.3853e-5, 4.3821e-5},
                                      {4.0254e-5, 4.0057e-5, 3.9726e-5, 3.9570e-5, 3.9568e-5}};
  if (kind == ELEMENT_CYLINDER) return element_case_lame(poisson, element_inner);
  for (int i = 0; i < 5; ++i)
    if (fabs(ratios[i] - poisson) < 1e-9) return values[kind][i];
  return (double)NAN;
}

// The point whose displacement is the value of a case, in s, t, u; its axis.
static inline pl_vec3 element_case_point(element_case_kind kind) {
  static const pl_vec3 points[ELEMENT_CASES] = {{1, 1, 0}, {0.5, 1, 0.5}, {1, 0.5, 0.5}, {0, 0, 0}};
  return points[kind];
}
static inline int element_case_axis(element_case_kind kind) {
  return kind == ELEMENT_CYLINDER ? 0 : 1;
}

static inline void element_case_measure(element_case *c, const element_case_body *b,
                                        const pl_vec3 *starts) {
  c->worst = 0;
  for (int32_t i = 0; i < c->point_count; ++i) {
    pl_vec3 moved = pl_vec3_sub(b->positions[i], starts[i]);
    if (pl_vec3_distance(b->box[i], element_case_point(c->kind)) < 1e-9)
      c->value = fabs(element_case_axis(c->kind) == 0 ? moved.x : moved.y);
    if (c->kind != ELEMENT_CYLINDER) continue;
    double radius = hypot(starts[i].x, starts[i].y),
           expected = element_case_lame(c->poisson, radius) / radius;
    pl_vec3 exact = {expected * starts[i].x, expected * starts[i].y, 0};
    double off = pl_vec3_distance(moved, exact) / element_case_lame(c->poisson, element_inner);
    c->worst = fmax(c->worst, off);
  }
}

// Find the equilibrium and fill in the results.
static inline pl_status element_case_solve(pl_context *context, element_case *c, pl_error *error) {
  element_case_body b;
  pl_status status = element_case_build(context, c, &b, error);
  pl_model *model = NULL;
  if (status >= 0) {
    pl_mesh_view view = pl_mesh_get_view(b.mesh);
    c->point_count = view.point_count;
    c->tet_count = view.tet_count;
    pl_fem_def def = pl_default_fem_def(c->material);
    def.young = element_young;
    def.poisson = c->poisson;
    def.density = element_density;
    def.element = c->element;
    def.direct = c->direct;
    if (c->direct != NULL) def.solver = PL_FEM_SOLVER_DIRECT;
    status = pl_fem_build(context, &def, b.mesh, &model, error);
  }
  if (status >= 0) {
    pl_fem_equilibrium_def def = pl_default_fem_equilibrium_def();
    def.forces = b.forces;
    def.pinned = b.pinned;
    def.pinned_axes = b.axes;
    def.pinned_count = b.pinned_count;
    def.tolerance = 1e-6;
    if (c->kind == ELEMENT_BLOCK)
      def.acceleration = (pl_vec3){0, -element_gravity * element_case_load(c), 0};
    status = pl_fem_equilibrium(context, model, &def, b.positions, &c->report, error);
    if (status >= 0) element_case_measure(c, &b, pl_mesh_get_view(b.mesh).points);
  }
  pl_model_destroy(model);
  element_case_free(&b);
  return status;
}

#endif
