// From a tet mesh to the model of a shape-matching solid: masses, regions and the constants of their sums (paper 000,
// §3).
//
// The region of a particle is itself and its 1-ring. A region whose rest points are nearly in one plane cannot tell how
// it is turned out of that plane, or only badly: it is grown by another ring, twice at the most (thin ears, corners of
// a lattice).
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "body/body_surface.h"
#include "contact/tet_map.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "mesh/topology.h"
#include "solid/solid_def.h"
#include "solid/solid_model.h"

// Least to largest eigenvalue of sum w q q^T under which a region counts as flat.
static const double FLAT_RATIO = 1e-3;
enum { MAX_GROWTH = 2 };

static const pl_body_method SOLID_METHOD = {
    .name = "solid",
    .state_size = pl_solid_state_size,
    .start = pl_solid_start,
    .move = pl_solid_move,
    .move_many = pl_solid_move_many,
    .get_positions = pl_solid_get_positions,
    .get_velocities = pl_solid_get_velocities,
    .read_motion = pl_solid_read_motion,
    .round_motion = pl_solid_round_motion,
    .get_surface = pl_solid_get_surface,
    .set_state = pl_solid_set_state,
    .can_sleep = pl_solid_can_sleep,
    .get_particle = pl_solid_get_particle,
    .set_particle = pl_solid_set_particle,
    .find_not_finite = pl_solid_find_not_finite,
    .list_examples = pl_solid_list_examples,
    .get_weights = pl_solid_get_weights,
    .set_weights = pl_solid_set_weights,
};

// Rings as found in the mesh, and which of them each region uses: ring[growth[r]].
typedef struct region_choice {
  pl_rows rings[MAX_GROWTH + 1];
  uint8_t *growth;  // per region
  int32_t *sizes;   // particles of each region
} region_choice;

static double tet_volume(const pl_vec3 *points, const int32_t *tet) {
  pl_vec3 a = points[tet[0]];
  pl_vec3 u = pl_vec3_sub(points[tet[1]], a), v = pl_vec3_sub(points[tet[2]], a), w = pl_vec3_sub(points[tet[3]], a);
  return fabs(pl_vec3_dot(pl_vec3_cross(u, v), w)) / 6;
}

// A quarter of each tet's mass to each of its corners.
static pl_status lump_masses(const pl_mesh_view *mesh, const pl_solid_def *def, pl_solid_model *model,
                             pl_error *error) {
  double *masses = PL_TAKE(&model->head.arena, double, mesh->point_count);
  double *inverse = PL_TAKE(&model->head.arena, double, mesh->point_count);
  if (masses == NULL || inverse == NULL) return pl_fail_memory(error);
  for (int32_t t = 0; t < mesh->tet_count; ++t)
    for (int k = 0; k < 4; ++k)
      masses[mesh->tets[4 * t + k]] += 0.25 * def->density * tet_volume(mesh->points, mesh->tets + 4 * t);
  for (int32_t i = 0; def->density_scales != NULL && i < mesh->point_count; ++i)
    masses[i] *= (double)def->density_scales[i];
  pl_vec3 center = {0, 0, 0};
  for (int32_t i = 0; i < mesh->point_count; ++i) {
    if (!(masses[i] > 0))
      return pl_fail(error, PL_ERROR_INVALID_DATA,
                     "point %d belongs to no tet with volume; remove it or run `pliant check`", i);
    inverse[i] = 1 / masses[i];
    model->head.mass += masses[i];
    center = pl_vec3_add_scaled(center, mesh->points[i], masses[i]);
  }
  model->head.masses = masses;
  model->head.inverse_masses = inverse;
  model->rest_center = pl_vec3_scale(center, 1 / model->head.mass);
  return PL_OK;
}

