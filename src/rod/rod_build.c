// From a def to the model of a rod body: chains of equal build find each other, eight at a time, and get the constants
// of their motion.
#include "rod/rod_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/vector.h"
#include "pliant/math.h"
#include "rod/rod_volume.h"

static void destroy(pl_model *model);

static pl_body_segments get_segments(const pl_model *model) {
  return ((const pl_rod_model *)model)->segments;
}

static const pl_body_method ROD_METHOD = {
    .name = "rod",
    .handles_colliders = true,
    .handles_bodies = true,
    .handles_air = true,
    .state_size = pl_rod_state_size,
    .start = pl_rod_start,
    .move = pl_rod_move,
    .get_positions = pl_rod_get_positions,
    .get_velocities = pl_rod_get_velocities,
    .get_surface = pl_rod_get_surface,
    .set_state = pl_rod_set_state,
    .get_particle = pl_rod_get_particle,
    .set_particle = pl_rod_set_particle,
    .find_not_finite = pl_rod_find_not_finite,
    .list_examples = pl_rod_list_examples,
    .get_weights = pl_rod_get_weights,
    .set_weights = pl_rod_set_weights,
    .set_target = pl_rod_state_set_target,
    .set_camera = pl_rod_state_set_camera,
    .get_joints = pl_rod_state_get_joints,
    .set_morph_weights = pl_rod_state_set_morph_weights,
    .get_morph_weights = pl_rod_state_get_morph_weights,
    .teleport = pl_rod_state_teleport,
    .get_segments = get_segments,
    .destroy = destroy,
};

static void destroy(pl_model *model) {
  pl_rod_model *rod = (pl_rod_model *)model;
  for (int32_t i = 0; i < rod->collider_count; ++i) pl_collider_destroy(model->arena.context, rod->colliders[i].shape);
  rod->collider_count = 0;
}

// Rows of eight floats, for loads of 32 bytes.
static float *take_rows(pl_arena *arena, int32_t rows) {
  return PL_TAKE(arena, float, LANES *(rows < 2 ? 2 : rows));
}

// --- masses

static double segment_length(const pl_rod_def *def, int32_t joint) {
  return pl_vec3_length(
      pl_vec3_sub(def->joints[joint].rest.position, def->joints[def->joints[joint].parent].rest.position));
}

// Half of every segment's mass goes to each of its ends. A joint that is a line has the mass of a rod a fiftieth as
// thick as long.
static pl_status lump_masses(const pl_rod_skeleton *s, pl_rod_model *model, pl_error *error) {
  const pl_rod_def *def = s->def;
  double *masses = PL_TAKE(&model->head.arena, double, def->joint_count),
         *inverse = PL_TAKE(&model->head.arena, double, def->joint_count);
  if (model->head.arena.failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < def->joint_count; ++i) {
    if (s->index_of[i] <= 0) continue;
    int32_t p = def->joints[i].parent;
    double l = segment_length(def, i), a = fmax(def->joints[p].radius, 0.01 * l),
           b = fmax(def->joints[i].radius, 0.01 * l);
    double half = 0.5 * def->density * PL_PI * l * (a * a + a * b + b * b) / 3;
    masses[i] += half;
    if (s->index_of[p] > 0) masses[p] += half;
  }
  for (int32_t i = 0; i < def->joint_count; ++i) {
    if (s->index_of[i] <= 0) continue;  // kinematic joints and roots are moved by the caller
    if (def->joints[i].mass > 0) masses[i] = def->joints[i].mass;
    inverse[i] = 1 / masses[i];
    model->head.mass += masses[i];
  }
  model->head.masses = masses;
  model->head.inverse_masses = inverse;
  return PL_OK;
}

// --- plans

// A chain's parents and links in its own numbering.
typedef struct build {
  int32_t joint_count, link_count;
  int32_t parents[PL_ROD_MAX_JOINTS];
  int32_t links[2 * PL_ROD_MAX_LINKS];
} build;

