// The report of a capture: rounds, clouds coloured by their distance from the mesh, and the parts about the fit.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/report_palette.h"
#include "tool_capture.h"

enum { SAMPLE_FRAMES = 12, PICTURE_WIDTH = 720, PICTURE_HEIGHT = 480, MAX_DOTS = 20000 };

// --- rounds
// -------------------------------------------------------------------------------------------------------------

// A column of numbers that rounds have: name in the table, heading in the report, and its unit there.
typedef struct round_column {
  const char *name, *heading;
  double unit;
} round_column;

enum { ROUND_FIRST = 6, ROUND_TRUTH = 2 };

static const round_column ROUND_COLUMNS[ROUND_FIRST + ROUND_TRUTH] = {
    {"round", "round", 1},
    {"track_residual", "distance of points from the surface (mm)", 1e-3},
    {"explained", "points explained (%)", 1e-2},
    {"fit_rms", "distance of simulation from track (mm)", 1e-3},
    {"track_seconds", "tracking (s)", 1},
    {"fit_seconds", "fitting (s)", 1},
    {"error_seen", "error of the track where cameras see (mm)", 1e-3},
    {"error_hidden", "error where they do not (mm)", 1e-3},
};

static int32_t first_columns(const capture_job *job) {
  return job->found.rounds[0].has_truth ? ROUND_FIRST + ROUND_TRUTH : ROUND_FIRST;
}

static double round_number(const capture_job *job, int32_t number, int32_t column) {
  const pl_capture_round *round = &job->found.rounds[number];
  const double numbers[ROUND_FIRST + ROUND_TRUTH] = {
      number + 1,           round->track_residual, round->explained_fraction, round->fit_rms,
      round->track_seconds, round->fit_seconds,    round->error_seen,         round->error_hidden};
  int32_t first = first_columns(job);
  return column < first ? numbers[column] : round->estimates[column - first].value;
}

static pl_status write_rounds(const capture_job *job, const pl_fit_report *found, pl_error *error) {
  int32_t first = first_columns(job), column_count = first + found->parameter_count;
  const char **columns = tool_allocate((size_t)column_count, sizeof *columns);
  double *cells = tool_allocate((size_t)column_count * (size_t)job->found.round_count, sizeof *cells);
  for (int32_t k = 0; k < column_count; ++k)
    columns[k] = k < first ? ROUND_COLUMNS[k].name : found->estimates[k - first].name;
  for (int32_t r = 0; r < job->found.round_count; ++r)
    for (int32_t k = 0; k < column_count; ++k)
      cells[(size_t)r * (size_t)column_count + (size_t)k] = round_number(job, r, k);
  char *path = tool_text("%s/rounds.csv", job->folder);
  pl_status status =
      pl_table_save(job->context, path, &(pl_table_view){column_count, columns, job->found.round_count, cells}, error);
  free(path);
  free(cells);
  free(columns);
  return status;
}

static void report_rounds(const capture_job *job, const pl_fit_report *found, pl_report *report) {
  int32_t first = first_columns(job), column_count = first + found->parameter_count;
  const char **columns = tool_allocate((size_t)column_count, sizeof *columns);
  char **cells = tool_allocate((size_t)column_count * (size_t)job->found.round_count, sizeof *cells);
  for (int32_t k = 0; k < column_count; ++k)
    columns[k] = k < first ? ROUND_COLUMNS[k].heading : found->estimates[k - first].name;
  for (int32_t r = 0; r < job->found.round_count; ++r)
    for (int32_t k = 0; k < column_count; ++k) {
      double unit = k < first ? ROUND_COLUMNS[k].unit : 1;
      cells[r * column_count + k] = tool_text("%.4g", round_number(job, r, k) / unit);
    }
  pl_report_heading(report, "Rounds");
  pl_report_table(report, "Tracking and fitting in turn", columns, column_count, job->found.round_count,
                  (const char *const *)cells);
  for (int32_t i = 0; i < column_count * job->found.round_count; ++i) free(cells[i]);
  free(cells);
  free(columns);
}

// --- clouds
// -------------------------------------------------------------------------------------------------------------

