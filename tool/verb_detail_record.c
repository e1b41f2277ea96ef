// pliant detail record: a scene with a `recording` becomes a set of examples.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_interrupt.h"
#include "verb_detail.h"

enum { MAX_GROWTH = 32 };

typedef struct job {
  const tool_session *tool;
  pl_context *context;
  bool check, json;
  const char *surfaces;  // beginning of the names of files with surfaces; NULL: none
  tool_progress progress;
  pl_detail_session_view view;
  pl_detail_set_report report;
  pl_detail_evaluation *own, *cross;  // of each recording by the whole set, and by the set without its site
  int32_t growth_count;
  int32_t growth[MAX_GROWTH];         // numbers of examples …
  double growth_missing[MAX_GROWTH];  // … and the error that the first N examples leave on the held-out touches, as a
                                      // fraction of the coarse error
} job;

static bool show_progress(void *user, int32_t done, int32_t total) {
  job *j = user;
  if (done == 0) j->progress = tool_progress_start(&j->tool->console, "touch", 0, total);
  tool_progress_show(&j->progress, done);
  return tool_interrupt_count() == 0;
}

static double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

// Root of the mean squares.
static pl_detail_evaluation together(const pl_detail_evaluation *judgements, int32_t start, int32_t end) {
  pl_detail_evaluation sum = {0, 0, 0};
  for (int32_t i = start; i < end; ++i) {
    sum.displacement += judgements[i].displacement * judgements[i].displacement;
    sum.coarse += judgements[i].coarse * judgements[i].coarse;
    sum.enriched += judgements[i].enriched * judgements[i].enriched;
  }
  double count = end > start ? end - start : 1;
  return (pl_detail_evaluation){sqrt(sum.displacement / count), sqrt(sum.coarse / count), sqrt(sum.enriched / count)};
}

static bool has_two_sites(const pl_detail_session_view *view) {
  for (int32_t i = 1; i < view->example_count; ++i)
    if (view->reports[i].site != view->reports[0].site) return true;
  return false;
}

static pl_status cross_validate(job *j, pl_error *error) {
  if (!j->check || !has_two_sites(&j->view)) return PL_OK;
  int32_t count = j->view.example_count, *sites = tool_allocate((size_t)count, sizeof *sites);
  for (int32_t i = 0; i < count; ++i) sites[i] = j->view.reports[i].site;
  j->cross = tool_allocate((size_t)count, sizeof *j->cross);
  pl_status status = pl_detail_cross_validate(
      j->context, &j->view.def, &(pl_detail_recordings){j->view.recordings, count, sites}, j->cross, error);
  free(sites);
  return status;
}

// Error of held-out touches with the first 1, 2, 4 … examples.
static pl_status grow(job *j, pl_error *error) {
  int32_t held_count = j->view.recording_count - j->view.example_count;
  if (!j->check || held_count == 0) return PL_OK;
  pl_detail_evaluation *held = tool_allocate((size_t)held_count, sizeof *held);
  pl_status status = PL_OK;
  for (int32_t count = 1; status >= 0 && j->growth_count < MAX_GROWTH && count <= j->view.example_count;
       count = count < j->view.example_count && 2 * count > j->view.example_count ? j->view.example_count : 2 * count) {
    pl_detail_set *set = NULL;
    status = pl_detail_set_build(j->context, &j->view.def, &(pl_detail_recordings){j->view.recordings, count, NULL},
                                 &set, NULL, error);
    if (status >= 0)
      status = pl_detail_set_evaluate(
          j->context, set, &(pl_detail_recordings){j->view.recordings + j->view.example_count, held_count, NULL}, held,
          error);
    pl_detail_evaluation all = together(held, 0, held_count);
    j->growth[j->growth_count] = count;
    j->growth_missing[j->growth_count++] = all.coarse > 0 ? all.enriched / all.coarse : 0;
    pl_detail_set_destroy(set);
  }
  free(held);
  return status;
}

