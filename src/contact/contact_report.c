// What contacts did, for reports.
#include "contact/contact_damping.h"
#include "contact/contact_lone.h"
#include "contact/contact_solver.h"
#include "contact/surface_tree.h"
#include "contact/vec3_parts.h"

// Where the point of a row was at the start of the step, and where it is at its end. A rigid body felt the first at the
// lever that it had where its own step took it.
static pl_vec3 start_point(const pl_contact_memory *memory, const pl_contact_body *bodies, const pl_contact_row *row,
                           const pl_contact *contact, double step) {
  const pl_contact_body *body = &bodies[row->a.body];
  if (body->rigid == NULL) return pl_arm_point(&row->a, body->asleep ? body->positions : body->starts);
  pl_vec3 point = {0, 0, 0};
  for (int32_t k = 0; k < contact->a.count; ++k)
    point = pl_vec3_add_scaled(point, pl_contact_surface_point(body->surface, contact->a.points[k], body->positions),
                               contact->a.weights[k]);
  return pl_vec3_add_scaled(point, memory->move_rigids[row->a.body].velocity, -step);
}

static pl_vec3 end_point(const pl_contact_body *bodies, const pl_contact_row *row) {
  const pl_contact_body *body = &bodies[row->a.body];
  if (body->rigid != NULL) return pl_vec3_add(body->rigid->center, row->a.lever);
  return pl_arm_point(&row->a, body->positions);
}

// What a contact gave to its collider, the other way round than to the body. With P all of it, p_0 and p_1 the point at
// both ends of the step, and P_0 what positions followed,
//
//   P,   p_0 × P_0 + p_1 × (P - P_0)
//
// since x_1 = x_0 + h v for what positions follow, which makes x_1 × v of the end x_0 × v.
static void push_collider(const pl_contact_memory *memory, const pl_contact_body *bodies, pl_contact_row *row,
                          const pl_contact *contact, double step) {
  pl_vec3 solved = pl_vec3_add_scaled(row->sliding_impulse, row->normal, row->normal_impulse);
  pl_vec3 impulse = row->b.lever, arrived = row->arrive_impulse;
  // Where nothing was resolved here, only the dampers have acted.
  if (row->normal_mass > 0)
    impulse = pl_vec3_add(impulse, solved);
  else
    arrived = pl_vec3_sub(arrived, solved);
  bool has_pushed = pl_vec3_dot(impulse, impulse) > 0 || pl_vec3_dot(arrived, arrived) > 0;
  row->b.lever = row->arrive_impulse = pl_vec3_of(0, 0, 0);
  if (!has_pushed) return;
  pl_vec3 moment = pl_vec3_cross(start_point(memory, bodies, row, contact, step), arrived);
  moment = pl_vec3_add(moment, pl_vec3_cross(end_point(bodies, row), pl_vec3_sub(impulse, arrived)));
  row->b.lever = pl_vec3_scale(impulse, -1);
  row->arrive_impulse = pl_vec3_scale(moment, -1);
}

static void report_row(const pl_contact_row *row, const pl_contact *contact, pl_contact_outcome *outcome) {
  outcome->overlap_count += contact->depth > 0;
  outcome->deepest = pl_larger(outcome->deepest, contact->depth);
  if (contact->collider != outcome->collider) outcome->collider = -1;
  if (outcome->collider < 0) return;
  pl_collider_impulse push = pl_contact_row_push(row);
  pl_collider_impulse_add(&outcome->impulse, &push);
}

static pl_contact_outcome soft_outcome(const pl_contact_memory *memory, const pl_contact_pair *pair) {
  pl_contact_outcome outcome = {.collider = -1};
  const pl_soft_note *first = &memory->soft_notes[pair->first_row];
  for (const pl_soft_note *note = first; note < first + pair->side_rows[0] + pair->side_rows[1]; ++note) {
    outcome.overlap_count += note->depth > 0;
    outcome.deepest = pl_larger(outcome.deepest, (double)note->depth);
  }
  return outcome;
}

