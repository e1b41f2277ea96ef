// pliant fit: motions of a mesh become its material and its shape without gravity.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_fit.h"
#include "tool_folder.h"
#include "tool_hold.h"
#include "tool_interrupt.h"
#include "tool_open.h"
#include "tool_ranks.h"

static const tool_option OPTIONS[] = {
    {.name = "output", .letter = 'o', .kind = TOOL_TEXT, .value = "DIR", .about = "folder for the results; out/fit if not given"},
    TOOL_HOLD_OPTION,
    {.name = "rate", .kind = TOOL_NUMBER, .value = "RATE", .about = "frames per second; 30 if not given", .min = 0.01, .max = 1e6},
    {.name = "predict", .kind = TOOL_TEXT, .value = "MOTION", .about = "one that is not fitted, to be predicted"},
    {.name = "resume", .kind = TOOL_FLAG, .about = "go on where an interrupted fit in the same folder stopped"},
    FIT_OPTIONS,
};

static bool read_object(const tool_session *tool, pl_context *context, const tool_arguments *arguments, fit_object *object,
                        bool *remarks) {
  object->mesh = tool_open_mesh(tool, context, arguments->words[0], 1, remarks);
  if (object->mesh == NULL) return false;
  pl_mesh_view mesh = pl_mesh_get_view(object->mesh);
  if (mesh.tet_count == 0) {
    tool_print_error(&tool->console, "'%s' has no tets; make some with: pliant mesh %s", arguments->words[0], arguments->words[0]);
    return false;
  }
  const tool_value *predict = tool_find_value(arguments, "predict"), *rate = tool_find_value(arguments, "rate");
  double frames = rate->given ? rate->number : 30;
  if (!tool_hold_read(tool, context, arguments, object->mesh, &object->held, &object->held_count)) return false;
  object->motions = tool_allocate((size_t)arguments->word_count, sizeof *object->motions);
  object->others = tool_allocate(1, sizeof *object->others);
  for (int i = 1; i < arguments->word_count; ++i)
    if (!fit_motion_read(tool, context, arguments->words[i], frames, mesh.point_count, &object->motions[object->motion_count++]))
      return false;
  return !predict->given ||
         fit_motion_read(tool, context, predict->text, frames, mesh.point_count, &object->others[object->other_count++]);
}

static int finish(fit_job *job, pl_status status, bool remarks) {
  pl_error error = {0};
  if (tool_rank() != 0) return TOOL_DONE;
  pl_status written = fit_write(job, &error);
  bool sure = written >= 0 && fit_print(job, &error);
  if (error.status < 0) return tool_report_error(&job->tool->console, &error);
  fit_forget(job);
  if (status == PL_REMARK_NOT_CONVERGED)
    tool_print_warning(&job->tool->console, "the fit stopped at its limit of iterations; give more with --limit");
  tool_print(&job->tool->console, "results in %s, see report.html there", job->folder);
  return sure && !remarks && status == PL_OK ? TOOL_DONE : TOOL_REMARKS;
}

static int fit_object_to_motions(const tool_session *tool, pl_context *context, const tool_arguments *arguments,
                                 const fit_object *object, const fit_settings *settings, bool remarks) {
  const tool_value *output = tool_find_value(arguments, "output");
  const char *folder = output->given ? output->text : "out/fit";
  if (!tool_folder_make(tool, folder)) return TOOL_FAILED;
  if (tool_rank() == 0) tool_folder_sweep(folder);
  fit_job job = {.tool = tool, .context = context, .object = object, .settings = settings, .folder = folder};
  pl_error error = {0};
  pl_status status = fit_open(&job, &error);
  tool_interrupt_watch();
  if (status >= 0) status = fit_run(&job, tool_find_value(arguments, "resume")->given, &error);
  bool stopped = status == PL_REMARK_CANCELLED;
  tool_interrupt_release();
  int code = TOOL_FAILED;
  if (status < 0)
    tool_report_error(&tool->console, &error);
  else if (stopped && tool_rank() == 0)
    tool_print(&tool->console, "stopped; go on with the same command and --resume");
  else if (!stopped)
    code = finish(&job, status, remarks);
  fit_close(&job);
  return code;
}

static int fit_verb(const tool_session *tool, const tool_arguments *arguments) {
  const tool_value *threads = tool_find_value(arguments, "threads");
  pl_context *context = tool_open_context(tool, threads->given ? (int32_t)threads->count : 0);
  if (context == NULL) return TOOL_FAILED;
  fit_object object = {0};
  fit_settings settings = {0};
  bool remarks = false;
  int code = TOOL_USAGE;
  if (fit_settings_read(tool, context, arguments, &settings))
    code = read_object(tool, context, arguments, &object, &remarks)
               ? fit_object_to_motions(tool, context, arguments, &object, &settings, remarks)
               : TOOL_FAILED;
  fit_settings_free(&settings);
  fit_object_free(&object);
  pl_context_destroy(context);
  return code;
}

const tool_verb tool_fit_verb = {
    .name = "fit",
    .words = "MESH MOTION...",
    .summary = "find the material of a mesh, and its shape without gravity, from how it moves",
    .details =
        "MESH has tets and is in its static shape, as it hangs or stands; MOTION is a PC2 or MDD file of its points, as track\n"
        "writes it, from the moment in which the object is let go. Standard output has a table of the parameters with\n"
        "95 % intervals; the folder has report.html, estimates.csv, correlations.csv, history.csv, reference.vtu with young.csv,\n"
        "and scene.json, in which the fitted body hangs. Status 3: some parameter is not determined by the motions.",
    .min_words = 2,
    .max_words = 33,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .shared = true,
    .run = fit_verb,
};
