// Parameters: the numbers, switches and choices of a def, each defined in one line of one table.
//
// The table of a def belongs to the method that owns the def (solid/solid_parameters.c …).
// Defaults, validation, keys of scene documents, the published schema, the tables of the
// documentation, sliders of the studio and the field lines of the public header all come from it;
// docs/architecture.md shows how. What no line can say, rules between several fields, stays in the
// method's `_def.c`.
#ifndef PL_BASE_PARAMETER_H
#define PL_BASE_PARAMETER_H

#include <stddef.h>

#include "pliant/base.h"

typedef enum pl_parameter_kind {
  PL_PARAMETER_NUMBER = 1,  // double
  PL_PARAMETER_INTEGER,     // int32_t
  PL_PARAMETER_SEED,        // uint64_t
  PL_PARAMETER_BITS,        // uint32_t
  PL_PARAMETER_BOOL,        // bool
  PL_PARAMETER_CHOICE,      // an enum whose constants count from 0 in the order of `choices`
  PL_PARAMETER_VECTOR,      // pl_vec3
  PL_PARAMETER_COLOR,       // pl_color: three floats
  PL_PARAMETER_RANGE,       // pl_fit_range
} pl_parameter_kind;

// How a person changes a parameter while looking at the result: over which part of its range, and
// whether a running world takes the change.
typedef struct pl_parameter_slider {
  bool offered;     // the studio shows it; switches and choices need nothing else
  double min, max;  // of numbers
  bool logarithmic;
  bool live;       // the running world takes it; otherwise the scene is built again
  bool each_axis;  // of a vector: a slider for each component, not for the vertical one alone
} pl_parameter_slider;

typedef struct pl_parameter {
  const char *name;       // of the field
  const char *scene_key;  // in scene documents, NULL: the name
  bool not_in_scenes;     // scene documents do not have it, or in another form
  bool required;          // there is no default: whoever fills the def in must give it
  pl_parameter_kind kind;
  size_t offset;            // in the def
  double default_value[4];  // three of vectors and colours, four of ranges; of choices the
                            // constant, of switches 0 or 1
  double min, max;          // of every number in it; both 0: any finite number
  bool min_excluded;
  int8_t length_power;         // the unit holds metres to this power
  const char *unit;            // SI, NULL: none
  const char *const *choices;  // NULL-terminated
  const char *about;           // one or two sentences
  pl_parameter_slider slider;
} pl_parameter;

typedef struct pl_parameter_table {
  const char *name;  // of what it describes, such as "solid"
  const char *def_name;
  const pl_parameter *items;
  int32_t count;
  size_t size;          // of the def
  size_t magic_offset;  // of its `magic`; `size` for a struct without one
} pl_parameter_table;

// Set the parameters and the magic of a def; nothing else in it is touched.
void pl_parameters_set_defaults(const pl_parameter_table *table, void *def);

// Set one parameter of any struct, at `value`, to its default.
void pl_parameter_set_default(const pl_parameter *parameter, void *value);

// Bytes of a parameter's value.
size_t pl_parameter_size(const pl_parameter *parameter);

// Refuse a def that did not come from its pl_default_*_def(), or with a value that its table does
// not allow. The error names the field, the value and what is allowed: PL_OK or
// PL_ERROR_INVALID_ARGUMENT.
pl_status pl_parameters_check(const pl_parameter_table *table, const void *def, pl_error *error);

// The parameter of a name, or NULL.
const pl_parameter *pl_parameter_find(const pl_parameter_table *table, const char *name);

// The default as text, for help: "0.002 m", "true", "global", "[0, -9.81, 0] m/s^2"; "" for one
// that has none. Returns the length as snprintf does.
int pl_parameter_format_default(const pl_parameter *parameter, char *buffer, size_t size);

#endif
