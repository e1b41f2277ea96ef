// What contacts did, for reports.
#include "contact/contact_solver.h"
#include "contact/surface_tree.h"

// Where a contact touches a body.
static pl_vec3 point_of(const pl_contact_body *bodies, const pl_contact_side *side) {
  const pl_contact_body *body = &bodies[side->body];
  pl_vec3 point = {0, 0, 0};
  for (int32_t k = 0; k < side->count; ++k)
    point = pl_vec3_add_scaled(point, pl_contact_surface_point(body->surface, side->points[k], body->positions),
                               side->weights[k]);
  return point;
}

static void add_to_collider(const pl_contact_memory *memory, const pl_contact_body *bodies, int32_t i,
                            pl_collider_impulse *impulses) {
  const pl_contact_row *row = &memory->rows[i];
  if (!(row->normal_impulse > 0)) return;
  const pl_contact *contact = &memory->contacts[memory->plan.row_contacts[i]];
  if (contact->collider < 0) return;
  pl_collider_impulse *sum = &impulses[contact->collider];
  // The other way round than on the body.
  pl_vec3 impulse = pl_vec3_scale(pl_vec3_add_scaled(row->sliding_impulse, row->normal, row->normal_impulse), -1);
  sum->linear = pl_vec3_add(sum->linear, impulse);
  sum->angular = pl_vec3_add(sum->angular, pl_vec3_cross(point_of(bodies, &contact->a), impulse));
}

void pl_contact_solver_get_collider_impulses(const pl_contact_solver *solver, const pl_contact_body *bodies,
                                             pl_collider_impulse *impulses) {
  const pl_contact_memory *memory = &solver->memory;
  for (int32_t c = 0; c < memory->collider_count; ++c) impulses[c] = (pl_collider_impulse){{0, 0, 0}, {0, 0, 0}};
  for (int32_t p = 0; p < memory->plan.pair_count; ++p) {
    const pl_contact_pair *pair = &memory->plan.pairs[p];
    for (int32_t i = pair->first_row; pair->b < 0 && i < pair->first_row + pair->count; ++i)
      add_to_collider(memory, bodies, i, impulses);
  }
}
