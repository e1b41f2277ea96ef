// pliant sense: a body of a scene as depth cameras would see it, with the truth beside it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_folder.h"
#include "tool_interrupt.h"
#include "tool_open.h"
#include "tool_overrides.h"

static const tool_option OPTIONS[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_TEXT,
     .value = "DIR",
     .about = "folder for the capture; out/NAME-capture if not given"},
    {.name = "body",
     .kind = TOOL_TEXT,
     .value = "NAME",
     .about = "what is captured; the first body of finite elements if not given"},
    {.name = "cameras",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "cameras around the body; 3 if not given",
     .least = 1,
     .most = 64},
    {.name = "size", .kind = TOOL_TEXT, .value = "WxH", .about = "pixels of a camera; 640x480 if not given"},
    {.name = "elevation",
     .kind = TOOL_NUMBER,
     .value = "DEGREES",
     .about = "how far cameras look down; 30 if not given",
     .least = -89,
     .most = 89},
    {.name = "heading",
     .kind = TOOL_NUMBER,
     .value = "DEGREES",
     .about = "where the first camera stands, from +z towards +x; 0",
     .least = -360,
     .most = 360},
    {.name = "rate",
     .kind = TOOL_NUMBER,
     .value = "RATE",
     .about = "frames per second; 30 if not given",
     .least = 0.01,
     .most = 1e5},
    {.name = "start",
     .kind = TOOL_NUMBER,
     .value = "SECONDS",
     .about = "when the capture begins; 0 if not given",
     .least = 0,
     .most = 1e6},
    {.name = "frames",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "frames; as long as the scene goes on if not given",
     .least = 1,
     .most = 1e6},
    {.name = "noise",
     .kind = TOOL_NUMBER,
     .value = "LENGTH",
     .about = "metres along the depth; 0.002 if not given",
     .least = 0,
     .most = 1},
    {.name = "quantum",
     .kind = TOOL_NUMBER,
     .value = "LENGTH",
     .about = "step of depths at 1 m, growing with the square; 0.0028",
     .least = 0,
     .most = 1},
    {.name = "outliers",
     .kind = TOOL_NUMBER,
     .value = "SHARE",
     .about = "of pixels with a wrong depth; 0.1 if not given",
     .least = 0,
     .most = 1},
    {.name = "edge-dropout",
     .kind = TOOL_NUMBER,
     .value = "SHARE",
     .about = "of pixels lost at edges; 0.5 if not given",
     .least = 0,
     .most = 1},
    {.name = "dropout",
     .kind = TOOL_NUMBER,
     .value = "SHARE",
     .about = "of pixels lost anywhere; 0 if not given",
     .least = 0,
     .most = 1},
    {.name = "clouds", .kind = TOOL_FLAG, .about = "write clouds instead of depth pictures; which camera saw a point is lost"},
    {.name = "seed",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "of noise and losses; 1 if not given",
     .least = 0,
     .most = 9007199254740992.0},
    {.name = "threads",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "threads; the results are the same for any number",
     .least = 1,
     .most = 1024},
    {.name = "set", .kind = TOOL_TEXT, .value = "PATH=VALUE", .about = TOOL_SET_ABOUT, .repeats = true},
};

typedef struct sense_job {
  const tool_session *tool;
  const tool_arguments *arguments;
  char *folder;
  pl_context *context;
  pl_scene *scene;
  pl_stage_set *set;
  pl_findings *findings;
  pl_scene_report facts;
  int32_t body;  // which is captured
  int32_t frame_count, camera_count, width, height;
  double rate, start;
  pl_sensor_def sensor;
  // Per body: its surface in every frame, one after the other; of the captured one the particles too.
  int32_t body_count;
  pl_vec3 **surfaces;
  pl_vec3 *particles;
  int32_t particle_count;
  pl_vec3 *static_points;  // particles at rest under gravity
  int32_t *held, held_count;
} sense_job;

static double number_or(const sense_job *job, const char *name, double fallback) {
  const tool_value *value = tool_find_value(job->arguments, name);
  return value->given ? value->number : fallback;
}

