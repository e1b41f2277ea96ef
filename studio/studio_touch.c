// What touches bodies: the ball under a viewer's mouse, points of contact for drawing, and the detail that tools leave.
#include "studio_touch.h"

#include <math.h>
#include <string.h>

#include "math/quat.h"
#include "math/vec3.h"
#include "pliant/detail.h"
#include "world/world_state.h"

// --- the ball ------------------------------------------------------------------------------------------------------------------------

void studio_tool_remove(studio_world *w) {
  if (w->set != NULL) (void)pl_world_remove_collider(w->world, w->tool, NULL);
  w->tool = (pl_collider_id){0, 0};
}

bool studio_tool_move(studio_world *w, pl_vec3 at, double radius) {
  if (w->set == NULL || !pl_vec3_is_finite(at) || !(radius > 1e-6 && radius < 1e6)) return false;
  const pl_transform placement = {at, {0, 0, 0, 1}};
  if (w->tool.slot != 0 && w->tool_radius != radius) studio_tool_remove(w);
  if (w->tool.slot != 0) return pl_world_move_collider(w->world, w->tool, placement, NULL) >= 0;
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_SPHERE);
  def.placement = placement;
  def.radius = w->tool_radius = radius;
  return pl_world_add_collider(w->world, &def, &w->tool, NULL) >= 0;
}

// --- contacts ------------------------------------------------------------------------------------------------------------------------

// Surface points that lie on a collider: closer than the gap that the body keeps and a thousandth of its size.
int32_t studio_contacts_find(studio_world *w, int32_t index, float *places, int32_t most) {
  pl_body_id id = pl_stage_set_body(w->set, index).id;
  const pl_model *model = pl_body_model(w->world, id);
  int32_t points = pl_stage_set_surface(w->set, index).point_count, count = 0;
  double limit = model->contact_radius + 1e-3 * pl_vec3_distance(model->box.most, model->box.least);
  if (pl_stage_set_read_surface(w->set, index, w->points) < 0) return 0;
  for (int32_t c = 0; c < pl_slots_count(&w->world->colliders); ++c) {
    const pl_collider *collider = pl_slots_at(&w->world->colliders, c);
    pl_transform placement = pl_collider_placement(collider, pl_world_time(w->world));
    pl_vec3 center = pl_transform_apply(placement, collider->center);
    double around = collider->reach + limit;
    for (int32_t i = 0; i < points && count < most; ++i) {
      if (pl_vec3_distance(w->points[i], center) > around) continue;
      if (!(pl_collider_distance(collider, placement, w->points[i], NULL) < limit)) continue;
      places[3 * count] = (float)w->points[i].x;
      places[3 * count + 1] = (float)w->points[i].y;
      places[3 * count + 2] = (float)w->points[i].z;
      ++count;
    }
  }
  return count;
}

// --- detail ----------------------------------------------------------------------------------------------------------------------------

bool studio_detail_is_on(const studio_world *w, int32_t body) {
  return body >= STUDIO_DETAIL_LIMIT || !w->plain[body];
}

// The surface as the body's own method has it, before layers acted on it.
bool studio_detail_read_coarse(const studio_world *w, int32_t index, pl_vec3 *points) {
  const pl_body *body = pl_world_find_body(w->world, pl_stage_set_body(w->set, index).id);
  if (body == NULL || body->model->surface.point_count != pl_stage_set_surface(w->set, index).point_count) return false;
  body->model->method->read_surface(body->model, body->state, points);
  return true;
}

bool studio_detail_is_there(const studio_world *w, int32_t index) {
  const pl_body *body = pl_world_find_body(w->world, pl_stage_set_body(w->set, index).id);
  return body != NULL && body->layers.count > 0;
}

// The layer of a body that shows detail: they were made in the order of the bodies that have one.
static const pl_detail_layer *find_layer(const studio_world *w, int32_t index) {
  int32_t number = 0;
  if (PL_ITEM(&w->set->parts, pl_stage_part, index).source->detail.json == NULL) return NULL;
  for (int32_t i = 0; i < index; ++i) number += PL_ITEM(&w->set->parts, pl_stage_part, i).source->detail.json != NULL;
  for (size_t i = 0; i < w->set->details.count; ++i) {
    const pl_stage_detail *detail = &PL_ITEM(&w->set->details, pl_stage_detail, i);
    if (detail->layer != NULL && number-- == 0) return detail->layer;
  }
  return NULL;
}

// The set of examples that it shows.
static const pl_detail_set *find_set(const studio_world *w, int32_t index) {
  const char *file = PL_ITEM(&w->set->parts, pl_stage_part, index).source->detail.set;
  for (size_t i = 0; i < w->set->details.count; ++i) {
    const pl_stage_detail *detail = &PL_ITEM(&w->set->details, pl_stage_detail, i);
    if (detail->set != NULL && strcmp(detail->source->set, file) == 0) return detail->set;
  }
  return NULL;
}

void studio_detail_tell(studio_world *w, studio_note *note, pl_json *object, int32_t index) {
  enum { CONTACT_MOST = 8 };
  const pl_detail_layer *layer = find_layer(w, index);
  const pl_detail_set *shown = layer != NULL ? find_set(w, index) : NULL;
  pl_json *item = shown != NULL ? pl_json_set(&note->arena, object, "detail", pl_json_new(&note->arena, PL_JSON_OBJECT)) : NULL;
  if (item == NULL) return;
  pl_detail_contact_report reports[CONTACT_MOST];
  int32_t count = pl_detail_layer_contacts(layer, CONTACT_MOST, reports), best = -1;
  pl_detail_set_view set = pl_detail_set_look(shown);
  pl_json *names = pl_json_set(&note->arena, item, "examples", pl_json_new(&note->arena, PL_JSON_ARRAY));
  pl_json *weights = pl_json_set(&note->arena, item, "weights", pl_json_new(&note->arena, PL_JSON_ARRAY));
  for (int32_t i = 0; i < count && i < CONTACT_MOST; ++i)
    if (best < 0 || reports[i].load_size > reports[best].load_size) best = i;
  for (int32_t k = 0; names != NULL && weights != NULL && k < set.example_count && k < 64; ++k) {
    pl_json_add(names, pl_json_new_text(&note->arena, set.labels[k]));
    pl_json_add(weights,
                pl_json_new_number(&note->arena, best >= 0 && reports[best].best_example == k ? reports[best].best_weight : 0));
  }
  studio_note_number(note, item, "load", best >= 0 ? reports[best].load_size : 0);
  pl_json_set_bool(&note->arena, item, "on", studio_detail_is_on(w, index));
}