// Surface of the model with the tets where a motion has them.
static pl_status surface_at(capture_job *job, const pl_embedding *embedding, const pl_vec3 *points, const pl_mesh *rest,
                            pl_mesh **placed, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(rest);
  pl_vec3 *moved = tool_allocate((size_t)view.point_count, sizeof *moved);
  pl_embedding_apply(embedding, points, moved);
  view.points = moved;
  view.pose_count = 0;
  view.poses = NULL;
  pl_status status = pl_mesh_create(job->context, &view, placed, error);
  free(moved);
  return status;
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// A frame as a picture: every point of the cloud a small octahedron in the colour of its distance, next to the grey
// mesh.
static pl_status draw_cloud(capture_job *job, const pl_mesh *placed, const pl_cloud_view *cloud,
                            const double *distances, double max, pl_report *report, const char *caption,
                            pl_error *error) {
  static const int32_t faces[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
  pl_mesh_view mesh = pl_mesh_get_view(placed);
  pl_box box = pl_box_from_points(mesh.points, mesh.point_count);
  double size = fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z)), dot = 0.004 * size;
  int32_t stride = 1 + cloud->point_count / MAX_DOTS, count = (cloud->point_count + stride - 1) / stride;
  pl_vec3 *points = tool_allocate(6 * (size_t)count + 1, sizeof *points);
  pl_color *colors = tool_allocate(6 * (size_t)count + 1, sizeof *colors);
  int32_t *triangles = tool_allocate(24 * (size_t)count + 1, sizeof *triangles);
  int32_t drawn = 0;
  for (int32_t i = 0; i < cloud->point_count; i += stride) {
    pl_vec3 p = cloud->points[i];
    // What is far off belongs to nothing, and would make the rest small.
    if (distances[i] > 0.25 * size) continue;
    for (int k = 0; k < 6; ++k) {
      pl_vec3 q = p;
      double way = k % 2 == 0 ? dot : -dot;
      if (k < 2)
        q.x += way;
      else if (k < 4)
        q.y += way;
      else
        q.z += way;
      points[6 * (size_t)drawn + (size_t)k] = q;
      colors[6 * (size_t)drawn + (size_t)k] = pl_scale_color(distances[i] / max);
    }
    for (int k = 0; k < 24; ++k) triangles[24 * (size_t)drawn + (size_t)k] = 6 * drawn + faces[k];
    ++drawn;
  }
  pl_picture_item items[] = {{.points = mesh.points,
                              .point_count = mesh.point_count,
                              .triangles = mesh.triangles,
                              .triangle_count = mesh.triangle_count,
                              .color = {0.75f, 0.75f, 0.75f}},
                             {.points = points,
                              .point_count = 6 * drawn,
                              .triangles = triangles,
                              .triangle_count = 8 * drawn,
                              .colors = colors,
                              .flat = true}};
  pl_renderer_def def = pl_default_renderer_def();
  def.width = PICTURE_WIDTH;
  def.height = PICTURE_HEIGHT;
  def.ground = false;
  pl_renderer *renderer = NULL;
  pl_camera camera = pl_camera_frame_box(box, (double)PICTURE_WIDTH / PICTURE_HEIGHT);
  uint8_t *rgb = tool_allocate((size_t)PICTURE_WIDTH * PICTURE_HEIGHT, 3);
  pl_status status = pl_renderer_create(job->context, &def, &renderer, error);
  if (status >= 0) status = pl_renderer_draw(renderer, &(pl_picture){camera, items, 2, NULL}, rgb, error);
  if (status >= 0) pl_report_picture(report, caption, rgb, PICTURE_WIDTH, PICTURE_HEIGHT);
  if (status == PL_ERROR_UNSUPPORTED) status = PL_OK;  // a machine that cannot draw has the numbers all the same
  pl_renderer_destroy(renderer);
  free(rgb), free(points), free(colors), free(triangles);
  return status;
}

// Distances of a frame's points from the surface where the track has it.
static pl_status measure_frame(capture_job *job, const capture_clip *clip, int32_t frame, const pl_mesh *placed,
                               pl_cloud **cloud, double **distances, pl_error *error) {
  pl_triangle_tree *tree = NULL;
  pl_status status = pl_capture_load_frame(clip->recording, frame, cloud, NULL, error);
  if (status >= 0) status = pl_triangle_tree_build(job->context, placed, &tree, error);
  if (status >= 0) {
    pl_cloud_view view = pl_cloud_get_view(*cloud);
    *distances = tool_allocate((size_t)view.point_count + 1, sizeof **distances);
    for (int32_t i = 0; i < view.point_count; ++i)
      (*distances)[i] = pl_triangle_tree_nearest(tree, view.points[i], HUGE_VAL).distance;
  }
  pl_triangle_tree_destroy(tree);
  return status;
}

