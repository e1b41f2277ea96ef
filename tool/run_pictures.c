// The picture of the last frame, or of several side by side or in one, and the video of all frames, drawn from the log.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_palette.h"
#include "tool_interrupt.h"
#include "tool_run.h"

enum { PANEL_GAP = 2 };  // pixels between the panels of a strip
static const double PI = 3.14159265358979323846;

// The appearance of a body or collider that is drawn with a preset or with the materials of its file.
typedef struct run_appearance {
  pl_appearance *appearance;
  pl_appearance_view view;
  pl_appearance_material material;
} run_appearance;

typedef struct run_painter {
  run_job *run;
  pl_renderer *renderer;
  pl_picture_item *items;  // bodies and ghosts first, then colliders
  int32_t item_count;
  int32_t moving_count;         // items of bodies and ghosts, before those of colliders
  pl_vec3 **collider_points;    // placed, one array per item of a collider
  run_appearance *appearances;  // of bodies, then of colliders
  pl_camera around;             // used when the scene has no camera, or a fixed one is asked for
  pl_vec3 *shifts;              // of the camera in each frame, NULL for none
  uint8_t *rgb;
} run_painter;

static pl_vec3 rotate(pl_quat q, pl_vec3 v) {
  // v + 2 w (u x v) + 2 u x (u x v), u the vector part
  pl_vec3 t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z), 2 * (q.x * v.y - q.y * v.x)};
  return (pl_vec3){v.x + q.w * t.x + (q.y * t.z - q.z * t.y), v.y + q.w * t.y + (q.z * t.x - q.x * t.z),
                   v.z + q.w * t.z + (q.x * t.y - q.y * t.x)};
}

