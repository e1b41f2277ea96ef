// The surface of a rod body, sorted by the joints it follows: the skin of the def, or a capsule around every segment.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"
#include "pliant/math.h"
#include "rod/rod_build.h"

// A skin while it is made; all arrays from one arena.
typedef struct draft {
  int32_t point_count, triangle_count, influence_count;
  const int32_t *triangles, *joints;
  const float *weights;
  const pl_vec3 *points;   // at rest, in the body's frame
  const pl_vec3 *offsets;  // in the joints' frames, or NULL
} draft;

static pl_status check_skin(const pl_rod_skin *skin, int32_t joint_count, draft *d, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(skin->surface);
  if (skin->influence_count < 1 || skin->influence_count > 64 || skin->joints == NULL || skin->weights == NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "skin",
                         "a skin needs joints and weights, 1 to 64 per point");
  *d = (draft){.point_count = view.point_count,
               .triangle_count = view.triangle_count,
               .influence_count = skin->influence_count,
               .triangles = view.triangles,
               .joints = skin->joints,
               .weights = skin->weights,
               .points = view.points,
               .offsets = skin->offsets};
  for (int32_t i = 0; i < view.point_count; ++i) {
    double sum = 0;
    for (int32_t k = i * skin->influence_count; k < (i + 1) * skin->influence_count; ++k) {
      if (skin->joints[k] < 0 || skin->joints[k] >= joint_count)
        return pl_fail_field(error, PL_ERROR_INVALID_DATA, "skin", "point %d follows joint %d, which does not exist", i,
                             skin->joints[k]);
      if (skin->offsets != NULL && !pl_vec3_is_finite(skin->offsets[k]))
        return pl_fail_field(error, PL_ERROR_INVALID_DATA, "skin", "the offsets of point %d must be finite", i);
      sum += (double)skin->weights[k];
    }
    if (!(fabs(sum - 1) < 1e-3))
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, "skin", "the weights of point %d sum to %g instead of 1", i,
                           sum);
  }
  return PL_OK;
}

// Rings of a capsule from the root's end to the tip's: caps of two rings and a pole each.
enum { CAP_RINGS = 3 };

typedef struct tube {
  pl_vec3 *points;
  int32_t *triangles, *joints;
  int32_t point_count, triangle_count;
} tube;

static void add_ring(tube *t, int32_t sides, pl_vec3 center, pl_quat frame, double radius, int32_t joint) {
  for (int32_t k = 0; k < sides; ++k) {
    double angle = 2 * PL_PI * k / sides;
    pl_vec3 side = {radius * cos(angle), 0, radius * sin(angle)};
    t->joints[t->point_count] = joint;
    t->points[t->point_count++] = pl_vec3_add(center, pl_quat_rotate(frame, side));
  }
}

static void add_band(tube *t, int32_t sides, int32_t lower, int32_t upper) {
  for (int32_t k = 0; k < sides; ++k) {
    int32_t next = (k + 1) % sides;
    int32_t corners[6] = {lower + k, upper + k, lower + next, lower + next, upper + k, upper + next};
    memcpy(t->triangles + 3 * (size_t)t->triangle_count, corners, sizeof corners);
    t->triangle_count += 2;
  }
}

static void add_pole(tube *t, int32_t sides, pl_vec3 pole, int32_t ring, int32_t joint, bool top) {
  for (int32_t k = 0; k < sides; ++k) {
    int32_t a = ring + k, b = ring + (k + 1) % sides;
    int32_t corners[3] = {t->point_count, top ? b : a, top ? a : b};
    memcpy(t->triangles + 3 * (size_t)t->triangle_count, corners, sizeof corners);
    t->triangle_count++;
  }
  t->joints[t->point_count] = joint;
  t->points[t->point_count++] = pole;
}

// A capsule around the segment to `joint`, fixed to the joint where it begins.
static void add_capsule(const pl_rod_def *def, int32_t joint, int32_t sides, tube *t) {
  int32_t parent = def->joints[joint].parent, first = t->point_count;
  pl_vec3 a = def->joints[parent].rest.position, b = def->joints[joint].rest.position, d = pl_vec3_sub(b, a);
  pl_quat frame = pl_rod_turn_between((pl_vec3){0, 1, 0}, d);
  double thin = 0.01 * pl_vec3_length(d), ra = fmax(def->joints[parent].radius, thin),
         rb = fmax(def->joints[joint].radius, thin);
  pl_vec3 axis = pl_quat_rotate(frame, (pl_vec3){0, 1, 0});
  for (int i = 1; i <= CAP_RINGS; ++i) {
    double angle = 0.5 * PL_PI * i / CAP_RINGS;
    add_ring(t, sides, pl_vec3_add_scaled(a, axis, -ra * cos(angle)), frame, ra * sin(angle), parent);
  }
  for (int i = CAP_RINGS; i >= 1; --i) {
    double angle = 0.5 * PL_PI * i / CAP_RINGS;
    add_ring(t, sides, pl_vec3_add_scaled(b, axis, rb * cos(angle)), frame, rb * sin(angle), parent);
  }
  for (int ring = 0; ring + 1 < 2 * CAP_RINGS; ++ring)
    add_band(t, sides, first + ring * sides, first + (ring + 1) * sides);
  add_pole(t, sides, pl_vec3_add_scaled(a, axis, -ra), first, parent, false);
  add_pole(t, sides, pl_vec3_add_scaled(b, axis, rb), first + (2 * CAP_RINGS - 1) * sides, parent, true);
}

