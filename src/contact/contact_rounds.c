// How many sweeps a step takes, by what bodies are in it.
#include "contact/contact_solver.h"

bool pl_contact_has_rigid(const pl_contact_body *bodies, int32_t body_count, bool asleep_too) {
  for (int32_t i = 0; i < body_count; ++i)
    if (bodies[i].rigid != NULL && (asleep_too || !bodies[i].asleep)) return true;
  return false;
}

// A contact of such bodies acts on a few of many particles, which give way by themselves.
bool pl_contact_are_soft(const pl_contact_solver *solver, const pl_contact_body *bodies) {
  const pl_contact_memory *memory = &solver->memory;
  for (int32_t i = 0; i < memory->body_count; ++i)
    if (!bodies[i].asleep && !memory->presences[i].is_fine) return false;
  return solver->joint_count == 0;
}

// Does a collider touch faces? These share their corners, so that friction takes more sweeps to settle.
static bool has_face_contacts(const pl_contact_memory *memory) {
  for (int32_t i = 0; i < memory->body_count; ++i)
    if (memory->presences[i].is_near_faces && memory->presences[i].edge_contact_count > 0) return true;
  return false;
}

// A stack of rigid bodies sways unless it has twice as many sweeps as others. For soft bodies a quarter does: a heap of
// them is as deep in itself after two sweeps as after twelve.
pl_contact_sweeps pl_contact_count_sweeps(const pl_contact_solver *solver, const pl_contact_body *bodies,
                                          int32_t rounds, bool are_soft) {
  bool is_stiff = pl_contact_has_rigid(bodies, solver->memory.body_count, false);
  bool is_quick = are_soft && !has_face_contacts(&solver->memory);
  int32_t arrivals = is_stiff ? 2 * rounds : is_quick ? (rounds + 3) / 4 : rounds;
  return (pl_contact_sweeps){arrivals, is_stiff ? rounds : (arrivals + 1) / 2};
}
