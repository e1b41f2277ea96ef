// What the parts of a search for contacts share: contact_place.c places bodies and colliders,
// contact_axes.c says how pairs of small bodies are searched, contact_detect.c searches.
#ifndef PL_CONTACT_DETECT_H
#define PL_CONTACT_DETECT_H

#include "contact/contact_solver.h"

enum { PL_CONTACT_BODY_GRAIN = 2 };  // tasks are this many bodies

// Tasks of little work: as large as leaves enough of them for all threads, and at least so large.
enum { PL_CONTACT_LIGHT_TASKS = 128 };
static inline int32_t pl_contact_light_grain(int32_t count, int32_t min_grain) {
  int32_t grain = count / PL_CONTACT_LIGHT_TASKS;
  return grain > min_grain ? grain : min_grain;
}

struct pl_contact_detection {
  pl_contact_memory *memory;
  const pl_contact_body *bodies;
  const pl_contact_rules *pairs;
  int32_t first_body;  // number of the first of `bodies` among all, for `pairs`
  double step;
  pl_contact_scale scale;
  // Steps since all pairs were searched; after the first one, contacts of the last step are used
  // again where they can be.
  int32_t phase;
  bool has_soft;  // contacts of two soft bodies need not be listed (contact_soft.h)
  bool has_lone;  // bodies near colliders alone may be left to resolution (contact_lone.h)
};

// Pairs of small bodies are searched by their axes.
bool pl_contact_is_small(const pl_contact_memory *memory, int32_t body);

// Are the points of two bodies looked up in each other's tets? And were they if these were the ways
// of the two?
bool pl_contact_is_in_tets(const pl_contact_memory *memory, int32_t a, int32_t b);
bool pl_contact_is_tet_way(const pl_contact_memory *memory, int32_t a, int32_t b, pl_vec3 way_a,
                           pl_vec3 way_b);

// Is a body so slow, by its way, that this holds for it and any other that is as slow?
bool pl_contact_is_calm_way(const pl_contact_memory *memory, int32_t body, pl_vec3 way);

// May something of a body, between these boxes in the course of the step, touch another body?
bool pl_contact_may_touch(const pl_contact_detection *d, int32_t body, pl_box start, pl_box end,
                          int32_t other);

// Axes of a small body with those that come later (contact_axes.c): how each pair is searched. Any
// thread may do some bodies.
void pl_contact_find_axes(const pl_contact_detection *d, int32_t body);

// The direction of axis number `index`, which is one of the body's, and whether it tells the two
// apart.
void pl_contact_find_axis(const pl_contact_detection *d, int32_t body, int32_t index);

// Do two bodies have an axis?
bool pl_contact_has_axis(const pl_contact_memory *memory, int32_t a, int32_t b);

void pl_contact_place_colliders(const pl_contact_detection *d, const pl_collider *const *colliders,
                                const pl_contact_step *step);

// Boxes and drift of a body whose extents are known.
void pl_contact_place_boxes(const pl_contact_detection *d, int32_t body);

// Place the points of a small body whose boxes are there, unless they are. Any thread may ask.
void pl_contact_need_points(const pl_contact_detection *d, int32_t body);

// Find the boxes around a block, whose points are there.
void pl_contact_bound_block(const pl_contact_memory *memory, pl_contact_block *block);

// Fill the lanes and extents of a small body that is placed, unless they are there. Any thread may
// ask.
void pl_contact_need_lanes(const pl_contact_detection *d, int32_t body);

// Bodies awake and those that just fell asleep: points, boxes and hierarchies of this step. Returns
// whether anything moves at all.
bool pl_contact_place_bodies(const pl_contact_detection *d, pl_context *context);

// The contacts of a body's points with colliders, into its slots. `broad` is a tree over
// `body_count` bodies and the colliders.
void pl_contact_find_colliders(const pl_contact_detection *d, int32_t body,
                               const pl_broad_phase *broad, int32_t body_count);

// Contacts of the last step used again (contact_keep.c): steps since all pairs were searched, and
// how many of the next steps may use what is found now.
int32_t pl_contact_phase_of(const pl_contact_step *step);
uint32_t pl_contact_spot_uses(int32_t phase);

// Which of the listed bodies lie among others; a task.
void pl_contact_count_kept(void *data, int32_t begin, int32_t end, int32_t part);

// Are two soft bodies, whose points are looked up in tets, not searched in this step? `way` is
// what they move relative to each other, as a fraction of the largest way of such a pair.
bool pl_contact_is_kept(const pl_contact_detection *d, int32_t a, int32_t b, double way);

// Fetch what the next function reads of a body into the cache, while another one is worked on.
void pl_contact_fetch_kept(const pl_contact_detection *d, int32_t body);

// The hits of a body's points with the neighbours that are kept.
void pl_contact_find_kept(const pl_contact_detection *d, int32_t body);

#endif
