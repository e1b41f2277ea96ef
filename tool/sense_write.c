// Renders the depth images of a motion, and writes the truth next to them.
#include <math.h>
#include <stdlib.h>

#include "pliant/math.h"
#include "tool_interrupt.h"
#include "tool_sense.h"

// Surfaces of a frame: the body, then what may hide it.
static int32_t gather_surfaces(const sense_job *job, int32_t frame, pl_sensor_surface *surfaces, pl_vec3 **placed) {
  int32_t count = 0;
  for (int32_t i = 0; i < job->body_count; ++i) {
    pl_scene_instance_surface shape = pl_scene_instance_get_surface_view(job->set, i);
    surfaces[count++] = (pl_sensor_surface){job->surfaces[i] + (size_t)frame * (size_t)shape.point_count,
                                            shape.point_count, shape.triangles, shape.triangle_count, i != job->body};
  }
  double time = job->start + frame / job->rate;
  for (int32_t i = 0; i < pl_scene_instance_collider_count(job->set); ++i) {
    pl_scene_instance_collider collider = pl_scene_instance_get_collider(job->set, i, time);
    if (collider.mesh == NULL || !collider.visible) continue;
    pl_mesh_view mesh = pl_mesh_get_view(collider.mesh);
    for (int32_t k = 0; k < mesh.point_count; ++k)
      placed[i][k] = pl_transform_apply(collider.placement, mesh.points[k]);
    surfaces[count++] = (pl_sensor_surface){placed[i], mesh.point_count, mesh.triangles, mesh.triangle_count, true};
  }
  return count;
}

static pl_box box_of_motion(const sense_job *job) {
  int32_t count = pl_scene_instance_get_surface_view(job->set, job->body).point_count;
  return pl_box_from_points(job->surfaces[job->body], count * job->frame_count);
}

// Points of depth pictures, as a reader of the capture would make them.
static int32_t points_of_pictures(const sense_job *job, const pl_capture_camera *cameras, uint16_t *const *pixels,
                                  pl_vec3 *points) {
  int32_t count = 0;
  for (int32_t c = 0; c < job->camera_count; ++c)
    for (int32_t i = 0; i < job->width * job->height; ++i) {
      if (pixels[c][i] == 0) continue;
      double d = pixels[c][i] * cameras[c].depth_scale;
      pl_vec3 seen = {(i % job->width - cameras[c].cx) * d / cameras[c].fx,
                      (i / job->width - cameras[c].cy) * d / cameras[c].fy, d};
      points[count++] = pl_transform_apply(cameras[c].placement, seen);
    }
  return count;
}

typedef struct studio {
  pl_capture_camera cameras[64];
  uint16_t *pixels[64];
  pl_sensor_surface *surfaces;
  pl_vec3 **placed;  // per collider: its points
  pl_vec3 *points;   // of clouds
  pl_capture_writer *writer;
} studio;

static pl_status take_frame(const sense_job *job, studio *at, int32_t frame, pl_error *error) {
  int32_t surface_count = gather_surfaces(job, frame, at->surfaces, at->placed);
  pl_status status = pl_sensor_render_all(
      job->context, &job->sensor, &(pl_sensor_shot){at->cameras, job->camera_count, frame, at->surfaces, surface_count},
      at->pixels, error);
  if (status < 0) return status;
  if (at->points == NULL) return pl_capture_writer_add_depths(at->writer, (const uint16_t *const *)at->pixels, error);
  return pl_capture_writer_add_cloud(at->writer, at->points,
                                     points_of_pictures(job, at->cameras, at->pixels, at->points), error);
}

