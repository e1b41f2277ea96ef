// The signed distance of a mesh collider in a few loads.
//
// Close to the mesh the distance is kept at the nodes of a grid, and is interpolated linearly along each axis between
// the eight around a point:
//
//   d(p) = sum over the nodes k of w_k(p) d_k,   normal = grad d / |grad d|
//
// That is right for a flat piece of surface, off by about cell^2 / (8 r) for one of radius r, and wrong at a sharp
// crease. So each cell is compared with the mesh in its middle when the field is built, and cells that are off by more
// than a twentieth of a cell, or whose gradient is not of length 1 or so, are left to the mesh itself.
//
// Only what is within the band around the mesh is sampled. Meshes of few triangles have no field: asking them costs
// little.
#include "base/parallel.h"
#include "contact/collider.h"
#include "mesh/triangle_tree.h"
#include "pliant/math.h"

enum { CELLS_ALONG = 48, BAND_CELLS = 3, NODES_PER_BLOCK = 512, MIN_TRIANGLES = 500 };
static const double MAX_ERROR = 0.05;  // of a cell, in its middle

typedef struct fill_data {
  const pl_collider_clearance *clearance;
  const pl_triangle_tree *tree;
  pl_collider_field *field;
  float *distances;
  uint8_t *is_smooth;
} fill_data;

static pl_vec3 node_at(const pl_collider_field *field, int32_t node, double offset) {
  int32_t x = node % field->counts[0], y = node / field->counts[0] % field->counts[1],
          z = node / (field->counts[0] * field->counts[1]);
  return pl_vec3_add_scaled(field->min, (pl_vec3){x + offset, y + offset, z + offset}, field->cell);
}

// The mesh's distance, HUGE_VAL where that is certainly beyond the band.
static double exact_distance(const fill_data *d, pl_vec3 point) {
  double away, distance = pl_collider_clearance_at(d->clearance, point, &away), band = 2 * d->field->band;
  if (fabs(distance) - away > band) return HUGE_VAL;
  return pl_triangle_tree_signed_distance(d->tree, point, (fabs(distance) + away) * (1 + 1e-6), NULL, NULL);
}

static void fill_nodes(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const fill_data *d = data;
  for (int32_t i = begin; i < end; ++i) d->distances[i] = (float)exact_distance(d, node_at(d->field, i, 0));
}

// Cells are numbered as their first node; those of the last nodes along an axis do not exist.
static bool is_cell(const pl_collider_field *field, int32_t node) {
  int32_t x = node % field->counts[0], y = node / field->counts[0] % field->counts[1],
          z = node / (field->counts[0] * field->counts[1]);
  return x + 1 < field->counts[0] && y + 1 < field->counts[1] && z + 1 < field->counts[2];
}

// Distance and gradient in a cell at (u, v, w), each from 0 to 1.
static double interpolate(const pl_collider_field *field, int32_t node, pl_vec3 at, pl_vec3 *gradient) {
  const float *low = &field->distances[node], *high = low + (size_t)field->counts[0] * (size_t)field->counts[1];
  int32_t row = field->counts[0];
  double u = at.x, v = at.y, w = at.z;
  double a0 = (double)low[0], a1 = (double)low[1], b0 = (double)low[row], b1 = (double)low[row + 1];
  double c0 = (double)high[0], c1 = (double)high[1], e0 = (double)high[row], e1 = (double)high[row + 1];
  // Along x on the four edges, then y on two faces, then z.
  double a = a0 + u * (a1 - a0), b = b0 + u * (b1 - b0), c = c0 + u * (c1 - c0), e = e0 + u * (e1 - e0);
  double near = a + v * (b - a), far = c + v * (e - c);
  double dx_near = (a1 - a0) + v * ((b1 - b0) - (a1 - a0)), dx_far = (c1 - c0) + v * ((e1 - e0) - (c1 - c0));
  *gradient = (pl_vec3){dx_near + w * (dx_far - dx_near), (b - a) + w * ((e - c) - (b - a)), far - near};
  *gradient = pl_vec3_scale(*gradient, 1 / field->cell);
  return near + w * (far - near);
}

static void check_cells(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const fill_data *d = data;
  for (int32_t i = begin; i < end; ++i) {
    if (!is_cell(d->field, i)) continue;
    pl_vec3 gradient;
    double distance = interpolate(d->field, i, pl_vec3_of(0.5, 0.5, 0.5), &gradient);
    // A node beyond the band makes this infinite or no number.
    if (!(fabs(distance) < 2 * d->field->band)) continue;
    double slope = pl_vec3_length(gradient), error = fabs(exact_distance(d, node_at(d->field, i, 0.5)) - distance);
    d->is_smooth[i] = error <= MAX_ERROR * d->field->cell && slope > 0.9 && slope < 1.1;
  }
}

bool pl_collider_field_build(pl_context *context, pl_arena *arena, const pl_collider_clearance *clearance,
                             const pl_collider_mesh *mesh, pl_collider_field *field) {
  *field = (pl_collider_field){.distances = NULL};
  pl_vec3 size = pl_vec3_sub(mesh->box.max, mesh->box.min);
  double cell = fmax(fmax(size.x, size.y), size.z) / CELLS_ALONG;
  if (mesh->triangle_count < MIN_TRIANGLES || !(cell > 0) || clearance->distances == NULL) return true;
  field->cell = cell;
  field->band = BAND_CELLS * cell;
  // A band around the mesh too.
  field->min = pl_vec3_add_scaled(mesh->box.min, (pl_vec3){1, 1, 1}, -field->band - 0.5 * cell);
  const double sizes[3] = {size.x, size.y, size.z};
  int32_t count = 1;
  for (int i = 0; i < 3; ++i) {
    field->counts[i] = (int32_t)ceil(sizes[i] / cell) + 2 * BAND_CELLS + 2;
    count *= field->counts[i];
  }
  float *distances = PL_TAKE(arena, float, count);
  uint8_t *is_smooth = PL_TAKE(arena, uint8_t, count);
  if (arena->failed) return false;
  field->distances = distances;
  field->is_smooth = is_smooth;
  fill_data data = {clearance, mesh->tree, field, distances, is_smooth};
  pl_parallel_for(context, count, NODES_PER_BLOCK, fill_nodes, &data);
  pl_parallel_for(context, count, NODES_PER_BLOCK, check_cells, &data);
  return true;
}

bool pl_collider_field_at(const pl_collider_field *field, pl_vec3 point, double *distance, pl_vec3 *normal) {
  if (field->distances == NULL) return false;
  pl_vec3 p = pl_vec3_scale(pl_vec3_sub(point, field->min), 1 / field->cell);
  // Also false for what is not a number.
  if (!(p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < field->counts[0] - 1 && p.y < field->counts[1] - 1 &&
        p.z < field->counts[2] - 1))
    return false;
  int32_t x = (int32_t)p.x, y = (int32_t)p.y, z = (int32_t)p.z;
  int32_t node = x + field->counts[0] * (y + field->counts[1] * z);
  if (!field->is_smooth[node]) return false;
  *distance = interpolate(field, node, (pl_vec3){p.x - x, p.y - y, p.z - z}, normal);
  *normal = pl_vec3_normalize_or(*normal, pl_vec3_of(0, 1, 0));
  return true;
}
