// Setting up a fit: what is given is judged, the static shape becomes a finite-element body, memory is taken once.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "capture/fit_changes.h"
#include "capture/fit_modes.h"
#include "capture/fit_parameters.h"
#include "capture/fit_parts.h"
#include "pliant/math.h"
#include "solvers/eigen_modes.h"
#include "solvers/nlopt_simplex.h"

// Error to expect of a tracked point where none is given, as a fraction of the object's size: a tenth of a millimetre
// of a metre.
static const double NOISE_OF_SIZE = 1e-4;

// Largest coefficient of a start that is not known; one is what its first guess has.
static const double MAX_START = 1e3;

// Largest acceleration under which a shape that is not known may be in equilibrium, by gravity.
static const double MAX_SHAPE = 4;

static const int32_t WINDOWS[] = {10, 25, 60, 125};

static pl_status check_windows(const pl_fit_def *def, pl_error *error) {
  if (def->window_count < 0 || def->window_count > PL_FIT_MAX_WINDOWS - 1)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "window_count", "is %d; use 0 … %d", def->window_count,
                         PL_FIT_MAX_WINDOWS - 1);
  for (int32_t i = 0; i < def->window_count; ++i)
    if (def->windows[i] < 0 || (i > 0 && def->windows[i] <= def->windows[i - 1]))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "windows", "window %d has %d frames; they must rise", i,
                           def->windows[i]);
  return PL_OK;
}

static pl_status check_def(const pl_fit_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_fit_def_parameters, def, error);
  if (status >= 0) status = check_windows(def, error);
  if (status >= 0 && def->fitter == PL_FITTER_NELDER_MEAD && !pl_simplex_is_available())
    status = pl_fail_field(error, PL_ERROR_UNSUPPORTED, "fitter",
                           "this build has no NLopt; Nelder-Mead needs libnlopt-dev when configuring");
  return status;
}

static bool has_no_weight(const double *weights, ptrdiff_t i) {
  return weights != NULL && weights[i] == 0;
}

static pl_status check_weights(const double *weights, int32_t count, int32_t sequence, const char *of,
                               pl_error *error) {
  for (int32_t i = 0; weights != NULL && i < count; ++i)
    if (!isfinite(weights[i]) || weights[i] < 0)
      return pl_fail(error, PL_ERROR_INVALID_DATA, "sequence %d: the weight of %s %d is not a number from 0 on",
                     sequence, of, i);
  return PL_OK;
}

static pl_status check_embedding(const pl_fit *fit, const pl_embedding *markers, const char *of, int32_t number,
                                 pl_error *error) {
  pl_embedding_view view = pl_embedding_get_view(markers);
  for (int64_t i = 0; i < 4 * (int64_t)view.point_count; ++i)
    if (view.parents[i] < 0 || view.parents[i] >= fit->body.model->head.particle_count)
      return pl_fail(error, PL_ERROR_INVALID_DATA, "%s %d: its markers belong to another mesh", of, number);
  return PL_OK;
}

// Samples may be missing, but not where the motion starts.
static pl_status check_markers(const pl_fit *fit, int32_t number, pl_error *error) {
  const pl_fit_sequence *s = &fit->sequences[number];
  int32_t markers = pl_embedding_get_view(s->markers).point_count, first = 0;
  if (s->frame_count < 2 || s->positions == NULL || markers < 1)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "sequence %d has %d frames of %d markers; a motion has at least 2 of 1", number, s->frame_count,
                   markers);
  if (!(s->frame_seconds > 0) || !isfinite(s->frame_seconds))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "sequence %d: the time between frames must be positive", number);
  if (s->pins_move) return pl_fail(error, PL_ERROR_UNSUPPORTED, "sequence %d: pins cannot follow markers", number);
  if (s->start == PL_FIT_START_GIVEN && s->start_positions == NULL)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "sequence %d: markers do not tell where the body starts; give start_positions, or a start to fit",
                   number);
  for (int32_t i = 0; i < markers; ++i) first += pl_vec3_is_finite(s->positions[i]);
  if (pl_fit_start_is_unknown(s) && first == 0)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "sequence %d: no marker is seen in frame 0, so its start cannot be found; begin with another frame",
                   number);
  pl_status status = check_embedding(fit, s->markers, "sequence", number, error);
  if (status >= 0) status = check_weights(s->point_weights, markers, number, "marker", error);
  return status < 0 ? status : check_weights(s->frame_weights, s->frame_count, number, "frame", error);
}

