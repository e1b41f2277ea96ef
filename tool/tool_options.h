// Options that several verbs have. Each macro is one entry of an option table; TOOL_DEFAULT makes a
// function that reads a default of the library, for `default_number`.
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include "tool_arguments.h"

#define TOOL_DEFAULT(name, expression) \
  static double name(void) {           \
    return (double)(expression);       \
  }

// A constant as text, for the notes of options whose default is not one number.
#define TOOL_TEXT_OF(constant) TOOL_TEXT_OF_ARGUMENT(constant)
#define TOOL_TEXT_OF_ARGUMENT(constant) #constant

// One option a line or two reads best.
// clang-format off

#define TOOL_DIR_OPTION(...) \
  {"output", 'o', TOOL_TEXT, .value = "DIR", __VA_ARGS__}

#define TOOL_FRAMES_OPTION \
  {"frames", .kind = TOOL_COUNT, .value = "N", .min = 1, .max = 1e7, .default_note = "set by the scene", \
   .about = "number of frames, including frame 0, the start"}

#define TOOL_FORMAT_OPTION \
  {"format", .kind = TOOL_TEXT, .value = "LIST", .choices = "pc2 mdd glb usda vtu obj ply csv npz actors none", .default_text = "pc2,glb", \
   .about = "formats to write, separated by commas: pc2, mdd, glb, usda, vtu, obj, ply, csv, npz, actors; or none", \
   .more = "`actors` writes the tables of actors without tables of points; `csv` writes both."}

#define TOOL_THREADS_OPTION \
  {"threads", .kind = TOOL_COUNT, .value = "N", .min = 1, .max = 1024, .default_note = "one per processor", \
   .about = "number of threads; the results are the same for any number"}

#define TOOL_HASH_OPTION \
  {"hash", .kind = TOOL_OPTIONAL_TEXT, .value = "WHEN", .choices = "end frames", \
   .about = "print the 64-bit hash of the final state; with --hash=frames also that of every frame"}

#define TOOL_CHECKPOINT_OPTION \
  {"checkpoint-every", .kind = TOOL_NUMBER, .value = "SECONDS", .min = 0, .max = 1e9, .default_text = "30", \
   .about = "time between checkpoints; 0 writes one only when the run is interrupted"}

#define TOOL_PICTURE_SIZE_OPTION \
  {"size", .kind = TOOL_TEXT, .value = "WxH", .default_text = "1280x720", \
   .about = "width and height in pixels of the picture, of the video and of each frame of a strip"}

#define TOOL_OBSERVER_OPTION \
  {"observer", .kind = TOOL_FLAG, .about = "use the second camera of the scene, `observer`, for pictures and videos", \
   .more = "Examples that depend on the view still follow the first camera."}

#define TOOL_SET_OPTION \
  {"set", .kind = TOOL_TEXT, .value = "PATH=VALUE", .repeats = true, \
   .about = "replace a value of the scene, such as time.step=0.002"}

#define TOOL_POINTS_OPTION(max_points, ...) \
  {"points", .kind = TOOL_COUNT, .value = "N", .min = 8, .max = max_points, __VA_ARGS__}

#define TOOL_CELL_SIZE_OPTION(...) \
  {"cell-size", .kind = TOOL_NUMBER, .value = "LENGTH", .min = 1e-9, .max = 1e9, __VA_ARGS__}

#define TOOL_SCALE_OPTION(...) \
  {"scale", .kind = TOOL_NUMBER, .value = "FACTOR", .min = 1e-9, .max = 1e9, .default_text = "1", __VA_ARGS__}

#define TOOL_SEED_OPTION(...) \
  {"seed", .kind = TOOL_COUNT, .value = "N", .min = 0, .max = 9007199254740992.0, __VA_ARGS__}

// For the verbs that track and fit a body.
#define TOOL_HOLD_OPTION \
  {"hold", .kind = TOOL_TEXT, .value = "FILE|BOX", .repeats = true, \
   .about = "points that stay where MESH has them: a CSV table with a column `point`, or a box x,y,z,x,y,z"}

#define TOOL_SURFACE_OPTION \
  {"surface", .kind = TOOL_TEXT, .value = "FILE", .default_note = "boundary of the tets", \
   .about = "surface that the cameras see, in the pose of MESH", \
   .more = "Its points should be no farther apart than about a tenth of the thickness of the object."}

// clang-format on

#endif
