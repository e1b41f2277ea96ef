// What tets and steps do to a fit: the same data fitted with half the edges and with half the step, extrapolated.
//
// Linear tets are too stiff in bending by C h², which a fit answers with a softer material: the inverse of the modulus
// is linear in h² (notes/capture.md, order 1.8). With y = 1/E (other parameters: y = the value itself)
//
//   y* = y_fine + (y_fine - y)/(2^p - 1) + 4/3 (y_short - y)          p = 2
//
// y of the fit, y_fine with edges of one half, y_short with steps of one half. The order is not known from two meshes:
// an order of 1.3, which bars with one cell across have, would give another y*, and that difference is what stays
// uncertain of the tets; of the steps, whose order 1.7 to 2 is nearly known, a third of what they changed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit_parts.h"
#include "mesh/topology.h"
#include "pliant/math.h"

enum { PARTS = 8 };  // tets of a tet with half the edges
static const double LOW_ORDER = 1.3, ORDER = 2;

// A tet mesh with half the edges, and the same data for it.
typedef struct refinement {
  pl_context *context;
  pl_arena arena;
  pl_mesh *mesh;
  pl_field *field;
  int32_t *pinned, pinned_count;
  double *masses;              // added ones, or NULL
  int32_t edge_count, *edges;  // 2 points each; the middle of edge e is point point_count + e
  pl_fit_sequence *sequences;
  pl_fit_load_case *cases;
  pl_embedding **embeddings;  // of the sequences, then of the cases
  int32_t embedding_count;
} refinement;

static int compare_edges(const void *a, const void *b) {
  const int32_t *x = a, *y = b;
  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static int32_t middle_of(const refinement *r, int32_t point_count, int32_t a, int32_t b) {
  const int32_t key[2] = {a < b ? a : b, a < b ? b : a};
  const int32_t *found = bsearch(key, r->edges, (size_t)r->edge_count, sizeof key, compare_edges);
  return point_count + (int32_t)((found - r->edges) / 2);
}

// Four tets at the corners, and the octahedron between them cut along its shortest diagonal.
static void split_tet(const refinement *r, const pl_vec3 *points, int32_t point_count, const int32_t *c, int32_t *to) {
  int32_t m[4][4];
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) m[i][k] = i == k ? -1 : middle_of(r, point_count, c[i], c[k]);
  static const int opposite[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};
  int best = 0;
  double shortest = HUGE_VAL;
  for (int d = 0; d < 3; ++d) {
    const int *o = opposite[d];
    double length = pl_vec3_length(pl_vec3_sub(points[m[o[0]][o[1]]], points[m[o[2]][o[3]]]));
    if (length < shortest * (1 - 1e-9)) shortest = length, best = d;
  }
  const int *o = opposite[best];
  int32_t p = m[o[0]][o[1]], q = m[o[2]][o[3]];
  // The four middles around that diagonal, in order: neighbours share a corner.
  const int32_t ring[4] = {m[o[0]][o[2]], m[o[0]][o[3]], m[o[1]][o[3]], m[o[1]][o[2]]};
  for (int i = 0; i < 4; ++i) {
    int32_t corner[4], around[4] = {p, q, ring[i], ring[(i + 1) % 4]};
    for (int k = 0; k < 4; ++k) corner[k] = k == i ? c[i] : m[i][k];
    memcpy(to + 4 * (ptrdiff_t)i, corner, sizeof corner);
    memcpy(to + 4 * (ptrdiff_t)(4 + i), around, sizeof around);
  }
  for (int i = 0; i < PARTS; ++i) {
    int32_t *tet = to + 4 * (ptrdiff_t)i;
    pl_vec3 a = pl_vec3_sub(points[tet[1]], points[tet[0]]), b = pl_vec3_sub(points[tet[2]], points[tet[0]]);
    if (pl_vec3_dot(a, pl_vec3_cross(b, pl_vec3_sub(points[tet[3]], points[tet[0]]))) >= 0) continue;
    int32_t swap = tet[2];
    tet[2] = tet[3];
    tet[3] = swap;
  }
}

