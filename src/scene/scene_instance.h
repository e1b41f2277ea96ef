// A scene come to life: what pl_scene_build() makes and the parts it is made by.
#ifndef PL_SCENE_INSTANCE_H
#define PL_SCENE_INSTANCE_H

#include "base/random.h"
#include "base/vector.h"
#include "examples/weights.h"
#include "pliant/character.h"
#include "scene/scene_types.h"

// Particles of one body that are moved or pushed as a group.
typedef struct pl_instance_group {
  const pl_scene_pin *pin;  // one of the two
  const pl_scene_push *push;
  pl_body_id body;
  int32_t particle_count;
  const int32_t *particles;
  const pl_vec3 *starts;  // where they are at the beginning
  const pl_pin_id *pins;  // one per particle, for a pin
  pl_vec3 middle;         // of the starts
  // Of a push with a pressure.
  const struct pl_contact_surface *surface;
  int32_t triangle_count;
  const int32_t *triangles;  // that are pressed, by their numbers
  const double *shares;      // of the force on each that its points take, three each
  pl_vec3 *points,
      *forces;  // of all surface points, while a step is prepared; forces are 0 otherwise
} pl_instance_group;

typedef struct pl_instance_rod pl_instance_rod;    // scene_rod.h
typedef struct pl_instance_skin pl_instance_skin;  // scene_fem.h

typedef struct pl_instance_kinematic pl_instance_kinematic;  // scene_kinematic.h

typedef struct pl_instance_part {
  pl_scene_instance_body body;
  pl_model *model;  // owned by the part that has `owns_model`
  pl_mesh *tets,
      *surface;  // likewise; `surface` NULL when the mesh has elements of its own, `tets` NULL for
                 // a rod. Thin bodies have triangles or segments as `tets`
  pl_mesh *cut_surface;              // the surface cut with the tets, until poses are made
  pl_instance_rod *rod;              // likewise; NULL for a solid
  pl_instance_kinematic *kinematic;  // likewise; NULL for other methods
  const pl_instance_skin *skin;      // what a curve or plane solid is drawn by, else NULL
  bool owns_model;
  const pl_scene_body *source;
} pl_instance_part;

typedef struct pl_instance_driver {
  const pl_scene_driver *source;  // NULL: the camera, for examples with directions
  pl_weight_driver driver;
  pl_body_id body;
  int32_t manifold_start, manifold_count;  // all of these get the same weights
  const pl_mesh *rest;         // of a solid: the shape from which the body's turn is found
  const pl_instance_rod *rod;  // of a rod: whose kinematic joint
  int32_t joint;               // … this one is
  const pl_instance_kinematic *kinematic;  // whose node `joint` is, or whose morph targets count
  const int32_t *morphs;                   // one per example
} pl_instance_driver;

// A rod body whose kinematic joints move.
typedef struct pl_instance_target {
  pl_body_id body;
  const pl_instance_rod *rod;
  pl_transform placement;
} pl_instance_target;

typedef struct pl_instance_collider {
  pl_scene_instance_collider view;
  pl_mesh *mesh;  // owned
  const pl_scene_collider *source;
  pl_collider_id id;
} pl_instance_collider;

// A set of examples of detail, or a layer that shows one; the other is NULL.
typedef struct pl_instance_detail {
  const pl_scene_detail *source;
  struct pl_detail_set *set;      // owned
  struct pl_detail_layer *layer;  // owned
} pl_instance_detail;

// An actor of one body copy, and what is expected of it.
typedef struct pl_instance_player {
  pl_actor *actor;  // owned
  int32_t part;     // number among the set's parts
  const pl_scene_actor *source;
} pl_instance_player;

// A joint, and the source of its motor's keys.
typedef struct pl_instance_joint {
  const pl_scene_joint *source;
  pl_joint_id id;
} pl_instance_joint;

