// Strands as they are kept, and their inner loop.
//
// Rows of eight are points of one strand: arrays end in [row_points], the number of points rounded
// up to a multiple of eight. Points beyond the last repeat it.
#ifndef PL_ROD_STRANDS_H
#define PL_ROD_STRANDS_H

#include "base/scratch.h"
#include "pliant/strands.h"
#include "rod/rod_model.h"

// What is known of a guide at each of its points: position relative to its root (3), the turn from
// rest (9, by rows), and the distance of the nearest deforming mesh with its direction (1 + 3).
enum {
  PL_STRANDS_TURN = 3,
  PL_STRANDS_DISTANCE = 12,
  PL_STRANDS_NORMAL = 13,
  PL_STRANDS_COLUMNS = 16
};

// A chain with this many joints, sampled at the points of a strand: four joints and their weights
// each.
typedef struct pl_strands_sampling {
  int32_t joint_count;
  int32_t joints[PL_STRANDS_MAX_POINTS][4];
  float weights[PL_STRANDS_MAX_POINTS][4];
} pl_strands_sampling;

typedef struct pl_strands_guide {
  int32_t slot;  // batch * 8 + lane
  int32_t sampling;
} pl_strands_guide;

// A collider whose distance takes a few operations: all points nearer to a segment than its radius
// are inside, or all below a plane.
typedef struct pl_strands_form {
  bool is_plane;
  float a[3], ab[3];     // segment: start, and from start to end; plane: unit normal in `a`
  float inverse_square;  // of the segment's length; 0 for a sphere
  float radius;          // clearance included; plane: how far along the normal it is
} pl_strands_form;

// A collider that has to be asked point by point.
typedef struct pl_strands_solid {
  const pl_collider *shape;
  pl_transform placement;
} pl_strands_solid;

struct pl_strands {
  pl_context *context;
  pl_arena arena;
  const pl_rod_model *model;
  pl_strands_def def;  // parameters only
  int32_t strand_count, guide_count, sampling_count, row_points;
  const pl_strands_guide *guides;
  const pl_strands_sampling *samplings;
  const int32_t *neighbours;  // [strand][neighbours]: guides
  const float *weights;       // the same
  const int32_t *bases;       // [strand]: kinematic joint, as index of kinematic joints
  const pl_vec3 *roots;       // [strand], in the frame of that joint
  const float *details;  // [strand][3][row_points]: what the rest differs from the guides' mixture,
                         // in the frame of the joint; NULL: nothing
  const int32_t *triangles;
  float *curves;  // [guide][PL_STRANDS_COLUMNS][row_points], of the last call
  pl_scratch scratch;
};

// One call: what all strands share.
typedef struct pl_strands_frame {
  const pl_strands *strands;
  const pl_strands_form *forms;
  int32_t form_count;
} pl_strands_frame;

// One strand: the mixture of its guides, pushed out of the forms, as [3][row_points] in the
// coordinates that `root` and the frame are given in.
typedef struct pl_strands_kernels {
  void (*mix)(const pl_strands_frame *frame, int32_t strand, const float root[3], float *positions);
} pl_strands_kernels;
extern const pl_strands_kernels pl_strands_kernels_plain;
extern const pl_strands_kernels pl_strands_kernels_avx2;  // where PL_SIMD_HAS_AVX2
const pl_strands_kernels *pl_strands_kernels_choose(void);

// Sample joints' vectors, three doubles each, at point `point`.
static inline pl_vec3 pl_strands_sample(const pl_strands_sampling *sampling, int32_t point,
                                        const pl_vec3 *joints) {
  pl_vec3 sum = {0, 0, 0};
  for (int k = 0; k < 4; ++k)
    sum = pl_vec3_add_scaled(sum, joints[sampling->joints[point][k]],
                             (double)sampling->weights[point][k]);
  return sum;
}

#endif
