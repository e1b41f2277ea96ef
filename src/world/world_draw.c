// A world drawn by the functions of its host.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "contact/surface_tree.h"
#include "mesh/simplex.h"
#include "mesh/triangle_tree.h"
#include "pliant/contact.h"
#include "pliant/draw.h"
#include "pliant/math.h"
#include "world/world_shown.h"

enum { CIRCLE = 32, GRID = 10 };
static const double PIXELS = 5;
static const pl_draw_color COLLIDER = 0x808080, CONTACT = 0xE03030, NORMAL = 0x3060E0, PIN = 0xE0A000, BOX = 0x40A040,
                           TEXT = 0x202020;

// Colours of bodies, one after the other.
static pl_draw_color color_of(int32_t index) {
  static const pl_draw_color colors[] = {0x4E79A7, 0xF28E2B, 0x59A14F, 0xB07AA1,
                                         0xEDC948, 0x76B7B2, 0xFF9DA7, 0x9C755F};
  return colors[index % (int32_t)(sizeof colors / sizeof *colors)];
}

static void draw_point(const pl_draw_functions *to, pl_vec3 position, pl_draw_color color) {
  if (to->point != NULL) to->point(to->user, position, PIXELS, color);
}

static void draw_line(const pl_draw_functions *to, pl_vec3 a, pl_vec3 b, pl_draw_color color) {
  if (to->line != NULL) to->line(to->user, a, b, color);
}

// A line in a frame.
static void draw_local(const pl_draw_functions *to, pl_transform frame, pl_vec3 a, pl_vec3 b, pl_draw_color color) {
  draw_line(to, pl_transform_apply(frame, a), pl_transform_apply(frame, b), color);
}

static void draw_box(const pl_draw_functions *to, pl_transform frame, pl_box box, pl_draw_color color) {
  const pl_vec3 ends[2] = {box.min, box.max};
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 2; ++k) {
      draw_local(to, frame, pl_vec3_of(box.min.x, ends[i].y, ends[k].z), pl_vec3_of(box.max.x, ends[i].y, ends[k].z),
                 color);
      draw_local(to, frame, pl_vec3_of(ends[i].x, box.min.y, ends[k].z), pl_vec3_of(ends[i].x, box.max.y, ends[k].z),
                 color);
      draw_local(to, frame, pl_vec3_of(ends[i].x, ends[k].y, box.min.z), pl_vec3_of(ends[i].x, ends[k].y, box.max.z),
                 color);
    }
}

// --- bodies

static void draw_triangles(const pl_draw_functions *to, const pl_body *body, const pl_body_shown *shown, int32_t index,
                           uint32_t flags) {
  pl_draw_color color = color_of(index);
  double length = 0.05 * pl_box_diagonal(shown->box);
  for (int32_t t = 0; t < body->model->surface.triangle_count; ++t) {
    const int32_t *corner = &body->model->surface.triangles[3 * (size_t)t];
    pl_vec3 c[3] = {shown->points[corner[0]], shown->points[corner[1]], shown->points[corner[2]]};
    if ((flags & PL_DRAW_SURFACES) != 0 && to->triangle != NULL) to->triangle(to->user, c, color);
    for (int k = 0; k < 3 && (flags & PL_DRAW_EDGES) != 0; ++k) draw_line(to, c[k], c[(k + 1) % 3], color);
    if ((flags & PL_DRAW_NORMALS) == 0) continue;
    pl_vec3 middle = pl_vec3_scale(pl_vec3_add(pl_vec3_add(c[0], c[1]), c[2]), 1.0 / 3);
    draw_line(to, middle, pl_vec3_add_scaled(middle, pl_triangle_normal(c[0], c[1], c[2]), length), NORMAL);
  }
}

