// Scene instances: built from a document, and installed in place of the previous one.
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "studio_appearance.h"
#include "studio_capture.h"
#include "studio_detail.h"
#include "studio_document.h"

void studio_instance_free(pl_context *context, studio_instance *built) {
  for (int32_t i = 0; built->appearances != NULL && i < pl_scene_instance_body_count(built->instance); ++i)
    pl_appearance_destroy(built->appearances[i]);
  pl_release(context, built->appearances);
  pl_scene_instance_destroy(built->instance);
  pl_scene_destroy(built->scene);
  pl_release(context, built->start);
  pl_release(context, built->points);
  pl_release(context, built->more_points);
}

pl_status studio_instance_build(pl_context *context, pl_shape_cache *cache, const studio_document *document,
                                pl_findings *findings, studio_instance *built, pl_error *error) {
  pl_vector text = pl_vector_of(context, 1);
  pl_status status = studio_document_text(document, &text, error);
  const char *name = document->path[0] != '\0' ? document->path : document->name;
  if (status >= 0)
    status = pl_scene_load_memory(context, &(pl_memory_source){text.items, text.count, name, document->folder},
                                  &built->scene, findings, error);
  pl_vector_free(&text);
  pl_scene_build_def def = pl_default_scene_build_def();
  if (status >= 0) built->scene->cache = cache;
  if (status >= 0) status = pl_scene_build(context, &def, built->scene, &built->instance, findings, error);
  if (status < 0) return status;
  size_t max = 1;
  for (int32_t i = 0; i < pl_scene_instance_body_count(built->instance); ++i) {
    pl_model_report facts = pl_model_get_report(pl_body_get_model(pl_scene_instance_get_world(built->instance),
                                                                  pl_scene_instance_get_body(built->instance, i).id));
    size_t surface = (size_t)pl_scene_instance_get_surface_view(built->instance, i).point_count,
           particles = (size_t)facts.particle_count;
    if (surface > max) max = surface;
    if (particles > max) max = particles;
  }
  built->points = pl_allocate_array(context, max, sizeof(pl_vec3));
  built->more_points = pl_allocate_array(context, max, sizeof(pl_vec3));
  if (!studio_appearance_load(context, built)) return pl_fail_memory(error);
  built->start_size = pl_world_snapshot_size(pl_scene_instance_get_world(built->instance));
  built->start = pl_allocate(context, built->start_size);
  return built->start != NULL && built->points != NULL && built->more_points != NULL ? PL_OK : pl_fail_memory(error);
}

static void close_instance(studio_world *w) {
  studio_hold_clear(w);
  studio_segments_clear(w);
  w->tool = (pl_collider_id){0, 0};
  studio_instance old = {w->scene, w->instance, w->start, w->start_size, w->points, w->more_points, w->appearances};
  studio_instance_free(w->context, &old);
  w->scene = NULL;
  w->instance = NULL;
  w->world = NULL;
  w->start = NULL;
  w->points = w->more_points = NULL;
  w->appearances = NULL;
}

// Grabs and pins are kept: they refer to body and point, which a changed parameter does not affect.
static bool replace_instance(studio_world *w, studio_instance *built, bool carry) {
  pl_world *world = pl_scene_instance_get_world(built->instance);
  int32_t count = pl_scene_instance_body_count(built->instance), transferred = 0;
  pl_world_snapshot(world, built->start);
  int32_t followed = studio_scene_followed_body(built->instance, built->scene);
  if (followed >= 0)
    w->followed_start = pl_body_get_report(world, pl_scene_instance_get_body(built->instance, followed).id).center;
  bool carried = false;
  if (carry && w->instance != NULL) {
    studio_hold_detach(w);
    carried = pl_world_transfer_state(world, w->world, &transferred, NULL) >= 0 && transferred == count;
    int held = carried ? w->hold_count : 0;
    w->hold_count = 0;
    close_instance(w);
    w->hold_count = held;
  } else {
    close_instance(w);
    w->weight_overrides.count = w->destinations.count = w->meters.count = 0;
    w->has_eye = false;
    memset(w->detail_off, 0, sizeof w->detail_off);
  }
  w->scene = built->scene;
  w->instance = built->instance;
  w->world = world;
  w->start = built->start;
  w->start_size = built->start_size;
  w->points = built->points;
  w->more_points = built->more_points;
  w->appearances = built->appearances;
  *built = (studio_instance){.scene = NULL};
  return carried;
}

