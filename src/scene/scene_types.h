// What a scene document holds, as plain structs. The tables that describe them are written as
// scene_tables.h says.
#ifndef PL_SCENE_TYPES_H
#define PL_SCENE_TYPES_H

#include "pliant/actor.h"
#include "pliant/attachment.h"
#include "pliant/fem.h"
#include "pliant/joint.h"
#include "pliant/kinematic.h"
#include "pliant/rigid.h"
#include "pliant/solid.h"
#include "pliant/world.h"
#include "scene/scene_types_detail.h"
#include "scene/scene_types_rod.h"

// Every struct begins with the value it was read from (NULL: absent, all defaults), so that later
// findings can point at it.

typedef struct pl_scene_box_def {
  const pl_json *json;
  pl_vec3 size;
  int32_t cells[3];
} pl_scene_box_def;

// A line of segments: through points, or straight from one to another.
typedef struct pl_scene_curve {
  const pl_json *json;
  pl_scene_list points;  // of pl_vec3
  pl_vec3 from, to;
  int64_t segments;  // between two points; 0: chosen
  bool closed;
} pl_scene_curve;

typedef enum pl_scene_sheet_plane { PL_SCENE_SHEET_XZ = 1, PL_SCENE_SHEET_XY } pl_scene_sheet_plane;

// A flat rectangle of nearly equilateral triangles around the origin.
typedef struct pl_scene_sheet {
  const pl_json *json;
  pl_scene_list size;  // of double: two
  double spacing;
  int32_t plane;  // pl_scene_sheet_plane
} pl_scene_sheet;

// Layers of a drawing of tets, all the same: rows from the top down.
typedef struct pl_scene_cell_layer {
  const pl_json *json;
  pl_scene_list rows;  // of const char *
  int64_t repeat;
} pl_scene_cell_layer;

// Boxes of tets drawn as text, between planes across each axis.
typedef struct pl_scene_cells {
  const pl_json *json;
  pl_scene_list x, y, z;  // of double: ascending
  pl_scene_list layers;   // of pl_scene_cell_layer: from the least z on
  pl_vec3 position;       // of the whole drawing, after it is turned
  pl_quat rotation;
} pl_scene_cells;

// The rim of a hole in a plate.
typedef struct pl_scene_hole {
  const pl_json *json;
  pl_scene_list outline;  // of double[2]
} pl_scene_hole;

// A figure in the plane z = 0, filled with triangles.
typedef struct pl_scene_figure {
  const pl_json *json;
  pl_scene_list outline;  // of double[2]
  pl_scene_list holes;    // of pl_scene_hole
  double spacing;
} pl_scene_figure;

typedef struct pl_scene_plate {
  const pl_json *json;
  pl_scene_list outline, holes;  // as in a figure
  double spacing;
  pl_scene_figure drawn;  // absent: the same outline, finer
} pl_scene_plate;

typedef struct pl_scene_shape {
  const pl_json *json;
  int32_t kind;  // pl_shape_kind
  pl_vec3 position;
  pl_quat rotation;
  double scale;
  pl_vec3 size, from, to;
  double radius, end_radius, smoothness, amount;
  pl_scene_list outline;   // of double[2]
  pl_scene_list children;  // of pl_scene_shape
} pl_scene_shape;

// Part of a pose: what lies beyond a place in a direction is turned around that place, and shifted.
// The turn grows smoothly over `reach` and fades out beyond `radius` from the axis, so a limb, an
// ear or a head can be posed.
typedef struct pl_scene_turn {
  const pl_json *json;
  pl_vec3 around, toward;
  double reach, radius;
  pl_quat rotation;
  pl_vec3 shift;
} pl_scene_turn;

typedef struct pl_scene_pose {
  const pl_json *json;
  const char *name;
  const char *file;
  pl_scene_list points;  // of pl_vec3
  int32_t axis;          // 1, 2, 3: what wave, twist and bend run along
  pl_vec3 scale;
  pl_vec3 wave;  // metres
  double wave_length;
  double twist, bend;   // rad/m
  pl_scene_list turns;  // of pl_scene_turn
  bool fit;             // deform the surface and fit the tets to it
  bool match;           // vertices of the file are in another order
} pl_scene_pose;

typedef struct pl_scene_group {
  const pl_json *json;
  const char *name;
  pl_vec3 min, max;
  double border;  // metres over which the group fades out
} pl_scene_group;