static pl_status split_mesh(refinement *r, const pl_fit *fit, pl_error *error) {
  pl_mesh_view mesh = pl_mesh_get_view(fit->mesh);
  if (!pl_edges_find(&r->arena, pl_elements_of_mesh(&mesh), mesh.point_count, &r->edges, &r->edge_count))
    return pl_fail_memory(error);
  pl_mesh_view fine = {.point_count = mesh.point_count + r->edge_count, .tet_count = PARTS * mesh.tet_count};
  pl_vec3 *points = PL_TAKE(&r->arena, pl_vec3, fine.point_count);
  int32_t *tets = PL_TAKE(&r->arena, int32_t, 4 * (size_t)fine.tet_count);
  r->pinned = PL_TAKE(&r->arena, int32_t, fine.point_count);
  if (r->arena.failed) return pl_fail_memory(error);
  memcpy(points, mesh.points, (size_t)mesh.point_count * sizeof *points);
  for (int32_t e = 0; e < r->edge_count; ++e)
    points[mesh.point_count + e] =
        pl_vec3_scale(pl_vec3_add(points[r->edges[2 * (ptrdiff_t)e]], points[r->edges[2 * (ptrdiff_t)e + 1]]), 0.5);
  for (int32_t t = 0; t < mesh.tet_count; ++t)
    split_tet(r, points, mesh.point_count, mesh.tets + 4 * (ptrdiff_t)t, tets + 4 * (ptrdiff_t)PARTS * t);
  const uint8_t *fixed = fit->body.fixed;
  for (int32_t i = 0; i < fine.point_count; ++i) {
    const int32_t *edge = r->edges + 2 * ((ptrdiff_t)i - mesh.point_count);
    bool held = i < mesh.point_count ? fixed[i] != 0 : fixed[edge[0]] != 0 && fixed[edge[1]] != 0;
    if (held) r->pinned[r->pinned_count++] = i;
  }
  fine.points = points;
  fine.tets = tets;
  return pl_mesh_create(r->context, &fine, &r->mesh, error);
}

// --- data ---------------------------------------------------------------------------------------------------------

// What is observed of the coarse mesh, in the fine one.
static pl_status bind(refinement *r, const pl_fit *fit, const pl_embedding *markers, const pl_embedding **bound,
                      pl_error *error) {
  pl_mesh_view mesh = pl_mesh_get_view(fit->mesh);
  int32_t count = markers != NULL ? pl_embedding_get_view(markers).point_count : mesh.point_count;
  pl_vec3 *points = PL_TAKE(&r->arena, pl_vec3, count);
  if (points == NULL) return pl_fail_memory(error);
  if (markers != NULL)
    pl_embedding_apply(markers, mesh.points, points);
  else
    memcpy(points, mesh.points, (size_t)count * sizeof *points);
  pl_embedding *made = NULL;
  pl_status status =
      pl_embedding_build(r->context, r->mesh, &(pl_embedding_input){points, count, HUGE_VAL}, &made, NULL, error);
  r->embeddings[r->embedding_count++] = made;
  *bound = made;
  return status;
}

// Where the fine body is when points of the coarse one are given: those stay there, and all others come to rest.
static pl_status settle_start(refinement *r, const pl_fit *fit, const pl_vec3 *given, pl_vec3 **start,
                              pl_error *error) {
  int32_t coarse = pl_mesh_get_view(fit->mesh).point_count, all = pl_mesh_get_view(r->mesh).point_count;
  pl_vec3 *points = PL_TAKE(&r->arena, pl_vec3, all);
  int32_t *kept = PL_TAKE(&r->arena, int32_t, all);
  if (r->arena.failed) return pl_fail_memory(error);
  memcpy(points, given, (size_t)coarse * sizeof *points);
  int32_t count = 0;
  for (int32_t i = 0; i < coarse; ++i) kept[count++] = i;
  for (int32_t i = 0; i < r->pinned_count; ++i)
    if (r->pinned[i] >= coarse) kept[count++] = r->pinned[i];
  for (int32_t e = 0; e < r->edge_count; ++e) {
    const int32_t *edge = r->edges + 2 * (ptrdiff_t)e;
    points[coarse + e] = pl_vec3_scale(pl_vec3_add(points[edge[0]], points[edge[1]]), 0.5);
  }
  pl_fem_def fem = pl_default_fem_def(fit->def.material);
  fem.density = fit->def.density;
  fem.added_masses = r->masses;
  fem.young = fit->values[0];
  fem.poisson = fit->values[fit->body.control_count];
  fem.direct = fit->def.direct;
  pl_model *model = NULL;
  pl_status status = pl_fem_build(r->context, &fem, r->mesh, &model, error);
  pl_fem_equilibrium_def def = pl_default_fem_equilibrium_def();
  def.pinned = kept;
  def.pinned_count = count;
  def.tolerance = 1e-6;
  if (status >= 0) status = pl_fem_equilibrium(r->context, model, &def, points, NULL, error);
  pl_model_destroy(model);
  *start = points;
  return status;
}