static pl_status make_tubes(pl_arena *scratch, const pl_rod_skeleton *s, draft *d, pl_error *error) {
  const pl_rod_def *def = s->def;
  int32_t sides = def->tube_sides < 3 ? 3 : def->tube_sides, segments = 0;
  for (int32_t i = 0; i < def->joint_count; ++i) segments += s->index_of[i] > 0;
  size_t points = (size_t)segments * (size_t)(2 * CAP_RINGS * sides + 2),
         triangles = (size_t)segments * (size_t)(4 * CAP_RINGS * sides);
  if (points > INT32_MAX / 4)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "%d segments are too many for tubes; set tube_sides to 0", segments);
  tube t = {.points = PL_TAKE(scratch, pl_vec3, points),
            .triangles = PL_TAKE(scratch, int32_t, 3 * triangles),
            .joints = PL_TAKE(scratch, int32_t, points)};
  float *weights = PL_TAKE(scratch, float, points);
  if (scratch->failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < def->joint_count; ++i)
    if (s->index_of[i] > 0) add_capsule(def, i, sides, &t);
  for (size_t i = 0; i < points; ++i) weights[i] = 1;
  *d = (draft){.point_count = t.point_count,
               .triangle_count = t.triangle_count,
               .influence_count = 1,
               .triangles = t.triangles,
               .joints = t.joints,
               .weights = weights,
               .points = t.points};
  return PL_OK;
}

static pl_status sort_by_joint(const draft *d, pl_rod_model *model, pl_error *error) {
  pl_arena *arena = &model->head.arena;
  size_t entries = 0, all = (size_t)d->point_count * (size_t)d->influence_count;
  for (size_t k = 0; k < all; ++k) entries += d->weights[k] != 0;
  int32_t *start = PL_TAKE(arena, int32_t, model->joint_count + 1), *points = PL_TAKE(arena, int32_t, entries);
  float *weights = PL_TAKE(arena, float, entries);
  pl_f4 *offsets = PL_TAKE(arena, pl_f4, entries);
  if (arena->failed) return pl_fail_memory(error);
  for (size_t k = 0; k < all; ++k)
    if (d->weights[k] != 0) start[d->joints[k] + 1]++;
  for (int32_t j = 0; j < model->joint_count; ++j) start[j + 1] += start[j];
  for (size_t k = 0; k < all; ++k) {
    if (d->weights[k] == 0) continue;
    int32_t point = (int32_t)(k / (size_t)d->influence_count), at = start[d->joints[k]]++;
    points[at] = point;
    weights[at] = d->weights[k];
    offsets[at] = pl_f4_of_vec3(
        d->offsets != NULL ? d->offsets[k] : pl_transform_apply_inverse(model->rests[d->joints[k]], d->points[point]));
  }
  // Filling has moved every start to its end.
  for (int32_t j = model->joint_count; j > 0; --j) start[j] = start[j - 1];
  start[0] = 0;
  model->skin_start = start;
  model->skin_points = points;
  model->skin_weights = weights;
  model->skin_offsets = offsets;
  return PL_OK;
}

static pl_status store_morphs(const pl_mesh *surface, pl_rod_model *model, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(surface);
  pl_f4 *morphs = PL_TAKE(&model->head.arena, pl_f4, (size_t)view.pose_count * (size_t)view.point_count);
  if (morphs == NULL) return pl_fail_memory(error);
  for (int32_t m = 0; m < view.pose_count; ++m)
    for (int32_t i = 0; i < view.point_count; ++i)
      morphs[(size_t)m * (size_t)view.point_count + (size_t)i] =
          pl_f4_of_vec3(pl_vec3_sub(view.poses[m].points[i], view.points[i]));
  model->morph_count = view.pose_count;
  model->morphs = morphs;
  return PL_OK;
}

pl_status pl_rod_skin_build(pl_context *context, const pl_rod_skeleton *skeleton, pl_rod_model *model,
                            pl_error *error) {
  const pl_rod_def *def = skeleton->def;
  pl_arena scratch;
  pl_arena_init(&scratch, context, 0);
  draft d = {.influence_count = 1};
  pl_status status = PL_OK;
  if (def->skin.surface != NULL)
    status = check_skin(&def->skin, def->joint_count, &d, error);
  else if (def->tube_sides > 0)
    status = make_tubes(&scratch, skeleton, &d, error);
  if (status >= 0) status = sort_by_joint(&d, model, error);
  if (status >= 0 && def->skin.surface != NULL) status = store_morphs(def->skin.surface, model, error);
  if (status >= 0) {
    pl_contact_surface *surface = &model->head.surface;
    surface->point_count = d.point_count;
    surface->triangle_count = d.triangle_count;
    surface->particle_count = model->joint_count;
    surface->triangles = pl_arena_copy(&model->head.arena, d.triangles, 3 * (size_t)d.triangle_count, sizeof(int32_t));
    if (model->head.arena.failed) status = pl_fail_memory(error);
  }
  pl_arena_destroy(&scratch);
  return status;
}