static bool read_options(sense_job *job) {
  const tool_value *size = tool_find_value(job->arguments, "size"), *cameras = tool_find_value(job->arguments, "cameras");
  const tool_value *seed = tool_find_value(job->arguments, "seed");
  job->width = 640;
  job->height = 480;
  if (size->given && !tool_parse_size(job->tool, size->text, &job->width, &job->height)) return false;
  job->camera_count = cameras->given ? (int32_t)cameras->count : 3;
  job->rate = number_or(job, "rate", 30);
  job->start = number_or(job, "start", 0);
  job->sensor = pl_default_sensor_def();
  job->sensor.noise = number_or(job, "noise", job->sensor.noise);
  job->sensor.quantum = number_or(job, "quantum", job->sensor.quantum);
  job->sensor.outliers = number_or(job, "outliers", job->sensor.outliers);
  job->sensor.edge_dropout = number_or(job, "edge-dropout", job->sensor.edge_dropout);
  job->sensor.dropout = number_or(job, "dropout", job->sensor.dropout);
  if (seed->given) job->sensor.seed = (uint64_t)seed->count;
  return true;
}

static pl_status open_scene(sense_job *job, const tool_overrides *overrides, pl_error *error) {
  pl_status status = pl_findings_create(job->context, &job->findings, error);
  const char *path = job->arguments->words[0];
  if (status >= 0)
    status = pl_scene_read_with(job->context, path, overrides->items, overrides->count, &job->scene, job->findings, error);
  if (status < 0) return status;
  job->facts = pl_scene_describe(job->scene);
  pl_scene_build_def build = pl_default_scene_build_def();
  return pl_scene_build(job->context, &build, job->scene, &job->set, job->findings, error);
}

static bool can_be_captured(const sense_job *job, int32_t index) {
  pl_stage_body body = pl_stage_set_body(job->set, index);
  pl_model_report model = pl_model_describe(pl_body_model(pl_stage_set_world(job->set), body.id));
  return strcmp(model.method, "fem") == 0 && body.mesh != NULL && pl_mesh_look(body.mesh).tet_count > 0;
}

static bool choose_body(sense_job *job) {
  const tool_value *wanted = tool_find_value(job->arguments, "body");
  job->body = -1;
  for (int32_t i = 0; i < job->body_count && job->body < 0; ++i)
    if (can_be_captured(job, i) && (!wanted->given || strcmp(pl_stage_set_body(job->set, i).name, wanted->text) == 0))
      job->body = i;
  if (job->body >= 0) return true;
  if (wanted->given)
    tool_complain(&job->tool->voice, "'%s' has no body of tets with the method fem called '%s'", job->arguments->words[0],
                  wanted->text);
  else
    tool_complain(&job->tool->voice, "'%s' has no body of tets with the method fem", job->arguments->words[0]);
  return false;
}

static pl_status record_frame(sense_job *job, int32_t frame) {
  for (int32_t i = 0; i < job->body_count; ++i) {
    size_t count = (size_t)pl_stage_set_surface(job->set, i).point_count;
    pl_status status = pl_stage_set_read_surface(job->set, i, job->surfaces[i] + (size_t)frame * count);
    if (status < 0) return status;
  }
  pl_body_id id = pl_stage_set_body(job->set, job->body).id;
  return pl_body_read_positions(pl_stage_set_world(job->set), id, job->particles + (size_t)frame * (size_t)job->particle_count);
}