static pl_status read_build(const pl_rod_skeleton *s, const int32_t *link_start, const int32_t *link_items,
                            int32_t chain, build *b, pl_error *error) {
  b->joint_count = s->chain_start[chain + 1] - s->chain_start[chain];
  b->link_count = link_start[chain + 1] - link_start[chain];
  if (b->link_count > PL_ROD_MAX_LINKS)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "the chain of %s has %d links; at most %d are possible",
                   pl_rod_name_of(s->def, s->roots[chain]).text, b->link_count, PL_ROD_MAX_LINKS);
  for (int32_t i = 0; i < b->joint_count; ++i) {
    int32_t joint = s->order[s->chain_start[chain] + i];
    b->parents[i] = i == 0 ? -1 : s->index_of[s->def->joints[joint].parent];
  }
  for (int32_t i = 0; i < b->link_count; ++i) {
    const pl_rod_link *link = &s->def->links[link_items[link_start[chain] + i]];
    b->links[2 * i] = s->index_of[link->from];
    b->links[2 * i + 1] = s->index_of[link->to];
  }
  return PL_OK;
}

static bool has_build(const pl_rod_plan *plan, const build *b) {
  return plan->joint_count == b->joint_count && plan->link_count == b->link_count &&
         memcmp(plan->parents, b->parents, (size_t)b->joint_count * sizeof(int32_t)) == 0 &&
         memcmp(plan->constraints + 2 * (b->joint_count - 1), b->links, 2 * (size_t)b->link_count * sizeof(int32_t)) ==
             0;
}

// Links sorted to their chains.
static pl_status sort_links(pl_arena *scratch, const pl_rod_skeleton *s, int32_t **start, int32_t **items,
                            pl_error *error) {
  const pl_rod_def *def = s->def;
  *start = PL_TAKE(scratch, int32_t, s->chain_count + 2);
  *items = PL_TAKE(scratch, int32_t, def->link_count);
  if (scratch->failed) return pl_fail_memory(error);
  int32_t *next = *start + 1;  // counted one slot ahead, so that filling leaves the starts correct
  for (int32_t i = 0; i < def->link_count; ++i) next[s->chain_of[def->links[i].from] + 1]++;
  for (int32_t c = 0; c < s->chain_count; ++c) next[c + 1] += next[c];
  for (int32_t i = 0; i < def->link_count; ++i) (*items)[next[s->chain_of[def->links[i].from]]++] = i;
  return PL_OK;
}

// The plan of each chain; plans live in the model.
static pl_status make_plans(pl_context *context, pl_arena *scratch, const pl_rod_skeleton *s, pl_rod_model *model,
                            pl_vector *plans, int32_t *plan_of, pl_error *error) {
  int32_t *start, *items;
  pl_status status = sort_links(scratch, s, &start, &items, error);
  build *b = PL_TAKE(scratch, build, 1);
  if (status >= 0 && b == NULL) status = pl_fail_memory(error);
  for (int32_t chain = 0; status >= 0 && chain < s->chain_count; ++chain) {
    status = read_build(s, start, items, chain, b, error);
    size_t found = 0;
    while (status >= 0 && found < plans->count && !has_build(PL_ITEM(plans, pl_rod_plan *, found), b)) ++found;
    if (status >= 0 && found == plans->count) {
      pl_rod_plan *plan = PL_TAKE(&model->head.arena, pl_rod_plan, 1);
      if (plan == NULL ||
          !pl_rod_plan_build(context, &model->head.arena, b->joint_count, b->parents, b->link_count, b->links,
                             s->def->width, plan) ||
          !pl_vector_push(plans, &plan))
        status = pl_fail_memory(error);
    }
    plan_of[chain] = (int32_t)found;
  }
  return status;
}

// --- batches

// Arrays of a batch while they are written; pl_rod_batch has them as const, with what they mean.
typedef struct joint_arrays {
  float *inverse_masses, *fractions, *gains, *limits, *radii, *match_squares, *springs, *drags, *pulls;
} joint_arrays;

static joint_arrays take_joint_arrays(pl_arena *arena, int32_t joint_count) {
  return (joint_arrays){
      .inverse_masses = take_rows(arena, joint_count),
      .fractions = take_rows(arena, joint_count),
      .gains = take_rows(arena, joint_count),
      .limits = take_rows(arena, joint_count),
      .radii = take_rows(arena, joint_count),
      .match_squares = take_rows(arena, joint_count),
      .springs = take_rows(arena, joint_count),
      .drags = take_rows(arena, joint_count),
      .pulls = take_rows(arena, 3 * joint_count),
  };
}

