// Bodies with detail: telemetry, segments and contacts.
#include "studio_detail.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "detail/detail_layer.h"
#include "world/world_state.h"

enum { MAX_CONTACT = 8, MAX_REPORTED = 16, SEGMENT_COUNT = 8 };

// Smaller weights are not reported.
static const double MIN_WEIGHT = 0.005;

// --- layers and sets
// -----------------------------------------------------------------------------------------------------------

bool studio_detail_is_on(const studio_world *w, int32_t body) {
  return body >= STUDIO_MAX_DETAIL || !w->detail_off[body];
}

// The surface of the simulation, before layers add detail.
bool studio_detail_get_coarse_surface(const studio_world *w, int32_t index, pl_vec3 *points) {
  const pl_body *body = pl_world_find_body(w->world, pl_scene_instance_get_body(w->instance, index).id);
  if (body == NULL ||
      body->model->surface.point_count != pl_scene_instance_get_surface_view(w->instance, index).point_count)
    return false;
  body->model->method->get_surface(body->model, body->state, points);
  return true;
}

bool studio_detail_exists(const studio_world *w, int32_t index) {
  const pl_body *body = pl_world_find_body(w->world, pl_scene_instance_get_body(w->instance, index).id);
  return body != NULL && body->layers.count > 0;
}

// The detail layer of a body. Layers are in the order of the bodies that have one.
static const pl_detail_layer *find_layer(const studio_world *w, int32_t index) {
  int32_t number = 0;
  if (PL_ITEM(&w->instance->parts, pl_instance_part, index).source->detail.json == NULL) return NULL;
  for (int32_t i = 0; i < index; ++i)
    number += PL_ITEM(&w->instance->parts, pl_instance_part, i).source->detail.json != NULL;
  for (size_t i = 0; i < w->instance->details.count; ++i) {
    const pl_instance_detail *detail = &PL_ITEM(&w->instance->details, pl_instance_detail, i);
    if (detail->layer != NULL && number-- == 0) return detail->layer;
  }
  return NULL;
}

const pl_detail_set *studio_detail_get_set(const studio_world *w, int32_t index) {
  const pl_scene_body *source = PL_ITEM(&w->instance->parts, pl_instance_part, index).source;
  for (size_t i = 0; source->detail.json != NULL && i < w->instance->details.count; ++i) {
    const pl_instance_detail *detail = &PL_ITEM(&w->instance->details, pl_instance_detail, i);
    if (detail->set != NULL && strcmp(detail->source->set, source->detail.set) == 0) return detail->set;
  }
  return NULL;
}

void studio_detail_set_tool(studio_world *w) {
  for (size_t i = 0; w->instance != NULL && i < w->instance->details.count; ++i) {
    pl_instance_detail *detail = &PL_ITEM(&w->instance->details, pl_instance_detail, i);
    if (detail->layer != NULL) pl_detail_layer_set_hand(detail->layer, w->tool);
  }
}

// --- contacts and weights
// ---------------------------------------------------------------------------------------------------------------

// Contacts of the last step. At step 0 there are none, even if the layers still have contacts from before a reset.
static int32_t read_contacts(const studio_world *w, const pl_detail_layer *layer, pl_detail_contact_report *reports) {
  if (layer == NULL || pl_world_step_count(w->world) == 0) return 0;
  int32_t count = pl_detail_layer_get_contacts(layer, MAX_CONTACT, reports);
  return count < MAX_CONTACT ? count : MAX_CONTACT;
}

bool studio_detail_strongest_contact(const studio_world *w, int32_t index, pl_detail_contact_report *report) {
  pl_detail_contact_report reports[MAX_CONTACT];
  int32_t count = read_contacts(w, find_layer(w, index), reports), best = -1;
  for (int32_t i = 0; i < count; ++i)
    if (reports[i].triangle >= 0 && (best < 0 || reports[i].load_size > reports[best].load_size)) best = i;
  if (best >= 0) *report = reports[best];
  return best >= 0;
}

// Examples may share a label, because a mirror image has the label of its recording: number them.
static void name_example(const pl_detail_set_view *set, int32_t number, char *name, size_t size) {
  int32_t turn = 1;
  for (int32_t i = 0; i < number; ++i) turn += strcmp(set->labels[i], set->labels[number]) == 0;
  if (set->labels[number][0] == '\0')
    snprintf(name, size, "example %d", number + 1);
  else if (turn == 1)
    snprintf(name, size, "%.80s", set->labels[number]);
  else
    snprintf(name, size, "%.80s (%d)", set->labels[number], turn);
}

// For each example its largest weight over all contacts. `found` has space for two rows.
static void gather_weights(const pl_detail_layer *layer, int32_t contact_count, int32_t example_count, double *found) {
  double *one = found + example_count;
  for (int32_t c = 0; c < contact_count; ++c) {
    pl_detail_layer_get_weights(layer, c, one);
    for (int32_t k = 0; k < example_count; ++k)
      if (isfinite(one[k]) && fabs(one[k]) > fabs(found[k])) found[k] = one[k];
  }
}