// Where the particles come to rest under gravity, from where they are at the start; those that never move are held.
static pl_status find_static(sense_job *job, pl_vec3 gravity, const pl_vec3 *first, pl_error *error) {
  size_t n = (size_t)job->particle_count;
  job->held = tool_allocate(n + 1, sizeof *job->held);
  for (int32_t i = 0; i < job->particle_count; ++i) {
    bool moved = false;
    for (int32_t f = 0; f < job->frame_count && !moved; ++f)
      moved = memcmp(&first[i], &job->particles[(size_t)f * n + (size_t)i], sizeof *first) != 0;
    if (!moved) job->held[job->held_count++] = i;
  }
  memcpy(job->static_points, first, n * sizeof *first);
  if (job->held_count == 0) {
    tool_say(&job->tool->voice, "no point is held all the time; the static shape is that of the start");
    return PL_OK;
  }
  pl_fem_equilibrium_def def = pl_default_fem_equilibrium_def();
  def.acceleration = gravity;
  def.pinned = job->held;
  def.pinned_count = job->held_count;
  def.tolerance = 1e-6;
  const pl_model *model = pl_body_model(pl_stage_set_world(job->set), pl_stage_set_body(job->set, job->body).id);
  return pl_fem_equilibrium(job->context, model, &def, job->static_points, NULL, error);
}

static pl_status simulate(sense_job *job, pl_error *error) {
  pl_world *world = pl_stage_set_world(job->set);
  const tool_value *frames = tool_find_value(job->arguments, "frames");
  double whole = (job->facts.frame_count - 1) / job->facts.frame_rate - job->start;
  job->frame_count = frames->given ? (int32_t)frames->count : 1 + (int32_t)fmax(0, floor(whole * job->rate + 1e-6));
  job->particle_count = pl_model_describe(pl_body_model(world, pl_stage_set_body(job->set, job->body).id)).particle_count;
  size_t n = (size_t)job->particle_count, count = (size_t)job->frame_count;
  job->particles = tool_allocate(n * count, sizeof(pl_vec3));
  job->static_points = tool_allocate(n, sizeof(pl_vec3));
  job->surfaces = tool_allocate((size_t)job->body_count, sizeof *job->surfaces);
  for (int32_t i = 0; i < job->body_count; ++i)
    job->surfaces[i] = tool_allocate((size_t)pl_stage_set_surface(job->set, i).point_count * count, sizeof(pl_vec3));
  pl_vec3 *first = tool_allocate(n, sizeof *first);
  pl_status status = pl_body_read_positions(world, pl_stage_set_body(job->set, job->body).id, first);
  tool_progress progress = tool_progress_start(&job->tool->voice, "frame", 0, job->frame_count);
  if (status >= 0 && job->start > 0) status = pl_world_advance(world, job->start, 0, NULL, error);
  for (int32_t f = 0; f < job->frame_count && status >= 0 && tool_interrupt_count() == 0; ++f) {
    if (f > 0) status = pl_world_advance(world, 1 / job->rate, 0, NULL, error);
    if (status >= 0) status = record_frame(job, f);
    tool_progress_show(&progress, f + 1);
  }
  tool_progress_end(&progress);
  if (status >= 0 && tool_interrupt_count() == 0) status = find_static(job, job->facts.gravity, first, error);
  free(first);
  return status;
}

// A point in a placement.
static pl_vec3 place(pl_transform t, pl_vec3 p) {
  pl_quat q = t.rotation;
  // p + 2 w (v x p) + 2 v x (v x p)
  pl_vec3 c = {q.y * p.z - q.z * p.y, q.z * p.x - q.x * p.z, q.x * p.y - q.y * p.x};
  pl_vec3 d = {q.y * c.z - q.z * c.y, q.z * c.x - q.x * c.z, q.x * c.y - q.y * c.x};
  return (pl_vec3){t.position.x + p.x + 2 * (q.w * c.x + d.x), t.position.y + p.y + 2 * (q.w * c.y + d.y),
                   t.position.z + p.z + 2 * (q.w * c.z + d.z)};
}

// --- what is written ------------------------------------------------------------------------------------------------

