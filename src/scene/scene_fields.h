// Words for writing the tables of the scene document (scene_types.c, scene_types_rod.c, scene_types_fem.c, scene_types_actor.c, scene_types_detail.c): one line per key.
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

#define UP_TO(limit) .min = 0, .max = (limit)
#define POSITIVE_UP_TO(limit) .min = 0, .max = (limit), .min_above = true
#define OPTIONAL .required = false
#define METRES .length_power = 1, .unit = "m"

// clang-format on

// Types that more than one table uses.
extern const pl_scene_type pl_scene_key_type, pl_scene_rod_type, pl_scene_fem_type, pl_scene_actor_type, pl_scene_cut_type,
    pl_scene_detail_type, pl_scene_recording_type, pl_scene_collider_type;
extern const char *const pl_scene_collider_shapes[];  // in the order of pl_collider_shape

#endif
