// Strands are prepared: samplings of guides, the nearest guides of each root with their weights, and what each strand
// differs from their mixture at rest.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "pliant/math.h"
#include "rod/rod_build.h"
#include "rod/strands.h"
#include "rod/strands_parameters.h"

pl_strands_def pl_default_strands_def(void) {
  pl_strands_def def = {0};
  pl_parameters_set_defaults(&pl_strands_def_parameters, &def);
  return def;
}

typedef struct draft {
  pl_context *context;
  pl_arena *scratch;
  const pl_rod_model *model;
  const pl_strands_def *def;
  pl_strands *made;
  pl_vec3 *guide_roots, *guide_normals;  // in the frame of the guide's kinematic joint
  pl_vec3 *guide_rests;                  // [guide][points], relative to the root, in that frame
  int32_t *guide_bases;
  float *details;
  double max_detail;  // metres
} draft;

// --- guides

// Catmull and Rom 1974: at t between joints 1 and 2 of four, joints are interpolated.
static void fill_sampling(pl_strands_sampling *sampling, int32_t joint_count, int32_t point_count) {
  sampling->joint_count = joint_count;
  for (int32_t j = 0; j < PL_STRANDS_MAX_POINTS; ++j) {
    int32_t point = j < point_count ? j : point_count - 1;
    double at = (double)point * (joint_count - 1) / (point_count - 1);
    int32_t segment = (int32_t)at < joint_count - 2 ? (int32_t)at : joint_count - 2;
    double t = at - segment;
    double weights[4] = {0.5 * t * (t * (2 - t) - 1), 0.5 * (t * t * (3 * t - 5) + 2), 0.5 * t * (t * (4 - 3 * t) + 1),
                         0.5 * t * t * (t - 1)};
    for (int32_t k = 0; k < 4; ++k) {
      int32_t joint = segment - 1 + k;
      sampling->joints[j][k] = joint < 0 ? 0 : joint >= joint_count ? joint_count - 1 : joint;
      sampling->weights[j][k] = (float)weights[k];
    }
    // Beyond the ends the curve continues straight: p_-1 = 2 p_0 - p_1.
    if (segment == 0) {
      sampling->weights[j][1] += 2 * sampling->weights[j][0];
      sampling->weights[j][2] -= sampling->weights[j][0];
      sampling->weights[j][0] = 0;
    }
    if (segment == joint_count - 2) {
      sampling->weights[j][2] += 2 * sampling->weights[j][3];
      sampling->weights[j][1] -= sampling->weights[j][3];
      sampling->weights[j][3] = 0;
    }
  }
}

static bool is_line(const pl_rod_plan *plan) {
  for (int32_t i = 1; i < plan->joint_count; ++i)
    if (plan->parents[i] != i - 1) return false;
  return plan->joint_count >= 2;
}

static void add_guide(draft *d, int32_t chain, int32_t slot, pl_strands_guide *guides, pl_strands_sampling *samplings) {
  const pl_rod_model *model = d->model;
  const pl_rod_batch *batch = &model->batches[slot / LANES];
  pl_strands *made = d->made;
  int32_t lane = slot % LANES, n = batch->plan->joint_count, number = made->guide_count++, sampling = 0;
  while (sampling < made->sampling_count && samplings[sampling].joint_count != n) ++sampling;
  if (sampling == made->sampling_count) fill_sampling(&samplings[made->sampling_count++], n, d->def->points);
  guides[number] = (pl_strands_guide){slot, sampling};
  pl_transform base = model->rests[model->kinematic_joints[batch->bases[lane]]];
  pl_quat to_base = pl_quat_conjugate(base.rotation);
  pl_vec3 joints[PL_ROD_MAX_JOINTS], root = batch->root_offsets[lane];
  for (int32_t i = 0; i < n; ++i)
    joints[i] =
        pl_vec3_sub(pl_transform_apply_inverse(base, model->rests[batch->joints[LANES * i + lane]].position), root);
  for (int32_t j = 0; j < d->def->points; ++j)
    d->guide_rests[(size_t)number * (size_t)d->def->points + (size_t)j] =
        pl_strands_sample(&samplings[sampling], j, joints);
  d->guide_roots[number] = root;
  d->guide_bases[number] = batch->bases[lane];
  d->guide_normals[number] =
      d->def->guide_normals != NULL ? pl_quat_rotate(to_base, d->def->guide_normals[chain]) : joints[1];
}