// Cosine of the angle limit of a joint that has none: below every cosine.
static const float NO_LIMIT = -2.0f;

// Numbers of one lane of a batch.
static void fill_lane(const pl_rod_skeleton *s, const pl_rod_model *model, pl_rod_batch *batch, int32_t lane,
                      const joint_arrays *arrays) {
  const pl_rod_def *def = s->def;
  const pl_rod_plan *plan = batch->plan;
  int32_t n = plan->joint_count;
  double mean = 0, length = 0;
  double reach[PL_ROD_MAX_JOINTS] = {0};
  for (int32_t i = 1; i < n; ++i) {
    int32_t joint = batch->joints[LANES * i + lane];
    mean += model->head.masses[joint] / (n - 1);
    length += segment_length(def, joint) / (n - 1);
  }
  for (int32_t i = 0; i < n; ++i) {
    int32_t joint = batch->joints[LANES * i + lane], at = LANES * i + lane;
    const pl_rod_joint *j = &def->joints[joint];
    // A joint's mass is shared out to its regions: each then pulls with forces that have a potential, and sum to zero.
    double fraction =
        (i == 0 ? 1 : model->head.masses[joint] / mean) / (plan->region_start[i + 1] - plan->region_start[i]);
    arrays->inverse_masses[at] = (float)model->head.inverse_masses[joint];
    arrays->fractions[at] = (float)fraction;
    arrays->gains[at] = (float)j->stiffness;
    arrays->limits[at] = j->max_angle > 0 && j->max_angle < PL_PI ? (float)cos(j->max_angle) : NO_LIMIT;
    arrays->radii[at] = (float)j->radius;
    arrays->match_squares[at] = (float)(fraction * def->twist * length * def->twist * length);
    arrays->springs[at] = (float)j->spring;
    // What drag leaves of a velocity in 1/60 s; the step turns it into its own.
    arrays->drags[at] = (float)(1 - j->drag);
    const double pull[3] = {j->pull.x, j->pull.y, j->pull.z};
    for (int c = 0; c < 3; ++c) arrays->pulls[VEC3_LANES * i + LANES * c + lane] = (float)pull[c];
    if (i > 0) reach[i] = reach[plan->parents[i]] + segment_length(def, joint);
    batch->reach[lane] = fmaxf(batch->reach[lane], (float)(reach[i] * 1.001 + j->radius));
  }
}

static pl_status fill_batch(const pl_rod_skeleton *s, pl_rod_model *model, pl_rod_batch *batch, pl_error *error) {
  const pl_rod_def *def = s->def;
  const pl_rod_plan *plan = batch->plan;
  pl_arena *arena = &model->head.arena;
  int32_t n = plan->joint_count;
  int32_t *joints = PL_TAKE(arena, int32_t, LANES * n);
  float *lengths = take_rows(arena, plan->constraint_count);
  joint_arrays arrays = take_joint_arrays(arena, n);
  if (arena->failed) return pl_fail_memory(error);
  batch->joints = joints;
  batch->lengths = lengths;
  bool limited = false;
  for (int32_t lane = 0; lane < LANES; ++lane) {
    int32_t chain = batch->chains[lane], root = s->roots[chain], kinematic = def->joints[root].parent;
    for (int32_t i = 0; i < n; ++i) joints[LANES * i + lane] = s->order[s->chain_start[chain] + i];
    batch->bases[lane] = s->kinematic_of[kinematic];
    batch->centers[lane] = s->settings[chain] != NULL && s->settings[chain]->center >= 0
                               ? s->kinematic_of[s->settings[chain]->center]
                               : -1;
    pl_transform base = {def->joints[kinematic].rest.position, pl_quat_normalize(def->joints[kinematic].rest.rotation)};
    batch->root_offsets[lane] = pl_transform_apply_inverse(base, def->joints[root].rest.position);
    for (int32_t b = 0; b < plan->constraint_count; ++b) {
      pl_vec3 from = def->joints[joints[LANES * plan->constraints[2 * b] + lane]].rest.position,
              to = def->joints[joints[LANES * plan->constraints[2 * b + 1] + lane]].rest.position;
      lengths[LANES * b + lane] = (float)pl_vec3_length(pl_vec3_sub(to, from));
    }
    fill_lane(s, model, batch, lane, &arrays);
    for (int32_t i = 1; i < n; ++i) limited = limited || arrays.limits[LANES * i + lane] > NO_LIMIT;
  }
  batch->inverse_masses = arrays.inverse_masses;
  batch->fractions = arrays.fractions;
  batch->gains = arrays.gains;
  batch->limits = limited ? arrays.limits : NULL;
  batch->radii = arrays.radii;
  batch->match_squares = arrays.match_squares;
  batch->springs = arrays.springs;
  batch->drags = arrays.drags;
  batch->pulls = arrays.pulls;
  return PL_OK;
}

