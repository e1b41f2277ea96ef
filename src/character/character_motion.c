// Motions of surfaces: skinned characters and point caches, sampled at any time.
//
// Between the frames of a cache positions follow Catmull-Rom curves: as far as linear interpolation would have it at
// the frames, and with velocities that do not jump there, which a body that touches the surface would feel.
#include "character/character_motion.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "mesh/topology.h"
#include "pliant/frames.h"

// PC2 does not say how many frames its host shows in a second; Blender's default.
static const double PC2_FRAME_RATE = 24;

pl_status pl_motion_make(pl_context *context, pl_motion **motion, pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  *motion = PL_TAKE(&arena, pl_motion, 1);
  if (*motion == NULL) return pl_fail_memory(error);
  (*motion)->context = context;
  (*motion)->arena = arena;
  (*motion)->animation = -1;
  return PL_OK;
}

void pl_motion_destroy(pl_motion *motion) {
  if (motion == NULL) return;
  pl_mesh_destroy(motion->mesh);
  pl_character_destroy(motion->clip);
  if (motion->bvh.joints != NULL) pl_bvh_destroy(&motion->bvh);
  pl_arena arena = motion->arena;
  pl_arena_destroy(&arena);
}

// --- the surface of a character

// Whether springs move a vertex more than animation does.
static bool is_passive(const pl_character *c, int32_t vertex) {
  int32_t influences = c->view.influence_count;
  double passive = 0;
  for (int32_t k = 0; k < influences; ++k) {
    int32_t node = c->view.skin_nodes[vertex * influences + k];
    for (int32_t above = node; above >= 0; above = c->nodes[above].parent)
      if (c->is_passive != NULL && c->is_passive[above]) {
        passive += (double)c->view.skin_weights[vertex * influences + k];
        break;
      }
  }
  return passive > 0.5;
}

static bool has_same_skin(const pl_character *c, int32_t a, int32_t b) {
  size_t n = (size_t)c->view.influence_count;
  pl_mesh_view view = pl_mesh_get_view(c->surface);
  for (int32_t m = 0; m < view.pose_count; ++m)
    if (memcmp(&view.poses[m].points[a], &view.poses[m].points[b], sizeof(pl_vec3)) != 0) return false;
  return memcmp(&c->view.skin_nodes[(size_t)a * n], &c->view.skin_nodes[(size_t)b * n], n * sizeof(int32_t)) == 0 &&
         memcmp(&c->view.skin_weights[(size_t)a * n], &c->view.skin_weights[(size_t)b * n], n * sizeof(float)) == 0;
}

// Which point each vertex becomes, -1 for none, and the first vertex of each point. Returns their number, -1 when out
// of memory.
static int32_t choose_points(const pl_character *c, pl_arena *workspace, int32_t *vertices, int32_t *point_of) {
  pl_mesh_view view = pl_mesh_get_view(c->surface);
  int32_t *first = NULL, count = 0;
  bool *is_used = PL_TAKE(workspace, bool, view.point_count);
  if (is_used == NULL || !pl_points_weld(workspace, view.points, view.point_count, &first)) return -1;
  for (int32_t i = 0; i < 3 * view.triangle_count; ++i) is_used[view.triangles[i]] = true;
  for (int32_t i = 0; i < view.point_count; ++i) {
    point_of[i] = -1;
    if (!is_used[i] || is_passive(c, i)) continue;
    if (first[i] != i && point_of[first[i]] >= 0 && has_same_skin(c, i, first[i])) {
      point_of[i] = point_of[first[i]];
      continue;
    }
    vertices[count] = i;
    point_of[i] = count++;
  }
  return count;
}

static pl_status build_surface(pl_motion *motion, pl_arena *workspace, pl_error *error) {
  const pl_character *c = motion->character;
  pl_mesh_view view = pl_mesh_get_view(c->surface);
  int32_t *vertices = PL_TAKE(&motion->arena, int32_t, view.point_count);
  int32_t *point_of = PL_TAKE(&motion->arena, int32_t, view.point_count);
  pl_vec3 *points = PL_TAKE(workspace, pl_vec3, view.point_count);
  int32_t *triangles = PL_TAKE(workspace, int32_t, 3 * (size_t)view.triangle_count), count = 0;
  if (motion->arena.failed || workspace->failed) return pl_fail_memory(error);
  int32_t point_count = choose_points(c, workspace, vertices, point_of);
  if (point_count < 0) return pl_fail_memory(error);
  for (int32_t i = 0; i < point_count; ++i) points[i] = view.points[vertices[i]];
  for (int32_t t = 0; t < view.triangle_count; ++t) {
    int32_t corners[3];
    for (int k = 0; k < 3; ++k) corners[k] = point_of[view.triangles[3 * t + k]];
    bool is_kept = corners[0] >= 0 && corners[1] >= 0 && corners[2] >= 0 && corners[0] != corners[1] &&
                   corners[1] != corners[2] && corners[2] != corners[0];
    if (is_kept) memcpy(&triangles[3 * count++], corners, sizeof corners);
  }
  if (count == 0) return PL_OK;
  motion->vertices = vertices;
  motion->point_of_vertex = point_of;
  pl_mesh_view made = {.point_count = point_count, .points = points, .triangle_count = count, .triangles = triangles};
  return pl_mesh_create(motion->context, &made, &motion->mesh, error);
}

