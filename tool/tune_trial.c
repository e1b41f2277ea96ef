// One trial of pliant tune: a scene with some numbers replaced, run to its end and compared with what it expects.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_tune.h"

enum { DIGITS = 4, NUMBER_SIZE = 32 };

// A range that is this many times its lower end wide is drawn from its powers.
static const double LOG_RATIO = 4;

// Relative change of densities that nobody would notice, but that changes all bits.
static const double PERTURBATION = 1e-9;

// Two or three numbers with colons between them. Returns how many, 0 for anything else.
static int read_numbers(const char *text, double *numbers) {
  for (int count = 0; count < 3;) {
    char *end = NULL;
    numbers[count] = strtod(text, &end);
    if (end == text || !isfinite(numbers[count++])) return 0;
    if (*end == '\0') return count >= 2 ? count : 0;
    if (*end != ':') return 0;
    text = end + 1;
  }
  return 0;
}

// Splits `text` in place at `separator`. Returns the parts, at most `max`.
static int32_t split(char *text, char separator, int32_t max, char **parts) {
  int32_t count = 0;
  for (char *next = text; next != NULL && count < max;) {
    char *end = strchr(next, separator);
    if (end != NULL) *end++ = '\0';
    next += strspn(next, " ");
    size_t length = strlen(next);
    while (length > 0 && next[length - 1] == ' ') next[--length] = '\0';
    if (length > 0) parts[count++] = next;
    next = end;
  }
  return count;
}

static bool read_range(const char *text, tune_range *range) {
  const char *equals = strchr(text, '=');
  double numbers[3];
  int count = equals != NULL && equals != text ? read_numbers(equals + 1, numbers) : 0;
  if (count == 0) return false;
  double min = numbers[0], max = numbers[count - 1], start = numbers[1];
  if (!(min < max) || start < min || start > max) return false;
  bool is_log = min > 0 && max >= LOG_RATIO * min;
  *range =
      (tune_range){.text = tool_text("%.*s", (int)(equals - text), text), .min = min, .max = max, .is_log = is_log};
  range->path_count = split(range->text, ',', TUNE_MAX_PATHS, range->paths);
  range->has_start = count == 3;
  range->start = !range->has_start ? 0.5 : is_log ? log(start / min) / log(max / min) : (start - min) / (max - min);
  return true;
}

bool tune_ranges_read(const tool_session *tool, const tool_arguments *arguments, tune_ranges *ranges) {
  bool good = true;
  *ranges = (tune_ranges){.count = 0};
  for (int i = 0; i < arguments->repeated_count; ++i) {
    const char *text = arguments->repeated[i] != NULL ? arguments->repeated[i] : "";
    tune_range *range = &ranges->items[ranges->count++];
    if (read_range(text, range)) continue;
    tool_print_error(&tool->console,
                     "--vary takes PATH=MIN:MAX or PATH=MIN:START:MAX in ascending order, such as "
                     "'bodies[0].actor.settings.gain=0.5:4', not '%s'",
                     text);
    good = false;
  }
  return good;
}

void tune_ranges_free(tune_ranges *ranges) {
  for (int32_t i = 0; i < ranges->count; ++i) free(ranges->items[i].text);
  ranges->count = 0;
}

double tune_number_at(const tune_range *range, double x) {
  double value =
      range->is_log ? range->min * pow(range->max / range->min, x) : range->min + x * (range->max - range->min);
  char text[NUMBER_SIZE];
  snprintf(text, sizeof text, "%.*g", DIGITS, value);
  return strtod(text, NULL);
}

bool tune_conditions_read(const tool_session *tool, const char *text, tune_conditions *conditions) {
  char *parts[TUNE_MAX_UNDER + 1];
  *conditions = (tune_conditions){.text = tool_text("%s", text != NULL ? text : "")};
  int32_t count = split(conditions->text, ';', TUNE_MAX_UNDER + 1, parts);
  if (count > TUNE_MAX_UNDER) {
    tool_print_error(&tool->console, "--under takes at most %d conditions", TUNE_MAX_UNDER);
    return false;
  }
  for (int32_t i = 0; i < count; ++i) {
    pl_scene_override *items = conditions->pairs[i];
    char *pairs[TUNE_MAX_PAIRS];
    int32_t pair_count = split(parts[i], '&', TUNE_MAX_PAIRS, pairs);
    for (int32_t k = 0; k < pair_count; ++k) {
      char *equals = strchr(pairs[k], '=');
      if (equals == NULL || equals == pairs[k]) {
        tool_print_error(&tool->console,
                         "--under takes PATH=VALUE, several of a condition separated by '&' and conditions by ';', "
                         "not '%s'",
                         pairs[k]);
        return false;
      }
      *equals = '\0';
      items[k] = (pl_scene_override){pairs[k], equals + 1};
    }
    conditions->items[conditions->count++] = (pl_scene_overrides){items, pair_count};
  }
  return true;
}

