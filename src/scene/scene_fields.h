// Words for writing the tables of the scene document (scene_types.c, scene_types_solid.c,
// scene_types_rod.c, scene_types_fem.c, scene_types_actor.c, scene_types_detail.c): one line per
// key.
#ifndef PL_SCENE_FIELDS_H
#define PL_SCENE_FIELDS_H

#include "scene/scene_types.h"

// clang-format off

#define COUNT_OF(array) ((int32_t)(sizeof(array) / sizeof((array)[0])))
#define TYPE(name_, struct_, about_, defaults_, fields_) \
  { name_, about_, sizeof(struct_), defaults_, fields_, COUNT_OF(fields_) }
// A key, its kind, where it is kept, and what else is to be said of it.
#define FIELD(key_, kind_, struct_, member_, ...) \
  { .key = key_, .kind = PL_SCENE_##kind_, .offset = offsetof(struct_, member_), __VA_ARGS__ }

// All parameters of a def that is kept in `member_`, or a single one that is kept there.
#define PARAMETERS(table_, struct_, member_) \
  { .kind = PL_SCENE_DEF, .offset = offsetof(struct_, member_), .parameters = &(table_) }
#define PARAMETER(key_, table_, name_, struct_, member_, ...) \
  { .key = key_, .kind = PL_SCENE_ONE, .offset = offsetof(struct_, member_), .parameters = &(table_), .parameter = #name_, __VA_ARGS__ }

#define UP_TO(limit) .min = 0, .max = (limit)
#define POSITIVE_UP_TO(limit) .min = 0, .max = (limit), .min_above = true
#define OPTIONAL .required = false
#define METRES .length_power = 1, .unit = "m"

// clang-format on

#endif
