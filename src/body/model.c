// What the public header says of models of any method.
#include <math.h>

#include "body/body_method.h"

// Of the automatic contact thickness: a fraction of the diagonal, but no more than one of the smallest extent.
static const double DIAGONAL_FRACTION = 5e-4, EXTENT_FRACTION = 1e-2;

void pl_model_destroy(pl_model *model) {
  if (model == NULL) return;
  if (model->method->destroy != NULL) model->method->destroy(model);
  pl_arena arena = model->arena;  // the model lives in its own arena
  pl_arena_destroy(&arena);
}

pl_model_report pl_model_get_report(const pl_model *model) {
  return (pl_model_report){
      .method = model->method->name,
      .particle_count = model->particle_count,
      .surface_point_count = model->surface.point_count,
      .surface_triangle_count = model->surface.triangle_count,
      .mass = model->mass,
      .box = model->box,
      .contact_radius = model->contact_radius,
      .byte_count = (int64_t)model->arena.byte_count,
      .hash = model->hash,
  };
}

double pl_model_contact_radius(double given, pl_box box) {
  if (given >= 0) return given;
  double extents[3] = {box.max.x - box.min.x, box.max.y - box.min.y, box.max.z - box.min.z}, min = HUGE_VAL;
  // A flat shell has no extent across: what it has along counts.
  for (int k = 0; k < 3; ++k)
    if (extents[k] > 0) min = fmin(min, extents[k]);
  double radius = DIAGONAL_FRACTION * pl_box_diagonal(box);
  return fmin(radius, EXTENT_FRACTION * min);
}

// With D the deepest that a point at rest may be, the excess d - D fades with a time constant T, at no more than a
// speed V: d - D - min((d - D) h / (T + h), V h) of it stay in this step. V and D / h are the speed at which the body
// comes out.
double pl_model_buried_depth(const pl_model *model, double depth, double step) {
  static const double FADE_SECONDS = 0.04, FADE_SPEED = 0.4;
  double excess = depth - model->contact_radius - model->max_overlap;
  if (!(model->max_overlap > 0 && step > 0 && excess > 0)) return 0;
  return excess - fmin(excess * step / (FADE_SECONDS + step), FADE_SPEED * step);
}

const int32_t *pl_model_get_surface_triangles(const pl_model *model) {
  return model->surface.triangles;
}

pl_example_view pl_model_get_examples(const pl_model *model) {
  return model->method->list_examples != NULL ? model->method->list_examples(model) : (pl_example_view){0};
}
