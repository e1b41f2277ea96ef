// Grabs and pins: particles held by springs while a viewer drags, or fixed.
//
// A surface point is held by the particles that it is embedded in. The stiffness of a grab is chosen so that the body,
// hanging from it, sags by a fiftieth of its size; it is divided among the particles, with a fifth of critical damping.
#include <math.h>
#include <string.h>

#include "body/body_method.h"
#include "pliant/math.h"
#include "studio_world.h"

static const double SAG = 0.02, GRAVITY = 9.81, DAMPING = 0.2;

// The particles of the element that a surface point is embedded in, or else the nearest particle.
static void find_particles(studio_world *w, studio_hold *hold, pl_vec3 position) {
  pl_body_id body = pl_scene_instance_get_body(w->instance, hold->body).id;
  const pl_model *model = pl_body_get_model(w->world, body);
  const pl_contact_surface *surface = &model->surface;
  bool embedded = surface->parents != NULL &&
                  surface->point_count == pl_scene_instance_get_surface_view(w->instance, hold->body).point_count;
  hold->count = 0;
  for (int k = 0; embedded && k < 4; ++k) {
    int32_t particle = surface->parents[4 * hold->point + k];
    if (!(surface->weights[4 * hold->point + k] > 0.01F)) continue;
    bool known = false;
    for (int32_t i = 0; i < hold->count; ++i) known = known || hold->particles[i] == particle;
    if (!known) hold->particles[hold->count++] = particle;
  }
  (void)pl_body_get_positions(w->world, body, w->points);
  if (hold->count == 0) {
    int32_t nearest = 0;
    for (int32_t i = 1; i < model->particle_count; ++i)
      if (pl_vec3_distance(w->points[i], position) < pl_vec3_distance(w->points[nearest], position)) nearest = i;
    hold->particles[hold->count++] = nearest;
  }
  for (int32_t i = 0; i < hold->count; ++i) hold->offsets[i] = pl_vec3_sub(w->points[hold->particles[i]], position);
}

static void choose_spring(studio_world *w, studio_hold *hold) {
  const pl_model *model = pl_body_get_model(w->world, pl_scene_instance_get_body(w->instance, hold->body).id);
  double size = pl_vec3_length(pl_vec3_sub(model->box.max, model->box.min));
  double stiffness = model->mass * GRAVITY / (SAG * fmax(size, 1e-6));
  hold->stiffness = stiffness / hold->count;
  hold->damping = DAMPING * 2 * sqrt(stiffness * model->mass) / hold->count;
}

static void attach(studio_world *w, studio_hold *hold) {
  for (int32_t i = 0; i < hold->count; ++i) {
    pl_pin_def def = pl_default_pin_def();
    def.body = pl_scene_instance_get_body(w->instance, hold->body).id;
    def.particle = hold->particles[i];
    def.target = pl_vec3_add(hold->at, hold->offsets[i]);
    def.stiffness = hold->stiffness;
    def.damping = hold->damping;
    // Without memory there is no pin; the next call tries again.
    (void)pl_world_add_pin(w->world, &def, &hold->pins[i], NULL);
  }
}

static void detach(studio_world *w, studio_hold *hold) {
  for (int32_t i = 0; i < hold->count; ++i) {
    (void)pl_world_remove_pin(w->world, hold->pins[i], NULL);
    hold->pins[i] = (pl_pin_id){0, 0};
  }
}

void studio_hold_detach(studio_world *w) {
  for (int i = 0; i < w->hold_count; ++i) detach(w, &w->holds[i]);
}

void studio_hold_attach(studio_world *w) {
  for (int i = 0; i < w->hold_count; ++i) attach(w, &w->holds[i]);
}

void studio_hold_clear(studio_world *w) {
  if (w->instance != NULL) studio_hold_detach(w);
  w->hold_count = 0;
}

static void remove_hold(studio_world *w, int index) {
  if (w->instance != NULL) detach(w, &w->holds[index]);
  memmove(&w->holds[index], &w->holds[index + 1], (size_t)(w->hold_count - index - 1) * sizeof(studio_hold));
  w->hold_count--;
}

// Add a hold on a surface point; NULL if the point does not exist. `position` is its current position.
static studio_hold *add_hold(studio_world *w, int32_t body, int32_t point, pl_vec3 *position) {
  if (w->instance == NULL || w->hold_count == STUDIO_MAX_HOLDS || body < 0 ||
      body >= pl_scene_instance_body_count(w->instance))
    return NULL;
  if (point < 0 || point >= pl_scene_instance_get_surface_view(w->instance, body).point_count) return NULL;
  if (pl_scene_instance_get_surface(w->instance, body, w->more_points) < 0) return NULL;
  *position = w->more_points[point];
  studio_hold *hold = &w->holds[w->hold_count++];
  *hold = (studio_hold){.body = body, .point = point, .at = *position};
  find_particles(w, hold, *position);
  return hold;
}

bool studio_hold_grab(studio_world *w, uint32_t viewer, int32_t body, int32_t point, pl_vec3 at) {
  pl_vec3 position;
  studio_hold_release(w, viewer);
  studio_hold *hold = pl_vec3_is_finite(at) ? add_hold(w, body, point, &position) : NULL;
  if (hold == NULL) return false;
  hold->viewer = viewer;
  hold->at = at;
  choose_spring(w, hold);
  attach(w, hold);
  return true;
}

void studio_hold_drag(studio_world *w, uint32_t viewer, pl_vec3 at) {
  for (int i = 0; i < w->hold_count; ++i) {
    studio_hold *hold = &w->holds[i];
    if (hold->viewer != viewer || !pl_vec3_is_finite(at)) continue;
    hold->at = at;
    for (int32_t k = 0; k < hold->count; ++k)
      (void)pl_world_move_pin(w->world, hold->pins[k], pl_vec3_add(at, hold->offsets[k]), NULL);
  }
}

void studio_hold_release(studio_world *w, uint32_t viewer) {
  for (int i = w->hold_count - 1; i >= 0; --i)
    if (w->holds[i].viewer == viewer) remove_hold(w, i);
}

bool studio_hold_pin(studio_world *w, int32_t body, int32_t point) {
  for (int i = 0; i < w->hold_count; ++i)
    if (w->holds[i].viewer == 0 && w->holds[i].body == body && w->holds[i].point == point) {
      remove_hold(w, i);
      return true;
    }
  pl_vec3 position;
  studio_hold *hold = add_hold(w, body, point, &position);
  if (hold == NULL) return false;
  attach(w, hold);
  return true;
}
