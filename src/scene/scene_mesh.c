// Meshes of a scene: read from files, boxes of tets, drawn cells, modelled shapes, curves, sheets or plates.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "pliant/math.h"
#include "pliant/mesh_file.h"
#include "pliant/modeller.h"
#include "scene/scene_fem.h"
#include "scene/scene_shape_cache.h"

// Nodes of a shape in the modeller's order: children before their parent.
typedef struct flat_shape {
  pl_arena *arena;
  pl_vector nodes;  // of pl_shape_node
} flat_shape;

// Returns the node's number, or -1 when out of memory.
static int32_t flatten(flat_shape *flat, const pl_scene_shape *shape) {
  int32_t *children = PL_TAKE(flat->arena, int32_t, shape->children.count);
  if (children == NULL) return -1;
  for (int32_t i = 0; i < shape->children.count; ++i) {
    children[i] = flatten(flat, &((const pl_scene_shape *)shape->children.items)[i]);
    if (children[i] < 0) return -1;
  }
  pl_shape_node node = pl_default_shape_node((pl_shape_kind)shape->kind);
  node.placement = (pl_transform){shape->position, shape->rotation};
  node.scale = shape->scale;
  node.size = shape->size;
  node.from = shape->from;
  node.to = shape->to;
  node.radius = shape->radius;
  node.end_radius = shape->end_radius > 0 ? shape->end_radius : shape->radius;
  node.smoothness = shape->smoothness;
  node.amount = shape->amount;
  node.outline = shape->outline.items;
  node.outline_count = shape->outline.count;
  node.children = children;
  node.child_count = shape->children.count;
  return pl_vector_push(&flat->nodes, &node) ? (int32_t)flat->nodes.count - 1 : -1;
}

static pl_status make_shape(const pl_scene *scene, const pl_scene_shape *shape, double cell_size, int64_t triangles,
                            pl_mesh **mesh, pl_error *error) {
  pl_context *context = scene->context;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  flat_shape flat = {&arena, pl_vector_of(context, sizeof(pl_shape_node))};
  pl_status status;
  if (flatten(&flat, shape) < 0) {
    status = pl_fail_memory(error);
  } else {
    pl_shape_def def = pl_default_shape_def();
    def.cell_size = cell_size;
    def.target_triangle_count = (int32_t)triangles;
    status =
        pl_shape_cache_build(scene->cache, context, &def, flat.nodes.items, (int32_t)flat.nodes.count, mesh, error);
  }
  pl_vector_free(&flat.nodes);
  pl_arena_destroy(&arena);
  return status;
}

pl_status pl_scene_read_mesh(const pl_scene *scene, const char *file, pl_mesh **mesh, pl_findings *findings,
                             pl_error *error) {
  char *path = pl_path_join(scene->context, scene->folder, file);
  if (path == NULL) return pl_fail_memory(error);
  pl_status status = pl_mesh_load(scene->context, path, mesh, findings, error);
  pl_release(scene->context, path);
  return status;
}

// Put a scaled copy in the place of `*mesh`.
static pl_status scale_mesh(pl_context *context, double scale, pl_mesh **mesh, pl_error *error) {
  if (scale == 1) return PL_OK;
  pl_mesh_view view = pl_mesh_get_view(*mesh);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_vec3 *points = PL_TAKE(&arena, pl_vec3, view.point_count);
  pl_mesh_pose *poses = pl_arena_copy(&arena, view.poses, (size_t)view.pose_count, sizeof(pl_mesh_pose));
  for (int32_t i = 0; points != NULL && i < view.point_count; ++i) points[i] = pl_vec3_scale(view.points[i], scale);
  for (int32_t k = 0; poses != NULL && k < view.pose_count; ++k) {
    pl_vec3 *posed = PL_TAKE(&arena, pl_vec3, view.point_count);
    for (int32_t i = 0; posed != NULL && i < view.point_count; ++i) posed[i] = pl_vec3_scale(poses[k].points[i], scale);
    poses[k].points = posed;
  }
  pl_mesh *scaled = NULL;
  pl_status status = arena.failed ? pl_fail_memory(error) : PL_OK;
  if (status >= 0) {
    view.points = points;
    view.poses = poses;
    status = pl_mesh_create(context, &view, &scaled, error);
  }
  pl_arena_destroy(&arena);
  if (status < 0) return status;
  pl_mesh_destroy(*mesh);
  *mesh = scaled;
  return PL_OK;
}

const pl_scene_mesh *pl_scene_find_mesh(const pl_scene *scene, const char *name) {
  const pl_scene_list *meshes = &scene->document.meshes;
  for (int32_t i = 0; i < meshes->count; ++i) {
    const pl_scene_mesh *mesh = &((const pl_scene_mesh *)meshes->items)[i];
    if (strcmp(mesh->name, name) == 0) return mesh;
  }
  return NULL;
}

