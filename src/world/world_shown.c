// Keeping the surfaces of bodies for display and queries.
#include "world/world_shown.h"

#include <pthread.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "contact/contact_cache.h"

struct pl_world_shown {
  pl_context *context;
  pthread_mutex_t lock;
  pl_vector shapes;  // of pl_shown_shape *
  pl_vector boxes;   // of pl_box, one per body …
  int64_t version;   // … of this version of the world
};

pl_status pl_world_shown_create(pl_context *context, pl_world_shown **shown, pl_error *error) {
  *shown = pl_allocate_array(context, 1, sizeof(pl_world_shown));
  if (*shown == NULL) return pl_fail_memory(error);
  (*shown)->context = context;
  (*shown)->shapes = pl_vector_of(context, sizeof(pl_shown_shape *));
  (*shown)->boxes = pl_vector_of(context, sizeof(pl_box));
  (*shown)->version = -1;
  pthread_mutex_init(&(*shown)->lock, NULL);
  return PL_OK;
}

void pl_world_shown_destroy(pl_world_shown *shown) {
  if (shown == NULL) return;
  pl_vector_free(&shown->shapes);
  pl_vector_free(&shown->boxes);
  pthread_mutex_destroy(&shown->lock);
  pl_release(shown->context, shown);
}

void pl_world_shown_lock(const pl_world *world) {
  pthread_mutex_lock(&world->shown->lock);
}

void pl_world_shown_unlock(const pl_world *world) {
  pthread_mutex_unlock(&world->shown->lock);
}

// --- shapes, shared by the bodies of a model

static pl_shown_shape *find_shape(const pl_world_shown *all, const pl_model *model) {
  for (size_t i = 0; i < all->shapes.count; ++i)
    if (PL_ITEM(&all->shapes, pl_shown_shape *, i)->model == model) return PL_ITEM(&all->shapes, pl_shown_shape *, i);
  return NULL;
}

// The tree is built for the points as they are: for any shape it is right, for one that is bent it is a little slower.
static pl_shown_shape *add_shape(pl_world_shown *all, const pl_model *model, const pl_vec3 *points) {
  pl_arena arena;
  pl_arena_init(&arena, all->context, 0);
  pl_shown_shape *made = PL_TAKE(&arena, pl_shown_shape, 1);
  const pl_contact_surface *surface = &model->surface;
  bool is_built = made != NULL && pl_moving_shape_build(&arena, points, surface->point_count, surface->triangles,
                                                        surface->triangle_count, &made->shape);
  if (is_built && pl_vector_push(&all->shapes, &made)) {
    made->arena = arena;
    made->model = model;
    return made;
  }
  pl_arena_destroy(&arena);
  return NULL;
}

static void release_shape(pl_world_shown *all, pl_shown_shape *shape) {
  if (shape == NULL || --shape->use_count > 0) return;
  size_t kept = 0;
  for (size_t i = 0; i < all->shapes.count; ++i) {
    pl_shown_shape *it = PL_ITEM(&all->shapes, pl_shown_shape *, i);
    if (it != shape) PL_ITEM(&all->shapes, pl_shown_shape *, kept++) = it;
  }
  all->shapes.count = kept;
  pl_arena arena = shape->arena;
  pl_arena_destroy(&arena);
}

// --- bodies

static void release_shown(pl_world_shown *all, pl_body_shown *shown) {
  if (shown == NULL) return;
  release_shape(all, shown->shape);
  pl_release(all->context, shown->points);
  pl_release(all->context, shown->previous);
  pl_release(all->context, shown->tree.boxes);
  pl_release(all->context, shown);
}

void pl_world_forget_body(pl_world *world, pl_body *body) {
  release_shown(world->shown, body->shown);
  body->shown = NULL;
}

static pl_body_shown *create_shown(pl_world_shown *all, const pl_body *body) {
  size_t count = (size_t)body->model->surface.point_count;
  pl_body_shown *made = pl_allocate_array(all->context, 1, sizeof(pl_body_shown));
  if (made == NULL) return NULL;
  made->points = pl_allocate_array(all->context, count, sizeof(pl_vec3));
  made->previous = pl_allocate_array(all->context, count, sizeof(pl_vec3));
  made->point_version = made->previous_version = made->box_version = -1;
  if (made->points != NULL && made->previous != NULL) return made;
  release_shown(all, made);
  return NULL;
}

