// Splitting the tets of a mesh at given points of its edges.
//
// One edge at a time. Edge ab with the point m on it makes of every tet (a b c d) the two (m b c d) and (a m c d); all
// tets take edges in the same order. A face is then split in the same way from both of its sides, because only its own
// edges matter to it, so the tets fit together without a rule for diagonals, whichever edges are split. Both parts keep
// the orientation, and none has less than the product of its fractions of the edges.
#include <string.h>

#include "base/error.h"
#include "base/vector.h"
#include "mesh/tet_cut.h"
#include "pliant/math.h"

enum { MAX_PIECE = 64 };
static const int32_t TET_EDGES[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

typedef struct tet_pieces {
  int32_t count;
  int32_t corners[MAX_PIECE][4];
  double fractions[MAX_PIECE];  // of the volume
} tet_pieces;

// Every piece with both ends of the edge becomes two.
static void split_pieces(tet_pieces *pieces, int32_t a, int32_t b, int32_t middle, double t) {
  int32_t count = pieces->count;
  for (int32_t i = 0; i < count; ++i) {
    int32_t *corners = pieces->corners[i], at_a = -1, at_b = -1;
    for (int32_t k = 0; k < 4; ++k) {
      if (corners[k] == a) at_a = k;
      if (corners[k] == b) at_b = k;
    }
    if (at_a < 0 || at_b < 0 || pieces->count == MAX_PIECE) continue;
    int32_t *other = pieces->corners[pieces->count];
    memcpy(other, corners, 4 * sizeof *other);
    other[at_a] = middle;
    corners[at_b] = middle;
    pieces->fractions[pieces->count++] = pieces->fractions[i] * (1 - t);
    pieces->fractions[i] *= t;
  }
}

// Pieces of one tet; those of its edges that are split, in rising order.
static void split_tet(const pl_tet_cut *cut, const int32_t *corners, tet_pieces *pieces) {
  int32_t edges[6], count = 0;
  for (int k = 0; k < 6; ++k) {
    int32_t a = corners[TET_EDGES[k][0]], b = corners[TET_EDGES[k][1]];
    if (a == b) continue;
    int32_t edge = pl_tet_cut_edge(cut, a, b), slot = count;
    if (cut->point_of_edge[edge] < 0) continue;
    for (; slot > 0 && edges[slot - 1] > edge; --slot) edges[slot] = edges[slot - 1];
    edges[slot] = edge;
    count++;
  }
  pieces->count = 1;
  pieces->fractions[0] = 1;
  memcpy(pieces->corners[0], corners, sizeof pieces->corners[0]);
  for (int32_t k = 0; k < count; ++k)
    split_pieces(pieces, cut->edges[2 * edges[k]], cut->edges[2 * edges[k] + 1], cut->point_of_edge[edges[k]],
                 (double)cut->crossings[edges[k]]);
}

static bool number_new_points(pl_tet_cut *cut) {
  cut->point_of_edge = PL_TAKE(&cut->arena, int32_t, cut->edge_count);
  cut->edge_of_new = PL_TAKE(&cut->arena, int32_t, cut->edge_count);
  if (cut->arena.failed) return false;
  for (int32_t e = 0; e < cut->edge_count; ++e) {
    cut->point_of_edge[e] = -1;
    if (!(cut->crossings[e] > 0)) continue;
    cut->edge_of_new[cut->report.new_point_count] = e;
    cut->point_of_edge[e] = cut->mesh.point_count + cut->report.new_point_count++;
  }
  cut->split_point_count = cut->mesh.point_count + cut->report.new_point_count;
  return true;
}

pl_status pl_tet_cut_split(pl_tet_cut *cut, pl_error *error) {
  if (!number_new_points(cut)) return pl_fail_memory(error);
  cut->report.min_volume_ratio = 1;
  pl_vector tets = pl_vector_of(cut->arena.context, 4 * sizeof(int32_t)),
            owners = pl_vector_of(cut->arena.context, sizeof(int32_t));
  for (int32_t t = 0; t < cut->mesh.tet_count && !tets.failed && !owners.failed; ++t) {
    tet_pieces pieces;
    split_tet(cut, cut->mesh.tets + 4 * (size_t)t, &pieces);
    cut->report.split_tet_count += pieces.count > 1;
    for (int32_t i = 0; i < pieces.count; ++i) {
      cut->report.min_volume_ratio = fmin(cut->report.min_volume_ratio, pieces.fractions[i]);
      pl_vector_push(&tets, pieces.corners[i]);
      pl_vector_push(&owners, &t);
    }
    // More than an index can count: no memory for that either.
    tets.failed = tets.failed || tets.count > INT32_MAX / 16;
  }
  cut->tet_count = (int32_t)owners.count;
  if (!tets.failed && !owners.failed) {
    cut->tets = pl_arena_copy(&cut->arena, tets.items, tets.count, 4 * sizeof(int32_t));
    cut->tet_of_new = pl_arena_copy(&cut->arena, owners.items, owners.count, sizeof(int32_t));
  }
  bool failed = tets.failed || owners.failed || cut->arena.failed;
  pl_vector_free(&tets);
  pl_vector_free(&owners);
  return failed ? pl_fail_memory(error) : PL_OK;
}