typedef struct pl_scene_mesh {
  const pl_json *json;
  const char *name;
  const char *file;
  pl_scene_box_def box;
  pl_scene_shape shape;
  pl_scene_curve curve;
  pl_scene_sheet sheet;
  pl_scene_plate plate;
  pl_scene_cells cells;
  double cell_size;      // of the surface made from `shape`
  int64_t triangles;     // likewise
  double scale;          // of everything
  pl_scene_list poses;   // of pl_scene_pose
  pl_scene_list groups;  // of pl_scene_group
} pl_scene_mesh;

typedef struct pl_scene_tets {
  const pl_json *json;
  const char *mesh;    // whose tets carry the surface; "": a lattice
  pl_lattice_def def;  // of that lattice
  pl_scene_list cuts;  // of pl_scene_cut
} pl_scene_tets;

typedef struct pl_scene_solid_map {
  const pl_json *json;
  const char *group;
  double stiffness, density;    // factors
  double fidelity, plasticity;  // factors up to 1
} pl_scene_solid_map;

typedef struct pl_scene_solid {
  const pl_json *json;
  pl_solid_def def;  // parameters only; surface, examples and groups are filled in when it is built
  pl_scene_list examples;  // of const char *: names of poses
  pl_scene_list groups;    // of const char *: names of groups
  pl_scene_list maps;      // of pl_scene_solid_map
} pl_scene_solid;

typedef struct pl_scene_weight_key {
  const pl_json *json;
  double time;            // seconds
  double at;              // degrees or m/s
  pl_scene_list weights;  // of double
} pl_scene_weight_key;

typedef struct pl_scene_view_example {
  const pl_json *json;
  pl_vec3 direction;
  double extent;  // degrees
} pl_scene_view_example;

typedef enum pl_scene_driver_kind {
  PL_SCENE_DRIVER_PROJECTION = 1,
  PL_SCENE_DRIVER_CONSTANT,
  PL_SCENE_DRIVER_CURVE,
  PL_SCENE_DRIVER_VIEW,
  PL_SCENE_DRIVER_ANGLE,
  PL_SCENE_DRIVER_SPEED,
  PL_SCENE_DRIVER_MORPH,
} pl_scene_driver_kind;

// What decides the weights of the examples.
typedef struct pl_scene_driver {
  const pl_json *json;
  int32_t kind;           // pl_scene_driver_kind
  const char *chain;      // "": all
  pl_scene_list weights;  // of double
  pl_scene_list keys;     // of pl_scene_weight_key
  bool smooth, loop;
  pl_scene_list views;  // of pl_scene_view_example
  const char *body;     // a kinematic mesh; "": the rod itself
  const char *joint;
  pl_vec3 about;         // zero: the whole angle
  pl_scene_list morphs;  // of const char *
} pl_scene_driver;

// Placement of a pin, or of a collider, at a time.
typedef struct pl_scene_key {
  const pl_json *json;
  double time;
  pl_vec3 position;
  pl_quat rotation;
} pl_scene_key;

typedef struct pl_scene_pin {
  const pl_json *json;
  pl_scene_list particles;  // of int32_t
  pl_scene_region within;   // in the world at the start
  const char *group;
  pl_pin_def def;      // parameters only
  pl_scene_list keys;  // of pl_scene_key: how the pinned particles are moved as one rigid piece
} pl_scene_pin;

typedef struct pl_scene_load_key {
  const pl_json *json;
  double time, factor;
} pl_scene_load_key;

typedef struct pl_scene_push {
  const pl_json *json;
  pl_scene_region within;
  pl_vec3 force;    // newtons, shared out equally
  double pressure;  // Pa, against the surface
  double from, until;
  pl_scene_list keys;  // of pl_scene_load_key: factors on force and pressure over time
} pl_scene_push;

typedef struct pl_scene_repeat {
  const pl_json *json;
  int32_t counts[3];
  pl_vec3 spacing;
  double jitter;  // metres
  double turn;    // degrees around any axis
} pl_scene_repeat;

// A box of the mesh in which Young's modulus or the density is another.
typedef struct pl_scene_young_region {
  const pl_json *json;
  pl_vec3 min, max;
  double scale;
  double border;  // metres over which it fades out
} pl_scene_young_region;

// A weight on the points in a box of the mesh.
typedef struct pl_scene_mass {
  const pl_json *json;
  pl_vec3 min, max;
  double mass;  // kg, in total
} pl_scene_mass;