static int32_t count_morphs(const pl_motion *motion) {
  const pl_mesh *surface = motion->character == NULL ? NULL : motion->character->surface;
  return surface == NULL ? 0 : pl_mesh_get_view(surface).pose_count;
}

pl_status pl_motion_take_character(pl_motion *motion, const pl_character *character, pl_error *error) {
  motion->character = character;
  int32_t node_count = character->view.node_count;
  motion->nodes = PL_TAKE(&motion->arena, pl_transform, node_count);
  motion->locals = PL_TAKE(&motion->arena, pl_transform, node_count);
  motion->scales = PL_TAKE(&motion->arena, pl_vec3, node_count);
  motion->morphs = PL_TAKE(&motion->arena, double, count_morphs(motion));
  if (motion->arena.failed) return pl_fail_memory(error);
  if (character->surface == NULL) return PL_OK;
  pl_arena workspace;
  pl_arena_init(&workspace, motion->context, 0);
  pl_status status = build_surface(motion, &workspace, error);
  pl_arena_destroy(&workspace);
  return status;
}

pl_status pl_motion_create(pl_context *context, const pl_character *character, int32_t animation, pl_motion **motion,
                           pl_error *error) {
  *motion = NULL;
  if (animation < -1 || animation >= character->view.animation_count)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "animation", "%d is out of range; the character has %d",
                         animation, character->view.animation_count);
  pl_motion *made = NULL;
  pl_status status = pl_motion_make(context, &made, error);
  if (status >= 0) status = pl_motion_take_character(made, character, error);
  if (status < 0) {
    pl_motion_destroy(made);
    return status;
  }
  made->animation = animation;
  if (animation >= 0) made->start = character->view.animations[animation].start;
  if (animation >= 0) made->end = character->view.animations[animation].end;
  *motion = made;
  return PL_OK;
}

// --- caches

// Where the points of a mesh are among those of its cache: the same, or the source vertices.
static pl_status read_frames(pl_motion *motion, pl_frame_file *file, int32_t cache_count, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(motion->mesh);
  size_t n = (size_t)view.point_count;
  float *frames = PL_TAKE(&motion->arena, float, 3 * n * (size_t)motion->frame_count);
  pl_vec3 *points = pl_allocate_array(motion->context, (size_t)cache_count, sizeof(pl_vec3));
  pl_status status = frames == NULL || points == NULL ? pl_fail_memory(error) : PL_OK;
  bool by_source = cache_count != view.point_count;
  for (int32_t f = 0; status >= 0 && f < motion->frame_count; ++f) {
    status = pl_frame_file_read(file, f, points, error);
    float *to = frames + 3 * n * (size_t)f;
    for (int32_t i = cache_count - 1; status >= 0 && i >= 0; --i) {
      size_t at = 3 * (size_t)(by_source ? view.point_of_source[i] : i);
      to[at] = (float)points[i].x, to[at + 1] = (float)points[i].y, to[at + 2] = (float)points[i].z;
    }
  }
  pl_release(motion->context, points);
  motion->frames = frames;
  return status;
}

static pl_status take_cache(pl_motion *motion, const pl_mesh *mesh, const char *path, double frame_rate,
                            pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_frame_file *file = NULL;
  pl_frame_file_report report;
  pl_status status = pl_frame_file_open(motion->context, path, &file, &report, error);
  if (status < 0) return status;
  if (report.point_count != view.point_count && report.point_count != view.source_count)
    status =
        pl_fail_at(error, PL_ERROR_INVALID_DATA, path, 0, 0,
                   "the cache has %d points and the mesh %d (%d vertices in its file); export both from the same "
                   "object",
                   report.point_count, view.point_count, view.source_count > 0 ? view.source_count : view.point_count);
  if (status >= 0) status = pl_mesh_create(motion->context, &view, &motion->mesh, error);
  motion->frame_count = report.frame_count;
  motion->frame_rate = frame_rate > 0 ? frame_rate : PC2_FRAME_RATE;
  if (!(frame_rate > 0) && report.format == PL_FRAMES_MDD && report.frame_rate > 0)
    motion->frame_rate = report.frame_rate;
  motion->end = (report.frame_count - 1) / motion->frame_rate;
  if (status >= 0) status = read_frames(motion, file, report.point_count, error);
  pl_frame_file_close(file);
  return status;
}

