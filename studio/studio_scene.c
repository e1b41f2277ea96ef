// The `scene` message.
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "io/file_bytes.h"
#include "pliant/math.h"
#include "report/report_palette.h"
#include "scene/scene_rod.h"
#include "studio_appearance.h"
#include "studio_capture.h"
#include "studio_example.h"
#include "studio_message.h"
#include "studio_setting.h"
#include "studio_spring.h"

static const double DEGREES = 180 / PL_PI;

static void set_color(studio_message *message, pl_json *object, pl_color color) {
  pl_json_set_numbers(&message->arena, object, "color",
                      (const double[3]){(double)color.r, (double)color.g, (double)color.b}, 3);
}

static bool has_actor(const studio_world *w, int32_t body) {
  return PL_ITEM(&w->instance->parts, pl_instance_part, body).source->actor.json != NULL;
}

static const char *method_of(const studio_world *w, int32_t body) {
  if (has_actor(w, body)) return "actor";
  if (studio_capture_is_body(w, body)) return "capture";
  if (PL_ITEM(&w->instance->parts, pl_instance_part, body).source->detail.json != NULL) return "detail";
  return pl_model_get_report(pl_body_get_model(w->world, pl_scene_instance_get_body(w->instance, body).id)).method;
}

// Edges between joints of rods, or segments of curves.
static void set_edges(studio_message *message, pl_json *object, const pl_scene_instance_body *body) {
  if (body->rod_def != NULL) {
    int32_t *pairs = PL_TAKE(&message->arena, int32_t, 2 * body->rod_def->joint_count), count = 0;
    for (int32_t i = 0; pairs != NULL && i < body->rod_def->joint_count; ++i) {
      if (body->rod_def->joints[i].parent < 0) continue;
      pairs[2 * count] = body->rod_def->joints[i].parent;
      pairs[2 * count++ + 1] = i;
    }
    studio_message_set_bytes(message, object, "edges", pairs, 2 * (size_t)count * sizeof(int32_t));
    return;
  }
  if (body->mesh == NULL) return;
  pl_mesh_view mesh = pl_mesh_get_view(body->mesh);
  if (mesh.segment_count > 0)
    studio_message_set_bytes(message, object, "edges", mesh.segments, 2 * (size_t)mesh.segment_count * sizeof(int32_t));
}

static pl_json *describe_body(studio_world *w, studio_message *message, int32_t index) {
  pl_json *object = pl_json_new(&message->arena, PL_JSON_OBJECT);
  if (object == NULL) return NULL;
  pl_scene_instance_body body = pl_scene_instance_get_body(w->instance, index);
  const pl_model *model = pl_body_get_model(w->world, body.id);
  pl_scene_instance_surface surface = pl_scene_instance_get_surface_view(w->instance, index);
  pl_json_set_text(&message->arena, object, "name", body.name);
  pl_json_set_text(&message->arena, object, "method", method_of(w, index));
  set_color(message, object, body.has_color ? body.color : pl_palette_color(index));
  pl_json_set_number(&message->arena, object, "points", surface.point_count);
  studio_message_set_bytes(message, object, "triangles", surface.triangles,
                           3 * (size_t)surface.triangle_count * sizeof(int32_t));
  pl_json_set_number(&message->arena, object, "particles", pl_model_get_report(model).particle_count);
  if (body.mesh != NULL && pl_mesh_get_view(body.mesh).tet_count > 0)
    studio_message_set_bytes(message, object, "tets", pl_mesh_get_view(body.mesh).tets,
                             4 * (size_t)pl_mesh_get_view(body.mesh).tet_count * sizeof(int32_t));
  set_edges(message, object, &body);
  studio_appearance_describe(w, message, object, index);
  // Copies of a body share settings; the first copy has them.
  int32_t source = studio_instance_source(w, index);
  pl_json_set_number(&message->arena, object, "source", source);
  bool first = index == 0 || studio_instance_source(w, index - 1) != source;
  pl_json_set(&message->arena, object, "settings",
              first ? studio_setting_list(w, message, source) : pl_json_new(&message->arena, PL_JSON_ARRAY));
  pl_json_set(&message->arena, object, "examples", studio_example_list(w, message, index));
  if (first) studio_spring_describe(w, message, object, index);
  pl_example_view examples = pl_model_get_examples(model);
  pl_json_set_number(&message->arena, object, "manifolds", examples.manifold_count);
  pl_json_set_number(&message->arena, object, "writable_manifolds", examples.given_count);
  return object;
}

