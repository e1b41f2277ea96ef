// From example poses of chains to what is blended (paper 001, section 3.1): rotations from each segment's direction to
// the next, and orientations.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "pliant/math.h"
#include "rod/rod_build.h"

static const pl_rod_joint *kinematic_above(const pl_rod_skeleton *s, int32_t joint) {
  int32_t root = s->roots[s->chain_of[joint]];
  return &s->def->joints[s->def->joints[root].parent];
}

static pl_quat base_rotation(const pl_rod_skeleton *s, int32_t joint) {
  return pl_quat_normalize(kinematic_above(s, joint)->rest.rotation);
}

pl_vec3 pl_rod_rest_position(const pl_rod_skeleton *s, int32_t joint) {
  const pl_rod_joint *joints = s->def->joints;
  pl_vec3 root = joints[s->roots[s->chain_of[joint]]].rest.position;
  return pl_quat_rotate(pl_quat_conjugate(base_rotation(s, joint)), pl_vec3_sub(joints[joint].rest.position, root));
}

pl_quat pl_rod_rest_rotation(const pl_rod_skeleton *s, int32_t joint) {
  return pl_quat_multiply(pl_quat_conjugate(base_rotation(s, joint)),
                          pl_quat_normalize(s->def->joints[joint].rest.rotation));
}

// --- checks and lists

static pl_status check_example(const pl_rod_skeleton *s, const pl_rod_example *e, int32_t number, pl_error *error) {
  const pl_rod_def *def = s->def;
  const char *name = e->name != NULL ? e->name : "";
  if (name[0] == '\0') return pl_fail(error, PL_ERROR_INVALID_DATA, "example %d has no name", number);
  int32_t chain = e->root >= 0 && e->root < def->joint_count ? s->chain_of[e->root] : -1;
  if (chain < 0 || s->roots[chain] != e->root)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "example \"%s\": %s is not the root of a chain", name,
                   pl_rod_name_of(def, e->root).text);
  if (e->positions == NULL) return pl_fail(error, PL_ERROR_INVALID_DATA, "example \"%s\" has no positions", name);
  if (!(e->extent >= 0 && e->extent <= 100))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "example \"%s\": an extent of %g radians makes no sense; use 0.2 to 2",
                   name, e->extent);
  if (e->extent > 0 && !(pl_vec3_is_finite(e->direction) && pl_vec3_length(e->direction) > 1e-12))
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "example \"%s\": its view direction has no length; give the direction to the camera", name);
  for (int32_t k = s->chain_start[chain]; k < s->chain_start[chain + 1]; ++k) {
    int32_t joint = s->order[k], parent = def->joints[joint].parent;
    pl_vec3 x = e->positions[joint];
    pl_rod_name joint_name = pl_rod_name_of(def, joint);
    double norm = e->rotations != NULL ? pl_quat_dot(e->rotations[joint], e->rotations[joint]) : 1;
    if (!pl_vec3_is_finite(x) || !isfinite(norm) || norm <= 1e-12)
      return pl_fail(error, PL_ERROR_INVALID_DATA, "example \"%s\": position and rotation of %s must be finite", name,
                     joint_name.text);
    pl_vec3 from = joint == e->root ? def->joints[joint].rest.position : e->positions[parent];
    pl_vec3 rest_from = joint == e->root ? def->joints[joint].rest.position : def->joints[parent].rest.position;
    double length = pl_vec3_length(pl_vec3_sub(x, from)),
           rest = pl_vec3_length(pl_vec3_sub(def->joints[joint].rest.position, rest_from));
    if (joint == e->root && length > 1e-4 * (1 + pl_vec3_length(x)))
      return pl_fail(error, PL_ERROR_INVALID_DATA,
                     "example \"%s\": %s is the root and cannot be elsewhere than at rest (it is %g m away)", name,
                     joint_name.text, length);
    if (joint != e->root && fabs(length - rest) > PL_ROD_LENGTH_TOLERANCE * rest)
      return pl_fail(error, PL_ERROR_INVALID_DATA,
                     "example \"%s\": the segment to %s is %g m long, but %g m at rest; lengths must not change", name,
                     joint_name.text, length, rest);
  }
  return PL_OK;
}

