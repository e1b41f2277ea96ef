/// @file scene.h
/// Scene documents (JSON), and worlds built from them (part of the lab).
#ifndef PLIANT_SCENE_H
#define PLIANT_SCENE_H

#include "pliant/actor.h"
#include "pliant/base.h"
#include "pliant/character.h"
#include "pliant/math.h"
#include "pliant/picture.h"
#include "pliant/rod.h"
#include "pliant/store.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A valid scene document. Immutable.
typedef struct pl_scene pl_scene;

/// Load and validate a scene file. Every problem becomes a finding with line, column and field
/// path. Paths in the scene are relative to its file. The caller owns the scene. `findings` may be
/// NULL. Fails with PL_ERROR_NOT_FOUND or PL_ERROR_FILE when the file cannot be read,
/// PL_ERROR_INVALID_DATA when a finding is an error (the first is also in `error`); `*scene` is
/// then NULL.
PL_API pl_status pl_scene_load(pl_context *context, const char *path, pl_scene **scene,
                               pl_findings *findings, pl_error *error);

/// A value of a scene document to replace: `path` such as `bodies[0].rod.stiffness` or
/// `time.frames`; `value` as JSON, or as text where it is not valid JSON.
typedef struct pl_scene_override {
  const char *path, *value;
} pl_scene_override;

/// A list of overrides. Borrowed.
typedef struct pl_scene_overrides {
  const pl_scene_override *items;
  int32_t count;
} pl_scene_overrides;

/// Load a scene file as pl_scene_load() does, with some of its values replaced first. The overrides
/// are applied in order and are not needed afterwards. Fails with PL_ERROR_INVALID_DATA for a path
/// that does not exist in the scene format.
PL_API pl_status pl_scene_load_with(pl_context *context, const char *path,
                                    const pl_scene_overrides *overrides, pl_scene **scene,
                                    pl_findings *findings, pl_error *error);

/// Load a scene whose document is in memory, as pl_scene_load() does. Relative paths start at the
/// source's folder (NULL: the current folder).
PL_API pl_status pl_scene_load_memory(pl_context *context, const pl_memory_source *source,
                                      pl_scene **scene, pl_findings *findings, pl_error *error);

/// Load a scene from text in memory with some values replaced: pl_scene_load_memory() and
/// pl_scene_load_with() in one.
PL_API pl_status pl_scene_load_memory_with(pl_context *context, const pl_memory_source *source,
                                           const pl_scene_overrides *overrides, pl_scene **scene,
                                           pl_findings *findings, pl_error *error);

/// Save a scene as a document that loads to an equal scene. The file is written under a temporary
/// name and renamed at the end. Fails with PL_ERROR_NOT_FOUND when the folder does not exist,
/// PL_ERROR_FILE when the file cannot be written.
PL_API pl_status pl_scene_save(pl_context *context, const char *path, const pl_scene *scene,
                               pl_error *error);

/// Save the JSON Schema (draft 2020-12) of scene documents to `path`, for editors that check and
/// complete. Fails with PL_ERROR_NOT_FOUND when the folder does not exist, PL_ERROR_FILE when the
/// file cannot be written.
PL_API pl_status pl_scene_schema_save(pl_context *context, const char *path, pl_error *error);

/// Destroy a scene. NULL is allowed.
PL_API void pl_scene_destroy(pl_scene *scene);

/// What a program needs to run a scene.
typedef struct pl_scene_report {
  const char *name;         ///< valid as long as the scene
  const char *description;  ///< likewise
  int32_t frame_count;
  double frame_rate;  ///< frames per second
  double step;        ///< seconds of an inner step
  uint64_t seed;
  double warm_up;                ///< seconds that pl_scene_build() lets bodies settle
  pl_vec3 gravity;               ///< m/s²
  bool has_camera;               ///< otherwise frame the bodies with pl_camera_frame_box()
  bool has_observer;             ///< take pictures with pl_scene_get_observer() instead of
                                 ///< pl_scene_get_camera()
  const char *camera_follows;    ///< body that the camera of pl_scene_get_camera() follows when
                                 ///< drawing; NULL: none; valid as long as the scene
  const char *observer_follows;  ///< likewise of pl_scene_get_observer()
  pl_vec3 light;  ///< direction towards the sun for pl_renderer_def; zero: as the renderer has it
  double sun_strength, sky_strength;           ///< for pl_renderer_def, default 1
  bool has_background;                         ///< the scene chose a background
  pl_color background_top, background_bottom;  ///< for pl_renderer_def
} pl_scene_report;

