// Detail as a layer of a body: what its tools touch after a step becomes contacts of a filter (pliant/detail.h).
//
// A tool touches the surface points that are closer to it than the gap the body keeps and the reach, and the triangles
// that are, between points that are not. One contact is made of them: their mean, the closer ones counting more, and
// all of them as its patch. The layer has no state of its own, so snapshots need nothing from it.
#include "detail/detail_layer.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "contact/collider_triangle.h"
#include "contact/surface_tree.h"
#include "detail/detail_parameters.h"
#include "pliant/math.h"
#include "world/world_state.h"

struct pl_detail_layer {
  pl_arena arena;
  pl_detail_filter *filter;
  int32_t tool_count;
  pl_collider_id *tools;
  pl_collider_id hand;  // counts as a tool too; null for none
  double reach;
  int32_t max_contacts, contact_count;
  pl_detail_contact *contacts;
  pl_detail_contact_report *reports;
  int32_t *patches;  // surface points that each contact touches, one slot per point
  int32_t particle_count;
  pl_vec3 *rest_points;    // of particles
  pl_vec3 *displacements;  // of particles
};

pl_detail_layer_def pl_default_detail_layer_def(void) {
  pl_detail_layer_def def = {0};
  pl_parameters_set_defaults(&pl_detail_layer_def_parameters, &def);
  return def;
}

// Surface points at rest and the particle with the largest weight of each.
static void fill_surface(const pl_contact_surface *surface, const pl_vec3 *mesh_points, pl_vec3 *points,
                         int32_t *anchors) {
  for (int32_t i = 0; i < surface->point_count; ++i) {
    const int32_t *parents = surface->parents + 4 * (size_t)i;
    const float *weights = surface->weights + 4 * (size_t)i;
    int heaviest = 0;
    for (int k = 1; k < 4; ++k)
      if (weights[k] > weights[heaviest]) heaviest = k;
    points[i] = pl_contact_surface_point(surface, i, mesh_points);
    anchors[i] = parents[heaviest];
  }
}

bool pl_model_detail_object(pl_arena *arena, const pl_model *model, const pl_mesh *tets, pl_detail_object *object) {
  pl_mesh_view mesh = pl_mesh_get_view(tets);
  const pl_contact_surface *surface = &model->surface;
  pl_vec3 *points = PL_TAKE(arena, pl_vec3, surface->point_count);
  int32_t *anchors = PL_TAKE(arena, int32_t, surface->point_count);
  if (arena->failed) return false;
  fill_surface(surface, mesh.points, points, anchors);
  *object = (pl_detail_object){.material_count = mesh.point_count,
                               .material_points = mesh.points,
                               .tet_count = mesh.tet_count,
                               .tets = mesh.tets,
                               .surface_count = surface->point_count,
                               .surface_points = points,
                               .triangle_count = surface->triangle_count,
                               .triangles = surface->triangles,
                               .material_of_surface = anchors};
  return true;
}

static pl_status make_filter(pl_context *context, pl_detail_layer *layer, const pl_detail_layer_def *def,
                             const pl_model *model, pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_detail_object object;
  pl_status status = pl_model_detail_object(&arena, model, def->mesh, &object) ? PL_OK : pl_fail_memory(error);
  if (status >= 0) {
    pl_detail_filter_def filter = pl_default_detail_filter_def();
    filter.set = def->set;
    filter.object = &object;
    filter.max_contacts = def->max_contacts;
    filter.scale = def->scale;
    status = pl_detail_filter_create(context, &filter, &layer->filter, error);
  }
  pl_arena_destroy(&arena);
  return status;
}

static bool is_tool(const pl_detail_layer *layer, pl_slot_id id, const pl_collider *collider) {
  if (layer->hand.slot != 0 && layer->hand.slot == id.slot && layer->hand.generation == id.generation) return true;
  if (layer->tool_count == 0) return collider->key_count > 0;
  for (int32_t i = 0; i < layer->tool_count; ++i)
    if (layer->tools[i].slot == id.slot && layer->tools[i].generation == id.generation) return true;
  return false;
}

// What a tool touches, so far.
typedef struct tool_touch {
  const pl_collider *collider;
  pl_transform placement;
  double limit;           // metres of gap within which it touches
  const pl_vec3 *points;  // of the surface
  int32_t *patch, count;  // those that are touched, `point_count` of them by themselves, in rising order
  int32_t point_count;
  double total;         // of how deep all places are within the limit
  pl_vec3 sum, facing;  // of the places and of the directions into the body, times this
} tool_touch;