struct pl_scene_instance {
  pl_context *context;
  pl_arena arena;
  const pl_scene
      *scene;  // copied parts only live as long as the set; the scene itself must outlive it
  pl_world *world;
  pl_random random;
  pl_vector parts;      // of pl_instance_part
  pl_vector colliders;  // of pl_instance_collider
  pl_vector groups;     // of pl_instance_group
  pl_vector drivers;    // of pl_instance_driver
  pl_vector targets;    // of pl_instance_target
  pl_vector players;    // of pl_instance_player
  pl_vector details;    // of pl_instance_detail
  pl_vector joints;     // of pl_instance_joint
  pl_vector playing;    // of pl_instance_playing
  pl_vector ties;       // of pl_instance_tie
  double time_shift;    // seconds by which motions are behind the world's time: during a pre-roll
  pl_vec3 *points;      // room for the largest body, for drivers that look at its shape
  pl_store store;       // of fitted poses, and who hears of them; only while building
  pl_scene_progress_function *progress;
  void *progress_user;
  bool has_eye;  // view drivers follow `eye` and not the scene's camera
  pl_vec3 eye;
};

// What a part is drawn by: skins of thin bodies, strands of hair, else the body's own surface
// (scene_fem_skin.c).
pl_scene_instance_surface pl_instance_get_part_view(const pl_instance_part *part);
pl_status pl_instance_get_part_surface(const pl_scene_instance *set, const pl_instance_part *part,
                                       pl_vec3 *points);

// Add a finding at a value of the scene.
void pl_instance_add_finding(const pl_scene *scene, const pl_json *value, pl_findings *findings,
                             pl_severity severity, const char *kind, const char *fix,
                             const char *format, ...) PL_PRINTF(7, 8);

// The mesh in a file, which is relative to the scene.
pl_status pl_scene_read_mesh(const pl_scene *scene, const char *file, pl_mesh **mesh,
                             pl_findings *findings, pl_error *error);

// Make the mesh of that name (scene_mesh.c).
pl_status pl_scene_make_mesh(const pl_scene *scene, const char *name, pl_mesh **mesh,
                             pl_findings *findings, pl_error *error);

// Warn when the mesh of a body comes from a file, is of an unlikely size and has no `scale`
// (scene_mesh.c).
void pl_scene_doubt_size(const pl_scene *scene, const char *name, const pl_mesh *mesh,
                         pl_findings *findings);

// The surface a collider is drawn by, in its own frame; NULL for a level half-space (scene_mesh.c).
pl_status pl_scene_make_collider_mesh(const pl_scene *scene, const pl_scene_collider *collider,
                                      pl_mesh **mesh, pl_findings *findings, pl_error *error);

const pl_scene_mesh *pl_scene_find_mesh(const pl_scene *scene, const char *name);

// Poses of the part's tets (scene_poses.c), and those of them that have the wanted names.
pl_status pl_instance_make_poses(pl_scene_instance *set, pl_instance_part *part,
                                 const pl_scene_mesh *mesh, pl_findings *findings, pl_error *error);
pl_status pl_instance_choose_poses(pl_scene_instance *set, const pl_instance_part *part,
                                   const pl_scene_list *names, const pl_mesh_pose **poses,
                                   pl_findings *findings, pl_error *error);

// Report that the mesh of a body has no pose or group of a name, with a suggestion out of the names
// there are (scene_poses.c).
void pl_instance_report_name(pl_scene_instance *set, const pl_scene_body *body,
                             pl_findings *findings, const char *what, const char *name,
                             const char *const *names, int32_t count);

// Points of a body's mesh that its pins hold from the start; the list is in the instance's arena.
pl_status pl_instance_list_held(pl_scene_instance *set, const pl_instance_part *part,
                                const int32_t **points, int32_t *count, pl_error *error);

// Weights per particle of a group by name: of the scene, of the tets, or of the surface they carry.
// NULL weights when there is none of that name.
pl_status pl_instance_find_group(pl_scene_instance *set, const pl_instance_part *part,
                                 const char *name, const float **weights, pl_error *error);

// The same for numbers that vary over a body, such as a stiffness: of a surface every particle has
// the weight of the nearest place, while groups choose the particles that carry vertices.
pl_status pl_instance_find_map(pl_scene_instance *set, const pl_instance_part *part,
                               const char *name, const float **weights, pl_error *error);

// Name of the group to which a point of a body's tets belongs most, of the scene, the tets or the
// surface around them; NULL for none.
const char *pl_instance_group_of_point(const pl_scene_instance *set, const pl_instance_part *part,
                                       int32_t point);

