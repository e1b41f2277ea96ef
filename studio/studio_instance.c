// Opening scenes: from a document to a world, in the place of the one before if all went well.
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "studio_capture.h"
#include "studio_detail.h"
#include "studio_document.h"

void studio_stage_discard(pl_context *context, studio_fresh *made) {
  pl_scene_instance_destroy(made->set);
  pl_scene_destroy(made->scene);
  pl_release(context, made->start);
  pl_release(context, made->points);
  pl_release(context, made->more_points);
}

pl_status studio_stage_build(pl_context *context, pl_shape_cache *cache, const studio_document *document, pl_findings *findings,
                             studio_fresh *made, pl_error *error) {
  pl_vector text = pl_vector_of(context, 1);
  pl_status status = studio_document_text(document, &text, error);
  const char *name = document->path[0] != '\0' ? document->path : document->name;
  if (status >= 0)
    status = pl_scene_load_memory(context, &(pl_memory_source){text.items, text.count, name, document->folder}, &made->scene,
                                  findings, error);
  pl_vector_free(&text);
  pl_scene_build_def def = pl_default_scene_build_def();
  if (status >= 0) made->scene->cache = cache;
  if (status >= 0) status = pl_scene_build(context, &def, made->scene, &made->set, findings, error);
  if (status < 0) return status;
  size_t max = 1;
  for (int32_t i = 0; i < pl_scene_instance_body_count(made->set); ++i) {
    pl_model_report facts =
        pl_model_get_report(pl_body_get_model(pl_scene_instance_get_world(made->set), pl_scene_instance_get_body(made->set, i).id));
    size_t surface = (size_t)pl_scene_instance_get_surface_view(made->set, i).point_count, particles = (size_t)facts.particle_count;
    if (surface > max) max = surface;
    if (particles > max) max = particles;
  }
  made->points = pl_allocate_array(context, max, sizeof(pl_vec3));
  made->more_points = pl_allocate_array(context, max, sizeof(pl_vec3));
  made->start_size = pl_world_snapshot_size(pl_scene_instance_get_world(made->set));
  made->start = pl_allocate(context, made->start_size);
  return made->start != NULL && made->points != NULL && made->more_points != NULL ? PL_OK : pl_fail_memory(error);
}

static void close_stage(studio_world *w) {
  studio_hold_clear(w);
  studio_segments_forget(w);
  w->tool = (pl_collider_id){0, 0};
  studio_fresh old = {w->scene, w->set, w->start, w->start_size, w->points, w->more_points};
  studio_stage_discard(w->context, &old);
  w->scene = NULL;
  w->set = NULL;
  w->world = NULL;
  w->start = NULL;
  w->points = w->more_points = NULL;
}

// Bodies that the viewers hold stay held: hands are by body and point, which a change of numbers leaves as they are.
static bool move_in(studio_world *w, studio_fresh *made, bool carry) {
  pl_world *world = pl_scene_instance_get_world(made->set);
  int32_t count = pl_scene_instance_body_count(made->set), adopted = 0;
  pl_world_snapshot(world, made->start);
  int32_t followed = studio_stage_followed(made->set, made->scene);
  if (followed >= 0) w->followed_start = pl_body_get_report(world, pl_scene_instance_get_body(made->set, followed).id).center;
  bool carried = false;
  if (carry && w->set != NULL) {
    studio_hold_lift(w);
    carried = pl_world_transfer_state(world, w->world, &adopted, NULL) >= 0 && adopted == count;
    int held = carried ? w->hold_count : 0;
    w->hold_count = 0;
    close_stage(w);
    w->hold_count = held;
  } else {
    close_stage(w);
    w->given.count = w->errands.count = w->meters.count = 0;
    w->has_eye = false;
    memset(w->plain, 0, sizeof w->plain);
  }
  w->scene = made->scene;
  w->set = made->set;
  w->world = world;
  w->start = made->start;
  w->start_size = made->start_size;
  w->points = made->points;
  w->more_points = made->more_points;
  *made = (studio_fresh){.scene = NULL};
  return carried;
}

// Weights that were given to what is no longer there are forgotten.
static void sift_given(studio_world *w) {
  size_t kept = 0;
  for (size_t i = 0; i < w->given.count; ++i) {
    studio_given given = PL_ITEM(&w->given, studio_given, i);
    if (given.body >= pl_scene_instance_body_count(w->set)) continue;
    pl_example_view examples =
        pl_model_get_examples(pl_body_get_model(w->world, pl_scene_instance_get_body(w->set, given.body).id));
    if (given.count == examples.example_count && given.manifold < examples.given_count)
      PL_ITEM(&w->given, studio_given, kept++) = given;
  }
  w->given.count = kept;
}

bool studio_stage_enter(studio_world *w, studio_fresh *made, studio_document *document, pl_findings *findings, bool carry) {
  bool carried = move_in(w, made, carry);
  studio_document_free(w->context, &w->document);
  w->document = *document;
  *document = (studio_document){.json = NULL};
  pl_findings_destroy(w->findings);
  w->findings = findings;
  w->scene_number++;
  if (w->has_eye) pl_scene_instance_set_camera(w->set, &w->eye);
  sift_given(w);
  (void)studio_world_attend(w, NULL);
  if (studio_history_begin(&w->history, w->context, w->world)) studio_history_note(&w->history, w->world);
  studio_hold_lower(w);
  w->due = 0;
  w->shown_step = w->telemetry_step = -1;
  w->measured_steps = pl_world_step_count(w->world);
  w->state_is_due = true;
  studio_capture_open(w);
  studio_stage_tell(w, 0);
  return carried;
}

pl_status studio_stage_open_path(studio_world *w, const char *path, pl_error *error) {
  studio_document document = {.json = NULL};
  studio_fresh made = {.scene = NULL};
  pl_findings *findings = NULL;
  pl_status status = pl_findings_create(w->context, &findings, error);
  if (status >= 0) status = studio_document_read(w->context, path, findings, &document, error);
  if (status >= 0) status = studio_stage_build(w->context, &w->cache, &document, findings, &made, error);
  if (status >= 0) {
    (void)studio_stage_enter(w, &made, &document, findings, false);
    return PL_OK;
  }
  studio_stage_discard(w->context, &made);
  studio_document_free(w->context, &document);
  pl_findings_destroy(findings);
  return status;
}

void studio_stage_close(studio_world *w) {
  close_stage(w);
  studio_history_free(&w->history);
  studio_moment_release(w->newest);
  w->newest = NULL;
  studio_document_free(w->context, &w->document);
}

void studio_stage_tell_findings(studio_world *w, const pl_findings *findings, uint32_t viewer) {
  static const char *const severities[] = {"note", "warning", "error"};
  enum { MAX = 100 };
  studio_note note = studio_note_begin(w->context, "findings");
  pl_arena *arena = &note.arena;
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
  if (note.root != NULL) pl_json_set(arena, note.root, "items", items);
  studio_note_post(w, &note, viewer, STUDIO_SLOT_FINDINGS);
}

int32_t studio_stage_source(const studio_world *w, int32_t index) {
  const pl_scene_body *first = w->scene->document.bodies.items;
  return (int32_t)(PL_ITEM(&w->set->parts, pl_instance_part, index).source - first);
}
