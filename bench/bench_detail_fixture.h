// A pillow of tets under fingers that press it by a formula, and sets of such presses: what
// `detail` is measured with.
#ifndef BENCH_DETAIL_FIXTURE_H
#define BENCH_DETAIL_FIXTURE_H

#include "bench_suite.h"
#include "pliant/pliant.h"

// The pillow is 0.4 m wide and 0.12 m thick in its middle, y up, and lies around the origin.
typedef struct detail_pillow {
  pl_mesh *mesh, *surface;
  int32_t *anchors;  // material point of each surface point
  pl_detail_object object;
  pl_vec3 *displacements, *coarse, *fine, *found;
} detail_pillow;

// Tets of cells x cells columns. The surface has its own grid of `surface_cells` columns if that is
// not 0, otherwise it is the boundary of the tets.
pl_status detail_pillow_open(pl_context *context, int32_t cells, int32_t surface_cells,
                             detail_pillow *pillow, pl_error *error);
void detail_pillow_close(detail_pillow *pillow);

// A press: where on the upper side, along what, and how deep.
typedef struct detail_press {
  double x, z;   // metres
  pl_vec3 push;  // metres
} detail_press;

// The n-th press of a sequence that never ends: places and directions all differ.
detail_press detail_press_take(int32_t n);

// What the true surface has at a place at rest that the coarse one has not.
pl_vec3 detail_press_folds(const detail_press *press, pl_vec3 position);

// Height of the upper side.
double detail_pillow_top(double x, double z);

// Fill displacements, coarse and fine surface.
void detail_pillow_press(detail_pillow *pillow, const detail_press *press);
pl_detail_contact detail_pillow_contact(const detail_press *press);

// Presses [begin, begin + count) as a set. Widths are those given, or fitted if `site_width` is 0.
pl_status detail_set_record(pl_context *context, detail_pillow *pillow, const pl_detail_def *def,
                            int32_t begin, int32_t count, pl_detail_set **set, pl_error *error);

// Window, stamps and their resolution for the pillow.
pl_detail_def detail_pillow_def(int32_t resolution);

// `count` presses, however many, and their weights. Widths are those that fit a hundred of them,
// narrower where that many could not be told apart otherwise. Beyond 2048 the set has plain
// weights.
pl_status detail_database_open(pl_context *context, int32_t count, pl_detail_set **set,
                               pl_error *error);

// Rows of whole frames of a pillow under a finger.
pl_status bench_detail_frames(bench_session *bench, pl_context *context, pl_error *error);

// Rows of errors against a fine simulation, by number of examples.
pl_status bench_detail_errors(bench_session *bench, pl_context *context, pl_error *error);

#endif
