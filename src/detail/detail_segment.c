// Segments of a surface by k-means over site descriptors (paper 003, section 6.1, figure 6) and the coverage of a
// surface by examples.
//
// Lloyd's iteration on vectors of up to 20 numbers, scaled by the root of their multiplicity so that eq. 9 is the plain
// distance. Started by k-means++ (Arthur and Vassilvitskii 2007): each center is drawn with a chance that grows with
// the square of its distance from those before. A segment that runs empty takes the site farthest from its center. One
// thread and sums in the order of the sites: equal input, equal bits.
//
// Cost: sites x segments x 20 per iteration.
#include "detail/detail_segment.h"

#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "detail/detail_kernels.h"

enum { START_COUNT = 8, MAX_ITERATION = 100, SITE_GRAIN = 64 };

typedef struct site_work {
  const pl_surface_sites_def *def;
  const pl_material_rows *rows;
  const pl_detail_kernels *kernels;
  pl_moments *sites;
} site_work;

static void compute_sites(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const site_work *work = data;
  for (int32_t i = begin; i < end; ++i) {
    pl_window window = {work->def->points[i], work->def->radius};
    pl_moments sums;
    work->kernels->sum(work->rows, NULL, &window, &sums, NULL);
    pl_moments site = pl_site_of_sums(&sums, window.radius, work->def->scale);
    // A point of no triangle has no normal; away from the material is as good as any.
    pl_vec3 away =
        pl_vec3_normalize_or(pl_vec3_of(-site.values[1], -site.values[2], -site.values[3]), pl_vec3_of(0, 0, 1));
    pl_mat3 frame = pl_stamp_frame(&site, NULL, pl_vec3_normalize_or(work->def->normals[i], away));
    pl_moments_rotate(&site, frame, &work->sites[i]);
  }
}

