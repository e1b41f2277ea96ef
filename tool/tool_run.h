// A run: a scene simulated frame by frame into a log, and from the log into files, pictures and a
// video.
//
// During the simulation only the log and the checkpoint are written; the results are written from
// the log after the last frame. So resumed and uninterrupted runs use the same code, and their
// files are equal byte for byte; and however the program is killed, no result is half written.
#ifndef TOOL_RUN_H
#define TOOL_RUN_H

#include "pliant/pliant.h"
#include "tool_arguments.h"
#include "tool_overrides.h"

enum { RUN_MAX_FORMATS = 12 };

typedef enum run_hash { RUN_HASH_NONE = 0, RUN_HASH_END, RUN_HASH_FRAMES } run_hash;

enum { RUN_MAX_STRIP = 24 };

typedef struct run_options {
  const char *scene_path;
  const char *folder;   // NULL: out/ and the scene's name
  int32_t frame_count;  // 0: the scene's own
  pl_frame_format formats[RUN_MAX_FORMATS];
  int format_count;
  bool actor_tables;     // the numbers of every actor as a table
  int32_t thread_count;  // 0: one per processor
  run_hash hash;
  bool json;  // print a report as JSON
  bool has_seed;
  uint64_t seed;
  const char *picture, *video, *plot;  // paths, NULL: none; "" means the usual name in the folder
  int32_t width, height;
  int32_t strip_count;                // frames side by side in the picture; 1: the last one alone
  double strip_times[RUN_MAX_STRIP];  // seconds, where chosen
  bool has_strip_times;               // otherwise the frames are evenly spaced
  bool no_tables;                     // no energy.csv and weights.csv
  bool fixed_camera;    // pictures and videos from a camera that stands still and sees the whole
                        // motion
  bool overlay;         // frames of the strip in one picture, where they happened
  bool has_view;        // the camera stands still and looks from `view`
  double view[2];       // degrees around the vertical from the front, and above the horizon
  const char *title;    // of the caption; NULL: the scene's name
  double checker_size;  // metres, squares on the ground; 0: lines
  double checkpoint_seconds;  // 0: only when interrupted
  bool resume;
  bool observer;             // pictures from the second camera
  bool ghost;                // pictures show the rest shapes of actors above them
  tool_overrides overrides;  // of the scene
} run_options;

// A body and its part of every frame in the log: first the points of its surface, then, where tets
// are written, its particles and their velocities.
typedef struct run_body {
  pl_scene_instance_body info;
  const pl_model *model;
  char *file_name;  // without ending
  pl_scene_instance_surface surface;
  int32_t particle_count;
  bool logs_particles;
  int64_t point_start;  // in a frame
  // Fields of VTU frames, three numbers to a point of the log: contact pressure of every surface
  // point; of bodies whose particles are logged also stress of every tet and, where every particle
  // has its own, weights. 0: none
  int64_t field_start;
  int32_t pressure_count, stress_count, weight_count;
} run_body;

// An actor and its part of every frame in the log, after those of the bodies: its numbers, three to
// a point, and, where ghosts are drawn, its rest shape.
typedef struct run_actor {
  pl_scene_instance_actor info;
  int32_t parameter_count;  // that are kept
  int64_t record_start, ghost_start;
} run_actor;

typedef struct run_job {
  const tool_session *tool;
  run_options options;
  char *folder;
  char *checkpoint_path, *log_path, *picture_path, *video_path, *plot_path;
  char *scene_path;     // absolute
  char *option_text;    // of the checkpoint
  uint64_t scene_hash;  // of the scene file's bytes and what is set in it

  pl_context *context;
  pl_findings *findings;
  pl_scene *scene;
  pl_scene_report facts;
  pl_scene_instance *set;
  pl_world *world;
  int64_t frame_count;  // to be simulated

  run_body *bodies;
  int32_t body_count;
  run_actor *actors;
  int32_t actor_count;
  int64_t number_start;  // of energies and weights in a frame of the log, three to a point
  int32_t number_count;
  int64_t body_point_count;  // of bodies in a frame of the log
  int64_t point_count;       // of a frame in the log
  pl_vec3 *points;           // one frame
  void *snapshot;
  size_t snapshot_size;

  pl_frame_log *log;
  pl_step_report total;  // sums of phase times and steps
  double begin;          // seconds
  bool remarks;
} run_job;