static bool region_is_flat(const pl_mesh_view *mesh, const pl_rows *rings, int32_t r) {
  const int32_t *ring = rings->items + rings->start[r];
  int32_t count = rings->start[r + 1] - rings->start[r];
  pl_vec3 center = mesh->points[r];
  for (int32_t k = 0; k < count; ++k) center = pl_vec3_add(center, mesh->points[ring[k]]);
  center = pl_vec3_scale(center, 1.0 / (count + 1));
  pl_vec3 q = pl_vec3_sub(mesh->points[r], center);
  pl_mat3 spread = pl_mat3_outer(q, q);
  for (int32_t k = 0; k < count; ++k) {
    q = pl_vec3_sub(mesh->points[ring[k]], center);
    spread = pl_mat3_add(spread, pl_mat3_outer(q, q));
  }
  pl_vec3 values;
  pl_mat3 vectors;
  pl_symmetric_eigen(spread, &values, &vectors);
  return values.z < FLAT_RATIO * values.x;
}

static pl_status choose_regions(pl_arena *scratch, const pl_mesh_view *mesh, region_choice *choice, pl_error *error) {
  int32_t *edges = NULL, edge_count = 0;
  choice->growth = PL_TAKE(scratch, uint8_t, mesh->point_count);
  choice->sizes = PL_TAKE(scratch, int32_t, mesh->point_count);
  if (choice->growth == NULL || choice->sizes == NULL ||
      !pl_edges_find(scratch, pl_elements_of_mesh(mesh), mesh->point_count, &edges, &edge_count) ||
      !pl_rings_find(scratch, edges, edge_count, mesh->point_count, &choice->rings[0]))
    return pl_fail_memory(error);
  for (uint8_t level = 0; level < MAX_GROWTH; ++level) {
    int32_t flat_count = 0;
    for (int32_t r = 0; r < mesh->point_count; ++r)
      if (choice->growth[r] == level && region_is_flat(mesh, &choice->rings[level], r)) {
        choice->growth[r]++;
        flat_count++;
      }
    if (flat_count == 0) break;
    if (!pl_rings_grow(scratch, &choice->rings[level], &choice->rings[0], &choice->rings[level + 1]))
      return pl_fail_memory(error);
  }
  for (int32_t r = 0; r < mesh->point_count; ++r) {
    const pl_rows *rings = &choice->rings[choice->growth[r]];
    choice->sizes[r] = rings->start[r + 1] - rings->start[r] + 1;
  }
  return PL_OK;
}

// The ring of a mesh point.
static const int32_t *ring_of(const region_choice *choice, int32_t point, int32_t *count) {
  const pl_rows *rings = &choice->rings[choice->growth[point]];
  *count = rings->start[point + 1] - rings->start[point];
  return rings->items + rings->start[point];
}

// Rings are short; near ones first is nearly sorted already.
static void sort_rising(int32_t *items, int32_t count) {
  for (int32_t i = 1; i < count; ++i) {
    int32_t item = items[i], k = i;
    for (; k > 0 && items[k - 1] > item; --k) items[k] = items[k - 1];
    items[k] = item;
  }
}

// Which particles make up each region (itself first), and which regions each particle is in.
static pl_status list_incidence(const region_choice *choice, pl_solid_model *model, pl_error *error) {
  int32_t n = model->head.particle_count, padded = LANES * model->group_count, count;
  pl_arena *arena = &model->head.arena;
  int32_t *region_start = PL_TAKE(arena, int32_t, padded + 1), *particle_start = PL_TAKE(arena, int32_t, n + 1);
  if (region_start == NULL || particle_start == NULL) return pl_fail_memory(error);
  int64_t total = 0;
  for (int32_t r = 0; r < n; ++r) {
    ring_of(choice, model->order.point_of[r], &count);
    total += count + 1;
    if (total > INT32_MAX)
      return pl_fail(error, PL_ERROR_UNSUPPORTED, "the mesh has more than 2^31 ring entries; use a coarser one");
    region_start[r + 1] = (int32_t)total;
  }
  for (int32_t r = n; r < padded; ++r) region_start[r + 1] = (int32_t)total;
  int32_t *region_particles = PL_TAKE(arena, int32_t, total), *particle_regions = PL_TAKE(arena, int32_t, total);
  if (region_particles == NULL || particle_regions == NULL) return pl_fail_memory(error);
  for (int32_t r = 0; r < n; ++r) {
    const int32_t *ring = ring_of(choice, model->order.point_of[r], &count);
    int32_t *entry = region_particles + region_start[r];
    entry[0] = r;
    for (int32_t k = 0; k < count; ++k) entry[k + 1] = model->order.particle_of[ring[k]];
    sort_rising(entry + 1, count);
    for (int32_t k = 0; k <= count; ++k) particle_start[entry[k] + 1]++;
  }
  for (int32_t i = 0; i < n; ++i) particle_start[i + 1] += particle_start[i];
  // Fill by walking the regions in order; particle_start serves as the cursor and is shifted back afterwards.
  for (int32_t r = 0; r < n; ++r)
    for (int32_t e = region_start[r]; e < region_start[r + 1]; ++e)
      particle_regions[particle_start[region_particles[e]]++] = r;
  memmove(particle_start + 1, particle_start, (size_t)n * sizeof(int32_t));
  particle_start[0] = 0;
  int32_t *particle_offsets = PL_TAKE(arena, int32_t, total);
  if (particle_offsets == NULL) return pl_fail_memory(error);
  for (int64_t e = 0; e < total; ++e) particle_offsets[e] = particle_regions[e] * (int32_t)sizeof(pl_f4);
  model->particle_offsets = particle_offsets;
  model->region_start = region_start;
  model->region_particles = region_particles;
  model->particle_start = particle_start;
  model->particle_regions = particle_regions;
  return PL_OK;
}

