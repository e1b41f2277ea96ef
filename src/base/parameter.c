#include "base/parameter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"

// A pl_fit_range, which this layer does not know by name.
typedef struct fit_range {
  double start, min, max;
  bool fitted;
} fit_range;

size_t pl_parameter_size(const pl_parameter *parameter) {
  switch (parameter->kind) {
    case PL_PARAMETER_NUMBER: return sizeof(double);
    case PL_PARAMETER_INTEGER: return sizeof(int32_t);
    case PL_PARAMETER_SEED: return sizeof(uint64_t);
    case PL_PARAMETER_BITS: return sizeof(uint32_t);
    case PL_PARAMETER_BOOL: return sizeof(bool);
    case PL_PARAMETER_CHOICE: return sizeof(int);
    case PL_PARAMETER_VECTOR: return 3 * sizeof(double);
    case PL_PARAMETER_COLOR: return 3 * sizeof(float);
    case PL_PARAMETER_RANGE: return sizeof(fit_range);
  }
  return 0;
}

void pl_parameter_set_default(const pl_parameter *parameter, void *value) {
  const double *given = parameter->default_value;
  switch (parameter->kind) {
    case PL_PARAMETER_NUMBER: *(double *)value = given[0]; break;
    case PL_PARAMETER_INTEGER: *(int32_t *)value = (int32_t)given[0]; break;
    case PL_PARAMETER_SEED: *(uint64_t *)value = (uint64_t)given[0]; break;
    case PL_PARAMETER_BITS: *(uint32_t *)value = (uint32_t)given[0]; break;
    case PL_PARAMETER_BOOL: *(bool *)value = given[0] != 0; break;
    // Any enum of ours is as large as an int, and its constants are small.
    case PL_PARAMETER_CHOICE: memcpy(value, &(int){(int)given[0]}, sizeof(int)); break;
    case PL_PARAMETER_VECTOR: memcpy(value, given, 3 * sizeof(double)); break;
    case PL_PARAMETER_COLOR:
      for (int i = 0; i < 3; ++i) ((float *)value)[i] = (float)given[i];
      break;
    case PL_PARAMETER_RANGE: *(fit_range *)value = (fit_range){given[0], given[1], given[2], given[3] != 0}; break;
  }
}

void pl_parameters_set_defaults(const pl_parameter_table *table, void *def) {
  const uint32_t magic = PL_DEF_MAGIC;
  for (int32_t i = 0; i < table->count; ++i)
    pl_parameter_set_default(&table->items[i], (char *)def + table->items[i].offset);
  if (table->magic_offset < table->size) memcpy((char *)def + table->magic_offset, &magic, sizeof magic);
}

static pl_status check_number(const pl_parameter *parameter, double value, pl_error *error) {
  if (parameter->min != 0 || parameter->max != 0) {
    if (isfinite(value) && value <= parameter->max &&
        (parameter->min_excluded ? value > parameter->min : value >= parameter->min))
      return PL_OK;
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, parameter->name,
                         "%g is out of range; use %s %g and at most %g%s%s", value,
                         parameter->min_excluded ? "more than" : "at least", parameter->min, parameter->max,
                         parameter->unit != NULL ? " " : "", parameter->unit != NULL ? parameter->unit : "");
  }
  if (isfinite(value)) return PL_OK;
  return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, parameter->name, "%g is not finite; use a finite number",
                       value);
}

static pl_status check_choice(const pl_parameter *parameter, int value, pl_error *error) {
  int count = 0;
  while (parameter->choices[count] != NULL) ++count;
  if (value >= 0 && value < count) return PL_OK;
  return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, parameter->name,
                       "%d is none of its %d choices; use a constant from 0 (%s) to %d (%s)", value, count,
                       parameter->choices[0], count - 1, parameter->choices[count - 1]);
}

