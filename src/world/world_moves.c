// Bodies that move at the same time.
//
// A small body of a method that handles neither colliders nor pins in its own move reads and writes nothing but its own
// state, and is moved at the same time as others, in blocks that depend on their number alone. Large bodies use the
// threads inside their own move, one after the other (step.c).
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "math/lanes.h"
#include "world/world_segments.h"

// Bodies with more particles divide their own work; fewer than these in a block are not worth a task. Where there are
// enough for several threads, a block fills the lanes of bodies that move together.
enum { MAX_PARTICLES = 1024, MIN_GRAIN = 4, ENOUGH_BODIES = 8 * LANES };

// What became of a block of bodies.
typedef struct move_block {
  pl_status status;
  int32_t failed_body;  // number of the body that failed
  int32_t unconverged_count, damped_count;
  pl_error error;
} move_block;

typedef struct parallel_moves {
  pl_world *world;
  pl_scratch *scratches;  // one per block
  move_block blocks[PL_MOVE_BLOCKS];
} parallel_moves;

bool pl_body_may_move_in_parallel(const pl_body *body) {
  const pl_body_method *method = body->model->method;
  return !method->handles_colliders && !method->handles_bodies && !method->handles_pins && method->coupled == NULL &&
         body->model->particle_count <= MAX_PARTICLES && pl_body_get_move_round(body) == PL_MOVE_OTHERS;
}

bool pl_world_moves_in_parallel(const pl_world *world, int32_t index) {
  return pl_body_may_move_in_parallel(pl_slots_at(&world->bodies, index)) && !pl_world_has_moved(world, index);
}

// Bodies of one model that move together; most often one.
typedef struct move_group {
  const pl_model *model;
  int32_t count;
  int32_t numbers[LANES];
  const void *starts[LANES];  // what is saved of them, or the states
  void *states[LANES];
  pl_body_move moves[LANES];
  bool damped[LANES];
} move_group;

static bool is_noted_in_move(const pl_world *world, const pl_body *body) {
  return world->notes_in_move && body->is_noted;
}

// What comes before the move of a body, which joins the group.
static pl_status begin_body(const parallel_moves *m, int32_t index, pl_scratch *scratch, move_group *group,
                            pl_error *error) {
  pl_body *body = pl_slots_at(&m->world->bodies, index);
  int32_t k = group->count++;
  pl_body_move *move = &group->moves[k];
  pl_status status = pl_world_begin_move(m->world, index, move, error);
  move->scratch = scratch;
  move->damped = &group->damped[k];
  bool is_noted = is_noted_in_move(m->world, body), is_saved = is_noted && m->world->saves_in_move;
  if (is_noted && !pl_body_note_start(m->world, body, scratch)) return pl_fail_memory(error);
  if (is_saved && body->model->moves_many) pl_body_exchange_states(body);
  if (is_saved && !body->model->moves_many) pl_body_save_state(body);
  group->model = body->model;
  group->numbers[k] = index;
  group->starts[k] = is_saved ? body->saved : body->state;
  group->states[k] = body->state;
  group->damped[k] = false;
  return status;
}

// Move a group, and what comes after that. The block's status is that of the last body, or of the one that failed.
static void move_group_of(const parallel_moves *m, move_group *group, move_block *block) {
  const pl_body_method *method = group->count > 0 ? group->model->method : NULL;
  bool is_moved = group->count > 1;
  if (is_moved) {
    block->status =
        method->move_many(group->model, group->starts, group->states, group->moves, group->count, &block->error);
    block->failed_body = group->numbers[0];
  }
  for (int32_t k = 0; k < group->count && block->status >= 0; ++k) {
    pl_body *body = pl_slots_at(&m->world->bodies, group->numbers[k]);
    block->failed_body = group->numbers[k];
    if (!is_moved && body->model->moves_many && group->starts[k] != group->states[k])
      memcpy(group->states[k], group->starts[k], body->state_size);
    if (!is_moved) block->status = method->move(group->model, group->states[k], &group->moves[k], &block->error);
    block->unconverged_count += block->status == PL_REMARK_NOT_CONVERGED;
    block->damped_count += group->damped[k];
    bool is_noted = block->status >= 0 && is_noted_in_move(m->world, body);
    if (is_noted && !pl_body_note_end(m->world, body, group->moves[k].scratch))
      block->status = pl_fail_memory(&block->error);
  }
  group->count = 0;
}

static void move_bodies(void *data, int32_t begin, int32_t end, int32_t number) {
  parallel_moves *m = data;
  move_block *block = &m->blocks[number];
  move_group group = {.count = 0};
  *block = (move_block){.status = PL_OK};
  for (int32_t k = begin; k < end && block->status >= 0; ++k) {
    int32_t index = PL_ITEM(&m->world->awake, int32_t, k);
    if (!pl_world_moves_in_parallel(m->world, index)) continue;
    const pl_model *model = ((const pl_body *)pl_slots_at(&m->world->bodies, index))->model;
    if (group.count > 0 && model != group.model) move_group_of(m, &group, block);
    if (block->status < 0) break;
    block->status = begin_body(m, index, &m->scratches[number], &group, &block->error);
    block->failed_body = index;
    if (block->status >= 0 && (!model->moves_many || group.count == LANES)) move_group_of(m, &group, block);
  }
  if (block->status >= 0) move_group_of(m, &group, block);
}

// Which bodies a block has changes as bodies fall asleep and wake: what one needed, any may need.
static bool match_scratches(pl_scratch *scratches, int32_t count) {
  for (int32_t i = 1; i < count; ++i)
    if (!pl_scratch_match(&scratches[i], &scratches[i - 1])) return false;
  for (int32_t i = count - 1; i > 0; --i)
    if (!pl_scratch_match(&scratches[i - 1], &scratches[i])) return false;
  return true;
}

pl_status pl_world_move_in_parallel(pl_world *world, pl_step_report *report, pl_error *error) {
  int32_t body_count = pl_slots_count(&world->bodies), grain = body_count < ENOUGH_BODIES ? MIN_GRAIN : LANES;
  while (pl_block_count(body_count, grain) > PL_MOVE_BLOCKS) grain *= 2;
  int32_t block_count = pl_block_count(world->awake_count, grain);
  // A block alone may divide the work of its bodies among the threads.
  parallel_moves m;
  m.world = world;
  m.scratches = pl_block_count(body_count, grain) > 1 ? world->move_scratches : &world->scratch;
  pl_parallel_for(world->context, world->awake_count, grain, move_bodies, &m);
  for (int32_t b = 0; b < block_count; ++b) {
    const move_block *block = &m.blocks[b];
    report->unconverged_count += block->unconverged_count;
    report->damped_count += block->damped_count;
    if (block->status >= 0) continue;
    if (error != NULL) *error = block->error;
    return pl_world_name_body(world, block->failed_body, block->status, report, error);
  }
  bool is_matched = m.scratches == &world->scratch || match_scratches(m.scratches, pl_block_count(body_count, grain));
  return is_matched ? PL_OK : pl_fail_memory(error);
}