// The load of points is spread over the middles between them too.
static pl_status spread_load(refinement *r, const pl_fit *fit, const int32_t **points, int32_t *point_count,
                             pl_error *error) {
  int32_t coarse = pl_mesh_get_view(fit->mesh).point_count, count = 0;
  uint8_t *marks = PL_TAKE(&r->arena, uint8_t, coarse);
  int32_t *loaded = PL_TAKE(&r->arena, int32_t, coarse + r->edge_count);
  if (r->arena.failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < *point_count; ++i) marks[(*points)[i]] = 1, loaded[count++] = (*points)[i];
  for (int32_t e = 0; e < r->edge_count; ++e) {
    const int32_t *edge = r->edges + 2 * (ptrdiff_t)e;
    if (marks[edge[0]] && marks[edge[1]]) loaded[count++] = coarse + e;
  }
  *points = loaded;
  *point_count = count;
  return PL_OK;
}

static pl_status take_loads(refinement *r, const pl_fit *fit, pl_fit_sequence *s, pl_error *error) {
  if (s->load_count == 0) return PL_OK;
  pl_fit_load *loads = pl_arena_copy(&r->arena, s->loads, (size_t)s->load_count, sizeof *loads);
  if (loads == NULL) return pl_fail_memory(error);
  s->loads = loads;
  pl_status status = PL_OK;
  for (int32_t i = 0; i < s->load_count && status >= 0; ++i)
    status = spread_load(r, fit, &loads[i].loaded, &loads[i].loaded_count, error);
  return status;
}

static pl_status take_sequence(refinement *r, const pl_fit *fit, int32_t number, pl_error *error) {
  pl_fit_sequence *s = &r->sequences[number];
  *s = fit->sequences[number];
  bool given = s->start == PL_FIT_START_GIVEN || (s->markers == NULL && s->start != PL_FIT_START_BALANCED);
  const pl_vec3 *from = s->start_positions != NULL ? s->start_positions : s->positions;
  pl_vec3 *start = NULL, *speed = NULL;
  pl_status status = given ? settle_start(r, fit, from, &start, error) : PL_OK;
  if (status >= 0 && s->start_velocities != NULL) {
    int32_t coarse = pl_mesh_get_view(fit->mesh).point_count;
    speed = PL_TAKE(&r->arena, pl_vec3, coarse + r->edge_count);
    if (speed == NULL) return pl_fail_memory(error);
    memcpy(speed, s->start_velocities, (size_t)coarse * sizeof *speed);
    for (int32_t e = 0; e < r->edge_count; ++e)
      speed[coarse + e] =
          pl_vec3_scale(pl_vec3_add(speed[r->edges[2 * (ptrdiff_t)e]], speed[r->edges[2 * (ptrdiff_t)e + 1]]), 0.5);
  }
  s->start_positions = start;
  s->start_velocities = speed;
  if (status >= 0) status = bind(r, fit, fit->sequences[number].markers, &s->markers, error);
  if (status >= 0) status = take_loads(r, fit, s, error);
  if (status >= 0 && s->pins_move)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "sequence %d has moving pins, which cannot be refined", number);
  return status;
}

