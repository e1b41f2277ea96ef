// Where a contact is on the surface at rest, and the descriptors there.
#include <string.h>

#include "base/error.h"
#include "detail/detail_descriptor.h"
#include "detail/detail_object.h"
#include "mesh/simplex.h"

// A round patch without points is this many rings of eight.
enum { DISC_RINGS = 3, DISC_SPOKES = 8 };

// Whether the triangles around a vertex, as they are now, face away from `normal`.
static bool faces_away(const pl_detail_ground *ground, const pl_vec3 *points, int32_t vertex, pl_vec3 normal) {
  const pl_rows *around = &ground->triangles_of_point;
  pl_vec3 facing = {0, 0, 0};
  for (int32_t k = around->start[vertex]; k < around->start[vertex + 1]; ++k) {
    const int32_t *c = ground->object.triangles + 3 * (size_t)around->items[k];
    facing = pl_vec3_add(
        facing, pl_vec3_cross(pl_vec3_sub(points[c[1]], points[c[0]]), pl_vec3_sub(points[c[2]], points[c[0]])));
  }
  return pl_vec3_dot(facing, normal) < 0;
}

// The nearest vertex of some triangle; `sided`: of those that do not face away.
static int32_t nearest_vertex(const pl_detail_ground *ground, const pl_vec3 *points, const pl_detail_contact *contact,
                              bool sided) {
  const int32_t *start = ground->triangles_of_point.start;
  int32_t best = -1;
  double min = HUGE_VAL;
  for (int32_t i = 0; i < ground->object.surface_count; ++i) {
    pl_vec3 off = pl_vec3_sub(points[i], contact->point);
    double square = pl_vec3_dot(off, off);
    if (!(square < min) || start[i] == start[i + 1]) continue;
    if (sided && faces_away(ground, points, i, contact->normal)) continue;
    min = square;
    best = i;
  }
  // Sides cost time and are asked for only where the plain answer is on the wrong one.
  if (!sided && best >= 0 && faces_away(ground, points, best, contact->normal))
    return nearest_vertex(ground, points, contact, true);
  return best;
}

// Which triangle of those around a vertex is nearest.
static void find_triangle(const pl_detail_ground *ground, const pl_vec3 *points, int32_t vertex, pl_vec3 point,
                          pl_detail_spot *spot) {
  double min = HUGE_VAL;
  for (int32_t k = ground->triangles_of_point.start[vertex]; k < ground->triangles_of_point.start[vertex + 1]; ++k) {
    int32_t triangle = ground->triangles_of_point.items[k];
    const int32_t *c = ground->object.triangles + 3 * (size_t)triangle;
    double weights[3];
    pl_vec3 nearest = pl_triangle_nearest(points[c[0]], points[c[1]], points[c[2]], point, weights);
    double distance = pl_vec3_distance(nearest, point);
    if (!(distance < min)) continue;
    min = distance;
    spot->triangle = triangle;
    memcpy(spot->barycentric, weights, sizeof weights);
  }
}

static bool is_sound(const pl_detail_ground *ground, const pl_detail_contact *contact) {
  if (!(contact->pressure >= 0) || !isfinite(contact->pressure) || !(contact->radius >= 0) ||
      !isfinite(contact->radius))
    return false;
  for (int32_t i = 0; i < contact->patch_count; ++i)
    if (contact->patch_points[i] < 0 || contact->patch_points[i] >= ground->object.surface_count) return false;
  if (!contact->is_located) return pl_vec3_is_finite(contact->point) && pl_vec3_is_finite(contact->normal);
  const double *b = contact->barycentric;
  return contact->triangle >= 0 && contact->triangle < ground->object.triangle_count && b[0] >= 0 && b[1] >= 0 &&
         b[2] >= 0 && fabs(b[0] + b[1] + b[2] - 1) < 1e-6;
}