static pl_status check_bounds(const pl_parameter *parameter, const fit_range *range, pl_error *error) {
  const char *name = parameter->name;
  const double min = parameter->min, max = parameter->max;
  if (!isfinite(range->min) || !isfinite(range->max) || !(range->min >= min) || !(range->max <= max) ||
      !(range->min <= range->max))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, name,
                         "bounds %g … %g; they must rise and lie within %g … %g", range->min, range->max, min, max);
  if (range->fitted && !(range->min < range->max))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, name, "both bounds are %g, so there is nothing to fit",
                         range->min);
  // What is held may lie outside the bounds of what would be fitted: no damping has no logarithm.
  double low = range->fitted ? range->min : fmin(min, 0), high = range->fitted ? range->max : max;
  if (!(range->start >= low) || !(range->start <= high))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, name, "starts at %g, which is outside %g … %g", range->start,
                         low, high);
  return PL_OK;
}

static pl_status check_value(const pl_parameter *parameter, const void *value, pl_error *error) {
  pl_status status = PL_OK;
  switch (parameter->kind) {
    case PL_PARAMETER_NUMBER: return check_number(parameter, *(const double *)value, error);
    case PL_PARAMETER_INTEGER: return check_number(parameter, *(const int32_t *)value, error);
    case PL_PARAMETER_SEED:
    case PL_PARAMETER_BITS:
    case PL_PARAMETER_BOOL: return PL_OK;
    case PL_PARAMETER_CHOICE: {
      int choice;
      memcpy(&choice, value, sizeof choice);
      return check_choice(parameter, choice, error);
    }
    case PL_PARAMETER_VECTOR:
      for (int i = 0; i < 3 && status >= 0; ++i) status = check_number(parameter, ((const double *)value)[i], error);
      return status;
    case PL_PARAMETER_COLOR:
      for (int i = 0; i < 3 && status >= 0; ++i)
        status = check_number(parameter, (double)((const float *)value)[i], error);
      return status;
    case PL_PARAMETER_RANGE: return check_bounds(parameter, value, error);
  }
  return status;
}

pl_status pl_parameters_check(const pl_parameter_table *table, const void *def, pl_error *error) {
  uint32_t magic = PL_DEF_MAGIC;
  if (table->magic_offset < table->size) memcpy(&magic, (const char *)def + table->magic_offset, sizeof magic);
  pl_status status = pl_check_def(magic, table->def_name, error);
  for (int32_t i = 0; status >= 0 && i < table->count; ++i)
    status = check_value(&table->items[i], (const char *)def + table->items[i].offset, error);
  return status;
}

const pl_parameter *pl_parameter_find(const pl_parameter_table *table, const char *name) {
  for (int32_t i = 0; i < table->count; ++i)
    if (strcmp(table->items[i].name, name) == 0) return &table->items[i];
  return NULL;
}

int pl_parameter_format_default(const pl_parameter *parameter, char *buffer, size_t size) {
  const double *value = parameter->default_value;
  const char *unit = parameter->unit != NULL ? parameter->unit : "", *space = unit[0] != '\0' ? " " : "";
  if (parameter->required) return snprintf(buffer, size, "%s", "");
  switch (parameter->kind) {
    case PL_PARAMETER_BOOL: return snprintf(buffer, size, "%s", value[0] != 0 ? "true" : "false");
    case PL_PARAMETER_CHOICE: return snprintf(buffer, size, "%s", parameter->choices[(int)value[0]]);
    case PL_PARAMETER_VECTOR:
    case PL_PARAMETER_COLOR:
      return snprintf(buffer, size, "[%g, %g, %g]%s%s", value[0], value[1], value[2], space, unit);
    case PL_PARAMETER_RANGE:
      return snprintf(buffer, size, "%g, from %g to %g%s%s", value[0], value[1], value[2], space, unit);
    case PL_PARAMETER_NUMBER:
    case PL_PARAMETER_INTEGER:
    case PL_PARAMETER_SEED: break;
    case PL_PARAMETER_BITS: return snprintf(buffer, size, "%.0f", value[0]);
  }
  // 1/240 reads better than 0.00416667, and says what was meant.
  double inverse = value[0] > 0 && value[0] < 0.1 ? round(1 / value[0]) : 0;
  char short_text[32];
  snprintf(short_text, sizeof short_text, "%.4g", value[0]);
  if (inverse > 1 && fabs(inverse * value[0] - 1) < 1e-12 && strtod(short_text, NULL) != value[0])
    return snprintf(buffer, size, "1/%.0f%s%s", inverse, space, unit);
  return snprintf(buffer, size, "%g%s%s", value[0], space, unit);
}
