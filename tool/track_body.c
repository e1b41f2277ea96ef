// Opens the capture and builds the body to track.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pliant/math.h"
#include "tool_folder.h"
#include "tool_hold.h"
#include "tool_open.h"
#include "tool_track.h"

// --- the capture ----------------------------------------------------------------------------------------------------

static void print_capture(const track_job *job, const pl_capture_report *report) {
  const tool_console *console = &job->tool->console;
  pl_vec3 a = report->box.min, b = report->box.max;
  tool_print(console, "capture:   %d frames at %.4g/s, %.4g s, %d cameras", job->view.frame_count, job->view.rate,
             report->duration, job->view.camera_count);
  if (report->max_points > 0)
    tool_print(console, "box:       %.4g x %.4g x %.4g m, from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g)", b.x - a.x,
               b.y - a.y, b.z - a.z, a.x, a.y, a.z, b.x, b.y, b.z);
  tool_print(console, "points:    %.0f per frame (%d to %d in the first %d frames)", report->mean_points,
             report->fewest_points, report->max_points, report->frame_count);
  if (job->view.camera_count > 0)
    tool_print(console, "invalid:   %.1f %% of the pixels", 100 * report->invalid_fraction);
  if (report->dropped_count > 0)
    tool_print(console, "dropped:   %lld points that are not finite", (long long)report->dropped_count);
}

static int open_capture(track_job *job) {
  pl_error error = {0};
  const char *path = job->arguments->words[0];
  char *document = tool_capture_path(path);
  pl_capture_report report;
  pl_status status = pl_findings_create(job->context, &job->findings, &error);
  if (status >= 0) status = pl_capture_load(job->context, document, &job->capture, job->findings, &error);
  if (status >= 0) status = pl_capture_get_report(job->capture, 5, &report, job->findings, &error);
  free(document);
  int32_t error_count = job->findings != NULL ? pl_findings_count(job->findings, PL_SEVERITY_ERROR) : 0;
  if (job->findings != NULL) tool_report_findings(&job->tool->console, job->findings, PL_SEVERITY_WARNING, path);
  if (status < 0) return error_count == 0 ? tool_report_error(&job->tool->console, &error) : TOOL_FAILED;
  job->remarks = pl_findings_count(job->findings, PL_SEVERITY_WARNING) > 0;
  job->view = pl_capture_get_view(job->capture);
  print_capture(job, &report);
  const tool_value *frames = tool_find_value(job->arguments, "frames");
  job->frame_count = job->view.frame_count;
  if (frames->given && frames->count < job->frame_count) job->frame_count = (int32_t)frames->count;
  return TOOL_DONE;
}

// --- the body -------------------------------------------------------------------------------------------------------

static pl_status open_meshes(track_job *job, pl_error *error) {
  const char *surface = tool_find_value(job->arguments, "surface")->text,
             *rest = tool_find_value(job->arguments, "rest")->text;
  const tool_value *points = tool_find_value(job->arguments, "points");
  pl_status status = pl_mesh_load(job->context, job->arguments->words[1], &job->mesh, job->findings, error);
  if (status >= 0 && surface != NULL) status = pl_mesh_load(job->context, surface, &job->surface, job->findings, error);
  if (status >= 0 && rest != NULL) status = pl_mesh_load(job->context, rest, &job->rest, job->findings, error);
  if (status < 0) return status;
  bool shell = tool_find_value(job->arguments, "thickness")->given;
  if (shell && (pl_mesh_get_view(job->mesh).tet_count > 0 || surface != NULL ||
                pl_mesh_get_view(job->mesh).triangle_count == 0)) {
    *error = (pl_error){.status = PL_ERROR_INVALID_ARGUMENT};
    snprintf(
        error->text, sizeof error->text,
        "--thickness is for a MESH of triangles, which is its own surface; this one has %d tets and %d triangles%s",
        pl_mesh_get_view(job->mesh).tet_count, pl_mesh_get_view(job->mesh).triangle_count,
        surface != NULL ? ", and --surface is given" : "");
    return error->status;
  }
  if (!shell && pl_mesh_get_view(job->mesh).tet_count == 0) {
    pl_lattice_def def = pl_default_lattice_def();
    if (points->given) def.target_point_count = (int32_t)points->count;
    pl_mesh *tets = NULL;
    status = pl_lattice_build(job->context, &def, job->mesh, &tets, NULL, error);
    if (status < 0) return status;
    if (job->surface == NULL)
      job->surface = job->mesh;
    else
      pl_mesh_destroy(job->mesh);
    job->mesh = tets;
  }
  if (job->rest != NULL && pl_mesh_get_view(job->rest).point_count != pl_mesh_get_view(job->mesh).point_count) {
    *error = (pl_error){.status = PL_ERROR_INVALID_DATA};
    snprintf(error->text, sizeof error->text,
             "the rest shape has %d points and the mesh has %d; they must be the same tets",
             pl_mesh_get_view(job->rest).point_count, pl_mesh_get_view(job->mesh).point_count);
    return error->status;
  }
  return PL_OK;
}