static pl_status check_case(const pl_fit *fit, int32_t number, pl_error *error) {
  const pl_fit_load_case *c = &fit->cases[number];
  int32_t points = fit->body.model->head.particle_count;
  bool measured = c->positions != NULL || (c->moved && isfinite(c->reaction));
  if (c->loaded_count < 0 || (c->moved && c->loaded_count == 0))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "load case %d moves no points", number);
  for (int32_t i = 0; i < c->loaded_count; ++i)
    if (c->loaded[i] < 0 || c->loaded[i] >= points || fit->body.fixed[c->loaded[i]] != 0)
      return pl_fail(error, PL_ERROR_INVALID_DATA, "load case %d: point %d does not exist or is held", number,
                     c->loaded[i]);
  if (!measured)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "load case %d has no measured positions and no reaction", number);
  if (c->moved && isfinite(c->reaction) && !(c->reaction_deviation > 0))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "load case %d: the deviation of its reaction must be positive",
                   number);
  if (!pl_vec3_is_finite(c->force) || !pl_vec3_is_finite(c->displacement))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "load case %d: its load is not finite", number);
  return c->markers != NULL ? check_embedding(fit, c->markers, "load case", number, error) : PL_OK;
}

static pl_status check_vibration(const pl_fit_vibration *v, int32_t number, pl_error *error) {
  bool good = v->mode >= 0 && v->mode < PL_FIT_MAX_MODES && (isfinite(v->frequency) || isfinite(v->damping_ratio));
  good = good && (!isfinite(v->frequency) || (v->frequency > 0 && v->frequency_deviation > 0));
  good = good && (!isfinite(v->damping_ratio) || (v->damping_ratio > 0 && v->damping_deviation > 0));
  if (good && !pl_eigen_is_available())
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "this build has no ARPACK; vibrations need libarpack2-dev when configuring");
  return good ? PL_OK
              : pl_fail(error, PL_ERROR_INVALID_DATA,
                        "vibration %d: use a mode from 0 to %d and positive frequencies, ratios and deviations", number,
                        PL_FIT_MAX_MODES - 1);
}

// Pins that follow their positions need them in every frame.
static pl_status check_sequence(const pl_fit *fit, int32_t number, pl_error *error) {
  const pl_fit_sequence *s = &fit->sequences[number];
  int32_t points = fit->body.point_count;
  if (fit->def.element == PL_FEM_QUADRATIC && s->pins_move)
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "sequence %d: pins of quadratic tets cannot follow positions, as points do not tell where nodes on "
                   "edges are; use linear tets",
                   number);
  if (s->markers != NULL) return check_markers(fit, number, error);
  if (s->frame_count < 2 || s->positions == NULL)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "sequence %d has %d frames; a motion has at least 2", number,
                   s->frame_count);
  if (!(s->frame_seconds > 0) || !isfinite(s->frame_seconds))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "sequence %d: the time between frames must be positive", number);
  pl_status status = check_weights(s->point_weights, points, number, "point", error);
  if (status >= 0) status = check_weights(s->frame_weights, s->frame_count, number, "frame", error);
  for (int32_t f = 0; status >= 0 && f < s->frame_count; ++f)
    for (int32_t p = 0; p < points; ++p) {
      bool moves = s->pins_move && fit->body.fixed[p] != 0;
      bool starts = f == 0 && s->start_positions == NULL && s->start != PL_FIT_START_BALANCED;
      if (!moves && !starts && (has_no_weight(s->frame_weights, f) || has_no_weight(s->point_weights, p))) continue;
      if (!pl_vec3_is_finite(s->positions[(ptrdiff_t)f * points + p]))
        return pl_fail(error, PL_ERROR_INVALID_DATA, "sequence %d, frame %d: point %d is not finite", number, f, p);
    }
  for (int32_t p = 0; status >= 0 && p < points; ++p)
    if ((s->start_positions != NULL && !pl_vec3_is_finite(s->start_positions[p])) ||
        (s->start_velocities != NULL && !pl_vec3_is_finite(s->start_velocities[p])))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "sequence %d: where point %d starts is not finite", number, p);
  return status;
}

