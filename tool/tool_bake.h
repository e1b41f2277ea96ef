// Baking: the joints of a rod body, frame by frame, as an animation of its skeleton.
//
// A job has a source, a character file or a body of a scene, that can be brought to its first frame
// and from each frame to the next; a recording of the joints; and files that are written from it.
// Nothing is written before the last frame is recorded.
#ifndef TOOL_BAKE_H
#define TOOL_BAKE_H

#include "pliant/pliant.h"
#include "tool_arguments.h"
#include "tool_overrides.h"

// Of characters without an animation or options that say otherwise: frames per second, seconds, and
// seconds before the first frame.
#define BAKE_FRAME_RATE 60
#define BAKE_SECONDS 2
#define BAKE_PRE_ROLL 1

typedef struct bake_options {
  const char *input, *output;
  bool glb, pc2;          // what to write
  bool exact;             // spring bones as VRM specifies them
  const char *body;       // of a scene, NULL: the only rod
  const char *animation;  // of a character, NULL: the first
  const char *motion;     // file with an animation for a humanoid, NULL: none
  double frame_rate;      // 0: the usual one
  double seconds;         // 0: as long as animation or scene
  double pre_roll;        // seconds, below 0: the usual
  bool loop, has_eye;
  pl_vec3 eye;
  int32_t thread_count;      // 0: one per processor
  tool_overrides overrides;  // of the scene
} bake_options;

typedef struct bake_job {
  const tool_session *tool;
  bake_options options;
  pl_context *context;
  pl_findings *findings;
  bool remarks;

  // The source; either a scene with its set or a character with what was made of it.
  pl_scene *scene;
  pl_scene_instance *set;
  pl_character *character;
  pl_character_rig *rig;
  pl_model *own_model;
  pl_world *own_world;
  const char *source_path;              // of the file the motion is baked into, NULL: there is none
  const pl_character *scene_character;  // of the body of a scene, NULL: there is none
  const pl_character_additions *additions;  // to that file, NULL: none
  pl_motion *motion;                        // of another file that leads the character, NULL: none
  int32_t animation;                        // that leads the character, -1: none
  const char *animation_name;               // NULL: none
  pl_transform *node_placements;            // scratch: one per node of the character
  double *morphs;                           // scratch: one per pose of its surface
  int32_t steps_per_frame;

  // The body that is baked.
  pl_world *world;
  pl_body_id body;
  const char *body_name;
  const pl_model *model;
  pl_rod_def rod;        // its skeleton
  const int32_t *nodes;  // node of each joint, NULL: joints are nodes
  int32_t *order;        // joints, parents first
  int32_t *tube_joints;  // skin of a body that has none of its own: the joint of each point …
  float *tube_weights;   // … alone

  // The recording.
  double frame_rate;
  int32_t frame_count;   // the last one of a loop is the first again
  pl_transform *frames;  // frame_count x joints
  int32_t morph_count;   // morph targets whose weights are written too, 0: none
  double *morph_frames;  // frame_count x morph_count
  char *log_path;
  pl_frame_log *log;  // of the surface, where points are written
  pl_vec3 *points;    // one frame of it
} bake_job;

// Open the source and print what will be baked. False on failure (printed).
bool bake_open_character(bake_job *job);  // bake_character.c
bool bake_open_scene(bake_job *job);      // bake_scene.c

// Bring a character to the first frame before anything is recorded, on to frame number `frame` from
// the one before it, and from the last back to the first without a jolt (bake_character.c).
pl_status bake_settle_character(bake_job *job, pl_error *error);
pl_status bake_advance_character(bake_job *job, int32_t frame, pl_error *error);
pl_status bake_rewind_character(bake_job *job, pl_error *error);

// Simulate and record; fails with PL_REMARK_CANCELLED in `error` when interrupted (bake_record.c).
pl_status bake_record(bake_job *job, pl_error *error);

// `b` seen from `a`, what is `local` to `a` seen from outside, and the angle between two rotations,
// radians (bake_loop.c).
pl_transform bake_relative(pl_transform a, pl_transform b);
pl_transform bake_join(pl_transform a, pl_transform local);
double bake_angle(pl_quat from, pl_quat to);

// The kinematic joint at the root of the first chain (bake_loop.c).
int32_t bake_first_base(const bake_job *job);

// How far two frames are apart: the largest angle between rotations relative to the parent,
// degrees, and the largest distance in the frame of the kinematic joint above, metres
// (bake_loop.c).
typedef struct bake_gap {
  double degrees, metres;
} bake_gap;
bake_gap bake_measure_gap(const bake_job *job, const pl_transform *a, const pl_transform *b);

// Joints in an order in which parents come first, and the fade that lets the last frame end as the
// first begins (bake_loop.c).
void bake_order_joints(bake_job *job);
void bake_close_loop(bake_job *job);

// Fraction of the remaining difference that is removed in a frame, 0 … 1 (bake_loop.c).
double bake_fade_fraction(const bake_job *job, int32_t frame);

// Write what was recorded (bake_write.c).
pl_status bake_write(bake_job *job, pl_error *error);

// The file for joints: that of --output where it ends in .vrm, else with the ending .glb; the
// caller frees it. The name of the animation likewise (bake_write.c).
char *bake_joint_path(const bake_job *job);
char *bake_motion_name(const bake_job *job);

// Which animation a character plays, with a remark where it has none. False on failure (printed)
// (bake_character.c).
bool bake_choose_animation(bake_job *job, const pl_character_view *view);

// The character at a time of its animation or motion: `node_placements`, and weights of its morph
// targets where wanted. And when that ends, 0 without one.
void bake_sample(const bake_job *job, double time, double *morphs);
double bake_animation_end(const bake_job *job);

// The whole of a bake of spring bones as VRM specifies them (bake_exact.c).
int bake_exact(bake_job *job);

#endif
