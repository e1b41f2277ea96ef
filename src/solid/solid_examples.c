// From example poses to what the step needs of them (paper 000, §4.1 and §4.3), in double precision.
//
//   S_k   right stretch of A in the example's pose, per region
//   L_k   S_k - 1 as six numbers, off-diagonals times sqrt2
//   G     L^T L over the regions of a manifold
//   u     hold: what the averaged goals miss in the example's pose
//
// Holds. In the pose of an example every region's goal is its best affine fit, and the average of overlapping fits is
// not the pose unless it is affine: a twist or a bend relaxes even with beta = 1. So the missing part e_i = x_i - g_i
// is stored for each particle in the frame of its own region, u_i = M_i^-1 e_i, and the step adds w_k M_i u_i. In the
// example's pose the goals are then exact. Elsewhere their net force and torque are taken out together with the
// rounding errors.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "examples/simplex_weights.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "solid/solid_model.h"

static const double ROOT2 = 1.41421356237309504880;

// Stretch of every region in one pose, and the affine maps of their goals there.
typedef struct region_fit {
  pl_mat3 stretch;  // S
  pl_mat3 map;      // M = R* S
  pl_vec3 shift;    // c - M c0
} region_fit;

typedef struct builder {
  pl_context *context;
  pl_solid_model *model;
  const pl_mesh_view *mesh;
  region_fit *fits;  // particle_count, of the pose at hand …
  pl_vec3 *pose;     // … and the pose itself, by particle
} builder;

static double fraction_of(const pl_solid_model *model, int32_t particle) {
  return (double)model->weighted_rest[particle][3];
}

static pl_mat3 inverse_spread_of(const pl_solid_model *model, int32_t region) {
  const float *s = model->examples.inverse_spreads + (size_t)(region / LANES) * SYM3_LANES + (size_t)(region % LANES);
  double xx = (double)s[0], yy = (double)s[LANES], zz = (double)s[2 * LANES], yz = (double)s[3 * LANES],
         xz = (double)s[4 * LANES], xy = (double)s[5 * LANES];
  return (pl_mat3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}

// Rest positions relative to the body's centre, as the step has them.
static pl_vec3 rest_of(const builder *b, int32_t particle) {
  return pl_vec3_sub(b->mesh->points[b->model->order.point_of[particle]], b->model->rest_center);
}

static void fit_region(const builder *b, const pl_vec3 *pose, int32_t r, region_fit *fit) {
  const pl_solid_model *model = b->model;
  double mass = 0;
  pl_vec3 c = {0, 0, 0}, c0 = {0, 0, 0};
  for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
    int32_t i = model->region_particles[e];
    mass += fraction_of(model, i);
    c = pl_vec3_add_scaled(c, pose[i], fraction_of(model, i));
    c0 = pl_vec3_add_scaled(c0, rest_of(b, i), fraction_of(model, i));
  }
  c = pl_vec3_scale(c, 1 / mass);
  c0 = pl_vec3_scale(c0, 1 / mass);
  pl_mat3 moments = pl_mat3_zero();
  for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
    int32_t i = model->region_particles[e];
    pl_mat3 term = pl_mat3_outer(pl_vec3_sub(pose[i], c), pl_vec3_sub(rest_of(b, i), c0));
    moments = pl_mat3_add(moments, pl_mat3_scale(term, fraction_of(model, i)));
  }
  double scale =
      (double)model->region_constants[((size_t)(r / LANES) * PL_SOLID_CONSTANT_COUNT + PL_SOLID_SCALE) * LANES +
                                      (size_t)(r % LANES)];
  moments = pl_mat3_scale(moments, scale);
  pl_mat3 a = pl_mat3_multiply(moments, inverse_spread_of(model, r));
  pl_quat rotation = pl_rotation_of_mat3(a, pl_quat_identity());
  fit->stretch = pl_right_stretch(a, rotation);
  pl_quat goal = pl_rotation_of_mat3(pl_mat3_multiply(moments, fit->stretch), rotation);
  fit->map = pl_mat3_multiply(pl_mat3_from_quat(goal), fit->stretch);
  fit->shift = pl_vec3_sub(c, pl_mat3_apply(fit->map, c0));
}

