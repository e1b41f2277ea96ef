// Contact pressure at the points of a surface.
//
// Methods that meet colliders in their own move add what they felt there (pl_body_move.presses), the contact solver
// what its contacts pushed with (pl_contact_body.presses): each a weighted mean of up to three surface points, by its
// weight. Few ask for it, so the latter is added when somebody does, while the solver still holds the contacts of the
// last step, and before a body falls asleep. A sleeper that is touched does not move: its pressures stay, and change
// from the next step on. A step that fails after its contacts were resolved leaves nothing of those of the step before.
//
//   p_i = |P_i| / (h A_i)      A_i = sum over the triangles of i of a third of max(0, -n . P_i / |P_i|) area
//
// P_i   impulse on the point in the step, along the normals of its contacts
//
// Only the side of a triangle that faces what pushes has a part in A: so a box that lies flat has the same pressure at
// its edges as in the middle of its base, although half of the triangles at an edge stand upright.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "pliant/math.h"
#include "world/world_shown.h"

// Part of a triangle's area that counts even if it faces away: where two edges touch, hardly anything faces the
// contact.
static const double MIN_FACING = 0.01;

static bool wants_presses(const pl_world *world, const pl_body *body, bool sleepers_only) {
  return body->resolved != 0 && body->resolved == world->resolved && (!sleepers_only || pl_body_sleeps(body));
}

void pl_world_gather_presses(const pl_world *world, bool sleepers_only) {
  if (world->resolved == 0) return;
  bool any = false;
  for (int32_t k = 0; k < (int32_t)world->contact_bodies.count; ++k) {
    pl_body *body = pl_slots_at(&world->bodies, PL_ITEM(&world->contact_numbers, int32_t, k));
    bool is_wanted = wants_presses(world, body, sleepers_only);
    PL_ITEM(&world->contact_bodies, pl_contact_body, k).presses = is_wanted ? body->presses : NULL;
    if (is_wanted) body->resolved = 0;
    any = any || is_wanted;
  }
  if (any) pl_contact_solver_add_presses(world->contact_solver, world->contact_bodies.items);
}

static pl_vec3 press_of(const pl_body *body, int32_t point) {
  bool is_there = (body->press_mask & pl_contact_mask_bit(point, body->model->surface.point_count)) != 0;
  return is_there ? body->presses[point] : pl_vec3_of(0, 0, 0);
}

pl_status pl_body_get_contact_pressures(const pl_world *world, pl_body_id id, double *pressures, pl_error *error) {
  pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  const pl_contact_surface *surface = &body->model->surface;
  int32_t count = surface->point_count;
  const pl_body_shown *shown;
  pl_status status = pl_world_show_body(world, body, PL_SHOW_POINTS, &shown, error);
  if (status < 0) return status;
  pl_world_shown_lock(world);
  if (wants_presses(world, body, false)) pl_world_gather_presses(world, false);
  pl_world_shown_unlock(world);
  double *whole = pl_allocate_array(world->context, (size_t)count, sizeof *whole), *facing = pressures;
  if (whole == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < count; ++i) facing[i] = 0;
  for (int32_t t = 0; t < surface->triangle_count; ++t) {
    const int32_t *c = surface->triangles + 3 * (ptrdiff_t)t;
    pl_vec3 a = shown->points[c[0]], u = pl_vec3_sub(shown->points[c[1]], a), v = pl_vec3_sub(shown->points[c[2]], a);
    pl_vec3 third = pl_vec3_scale(pl_vec3_cross(u, v), 1.0 / 6);
    for (int k = 0; k < 3; ++k) {
      pl_vec3 push = pl_vec3_normalize_or(press_of(body, c[k]), pl_vec3_of(0, 0, 0));
      whole[c[k]] += pl_vec3_length(third);
      facing[c[k]] += fmax(0, -pl_vec3_dot(third, push));
    }
  }
  for (int32_t i = 0; i < count; ++i) {
    double area = fmax(facing[i], MIN_FACING * whole[i]);
    pressures[i] = area > 0 ? pl_vec3_length(press_of(body, i)) / (world->def.step * area) : 0;
  }
  pl_release(world->context, whole);
  return PL_OK;
}