static pl_status take_guides(draft *d, pl_error *error) {
  const pl_rod_model *model = d->model;
  pl_strands *made = d->made;
  size_t chains = (size_t)model->chain_count, points = chains * (size_t)d->def->points;
  pl_strands_guide *guides = PL_TAKE(&made->arena, pl_strands_guide, chains);
  pl_strands_sampling *samplings = PL_TAKE(&made->arena, pl_strands_sampling, PL_ROD_MAX_JOINTS);
  d->guide_roots = PL_TAKE(d->scratch, pl_vec3, chains);
  d->guide_normals = PL_TAKE(d->scratch, pl_vec3, chains);
  d->guide_bases = PL_TAKE(d->scratch, int32_t, chains);
  d->guide_rests = PL_TAKE(d->scratch, pl_vec3, points);
  if (made->arena.failed || d->scratch->failed) return pl_fail_memory(error);
  for (int32_t chain = 0; chain < model->chain_count; ++chain) {
    int32_t slot = model->slot_of_chain[chain];
    if (is_line(model->batches[slot / LANES].plan)) add_guide(d, chain, slot, guides, samplings);
  }
  made->guides = guides;
  made->samplings = samplings;
  size_t floats = (size_t)made->guide_count * PL_STRANDS_COLUMNS * (size_t)made->row_points;
  made->curves = PL_TAKE(&made->arena, float, floats < LANES ? LANES : floats);
  return made->arena.failed ? pl_fail_memory(error) : PL_OK;
}

// --- strands

// The nearest guides on the same joint, nearest first, and the distance of the next one. Returns their number.
static int32_t find_nearest(const draft *d, int32_t base, pl_vec3 root, int32_t *nearest, double *distances,
                            double *next) {
  int32_t max = d->def->neighbours, count = 0;
  *next = HUGE_VAL;
  for (int32_t g = 0; g < d->made->guide_count; ++g) {
    if (d->guide_bases[g] != base) continue;
    double distance = pl_vec3_distance(root, d->guide_roots[g]);
    if (count == max && !(distance < distances[max - 1])) {
      *next = fmin(*next, distance);
      continue;
    }
    if (count == max) *next = fmin(*next, distances[max - 1]);
    int32_t k = count < max ? count++ : max - 1;
    for (; k > 0 && distances[k - 1] > distance; --k) {
      distances[k] = distances[k - 1];
      nearest[k] = nearest[k - 1];
    }
    distances[k] = distance;
    nearest[k] = g;
  }
  return count;
}

// Franke and Nielson 1980: w = ((R - d) / (R d))², R the distance of the first guide that is not followed. Weights go
// to zero there, so that neighbouring strands follow the same guides nearly alike, and to 1 at the root of a guide.
static void find_weights(int32_t count, const double *distances, double next, float *weights) {
  double values[PL_STRANDS_MAX_NEIGHBOURS], sum = 0;
  for (int32_t k = 0; k < count; ++k) {
    double distance = fmax(distances[k], 1e-9), near = isfinite(next) ? (next - distance) / next : 1;
    values[k] = near * near / (distance * distance);
    sum += values[k];
  }
  for (int32_t k = 0; k < count; ++k) weights[k] = sum > 0 ? (float)(values[k] / sum) : (k == 0 ? 1.0f : 0.0f);
}

