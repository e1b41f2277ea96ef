// From example poses to what the step needs of them (paper 000, §4.1 and §4.3), in double precision.
//
//   d_ik  what example k adds to the rest offset q_i of a particle in a region
//   S_k   right stretch of A in the example's pose, per region
//   L_k   S_k - 1 as six numbers, off-diagonals times sqrt2
//   G     sum over the regions of a manifold of sum m~ d_k . d_l: the metric of the energy (solid_step.c)
//
// With holds an example is stored exactly: d_ik = R_k^T p_ik - q_i, with the rotation R_k that brings the pose nearest
// to the rest. Then every region fits the pose without remainder, the energy there is zero, and the pose is a minimum,
// whatever other examples there are. Without holds d_ik = (S_k - 1) q_i, the affine part: less memory and time, but the
// overlapping fits of a twist or a bend do not agree, and the body leaves it even with beta = 1.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "examples/simplex_weights.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "solid/solid_model.h"

static const double ROOT2 = 1.41421356237309504880;

// How a region turns and stretches in one pose.
typedef struct region_fit {
  pl_mat3 stretch;   // S
  pl_mat3 rotation;  // R_k, nearest to sum m~ p q^T
  pl_vec3 center;    // c
} region_fit;

typedef struct builder {
  pl_context *context;
  pl_solid_model *model;
  const pl_mesh_view *mesh;
  pl_vec3 *pose;                              // the pose at hand, by particle
  float *descriptors, *templates, *products;  // as in the model; descriptors or the other two
} builder;

static double fraction_of(const pl_solid_model *model, int32_t particle) {
  return (double)model->rest[particle][3];
}

static double constant_of(const pl_solid_model *model, int32_t region, int32_t row) {
  return (double)model->region_constants[((size_t)(region / LANES) * PL_SOLID_CONSTANT_COUNT + (size_t)row) * LANES +
                                         (size_t)(region % LANES)];
}

static pl_vec3 rest_center_of(const pl_solid_model *model, int32_t region) {
  return (pl_vec3){constant_of(model, region, PL_SOLID_CENTER), constant_of(model, region, PL_SOLID_CENTER + 1),
                   constant_of(model, region, PL_SOLID_CENTER + 2)};
}

static pl_mat3 symmetric_at(const float *rows, int32_t region) {
  const float *s = rows + (size_t)(region / LANES) * SYM3_LANES + (size_t)(region % LANES);
  double xx = (double)s[0], yy = (double)s[LANES], zz = (double)s[2 * LANES], yz = (double)s[3 * LANES],
         xz = (double)s[4 * LANES], xy = (double)s[5 * LANES];
  return (pl_mat3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}

static void store_symmetric(float *rows, int32_t region, pl_mat3 a) {
  float *to = rows + (size_t)(region / LANES) * SYM3_LANES + (size_t)(region % LANES);
  const double six[6] = {a.m[0][0], a.m[1][1], a.m[2][2], a.m[1][2], a.m[0][2], a.m[0][1]};
  for (int i = 0; i < 6; ++i) to[LANES * i] = (float)six[i];
}

// Rest positions relative to the body's centre, as the step has them.
static pl_vec3 rest_of(const builder *b, int32_t particle) {
  return pl_vec3_sub(b->mesh->points[b->model->order.point_of[particle]], b->model->rest_center);
}

// Directions in which the region hardly extends are given some extent, so that noise in them is not blown up.
static pl_mat3 inverse_of_spread(pl_mat3 spread) {
  pl_vec3 values;
  pl_mat3 vectors;
  pl_symmetric_eigen(spread, &values, &vectors);
  double min = 1e-3 * values.x;
  pl_mat3 inverted = pl_mat3_diagonal(1 / fmax(values.x, min), 1 / fmax(values.y, min), 1 / fmax(values.z, min));
  return pl_mat3_multiply(pl_mat3_multiply(vectors, inverted), pl_mat3_transpose(vectors));
}

static region_fit fit_region(const builder *b, int32_t r) {
  const pl_solid_model *model = b->model;
  region_fit fit = {.center = {0, 0, 0}};
  double mass = 0;
  for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
    int32_t i = model->region_particles[e];
    mass += fraction_of(model, i);
    fit.center = pl_vec3_add_scaled(fit.center, b->pose[i], fraction_of(model, i));
  }
  fit.center = pl_vec3_scale(fit.center, 1 / mass);
  pl_vec3 c0 = rest_center_of(model, r);
  pl_mat3 moments = pl_mat3_zero();
  for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
    int32_t i = model->region_particles[e];
    pl_mat3 term = pl_mat3_outer(pl_vec3_sub(b->pose[i], fit.center), pl_vec3_sub(rest_of(b, i), c0));
    moments = pl_mat3_add(moments, pl_mat3_scale(term, fraction_of(model, i)));
  }
  moments = pl_mat3_scale(moments, constant_of(model, r, PL_SOLID_SCALE));
  fit.rotation = pl_mat3_from_quat(pl_rotation_of_mat3(moments, pl_quat_identity()));
  pl_mat3 a = pl_mat3_multiply(moments, inverse_of_spread(symmetric_at(model->examples.spreads, r)));
  fit.stretch = pl_right_stretch(a, pl_rotation_of_mat3(a, pl_quat_identity()));
  return fit;
}

