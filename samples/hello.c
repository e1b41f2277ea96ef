// A soft box falls on a plane: its height, ten times a second.
#include <pliant/runtime.h>
#include <stdio.h>
int main(void) {
  pl_context_def context_def = pl_default_context_def();
  pl_solid_def solid_def = pl_default_solid_def();
  pl_world_def world_def = pl_default_world_def();
  pl_collider_def ground_def = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  pl_body_def body_def = pl_default_body_def();
  pl_context *context = NULL;
  pl_mesh *mesh = NULL;
  pl_model *model = NULL;
  pl_world *world = NULL;
  pl_body_id id;
  pl_error e = {0};
  bool good = pl_context_create(&context_def, &context, &e) >= 0 &&
              pl_mesh_create_box(context, (pl_vec3){0.3, 0.2, 0.2}, (int32_t[3]){6, 4, 4}, &mesh, &e) >= 0 &&
              pl_solid_build(context, &solid_def, mesh, &model, &e) >= 0;
  good = good && pl_world_create(context, &world_def, &world, &e) >= 0;
  body_def.model = model, body_def.placement.position.y = 0.6;
  good = good && pl_world_add_collider(world, &ground_def, NULL, &e) >= 0;
  good = good && pl_world_add_body(world, &body_def, &id, &e) >= 0;
  for (int i = 1; i <= 10 && good; ++i) {
    good = pl_world_advance(world, 0.1, 0, NULL, &e) >= 0;
    printf("%.1f s: %.3f m\n", pl_world_get_time(world), pl_body_get_report(world, id).center.y);
  }
  if (!good) puts(e.text);
  pl_world_destroy(world), pl_model_destroy(model), pl_mesh_destroy(mesh), pl_context_destroy(context);
  return good ? 0 : 1;
}
