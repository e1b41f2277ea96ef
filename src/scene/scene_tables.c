// Walking the tables of a scene document: rows, and the parameters that some rows stand for.
#include "scene/scene_tables.h"

#include <string.h>

static pl_scene_kind kind_of(pl_parameter_kind kind) {
  switch (kind) {
    case PL_PARAMETER_NUMBER: return PL_SCENE_NUMBER;
    case PL_PARAMETER_INTEGER: return PL_SCENE_INT32;
    case PL_PARAMETER_SEED: return PL_SCENE_INTEGER;
    case PL_PARAMETER_BITS: return PL_SCENE_BITS;
    case PL_PARAMETER_BOOL: return PL_SCENE_BOOL;
    case PL_PARAMETER_CHOICE: return PL_SCENE_ENUM;
    case PL_PARAMETER_VECTOR: return PL_SCENE_VECTOR;
    case PL_PARAMETER_COLOR: return PL_SCENE_COLOR;
    case PL_PARAMETER_RANGE: break;  // of fits, which scenes have none of
  }
  return PL_SCENE_NUMBER;
}

static pl_scene_field field_of(const pl_parameter *parameter, size_t offset) {
  return (pl_scene_field){.key = parameter->scene_key != NULL ? parameter->scene_key : parameter->name,
                          .kind = kind_of(parameter->kind),
                          .offset = offset,
                          .about = parameter->about,
                          .min = parameter->min,
                          .max = parameter->max,
                          .min_above = parameter->min_excluded,
                          .required = parameter->required,
                          .length_power = parameter->length_power,
                          .unit = parameter->unit,
                          .choices = parameter->choices,
                          .source = parameter,
                          .slider = parameter->slider};
}

// The field of a row that stands for one parameter, under the key and with the sentence of the row where it has its
// own.
static pl_scene_field one_of(const pl_scene_field *row) {
  pl_scene_field field = field_of(pl_parameter_find(row->parameters, row->parameter), row->offset);
  if (row->key != NULL) field.key = row->key;
  if (row->about != NULL) field.about = row->about;
  field.factor = row->factor;
  if (row->factor != 0) field.min *= row->factor, field.max *= row->factor;
  return field;
}

bool pl_scene_walk_next(const pl_scene_type *type, pl_scene_walk *walk, pl_scene_field *field) {
  for (; walk->row < type->row_count; ++walk->row, walk->item = 0) {
    const pl_scene_field *row = &type->rows[walk->row];
    if (row->kind != PL_SCENE_DEF) {
      *field = row->kind == PL_SCENE_ONE ? one_of(row) : *row;
      ++walk->row;
      return true;
    }
    while (walk->item < row->parameters->count) {
      const pl_parameter *parameter = &row->parameters->items[walk->item++];
      if (parameter->not_in_scenes) continue;
      *field = field_of(parameter, row->offset + parameter->offset);
      return true;
    }
  }
  return false;
}

bool pl_scene_field_find(const pl_scene_type *type, const char *key, pl_scene_field *field) {
  pl_scene_walk walk = {0};
  while (pl_scene_walk_next(type, &walk, field))
    if (strcmp(field->key, key) == 0) return true;
  return false;
}