static void store_descriptor(const region_fit *fit, float *descriptor) {
  const double(*s)[3] = (const double(*)[3])fit->stretch.m;
  const double six[6] = {s[0][0] - 1, s[1][1] - 1, s[2][2] - 1, ROOT2 * s[1][2], ROOT2 * s[0][2], ROOT2 * s[0][1]};
  for (int i = 0; i < 6; ++i) descriptor[LANES * i] = (float)six[i];
}

// What an example adds to the rest offset of entry e of region r.
static pl_vec3 difference_of(const builder *b, const region_fit *fit, int32_t r, int32_t e) {
  int32_t i = b->model->region_particles[e];
  pl_vec3 q = pl_vec3_sub(rest_of(b, i), rest_center_of(b->model, r));
  pl_mat3 back = pl_mat3_transpose(fit->rotation);
  return pl_vec3_sub(pl_mat3_apply(back, pl_vec3_sub(b->pose[i], fit->center)), q);
}

// Whether an example deforms a region at all: by more than this fraction of the region's size. Less is what fitting a
// pose leaves in parts that it only moves.
static const double MIN_DIFFERENCE = 3e-5;

static bool deforms(const builder *b, const region_fit *fit, int32_t r) {
  const pl_solid_model *model = b->model;
  double square = 0, size = 3 / constant_of(model, r, PL_SOLID_SCALE);  // sum w |q|^2
  for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
    pl_vec3 d = difference_of(b, fit, r, e);
    square += fraction_of(model, model->region_particles[e]) * pl_vec3_dot(d, d);
  }
  return square > MIN_DIFFERENCE * MIN_DIFFERENCE * size;
}

// Where an example stands among the active ones of a group; -1: it is not.
static int32_t slot_of(const pl_solid_examples *examples, int32_t group, int32_t example) {
  for (int32_t slot = examples->active_start[group]; slot < examples->active_start[group + 1]; ++slot)
    if (examples->actives[slot] == example) return slot;
  return -1;
}

// The first of the three numbers, a row apart, of the index-th particle of a region for the j-th active example of its
// group.
static size_t template_index(const pl_solid_model *model, int32_t region, int32_t index, int32_t j) {
  int32_t group = region / LANES;
  int32_t active_count = model->examples.active_start[group + 1] - model->examples.active_start[group];
  return model->examples.template_start[group] + (size_t)(index * active_count + j) * VEC3_LANES +
         (size_t)(region % LANES);
}