/// Properties of a scene. Never fails.
PL_API pl_scene_report pl_scene_get_report(const pl_scene *scene);

/// Camera of the scene at a time in seconds, interpolated along its path. Only if has_camera.
PL_API pl_camera pl_scene_get_camera(const pl_scene *scene, double time);

/// Second camera of the scene at a time in seconds. It only draws; view drivers follow
/// pl_scene_get_camera(). Only if has_observer.
PL_API pl_camera pl_scene_get_observer(const pl_scene *scene, double time);

/// A scene that was built: models and a world, owned together. One thread at a time.
typedef struct pl_scene_instance pl_scene_instance;

/// Receives what pl_scene_build() is about to do: "building body 2 of 7: cat" before each body,
/// "fitting pose 3 of 15: jump" before each fit. Fits run on the threads of the context: it is
/// called by one of them at a time, not always the one that builds.
typedef void pl_scene_progress_function(void *user, const char *text);

/// Input of pl_scene_build().
typedef struct pl_scene_build_def {
  uint64_t seed;  ///< used when `has_seed`
  bool has_seed;
  /// Keeps the fits of poses, by the hash of mesh, pose and settings, so that the next build of the
  /// same scene loads them; the instance is the same either way. Borrowed for the call. Default:
  /// zeroed, which keeps nothing. What cannot be saved is fitted again.
  pl_store store;
  pl_scene_progress_function *progress;  ///< default NULL: not called
  void *progress_user;                   ///< its first argument
  uint32_t magic;                        ///< set by pl_default_scene_build_def()
} pl_scene_build_def;

/// Nothing overridden.
PL_API pl_scene_build_def pl_default_scene_build_def(void);

/// Build the meshes, models and world of a scene, and let it warm up. Everything the scene does
/// over time (moving pins and joints, drivers, forces, gusts) acts as a controller of the world, so
/// that it is enough to step the world. The caller owns the instance; the scene must outlive it.
/// Problems found here (a file that cannot be read, a pin that holds nothing, doubtful geometry)
/// become findings with their position in the scene. Fails with PL_ERROR_INVALID_DATA when a
/// finding is an error; `*instance` is then NULL.
PL_API pl_status pl_scene_build(pl_context *context, const pl_scene_build_def *def,
                                const pl_scene *scene, pl_scene_instance **instance,
                                pl_findings *findings, pl_error *error);

/// Let view drivers follow a camera at `eye` (metres, in the world), such as that of a viewer,
/// instead of the camera of the scene. NULL: that of the scene again. Not part of snapshots.
PL_API void pl_scene_instance_set_camera(pl_scene_instance *instance, const pl_vec3 *eye);

/// Destroy an instance with its world and models. NULL is allowed.
PL_API void pl_scene_instance_destroy(pl_scene_instance *instance);

/// World of an instance; owned by the instance.
PL_API pl_world *pl_scene_instance_get_world(pl_scene_instance *instance);

/// A body of an instance, with what is needed to draw or save it.
typedef struct pl_scene_instance_body {
  const char *name;  ///< valid as long as the instance
  pl_body_id id;
  bool has_color;  ///< the scene has a colour for it; otherwise choose one
  pl_color color;
  const char *appearance;  ///< name of a preset for pl_appearance_find_preset(), or NULL; static
  const pl_mesh *mesh;     ///< elements of its particles: tets, or those of a thin body; NULL for a
                           ///< rod; owned by the instance
  const pl_mesh *surface;  ///< surface it is drawn by, at rest; NULL: the boundary of the tets;
                           ///< owned by the instance
  /// File that the surface was read from, or the elements where the body is drawn by those; NULL
  /// when they were made. Valid as long as the instance.
  const char *mesh_path;
  const pl_character *character;  ///< of a rod made from one, else NULL; owned by the instance
  const char *character_path;     ///< its file, NULL without one; valid as long as the instance
  /// What the scene adds to its file, for pl_character_bake(); NULL without a character or when it
  /// adds nothing; valid as long as the instance.
  const pl_character_additions *additions;
  const int32_t
      *nodes;  ///< the character's node of each joint, -1 for none; NULL without a character
  const pl_rod_def
      *rod_def;  ///< skeleton, skin and examples of a rod, NULL for others; owned by the instance
} pl_scene_instance_body;

/// Number of bodies: those of the scene with all their copies.
PL_API int32_t pl_scene_instance_body_count(const pl_scene_instance *instance);

/// Body `index`, in the order of the scene.
PL_API pl_scene_instance_body pl_scene_instance_get_body(const pl_scene_instance *instance,
                                                         int32_t index);

