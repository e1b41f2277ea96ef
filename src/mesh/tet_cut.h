// The steps of pl_mesh_cut(): where edges cross the cut, tets split at the crossings, the two sides
// taken apart.
#ifndef PL_MESH_TET_CUT_H
#define PL_MESH_TET_CUT_H

#include "mesh/topology.h"

typedef struct pl_tet_cut {
  pl_arena arena;     // of all arrays here
  pl_mesh_view mesh;  // what is cut

  // The cut seen from the points of `mesh`, by pl_tet_cut_find_crossings().
  double *heights;  // signed distance of each point from the cut, metres; beyond reach of a blade
                    // any positive number
  bool *is_on;      // the cut goes through the point, or is made to
  int32_t edge_count;
  int32_t *edges;       // 2 points each, lower first, in rising order
  int32_t *edge_start;  // first edge of each lower point, point_count + 1
  float *crossings;     // of each edge: where the cut splits it, from 0 at the lower point to 1; 0:
                        // nowhere

  // Tets after splitting, by pl_tet_cut_split(). Points: those of `mesh`, then one per split edge.
  int32_t split_point_count;
  int32_t *point_of_edge;  // -1 for edges that are not split
  int32_t *edge_of_new;    // split_point_count - point_count
  int32_t tet_count;
  int32_t *tets;
  int32_t *tet_of_new;  // the tet of `mesh` that each is part of

  // Tets after separation, by pl_tet_cut_separate(), which changes `tets`. Points: as above, then
  // copies.
  int32_t copy_count;
  int32_t *original_of_copy;

  pl_cut_report report;
} pl_tet_cut;

// Each returns PL_OK or PL_ERROR_OUT_OF_MEMORY, with nothing to clean up but the arena;
// pl_tet_cut_find_crossings() may find fault with the def.
pl_status pl_tet_cut_find_crossings(pl_tet_cut *cut, const pl_cut_def *def, pl_error *error);
pl_status pl_tet_cut_split(pl_tet_cut *cut, pl_error *error);
pl_status pl_tet_cut_separate(pl_tet_cut *cut, pl_error *error);

// Number of the edge between two points, in any order.
int32_t pl_tet_cut_edge(const pl_tet_cut *cut, int32_t a, int32_t b);

#endif