// The tree of a body is made when a query first comes near it.
static bool create_tree(pl_world_shown *all, const pl_body *body, pl_body_shown *shown) {
  if (shown->shape != NULL) return true;
  pl_shown_shape *shape = find_shape(all, body->model);
  if (shape == NULL) shape = add_shape(all, body->model, shown->points);
  if (shape == NULL) return false;
  ++shape->use_count;
  shown->shape = shape;
  shown->tree = (pl_moving_tree){&shape->shape, shown->points, NULL};
  shown->tree.boxes = pl_allocate_array(all->context, (size_t)shape->shape.boxes.node_count, sizeof(pl_box));
  if (shown->tree.boxes != NULL) return true;
  release_shape(all, shape);
  shown->shape = NULL;
  return false;
}

static void get_points(const pl_body *body, pl_vec3 *points) {
  if (body->layers.count == 0)
    body->model->method->get_surface(body->model, body->state, points);
  else
    memcpy(points, body->surface, (size_t)body->model->surface.point_count * sizeof(pl_vec3));
}

// Before the last step a body was as its saved state says, and a surface with layers what the step replaced.
static void get_previous(const pl_body *body, pl_vec3 *points) {
  if (body->layers.count == 0)
    body->model->method->get_surface(body->model, body->saved, points);
  else
    memcpy(points, body->next_surface, (size_t)body->model->surface.point_count * sizeof(pl_vec3));
}

static bool update(pl_world_shown *all, pl_body *body, int parts) {
  if (body->shown == NULL) body->shown = create_shown(all, body);
  pl_body_shown *shown = body->shown;
  if (shown == NULL) return false;
  int32_t count = body->model->surface.point_count;
  if (shown->point_version != body->version) {
    get_points(body, shown->points);
    shown->box = pl_box_from_points(shown->points, count);
    shown->point_version = body->version;
  }
  if ((parts & PL_SHOW_PREVIOUS) != 0 && shown->previous_version != body->version) {
    if (body->has_previous)
      get_previous(body, shown->previous);
    else
      memcpy(shown->previous, shown->points, (size_t)count * sizeof(pl_vec3));
    shown->previous_version = body->version;
  }
  if ((parts & PL_SHOW_TREE) == 0) return true;
  if (!create_tree(all, body, shown)) return false;
  if (shown->box_version != body->version) {
    pl_moving_tree_refit(&shown->tree);
    shown->box_version = body->version;
  }
  return true;
}

pl_status pl_world_show_body(const pl_world *world, pl_body *body, int parts, const pl_body_shown **shown,
                             pl_error *error) {
  pl_world_shown *all = world->shown;
  pthread_mutex_lock(&all->lock);
  bool is_there = update(all, body, parts);
  pthread_mutex_unlock(&all->lock);
  *shown = body->shown;
  return is_there ? PL_OK : pl_fail_memory(error);
}

static bool update_boxes(pl_world_shown *all, const pl_world *world) {
  size_t count = (size_t)pl_slots_count(&world->bodies);
  all->boxes.count = 0;
  if (count > 0 && pl_vector_grow(&all->boxes, count) == NULL) return false;
  for (size_t i = 0; i < count; ++i) {
    pl_body *body = pl_slots_at(&world->bodies, (int32_t)i);
    if (!update(all, body, PL_SHOW_POINTS)) return false;
    PL_ITEM(&all->boxes, pl_box, i) = body->shown->box;
  }
  all->version = world->version;
  return true;
}

pl_status pl_world_show_boxes(const pl_world *world, const pl_box **boxes, pl_error *error) {
  pl_world_shown *all = world->shown;
  pthread_mutex_lock(&all->lock);
  bool is_there = all->version == world->version || update_boxes(all, world);
  pthread_mutex_unlock(&all->lock);
  *boxes = all->boxes.items;
  return is_there ? PL_OK : pl_fail_memory(error);
}

// --- changes

void pl_world_note_surface(pl_world *world, pl_body *body) {
  ++world->version;
  ++body->version;
}

void pl_world_note_jump(pl_world *world, pl_body *body) {
  pl_world_note_surface(world, body);
  body->has_previous = false;
  if (body->has_impulses) pl_contact_cache_forget_spots(body->impulses, body->model->surface.point_count);
  // Layers show their body where it is from the next step on; until then without them, as before the first step. In a
  // controller the surface stays: the step may yet fail.
  if (body->layers.count > 0 && world->phase == PL_WORLD_IDLE)
    body->model->method->get_surface(body->model, body->state, body->surface);
}
