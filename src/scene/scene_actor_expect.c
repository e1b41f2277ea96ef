// Compares what a scene expects of its actors with what they did.
#include "scene/scene_actor.h"

typedef struct expectation {
  const char *name, *unit;
  bool is_max;
} expectation;

// In the order of `wanted_of` and `found_of`.
static const expectation EXPECTATIONS[] = {
    {"advance", "m", false},
    {"steps", "", false},
    {"hops", "", false},
    {"turns", "", false},
    {"twists", "", false},
    {"places", "", false},
    {"clearance", "m", false},
    {"max_foot_slide", "", true},
    {"max_sink", "m", true},
    {"max_tumbles", "", true},
    {"max_lean", "degrees", true},
    {"max_acceleration", "m/s^2", true},
    {"max_rest_rate", "1/s", true},
    {"max_unconverged_fraction", "", true},
    {"max_unfinished_fraction", "", true},
};
enum { EXPECTATION_COUNT = sizeof EXPECTATIONS / sizeof EXPECTATIONS[0] };

static double wanted_of(const pl_scene_actor_expect *expect, int32_t kind) {
  const double wanted[EXPECTATION_COUNT] = {expect->advance,
                                            (double)expect->steps,
                                            (double)expect->hops,
                                            expect->turns,
                                            expect->twists,
                                            (double)expect->places,
                                            expect->clearance,
                                            expect->max_foot_slide,
                                            expect->max_sink,
                                            (double)expect->max_tumbles,
                                            expect->max_lean,
                                            expect->max_acceleration,
                                            expect->max_rest_rate,
                                            expect->max_unconverged_fraction,
                                            expect->max_unfinished_fraction};
  return wanted[kind];
}

static const double MIN_ADVANCE = 1e-3;  // m: of an actor that stands still, feet that slide count in full

static double found_of(const pl_actor_report *report, int32_t kind) {
  double steps = report->step_count > 0 ? (double)report->step_count : 1;
  const double found[EXPECTATION_COUNT] = {report->advance,
                                           (double)report->tally.steps,
                                           (double)report->tally.hops,
                                           report->turned / (2 * PL_PI),
                                           fabs(report->twisted) / (2 * PL_PI),
                                           (double)report->places,
                                           report->clearance,
                                           report->foot_slide / fmax(report->advance, MIN_ADVANCE),
                                           report->max_sink,
                                           (double)report->tally.tumbles,
                                           report->max_lean,
                                           report->max_acceleration,
                                           report->max_rest_rate,
                                           (double)report->unconverged_count / steps,
                                           (double)report->unfinished_count / steps};
  return found[kind];
}

static bool is_expected(const pl_instance_player *player, int32_t kind) {
  return pl_json_find(player->source->expect.json, EXPECTATIONS[kind].name) != NULL;
}

int32_t pl_scene_instance_expectation_count(const pl_scene_instance *set) {
  int32_t count = 0;
  for (size_t i = 0; i < set->players.count; ++i)
    for (int32_t kind = 0; kind < EXPECTATION_COUNT; ++kind)
      count += is_expected(&PL_ITEM(&set->players, pl_instance_player, i), kind);
  return count;
}

pl_scene_instance_expectation pl_scene_instance_get_expectation(const pl_scene_instance *set, int32_t index) {
  int32_t kind = 0, actor = 0;
  for (; actor < (int32_t)set->players.count; ++actor) {
    for (kind = 0; kind < EXPECTATION_COUNT; ++kind)
      if (is_expected(&PL_ITEM(&set->players, pl_instance_player, actor), kind) && index-- == 0) break;
    if (kind < EXPECTATION_COUNT) break;
  }
  const pl_instance_player *player = &PL_ITEM(&set->players, pl_instance_player, actor);
  pl_actor_report report = pl_actor_get_report(player->actor);
  double wanted = wanted_of(&player->source->expect, kind), found = found_of(&report, kind);
  bool is_max = EXPECTATIONS[kind].is_max;
  return (pl_scene_instance_expectation){.actor = actor,
                                         .name = EXPECTATIONS[kind].name,
                                         .unit = EXPECTATIONS[kind].unit,
                                         .wanted = wanted,
                                         .found = found,
                                         .is_max = is_max,
                                         .met = is_max ? found <= wanted : found >= wanted};
}