static void add_place(tool_touch *touch, pl_vec3 place, pl_vec3 normal, double depth) {
  touch->total += depth;
  touch->sum = pl_vec3_add_scaled(touch->sum, place, depth);
  touch->facing = pl_vec3_add_scaled(touch->facing, normal, -depth);
}

static bool is_listed(const tool_touch *touch, int32_t first, int32_t count, int32_t point) {
  for (int32_t i = first; i < count; ++i)
    if (touch->patch[i] == point) return true;
  return false;
}

static bool is_touched(const tool_touch *touch, int32_t point) {
  int32_t first = 0, count = touch->point_count;
  while (count > 0) {
    int32_t half = count / 2, middle = touch->patch[first + half];
    if (middle == point) return true;
    first = middle < point ? first + half + 1 : first;
    count = middle < point ? count - half - 1 : half;
  }
  return false;
}

// A triangle between whose corners the tool is, without touching any of them. Its nearest corner joins the patch.
static void touch_triangle(tool_touch *touch, const int32_t *triangle) {
  pl_vec3 corners[3], normal, place = {0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    if (is_touched(touch, triangle[k])) return;
    corners[k] = touch->points[triangle[k]];
  }
  double weights[3];
  double depth = touch->limit + pl_collider_triangle_depth(touch->collider, touch->placement, corners, -touch->limit,
                                                           weights, &normal);
  if (!(depth > 0)) return;
  int nearest = weights[1] > weights[0] ? 1 : 0;
  if (weights[2] > weights[nearest]) nearest = 2;
  for (int k = 0; k < 3; ++k) place = pl_vec3_add_scaled(place, corners[k], weights[k]);
  add_place(touch, place, normal, depth);
  if (!is_listed(touch, touch->point_count, touch->count, triangle[nearest]))
    touch->patch[touch->count++] = triangle[nearest];
}

static void touch_points(tool_touch *touch, int32_t point_count) {
  const pl_collider *collider = touch->collider;
  pl_vec3 center = pl_transform_apply(touch->placement, collider->center);
  double around = collider->reach + touch->limit;
  for (int32_t i = 0; i < point_count; ++i) {
    pl_vec3 off = pl_vec3_sub(touch->points[i], center), normal;
    if (pl_vec3_dot(off, off) > around * around) continue;
    double depth = touch->limit - pl_collider_distance(collider, touch->placement, touch->points[i], &normal);
    if (!(depth > 0)) continue;
    touch->patch[touch->count++] = i;
    add_place(touch, touch->points[i], normal, depth);
  }
  touch->point_count = touch->count;
}

// The contact of one tool with the surface; false if it touches nothing.
static bool touch_surface(const pl_collider *collider, pl_transform placement, double limit,
                          const pl_contact_surface *surface, const pl_vec3 *points, int32_t *patch,
                          pl_detail_contact *contact) {
  tool_touch touch = {.collider = collider, .placement = placement, .limit = limit, .points = points, .patch = patch};
  touch_points(&touch, surface->point_count);
  for (int32_t t = 0; collider->surface != NULL && t < surface->triangle_count; ++t)
    touch_triangle(&touch, &surface->triangles[3 * (size_t)t]);
  if (touch.count == 0) return false;
  *contact = (pl_detail_contact){.point = pl_vec3_scale(touch.sum, 1.0 / touch.total),
                                 .normal = touch.facing,
                                 .pressure = touch.total,
                                 .patch_count = touch.count,
                                 .patch_points = patch};
  return true;
}

bool pl_world_find_touch(const pl_world *world, pl_collider_id tool, double limit, const pl_contact_surface *surface,
                         const pl_vec3 *points, int32_t *patch, pl_detail_contact *contact) {
  const pl_collider *collider = pl_slots_get(&world->colliders, pl_slot_of_collider(tool));
  if (collider == NULL) return false;
  return touch_surface(collider, pl_collider_placement(collider, pl_world_get_time(world)), limit, surface, points,
                       patch, contact);
}

