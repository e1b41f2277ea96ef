// One frame of the world as viewers may want it, shared between the thread that simulates and the one that sends: whoever holds one may read it, nobody
// changes it any more. A viewer's frame is made from the newest frame when its connection can take one, so slow viewers skip frames and nothing piles up.
#ifndef STUDIO_FRAME_H
#define STUDIO_FRAME_H

#include <stdatomic.h>

#include "base/vector.h"
#include "pliant/base.h"

// Kinds of parts, as they are numbered on the wire.
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

// What a viewer wants to get, as bits.
enum {
  STUDIO_WANT_PARTICLES = 1,
  STUDIO_WANT_GHOST = 2,
  STUDIO_WANT_EXACT = 4,
  STUDIO_WANT_QUANTISED = 8,
  STUDIO_WANT_CONTACTS = 16,
  STUDIO_WANT_STRETCH = 64,  // colours: at most one of the four
  STUDIO_WANT_STRESS = 128,
  STUDIO_WANT_SPEED = 256,
  STUDIO_WANT_COARSE = 512,
  STUDIO_WANT_SEGMENTS = 1024,
  STUDIO_WANT_CLOUD = 2048,
  STUDIO_WANT_COLORS = STUDIO_WANT_STRETCH | STUDIO_WANT_STRESS | STUDIO_WANT_SPEED | STUDIO_WANT_SEGMENTS,
};

typedef struct studio_part {
  studio_part_kind kind;
  uint32_t wanted;  // bits of which a viewer must have one; 0: everybody gets it
  int32_t index;    // of the body or collider
  int32_t count;    // points, numbers, or 1 placement
  int32_t width;    // numbers of each: 3, 1 or 7
  double *numbers;
  int64_t changed;  // number of the frame in which they became what they are
} studio_part;

typedef struct studio_frame {
  pl_context *context;
  atomic_int uses;
  int64_t number;  // counts up
  int64_t scene;   // number of the scene message that it belongs to
  int64_t step;
  double time;  // s
  int32_t part_count;
  studio_part *parts;
} studio_frame;

// A frame with these parts, whose numbers are zero and to be filled in; held once. NULL when out of memory.
studio_frame *studio_frame_create(pl_context *context, const studio_part *parts, int32_t part_count);

// Mark what is the same in `before` (may be NULL) as not changed.
void studio_frame_compare(studio_frame *frame, const studio_frame *before);

studio_frame *studio_frame_retain(studio_frame *frame);
// NULL is allowed.
void studio_frame_release(studio_frame *frame);

// Append the binary frame (PROTOCOL.md) that a viewer gets who has seen frame number `seen`; false when out of memory.
bool studio_frame_encode(const studio_frame *frame, uint32_t wants, int64_t seen, pl_vector *bytes);

#endif