pl_status pl_scene_make_mesh(const pl_scene *scene, const char *name, pl_mesh **mesh, pl_findings *findings,
                             pl_error *error) {
  *mesh = NULL;
  const pl_scene_mesh *def = pl_scene_find_mesh(scene, name);
  if (def == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no mesh \"%s\" in this scene", name);
  pl_context *context = scene->context;
  pl_status status;
  if (def->box.json != NULL)
    status = pl_mesh_create_box(context, def->box.size, def->box.cells, mesh, error);
  else if (def->cells.json != NULL)
    status = pl_scene_make_cells(context, &def->cells, mesh, error);
  else if (def->shape.json != NULL)
    status = make_shape(scene, &def->shape, def->cell_size, def->triangles, mesh, error);
  else if (def->curve.json != NULL)
    status = pl_scene_make_curve(context, &def->curve, mesh, error);
  else if (def->sheet.json != NULL)
    status = pl_scene_make_sheet(context, &def->sheet, mesh, error);
  else if (def->plate.json != NULL)
    status = pl_scene_make_plate(context, &def->plate, mesh, error);
  else
    status = pl_scene_read_mesh(scene, def->file, mesh, findings, error);
  if (status >= 0) status = scale_mesh(context, def->scale, mesh, error);
  if (status < 0) {
    pl_mesh_destroy(*mesh);
    *mesh = NULL;
    // An error of a mesh file has its own place; others are placed at the mesh in the scene.
    if (error != NULL && error->file[0] == '\0' && status != PL_ERROR_OUT_OF_MEMORY)
      pl_instance_add_finding(scene, def->json, findings, PL_SEVERITY_ERROR, "mesh-failed", "",
                              "mesh \"%s\" cannot be made: %s%s%s", name, error->field,
                              error->field[0] != '\0' ? ": " : "", error->text);
  }
  return status;
}

// Files do not say what their numbers mean. Soft bodies of more than MAX_SIDE or less than MIN_SIDE are rarer than
// files in centimetres or millimetres.
static const double MAX_SIDE = 50, MIN_SIDE = 0.004;

void pl_scene_doubt_size(const pl_scene *scene, const char *name, const pl_mesh *mesh, pl_findings *findings) {
  const pl_scene_mesh *def = pl_scene_find_mesh(scene, name);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  pl_vec3 size = pl_vec3_sub(box.max, box.min);
  double side = fmax(size.x, fmax(size.y, size.z));
  bool is_large = side > MAX_SIDE, is_small = side < MIN_SIDE;
  if (def == NULL || def->file[0] == '\0' || pl_json_find(def->json, "scale") != NULL || !(is_large || is_small))
    return;
  char fix[160];
  if (is_large)
    snprintf(
        fix, sizeof fix,
        "give it a `scale`: 0.01 if its numbers are centimetres (%.3g m), 0.001 if millimetres (%.3g m), 1 if metres",
        0.01 * side, 0.001 * side);
  else
    snprintf(fix, sizeof fix, "give it a `scale`: 1000 if its numbers are kilometres (%.3g m), 1 if metres",
             1000 * side);
  const pl_json *json = pl_json_find(def->json, "file");
  pl_instance_add_finding(scene, json != NULL ? json : def->json, findings, PL_SEVERITY_WARNING, "unlikely-size", fix,
                          "mesh \"%s\" is %.3g m long", name, side);
}

// Spheres and capsules are drawn from the modeller, so that they look like what is simulated.
static pl_status make_round(const pl_scene *scene, const pl_scene_collider *c, pl_mesh **mesh, pl_error *error) {
  pl_scene_shape shape = {.kind = PL_SHAPE_CAPSULE, .rotation = {0, 0, 0, 1}, .scale = 1, .radius = c->def.radius};
  if (c->def.shape == PL_COLLIDER_SPHERE) {
    shape.kind = PL_SHAPE_ELLIPSOID;
    shape.size = (pl_vec3){c->def.radius, c->def.radius, c->def.radius};
  } else {
    shape.from.y = -c->def.half_length;
    shape.to.y = c->def.half_length;
  }
  return make_shape(scene, &shape, 0, 4000, mesh, error);
}

// The boundary of a box of one cell, its middle at height `y`.
static pl_status make_block(pl_context *context, pl_vec3 size, double y, pl_mesh **mesh, pl_error *error) {
  const int32_t cells[3] = {1, 1, 1};
  pl_mesh *tets = NULL, *surface = NULL;
  pl_status status = pl_mesh_create_box(context, size, cells, &tets, error);
  if (status >= 0) status = pl_mesh_build_boundary(context, tets, &surface, NULL, error);
  if (status >= 0) {
    pl_mesh_view view = pl_mesh_get_view(surface);
    pl_vec3 points[8];
    for (int i = 0; i < 8; ++i) points[i] = pl_vec3_add(view.points[i], (pl_vec3){0, y, 0});
    view.points = points;
    status = pl_mesh_create(context, &view, mesh, error);
  }
  pl_mesh_destroy(surface);
  pl_mesh_destroy(tets);
  return status;
}

pl_status pl_scene_make_collider_mesh(const pl_scene *scene, const pl_scene_collider *c, pl_mesh **mesh,
                                      pl_findings *findings, pl_error *error) {
  *mesh = NULL;
  pl_context *context = scene->context;
  switch (c->def.shape) {
    case PL_COLLIDER_SPHERE:
    case PL_COLLIDER_CAPSULE: return make_round(scene, c, mesh, error);
    case PL_COLLIDER_BOX: return make_block(context, pl_vec3_scale(c->def.half_size, 2), 0, mesh, error);
    case PL_COLLIDER_MESH: return pl_scene_make_mesh(scene, c->mesh, mesh, findings, error);
    default: {
      // A level half-space is the ground; a tilted one is drawn as a wide slab under its surface.
      bool level = c->keys.count == 0 && pl_quat_rotate(c->def.placement.rotation, (pl_vec3){0, 1, 0}).y > 1 - 1e-9;
      return level ? PL_OK : make_block(context, (pl_vec3){12, 0.2, 12}, -0.1, mesh, error);
    }
  }
}