static pl_status after_step(void *user, const pl_world *world, pl_body_id id, pl_vec3 *points, int32_t point_count,
                            pl_error *error) {
  pl_detail_layer *layer = user;
  const pl_body *body = pl_world_find_body(world, id);
  double limit = body->model->contact_radius + layer->reach, time = pl_world_get_time(world);
  layer->contact_count = 0;
  for (int32_t i = 0; i < pl_slots_count(&world->colliders) && layer->contact_count < layer->max_contacts; ++i) {
    const pl_collider *collider = pl_slots_at(&world->colliders, i);
    if (!is_tool(layer, pl_slots_id_at(&world->colliders, i), collider)) continue;
    int32_t *patch = layer->patches + (size_t)point_count * (size_t)layer->contact_count;
    layer->contact_count += touch_surface(collider, pl_collider_placement(collider, time), limit, &body->model->surface,
                                          points, patch, &layer->contacts[layer->contact_count]);
  }
  if (layer->contact_count == 0) return PL_OK;
  body->model->method->get_positions(body->model, body->state, layer->displacements);
  for (int32_t i = 0; i < layer->particle_count; ++i)
    layer->displacements[i] = pl_vec3_sub(layer->displacements[i], layer->rest_points[i]);
  pl_detail_frame frame = {layer->displacements, points, layer->contact_count, layer->contacts};
  return pl_detail_filter_apply(layer->filter, &frame, points, layer->reports, error);
}

static pl_status check_def(const pl_world *world, pl_body_id body, const pl_detail_layer_def *def,
                           const pl_model **model, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_detail_layer_def_parameters, def, error);
  if (status < 0) return status;
  *model = pl_body_get_model(world, body);
  if (*model == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  if (def->set == NULL || def->mesh == NULL || def->tool_count < 0 || (def->tool_count > 0 && def->tools == NULL))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "a layer of detail needs a set, a mesh, and the tools that it counts");
  pl_mesh_view mesh = pl_mesh_get_view(def->mesh);
  if (mesh.tet_count < 1 || mesh.point_count != (*model)->particle_count)
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "mesh",
                         "has %d tets and %d points; the body's model was built from one with %d", mesh.tet_count,
                         mesh.point_count, (*model)->particle_count);
  return PL_OK;
}

static bool take_arrays(pl_detail_layer *layer, const pl_detail_layer_def *def, const pl_model *model) {
  pl_arena *arena = &layer->arena;
  size_t particle_count = (size_t)model->particle_count;
  layer->reach = def->reach;
  layer->max_contacts = def->max_contacts;
  layer->tool_count = def->tool_count;
  layer->particle_count = model->particle_count;
  layer->tools = pl_arena_copy(arena, def->tools, (size_t)def->tool_count, sizeof *def->tools);
  layer->contacts = PL_TAKE(arena, pl_detail_contact, def->max_contacts);
  layer->reports = PL_TAKE(arena, pl_detail_contact_report, def->max_contacts);
  layer->patches = PL_TAKE(arena, int32_t, (size_t)def->max_contacts * (size_t)model->surface.point_count);
  layer->rest_points = pl_arena_copy(arena, pl_mesh_get_view(def->mesh).points, particle_count, sizeof(pl_vec3));
  layer->displacements = PL_TAKE(arena, pl_vec3, particle_count);
  return !arena->failed;
}

pl_status pl_detail_layer_add(pl_world *world, pl_body_id body, const pl_detail_layer_def *def, pl_detail_layer **layer,
                              pl_error *error) {
  *layer = NULL;
  const pl_model *model = NULL;
  pl_status status = check_def(world, body, def, &model, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, world->context, 0);
  pl_detail_layer *made = PL_TAKE(&arena, pl_detail_layer, 1);
  if (made == NULL) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  made->arena = arena;
  status = take_arrays(made, def, model) ? make_filter(world->context, made, def, model, error) : pl_fail_memory(error);
  pl_layer table = {.after_step = after_step, .user = made};
  if (status >= 0) status = pl_world_add_layer(world, body, &table, error);
  if (status < 0) {
    pl_detail_layer_destroy(made);
    return status;
  }
  *layer = made;
  return PL_OK;
}

void pl_detail_layer_destroy(pl_detail_layer *layer) {
  if (layer == NULL) return;
  pl_detail_filter_destroy(layer->filter);
  pl_arena_destroy(&layer->arena);
}

int32_t pl_detail_layer_get_contacts(const pl_detail_layer *layer, int32_t max, pl_detail_contact_report *reports) {
  for (int32_t i = 0; reports != NULL && i < max && i < layer->contact_count; ++i) reports[i] = layer->reports[i];
  return layer->contact_count;
}

pl_detail_time_report pl_detail_layer_get_report(const pl_detail_layer *layer) {
  return pl_detail_filter_get_report(layer->filter);
}

void pl_detail_layer_set_hand(pl_detail_layer *layer, pl_collider_id hand) {
  layer->hand = hand;
}

void pl_detail_layer_get_weights(const pl_detail_layer *layer, int32_t contact, double *weights) {
  pl_detail_filter_get_weights(layer->filter, contact, weights);
}