pl_status pl_surface_sites_compute(pl_context *context, const pl_surface_sites_def *def, pl_moments *sites,
                                   pl_error *error) {
  pl_status status = pl_check_range("radius", def->radius, 0, HUGE_VAL, false, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_material_rows rows;
  if (!pl_material_rows_take(&arena, &def->material, &rows)) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  site_work work = {def, &rows, pl_detail_kernels_choose(), sites};
  pl_parallel_for(context, def->point_count, SITE_GRAIN, compute_sites, &work);
  pl_arena_destroy(&arena);
  return PL_OK;
}

typedef struct clustering {
  int32_t site_count, size, segment_count;
  double *vectors;    // site_count x size
  double *centers;    // segment_count x size
  double *sums;       // the same, while centers move
  int32_t *members;   // number of sites per segment
  int32_t *segments;  // of each site
  double *squares;    // of each site's distance to its center
} clustering;

static double squared_distance(const double *a, const double *b, int32_t size) {
  double sum = 0;
  for (int32_t i = 0; i < size; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

static const double *vector_of(const clustering *c, int32_t site) {
  return c->vectors + (size_t)c->size * (size_t)site;
}

static void set_center(clustering *c, int32_t segment, int32_t site) {
  memcpy(c->centers + (size_t)c->size * (size_t)segment, vector_of(c, site), (size_t)c->size * sizeof(double));
}

// k-means++. Once all sites are centers, further centers repeat one; their segments stay empty.
static void seed_centers(clustering *c, pl_random *random) {
  int32_t site = (int32_t)(pl_random_unit(random) * c->site_count);
  for (int32_t i = 0; i < c->site_count; ++i) c->squares[i] = HUGE_VAL;
  for (int32_t k = 0; k < c->segment_count; ++k) {
    set_center(c, k, site);
    double total = 0;
    for (int32_t i = 0; i < c->site_count; ++i) {
      c->squares[i] = fmin(c->squares[i], squared_distance(vector_of(c, i), vector_of(c, site), c->size));
      total += c->squares[i];
    }
    double drawn = pl_random_unit(random) * total;
    for (int32_t i = 0; i < c->site_count; ++i) {
      if (!(c->squares[i] > 0)) continue;
      site = i;
      if ((drawn -= c->squares[i]) < 0) break;
    }
  }
}

// Nearest center of each site, the lowest among equals. Returns whether any site changed its segment.
static bool assign_sites(clustering *c) {
  bool changed = false;
  for (int32_t i = 0; i < c->site_count; ++i) {
    int32_t best = 0;
    double min = HUGE_VAL;
    for (int32_t k = 0; k < c->segment_count; ++k) {
      double square = squared_distance(vector_of(c, i), c->centers + (size_t)c->size * (size_t)k, c->size);
      if (!(square < min)) continue;
      min = square;
      best = k;
    }
    changed = changed || c->segments[i] != best;
    c->segments[i] = best;
    c->squares[i] = min;
  }
  return changed;
}

static void move_centers(clustering *c) {
  memset(c->sums, 0, (size_t)c->segment_count * (size_t)c->size * sizeof(double));
  memset(c->members, 0, (size_t)c->segment_count * sizeof *c->members);
  for (int32_t i = 0; i < c->site_count; ++i) {
    double *sum = c->sums + (size_t)c->size * (size_t)c->segments[i];
    for (int32_t n = 0; n < c->size; ++n) sum[n] += vector_of(c, i)[n];
    c->members[c->segments[i]]++;
  }
  for (int32_t k = 0; k < c->segment_count; ++k) {
    double *center = c->centers + (size_t)c->size * (size_t)k;
    for (int32_t n = 0; c->members[k] > 0 && n < c->size; ++n)
      center[n] = c->sums[(size_t)c->size * (size_t)k + (size_t)n] / c->members[k];
    if (c->members[k] > 0) continue;
    int32_t farthest = 0;
    for (int32_t i = 1; i < c->site_count; ++i)
      if (c->squares[i] > c->squares[farthest]) farthest = i;
    if (!(c->squares[farthest] > 0)) continue;
    set_center(c, k, farthest);
    c->squares[farthest] = 0;
  }
}

static double run_start(clustering *c, pl_random *random, int32_t *iterations) {
  seed_centers(c, random);
  for (int32_t i = 0; i < c->site_count; ++i) c->segments[i] = -1;
  for (*iterations = 0; *iterations < MAX_ITERATION && assign_sites(c); ++*iterations) move_centers(c);
  double sum = 0;
  for (int32_t i = 0; i < c->site_count; ++i) sum += c->squares[i];
  return sum;
}

// Number segments by size, then by their first site.
static void number_segments(clustering *c, const int32_t *found, int32_t *new_of_old, pl_segments *segments) {
  memset(c->members, 0, (size_t)c->segment_count * sizeof *c->members);
  for (int32_t k = 0; k < c->segment_count; ++k) new_of_old[k] = -1;
  for (int32_t i = 0; i < c->site_count; ++i) c->members[found[i]]++;
  for (int32_t next = 0; next < c->segment_count; ++next) {
    int32_t max = -1;
    for (int32_t i = 0; i < c->site_count; ++i)
      if (new_of_old[found[i]] < 0 && (max < 0 || c->members[found[i]] > c->members[max])) max = found[i];
    if (max < 0) break;
    new_of_old[max] = next;
  }
  for (int32_t i = 0; i < c->site_count; ++i) segments->segment_of_site[i] = c->segments[i] = new_of_old[found[i]];
}

static void find_representatives(clustering *c, pl_segments *segments) {
  // Centers once more, for the segments as they are numbered now. Nothing is far from them: empty segments stay empty.
  memset(c->squares, 0, (size_t)c->site_count * sizeof *c->squares);
  move_centers(c);
  for (int32_t k = 0; k < c->segment_count; ++k) segments->representatives[k] = -1;
  for (int32_t i = 0; i < c->site_count; ++i) {
    int32_t k = c->segments[i], *best = &segments->representatives[k];
    c->squares[i] = squared_distance(vector_of(c, i), c->centers + (size_t)c->size * (size_t)k, c->size);
    if (*best < 0 || c->squares[i] < c->squares[*best]) *best = i;
  }
}

static pl_status check_sites(const pl_site_set *set, int32_t segment_count, pl_error *error) {
  if (segment_count < 1 || set->count < 1 || set->order < 0 || set->order > PL_MOMENT_ORDER)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "%d sites cannot be put into %d segments by moments to order %d",
                   set->count, segment_count, set->order);
  for (int32_t i = 0; i < set->count; ++i)
    for (int32_t n = 0; n < PL_MOMENT_COUNT; ++n)
      if (!isfinite(set->sites[i].values[n]))
        return pl_fail(error, PL_ERROR_INVALID_DATA, "the descriptor of site %d is not finite", i);
  return PL_OK;
}

static bool take_clustering(pl_arena *arena, const pl_site_set *set, clustering *c) {
  size_t sites = (size_t)set->count, segments = (size_t)c->segment_count, size = (size_t)c->size;
  c->vectors = PL_TAKE(arena, double, sites *size);
  c->centers = PL_TAKE(arena, double, segments *size);
  c->sums = PL_TAKE(arena, double, segments *size);
  c->members = PL_TAKE(arena, int32_t, segments);
  c->segments = PL_TAKE(arena, int32_t, sites);
  c->squares = PL_TAKE(arena, double, sites);
  if (arena->failed) return false;
  for (int32_t i = 0; i < set->count; ++i)
    for (int32_t n = 0; n < c->size; ++n)
      c->vectors[size * (size_t)i + (size_t)n] = sqrt(pl_moment_multiplicity(n)) * set->sites[i].values[n];
  return true;
}

pl_status pl_sites_segment(pl_context *context, const pl_site_set *set, uint64_t seed, pl_segments *segments,
                           pl_error *error) {
  pl_status status = check_sites(set, segments->count, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  clustering c = {.site_count = set->count, .size = pl_moment_count(set->order), .segment_count = segments->count};
  int32_t *best_segments = PL_TAKE(&arena, int32_t, set->count),
          *new_of_old = PL_TAKE(&arena, int32_t, segments->count);
  if (!take_clustering(&arena, set, &c)) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  pl_random random = pl_random_of_seed(seed);
  double best = HUGE_VAL;
  for (int32_t start = 0; start < START_COUNT; ++start) {
    int32_t iterations;
    double sum = run_start(&c, &random, &iterations);
    if (!(sum < best)) continue;
    best = sum;
    segments->iterations = iterations;
    segments->spread = sqrt(sum / set->count);
    memcpy(best_segments, c.segments, (size_t)set->count * sizeof *best_segments);
  }
  number_segments(&c, best_segments, new_of_old, segments);
  if (segments->representatives != NULL) find_representatives(&c, segments);
  pl_arena_destroy(&arena);
  return PL_OK;
}

void pl_sites_cover(const pl_site_set *set, const pl_site_set *examples, double limit, double *distances,
                    int32_t *nearest, pl_coverage_report *report) {
  pl_coverage_report found = {.farthest = -1};
  for (int32_t i = 0; i < set->count; ++i) {
    int32_t best = -1;
    double min = HUGE_VAL;
    for (int32_t e = 0; e < examples->count; ++e) {
      double d = pl_site_distance(&set->sites[i], &examples->sites[e], set->order);
      if (!(d < min)) continue;
      min = d;
      best = e;
    }
    distances[i] = min;
    if (nearest != NULL) nearest[i] = best;
    if (found.farthest < 0 || min > found.max) {
      found.farthest = i;
      found.max = min;
    }
    found.mean += min / set->count;
    found.covered += (min <= limit ? 1.0 : 0.0) / set->count;
  }
  if (report != NULL) *report = found;
}