// Surfaces of a frame: the body, then what may hide it.
static int32_t gather_surfaces(const sense_job *job, int32_t frame, pl_sensor_surface *surfaces, pl_vec3 **placed) {
  int32_t count = 0;
  for (int32_t i = 0; i < job->body_count; ++i) {
    pl_stage_surface shape = pl_stage_set_surface(job->set, i);
    surfaces[count++] = (pl_sensor_surface){job->surfaces[i] + (size_t)frame * (size_t)shape.point_count, shape.point_count,
                                            shape.triangles, shape.triangle_count, i != job->body};
  }
  double time = job->start + frame / job->rate;
  for (int32_t i = 0; i < pl_stage_set_collider_count(job->set); ++i) {
    pl_stage_collider collider = pl_stage_set_collider(job->set, i, time);
    if (collider.mesh == NULL || !collider.visible) continue;
    pl_mesh_view mesh = pl_mesh_look(collider.mesh);
    for (int32_t k = 0; k < mesh.point_count; ++k) placed[i][k] = place(collider.placement, mesh.points[k]);
    surfaces[count++] = (pl_sensor_surface){placed[i], mesh.point_count, mesh.triangles, mesh.triangle_count, true};
  }
  return count;
}

static pl_box box_of_motion(const sense_job *job) {
  int32_t count = pl_stage_set_surface(job->set, job->body).point_count;
  return pl_points_box(job->surfaces[job->body], count * job->frame_count);
}

