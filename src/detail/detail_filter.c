// The filter: from displacements and contacts of a coarse simulation to an enriched surface (paper 003, section 5).
//
//   for each contact: find it on the surface at rest, describe place and load, compute the weights of the examples,
//   blend their stamps into one map for each surface point under stamps: add the maps' displacements
//
// Stamps in one place do not add up: the coarse body already shows both loads, and each contact's descriptor sees both.
// So a point that several stamps cover is divided between them,
//
//   e(x) = sum_c b_c Psi_c,   b_c = a_c / sum a,   a = strength ((1 - r²) fraction)^8
//
//   r          distance in the stamp
//   fraction   see detail_graph.h
//
// which is 1 under a single stamp, continuous where stamps begin, and steep enough that a contact keeps its own dent
// when another is half a stamp away. Two contacts in one place give what one gives. A contact without load has no
// strength and takes nothing from the others.
//
// Cost: a descriptor per contact, one pass over the keys, one over each similar example's stamp, and 4 samples per
// surface point under a stamp. Ways along the surface and the tets are found again when a contact enters another
// triangle.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/error.h"
#include "detail/detail_parameters.h"
#include "detail/detail_set.h"
#include "detail/detail_stamp.h"

// Examples with less than this fraction of the largest weight are left out of a stamp.
static const float MIN_WEIGHT = 1e-5f;

typedef struct pl_detail_touch {
  bool acts;  // has pressure and some example's weight
  pl_detail_slot slot;
  pl_detail_spot spot;
  pl_detail_state state;
  pl_detail_contact_report report;
  float strength;    // among contacts
  float *weights;    // of examples
  pl_f4 *map;        // blended stamp, in the axes of the world
  float *positions;  // of the slot's points in it, see pl_detail_kernels
} pl_detail_touch;

struct pl_detail_filter {
  pl_arena arena;
  const pl_detail_set *set;
  const pl_detail_kernels *kernels;
  double scale;
  int32_t max_contacts, contact_count;  // contacts of the last frame
  pl_detail_ground ground;
  pl_reach_work work;
  pl_detail_touch *touches;
  float *field, *scratch, *key;
  float *totals;     // of a, per surface point; zero between calls
  float *fractions;  // of the points of one contact, when there are several
  pl_detail_time_report costs;
  double lap;  // when the part now running began
};

// Count the time since the last lap for a part.
static void count_lap(pl_detail_filter *filter, double *seconds) {
  double now = pl_clock_seconds();
  *seconds += now - filter->lap;
  filter->lap = now;
}

pl_detail_filter_def pl_default_detail_filter_def(void) {
  pl_detail_filter_def def = {0};
  pl_parameters_set_defaults(&pl_detail_filter_def_parameters, &def);
  return def;
}

static pl_status check_def(const pl_detail_filter_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_detail_filter_def_parameters, def, error);
  if (status < 0) return status;
  if (def->set == NULL || def->object == NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, def->set == NULL ? "set" : "object", "is missing");
  return PL_OK;
}

static pl_status fill_filter(pl_detail_filter *filter, const pl_detail_filter_def *def, pl_error *error) {
  pl_arena *arena = &filter->arena;
  pl_status status = pl_detail_ground_build(arena, def->object, &filter->ground, error);
  if (status < 0) return status;
  filter->set = def->set;
  filter->kernels = pl_detail_kernels_choose();
  filter->scale = def->scale;
  filter->max_contacts = def->max_contacts;
  filter->touches = PL_TAKE(arena, pl_detail_touch, def->max_contacts);
  filter->field = PL_TAKE(arena, float, VEC3_LANES *(size_t)filter->ground.rows.row_count);
  filter->scratch = PL_TAKE(arena, float, pl_detail_weights_scratch(def->set->weights));
  filter->key = PL_TAKE(arena, float, PL_KEY_MAX_SIZE);
  filter->totals = PL_TAKE(arena, float, filter->ground.object.surface_count);
  filter->fractions = PL_TAKE(arena, float, filter->ground.object.surface_count);
  if (arena->failed || !pl_detail_ground_work(arena, &filter->ground, &filter->work)) return pl_fail_memory(error);
  for (int32_t c = 0; c < def->max_contacts; ++c) {
    pl_detail_touch *touch = &filter->touches[c];
    touch->weights = PL_TAKE(arena, float, def->set->view.example_count);
    touch->map = PL_TAKE(arena, pl_f4, pl_detail_def_samples(&def->set->view.def));
    touch->positions = PL_TAKE(arena, float, pl_stamp_positions_size(&filter->ground));
    if (!pl_detail_slot_take(arena, &filter->ground, &touch->slot)) return pl_fail_memory(error);
  }
  return PL_OK;
}