static int32_t find_name(pl_rod_example_lists *lists, const char *name) {
  for (int32_t i = 0; i < lists->name_count; ++i)
    if (strcmp(lists->names[i], name) == 0) return i;
  lists->names[lists->name_count] = name;
  return lists->name_count++;
}

pl_status pl_rod_examples_list(pl_arena *arena, const pl_rod_skeleton *s, pl_rod_example_lists *lists,
                               pl_error *error) {
  const pl_rod_def *def = s->def;
  size_t n = (size_t)def->example_count;
  *lists = (pl_rod_example_lists){.names = PL_TAKE(arena, const char *, n),
                                  .start = PL_TAKE(arena, int32_t, s->chain_count + 1),
                                  .items = PL_TAKE(arena, int32_t, n),
                                  .name_of = PL_TAKE(arena, int32_t, n)};
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < def->example_count; ++i) {
    pl_status status = check_example(s, &def->examples[i], i, error);
    if (status < 0) return status;
    lists->name_of[i] = find_name(lists, def->examples[i].name);
  }
  if (lists->name_count > PL_MAX_EXAMPLES)
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "the examples have %d different names; at most %d are possible: give examples of different chains "
                   "the same names",
                   lists->name_count, PL_MAX_EXAMPLES);
  // Sorted to their chains, in the order of the def, those with a view before those without.
  int32_t *first = PL_TAKE(arena, int32_t, s->chain_count + 1), *sorted = PL_TAKE(arena, int32_t, n);
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < def->example_count; ++i) first[s->chain_of[def->examples[i].root] + 1]++;
  for (int32_t c = 0; c < s->chain_count; ++c) first[c + 1] += first[c];
  memcpy(lists->start, first, ((size_t)s->chain_count + 1) * sizeof(int32_t));
  for (int pass = 0; pass < 2; ++pass)
    for (int32_t i = 0; i < def->example_count; ++i)
      if ((def->examples[i].extent > 0) == (pass == 0)) sorted[first[s->chain_of[def->examples[i].root]]++] = i;
  for (int32_t c = 0; c < s->chain_count; ++c)
    for (int32_t k = lists->start[c]; k < lists->start[c + 1]; ++k)
      for (int32_t j = lists->start[c]; j < k; ++j)
        if (lists->name_of[sorted[j]] == lists->name_of[sorted[k]])
          return pl_fail(error, PL_ERROR_INVALID_DATA, "two examples of the chain of %s are called \"%s\"",
                         pl_rod_name_of(def, s->roots[c]).text, def->examples[sorted[k]].name);
  memcpy(lists->items, sorted, n * sizeof(int32_t));
  return PL_OK;
}

// --- descriptors

// A pose of one chain in the base's frame: positions relative to the root, orientations.
typedef struct chain_pose {
  pl_vec3 positions[PL_ROD_MAX_JOINTS];
  pl_quat rotations[PL_ROD_MAX_JOINTS];
} chain_pose;

// Orientations for a pose that has only positions: each joint turns as the bone to its first child does, on top of how
// its parent turned, so that no twist comes in; a tip turns as its parent.
static void derive_rotations(const pl_rod_plan *plan, const chain_pose *rest, chain_pose *pose) {
  pl_quat turns[PL_ROD_MAX_JOINTS];
  for (int32_t i = 0; i < plan->joint_count; ++i) {
    turns[i] = i == 0 ? pl_quat_identity() : turns[plan->parents[i]];
    for (int32_t child = i + 1; child < plan->joint_count; ++child) {
      if (plan->parents[child] != i) continue;
      pl_vec3 aim = pl_quat_rotate(turns[i], pl_vec3_sub(rest->positions[child], rest->positions[i]));
      turns[i] =
          pl_quat_multiply(pl_rod_turn_between(aim, pl_vec3_sub(pose->positions[child], pose->positions[i])), turns[i]);
      break;
    }
    pose->rotations[i] = pl_quat_multiply(turns[i], rest->rotations[i]);
  }
}

