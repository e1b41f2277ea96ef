// The picture of the last frame, or a strip of several, and the video of all frames, drawn from the log.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_palette.h"
#include "tool_interrupt.h"
#include "tool_run.h"

typedef struct run_painter {
  run_job *run;
  pl_renderer *renderer;
  pl_picture_item *items;  // bodies first, then colliders
  int32_t item_count;
  pl_vec3 **collider_points;  // placed, one array per item of a collider
  pl_camera around;           // used when the scene has no camera
  pl_vec3 *shifts;            // of the camera in each frame, NULL for none
  int64_t particle_count;
  uint8_t *rgb;
} run_painter;

static pl_vec3 rotate(pl_quat q, pl_vec3 v) {
  // v + 2 w (u x v) + 2 u x (u x v), u the vector part
  pl_vec3 t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z), 2 * (q.x * v.y - q.y * v.x)};
  return (pl_vec3){v.x + q.w * t.x + (q.y * t.z - q.z * t.y), v.y + q.w * t.y + (q.z * t.x - q.x * t.z),
                   v.z + q.w * t.z + (q.x * t.y - q.y * t.x)};
}

static void place_collider(const pl_scene_instance_collider *collider, pl_vec3 *points) {
  pl_mesh_view mesh = pl_mesh_get_view(collider->mesh);
  for (int32_t i = 0; i < mesh.point_count; ++i) {
    pl_vec3 turned = rotate(collider->placement.rotation, mesh.points[i]), shift = collider->placement.position;
    points[i] = (pl_vec3){turned.x + shift.x, turned.y + shift.y, turned.z + shift.z};
  }
}