static void store_descriptor(const region_fit *fit, float *descriptor) {
  const double(*s)[3] = (const double(*)[3])fit->stretch.m;
  const double six[6] = {s[0][0] - 1, s[1][1] - 1, s[2][2] - 1, ROOT2 * s[1][2], ROOT2 * s[0][2], ROOT2 * s[0][1]};
  for (int i = 0; i < 6; ++i) descriptor[LANES * i] = (float)six[i];
}

static void store_holds(const builder *b, const pl_vec3 *pose, int32_t example, pl_f4 *holds) {
  const pl_solid_model *model = b->model;
  for (int32_t i = 0; i < model->head.particle_count; ++i) {
    pl_vec3 goal = {0, 0, 0}, rest = rest_of(b, i);
    int32_t begin = model->particle_start[i], end = model->particle_start[i + 1];
    for (int32_t e = begin; e < end; ++e) {
      const region_fit *fit = &b->fits[model->particle_regions[e]];
      goal = pl_vec3_add_scaled(goal, pl_vec3_add(pl_mat3_apply(fit->map, rest), fit->shift), 1.0 / (end - begin));
    }
    // A region squeezed flat in the example has no frame to store the rest in; it goes without.
    pl_mat3 map = b->fits[i].map;
    double determinant = pl_mat3_determinant(map), size = pl_mat3_norm(map);
    if (!(fabs(determinant) > 1e-4 * size * size * size)) continue;
    pl_vec3 hold = pl_mat3_apply(pl_mat3_inverse(map), pl_vec3_sub(pose[i], goal));
    holds[(size_t)i * (size_t)model->examples.count + (size_t)example] = pl_f4_of_vec3(hold);
  }
}

static pl_status describe_poses(builder *b, const pl_solid_def *def, float *descriptors, pl_f4 *holds,
                                pl_error *error) {
  pl_solid_model *model = b->model;
  int32_t n = model->head.particle_count;
  for (int32_t k = 0; k < def->example_count; ++k) {
    for (int32_t i = 0; i < n; ++i) {
      b->pose[i] = def->examples[k].points[model->order.point_of[i]];
      if (!pl_vec3_is_finite(b->pose[i]))
        return pl_fail(error, PL_ERROR_INVALID_DATA, "example \"%s\": point %d is not finite", def->examples[k].name,
                       model->order.point_of[i]);
    }
    for (int32_t r = 0; r < n; ++r) {
      fit_region(b, b->pose, r, &b->fits[r]);
      store_descriptor(&b->fits[r], descriptors +
                                        ((size_t)(r / LANES) * (size_t)def->example_count + (size_t)k) * SYM3_LANES +
                                        (size_t)(r % LANES));
    }
    if (holds != NULL) store_holds(b, b->pose, k, holds);
  }
  return PL_OK;
}

// <L_k, L_l> of one region.
static double likeness(const pl_solid_examples *examples, int32_t region, int32_t k, int32_t l) {
  const float *base = examples->descriptors + (size_t)(region / LANES) * (size_t)examples->count * SYM3_LANES +
                      (size_t)(region % LANES);
  double sum = 0;
  for (int i = 0; i < 6; ++i)
    sum += (double)base[SYM3_LANES * k + LANES * i] * (double)base[SYM3_LANES * l + LANES * i];
  return sum;
}

static void fill_grams(const pl_solid_model *model, double *grams) {
  const pl_solid_examples *examples = &model->examples;
  int32_t n = examples->count, regions = model->head.particle_count;
  for (int32_t r = 0; r < regions; ++r)
    for (int32_t m = 0; m < examples->manifold_count; ++m) {
      if (examples->grouping == PL_SOLID_BY_REGION && m != r) continue;
      double fraction = examples->fractions != NULL
                            ? (double)examples->fractions[(size_t)m * (size_t)model->group_count * LANES + (size_t)r]
                            : 1.0;
      for (int32_t k = 0; fraction > 0 && k < n; ++k)
        for (int32_t l = 0; l < n; ++l)
          grams[((size_t)m * (size_t)n + (size_t)k) * (size_t)n + (size_t)l] += fraction * likeness(examples, r, k, l);
    }
}