pl_status pl_detail_filter_create(pl_context *context, const pl_detail_filter_def *def, pl_detail_filter **filter,
                                  pl_error *error) {
  *filter = NULL;
  pl_status status = check_def(def, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_detail_filter *made = PL_TAKE(&arena, pl_detail_filter, 1);
  if (made == NULL) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  made->arena = arena;
  status = fill_filter(made, def, error);
  if (status < 0) {
    pl_detail_filter_destroy(made);
    return status;
  }
  *filter = made;
  return PL_OK;
}

void pl_detail_filter_destroy(pl_detail_filter *filter) {
  if (filter != NULL) pl_arena_destroy(&filter->arena);
}

// Descriptors in the units of the set: an object of another scale has the same moments of site, and its loads are
// divided by the scale.
static pl_status describe(pl_detail_filter *filter, const pl_detail_frame *frame, int32_t index, pl_error *error) {
  pl_detail_touch *touch = &filter->touches[index];
  const pl_detail_contact *contact = &frame->contacts[index];
  const pl_detail_def *def = &filter->set->view.def;
  touch->report = (pl_detail_contact_report){.triangle = -1, .best_example = -1};
  touch->acts = false;
  memset(touch->weights, 0, (size_t)filter->set->view.example_count * sizeof *touch->weights);
  pl_status status = pl_detail_spot_find(&filter->ground, contact, index, frame->surface_points, &touch->spot, error);
  if (status < 0 || contact->pressure == 0) return status;
  double radius = filter->scale * def->window_radius;
  pl_detail_reach reach = {radius, filter->scale * def->stamp_radius};
  pl_detail_slot_aim(&filter->ground, &reach, touch->spot.triangle, &filter->work, &touch->slot);
  count_lap(filter, &filter->costs.find_seconds);
  pl_detail_spot_describe(&filter->ground, &touch->slot, &touch->spot, filter->field, radius, &touch->state);
  if (def->patch_order >= 0) pl_detail_patch_describe(&filter->ground, contact, &touch->spot, radius, &touch->state);
  pl_vector_moments *load = &touch->state.load;
  pl_moments_scale(load->components, 3, 1.0 / filter->scale);
  double size = sqrt(pl_vector_moments_dot(load, load, 1, pl_moment_count(def->load_order > 0 ? def->load_order : 1)));
  if (!isfinite(size))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "displacements around contact %d are not finite", index);
  touch->report.triangle = touch->spot.triangle;
  memcpy(touch->report.barycentric, touch->spot.barycentric, sizeof touch->spot.barycentric);
  touch->report.load_size = size;
  touch->strength = (float)(size * contact->pressure);
  count_lap(filter, &filter->costs.describe_seconds);
  return PL_OK;
}

// Weights of the examples at a contact.
static void compute_weights(pl_detail_filter *filter, pl_detail_touch *touch) {
  const pl_detail_set *set = filter->set;
  if (!(touch->report.load_size > set->layout.min_load)) return;
  pl_key_pack(&set->layout, &touch->state.site, &touch->state.patch, &touch->state.load, filter->key);
  touch->report.similar_count = pl_detail_weights_evaluate(set->weights, filter->key, filter->scratch, touch->weights);
  for (int32_t i = 0; i < set->view.example_count; ++i)
    if ((double)fabsf(touch->weights[i]) > fabs(touch->report.best_weight)) {
      touch->report.best_weight = (double)touch->weights[i];
      touch->report.best_example = i;
    }
  touch->acts = touch->report.best_example >= 0;
}

// The blended stamp (eq. 16), turned into the axes of the world.
static void blend(pl_detail_filter *filter, pl_detail_touch *touch) {
  const pl_detail_set_view *view = &filter->set->view;
  size_t count = pl_detail_def_samples(&view->def);
  float min = MIN_WEIGHT * (float)fabs(touch->report.best_weight);
  memset(touch->map, 0, count * sizeof *touch->map);
  for (int32_t i = 0; i < view->example_count; ++i) {
    if (!(fabsf(touch->weights[i]) > min)) continue;
    double size = fmin(touch->report.load_size, view->def.overload * (double)view->sizes[i]);
    filter->kernels->add((int32_t)(4 * count), touch->weights[i] * (float)(filter->scale * size),
                         view->stamps + 4 * count * (size_t)i, (float *)(void *)touch->map);
  }
  // Columns are where the stamp's axes point now.
  pl_mat3 turn = pl_mat3_multiply(touch->state.rotation, pl_mat3_transpose(touch->state.frame));
  pl_f4 x = pl_f4_of_vec3(pl_mat3_column(turn, 0)), y = pl_f4_of_vec3(pl_mat3_column(turn, 1)),
        z = pl_f4_of_vec3(pl_mat3_column(turn, 2));
  for (size_t i = 0; i < count; ++i) {
    pl_f4 local = touch->map[i];
    touch->map[i] = x * local[0] + y * local[1] + z * local[2];
  }
}

// Where the stamp of a contact lies.
static void locate_stamp(pl_detail_filter *filter, pl_detail_touch *touch) {
  const pl_detail_def *def = &filter->set->view.def;
  pl_stamp_def stamp = {def->stamp_resolution, def->stamp_sides, filter->scale * def->stamp_radius, 0};
  pl_stamp_placement placement = pl_stamp_placement_of(&filter->ground, &touch->spot, touch->state.frame, &stamp);
  filter->kernels->locate(&touch->slot.near, &placement, touch->positions);
}