pl_status sense_take_pictures(const sense_job *job, pl_error *error) {
  studio at = {.writer = NULL};
  size_t pixel_count = (size_t)job->width * (size_t)job->height;
  int32_t collider_count = pl_scene_instance_collider_count(job->set);
  bool clouds = tool_find_value(job->arguments, "clouds")->given;
  pl_sensor_ring(&(pl_camera_ring){box_of_motion(job), job->camera_count,
                                   tool_get_number(job->arguments, "elevation") * (PL_PI / 180),
                                   tool_get_number(job->arguments, "heading") * (PL_PI / 180), job->width, job->height,
                                   job->sensor.min_depth},
                 at.cameras);
  for (int32_t c = 0; c < job->camera_count; ++c) at.pixels[c] = tool_allocate(pixel_count, sizeof(uint16_t));
  at.surfaces = tool_allocate((size_t)(job->body_count + collider_count) + 1, sizeof *at.surfaces);
  at.placed = tool_allocate((size_t)collider_count + 1, sizeof *at.placed);
  for (int32_t i = 0; i < collider_count; ++i) {
    const pl_mesh *mesh = pl_scene_instance_get_collider(job->set, i, 0).mesh;
    if (mesh != NULL) at.placed[i] = tool_allocate((size_t)pl_mesh_get_view(mesh).point_count + 1, sizeof(pl_vec3));
  }
  if (clouds) at.points = tool_allocate(pixel_count * (size_t)job->camera_count, sizeof(pl_vec3));
  pl_capture_writer_def def = pl_default_capture_writer_def();
  def.folder = job->folder;
  def.name = job->facts.name;
  def.rate = job->rate;
  def.gravity = job->facts.gravity;
  def.cameras = at.cameras;
  def.camera_count = clouds ? 0 : job->camera_count;
  pl_status status = pl_capture_writer_create(job->context, &def, &at.writer, error);
  tool_progress progress = tool_progress_start(&job->tool->console, "picture", 0, job->frame_count);
  for (int32_t f = 0; f < job->frame_count && status >= 0 && tool_interrupt_count() == 0; ++f) {
    status = take_frame(job, &at, f, error);
    tool_progress_show(&progress, f + 1);
  }
  tool_progress_end(&progress);
  if (status >= 0 && tool_interrupt_count() == 0)
    status = pl_capture_writer_close(at.writer, error);
  else
    pl_capture_writer_abandon(at.writer);
  for (int32_t c = 0; c < job->camera_count; ++c) free(at.pixels[c]);
  for (int32_t i = 0; i < collider_count; ++i) free(at.placed[i]);
  free(at.surfaces);
  free(at.placed);
  free(at.points);
  return status;
}

static pl_status write_motion(const sense_job *job, const char *name, const pl_vec3 *points, int32_t point_count,
                              pl_error *error) {
  char *path = tool_text("%s/%s", job->folder, name);
  pl_frames_def def = pl_default_frames_def(PL_FRAMES_PC2);
  def.path = path;
  def.frame_rate = job->rate;
  def.frame_count = job->frame_count;
  def.point_count = point_count;
  pl_frames *frames = NULL;
  pl_status status = pl_frames_create(job->context, &def, &frames, error);
  for (int32_t f = 0; f < job->frame_count && status >= 0; ++f)
    status = pl_frames_add_frame(frames, points + (size_t)f * (size_t)point_count, error);
  if (frames != NULL && status >= 0)
    status = pl_frames_close(frames, error);
  else
    pl_frames_abandon(frames);
  free(path);
  return status;
}

// The mesh `view` with other points.
static pl_status write_mesh(const sense_job *job, const char *name, pl_mesh_view view, const pl_vec3 *points,
                            pl_error *error) {
  char *path = tool_text("%s/%s", job->folder, name);
  pl_mesh *mesh = NULL;
  view.points = points;
  view.pose_count = 0;
  view.poses = NULL;
  pl_status status = pl_mesh_create(job->context, &view, &mesh, error);
  if (status >= 0) status = pl_mesh_save(job->context, path, mesh, error);
  pl_mesh_destroy(mesh);
  free(path);
  return status;
}

// Surface at rest under gravity, carried by the particles as the body's own surface is.
static pl_status write_static_surface(const sense_job *job, pl_error *error) {
  pl_scene_instance_body body = pl_scene_instance_get_body(job->set, job->body);
  pl_scene_instance_surface shape = pl_scene_instance_get_surface_view(job->set, job->body);
  pl_world *world = pl_scene_instance_get_world(job->set);
  pl_vec3 *points = tool_allocate((size_t)shape.point_count, sizeof *points);
  pl_vec3 *last = tool_allocate((size_t)job->particle_count, sizeof *last);
  // The run is over: the body is set to its static shape, read, and restored.
  pl_status status = pl_body_get_positions(world, body.id, last);
  if (status >= 0) status = pl_body_set_state(world, body.id, job->static_points, NULL, error);
  if (status >= 0) status = pl_scene_instance_get_surface(job->set, job->body, points);
  if (status >= 0) status = pl_body_set_state(world, body.id, last, NULL, error);
  pl_mesh_view view = {
      .point_count = shape.point_count, .triangle_count = shape.triangle_count, .triangles = shape.triangles};
  if (status >= 0) status = write_mesh(job, "surface.ply", view, points, error);
  free(points);
  free(last);
  return status;
}

static pl_vec3 middle_of(const pl_mesh_view *mesh, int32_t tet) {
  const int32_t *c = mesh->tets + 4 * (ptrdiff_t)tet;
  pl_vec3 sum = pl_vec3_add(pl_vec3_add(mesh->points[c[0]], mesh->points[c[1]]),
                            pl_vec3_add(mesh->points[c[2]], mesh->points[c[3]]));
  return pl_vec3_scale(sum, 0.25);
}