static pl_status draw_body(const pl_world *world, const pl_draw_functions *to, int32_t index, uint32_t flags,
                           pl_error *error) {
  pl_body *body = pl_slots_at(&world->bodies, index);
  const pl_body_shown *shown;
  pl_status status = pl_world_show_body(world, body, PL_SHOW_POINTS, &shown, error);
  if (status < 0) return status;
  if ((flags & (PL_DRAW_SURFACES | PL_DRAW_EDGES | PL_DRAW_NORMALS)) != 0)
    draw_triangles(to, body, shown, index, flags);
  for (int32_t i = 0; i < body->model->particle_count && (flags & PL_DRAW_PARTICLES) != 0; ++i) {
    pl_vec3 velocity;
    draw_point(to, body->model->method->get_particle(body->model, body->state, i, &velocity), color_of(index));
  }
  if (body->model->surface.point_count == 0) return PL_OK;
  if ((flags & PL_DRAW_BOXES) != 0) draw_box(to, pl_transform_identity(), shown->box, BOX);
  if ((flags & PL_DRAW_NAMES) != 0 && to->text != NULL) {
    char text[64];
    snprintf(text, sizeof text, "%d %s", index, body->model->method->name);
    to->text(to->user, pl_box_center(shown->box), text, TEXT);
  }
  return PL_OK;
}

// --- colliders

// Part of a circle around the origin, from one axis towards the other.
static void draw_arc(const pl_draw_functions *to, pl_transform frame, pl_vec3 center, const pl_vec3 axes[2],
                     double turns) {
  int count = (int)lround(CIRCLE * turns);
  pl_vec3 last = pl_vec3_add(center, axes[0]);
  for (int i = 1; i <= count; ++i) {
    double angle = 2 * PL_PI * i / CIRCLE;
    pl_vec3 next = pl_vec3_add_scaled(pl_vec3_add_scaled(center, axes[0], cos(angle)), axes[1], sin(angle));
    draw_local(to, frame, last, next, COLLIDER);
    last = next;
  }
}

static void draw_sphere(const pl_draw_functions *to, pl_transform frame, double r) {
  const pl_vec3 zero = {0, 0, 0}, x = {r, 0, 0}, y = {0, r, 0}, z = {0, 0, r};
  draw_arc(to, frame, zero, (const pl_vec3[2]){x, y}, 1);
  draw_arc(to, frame, zero, (const pl_vec3[2]){y, z}, 1);
  draw_arc(to, frame, zero, (const pl_vec3[2]){z, x}, 1);
}

static void draw_capsule(const pl_draw_functions *to, pl_transform frame, double r, double h) {
  const pl_vec3 x = {r, 0, 0}, z = {0, 0, r}, sides[2] = {x, z};
  for (int end = -1; end <= 1; end += 2) {
    pl_vec3 center = {0, end * h, 0}, cap = {0, end * r, 0};
    draw_arc(to, frame, center, sides, 1);
    draw_arc(to, frame, center, (const pl_vec3[2]){x, cap}, 0.5);
    draw_arc(to, frame, center, (const pl_vec3[2]){z, cap}, 0.5);
  }
  for (int i = 0; i < 2; ++i)
    for (int sign = -1; sign <= 1; sign += 2) {
      pl_vec3 side = pl_vec3_scale(sides[i], sign);
      draw_local(to, frame, pl_vec3_of(side.x, -h, side.z), pl_vec3_of(side.x, h, side.z), COLLIDER);
    }
}

// A grid of whole metres on the plane, around what is below `around`.
static void draw_plane(const pl_draw_functions *to, pl_transform frame, pl_vec3 around) {
  pl_vec3 middle = pl_transform_apply_inverse(frame, around);
  double x = round(middle.x), z = round(middle.z);
  for (int i = -GRID; i <= GRID; ++i) {
    draw_local(to, frame, pl_vec3_of(x + i, 0, z - GRID), pl_vec3_of(x + i, 0, z + GRID), COLLIDER);
    draw_local(to, frame, pl_vec3_of(x - GRID, 0, z + i), pl_vec3_of(x + GRID, 0, z + i), COLLIDER);
  }
}

static void draw_collider(const pl_draw_functions *to, const pl_collider *collider, pl_transform frame,
                          pl_vec3 around) {
  switch (collider->shape) {
    case PL_COLLIDER_HALF_SPACE: draw_plane(to, frame, around); break;
    case PL_COLLIDER_SPHERE: draw_sphere(to, frame, collider->radius); break;
    case PL_COLLIDER_CAPSULE: draw_capsule(to, frame, collider->radius, collider->half_length); break;
    case PL_COLLIDER_BOX:
      draw_box(to, frame, (pl_box){pl_vec3_scale(collider->half_size, -1), collider->half_size}, COLLIDER);
      break;
    case PL_COLLIDER_MESH:
      for (int32_t i = 0; i < 3 * collider->tree->triangle_count; ++i)
        draw_local(to, frame, collider->tree->corners[i], collider->tree->corners[i % 3 == 2 ? i - 2 : i + 1],
                   COLLIDER);
      break;
  }
}