static pl_json *describe_collider(studio_world *w, studio_message *message, int32_t index) {
  pl_json *object = pl_json_new(&message->arena, PL_JSON_OBJECT);
  if (object == NULL) return NULL;
  pl_scene_instance_collider collider = pl_scene_instance_get_collider(w->instance, index, 0);
  pl_json_set_text(&message->arena, object, "name", collider.name);
  pl_json_set_bool(&message->arena, object, "visible", collider.visible);
  pl_json_set_bool(&message->arena, object, "ground", collider.ground);
  pl_json_set_number(&message->arena, object, "height", collider.height);
  set_color(message, object, collider.has_color ? collider.color : (pl_color){0.62F, 0.64F, 0.67F});
  if (collider.mesh == NULL) return object;
  pl_mesh_view mesh = pl_mesh_get_view(collider.mesh);
  float *points = PL_TAKE(&message->arena, float, 3 * (size_t)mesh.point_count);
  for (int32_t i = 0; points != NULL && i < mesh.point_count; ++i) {
    points[3 * i] = (float)mesh.points[i].x;
    points[3 * i + 1] = (float)mesh.points[i].y;
    points[3 * i + 2] = (float)mesh.points[i].z;
  }
  if (points != NULL)
    studio_message_set_bytes(message, object, "points", points, 3 * (size_t)mesh.point_count * sizeof(float));
  studio_message_set_bytes(message, object, "triangles", mesh.triangles,
                           3 * (size_t)mesh.triangle_count * sizeof(int32_t));
  return object;
}

static pl_box box_of_bodies(studio_world *w) {
  pl_box box = {{0, 0, 0}, {0, 0, 0}};
  for (int32_t i = 0; i < pl_scene_instance_body_count(w->instance); ++i) {
    if (pl_scene_instance_get_surface(w->instance, i, w->points) < 0) continue;
    pl_box own = pl_box_from_points(w->points, pl_scene_instance_get_surface_view(w->instance, i).point_count);
    if (i == 0) box = own;
    box.min = (pl_vec3){own.min.x < box.min.x ? own.min.x : box.min.x, own.min.y < box.min.y ? own.min.y : box.min.y,
                        own.min.z < box.min.z ? own.min.z : box.min.z};
    box.max = (pl_vec3){own.max.x > box.max.x ? own.max.x : box.max.x, own.max.y > box.max.y ? own.max.y : box.max.y,
                        own.max.z > box.max.z ? own.max.z : box.max.z};
  }
  return box;
}

int32_t studio_scene_followed_body(const pl_scene_instance *instance, const pl_scene *scene) {
  const char *name = pl_scene_get_report(scene).camera_follows;
  size_t length = name != NULL ? strlen(name) : 0;
  for (int32_t i = 0; name != NULL && i < pl_scene_instance_body_count(instance); ++i) {
    const char *own = pl_scene_instance_get_body(instance, i).name;
    if (strncmp(own, name, length) == 0 && (own[length] == '\0' || strcmp(own + length, "_001") == 0)) return i;
  }
  return -1;
}

// Horizontal displacement of the followed body since step 0, as in pictures of `pliant run`.
static pl_vec3 displacement_of_followed(const studio_world *w, int32_t followed, pl_vec3 up) {
  pl_vec3 now = pl_body_get_report(w->world, pl_scene_instance_get_body(w->instance, followed).id).center;
  pl_vec3 way = pl_vec3_sub(now, w->followed_start), upward = pl_vec3_normalize_or(up, (pl_vec3){0, 1, 0});
  return pl_vec3_is_finite(way) ? pl_vec3_add_scaled(way, upward, -pl_vec3_dot(way, upward)) : (pl_vec3){0, 0, 0};
}

