// What is wrong with a set of example poses, in words for the author of the poses.
//
// Examples act through descriptors that do not see rigid motion (paper 000: the stretch of regions; paper 001:
// rotations relative to the parent), so two poses are the same when one is the other moved and turned. That is found by
// fitting: the rotation R nearest to sum (b - mean b)(a - mean a)^T maps a to b best (Kabsch 1976), with det R = +1, so
// that a mirror image does not pass for a turn.
//
// Cost: one pass over the points for the fit and one for the distance, per pair of poses.
#include "examples/pose_set.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finding.h"
#include "examples/weights.h"
#include "math/mat3.h"
#include "math/rotation.h"

// Shapes nearer to each other than this fraction of the rest's size are equal: files in single precision keep seven
// digits, and nobody poses a difference of a hundredth of a millimetre on a metre.
static const double EQUAL = 1e-5;

typedef struct trouble {
  pl_severity severity;
  const char *kind, *why, *fix;
} trouble;

static const trouble TOO_MANY = {
    PL_SEVERITY_ERROR, "pose-count", "Weights are found for all examples of a set at once.",
    "Keep the poses that differ most, or divide the body into groups with poses of their own."};
static const trouble NAME = {PL_SEVERITY_ERROR, "pose-name", "Poses are chosen, weighted and reported by name.",
                             "Give each pose its own name."};
static const trouble POINT_COUNT = {
    PL_SEVERITY_ERROR, "pose-point-count", "A pose moves the points of the rest, so it must have the same ones.",
    "Export the pose from the mesh of the rest, without adding, merging or splitting points."};
static const trouble NOT_FINITE = {PL_SEVERITY_ERROR, "pose-not-finite",
                                   "One such point spoils every step that follows.",
                                   "Export the pose again; a constraint or a division by zero has broken it."};
static const trouble WEIGHT = {PL_SEVERITY_ERROR, "pose-weight", "Poses are mixed, not subtracted.",
                               "Give a weight from 0 to 1; make the opposite pose an example of its own."};
static const trouble WEIGHT_SUM = {PL_SEVERITY_WARNING, "pose-weight-sum",
                                   "At most 1 can be shared out; the weights are scaled down to that.",
                                   "Lower the weights; the rest shape takes the remainder up to 1."};
static const trouble EQUALS_REST = {
    PL_SEVERITY_WARNING, "pose-equals-rest",
    "It has no effect: moving and turning the whole body is not a deformation.",
    "Check that the shape key or frame was exported with its value at 1, or remove the pose."};
static const trouble REPEATED = {
    PL_SEVERITY_WARNING, "pose-repeated",
    "The weight is shared between the two in no particular way, so driving one by name does what the other does.",
    "Remove one of them."};
static const trouble MIRRORED = {
    PL_SEVERITY_WARNING, "pose-mirrored",
    "No motion without tearing leads there, so the body would be pulled through itself.",
    "The pose was probably exported with one axis flipped: apply the mirror, or use the same axes as for the rest."};
static const trouble INVERTED = {PL_SEVERITY_WARNING, "pose-inverted",
                                 "The body knots up where it is turned inside out.",
                                 "Smooth the pose there, or pose it less strongly."};

typedef struct check {
  const pl_pose_set *set;
  pl_findings *findings;
  pl_error *error;
  pl_status status;  // the worst so far
} check;

// Note one finding; `text` is what the user sees.
static void note(check *c, const trouble *what, int32_t pose, const pl_vec3 *position, const char *text) {
  if (c->status == PL_ERROR_OUT_OF_MEMORY) return;
  pl_finding finding = {.severity = what->severity,
                        .index = pose,
                        .kind = what->kind,
                        .why = what->why,
                        .fix = what->fix,
                        .you_see = text};
  if (position != NULL) {
    finding.has_position = true;
    memcpy(finding.position, position, sizeof finding.position);
  }
  if (c->findings != NULL && pl_findings_add(c->findings, &finding) != PL_OK)
    c->status = pl_fail_memory(c->error);
  else if (what->severity == PL_SEVERITY_ERROR && c->status >= 0)
    c->status = pl_fail(c->error, PL_ERROR_INVALID_DATA, "%s", text);
  else if (c->status == PL_OK)
    c->status = PL_REMARK_FINDINGS;
}

int32_t pl_pose_set_find(const pl_pose_set *set, const char *name) {
  for (int32_t i = 0; i < set->pose_count; ++i)
    if (set->poses[i].name != NULL && strcmp(set->poses[i].name, name) == 0) return i;
  return -1;
}

void pl_pose_set_weights(const pl_pose_set *set, double *weights) {
  for (int32_t i = 0; i < set->pose_count; ++i) weights[i] = set->poses[i].weight;
  pl_weights_limit(set->pose_count, weights, weights);
}

static double six_volumes(const pl_vec3 *points, const int32_t *tet) {
  pl_vec3 a = points[tet[0]], b = pl_vec3_sub(points[tet[1]], a), c = pl_vec3_sub(points[tet[2]], a),
          d = pl_vec3_sub(points[tet[3]], a);
  return pl_vec3_dot(pl_vec3_cross(b, c), d);
}

int32_t pl_pose_inversions(const pl_vec3 *rest, const pl_vec3 *points, const int32_t *tets, int32_t tet_count) {
  int32_t count = 0;
  for (int32_t i = 0; i < tet_count; ++i)
    count += six_volumes(rest, tets + 4 * i) > 0 && six_volumes(points, tets + 4 * i) < 0;
  return count;
}

