/// @file scene.h
/// Scene documents (JSON) and what becomes of them (part of the lab).
#ifndef PLIANT_SCENE_H
#define PLIANT_SCENE_H

#include "pliant/actor.h"
#include "pliant/base.h"
#include "pliant/character.h"
#include "pliant/math.h"
#include "pliant/picture.h"
#include "pliant/rod.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A scene document that was read and found sound.
typedef struct pl_scene pl_scene;

/// Read and validate a scene file. Every problem goes to `findings` with line, column and field path; if any is an error the call fails
/// with PL_ERROR_INVALID_DATA and no scene is made. Paths in the scene are relative to its file.
PL_API pl_status pl_scene_load(pl_context *context, const char *path, pl_scene **scene, pl_findings *findings, pl_error *error);

/// A value of a scene document to replace: `path` such as `bodies[0].rod.suppression` or `time.frames`, `value` as JSON or, where it is none, as text.
typedef struct pl_scene_override {
  const char *path, *value;
} pl_scene_override;

/// A list of overrides. Borrowed.
typedef struct pl_scene_overrides {
  const pl_scene_override *items;
  int32_t count;
} pl_scene_overrides;

/// Load a scene file as pl_scene_load() does, with some of its values replaced first. The overrides are applied in order
/// and are not needed afterwards. Fails with PL_ERROR_INVALID_DATA for a path that does not exist in the scene format.
PL_API pl_status pl_scene_load_with(pl_context *context, const char *path, const pl_scene_overrides *overrides,
                                    pl_scene **scene, pl_findings *findings, pl_error *error);

/// Load a scene whose document is in memory, as pl_scene_load() does. Relative paths start at the source's folder (NULL:
/// the current folder).
PL_API pl_status pl_scene_load_memory(pl_context *context, const pl_memory_source *source, pl_scene **scene,
                                      pl_findings *findings, pl_error *error);

/// Write the scene as a document that reads back to an equal scene.
PL_API pl_status pl_scene_save(pl_context *context, const char *path, const pl_scene *scene, pl_error *error);

/// Write the schema of scene documents (JSON Schema, draft 2020-12) to `path`: what editors check and complete against.
PL_API pl_status pl_scene_schema_save(pl_context *context, const char *path, pl_error *error);

/// Destroy a scene. NULL is allowed.
PL_API void pl_scene_destroy(pl_scene *scene);

/// The parts of a scene a program needs to run it.
typedef struct pl_scene_report {
  const char *name;         ///< valid as long as the scene
  const char *description;  ///< likewise
  int32_t frame_count;
  double frame_rate;  ///< frames per second
  double step;        ///< seconds of an inner step
  uint64_t seed;
  double warm_up;     ///< seconds that pl_scene_build() lets bodies settle
  pl_vec3 gravity;    ///< m/s²
  bool has_camera;    ///< otherwise frame the bodies with pl_camera_around()
  bool has_observer;  ///< take pictures with pl_scene_get_observer() instead of pl_scene_get_camera()
  const char *
      camera_follows;  ///< body that pl_scene_get_camera() is to be moved along with by whoever draws, NULL for none; valid as long as the scene
  const char *observer_follows;  ///< likewise of pl_scene_get_observer()
} pl_scene_report;

/// Facts about a scene.
PL_API pl_scene_report pl_scene_get_report(const pl_scene *scene);

/// The scene's camera at a time in seconds (its path interpolated). Only if has_camera.
PL_API pl_camera pl_scene_get_camera(const pl_scene *scene, double time);

/// The scene's second camera at a time in seconds: it only looks, while view drivers follow pl_scene_get_camera(). Only if has_observer.
PL_API pl_camera pl_scene_get_observer(const pl_scene *scene, double time);

/// A scene come to life: models and a world, owned together.
typedef struct pl_scene_instance pl_scene_instance;

/// What to override when a scene is built.
typedef struct pl_scene_build_def {
  uint64_t seed;  ///< used when `has_seed`
  bool has_seed;
  uint32_t magic;  ///< set by pl_default_scene_build_def()
} pl_scene_build_def;

/// Nothing overridden.
PL_API pl_scene_build_def pl_default_scene_build_def(void);

/// Build meshes, models and the world of a scene, and let it warm up. What the scene does over time (led pins and joints, drivers, pushes, gusts) acts as a controller of the world,
/// so stepping the world is all there is to do. Problems that only show here (a file that cannot be read, a pin that holds nothing, doubtful
/// geometry) go to `findings` with their place in the scene.
PL_API pl_status pl_scene_build(pl_context *context, const pl_scene_build_def *def, const pl_scene *scene, pl_scene_instance **set,
                                pl_findings *findings, pl_error *error);

/// Let view drivers follow another camera at `eye` (metres, in the world), such as a viewer's, instead of the scene's; NULL: the scene's again. Snapshots do not hold this.
PL_API void pl_scene_instance_set_camera(pl_scene_instance *set, const pl_vec3 *eye);

/// Destroy the world and its models. NULL is allowed.
PL_API void pl_scene_instance_destroy(pl_scene_instance *set);

