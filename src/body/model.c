// What the public header says of models of any method.
#include "body/body_method.h"

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
      .byte_count = (int64_t)model->arena.byte_count,
      .hash = model->hash,
  };
}

const int32_t *pl_model_get_surface_triangles(const pl_model *model) {
  return model->surface.triangles;
}

pl_example_view pl_model_get_examples(const pl_model *model) {
  return model->method->list_examples != NULL ? model->method->list_examples(model) : (pl_example_view){0};
}
