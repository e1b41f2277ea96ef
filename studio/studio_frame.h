// A frame: positions and values of all bodies at one step. It is immutable and reference counted,
// shared between the world's thread and the hub's thread. The binary message for a viewer is
// encoded from the newest frame when its connection can take one, so slow viewers skip frames.
#ifndef STUDIO_FRAME_H
#define STUDIO_FRAME_H

#include <stdatomic.h>

#include "base/vector.h"
#include "pliant/base.h"

// Kinds of parts, as numbered in PROTOCOL.md.
typedef enum studio_part_kind {
  STUDIO_PART_SURFACE = 0,
  STUDIO_PART_PARTICLES,
  STUDIO_PART_GHOST,
  STUDIO_PART_COLORS,
  STUDIO_PART_PLACEMENT,
  STUDIO_PART_COARSE = 6,
  STUDIO_PART_CLOUD,
  STUDIO_PART_DISTANCES,
} studio_part_kind;

// Parts and encodings that a viewer subscribed to, as bits.
enum {
  STUDIO_WANT_PARTICLES = 1,
  STUDIO_WANT_GHOST = 2,
  STUDIO_WANT_EXACT = 4,
  STUDIO_WANT_QUANTISED = 8,
  STUDIO_WANT_CONTACTS = 16,
  STUDIO_WANT_STRETCH = 64,  // colours: at most one of stretch, stress, speed and segments
  STUDIO_WANT_STRESS = 128,
  STUDIO_WANT_SPEED = 256,
  STUDIO_WANT_COARSE = 512,
  STUDIO_WANT_SEGMENTS = 1024,
  STUDIO_WANT_CLOUD = 2048,
  STUDIO_WANT_COLORS =
      STUDIO_WANT_STRETCH | STUDIO_WANT_STRESS | STUDIO_WANT_SPEED | STUDIO_WANT_SEGMENTS,
};

typedef struct studio_part {
  studio_part_kind kind;
  uint32_t wanted;  // sent to viewers that have one of these bits; 0: to all
  int32_t index;    // of the body or collider
  int32_t count;    // points, numbers, or 1 placement
  int32_t width;    // values per item: 3, 1 or 7
  double *numbers;
  int64_t changed;  // number of the frame in which the values last changed
} studio_part;

typedef struct studio_frame {
  pl_context *context;
  atomic_int uses;
  int64_t number;  // increasing
  int64_t scene;   // number of the scene it belongs to
  int64_t step;
  double time;  // s
  int32_t part_count;
  studio_part *parts;
} studio_frame;

// Create a frame with these parts, all values zero, and one reference. NULL: out of memory.
studio_frame *studio_frame_create(pl_context *context, const studio_part *parts,
                                  int32_t part_count);

// Mark parts with the same values in `before` (may be NULL) as unchanged.
void studio_frame_compare(studio_frame *frame, const studio_frame *before);

studio_frame *studio_frame_retain(studio_frame *frame);
// NULL is allowed.
void studio_frame_release(studio_frame *frame);

// Append the binary message (PROTOCOL.md) for a viewer whose last frame was number `seen`; false:
// out of memory.
bool studio_frame_encode(const studio_frame *frame, uint32_t wants, int64_t seen, pl_vector *bytes);

#endif
