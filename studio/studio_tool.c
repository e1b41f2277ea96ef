// The tool of the viewers and contact points.
#include "studio_tool.h"

#include <math.h>

#include "pliant/math.h"
#include "studio_detail.h"
#include "world/world_state.h"

// --- tool
// ------------------------------------------------------------------------------------------------------------------------

void studio_tool_remove(studio_world *w) {
  if (w->instance != NULL) (void)pl_world_remove_collider(w->world, w->tool, NULL);
  w->tool = (pl_collider_id){0, 0};
  studio_detail_set_tool(w);
}

bool studio_tool_move(studio_world *w, pl_vec3 at, double radius) {
  if (w->instance == NULL || !pl_vec3_is_finite(at) || !(radius > 1e-6 && radius < 1e6)) return false;
  const pl_transform placement = {at, {0, 0, 0, 1}};
  if (w->tool.slot != 0 && w->tool_radius != radius) studio_tool_remove(w);
  if (w->tool.slot != 0) return pl_world_move_collider(w->world, w->tool, placement, NULL) >= 0;
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_SPHERE);
  def.placement = placement;
  def.radius = w->tool_radius = radius;
  if (pl_world_add_collider(w->world, &def, &w->tool, NULL) < 0) return false;
  studio_detail_set_tool(w);
  return true;
}

// --- contacts
// ------------------------------------------------------------------------------------------------------------------------

// A point touches a collider if its distance is below the contact radius of the body plus a thousandth of its size.
int32_t studio_contacts_find(studio_world *w, int32_t index, float *positions, int32_t max) {
  pl_body_id id = pl_scene_instance_get_body(w->instance, index).id;
  const pl_model *model = pl_body_get_model(w->world, id);
  int32_t points = pl_scene_instance_get_surface_view(w->instance, index).point_count, count = 0;
  double limit = model->contact_radius + 1e-3 * pl_vec3_distance(model->box.max, model->box.min);
  if (pl_scene_instance_get_surface(w->instance, index, w->points) < 0) return 0;
  for (int32_t c = 0; c < pl_slots_count(&w->world->colliders); ++c) {
    const pl_collider *collider = pl_slots_at(&w->world->colliders, c);
    pl_transform placement = pl_collider_placement(collider, pl_world_get_time(w->world));
    pl_vec3 center = pl_transform_apply(placement, collider->center);
    double around = collider->reach + limit;
    for (int32_t i = 0; i < points && count < max; ++i) {
      if (pl_vec3_distance(w->points[i], center) > around) continue;
      if (!(pl_collider_distance(collider, placement, w->points[i], NULL) < limit)) continue;
      positions[3 * count] = (float)w->points[i].x;
      positions[3 * count + 1] = (float)w->points[i].y;
      positions[3 * count + 2] = (float)w->points[i].z;
      ++count;
    }
  }
  return count;
}
