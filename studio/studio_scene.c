// The message that says what a scene consists of.
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "io/file_bytes.h"
#include "pliant/math.h"
#include "report/report_palette.h"
#include "scene/scene_rod.h"
#include "studio_capture.h"
#include "studio_example.h"
#include "studio_note.h"
#include "studio_setting.h"

static const double DEGREES = 180 / PL_PI;

static void set_color(studio_note *note, pl_json *object, pl_color color) {
  pl_json_set_numbers(&note->arena, object, "color", (const double[3]){(double)color.r, (double)color.g, (double)color.b}, 3);
}

static bool has_actor(const studio_world *w, int32_t body) {
  return PL_ITEM(&w->set->parts, pl_instance_part, body).source->actor.json != NULL;
}

static const char *method_of(const studio_world *w, int32_t body) {
  if (has_actor(w, body)) return "actor";
  if (studio_capture_is_of(w, body)) return "capture";
  if (PL_ITEM(&w->set->parts, pl_instance_part, body).source->detail.json != NULL) return "detail";
  return pl_model_get_report(pl_body_get_model(w->world, pl_scene_instance_get_body(w->set, body).id)).method;
}

// Joints that hang together, and segments of curves.
static void set_rings(studio_note *note, pl_json *object, const pl_scene_instance_body *body) {
  if (body->rod_def != NULL) {
    int32_t *pairs = PL_TAKE(&note->arena, int32_t, 2 * body->rod_def->joint_count), count = 0;
    for (int32_t i = 0; pairs != NULL && i < body->rod_def->joint_count; ++i) {
      if (body->rod_def->joints[i].parent < 0) continue;
      pairs[2 * count] = body->rod_def->joints[i].parent;
      pairs[2 * count++ + 1] = i;
    }
    studio_note_bytes(note, object, "rings", pairs, 2 * (size_t)count * sizeof(int32_t));
    return;
  }
  if (body->mesh == NULL) return;
  pl_mesh_view mesh = pl_mesh_get_view(body->mesh);
  if (mesh.segment_count > 0)
    studio_note_bytes(note, object, "rings", mesh.segments, 2 * (size_t)mesh.segment_count * sizeof(int32_t));
}

static pl_json *describe_body(studio_world *w, studio_note *note, int32_t index) {
  pl_json *object = pl_json_new(&note->arena, PL_JSON_OBJECT);
  if (object == NULL) return NULL;
  pl_scene_instance_body body = pl_scene_instance_get_body(w->set, index);
  const pl_model *model = pl_body_get_model(w->world, body.id);
  pl_scene_instance_surface surface = pl_scene_instance_get_surface_view(w->set, index);
  pl_json_set_text(&note->arena, object, "name", body.name);
  pl_json_set_text(&note->arena, object, "method", method_of(w, index));
  set_color(note, object, body.has_color ? body.color : pl_palette_color(index));
  pl_json_set_number(&note->arena, object, "points", surface.point_count);
  studio_note_bytes(note, object, "triangles", surface.triangles, 3 * (size_t)surface.triangle_count * sizeof(int32_t));
  pl_json_set_number(&note->arena, object, "particles", pl_model_get_report(model).particle_count);
  if (body.mesh != NULL && pl_mesh_get_view(body.mesh).tet_count > 0)
    studio_note_bytes(note, object, "tets", pl_mesh_get_view(body.mesh).tets,
                      4 * (size_t)pl_mesh_get_view(body.mesh).tet_count * sizeof(int32_t));
  set_rings(note, object, &body);
  // Copies share what can be changed; the first one shows it.
  int32_t source = studio_stage_source(w, index);
  pl_json_set_number(&note->arena, object, "source", source);
  bool first = index == 0 || studio_stage_source(w, index - 1) != source;
  pl_json_set(&note->arena, object, "settings",
              first ? studio_setting_list(w, note, source) : pl_json_new(&note->arena, PL_JSON_ARRAY));
  pl_json_set(&note->arena, object, "examples", studio_example_list(w, note, index));
  pl_example_view examples = pl_model_get_examples(model);
  pl_json_set_number(&note->arena, object, "manifolds", examples.manifold_count);
  pl_json_set_number(&note->arena, object, "given", examples.given_count);
  return object;
}

