// From displacements at the vertices of a recorded surface to a map: triangles are laid out in the stamp and sampled.
//
// Sampling a surface that is linear between its vertices and reading the map, linear between its samples, rounds off
// every vertex. So what is missing at the vertices is recorded again and added, a few times: where samples are closer
// than vertices the map then gives back what went in. Where they are not, as next to a seam or on a side that lies
// slanted in the map, samples are moved directly: every vertex in turn moves the four it is read from by the least that
// gives its value back (Kaczmarz 1937), for some rounds. Samples beyond the edge of the surface are filled from those
// next to them, so that the same stamp serves a place a little nearer to the middle of an object.
//
// Where parts of the surface cover each other in the stamp, the one nearest to the contact is recorded.
#include "detail/detail_stamp.h"

#include <stdlib.h>
#include <string.h>

enum { REPEAT_COUNT = 6, ROUND_COUNT = 60 };

// What faces away from the contact more than this is on the other side, if stamps have one. Triangles somewhat beyond
// are recorded in both maps, so that each reaches over the seam. One-sided stamps leave such triangles out: they would
// come to lie above the upper side.
static const float TURN = -0.5f;
static const double SEAM = 0.2;

typedef struct ordered {
  double distance;
  int32_t point;
} ordered;

typedef struct recorder {
  const pl_stamp_def *def;
  const pl_stamp_source *source;
  int32_t resolution;
  float *positions;  // 3 per surface point, see pl_detail_kernels; only those of the slot
  float *sides[2];   // the same if all were on one side
  pl_vec3 *values;   // what is to be recorded now
  pl_f4 *layer;      // one pass
  float *distances;  // of what each sample was taken from; HUGE_VALF: nothing
  ordered *order;    // points under the stamp, the nearest last
  int32_t order_count;
  uint8_t *known;  // samples of `layer` that have a value, 2: since this round
} recorder;

static void set_sample(recorder *r, int32_t i, int32_t j, const int32_t *corners, const double weights[3]) {
  const pl_vec3 *rest = r->source->ground->object.surface_points;
  pl_vec3 point = {0, 0, 0}, value = {0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    point = pl_vec3_add_scaled(point, rest[corners[k]], weights[k]);
    value = pl_vec3_add_scaled(value, r->values[corners[k]], weights[k]);
  }
  size_t at = (size_t)j * (size_t)r->resolution + (size_t)i;
  float distance = (float)pl_vec3_distance(point, r->source->spot->point);
  if (!(distance < r->distances[at])) return;
  r->distances[at] = distance;
  r->known[at] = 1;
  r->layer[at] = pl_f4_of_vec3(value);
}

// All samples of one side under a triangle.
static void sample_triangle(recorder *r, int32_t side, const int32_t *corners) {
  double x[3], y[3], facing = 0;
  for (int k = 0; k < 3; ++k) {
    if (!(r->source->slot->fractions[corners[k]] > 0)) return;
    facing += pl_vec3_dot(r->source->ground->normals[corners[k]], r->source->spot->normal) / 3;
    x[k] = (double)r->sides[side][3 * (size_t)corners[k]];
    y[k] = (double)r->sides[side][3 * (size_t)corners[k] + 1] - side * r->resolution;
  }
  double turn = (double)TURN + (r->def->side_count == 1 ? SEAM : side == 0 ? -SEAM : SEAM);
  if (side == 0 ? facing < turn : facing > turn) return;
  double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
  if (!(fabs(area) > 1e-12)) return;
  double last = r->resolution - 1, left = fmax(ceil(fmin(x[0], fmin(x[1], x[2])) - 1e-9), 0),
         right = fmin(floor(fmax(x[0], fmax(x[1], x[2])) + 1e-9), last),
         low = fmax(ceil(fmin(y[0], fmin(y[1], y[2])) - 1e-9), 0),
         high = fmin(floor(fmax(y[0], fmax(y[1], y[2])) + 1e-9), last);
  for (double j = low; j <= high; ++j)
    for (double i = left; i <= right; ++i) {
      double weights[3];
      for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        weights[k] = ((x[a] - i) * (y[b] - j) - (x[b] - i) * (y[a] - j)) / area;
      }
      if (weights[0] < -1e-9 || weights[1] < -1e-9 || weights[2] < -1e-9) continue;
      set_sample(r, (int32_t)i, (int32_t)j, corners, weights);
    }
}