// Masses of points are spread over the middles between them too: a point with k such edges keeps m / (1 + k/2) and
// gives half of that to each.
static pl_status spread_masses(refinement *r, const pl_fit *fit, pl_error *error) {
  int32_t coarse = pl_mesh_get_view(fit->mesh).point_count;
  const double *given = fit->def.added_masses;
  if (given == NULL) return PL_OK;
  r->masses = PL_TAKE(&r->arena, double, coarse + r->edge_count);
  if (r->masses == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < coarse; ++i) r->masses[i] = 1;
  for (int pass = 0; pass < 2; ++pass) {
    for (int32_t e = 0; e < r->edge_count; ++e) {
      const int32_t *edge = r->edges + 2 * (ptrdiff_t)e;
      if (!(given[edge[0]] > 0 && given[edge[1]] > 0)) continue;
      for (int k = 0; k < 2; ++k)
        if (pass == 0)
          r->masses[edge[k]] += 0.5;
        else
          r->masses[coarse + e] += 0.5 * r->masses[edge[k]];
    }
    for (int32_t i = 0; pass == 0 && i < coarse; ++i) r->masses[i] = given[i] / r->masses[i];
  }
  return PL_OK;
}

static pl_status take_case(refinement *r, const pl_fit *fit, int32_t number, pl_error *error) {
  pl_fit_load_case *c = &r->cases[number];
  *c = fit->cases[number];
  pl_status status = spread_load(r, fit, &c->loaded, &c->loaded_count, error);
  if (status < 0) return status;
  return c->positions != NULL ? bind(r, fit, fit->cases[number].markers, &c->markers, error) : PL_OK;
}

static pl_status prepare(refinement *r, const pl_fit *fit, pl_error *error) {
  size_t count = (size_t)(fit->sequence_count + fit->case_count);
  r->sequences = PL_TAKE(&r->arena, pl_fit_sequence, fit->sequence_count);
  r->cases = PL_TAKE(&r->arena, pl_fit_load_case, fit->case_count);
  r->embeddings = PL_TAKE(&r->arena, pl_embedding *, count);
  if (r->arena.failed) return pl_fail_memory(error);
  pl_status status = split_mesh(r, fit, error);
  if (status >= 0) status = spread_masses(r, fit, error);
  if (status >= 0 && fit->def.field != NULL)
    status = pl_field_split(r->context, fit->def.field, PARTS, &r->field, error);
  for (int32_t i = 0; i < fit->sequence_count && status >= 0; ++i) status = take_sequence(r, fit, i, error);
  for (int32_t i = 0; i < fit->case_count && status >= 0; ++i) status = take_case(r, fit, i, error);
  return status;
}

static void clean_up(refinement *r) {
  for (int32_t i = 0; i < r->embedding_count; ++i) pl_embedding_destroy(r->embeddings[i]);
  pl_field_destroy(r->field);
  pl_mesh_destroy(r->mesh);
  pl_arena_destroy(&r->arena);
}

// --- the fits -----------------------------------------------------------------------------------------------------

typedef struct refined_fit {
  bool converged;
  double values[PL_FIT_MAX_VALUES], deviations[PL_FIT_MAX_VALUES], lacks[PL_FIT_MAX_VALUES];
} refined_fit;

static pl_status run_again(const pl_fit *fit, const pl_fit_def *given, const pl_mesh *mesh,
                           const pl_fit_sequences *data, refined_fit *found, pl_error *error) {
  pl_fit_def def = *given;
  int32_t controls = fit->body.control_count;
  double starts[PL_FIT_MAX_CONTROLS];
  memcpy(starts, fit->values, (size_t)controls * sizeof(double));
  def.young_starts = starts;
  def.young.start = starts[0];
  def.poisson.start = fit->values[controls];
  def.mass_damping.start = fit->values[controls + 1];
  def.stiffness_damping.start = fit->values[controls + 2];
  pl_fit_range *viscous[PL_FIT_VISCOUS_KINDS] = {&def.prony_ratio, &def.prony_time, &def.second_prony_ratio,
                                                 &def.second_prony_time, &def.loss_factor};
  for (int32_t i = 0; i < fit->body.viscous_count; ++i)
    viscous[fit->body.viscous_kinds[i]]->start = fit->values[controls + 3 + i];
  if (!fit->noise_is_stated) def.noise = 0;
  def.max_steps = 0;
  def.windows = NULL;
  def.window_count = 0;
  def.after_iteration = NULL;
  pl_fit *again = NULL;
  pl_fit_report report;
  pl_status status = pl_fit_create(fit->context, &def, mesh, data, &again, error);
  if (status >= 0) status = pl_fit_run(again, error);
  if (status >= 0) found->converged = status == PL_OK;
  if (status >= 0) status = pl_fit_get_report(again, &report, error);
  for (int32_t k = 0; k < fit->result_count && status >= 0; ++k) {
    found->values[k] = report.estimates[k].value;
    found->deviations[k] = again->deviations[k];
    found->lacks[k] = report.estimates[k].lack_of_fit;
  }
  pl_fit_destroy(again);
  return status < 0 ? status : PL_OK;
}