// The effective mass of a particle is its mass over the number of regions it is in, so that the averaged goals keep the
// momentum.
static double effective_mass(const pl_solid_model *model, int32_t particle) {
  return model->masses[particle] / (model->particle_start[particle + 1] - model->particle_start[particle]);
}

static pl_status fill_particles(const pl_mesh_view *mesh, pl_solid_model *model, pl_error *error) {
  int32_t n = mesh->point_count;
  pl_arena *arena = &model->head.arena;
  pl_f4 *rest = PL_TAKE(arena, pl_f4, n);
  float *fractions = PL_TAKE(arena, float, n), *inverse_masses = PL_TAKE(arena, float, n);
  double *masses = PL_TAKE(arena, double, n);
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < n; ++i) masses[i] = model->head.masses[model->order.point_of[i]];
  model->masses = masses;
  double mean = 0;
  for (int32_t i = 0; i < n; ++i) mean += effective_mass(model, i) / n;
  for (int32_t i = 0; i < n; ++i) {
    rest[i] = pl_f4_of_vec3(pl_vec3_sub(mesh->points[model->order.point_of[i]], model->rest_center));
    rest[i][3] = (float)(effective_mass(model, i) / mean);
    fractions[i] = (float)(1.0 / (model->particle_start[i + 1] - model->particle_start[i]));
    inverse_masses[i] = (float)(1 / model->masses[i]);
  }
  model->rest = rest;
  model->region_fractions = fractions;
  model->inverse_masses = inverse_masses;
  return PL_OK;
}

// Centre, mass and size of a region's rest shape, in the units of the masses in `rest`.
static void measure_region(const pl_solid_model *model, int32_t r, pl_vec3 *center, double *mass, double *size) {
  *mass = 0;
  *size = 0;
  *center = (pl_vec3){0, 0, 0};
  for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
    int32_t i = model->region_particles[e];
    double m = (double)model->rest[i][3];
    *mass += m;
    *center = pl_vec3_add_scaled(*center, pl_vec3_of_f4(model->rest[i]), m);
  }
  *center = pl_vec3_scale(*center, 1 / *mass);
  for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
    int32_t i = model->region_particles[e];
    pl_vec3 q = pl_vec3_sub(pl_vec3_of_f4(model->rest[i]), *center);
    *size += (double)model->rest[i][3] * pl_vec3_dot(q, q);
  }
}