static void read_rest(const pl_rod_skeleton *s, const pl_rod_batch *batch, int32_t lane, chain_pose *pose) {
  for (int32_t i = 0; i < batch->plan->joint_count; ++i) {
    int32_t joint = batch->joints[LANES * i + lane];
    pose->positions[i] = pl_rod_rest_position(s, joint);
    pose->rotations[i] = pl_rod_rest_rotation(s, joint);
  }
}

static void read_example(const pl_rod_skeleton *s, const pl_rod_batch *batch, int32_t lane, const pl_rod_example *e,
                         const chain_pose *rest, chain_pose *pose) {
  pl_quat back = pl_quat_conjugate(base_rotation(s, e->root));
  pl_vec3 root = s->def->joints[e->root].rest.position;
  for (int32_t i = 0; i < batch->plan->joint_count; ++i) {
    int32_t joint = batch->joints[LANES * i + lane];
    pose->positions[i] = i == 0 ? (pl_vec3){0, 0, 0} : pl_quat_rotate(back, pl_vec3_sub(e->positions[joint], root));
    if (e->rotations != NULL) pose->rotations[i] = pl_quat_multiply(back, pl_quat_normalize(e->rotations[joint]));
  }
  if (e->rotations == NULL) derive_rotations(batch->plan, rest, pose);
}

static pl_vec3 direction_in(const pl_rod_plan *plan, const chain_pose *pose, int32_t i) {
  return pl_vec3_normalize_or(pl_vec3_sub(pose->positions[i], pose->positions[plan->parents[i]]), (pl_vec3){1, 0, 0});
}

static void store_quat(float *to, int32_t joint, int32_t lane, pl_quat q, const float *rest) {
  size_t at = QUAT_LANES * (size_t)joint + (size_t)lane;
  // One hemisphere per joint: that of the rest.
  double side = rest == NULL ? 1
                             : q.x * (double)rest[at] + q.y * (double)rest[at + LANES] +
                                   q.z * (double)rest[at + 2 * LANES] + q.w * (double)rest[at + 3 * LANES];
  if (side < 0) q = pl_quat_scale(q, -1);
  to[at] = (float)q.x;
  to[at + LANES] = (float)q.y;
  to[at + 2 * LANES] = (float)q.z;
  to[at + 3 * LANES] = (float)q.w;
}

// Eqs. 7 and 8. Segments at the root start from a constant direction: their own at rest.
static void store_pose(const pl_rod_batch *batch, int32_t lane, const chain_pose *rest, const chain_pose *pose,
                       float *turns, float *poses, bool is_rest) {
  const pl_rod_plan *plan = batch->plan;
  for (int32_t i = 0; i < plan->joint_count; ++i) {
    pl_quat r = pl_quat_identity();
    if (i > 0) {
      int32_t p = plan->parents[i];
      pl_vec3 from = p == 0 ? direction_in(plan, rest, i) : direction_in(plan, pose, p);
      r = pl_rod_turn_between(from, direction_in(plan, pose, i));
    }
    store_quat(turns, i, lane, r, is_rest ? NULL : batch->turns);
    store_quat(poses, i, lane, pl_quat_normalize(pose->rotations[i]), is_rest ? NULL : batch->poses);
  }
}

