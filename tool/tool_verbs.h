// The verbs of the tool, in the order of the help.
#ifndef TOOL_VERBS_H
#define TOOL_VERBS_H

#include "tool_arguments.h"

extern const tool_verb tool_demo_verb, tool_new_verb, tool_run_verb, tool_view_verb, tool_bake_verb,
    tool_check_verb, tool_mesh_verb, tool_pose_verb, tool_detail_verb, tool_info_verb,
    tool_convert_verb, tool_sense_verb, tool_track_verb, tool_fit_verb, tool_capture_verb,
    tool_solve_verb, tool_modes_verb, tool_tune_verb, tool_bench_verb, tool_manual_verb;

// Verb number `index`, NULL after the last.
const tool_verb *tool_verb_at(int index);

// The verb called `name`, or NULL.
const tool_verb *tool_verb_find(const char *name);

// Report a verb that does not exist, with the nearest one that does.
void tool_verb_report_unknown(const tool_session *tool, const char *name);

#endif
