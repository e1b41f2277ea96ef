// Objects of the gallery, filmed, tracked and fitted by the verbs of this program in a folder of
// their own: for benchmarks from pictures to material.
#ifndef BENCH_OBJECT_FIXTURE_H
#define BENCH_OBJECT_FIXTURE_H

#include "bench_suite.h"
#include "tool_gallery.h"

enum { MAX_OBJECT_WORDS = 8, MAX_OBJECT_VALUES = 20 };

// A folder for files, temporary or to be kept, and where the scenes are.
typedef struct object_fixture {
  bench_session *bench;
  tool_gallery gallery;
  pl_context *context;
  char *folder;
  bool keeps;  // the folder stays, and what is in it is taken over
} object_fixture;

// What is filmed. Lists of words end with NULL.
typedef struct object_film {
  const char *name;                    // of its folder
  const char *scene;                   // of the gallery
  const char *sets[MAX_OBJECT_WORDS];  // PATH=VALUE, each
  const char *tets;       // name of a film whose tets are tracked; NULL: the scene's own
  int32_t frames_before;  // frames before the release: the first of a film is tracked worst
  int32_t frames;         // from the release on
  const char *size;       // of pictures
  const char *settle;     // time at which it is held until it rests, or NULL
} object_film;

// A modulus that was found, and the true one of the tet nearest to its control point.
typedef struct object_modulus {
  double value, min, max, truth;
  pl_fit_verdict verdict;
} object_modulus;

// What `capture` found, of its last round; seconds of all rounds.
typedef struct object_found {
  int32_t point_count, tet_count, frame_count, round_count;
  double track_seconds, fit_seconds;
  double processor_seconds;         // of all threads, of all of it: reading and reports too
  double error_seen, error_hidden;  // metres: the last track from the truth, where cameras see and
                                    // where they do not
  int32_t value_count;
  double values[MAX_OBJECT_VALUES];  // moduli, Poisson's ratio, mass and stiffness damping
  int32_t modulus_count;
  object_modulus moduli[MAX_OBJECT_VALUES];
  double
      typical_error;  // of the moduli of tets, relative to the truth: half of the volume is nearer
  bool resumed;       // from an earlier run: seconds are of the rest
} object_found;

// False when something is missing (printed).
bool object_fixture_open(bench_session *bench, object_fixture *fixture);
void object_fixture_close(object_fixture *fixture);

// Run a verb of this program with words that end with NULL, without its standard output. An exit
// code.
int object_run_verb(const object_fixture *fixture, const tool_verb *verb, const char *const *words);

// Film it, unless that is done and was kept. False when it fails (printed).
bool object_sense(const object_fixture *fixture, const object_film *film);

// Track and fit, with further words for the verb; `name` is that of the folder. False when it fails
// (printed).
bool object_capture(const object_fixture *fixture, const object_film *film, const char *name,
                    const char *const *words, object_found *found);

// Path of a file of a film or of a capture, to be freed.
char *object_path(const object_fixture *fixture, const char *name, const char *file);

// Frames of a motion of `point_count` points from number `first` on, to be freed; NULL when it
// fails (printed).
pl_vec3 *object_motion(const object_fixture *fixture, const char *path, int32_t point_count,
                       int32_t first, int32_t *frame_count);

#endif
