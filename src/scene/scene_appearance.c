// Appearances of bodies: which file the surface of a body came from, and which of its vertices the points are.
#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "scene/scene_instance.h"
#include "scene/scene_kinematic.h"
#include "scene/scene_rod.h"

// The file, to be released; NULL for a surface that was made, or when out of memory.
static char *find_file(const pl_scene_instance *set, const pl_instance_part *part) {
  const char *file = NULL;
  if (part->rod != NULL && part->rod->path != NULL) return pl_path_join(set->context, NULL, part->rod->path);
  if (part->kinematic != NULL && part->kinematic->source->character[0] != '\0')
    file = part->kinematic->source->character;
  else if (part->source->mesh[0] != '\0')
    file = pl_scene_find_mesh(set->scene, part->source->mesh)->file;
  return file == NULL || file[0] == '\0' ? NULL : pl_path_join(set->context, set->scene->folder, file);
}

pl_status pl_scene_instance_load_appearance(const pl_scene_instance *instance, int32_t index,
                                            pl_appearance **appearance, pl_error *error) {
  const pl_instance_part *part = &PL_ITEM(&instance->parts, pl_instance_part, index);
  *appearance = NULL;
  if (part->body.has_color || part->body.appearance != NULL) return PL_OK;
  char *path = find_file(instance, part);
  if (path == NULL) return PL_OK;
  pl_scene_instance_surface drawn = pl_scene_instance_get_surface_view(instance, index);
  pl_appearance_surface surface = {drawn.point_count, drawn.triangle_count, drawn.triangles, NULL, 0};
  if (part->kinematic != NULL) {
    surface.point_of_vertex = part->kinematic->report.point_of_vertex;
    surface.vertex_count = part->kinematic->report.vertex_count;
  }
  pl_status status = pl_appearance_load(instance->context, path, &surface, appearance, error);
  pl_release(instance->context, path);
  return status;
}
