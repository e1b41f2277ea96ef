// From a def, and a mesh where the shape needs one, to a rigid model.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "body/body_surface.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "mesh/convex_hull.h"
#include "rigid/rigid_model.h"
#include "rigid/rigid_parameters.h"

// A closed surface has area vectors that cancel; this fraction of the area may be missing.
static const double MAX_OPENING = 1e-3;

static pl_status build_surface(pl_context *context, const pl_rigid_def *def, const pl_mesh *mesh, pl_model *head,
                               pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (def->shape == PL_RIGID_HULL) {
    pl_arena workspace;
    pl_convex_hull hull;
    pl_arena_init(&workspace, context, 0);
    pl_status status = pl_convex_hull_build(&workspace, view.points, view.point_count, &hull, error);
    if (status >= 0)
      status =
          pl_body_surface_of_triangles(&view, hull.triangles, hull.triangle_count, &head->arena, &head->surface, error);
    pl_arena_destroy(&workspace);
    return status;
  }
  if (view.tet_count > 0) return pl_body_surface_build(context, mesh, NULL, 0, &head->arena, &head->surface, error);
  if (view.triangle_count == 0)
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "mesh",
                         "a rigid body needs triangles or tets and this mesh has none; give a closed surface, or use "
                         "the shape hull");
  return pl_body_surface_of_triangles(&view, view.triangles, view.triangle_count, &head->arena, &head->surface, error);
}

// Fraction of the area that is missing for the surface to be closed.
static double opening_of(const pl_contact_surface *surface) {
  pl_vec3 sum = {0, 0, 0};
  double total = 0;
  for (int32_t t = 0; t < surface->triangle_count; ++t) {
    const int32_t *c = &surface->triangles[3 * t];
    const pl_vec3 *p = surface->rest_points;
    pl_vec3 area = pl_vec3_cross(pl_vec3_sub(p[c[1]], p[c[0]]), pl_vec3_sub(p[c[2]], p[c[0]]));
    sum = pl_vec3_add(sum, area);
    total += pl_vec3_length(area);
  }
  return total > 0 ? pl_vec3_length(sum) / total : 1;
}

static pl_status compute_volume(const pl_rigid_def *def, const pl_model *head, pl_rigid_volume *volume,
                                pl_error *error) {
  if (def->shape >= PL_RIGID_SPHERE) {
    *volume = pl_rigid_volume_of_shape(def);
    return PL_OK;
  }
  const pl_contact_surface *surface = &head->surface;
  *volume = pl_rigid_volume_of_triangles(surface->rest_points, surface->triangles, surface->triangle_count,
                                         pl_box_center(head->box));
  double size = pl_box_diagonal(head->box);
  if (!(opening_of(surface) < MAX_OPENING))
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "mesh",
                         "the surface is open, so it has no inside; close it (`pliant check` names the open edges), or "
                         "use the shape hull");
  if (volume->volume < 0)
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "mesh",
                         "the triangles face inwards; reverse the order of their corners");
  if (!(volume->volume > 1e-12 * size * size * size))
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "mesh", "the surface encloses no volume; give it a thickness");
  return PL_OK;
}

// Rotation of which the columns are the principal axes.
static void set_inertia(pl_rigid_model *model, const pl_rigid_volume *volume, double density) {
  pl_mat3 axes;
  pl_symmetric_eigen(pl_mat3_scale(volume->inertia, density), &model->moments, &axes);
  model->principal = pl_rotation_of_mat3(axes, pl_quat_identity());
  model->center = volume->center;
}

static pl_status fill_particles(const pl_mesh_view *view, pl_rigid_model *model, pl_error *error) {
  pl_model *head = &model->head;
  int32_t n = view->point_count;
  pl_vec3 *rest = PL_TAKE(&head->arena, pl_vec3, n);
  double *masses = PL_TAKE(&head->arena, double, n), *inverse_masses = PL_TAKE(&head->arena, double, n);
  if (head->arena.failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < n; ++i) {
    rest[i] = pl_vec3_sub(view->points[i], model->center);
    masses[i] = head->mass / n;
    inverse_masses[i] = n / head->mass;
  }
  model->rest = rest;
  head->masses = masses;
  head->inverse_masses = inverse_masses;
  return PL_OK;
}

static uint64_t hash_model(const pl_rigid_model *model) {
  const pl_model *head = &model->head;
  double numbers[] = {head->mass,        model->center.x,     model->center.y, model->center.z,        model->moments.x,
                      model->moments.y,  model->moments.z,    model->damping,  model->angular_damping, head->friction,
                      head->restitution, head->contact_radius};
  uint64_t hash = pl_hash_bytes(PL_HASH_START, "rigid", 5);
  hash = pl_hash_bytes(hash, numbers, sizeof numbers);
  hash = pl_hash_bytes(hash, &model->principal, sizeof model->principal);
  hash = pl_hash_bytes(hash, model->rest, (size_t)head->particle_count * sizeof(pl_vec3));
  return pl_hash_bytes(hash, head->surface.triangles, 3 * (size_t)head->surface.triangle_count * sizeof(int32_t));
}

static pl_status fill_model(pl_context *context, const pl_rigid_def *def, const pl_mesh *mesh, pl_rigid_model *model,
                            pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_model *head = &model->head;
  head->method = &pl_rigid_method;
  head->particle_count = view.point_count;
  head->box = pl_box_from_points(view.points, view.point_count);
  head->friction = def->friction;
  head->restitution = def->restitution;
  head->contact_radius = pl_model_contact_radius(def->contact_radius, head->box);
  model->damping = def->damping;
  model->angular_damping = def->angular_damping;
  pl_rigid_volume volume = {0};
  pl_status status = build_surface(context, def, mesh, head, error);
  if (status >= 0) status = compute_volume(def, head, &volume, error);
  if (status < 0) return status;
  double density = def->mass > 0 ? def->mass / volume.volume : def->density;
  head->mass = density * volume.volume;
  set_inertia(model, &volume, density);
  status = fill_particles(&view, model, error);
  if (status >= 0) head->hash = hash_model(model);
  return status;
}

static pl_status build_model(pl_context *context, const pl_rigid_def *def, const pl_mesh *mesh, pl_model **model,
                             pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_rigid_model *made = PL_TAKE(&arena, pl_rigid_model, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->head.method = &pl_rigid_method;
  made->head.arena = arena;
  pl_status status = fill_model(context, def, mesh, made, error);
  if (status < 0) {
    pl_model_destroy(&made->head);
    return status;
  }
  *model = &made->head;
  return PL_OK;
}

pl_status pl_rigid_build(pl_context *context, const pl_rigid_def *def, const pl_mesh *mesh, pl_model **model,
                         pl_error *error) {
  *model = NULL;
  pl_status status = pl_parameters_check(&pl_rigid_def_parameters, def, error);
  if (status < 0) return status;
  bool needs_mesh = def->shape == PL_RIGID_MESH || def->shape == PL_RIGID_HULL;
  if (needs_mesh && mesh == NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "mesh",
                         "the shapes mesh and hull need a mesh; give one, or use sphere, capsule or box");
  if (needs_mesh) return build_model(context, def, mesh, model, error);
  pl_mesh *made = NULL;
  status = pl_rigid_shape_build(context, def, &made, error);
  if (status >= 0) status = build_model(context, def, made, model, error);
  pl_mesh_destroy(made);
  return status;
}
