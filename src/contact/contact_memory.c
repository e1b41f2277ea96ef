// The arrays of the contact solver. Each step fills most of them before it reads them, and a step of many bodies uses
// few of their items, so only those that must start so are zeroed.
#include "contact/contact_lone.h"
#include "contact/contact_soft_rows.h"
#include "contact/contact_solver.h"

// The plan, and what became of each of its pairs.
bool pl_contact_memory_take_plan(pl_contact_memory *memory, int32_t joint_capacity) {
  pl_contact_plan plan;
  pl_contact_plan_def def = {.body_count = memory->size.body_count,
                             .contact_count = (int32_t)pl_contact_size_contacts(&memory->size),
                             .joint_count = joint_capacity,
                             .soft_count = memory->size.body_count * PL_PAIR_AXES};
  if (!pl_contact_plan_take(&memory->arena, &plan, &def)) return false;
  pl_contact_outcome *outcomes = PL_TAKE_RAW(&memory->arena, pl_contact_outcome, plan.pair_capacity);
  pl_soft_velocities *sides = PL_TAKE_RAW(&memory->arena, pl_soft_velocities, 2 * (int64_t)plan.pair_capacity);
  int32_t *round_counts = PL_TAKE_RAW(&memory->arena, int32_t, plan.pair_capacity);
  if (outcomes == NULL || sides == NULL || round_counts == NULL) return false;
  memory->plan = plan;
  memory->outcomes = outcomes;
  memory->soft_sides = sides;
  memory->soft_round_counts = round_counts;
  memory->joint_capacity = joint_capacity;
  return true;
}

// What search works on.
static bool take_bodies(pl_contact_memory *memory) {
  pl_arena *arena = &memory->arena;
  const pl_contact_size *size = &memory->size;
  int64_t body_count = size->body_count, axis_count = body_count * PL_PAIR_AXES;
  memory->point_start = PL_TAKE(arena, int32_t, body_count + 1);
  memory->particle_start = PL_TAKE(arena, int32_t, body_count + 1);
  memory->block_start = PL_TAKE(arena, int32_t, body_count + 1);
  memory->edge_block_start = PL_TAKE(arena, int32_t, body_count + 1);
  memory->motions = PL_TAKE(arena, pl_surface_motion, body_count);
  memory->presences = PL_TAKE(arena, pl_contact_presence, body_count);
  memory->listed_bodies = PL_TAKE(arena, int32_t, body_count);
  memory->near_items = PL_TAKE_RAW(arena, int32_t, body_count * PL_CONTACT_NEAR);
  memory->near_counts = PL_TAKE(arena, int32_t, body_count);
  memory->axes = PL_TAKE_RAW(arena, pl_pair_axis, axis_count);
  memory->axis_lines = PL_TAKE_RAW(arena, pl_pair_line, axis_count);
  memory->axis_counts = PL_TAKE(arena, int32_t, body_count);
  memory->axis_points = PL_TAKE_RAW(arena, atomic_int, axis_count);
  memory->neighbour_start = PL_TAKE(arena, int32_t, body_count + 1);
  memory->neighbours = PL_TAKE_RAW(arena, pl_contact_neighbour, 2 * axis_count);
  memory->endless_colliders = PL_TAKE(arena, int32_t, size->collider_count);
  memory->collider_steps = PL_TAKE(arena, pl_collider_step, size->collider_count);
  memory->item_boxes = PL_TAKE(arena, pl_box, body_count + size->collider_count);
  pl_broad_phase_take(arena, size->body_count + size->collider_count, &memory->broad);
  memory->blocks = PL_TAKE(arena, pl_contact_block, size->block_count);
  memory->listed_blocks = PL_TAKE(arena, int32_t, size->block_count);
  memory->edge_blocks = PL_TAKE(arena, pl_contact_edge_block, size->edge_block_count);
  memory->listed_edge_blocks = PL_TAKE(arena, int32_t, size->edge_block_count);
  memory->contact_counts = PL_TAKE(arena, int32_t, size->point_count);
  memory->contacts = PL_TAKE_RAW(arena, pl_contact, pl_contact_size_contacts(size));
  return !arena->failed;
}

// What resolution works on.
static bool take_rows(pl_contact_memory *memory) {
  pl_arena *arena = &memory->arena;
  const pl_contact_size *size = &memory->size;
  int64_t contact_count = pl_contact_size_contacts(size), term_count = contact_count * size->term_count;
  int64_t member_count = (int64_t)size->particle_count + size->body_count;
  memory->contact_capacity = (int32_t)contact_count;
  memory->term_count = size->term_count;
  memory->rows = PL_TAKE_RAW(arena, pl_contact_row, contact_count);
  memory->terms = PL_TAKE_RAW(arena, pl_contact_term, term_count);
  memory->pulls = PL_TAKE_RAW(arena, pl_contact_pull, term_count);
  memory->move_velocities = PL_TAKE_RAW(arena, pl_vec3, size->particle_count);
  memory->shock_positions = PL_TAKE_RAW(arena, pl_f4, member_count);
  memory->shock_velocities = PL_TAKE_RAW(arena, pl_f4, member_count);
  memory->wholes = PL_TAKE(arena, pl_contact_whole, size->body_count);
  memory->move_rigids = PL_TAKE(arena, pl_contact_rigid, size->body_count);
  return !arena->failed && pl_contact_memory_take_plan(memory, size->joint_count);
}