// Samples without a value get the mean of their neighbours that have one, ring by ring.
static void fill_gaps(recorder *r) {
  int32_t n = r->resolution;
  for (int32_t round = 0; round < n; ++round) {
    bool changed = false;
    for (int32_t j = 0; j < n; ++j)
      for (int32_t i = 0; i < n; ++i) {
        size_t at = (size_t)j * (size_t)n + (size_t)i;
        if (r->known[at] != 0) continue;
        pl_f4 sum = {0, 0, 0, 0};
        float count = 0;
        for (int k = 0; k < 4; ++k) {
          int32_t x = i + (k == 0) - (k == 1), y = j + (k == 2) - (k == 3);
          size_t other = (size_t)y * (size_t)n + (size_t)x;
          if (x < 0 || y < 0 || x >= n || y >= n || r->known[other] != 1) continue;
          sum += r->layer[other];
          count += 1.0f;
        }
        if (!(count > 0)) continue;
        r->layer[at] = sum / count;
        r->known[at] = 2;
        changed = true;
      }
    for (size_t i = 0; i < (size_t)n * (size_t)n; ++i) r->known[i] = r->known[i] != 0;
    if (!changed) break;
  }
}

static void record_side(recorder *r, int32_t side, pl_f4 *map) {
  size_t count = (size_t)r->resolution * (size_t)r->resolution;
  const pl_detail_object *object = &r->source->ground->object;
  memset(r->layer, 0, count * sizeof *r->layer);
  memset(r->known, 0, count);
  for (size_t i = 0; i < count; ++i) r->distances[i] = HUGE_VALF;
  for (int32_t t = 0; t < object->triangle_count; ++t) sample_triangle(r, side, object->triangles + 3 * (size_t)t);
  fill_gaps(r);
  for (size_t i = 0; i < count; ++i) map[count * (size_t)side + i] += r->layer[i];
}

// What the map does not give back yet.
static void find_missing(recorder *r, const pl_f4 *map) {
  const pl_detail_slot *slot = r->source->slot;
  for (int32_t k = 0; k < slot->point_count; ++k) {
    int32_t i = slot->points[k];
    const float *at = r->positions + 3 * (size_t)i;
    r->values[i] = pl_vec3_of(0, 0, 0);
    if (at[2] > 0)
      r->values[i] = pl_vec3_sub(r->source->values[i], pl_vec3_of_f4(pl_stamp_sample(map, r->def, at[0], at[1])));
  }
}

// Move the four samples that a vertex is read from by the least that gives back what it lacks.
static void move_samples(const recorder *r, pl_f4 *map, const float *at, pl_vec3 wanted) {
  int32_t n = r->resolution, last = r->def->side_count * n - 2, i = (int32_t)at[0], j = (int32_t)at[1];
  i = i > n - 2 ? n - 2 : i;
  j = j > last ? last : j;
  float x = at[0] - (float)i, y = at[1] - (float)j;
  float weights[4] = {(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y}, square = 0;
  for (int k = 0; k < 4; ++k) square += weights[k] * weights[k];
  pl_f4 off = pl_f4_of_vec3(pl_vec3_sub(wanted, pl_vec3_of_f4(pl_stamp_sample(map, r->def, at[0], at[1])))) / square;
  for (int k = 0; k < 4; ++k) map[(size_t)(j + k / 2) * (size_t)n + (size_t)(i + k % 2)] += off * weights[k];
}

// Where parts of the surface cover each other the nearest one comes last, so that its value stays. What one-sided
// stamps leave out is left out here too.
static void move_all_samples(const recorder *r, pl_f4 *map) {
  for (int round = 0; round < ROUND_COUNT; ++round)
    for (int32_t k = 0; k < r->order_count; ++k) {
      int32_t i = r->order[k].point;
      move_samples(r, map, r->positions + 3 * (size_t)i, r->source->values[i]);
    }
}

static int compare_distances(const void *a, const void *b) {
  const ordered *x = a, *y = b;
  if (x->distance != y->distance) return x->distance > y->distance ? -1 : 1;
  return x->point < y->point ? -1 : 1;
}

static void order_points(recorder *r) {
  const pl_detail_slot *slot = r->source->slot;
  const pl_detail_ground *ground = r->source->ground;
  r->order_count = 0;
  for (int32_t k = 0; k < slot->point_count; ++k) {
    int32_t i = slot->points[k];
    double facing = pl_vec3_dot(ground->normals[i], r->source->spot->normal);
    if (!(r->positions[3 * (size_t)i + 2] > 0) || (r->def->side_count == 1 && facing < (double)TURN + SEAM)) continue;
    r->order[r->order_count++] =
        (ordered){pl_vec3_distance(ground->object.surface_points[i], r->source->spot->point), i};
  }
  qsort(r->order, (size_t)r->order_count, sizeof *r->order, compare_distances);
}

// 1 inside, falling smoothly to 0 at the rim of the disc.
static float border_at(const pl_stamp_def *def, int32_t i, int32_t j) {
  double half = 0.5 * (def->resolution - 1), x = i / half - 1, y = j / half - 1, rest = 1 - sqrt(x * x + y * y);
  if (!(rest > 0)) return 0.0f;
  if (rest >= def->border) return 1.0f;
  double t = rest / def->border;
  return (float)(t * t * (3 - 2 * t));
}

static double measure_error(const recorder *r, const pl_f4 *map) {
  const pl_detail_ground *ground = r->source->ground;
  double missing = 0, whole = 0;
  for (int32_t i = 0; i < ground->object.surface_count; ++i) {
    pl_vec3 value = r->source->values[i], off = value;
    const float *at = r->positions + 3 * (size_t)i;
    float fraction = r->source->slot->fractions[i];
    if (fraction > 0 && at[2] > 0)
      off = pl_vec3_sub(value, pl_vec3_of_f4(pl_stamp_sample(map, r->def, at[0], at[1]) * fraction));
    missing += pl_vec3_dot(off, off);
    whole += pl_vec3_dot(value, value);
  }
  return whole > 0 ? sqrt(missing / whole) : 0.0;
}

pl_stamp_placement pl_stamp_placement_of(const pl_detail_ground *ground, const pl_detail_spot *spot, pl_mat3 frame,
                                         const pl_stamp_def *def) {
  pl_vec3 center = pl_vec3_sub(spot->point, ground->origin);
  pl_stamp_placement placement = {.center = {(float)center.x, (float)center.y, (float)center.z},
                                  .scale = (float)(1.0 / def->radius),
                                  .half = 0.5f * (float)(def->resolution - 1),
                                  .turn = def->side_count == 2 ? TURN : -2.0f};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) placement.axes[i][j] = (float)frame.m[i][j];
  return placement;
}