static pl_status check_root(const draft *d, int32_t strand, pl_error *error) {
  const pl_strand_root *root = &d->def->roots[strand];
  if (root->joint < 0 || root->joint >= d->model->joint_count || d->model->kinematic_of_joint[root->joint] < 0)
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "roots", "joint %d of strand %d is not kinematic", root->joint,
                         strand);
  if (!pl_vec3_is_finite(root->position) || !pl_vec3_is_finite(root->normal))
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "roots", "the root of strand %d is not finite", strand);
  for (int32_t j = 0; d->def->rests != NULL && j < d->def->points; ++j)
    if (!pl_vec3_is_finite(d->def->rests[(size_t)strand * (size_t)d->def->points + (size_t)j]))
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, "rests", "point %d of strand %d is not finite", j, strand);
  return PL_OK;
}

// How a guide's shape is turned on its way to a strand.
static pl_quat turn_to(const draft *d, int32_t strand, int32_t guide, pl_quat to_base) {
  pl_vec3 normal = pl_quat_rotate(to_base, d->def->roots[strand].normal), from = d->guide_normals[guide];
  if (!(pl_vec3_length(normal) > 0) || !(pl_vec3_length(from) > 0)) return pl_quat_identity();
  return pl_rod_turn_between(from, normal);
}

// d_j of strands_kernel.h, in the frame of the kinematic joint.
static void find_detail(draft *d, int32_t strand, pl_transform base, const int32_t *nearest, const float *weights) {
  pl_strands *made = d->made;
  size_t points = (size_t)d->def->points, n = (size_t)made->row_points;
  float *to = d->details + (size_t)strand * 3 * n;
  for (size_t j = 0; j < n; ++j) {
    size_t point = j < points ? j : points - 1;
    pl_vec3 mixed = {0, 0, 0}, rest = {0, 0, 0};
    for (int32_t k = 0; k < made->def.neighbours; ++k) {
      pl_vec3 guide = d->guide_rests[(size_t)nearest[k] * points + point];
      pl_quat turn = turn_to(d, strand, nearest[k], pl_quat_conjugate(base.rotation));
      mixed = pl_vec3_add_scaled(mixed, guide, (double)weights[k]);
      rest = pl_vec3_add_scaled(rest, pl_quat_rotate(turn, guide), (double)weights[k]);
    }
    if (d->def->rests != NULL)
      rest = pl_vec3_sub(pl_transform_apply_inverse(base, d->def->rests[(size_t)strand * points + point]),
                         made->roots[strand]);
    pl_vec3 detail = pl_vec3_sub(rest, mixed);
    to[j] = (float)detail.x;
    to[n + j] = (float)detail.y;
    to[2 * n + j] = (float)detail.z;
    d->max_detail = fmax(d->max_detail, pl_vec3_length(detail));
  }
}

static pl_status take_strands(draft *d, pl_error *error) {
  pl_strands *made = d->made;
  const pl_rod_model *model = d->model;
  size_t count = (size_t)made->strand_count, followed = count * (size_t)made->def.neighbours;
  int32_t *neighbours = PL_TAKE(&made->arena, int32_t, followed), *bases = PL_TAKE(&made->arena, int32_t, count);
  float *weights = PL_TAKE(&made->arena, float, followed);
  pl_vec3 *roots = PL_TAKE(&made->arena, pl_vec3, count);
  d->details = PL_TAKE(&made->arena, float, count * 3 * (size_t)made->row_points + LANES);
  if (made->arena.failed) return pl_fail_memory(error);
  made->neighbours = neighbours;
  made->weights = weights;
  made->bases = bases;
  made->roots = roots;
  for (int32_t i = 0; i < made->strand_count; ++i) {
    pl_status status = check_root(d, i, error);
    if (status < 0) return status;
    const pl_strand_root *root = &d->def->roots[i];
    pl_transform base = model->rests[root->joint];
    bases[i] = model->kinematic_of_joint[root->joint];
    roots[i] = pl_transform_apply_inverse(base, root->position);
    double distances[PL_STRANDS_MAX_NEIGHBOURS], next;
    int32_t *nearest = neighbours + (size_t)i * (size_t)made->def.neighbours;
    float *own = weights + (size_t)i * (size_t)made->def.neighbours;
    int32_t found = find_nearest(d, bases[i], roots[i], nearest, distances, &next);
    if (found == 0)
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, "roots",
                           "no chain without branches grows from joint %d of strand %d", root->joint, i);
    find_weights(found, distances, next, own);
    // Fewer guides than wanted: the first once more, with no weight.
    for (int32_t k = found; k < made->def.neighbours; ++k) nearest[k] = nearest[0];
    find_detail(d, i, base, nearest, own);
  }
  made->details = d->max_detail > 0 ? d->details : NULL;
  return PL_OK;
}

