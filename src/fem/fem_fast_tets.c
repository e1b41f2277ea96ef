// Tets by colour and in groups of eight, with the constants that the kernels stream.
//
// Colours are given greedily: each tet takes the first colour that none of its corners has seen. Tets are visited by
// their first corner in the order of elimination, so that tets of one colour that follow each other are near each other
// in memory.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "fem/fem_fast.h"
#include "fem/fem_tet.h"

typedef struct coloring {
  int32_t *visit;   // tets in the order of visiting
  int32_t *colors;  // per tet
  int32_t *counts;  // tets of each colour
  uint64_t *seen;   // words per particle: colours of its tets
  int32_t words, color_count;
} coloring;

// Most tets around a particle.
static int32_t find_valence(const pl_mesh_view *mesh, int32_t *workspace) {
  int32_t max = 0;
  for (int32_t i = 0; i < 4 * mesh->tet_count; ++i) ++workspace[mesh->tets[i]];
  for (int32_t i = 0; i < mesh->point_count; ++i) max = workspace[i] > max ? workspace[i] : max;
  return max;
}

static int32_t first_particle(const pl_mesh_view *mesh, const int32_t *particle_of, int32_t tet) {
  int32_t first = particle_of[mesh->tets[4 * tet]];
  for (int k = 1; k < 4; ++k) {
    int32_t particle = particle_of[mesh->tets[4 * tet + k]];
    if (particle < first) first = particle;
  }
  return first;
}

// Counting sort by first particle; equal ones in the order of the mesh.
static void list_visits(const pl_mesh_view *mesh, const int32_t *particle_of, int32_t *starts, int32_t *visit) {
  for (int32_t i = 0; i <= mesh->point_count; ++i) starts[i] = 0;
  for (int32_t t = 0; t < mesh->tet_count; ++t) ++starts[first_particle(mesh, particle_of, t) + 1];
  for (int32_t i = 0; i < mesh->point_count; ++i) starts[i + 1] += starts[i];
  for (int32_t t = 0; t < mesh->tet_count; ++t) visit[starts[first_particle(mesh, particle_of, t)]++] = t;
}

static void color_tets(const pl_mesh_view *mesh, coloring *c) {
  for (int32_t k = 0; k < mesh->tet_count; ++k) {
    const int32_t *corners = mesh->tets + 4 * (size_t)c->visit[k];
    int32_t word = 0;
    uint64_t used = UINT64_MAX;
    for (; word < c->words; ++word) {
      used = 0;
      for (int i = 0; i < 4; ++i) used |= c->seen[(size_t)corners[i] * (size_t)c->words + (size_t)word];
      if (used != UINT64_MAX) break;
    }
    int32_t bit = __builtin_ctzll(~used), color = 64 * word + bit;
    for (int i = 0; i < 4; ++i) c->seen[(size_t)corners[i] * (size_t)c->words + (size_t)word] |= UINT64_C(1) << bit;
    c->colors[c->visit[k]] = color;
    ++c->counts[color];
    if (color >= c->color_count) c->color_count = color + 1;
  }
}

pl_fem_fast_tet pl_fem_fast_tet_of(const pl_fem_def *def, const pl_mesh_view *mesh, int32_t t) {
  double X[12], scale = def->young_scales != NULL ? def->young_scales[t] : 1;
  for (int k = 0; k < 4; ++k) {
    pl_vec3 corner = mesh->points[mesh->tets[4 * t + k]];
    X[3 * k] = corner.x;
    X[3 * k + 1] = corner.y;
    X[3 * k + 2] = corner.z;
  }
  pl_fem_fast_tet tet;
  pl_fem_tet_rest(X, tet.B, &tet.volume);
  pl_fem_lame lame = pl_fem_lame_of((double[]){def->young * scale, def->poisson});
  tet.lambda = lame.lambda;
  tet.mu = lame.mu;
  return tet;
}