static pl_json *describe_collider(studio_world *w, studio_note *note, int32_t index) {
  pl_json *object = pl_json_new(&note->arena, PL_JSON_OBJECT);
  if (object == NULL) return NULL;
  pl_scene_instance_collider collider = pl_scene_instance_get_collider(w->set, index, 0);
  pl_json_set_text(&note->arena, object, "name", collider.name);
  pl_json_set_bool(&note->arena, object, "visible", collider.visible);
  pl_json_set_bool(&note->arena, object, "ground", collider.ground);
  pl_json_set_number(&note->arena, object, "height", collider.height);
  set_color(note, object, collider.has_color ? collider.color : (pl_color){0.62F, 0.64F, 0.67F});
  if (collider.mesh == NULL) return object;
  pl_mesh_view mesh = pl_mesh_get_view(collider.mesh);
  float *points = PL_TAKE(&note->arena, float, 3 * (size_t)mesh.point_count);
  for (int32_t i = 0; points != NULL && i < mesh.point_count; ++i) {
    points[3 * i] = (float)mesh.points[i].x;
    points[3 * i + 1] = (float)mesh.points[i].y;
    points[3 * i + 2] = (float)mesh.points[i].z;
  }
  if (points != NULL) studio_note_bytes(note, object, "points", points, 3 * (size_t)mesh.point_count * sizeof(float));
  studio_note_bytes(note, object, "triangles", mesh.triangles, 3 * (size_t)mesh.triangle_count * sizeof(int32_t));
  return object;
}

static pl_box box_of_bodies(studio_world *w) {
  pl_box box = {{0, 0, 0}, {0, 0, 0}};
  for (int32_t i = 0; i < pl_scene_instance_body_count(w->set); ++i) {
    if (pl_scene_instance_get_surface(w->set, i, w->points) < 0) continue;
    pl_box own = pl_box_from_points(w->points, pl_scene_instance_get_surface_view(w->set, i).point_count);
    if (i == 0) box = own;
    box.min = (pl_vec3){own.min.x < box.min.x ? own.min.x : box.min.x, own.min.y < box.min.y ? own.min.y : box.min.y,
                        own.min.z < box.min.z ? own.min.z : box.min.z};
    box.max = (pl_vec3){own.max.x > box.max.x ? own.max.x : box.max.x, own.max.y > box.max.y ? own.max.y : box.max.y,
                        own.max.z > box.max.z ? own.max.z : box.max.z};
  }
  return box;
}

int32_t studio_stage_followed(const pl_scene_instance *set, const pl_scene *scene) {
  const char *name = pl_scene_get_report(scene).camera_follows;
  size_t length = name != NULL ? strlen(name) : 0;
  for (int32_t i = 0; name != NULL && i < pl_scene_instance_body_count(set); ++i) {
    const char *own = pl_scene_instance_get_body(set, i).name;
    if (strncmp(own, name, length) == 0 && (own[length] == '\0' || strcmp(own + length, "_001") == 0)) return i;
  }
  return -1;
}

// How far the followed body has gone, up and down left out: pictures of a run leave that out too.
static pl_vec3 way_of_followed(const studio_world *w, int32_t followed, pl_vec3 up) {
  pl_vec3 now = pl_body_get_report(w->world, pl_scene_instance_get_body(w->set, followed).id).center;
  pl_vec3 way = pl_vec3_sub(now, w->followed_start), upward = pl_vec3_normalize_or(up, (pl_vec3){0, 1, 0});
  return pl_vec3_is_finite(way) ? pl_vec3_add_scaled(way, upward, -pl_vec3_dot(way, upward)) : (pl_vec3){0, 0, 0};
}