/// Write what a user calls a point of a body's tets: the vertex group to which it belongs most, or
/// its place in the mesh. Returns the length of the whole text, as snprintf does.
PL_API int pl_scene_instance_name_point(const pl_scene_instance *instance, int32_t body,
                                        int32_t point, char *buffer, size_t size);

/// Surface that a body is drawn and saved by: that of its model, or a tube or slab around curves
/// and plane solids of finite elements.
typedef struct pl_scene_instance_surface {
  int32_t point_count;
  int32_t triangle_count;
  const int32_t *triangles;  ///< 3 point indices each; valid as long as the instance
} pl_scene_instance_surface;

/// Surface that body `index` is drawn by.
PL_API pl_scene_instance_surface
pl_scene_instance_get_surface_view(const pl_scene_instance *instance, int32_t index);

/// Current points of the surface of body `index` (metres, in the world). `points` holds point_count
/// of the surface. Fails with PL_ERROR_NOT_FOUND when the body was removed from the world. One
/// thread at a time.
PL_API pl_status pl_scene_instance_get_surface(const pl_scene_instance *instance, int32_t index,
                                               pl_vec3 *points);

/// Load the appearance of body `index` from the file that its surface was read from, for pictures.
/// The caller owns it. `*appearance` is NULL with PL_OK where the scene chose a colour or a preset,
/// and as pl_appearance_load() says. Fails as pl_appearance_load() does.
PL_API pl_status pl_scene_instance_load_appearance(const pl_scene_instance *instance, int32_t index,
                                                   pl_appearance **appearance, pl_error *error);

/// A collider of an instance, with what is needed to draw it.
typedef struct pl_scene_instance_collider {
  const char *name;  ///< valid as long as the instance
  bool visible;      ///< false: leave it out of pictures
  bool ground;       ///< a level half-space: draw a ground plane at `height` instead of triangles
  double height;     ///< metres
  const pl_mesh *mesh;     ///< its surface in its own frame, NULL for ground; owned by the instance
  pl_transform placement;  ///< of that frame at the time asked for
  bool has_color;          ///< the scene chose a colour
  pl_color color;
  const char *appearance;  ///< as of a body
} pl_scene_instance_collider;

/// Number of colliders.
PL_API int32_t pl_scene_instance_collider_count(const pl_scene_instance *instance);

/// Collider `index`, placed as at `time` seconds.
PL_API pl_scene_instance_collider pl_scene_instance_get_collider(const pl_scene_instance *instance,
                                                                 int32_t index, double time);

/// An actor of an instance.
typedef struct pl_scene_instance_actor {
  const char *name;       ///< that of its body; valid as long as the instance
  int32_t body;           ///< its number, for pl_scene_instance_get_body()
  pl_actor *actor;        ///< owned by the instance; steer it as you like
  const char *behaviour;  ///< name of its behaviour; static storage
  pl_rest_kind rest;      ///< space that its rest shape is chosen from
} pl_scene_instance_actor;

/// Number of actors: one for each copy of a body that has one.
PL_API int32_t pl_scene_instance_actor_count(const pl_scene_instance *instance);

/// Actor `index`, in the order of the bodies.
PL_API pl_scene_instance_actor pl_scene_instance_get_actor(const pl_scene_instance *instance,
                                                           int32_t index);

/// Points of the rest shape that actor `index` has chosen, rotated and placed as its body is, for
/// drawing it next to the body. Number and order are those of pl_scene_instance_get_surface() for
/// the body. One thread at a time.
PL_API pl_status pl_scene_instance_get_rest(const pl_scene_instance *instance, int32_t index,
                                            pl_vec3 *points);

/// Something that a scene expects of an actor, and its current value.
typedef struct pl_scene_instance_expectation {
  int32_t actor;     ///< of whom: pl_scene_instance_get_actor()
  const char *name;  ///< the key in the scene, such as "advance"; static storage
  const char *unit;  ///< of the two numbers, "" for none; static storage
  double wanted;     ///< in SI units
  double found;      ///< so far
  bool is_max;       ///< `wanted` is the maximum allowed; otherwise the minimum
  bool met;
} pl_scene_instance_expectation;

/// Number of expectations of the scene.
PL_API int32_t pl_scene_instance_expectation_count(const pl_scene_instance *instance);

/// Expectation `index`, in the order of the actors. Meant for the end of a run.
PL_API pl_scene_instance_expectation
pl_scene_instance_get_expectation(const pl_scene_instance *instance, int32_t index);

#ifdef __cplusplus
}
#endif
#endif
