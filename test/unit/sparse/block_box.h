// A box of tets with linear elasticity in closed form, for the tests of linear solvers:
//
//   K_ab = V (λ g_a g_bᵀ + μ g_b g_aᵀ + μ (g_a . g_b) 1)      g_a the gradient of the shape function of corner a
//
// Independent of src/fem.
#ifndef PL_TEST_BLOCK_BOX_H
#define PL_TEST_BLOCK_BOX_H

#include "base/random.h"
#include "check.h"
#include "sparse/block_matrix.h"

typedef struct block_box {
  pl_arena arena;
  int32_t row_count, tet_count;
  double *positions, *masses, *stiffness;  // stiffness: 12 x 12 per tet
  int32_t *tets;
  pl_block_pattern pattern;
  pl_block_matrix matrix;
} block_box;

// Six tets per cell around its diagonal; corners in an order of positive volume.
static inline void box_fill_cell(block_box *box, const int32_t *cells, const int32_t *cell, int32_t *next) {
  static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
  for (int path = 0; path < 6; ++path) {
    int32_t at[3] = {cell[0], cell[1], cell[2]}, *tet = box->tets + 4 * (*next)++;
    for (int corner = 0; corner < 4; ++corner) {
      tet[corner] = at[0] + (cells[0] + 1) * (at[1] + (cells[1] + 1) * at[2]);
      if (corner < 3) at[paths[path][corner]]++;
    }
    if (path >= 3) {
      int32_t corner = tet[2];
      tet[2] = tet[3];
      tet[3] = corner;
    }
  }
}

static inline void box_cross(const double *a, const double *b, double *to) {
  for (int i = 0; i < 3; ++i) to[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static inline void box_element(block_box *box, int32_t tet, double young, double poisson, double *k) {
  const int32_t *corners = box->tets + 4 * tet;
  double edge[3][3], g[4][3], mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) edge[i][j] = box->positions[3 * corners[i + 1] + j] - box->positions[3 * corners[0] + j];
  for (int i = 0; i < 3; ++i) box_cross(edge[(i + 1) % 3], edge[(i + 2) % 3], g[i + 1]);
  double six = edge[0][0] * g[1][0] + edge[0][1] * g[1][1] + edge[0][2] * g[1][2];
  assert_true(six > 0);
  for (int j = 0; j < 3; ++j) {
    for (int i = 1; i < 4; ++i) g[i][j] /= six;
    g[0][j] = -(g[1][j] + g[2][j] + g[3][j]);
  }
  for (int a = 0; a < 4; ++a) {
    box->masses[corners[a]] += 1000 * six / 24;
    for (int b = 0; b < 4; ++b) {
      double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          k[(3 * a + i) * 12 + 3 * b + j] =
              six / 6 * (lambda * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i] + (i == j ? mu * dot : 0));
    }
  }
}

// A box of cells of 0.1 m with density 1000 and its stiffness matrix. Points off the boundary's x = 0 are moved a little, so that no symmetry hides a fault.
static inline void make_box(block_box *box, pl_context *context, int32_t nx, int32_t ny, int32_t nz, double young, double poisson) {
  pl_error error = {0};
  int32_t cells[3] = {nx, ny, nz}, next = 0;
  pl_random random = pl_random_of_seed(11);
  *box = (block_box){.row_count = (nx + 1) * (ny + 1) * (nz + 1), .tet_count = 6 * nx * ny * nz};
  pl_arena_init(&box->arena, context, 0);
  box->positions = PL_TAKE(&box->arena, double, 3 * box->row_count);
  box->masses = PL_TAKE(&box->arena, double, box->row_count);
  box->stiffness = PL_TAKE(&box->arena, double, 144 * box->tet_count);
  box->tets = PL_TAKE(&box->arena, int32_t, 4 * box->tet_count);
  assert_false(box->arena.failed);
  for (int32_t i = 0; i < box->row_count; ++i) {
    int32_t at[3] = {i % (nx + 1), i / (nx + 1) % (ny + 1), i / (nx + 1) / (ny + 1)};
    for (int c = 0; c < 3; ++c) box->positions[3 * i + c] = 0.1 * at[c] + (at[0] > 0 ? pl_random_between(&random, -0.01, 0.01) : 0);
  }
  for (int32_t z = 0; z < nz; ++z)
    for (int32_t y = 0; y < ny; ++y)
      for (int32_t x = 0; x < nx; ++x) box_fill_cell(box, cells, (int32_t[3]){x, y, z}, &next);
  for (int32_t e = 0; e < box->tet_count; ++e) box_element(box, e, young, poisson, box->stiffness + 144 * e);
  check_ok(pl_block_pattern_build(&box->arena, box->row_count, &(pl_block_elements){box->tets, box->tet_count, 4}, 1, &box->pattern,
                                  &error),
           &error);
  assert_true(pl_block_matrix_take(&box->arena, &box->pattern, &box->matrix));
  pl_block_matrix_add_elements(context, &box->matrix, 0, box->stiffness);
}

static inline void drop_box(block_box *box) {
  pl_arena_destroy(&box->arena);
}

// |a - b| / |b| of two vectors.
static inline double vector_distance(const double *a, const double *b, size_t count) {
  double difference = 0, whole = 0;
  for (size_t i = 0; i < count; ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    whole += b[i] * b[i];
  }
  return sqrt(difference / whole);
}

#endif