// (L^T L)^-1 of eq. 17, with a little on the diagonal: examples may be alike, and chains of a batch may have fewer than
// others.
static void store_inverse_gram(pl_rod_batch *batch, int32_t lane, float *inverse) {
  int32_t n = batch->plan->joint_count, count = batch->example_count;
  double a[PL_MAX_EXAMPLES][2 * PL_MAX_EXAMPLES] = {{0}};
  size_t stride = QUAT_LANES * (size_t)n;
  double trace = 0;
  for (int32_t i = 0; i < count; ++i)
    for (int32_t j = 0; j < count; ++j) {
      for (size_t e = 0; e < stride; e += LANES) {
        double rest = (double)batch->turns[e + (size_t)lane];
        a[i][j] += ((double)batch->turns[(size_t)(i + 1) * stride + e + (size_t)lane] - rest) *
                   ((double)batch->turns[(size_t)(j + 1) * stride + e + (size_t)lane] - rest);
      }
      if (i == j) trace += a[i][i];
    }
  for (int32_t i = 0; i < count; ++i) {
    a[i][i] += 1e-3 * trace + 1e-12;
    a[i][count + i] = 1;
  }
  // Gauss and Jordan; the matrix is positive definite, so no pivoting is needed.
  for (int32_t i = 0; i < count; ++i) {
    double pivot = a[i][i];
    for (int32_t j = 0; j < 2 * count; ++j) a[i][j] /= pivot;
    for (int32_t k = 0; k < count; ++k) {
      double factor = a[k][i];
      for (int32_t j = 0; k != i && j < 2 * count; ++j) a[k][j] -= factor * a[i][j];
    }
  }
  for (int32_t i = 0; i < count; ++i)
    for (int32_t j = 0; j < count; ++j) inverse[LANES * (i * count + j) + lane] = (float)a[i][count + j];
}

// The kernel could not distinguish two views: name them.
static pl_status fail_views(const pl_rod_skeleton *s, const pl_rod_example_lists *lists, int32_t chain, int32_t count,
                            const pl_view_example *views, pl_status status, pl_error *error) {
  if (status != PL_ERROR_INVALID_DATA || count < 2) return status;
  double max = -1, found[PL_MAX_EXAMPLES];
  int32_t a = 0, b = 1;
  for (int32_t i = 0; i < count; ++i) {
    pl_view_similarities(count, views, views[i].direction, found);
    for (int32_t j = i + 1; j < count; ++j)
      if (found[j] > max) max = found[j], a = i, b = j;
  }
  const int32_t *items = lists->items + lists->start[chain];
  return pl_fail(error, status,
                 "examples \"%s\" and \"%s\" of the chain of %s have view directions that are too alike to tell apart; "
                 "move one of "
                 "them, or make their extents smaller",
                 s->def->examples[items[a]].name, s->def->examples[items[b]].name,
                 pl_rod_name_of(s->def, s->roots[chain]).text);
}

