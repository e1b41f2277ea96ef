// Cutting a tet mesh along a plane or along the surface a blade sweeps: the order of the steps, and the resulting mesh.
//
// Everything that belongs to points is a mixture of two old points at most, with weights known from the crossing; so
// groups, poses and, by the embedding, states of a simulation carry over.
#include "mesh/tet_cut.h"

#include "base/context.h"
#include "base/error.h"
#include "mesh/embedding.h"
#include "mesh/mesh_parameters.h"
#include "pliant/math.h"

// Parents of every point of the result, in the layout of an embedding.
typedef struct point_origin {
  int32_t count;
  int32_t *parents;  // 4 each, the last two without weight
  float *weights;
} point_origin;

pl_cut_def pl_default_cut_def(void) {
  pl_cut_def def = {0};
  pl_parameters_set_defaults(&pl_cut_def_parameters, &def);
  return def;
}

static pl_status check_cut_def(const pl_cut_def *def, const pl_mesh_view *mesh, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_cut_def_parameters, def, error);
  if (status < 0) return status;
  if (mesh->tet_count == 0)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "only meshes of tets can be cut, and this one has none");
  if (mesh->tet_mids != NULL)
    return pl_fail(
        error, PL_ERROR_UNSUPPORTED,
        "quadratic tets cannot be cut; cut linear ones (pl_mesh_build_linear) and make the result quadratic");
  if (def->blade_count == 0) {
    if (!(pl_vec3_length(def->plane_normal) > 0))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "plane_normal",
                           "it is zero; a plane needs a normal of any other length");
    return PL_OK;
  }
  if (def->blade_count < 2 || def->blade_count > INT32_MAX / 16 || def->blade_hilts == NULL || def->blade_tips == NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "blade_count",
                         "a blade needs at least two places to sweep anything, not %d", def->blade_count);
  for (int32_t i = 0; i < def->blade_count; ++i)
    if (!pl_vec3_is_finite(def->blade_hilts[i]) || !pl_vec3_is_finite(def->blade_tips[i]))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "blade_hilts", "place %d of the blade is not finite", i);
  return PL_OK;
}

static bool find_origins(pl_tet_cut *cut, point_origin *origin) {
  origin->count = cut->split_point_count + cut->copy_count;
  origin->parents = PL_TAKE(&cut->arena, int32_t, 4 * (size_t)origin->count);
  origin->weights = PL_TAKE(&cut->arena, float, 4 * (size_t)origin->count);
  if (cut->arena.failed) return false;
  for (int32_t i = 0; i < origin->count; ++i) {
    int32_t point = i < cut->split_point_count ? i : cut->original_of_copy[i - cut->split_point_count], other = point;
    float fraction = 0;
    if (point >= cut->mesh.point_count) {
      int32_t edge = cut->edge_of_new[point - cut->mesh.point_count];
      point = cut->edges[2 * edge];
      other = cut->edges[2 * edge + 1];
      fraction = cut->crossings[edge];
    }
    int32_t *parents = origin->parents + 4 * (size_t)i;
    parents[0] = parents[2] = parents[3] = point;
    parents[1] = other;
    origin->weights[4 * (size_t)i] = 1 - fraction;
    origin->weights[4 * (size_t)i + 1] = fraction;
  }
  return true;
}

static pl_vec3 *carry_points(pl_arena *arena, const point_origin *origin, const pl_vec3 *points) {
  pl_vec3 *carried = PL_TAKE(arena, pl_vec3, origin->count);
  for (int32_t i = 0; carried != NULL && i < origin->count; ++i) {
    const int32_t *parents = origin->parents + 4 * (size_t)i;
    double fraction = (double)origin->weights[4 * (size_t)i + 1];
    // A mixture with fraction 0 need not be the first point, bit by bit, if the other is far away.
    carried[i] = fraction > 0 ? pl_vec3_lerp(points[parents[0]], points[parents[1]], fraction) : points[parents[0]];
  }
  return carried;
}

static float *carry_weights(pl_arena *arena, const point_origin *origin, const float *weights) {
  float *carried = PL_TAKE(arena, float, origin->count);
  for (int32_t i = 0; carried != NULL && i < origin->count; ++i) {
    const int32_t *parents = origin->parents + 4 * (size_t)i;
    float a = weights[parents[0]], b = weights[parents[1]];
    float mixed = a + origin->weights[4 * (size_t)i + 1] * (b - a);
    carried[i] = mixed < 0 ? 0 : mixed > 1 ? 1 : mixed;
  }
  return carried;
}

static pl_status create_mesh(pl_tet_cut *cut, const point_origin *origin, pl_mesh **made, pl_error *error) {
  pl_arena *arena = &cut->arena;
  const pl_mesh_view *from = &cut->mesh;
  pl_mesh_view view = {.point_count = origin->count, .tet_count = cut->tet_count, .tets = cut->tets};
  view.points = carry_points(arena, origin, from->points);
  int32_t *tags = from->tet_tags == NULL ? NULL : PL_TAKE(arena, int32_t, cut->tet_count);
  for (int32_t t = 0; tags != NULL && t < cut->tet_count; ++t) tags[t] = from->tet_tags[cut->tet_of_new[t]];
  pl_mesh_group *groups = PL_TAKE(arena, pl_mesh_group, from->group_count);
  for (int32_t g = 0; groups != NULL && g < from->group_count; ++g)
    groups[g] = (pl_mesh_group){from->groups[g].name, carry_weights(arena, origin, from->groups[g].weights)};
  pl_mesh_pose *poses = PL_TAKE(arena, pl_mesh_pose, from->pose_count);
  for (int32_t p = 0; poses != NULL && p < from->pose_count; ++p)
    poses[p] = (pl_mesh_pose){from->poses[p].name, carry_points(arena, origin, from->poses[p].points)};
  if (arena->failed) return pl_fail_memory(error);
  view.tet_tags = tags;
  view.group_count = from->group_count;
  view.groups = groups;
  view.pose_count = from->pose_count;
  view.poses = poses;
  view.source_count = from->source_count;
  view.point_of_source = from->point_of_source;
  return pl_mesh_create(arena->context, &view, made, error);
}

static pl_status run_cut(pl_tet_cut *cut, const pl_cut_def *def, pl_cut_result *result, pl_error *error) {
  pl_status status = pl_tet_cut_find_crossings(cut, def, error);
  if (status == PL_OK) status = pl_tet_cut_split(cut, error);
  if (status == PL_OK) status = pl_tet_cut_separate(cut, error);
  if (status < 0) return status;
  point_origin origin;
  if (!find_origins(cut, &origin)) return pl_fail_memory(error);
  status =
      pl_embedding_create(cut->arena.context, origin.count, origin.parents, origin.weights, &result->embedding, error);
  return status < 0 ? status : create_mesh(cut, &origin, &result->mesh, error);
}

pl_status pl_mesh_cut(pl_context *context, const pl_cut_def *def, const pl_mesh *mesh, pl_cut_result *result,
                      pl_error *error) {
  *result = (pl_cut_result){0};
  pl_tet_cut work = {.mesh = pl_mesh_get_view(mesh)};
  pl_status status = check_cut_def(def, &work.mesh, error);
  if (status < 0) return status;
  pl_arena_init(&work.arena, context, 0);
  status = run_cut(&work, def, result, error);
  pl_arena_destroy(&work.arena);
  if (status < 0) {
    pl_embedding_destroy(result->embedding);
    *result = (pl_cut_result){0};
    return status;
  }
  result->report = work.report;
  return PL_OK;
}
