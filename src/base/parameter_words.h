// Words for writing tables of parameters, one line per parameter:
//
//   #define DEF pl_solid_def
//   static const pl_parameter ITEMS[] = {
//       NUMBER(density, 1000, ABOVE(0, 1e9), UNIT("kg/m^3"), LOG_SLIDER(10, 1e4), ABOUT("Mass per
//       volume.")),
//   };
//   const pl_parameter_table pl_solid_def_parameters = TABLE("solid", pl_solid_def, ITEMS);
//
// scripts/generate.py reads these lines too, to write the fields of the public struct: a line keeps
// this form, and its default is a number, a quotient of numbers, a constant, or a word of this
// file.
#ifndef PL_BASE_PARAMETER_WORDS_H
#define PL_BASE_PARAMETER_WORDS_H

#include <stdbool.h>

#include "base/parameter.h"

// clang-format off

// The kind is chosen by the type of the field, so that a line of the wrong kind does not compile.
#define PL_PARAMETER_KIND(field_, type_, kind_) _Generic(((DEF *)0)->field_, type_: kind_)
#define PL_PARAMETER_ITEM(field_, kind_, ...) \
  { .name = #field_, .kind = (kind_), .offset = offsetof(DEF, field_), __VA_ARGS__ }

// Kinds: field and default, then whatever of the words below is to be said.
#define NUMBER(field_, default_, ...) \
  PL_PARAMETER_ITEM(field_, PL_PARAMETER_KIND(field_, double, PL_PARAMETER_NUMBER), .default_value = {default_}, __VA_ARGS__)
#define INTEGER(field_, default_, ...) \
  PL_PARAMETER_ITEM(field_, PL_PARAMETER_KIND(field_, int32_t, PL_PARAMETER_INTEGER), .default_value = {default_}, __VA_ARGS__)
#define SEED(field_, default_, ...) \
  PL_PARAMETER_ITEM(field_, PL_PARAMETER_KIND(field_, uint64_t, PL_PARAMETER_SEED), .default_value = {default_}, __VA_ARGS__)
// 32 flags, as one number.
#define BITS(field_, default_, ...) \
  PL_PARAMETER_ITEM(field_, PL_PARAMETER_KIND(field_, uint32_t, PL_PARAMETER_BITS), .default_value = {default_}, __VA_ARGS__)
#define SWITCH(field_, default_, ...) \
  PL_PARAMETER_ITEM(field_, PL_PARAMETER_KIND(field_, bool, PL_PARAMETER_BOOL), .default_value = {default_}, __VA_ARGS__)
// The enum and the list of its words; whether an enum is int or unsigned is the compiler's choice.
#define CHOICE(field_, enum_, words_, default_, ...) \
  PL_PARAMETER_ITEM(field_, PL_PARAMETER_KIND(field_, enum_, PL_PARAMETER_CHOICE), .default_value = {default_}, .choices = (words_), __VA_ARGS__)
#define VECTOR(field_, default_, ...) \
  PL_PARAMETER_ITEM(field_, PL_PARAMETER_KIND(field_, pl_vec3, PL_PARAMETER_VECTOR), .default_value = {default_}, __VA_ARGS__)
#define COLOR(field_, default_, ...) \
  PL_PARAMETER_ITEM(field_, PL_PARAMETER_KIND(field_, pl_color, PL_PARAMETER_COLOR), .default_value = {default_}, __VA_ARGS__)
// A parameter of a fit: where it starts, its bounds, and whether it is fitted. FROM() is what the bounds must lie in.
#define RANGE(field_, start_, low_, high_, fitted_, ...) \
  PL_PARAMETER_ITEM(field_, PL_PARAMETER_KIND(field_, pl_fit_range, PL_PARAMETER_RANGE), .default_value = {start_, low_, high_, fitted_}, __VA_ARGS__)

// Defaults of bits, vectors and colours.
#define ALL_BITS 4294967295.0
#define XYZ(x_, y_, z_) x_, y_, z_
#define ZERO_VECTOR XYZ(0, 0, 0)
#define EARTH_GRAVITY XYZ(0, -9.81, 0)
// A parameter without a default: it must be filled in.
#define NO_DEFAULT 0

#define FROM(min_, max_) .min = (min_), .max = (max_)
#define ABOVE(min_, max_) .min = (min_), .max = (max_), .min_excluded = true
#define UNIT(unit_) .unit = (unit_)
#define METRES .unit = "m", .length_power = 1
#define METRES_PER(rest_) .unit = "m/" rest_, .length_power = 1
#define KEY(key_) .scene_key = (key_)
#define NOT_IN_SCENES .not_in_scenes = true
#define REQUIRED .required = true
#define SLIDER(min_, max_) .slider = {.offered = true, .min = (min_), .max = (max_)}
#define LIVE_SLIDER(min_, max_) .slider = {.offered = true, .min = (min_), .max = (max_), .live = true}
#define LOG_SLIDER(min_, max_) .slider = {.offered = true, .min = (min_), .max = (max_), .logarithmic = true}
#define OFFERED .slider = {.offered = true}
#define ABOUT(about_) .about = (about_)

#define TABLE(name_, def_, items_) \
  { name_, #def_, items_, (int32_t)(sizeof(items_) / sizeof((items_)[0])), sizeof(def_), offsetof(def_, magic) }
#define TABLE_WITHOUT_MAGIC(name_, def_, items_) \
  { name_, #def_, items_, (int32_t)(sizeof(items_) / sizeof((items_)[0])), sizeof(def_), sizeof(def_) }

// clang-format on

#endif
