// Hair as a volume (Petrovic, Henne, Anderson 2005; McAdams and others 2009). Masses are put onto the nodes around
// them, and read back with the same weights:
//
//   M_n = sum w_in m_i        V_n = sum w_in m_i v_i / M_n        w_in: linear along each axis, sum 1
//   V(x) = sum w_n(x) V_n     rho(x) = sum w_n(x) M_n / cell³
//
// What chains do with it (rod_step.c):
//
//   friction   dv = (1 - exp(-friction h)) (V(x) - v)     no momentum is made or lost, no energy made: V(x) is a mean
//   pressure   a = -c² grad rho / rho  where rho > rho_0   a gas of sound speed c above the largest density at rest
#include "rod/rod_volume.h"

#include <math.h>
#include <string.h>

#include "pliant/math.h"

enum { MAX_NODES = 1 << 18 };

// The cell of a point and where in it.
typedef struct place_in_cell {
  size_t node;
  float u, v, w;
} place_in_cell;

static place_in_cell find_cell(const pl_rod_volume *volume, pl_vec3 position) {
  pl_vec3 p = pl_vec3_scale(pl_vec3_sub(position, volume->origin), 1 / volume->cell);
  const double along[3] = {p.x, p.y, p.z};
  int32_t cell[3];
  float rest[3];
  for (int k = 0; k < 3; ++k) {
    // What is not a number goes to the first cell; the step fails for it elsewhere.
    double at = along[k] > 0 ? fmin(along[k], volume->counts[k] - 1.001) : 0;
    cell[k] = (int32_t)at;
    rest[k] = (float)(at - cell[k]);
  }
  size_t row = (size_t)volume->counts[0], slab = row * (size_t)volume->counts[1];
  return (place_in_cell){(size_t)cell[0] + row * (size_t)cell[1] + slab * (size_t)cell[2], rest[0], rest[1], rest[2]};
}

bool pl_rod_volume_fill(pl_scratch *scratch, const pl_rod_volume_points *points, pl_vec3 anchor, double cell,
                        pl_rod_volume *volume) {
  pl_box box = {anchor, anchor};
  for (int32_t i = 0; i < points->count; ++i)
    if (points->masses[i] > 0 && pl_vec3_is_finite(points->positions[i]))
      box = pl_box_add_point(box, points->positions[i]);
  double nodes;
  volume->cell = cell;
  for (;; volume->cell *= 2) {
    pl_vec3 low = pl_vec3_scale(pl_vec3_sub(box.min, anchor), 1 / volume->cell),
            high = pl_vec3_scale(pl_vec3_sub(box.max, anchor), 1 / volume->cell);
    low = (pl_vec3){floor(low.x), floor(low.y), floor(low.z)};
    const double counts[3] = {floor(high.x) - low.x + 2, floor(high.y) - low.y + 2, floor(high.z) - low.z + 2};
    nodes = counts[0] * counts[1] * counts[2];
    if (!(nodes <= MAX_NODES)) continue;
    volume->origin = pl_vec3_add_scaled(anchor, low, volume->cell);
    for (int k = 0; k < 3; ++k) volume->counts[k] = (int32_t)counts[k];
    break;
  }
  size_t count = (size_t)nodes, row = (size_t)volume->counts[0], slab = row * (size_t)volume->counts[1];
  volume->nodes = PL_SCRATCH(scratch, pl_f4, count);
  if (volume->nodes == NULL) return false;
  memset(volume->nodes, 0, count * sizeof(pl_f4));
  for (int32_t i = 0; i < points->count; ++i) {
    if (!(points->masses[i] > 0)) continue;
    place_in_cell at = find_cell(volume, points->positions[i]);
    pl_vec3 velocity = points->velocities != NULL ? points->velocities[i] : (pl_vec3){0, 0, 0};
    pl_f4 momentum = pl_f4_of_vec3(pl_vec3_scale(velocity, points->masses[i]));
    momentum[3] = (float)points->masses[i];
    pl_f4 *n = volume->nodes + at.node;
    pl_f4 low = momentum * (1.0f - at.w), high = momentum * at.w;
    n[0] += low * ((1.0f - at.v) * (1.0f - at.u));
    n[1] += low * ((1.0f - at.v) * at.u);
    n[row] += low * (at.v * (1.0f - at.u));
    n[row + 1] += low * (at.v * at.u);
    n[slab] += high * ((1.0f - at.v) * (1.0f - at.u));
    n[slab + 1] += high * ((1.0f - at.v) * at.u);
    n[slab + row] += high * (at.v * (1.0f - at.u));
    n[slab + row + 1] += high * (at.v * at.u);
  }
  for (size_t i = 0; i < count; ++i) {
    float mass = volume->nodes[i][3];
    if (!(mass > 0)) continue;
    volume->nodes[i] /= mass;
    volume->nodes[i][3] = mass;
  }
  return true;
}

pl_rod_volume_sample pl_rod_volume_at(const pl_rod_volume *volume, pl_vec3 position) {
  place_in_cell at = find_cell(volume, position);
  size_t row = (size_t)volume->counts[0], slab = row * (size_t)volume->counts[1];
  const pl_f4 *n = volume->nodes + at.node;
  // Along x on four edges, then y on two faces, then z.
  pl_f4 a = n[0] + (n[1] - n[0]) * at.u, b = n[row] + (n[row + 1] - n[row]) * at.u;
  pl_f4 c = n[slab] + (n[slab + 1] - n[slab]) * at.u, d = n[slab + row] + (n[slab + row + 1] - n[slab + row]) * at.u;
  pl_f4 near = a + (b - a) * at.v, far = c + (d - c) * at.v, all = near + (far - near) * at.w;
  float near_x = n[1][3] - n[0][3] + at.v * (n[row + 1][3] - n[row][3] - n[1][3] + n[0][3]);
  float far_x =
      n[slab + 1][3] - n[slab][3] + at.v * (n[slab + row + 1][3] - n[slab + row][3] - n[slab + 1][3] + n[slab][3]);
  double scale = 1 / (volume->cell * volume->cell * volume->cell);
  pl_vec3 gradient = {(double)(near_x + at.w * (far_x - near_x)),
                      (double)(b[3] - a[3] + at.w * (d[3] - c[3] - b[3] + a[3])), (double)(far[3] - near[3])};
  return (pl_rod_volume_sample){.velocity = pl_vec3_of_f4(all),
                                .gradient = pl_vec3_scale(gradient, scale / volume->cell),
                                .density = (double)all[3] * scale};
}