bool tune_conditions_add_changes(const tool_session *tool, pl_context *context, const char *path, int32_t perturbed,
                                 bool robust, tune_conditions *conditions) {
  int32_t count = (robust ? TOOL_CHANGE_COUNT : 0) + perturbed;
  pl_error error = {0};
  conditions->lists = tool_allocate((size_t)count + 1, sizeof *conditions->lists);
  for (int32_t i = 0; i < count; ++i) {
    tool_change_list *list = &conditions->lists[i];
    tool_change bits = {.kind = TOOL_CHANGE_BITS, .amount = PERTURBATION * (i + 1)};
    const tool_change *change = i < perturbed ? &bits : &tool_changes[i - perturbed];
    if (tool_change_find(context, path, change, list, &error) < 0) {
      tool_report_error(&tool->console, &error);
      return false;
    }
    conditions->items[conditions->count++] = (pl_scene_overrides){list->items, list->count};
  }
  return true;
}

void tune_conditions_free(tune_conditions *conditions) {
  free(conditions->text);
  free(conditions->lists);
  *conditions = (tune_conditions){0};
}

pl_status tune_load(pl_context *context, const char *path, const tune_trial *trial, pl_scene **scene, pl_error *error) {
  enum { MAX_ITEMS = TUNE_MAX_PATHS * TOOL_MAX_REPEATS + TUNE_MAX_PAIRS + TOOL_CHANGE_MAX_OVERRIDES };
  pl_scene_override items[MAX_ITEMS];
  char texts[TOOL_MAX_REPEATS][NUMBER_SIZE];
  int32_t count = 0, varied = trial->x != NULL ? trial->ranges->count : 0;
  // Conditions first: what a search varies is what it varies under all of them.
  for (int32_t i = 0; trial->condition != NULL && i < trial->condition->count; ++i)
    items[count++] = trial->condition->items[i];
  for (int32_t i = 0; i < varied; ++i) {
    const tune_range *range = &trial->ranges->items[i];
    snprintf(texts[i], sizeof texts[i], "%.9g", trial->factor * tune_number_at(range, trial->x[i]));
    for (int32_t k = 0; k < range->path_count; ++k) items[count++] = (pl_scene_override){range->paths[k], texts[i]};
  }
  return pl_scene_load_with(context, path, &(pl_scene_overrides){items, count}, scene, NULL, error);
}

// By how much an expectation is missed, relative to itself; at most LIMIT, so that one number cannot hide the others.
// One that is met without the margin to spare counts by what it lacks of it.
static double miss_of(const pl_scene_instance_expectation *it, double margin) {
  static const double LIMIT = 2;
  double size = fabs(it->wanted) > 0 ? fabs(it->wanted) : 1;
  double miss = (it->is_max ? it->found - it->wanted : it->wanted - it->found) / size;
  // Counts that must be 0 cannot have anything to spare.
  if (it->met && !(fabs(it->wanted) > 0)) return 0;
  miss = isfinite(miss) ? fmin(miss, LIMIT) : LIMIT;
  return it->met ? fmax(miss + margin, 0) : miss + margin;
}

static bool has_fallen(const pl_scene_instance *set) {
  for (int32_t i = 0; i < pl_scene_instance_expectation_count(set); ++i) {
    pl_scene_instance_expectation it = pl_scene_instance_get_expectation(set, i);
    if (strcmp(it.name, "max_tumbles") == 0 && !it.met) return true;
  }
  return false;
}

static void compare(const pl_scene_instance *set, double fraction, double margin, tune_result *result) {
  size_t used = 0;
  // What is left to run after a fall counts as missed.
  result->missed = 2 * (1 - fraction);
  result->text[0] = '\0';
  result->expected = pl_scene_instance_expectation_count(set);
  for (int32_t i = 0; i < result->expected; ++i) {
    pl_scene_instance_expectation it = pl_scene_instance_get_expectation(set, i);
    result->missed += miss_of(&it, margin);
    if (it.met) continue;
    if (used >= sizeof result->text) continue;
    used += (size_t)snprintf(result->text + used, sizeof result->text - used, "%s%s %.3g (%s %.3g)",
                             used > 0 ? ", " : "", it.name, it.found, it.is_max ? "at most" : "at least", it.wanted);
  }
  if (used == 0) snprintf(result->text, sizeof result->text, "all expectations met");
}

pl_status tune_run(pl_context *context, const pl_scene *scene, double margin, tune_result *result, pl_error *error) {
  pl_scene_build_def def = pl_default_scene_build_def();
  pl_scene_report facts = pl_scene_get_report(scene);
  pl_scene_instance *set = NULL;
  pl_status status = pl_scene_build(context, &def, scene, &set, NULL, error);
  int32_t frame = 1;
  for (; status >= 0 && frame < facts.frame_count && !has_fallen(set); ++frame)
    status = pl_world_advance(pl_scene_instance_get_world(set), 1 / facts.frame_rate, 0, NULL, error);
  if (status >= 0) compare(set, facts.frame_count > 1 ? (double)frame / facts.frame_count : 1, margin, result);
  pl_scene_instance_destroy(set);
  return status;
}