// Items whose points change from frame to frame are filled in by draw_frame().
static void collect_items(run_painter *painter) {
  run_job *run = painter->run;
  int32_t collider_count = pl_scene_instance_collider_count(run->set);
  size_t limit = (size_t)run->body_count + (size_t)run->actor_count + (size_t)collider_count;
  painter->items = tool_allocate(limit, sizeof *painter->items);
  painter->collider_points = tool_allocate((size_t)collider_count, sizeof(pl_vec3 *));
  for (int32_t i = 0; i < run->body_count; ++i) {
    const run_body *body = &run->bodies[i];
    painter->particle_count += body->particle_count;
    painter->items[painter->item_count++] =
        (pl_picture_item){.points = run->points + body->point_start,
                          .point_count = body->surface.point_count,
                          .triangles = body->surface.triangles,
                          .triangle_count = body->surface.triangle_count,
                          .color = body->stage.has_color ? body->stage.color : pl_palette_color(i),
                          .creased = true};
  }
  for (int32_t i = 0; run->options.ghost && i < run->actor_count; ++i) {
    pl_picture_item ghost = painter->items[run->actors[i].stage.body];
    ghost.points = run->points + run->actors[i].ghost_start;
    ghost.color = (pl_color){0.3F * ghost.color.r + 0.7F, 0.3F * ghost.color.g + 0.7F, 0.3F * ghost.color.b + 0.7F};
    painter->items[painter->item_count++] = ghost;
  }
  for (int32_t i = 0; i < collider_count; ++i) {
    pl_scene_instance_collider collider = pl_scene_instance_get_collider(run->set, i, 0);
    if (collider.mesh == NULL || collider.ground || !collider.visible) continue;
    pl_mesh_view mesh = pl_mesh_get_view(collider.mesh);
    painter->collider_points[i] = tool_allocate((size_t)mesh.point_count, sizeof(pl_vec3));
    painter->items[painter->item_count++] =
        (pl_picture_item){.points = painter->collider_points[i],
                          .point_count = mesh.point_count,
                          .triangles = mesh.triangles,
                          .triangle_count = mesh.triangle_count,
                          .color = collider.has_color ? collider.color : (pl_color){0.62F, 0.64F, 0.67F},
                          .creased = true};
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
    const run_body *body = &run->bodies[run->actors[i].stage.body];
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

// A camera that sees every body in all frames from `first` to the last, unless the scene has one.
static pl_status aim(run_painter *painter, int64_t first, pl_error *error) {
  run_job *run = painter->run;
  if (run->facts.has_camera || run->options.observer) return PL_OK;
  pl_box box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  for (int64_t frame = first; frame < pl_frame_log_count(run->log); ++frame) {
    pl_status status = pl_frame_log_read(run->log, frame, 0, run->point_count, run->points, error);
    if (status < 0) return status;
    for (int64_t i = 0; i < run->body_point_count; ++i) add_point(&box, run->points[i]);
    lift_ghosts(run);
    for (int32_t i = 0; run->options.ghost && i < run->actor_count; ++i) {
      int32_t count = run->bodies[run->actors[i].stage.body].surface.point_count;
      for (int32_t k = 0; k < count; ++k) add_point(&box, run->points[run->actors[i].ghost_start + k]);
    }
  }
  painter->around = pl_camera_look_at_box(box, (double)run->options.width / run->options.height);
  return PL_OK;
}

static pl_camera camera_of_frame(const run_painter *painter, int64_t frame, double time) {
  const run_job *run = painter->run;
  pl_camera camera = run->options.observer   ? pl_scene_get_observer(run->scene, time)
                     : run->facts.has_camera ? pl_scene_get_camera(run->scene, time)
                                             : painter->around;
  if (painter->shifts == NULL) return camera;
  pl_vec3 by = painter->shifts[frame];
  camera.eye = (pl_vec3){camera.eye.x + by.x, camera.eye.y + by.y, camera.eye.z + by.z};
  camera.target = (pl_vec3){camera.target.x + by.x, camera.target.y + by.y, camera.target.z + by.z};
  return camera;
}

static pl_status draw_frame(run_painter *painter, int64_t frame, pl_error *error) {
  run_job *run = painter->run;
  pl_status status = pl_frame_log_read(run->log, frame, 0, run->point_count, run->points, error);
  if (status < 0) return status;
  double time = (double)frame / run->facts.frame_rate;
  place_colliders(painter, time);
  lift_ghosts(run);
  pl_camera camera = camera_of_frame(painter, frame, time);
  char *caption = tool_text("%s    %lld particles    %.2f s", run->facts.name, (long long)painter->particle_count, time);
  status =
      pl_renderer_draw(painter->renderer, &(pl_picture){camera, painter->items, painter->item_count, caption}, painter->rgb, error);
  free(caption);
  return status;
}

// The last frame, or a strip of frames from the first to the last, side by side.
static pl_status write_picture(run_painter *painter, pl_error *error) {
  run_job *run = painter->run;
  int64_t last = pl_frame_log_count(run->log) - 1;
  int32_t count = run->options.strip_count, width = run->options.width, height = run->options.height;
  size_t row = 3 * (size_t)width;
  uint8_t *strip = tool_allocate(row * (size_t)count, (size_t)height);
  pl_status status = aim(painter, count > 1 ? 0 : last, error);
  for (int32_t i = 0; i < count && status >= 0; ++i) {
    status = draw_frame(painter, count > 1 ? last * i / (count - 1) : last, error);
    for (int32_t y = 0; y < height && status >= 0; ++y)
      memcpy(strip + ((size_t)y * (size_t)count + (size_t)i) * row, painter->rgb + (size_t)y * row, row);
  }
  if (status >= 0) status = pl_picture_save(run->context, run->picture_path, strip, width * count, height, error);
  free(strip);
  return status;
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
  pl_status status = aim(painter, 0, error);
  if (status >= 0) status = pl_video_create(run->context, &def, &video, error);
  if (status < 0) return status;
  tool_progress progress = tool_progress_start(&run->tool->voice, "drawing frame", 0, count);
  for (int64_t frame = 0; frame < count && status >= 0 && tool_interrupt_count() == 0; ++frame) {
    status = draw_frame(painter, frame, error);
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
  pl_camera first = run->options.observer ? pl_scene_get_observer(run->scene, 0) : pl_scene_get_camera(run->scene, 0);
  status = run_follow(run, followed, first.up, &painter.shifts, error);
  if (status >= 0 && run->picture_path != NULL) status = write_picture(&painter, error);
  if (status >= 0 && run->video_path != NULL && tool_interrupt_count() == 0) status = write_video(&painter, error);
  for (int32_t i = 0; i < pl_scene_instance_collider_count(run->set); ++i) free(painter.collider_points[i]);
  free(painter.collider_points);
  free(painter.items);
  free(painter.shifts);
  free(painter.rgb);
  pl_renderer_destroy(painter.renderer);
  return status;
}