// d of every entry of a region, and sum w q . d.
static void store_template(const builder *b, const region_fit *fit, int32_t r, int32_t example) {
  const pl_solid_model *model = b->model;
  int32_t slot = slot_of(&model->examples, r / LANES, example);
  if (slot < 0) return;
  int32_t j = slot - model->examples.active_start[r / LANES];
  int32_t slot_count = model->slot_start[r / LANES + 1] - model->slot_start[r / LANES];
  double product = 0;
  for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
    int32_t i = model->region_particles[e];
    pl_vec3 d = difference_of(b, fit, r, e);
    product += fraction_of(model, i) * pl_vec3_dot(pl_vec3_sub(rest_of(b, i), rest_center_of(model, r)), d);
    float *to = b->templates + template_index(model, r, e - model->region_start[r], j);
    pl_f4 three = pl_f4_of_vec3(d);
    for (int c = 0; c < 3; ++c) to[LANES * c] = three[c];
  }
  // Slots beyond the end of the region repeat its own particle.
  const float *own = b->templates + template_index(model, r, 0, j);
  for (int32_t index = model->region_start[r + 1] - model->region_start[r]; index < slot_count; ++index)
    for (int c = 0; c < 3; ++c) b->templates[template_index(model, r, index, j) + (size_t)(LANES * c)] = own[LANES * c];
  b->products[(size_t)slot * LANES + (size_t)(r % LANES)] = (float)(product * constant_of(model, r, PL_SOLID_SCALE));
}

static pl_status load_pose(builder *b, const pl_mesh_pose *pose, pl_error *error) {
  for (int32_t i = 0; i < b->model->head.particle_count; ++i) {
    int32_t point = b->model->order.point_of[i];
    b->pose[i] = pose->points[point];
    if (!pl_vec3_is_finite(b->pose[i]))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "example \"%s\": point %d is not finite", pose->name, point);
  }
  return PL_OK;
}

// Where the particles find what their regions want of them.
static bool fill_goals(pl_solid_model *model) {
  int32_t n = model->head.particle_count;
  int32_t *goals = PL_TAKE(&model->head.arena, int32_t, model->particle_start[n]);
  if (goals == NULL) return false;
  for (int32_t i = 0; i < n; ++i)
    for (int32_t at = model->particle_start[i]; at < model->particle_start[i + 1]; ++at) {
      int32_t r = model->particle_regions[at], e = model->region_start[r];
      while (model->region_particles[e] != i) ++e;
      goals[at] = (model->slot_start[r / LANES] + e - model->region_start[r]) * LANES + pl_solid_goal_lane(r % LANES);
    }
  model->examples.particle_goals = goals;
  return true;
}

// What sums over exact shapes take from the rest shape, in rows of eight: of four examples 1.5 of 60 ns less than
// gathering it.
static bool fill_slot_rests(pl_solid_model *model) {
  size_t count = (size_t)model->slot_start[model->group_count] * LANES;
  float *masses = PL_TAKE(&model->head.arena, float, count), *rests = PL_TAKE(&model->head.arena, float, 3 * count);
  if (masses == NULL || rests == NULL) return false;
  for (int32_t group = 0; group < model->group_count; ++group)
    for (int32_t slot = model->slot_start[group]; slot < model->slot_start[group + 1]; ++slot)
      for (int lane = 0; lane < LANES; ++lane) {
        size_t i = (size_t)slot * LANES + (size_t)lane;
        pl_f4 q = model->rest[model->slot_offsets[i] / (int32_t)sizeof(pl_f4)];
        masses[i] = q[3];
        for (int c = 0; c < 3; ++c)
          rests[(size_t)slot * VEC3_LANES + (size_t)(LANES * c + lane)] =
              q[c] -
              model->region_constants[((size_t)group * PL_SOLID_CONSTANT_COUNT + PL_SOLID_CENTER + (size_t)c) * LANES +
                                      (size_t)lane];
      }
  model->examples.slot_rests = rests;
  model->examples.slot_masses = masses;
  return true;
}

