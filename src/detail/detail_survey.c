// Where to record: a surface divided into sites that are alike, and sites that no example is like yet.
//
// Places are described as the filter would describe them, so what is cut off does not count. That takes a search
// through the tets for every surface point; points are shared out to a fixed number of lanes, each with working memory
// of its own.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "detail/detail_descriptor.h"
#include "detail/detail_object.h"
#include "detail/detail_segment.h"
#include "detail/detail_set.h"

enum { LANE_COUNT = 16 };

typedef struct lane {
  pl_detail_slot slot;
  pl_reach_work work;
} lane;

typedef struct survey {
  const pl_detail_ground *ground;
  double radius;
  lane *lanes;
  pl_moments *sites;
} survey;

static void describe_point(const survey *s, lane *own, int32_t point) {
  const pl_detail_ground *ground = s->ground;
  const pl_rows *around = &ground->triangles_of_point;
  if (around->start[point] == around->start[point + 1]) return;
  // Only the material is of interest, so the stamp is as good as none.
  pl_detail_reach reach = {s->radius, 1e-3 * s->radius};
  pl_detail_slot_aim(ground, &reach, around->items[around->start[point]], &own->work, &own->slot);
  pl_window window = {ground->object.surface_points[point], s->radius};
  pl_moments sums;
  pl_detail_kernels_choose()->sum(&own->slot.rows, NULL, &window, &sums, NULL);
  pl_moments site = pl_site_of_sums(&sums, s->radius, PL_SITE_PER_VOLUME);
  pl_mat3 frame = pl_stamp_frame(&site, NULL, pl_vec3_normalize_or(ground->normals[point], pl_vec3_of(0, 0, 1)));
  pl_moments_rotate(&site, frame, &s->sites[point]);
}

static void run_lanes(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const survey *s = data;
  int64_t count = s->ground->object.surface_count;
  for (int32_t k = begin; k < end; ++k)
    for (int64_t i = count * k / LANE_COUNT; i < count * (k + 1) / LANE_COUNT; ++i)
      describe_point(s, &s->lanes[k], (int32_t)i);
}

// Site descriptors of all surface points, taken from `arena`.
static pl_status survey_sites(pl_arena *arena, const pl_detail_object *object, double radius, pl_moments **sites,
                              pl_error *error) {
  pl_detail_ground ground;
  pl_status status = pl_detail_ground_build(arena, object, &ground, error);
  if (status < 0) return status;
  survey s = {&ground, radius, PL_TAKE(arena, lane, LANE_COUNT), PL_TAKE(arena, pl_moments, object->surface_count)};
  for (int k = 0; !arena->failed && k < LANE_COUNT; ++k) {
    pl_detail_slot_take(arena, &ground, &s.lanes[k].slot);
    pl_detail_ground_work(arena, &ground, &s.lanes[k].work);
  }
  if (arena->failed) return pl_fail_memory(error);
  pl_parallel_for(arena->context, LANE_COUNT, 1, run_lanes, &s);
  *sites = s.sites;
  return PL_OK;
}

pl_status pl_detail_segment(pl_context *context, const pl_detail_def *def, const pl_detail_object *object,
                            uint64_t seed, pl_detail_segments *segments, pl_error *error) {
  pl_status status = pl_detail_def_check(def, false, error);
  if (status < 0) return status;
  if (segments->count < 1)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a surface cannot be divided into %d segments", segments->count);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_moments *sites = NULL;
  status = survey_sites(&arena, object, def->window_radius, &sites, error);
  if (status >= 0) {
    pl_site_set set = {object->surface_count, def->site_order, sites};
    pl_segments found = {.count = segments->count,
                         .segment_of_site = segments->segment_of_point,
                         .representatives = segments->representatives};
    status = pl_sites_segment(context, &set, seed, &found, error);
    if (status >= 0) segments->spread = found.spread;
  }
  pl_arena_destroy(&arena);
  return status;
}

// Sites of the examples, from their keys.
static void unpack_sites(const pl_detail_set *set, pl_moments *sites) {
  const pl_detail_set_view *view = &set->view;
  for (int32_t e = 0; e < view->example_count; ++e)
    for (int32_t i = 0; i < pl_moment_count(view->def.site_order); ++i)
      sites[e].values[i] =
          (double)view->keys[(size_t)view->key_size * (size_t)e + (size_t)i] / sqrt(pl_moment_multiplicity(i));
}

pl_status pl_detail_measure_coverage(pl_context *context, const pl_detail_set *set, const pl_detail_object *object,
                                     double scale, pl_detail_coverage *coverage, pl_error *error) {
  pl_status status = pl_check_range("scale", scale, 0, 1e9, false, error);
  if (status < 0) return status;
  const pl_detail_def *def = &set->view.def;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_moments *sites = NULL, *known = PL_TAKE(&arena, pl_moments, set->view.example_count);
  status =
      known == NULL ? pl_fail_memory(error) : survey_sites(&arena, object, scale * def->window_radius, &sites, error);
  if (status >= 0) {
    unpack_sites(set, known);
    pl_site_set all = {object->surface_count, def->site_order, sites},
                examples = {set->view.example_count, def->site_order, known};
    pl_coverage_report found;
    pl_sites_cover(&all, &examples, def->site_width, coverage->distances, coverage->nearest, &found);
    coverage->limit = def->site_width;
    coverage->covered = found.covered;
    coverage->farthest = found.farthest;
    coverage->max = found.max;
    coverage->mean = found.mean;
  }
  pl_arena_destroy(&arena);
  return status;
}
