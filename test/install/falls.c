// A user of the runtime: a soft box falls for a second and comes to lie on the ground.
#include <pliant/runtime.h>
#include <stdio.h>

int main(void) {
  pl_error error = {0};
  pl_context_def context_def = pl_default_context_def();
  pl_context *context = NULL;
  if (pl_context_create(&context_def, &context, &error) < 0) return 1;
  pl_mesh *mesh = NULL;
  pl_model *model = NULL;
  pl_world *world = NULL;
  pl_solid_def solid_def = pl_default_solid_def();
  pl_world_def world_def = pl_default_world_def();
  pl_body_def body_def = pl_default_body_def();
  pl_collider_def ground_def = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  pl_body_id body = {0, 0};
  bool good = pl_mesh_create_box(context, (pl_vec3){0.2, 0.2, 0.2}, (int32_t[3]){3, 3, 3}, &mesh, &error) >= 0 &&
              pl_solid_build(context, &solid_def, mesh, &model, &error) >= 0 &&
              pl_world_create(context, &world_def, &world, &error) >= 0;
  body_def.model = model;
  body_def.placement.position.y = 0.5;
  good = good && pl_world_add_body(world, &body_def, &body, &error) >= 0 &&
         pl_world_add_collider(world, &ground_def, NULL, &error) >= 0 &&
         pl_world_advance(world, 1.0, 0, NULL, &error) >= 0;
  double height = good ? pl_body_get_report(world, body).center.y : -1;
  printf("%s: height %.3f %s\n", pl_version(), height, error.text);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  pl_context_destroy(context);
  return good && height > 0.05 && height < 0.5 ? 0 : 1;
}