static void fill_tet(const pl_fem_def *def, const pl_mesh_view *mesh, int32_t t, float *constants) {
  pl_fem_fast_tet tet = pl_fem_fast_tet_of(def, mesh, t);
  double h2 = def->fast_step * def->fast_step;
  for (int i = 0; i < 9; ++i) constants[LANES * (PL_FAST_GRADIENTS + i)] = (float)tet.B[1 + i / 3][i % 3];
  constants[LANES * PL_FAST_SHEAR] = (float)(2 * tet.mu * tet.volume * h2);
  constants[LANES * PL_FAST_BULK] = (float)(tet.lambda * tet.volume * h2);
}

static pl_status fill_groups(const pl_fem_def *def, const pl_mesh_view *mesh, const int32_t *particle_of, coloring *c,
                             pl_arena *arena, pl_fem_fast_tets *tets, pl_error *error) {
  int32_t *color_start = PL_TAKE(arena, int32_t, c->color_count + 1);
  if (color_start == NULL) return pl_fail_memory(error);
  for (int32_t color = 0; color < c->color_count; ++color)
    color_start[color + 1] = color_start[color] + (c->counts[color] + LANES - 1) / LANES;
  size_t group_count = (size_t)color_start[c->color_count];
  int32_t *corners = PL_TAKE(arena, int32_t, group_count * PL_FAST_CORNER_LANES);
  float *constants = PL_TAKE(arena, float, group_count *PL_FAST_CONSTANT_COUNT *LANES);
  int32_t *slots = PL_TAKE(arena, int32_t, mesh->tet_count);
  if (corners == NULL || constants == NULL || slots == NULL) return pl_fail_memory(error);
  // Padding is a tet of no volume made of four particles beyond the last (pl_fem_fast_work), with the identity as
  // deformation gradient.
  for (size_t i = 0; i < group_count * PL_FAST_CORNER_LANES; ++i)
    corners[i] = mesh->point_count + (int32_t)(i / LANES % 4);
  for (size_t i = 0; i < group_count * PL_FAST_CONSTANT_COUNT * LANES; ++i) {
    size_t row = i / LANES % PL_FAST_CONSTANT_COUNT;
    constants[i] = row == 0 || row == 4 || row == 8 ? 1.0f : 0.0f;
  }
  for (int32_t color = 0; color < c->color_count; ++color) c->counts[color] = LANES * color_start[color];
  for (int32_t k = 0; k < mesh->tet_count; ++k) {
    int32_t t = c->visit[k], slot = c->counts[c->colors[t]]++;
    size_t group = (size_t)(slot / LANES), lane = (size_t)(slot % LANES);
    slots[t] = slot;
    for (size_t i = 0; i < 4; ++i) corners[(group * 4 + i) * LANES + lane] = particle_of[mesh->tets[4 * (size_t)t + i]];
    fill_tet(def, mesh, t, constants + group * PL_FAST_CONSTANT_COUNT * LANES + lane);
  }
  *tets =
      (pl_fem_fast_tets){mesh->tet_count, (int32_t)group_count, c->color_count, color_start, corners, constants, slots};
  return PL_OK;
}

pl_status pl_fem_fast_tets_build(pl_context *context, const pl_fem_def *def, const pl_mesh_view *mesh,
                                 const int32_t *particle_of, pl_arena *arena, pl_fem_fast_tets *tets, pl_error *error) {
  pl_arena scratch;
  pl_arena_init(&scratch, context, 0);
  int32_t *starts = PL_TAKE(&scratch, int32_t, mesh->point_count + 1);
  coloring c = {.visit = PL_TAKE(&scratch, int32_t, mesh->tet_count),
                .colors = PL_TAKE(&scratch, int32_t, mesh->tet_count)};
  if (starts != NULL) {
    // A tet meets fewer than this many others at its four corners.
    int32_t max_colors = 4 * find_valence(mesh, starts);
    c.words = max_colors / 64 + 1;
    c.counts = PL_TAKE(&scratch, int32_t, 64 * (size_t)c.words);
    c.seen = PL_TAKE(&scratch, uint64_t, (size_t)mesh->point_count * (size_t)c.words);
  }
  pl_status status = scratch.failed ? pl_fail_memory(error) : PL_OK;
  if (status >= 0) {
    list_visits(mesh, particle_of, starts, c.visit);
    color_tets(mesh, &c);
    status = fill_groups(def, mesh, particle_of, &c, arena, tets, error);
  }
  pl_arena_destroy(&scratch);
  return status;
}