static pl_status fill_regions(pl_solid_model *model, pl_error *error) {
  float *constants = PL_TAKE(&model->head.arena, float, (size_t)model->group_count *PL_SOLID_CONSTANT_COUNT *LANES);
  if (constants == NULL) return pl_fail_memory(error);
  model->region_constants = constants;
  for (int32_t r = 0; r < LANES * model->group_count; ++r) {
    float *row = constants + (size_t)(r / LANES) * PL_SOLID_CONSTANT_COUNT * LANES + (size_t)(r % LANES);
    if (r >= model->head.particle_count) {
      row[LANES * PL_SOLID_STIFFNESS] = 1;
      row[LANES * PL_SOLID_PADDING] = 1;
      continue;
    }
    pl_vec3 center;
    double mass, size;
    measure_region(model, r, &center, &mass, &size);
    pl_vec3 arm = pl_vec3_sub(center, pl_vec3_of_f4(model->rest[r]));
    const double values[PL_SOLID_PADDING] = {center.x, center.y, center.z, arm.x, arm.y, arm.z, 1 / mass, 3 / size, 1};
    for (int k = 0; k < PL_SOLID_PADDING; ++k) row[LANES * k] = (float)values[k];
  }
  return PL_OK;
}

// The regions as bodies side by side see them.
static pl_status fill_arms(pl_solid_model *model, pl_error *error) {
  int32_t n = model->head.particle_count;
  if (n > PL_SOLID_MANY_PARTICLES) return PL_OK;
  pl_f4 *arms = PL_TAKE(&model->head.arena, pl_f4, model->region_start[n]);
  if (arms == NULL) return pl_fail_memory(error);
  for (int32_t r = 0; r < n; ++r)
    for (int32_t e = model->region_start[r]; e < model->region_start[r + 1]; ++e) {
      pl_f4 rest = model->rest[model->region_particles[e]];
      arms[e] = rest - model->rest[r];
      arms[e][3] = rest[3];
    }
  model->region_arms = arms;
  return PL_OK;
}

// The regions once more, eight side by side.
static pl_status fill_slots(pl_solid_model *model, pl_error *error) {
  pl_arena *arena = &model->head.arena;
  int32_t *start = PL_TAKE(arena, int32_t, model->group_count + 1);
  if (start == NULL) return pl_fail_memory(error);
  for (int32_t group = 0; group < model->group_count; ++group) {
    int32_t max = 0;
    for (int32_t r = LANES * group; r < LANES * (group + 1); ++r) {
      int32_t count = model->region_start[r + 1] - model->region_start[r];
      max = count > max ? count : max;
    }
    start[group + 1] = start[group] + max;
  }
  int32_t *offsets = PL_TAKE(arena, int32_t, (size_t)start[model->group_count] * LANES);
  if (offsets == NULL) return pl_fail_memory(error);
  for (int32_t r = 0; r < LANES * model->group_count; ++r) {
    int32_t count = model->region_start[r + 1] - model->region_start[r], group = r / LANES;
    int32_t own = r < model->head.particle_count ? r : LANES * group;
    for (int32_t s = start[group]; s < start[group + 1]; ++s) {
      int32_t index = s - start[group];
      int32_t i = index < count ? model->region_particles[model->region_start[r] + index] : own;
      offsets[(size_t)s * LANES + (size_t)(r % LANES)] = i * (int32_t)sizeof(pl_f4);
    }
  }
  model->slot_start = start;
  model->slot_offsets = offsets;
  return PL_OK;
}

// How many particles from its own a group's prefetching along the curve reaches, and what is still in the cache.
enum { FAR = 2048 };

// Bytes of poses or goals from which on they are written past the cache. At 1M particles without examples that saves 4
// of 64 ns; of 1 MB to 6 MB it would cost 7 of 39 to 84 ns.
enum { MIN_STREAMED = 16 << 20 };

static int32_t list_far(const pl_solid_model *model, int32_t group, int32_t *offsets) {
  int32_t count = 0, begin = model->slot_start[group] * LANES, end = model->slot_start[group + 1] * LANES;
  for (int32_t s = begin; s < end; ++s) {
    int32_t distance = model->slot_offsets[s] / (int32_t)sizeof(pl_f4) - group * LANES, k = 0;
    if (distance > -FAR && distance < FAR) continue;
    while (k < count && offsets[k] != model->slot_offsets[s]) ++k;
    if (k == count) offsets[count++] = model->slot_offsets[s];
  }
  return count;
}