// Remove weight overrides of bodies and manifolds that no longer exist.
static void drop_stale_overrides(studio_world *w) {
  size_t kept = 0;
  for (size_t i = 0; i < w->weight_overrides.count; ++i) {
    studio_weight_override override = PL_ITEM(&w->weight_overrides, studio_weight_override, i);
    if (override.body >= pl_scene_instance_body_count(w->instance)) continue;
    pl_example_view examples =
        pl_model_get_examples(pl_body_get_model(w->world, pl_scene_instance_get_body(w->instance, override.body).id));
    if (override.count == examples.example_count && override.manifold < examples.given_count)
      PL_ITEM(&w->weight_overrides, studio_weight_override, kept++) = override;
  }
  w->weight_overrides.count = kept;
}

bool studio_instance_install(studio_world *w, studio_instance *built, studio_document *document, pl_findings *findings,
                             bool carry) {
  bool carried = replace_instance(w, built, carry);
  studio_document_free(w->context, &w->document);
  w->document = *document;
  *document = (studio_document){.json = NULL};
  pl_findings_destroy(w->findings);
  w->findings = findings;
  w->scene_number++;
  if (w->has_eye) pl_scene_instance_set_camera(w->instance, &w->eye);
  drop_stale_overrides(w);
  (void)studio_world_add_controller(w, NULL);
  if (studio_history_begin(&w->history, w->context, w->world)) studio_history_record(&w->history, w->world);
  studio_hold_attach(w);
  w->due = 0;
  w->shown_step = w->telemetry_step = -1;
  w->measured_steps = pl_world_step_count(w->world);
  w->state_is_due = true;
  studio_capture_open(w);
  studio_scene_send(w, 0);
  return carried;
}

pl_status studio_instance_open(studio_world *w, const char *path, pl_error *error) {
  studio_document document = {.json = NULL};
  studio_instance built = {.scene = NULL};
  pl_findings *findings = NULL;
  pl_status status = pl_findings_create(w->context, &findings, error);
  if (status >= 0) status = studio_document_read(w->context, path, findings, &document, error);
  if (status >= 0) status = studio_instance_build(w->context, &w->cache, &document, findings, &built, error);
  if (status >= 0) {
    (void)studio_instance_install(w, &built, &document, findings, false);
    return PL_OK;
  }
  studio_instance_free(w->context, &built);
  studio_document_free(w->context, &document);
  pl_findings_destroy(findings);
  return status;
}

void studio_instance_close(studio_world *w) {
  close_instance(w);
  studio_history_free(&w->history);
  studio_frame_release(w->newest);
  w->newest = NULL;
  studio_document_free(w->context, &w->document);
}

void studio_findings_send(studio_world *w, const pl_findings *findings, uint32_t viewer) {
  static const char *const severities[] = {"note", "warning", "error"};
  enum { MAX = 100 };
  studio_message message = studio_message_begin(w->context, "findings");
  pl_arena *arena = &message.arena;
  pl_json *items = pl_json_new(arena, PL_JSON_ARRAY);
  int32_t count = pl_findings_count(findings, PL_SEVERITY_NOTE);
  for (int32_t i = 0; items != NULL && i < count && i < MAX; ++i) {
    const pl_finding *finding = pl_findings_get(findings, i);
    pl_json *item = pl_json_new(arena, PL_JSON_OBJECT);
    if (item == NULL) break;
    pl_json_set_text(arena, item, "severity", severities[finding->severity]);
    pl_json_set_text(arena, item, "file", finding->file);
    pl_json_set_number(arena, item, "line", finding->line);
    pl_json_set_number(arena, item, "column", finding->column);
    pl_json_set_text(arena, item, "path", finding->field);
    pl_json_set_text(arena, item, "text", finding->you_see);
    pl_json_set_text(arena, item, "fix", finding->fix);
    pl_json_add(items, item);
  }
  if (message.root != NULL) pl_json_set(arena, message.root, "items", items);
  studio_message_send(w, &message, viewer, STUDIO_SLOT_FINDINGS);
}

int32_t studio_instance_source(const studio_world *w, int32_t index) {
  const pl_scene_body *first = w->scene->document.bodies.items;
  return (int32_t)(PL_ITEM(&w->instance->parts, pl_instance_part, index).source - first);
}
