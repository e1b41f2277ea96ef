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

typedef struct contact_visit {
  pl_contact_visit *visit;
  void *data;
} contact_visit;

static void visit_pairs(void *data, const pl_contact_pair *pairs, int32_t count) {
  const contact_visit *v = data;
  for (int32_t p = 0; p < count; ++p) v->visit(v->data, pairs[p].first_row, pairs[p].count);
}

void pl_contact_solver_visit(const pl_contact_solver *solver, pl_contact_visit *visit, void *data) {
  contact_visit v = {visit, data};
  pl_contact_plan_visit(solver->context, &solver->memory.plan, visit_pairs, &v);
}

void pl_contact_solver_get_collider_impulses(const pl_contact_solver *solver, const pl_contact_body *bodies,
                                             pl_collider_impulse *impulses) {
  const pl_contact_memory *memory = &solver->memory;
  for (int32_t c = 0; c < memory->collider_count; ++c) impulses[c] = (pl_collider_impulse){{0, 0, 0}, {0, 0, 0}};
  for (int32_t i = 0; i < solver->contact_count; ++i) {
    const pl_contact_row *row = &memory->rows[i];
    if (row->b.body >= 0 || !(row->normal_impulse > 0)) continue;
    const pl_contact *contact = &memory->contacts[memory->plan.row_contacts[i]];
    if (contact->collider < 0) continue;
    pl_collider_impulse *sum = &impulses[contact->collider];
    // The other way round than on the body.
    pl_vec3 impulse = pl_vec3_scale(pl_vec3_add_scaled(row->sliding_impulse, row->normal, row->normal_impulse), -1);
    sum->linear = pl_vec3_add(sum->linear, impulse);
    sum->angular = pl_vec3_add(sum->angular, pl_vec3_cross(point_of(bodies, &contact->a), impulse));
  }
}