pl_status pl_motion_load_cache(pl_context *context, const pl_mesh *mesh, const char *path, double frame_rate,
                               pl_motion **motion, pl_error *error) {
  *motion = NULL;
  if (!isfinite(frame_rate) || frame_rate < 0)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "frame_rate", "%g is not a rate; give 0 or more",
                         frame_rate);
  pl_motion *made = NULL;
  pl_status status = pl_motion_make(context, &made, error);
  if (status >= 0) status = take_cache(made, mesh, path, frame_rate, error);
  if (status < 0) {
    pl_motion_destroy(made);
    return status;
  }
  *motion = made;
  return PL_OK;
}

// --- sampling

pl_motion_report pl_motion_get_report(const pl_motion *motion) {
  bool has_nodes = motion->character != NULL;
  return (pl_motion_report){
      .mesh = motion->mesh,
      .node_count = has_nodes ? motion->character->view.node_count : 0,
      .morph_count = count_morphs(motion),
      .start = motion->start,
      .end = motion->end,
      .point_of_vertex = motion->point_of_vertex,
      .vertex_count = has_nodes ? pl_mesh_get_view(motion->character->surface).point_count : 0,
  };
}

static void sample_cache(const pl_motion *motion, double time, pl_vec3 *points) {
  int32_t count = pl_mesh_get_view(motion->mesh).point_count, last = motion->frame_count - 1;
  double at = fmin(fmax(time * motion->frame_rate, 0), last);
  int32_t frame = (int32_t)at < last ? (int32_t)at : last > 0 ? last - 1 : 0;
  double t = at - frame, t2 = t * t, t3 = t2 * t;
  // Tangents at the ends are those of the first and last piece.
  int32_t numbers[4] = {frame > 0 ? frame - 1 : 0, frame, frame < last ? frame + 1 : last,
                        frame + 1 < last ? frame + 2 : last};
  double m0 = frame > 0 ? 0.5 : 1, m1 = frame + 1 < last ? 0.5 : 1;
  double a = m0 * (t3 - 2 * t2 + t), b = m1 * (t3 - t2);
  double weights[4] = {-a, 2 * t3 - 3 * t2 + 1 - b, -2 * t3 + 3 * t2 + a, b};
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
      const float *p = motion->frames + 3 * ((size_t)numbers[k] * (size_t)count + (size_t)i);
      sum = pl_vec3_add_scaled(sum, (pl_vec3){(double)p[0], (double)p[1], (double)p[2]}, weights[k]);
    }
    points[i] = sum;
  }
}

// Linear blend skinning; morph targets turn with the nodes.
static void skin(const pl_motion *motion, pl_vec3 *points) {
  const pl_character *c = motion->character;
  pl_mesh_view view = pl_mesh_get_view(c->surface);
  int32_t count = pl_mesh_get_view(motion->mesh).point_count, influences = c->view.influence_count;
  for (int32_t i = 0; i < count; ++i) {
    int32_t vertex = motion->vertices[i];
    pl_vec3 morphed = {0, 0, 0}, sum = {0, 0, 0};
    for (int32_t m = 0; m < view.pose_count; ++m)
      if (motion->morphs[m] != 0)
        morphed = pl_vec3_add_scaled(morphed, pl_vec3_sub(view.poses[m].points[vertex], view.points[vertex]),
                                     motion->morphs[m]);
    for (int32_t k = 0; k < influences; ++k) {
      size_t at = (size_t)vertex * (size_t)influences + (size_t)k;
      double weight = (double)c->view.skin_weights[at];
      if (weight == 0) continue;
      int32_t node = c->view.skin_nodes[at];
      pl_vec3 p = pl_transform_apply(motion->nodes[node], c->view.skin_offsets[at]);
      if (view.pose_count > 0) {
        pl_vec3 in_node = pl_quat_rotate(pl_quat_conjugate(c->rest[node].rotation), morphed);
        p = pl_vec3_add(p, pl_quat_rotate(motion->nodes[node].rotation, in_node));
      }
      sum = pl_vec3_add_scaled(sum, p, weight);
    }
    points[i] = sum;
  }
}

void pl_motion_sample(pl_motion *motion, double time, pl_vec3 *points, pl_transform *nodes, double *morphs) {
  if (motion->frames != NULL) {
    if (points != NULL) sample_cache(motion, time, points);
    return;
  }
  const pl_character *c = motion->character;
  pl_character_sample(c, motion->animation, time, motion->nodes, motion->morphs);
  if (motion->clip != NULL || motion->bvh.joints != NULL) {
    pl_character_sample_local(c, -1, 0, motion->locals, motion->scales);
    pl_motion_retarget(motion, time);
    pl_motion_play_expressions(motion);
    memcpy(motion->nodes, motion->locals, (size_t)c->view.node_count * sizeof(pl_transform));
    pl_character_join(c, motion->nodes);
  }
  if (points != NULL && motion->mesh != NULL) skin(motion, points);
  if (nodes != NULL) memcpy(nodes, motion->nodes, (size_t)c->view.node_count * sizeof(pl_transform));
  if (morphs != NULL && count_morphs(motion) > 0)
    memcpy(morphs, motion->morphs, (size_t)count_morphs(motion) * sizeof(double));
}