static pl_status list_colliders(const pl_rod_skeleton *s, pl_rod_model *model, pl_rod_batch *batch, pl_error *error) {
  const pl_rod_def *def = s->def;
  int32_t *start = PL_TAKE(&model->head.arena, int32_t, LANES + 1), count = 0;
  for (int32_t lane = 0; start != NULL && lane < LANES; ++lane) {
    const pl_rod_chain *entry = s->settings[batch->chains[lane]];
    count += entry != NULL && entry->collider_count >= 0 ? entry->collider_count : def->collider_count;
    start[lane + 1] = count;
  }
  int32_t *list = PL_TAKE(&model->head.arena, int32_t, count);
  if (model->head.arena.failed) return pl_fail_memory(error);
  for (int32_t lane = 0; lane < LANES; ++lane) {
    const pl_rod_chain *entry = s->settings[batch->chains[lane]];
    for (int32_t k = 0; k < start[lane + 1] - start[lane]; ++k)
      list[start[lane] + k] = entry != NULL && entry->collider_count >= 0 ? entry->colliders[k] : k;
  }
  batch->collider_start = start;
  batch->collider_list = list;
  return PL_OK;
}

// Chains of one plan, eight at a time, in their order.
static pl_status make_batches(pl_arena *scratch, const pl_rod_skeleton *s, pl_rod_model *model, const pl_vector *plans,
                              const int32_t *plan_of, pl_error *error) {
  int32_t *filling = PL_TAKE(scratch, int32_t, plans->count),
          *slots = PL_TAKE(&model->head.arena, int32_t, s->chain_count);
  int32_t *counts = PL_TAKE(scratch, int32_t, plans->count);
  if (scratch->failed || model->head.arena.failed) return pl_fail_memory(error);
  for (int32_t c = 0; c < s->chain_count; ++c) counts[plan_of[c]]++;
  int32_t batch_count = 0;
  for (size_t p = 0; p < plans->count; ++p) {
    filling[p] = batch_count * LANES;
    batch_count += (counts[p] + LANES - 1) / LANES;
  }
  pl_rod_batch *batches = PL_TAKE(&model->head.arena, pl_rod_batch, batch_count);
  if (batches == NULL) return pl_fail_memory(error);
  for (int32_t c = 0; c < s->chain_count; ++c) {
    int32_t slot = filling[plan_of[c]]++;
    pl_rod_batch *batch = &batches[slot / LANES];
    batch->plan = PL_ITEM(plans, pl_rod_plan *, plan_of[c]);
    batch->chains[slot % LANES] = c;
    batch->lane_count = slot % LANES + 1;
    slots[c] = slot;
  }
  for (int32_t b = 0; b < batch_count; ++b)
    for (int32_t lane = batches[b].lane_count; lane < LANES; ++lane) batches[b].chains[lane] = batches[b].chains[0];
  model->slot_of_chain = slots;
  model->batches = batches;
  model->batch_count = batch_count;
  model->chain_count = s->chain_count;
  return PL_OK;
}

static pl_status fill_batches(const pl_rod_skeleton *s, const pl_rod_example_lists *lists, pl_rod_model *model,
                              pl_error *error) {
  size_t *offsets = PL_TAKE(&model->head.arena, size_t, model->batch_count);
  if (offsets == NULL) return pl_fail_memory(error);
  pl_rod_batch *batches = (pl_rod_batch *)(uintptr_t)model->batches;
  for (int32_t b = 0; b < model->batch_count; ++b) {
    pl_rod_batch *batch = &batches[b];
    pl_status status = fill_batch(s, model, batch, error);
    if (status >= 0) status = pl_rod_examples_fill(&model->head.arena, s, lists, batch, error);
    if (status >= 0) status = list_colliders(s, model, batch, error);
    if (status < 0) return status;
    offsets[b] = model->batch_floats;
    model->batch_floats += pl_rod_batch_floats(batch, model->ghost_momentum);
    const pl_rod_plan *plan = batch->plan;
    int32_t entries = plan->column_start[plan->constraint_count];
    if (plan->joint_count > model->max_joint_count) model->max_joint_count = plan->joint_count;
    if (plan->constraint_count > model->max_constraint_count) model->max_constraint_count = plan->constraint_count;
    if (entries > model->max_entry_count) model->max_entry_count = entries;
    if (batch->example_count > model->max_example_count) model->max_example_count = batch->example_count;
  }
  model->batch_offsets = offsets;
  return PL_OK;
}