// The smallest of the MAX_REPORTED largest weights, at least MIN_WEIGHT.
static double find_threshold(const double *weights, int32_t count) {
  double min = MIN_WEIGHT, max[MAX_REPORTED] = {0};
  for (int32_t k = 0; k < count; ++k) {
    double weight = fabs(weights[k]);
    for (int i = 0; i < MAX_REPORTED; ++i)
      if (weight > max[i]) {
        double swap = max[i];
        max[i] = weight;
        weight = swap;
      }
  }
  return fmax(min, max[MAX_REPORTED - 1]);
}

static void add_weights(studio_message *message, pl_json *item, const pl_detail_set_view *set, const double *weights) {
  pl_json *names = pl_json_set(&message->arena, item, "examples", pl_json_new(&message->arena, PL_JSON_ARRAY));
  pl_json *numbers = pl_json_set(&message->arena, item, "weights", pl_json_new(&message->arena, PL_JSON_ARRAY));
  double min = find_threshold(weights, set->example_count);
  int32_t count = 0;
  for (int32_t k = 0; names != NULL && numbers != NULL && k < set->example_count && count < MAX_REPORTED; ++k) {
    char name[120];
    if (fabs(weights[k]) < min) continue;
    name_example(set, k, name, sizeof name);
    pl_json_add(names, pl_json_new_text(&message->arena, name));
    pl_json_add(numbers, pl_json_new_number(&message->arena, round(weights[k] * 1e4) / 1e4));
    ++count;
  }
}

void studio_detail_report(studio_world *w, studio_message *message, pl_json *object, int32_t index) {
  const pl_detail_layer *layer = find_layer(w, index);
  const pl_detail_set *shown = layer != NULL ? studio_detail_get_set(w, index) : NULL;
  pl_json *item = shown != NULL
                      ? pl_json_set(&message->arena, object, "detail", pl_json_new(&message->arena, PL_JSON_OBJECT))
                      : NULL;
  if (item == NULL) return;
  pl_detail_set_view set = pl_detail_set_get_view(shown);
  pl_detail_contact_report reports[MAX_CONTACT], strongest = {.load_size = 0};
  double *weights = PL_TAKE(&message->arena, double, 2 * (size_t)set.example_count);
  if (weights == NULL) return;
  (void)studio_detail_strongest_contact(w, index, &strongest);
  gather_weights(layer, read_contacts(w, layer, reports), set.example_count, weights);
  add_weights(message, item, &set, weights);
  studio_message_set_number(message, item, "count", set.example_count);
  studio_message_set_number(message, item, "load", strongest.load_size);
  pl_json_set_bool(&message->arena, item, "on", studio_detail_is_on(w, index));
}

// --- segments
// ----------------------------------------------------------------------------------------------------------------------

void studio_segments_clear(studio_world *w) {
  for (size_t i = 0; i < w->segments.count; ++i) pl_release(w->context, PL_ITEM(&w->segments, int32_t *, i));
  w->segments.count = 0;
}

// Segments with the window radius and the scale of the examples of the body.
static int32_t *find_segments(studio_world *w, int32_t index, const pl_detail_set *set) {
  const pl_instance_part *part = &PL_ITEM(&w->instance->parts, pl_instance_part, index);
  int32_t count = part->model->surface.point_count;
  int32_t *found = pl_allocate_array(w->context, (size_t)count, sizeof *found);
  pl_arena arena;
  pl_arena_init(&arena, w->context, 0);
  pl_detail_object object;
  pl_detail_def def = pl_detail_set_get_view(set).def;
  def.window_radius *= part->source->detail.def.scale;
  pl_detail_segments segments = {.count = SEGMENT_COUNT < count ? SEGMENT_COUNT : count, .segment_of_point = found};
  bool good = found != NULL && pl_model_detail_object(&arena, part->model, part->body.mesh, &object) &&
              pl_detail_segment(w->context, &def, &object, 1, &segments, NULL) >= 0;
  for (int32_t i = 0; found != NULL && !good && i < count; ++i) found[i] = -1;
  pl_arena_destroy(&arena);
  return found;
}

void studio_segments_fill(studio_world *w, int32_t index, double *numbers) {
  int32_t count = pl_scene_instance_get_surface_view(w->instance, index).point_count;
  const pl_detail_set *set = studio_detail_get_set(w, index);
  const pl_instance_part *part = &PL_ITEM(&w->instance->parts, pl_instance_part, index);
  for (int32_t i = 0; i < count; ++i) numbers[i] = -1;
  if (set == NULL || part->body.mesh == NULL || part->model->surface.point_count != count) return;
  while (w->segments.count <= (size_t)index)
    if (pl_vector_grow(&w->segments, 1) == NULL) return;
  int32_t **segments = &PL_ITEM(&w->segments, int32_t *, index);
  if (*segments == NULL) *segments = find_segments(w, index, set);
  for (int32_t i = 0; *segments != NULL && i < count; ++i) numbers[i] = (*segments)[i];
}