// Finite elements.
typedef struct pl_scene_fem {
  const pl_json *json;
  pl_fem_def def;                                // parameters only
  pl_scene_list young_regions, density_regions;  // of pl_scene_young_region
  pl_scene_list masses;                          // of pl_scene_mass
  const char *young_table;                       // file, "" for none
  pl_scene_list examples;                        // of const char *: names of poses
} pl_scene_fem;

// What the rest shape of an actor is moved by: a cage made by itself, or a mesh of the scene.
typedef struct pl_scene_actor_cage {
  const pl_json *json;
  int32_t points;
  const char *mesh;
} pl_scene_actor_cage;

typedef struct pl_scene_actor_group {
  const pl_json *json;
  const char *name;
  pl_scene_list examples;  // of const char *: names of poses
} pl_scene_actor_group;

typedef struct pl_scene_actor_part {
  const pl_json *json;
  const char *name, *group;
  pl_scene_region within;  // in the mesh's frame
  pl_scene_list points;    // of int32_t
  bool foot;
} pl_scene_actor_part;

typedef struct pl_scene_actor_command {
  const pl_json *json;
  double time;
  pl_actor_command def;  // heading zero: as before
} pl_scene_actor_command;

// What a run must show; only what stands in the document counts.
typedef struct pl_scene_actor_expect {
  const pl_json *json;
  double advance, turns, twists;
  int64_t steps, hops, places, max_tumbles;
  double clearance, max_foot_slide, max_sink;
  double max_lean, max_acceleration, max_rest_rate;
  double max_unconverged_fraction, max_unfinished_fraction;
} pl_scene_actor_expect;

// A soft character: what its rest shape is chosen from, its parts, what it does, and what is
// expected of it.
typedef struct pl_scene_actor {
  const pl_json *json;
  pl_actor_def def;  // parameters only
  pl_scene_actor_cage cage;
  pl_scene_list examples;  // of const char *: names of poses
  pl_scene_list groups;    // of pl_scene_actor_group
  pl_scene_list parts;     // of pl_scene_actor_part
  const char *behaviour;
  pl_scene_list settings;  // of pl_scene_setting
  pl_scene_actor_command command;
  pl_scene_list commands;  // of pl_scene_actor_command
  pl_scene_list path;      // of pl_vec3
  pl_scene_actor_expect expect;
} pl_scene_actor;

// A rigid body.
typedef struct pl_scene_rigid {
  const pl_json *json;
  pl_rigid_def def;
} pl_scene_rigid;

// A kinematic mesh.
typedef struct pl_scene_kinematic {
  const pl_json *json;
  const char *character, *animation, *motion, *cache;  // "": none
  double frame_rate;                                   // of the cache; 0: as the file says
  bool loop;
  double start, speed;
  pl_kinematic_def def;
} pl_scene_kinematic;

typedef struct pl_scene_motor_key {
  const pl_json *json;
  double time, speed, target;
} pl_scene_motor_key;

typedef struct pl_scene_joint {
  const pl_json *json;
  const char *a, *b;   // names of bodies; b "": the world
  pl_joint_def def;    // parameters only
  pl_scene_list keys;  // of pl_scene_motor_key
} pl_scene_joint;

typedef struct pl_scene_attachment {
  const pl_json *json;
  const char *a, *b;        // names of bodies; b "": the world
  int64_t bone;             // of a rod b; -1: none
  const char *node;         // of a kinematic mesh b; "": its surface
  pl_scene_list particles;  // of int32_t
  pl_scene_region within;
  const char *group;
  pl_attachment_def def;  // parameters only
} pl_scene_attachment;

typedef enum pl_scene_method {
  PL_SCENE_SOLID = 1,
  PL_SCENE_ROD,
  PL_SCENE_FEM,
  PL_SCENE_RIGID,
  PL_SCENE_KINEMATIC
} pl_scene_method;

typedef struct pl_scene_body {
  const pl_json *json;
  const char *name;
  const char *mesh;
  int32_t method;  // pl_scene_method
  pl_scene_tets tets;
  pl_scene_solid solid;
  pl_scene_rod rod;
  pl_scene_fem fem;
  pl_scene_rigid rigid;
  pl_scene_kinematic kinematic;
  pl_scene_actor actor;
  pl_scene_detail detail;
  pl_scene_list drivers;  // of pl_scene_driver
  pl_body_def def;        // without its model
  pl_color color;
  int32_t appearance;  // preset of src/appearance, from 1; 0: none
  pl_scene_repeat repeat;
  pl_scene_list pins;    // of pl_scene_pin
  pl_scene_list pushes;  // of pl_scene_push
} pl_scene_body;