// --- the rest of the model

static pl_status index_joints(const pl_rod_skeleton *s, pl_rod_model *model, pl_error *error) {
  const pl_rod_def *def = s->def;
  pl_arena *arena = &model->head.arena;
  int32_t n = def->joint_count;
  int32_t *kinematic = PL_TAKE(arena, int32_t, s->kinematic_count), *slots = PL_TAKE(arena, int32_t, n);
  pl_transform *rests = PL_TAKE(arena, pl_transform, n);
  const char **names = PL_TAKE(arena, const char *, n);
  if (arena->failed) return pl_fail_memory(error);
  pl_box box = pl_box_empty();
  for (int32_t i = 0; i < n; ++i) {
    if (s->kinematic_of[i] >= 0) kinematic[s->kinematic_of[i]] = i;
    slots[i] = s->chain_of[i] >= 0 ? model->slot_of_chain[s->chain_of[i]] : -1;
    rests[i] = (pl_transform){def->joints[i].rest.position, pl_quat_normalize(def->joints[i].rest.rotation)};
    names[i] = pl_arena_copy_text(arena, def->joints[i].name != NULL ? def->joints[i].name : "");
    box = pl_box_add_point(box, rests[i].position);
  }
  model->head.box = box;
  model->joint_count = model->head.particle_count = n;
  model->kinematic_count = s->kinematic_count;
  model->kinematic_joints = kinematic;
  model->slot_of_joint = slots;
  model->kinematic_of_joint = pl_arena_copy(arena, s->kinematic_of, (size_t)n, sizeof(int32_t));
  model->index_of_joint = pl_arena_copy(arena, s->index_of, (size_t)n, sizeof(int32_t));
  model->rests = rests;
  model->joint_names = names;
  return arena->failed ? pl_fail_memory(error) : PL_OK;
}

static pl_status copy_names(const pl_rod_skeleton *s, const pl_rod_example_lists *lists, pl_rod_model *model,
                            pl_error *error) {
  pl_arena *arena = &model->head.arena;
  const char **examples = PL_TAKE(arena, const char *, lists->name_count),
             **chains = PL_TAKE(arena, const char *, s->chain_count);
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < lists->name_count; ++i) examples[i] = pl_arena_copy_text(arena, lists->names[i]);
  for (int32_t c = 0; c < s->chain_count; ++c) {
    const char *given = s->settings[c] != NULL ? s->settings[c]->name : NULL, *own = s->def->joints[s->roots[c]].name;
    chains[c] = pl_arena_copy_text(arena, given != NULL ? given : own != NULL ? own : "");
  }
  model->example_count = lists->name_count;
  model->example_names = examples;
  model->chain_names = chains;
  return arena->failed ? pl_fail_memory(error) : PL_OK;
}

static pl_status make_colliders(pl_context *context, const pl_rod_skeleton *s, pl_rod_model *model, pl_error *error) {
  const pl_rod_def *def = s->def;
  model->colliders = PL_TAKE(&model->head.arena, pl_rod_own_collider, def->collider_count);
  if (model->colliders == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < def->collider_count; ++i) {
    const pl_rod_collider *from = &def->colliders[i];
    if (from->joint < 0 || from->joint >= def->joint_count || s->kinematic_of[from->joint] < 0)
      return pl_fail(error, PL_ERROR_INVALID_DATA, "collider %d moves with %s, which is not a kinematic joint", i,
                     pl_rod_name_of(def, from->joint).text);
    pl_rod_own_collider *own = &model->colliders[i];
    *own = (pl_rod_own_collider){.kinematic = s->kinematic_of[from->joint], .placement = from->shape.placement};
    pl_collider_def shape = from->shape;
    shape.keys = NULL;
    shape.key_count = 0;
    pl_error why = {0};
    pl_status status = pl_collider_create(context, &shape, &own->shape, &why);
    if (status == PL_ERROR_OUT_OF_MEMORY) return pl_fail_memory(error);
    if (status < 0) {
      char field[sizeof why.field];
      snprintf(field, sizeof field, "colliders[%d].%.90s", i, why.field);
      return pl_fail_field(error, status, field, "%s", why.text);
    }
    model->collider_count = i + 1;
  }
  return PL_OK;
}