// Numbers over some frames of a clip, and a picture of the one in the middle. Half of the points decide what belongs to
// the object: ten times their median is far off.
static pl_status report_clip(capture_job *job, int32_t number, const pl_embedding *embedding, const pl_mesh *rest,
                             pl_report *report, pl_error *error) {
  const capture_clip *clip = &job->clips[number];
  const fit_motion *motion = &job->object.motions[number];
  size_t n = (size_t)pl_mesh_get_view(job->object.mesh).point_count;
  int32_t samples = motion->frame_count < SAMPLE_FRAMES ? motion->frame_count : SAMPLE_FRAMES;
  double sum = 0, max = 0, distance95 = 0;
  int64_t counted = 0, all = 0;
  pl_status status = PL_OK;
  for (int32_t s = 0; s < samples && status >= 0; ++s) {
    int32_t f = samples > 1 ? s * (motion->frame_count - 1) / (samples - 1) : 0;
    pl_mesh *placed = NULL;
    pl_cloud *cloud = NULL;
    double *distances = NULL;
    status = surface_at(job, embedding, motion->positions + (size_t)f * n, rest, &placed, error);
    if (status >= 0) status = measure_frame(job, clip, f + job->release, placed, &cloud, &distances, error);
    if (status >= 0) {
      pl_cloud_view view = pl_cloud_get_view(cloud);
      double *sorted = tool_allocate((size_t)view.point_count + 1, sizeof *sorted);
      memcpy(sorted, distances, (size_t)view.point_count * sizeof *sorted);
      qsort(sorted, (size_t)view.point_count, sizeof *sorted, compare_numbers);
      double limit = 10 * sorted[view.point_count / 2];
      int32_t near_count = 0;
      for (; near_count < view.point_count && sorted[near_count] <= limit; ++near_count)
        sum += sorted[near_count] * sorted[near_count];
      counted += near_count, all += view.point_count;
      if (near_count > 0) max = fmax(max, sorted[near_count - 1]);
      if (near_count > 0) distance95 = fmax(distance95, sorted[(int32_t)(0.95 * (near_count - 1))]);
      if (s == samples / 2) {
        char *caption = tool_text(
            "%s, frame %d: the cloud over the tracked mesh, coloured by distance from 0 (dark) to %.3g mm (light)",
            clip->name, f + job->release, 1e3 * fmin(limit, 10 * sorted[view.point_count / 2]));
        status = draw_cloud(job, placed, &view, distances, fmax(limit, 1e-12), report, caption, error);
        free(caption);
      }
      free(sorted);
    }
    pl_mesh_destroy(placed);
    pl_cloud_destroy(cloud);
    free(distances);
  }
  if (status >= 0) {
    char *text = tool_text(
        "%s: %.1f %% of the points lie within ten times the median distance; those are %.3g mm off (root mean square), "
        "95 %% "
        "within "
        "%.3g mm in every frame, at most %.3g mm.",
        clip->name, 100.0 * (double)counted / (double)(all > 0 ? all : 1),
        1e3 * sqrt(sum / (double)(counted > 0 ? counted : 1)), 1e3 * distance95, 1e3 * max);
    pl_report_text(report, text);
    free(text);
  }
  return status;
}

static pl_status report_clouds(capture_job *job, pl_report *report, pl_error *error) {
  pl_mesh *boundary = NULL;
  pl_embedding *embedding = NULL;
  pl_status status = PL_OK;
  pl_report_heading(report, "Clouds");
  const pl_mesh *surface = job->surface;
  if (surface == NULL) {
    status = pl_mesh_build_boundary(job->context, job->object.mesh, &boundary, NULL, error);
    surface = boundary;
  }
  if (status >= 0) {
    pl_mesh_view view = pl_mesh_get_view(surface);
    status =
        pl_embedding_build(job->context, job->object.mesh,
                           &(pl_embedding_input){view.points, view.point_count, HUGE_VAL}, &embedding, NULL, error);
  }
  for (int32_t i = 0; i < job->clip_count && status >= 0; ++i)
    status = report_clip(job, i, embedding, surface, report, error);
  pl_embedding_destroy(embedding);
  pl_mesh_destroy(boundary);
  return status;
}

pl_status capture_report(capture_job *job, pl_error *error) {
  pl_fit_report found;
  pl_status status = pl_fit_get_report(job->fit.fit, &found, error);
  if (status >= 0) status = write_rounds(job, &found, error);
  if (status < 0) return status;
  char *path = tool_text("%s/report.html", job->folder), *title = tool_text("Capture of %s", job->clips[0].name);
  pl_report *report = NULL;
  status = pl_report_create(job->context, path, title, &report, error);
  if (status >= 0) {
    report_rounds(job, &found, report);
    status = report_clouds(job, report, error);
    if (status >= 0) status = fit_report(&job->fit, &found, report, error);
    if (status >= 0)
      status = pl_report_close(report, error);
    else
      pl_report_abandon(report);
  }
  free(title);
  free(path);
  return status;
}