// --- contacts and pins

static void draw_contact(const pl_draw_functions *to, pl_vec3 position, pl_vec3 normal, double length) {
  draw_point(to, position, CONTACT);
  draw_line(to, position, pl_vec3_add_scaled(position, normal, length), CONTACT);
}

// A surface point of a body that touches something, by the body's number among these.
static pl_vec3 contact_point(const pl_world *world, int32_t number, int32_t point) {
  const pl_body *body = pl_slots_at(&world->bodies, PL_ITEM(&world->contact_numbers, int32_t, number));
  const pl_contact_surface *surface = &body->model->surface;
  if (!body->was_lone) return pl_contact_surface_point(surface, point, body->positions);
  // Contact has left the positions in the state alone.
  pl_vec3 sum = {0, 0, 0}, velocity;
  for (size_t k = 4 * (size_t)point; k < 4 * (size_t)point + 4; ++k)
    if (surface->weights[k] != 0.0f)
      sum = pl_vec3_add_scaled(
          sum, body->model->method->get_particle(body->model, body->state, surface->parents[k], &velocity),
          (double)surface->weights[k]);
  return sum;
}

static void draw_contacts(const pl_world *world, const pl_draw_functions *to, double length) {
  pl_contact_event_view view = pl_world_get_contact_events(world);
  for (int32_t i = 0; i < view.event_count; ++i)
    if (view.events[i].kind != PL_CONTACT_END)
      draw_contact(to, view.events[i].position, view.events[i].normal, 2 * length);
  // Numbers of contacts are those of the bodies in the last step.
  if (!world->prepared || pl_world_is_alone(world)) return;
  pl_contact_walk walk = pl_contact_solver_walk(world->contact_solver);
  for (pl_contact contact; pl_contact_walk_next(&walk, &contact, NULL);) {
    const pl_contact_side *side = &contact.a;
    pl_vec3 position = {0, 0, 0};
    for (int32_t k = 0; k < side->count; ++k)
      position = pl_vec3_add_scaled(position, contact_point(world, side->body, side->points[k]), side->weights[k]);
    draw_contact(to, position, contact.normal, length);
  }
}

static void draw_pins(const pl_world *world, const pl_draw_functions *to) {
  for (int32_t i = 0; i < pl_slots_count(&world->pins); ++i) {
    const pl_world_pin *pin = pl_slots_at(&world->pins, i);
    const pl_body *body = pl_world_find_body(world, pin->def.body);
    if (body == NULL || !pl_pin_holds(world, pin)) continue;
    pl_vec3 velocity;
    pl_vec3 particle = body->model->method->get_particle(body->model, body->state, pin->def.particle, &velocity);
    draw_line(to, particle, pin->target, PIN);
    draw_point(to, pin->target, PIN);
  }
}

pl_status pl_world_draw(const pl_world *world, const pl_draw_functions *functions, uint32_t flags, pl_error *error) {
  pl_status status = pl_world_check_open(world, "pl_world_draw", error);
  const pl_box *boxes = NULL;
  if (status >= 0) status = pl_world_show_boxes(world, &boxes, error);
  pl_box around = pl_box_empty();
  double size = 0;
  for (int32_t i = 0; status >= 0 && i < pl_slots_count(&world->bodies); ++i) {
    status = draw_body(world, functions, i, flags, error);
    if (boxes[i].min.x > boxes[i].max.x) continue;
    around = pl_box_merge(around, boxes[i]);
    size = fmax(size, pl_box_diagonal(boxes[i]));
  }
  if (status < 0) return status;
  pl_vec3 middle = around.min.x <= around.max.x ? pl_box_center(around) : pl_vec3_of(0, 0, 0);
  for (int32_t i = 0; i < pl_slots_count(&world->colliders) && (flags & PL_DRAW_COLLIDERS) != 0; ++i) {
    const pl_collider *collider = pl_slots_at(&world->colliders, i);
    draw_collider(functions, collider, pl_collider_placement(collider, pl_world_get_time(world)), middle);
  }
  if ((flags & PL_DRAW_CONTACTS) != 0) draw_contacts(world, functions, 0.1 * size);
  if ((flags & PL_DRAW_PINS) != 0) draw_pins(world, functions);
  return PL_OK;
}