// Of a modulus the inverse is linear in the square of edges and steps.
static double straight(const pl_fit *fit, int32_t value, double physical) {
  return value < fit->body.control_count ? 1 / physical : physical;
}

static void extrapolate(pl_fit *fit, int32_t value, double fine, double brief) {
  const pl_fit_range *range = &fit->ranges[value];
  double y = straight(fit, value, fit->values[value]), by_tets = straight(fit, value, fine) - y,
         by_steps = straight(fit, value, brief) - y;
  double fraction = 1 / (pow(2, ORDER) - 1), other = 1 / (pow(2, LOW_ORDER) - 1);
  double found = y + by_tets * (1 + fraction) + by_steps * 4 / 3;
  double unsure = fabs(by_tets) * (other - fraction) + fabs(by_steps) / 3;
  bool positive = pl_fit_is_logarithmic(fit, value);
  // Where an extrapolation would lead beyond nothing, the fine tets are the best there is, with all of their change.
  if (positive && !(found > 0.25 * fabs(y + by_tets))) {
    found = y + by_tets;
    unsure = fabs(by_tets) + fabs(by_steps);
  }
  fit->refined_values[value] = fmin(fmax(value < fit->body.control_count ? 1 / found : found, range->min), range->max);
  fit->uncertainties[value] = positive ? unsure / fabs(found) : unsure;
}

pl_status pl_fit_refine(pl_fit *fit, pl_error *error) {
  if (!fit->cursor.finished)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the fit has not ended; call pl_fit_run() before it is refined");
  refined_fit brief = {0}, fine = {0};
  pl_fit_sequences data = {fit->sequences,  fit->sequence_count, fit->cases,
                           fit->case_count, fit->vibrations,     fit->vibration_count};
  refinement r = {.context = fit->context};
  pl_arena_init(&r.arena, fit->context, 0);
  pl_status status = prepare(&r, fit, error);
  pl_fit_def def = fit->def;
  int32_t *pinned = PL_TAKE(&r.arena, int32_t, fit->body.model->head.particle_count), pinned_count = 0;
  if (status >= 0 && pinned == NULL) status = pl_fail_memory(error);
  for (int32_t i = 0; status >= 0 && i < fit->body.point_count; ++i)
    if (fit->body.fixed[i] != 0) pinned[pinned_count++] = i;
  def.pinned = pinned;
  def.pinned_count = pinned_count;
  def.steps_per_frame = 2 * fit->cursor.steps;
  if (fit->sequence_count > 0) {
    if (status >= 0) status = run_again(fit, &def, fit->mesh, &data, &brief, error);
  } else {
    memcpy(brief.values, fit->values, sizeof brief.values);
    brief.converged = true;
  }
  def.pinned = r.pinned;
  def.pinned_count = r.pinned_count;
  def.added_masses = r.masses;
  def.field = r.field;
  def.steps_per_frame = fit->cursor.steps;
  data.items = r.sequences;
  data.cases = r.cases;
  if (status >= 0) status = run_again(fit, &def, r.mesh, &data, &fine, error);
  clean_up(&r);
  if (status < 0) return status;
  for (int32_t k = 0; k < fit->result_count; ++k) {
    extrapolate(fit, k, fine.values[k], brief.values[k]);
    fit->refined_deviations[k] = fine.deviations[k];
    fit->refined_lacks[k] = fine.lacks[k];
  }
  fit->refined = true;
  fit->refined_converged = brief.converged && fine.converged;
  return fit->refined_converged ? PL_OK : PL_REMARK_NOT_CONVERGED;
}