static pl_status list_segments(pl_rod_model *model, pl_error *error) {
  pl_arena *arena = &model->head.arena;
  int32_t count = 0, slot_count = LANES * model->batch_count;
  for (int32_t b = 0; b < model->batch_count; ++b)
    count += model->batches[b].lane_count * model->batches[b].plan->constraint_count;
  int32_t *particles = PL_TAKE(arena, int32_t, 2 * (size_t)count), *start = PL_TAKE(arena, int32_t, slot_count + 1);
  double *radii = PL_TAKE(arena, double, 2 * (size_t)count);
  pl_vec3 *rests = PL_TAKE(arena, pl_vec3, model->joint_count);
  if (arena->failed) return pl_fail_memory(error);
  count = 0;
  for (int32_t slot = 0; slot < slot_count; ++slot) {
    const pl_rod_batch *batch = &model->batches[slot / LANES];
    int32_t lane = slot % LANES;
    start[slot] = count;
    for (int32_t s = 0; lane < batch->lane_count && s < batch->plan->constraint_count; ++s, ++count)
      for (int k = 0; k < 2; ++k) {
        int32_t at = LANES * batch->plan->constraints[2 * s + k] + lane;
        particles[2 * count + k] = batch->joints[at];
        radii[2 * count + k] = (double)batch->radii[at];
      }
  }
  start[slot_count] = count;
  for (int32_t i = 0; i < model->joint_count; ++i) rests[i] = model->rests[i].position;
  model->segments = (pl_body_segments){count, particles, radii, rests};
  model->segment_start = start;
  return PL_OK;
}

// Hair as a volume: masses that move freely, and the density that they have at rest where it is largest.
static pl_status prepare_volume(pl_context *context, pl_rod_model *model, pl_error *error) {
  if (!(model->volume_cell > 0)) return PL_OK;
  double *masses = PL_TAKE(&model->head.arena, double, model->joint_count);
  if (masses == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < model->joint_count; ++i)
    if (model->index_of_joint[i] > 0) masses[i] = model->head.masses[i];
  model->volume_masses = masses;
  pl_rod_volume volume;
  pl_rod_volume_points points = {model->joint_count, model->segments.rests, NULL, masses};
  pl_scratch scratch;
  pl_scratch_init(&scratch, context);
  bool filled = pl_rod_volume_fill(&scratch, &points, model->rests[model->kinematic_joints[0]].position,
                                   model->volume_cell, &volume);
  for (int32_t i = 0; filled && i < model->joint_count; ++i)
    if (masses[i] > 0)
      model->volume_density = fmax(model->volume_density, pl_rod_volume_at(&volume, points.positions[i]).density);
  pl_scratch_destroy(&scratch);
  return filled ? PL_OK : pl_fail_memory(error);
}

