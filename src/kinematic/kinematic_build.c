// From a def and a mesh to a kinematic model.
#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "body/body_surface.h"
#include "kinematic/kinematic_model.h"
#include "kinematic/kinematic_parameters.h"

pl_kinematic_def pl_default_kinematic_def(void) {
  pl_kinematic_def def = {0};
  pl_parameters_set_defaults(&pl_kinematic_def_parameters, &def);
  return def;
}

static uint64_t hash_model(const pl_kinematic_model *model) {
  const pl_model *head = &model->head;
  double numbers[] = {head->friction, head->restitution, head->contact_radius};
  uint64_t hash = pl_hash_bytes(PL_HASH_START, "kinematic", 9);
  hash = pl_hash_bytes(hash, numbers, sizeof numbers);
  hash = pl_hash_bytes(hash, model->rest, (size_t)head->particle_count * sizeof(pl_vec3));
  return pl_hash_bytes(hash, model->triangles, 3 * (size_t)head->surface.triangle_count * sizeof(int32_t));
}

static pl_status fill_model(const pl_kinematic_def *def, const pl_mesh_view *view, pl_kinematic_model *model,
                            pl_error *error) {
  pl_model *head = &model->head;
  size_t count = (size_t)view->point_count;
  head->particle_count = view->point_count;
  head->box = pl_box_from_points(view->points, view->point_count);
  head->friction = def->friction;
  head->restitution = def->restitution;
  head->contact_radius = def->contact_radius;
  // Nothing pushes it, and it takes no part in sums of mass, momentum and energy.
  head->masses = PL_TAKE(&head->arena, double, count);
  head->inverse_masses = PL_TAKE(&head->arena, double, count);
  model->rest = pl_arena_copy(&head->arena, view->points, count, sizeof(pl_vec3));
  model->triangles = pl_arena_copy(&head->arena, view->triangles, 3 * (size_t)view->triangle_count, sizeof(int32_t));
  if (head->arena.failed) return pl_fail_memory(error);
  pl_status status =
      pl_body_surface_of_triangles(view, view->triangles, view->triangle_count, &head->arena, &head->surface, error);
  if (status >= 0) head->hash = hash_model(model);
  return status;
}

pl_status pl_kinematic_build(pl_context *context, const pl_kinematic_def *def, const pl_mesh *mesh, pl_model **model,
                             pl_error *error) {
  *model = NULL;
  pl_status status = pl_parameters_check(&pl_kinematic_def_parameters, def, error);
  if (status < 0) return status;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (view.triangle_count == 0)
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "mesh",
                         "a kinematic mesh needs triangles and this mesh has none; give a surface");
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_kinematic_model *made = PL_TAKE(&arena, pl_kinematic_model, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->head.method = &pl_kinematic_method;
  made->head.arena = arena;
  status = fill_model(def, &view, made, error);
  if (status < 0) {
    pl_model_destroy(&made->head);
    return status;
  }
  *model = &made->head;
  return PL_OK;
}