// The Gram matrices once more, for the kernel that solves eight regions at once.
static bool fill_small_grams(pl_solid_model *model) {
  pl_solid_examples *examples = &model->examples;
  int32_t n = examples->count;
  float *small = PL_TAKE(&model->head.arena, float, (size_t)model->group_count *GRAM_LANES);
  for (int32_t r = 0; small != NULL && r < model->head.particle_count; ++r) {
    const double *gram = examples->grams + (size_t)r * (size_t)(n * n);
    float *to = small + (size_t)(r / LANES) * GRAM_LANES + (size_t)(r % LANES);
    to[0] = (float)gram[0];
    to[LANES] = n == 2 ? (float)gram[1] : 0;
    to[2 * LANES] = n == 2 ? (float)gram[3] : 0;
  }
  examples->small_grams = small;
  return small != NULL;
}

// How much each region belongs to each group; what exceeds 1 in all is divided out.
static bool fill_fractions(pl_arena *arena, const pl_solid_def *def, pl_solid_model *model) {
  size_t padded = (size_t)model->group_count * LANES;
  float *fractions = PL_TAKE(arena, float, (size_t)def->group_count *padded);
  const char **names = PL_TAKE(arena, const char *, def->group_count);
  if (fractions == NULL || names == NULL) return false;
  for (int32_t r = 0; r < model->head.particle_count; ++r) {
    float sum = 0;
    for (int32_t m = 0; m < def->group_count; ++m) sum += fmaxf(def->groups[m].weights[model->order.point_of[r]], 0);
    for (int32_t m = 0; m < def->group_count; ++m)
      fractions[(size_t)m * padded + (size_t)r] =
          fmaxf(def->groups[m].weights[model->order.point_of[r]], 0) / fmaxf(sum, 1);
  }
  for (int32_t m = 0; m < def->group_count; ++m) names[m] = pl_arena_copy_text(arena, def->groups[m].name);
  model->examples.fractions = fractions;
  model->examples.group_names = names;
  return !arena->failed;
}

// Inverse of sum w q q^T of every region, scaled as the moments are. A direction in which the region hardly extends is
// given some extent, so that noise in it is not blown up.
static void fill_inverse_spreads(const builder *b, float *spreads) {
  const pl_solid_model *model = b->model;
  for (int32_t r = 0; r < LANES * model->group_count; ++r) {
    float *to = spreads + (size_t)(r / LANES) * SYM3_LANES + (size_t)(r % LANES);
    const float *constants =
        model->region_constants + (size_t)(r / LANES) * PL_SOLID_CONSTANT_COUNT * LANES + (size_t)(r % LANES);
    pl_mat3 inverse = pl_mat3_identity();
    if (r < model->head.particle_count) {
      pl_vec3 c0 = {(double)constants[LANES * PL_SOLID_CENTER], (double)constants[LANES * (PL_SOLID_CENTER + 1)],
                    (double)constants[LANES * (PL_SOLID_CENTER + 2)]};
      pl_mat3 spread = pl_mat3_zero(), vectors;
      for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
        int32_t i = model->region_particles[e];
        pl_vec3 q = pl_vec3_sub(rest_of(b, i), c0);
        spread = pl_mat3_add(spread, pl_mat3_scale(pl_mat3_outer(q, q), fraction_of(model, i)));
      }
      spread = pl_mat3_scale(spread, (double)constants[LANES * PL_SOLID_SCALE]);
      pl_vec3 values;
      pl_symmetric_eigen(spread, &values, &vectors);
      double min = 1e-3 * values.x;
      pl_mat3 inverted = pl_mat3_diagonal(1 / fmax(values.x, min), 1 / fmax(values.y, min), 1 / fmax(values.z, min));
      inverse = pl_mat3_multiply(pl_mat3_multiply(vectors, inverted), pl_mat3_transpose(vectors));
    }
    const double six[6] = {inverse.m[0][0], inverse.m[1][1], inverse.m[2][2],
                           inverse.m[1][2], inverse.m[0][2], inverse.m[0][1]};
    for (int i = 0; i < 6; ++i) to[LANES * i] = (float)six[i];
  }
}