// a of the head, without the strength.
static float influence(float inside, float fraction) {
  float a = inside * fraction;
  a *= a;
  a *= a;
  return a * a;
}

static void add_totals(pl_detail_filter *filter, const pl_detail_touch *touch) {
  for (int32_t k = 0; k < touch->slot.point_count; ++k) {
    float inside = touch->positions[VEC3_LANES * (size_t)(k / LANES) + 2 * LANES + (size_t)(k % LANES)];
    if (inside > 0)
      filter->totals[touch->slot.points[k]] += touch->strength * influence(inside, touch->slot.point_fractions[k]);
  }
}

// Displace what is under a stamp; `alone`: no other stamp is there.
static void stamp_points(pl_detail_filter *filter, const pl_detail_touch *touch, bool alone, pl_vec3 *points) {
  const pl_detail_slot *slot = &touch->slot;
  pl_stamp_points under = {slot->point_count, slot->points, slot->point_fractions, touch->positions};
  for (int32_t k = 0; !alone && k < slot->point_count; ++k) {
    float inside = touch->positions[VEC3_LANES * (size_t)(k / LANES) + 2 * LANES + (size_t)(k % LANES)],
          fraction = slot->point_fractions[k];
    float total = filter->totals[slot->points[k]],
          own = inside > 0 ? touch->strength * influence(inside, fraction) : 0.0f;
    filter->fractions[k] = own > 0 && total > 0 ? fraction * (own / total) : 0.0f;
  }
  if (!alone) under.fractions = filter->fractions;
  const pl_detail_def *def = &filter->set->view.def;
  filter->kernels->stamp(&under, (const float *)(const void *)touch->map, def->stamp_resolution,
                         def->stamp_sides * def->stamp_resolution, points);
}

static void stamp_all(pl_detail_filter *filter, pl_vec3 *points) {
  int32_t acting = 0;
  float strongest = 0;
  for (int32_t c = 0; c < filter->contact_count; ++c) {
    acting += filter->touches[c].acts;
    if (filter->touches[c].acts) strongest = fmaxf(strongest, filter->touches[c].strength);
  }
  for (int32_t c = 0; c < filter->contact_count; ++c) {
    pl_detail_touch *touch = &filter->touches[c];
    if (!touch->acts) continue;
    // Only ratios count; so no unit of pressure can overflow.
    touch->strength = strongest > 0 ? touch->strength / strongest : 1.0f;
    blend(filter, touch);
    count_lap(filter, &filter->costs.blend_seconds);
    locate_stamp(filter, touch);
    if (acting > 1) add_totals(filter, touch);
    count_lap(filter, &filter->costs.stamp_seconds);
  }
  for (int32_t c = 0; c < filter->contact_count; ++c)
    if (filter->touches[c].acts) stamp_points(filter, &filter->touches[c], acting == 1, points);
  for (int32_t c = 0; acting > 1 && c < filter->contact_count; ++c) {
    const pl_detail_slot *slot = &filter->touches[c].slot;
    for (int32_t k = 0; filter->touches[c].acts && k < slot->point_count; ++k) filter->totals[slot->points[k]] = 0;
  }
}

pl_status pl_detail_filter_apply(pl_detail_filter *filter, const pl_detail_frame *frame, pl_vec3 *points,
                                 pl_detail_contact_report *reports, pl_error *error) {
  filter->contact_count = 0;
  filter->costs = (pl_detail_time_report){0};
  filter->lap = pl_clock_seconds();
  if (frame->contact_count < 0 || frame->contact_count > filter->max_contacts)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "%d contacts are not between 0 and the %d that this filter was made for", frame->contact_count,
                   filter->max_contacts);
  if (frame->contact_count > 0)
    pl_field_rows_fill(&filter->ground.rows, frame->material_displacements, frame->material_displacements[0],
                       filter->field);
  count_lap(filter, &filter->costs.describe_seconds);
  for (int32_t c = 0; c < frame->contact_count; ++c) {
    pl_status status = describe(filter, frame, c, error);
    if (status < 0) return status;
    compute_weights(filter, &filter->touches[c]);
    count_lap(filter, &filter->costs.weights_seconds);
  }
  filter->contact_count = frame->contact_count;
  for (int32_t c = 0; reports != NULL && c < frame->contact_count; ++c) reports[c] = filter->touches[c].report;
  if (points != frame->surface_points)
    memcpy(points, frame->surface_points, (size_t)filter->ground.object.surface_count * sizeof *points);
  count_lap(filter, &filter->costs.stamp_seconds);
  stamp_all(filter, points);
  count_lap(filter, &filter->costs.stamp_seconds);
  return PL_OK;
}

pl_detail_time_report pl_detail_filter_get_report(const pl_detail_filter *filter) {
  return filter->costs;
}

void pl_detail_filter_get_weights(const pl_detail_filter *filter, int32_t contact, double *weights) {
  bool known = contact >= 0 && contact < filter->contact_count;
  for (int32_t i = 0; i < filter->set->view.example_count; ++i)
    weights[i] = known ? (double)filter->touches[contact].weights[i] : 0.0;
}
