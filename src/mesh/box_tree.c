// Top-down building with the surface-area heuristic over bins (Wald 2007): the centres of a node's items fall into
// equal bins along each axis, and the cut between two bins that minimises (area x items) on both sides is taken. Where
// bins cannot tell items apart (all centres equal, or coordinates beyond what a double can subtract) the items are
// halved as they stand, so a thousand copies of one triangle still make a balanced tree.
#include "mesh/box_tree.h"

#include <string.h>

enum {
  BIN_COUNT = 16,
  LEAF_SIZE = 4,
  HALVING_DEPTH = 32
};  // 32 cuts, then at most 31 halvings of 2^31 items: within PL_BOX_TREE_DEPTH

typedef struct build {
  const pl_box *boxes;
  pl_vec3 *centers;
  pl_box_tree *tree;
  int32_t *spare;  // for the stable partition
} build;

typedef struct cut {
  double cost;
  int axis;
  int bin;  // items in bins below go first
  double origin, scale;
} cut;

// Without fmin and fmax, whose care for NaN costs a call.
static double lower(double a, double b) {
  return b < a ? b : a;
}
static double upper(double a, double b) {
  return b > a ? b : a;
}
static pl_box join(pl_box a, const pl_box *b) {
  return (pl_box){{lower(a.min.x, b->min.x), lower(a.min.y, b->min.y), lower(a.min.z, b->min.z)},
                  {upper(a.max.x, b->max.x), upper(a.max.y, b->max.y), upper(a.max.z, b->max.z)}};
}

static double component(const pl_vec3 *v, int axis) {
  return axis == 0 ? v->x : axis == 1 ? v->y : v->z;
}

// Half the surface of a box, 0 for an empty one. `slack` times its edges is added so that items in a line or at a few
// places, whose boxes have no surface, are still cut sensibly.
static double half_area(const pl_box *box, double slack) {
  double x = box->max.x - box->min.x, y = box->max.y - box->min.y, z = box->max.z - box->min.z;
  return x < 0 ? 0 : x * y + y * z + z * x + slack * (x + y + z);
}

static int bin_of(double center, const cut *c) {
  int bin = (int)((center - c->origin) * c->scale);
  return bin < BIN_COUNT ? bin : BIN_COUNT - 1;
}

// Try all cuts along one axis and keep the best in `best`.
static void try_axis(const build *b, int32_t first, int32_t end, int axis, double min, double max, cut *best) {
  const double never = HUGE_VAL;
  double slack = 1e-3 * (max - min);
  cut c = {.axis = axis, .origin = min, .scale = BIN_COUNT / (max - min)};
  if (!(max > min) || !isfinite(max - min) || !isfinite(c.scale)) return;
  pl_box boxes[BIN_COUNT];
  int32_t counts[BIN_COUNT] = {0};
  for (int i = 0; i < BIN_COUNT; ++i) boxes[i] = pl_box_empty();
  for (int32_t i = first; i < end; ++i) {
    int32_t item = b->tree->order[i];
    int bin = bin_of(component(&b->centers[item], axis), &c);
    counts[bin]++;
    boxes[bin] = join(boxes[bin], &b->boxes[item]);
  }
  double cost_above[BIN_COUNT];
  pl_box box = pl_box_empty();
  int32_t count = 0;
  for (int i = BIN_COUNT - 1; i > 0; --i) {
    box = join(box, &boxes[i]);
    count += counts[i];
    cost_above[i] = count > 0 ? half_area(&box, slack) * count : never;
  }
  box = pl_box_empty();
  count = 0;
  for (int i = 1; i < BIN_COUNT; ++i) {
    box = join(box, &boxes[i - 1]);
    count += counts[i - 1];
    double cost = count > 0 ? half_area(&box, slack) * count + cost_above[i] : never;
    if (!(cost < best->cost)) continue;
    c.cost = cost;
    c.bin = i;
    *best = c;
  }
}

// Reorder items so that those below the cut come first, both parts keeping their order. Returns where the second part
// begins.
static int32_t partition(const build *b, int32_t first, int32_t end, const cut *c) {
  int32_t *order = b->tree->order, below = first, above = 0;
  for (int32_t i = first; i < end; ++i) {
    int32_t item = order[i];
    if (bin_of(component(&b->centers[item], c->axis), c) < c->bin)
      order[below++] = item;
    else
      b->spare[above++] = item;
  }
  memcpy(order + below, b->spare, (size_t)above * sizeof *order);
  return below;
}

static void build_node(const build *b, int32_t first, int32_t end, int depth) {
  int32_t node = b->tree->node_count++;
  pl_box box = pl_box_empty(), centers = pl_box_empty();
  for (int32_t i = first; i < end; ++i) {
    int32_t item = b->tree->order[i];
    box = join(box, &b->boxes[item]);
    centers = join(centers, &(pl_box){b->centers[item], b->centers[item]});
  }
  pl_box_node made = {.box = box, .first = first, .end = end};
  if (end - first <= LEAF_SIZE) {
    made.count = end - first;
    b->tree->nodes[node] = made;
    return;
  }
  cut best = {.cost = HUGE_VAL};
  for (int axis = 0; axis < 3 && depth < HALVING_DEPTH; ++axis)
    try_axis(b, first, end, axis, component(&centers.min, axis), component(&centers.max, axis), &best);
  int32_t middle = isfinite(best.cost) ? partition(b, first, end, &best) : first + (end - first) / 2;
  build_node(b, first, middle, depth + 1);
  made.second = b->tree->node_count;
  b->tree->nodes[node] = made;
  build_node(b, middle, end, depth + 1);
}

bool pl_box_tree_build(pl_arena *arena, const pl_box *boxes, int32_t count, pl_box_tree *tree) {
  *tree = (pl_box_tree){0};
  if (count == 0) return true;
  // Every leaf holds an item, so there are at most 2 count - 1 nodes.
  tree->nodes = PL_TAKE(arena, pl_box_node, 2 * (size_t)count - 1);
  tree->order = PL_TAKE(arena, int32_t, count);
  if (arena->failed) return false;
  pl_arena temporary;
  pl_arena_init(&temporary, arena->context, 0);
  build b = {boxes, PL_TAKE(&temporary, pl_vec3, count), tree, PL_TAKE(&temporary, int32_t, count)};
  bool done = !temporary.failed;
  if (done) {
    for (int32_t i = 0; i < count; ++i) {
      tree->order[i] = i;
      b.centers[i] = pl_vec3_add(pl_vec3_scale(boxes[i].min, 0.5), pl_vec3_scale(boxes[i].max, 0.5));
    }
    build_node(&b, 0, count, 0);
  }
  pl_arena_destroy(&temporary);
  return done;
}
