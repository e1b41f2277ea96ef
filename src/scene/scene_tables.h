// How the tables of a scene document are written: kinds of values, lists, fields and types.
//
// One table per kind of object says which keys it has, of what kind, unit and range, and where they
// are kept. Reading, checking, writing and the published schema all walk these tables
// (scene_read.c, scene_write.c, scene_schema.c): a new key is one line in a table.
//
// What is a parameter of a def of the library is not said again here: a row stands for a whole
// table of parameters (base/parameter.h), whose values are read straight into the def, or for a
// single one of them.
#ifndef PL_SCENE_TABLES_H
#define PL_SCENE_TABLES_H

#include "base/parameter.h"
#include "pliant/scene.h"
#include "text/json.h"

// A key that every object may have: a text without effect.
#define PL_SCENE_COMMENT "comment"

typedef enum pl_scene_kind {
  PL_SCENE_BOOL = 1,  // bool
  PL_SCENE_NUMBER,    // double
  PL_SCENE_INTEGER,   // int64_t
  PL_SCENE_INT32,     // int32_t
  PL_SCENE_BITS,      // uint32_t
  PL_SCENE_TEXT,      // const char *, "" when absent
  PL_SCENE_CHOICE,    // int32_t: number of the word in `choices` from 1; 0 where none was given
  PL_SCENE_ENUM,      // an enum of a def: number of the word in `choices` from 0
  PL_SCENE_VECTOR,    // pl_vec3
  PL_SCENE_COLOR,     // pl_color: [r, g, b] or "#rrggbb"
  PL_SCENE_ROTATION,  // pl_quat: [x, y, z, w] or {"axis": [x, y, z], "degrees": a}
  PL_SCENE_COUNTS,    // int32_t[3], each at least 1
  PL_SCENE_INDICES,   // pl_scene_list of int32_t
  PL_SCENE_PAIRS,     // pl_scene_list of int32_t[2]
  PL_SCENE_CORNERS,   // pl_scene_list of double[2]
  PL_SCENE_POINTS,    // pl_scene_list of pl_vec3
  PL_SCENE_NUMBERS,   // pl_scene_list of double
  PL_SCENE_TEXTS,     // pl_scene_list of const char *
  PL_SCENE_SETTINGS,  // pl_scene_list of pl_scene_setting: numbers under names that the table does
                      // not know
  PL_SCENE_OBJECT,    // the struct of `type`, in place
  PL_SCENE_LIST,      // pl_scene_list of structs of `type`
  PL_SCENE_MAP,       // the same as an object, each value under its name
  PL_SCENE_DEF,       // a def: its keys are the parameters of `parameters`, in the object itself
  PL_SCENE_ONE,  // the one parameter of `parameters` that is called `parameter`, in a field of the
                 // type that the def has
} pl_scene_kind;

typedef struct pl_scene_list {
  void *items;
  int32_t count;
} pl_scene_list;

typedef struct pl_scene_setting {
  const pl_json *json;
  const char *name;
  double value;
} pl_scene_setting;

typedef struct pl_scene_type pl_scene_type;

typedef struct pl_scene_field {
  const char *key;
  pl_scene_kind kind;
  size_t offset;      // in the struct
  const char *about;  // one sentence, for the schema
  double min, max;    // range of numbers; both 0: any finite number
  bool min_above;     // `min` itself is excluded
  bool required;
  bool or_one;                 // of a list: a single object stands for a list of one
  int8_t length_power;         // the unit holds metres to this power
  const char *unit;            // for the schema
  const char *const *choices;  // NULL-terminated; names 1, 2, …
  const pl_scene_type *type;
  const pl_parameter_table *parameters;
  const char *parameter;
  bool own_default;  // of one parameter: the default is in the type's `defaults`, not in the table
                     // of parameters
  double
      factor;  // of one parameter: what stands in the document is the value times this; 0 means 1
  const pl_parameter *source;  // where the rest comes from; NULL for what only scenes have
  pl_parameter_slider slider;
} pl_scene_field;

struct pl_scene_type {
  const char *name;  // in the schema
  const char *about;
  size_t size;
  const void *defaults;  // a struct of this type; objects in place and parameters inside it are
                         // filled from their own tables
  const pl_scene_field *rows;
  int32_t row_count;
};

// The keys of a type one after the other, those of its defs included. Start with a walk of zeros;
// false at the end.
typedef struct pl_scene_walk {
  int32_t row, item;
} pl_scene_walk;
bool pl_scene_walk_next(const pl_scene_type *type, pl_scene_walk *walk, pl_scene_field *field);

// The field of a key; false if the type has no such key.
bool pl_scene_field_find(const pl_scene_type *type, const char *key, pl_scene_field *field);

#endif