static pl_status fill_views(pl_arena *arena, const pl_rod_skeleton *s, const pl_rod_example_lists *lists,
                            pl_rod_batch *batch, pl_error *error) {
  const pl_rod_def *def = s->def;
  size_t count = (size_t)batch->example_count;
  pl_view_example *views = PL_TAKE(arena, pl_view_example, LANES * count);
  int32_t *view_counts = PL_TAKE(arena, int32_t, LANES);
  double *directions = PL_TAKE(arena, double, VEC3_LANES *count), *rates = PL_TAKE(arena, double, LANES *count),
         *fractions = PL_TAKE(arena, double, LANES *count);
  pl_weight_kernel *kernels =
      def->view_rule == PL_ROD_VIEW_INTERPOLATING ? PL_TAKE(arena, pl_weight_kernel, LANES) : NULL;
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t lane = 0; lane < LANES; ++lane) {
    int32_t chain = batch->chains[lane], first = lists->start[chain];
    for (int32_t k = first; k < lists->start[chain + 1]; ++k) {
      const pl_rod_example *e = &def->examples[lists->items[k]];
      if (!(e->extent > 0)) break;
      size_t number = (size_t)view_counts[lane]++;
      pl_vec3 d = pl_vec3_normalize_or(e->direction, (pl_vec3){0, 0, 1});
      views[(size_t)lane * count + number] = (pl_view_example){e->direction, e->extent};
      directions[VEC3_LANES * number + (size_t)lane] = d.x;
      directions[VEC3_LANES * number + LANES + (size_t)lane] = d.y;
      directions[VEC3_LANES * number + 2 * LANES + (size_t)lane] = d.z;
      rates[LANES * number + (size_t)lane] = 1 / e->extent;
      fractions[LANES * number + (size_t)lane] = 1;
    }
    if (kernels == NULL || view_counts[lane] == 0) continue;
    int32_t n = view_counts[lane];
    kernels[lane] = (pl_weight_kernel){n, PL_TAKE(arena, double, (n + 1) * n), PL_TAKE(arena, int32_t, n)};
    if (arena->failed) return pl_fail_memory(error);
    pl_status status = pl_view_kernel_build(n, views + (size_t)lane * count, &kernels[lane], error);
    if (status < 0) return fail_views(s, lists, chain, n, views + (size_t)lane * count, status, error);
  }
  batch->views = views;
  batch->view_directions = directions;
  batch->view_rates = rates;
  batch->view_fractions = fractions;
  batch->view_counts = view_counts;
  batch->kernels = kernels;
  return PL_OK;
}

pl_status pl_rod_examples_fill(pl_arena *arena, const pl_rod_skeleton *s, const pl_rod_example_lists *lists,
                               pl_rod_batch *batch, pl_error *error) {
  int32_t n = batch->plan->joint_count, count = 0;
  for (int32_t lane = 0; lane < LANES; ++lane) {
    int32_t own = lists->start[batch->chains[lane] + 1] - lists->start[batch->chains[lane]];
    count = own > count ? own : count;
  }
  batch->example_count = count;
  size_t stride = QUAT_LANES * (size_t)n;
  float *turns = PL_TAKE(arena, float, (size_t)(count + 1) * stride),
        *poses = PL_TAKE(arena, float, (size_t)(count + 1) * stride);
  float *inverse = PL_TAKE(arena, float, LANES *count *count), *aims = PL_TAKE(arena, float, VEC3_LANES *n);
  int32_t *examples = PL_TAKE(arena, int32_t, LANES * count);
  chain_pose *rest = PL_TAKE(arena, chain_pose, 1), *pose = PL_TAKE(arena, chain_pose, 1);
  if (arena->failed) return pl_fail_memory(error);
  batch->turns = turns;
  batch->poses = poses;
  batch->inverse_grams = inverse;
  batch->aims = aims;
  batch->examples = examples;
  for (int32_t lane = 0; lane < LANES; ++lane) {
    read_rest(s, batch, lane, rest);
    store_pose(batch, lane, rest, rest, turns, poses, true);
    for (int32_t i = 1; i < n; ++i) {
      pl_vec3 d = direction_in(batch->plan, rest, i);
      aims[VEC3_LANES * i + lane] = (float)d.x;
      aims[VEC3_LANES * i + LANES + lane] = (float)d.y;
      aims[VEC3_LANES * i + 2 * LANES + lane] = (float)d.z;
    }
    int32_t first = lists->start[batch->chains[lane]], own = lists->start[batch->chains[lane] + 1] - first;
    for (int32_t k = 0; k < count; ++k) {
      examples[LANES * k + lane] = k < own ? lists->name_of[lists->items[first + k]] : -1;
      if (k < own) read_example(s, batch, lane, &s->def->examples[lists->items[first + k]], rest, pose);
      store_pose(batch, lane, rest, k < own ? pose : rest, turns + (size_t)(k + 1) * stride,
                 poses + (size_t)(k + 1) * stride, false);
    }
    if (count > 0) store_inverse_gram(batch, lane, inverse);
  }
  return fill_views(arena, s, lists, batch, error);
}