pl_status pl_detail_spot_find(const pl_detail_ground *ground, const pl_detail_contact *contact, int32_t index,
                              const pl_vec3 *surface_points, pl_detail_spot *spot, pl_error *error) {
  *spot = (pl_detail_spot){.triangle = -1};
  if (!is_sound(ground, contact))
    return pl_fail(
        error, PL_ERROR_INVALID_ARGUMENT,
        "contact %d makes no sense: place, pressure and radius must be finite, triangles and patch points the object's",
        index);
  if (contact->is_located) {
    spot->triangle = contact->triangle;
    memcpy(spot->barycentric, contact->barycentric, sizeof spot->barycentric);
  } else {
    int32_t vertex = nearest_vertex(ground, surface_points, contact, false);
    if (vertex >= 0) find_triangle(ground, surface_points, vertex, contact->point, spot);
    if (spot->triangle < 0)
      return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                     "contact %d is nowhere on the surface, or the surface is not finite", index);
  }
  const int32_t *c = ground->object.triangles + 3 * (size_t)spot->triangle;
  for (int k = 0; k < 3; ++k) {
    spot->point = pl_vec3_add_scaled(spot->point, ground->object.surface_points[c[k]], spot->barycentric[k]);
    spot->normal = pl_vec3_add_scaled(spot->normal, ground->normals[c[k]], spot->barycentric[k]);
  }
  spot->normal = pl_vec3_normalize_or(spot->normal, pl_vec3_of(0, 0, 1));
  return PL_OK;
}

void pl_detail_spot_describe(const pl_detail_ground *ground, const pl_detail_slot *slot, const pl_detail_spot *spot,
                             const float *field, double window_radius, pl_detail_state *state) {
  (void)ground;
  pl_window window = {spot->point, window_radius};
  pl_moments sums, field_sums[3];
  pl_detail_kernels_choose()->sum(&slot->rows, field, &window, &sums, field_sums);
  pl_moments site = pl_site_of_sums(&sums, window_radius, PL_SITE_PER_VOLUME);
  pl_vector_moments load = pl_load_of_sums(&sums, field_sums, window_radius, &state->rotation, NULL);
  state->frame = pl_stamp_frame(&site, &load, spot->normal);
  pl_moments_rotate(&site, state->frame, &state->site);
  pl_vector_moments_rotate(&load, state->frame, &state->load);
  memset(&state->patch, 0, sizeof state->patch);
}

static void add_patch_point(pl_vec3 r, double fraction, pl_moments *patch) {
  const double height = 0.15915494309189533577;  // 1 / (2 pi): the window over a plane
  double h[PL_MOMENT_COUNT];
  pl_hermite_evaluate(r, h);
  fraction *= height * exp(-0.5 * pl_vec3_dot(r, r));
  for (int i = 0; i < PL_MOMENT_COUNT; ++i) patch->values[i] += fraction * h[i];
}

void pl_detail_patch_describe(const pl_detail_ground *ground, const pl_detail_contact *contact,
                              const pl_detail_spot *spot, double window_radius, pl_detail_state *state) {
  memset(&state->patch, 0, sizeof state->patch);
  double scale = 1.0 / window_radius;
  for (int32_t i = 0; i < contact->patch_count; ++i) {
    int32_t point = contact->patch_points[i];
    pl_vec3 r = pl_vec3_scale(pl_vec3_sub(ground->object.surface_points[point], spot->point), scale);
    add_patch_point(pl_mat3_apply(state->frame, r), ground->areas[point] * scale * scale, &state->patch);
  }
  if (contact->patch_count > 0) return;
  // A disc in the tangent plane: rings of equal width, each with its fraction of the area.
  double radius = contact->radius * scale, width = radius / DISC_RINGS;
  for (int ring = 0; ring < DISC_RINGS; ++ring)
    for (int spoke = 0; spoke < DISC_SPOKES; ++spoke) {
      double at = width * (ring + 0.5), angle = 2 * PL_PI * (spoke + 0.5 * (ring % 2)) / DISC_SPOKES;
      add_patch_point(pl_vec3_of(at * cos(angle), at * sin(angle), 0), 2 * PL_PI * at * width / DISC_SPOKES,
                      &state->patch);
    }
}
