// Bodies that move at the same time.
//
// A small body of a method that handles neither colliders nor pins in its own move reads and writes nothing but its own
// state, so many of them are moved in parallel, in blocks that depend on their number alone. Large bodies use the
// threads inside their own move, one after the other (step.c).
#include "base/error.h"
#include "base/parallel.h"
#include "world/world_segments.h"

// Bodies with more particles divide their own work; fewer than these in a block are not worth a task.
enum { MAX_PARTICLES = 1024, MIN_GRAIN = 4 };

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

bool pl_world_moves_in_parallel(const pl_world *world, int32_t index) {
  const pl_model *model = ((const pl_body *)pl_slots_at(&world->bodies, index))->model;
  const pl_body_method *method = model->method;
  return !method->handles_colliders && !method->handles_bodies && !method->handles_pins && method->coupled == NULL &&
         model->particle_count <= MAX_PARTICLES && pl_world_get_move_round(world, index) == PL_MOVE_OTHERS &&
         !pl_world_has_moved(world, index);
}

static void move_bodies(void *data, int32_t begin, int32_t end, int32_t number) {
  parallel_moves *m = data;
  move_block *block = &m->blocks[number];
  *block = (move_block){.status = PL_OK};
  for (int32_t k = begin; k < end && block->status >= 0; ++k) {
    int32_t index = PL_ITEM(&m->world->awake, int32_t, k);
    if (!pl_world_moves_in_parallel(m->world, index)) continue;
    pl_body *body = pl_slots_at(&m->world->bodies, index);
    bool damped = false;
    pl_body_move move;
    block->status = pl_world_begin_move(m->world, index, &move, &block->error);
    move.scratch = &m->scratches[number];
    move.damped = &damped;
    bool is_noted = m->world->notes_in_move && body->is_noted;
    if (is_noted && m->world->saves_in_move) pl_body_save_state(body);
    if (is_noted && !pl_body_note_start(m->world, body, move.scratch)) block->status = pl_fail_memory(&block->error);
    if (block->status >= 0) block->status = body->model->method->move(body->model, body->state, &move, &block->error);
    if (block->status >= 0 && is_noted && !pl_body_note_end(m->world, body, move.scratch))
      block->status = pl_fail_memory(&block->error);
    block->failed_body = index;
    block->unconverged_count += block->status == PL_REMARK_NOT_CONVERGED;
    block->damped_count += damped;
  }
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
  int32_t body_count = pl_slots_count(&world->bodies), grain = MIN_GRAIN;
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