// --- the surface

static pl_status take_triangles(pl_strands *made, pl_error *error) {
  int32_t sides = made->def.sides, points = made->def.points, bands = sides == 2 ? 1 : sides;
  if ((int64_t)made->strand_count * points * sides * 6 > INT32_MAX)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "%d strands of %d points are too many", made->strand_count, points);
  size_t per_strand = 2 * (size_t)bands * (size_t)(points - 1);
  int32_t *triangles = PL_TAKE(&made->arena, int32_t, 3 * per_strand * (size_t)made->strand_count), *to = triangles;
  if (triangles == NULL) return pl_fail_memory(error);
  for (int32_t strand = 0; strand < made->strand_count; ++strand)
    for (int32_t j = 0; j + 1 < points; ++j)
      for (int32_t k = 0; k < bands; ++k) {
        int32_t lower = (strand * points + j) * sides, upper = lower + sides, next = (k + 1) % sides;
        const int32_t corners[6] = {lower + k, upper + k, lower + next, lower + next, upper + k, upper + next};
        memcpy(to, corners, sizeof corners);
        to += 6;
      }
  made->triangles = triangles;
  return PL_OK;
}

// --- all

static pl_status check_def(const pl_model *model, const pl_strands_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_strands_def_parameters, def, error);
  if (status < 0) return status;
  if (pl_rod_get_report(model).joint_count == 0)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "strands follow the chains of a rod; this model is of another method");
  if (def->strand_count < 0 || (def->strand_count > 0 && def->roots == NULL))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "roots", "%d strands need as many roots", def->strand_count);
  return PL_OK;
}

pl_status pl_strands_create(pl_context *context, const pl_model *model, const pl_strands_def *def, pl_strands **strands,
                            pl_error *error) {
  *strands = NULL;
  pl_status status = check_def(model, def, error);
  if (status < 0) return status;
  pl_arena arena, scratch;
  pl_arena_init(&arena, context, 0);
  pl_strands *made = PL_TAKE(&arena, pl_strands, 1);
  if (made == NULL) return pl_fail_memory(error);
  *made = (pl_strands){.context = context,
                       .arena = arena,
                       .model = (const pl_rod_model *)model,
                       .def = *def,
                       .strand_count = def->strand_count,
                       .row_points = (def->points + LANES - 1) / LANES * LANES};
  made->def.roots = NULL;
  made->def.rests = NULL;
  made->def.guide_normals = NULL;
  pl_scratch_init(&made->scratch, context);
  pl_arena_init(&scratch, context, 0);
  draft d = {.context = context, .scratch = &scratch, .model = made->model, .def = def, .made = made};
  status = take_guides(&d, error);
  if (status >= 0) status = take_strands(&d, error);
  if (status >= 0) status = take_triangles(made, error);
  pl_arena_destroy(&scratch);
  if (status < 0) {
    pl_strands_destroy(made);
    return status;
  }
  *strands = made;
  return PL_OK;
}

void pl_strands_destroy(pl_strands *strands) {
  if (strands == NULL) return;
  pl_scratch_destroy(&strands->scratch);
  pl_arena_destroy(&strands->arena);
}

pl_strands_report pl_strands_get_report(const pl_strands *strands) {
  int32_t points = strands->def.points, sides = strands->def.sides, bands = sides == 2 ? 1 : sides;
  return (pl_strands_report){.strand_count = strands->strand_count,
                             .point_count = points,
                             .guide_count = strands->guide_count,
                             .surface_point_count = strands->strand_count * points * sides,
                             .surface_triangle_count = strands->strand_count * (points - 1) * 2 * bands};
}

const int32_t *pl_strands_get_surface_triangles(const pl_strands *strands) {
  return strands->triangles;
}