/// The world; owned by the set.
PL_API pl_world *pl_scene_instance_get_world(pl_scene_instance *set);

/// A body of the set, with what a picture or a file needs to know of it.
typedef struct pl_scene_instance_body {
  const char *name;  ///< valid as long as the set
  pl_body_id id;
  bool has_color;  ///< the scene chose a colour; otherwise take one from pl_palette_color()
  pl_color color;
  const pl_mesh *mesh;     ///< the elements its particles came from, tets or those of a thin body, NULL for a rod; owned by the set
  const pl_mesh *surface;  ///< what it is drawn by, at rest; NULL: the boundary of the tets; owned by the set
  const pl_character *character;  ///< of a rod made from one, else NULL; owned by the set
  const char *character_path;     ///< its file, NULL without one; valid as long as the set
  const int32_t *nodes;           ///< the character's node of each joint, -1 for none; NULL without a character
  const pl_rod_def *rod_def;      ///< skeleton, skin and examples of a rod, NULL for others; owned by the set
} pl_scene_instance_body;

/// Number of bodies: those of the scene with all their copies.
PL_API int32_t pl_scene_instance_body_count(const pl_scene_instance *set);

/// Body number `index` in the scene's order.
PL_API pl_scene_instance_body pl_scene_instance_get_body(const pl_scene_instance *set, int32_t index);

/// The surface a body is drawn and written by: that of its model, or, for curves and plane solids of finite elements, a tube or slab around them.
typedef struct pl_scene_instance_surface {
  int32_t point_count;
  int32_t triangle_count;
  const int32_t *triangles;  ///< 3 point indices each; valid as long as the set
} pl_scene_instance_surface;

/// What body number `index` is drawn by.
PL_API pl_scene_instance_surface pl_scene_instance_get_surface_view(const pl_scene_instance *set, int32_t index);

/// Points of that surface now (metres, in the world); `points` holds its point_count. Fails with PL_ERROR_NOT_FOUND when the body was removed from the world. One
/// thread at a time.
PL_API pl_status pl_scene_instance_get_surface(const pl_scene_instance *set, int32_t index, pl_vec3 *points);

/// A collider of the set to draw.
typedef struct pl_scene_instance_collider {
  const char *name;        ///< valid as long as the set
  bool visible;            ///< false: leave it out of pictures
  bool ground;             ///< a level half-space: draw a ground plane at `height` instead of triangles
  double height;           ///< metres
  const pl_mesh *mesh;     ///< its surface in its own frame, NULL for ground; owned by the set
  pl_transform placement;  ///< of that frame at the time asked for
  bool has_color;          ///< the scene chose a colour
  pl_color color;
} pl_scene_instance_collider;

/// Number of colliders.
PL_API int32_t pl_scene_instance_collider_count(const pl_scene_instance *set);

/// Collider number `index`, placed as at `time` seconds.
PL_API pl_scene_instance_collider pl_scene_instance_get_collider(const pl_scene_instance *set, int32_t index, double time);

/// An actor of the set: a body that moves by itself.
typedef struct pl_scene_instance_actor {
  const char *name;       ///< that of its body; valid as long as the set
  int32_t body;           ///< its number, for pl_scene_instance_get_body()
  pl_actor *actor;        ///< owned by the set; steer it as you like
  const char *behaviour;  ///< name of its behaviour; static storage
  pl_rest_kind rest;      ///< what its rest shape is chosen from
} pl_scene_instance_actor;

/// Number of actors: one for each copy of a body that has one.
PL_API int32_t pl_scene_instance_actor_count(const pl_scene_instance *set);

/// Actor number `index`, in the order of the bodies.
PL_API pl_scene_instance_actor pl_scene_instance_get_actor(const pl_scene_instance *set, int32_t index);

/// Points of the rest shape that actor number `index` has chosen, turned and placed as its body is: as many and in the same order as
/// those of pl_scene_instance_get_surface() for its body, for a ghost beside it. One thread at a time.
PL_API pl_status pl_scene_instance_get_rest(const pl_scene_instance *set, int32_t index, pl_vec3 *points);

/// One thing that a scene expects of an actor, and how it stands now.
typedef struct pl_scene_instance_expectation {
  int32_t actor;     ///< of whom: pl_scene_instance_get_actor()
  const char *name;  ///< the key in the scene, such as "advance"; static storage
  const char *unit;  ///< of the two numbers, "" for none; static storage
  double wanted;     ///< in SI units
  double found;      ///< so far
  bool is_max;     ///< `wanted` is the most that may be found; otherwise the least
  bool met;
} pl_scene_instance_expectation;

/// Number of things that the scene expects of its actors.
PL_API int32_t pl_scene_instance_expectation_count(const pl_scene_instance *set);

/// Expectation number `index`, in the order of the actors; it is meant for the end of a run.
PL_API pl_scene_instance_expectation pl_scene_instance_get_expectation(const pl_scene_instance *set, int32_t index);

#ifdef __cplusplus
}
#endif
#endif