// `number`: of the touch, -1 for none.
static pl_status save_surface(const job *j, int32_t number, const char *kind, const pl_vec3 *points, pl_error *error) {
  const pl_detail_object *object = j->view.object;
  pl_mesh_view view = {.point_count = object->surface_count,
                       .points = points,
                       .triangle_count = object->triangle_count,
                       .triangles = object->triangles};
  pl_mesh *mesh = NULL;
  size_t size = strlen(j->surfaces) + 40;
  char *path = tool_allocate(size, 1);
  if (number < 0)
    snprintf(path, size, "%s-%s.ply", j->surfaces, kind);
  else
    snprintf(path, size, "%s-%02d-%s.ply", j->surfaces, number, kind);
  pl_status status = pl_mesh_create(j->context, &view, &mesh, error);
  if (status >= 0) status = pl_mesh_save(j->context, path, mesh, error);
  pl_mesh_destroy(mesh);
  free(path);
  return status;
}

// The surface at rest, and three of each touch; points keep their order.
static pl_status save_surfaces(const job *j, const pl_detail_set *set, pl_error *error) {
  pl_detail_filter_def def = pl_default_detail_filter_def();
  pl_detail_filter *filter = NULL;
  def.set = set;
  def.object = j->view.object;
  def.max_contacts = 1;
  pl_status status = pl_detail_filter_create(j->context, &def, &filter, error);
  pl_vec3 *points = tool_allocate((size_t)j->view.object->surface_count, sizeof *points);
  if (status >= 0) status = save_surface(j, -1, "rest", j->view.object->surface_points, error);
  for (int32_t i = 0; status >= 0 && i < j->view.recording_count; ++i) {
    const pl_detail_recording *recording = &j->view.recordings[i];
    pl_detail_frame frame = {recording->material_displacements, recording->coarse_points, 1, &recording->contact};
    status = pl_detail_filter_apply(filter, &frame, points, NULL, error);
    if (status >= 0) status = save_surface(j, i, "coarse", recording->coarse_points, error);
    if (status >= 0) status = save_surface(j, i, "enriched", points, error);
    if (status >= 0) status = save_surface(j, i, "fine", recording->fine_points, error);
  }
  free(points);
  pl_detail_filter_destroy(filter);
  return status;
}

static void print_text(const job *j) {
  const tool_console *console = &j->tool->console;
  const pl_detail_session_view *view = &j->view;
  printf("touch                steps   displacement   coarse   enriched%s\n",
         j->cross != NULL ? "   without its site" : "");
  for (int32_t i = 0; i < view->recording_count; ++i) {
    const pl_detail_evaluation *own = &j->own[i];
    printf("%-20s %5d %11.3f mm %7.1f %% %8.2f %%", view->recordings[i].label, view->reports[i].step_count,
           1e3 * own->displacement, percent(own->coarse, own->displacement), percent(own->enriched, own->displacement));
    if (j->cross != NULL && i < view->example_count)
      printf(" %14.1f %%", percent(j->cross[i].enriched, j->cross[i].displacement));
    printf("%s\n", view->reports[i].held_out ? "   held out" : "");
  }
  pl_detail_evaluation known = together(j->own, 0, view->example_count);
  tool_print(console, "examples:   %d recordings, %d mirror images; largest group %d", view->example_count,
             j->report.mirrored_count, j->report.max_group);
  tool_print(console, "widths:     site %.4g, load %.4g; each example predicted from the others within %.1f %%",
             j->report.site_width, j->report.load_width, 100 * j->report.prediction_error);
  tool_print(console, "own sites:  %.2f %% of the displacement is missing, %.1f %% without detail",
             percent(known.enriched, known.displacement), percent(known.coarse, known.displacement));
  if (j->cross != NULL) {
    pl_detail_evaluation cross = together(j->cross, 0, view->example_count);
    tool_print(console,
               "new sites:  %.1f %% is missing, %.0f %% less than without detail (one site left out at a time)",
               percent(cross.enriched, cross.displacement), percent(cross.coarse - cross.enriched, cross.coarse));
  }
  for (int32_t i = 0; i < j->growth_count; ++i)
    tool_print(console, "held out, with the first %d: %.0f %% less than without detail", j->growth[i],
               100 * (1 - j->growth_missing[i]));
  if (view->recording_count > view->example_count) {
    pl_detail_evaluation held = together(j->own, view->example_count, view->recording_count);
    tool_print(console, "held out:   %.1f %% is missing, %.0f %% less than without detail",
               percent(held.enriched, held.displacement), percent(held.coarse - held.enriched, held.coarse));
  }
}