// The particles of each group that no order along a curve brings near, once each.
static pl_status fill_far(pl_context *context, pl_solid_model *model, pl_error *error) {
  pl_arena *arena = &model->head.arena;
  int32_t max = 0, *start = PL_TAKE(arena, int32_t, model->group_count + 1);
  for (int32_t g = 0; g < model->group_count; ++g) {
    int32_t count = (model->slot_start[g + 1] - model->slot_start[g]) * LANES;
    max = count > max ? count : max;
  }
  int32_t *found = pl_allocate_array(context, (size_t)max, sizeof(int32_t));
  if (start == NULL || found == NULL) {
    pl_release(context, found);
    return pl_fail_memory(error);
  }
  for (int32_t g = 0; g < model->group_count; ++g) start[g + 1] = start[g] + list_far(model, g, found);
  pl_release(context, found);
  int32_t *offsets = PL_TAKE(arena, int32_t, (size_t)start[model->group_count] + 1);
  if (offsets == NULL) return pl_fail_memory(error);
  for (int32_t g = 0; g < model->group_count; ++g) list_far(model, g, offsets + start[g]);
  model->far_start = start;
  model->far_offsets = offsets;
  return PL_OK;
}

static float *constant_at(float *constants, int32_t region, int32_t row) {
  return constants + ((size_t)(region / LANES) * PL_SOLID_CONSTANT_COUNT + (size_t)row) * LANES +
         (size_t)(region % LANES);
}

static const double CALIBRATION = 0.82;

// 1/s². The scale of the moments is 3 / tr Q in the units of the masses in `rest`, which cancel.
static double stiffness_of_region(const pl_solid_def *def, const pl_solid_model *model, float *constants,
                                  int32_t region) {
  const int32_t *point_of = model->order.point_of;
  double scale = def->stiffness_scales != NULL ? (double)def->stiffness_scales[point_of[region]] : 1;
  if (!(def->young > 0)) return scale * def->stiffness / (def->stiffness_step * def->stiffness_step);
  double mass =
      1 / (double)*constant_at(constants, region, PL_SOLID_INVERSE_MASS);  // if all had the density of the def
  if (def->density_scales != NULL) {
    mass = 0;
    for (int32_t e = model->region_start[region]; e < model->region_start[region + 1]; ++e) {
      int32_t i = model->region_particles[e];
      mass += (double)model->rest[i][3] / (double)def->density_scales[point_of[i]];
    }
  }
  return scale * CALIBRATION * def->young / def->density * mass *
         (double)*constant_at(constants, region, PL_SOLID_SCALE);
}

// Stiffness of every region from a Young's modulus. A uniform strain e costs a region k/2 tr(e Q e) with Q = sum m~ q
// q^T, and its part V of the volume costs E/2 V |e|^2 where there is no lateral contraction, so
//
//   k = E V / (tr Q / 3),   V = sum m~ / density
//
// whatever the size of the cells. `stiffness_scales` multiply it, region by region. What is not uniform within a region
// costs more than in finite elements, and less at the surface: CALIBRATION is what brings the sag of cantilevers of 2
// to 6 cells across within 15 % of them. `frequency_squared` is the largest mean over the regions of a particle, beyond
// which a step cannot be explicit; regions keep their part of it.
static pl_status fill_stiffness(const pl_solid_def *def, pl_solid_model *model, pl_error *error) {
  int32_t n = model->head.particle_count;
  float *stiffnesses = PL_TAKE(&model->head.arena, float, n);
  if (stiffnesses == NULL) return pl_fail_memory(error);
  model->stiffnesses = stiffnesses;
  for (int32_t i = 0; i < n; ++i) stiffnesses[i] = 1;
  if (!(def->young > 0) && def->stiffness_scales == NULL) return PL_OK;
  float *constants = (float *)(uintptr_t)model->region_constants;
  double max = 0;
  for (int32_t i = 0; i < n; ++i) {
    double mean = 0;
    int32_t begin = model->particle_start[i], end = model->particle_start[i + 1];
    for (int32_t e = begin; e < end; ++e)
      mean += stiffness_of_region(def, model, constants, model->particle_regions[e]) / (end - begin);
    max = fmax(max, mean);
  }
  for (int32_t r = 0; r < n; ++r)
    *constant_at(constants, r, PL_SOLID_STIFFNESS) = (float)(stiffness_of_region(def, model, constants, r) / max);
  for (int32_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int32_t e = model->particle_start[i]; e < model->particle_start[i + 1]; ++e)
      sum += (double)*constant_at(constants, model->particle_regions[e], PL_SOLID_STIFFNESS);
    stiffnesses[i] = (float)(sum / (model->particle_start[i + 1] - model->particle_start[i]));
  }
  model->frequency_squared = max;
  return PL_OK;
}