static void set_windows(pl_fit *fit) {
  const int32_t *given = fit->def.windows;
  int32_t count = fit->def.window_count;
  if (count == 0) given = WINDOWS, count = (int32_t)(sizeof WINDOWS / sizeof *WINDOWS);
  // Twice as long each time beyond what is given; a window that is nearly the whole is left out.
  for (int32_t i = 0; i < count; ++i)
    if (given[i] > 1 && 5 * given[i] < 4 * fit->longest) fit->windows[fit->window_count++] = given[i];
  while (fit->def.window_count == 0 && fit->window_count < PL_FIT_MAX_WINDOWS - 1) {
    int32_t last = fit->window_count > 0 ? fit->windows[fit->window_count - 1] : 0;
    if (last < 125 || 10 * last >= 4 * fit->longest) break;
    fit->windows[fit->window_count++] = 2 * last;
  }
  fit->windows[fit->window_count++] = fit->longest > 0 ? fit->longest : 1;
  fit->def.windows = NULL;
}

// How many shapes an unknown velocity has. Where all points are seen, the parts of a body that swing by themselves are:
// its lowest modes, if there is a solver for them, and points for more than those.
static int32_t shape_count_of(const pl_fit *fit, const pl_fit_sequence *sequence) {
  int32_t particles = fit->body.model->head.particle_count, free_count = 0;
  for (int32_t i = 0; i < particles; ++i) free_count += fit->body.fixed[i] == 0;
  bool seen = sequence->markers == NULL && free_count >= 2 * PL_MOTION_MAX_SHAPES;
  return seen && pl_eigen_is_available() ? PL_MOTION_MAX_SHAPES : PL_MOTION_MARKER_SHAPES;
}

// Coefficients of a start that is not known, behind all other values.
static void set_start(pl_fit *fit, int32_t number) {
  const pl_fit_sequence *s = &fit->sequences[number];
  pl_motion_start *start = &fit->starts[number];
  *start = (pl_motion_start){.force_value = -1, .velocity_value = -1};
  if (!pl_fit_start_is_unknown(s)) return;
  int32_t first = fit->value_count;
  bool pulled = s->start == PL_FIT_START_PULLED || s->markers != NULL, moving = s->start == PL_FIT_START_MOVING;
  if (pulled) start->force_value = fit->value_count;
  if (pulled) fit->value_count += 3;
  if (moving) start->velocity_value = fit->value_count;
  start->shape_count = moving ? shape_count_of(fit, s) : 0;
  fit->value_count += start->shape_count;
  for (int32_t k = first; k < fit->value_count; ++k)
    fit->ranges[k] = (pl_fit_range){.min = -MAX_START, .max = MAX_START, .fitted = true};
  fit->start_count++;
}

static void list_viscous(const pl_fit_def *def, const pl_fit_range *ranges[PL_FIT_VISCOUS_KINDS]) {
  ranges[PL_FIT_PRONY_RATIO] = &def->prony_ratio;
  ranges[PL_FIT_PRONY_TIME] = &def->prony_time;
  ranges[PL_FIT_SECOND_PRONY_RATIO] = &def->second_prony_ratio;
  ranges[PL_FIT_SECOND_PRONY_TIME] = &def->second_prony_time;
  ranges[PL_FIT_LOSS_FACTOR] = &def->loss_factor;
}

// A branch that has a stiffness, or is to have one, brings its values.
static void set_viscous(pl_fit *fit) {
  static const int32_t stiffness[PL_FIT_VISCOUS_KINDS] = {
      PL_FIT_PRONY_RATIO, PL_FIT_PRONY_RATIO, PL_FIT_SECOND_PRONY_RATIO, PL_FIT_SECOND_PRONY_RATIO, PL_FIT_LOSS_FACTOR};
  const pl_fit_range *ranges[PL_FIT_VISCOUS_KINDS];
  list_viscous(&fit->def, ranges);
  fit->body.loss_frequency = fit->def.loss_frequency;
  for (int32_t kind = 0; kind < PL_FIT_VISCOUS_KINDS; ++kind)
    if (ranges[stiffness[kind]]->start > 0) fit->body.viscous_kinds[fit->body.viscous_count++] = kind;
}