static void set_camera(studio_world *w, studio_note *note, const pl_scene_report *facts) {
  pl_json *object = pl_json_set(&note->arena, note->root, "camera", pl_json_new(&note->arena, PL_JSON_OBJECT));
  if (object == NULL) return;
  pl_camera camera =
      facts->has_camera ? pl_scene_get_camera(w->scene, pl_world_get_time(w->world)) : pl_camera_look_at_box(box_of_bodies(w), 1.6);
  int32_t followed = studio_stage_followed(w->set, w->scene);
  // It was composed for where the body began; whoever comes late finds it where the body is.
  pl_vec3 way = followed >= 0 && facts->has_camera ? way_of_followed(w, followed, camera.up) : (pl_vec3){0, 0, 0};
  studio_note_vector(note, object, "eye", pl_vec3_add(camera.eye, way));
  studio_note_vector(note, object, "target", pl_vec3_add(camera.target, way));
  studio_note_vector(note, object, "up", camera.up);
  studio_note_number(note, object, "fov", camera.field_of_view * DEGREES);
  studio_note_number(note, object, "follows", followed);
}

// A scene beside this one that shows the coarse, the enriched and the fine body next to each other.
static void set_comparison(studio_world *w, studio_note *note) {
  if (w->document.json == NULL || w->document.path[0] == '\0' || pl_ending_is(w->document.path, "/compare.json")) return;
  char *path = pl_path_join(w->context, w->document.folder, "compare.json");
  if (path != NULL && access(path, R_OK) == 0) pl_json_set_text(&note->arena, note->root, "compare", path);
  pl_release(w->context, path);
}

static void fill_scene(studio_world *w, studio_note *note) {
  pl_arena *arena = &note->arena;
  pl_scene_report facts = pl_scene_get_report(w->scene);
  int32_t body_count = pl_scene_instance_body_count(w->set), collider_count = pl_scene_instance_collider_count(w->set);
  const char *method = body_count > 0 ? method_of(w, 0) : "";
  for (int32_t i = 0; i < body_count; ++i)
    if (has_actor(w, i) || studio_capture_is_of(w, i) || strcmp(method_of(w, i), "detail") == 0) method = method_of(w, i);
  pl_json_set_text(arena, note->root, "name", w->document.json != NULL ? w->document.name : facts.name);
  pl_json_set_text(arena, note->root, "title", facts.name);
  pl_json_set_text(arena, note->root, "description", facts.description);
  const char *file = w->document.json == NULL ? "" : w->document.capture != NULL ? w->document.capture : w->document.path;
  pl_json_set_text(arena, note->root, "path", file);
  pl_json_set_text(arena, note->root, "method", method);
  studio_note_number(note, note->root, "step", facts.step);
  studio_note_number(note, note->root, "frame_rate", facts.frame_rate);
  studio_note_number(note, note->root, "frames", facts.frame_count);
  set_camera(w, note, &facts);
  set_comparison(w, note);
  pl_json *bodies = pl_json_set(arena, note->root, "bodies", pl_json_new(arena, PL_JSON_ARRAY));
  for (int32_t i = 0; bodies != NULL && i < body_count; ++i) pl_json_add(bodies, describe_body(w, note, i));
  pl_json *colliders = pl_json_set(arena, note->root, "colliders", pl_json_new(arena, PL_JSON_ARRAY));
  for (int32_t i = 0; colliders != NULL && i < collider_count; ++i) pl_json_add(colliders, describe_collider(w, note, i));
  pl_json_set(arena, note->root, "settings", studio_setting_list(w, note, -1));
}

void studio_stage_tell(studio_world *w, uint32_t viewer) {
  studio_note note = studio_note_begin(w->context, "scene");
  if (note.root != NULL) fill_scene(w, &note);
  studio_note_post(w, &note, viewer, STUDIO_SLOT_SCENE);
  studio_capture_tell(w, viewer);
}