static pl_vec3 mean(const pl_vec3 *points, int32_t count) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < count; ++i) sum = pl_vec3_add_scaled(sum, points[i], 1.0 / count);
  return sum;
}

double pl_pose_distance(const pl_vec3 *a, const pl_vec3 *b, int32_t point_count) {
  if (point_count == 0) return 0;
  pl_vec3 mean_a = mean(a, point_count), mean_b = mean(b, point_count);
  pl_mat3 moment = pl_mat3_zero();
  for (int32_t i = 0; i < point_count; ++i)
    moment = pl_mat3_add(moment, pl_mat3_outer(pl_vec3_sub(b[i], mean_b), pl_vec3_sub(a[i], mean_a)));
  pl_mat3 rotation = pl_mat3_from_quat(pl_rotation_of_mat3(moment, pl_quat_identity()));
  double max = 0;
  for (int32_t i = 0; i < point_count; ++i) {
    pl_vec3 fitted = pl_vec3_add(pl_mat3_apply(rotation, pl_vec3_sub(a[i], mean_a)), mean_b);
    max = fmax(max, pl_vec3_distance(fitted, b[i]));
  }
  return max;
}

// Twice the largest distance from the middle: the size that distances are compared with.
static double size_of(const pl_vec3 *points, int32_t count) {
  pl_vec3 middle = mean(points, count);
  double max = 0;
  for (int32_t i = 0; i < count; ++i) max = fmax(max, pl_vec3_distance(points[i], middle));
  return 2 * max;
}

static const char *name_of(const pl_pose *pose) {
  return pose->name == NULL ? "" : pose->name;
}

// Name, count, coordinates and weight. True when the points can be checked further.
static bool check_data(check *c, int32_t i) {
  const pl_pose *pose = &c->set->poses[i];
  const char *name = name_of(pose);
  char text[400];
  if (name[0] == '\0') {
    snprintf(text, sizeof text, "pose number %d has no name", (int)i);
    note(c, &NAME, i, NULL, text);
  } else if (pl_pose_set_find(c->set, name) < i) {
    snprintf(text, sizeof text, "two poses are called '%.200s'", name);
    note(c, &NAME, i, NULL, text);
  }
  if (!(pose->weight >= 0) || !isfinite(pose->weight)) {
    snprintf(text, sizeof text, "pose '%.200s' has the weight %g", name, pose->weight);
    note(c, &WEIGHT, i, NULL, text);
  }
  if (pose->point_count != c->set->point_count) {
    snprintf(text, sizeof text, "pose '%.200s' has %d points, the rest %d", name, (int)pose->point_count,
             (int)c->set->point_count);
    note(c, &POINT_COUNT, i, NULL, text);
    return false;
  }
  for (int32_t p = 0; p < pose->point_count; ++p) {
    if (pl_vec3_is_finite(pose->points[p])) continue;
    snprintf(text, sizeof text, "point %d of pose '%.200s' is at (%g, %g, %g)", (int)p, name, pose->points[p].x,
             pose->points[p].y, pose->points[p].z);
    note(c, &NOT_FINITE, i, c->set->rest != NULL ? &c->set->rest[p] : NULL, text);
    return false;
  }
  return true;
}

// Its shape against the rest's and those of the poses before it that are valid (a bit each in `sound`).
static void check_shape(check *c, int32_t i, uint64_t sound, double size) {
  const pl_pose *pose = &c->set->poses[i];
  const char *name = name_of(pose);
  char text[600];
  if (pose->inverted_count > 0) {
    bool is_mirrored = pose->inverted_count > pose->region_count / 2;
    snprintf(text, sizeof text, "pose '%.200s' turns %d of %d regions inside out%s", name, (int)pose->inverted_count,
             (int)pose->region_count, is_mirrored ? ": it is a mirror image" : "");
    note(c, is_mirrored ? &MIRRORED : &INVERTED, i, NULL, text);
  }
  if (pl_pose_distance(c->set->rest, pose->points, pose->point_count) <= EQUAL * size) {
    snprintf(text, sizeof text, "pose '%.200s' has the shape of the rest", name);
    note(c, &EQUALS_REST, i, NULL, text);
    return;
  }
  for (int32_t j = 0; j < i; ++j) {
    if (!(sound >> j & 1) ||
        !(pl_pose_distance(c->set->poses[j].points, pose->points, pose->point_count) <= EQUAL * size))
      continue;
    snprintf(text, sizeof text, "poses '%.200s' and '%.200s' have the same shape", name_of(&c->set->poses[j]), name);
    note(c, &REPEATED, i, NULL, text);
    return;
  }
}

pl_status pl_pose_set_check(const pl_pose_set *set, pl_findings *findings, pl_error *error) {
  check c = {set, findings, error, PL_OK};
  char text[200];
  if (set->pose_count > PL_MAX_EXAMPLES) {
    snprintf(text, sizeof text, "%d poses; at most %d fit one set", (int)set->pose_count, (int)PL_MAX_EXAMPLES);
    note(&c, &TOO_MANY, -1, NULL, text);
    return c.status;
  }
  double size = size_of(set->rest, set->point_count), sum = 0;
  uint64_t sound = 0;
  for (int32_t i = 0; i < set->pose_count; ++i) {
    sum += set->poses[i].weight;
    if (!check_data(&c, i)) continue;
    check_shape(&c, i, sound, size);
    sound |= UINT64_C(1) << i;
  }
  if (sum > 1 + 1e-9) {
    snprintf(text, sizeof text, "the weights of the poses sum to %g", sum);
    note(&c, &WEIGHT_SUM, -1, NULL, text);
  }
  return c.status;
}
