// Expectation (paper 002, section 5, after Schulman et al. 2013): how much of each measured point is due to each
// surface point.
//
//   g_nk = a_k / (2 π τ²) exp(-½ (d·n_k)²/σ² - ½ (|d|² - (d·n_k)²)/τ²)        d = c_n - s_k,  a_k area that s_k stands
//   for,  n_k its normal p_nk = g_nk / (Σ_j g_nj + u)                                              u = w / (1 - w)
//   √(2π) σ / D
//
// The paper has isotropic Gaussians, τ = σ. That asks for surface points closer together than σ, or measured points
// fall between them and pull the surface out of its plane; with τ at least the spacing, the g_nk of a point add up to
// exp(-½ z²/σ²) for a distance z from the surface, wherever it lies along it, and two millimetres of noise do not need
// a million surface points. u compares that with outliers, a share w of all points, spread evenly over the depth D of
// the body.
//
// Only surface points that the camera of c_n sees take part, no farther than 3 widths away (a uniform grid finds them),
// and only those near the best one *along the body*: a point near the place where two leaves touch pulls at one of
// them. Each measured point is dealt with by itself, in parallel; sums over them run in their order.
#include <math.h>

#include "base/parallel.h"
#include "capture/track_parts.h"

enum { MATCH_GRAIN = 512, MAX_CELLS = 1 << 21 };

#define CUT 3.0          // widths
#define CELL_GROWTH 1.3  // of the edge of cells, until there are few enough

// A sample with all that a measured point asks of it in one place: the innermost loop runs over these.
typedef struct sample {
  pl_vec3 position, normal;
  double scale;  // a_k / (2 π τ²)
  uint64_t sight;
  int32_t number;  // of the surface point
} sample;

// Samples by cells of a uniform grid.
typedef struct sample_grid {
  pl_vec3 min;
  double inverse;  // cells per metre
  int32_t cells[3];
  int32_t *start;  // by cell, one more after the last
  sample *items;
} sample_grid;

// τ: surface points must cover the surface between them.
static double width_along(const pl_track_level *level) {
  return fmax(level->sigma, PL_TRACK_SPACING * level->spacing);
}

static int32_t cell_along(double offset, double inverse, int32_t count) {
  double cell = floor(offset * inverse);
  return cell < 0 ? -1 : cell >= count ? count : (int32_t)cell;
}

// Cell along each axis; -1 and the number of cells outside.
static void cell_at(const sample_grid *grid, pl_vec3 p, int32_t at[3]) {
  at[0] = cell_along(p.x - grid->min.x, grid->inverse, grid->cells[0]);
  at[1] = cell_along(p.y - grid->min.y, grid->inverse, grid->cells[1]);
  at[2] = cell_along(p.z - grid->min.z, grid->inverse, grid->cells[2]);
}

// Number of the cell of a point inside the grid, up to rounding.
static int32_t cell_of(const sample_grid *grid, pl_vec3 p) {
  int32_t at[3];
  cell_at(grid, p, at);
  for (int a = 0; a < 3; ++a) at[a] = at[a] < 0 ? 0 : at[a] >= grid->cells[a] ? grid->cells[a] - 1 : at[a];
  return at[0] + grid->cells[0] * (at[1] + grid->cells[1] * at[2]);
}

// Samples of the level that some camera sees, in a grid of cells as wide as the search is far.
static bool fill_grid(pl_tracker *t, const pl_track_level *level, double radius, sample_grid *grid) {
  const int32_t *order = t->samples.order;
  pl_box box = pl_box_empty();
  for (int32_t k = 0; k < level->sample_count; ++k)
    if (t->visible[order[k]]) box = pl_box_add_point(box, t->surface[order[k]]);
  if (box.min.x > box.max.x) box = (pl_box){{0, 0, 0}, {0, 0, 0}};
  pl_vec3 size = pl_vec3_sub(box.max, box.min);
  while ((size.x / radius + 1) * (size.y / radius + 1) * (size.z / radius + 1) > MAX_CELLS) radius *= CELL_GROWTH;
  *grid = (sample_grid){.min = box.min, .inverse = 1 / radius};
  grid->cells[0] = (int32_t)(size.x / radius) + 1;
  grid->cells[1] = (int32_t)(size.y / radius) + 1;
  grid->cells[2] = (int32_t)(size.z / radius) + 1;
  size_t cell_count = (size_t)grid->cells[0] * (size_t)grid->cells[1] * (size_t)grid->cells[2];
  grid->start = PL_SCRATCH(&t->scratch, int32_t, cell_count + 2);
  grid->items = PL_SCRATCH(&t->scratch, sample, level->sample_count + 1);
  if (grid->start == NULL || grid->items == NULL) return false;
  // Counting sort: start[c + 2] counts, is then summed up, and start[c + 1] runs along while items are put in.
  for (size_t c = 0; c < cell_count + 2; ++c) grid->start[c] = 0;
  for (int32_t k = 0; k < level->sample_count; ++k)
    if (t->visible[order[k]]) ++grid->start[cell_of(grid, t->surface[order[k]]) + 2];
  for (size_t c = 1; c < cell_count + 2; ++c) grid->start[c] += grid->start[c - 1];
  double tau = width_along(level), constant = 1 / (2 * PL_PI * tau * tau), even = t->samples.area / level->sample_count;
  bool all = level->sample_count == t->samples.count;
  for (int32_t i = 0; i < level->sample_count; ++i) {
    int32_t k = order[i];
    if (!t->visible[k]) continue;
    double area = all ? t->samples.areas[k] : even;
    grid->items[grid->start[cell_of(grid, t->surface[k]) + 1]++] =
        (sample){t->surface[k], t->normals[k], area * constant, t->sight[k], k};
  }
  return true;
}