static uint64_t hash_model(const pl_solid_model *model) {
  const pl_model *head = &model->head;
  size_t n = (size_t)head->particle_count, entries = (size_t)model->region_start[n];
  double numbers[] = {model->frequency_squared, model->damping,       head->friction,
                      head->restitution,        head->contact_radius, (double)head->self_contact};
  uint64_t hash = pl_hash_bytes(PL_HASH_START, "solid", 5);
  hash = pl_hash_bytes(hash, numbers, sizeof numbers);
  hash = pl_hash_bytes(hash, head->masses, n * sizeof(double));
  hash = pl_hash_bytes(hash, model->region_particles, entries * sizeof(int32_t));
  hash = pl_hash_bytes(hash, model->rest, n * sizeof(pl_f4));
  hash = pl_hash_bytes(hash, model->stiffnesses, n * sizeof(float));
  const pl_solid_examples *examples = &model->examples;
  double choices[] = {examples->count,         examples->grouping,         examples->weight_rule,
                      examples->goal_rotation, examples->fidelity,         examples->plastic_threshold,
                      examples->plastic_rate,  examples->templates != NULL};
  hash = pl_hash_bytes(hash, choices, sizeof choices);
  size_t numbers_per_group = (size_t)examples->count * SYM3_LANES;
  if (examples->descriptors != NULL)
    hash = pl_hash_bytes(hash, examples->descriptors, (size_t)model->group_count * numbers_per_group * sizeof(float));
  if (examples->templates != NULL)
    hash = pl_hash_bytes(hash, examples->templates, examples->template_start[model->group_count] * sizeof(float));
  if (examples->fractions != NULL)
    hash = pl_hash_bytes(hash, examples->fractions,
                         (size_t)examples->manifold_count * (size_t)model->group_count * LANES * sizeof(float));
  if (examples->fidelity_scales != NULL) {
    hash = pl_hash_bytes(hash, examples->fidelity_scales, n * sizeof(float));
    hash = pl_hash_bytes(hash, examples->plastic_scales, n * sizeof(float));
  }
  hash = pl_hash_bytes(hash, head->surface.parents, 4 * (size_t)head->surface.point_count * sizeof(int32_t));
  hash = pl_hash_bytes(hash, head->surface.weights, 4 * (size_t)head->surface.point_count * sizeof(float));
  return pl_hash_bytes(hash, head->surface.triangles, 3 * (size_t)head->surface.triangle_count * sizeof(int32_t));
}

// The particles that carry each surface point, in our order.
static pl_status place_surface(pl_solid_model *model, pl_error *error) {
  const pl_contact_surface *surface = &model->head.surface;
  int32_t *parents = PL_TAKE(&model->head.arena, int32_t, 4 * (size_t)surface->point_count);
  if (parents == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < 4 * surface->point_count; ++i) parents[i] = model->order.particle_of[surface->parents[i]];
  model->surface_parents = parents;
  return PL_OK;
}

// Factors per point: above 0, or fractions from 0 to 1.
static pl_status check_scales(const char *field, const float *scales, bool are_fractions, int32_t count,
                              pl_error *error) {
  for (int32_t i = 0; scales != NULL && i < count; ++i) {
    bool good = are_fractions ? scales[i] >= 0.0f && scales[i] <= 1.0f : scales[i] > 0.0f && scales[i] <= 1e9f;
    if (!good)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, field, "%g of point %d is out of range; use %s",
                           (double)scales[i], i, are_fractions ? "0 … 1" : "above 0 … 1e9");
  }
  return PL_OK;
}

static pl_status check_maps(const pl_solid_def *def, int32_t count, pl_error *error) {
  pl_status status = check_scales("stiffness_scales", def->stiffness_scales, false, count, error);
  if (status >= 0) status = check_scales("density_scales", def->density_scales, false, count, error);
  if (status >= 0) status = check_scales("fidelity_scales", def->fidelity_scales, true, count, error);
  if (status >= 0) status = check_scales("plastic_scales", def->plastic_scales, true, count, error);
  return status;
}

