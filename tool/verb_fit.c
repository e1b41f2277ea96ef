// pliant fit: material and rest shape of a mesh from its motions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_box.h"
#include "tool_fit.h"
#include "tool_folder.h"
#include "tool_hold.h"
#include "tool_interrupt.h"
#include "tool_open.h"
#include "tool_options.h"
#include "tool_ranks.h"
#include "tool_verbs.h"

static pl_vec3 default_gravity(void) {
  return pl_default_fit_def().gravity;
}

// clang-format off
static const tool_option OPTIONS[] = {
    TOOL_DIR_OPTION(.default_text = "out/fit", .about = "folder for the results"),
    TOOL_HOLD_OPTION,
    TOOL_WEIGHT_OPTION,
    {"rate", .kind = TOOL_NUMBER, .value = "RATE", .min = 0.01, .max = 1e6, .default_text = "30",
     .about = "frames per second of the motions"},
    {"predict", .kind = TOOL_TEXT, .value = "FILE", .about = "held-out motion to predict; the report gives the error"},
    {"resume", .kind = TOOL_FLAG, .about = "resume the interrupted fit in DIR"},
    {"gravity", .kind = TOOL_TEXT, .value = "X,Y,Z", .default_vector = default_gravity, .about = "gravity in m/s^2"},
    {"markers", .kind = TOOL_TEXT, .value = "FILE", .about = "markers of the object at rest (C3D, TRC or CSV), which binds those of the motions to the mesh",
     .more = "The mean position of every marker is tied to the nearest tet, also from outside of its surface. Motions are matched by the names of markers."},
    {"start", .kind = TOOL_TEXT, .value = "NAME", .choices = "given pulled moving balanced", .default_note = "balanced with --force or --pressure, otherwise given for points of the mesh, pulled for markers",
     .about = "how motions start: given, at rest in their first frame; pulled, by an unknown force; moving, with an unknown velocity; balanced, at rest under gravity and the known loads"},
    {"force", .kind = TOOL_TEXT, .value = "FILE:X,Y,Z,X,Y,Z", .about = "known force over time that drives the motions, on the points in a box: a CSV table",
     .more = "Columns time (s, from the first frame) and force_x, force_y, force_z (N, in total); linear between two rows, and as the first and the last one before and after all of them. Two rows of one time are a jump. A column `motion` says which motion a row is for, from 1, in their order; that of --predict comes last."},
    {"pressure", .kind = TOOL_TEXT, .value = "FILE:X,Y,Z,X,Y,Z", .about = "the same for a pressure on the surface in a box: columns time and pressure (Pa), against the surface as it moves"},
    {"sags", .kind = TOOL_TEXT, .value = "FILE", .about = "static shapes under known loads: a CSV table",
     .more = "Columns x, y, z of a point of the mesh, moved_x, moved_y, moved_z where it was measured (`nan`: not), and force_x, force_y, force_z in newtons on the points of --grip. Rows of one force are one experiment."},
    {"curve", .kind = TOOL_TEXT, .value = "FILE", .about = "force-displacement curve: a CSV table with the columns displacement (m) and force (N)",
     .more = "The points of --grip are moved along --pull without turning; the force pulls in that direction. A column `deviation` (N) may give its standard deviation, otherwise 1 % of the largest force."},
    {"grip", .kind = TOOL_TEXT, .value = "X,Y,Z,X,Y,Z", .about = "box of the points that a load of --sags or --curve acts on"},
    {"pull", .kind = TOOL_TEXT, .value = "X,Y,Z", .default_text = "1,0,0", .about = "direction of the displacements of --curve"},
    {"frequencies", .kind = TOOL_TEXT, .value = "FILE", .about = "measured vibrations: a CSV table with the columns mode (from 1) and frequency (Hz), damping_ratio or both",
     .more = "Columns frequency_deviation (a fraction, by default 0.005) and damping_deviation (by default a tenth of the ratio) may follow. Needs a build with ARPACK."},
    {"refine", .kind = TOOL_FLAG, .about = "fit again with half the edges and half the step, extrapolate, and widen the intervals by what remains",
     .more = "The table then has the material's parameters; `scene.json` keeps those that go with the mesh. Takes about ten times as long."},
    FIT_OPTIONS,
};
// clang-format on