static pl_status take_arrays(const pl_solid_def *def, pl_solid_model *model, float **descriptors, float **spreads,
                             double **grams, double **inverses, pl_f4 **holds, pl_error *error) {
  pl_arena *arena = &model->head.arena;
  pl_solid_examples *examples = &model->examples;
  size_t n = (size_t)def->example_count, groups = (size_t)model->group_count,
         manifolds = (size_t)examples->manifold_count;
  const char **names = PL_TAKE(arena, const char *, n);
  for (size_t k = 0; names != NULL && k < n; ++k) names[k] = pl_arena_copy_text(arena, def->examples[k].name);
  examples->names = names;
  *descriptors = PL_TAKE(arena, float, groups *n *SYM3_LANES);
  *spreads = PL_TAKE(arena, float, groups *SYM3_LANES);
  *grams = PL_TAKE(arena, double, manifolds *n *n);
  if (def->weight_rule == PL_SOLID_WEIGHTS_PAPER) *inverses = PL_TAKE(arena, double, manifolds *n *n);
  if (def->hold_examples && def->goal_rotation == PL_SOLID_ROTATION_CONSERVING)
    *holds = PL_TAKE(arena, pl_f4, (size_t)model->head.particle_count * n);
  bool shared = def->grouping != PL_SOLID_BY_GROUP || fill_fractions(arena, def, model);
  return arena->failed || !shared ? pl_fail_memory(error) : PL_OK;
}

pl_status pl_solid_examples_build(pl_context *context, const pl_solid_def *def, const pl_mesh *mesh,
                                  pl_solid_model *model, pl_error *error) {
  pl_solid_examples *examples = &model->examples;
  *examples = (pl_solid_examples){.count = def->example_count,
                                  .grouping = def->grouping,
                                  .weight_rule = def->weight_rule,
                                  .goal_rotation = def->goal_rotation,
                                  .fidelity = def->fidelity,
                                  .plastic_threshold = def->plastic_threshold,
                                  .plastic_rate = def->plastic_rate};
  if (def->example_count == 0) {
    examples->goal_rotation = PL_SOLID_ROTATION_CONSERVING;
    examples->plastic_threshold = 0;
    return PL_OK;
  }
  examples->manifold_count = def->grouping == PL_SOLID_BY_REGION  ? model->head.particle_count
                             : def->grouping == PL_SOLID_BY_GROUP ? def->group_count
                                                                  : 1;
  float *descriptors = NULL, *spreads = NULL;
  double *grams = NULL, *inverses = NULL;
  pl_f4 *holds = NULL;
  pl_status status = take_arrays(def, model, &descriptors, &spreads, &grams, &inverses, &holds, error);
  if (status < 0) return status;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  builder b = {context, model, &view,
               pl_allocate_array(context, (size_t)model->head.particle_count, sizeof(region_fit)), NULL};
  b.pose = pl_allocate_array(context, (size_t)model->head.particle_count, sizeof(pl_vec3));
  if (b.fits == NULL || b.pose == NULL) {
    pl_release(context, b.fits);
    pl_release(context, b.pose);
    return pl_fail_memory(error);
  }
  fill_inverse_spreads(&b, spreads);
  examples->inverse_spreads = spreads;
  status = describe_poses(&b, def, descriptors, holds, error);
  pl_release(context, b.fits);
  pl_release(context, b.pose);
  if (status < 0) return status;
  examples->descriptors = descriptors;
  examples->holds = holds;
  fill_grams(model, grams);
  examples->grams = grams;
  bool is_small = def->grouping == PL_SOLID_BY_REGION && def->example_count <= 2 &&
                  def->weight_rule == PL_SOLID_WEIGHTS_EXACT && def->plastic_threshold == 0;
  if (is_small && !fill_small_grams(model)) return pl_fail_memory(error);
  size_t square = (size_t)(def->example_count * def->example_count);
  for (size_t m = 0; inverses != NULL && m < (size_t)examples->manifold_count; ++m)
    pl_simplex_pseudo_inverse(def->example_count, grams + m * square, PL_SIMPLEX_CUTOFF, inverses + m * square);
  examples->pseudo_inverses = inverses;
  return PL_OK;
}