// A shape that is not known: the acceleration under which it is in equilibrium, from gravity on.
static void set_shape(pl_fit *fit) {
  const pl_fit_def *def = &fit->def;
  double size = pl_vec3_length(def->gravity), start[3] = {def->gravity.x, def->gravity.y, def->gravity.z};
  fit->shape_value = -1;
  if (def->shape != PL_FIT_SHAPE_UNKNOWN) return;
  fit->shape_value = fit->value_count;
  for (int axis = 0; axis < 3; ++axis, ++fit->value_count) {
    fit->ranges[fit->value_count] = (pl_fit_range){.min = -MAX_SHAPE, .max = MAX_SHAPE, .fitted = true};
    fit->values[fit->value_count] = start[axis] / size;
  }
}

static void set_values(pl_fit *fit) {
  const pl_fit_def *def = &fit->def;
  int32_t controls = fit->body.control_count;
  fit->result_count = controls + 3 + fit->body.viscous_count;
  for (int32_t k = 0; k < controls; ++k) {
    fit->ranges[k] = def->young;
    fit->values[k] = def->young_starts != NULL ? def->young_starts[k] : def->young.start;
  }
  const pl_fit_range *others[3] = {&def->poisson, &def->mass_damping, &def->stiffness_damping};
  const pl_fit_range *viscous[PL_FIT_VISCOUS_KINDS];
  list_viscous(def, viscous);
  for (int32_t k = 0; k < 3 + fit->body.viscous_count; ++k) {
    const pl_fit_range *range = k < 3 ? others[k] : viscous[fit->body.viscous_kinds[k - 3]];
    fit->ranges[controls + k] = *range;
    fit->values[controls + k] = range->start;
  }
  fit->value_count = fit->result_count;
  for (int32_t i = 0; i < fit->sequence_count; ++i) set_start(fit, i);
  set_shape(fit);
  for (int32_t k = 0; k < fit->value_count; ++k)
    if (fit->ranges[k].fitted) fit->columns[fit->column_count++] = k;
  fit->padded = pl_fit_padded(fit->column_count);
  fit->cursor.damping = PL_FIT_FIRST_DAMPING;
  fit->cursor.steps = def->steps_per_frame;
  fit->def.young_starts = NULL;
}

// Nodes between two held corners of a quadratic tet are held too.
static void hold_middles(const pl_fem_model *model, int32_t point_count, uint8_t *fixed) {
  static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  const pl_fem_group *group = &model->groups[0];
  for (ptrdiff_t t = 0; group->corner_count == 10 && t < group->element_count; ++t) {
    const int32_t *nodes = group->corners + 10 * t;
    for (int k = 0; k < 6; ++k)
      if (nodes[4 + k] >= point_count && fixed[nodes[ends[k][0]]] != 0 && fixed[nodes[ends[k][1]]] != 0)
        fixed[nodes[4 + k]] = PL_BLOCK_FIX_ALL;
  }
}