typedef struct search {
  pl_tracker *tracker;
  const pl_track_level *level;
  sample_grid grid;
  double across, along;  // 1/σ², 1/τ²
  double farthest;       // (3 τ)²
  double rival;          // u
  double gate;           // metres along the body from the best surface point to others
} search;

// Add a surface point to the best ones, which are kept in the order they were found in; the weakest gives way.
static void keep_best(pl_track_match *match, int32_t number, double g) {
  if (match->count < PL_TRACK_MAX_MATCHES) {
    match->samples[match->count] = number;
    match->responsibilities[match->count++] = g;
    return;
  }
  int weakest = 0;
  for (int i = 1; i < PL_TRACK_MAX_MATCHES; ++i)
    if (match->responsibilities[i] < match->responsibilities[weakest]) weakest = i;
  if (g <= match->responsibilities[weakest]) return;
  match->samples[weakest] = number;
  match->responsibilities[weakest] = g;
}

static void search_cell(const search *s, int32_t cell, pl_vec3 point, uint64_t sight, pl_track_match *match) {
  const sample *end = s->grid.items + s->grid.start[cell + 1];
  for (const sample *at = s->grid.items + s->grid.start[cell]; at < end; ++at) {
    pl_vec3 d = pl_vec3_sub(point, at->position);
    double square = pl_vec3_dot(d, d);
    if (square > s->farthest || (at->sight & sight) == 0) continue;
    double off = pl_vec3_dot(d, at->normal), q = off * off * (s->across - s->along) + square * s->along;
    if (q > CUT * CUT) continue;
    keep_best(match, at->number, at->scale * exp(-0.5 * q));
  }
}

// Surface points far along the body from the best one are dropped.
static void gate(const search *s, pl_track_match *match) {
  int best = 0, kept = 0;
  for (int i = 1; i < match->count; ++i)
    if (match->responsibilities[i] > match->responsibilities[best]) best = i;
  int32_t chosen = match->count > 0 ? match->samples[best] : 0;
  for (int i = 0; i < match->count; ++i) {
    if (pl_track_distance(&s->tracker->samples, chosen, match->samples[i]) > s->gate) continue;
    match->samples[kept] = match->samples[i];
    match->responsibilities[kept++] = match->responsibilities[i];
  }
  match->count = kept;
}

static void match_some(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const search *s = data;
  const sample_grid *grid = &s->grid;
  pl_tracker *t = s->tracker;
  for (int32_t n = begin; n < end; ++n) {
    pl_vec3 p = t->cloud.points[n];
    pl_track_match *match = &t->matches[n];
    match->count = 0;
    uint64_t sight =
        t->cloud.cameras[n] >= 0 && t->camera_count > 0 ? (uint64_t)1 << t->cloud.cameras[n] : ~(uint64_t)0;
    int32_t at[3];
    cell_at(grid, p, at);
    for (int32_t z = at[2] - 1; z <= at[2] + 1; ++z)
      for (int32_t y = at[1] - 1; y <= at[1] + 1; ++y)
        for (int32_t x = at[0] - 1; x <= at[0] + 1; ++x) {
          bool inside = x >= 0 && y >= 0 && z >= 0 && x < grid->cells[0] && y < grid->cells[1] && z < grid->cells[2];
          if (inside) search_cell(s, x + grid->cells[0] * (y + grid->cells[1] * z), p, sight, match);
        }
    if (t->def.gating) gate(s, match);
    double sum = s->rival;
    for (int i = 0; i < match->count; ++i) sum += match->responsibilities[i];
    for (int i = 0; i < match->count; ++i) match->responsibilities[i] /= sum;
  }
}

static void gather_pulls(pl_tracker *t, const pl_track_level *level) {
  pl_track_pull *pull = &t->pull;
  pull->explained = pull->square = 0;
  for (int32_t k = 0; k < t->samples.count; ++k) {
    pull->weights[k] = 0;
    pull->targets[k] = (pl_vec3){0, 0, 0};
  }
  for (int32_t n = 0; n < level->point_count; ++n) {
    const pl_track_match *match = &t->matches[n];
    pl_vec3 p = t->cloud.points[n];
    for (int i = 0; i < match->count; ++i) {
      int32_t k = match->samples[i];
      double responsibility = match->responsibilities[i],
             off = pl_vec3_dot(pl_vec3_sub(p, t->surface[k]), t->normals[k]);
      pull->weights[k] += responsibility;
      pull->targets[k] = pl_vec3_add_scaled(pull->targets[k], p, responsibility);
      pull->explained += responsibility;
      pull->square += responsibility * off * off;
    }
  }
  for (int32_t k = 0; k < t->samples.count; ++k)
    if (pull->weights[k] > 0) pull->targets[k] = pl_vec3_scale(pull->targets[k], 1 / pull->weights[k]);
}

bool pl_track_expect(pl_tracker *t, const pl_track_level *level) {
  double sigma = level->sigma, tau = width_along(level), w = t->outlier_fraction;
  search s = {.tracker = t,
              .level = level,
              .across = 1 / (sigma * sigma),
              .along = 1 / (tau * tau),
              .farthest = CUT * CUT * tau * tau,
              .rival = w / (1 - w) * 2.5066282746310002 * sigma / t->size,
              .gate = 3 * t->samples.seed_radius + 2 * CUT * tau};
  pl_scratch_mark mark = pl_scratch_push(&t->scratch);
  bool good = fill_grid(t, level, CUT * tau, &s.grid);
  if (good) {
    pl_parallel_for(t->context, level->point_count, MATCH_GRAIN, match_some, &s);
    gather_pulls(t, level);
  }
  pl_scratch_pop(&t->scratch, mark);
  return good;
}
