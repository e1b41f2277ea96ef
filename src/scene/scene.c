// Scene documents as the public header sees them: read, describe, camera.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "pliant/math.h"
#include "scene/scene_types.h"

// The first error among findings from `begin` on, as the error of the whole call.
static pl_status fail_with_first(const pl_findings *findings, int32_t begin, pl_error *error) {
  for (int32_t i = begin; i < pl_findings_count(findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *finding = pl_findings_get(findings, i);
    if (finding->severity < PL_SEVERITY_ERROR) continue;
    pl_fail_at(error, PL_ERROR_INVALID_DATA, finding->file, finding->line, finding->column, "%s%s%s%s%s",
               finding->field, finding->field[0] != '\0' ? ": " : "", finding->you_see,
               finding->fix[0] != '\0' ? "; " : "", finding->fix);
    return PL_ERROR_INVALID_DATA;
  }
  return PL_OK;
}

// A document's text, where it is from, and what to replace in it.
typedef struct source {
  pl_memory_source document;
  pl_scene_overrides overrides;
} source;

static pl_status read_into(pl_scene *scene, const source *from, pl_findings *findings, pl_error *error) {
  int32_t begin = pl_findings_count(findings, PL_SEVERITY_NOTE);
  scene->folder = pl_arena_copy_text(&scene->arena, from->document.folder != NULL ? from->document.folder : ".");
  if (scene->folder == NULL) return pl_fail_memory(error);
  const pl_memory_source *document = &from->document;
  pl_status status =
      pl_json_parse(scene->context, document->bytes, document->size, document->name, findings, &scene->json, error);
  if (status < 0) return status;
  status = pl_scene_override_all(scene, from->overrides.items, from->overrides.count, error);
  if (status < 0) return status;
  status = pl_scene_fill(scene, findings, error);
  if (status >= 0) status = pl_scene_check_sense(scene, findings);
  if (status == PL_ERROR_OUT_OF_MEMORY) return pl_fail_memory(error);
  return status < 0 ? status : fail_with_first(findings, begin, error);
}

static pl_status read_source(pl_context *context, const source *from, pl_scene **scene, pl_findings *findings,
                             pl_error *error) {
  *scene = NULL;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_scene *made = PL_TAKE(&arena, pl_scene, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->context = context;
  made->arena = arena;
  // Problems are always collected, so that they can be counted; the caller's list is used when there is one.
  pl_findings *own = NULL;
  pl_status status = findings == NULL ? pl_findings_create(context, &own, error) : PL_OK;
  if (status >= 0) status = read_into(made, from, findings != NULL ? findings : own, error);
  pl_findings_destroy(own);
  if (status < 0) {
    pl_scene_destroy(made);
    return status;
  }
  *scene = made;
  return PL_OK;
}

pl_status pl_scene_load_memory(pl_context *context, const pl_memory_source *document, pl_scene **scene,
                               pl_findings *findings, pl_error *error) {
  return read_source(context, &(source){.document = *document}, scene, findings, error);
}

pl_status pl_scene_load_memory_with(pl_context *context, const pl_memory_source *document,
                                    const pl_scene_overrides *overrides, pl_scene **scene, pl_findings *findings,
                                    pl_error *error) {
  return read_source(context, &(source){*document, *overrides}, scene, findings, error);
}

pl_status pl_scene_load_with(pl_context *context, const char *path, const pl_scene_overrides *overrides,
                             pl_scene **scene, pl_findings *findings, pl_error *error) {
  *scene = NULL;
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  char *folder = pl_path_folder(context, path);
  source from = {.document = {bytes.data, bytes.size, path, folder}, .overrides = *overrides};
  status = folder == NULL ? pl_fail_memory(error) : read_source(context, &from, scene, findings, error);
  pl_release(context, folder);
  pl_bytes_free(&bytes);
  return status;
}

pl_status pl_scene_load(pl_context *context, const char *path, pl_scene **scene, pl_findings *findings,
                        pl_error *error) {
  return pl_scene_load_with(context, path, &(pl_scene_overrides){0}, scene, findings, error);
}

void pl_scene_destroy(pl_scene *scene) {
  if (scene == NULL) return;
  pl_json_document_destroy(scene->json);
  pl_arena arena = scene->arena;
  pl_arena_destroy(&arena);
}

static const char *followed(const pl_scene_camera_def *camera) {
  return camera->json != NULL && camera->follow[0] != '\0' ? camera->follow : NULL;
}

pl_scene_report pl_scene_get_report(const pl_scene *scene) {
  const pl_scene_document *document = &scene->document;
  const pl_scene_lighting *lighting = &document->lighting;
  return (pl_scene_report){
      .name = document->name,
      .description = document->description,
      .frame_count = (int32_t)document->time.frames,
      .frame_rate = document->time.frame_rate,
      .step = document->time.step,
      .seed = (uint64_t)document->seed,
      .warm_up = document->time.warm_up,
      .gravity = document->gravity,
      .has_camera = document->camera.json != NULL,
      .has_observer = document->observer.json != NULL,
      .camera_follows = followed(&document->camera),
      .light =
          lighting->sun.x != 0 || lighting->sun.y != 0 || lighting->sun.z != 0 ? lighting->sun : document->camera.light,
      .sun_strength = lighting->sun_strength,
      .sky_strength = lighting->sky_strength,
      .has_background = lighting->background_top.r >= 0 || lighting->background_bottom.r >= 0,
      .background_top = lighting->background_top.r >= 0 ? lighting->background_top : lighting->background_bottom,
      .background_bottom = lighting->background_bottom.r >= 0 ? lighting->background_bottom : lighting->background_top,
      .observer_follows = followed(&document->observer),
  };
}

static pl_camera camera_at(const pl_scene_camera_def *def, double time) {
  pl_camera camera = {def->eye, def->target, def->up, def->field_of_view * PL_PI / 180};
  const pl_scene_view *path = def->path.items;
  int32_t count = def->path.count, next = 0;
  while (next < count && path[next].time <= time) ++next;
  if (count > 0) {
    const pl_scene_view *a = &path[next > 0 ? next - 1 : 0], *b = &path[next < count ? next : count - 1];
    double t = b->time > a->time ? (time - a->time) / (b->time - a->time) : 0;
    t = fmin(fmax(t, 0), 1);
    camera.eye = pl_vec3_lerp(a->eye, b->eye, t);
    camera.target = pl_vec3_lerp(a->target, b->target, t);
  }
  return camera;
}

pl_camera pl_scene_get_camera(const pl_scene *scene, double time) {
  return camera_at(&scene->document.camera, time);
}

pl_camera pl_scene_get_observer(const pl_scene *scene, double time) {
  return camera_at(&scene->document.observer, time);
}
