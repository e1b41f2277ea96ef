// The cases of bench/bench_element_cases.h through CalculiX, on the same meshes.
#ifndef CHECK_CALCULIX_H
#define CHECK_CALCULIX_H

#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../bench/bench_element_cases.h"
#include "check.h"

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

typedef struct calculix_case {
  element_case_kind kind;
  int32_t cells;
  double poisson, load, max_difference;
} calculix_case;

// Compare both on the same mesh of each case.
static inline void compare_with_calculix(const calculix_case *cases, int count) {
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
    check_near(difference, 0, cases[k].max_difference);
  }
  snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
  drop_context(context);
}

#endif