// Fill in options from a command line; prints mistakes. Either way the overrides are to be freed.
bool run_options_read(const tool_session *tool, const tool_arguments *arguments,
                      run_options *options);

// The options as words, one per line, for run_options_read(); to be freed (run_resume.c).
char *run_options_text(const run_options *options, const run_job *run);

// Run the scene and write its results; returns an exit code.
int run_scene(const tool_session *tool, const run_options *options);

// Where the checkpoint of a run in `folder` is; to be freed.
char *run_checkpoint_path(const char *folder);

// Write a checkpoint of the current frame `frame` of the world (run_resume.c).
pl_status run_write_checkpoint(run_job *run, int64_t frame, pl_error *error);

// Restore the world from the checkpoint and open the log after its frame. `frame` becomes the
// current frame of the world (run_resume.c).
pl_status run_go_on(run_job *run, int64_t *frame, pl_error *error);

// Write all frames of the log in every format (run_outputs.c).
pl_status run_write_outputs(run_job *run, pl_error *error);

// Whether the run reaches all times of the strip; says which it does not (run_pictures.c).
bool run_check_strip(const run_job *run);

// The picture of the last frame or of a strip, and the video of all (run_pictures.c).
pl_status run_write_pictures(run_job *run, pl_error *error);

// Actors (run_actors.c): lay out their part of a frame; fill it in; write it as a table for the
// format CSV; print a summary, false if there is a warning.
void run_lay_out_actors(run_job *run);
pl_status run_log_actors(run_job *run);
pl_status run_write_actors(run_job *run, pl_error *error);
bool run_print_actors(const run_job *run);

// Fields of VTU frames (run_fields.c): lay out their part of a frame; fill it in.
void run_lay_out_fields(run_job *run);
pl_status run_log_fields(run_job *run, pl_error *error);

// The fields of one body while its frames are written: what is the same in all frames, then what a
// frame of the log has. `volume`: of its tets, otherwise of its surface.
typedef struct run_fields run_fields;
pl_status run_fields_open(run_job *run, const run_body *body, bool volume,
                          const int32_t *point_of_output, run_fields **fields, pl_error *error);
pl_status run_fields_read(run_fields *fields, int64_t frame, pl_frames *frames, pl_error *error);
void run_fields_close(run_fields *fields);

// Energies, contacts and weights (run_numbers.c): lay out their part of a frame; fill it in; write
// it as energy.csv and weights.csv.
void run_lay_out_numbers(run_job *run);
void run_log_numbers(run_job *run);
// Where the weights of a body begin among the numbers, and how many there are.
int32_t run_find_weights(const run_job *run, const run_body *body, int32_t *count);
pl_status run_write_numbers(run_job *run, pl_error *error);
// Name of a column of weights.csv: body, manifold (by name, by number, or neither) and example; to
// be freed.
char *run_column_name(const char *body, const char *manifold, int32_t number, const char *example);
// All numbers of a frame of the log, `number_count` of them and up to two more.
pl_status run_read_numbers(run_job *run, int64_t frame, double *numbers, pl_error *error);
// Where the kinetic and the elastic energy of a body are among the numbers.
int32_t run_find_energies(int32_t body);

// Weights and energies over time as a drawing (run_plot.c).
pl_status run_write_plot(run_job *run, pl_error *error);

// Names the regions of solids that are inside out at the end (run_report.c).
void run_print_strain(const run_job *run);

// What the run came to as JSON on standard output; `complete` is false where a body failed
// (run_report.c).
void run_print_report(const run_job *run, bool complete);

// How far a camera that follows the body `name` is shifted in each frame of the log, across `up`;
// to be freed. NULL when there is no such body (run_follow.c).
pl_status run_follow(run_job *run, const char *name, pl_vec3 up, pl_vec3 **shifts, pl_error *error);

#endif