// The drivers of one body copy, and the weights all drivers give for a step between two times
// (scene_drivers.c).
pl_status pl_instance_add_drivers(pl_scene_instance *set, const pl_instance_part *part,
                                  pl_findings *findings, pl_error *error);
pl_status pl_instance_drive(pl_scene_instance *set, pl_world *world, double now, double end,
                            pl_error *error);

// Solids (scene_solid.c): tets and model.
pl_status pl_instance_make_solid(pl_scene_instance *set, pl_instance_part *part,
                                 pl_findings *findings, pl_error *error);

// Finite elements (scene_fem.c): elements and model.
pl_status pl_instance_make_fem(pl_scene_instance *set, pl_instance_part *part,
                               pl_findings *findings, pl_error *error);

// Tets for the body: the mesh's own, or a lattice around its surface, which is then carried along;
// with all their poses (scene_build.c).
pl_status pl_instance_make_tets(pl_scene_instance *set, pl_instance_part *part,
                                pl_findings *findings, pl_error *error);

// Rods (scene_rod.c): skeleton and model; the mesh of tubes, once a body is in the world; the
// motion of kinematic joints up to a time.
pl_status pl_instance_make_rod(pl_scene_instance *set, pl_instance_part *part,
                               pl_findings *findings, pl_error *error);
pl_status pl_instance_make_tubes(pl_scene_instance *set, pl_instance_part *part,
                                 pl_transform placement, pl_error *error);
void pl_instance_rod_destroy(pl_instance_rod *rod);
pl_status pl_instance_add_target(pl_scene_instance *set, const pl_instance_part *part,
                                 pl_transform placement, pl_error *error);
pl_status pl_instance_move_rods(pl_scene_instance *set, pl_world *world, double time,
                                pl_error *error);

// Kinematic meshes (scene_kinematic.c): motion and model; a body in the world starts to play; where
// they and what follows their nodes are at the end of a step.
pl_status pl_instance_make_kinematic(pl_scene_instance *set, pl_instance_part *part,
                                     pl_findings *findings, pl_error *error);
void pl_instance_kinematic_destroy(pl_instance_kinematic *kinematic);
pl_status pl_instance_play(pl_scene_instance *set, const pl_instance_part *part,
                           pl_transform placement, pl_error *error);
pl_status pl_instance_move_kinematic(pl_scene_instance *set, pl_world *world, double now,
                                     double end, pl_error *error);

// Fail for an animation that a character does not have, with a finding at `animation` of `json`
// (scene_rod.c).
pl_status pl_instance_report_animation(pl_scene_instance *set, const pl_character *character,
                                       const pl_json *json, const char *name, pl_findings *findings,
                                       pl_error *error);

// Placement of keys at a time, relative to nothing; `keys` is not empty (scene_groups.c).
pl_transform pl_scene_keys_at(const pl_scene_list *keys, double time);

// Pins and pushes of one body copy (scene_groups.c), and the controller that works them.
pl_status pl_instance_add_groups(pl_scene_instance *set, const pl_instance_part *part,
                                 pl_findings *findings, pl_error *error);
pl_status pl_instance_add_controller(pl_scene_instance *set, pl_error *error);

// Particles of a body by number, box or group: one of them.
typedef struct pl_instance_selection {
  const pl_scene_region *within;  // used when its json is there
  const pl_scene_list *particles;
  const float *weights;  // of a group, or NULL
} pl_instance_selection;

// The particles that a selection means, in the instance's arena; of a group those of any weight
// (scene_groups.c).
pl_status pl_instance_select(pl_scene_instance *set, const pl_instance_part *part,
                             const pl_instance_selection *selection, const int32_t **particles,
                             int32_t *count, pl_error *error);

// The triangles that a body of triangles touches and is drawn with (scene_rigid.c).
pl_status pl_instance_make_surface(pl_scene_instance *set, pl_instance_part *part, pl_error *error);

// Rigid bodies; joints and attachments of all bodies, and their motors before a step
// (scene_rigid.c).
pl_status pl_instance_make_rigid(pl_scene_instance *set, pl_instance_part *part,
                                 pl_findings *findings, pl_error *error);
pl_status pl_instance_add_joints(pl_scene_instance *set, pl_findings *findings, pl_error *error);
pl_status pl_instance_run_motors(const pl_scene_instance *set, pl_world *world, double time,
                                 pl_error *error);

#endif