static pl_vec3 sum_of(pl_vec3 a, pl_vec3 b) {
  return (pl_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static pl_vec3 difference(pl_vec3 a, pl_vec3 b) {
  return (pl_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static pl_vec3 scaled(pl_vec3 v, double factor) {
  return (pl_vec3){factor * v.x, factor * v.y, factor * v.z};
}

static double dot(pl_vec3 a, pl_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static pl_vec3 cross(pl_vec3 a, pl_vec3 b) {
  return (pl_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double length_of(pl_vec3 v) {
  return sqrt(dot(v, v));
}

static double time_of_frame(const run_job *run, int64_t frame) {
  return (double)frame / run->facts.frame_rate;
}

static pl_camera scene_camera(const run_job *run, double time) {
  return run->options.observer ? pl_scene_get_observer(run->scene, time) : pl_scene_get_camera(run->scene, time);
}

static void place_collider(const pl_scene_instance_collider *collider, pl_vec3 *points) {
  pl_mesh_view mesh = pl_mesh_get_view(collider->mesh);
  for (int32_t i = 0; i < mesh.point_count; ++i) {
    pl_vec3 turned = rotate(collider->placement.rotation, mesh.points[i]), shift = collider->placement.position;
    points[i] = (pl_vec3){turned.x + shift.x, turned.y + shift.y, turned.z + shift.z};
  }
}

// Give an item the appearance that its body has. A file that has changed since it was read is drawn in one colour.
static void load_appearance(const run_job *run, int32_t body, run_appearance *own, pl_picture_item *item) {
  const char *preset = run->bodies[body].info.appearance;
  if (preset != NULL && pl_appearance_find_preset(preset, item->color, &own->material)) {
    item->material = &own->material;
    return;
  }
  (void)pl_scene_instance_load_appearance(run->set, body, &own->appearance, NULL);
  if (own->appearance == NULL) return;
  own->view = pl_appearance_get_view(own->appearance);
  item->appearance = &own->view;
}

// Items whose points change from frame to frame are filled in by draw_frame().
static void collect_items(run_painter *painter) {
  run_job *run = painter->run;
  int32_t collider_count = pl_scene_instance_collider_count(run->set);
  size_t limit = (size_t)run->body_count + (size_t)run->actor_count + (size_t)collider_count;
  painter->items = tool_allocate(limit, sizeof *painter->items);
  painter->collider_points = tool_allocate((size_t)collider_count, sizeof(pl_vec3 *));
  painter->appearances = tool_allocate((size_t)run->body_count + (size_t)collider_count, sizeof *painter->appearances);
  for (int32_t i = 0; i < run->body_count; ++i) {
    const run_body *body = &run->bodies[i];
    pl_picture_item *item = &painter->items[painter->item_count++];
    *item = (pl_picture_item){.points = run->points + body->point_start,
                              .point_count = body->surface.point_count,
                              .triangles = body->surface.triangles,
                              .triangle_count = body->surface.triangle_count,
                              .color = body->info.has_color ? body->info.color : pl_palette_color(i),
                              .creased = true};
    load_appearance(run, i, &painter->appearances[i], item);
  }
  for (int32_t i = 0; run->options.ghost && i < run->actor_count; ++i) {
    pl_picture_item ghost = painter->items[run->actors[i].info.body];
    ghost.points = run->points + run->actors[i].ghost_start;
    ghost.appearance = NULL;
    ghost.material = NULL;
    ghost.color = (pl_color){0.3F * ghost.color.r + 0.7F, 0.3F * ghost.color.g + 0.7F, 0.3F * ghost.color.b + 0.7F};
    painter->items[painter->item_count++] = ghost;
  }
  painter->moving_count = painter->item_count;
  for (int32_t i = 0; i < collider_count; ++i) {
    pl_scene_instance_collider collider = pl_scene_instance_get_collider(run->set, i, 0);
    if (collider.mesh == NULL || collider.ground || !collider.visible) continue;
    pl_mesh_view mesh = pl_mesh_get_view(collider.mesh);
    painter->collider_points[i] = tool_allocate((size_t)mesh.point_count, sizeof(pl_vec3));
    pl_picture_item *item = &painter->items[painter->item_count++];
    *item = (pl_picture_item){.points = painter->collider_points[i],
                              .point_count = mesh.point_count,
                              .triangles = mesh.triangles,
                              .triangle_count = mesh.triangle_count,
                              .color = collider.has_color ? collider.color : (pl_color){0.62F, 0.64F, 0.67F},
                              .creased = true};
    pl_appearance_material *material = &painter->appearances[run->body_count + i].material;
    if (collider.appearance != NULL && pl_appearance_find_preset(collider.appearance, item->color, material))
      item->material = material;
  }
}

static void place_colliders(run_painter *painter, double time) {
  for (int32_t i = 0; i < pl_scene_instance_collider_count(painter->run->set); ++i) {
    if (painter->collider_points[i] == NULL) continue;
    pl_scene_instance_collider collider = pl_scene_instance_get_collider(painter->run->set, i, time);
    place_collider(&collider, painter->collider_points[i]);
  }
}

static void add_point(pl_box *box, pl_vec3 point) {
  box->min = (pl_vec3){fmin(box->min.x, point.x), fmin(box->min.y, point.y), fmin(box->min.z, point.z)};
  box->max = (pl_vec3){fmax(box->max.x, point.x), fmax(box->max.y, point.y), fmax(box->max.z, point.z)};
}

// Rest shapes hang above their bodies, where nothing hides them.
static void lift_ghosts(run_job *run) {
  for (int32_t i = 0; run->options.ghost && i < run->actor_count; ++i) {
    const run_body *body = &run->bodies[run->actors[i].info.body];
    pl_vec3 *ghost = run->points + run->actors[i].ghost_start;
    pl_box box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}}, own = box;
    for (int32_t k = 0; k < body->surface.point_count; ++k) {
      add_point(&box, run->points[body->point_start + k]);
      add_point(&own, ghost[k]);
    }
    double lift = box.max.y - own.min.y + 0.15 * (box.max.y - box.min.y);
    for (int32_t k = 0; k < body->surface.point_count; ++k) ghost[k].y += lift;
  }
}

// Frame number `index` of the strip.
static int64_t frame_of_strip(const run_job *run, int32_t index) {
  if (run->options.has_strip_times) return (int64_t)llround(run->options.strip_times[index] * run->facts.frame_rate);
  int64_t last = pl_frame_log_count(run->log) - 1;
  return run->options.strip_count > 1 ? last * index / (run->options.strip_count - 1) : last;
}

// Points of bodies, ghosts and colliders in a frame.
static pl_status place_items(run_painter *painter, int64_t frame, pl_error *error) {
  run_job *run = painter->run;
  pl_status status = pl_frame_log_read(run->log, frame, 0, run->point_count, run->points, error);
  if (status < 0) return status;
  place_colliders(painter, time_of_frame(run, frame));
  lift_ghosts(run);
  return status;
}

// A camera that appearances the same way as `camera` and sees the whole box.
static pl_camera camera_on_box(pl_camera camera, pl_box box, double aspect) {
  pl_vec3 back = difference(camera.eye, camera.target);
  back = scaled(back, 1 / length_of(back));
  pl_vec3 right = cross(camera.up, back);
  right = scaled(right, 1 / length_of(right));
  pl_vec3 up = cross(back, right), middle = scaled(sum_of(box.min, box.max), 0.5);
  double slope = tan(camera.field_of_view / 2), distance = 0;
  for (int corner = 0; corner < 8; ++corner) {
    pl_vec3 p = difference((pl_vec3){corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                                     corner & 4 ? box.max.z : box.min.z},
                           middle);
    double across = fmax(fabs(dot(p, right)) / aspect, fabs(dot(p, up)));
    distance = fmax(distance, dot(p, back) + 1.08 * across / slope);
  }
  camera.target = middle;
  camera.eye = sum_of(middle, scaled(back, distance));
  return camera;
}

// Put the camera into a direction from its target: degrees around the vertical from the front (+z) towards +x, and
// above the horizon.
static void turn_camera(pl_camera *camera, const double view[2]) {
  double around = view[0] * PI / 180, above = view[1] * PI / 180;
  pl_vec3 back = {sin(around) * cos(above), sin(above), cos(around) * cos(above)};
  camera->eye = sum_of(camera->target, back);
  // From straight above or below the front is at the lower edge of the picture.
  bool upright = fabs(view[1]) < 89.9;
  camera->up = upright ? (pl_vec3){0, 1, 0} : (pl_vec3){-sin(around), 0, -cos(around)};
  if (!upright && view[1] < 0) camera->up = scaled(camera->up, -1);
}

// Whether the camera stands still instead of moving as that of the scene does.
static bool is_still(const run_job *run) {
  return run->options.fixed_camera || run->options.overlay || run->options.has_view;
}

static void add_items(const run_painter *painter, pl_box *box) {
  for (int32_t i = 0; i < painter->moving_count; ++i)
    for (int32_t k = 0; k < painter->items[i].point_count; ++k) add_point(box, painter->items[i].points[k]);
}

// The camera for a picture of the strip, or for a video of all frames: the scene's own; where it has none, one that
// sees every body. Where it shall stand still, it appearances as at the start and sees every body.
static pl_status aim(run_painter *painter, bool whole, pl_error *error) {
  const run_job *run = painter->run;
  bool own = run->facts.has_camera || run->options.observer;
  if (own && !is_still(run)) return PL_OK;
  // Without a camera of the scene a strip is framed by all frames, as the video is; so is a single picture from a fixed
  // camera.
  whole = whole || (run->options.strip_count > 1 ? !own : run->options.fixed_camera);
  pl_box box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  int64_t count = whole ? pl_frame_log_count(run->log) : run->options.strip_count;
  for (int64_t i = 0; i < count; ++i) {
    pl_status status = place_items(painter, whole ? i : frame_of_strip(run, (int32_t)i), error);
    if (status < 0) return status;
    add_items(painter, &box);
  }
  double aspect = (double)run->options.width / run->options.height;
  painter->around = own ? scene_camera(run, 0) : pl_camera_frame_box(box, aspect);
  if (run->options.has_view) turn_camera(&painter->around, run->options.view);
  if (own || run->options.has_view) painter->around = camera_on_box(painter->around, box, aspect);
  return PL_OK;
}

static pl_camera camera_of_frame(const run_painter *painter, int64_t frame) {
  const run_job *run = painter->run;
  if (is_still(run) || !(run->facts.has_camera || run->options.observer)) return painter->around;
  pl_camera camera = scene_camera(run, time_of_frame(run, frame));
  if (painter->shifts == NULL) return camera;
  camera.eye = sum_of(camera.eye, painter->shifts[frame]);
  camera.target = sum_of(camera.target, painter->shifts[frame]);
  return camera;
}

// Title and time. The panels of a strip after the first have the time alone: the title would be the same.
static char *caption_of_frame(const run_job *run, double time, bool titled) {
  const char *title = run->options.title != NULL ? run->options.title : run->facts.name;
  return titled && title[0] != '\0' ? tool_text("%s    %.2f s", title, time) : tool_text("%.2f s", time);
}

static pl_status draw_frame(run_painter *painter, int64_t frame, bool titled, pl_error *error) {
  run_job *run = painter->run;
  pl_status status = place_items(painter, frame, error);
  if (status < 0) return status;
  pl_camera camera = camera_of_frame(painter, frame);
  char *caption = caption_of_frame(run, time_of_frame(run, frame), titled);
  status = pl_renderer_draw(painter->renderer, &(pl_picture){camera, painter->items, painter->item_count, caption},
                            painter->rgb, error);
  free(caption);
  return status;
}

bool run_check_strip(const run_job *run) {
  double end = time_of_frame(run, run->frame_count - 1);
  for (int32_t i = 0; run->options.has_strip_times && i < run->options.strip_count; ++i) {
    if (frame_of_strip(run, i) < run->frame_count) continue;
    tool_print_error(&run->tool->console,
                     "--strip-times has %g s, but the run ends at %g s; choose an earlier time or more --frames",
                     run->options.strip_times[i], end);
    return false;
  }
  return true;
}

// The frames of the strip side by side; without a strip, the last frame alone.
static pl_status write_strip(run_painter *painter, pl_error *error) {
  run_job *run = painter->run;
  int32_t count = run->options.strip_count, width = run->options.width, height = run->options.height;
  size_t row = 3 * (size_t)width;
  uint8_t *strip = tool_allocate(row * (size_t)count, (size_t)height);
  pl_status status = aim(painter, false, error);
  for (int32_t i = 0; i < count && status >= 0; ++i) {
    status = draw_frame(painter, frame_of_strip(run, i), i == 0, error);
    for (int32_t y = 0; y < height && status >= 0; ++y) {
      uint8_t *to = strip + ((size_t)y * (size_t)count + (size_t)i) * row;
      memcpy(to, painter->rgb + (size_t)y * row, row);
      // A white line between panels: their floors would run into each other.
      if (i + 1 < count) memset(to + row - PANEL_GAP * 3, 255, PANEL_GAP * 3);
    }
  }
  if (status >= 0) status = pl_picture_save(run->context, run->picture_path, strip, width * count, height, error);
  free(strip);
  return status;
}

// All frames of the strip in one picture, each body where it was: a camera that stands still shows how far it came.
static pl_status write_overlay(run_painter *painter, pl_error *error) {
  run_job *run = painter->run;
  int32_t count = run->options.strip_count, item_count = 0, moving = painter->moving_count;
  pl_picture_item *items = tool_allocate((size_t)count * (size_t)moving + (size_t)painter->item_count, sizeof *items);
  pl_vec3 *points = tool_allocate((size_t)count * (size_t)run->point_count, sizeof *points);
  pl_status status = aim(painter, false, error);
  for (int32_t i = 0; i < count && status >= 0; ++i) {
    status = place_items(painter, frame_of_strip(run, i), error);
    pl_vec3 *own = points + (int64_t)i * run->point_count;
    memcpy(own, run->points, (size_t)run->point_count * sizeof *own);
    for (int32_t k = 0; k < moving; ++k) {
      items[item_count] = painter->items[k];
      items[item_count++].points = own + (painter->items[k].points - run->points);
    }
  }
  // Colliders once, where the last frame has them.
  for (int32_t k = moving; k < painter->item_count; ++k) items[item_count++] = painter->items[k];
  if (status >= 0) {
    const char *title = run->options.title != NULL ? run->options.title : run->facts.name;
    char *caption =
        tool_text("%s%s%g to %g s", title, title[0] != '\0' ? "    " : "", time_of_frame(run, frame_of_strip(run, 0)),
                  time_of_frame(run, frame_of_strip(run, count - 1)));
    pl_camera camera = camera_of_frame(painter, 0);
    status =
        pl_renderer_draw(painter->renderer, &(pl_picture){camera, items, item_count, caption}, painter->rgb, error);
    free(caption);
  }
  if (status >= 0)
    status =
        pl_picture_save(run->context, run->picture_path, painter->rgb, run->options.width, run->options.height, error);
  free(items);
  free(points);
  return status;
}

static pl_status write_picture(run_painter *painter, pl_error *error) {
  return painter->run->options.overlay ? write_overlay(painter, error) : write_strip(painter, error);
}

static pl_status write_video(run_painter *painter, pl_error *error) {
  run_job *run = painter->run;
  pl_video *video = NULL;
  int64_t count = pl_frame_log_count(run->log);
  pl_video_def def = pl_default_video_def();
  def.path = run->video_path;
  def.width = run->options.width;
  def.height = run->options.height;
  def.frame_rate = run->facts.frame_rate;
  pl_status status = aim(painter, true, error);
  if (status >= 0) status = pl_video_create(run->context, &def, &video, error);
  if (status < 0) return status;
  tool_progress progress = tool_progress_start(&run->tool->console, "drawing frame", 0, count);
  for (int64_t frame = 0; frame < count && status >= 0 && tool_interrupt_count() == 0; ++frame) {
    status = draw_frame(painter, frame, true, error);
    if (status >= 0) status = pl_video_add_frame(video, painter->rgb, error);
    tool_progress_show(&progress, frame + 1);
  }
  tool_progress_end(&progress);
  if (status >= 0 && tool_interrupt_count() == 0) return pl_video_close(video, error);
  pl_video_abandon(video);
  return status;
}

static pl_renderer_def renderer_def(const run_job *run) {
  pl_renderer_def def = pl_default_renderer_def();
  def.width = run->options.width;
  def.height = run->options.height;
  def.ground = false;
  def.checker_size = run->options.checker_size;
  pl_vec3 light = run->facts.light;
  if (light.x != 0 || light.y != 0 || light.z != 0) def.light = light;
  def.sun_strength = run->facts.sun_strength;
  def.sky_strength = run->facts.sky_strength;
  if (run->facts.has_background) {
    def.background_top = run->facts.background_top;
    def.background_bottom = run->facts.background_bottom;
  }
  for (int32_t i = 0; i < pl_scene_instance_collider_count(run->set); ++i) {
    pl_scene_instance_collider collider = pl_scene_instance_get_collider(run->set, i, 0);
    if (!collider.ground || !collider.visible) continue;
    def.ground = true;
    def.ground_height = collider.height;
    if (collider.has_color) def.ground_color = collider.color;
    break;
  }
  return def;
}

pl_status run_write_pictures(run_job *run, pl_error *error) {
  if ((run->picture_path == NULL && run->video_path == NULL) || pl_frame_log_count(run->log) == 0) return PL_OK;
  run_painter painter = {.run = run};
  pl_renderer_def def = renderer_def(run);
  pl_status status = pl_renderer_create(run->context, &def, &painter.renderer, error);
  if (status < 0) return status;
  painter.rgb = tool_allocate((size_t)def.width * (size_t)def.height, 3);
  collect_items(&painter);
  const char *followed = run->options.observer ? run->facts.observer_follows : run->facts.camera_follows;
  status = run_follow(run, followed, scene_camera(run, 0).up, &painter.shifts, error);
  if (status >= 0 && run->picture_path != NULL) status = write_picture(&painter, error);
  if (status >= 0 && run->video_path != NULL && tool_interrupt_count() == 0) status = write_video(&painter, error);
  for (int32_t i = 0; i < pl_scene_instance_collider_count(run->set); ++i) free(painter.collider_points[i]);
  free(painter.collider_points);
  for (int32_t i = 0; i < run->body_count; ++i) pl_appearance_destroy(painter.appearances[i].appearance);
  free(painter.appearances);
  free(painter.items);
  free(painter.shifts);
  free(painter.rgb);
  pl_renderer_destroy(painter.renderer);
  return status;
}