typedef struct pl_scene_collider {
  const pl_json *json;
  const char *name;
  const char *mesh;
  pl_collider_def def;  // without mesh and keys
  pl_scene_list keys;   // of pl_scene_key
  bool visible;
  pl_color color;
  int32_t appearance;  // as of a body
} pl_scene_collider;

typedef struct pl_scene_view {
  const pl_json *json;
  double time;
  pl_vec3 eye, target;
} pl_scene_view;

typedef struct pl_scene_camera_def {
  const pl_json *json;
  pl_vec3 eye, target, up;
  double field_of_view;  // degrees
  pl_scene_list path;    // of pl_scene_view
  pl_vec3 light;         // towards the sun; zero: that of the renderer
  const char *follow;    // name of a body, "" for none
} pl_scene_camera_def;

typedef struct pl_scene_lighting {
  const pl_json *json;
  pl_vec3 sun;  // towards it; zero: that of the camera, or of the renderer
  double sun_strength, sky_strength;
  pl_color background_top, background_bottom;  // red below 0: that of the renderer
} pl_scene_lighting;

typedef struct pl_scene_time {
  const pl_json *json;
  double step, frame_rate;
  int64_t frames;
  double warm_up, pre_roll;
} pl_scene_time;

typedef struct pl_scene_air {
  const pl_json *json;
  pl_vec3 wind;
  double density, drag;
  double gust, gust_period;  // share of the wind that comes and goes, seconds
} pl_scene_air;

typedef struct pl_scene_document {
  const pl_json *json;
  int64_t version;
  const char *name, *description;
  int32_t length_unit;
  int64_t seed;
  pl_scene_time time;
  pl_vec3 gravity;
  pl_scene_air air;
  int32_t contact_rounds;
  double contact_damping, sleep_speed, sleep_seconds;
  bool sleeping, all_edges;
  pl_scene_list meshes;       // of pl_scene_mesh
  pl_scene_list bodies;       // of pl_scene_body
  pl_scene_list colliders;    // of pl_scene_collider
  pl_scene_list joints;       // of pl_scene_joint
  pl_scene_list attachments;  // of pl_scene_attachment
  pl_scene_camera_def camera, observer;
  pl_scene_lighting lighting;
  pl_scene_recording recording;
} pl_scene_document;

struct pl_scene {
  pl_context *context;
  pl_arena arena;  // holds this struct and all that the document's structs point to
  pl_json_document *json;
  const char *folder;            // where relative paths start
  struct pl_shape_cache *cache;  // surfaces that were made before, NULL for none; borrowed
  pl_scene_document document;
};

extern const pl_scene_type pl_scene_document_type;
// Types that more than one table uses.
extern const pl_scene_type pl_scene_key_type, pl_scene_solid_type, pl_scene_rod_type,
    pl_scene_fem_type, pl_scene_actor_type, pl_scene_cut_type, pl_scene_detail_type,
    pl_scene_recording_type, pl_scene_collider_type, pl_scene_rigid_type, pl_scene_kinematic_type,
    pl_scene_joint_type, pl_scene_attachment_type, pl_scene_region_type;
extern const char *const pl_scene_collider_shapes[];  // in the order of pl_collider_shape

// Set a struct to its defaults (scene_read.c).
void pl_scene_set_defaults(const pl_scene_type *type, void *object);

// Metres of a length unit such as "cm"; 1 for a word that is none, which reading reports
// (scene_types.c).
double pl_scene_unit_metres(const char *unit);

// Fill `scene->document` from the document's tree. Problems go to `findings`; fails only when out
// of memory.
pl_status pl_scene_fill(pl_scene *scene, pl_findings *findings, pl_error *error);

// Replace values in the document's tree, before it is filled from (scene_override.c).
pl_status pl_scene_override_all(pl_scene *scene, const pl_scene_override *overrides, int32_t count,
                                pl_error *error);

// What the tables cannot say: names that refer to others, things that exclude each other
// (scene_check.c).
pl_status pl_scene_check_sense(const pl_scene *scene, pl_findings *findings);

// Write a tree as a pretty-printed file (scene_write.c).
pl_status pl_scene_write_json(pl_context *context, const char *path, const pl_json *json,
                              pl_error *error);

#endif