// Hits and rows of soft bodies.
static bool take_soft(pl_contact_memory *memory) {
  pl_arena *arena = &memory->arena;
  const pl_contact_size *size = &memory->size;
  int64_t axis_count = (int64_t)size->body_count * PL_PAIR_AXES;
  int64_t hit_count = (int64_t)size->point_count * PL_SOFT_HITS_PER_POINT;
  memory->hits = PL_TAKE_RAW(arena, pl_soft_hit, hit_count);
  memory->hit_counts = PL_TAKE(arena, int32_t, size->body_count);
  memory->axis_hits = PL_TAKE_RAW(arena, pl_pair_range, 2 * axis_count);
  memory->soft_pair_start = PL_TAKE(arena, int32_t, size->body_count + 1);
  memory->soft_pairs = PL_TAKE_RAW(arena, pl_soft_pair, axis_count);
  memory->soft_rows = PL_TAKE_RAW(arena, pl_soft_row, hit_count);
  memory->soft_notes = PL_TAKE_RAW(arena, pl_soft_note, hit_count);
  memory->soft_rounds = PL_TAKE_RAW(arena, pl_soft_round, hit_count);
  memory->body_rounds = PL_TAKE(arena, int32_t, size->body_count);
  return !arena->failed;
}

static int32_t count_tet_workspaces(int32_t body_count) {
  return body_count < PL_TET_WORKSPACES ? body_count : PL_TET_WORKSPACES;
}

// For the tets of any body, once per task that runs.
static bool take_tets(pl_contact_memory *memory) {
  const pl_contact_size *size = &memory->size;
  if (size->tet_block_count == 0) return true;
  int32_t count = count_tet_workspaces(size->body_count);
  memory->tet_workspaces = PL_TAKE(&memory->arena, pl_tet_workspace, count);
  for (int32_t i = 0; i < count && memory->tet_workspaces != NULL; ++i) {
    atomic_flag_clear(&memory->tet_workspaces[i].is_used);
    pl_lane_tets_take(&memory->arena, size->tet_block_count, &memory->tet_workspaces[i].tets);
  }
  return !memory->arena.failed;
}

bool pl_contact_memory_take(pl_contact_memory *memory) {
  return take_bodies(memory) && take_rows(memory) && take_soft(memory) && take_tets(memory) &&
         pl_contact_zones_take(memory) && pl_lone_take(memory);
}

static void begin_blocks(pl_contact_memory *memory, const pl_surface_tree *tree, int32_t body) {
  int32_t first = memory->block_start[body];
  memory->block_start[body + 1] = first + tree->block_count;
  for (int32_t b = 0; b < tree->block_count; ++b) {
    pl_contact_block *block = &memory->blocks[first + b];
    block->body = body;
    block->first = tree->block_start[b];
    block->count = tree->block_start[b + 1] - tree->block_start[b];
  }
}

static void begin_edge_blocks(pl_contact_memory *memory, const pl_contact_surface *surface, int32_t body) {
  int32_t number = memory->edge_block_start[body];
  for (int32_t first = 0; first < surface->triangle_count; first += PL_CONTACT_EDGE_TRIANGLES) {
    int32_t left = surface->triangle_count - first;
    int32_t count = left < PL_CONTACT_EDGE_TRIANGLES ? left : PL_CONTACT_EDGE_TRIANGLES;
    memory->edge_blocks[number++] = (pl_contact_edge_block){.body = body, .first = first, .count = count};
  }
  memory->edge_block_start[body + 1] = number;
}

static void begin_body(pl_contact_memory *memory, pl_contact_shape *shape, int32_t body) {
  const pl_contact_surface *surface = shape->surface;
  pl_surface_motion *motion = &memory->motions[body];
  *motion = pl_contact_shape_next_motion(shape);
  atomic_flag_clear(&memory->presences[body].lock);
  memory->presences[body].is_fine = motion->has_tets && pl_surface_motion_is_fine(motion);
  if (motion->has_tets) {
    memory->min_depth = pl_smaller(memory->min_depth, surface->tet_map->depth);
    memory->tet_workspace_count = count_tet_workspaces(memory->body_count);
  }
  memory->point_start[body + 1] = memory->point_start[body] + surface->point_count;
  memory->particle_start[body + 1] = memory->particle_start[body] + surface->particle_count;
  begin_blocks(memory, &shape->tree, body);
  begin_edge_blocks(memory, surface, body);
}

void pl_contact_memory_begin(pl_contact_memory *memory, pl_contact_shapes *shapes, const pl_contact_body *bodies) {
  pl_contact_shape *shape = NULL;
  memory->min_depth = HUGE_VAL;
  pl_contact_shapes_rewind(shapes);
  for (int32_t i = 0; i < memory->body_count; ++i) {
    if (shape == NULL || shape->surface != bodies[i].surface) shape = pl_contact_shapes_find(shapes, bodies[i].surface);
    begin_body(memory, shape, i);
  }
  memory->block_count = memory->block_start[memory->body_count];
  memory->edge_block_count = memory->edge_block_start[memory->body_count];
  pl_contact_zones_begin(memory);
  pl_lone_begin(memory, bodies);
}
