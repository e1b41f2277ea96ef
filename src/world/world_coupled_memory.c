// Memory of a coupled solve, from the world's scratch stack: bodies, contacts and vectors over all particles.
#include <math.h>
#include <string.h>

#include "pliant/math.h"
#include "world/world_coupled_solve.h"

// Overlap that counts as none, as a fraction of the gap that is kept and of the body's size.
static const double GAP_FRACTION = 0.5, SIZE_FRACTION = 5e-4;
enum { TERMS_PER_POINT = 2 };

static pl_coupled_state state_of(const pl_body *body) {
  if (pl_body_sleeps(body)) return PL_COUPLED_ASLEEP;
  return body->model->method->get_collider != NULL ? PL_COUPLED_KINEMATIC : PL_COUPLED_WAITING;
}

static bool take_bodies(pl_coupled *j) {
  pl_world *world = j->world;
  pl_scratch *scratch = &world->scratch;
  j->body_count = (int32_t)world->contact_bodies.count;
  j->bodies = PL_SCRATCH(scratch, pl_coupled_body, j->body_count);
  j->first = PL_SCRATCH(scratch, int32_t, j->body_count + 1);
  j->rigids = PL_SCRATCH(scratch, pl_potential_rigid, j->body_count);
  j->body_order = PL_SCRATCH(scratch, int32_t, j->body_count);
  j->starts = PL_SCRATCH(scratch, int32_t, j->body_count + 1);
  j->islands = PL_SCRATCH(scratch, pl_coupled_island, j->body_count);
  j->wholes = PL_SCRATCH(scratch, pl_contact_rigid, 2 * j->body_count);
  if (!j->wholes || !j->islands || !j->bodies || !j->first || !j->rigids || !j->body_order || !j->starts) return false;
  int32_t next = 0;
  j->first[0] = 0;
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    if (!pl_body_meets_others(body)) continue;
    bool is_rigid = pl_coupled_rigid_is_part(world, i);
    int32_t count = is_rigid ? 2 : body->model->particle_count, at = j->first[next];
    j->bodies[next] = (pl_coupled_body){.body = body,
                                        .coupled = body->model->method->coupled,
                                        .index = i,
                                        .first = at,
                                        .count = count,
                                        .state = state_of(body),
                                        .converged = true};
    pl_coupled_body *b = &j->bodies[next];
    b->move.acceleration = pl_vec3_scale(world->def.gravity, body->gravity_scale);
    b->allowed =
        fmax(2 * GAP_FRACTION * body->model->contact_radius, SIZE_FRACTION * pl_box_diagonal(body->model->box));
    j->rigids[next] = (pl_potential_rigid){0};
    if (is_rigid && !pl_coupled_rigid_take(j, b)) return false;
    if (b->coupled != NULL) {
      b->before = PL_SCRATCH(scratch, char, body->state_size);
      if (b->before == NULL) return false;
    }
    j->first[++next] = at + count;
  }
  return true;
}

// Where a sleeper or a kinematic mesh is; nothing moves it, so it has neither direction nor stiffness.
void pl_coupled_place_obstacle(pl_coupled *j, const pl_coupled_body *b) {
  if (b->rigid != NULL) pl_coupled_rigid_place(b, &j->rigids[b - j->bodies]);
  size_t from = 3 * (size_t)b->first, bytes = 3 * (size_t)b->count * sizeof(double);
  memset(j->direction + from, 0, bytes);
  memset(j->base + from, 0, bytes);
  memset(j->gradient + from, 0, bytes);
  memset(j->product + from, 0, bytes);
  memset(j->blocks + 3 * from, 0, 3 * bytes);
  for (int32_t i = 0; b->rigid == NULL && i < b->count; ++i) {
    double *end = b->step.ends + 3 * (ptrdiff_t)i;
    end[0] = b->body->positions[i].x, end[1] = b->body->positions[i].y, end[2] = b->body->positions[i].z;
  }
}

static bool take_terms(pl_coupled *j) {
  pl_scratch *scratch = &j->world->scratch;
  int32_t point_count = 0;
  for (int32_t b = 0; b < j->body_count; ++b) point_count += j->bodies[b].body->model->surface.point_count;
  j->term_capacity = TERMS_PER_POINT * point_count;
  j->contacts = PL_SCRATCH(scratch, pl_contact, j->term_capacity);
  j->terms = PL_SCRATCH(scratch, pl_contact_potential, j->term_capacity);
  j->term_order = PL_SCRATCH(scratch, int32_t, j->term_capacity);
  return j->contacts != NULL && j->terms != NULL && j->term_order != NULL;
}

static bool take_vectors(pl_coupled *j) {
  pl_scratch *scratch = &j->world->scratch;
  size_t n = (size_t)j->first[j->body_count];
  double **vectors[] = {&j->ends,   &j->gradient, &j->direction, &j->base,     &j->residual,
                        &j->solved, &j->product,  &j->goal,      &j->predicted};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) {
    *vectors[k] = PL_SCRATCH(scratch, double, 3 * n);
    if (*vectors[k] == NULL) return false;
  }
  j->blocks = PL_SCRATCH(scratch, double, 9 * n);
  j->inverses = PL_SCRATCH(scratch, double, 9 * n);
  j->fixed = PL_SCRATCH(scratch, uint8_t, n);
  if (j->blocks == NULL || j->inverses == NULL || j->fixed == NULL) return false;
  for (int32_t b = 0; b < j->body_count; ++b) {
    pl_body_coupled_step *step = &j->bodies[b].step;
    step->ends = j->ends + 3 * (ptrdiff_t)j->first[b];
    step->gradient = j->gradient + 3 * (ptrdiff_t)j->first[b];
    step->fixed = j->fixed + j->first[b];
    if (j->bodies[b].state == PL_COUPLED_ASLEEP) pl_coupled_place_obstacle(j, &j->bodies[b]);
  }
  return true;
}

// Memory that bodies take when they begin, so that no step has to allocate it when more of them touch than before.
static bool reserve(pl_coupled *j) {
  size_t bytes = 0;
  for (int32_t k = 0; k < j->body_count; ++k)
    if (j->bodies[k].coupled != NULL)
      bytes += 8 * j->bodies[k].body->state_size + 4096 +
               (size_t)pl_world_max_pin_count(j->world) * sizeof(pl_body_pin) +
               j->world->collider_list.count * 4 * sizeof(pl_transform);
  pl_scratch_mark mark = pl_scratch_push(&j->world->scratch);
  bool taken = PL_SCRATCH(&j->world->scratch, char, bytes) != NULL;
  pl_scratch_pop(&j->world->scratch, mark);
  return taken;
}

bool pl_coupled_take(pl_coupled *j) {
  return take_bodies(j) && take_vectors(j) && take_terms(j) && pl_coupled_joints_take(j) && pl_coupled_ties_take(j) &&
         reserve(j);
}
