// The cases of bench/bench_element_cases.h through CalculiX, on the same meshes.
#ifndef CHECK_CALCULIX_H
#define CHECK_CALCULIX_H

#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../bench/bench_element_cases.h"
#include "check.h"
#include "fem/fem_quadratic.h"
#include "fem/fem_system.h"

// The case as an input of CalculiX behind the mesh: linear elasticity, the same nodal forces and
// held coordinates.
static inline void append_case(const char *path, const element_case *c, const element_case_body *b,
                               int32_t point) {
  FILE *file = fopen(path, "a");
  assert_non_null(file);
  fprintf(file, "*NSET, NSET=POINT\n%d\n*MATERIAL, NAME=M\n*ELASTIC\n%g, %g\n*DENSITY\n%g\n",
          point + 1, element_young, c->poisson, element_density);
  fprintf(file, "*SOLID SECTION, ELSET=EC3D40, MATERIAL=M\n*BOUNDARY\n");
  for (int32_t i = 0; i < b->pinned_count; ++i)
    for (int k = 0; k < 3; ++k)
      if (b->axes[i] >> k & 1) fprintf(file, "%d, %d, %d, 0\n", b->pinned[i] + 1, k + 1, k + 1);
  fprintf(file, "*STEP\n*STATIC\n");
  if (c->kind == ELEMENT_BLOCK)
    fprintf(file, "*DLOAD\nEC3D40, GRAV, %g, 0, -1, 0\n", element_case_load(c) * element_gravity);
  else
    fprintf(file, "*CLOAD\n");
  for (int32_t i = 0; i < c->point_count; ++i) {
    const double f[3] = {b->forces[i].x, b->forces[i].y, b->forces[i].z};
    for (int k = 0; k < 3; ++k)
      if (f[k] != 0) fprintf(file, "%d, %d, %.12e\n", i + 1, k + 1, f[k]);
  }
  fprintf(file, "*NODE PRINT, NSET=POINT\nU\n*END STEP\n");
  fclose(file);
}

// Displacement of the last line of numbers in CalculiX's table.
static inline double read_result(const char *path, int axis) {
  FILE *file = fopen(path, "r");
  char line[256];
  double u[3] = {0, 0, 0}, found[3] = {(double)NAN, (double)NAN, (double)NAN};
  int node;
  assert_non_null(file);
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "%d %lf %lf %lf", &node, &u[0], &u[1], &u[2]) == 4)
      memcpy(found, u, sizeof found);
  fclose(file);
  return found[axis];
}

// The value of a case by CalculiX, on the mesh of ours.
static inline double solve_by_calculix(pl_context *context, const char *folder,
                                       const element_case *c) {
  char path[128], command[256];
  pl_error error = {0};
  element_case_body b;
  check_ok(element_case_build(context, c, &b, &error), &error);
  int32_t point = -1;
  for (int32_t i = 0; i < c->point_count; ++i)
    if (pl_vec3_distance(b.box[i], element_case_point(c->kind)) < 1e-9) point = i;
  snprintf(path, sizeof path, "%s/case.inp", folder);
  check_ok(pl_mesh_save(context, path, b.mesh, &error), &error);
  append_case(path, c, &b, point);
  element_case_free(&b);
  snprintf(command, sizeof command, "cd %s && OMP_NUM_THREADS=1 ccx case >log 2>&1", folder);
  assert_int_equal(system(command), 0);
  snprintf(path, sizeof path, "%s/case.dat", folder);
  return fabs(read_result(path, element_case_axis(c->kind)));
}

// λ at every point of integration in place of its mean over the element, for small strains: for
// each element Σ w λ (b - b̄)(b - b̄)ᵀ, b the change of the volume at a point with the nodes.
static inline void undo_mean(const pl_fem_model *model, ptrdiff_t element, double *matrix) {
  const pl_fem_group *group = &model->groups[0];
  pl_fem_quadratic_rest rest;
  pl_fem_quadratic_rest_of(group->starts + 30 * element, &rest);
  double lambda = pl_fem_lame_of(group->parameters + 2 * element).lambda, volume = 0,
         mean[30] = {0};
  for (int q = 0; q < PL_FEM_QUADRATIC_POINTS; ++q) {
    volume += rest.weights[q];
    for (int i = 0; i < 30; ++i) mean[i] += rest.weights[q] * rest.B[q][i / 3][i % 3];
  }
  for (int q = 0; q < PL_FEM_QUADRATIC_POINTS; ++q)
    for (int i = 0; i < 900; ++i) {
      int r = i / 30, c = i % 30;
      double a = rest.B[q][r / 3][r % 3] - mean[r] / volume,
             b = rest.B[q][c / 3][c % 3] - mean[c] / volume;
      matrix[i] += rest.weights[q] * lambda * a * b;
    }
}