static void print_json(const job *j) {
  const pl_detail_session_view *view = &j->view;
  printf("{\"site_width\": %.9g, \"load_width\": %.9g, \"mirrored\": %d, \"touches\": [", j->report.site_width,
         j->report.load_width, j->report.mirrored_count);
  for (int32_t i = 0; i < view->recording_count; ++i) {
    const pl_detail_evaluation *own = &j->own[i];
    printf(
        "%s\n  {\"number\": %d, \"site\": %d, \"held_out\": %s, \"steps\": %d, \"displacement\": %.9g, \"coarse\": "
        "%.9g, "
        "\"enriched\": %.9g",
        i > 0 ? "," : "", i, view->reports[i].site, view->reports[i].held_out ? "true" : "false",
        view->reports[i].step_count, own->displacement, own->coarse, own->enriched);
    if (j->cross != NULL && i < view->example_count) printf(", \"without_site\": %.9g", j->cross[i].enriched);
    printf("}");
  }
  printf("\n], \"growth\": [");
  for (int32_t i = 0; i < j->growth_count; ++i)
    printf("%s{\"examples\": %d, \"missing\": %.9g}", i > 0 ? ", " : "", j->growth[i], j->growth_missing[i]);
  printf("]}\n");
}

static pl_status finish(job *j, const char *output, pl_error *error) {
  pl_detail_set *set = NULL;
  pl_status status = pl_detail_set_build(j->context, &j->view.def,
                                         &(pl_detail_recordings){j->view.recordings, j->view.example_count, NULL}, &set,
                                         &j->report, error);
  if (status >= 0) {
    j->own = tool_allocate((size_t)j->view.recording_count, sizeof *j->own);
    status = pl_detail_set_evaluate(
        j->context, set, &(pl_detail_recordings){j->view.recordings, j->view.recording_count, NULL}, j->own, error);
  }
  if (status >= 0 && j->surfaces != NULL) status = save_surfaces(j, set, error);
  if (status >= 0) status = cross_validate(j, error);
  if (status >= 0) status = grow(j, error);
  if (status >= 0 && output != NULL) status = pl_detail_set_save(j->context, output, set, error);
  if (status >= 0 && j->json) print_json(j);
  if (status >= 0 && !j->json) print_text(j);
  pl_detail_set_destroy(set);
  free(j->own);
  free(j->cross);
  return status;
}

int detail_record(const tool_session *tool, const tool_arguments *arguments, pl_context *context) {
  const tool_value *output = tool_find_value(arguments, "output"), *surfaces = tool_find_value(arguments, "surfaces");
  const char *path = arguments->words[1];
  job j = {.tool = tool,
           .context = context,
           .check = tool_find_value(arguments, "check")->given,
           .surfaces = surfaces->given ? surfaces->text : NULL,
           .json = tool_find_value(arguments, "json")->given};
  pl_error error = {0};
  pl_findings *findings = NULL;
  pl_scene *scene = NULL;
  pl_detail_session *session = NULL;
  tool_interrupt_watch();
  pl_detail_session_def def = pl_default_detail_session_def();
  def.progress = show_progress;
  def.user = &j;
  pl_status status = pl_findings_create(context, &findings, &error);
  if (status >= 0) status = pl_scene_load(context, path, &scene, findings, &error);
  if (status >= 0) status = pl_detail_session_record(context, &def, scene, &session, findings, &error);
  if (j.progress.console != NULL) tool_progress_end(&j.progress);
  tool_report_findings(&tool->console, findings, PL_SEVERITY_WARNING, path);
  bool reported = pl_findings_count(findings, PL_SEVERITY_ERROR) > 0,
       remarks = pl_findings_count(findings, PL_SEVERITY_WARNING) > 0;
  if (status == PL_OK) {
    j.view = pl_detail_session_get_view(session);
    if (j.view.example_count == 0) {
      tool_print_error(&tool->console, "%s: all touches are held out, so there is no example; hold out fewer", path);
      reported = true;
      status = PL_ERROR_INVALID_DATA;
    } else {
      status = finish(&j, output->given ? output->text : NULL, &error);
    }
  }
  int code = status == PL_OK ? (remarks ? TOOL_REMARKS : TOOL_DONE) : TOOL_FAILED;
  if (status == PL_REMARK_CANCELLED) tool_print_error(&tool->console, "interrupted; nothing was written");
  if (status < 0 && !reported) code = tool_report_error(&tool->console, &error);
  pl_detail_session_destroy(session);
  pl_scene_destroy(scene);
  pl_findings_destroy(findings);
  return code;
}