// A surface given in the shape of `mesh`, as it sits in the same tets with other points.
static pl_status carry_surface(pl_context *context, const pl_mesh *mesh, const pl_vec3 *points, const pl_mesh *surface,
                               double tolerance, pl_mesh **carried, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(surface);
  pl_embedding *embedding = NULL;
  pl_status status = pl_embedding_build(context, mesh, &(pl_embedding_input){view.points, view.point_count, tolerance},
                                        &embedding, NULL, error);
  if (status < 0) return status;
  pl_vec3 *moved = tool_allocate((size_t)view.point_count, sizeof *moved);
  pl_embedding_apply(embedding, points, moved);
  view.points = moved;
  view.pose_count = 0;
  status = pl_mesh_create(context, &view, carried, error);
  free(moved);
  pl_embedding_destroy(embedding);
  return status;
}

static pl_status build_model(track_job *job, pl_error *error) {
  const tool_value *thickness = tool_find_value(job->arguments, "thickness");
  pl_fem_def def = pl_default_fem_def(thickness->given ? PL_FEM_SHELL : PL_FEM_COROTATED);
  if (thickness->given) def.thickness = thickness->number;
  pl_mesh_view view = pl_mesh_get_view(job->mesh);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  double size = fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z));
  def.young = tool_number_or(job->arguments, "young", def.young);
  def.poisson = tool_number_or(job->arguments, "poisson", def.poisson);
  def.density = tool_number_or(job->arguments, "density", def.density);
  def.surface = job->surface;
  def.surface_tolerance = 0.05 * size;
  pl_mesh *carried = NULL;
  pl_status status = PL_OK;
  if (job->rest != NULL && job->surface != NULL) {
    status = carry_surface(job->context, job->mesh, pl_mesh_get_view(job->rest).points, job->surface,
                           def.surface_tolerance, &carried, error);
    def.surface = carried;
  }
  if (status >= 0)
    status = pl_fem_build(job->context, &def, job->rest != NULL ? job->rest : job->mesh, &job->model, error);
  pl_mesh_destroy(carried);
  return status;
}

// --- all together ---------------------------------------------------------------------------------------------------

// The points to start from, moved rigidly to where the first cloud has the body.
static pl_status align(const track_job *job, pl_vec3 *points, pl_error *error) {
  pl_mesh *boundary = NULL;
  pl_cloud *cloud = NULL;
  pl_transform placement;
  double residual = 0;
  pl_mesh_view mesh = pl_mesh_get_view(job->mesh);
  pl_status status = pl_capture_load_frame(job->capture, 0, &cloud, NULL, error);
  if (status >= 0 && job->surface == NULL)
    status = pl_mesh_build_boundary(job->context, job->mesh, &boundary, NULL, error);
  if (status >= 0) {
    pl_cloud_view view = pl_cloud_get_view(cloud);
    status = pl_track_align(job->context, job->surface != NULL ? job->surface : boundary, &view, &placement, &residual,
                            error);
  }
  for (int32_t i = 0; status >= 0 && i < mesh.point_count; ++i)
    points[i] = pl_transform_apply(placement, mesh.points[i]);
  if (status >= 0)
    tool_print(&job->tool->console,
               "aligned:   moved by (%.4g, %.4g, %.4g) m; the nearer points are %.2g mm from its surface",
               placement.position.x, placement.position.y, placement.position.z, 1e3 * residual);
  pl_cloud_destroy(cloud);
  pl_mesh_destroy(boundary);
  return status;
}

