// Named poses of one body, as a user brings them, and what is wrong with them, by name.
#ifndef PL_EXAMPLES_POSE_SET_H
#define PL_EXAMPLES_POSE_SET_H

#include "pliant/base.h"
#include "pliant/math.h"

// One example pose. Borrowed memory.
typedef struct pl_pose {
  const char *name;
  int32_t point_count;    // must be that of the rest
  const pl_vec3 *points;  // absolute positions
  double weight;  // at the start, or for good where weights are constant: >= 0, their sum <= 1
  // Regions (or tets) of the body, and how many of them the pose turns inside out (det < 0);
  // pl_pose_inversions() counts tets. 0 of 0 when unknown.
  int32_t region_count, inverted_count;
} pl_pose;

typedef struct pl_pose_set {
  int32_t point_count;
  const pl_vec3 *rest;
  int32_t pose_count;
  const pl_pose *poses;
} pl_pose_set;

// Number of pose `name`, or -1.
int32_t pl_pose_set_find(const pl_pose_set *set, const char *name);

// Weights of all poses, put on the simplex.
void pl_pose_set_weights(const pl_pose_set *set, double *weights);

// Tets of positive volume in the rest whose volume is negative in `points`; `tets` has 4 point
// indices each, all in range.
int32_t pl_pose_inversions(const pl_vec3 *rest, const pl_vec3 *points, const int32_t *tets,
                           int32_t tet_count);

// Largest distance of a point of b from that of a after the rigid motion that fits a to b best (sum
// of squares). 0: the same shape, moved and turned.
double pl_pose_distance(const pl_vec3 *a, const pl_vec3 *b, int32_t point_count);

// Search for what makes poses useless or harmful. Kinds of findings (index: number of the pose):
//   error    pose-count        more than PL_MAX_EXAMPLES
//   error    pose-name         no name, or the name of another pose
//   error    pose-point-count  other than the rest's
//   error    pose-not-finite   a coordinate is not finite; position and point are named
//   error    pose-weight       negative or not finite
//   warning  pose-weight-sum   weights sum to more than 1
//   warning  pose-equals-rest  the rest's shape, perhaps moved or turned
//   warning  pose-repeated     the shape of another pose, perhaps moved or turned
//   warning  pose-mirrored     most regions inside out
//   warning  pose-inverted     some regions inside out
// PL_OK: nothing. PL_REMARK_FINDINGS: warnings only. PL_ERROR_INVALID_DATA: errors, the first in
// `error` too. PL_ERROR_OUT_OF_MEMORY. `findings` and `error` may be NULL. Cost: points * poses^2.
pl_status pl_pose_set_check(const pl_pose_set *set, pl_findings *findings, pl_error *error);

#endif
