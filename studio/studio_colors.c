// Values per surface point that a page shows as colours.
//
//   stretch  relative elongation of the edges around a point, mean
//   stress   norm of the Green strain of the tets around a particle, times Young's modulus for finite elements; without
//   tets: stretch speed    m/s segments segments of similar shape (studio_detail.c)
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "body/body_method.h"
#include "math/mat3.h"
#include "pliant/math.h"
#include "studio_detail.h"

// Rest positions of the surface points of a body; NULL: not known.
static const pl_vec3 *rest_surface(const studio_world *w, int32_t index) {
  pl_scene_instance_body body = pl_scene_instance_get_body(w->instance, index);
  int32_t count = pl_scene_instance_get_surface_view(w->instance, index).point_count;
  const pl_contact_surface *surface = &pl_body_get_model(w->world, body.id)->surface;
  if (surface->point_count == count && surface->rest_points != NULL) return surface->rest_points;
  if (body.surface != NULL && pl_mesh_get_view(body.surface).point_count == count)
    return pl_mesh_get_view(body.surface).points;
  return NULL;
}

static void fill_stretch(studio_world *w, int32_t index, const pl_vec3 *now, double *numbers) {
  pl_scene_instance_surface surface = pl_scene_instance_get_surface_view(w->instance, index);
  const pl_vec3 *rest = rest_surface(w, index);
  double *counts = (double *)w->more_points;
  memset(counts, 0, (size_t)surface.point_count * sizeof *counts);
  if (rest == NULL) return;
  for (int32_t i = 0; i < 3 * surface.triangle_count; ++i) {
    int32_t a = surface.triangles[i], b = surface.triangles[i % 3 == 2 ? i - 2 : i + 1];
    double rest_length = pl_vec3_distance(rest[a], rest[b]);
    if (!(rest_length > 0)) continue;
    double stretch = pl_vec3_distance(now[a], now[b]) / rest_length - 1;
    numbers[a] += stretch;
    numbers[b] += stretch;
    counts[a] += 1;
    counts[b] += 1;
  }
  for (int32_t i = 0; i < surface.point_count; ++i)
    if (counts[i] > 0) numbers[i] /= counts[i];
}

// Interpolate values of particles at surface points.
static void spread(const studio_world *w, int32_t index, const double *of_particles, double *numbers) {
  pl_scene_instance_body body = pl_scene_instance_get_body(w->instance, index);
  const pl_contact_surface *surface = &pl_body_get_model(w->world, body.id)->surface;
  if (surface->parents == NULL ||
      surface->point_count != pl_scene_instance_get_surface_view(w->instance, index).point_count)
    return;
  for (int32_t i = 0; i < 4 * surface->point_count; ++i)
    numbers[i / 4] += (double)surface->weights[i] * of_particles[surface->parents[i]];
}

static double strain_of_tet(const pl_vec3 *rest, const pl_vec3 *now, const int32_t *tet) {
  pl_mat3 r = pl_mat3_from_columns(pl_vec3_sub(rest[tet[1]], rest[tet[0]]), pl_vec3_sub(rest[tet[2]], rest[tet[0]]),
                                   pl_vec3_sub(rest[tet[3]], rest[tet[0]]));
  pl_mat3 n = pl_mat3_from_columns(pl_vec3_sub(now[tet[1]], now[tet[0]]), pl_vec3_sub(now[tet[2]], now[tet[0]]),
                                   pl_vec3_sub(now[tet[3]], now[tet[0]]));
  pl_mat3 f = pl_mat3_multiply(n, pl_mat3_inverse(r));
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double e = i == j ? -1 : 0;
      for (int k = 0; k < 3; ++k) e += f.m[k][i] * f.m[k][j];
      sum += 0.25 * e * e;
    }
  return sqrt(sum);
}

static void fill_stress(studio_world *w, int32_t index, const pl_vec3 *surface, double *numbers) {
  pl_scene_instance_body body = pl_scene_instance_get_body(w->instance, index);
  if (body.mesh == NULL || pl_mesh_get_view(body.mesh).tet_count == 0) {
    fill_stretch(w, index, surface, numbers);
    return;
  }
  pl_mesh_view mesh = pl_mesh_get_view(body.mesh);
  const pl_scene_body *source = PL_ITEM(&w->instance->parts, pl_instance_part, index).source;
  double factor = source->method == PL_SCENE_FEM ? source->fem.def.young : 1;
  double *sums = pl_allocate_array(w->context, 2 * (size_t)mesh.point_count, sizeof *sums);
  if (sums == NULL || pl_body_get_positions(w->world, body.id, w->points) < 0) {
    pl_release(w->context, sums);
    return;
  }
  double *counts = sums + mesh.point_count;
  for (int32_t t = 0; t < mesh.tet_count; ++t) {
    double strain = strain_of_tet(mesh.points, w->points, mesh.tets + 4 * t);
    for (int k = 0; k < 4; ++k) {
      sums[mesh.tets[4 * t + k]] += strain;
      counts[mesh.tets[4 * t + k]] += 1;
    }
  }
  for (int32_t i = 0; i < mesh.point_count; ++i) sums[i] = counts[i] > 0 ? factor * sums[i] / counts[i] : 0;
  spread(w, index, sums, numbers);
  pl_release(w->context, sums);
}

static void fill_speed(studio_world *w, int32_t index, double *numbers) {
  pl_body_id body = pl_scene_instance_get_body(w->instance, index).id;
  int32_t count = pl_model_get_report(pl_body_get_model(w->world, body)).particle_count;
  if (pl_body_get_velocities(w->world, body, w->points) < 0) return;
  double *speeds = (double *)w->more_points;
  for (int32_t i = 0; i < count; ++i) speeds[i] = pl_vec3_length(w->points[i]);
  spread(w, index, speeds, numbers);
}

void studio_colors_fill(studio_world *w, int32_t body, uint32_t wanted, const pl_vec3 *surface, double *numbers) {
  if (wanted == STUDIO_WANT_STRETCH) fill_stretch(w, body, surface, numbers);
  if (wanted == STUDIO_WANT_STRESS) fill_stress(w, body, surface, numbers);
  if (wanted == STUDIO_WANT_SPEED) fill_speed(w, body, numbers);
  if (wanted == STUDIO_WANT_SEGMENTS) studio_segments_fill(w, body, numbers);
  int32_t count = pl_scene_instance_get_surface_view(w->instance, body).point_count;
  for (int32_t i = 0; i < count; ++i)
    if (!isfinite(numbers[i])) numbers[i] = 0;
}
