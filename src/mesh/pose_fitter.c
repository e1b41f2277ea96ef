// What all fits of poses to one tet mesh share: gradients and volumes of tets, where the surface sits in them, and the
// constant part of the global step's matrix.
//
//   L_ij = sum over tets of V g_i . g_j        (the Laplacian of linear finite elements: the cotangent weights of tets)
//   S_ij = sum over surface points of w a p_i p_j   (added when the weight is known)
//
// A surface point sits in one tet, so both have the pattern of the tets. The weights of the embedding are found again
// in double precision: with those of pl_embedding, which are floats for the renderer's sake, the rest would be no fit
// of itself.
#include "mesh/pose_fitter.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/parallel.h"
#include "mesh/mesh_parameters.h"
#include "mesh/simplex.h"

pl_pose_def pl_default_pose_def(void) {
  pl_pose_def def = {0};
  pl_parameters_set_defaults(&pl_pose_def_parameters, &def);
  return def;
}

static pl_status check_input(const pl_pose_def *def, const pl_mesh_view *tets, const pl_mesh_view *surface,
                             pl_error *error) {
  pl_status status = pl_parameters_check(&pl_pose_def_parameters, def, error);
  if (status < 0) return status;
  if (tets->tet_count == 0) return pl_fail(error, PL_ERROR_INVALID_DATA, "the mesh to be posed has no tets");
  if (tets->tet_count > pl_sparse_max_elements(tets->point_count, 4))
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "%d tets are more than can be posed", tets->tet_count);
  if (surface->point_count == 0) return pl_fail(error, PL_ERROR_INVALID_DATA, "the surface has no points");
  return PL_OK;
}

static bool take_arrays(pl_pose_fitter *f) {
  pl_arena *arena = &f->arena;
  f->rest = PL_TAKE(arena, pl_vec3, f->point_count);
  f->gradients = PL_TAKE(arena, pl_vec3, 4 * (size_t)f->tet_count);
  f->volumes = PL_TAKE(arena, double, f->tet_count);
  f->weights = PL_TAKE(arena, double, 4 * (size_t)f->surface_count);
  f->areas = PL_TAKE(arena, double, f->surface_count);
  f->points = PL_TAKE(arena, pl_vec3, f->point_count);
  f->before = PL_TAKE(arena, pl_vec3, f->point_count);
  f->kept = PL_TAKE(arena, pl_vec3, f->point_count);
  f->targets = PL_TAKE(arena, pl_vec3, f->surface_count);
  f->rhs = PL_TAKE(arena, pl_vec3, f->point_count);
  f->rotations = PL_TAKE(arena, pl_quat, f->tet_count);
  f->determinants = PL_TAKE(arena, double, f->tet_count);
  f->sums = PL_TAKE(arena, double, f->tet_count);
  f->stiffness = PL_TAKE(arena, double, f->tet_count);
  f->fractions = PL_TAKE(arena, double, f->surface_count);
  f->pulls = PL_TAKE(arena, double, f->surface_count);
  f->marks = PL_TAKE(arena, unsigned char, f->point_count);
  pl_conjugate_work_take(arena, f->point_count, &f->work);
  return !arena->failed && pl_sparse_create(arena, f->tets, f->tet_count, 4, f->point_count, &f->matrix) &&
         (f->elastic_values = PL_TAKE(arena, double, f->matrix.value_count)) != NULL;
}

// Rows of a list of corners: place in the list by point.
static bool list_corners(pl_arena *arena, const int32_t *corners, int32_t corner_count, int32_t point_count,
                         pl_rows *rows) {
  return pl_elements_of_points(arena, (pl_elements){corners, corner_count, 1}, point_count, rows);
}

// Volume and gradients of each tet; a tet without positive volume is an error.
static pl_status measure_tets(pl_pose_fitter *f, const pl_vec3 *points, pl_error *error) {
  double edge_sum = 0;
  for (int32_t t = 0; t < f->tet_count; ++t) {
    const int32_t *corners = &f->tets[4 * t];
    pl_vec3 a = points[corners[0]], b = pl_vec3_sub(points[corners[1]], a), c = pl_vec3_sub(points[corners[2]], a),
            d = pl_vec3_sub(points[corners[3]], a);
    double six = pl_vec3_dot(pl_vec3_cross(b, c), d);
    pl_vec3 *g = &f->gradients[4 * (size_t)t];
    g[1] = pl_vec3_scale(pl_vec3_cross(c, d), 1 / six);
    g[2] = pl_vec3_scale(pl_vec3_cross(d, b), 1 / six);
    g[3] = pl_vec3_scale(pl_vec3_cross(b, c), 1 / six);
    g[0] = pl_vec3_scale(pl_vec3_add(g[1], pl_vec3_add(g[2], g[3])), -1);
    f->volumes[t] = six / 6;
    bool good = six > 0 && isfinite(six);
    for (int i = 0; i < 4; ++i) good = good && isfinite(pl_vec3_dot(g[i], g[i]) * six);
    if (!good)
      return pl_fail(error, PL_ERROR_INVALID_DATA,
                     "tet %d has the volume %g, so nothing can be posed with it; see pliant check", t, six / 6);
    edge_sum += pl_vec3_length(b) + pl_vec3_length(c) + pl_vec3_length(d) + pl_vec3_distance(b, c) +
                pl_vec3_distance(c, d) + pl_vec3_distance(d, b);
  }
  f->edge = edge_sum / (6.0 * f->tet_count);
  return PL_OK;
}