static pl_status set_body(pl_fit *fit, const pl_mesh *mesh, pl_error *error) {
  const pl_fit_def *def = &fit->def;
  pl_fem_def fem = pl_default_fem_def(def->material);
  fem.density = def->density;
  fem.young = def->young.start;
  fem.poisson = def->poisson.start;
  fem.direct = def->direct;
  fem.element = def->element;
  fem.added_masses = def->added_masses;
  pl_mesh_view view = pl_mesh_get_view(mesh), plain = {.point_count = view.point_count,
                                                       .points = view.points,
                                                       .tet_count = view.tet_count,
                                                       .tets = view.tets};
  pl_status status = pl_mesh_create(fit->context, &plain, &fit->mesh, error);
  if (status >= 0) status = pl_fem_build(fit->context, &fem, fit->mesh, &fit->model, error);
  if (status < 0) return status;
  const pl_fem_model *model = (const pl_fem_model *)fit->model;
  int32_t particle_count = model->head.particle_count;
  uint8_t *fixed = PL_TAKE(&fit->arena, uint8_t, particle_count);
  double *load = PL_TAKE(&fit->arena, double, 3 * (size_t)particle_count),
         *ones = PL_TAKE(&fit->arena, double, view.tet_count);
  if (fit->arena.failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < def->pinned_count; ++i) {
    if (def->pinned[i] < 0 || def->pinned[i] >= view.point_count)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "pinned", "%d is out of range; the mesh has points 0 … %d",
                           def->pinned[i], view.point_count - 1);
    fixed[def->pinned[i]] = PL_BLOCK_FIX_ALL;
  }
  hold_middles(model, view.point_count, fixed);
  for (int32_t i = 0; i < particle_count; ++i) pl_fem_put(load, i, pl_vec3_scale(def->gravity, model->load_masses[i]));
  for (int32_t t = 0; t < view.tet_count; ++t) ones[t] = 1;
  fit->body = (pl_fit_body){.model = model,
                            .point_count = view.point_count,
                            .fixed = fixed,
                            .load = load,
                            .control_count = 1,
                            .weights = ones,
                            .direct = def->direct};
  if (def->field != NULL) {
    pl_field_view field = pl_field_get_view(def->field);
    if (field.tet_count != view.tet_count)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "field", "is of a mesh of %d tets, this one has %d",
                           field.tet_count, view.tet_count);
    fit->body.control_count = field.control_count;
    fit->body.weights = field.weights;
  }
  double held = 3.0 * def->pinned_count;
  if (held == 0 && def->shape != PL_FIT_SHAPE_UNSTRESSED && pl_vec3_length(def->gravity) > 0)
    return pl_fail_field(
        error, PL_ERROR_INVALID_ARGUMENT, "pinned",
        "nothing is held, so the static shape is not an equilibrium in gravity; give points in `pinned`");
  fit->size = pl_box_diagonal(fit->model->box);
  // Per point, as a fraction of the extent: well above rounding, and far below anything that a track could show.
  fit->step_tolerance = 1e-10;
  fit->def.pinned = NULL;
  if (def->added_masses != NULL) {
    fit->def.added_masses = pl_arena_copy(&fit->arena, def->added_masses, (size_t)view.point_count, sizeof(double));
    if (fit->def.added_masses == NULL) return pl_fail_memory(error);
  }
  fit->noise_is_stated = def->noise > 0;
  if (!fit->noise_is_stated) fit->def.noise = NOISE_OF_SIZE * fit->size;
  return PL_OK;
}

static pl_status take_memory(pl_fit *fit, pl_error *error) {
  size_t n = 3 * (size_t)fit->body.model->head.particle_count, columns = (size_t)fit->column_count,
         padded = (size_t)fit->padded;
  pl_arena *arena = &fit->arena;
  size_t scores = (size_t)fit->score_count, frames = (size_t)(fit->longest > 0 ? fit->longest : 1);
  fit->output_size = 6 + columns + columns * columns + columns * frames;
  fit->rest = PL_TAKE(arena, double, n);
  fit->trial_rest = PL_TAKE(arena, double, n);
  fit->rest_change = PL_TAKE(arena, double, n *padded);
  if (fit->shape_value >= 0) fit->shape_load = PL_TAKE(arena, double, n);
  fit->fractions = PL_TAKE(arena, double, (size_t)fit->body.model->groups[0].element_count *padded);
  fit->outputs = PL_TAKE(arena, double, fit->output_size *(size_t)(fit->sequence_count + fit->case_count));
  fit->now.gradient = PL_TAKE(arena, double, columns);
  fit->now.normal = PL_TAKE(arena, double, columns *columns);
  fit->trial.gradient = PL_TAKE(arena, double, columns);
  fit->trial.normal = PL_TAKE(arena, double, columns *columns);
  size_t items = (size_t)(fit->sequence_count + fit->case_count + fit->vibration_count);
  fit->now.normals = PL_TAKE(arena, double, columns *columns *items);
  fit->trial.normals = PL_TAKE(arena, double, columns *columns *items);
  fit->now.scores = PL_TAKE(arena, double, columns *scores);
  fit->trial.scores = PL_TAKE(arena, double, columns *scores);
  fit->correlations = PL_TAKE(arena, double, (size_t)fit->result_count *(size_t)fit->result_count);
  if (arena->failed) return pl_fail_memory(error);
  memcpy(fit->rest, fit->body.model->rest_points, n * sizeof(double));
  fit->log = pl_vector_of(fit->context, sizeof(double));
  pl_status status = pl_fit_worker_create(fit->context, &fit->body, 0, &fit->worker, error);
  return status < 0 ? status : pl_reference_take(fit->worker, &fit->reference, error);
}