static int32_t nearest_tet(const pl_mesh_view *mesh, pl_vec3 at) {
  int32_t best = 0;
  double nearest = HUGE_VAL;
  for (int32_t t = 0; t < mesh->tet_count; ++t) {
    pl_vec3 away = pl_vec3_sub(middle_of(mesh, t), at);
    double square = pl_vec3_dot(away, away);
    if (square < nearest) nearest = square, best = t;
  }
  return best;
}

// Young's modulus of every tet of `rest`; other tets than the scene's have that of the nearest one.
static pl_status write_moduli(const sense_job *job, const pl_mesh_view *rest, pl_error *error) {
  pl_scene_instance_body body = pl_scene_instance_get_body(job->set, job->body);
  const pl_model *model = pl_body_get_model(pl_scene_instance_get_world(job->set), body.id);
  pl_mesh_view own = pl_mesh_get_view(body.mesh);
  double *moduli = tool_allocate((size_t)own.tet_count + 1, sizeof *moduli),
         *cells = tool_allocate((size_t)rest->tet_count + 1, sizeof *cells);
  pl_status status = pl_fem_get_moduli(model, moduli);
  for (int32_t t = 0; t < rest->tet_count && status >= 0; ++t)
    cells[t] = moduli[job->tets == NULL ? t : nearest_tet(&own, middle_of(rest, t))];
  char *path = tool_text("%s/truth_young.csv", job->folder);
  static const char *const columns[] = {"young"};
  if (status >= 0)
    status = pl_table_save(job->context, path, &(pl_table_view){1, columns, rest->tet_count, cells}, error);
  free(path);
  free(moduli);
  free(cells);
  return status;
}

pl_status sense_write_truth(sense_job *job, pl_error *error) {
  pl_scene_instance_body body = pl_scene_instance_get_body(job->set, job->body);
  pl_mesh_view tets = pl_mesh_get_view(job->tets != NULL ? job->tets : body.mesh);
  tets.triangle_count = tets.segment_count = 0;
  // The surface is embedded in the tets of the scene, so it is written before other tets replace them.
  pl_status status = write_static_surface(job, error);
  if (status >= 0 && job->tets != NULL) status = sense_carry_tets(job, error);
  if (status >= 0) status = write_mesh(job, "rest.vtu", tets, tets.points, error);
  if (status >= 0) status = write_mesh(job, "static.vtu", tets, job->static_points, error);
  if (status >= 0) status = write_moduli(job, &tets, error);
  int32_t count = pl_scene_instance_get_surface_view(job->set, job->body).point_count;
  if (status >= 0) status = write_motion(job, "truth_surface", job->surfaces[job->body], count, error);
  if (status >= 0) status = write_motion(job, "truth_points", job->particles, job->particle_count, error);
  double *cells = tool_allocate((size_t)job->held_count + 1, sizeof *cells);
  for (int32_t i = 0; i < job->held_count; ++i) cells[i] = job->held[i];
  char *path = tool_text("%s/held.csv", job->folder);
  const char *const columns[] = {"point"};
  if (status >= 0)
    status = pl_table_save(job->context, path, &(pl_table_view){1, columns, job->held_count, cells}, error);
  free(path);
  free(cells);
  return status;
}

// Print what the capture contains; false where it contains nothing.
pl_status sense_print_capture(const sense_job *job, bool *filmed, pl_error *error) {
  char *path = tool_text("%s/capture.json", job->folder);
  pl_capture *capture = NULL;
  pl_capture_report report;
  pl_status status = pl_capture_load(job->context, path, &capture, NULL, error);
  if (status >= 0) status = pl_capture_get_report(capture, 10, &report, NULL, error);
  *filmed = status >= 0 && report.max_points > 0;
  if (status >= 0 && !*filmed)
    tool_print_error(
        &job->tool->console,
        "the cameras measured no point of the body in the first %d frames of '%s'; it may be hidden, or out "
        "of their range of %g to %g m",
        report.frame_count, path, job->sensor.min_depth, job->sensor.max_depth);
  if (*filmed) {
    pl_vec3 a = report.box.min, b = report.box.max;
    tool_print(&job->tool->console, "capture:   %d frames at %g/s, %.3g s, %d cameras of %d x %d", job->frame_count,
               job->rate, report.duration, job->camera_count, job->width, job->height);
    tool_print(&job->tool->console,
               "points:    %.0f per frame in %.3g x %.3g x %.3g m; %d of %d points of the body are held",
               report.mean_points, b.x - a.x, b.y - a.y, b.z - a.z, job->held_count, job->particle_count);
    tool_print(&job->tool->console,
               "written:   %s, with static.vtu, surface.ply and held.csv to track with, and the truth", path);
  }
  pl_capture_destroy(capture);
  free(path);
  return status;
}
