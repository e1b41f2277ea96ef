// The input of a fit: options, motions, held points.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool_fit.h"
#include "tool_ranks.h"

// --- options
// ------------------------------------------------------------------------------------------------------------

// Index of `given` in `names`; `fallback` if it is NULL. The option table has checked that it is one of them.
static int choose(const char *given, const char *const *names, int fallback) {
  for (int i = 0; given != NULL && names[i] != NULL; ++i)
    if (strcasecmp(given, names[i]) == 0) return i;
  return fallback;
}

static const char *text_of(const tool_arguments *arguments, const char *name) {
  const tool_value *value = tool_find_value(arguments, name);
  return value->given ? value->text : NULL;
}

static bool read_vector(const tool_session *tool, const char *text, pl_vec3 *v) {
  char rest;
  if (text == NULL || (sscanf(text, "%lf,%lf,%lf%c", &v->x, &v->y, &v->z, &rest) == 3 && isfinite(v->x + v->y + v->z)))
    return true;
  tool_print_error(&tool->console, "--gravity takes three numbers such as 0,-9.81,0, not '%s'", text);
  return false;
}

// Control points from a table with the columns x, y and z.
static bool read_points(const tool_session *tool, pl_context *context, const char *path, fit_settings *settings) {
  pl_table *table = NULL;
  pl_error error = {0};
  if (pl_table_load(context, path, &table, &error) < 0) {
    tool_report_error(&tool->console, &error);
    return false;
  }
  static const char *const names[] = {"x", "y", "z"};
  int32_t columns[3];
  pl_table_view view = pl_table_get_view(table);
  bool fits = view.row_count >= 1 && view.row_count <= 64;
  for (int k = 0; k < 3; ++k) fits = fits && (columns[k] = pl_table_find_column(table, names[k])) >= 0;
  if (fits) {
    settings->points = tool_allocate((size_t)view.row_count, sizeof(pl_vec3));
    for (int64_t i = 0; i < view.row_count; ++i) {
      const double *row = view.cells + i * view.column_count;
      settings->points[i] = (pl_vec3){row[columns[0]], row[columns[1]], row[columns[2]]};
    }
    settings->field.points = settings->points;
    settings->field.control_count = (int32_t)view.row_count;
  } else {
    tool_print_error(&tool->console,
                     "'%s' must have the columns x, y and z and 1 to 64 rows, one for each control point", path);
  }
  pl_table_destroy(table);
  return fits;
}

static bool read_field(const tool_session *tool, pl_context *context, const tool_arguments *arguments,
                       fit_settings *settings) {
  static const char *const blends[] = {"linear", "harmonic", NULL};
  const char *position = text_of(arguments, "placement"), *blend = text_of(arguments, "blend");
  pl_field_def *field = &settings->field;
  *field = pl_default_field_def();
  field->control_count = (int32_t)tool_get_count(arguments, "controls");
  bool along = position == NULL || strcmp(position, "axis") == 0;
  int chosen = choose(blend, blends, along ? PL_FIELD_LINEAR : PL_FIELD_HARMONIC);
  field->blend = (pl_field_blend)chosen;
  if (!along && strcmp(position, "farthest") != 0) {
    field->placement = PL_FIELD_GIVEN;
    return read_points(tool, context, position, settings);
  }
  field->placement = field->control_count == 1 ? PL_FIELD_UNIFORM : along ? PL_FIELD_ALONG_AXIS : PL_FIELD_FARTHEST;
  return true;
}

uint64_t fit_mix(uint64_t hash, const void *bytes, size_t size) {
  // FNV-1a: enough to notice that the input changed.
  for (size_t i = 0; i < size; ++i) hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001B3);
  return hash;
}

// Options that may differ between a fit and the one that resumes it.
static bool may_differ(const char *option) {
  static const char *const free_ones[] = {"resume", "threads", "output", "max-iterations", "rounds", "truth", "json"};
  for (size_t i = 0; i < sizeof free_ones / sizeof free_ones[0]; ++i)
    if (strcmp(option, free_ones[i]) == 0) return true;
  return false;
}