static bool read_object(const tool_session *tool, pl_context *context, const tool_arguments *arguments,
                        const fit_settings *settings, fit_object *object, bool *remarks) {
  object->mesh = tool_open_mesh(tool, context, arguments->words[0], 1, remarks);
  if (object->mesh == NULL) return false;
  pl_mesh_view mesh = pl_mesh_get_view(object->mesh);
  if (mesh.tet_count == 0) {
    tool_print_error(&tool->console, "'%s' has no tets; make some with: pliant mesh %s", arguments->words[0],
                     arguments->words[0]);
    return false;
  }
  const tool_value *predict = tool_find_value(arguments, "predict");
  double frames = tool_get_number(arguments, "rate");
  if (!tool_hold_read(tool, context, arguments, object->mesh, &object->held, &object->held_count) ||
      !fit_check_held(tool, settings, object->held_count))
    return false;
  object->motions = tool_allocate((size_t)arguments->word_count, sizeof *object->motions);
  object->others = tool_allocate(1, sizeof *object->others);
  for (int i = 1; i < arguments->word_count; ++i) {
    fit_motion *motion = &object->motions[object->motion_count++];
    if (fit_data_is_markers(arguments->words[i])) {
      if (!fit_data_read_markers(tool, context, arguments, arguments->words[i], object->mesh, motion)) return false;
      continue;
    }
    if (!fit_motion_read(tool, context, arguments->words[i], frames, mesh.point_count, motion)) return false;
    const tool_value *start = tool_find_value(arguments, "start");
    motion->start_chosen = start->given;
    if (start->given)
      motion->start = strcmp(start->text, "pulled") == 0     ? PL_FIT_START_PULLED
                      : strcmp(start->text, "moving") == 0   ? PL_FIT_START_MOVING
                      : strcmp(start->text, "balanced") == 0 ? PL_FIT_START_BALANCED
                                                             : PL_FIT_START_GIVEN;
  }
  if (!fit_data_read_tables(tool, context, arguments, object)) return false;
  if (object->motion_count + object->case_count + object->vibration_count == 0) {
    tool_print_error(&tool->console, "there are no data; give a MOTION, --sags, --curve or --frequencies");
    return false;
  }
  if (predict->given &&
      !fit_motion_read(tool, context, predict->text, frames, mesh.point_count, &object->others[object->other_count++]))
    return false;
  return fit_data_read_loads(tool, context, arguments, object);
}

static int finish(fit_job *job, pl_status status, bool remarks) {
  pl_error error = {0};
  if (tool_rank() != 0) return TOOL_DONE;
  pl_status written = fit_write(job, &error);
  bool sure = written >= 0 && fit_print(job, &error);
  if (error.status < 0) return tool_report_error(&job->tool->console, &error);
  fit_forget(job);
  tool_print(&job->tool->console, "results in %s; open report.html there", job->folder);
  return sure && !remarks && status == PL_OK ? TOOL_DONE : TOOL_REMARKS;
}

static int fit_object_to_motions(const tool_session *tool, pl_context *context, const tool_arguments *arguments,
                                 const fit_object *object, const fit_settings *settings, bool remarks) {
  const char *folder = tool_get_text(arguments, "output");
  if (!tool_folder_make(tool, folder)) return TOOL_FAILED;
  if (tool_rank() == 0) tool_folder_sweep(folder);
  fit_job job = {.tool = tool, .context = context, .object = object, .settings = settings, .folder = folder};
  pl_error error = {0};
  pl_status status = fit_open(&job, &error);
  tool_interrupt_watch();
  if (status >= 0) status = fit_run(&job, tool_find_value(arguments, "resume")->given, &error);
  bool stopped = status == PL_REMARK_CANCELLED;
  if (status >= 0 && !stopped && tool_find_value(arguments, "refine")->given) {
    if (tool_rank() == 0) tool_print(&tool->console, "refining: fits with half the step and half the edges");
    pl_status refined = pl_fit_refine(job.fit, &error);
    if (refined != PL_OK) status = refined;
  }
  tool_interrupt_release();
  int code = TOOL_FAILED;
  if (status < 0)
    tool_report_error(&tool->console, &error);
  else if (stopped && tool_rank() == 0)
    tool_print(&tool->console, "interrupted; resume with the same command and --resume");
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
    code = read_object(tool, context, arguments, &settings, &object, &remarks) ? TOOL_DONE : TOOL_FAILED;
  if (code == TOOL_DONE) {
    fit_take_noise(tool, context, &object, &settings);
    code = fit_object_to_motions(tool, context, arguments, &object, &settings, remarks);
  }
  fit_settings_free(&settings);
  fit_object_free(&object);
  pl_context_destroy(context);
  return code;
}

const tool_verb tool_fit_verb = {
    .name = "fit",
    .words = "MESH [MOTION...]",
    .summary = "find the material and the rest shape of a mesh from motions and static experiments",
    .details =
        "MESH has tets and is in its static shape, at rest under gravity. Each MOTION is a PC2 or MDD file of its "
        "points, as track "
        "writes it, or a C3D, TRC or CSV file of markers with --markers, and starts at the moment of release, or is "
        "driven by --force and --pressure. Static "
        "shapes, curves and vibrations are given by options, alone or with motions.\n"
        "Standard output has a table of the parameters with 95 % intervals. The folder gets `report.html`, "
        "`estimates.csv`, `controls.csv`, "
        "`correlations.csv`, `history.csv`, `reference.vtu` with `young.csv`, and `scene.json`, a scene with the "
        "fitted body. The "
        "exit status is 3 if the motions do not determine every parameter.\n"
        "The program pliant-mpi, where it was built, shares the work among processes: mpirun -n N pliant-mpi fit ...",
    .min_words = 1,
    .max_words = 33,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .shared = true,
    .run = fit_verb,
};
