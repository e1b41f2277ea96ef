// Trackers: defaults, what is wrong with a def, and the memory they work in.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "capture/track_parameters.h"
#include "capture/track_parts.h"

enum { PIXELS_ACROSS = 320 };

pl_track_def pl_default_track_def(void) {
  pl_track_def def = {0};
  pl_parameters_set_defaults(&pl_track_def_parameters, &def);
  return def;
}

static pl_status check_camera(const pl_capture_camera *camera, int32_t number, pl_error *error) {
  const pl_quat q = camera->placement.rotation;
  double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  bool good = camera->width > 0 && camera->height > 0 && camera->fx > 0 && camera->fy > 0 && isfinite(camera->fx) &&
              isfinite(camera->fy) && isfinite(camera->cx) && isfinite(camera->cy) &&
              pl_vec3_is_finite(camera->placement.position);
  if (good && fabs(norm - 1) < 1e-6) return PL_OK;
  return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "cameras",
                       "camera %d needs pixels, a focal length and a rotation of length 1", number);
}

static bool is_shell(const pl_model *model) {
  return ((const pl_fem_model *)model)->material == PL_FEM_SHELL;
}

static pl_status check_def(const pl_track_def *def, const pl_model *model, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_track_def_parameters, def, error);
  if (status < 0) return status;
  if (def->camera_count < 0 || def->camera_count > 64)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "camera_count", "%d cameras; use 0 … 64", def->camera_count);
  if (!pl_fem_is_model(model) || (((const pl_fem_model *)model)->groups[0].corner_count != 4 && !is_shell(model)))
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "only finite-element bodies of linear tets and shells can be tracked");
  for (int32_t i = 0; i < def->held_count; ++i)
    if (def->held[i] < 0 || def->held[i] >= model->particle_count)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "held", "%d is out of range; the body has points 0 … %d",
                           def->held[i], model->particle_count - 1);
  for (int32_t i = 0; i < def->camera_count && status >= 0; ++i) status = check_camera(&def->cameras[i], i, error);
  return status;
}

static void take_cameras(pl_tracker *t, const pl_track_def *def) {
  size_t count = (size_t)def->camera_count, points = (size_t)t->model->head.surface.point_count;
  t->camera_count = def->camera_count;
  t->views = PL_TAKE(&t->arena, pl_depth_view, count);
  t->depths = PL_TAKE(&t->arena, double *, count);
  t->seen = PL_TAKE(&t->arena, pl_vec3 *, count);
  for (size_t i = 0; !t->arena.failed && i < count; ++i) {
    int32_t shrink = (def->cameras[i].width + PIXELS_ACROSS - 1) / PIXELS_ACROSS;
    t->views[i] = pl_depth_view_of(&def->cameras[i], shrink);
    t->depths[i] = PL_TAKE(&t->arena, double, (size_t)t->views[i].width *(size_t)t->views[i].height);
    t->seen[i] = PL_TAKE(&t->arena, pl_vec3, points);
  }
}

static void take_arrays(pl_tracker *t) {
  size_t n = (size_t)t->model->head.particle_count, k = (size_t)t->model->head.surface.point_count,
         c = (size_t)t->def.max_points;
  double **vectors[] = {&t->x,        &t->before, &t->predicted, &t->best, &t->last, &t->keep,
                        &t->gradient, &t->step,   &t->trial,     &t->rhs,  &t->load};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) *vectors[i] = PL_TAKE(&t->arena, double, 3 * n);
  t->contrast = PL_TAKE(&t->arena, double, n);
  t->supports = PL_TAKE(&t->arena, double, n);
  t->kept_supports = PL_TAKE(&t->arena, double, n);
  t->points = PL_TAKE(&t->arena, pl_vec3, n);
  t->fixed = PL_TAKE(&t->arena, uint8_t, n);
  t->surface = PL_TAKE(&t->arena, pl_vec3, k);
  t->normals = PL_TAKE(&t->arena, pl_vec3, k);
  t->sight = PL_TAKE(&t->arena, uint64_t, k);
  t->visible = PL_TAKE(&t->arena, uint8_t, k);
  t->pull.weights = PL_TAKE(&t->arena, double, k);
  t->pull.targets = PL_TAKE(&t->arena, pl_vec3, k);
  t->data_weights = PL_TAKE(&t->arena, double, k);
  t->cloud.points = PL_TAKE(&t->arena, pl_vec3, c);
  t->cloud.cameras = PL_TAKE(&t->arena, int32_t, c);
  t->matches = PL_TAKE(&t->arena, pl_track_match, c);
}

static pl_status fill(pl_tracker *t, const pl_track_def *def, const pl_vec3 *start, pl_error *error) {
  take_cameras(t, def);
  take_arrays(t);
  if (t->arena.failed || !pl_fem_system_take(&t->arena, t->context, t->model, &t->system) ||
      !pl_block_matrix_take(&t->arena, &t->model->pattern, &t->matrix) || !pl_track_samples_build(t))
    return pl_fail_memory(error);
  for (int32_t i = 0; i < t->model->head.particle_count; ++i) {
    pl_vec3 p = start != NULL ? start[i] : pl_fem_vector(t->model->rest_points, i);
    if (!pl_vec3_is_finite(p)) return pl_fail(error, PL_ERROR_INVALID_DATA, "point %d of the start is not finite", i);
    pl_fem_put(t->x, i, p);
    pl_fem_put(t->before, i, p);
    t->points[i] = p;
  }
  for (int32_t i = 0; i < def->held_count; ++i) t->fixed[def->held[i]] = PL_BLOCK_FIX_ALL;
  t->width = def->noise;
  t->outlier_fraction = fmax(PL_TRACK_OUTLIERS_MIN, fmin(PL_TRACK_OUTLIERS_MAX, def->outliers));
  pl_track_place_surface(t, t->x);
  pl_track_find_visible(t);
  pl_linear_def linear = t->model->linear;
  linear.positions = t->model->rest_points;
  linear.hint.step = 0;
  linear.limits = (pl_block_limits){.tolerance = 1e-3, .max_iterations = 2000};
  return pl_linear_solver_create(t->context, &t->model->pattern, &linear, &t->solver, error);
}

pl_status pl_tracker_create(pl_context *context, const pl_track_def *def, const pl_model *model, const pl_vec3 *start,
                            pl_tracker **tracker, pl_error *error) {
  *tracker = NULL;
  pl_status status = check_def(def, model, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_tracker *t = PL_TAKE(&arena, pl_tracker, 1);
  if (t == NULL) return pl_fail_memory(error);
  t->arena = arena;
  t->context = context;
  t->model = (const pl_fem_model *)model;
  t->def = *def;
  t->def.held = NULL;
  t->def.cameras = NULL;
  t->size = pl_box_diagonal(model->box);
  if (is_shell(model)) t->thickness = model->mass / (t->model->linear.hint.density * t->model->touch.area);
  pl_scratch_init(&t->scratch, context);
  status = fill(t, def, start, error);
  if (status < 0)
    pl_tracker_destroy(t);
  else
    *tracker = t;
  return status;
}

void pl_tracker_destroy(pl_tracker *t) {
  if (t == NULL) return;
  pl_linear_solver_destroy(t->solver);
  pl_scratch_destroy(&t->scratch);
  pl_arena arena = t->arena;
  pl_arena_destroy(&arena);
}