static void hash_settings(const tool_arguments *arguments, fit_settings *settings) {
  settings->hash = UINT64_C(0xCBF29CE484222325);
  for (int i = 0; i < arguments->verb->option_count; ++i) {
    const char *name = arguments->verb->options[i].name;
    if (may_differ(name)) continue;
    const tool_value *value = &arguments->values[i];
    settings->hash = fit_mix(settings->hash, name, strlen(name));
    settings->hash = fit_mix(settings->hash, &value->given, sizeof value->given);
    if (value->given && value->text != NULL) settings->hash = fit_mix(settings->hash, value->text, strlen(value->text));
  }
}

// The range called `name`, which ends at `length`; prints what is wrong.
static pl_fit_range *range_of(const tool_session *tool, pl_fit_def *def, const char *name, size_t length) {
  const struct {
    const char *name;
    pl_fit_range *range;
  } all[] = {{"young", &def->young},
             {"poisson", &def->poisson},
             {"mass-damping", &def->mass_damping},
             {"stiffness-damping", &def->stiffness_damping},
             {"prony-ratio", &def->prony_ratio},
             {"prony-time", &def->prony_time},
             {"second-prony-ratio", &def->second_prony_ratio},
             {"second-prony-time", &def->second_prony_time},
             {"loss-factor", &def->loss_factor}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (strlen(all[i].name) == length && strncmp(all[i].name, name, length) == 0) return all[i].range;
  tool_print_error(&tool->console,
                   "there is no parameter '%.*s'; they are young, poisson, mass-damping, stiffness-damping, "
                   "prony-ratio, prony-time, second-prony-ratio, second-prony-time and loss-factor",
                   (int)length, name);
  return NULL;
}

// NAME=VALUE,...
static bool read_fixed(const tool_session *tool, const char *text, pl_fit_def *def) {
  while (text != NULL && *text != '\0') {
    size_t length = strcspn(text, "=,"), whole = strcspn(text, ",");
    pl_fit_range *range = range_of(tool, def, text, length);
    char *end = NULL;
    if (range == NULL) return false;
    double value = text[length] == '=' ? strtod(text + length + 1, &end) : 0;
    if (end != text + whole || !isfinite(value)) {
      tool_print_error(&tool->console, "--fix takes NAME=VALUE, separated by commas, not '%s'", text);
      return false;
    }
    // No damping has no logarithm: it may be held there, but not be a bound.
    double min = value != 0 ? fmin(range->min, value) : range->min;
    *range = (pl_fit_range){value, min, fmax(range->max, value), false};
    text += text[whole] == ',' ? whole + 1 : whole;
  }
  return true;
}

// RATIO:TIME,...
static bool read_prony(const tool_session *tool, const char *given, pl_fit_def *def) {
  pl_fit_range *ranges[2][2] = {{&def->prony_ratio, &def->prony_time},
                                {&def->second_prony_ratio, &def->second_prony_time}};
  const char *text = given;
  for (int term = 0; text != NULL && *text != '\0'; ++term) {
    char *end = NULL;
    for (int i = 0; i < 2; ++i) {
      double value = term < 2 ? strtod(text, &end) : 0;
      if (!(value > 0) || !isfinite(value) || (i == 0 ? *end != ':' : *end != ',' && *end != '\0')) {
        tool_print_error(&tool->console, "--prony takes RATIO:TIME, at most two separated by a comma, not '%s'", given);
        return false;
      }
      pl_fit_range *range = ranges[term][i];
      *range = (pl_fit_range){value, fmin(range->min, value), fmax(range->max, value), true};
      text = *end == '\0' ? end : end + 1;
    }
  }
  return true;
}

int32_t fit_list_others(const pl_fit_def *def, const char *names[FIT_MAX_OTHERS]) {
  const struct {
    const char *name;
    bool there;
  } all[FIT_MAX_OTHERS] = {{"poisson", true},
                           {"mass_damping", true},
                           {"stiffness_damping", true},
                           {"prony_ratio", def->prony_ratio.start > 0},
                           {"prony_time", def->prony_ratio.start > 0},
                           {"second_prony_ratio", def->second_prony_ratio.start > 0},
                           {"second_prony_time", def->second_prony_ratio.start > 0},
                           {"loss_factor", def->loss_factor.start > 0}};
  int32_t count = 0;
  for (int i = 0; i < FIT_MAX_OTHERS; ++i)
    if (all[i].there) names[count++] = all[i].name;
  return count;
}

// NAME=MIN:MAX,...
static bool read_bounds(const tool_session *tool, const char *text, pl_fit_def *def) {
  while (text != NULL && *text != '\0') {
    size_t length = strcspn(text, "=,"), whole = strcspn(text, ",");
    pl_fit_range *range = range_of(tool, def, text, length);
    char *colon = NULL, *end = NULL;
    if (range == NULL) return false;
    double min = text[length] == '=' ? strtod(text + length + 1, &colon) : 0,
           max = colon != NULL && *colon == ':' ? strtod(colon + 1, &end) : 0;
    if (end != text + whole || !(min < max)) {
      tool_print_error(&tool->console, "--bound takes NAME=MIN:MAX, separated by commas, not '%s'", text);
      return false;
    }
    range->min = min;
    range->max = max;
    range->start = fmin(fmax(range->start, min), max);
    text += text[whole] == ',' ? whole + 1 : whole;
  }
  return true;
}

bool fit_settings_read(const tool_session *tool, pl_context *context, const tool_arguments *arguments,
                       fit_settings *settings) {
  static const char *const materials[] = {"corotated", "neo-hookean", NULL}, *const fitters[] = {"gauss-newton",
                                                                                                 "nelder-mead", NULL};
  *settings =
      (fit_settings){.def = pl_default_fit_def(), .warm_start = !tool_find_value(arguments, "no-warm-start")->given};
  pl_fit_def *def = &settings->def;
  int material = choose(text_of(arguments, "material"), materials, 0);
  int fitter = choose(text_of(arguments, "fitter"), fitters, 0);
  if (!read_vector(tool, text_of(arguments, "gravity"), &def->gravity)) return false;
  def->material = material == 0 ? PL_FEM_COROTATED : PL_FEM_NEO_HOOKEAN;
  static const char *const elements[] = {"linear", "quadratic", NULL};
  def->element = choose(text_of(arguments, "element"), elements, 0) == 0 ? PL_FEM_LINEAR : PL_FEM_QUADRATIC;
  def->fitter = fitter == 0 ? PL_FITTER_GAUSS_NEWTON : PL_FITTER_NELDER_MEAD;
  def->density = tool_number_or(arguments, "density", def->density);
  def->young.start = tool_number_or(arguments, "young", def->young.start);
  def->poisson.start = tool_number_or(arguments, "poisson", def->poisson.start);
  def->poisson.fitted = tool_find_value(arguments, "fit-poisson")->given;
  def->noise = tool_number_or(arguments, "noise", def->noise);
  const tool_value *steps = tool_find_value(arguments, "steps"), *limit = tool_find_value(arguments, "max-iterations");
  if (steps->given)
    def->steps_per_frame = (int32_t)steps->count;
  else if (def->fitter == PL_FITTER_GAUSS_NEWTON)
    def->max_steps = MAX_FIT_STEPS;
  if (limit->given) def->max_iterations = (int32_t)limit->count;
  settings->json = tool_find_value(arguments, "json")->given;
  static const char *const shapes[] = {"static", "unstressed", "unknown", NULL};
  def->shape = (pl_fit_shape)choose(text_of(arguments, "shape"), shapes, PL_FIT_SHAPE_STATIC);
  if (tool_find_value(arguments, "no-reference")->given) def->shape = PL_FIT_SHAPE_UNSTRESSED;
  const tool_value *loss = tool_find_value(arguments, "loss-factor");
  if (loss->given) def->loss_factor.start = loss->number, def->loss_factor.fitted = true;
  if (!read_prony(tool, text_of(arguments, "prony"), def)) return false;
  if (!read_fixed(tool, text_of(arguments, "fix"), def) || !read_bounds(tool, text_of(arguments, "bound"), def))
    return false;
  def->direct = pl_cholmod_backend();
  def->batch = tool_ranks_batch();
  hash_settings(arguments, settings);
  return read_field(tool, context, arguments, settings);
}

void fit_settings_free(fit_settings *settings) {
  free(settings->points);
  settings->points = NULL;
}

bool fit_check_held(const tool_session *tool, const fit_settings *settings, int32_t held_count) {
  const pl_fit_def *def = &settings->def;
  bool heavy = def->gravity.x != 0 || def->gravity.y != 0 || def->gravity.z != 0;
  if (held_count > 0 || def->shape == PL_FIT_SHAPE_UNSTRESSED || !heavy) return true;
  tool_print_error(&tool->console,
                   "nothing is held, so the mesh cannot be at rest under gravity; give the held points with --hold, or "
                   "--gravity 0,0,0");
  return false;
}

// --- motions
// ------------------------------------------------------------------------------------------------------------

bool fit_motion_read(const tool_session *tool, pl_context *context, const char *path, double rate, int32_t point_count,
                     fit_motion *motion) {
  *motion = (fit_motion){.name = tool_text("%s", path), .rate = rate, .point_count = point_count};
  pl_frame_file *file = NULL;
  pl_frame_file_report facts;
  pl_error error = {0};
  pl_status status = pl_frame_file_open(context, path, &file, &facts, &error);
  if (status >= 0 && (facts.point_count != point_count || facts.frame_count < 2)) {
    if (facts.point_count != point_count)
      tool_print_error(&tool->console,
                       "'%s' has %d points and the mesh has %d; give a motion of the points of the tets", path,
                       facts.point_count, point_count);
    else
      tool_print_error(&tool->console, "'%s' has one frame; a motion needs two or more", path);
    pl_frame_file_close(file);
    return false;
  }
  pl_vec3 *positions = NULL;
  if (status >= 0) {
    motion->frame_count = facts.frame_count;
    motion->positions = positions = tool_allocate((size_t)facts.frame_count * (size_t)point_count, sizeof *positions);
  }
  for (int32_t i = 0; status >= 0 && i < facts.frame_count; ++i)
    status = pl_frame_file_read(file, i, positions + (size_t)i * (size_t)point_count, &error);
  pl_frame_file_close(file);
  if (status < 0) tool_report_error(&tool->console, &error);
  return status >= 0;
}

// What `track` says of the errors of the motion that it wrote: the mean square over its frames, or 0 where there is no
// table beside the motion.
static double square_error_of(pl_context *context, const char *path) {
  const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
  if (strncmp(file, "track_points.", strlen("track_points.")) != 0) return 0;
  char *table_path = tool_text("%.*sresiduals.csv", (int)(file - path), path);
  pl_table *table = NULL;
  double sum = 0;
  if (pl_table_load(context, table_path, &table, NULL) >= 0) {
    pl_table_view view = pl_table_get_view(table);
    int32_t column = pl_table_find_column(table, "point_error");
    for (int64_t i = 0; column >= 0 && i < view.row_count; ++i) {
      double error = view.cells[i * view.column_count + column];
      sum += error * error / (double)view.row_count;
    }
  }
  pl_table_destroy(table);
  free(table_path);
  return isfinite(sum) ? sum : 0;
}

void fit_take_noise(const tool_session *tool, pl_context *context, const fit_object *object, fit_settings *settings) {
  if (settings->def.noise > 0 || object->motion_count == 0) return;
  double sum = 0;
  for (int32_t i = 0; i < object->motion_count; ++i) {
    double square = square_error_of(context, object->motions[i].name);
    if (!(square > 0)) return;  // of some nothing is known
    sum += square / object->motion_count;
  }
  settings->def.noise = sqrt(sum);
  if (tool_rank() == 0)
    tool_print(&tool->console, "noise: %.3g mm, as the track says of itself", 1e3 * settings->def.noise);
}

void fit_load_free(pl_fit_load *load) {
  free((void *)(uintptr_t)load->loaded);
  free((void *)(uintptr_t)load->times);
  free((void *)(uintptr_t)load->forces);
  free((void *)(uintptr_t)load->pressures);
  *load = (pl_fit_load){0};
}

void fit_motion_free(fit_motion *motion) {
  free(motion->name);
  for (int32_t i = 0; i < motion->load_count; ++i) fit_load_free(&motion->loads[i]);
  pl_embedding_destroy(motion->markers);
  if (!motion->borrowed) {
    free((void *)(uintptr_t)motion->positions);
    free((void *)(uintptr_t)motion->weights);
  }
  *motion = (fit_motion){0};
}

void fit_object_free(fit_object *object) {
  pl_mesh_destroy(object->mesh);
  free(object->held);
  for (int32_t i = 0; i < object->motion_count; ++i) fit_motion_free(&object->motions[i]);
  for (int32_t i = 0; i < object->other_count; ++i) fit_motion_free(&object->others[i]);
  free(object->motions);
  free(object->others);
  fit_data_free(object);
}