void pl_contact_report_pairs(pl_contact_memory *memory, const pl_contact_body *bodies, double step,
                             const pl_contact_pair *pairs, int32_t count) {
  for (const pl_contact_pair *pair = pairs; pair < pairs + count; ++pair) {
    const int32_t *contacts = &memory->plan.row_contacts[pair->first_row];
    pl_contact_outcome *outcome = &memory->outcomes[pair - memory->plan.pairs];
    if (pair->axis >= 0) {
      *outcome = soft_outcome(memory, pair);
      continue;
    }
    *outcome = (pl_contact_outcome){.collider = pair->count > 0 ? memory->contacts[contacts[0]].collider : -1};
    for (int32_t i = 0; i < pair->count; ++i) {
      pl_contact_row *row = &memory->rows[pair->first_row + i];
      const pl_contact *contact = &memory->contacts[contacts[i]];
      if (contact->collider >= 0) push_collider(memory, bodies, row, contact, step);
      report_row(row, contact, outcome);
    }
  }
}

const pl_contact_outcome *pl_contact_outcome_of(const pl_contact_memory *memory, int32_t pair) {
  const pl_contact_pair *it = &memory->plan.pairs[pair];
  return it->is_lone ? &memory->lone_outcomes[it->a] : &memory->outcomes[pair];
}

pl_contact_report pl_contact_sum_report(const pl_contact_memory *memory) {
  pl_contact_report report = {0, 0};
  for (int32_t p = 0; p < memory->plan.pair_count; ++p) {
    const pl_contact_outcome *outcome = pl_contact_outcome_of(memory, p);
    report.contact_count += outcome->overlap_count;
    report.deepest = pl_larger(report.deepest, outcome->deepest);
  }
  return report;
}

// A pair whose contacts are with several colliders.
static void add_pair(const pl_contact_memory *memory, const pl_contact_pair *pair, pl_collider_impulse *impulses) {
  if (pair->is_lone) {
    pl_lone_add_pushes(memory, pair, impulses);
    return;
  }
  for (int32_t i = pair->first_row; i < pair->first_row + pair->count; ++i) {
    const pl_contact *contact = &memory->contacts[memory->plan.row_contacts[i]];
    pl_collider_impulse push = pl_contact_row_push(&memory->rows[i]);
    if (contact->collider >= 0) pl_collider_impulse_add(&impulses[contact->collider], &push);
  }
}

void pl_contact_solver_add_collider_impulses(const pl_contact_solver *solver, pl_collider_impulse *impulses) {
  const pl_contact_memory *memory = &solver->memory;
  for (int32_t p = 0; p < memory->plan.pair_count; ++p) {
    const pl_contact_pair *pair = &memory->plan.pairs[p];
    const pl_contact_outcome *outcome = pl_contact_outcome_of(memory, p);
    if (pair->b >= 0) continue;
    if (outcome->collider < 0)
      add_pair(memory, pair, impulses);
    else
      pl_collider_impulse_add(&impulses[outcome->collider], &outcome->impulse);
  }
}

// --- presses

// Those of a body, while contacts are added to them.
typedef struct press_list {
  pl_vec3 *presses;  // NULL: not wanted
  pl_contact_mask mask;
  int shift;
  int32_t count;
} press_list;

static press_list begin_presses(const pl_contact_body *body) {
  if (body->presses == NULL) return (press_list){.presses = NULL};
  int32_t count = body->surface->point_count;
  return (press_list){body->presses, *body->press_mask, pl_contact_mask_shift(count), count};
}

static void end_presses(const pl_contact_body *body, const press_list *list) {
  if (list->presses != NULL) *body->press_mask = list->mask;
}

// The neighbours of a point that share a bit of the mask.
static void clear_presses(press_list *list, int32_t bit) {
  int32_t first = bit << list->shift, end = (bit + 1) << list->shift;
  for (int32_t i = first; i < end && i < list->count; ++i) list->presses[i] = pl_vec3_of(0, 0, 0);
  list->mask |= UINT64_C(1) << bit;
}