static void set_camera(studio_world *w, studio_message *message, const pl_scene_report *facts) {
  pl_json *object = pl_json_set(&message->arena, message->root, "camera", pl_json_new(&message->arena, PL_JSON_OBJECT));
  if (object == NULL) return;
  pl_camera camera = facts->has_camera ? pl_scene_get_camera(w->scene, pl_world_get_time(w->world))
                                       : pl_camera_frame_box(box_of_bodies(w), 1.6);
  int32_t followed = studio_scene_followed_body(w->instance, w->scene);
  // The camera of the scene is for step 0; move it along with the body.
  pl_vec3 way =
      followed >= 0 && facts->has_camera ? displacement_of_followed(w, followed, camera.up) : (pl_vec3){0, 0, 0};
  studio_message_set_vector(message, object, "eye", pl_vec3_add(camera.eye, way));
  studio_message_set_vector(message, object, "target", pl_vec3_add(camera.target, way));
  studio_message_set_vector(message, object, "up", camera.up);
  studio_message_set_number(message, object, "fov", camera.field_of_view * DEGREES);
  studio_message_set_number(message, object, "follows", followed);
}

// Path of compare.json next to the scene: the coarse, the enriched and the fine body side by side.
static void set_comparison(studio_world *w, studio_message *message) {
  if (w->document.json == NULL || w->document.path[0] == '\0' || pl_ending_is(w->document.path, "/compare.json"))
    return;
  char *path = pl_path_join(w->context, w->document.folder, "compare.json");
  if (path != NULL && access(path, R_OK) == 0) pl_json_set_text(&message->arena, message->root, "compare", path);
  pl_release(w->context, path);
}

static void fill_scene(studio_world *w, studio_message *message) {
  pl_arena *arena = &message->arena;
  pl_scene_report facts = pl_scene_get_report(w->scene);
  int32_t body_count = pl_scene_instance_body_count(w->instance),
          collider_count = pl_scene_instance_collider_count(w->instance);
  const char *method = body_count > 0 ? method_of(w, 0) : "";
  for (int32_t i = 0; i < body_count; ++i)
    if (has_actor(w, i) || studio_capture_is_body(w, i) || strcmp(method_of(w, i), "detail") == 0)
      method = method_of(w, i);
  pl_json_set_text(arena, message->root, "name", w->document.json != NULL ? w->document.name : facts.name);
  pl_json_set_text(arena, message->root, "title", facts.name);
  pl_json_set_text(arena, message->root, "description", facts.description);
  const char *file = w->document.json == NULL      ? ""
                     : w->document.capture != NULL ? w->document.capture
                                                   : w->document.path;
  pl_json_set_text(arena, message->root, "path", file);
  pl_json_set_text(arena, message->root, "method", method);
  studio_message_set_number(message, message->root, "step", facts.step);
  studio_message_set_number(message, message->root, "frame_rate", facts.frame_rate);
  studio_message_set_number(message, message->root, "frames", facts.frame_count);
  set_camera(w, message, &facts);
  set_comparison(w, message);
  pl_json *bodies = pl_json_set(arena, message->root, "bodies", pl_json_new(arena, PL_JSON_ARRAY));
  for (int32_t i = 0; bodies != NULL && i < body_count; ++i) pl_json_add(bodies, describe_body(w, message, i));
  pl_json *colliders = pl_json_set(arena, message->root, "colliders", pl_json_new(arena, PL_JSON_ARRAY));
  for (int32_t i = 0; colliders != NULL && i < collider_count; ++i)
    pl_json_add(colliders, describe_collider(w, message, i));
  pl_json_set(arena, message->root, "settings", studio_setting_list(w, message, -1));
}

void studio_scene_send(studio_world *w, uint32_t viewer) {
  studio_message message = studio_message_begin(w->context, "scene");
  if (message.root != NULL) fill_scene(w, &message);
  studio_message_send(w, &message, viewer, STUDIO_SLOT_SCENE);
  studio_capture_send(w, viewer);
}
