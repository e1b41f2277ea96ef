// Numbers per point in mesh files: vertex groups that were painted, and colours. Whatever the format calls them, they
// become groups of the mesh, so that pins, parts and maps of a scene find them by name: `color.red` and the like for
// colours (`color_1.red` for a second set), and NAME for scalars called `group:NAME`.
#include <stdio.h>
#include <string.h>

#include "io/mesh_builder.h"

// A small file could otherwise ask for a great many.
enum { MAX_MAPS = 1024 };

typedef struct file_map {
  const char *name;
  pl_vector values;  // float, of the points from the first on
  bool outside;      // some value is not a weight
  float strange;     // the first of those
} file_map;

void pl_color_map_name(char name[PL_MAP_NAME_SIZE], int set, int channel) {
  static const char *const channels[] = {"red", "green", "blue", "alpha"};
  if (set == 0)
    snprintf(name, PL_MAP_NAME_SIZE, "color.%s", channels[channel]);
  else
    snprintf(name, PL_MAP_NAME_SIZE, "color_%d.%s", set, channels[channel]);
}

void pl_builder_init_maps(pl_mesh_builder *builder) {
  builder->maps = pl_vector_of(builder->source->context, sizeof(file_map));
}

void pl_builder_free_maps(pl_mesh_builder *builder) {
  for (size_t i = 0; i < builder->maps.count; ++i) pl_vector_free(&PL_ITEM(&builder->maps, file_map, i).values);
  pl_vector_free(&builder->maps);
}

pl_status pl_builder_find_map(pl_mesh_builder *builder, const char *name, int32_t *map) {
  for (size_t i = 0; i < builder->maps.count; ++i)
    if (strcmp(PL_ITEM(&builder->maps, file_map, i).name, name) == 0) {
      *map = (int32_t)i;
      return PL_OK;
    }
  *map = -1;
  if (builder->maps.count >= MAX_MAPS) return PL_OK;
  file_map fresh = {.name = pl_arena_copy_text(&builder->text, name),
                    .values = pl_vector_of(builder->source->context, sizeof(float))};
  if (fresh.name == NULL || !pl_vector_push(&builder->maps, &fresh)) return pl_source_fail_memory(builder->source);
  *map = (int32_t)builder->maps.count - 1;
  return PL_OK;
}

pl_status pl_builder_set_map(pl_mesh_builder *builder, int32_t map, size_t point, double value) {
  if (map < 0) return PL_OK;
  file_map *m = &PL_ITEM(&builder->maps, file_map, map);
  // Points that no value is given for weigh nothing.
  if (m->values.count <= point && pl_vector_grow(&m->values, point + 1 - m->values.count) == NULL)
    return pl_source_fail_memory(builder->source);
  float weight = (float)value;
  bool valid = weight >= 0 && weight <= 1;
  if (!valid && !m->outside) m->strange = weight;
  m->outside = m->outside || !valid;
  PL_ITEM(&m->values, float, point) = valid ? weight : 0;
  return PL_OK;
}

pl_status pl_builder_fill_maps(pl_mesh_builder *builder) {
  for (size_t i = 0; i < builder->maps.count; ++i) {
    pl_vector *values = &PL_ITEM(&builder->maps, file_map, i).values;
    size_t missing = builder->points.count - values->count;
    if (missing > 0 && pl_vector_grow(values, missing) == NULL) return pl_source_fail_memory(builder->source);
  }
  return PL_OK;
}

void pl_builder_move_map_point(pl_mesh_builder *builder, size_t to, size_t from) {
  for (size_t i = 0; i < builder->maps.count; ++i) {
    pl_vector *values = &PL_ITEM(&builder->maps, file_map, i).values;
    PL_ITEM(values, float, to) = PL_ITEM(values, float, from);
  }
}

static bool is_listed(const pl_vector *groups, const char *name) {
  for (size_t i = 0; i < groups->count; ++i)
    if (strcmp(PL_ITEM(groups, pl_mesh_group, i).name, name) == 0) return true;
  return false;
}

pl_status pl_builder_list_maps(const pl_mesh_builder *builder, pl_vector *groups) {
  pl_status status = PL_OK;
  for (size_t i = 0; i < builder->maps.count && status >= 0; ++i) {
    const file_map *map = &PL_ITEM(&builder->maps, file_map, i);
    pl_mesh_group group = {map->name, map->values.items};
    if (map->outside)
      status = pl_source_note(builder->source, PL_SEVERITY_WARNING, "map-range", "weights go from 0 to 1",
                              "scale it to that range", "the map '%.100s' was left out: one of its values is %g",
                              map->name, (double)map->strange);
    else if (!is_listed(groups, map->name) && !pl_vector_push(groups, &group))
      status = pl_source_fail_memory(builder->source);
  }
  return status;
}