static inline void add_press(press_list *list, int32_t point, pl_vec3 impulse, double weight) {
  int32_t bit = point >> list->shift;
  uint64_t is_there = list->mask >> bit & 1;
  if (list->shift == 0) {
    // A point is as often new as not: without a branch that would be guessed wrong.
    pl_vec3_parts before = pl_mask_parts(pl_load_parts(&list->presses[point]), is_there);
    pl_store_parts(&list->presses[point], pl_add_parts(before, pl_load_parts(&impulse), weight));
    list->mask |= UINT64_C(1) << bit;
    return;
  }
  if (is_there == 0) clear_presses(list, bit);
  list->presses[point] = pl_vec3_add_scaled(list->presses[point], impulse, weight);
}

// What a contact pushed the surface points of one side with.
static void press_side(const pl_contact_body *bodies, const pl_contact_side *side, pl_vec3 impulse) {
  if (side->body < 0) return;
  press_list list = begin_presses(&bodies[side->body]);
  for (int32_t k = 0; k < side->count && list.presses != NULL; ++k)
    add_press(&list, side->points[k], impulse, side->weights[k]);
  end_presses(&bodies[side->body], &list);
}

static void press_rows(const pl_contact_memory *memory, const pl_contact_body *bodies, const pl_contact_pair *pair) {
  for (int32_t i = pair->first_row; i < pair->first_row + pair->count; ++i) {
    const pl_contact *contact = &memory->contacts[memory->plan.row_contacts[i]];
    double press = memory->rows[i].normal_impulse + memory->rows[i].rest_impulse;
    if (!(press > 0)) continue;
    press_side(bodies, &contact->a, pl_vec3_scale(contact->normal, press));
    press_side(bodies, &contact->b, pl_vec3_scale(contact->normal, -press));
  }
}

static void press_soft(const pl_contact_memory *memory, const pl_contact_body *bodies, const pl_soft_side *side) {
  const int32_t *triangles = bodies[side->other].surface->triangles;
  press_list own = begin_presses(&bodies[side->own]), other = begin_presses(&bodies[side->other]);
  for (int32_t i = side->first; i < side->end; ++i) {
    const pl_soft_row *row = &memory->soft_rows[i];
    const pl_soft_note *note = &memory->soft_notes[i];
    double press = (double)row->normal_impulse + (double)note->rest_impulse;
    if (!(press > 0)) continue;
    pl_vec3 impulse = pl_vec3_scale(pl_vec3_of_floats(row->normal), press);
    if (own.presses != NULL) add_press(&own, note->point, impulse, 1);
    if (other.presses == NULL) continue;
    pl_contact_place place = pl_contact_spot_place(note->spot);
    const int32_t *corners = &triangles[3 * (size_t)place.triangle];
    for (int k = 0; k < 3; ++k) add_press(&other, corners[k], impulse, -place.weights[k]);
  }
  end_presses(&bodies[side->own], &own);
  end_presses(&bodies[side->other], &other);
}

static void press_lone(const pl_contact_memory *memory, const pl_contact_body *body, const pl_contact_pair *pair) {
  press_list list = begin_presses(body);
  const pl_lone_contact *first = &memory->lone_contacts[memory->point_start[pair->a] * PL_CONTACTS_PER_POINT];
  for (const pl_lone_contact *contact = first; contact < first + pair->count; ++contact)
    if (contact->impulse > 0) add_press(&list, contact->point, pl_vec3_scale(contact->normal, contact->impulse), 1);
  end_presses(body, &list);
}

void pl_contact_solver_add_presses(const pl_contact_solver *solver, const pl_contact_body *bodies) {
  const pl_contact_memory *memory = &solver->memory;
  for (int32_t p = 0; p < memory->plan.pair_count; ++p) {
    const pl_contact_pair *pair = &memory->plan.pairs[p];
    if (bodies[pair->a].presses == NULL && (pair->b < 0 || bodies[pair->b].presses == NULL)) continue;
    if (pair->is_lone) {
      press_lone(memory, &bodies[pair->a], pair);
    } else if (pair->axis >= 0) {
      pl_soft_side sides[2] = {pl_soft_side_of(pair, 0), pl_soft_side_of(pair, 1)};
      for (int k = 0; k < 2; ++k) press_soft(memory, bodies, &sides[k]);
    } else {
      press_rows(memory, bodies, pair);
    }
  }
}