// Points of depth pictures, as a reader of the capture would make them.
static int32_t points_of_pictures(const sense_job *job, const pl_capture_camera *cameras, uint16_t *const *pixels,
                                  pl_vec3 *points) {
  int32_t count = 0;
  for (int32_t c = 0; c < job->camera_count; ++c)
    for (int32_t i = 0; i < job->width * job->height; ++i) {
      if (pixels[c][i] == 0) continue;
      double d = pixels[c][i] * cameras[c].depth_scale;
      pl_vec3 seen = {(i % job->width - cameras[c].cx) * d / cameras[c].fx, (i / job->width - cameras[c].cy) * d / cameras[c].fy,
                      d};
      points[count++] = place(cameras[c].placement, seen);
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
  pl_status status = pl_sensor_expose_all(job->context, &job->sensor, at->cameras, job->camera_count, frame, at->surfaces,
                                          surface_count, at->pixels, error);
  if (status < 0) return status;
  if (at->points == NULL) return pl_capture_writer_add_depths(at->writer, (const uint16_t *const *)at->pixels, error);
  return pl_capture_writer_add_cloud(at->writer, at->points, points_of_pictures(job, at->cameras, at->pixels, at->points), error);
}

static pl_status take_pictures(const sense_job *job, pl_error *error) {
  studio at = {.writer = NULL};
  size_t pixel_count = (size_t)job->width * (size_t)job->height;
  int32_t collider_count = pl_stage_set_collider_count(job->set);
  bool clouds = tool_find_value(job->arguments, "clouds")->given;
  pl_sensor_ring(box_of_motion(job), job->camera_count, number_or(job, "elevation", 30) * 0.017453292519943295,
                 number_or(job, "heading", 0) * 0.017453292519943295, job->width, job->height, at.cameras);
  for (int32_t c = 0; c < job->camera_count; ++c) at.pixels[c] = tool_allocate(pixel_count, sizeof(uint16_t));
  at.surfaces = tool_allocate((size_t)(job->body_count + collider_count) + 1, sizeof *at.surfaces);
  at.placed = tool_allocate((size_t)collider_count + 1, sizeof *at.placed);
  for (int32_t i = 0; i < collider_count; ++i) {
    const pl_mesh *mesh = pl_stage_set_collider(job->set, i, 0).mesh;
    if (mesh != NULL) at.placed[i] = tool_allocate((size_t)pl_mesh_look(mesh).point_count + 1, sizeof(pl_vec3));
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
  tool_progress progress = tool_progress_start(&job->tool->voice, "picture", 0, job->frame_count);
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

static pl_status write_motion(const sense_job *job, const char *name, const pl_vec3 *points, int32_t point_count, pl_error *error) {
  char *path = tool_text("%s/%s", job->folder, name);
  pl_frames_def def = pl_default_frames_def(PL_FRAMES_PC2);
  def.path = path;
  def.frame_rate = job->rate;
  def.frame_count = job->frame_count;
  def.point_count = point_count;
  pl_frames *frames = NULL;
  pl_status status = pl_frames_create(job->context, &def, &frames, error);
  for (int32_t f = 0; f < job->frame_count && status >= 0; ++f)
    status = pl_frames_write(frames, points + (size_t)f * (size_t)point_count, error);
  if (frames != NULL && status >= 0)
    status = pl_frames_close(frames, error);
  else
    pl_frames_abandon(frames);
  free(path);
  return status;
}

// The mesh `view` with other points.
static pl_status write_mesh(const sense_job *job, const char *name, pl_mesh_view view, const pl_vec3 *points, pl_error *error) {
  char *path = tool_text("%s/%s", job->folder, name);
  pl_mesh *mesh = NULL;
  view.points = points;
  view.pose_count = 0;
  view.poses = NULL;
  pl_status status = pl_mesh_create(job->context, &view, &mesh, error);
  if (status >= 0) status = pl_mesh_write(job->context, path, mesh, error);
  pl_mesh_destroy(mesh);
  free(path);
  return status;
}

// Surface at rest under gravity, carried by the particles as the body's own surface is.
static pl_status write_static_surface(const sense_job *job, pl_error *error) {
  pl_stage_body body = pl_stage_set_body(job->set, job->body);
  pl_stage_surface shape = pl_stage_set_surface(job->set, job->body);
  pl_world *world = pl_stage_set_world(job->set);
  pl_vec3 *points = tool_allocate((size_t)shape.point_count, sizeof *points);
  pl_vec3 *last = tool_allocate((size_t)job->particle_count, sizeof *last);
  // The run is over: the body is put to where it rests, read, and put back.
  pl_status status = pl_body_read_positions(world, body.id, last);
  if (status >= 0) status = pl_body_write(world, body.id, job->static_points, NULL, error);
  if (status >= 0) status = pl_stage_set_read_surface(job->set, job->body, points);
  if (status >= 0) status = pl_body_write(world, body.id, last, NULL, error);
  pl_mesh_view view = {.point_count = shape.point_count, .triangle_count = shape.triangle_count, .triangles = shape.triangles};
  if (status >= 0) status = write_mesh(job, "surface.ply", view, points, error);
  free(points);
  free(last);
  return status;
}

static pl_status write_truth(const sense_job *job, pl_error *error) {
  pl_stage_body body = pl_stage_set_body(job->set, job->body);
  pl_mesh_view tets = pl_mesh_look(body.mesh);
  tets.triangle_count = tets.segment_count = 0;
  pl_status status = write_mesh(job, "rest.vtu", tets, tets.points, error);
  if (status >= 0) status = write_mesh(job, "static.vtu", tets, job->static_points, error);
  if (status >= 0) status = write_static_surface(job, error);
  int32_t count = pl_stage_set_surface(job->set, job->body).point_count;
  if (status >= 0) status = write_motion(job, "truth_surface", job->surfaces[job->body], count, error);
  if (status >= 0) status = write_motion(job, "truth_points", job->particles, job->particle_count, error);
  double *cells = tool_allocate((size_t)job->held_count + 1, sizeof *cells);
  for (int32_t i = 0; i < job->held_count; ++i) cells[i] = job->held[i];
  char *path = tool_text("%s/held.csv", job->folder);
  const char *const columns[] = {"point"};
  if (status >= 0) status = pl_table_write(job->context, path, columns, 1, job->held_count, cells, error);
  free(path);
  free(cells);
  return status;
}

// What the capture holds, as `pliant info` would say it.
static pl_status say_capture(const sense_job *job, pl_error *error) {
  char *path = tool_text("%s/capture.json", job->folder);
  pl_capture *capture = NULL;
  pl_capture_report report;
  pl_status status = pl_capture_read(job->context, path, &capture, NULL, error);
  if (status >= 0) status = pl_capture_describe(capture, 10, &report, NULL, error);
  if (status >= 0) {
    pl_vec3 a = report.box.least, b = report.box.most;
    tool_say(&job->tool->voice, "capture:   %d frames at %g/s, %.3g s, %d cameras of %d x %d", job->frame_count, job->rate,
             report.duration, job->camera_count, job->width, job->height);
    tool_say(&job->tool->voice, "points:    %.0f a frame in %.3g x %.3g x %.3g m; %d of %d points of the body are held",
             report.mean_points, b.x - a.x, b.y - a.y, b.z - a.z, job->held_count, job->particle_count);
    tool_say(&job->tool->voice, "written:   %s, with static.vtu, surface.ply and held.csv to track with, and the truth", path);
  }
  pl_capture_destroy(capture);
  free(path);
  return status;
}

static int sense_scene(sense_job *job, const tool_overrides *overrides) {
  pl_error error = {0};
  pl_status status = open_scene(job, overrides, &error);
  int32_t error_count = 0;
  if (job->findings != NULL) {
    tool_report_findings(&job->tool->voice, job->findings, PL_SEVERITY_WARNING, job->arguments->words[0]);
    error_count = pl_findings_count(job->findings, PL_SEVERITY_ERROR);
  }
  if (status < 0) return error_count == 0 ? tool_report_error(&job->tool->voice, &error) : TOOL_FAILED;
  job->body_count = pl_stage_set_body_count(job->set);
  if (!choose_body(job)) return TOOL_FAILED;
  const tool_value *output = tool_find_value(job->arguments, "output");
  job->folder = output->given ? tool_text("%s", output->text) : tool_text("out/%s-capture", job->facts.name);
  if (!tool_folder_make(job->tool, job->folder)) return TOOL_FAILED;
  tool_interrupt_watch();
  status = simulate(job, &error);
  if (status >= 0 && tool_interrupt_count() == 0) status = take_pictures(job, &error);
  if (status >= 0 && tool_interrupt_count() == 0) status = write_truth(job, &error);
  if (status >= 0 && tool_interrupt_count() == 0) status = say_capture(job, &error);
  bool stopped = tool_interrupt_count() > 0;
  tool_interrupt_release();
  if (status < 0) return tool_report_error(&job->tool->voice, &error);
  if (stopped) {
    tool_complain(&job->tool->voice, "interrupted; the capture in '%s' is not whole", job->folder);
    return TOOL_FAILED;
  }
  return pl_findings_count(job->findings, PL_SEVERITY_WARNING) > 0 ? TOOL_REMARKS : TOOL_DONE;
}

static void close_job(sense_job *job) {
  for (int32_t i = 0; job->surfaces != NULL && i < job->body_count; ++i) free(job->surfaces[i]);
  free(job->surfaces);
  free(job->particles);
  free(job->static_points);
  free(job->held);
  free(job->folder);
  pl_stage_set_destroy(job->set);
  pl_scene_destroy(job->scene);
  pl_findings_destroy(job->findings);
  pl_context_destroy(job->context);
}

static int sense_verb(const tool_session *tool, const tool_arguments *arguments) {
  sense_job job = {.tool = tool, .arguments = arguments};
  tool_overrides overrides;
  if (!tool_overrides_read(tool, arguments, &overrides)) return TOOL_USAGE;
  int code = TOOL_USAGE;
  if (read_options(&job)) {
    const tool_value *threads = tool_find_value(arguments, "threads");
    job.context = tool_open_context(tool, threads->given ? (int32_t)threads->count : 0);
    code = job.context != NULL ? sense_scene(&job, &overrides) : TOOL_FAILED;
  }
  if (job.context != NULL) close_job(&job);
  tool_overrides_free(&overrides);
  return code;
}

const tool_verb tool_sense_verb = {
    .name = "sense",
    .words = "SCENE",
    .summary = "capture a body of a scene with depth cameras that are not there",
    .details =
        "Simulates the scene and takes depth pictures of one body from all around, with the faults of a real sensor. Other bodies\n"
        "and colliders hide it and are masked out. The folder holds capture.json with its pictures; static.vtu and\n"
        "surface.ply, the body at rest under gravity; held.csv, the points that never move; and the truth: rest.vtu,\n"
        "truth_points.pc2 and truth_surface.pc2.",
    .least_words = 1,
    .most_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = sense_verb,
};