static pl_status fill_model(pl_context *context, const pl_solid_def *def, const pl_mesh *mesh, pl_solid_model *model,
                            pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_model *head = &model->head;
  head->method = &SOLID_METHOD;
  head->particle_count = view.point_count;
  model->group_count = (view.point_count - 1) / LANES + 1;
  head->box = pl_box_from_points(view.points, view.point_count);
  head->friction = def->friction;
  head->restitution = def->restitution;
  head->contact_radius = head->max_overlap = pl_model_contact_radius(def->contact_radius, head->box);
  head->self_contact = def->self_contact;
  model->frequency_squared = def->stiffness / (def->stiffness_step * def->stiffness_step);
  model->damping = def->damping;
  // The next power of two above the body's size: sums and differences with it are exact.
  model->origin_grid = exp2(ceil(log2(fmax(pl_box_diagonal(head->box), 1e-30))));
  pl_status status = lump_masses(&view, def, model, error);
  pl_arena scratch;
  pl_arena_init(&scratch, context, 0);
  region_choice choice = {0};
  if (status >= 0) status = choose_regions(&scratch, &view, &choice, error);
  if (status >= 0 && !pl_solid_order_build(context, &view, choice.sizes, &head->arena, &model->order))
    status = pl_fail_memory(error);
  if (status >= 0) status = list_incidence(&choice, model, error);
  pl_arena_destroy(&scratch);
  if (status >= 0) status = fill_particles(&view, model, error);
  if (status >= 0) status = fill_regions(model, error);
  if (status >= 0) status = fill_arms(model, error);
  if (status >= 0) status = fill_slots(model, error);
  if (status >= 0) status = fill_far(context, model, error);
  if (status >= 0) status = fill_stiffness(def, model, error);
  if (status >= 0) status = pl_solid_examples_build(context, def, mesh, model, error);
  if (status >= 0) {
    size_t goals = (size_t)model->slot_start[model->group_count] * LANES * sizeof(pl_f4);
    model->streams =
        (model->examples.templates != NULL ? goals : (size_t)view.point_count * PL_SOLID_POSE_BYTES) >= MIN_STREAMED;
  }
  if (status >= 0)
    status =
        pl_body_surface_build(context, mesh, def->surface, def->surface_tolerance, &head->arena, &head->surface, error);
  pl_tet_volume volume = {view.tet_count, view.tets, view.point_count, view.points};
  if (status >= 0 && !pl_tet_map_build(&head->arena, &head->surface, &volume, &head->surface.tet_map))
    status = pl_fail_memory(error);
  if (status >= 0) status = place_surface(model, error);
  head->moves_many = model->region_arms != NULL && model->examples.count == 0;
  if (status >= 0) head->hash = hash_model(model);
  return status;
}

pl_status pl_solid_build(pl_context *context, const pl_solid_def *def, const pl_mesh *mesh, pl_model **model,
                         pl_error *error) {
  *model = NULL;
  pl_status status = pl_solid_def_check(def, error);
  if (status < 0) return status;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (view.tet_count == 0)
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "mesh",
                         "a solid is made of tets and this mesh has none; fill a closed surface with `pliant mesh` or "
                         "pl_lattice_build()");
  if (view.tet_mids != NULL)
    return pl_fail_field(error, PL_ERROR_UNSUPPORTED, "mesh",
                         "a solid is made of linear tets and this mesh has quadratic ones; use pl_mesh_build_linear()");
  if (view.point_count > PL_SOLID_MAX_PARTICLES)
    return pl_fail_field(error, PL_ERROR_UNSUPPORTED, "mesh", "a solid has at most %d particles; use a coarser mesh",
                         PL_SOLID_MAX_PARTICLES);
  status = check_maps(def, view.point_count, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, (size_t)view.point_count * 800 + 4096);
  pl_solid_model *made = PL_TAKE(&arena, pl_solid_model, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->head.arena = arena;
  status = fill_model(context, def, mesh, made, error);
  if (status < 0) {
    pl_model_destroy(&made->head);
    return status;
  }
  *model = &made->head;
  return PL_OK;
}