// Lists of the examples that deform the regions of each group, and memory for their shapes.
static pl_status list_actives(builder *b, const pl_solid_def *def, pl_error *error) {
  pl_solid_model *model = b->model;
  pl_arena *arena = &model->head.arena;
  int32_t groups = model->group_count, n = model->head.particle_count;
  uint8_t *actives = PL_TAKE(arena, uint8_t, (size_t)groups * (size_t)def->example_count);
  int32_t *starts = PL_TAKE(arena, int32_t, groups + 1);
  size_t *template_starts = PL_TAKE(arena, size_t, groups + 1);
  uint32_t *masks = PL_TAKE(arena, uint32_t, groups);
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t k = 0; k < def->example_count; ++k) {
    pl_status status = load_pose(b, &def->examples[k], error);
    if (status < 0) return status;
    for (int32_t r = 0; r < n; ++r) {
      region_fit fit = fit_region(b, r);
      if (deforms(b, &fit, r)) masks[r / LANES] |= UINT32_C(1) << k;
    }
  }
  for (int32_t group = 0; group < groups; ++group) {
    starts[group + 1] = starts[group];
    for (int32_t k = 0; k < def->example_count; ++k)
      if (masks[group] >> k & 1) actives[starts[group + 1]++] = (uint8_t)k;
    size_t slots = (size_t)(model->slot_start[group + 1] - model->slot_start[group]);
    template_starts[group + 1] =
        template_starts[group] + slots * (size_t)(starts[group + 1] - starts[group]) * VEC3_LANES;
  }
  model->examples.active_start = starts;
  model->examples.actives = actives;
  model->examples.template_start = template_starts;
  b->templates = PL_TAKE(arena, float, template_starts[groups] + 1);
  b->products = PL_TAKE(arena, float, (size_t)starts[groups] * LANES + 1);
  return arena->failed || !fill_goals(model) || !fill_slot_rests(model) ? pl_fail_memory(error) : PL_OK;
}

static pl_status describe_poses(builder *b, const pl_solid_def *def, pl_error *error) {
  pl_solid_model *model = b->model;
  int32_t n = model->head.particle_count;
  uint32_t *weak = PL_TAKE(&model->head.arena, uint32_t, n);
  if (weak == NULL) return pl_fail_memory(error);
  model->examples.weak = weak;
  pl_status status = b->descriptors == NULL ? list_actives(b, def, error) : PL_OK;
  for (int32_t k = 0; status >= 0 && k < def->example_count; ++k) {
    status = load_pose(b, &def->examples[k], error);
    if (status < 0) return status;
    pl_solid_examples_mark(model, k, b->pose, weak);
    for (int32_t r = 0; r < n; ++r) {
      region_fit fit = fit_region(b, r);
      if (b->templates != NULL)
        store_template(b, &fit, r, k);
      else
        store_descriptor(&fit, b->descriptors +
                                   ((size_t)(r / LANES) * (size_t)def->example_count + (size_t)k) * SYM3_LANES +
                                   (size_t)(r % LANES));
    }
  }
  return status;
}

