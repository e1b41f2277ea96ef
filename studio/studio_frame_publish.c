// Builds a frame of the current world and publishes it to the hub.
#include <string.h>

#include "base/context.h"
#include "studio_capture.h"
#include "studio_detail.h"

enum { PARTS_PER_BODY = 10 };

static int32_t actor_of_body(const studio_world *w, int32_t body) {
  for (int32_t i = 0; i < pl_scene_instance_actor_count(w->instance); ++i)
    if (pl_scene_instance_get_actor(w->instance, i).body == body) return i;
  return -1;
}

static int32_t list_parts(const studio_world *w, uint32_t wants, const studio_cloud *cloud, studio_part *parts) {
  static const uint32_t colors[] = {STUDIO_WANT_STRETCH, STUDIO_WANT_STRESS, STUDIO_WANT_SPEED, STUDIO_WANT_SEGMENTS};
  int32_t count = 0;
  for (int32_t i = 0; i < pl_scene_instance_body_count(w->instance); ++i) {
    int32_t points = pl_scene_instance_get_surface_view(w->instance, i).point_count;
    int32_t particles =
        pl_model_get_report(pl_body_get_model(w->world, pl_scene_instance_get_body(w->instance, i).id)).particle_count;
    parts[count++] = (studio_part){STUDIO_PART_SURFACE, 0, i, points, 3, NULL, 0};
    if (wants & STUDIO_WANT_PARTICLES)
      parts[count++] = (studio_part){STUDIO_PART_PARTICLES, STUDIO_WANT_PARTICLES, i, particles, 3, NULL, 0};
    if (wants & STUDIO_WANT_GHOST && actor_of_body(w, i) >= 0)
      parts[count++] = (studio_part){STUDIO_PART_GHOST, STUDIO_WANT_GHOST, i, points, 3, NULL, 0};
    if (wants & STUDIO_WANT_COARSE && studio_detail_exists(w, i))
      parts[count++] = (studio_part){STUDIO_PART_COARSE, STUDIO_WANT_COARSE, i, points, 3, NULL, 0};
    // Without a recording that is shown, an empty cloud says so.
    if (wants & STUDIO_WANT_CLOUD && studio_capture_is_body(w, i)) {
      int32_t seen = cloud != NULL ? cloud->count : 0;
      parts[count++] = (studio_part){STUDIO_PART_CLOUD, STUDIO_WANT_CLOUD, i, seen, 3, NULL, 0};
      parts[count++] = (studio_part){STUDIO_PART_DISTANCES, STUDIO_WANT_CLOUD, i, seen, 1, NULL, 0};
    }
    for (size_t k = 0; k < sizeof colors / sizeof colors[0]; ++k)
      if (wants & colors[k]) parts[count++] = (studio_part){STUDIO_PART_COLORS, colors[k], i, points, 1, NULL, 0};
  }
  for (int32_t i = 0; i < pl_scene_instance_collider_count(w->instance); ++i)
    if (pl_scene_instance_get_collider(w->instance, i, 0).mesh != NULL)
      parts[count++] = (studio_part){STUDIO_PART_PLACEMENT, 0, i, 1, 7, NULL, 0};
  return count;
}

static void fill_placement(const studio_world *w, const studio_part *part) {
  pl_transform placement =
      pl_scene_instance_get_collider(w->instance, part->index, pl_world_get_time(w->world)).placement;
  const double numbers[7] = {placement.position.x, placement.position.y, placement.position.z, placement.rotation.x,
                             placement.rotation.y, placement.rotation.z, placement.rotation.w};
  memcpy(part->numbers, numbers, sizeof numbers);
}

static void fill_surface(studio_world *w, int32_t body, pl_vec3 *points) {
  if (studio_capture_shows_frame(w, body))
    studio_capture_get_surface(w, points);
  else if (studio_detail_is_on(w, body) || !studio_detail_get_coarse_surface(w, body, points))
    (void)pl_scene_instance_get_surface(w->instance, body, points);
}

static void fill_particles(studio_world *w, int32_t body, pl_vec3 *points) {
  if (!studio_capture_shows_frame(w, body) || !studio_capture_get_points(w, points))
    (void)pl_body_get_positions(w->world, pl_scene_instance_get_body(w->instance, body).id, points);
}

static void fill(studio_world *w, const studio_cloud *cloud, studio_frame *frame) {
  const pl_vec3 *surface = NULL;
  for (int32_t i = 0; i < frame->part_count; ++i) {
    studio_part *part = &frame->parts[i];
    pl_vec3 *points = (pl_vec3 *)part->numbers;
    switch (part->kind) {
      case STUDIO_PART_SURFACE:
        fill_surface(w, part->index, points);
        surface = points;
        break;
      case STUDIO_PART_PARTICLES: fill_particles(w, part->index, points); break;
      case STUDIO_PART_GHOST:
        (void)pl_scene_instance_get_rest(w->instance, actor_of_body(w, part->index), points);
        break;
      case STUDIO_PART_COLORS: studio_colors_fill(w, part->index, part->wanted, surface, part->numbers); break;
      case STUDIO_PART_PLACEMENT: fill_placement(w, part); break;
      case STUDIO_PART_COARSE: (void)studio_detail_get_coarse_surface(w, part->index, points); break;
      case STUDIO_PART_CLOUD:
        if (part->count > 0) memcpy(points, cloud->points, (size_t)part->count * sizeof *points);
        break;
      case STUDIO_PART_DISTANCES:
        if (part->count > 0) memcpy(part->numbers, cloud->distances, (size_t)part->count * sizeof *part->numbers);
        break;
    }
  }
}

void studio_frame_publish(studio_world *w) {
  size_t max = PARTS_PER_BODY * (size_t)pl_scene_instance_body_count(w->instance) +
               (size_t)pl_scene_instance_collider_count(w->instance);
  studio_part *parts = pl_allocate_array(w->context, max, sizeof *parts);
  if (parts == NULL) return;
  uint32_t wants = studio_hub_wants(w->hub);
  const studio_cloud *cloud = wants & STUDIO_WANT_CLOUD ? studio_cloud_get(w) : NULL;
  int32_t count = list_parts(w, wants, cloud, parts);
  studio_frame *frame = studio_frame_create(w->context, parts, count);
  pl_release(w->context, parts);
  if (frame == NULL) return;
  frame->number = ++w->frame_number;
  frame->scene = w->scene_number;
  frame->step = pl_world_step_count(w->world);
  frame->time = studio_capture_time(w);
  fill(w, cloud, frame);
  studio_frame_compare(frame, w->newest);
  studio_frame_release(w->newest);
  w->newest = studio_frame_retain(frame);
  studio_hub_publish(w->hub, frame);
}