size_t pl_stamp_positions_size(const pl_detail_ground *ground) {
  return VEC3_LANES * ((size_t)ground->object.surface_count / LANES + 1);
}

// Positions of the slot's points, by the kernel that the filter uses; `rows` is its working memory.
static void find_positions(const recorder *r, float turn, float *rows, float *positions) {
  const pl_stamp_source *source = r->source;
  pl_stamp_placement placement = pl_stamp_placement_of(source->ground, source->spot, source->frame, r->def);
  if (turn > -3.0f) placement.turn = turn;
  pl_detail_kernels_choose()->locate(&source->slot->near, &placement, rows);
  for (int32_t k = 0; k < source->slot->point_count; ++k)
    for (size_t c = 0; c < 3; ++c)
      positions[3 * (size_t)source->slot->points[k] + c] =
          rows[VEC3_LANES * (size_t)(k / LANES) + LANES * c + (size_t)(k % LANES)];
}

static void record(recorder *r, pl_f4 *map, double *error) {
  const pl_stamp_source *source = r->source;
  int32_t side_count = r->def->side_count, n = r->resolution;
  memset(map, 0, (size_t)side_count * (size_t)n * (size_t)n * sizeof *map);
  memcpy(r->values, source->values, (size_t)source->ground->object.surface_count * sizeof *r->values);
  for (int pass = 0; pass < REPEAT_COUNT; ++pass) {
    if (pass > 0) find_missing(r, map);
    for (int32_t side = 0; side < side_count; ++side) record_side(r, side, map);
  }
  move_all_samples(r, map);
  for (int32_t j = 0; j < side_count * n; ++j)
    for (int32_t i = 0; i < n; ++i) map[(size_t)j * (size_t)n + (size_t)i] *= border_at(r->def, i, j % n);
  *error = measure_error(r, map);
}

bool pl_stamp_record(pl_context *context, const pl_stamp_def *def, const pl_stamp_source *source, float *map,
                     double *error) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  size_t count = (size_t)def->resolution * (size_t)def->resolution,
         point_count = (size_t)source->ground->object.surface_count;
  recorder r = {.def = def, .source = source, .resolution = def->resolution};
  r.positions = PL_TAKE(&arena, float, 3 * point_count);
  for (int side = 0; side < 2; ++side) r.sides[side] = PL_TAKE(&arena, float, 3 * point_count);
  float *rows = PL_TAKE(&arena, float, pl_stamp_positions_size(source->ground));
  r.values = PL_TAKE(&arena, pl_vec3, point_count);
  r.layer = PL_TAKE(&arena, pl_f4, count);
  r.distances = PL_TAKE(&arena, float, count);
  r.known = PL_TAKE(&arena, uint8_t, count);
  r.order = PL_TAKE(&arena, ordered, point_count);
  bool done = !arena.failed;
  if (done) {
    find_positions(&r, -4.0f, rows, r.positions);  // as they are
    find_positions(&r, -2.0f, rows, r.sides[0]);
    find_positions(&r, 2.0f, rows, r.sides[1]);
    order_points(&r);
    record(&r, (pl_f4 *)(void *)map, error);
  }
  pl_arena_destroy(&arena);
  return done;
}