static pl_status create_tracker(track_job *job, pl_error *error) {
  pl_track_def def = pl_default_track_def();
  const tool_value *max_points = tool_find_value(job->arguments, "max-points");
  def.noise = tool_number_or(job->arguments, "noise", def.noise);
  def.detail = tool_number_or(job->arguments, "detail", def.detail);
  def.reach = tool_number_or(job->arguments, "reach", def.reach);
  def.first_reach = tool_number_or(job->arguments, "first-reach", def.first_reach);
  def.inertia = tool_number_or(job->arguments, "inertia", def.inertia);
  def.gating = !tool_find_value(job->arguments, "no-gating")->given;
  if (max_points->given) def.max_points = (int32_t)max_points->count;
  if (job->rest != NULL) def.acceleration = job->view.gravity;
  def.held = job->held;
  def.held_count = job->held_count;
  def.cameras = job->view.cameras;
  def.camera_count = job->view.camera_count;
  job->def = def;
  pl_mesh_view mesh = pl_mesh_get_view(job->mesh);
  pl_vec3 *start = tool_allocate((size_t)mesh.point_count, sizeof *start);
  for (int32_t i = 0; i < mesh.point_count; ++i) start[i] = mesh.points[i];
  job->aligned = tool_find_value(job->arguments, "align")->given;
  pl_status status = job->aligned ? align(job, start, error) : PL_OK;
  if (status >= 0) status = pl_tracker_create(job->context, &def, job->model, start, &job->tracker, error);
  free(start);
  return status;
}

// The truth must be of the surface and have a frame for each that is tracked; prints what is wrong. Closed with the
// job.
static bool open_truth(track_job *job, const char *path) {
  pl_frame_file_report facts;
  pl_error error = {0};
  if (pl_frame_file_open(job->context, path, &job->truth, &facts, &error) < 0) {
    tool_report_error(&job->tool->console, &error);
    return false;
  }
  if (facts.point_count == job->surface_count && facts.frame_count >= job->frame_count) return true;
  tool_print_error(&job->tool->console, "'%s' has %d points in %d frames, but the surface has %d points in %d frames",
                   path, facts.point_count, facts.frame_count, job->surface_count, job->frame_count);
  return false;
}

int track_prepare(track_job *job) {
  int code = open_capture(job);
  if (code != TOOL_DONE) return code;
  pl_error error = {0};
  pl_status status = open_meshes(job, &error);
  if (status >= 0) status = build_model(job, &error);
  if (status >= 0 && !tool_hold_read(job->tool, job->context, job->arguments, job->mesh, &job->held, &job->held_count))
    return TOOL_FAILED;
  if (status >= 0) status = create_tracker(job, &error);
  if (status < 0) return tool_report_error(&job->tool->console, &error);
  pl_model_report model = pl_model_get_report(job->model);
  job->point_count = model.particle_count;
  job->surface_count = model.surface_point_count;
  const tool_value *truth = tool_find_value(job->arguments, "truth");
  if (truth->given && !open_truth(job, truth->text)) return TOOL_FAILED;
  tool_print(&job->tool->console, "body:      %d points in %s, %d held; %d points of its surface", job->point_count,
             tool_find_value(job->arguments, "thickness")->given ? "a shell" : "tets", job->held_count,
             job->surface_count);
  job->hash = model.hash;
  return TOOL_DONE;
}
