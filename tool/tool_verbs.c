// The list of verbs: a new one is added here and nowhere else.
#include "tool_verbs.h"

#include <string.h>

static const tool_verb *const VERBS[] = {&tool_demo_verb,   &tool_new_verb,   &tool_run_verb,     &tool_view_verb,
                                         &tool_bake_verb,   &tool_check_verb, &tool_mesh_verb,    &tool_pose_verb,
                                         &tool_detail_verb, &tool_info_verb,  &tool_convert_verb, &tool_sense_verb,
                                         &tool_track_verb,  &tool_fit_verb,   &tool_capture_verb, &tool_solve_verb,
                                         &tool_modes_verb,  &tool_tune_verb,  &tool_bench_verb,   &tool_manual_verb};
enum { VERB_COUNT = sizeof VERBS / sizeof VERBS[0] };

const tool_verb *tool_verb_at(int index) {
  return index < VERB_COUNT ? VERBS[index] : NULL;
}

const tool_verb *tool_verb_find(const char *name) {
  for (int i = 0; i < VERB_COUNT; ++i)
    if (strcmp(VERBS[i]->name, name) == 0) return VERBS[i];
  return NULL;
}

static const char *verb_name(const void *user, int index) {
  (void)user;
  if (index == VERB_COUNT) return "help";
  return index < VERB_COUNT ? VERBS[index]->name : NULL;
}

void tool_verb_report_unknown(const tool_session *tool, const char *name) {
  const char *meant = tool_suggest(name + strspn(name, "-"), verb_name, NULL);
  const char *kind = name[0] == '-' ? "option" : "verb";
  if (meant != NULL)
    tool_print_error(&tool->console, "there is no %s '%s' (did you mean %s?)", kind, name, meant);
  else
    tool_print_error(&tool->console, "there is no %s '%s'; 'pliant help' lists the verbs", kind, name);
}