// sum w d_k . d_l of one region, scaled as the moments: of the exact shapes, or <L_k, sym(L_l Q)> of the affine ones.
static double likeness(const pl_solid_model *model, int32_t region, int32_t k, int32_t l) {
  const pl_solid_examples *examples = &model->examples;
  size_t count = (size_t)examples->count;
  double sum = 0;
  if (examples->templates != NULL) {
    int32_t group = region / LANES, first = examples->active_start[group];
    int32_t slot_k = slot_of(examples, group, k), slot_l = slot_of(examples, group, l);
    if (slot_k < 0 || slot_l < 0) return 0;
    for (int32_t e = model->region_start[region]; e < model->region_start[region + 1]; ++e) {
      int32_t index = e - model->region_start[region];
      const float *dk = examples->templates + template_index(model, region, index, slot_k - first),
                  *dl = examples->templates + template_index(model, region, index, slot_l - first);
      double dot = 0;
      for (int c = 0; c < 3; ++c) dot += (double)dk[LANES * c] * (double)dl[LANES * c];
      sum += dot * fraction_of(model, model->region_particles[e]);
    }
    return sum * constant_of(model, region, PL_SOLID_SCALE);
  }
  const float *base = examples->descriptors + (size_t)(region / LANES) * count * SYM3_LANES + (size_t)(region % LANES);
  pl_mat3 both[2];
  for (int side = 0; side < 2; ++side) {
    const float *six = base + SYM3_LANES * (side == 0 ? k : l);
    double xx = (double)six[0], yy = (double)six[LANES], zz = (double)six[2 * LANES],
           yz = (double)six[3 * LANES] / ROOT2, xz = (double)six[4 * LANES] / ROOT2,
           xy = (double)six[5 * LANES] / ROOT2;
    both[side] = (pl_mat3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
  }
  pl_mat3 spread = pl_mat3_multiply(both[1], symmetric_at(examples->spreads, region));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += both[0].m[i][j] * spread.m[i][j];
  return sum;
}

// `elastic`: the same of what does not follow the plastic change, or NULL.
static void fill_grams(const pl_solid_model *model, double *grams, double *elastic) {
  const pl_solid_examples *examples = &model->examples;
  int32_t n = examples->count, regions = model->head.particle_count;
  for (int32_t r = 0; r < regions; ++r) {
    double gram[PL_MAX_EXAMPLE_COUNT * PL_MAX_EXAMPLE_COUNT], weight = (double)examples->region_weights[r];
    for (int32_t k = 0; k < n; ++k)
      for (int32_t l = 0; l <= k; ++l) gram[k * n + l] = gram[l * n + k] = weight * likeness(model, r, k, l);
    bool is_own = examples->grouping == PL_SOLID_BY_REGION;
    for (int32_t m = is_own ? r : 0; m < (is_own ? r + 1 : examples->manifold_count); ++m) {
      double fraction = examples->fractions != NULL
                            ? (double)examples->fractions[(size_t)m * (size_t)model->group_count * LANES + (size_t)r]
                            : 1.0;
      double *to = grams + (size_t)m * (size_t)(n * n);
      for (int32_t i = 0; fraction > 0 && i < n * n; ++i) to[i] += fraction * gram[i];
      if (elastic == NULL) continue;
      to = elastic + (size_t)m * (size_t)(n * n);
      fraction *= 1 - (double)examples->plastic_scales[r];
      for (int32_t i = 0; fraction > 0 && i < n * n; ++i) to[i] += fraction * gram[i];
    }
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

// A region has the values of its own point; padding regions follow nothing.
static float *copy_scales(const pl_solid_model *model, pl_arena *arena, const float *scales) {
  float *copy = PL_TAKE(arena, float, (size_t)model->group_count *LANES);
  for (int32_t r = 0; copy != NULL && r < model->head.particle_count; ++r)
    copy[r] = scales != NULL ? scales[model->order.point_of[r]] : 1.0f;
  return copy;
}

static bool fill_scales(const pl_solid_def *def, pl_solid_model *model) {
  if (def->fidelity_scales == NULL && def->plastic_scales == NULL) return true;
  pl_arena *arena = &model->head.arena;
  model->examples.fidelity_scales = copy_scales(model, arena, def->fidelity_scales);
  model->examples.plastic_scales = copy_scales(model, arena, def->plastic_scales);
  return !arena->failed;
}

// sum w q q^T of every region, scaled as the moments are, and its inverse where the paper's rotation needs it; the
// weights of the regions undo that scale. The energy of a region is the mean of that of the mixture, by its fidelity,
// and that of the rest shape, so where fidelities differ a region has a say in the common mixture by its own.
static bool fill_spreads(const builder *b, const pl_solid_def *def) {
  pl_solid_model *model = b->model;
  pl_arena *arena = &model->head.arena;
  int32_t n = model->head.particle_count;
  size_t numbers = (size_t)model->group_count * SYM3_LANES;
  float *spreads = PL_TAKE(arena, float, numbers), *inverses = NULL;
  float *weights = PL_TAKE(arena, float, (size_t)model->group_count *LANES);
  if (def->goal_rotation == PL_SOLID_ROTATION_PAPER) inverses = PL_TAKE(arena, float, numbers);
  if (arena->failed) return false;
  double mean = 0;
  for (int32_t r = 0; r < n; ++r) mean += 1 / constant_of(model, r, PL_SOLID_SCALE) / n;
  for (int32_t r = 0; r < LANES * model->group_count; ++r) {
    pl_mat3 spread = pl_mat3_zero();
    for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
      int32_t i = model->region_particles[e];
      pl_vec3 q = pl_vec3_sub(rest_of(b, i), rest_center_of(model, r));
      spread = pl_mat3_add(spread, pl_mat3_scale(pl_mat3_outer(q, q), fraction_of(model, i)));
    }
    spread = r < n ? pl_mat3_scale(spread, constant_of(model, r, PL_SOLID_SCALE)) : pl_mat3_identity();
    store_symmetric(spreads, r, spread);
    if (inverses != NULL) store_symmetric(inverses, r, inverse_of_spread(spread));
    double part = model->examples.fidelity_scales != NULL && def->grouping != PL_SOLID_BY_REGION
                      ? (double)model->examples.fidelity_scales[r]
                      : 1;
    if (r < n)
      weights[r] =
          (float)(part * constant_of(model, r, PL_SOLID_STIFFNESS) / constant_of(model, r, PL_SOLID_SCALE) / mean);
  }
  model->examples.spreads = spreads;
  model->examples.inverse_spreads = inverses;
  model->examples.region_weights = weights;
  return true;
}

static bool take_arrays(const pl_solid_def *def, builder *b) {
  pl_solid_model *model = b->model;
  pl_arena *arena = &model->head.arena;
  size_t n = (size_t)def->example_count, groups = (size_t)model->group_count;
  const char **names = PL_TAKE(arena, const char *, n);
  for (size_t k = 0; names != NULL && k < n; ++k) names[k] = pl_arena_copy_text(arena, def->examples[k].name);
  model->examples.names = names;
  if (!def->hold_examples || def->goal_rotation == PL_SOLID_ROTATION_PAPER)
    b->descriptors = PL_TAKE(arena, float, groups *n *SYM3_LANES);
  return (def->grouping != PL_SOLID_BY_GROUP || fill_fractions(arena, def, model)) && fill_scales(def, model) &&
         fill_spreads(b, def) && !arena->failed;
}

// Gram matrices and what follows from them.
static bool fill_metric(const pl_solid_def *def, pl_solid_model *model) {
  pl_solid_examples *examples = &model->examples;
  pl_arena *arena = &model->head.arena;
  size_t square = (size_t)(def->example_count * def->example_count), manifolds = (size_t)examples->manifold_count;
  double *grams = PL_TAKE(arena, double, manifolds *square), *inverses = NULL, *elastic = NULL;
  if (def->plastic_scales != NULL && def->plastic_threshold > 0) elastic = PL_TAKE(arena, double, manifolds *square);
  if (def->weight_rule == PL_SOLID_WEIGHTS_PAPER) inverses = PL_TAKE(arena, double, manifolds *square);
  if (arena->failed) return false;
  fill_grams(model, grams, elastic);
  examples->grams = grams;
  examples->elastic_grams = elastic;
  for (size_t m = 0; inverses != NULL && m < manifolds; ++m)
    pl_simplex_pseudo_inverse(def->example_count, grams + m * square, PL_SIMPLEX_CUTOFF, inverses + m * square);
  examples->pseudo_inverses = inverses;
  bool is_small = def->grouping == PL_SOLID_BY_REGION && def->example_count <= 2 &&
                  def->weight_rule == PL_SOLID_WEIGHTS_EXACT && def->plastic_threshold == 0;
  return !is_small || fill_small_grams(model);
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
  pl_mesh_view view = pl_mesh_get_view(mesh);
  builder b = {.context = context, .model = model, .mesh = &view};
  if (!take_arrays(def, &b)) return pl_fail_memory(error);
  b.pose = pl_allocate_array(context, (size_t)model->head.particle_count, sizeof(pl_vec3));
  if (b.pose == NULL) return pl_fail_memory(error);
  pl_status status = describe_poses(&b, def, error);
  pl_release(context, b.pose);
  if (status < 0) return status;
  examples->descriptors = b.descriptors;
  examples->templates = b.templates;
  examples->template_products = b.products;
  return fill_metric(def, model) ? PL_OK : pl_fail_memory(error);
}