static uint64_t hash_model(const pl_rod_model *model) {
  double numbers[] = {model->frequency_squared,
                      model->damping,
                      model->window,
                      model->view_time,
                      model->head.friction,
                      (double)model->solver,
                      (double)model->ghost_momentum,
                      (double)model->joint_count,
                      (double)model->collider_count};
  uint64_t hash = pl_hash_bytes(PL_HASH_START, "rod", 3);
  if (model->head.self_contact) hash = pl_hash_bytes(hash, "self", 4);
  const double volume[3] = {model->volume_cell, model->volume_friction, model->volume_pressure};
  if (model->volume_masses != NULL) hash = pl_hash_bytes(hash, volume, sizeof volume);
  hash = pl_hash_bytes(hash, numbers, sizeof numbers);
  hash = pl_hash_bytes(hash, model->rests, (size_t)model->joint_count * sizeof(pl_transform));
  hash = pl_hash_bytes(hash, model->head.masses, (size_t)model->joint_count * sizeof(double));
  for (int32_t b = 0; b < model->batch_count; ++b) {
    const pl_rod_batch *batch = &model->batches[b];
    size_t rows = (size_t)batch->plan->joint_count * LANES * sizeof(float), sets = (size_t)batch->example_count + 1;
    hash = pl_hash_bytes(hash, batch->joints, rows);
    hash = pl_hash_bytes(hash, batch->turns, 4 * sets * rows);
    hash = pl_hash_bytes(hash, batch->poses, 4 * sets * rows);
    hash = pl_hash_bytes(hash, batch->gains, rows);
    hash = pl_hash_bytes(hash, batch->radii, rows);
    hash = pl_hash_bytes(hash, batch->springs, rows);
    hash = pl_hash_bytes(hash, batch->drags, rows);
    hash = pl_hash_bytes(hash, batch->pulls, 3 * rows);
    hash = pl_hash_bytes(hash, batch->match_squares, rows);
    if (batch->limits != NULL) hash = pl_hash_bytes(hash, batch->limits, rows);
    for (int32_t lane = 0; lane < LANES; ++lane)
      for (int32_t k = 0; k < batch->view_counts[lane]; ++k) {
        const pl_view_example *view = &batch->views[(size_t)lane * (size_t)batch->example_count + (size_t)k];
        double values[4] = {view->direction.x, view->direction.y, view->direction.z, view->extent};
        hash = pl_hash_bytes(hash, values, sizeof values);
      }
  }
  return hash;
}

static pl_status fill_model(pl_context *context, pl_arena *scratch, const pl_rod_def *def, pl_rod_model *model,
                            pl_error *error) {
  model->head.method = &ROD_METHOD;
  pl_rod_skeleton skeleton;
  pl_rod_example_lists lists;
  pl_status status = pl_rod_skeleton_build(scratch, def, &skeleton, error);
  if (status >= 0) status = pl_rod_examples_list(scratch, &skeleton, &lists, error);
  if (status < 0) return status;
  model->head.friction = def->friction;
  model->head.self_contact = def->self_contact;
  model->solver = def->solver;
  model->ghost_momentum = def->ghost_momentum;
  model->frequency_squared = def->stiffness / (def->stiffness_step * def->stiffness_step);
  model->damping = def->damping;
  model->window = def->window;
  model->view_time = def->view_time;
  model->volume_cell = def->volume_cell;
  model->volume_friction = def->volume_friction;
  model->volume_pressure = def->volume_pressure;
  status = lump_masses(&skeleton, model, error);
  int32_t *plan_of = PL_TAKE(scratch, int32_t, skeleton.chain_count);
  if (status >= 0 && plan_of == NULL) status = pl_fail_memory(error);
  pl_vector plans = pl_vector_of(context, sizeof(pl_rod_plan *));
  if (status >= 0) status = make_plans(context, scratch, &skeleton, model, &plans, plan_of, error);
  if (status >= 0) status = make_batches(scratch, &skeleton, model, &plans, plan_of, error);
  pl_vector_free(&plans);
  if (status >= 0) status = fill_batches(&skeleton, &lists, model, error);
  if (status >= 0) status = index_joints(&skeleton, model, error);
  if (status >= 0) status = copy_names(&skeleton, &lists, model, error);
  if (status >= 0) status = make_colliders(context, &skeleton, model, error);
  if (status >= 0) status = list_segments(model, error);
  if (status >= 0) status = prepare_volume(context, model, error);
  if (status >= 0) status = pl_rod_skin_build(context, &skeleton, model, error);
  if (status >= 0) model->head.hash = hash_model(model);
  return status;
}

pl_status pl_rod_build(pl_context *context, const pl_rod_def *def, pl_model **model, pl_error *error) {
  *model = NULL;
  pl_arena arena, scratch;
  pl_arena_init(&arena, context, 0);
  pl_rod_model *made = PL_TAKE(&arena, pl_rod_model, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->head.arena = arena;
  pl_arena_init(&scratch, context, 0);
  pl_status status = fill_model(context, &scratch, def, made, error);
  pl_arena_destroy(&scratch);
  if (status < 0) {
    pl_model_destroy(&made->head);
    return status;
  }
  *model = &made->head;
  return PL_OK;
}
