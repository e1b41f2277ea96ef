// Inside of a set of examples.
#ifndef PL_DETAIL_SET_H
#define PL_DETAIL_SET_H

#include "base/arena.h"
#include "detail/detail_weights.h"
#include "pliant/detail.h"

struct pl_detail_set {
  pl_arena arena;
  pl_detail_set_view view;
  pl_key_layout layout;
  pl_detail_weights *weights;
};

// Check a def: PL_OK or PL_ERROR_INVALID_ARGUMENT. `complete`: nothing may be left to be chosen.
pl_status pl_detail_def_check(const pl_detail_def *def, bool complete, pl_error *error);

// Samples of a stamp, both sides.
size_t pl_detail_def_samples(const pl_detail_def *def);

// Layout of the keys that a def asks for.
pl_key_layout pl_detail_def_layout(const pl_detail_def *def);

// pl_detail_set_create() with a report of the weights.
pl_status pl_detail_set_make(pl_context *context, const pl_detail_set_view *view,
                             pl_detail_set **set, pl_detail_weights_report *report,
                             pl_error *error);

#endif