// What of the data tells an unknown shape, and what needs to know it.
static pl_status check_unknown(const pl_fit *fit, pl_error *error) {
  bool moved = false;
  for (int32_t i = 0; i < fit->case_count; ++i) moved = moved || fit->cases[i].moved;
  if (!(pl_vec3_length(fit->def.gravity) > 0))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "shape",
                         "without gravity nothing tells an unknown shape from an unstressed one");
  if (fit->vibration_count > 0 || moved)
    return pl_fail_field(error, PL_ERROR_UNSUPPORTED, "shape",
                         "vibrations and points that are moved by a known way are around the shape of the mesh, which "
                         "must be static or unstressed");
  return PL_OK;
}

static pl_status take_data(pl_fit *fit, const pl_fit_sequences *data, pl_error *error) {
  pl_arena *arena = &fit->arena;
  fit->sequences = pl_arena_copy(arena, data->items, (size_t)data->count, sizeof *data->items);
  fit->cases = pl_arena_copy(arena, data->cases, (size_t)data->case_count, sizeof *data->cases);
  fit->vibrations = pl_arena_copy(arena, data->vibrations, (size_t)data->vibration_count, sizeof *data->vibrations);
  fit->starts = PL_TAKE(arena, pl_motion_start, data->count);
  if (arena->failed) return pl_fail_memory(error);
  pl_status status = PL_OK;
  int32_t unknown_count = 0;
  for (int32_t i = 0; i < fit->sequence_count && status >= 0; ++i) {
    const pl_fit_sequence *s = &fit->sequences[i];
    status = check_sequence(fit, i, error);
    if (status >= 0) status = pl_fit_check_loads(fit, s, i, error);
    if (status >= 0) status = pl_fit_place_nodes(fit, arena, &fit->sequences[i], error);
    if (s->frame_count > fit->longest) fit->longest = s->frame_count;
    fit->score_count += s->frame_count;
    unknown_count += pl_fit_start_is_unknown(s);
  }
  for (int32_t i = 0; i < fit->case_count && status >= 0; ++i) status = check_case(fit, i, error);
  for (int32_t i = 0; i < fit->vibration_count && status >= 0; ++i)
    status = check_vibration(&fit->vibrations[i], i, error);
  fit->score_count += fit->case_count + fit->vibration_count;
  if (status >= 0 && fit->def.shape == PL_FIT_SHAPE_UNKNOWN) status = check_unknown(fit, error);
  if (status >= 0 && unknown_count > PL_FIT_MAX_STARTS)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "%d sequences have a start to fit; at most %d can", unknown_count,
                   PL_FIT_MAX_STARTS);
  return status;
}

static pl_status set_up(pl_fit *fit, const pl_mesh *mesh, const pl_fit_sequences *data, pl_error *error) {
  pl_status status = set_body(fit, mesh, error);
  if (status >= 0) status = take_data(fit, data, error);
  if (status < 0) return status;
  set_windows(fit);
  set_viscous(fit);
  set_values(fit);
  for (int32_t k = 0; k < fit->body.control_count; ++k)
    if (!(fit->values[k] >= fit->ranges[k].min) || !(fit->values[k] <= fit->ranges[k].max))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "young_starts", "%d starts at %g Pa, outside its bounds",
                           k, fit->values[k]);
  return take_memory(fit, error);
}

pl_status pl_fit_create(pl_context *context, const pl_fit_def *def, const pl_mesh *mesh,
                        const pl_fit_sequences *sequences, pl_fit **fit, pl_error *error) {
  *fit = NULL;
  pl_status status = check_def(def, error);
  if (status < 0) return status;
  if (sequences->count < 0 || sequences->case_count < 0 || sequences->vibration_count < 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "there are %d sequences, %d load cases and %d vibrations; none can be negative", sequences->count,
                   sequences->case_count, sequences->vibration_count);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_fit *made = PL_TAKE(&arena, pl_fit, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->arena = arena;
  made->context = context;
  made->def = *def;
  made->sequence_count = sequences->count;
  made->case_count = sequences->case_count;
  made->vibration_count = sequences->vibration_count;
  status = set_up(made, mesh, sequences, error);
  if (status < 0) {
    pl_fit_destroy(made);
    return status;
  }
  *fit = made;
  return PL_OK;
}

void pl_fit_destroy(pl_fit *fit) {
  if (fit == NULL) return;
  pl_fit_worker_destroy(fit->worker);
  if (fit->log.context != NULL) pl_vector_free(&fit->log);
  pl_model_destroy(fit->model);
  pl_mesh_destroy(fit->mesh);
  pl_arena arena = fit->arena;
  pl_arena_destroy(&arena);
}