// The value of a case by our stiffness at rest without the cure of locking: the element of
// CalculiX.
static inline double solve_without_cure(pl_context *context, const element_case *c) {
  pl_error error = {0};
  element_case_body b;
  pl_model *model = NULL;
  check_ok(element_case_build(context, c, &b, &error), &error);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.young = element_young;
  def.poisson = c->poisson;
  def.density = element_density;
  def.element = PL_FEM_QUADRATIC;
  check_ok(pl_fem_build(context, &def, b.mesh, &model, &error), &error);
  const pl_fem_model *fem = (const pl_fem_model *)model;
  size_t n = 3 * (size_t)model->particle_count, tets = (size_t)fem->groups[0].element_count;
  double *matrices = calloc(900 * tets, sizeof(double)), *rhs = calloc(n, sizeof(double)),
         *u = calloc(n, sizeof(double));
  uint8_t *fixed = calloc(n / 3, 1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_fem_system system;
  pl_block_matrix matrix;
  assert_true(pl_fem_system_take(&arena, context, fem, &system));
  assert_true(pl_block_matrix_take(&arena, &fem->pattern, &matrix));
  pl_fem_system_evaluate(&system, fem->rest_points, NULL, &matrix, false);
  for (size_t t = 0; t < tets; ++t) undo_mean(fem, (ptrdiff_t)t, matrices + 900 * t);
  pl_block_matrix_add_elements(context, &matrix, 0, matrices);
  for (int32_t i = 0; i < b.pinned_count; ++i) fixed[b.pinned[i]] = b.axes[i];
  pl_block_matrix_fix(context, &matrix, fixed);
  for (size_t i = 0; i < n; ++i) {
    double force = (&b.forces[i / 3].x)[i % 3];
    if (c->kind == ELEMENT_BLOCK && i % 3 == 1)
      force -= element_gravity * element_case_load(c) * fem->load_masses[i / 3];
    rhs[i] = fixed[i / 3] >> i % 3 & 1 ? 0 : force;
  }
  pl_linear_def linear = pl_default_linear_def();
  linear.choice = PL_LINEAR_DIRECT;
  linear.direct = c->direct;
  pl_linear_solver *solver = NULL;
  check_ok(pl_linear_solver_create(context, &fem->pattern, &linear, &solver, &error), &error);
  check_ok(pl_linear_solver_factor(solver, &matrix, &error), &error);
  check_ok(pl_linear_solver_solve(solver, rhs, 1, u, &error), &error);
  double value = (double)NAN;
  for (int32_t i = 0; i < c->point_count; ++i)
    if (pl_vec3_distance(b.box[i], element_case_point(c->kind)) < 1e-9)
      value = fabs(u[3 * i + element_case_axis(c->kind)]);
  pl_linear_solver_destroy(solver);
  pl_arena_destroy(&arena);
  pl_model_destroy(model);
  element_case_free(&b);
  free(matrices), free(rhs), free(u), free(fixed);
  return value;
}

typedef struct calculix_case {
  element_case_kind kind;
  int32_t cells;
  double poisson, load, max_difference;
} calculix_case;

// Compare both on the same mesh of each case; `plain`: our element without its cure of locking, of
// which only the figure is printed then.
static inline void compare_with_calculix(const calculix_case *cases, int count, bool plain) {
  if (system("command -v ccx >/dev/null 2>&1") != 0) skip();
  char folder[] = "/tmp/pliant-ccx-XXXXXX", command[64];
  assert_non_null(mkdtemp(folder));
  pl_context *context = make_context(1);
  for (int k = 0; k < count; ++k) {
    element_case c = {.kind = cases[k].kind,
                      .cells = cases[k].cells,
                      .element = PL_FEM_QUADRATIC,
                      .poisson = cases[k].poisson,
                      .load = cases[k].load,
                      .direct = pl_cholmod_backend()};
    pl_error error = {0};
    check_ok(element_case_solve(context, &c, &error), &error);
    double other = solve_by_calculix(context, folder, &c), difference = c.value / other - 1;
    print_message("%-9s ν %-6g %2d cells: %.6g m, CalculiX %.6g m (%+.3f %%)\n",
                  element_case_names[c.kind], c.poisson, c.cells, c.value, other, 100 * difference);
    if (plain) {
      difference = solve_without_cure(context, &c) / other - 1;
      print_message("%-9s the same without the cure of locking (%+.5f %%)\n",
                    element_case_names[c.kind], 100 * difference);
    }
    check_near(difference, 0, cases[k].max_difference);
  }
  snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
  drop_context(context);
}

#endif