// Where the surface sits: corners and weights in double precision.
static pl_status place_surface(pl_pose_fitter *f, const pl_pose_def *def, const pl_mesh *tets, const pl_mesh_view *view,
                               pl_error *error) {
  pl_embedding *embedding = NULL;
  double reach =
      def->reach > 0 ? def->reach : 0.1 * pl_box_diagonal(pl_box_from_points(view->points, view->point_count));
  pl_status status = pl_embedding_build(f->context, tets, &(pl_embedding_input){f->surface, f->surface_count, reach},
                                        &embedding, NULL, error);
  if (status < 0) return status;
  pl_embedding_view found = pl_embedding_get_view(embedding);
  f->parents = pl_arena_copy(&f->arena, found.parents, 4 * (size_t)f->surface_count, sizeof *f->parents);
  if (f->parents == NULL) status = pl_fail_memory(error);
  for (int32_t s = 0; status >= 0 && s < f->surface_count; ++s) {
    const int32_t *parents = &f->parents[4 * (size_t)s];
    const pl_vec3 corners[4] = {view->points[parents[0]], view->points[parents[1]], view->points[parents[2]],
                                view->points[parents[3]]};
    double *weights = &f->weights[4 * (size_t)s];
    // Flat tets keep the floats.
    for (int k = 0; k < 4; ++k) weights[k] = (double)found.weights[4 * (size_t)s + (size_t)k];
    pl_tet_weights(corners, f->surface[s], weights);
  }
  pl_embedding_destroy(embedding);
  return status;
}

// A third of each triangle's area to each of its corners; a cloud of points without triangles is weighted evenly.
static void distribute_areas(pl_pose_fitter *f, const pl_mesh_view *surface) {
  double sum = 0;
  for (int32_t i = 0; i < surface->triangle_count; ++i) {
    const int32_t *corners = &surface->triangles[3 * (size_t)i];
    pl_vec3 a = surface->points[corners[0]];
    pl_vec3 normal =
        pl_vec3_cross(pl_vec3_sub(surface->points[corners[1]], a), pl_vec3_sub(surface->points[corners[2]], a));
    double fraction = pl_vec3_length(normal) / 6;
    for (int k = 0; k < 3; ++k) f->areas[corners[k]] += fraction;
    sum += fraction;
  }
  for (int32_t i = 0; !(sum > 0) && i < f->surface_count; ++i) f->areas[i] = f->edge * f->edge;
}

static void assemble_elastic(pl_pose_fitter *f) {
  for (int32_t t = 0; t < f->tet_count; ++t)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const pl_vec3 *g = &f->gradients[4 * (size_t)t];
        int32_t slot = pl_sparse_find(&f->matrix, f->tets[4 * t + i], f->tets[4 * t + j]);
        f->elastic_values[slot] += f->volumes[t] * pl_vec3_dot(g[i], g[j]);
      }
}

static void center_rest(pl_pose_fitter *f, const pl_vec3 *points) {
  double area = 0;
  pl_vec3 sum = {0, 0, 0};
  for (int32_t s = 0; s < f->surface_count; ++s) {
    sum = pl_vec3_add_scaled(sum, f->surface[s], f->areas[s]);
    area += f->areas[s];
  }
  f->center = pl_vec3_scale(sum, 1 / area);
  for (int32_t i = 0; i < f->point_count; ++i) f->rest[i] = pl_vec3_sub(points[i], f->center);
}

pl_status pl_pose_fitter_build(pl_context *context, const pl_pose_def *def, const pl_mesh *tets, const pl_mesh *surface,
                               pl_pose_fitter *f, pl_error *error) {
  pl_mesh_view volume = pl_mesh_get_view(tets), skin = pl_mesh_get_view(surface);
  *f = (pl_pose_fitter){.context = context,
                        .point_count = volume.point_count,
                        .tet_count = volume.tet_count,
                        .surface_count = skin.point_count,
                        .tets = volume.tets,
                        .surface = skin.points,
                        .triangles = skin.triangles,
                        .triangle_count = skin.triangle_count};
  pl_arena_init(&f->arena, context, 0);
  pl_status status = check_input(def, &volume, &skin, error);
  if (status < 0) return status;
  if (!take_arrays(f)) return pl_fail_memory(error);
  if ((status = measure_tets(f, volume.points, error)) < 0) return status;
  if ((status = place_surface(f, def, tets, &volume, error)) < 0) return status;
  if (!list_corners(&f->arena, f->tets, 4 * f->tet_count, f->point_count, &f->tet_corners) ||
      !list_corners(&f->arena, f->parents, 4 * f->surface_count, f->point_count, &f->surface_corners))
    return pl_fail_memory(error);
  distribute_areas(f, &skin);
  assemble_elastic(f);
  center_rest(f, volume.points);
  return PL_OK;
}

void pl_pose_fitter_destroy(pl_pose_fitter *f) {
  pl_arena_destroy(&f->arena);
}
