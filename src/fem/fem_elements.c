// From a mesh to lists of elements, one per energy, with material parameters, and to lumped masses.
//
// Parameters of paper 004's energies follow from Young's modulus E, Poisson's ratio v and thickness t such that small
// strains and curvatures cost what they cost in a continuum (README.md has the derivation of each):
//
//   curve   k_l = E t²/4                k_b = E t⁴/12                       square cross-section of side t
//   shell   k_l = E t / (2√3 (1 + v))   k_a = E t (3 v - 1) / (2 (1 - v²))   k_b = E t³ / (12 (1 - v²))
//   plane   k_l = E t / (1 + v)         k_a = E t v / (1 - v²)
//   edges   k_l = 15 μ/4                k_v = λ - μ                          on average over directions
//
// For edges v >= 1/4 keeps k_v from being negative.
//
// A hinge between two elements has the mean of their moduli; an edge of a shell half the sum of those of its triangles,
// which makes it half as stiff at the border, where it stands for one triangle only.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "fem/fem_model.h"
#include "fem/fem_quadratic.h"
#include "mesh/topology.h"
#include "pliant/math.h"

typedef struct builder {
  pl_context *context;
  const pl_fem_def *def;
  const pl_mesh_view *mesh;
  pl_fem_model *model;
  pl_arena scratch;
  double *masses, *loads;  // loads: NULL where they are the masses
  double size_sum;         // of elements
} builder;

// A group while it is filled.
typedef struct group_arrays {
  int32_t *corners;
  double *starts, *parameters, *weights;
} group_arrays;

static double scale_of(const builder *b, int32_t element) {
  return b->def->young_scales != NULL ? b->def->young_scales[element] : 1;
}

static double density_of(const builder *b, int32_t element) {
  return b->def->density_scales != NULL ? b->def->density * b->def->density_scales[element] : b->def->density;
}

static pl_vec3 point_of(const builder *b, int32_t point) {
  return b->mesh->points[point];
}

static bool add_group(builder *b, const pl_fem_energy *energy, pl_fem_shape shape, int32_t count,
                      group_arrays *arrays) {
  pl_arena *arena = &b->model->head.arena;
  size_t n = (size_t)count, k = (size_t)energy->corner_count;
  *arrays = (group_arrays){PL_TAKE(arena, int32_t, n * k), PL_TAKE(arena, double, 3 * n * k),
                           PL_TAKE(arena, double, n *(size_t)energy->parameter_count), PL_TAKE(arena, double, n)};
  int32_t index = b->model->group_count++;
  b->model->groups[index] = (pl_fem_group){.energy = energy,
                                           .shape = shape,
                                           .element_count = count,
                                           .corner_count = energy->corner_count,
                                           .corners = arrays->corners,
                                           .starts = arrays->starts,
                                           .parameters = arrays->parameters,
                                           .weights = arrays->weights};
  b->model->element_start[index + 1] = b->model->element_start[index] + count;
  return !arena->failed;
}

// Corners and rest shape of one element.
static void set_element(const builder *b, group_arrays *arrays, int32_t width, int32_t element,
                        const int32_t *corners) {
  for (int32_t k = 0; k < width; ++k) {
    arrays->corners[width * element + k] = corners[k];
    pl_fem_put(arrays->starts, width * element + k, point_of(b, corners[k]));
  }
}

// --- tets ---------------------------------------------------------------------------------------------------------

static double tet_volume(const builder *b, const int32_t *tet, double *longest) {
  *longest = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j) *longest = fmax(*longest, pl_vec3_distance(point_of(b, tet[i]), point_of(b, tet[j])));
  pl_vec3 a = point_of(b, tet[0]), u = pl_vec3_sub(point_of(b, tet[1]), a), v = pl_vec3_sub(point_of(b, tet[2]), a);
  return pl_vec3_dot(pl_vec3_cross(u, v), pl_vec3_sub(point_of(b, tet[3]), a)) / 6;
}

static void set_parameters(const builder *b, const pl_fem_energy *energy, int32_t tet, double *p) {
  const pl_fem_def *def = b->def;
  double young = def->young * scale_of(b, tet);
  p[0] = young;
  p[1] = def->poisson;
  if (energy->parameter_count > 2) {
    p[2] = def->stiffening;
    p[3] = def->late_stiffening;
  }
  if (energy == &pl_fem_edge_tet) {
    double mu = young / (2 * (1 + def->poisson)), lambda = 2 * mu * def->poisson / (1 - 2 * def->poisson);
    p[0] = 3.75 * mu;
    p[1] = lambda - mu;
  }
}

static pl_status add_tets(builder *b, const pl_fem_energy *energy, pl_error *error) {
  group_arrays arrays;
  const pl_fem_def *def = b->def;
  if (!add_group(b, energy, PL_FEM_SHAPE_SOLID, b->mesh->tet_count, &arrays)) return pl_fail_memory(error);
  for (int32_t t = 0; t < b->mesh->tet_count; ++t) {
    const int32_t *tet = b->mesh->tets + 4 * (ptrdiff_t)t;
    double longest, volume = tet_volume(b, tet, &longest);
    if (!(volume > 1e-12 * longest * longest * longest))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "tet %d is flat or inside out (volume %g m³); run `pliant check`", t,
                     volume);
    set_element(b, &arrays, 4, t, tet);
    set_parameters(b, energy, t, arrays.parameters + (ptrdiff_t)energy->parameter_count * t);
    arrays.weights[t] = volume;
    b->size_sum += cbrt(8.485281374238570 * volume);  // edge of the regular tet of this volume
    for (int k = 0; k < 4; ++k) b->masses[tet[k]] += 0.25 * density_of(b, t) * volume;
  }
  b->model->element_size = b->size_sum / b->mesh->tet_count;
  b->model->force_scale = def->young * b->model->element_size * b->model->element_size;
  return PL_OK;
}

// --- quadratic tets -----------------------------------------------------------------------------------------------

static pl_status fail_folded(int32_t tet, pl_error *error) {
  return pl_fail(error, PL_ERROR_INVALID_DATA,
                 "tet %d is flat, inside out or folded by the nodes on its edges; run `pliant check`", tet);
}

static pl_status add_quadratic(builder *b, const pl_fem_energy *energy, pl_error *error) {
  group_arrays arrays;
  const pl_fem_def *def = b->def;
  b->loads = PL_TAKE(&b->model->head.arena, double, b->mesh->point_count);
  if (b->loads == NULL || !add_group(b, energy, PL_FEM_SHAPE_SOLID, b->mesh->tet_count, &arrays))
    return pl_fail_memory(error);
  for (int32_t t = 0; t < b->mesh->tet_count; ++t) {
    int32_t nodes[PL_FEM_QUADRATIC_NODES];
    memcpy(nodes, b->mesh->tets + 4 * (ptrdiff_t)t, 4 * sizeof(int32_t));
    memcpy(nodes + 4, b->mesh->tet_mids + 6 * (ptrdiff_t)t, 6 * sizeof(int32_t));
    double longest, straight = tet_volume(b, nodes, &longest), volume = 0;
    if (!(straight > 1e-12 * longest * longest * longest)) return fail_folded(t, error);
    set_element(b, &arrays, PL_FEM_QUADRATIC_NODES, t, nodes);
    pl_fem_quadratic_rest rest;
    pl_fem_quadratic_rest_of(arrays.starts + PL_FEM_QUADRATIC_VALUES * (ptrdiff_t)t, &rest);
    for (int q = 0; q < PL_FEM_QUADRATIC_POINTS; ++q) {
      if (!(rest.weights[q] > 1e-14 * longest * longest * longest)) return fail_folded(t, error);
      volume += rest.weights[q];
    }
    double *p = arrays.parameters + (ptrdiff_t)energy->parameter_count * t;
    set_parameters(b, energy, t, p);
    arrays.weights[t] = volume;
    b->size_sum += 0.5 * cbrt(8.485281374238570 * volume);  // nodes are half an edge apart
    for (int k = 0; k < PL_FEM_QUADRATIC_NODES; ++k) {
      b->masses[nodes[k]] += pl_fem_quadratic_shares[k] * density_of(b, t) * volume;
      for (int q = 0; q < PL_FEM_QUADRATIC_POINTS; ++q)
        b->loads[nodes[k]] += pl_fem_quadratic_values[q][k] * density_of(b, t) * rest.weights[q];
    }
  }
  b->model->element_size = b->size_sum / b->mesh->tet_count;
  b->model->force_scale = def->young * b->model->element_size * b->model->element_size;
  return PL_OK;
}

// --- triangles ----------------------------------------------------------------------------------------------------

static pl_status compute_areas(builder *b, double *areas, pl_error *error) {
  for (int32_t t = 0; t < b->mesh->triangle_count; ++t) {
    const int32_t *c = b->mesh->triangles + 3 * (ptrdiff_t)t;
    pl_vec3 u = pl_vec3_sub(point_of(b, c[1]), point_of(b, c[0])),
            v = pl_vec3_sub(point_of(b, c[2]), point_of(b, c[0]));
    areas[t] = 0.5 * pl_vec3_length(pl_vec3_cross(u, v));
    if (!(areas[t] > 1e-10 * (pl_vec3_dot(u, u) + pl_vec3_dot(v, v))))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "triangle %d has no area; run `pliant check`", t);
    b->size_sum += sqrt(2.309401076758503 * areas[t]);  // edge of the equilateral triangle of this area
    for (int k = 0; k < 3; ++k) b->masses[c[k]] += density_of(b, t) * b->def->thickness * areas[t] / 3;
  }
  b->model->element_size = b->size_sum / b->mesh->triangle_count;
  b->model->force_scale = b->def->young * b->def->thickness * b->model->element_size;
  return PL_OK;
}

static pl_status add_plane(builder *b, const double *areas, pl_error *error) {
  group_arrays arrays;
  const pl_fem_def *def = b->def;
  if (!add_group(b, &pl_fem_plane_triangle, PL_FEM_SHAPE_TRIANGLE, b->mesh->triangle_count, &arrays))
    return pl_fail_memory(error);
  for (int32_t t = 0; t < b->mesh->triangle_count; ++t) {
    double young = def->young * def->thickness * scale_of(b, t);
    set_element(b, &arrays, 3, t, b->mesh->triangles + 3 * (ptrdiff_t)t);
    arrays.parameters[2 * t] = young / (1 + def->poisson);
    arrays.parameters[2 * t + 1] = young * def->poisson / (1 - def->poisson * def->poisson);
    arrays.weights[t] = areas[t];
  }
  return PL_OK;
}

static pl_status add_shell_edges(builder *b, pl_elements triangles, pl_error *error) {
  int32_t *edges, edge_count;
  group_arrays arrays;
  if (!pl_edges_find(&b->scratch, triangles, b->mesh->point_count, &edges, &edge_count) ||
      !add_group(b, &pl_fem_shell_stretch, PL_FEM_SHAPE_LENGTH, edge_count, &arrays))
    return pl_fail_memory(error);
  double whole = b->def->young * b->def->thickness / (2 * sqrt(3) * (1 + b->def->poisson));
  for (int32_t e = 0; e < edge_count; ++e) set_element(b, &arrays, 2, e, edges + 2 * (ptrdiff_t)e);
  for (int32_t t = 0; t < triangles.count; ++t)
    for (int k = 0; k < 3; ++k) {
      const int32_t *c = triangles.corners + 3 * (ptrdiff_t)t;
      arrays.parameters[pl_edges_index_of(edges, edge_count, c[k], c[(k + 1) % 3])] += 0.5 * whole * scale_of(b, t);
    }
  for (int32_t e = 0; e < edge_count; ++e) arrays.weights[e] = 4 * arrays.parameters[e];
  return PL_OK;
}

static pl_status add_shell_areas(builder *b, pl_error *error) {
  group_arrays arrays;
  double v = b->def->poisson, whole = b->def->young * b->def->thickness * (3 * v - 1) / (2 * (1 - v * v));
  if (!add_group(b, &pl_fem_shell_area, PL_FEM_SHAPE_TRIANGLE, b->mesh->triangle_count, &arrays))
    return pl_fail_memory(error);
  for (int32_t t = 0; t < b->mesh->triangle_count; ++t) {
    set_element(b, &arrays, 3, t, b->mesh->triangles + 3 * (ptrdiff_t)t);
    arrays.parameters[t] = whole * scale_of(b, t);  // the projection to examples leaves areas to the edges: weight 0
  }
  return PL_OK;
}

// The corner of a triangle that is none of the edge's.
static int32_t opposite(const int32_t *triangle, int32_t p, int32_t q) {
  for (int k = 0; k < 3; ++k)
    if (triangle[k] != p && triangle[k] != q) return triangle[k];
  return -1;
}

static pl_status add_shell_hinges(builder *b, pl_elements triangles, const double *areas, pl_error *error) {
  int32_t *neighbours, count = 0;
  if (!pl_neighbours_find(&b->scratch, triangles, b->mesh->point_count, &neighbours)) return pl_fail_memory(error);
  for (int32_t s = 0; s < 3 * triangles.count; ++s) count += neighbours[s] > s / 3;
  group_arrays arrays;
  if (!add_group(b, &pl_fem_shell_hinge, PL_FEM_SHAPE_HINGE, count, &arrays)) return pl_fail_memory(error);
  const pl_fem_def *def = b->def;
  double whole = def->young * pow(def->thickness, 3) / (12 * (1 - def->poisson * def->poisson));
  int32_t hinge = 0;
  for (int32_t s = 0; s < 3 * triangles.count; ++s) {
    int32_t t = s / 3, other = neighbours[s];
    if (other <= t) continue;
    const int32_t *c = triangles.corners + 3 * (ptrdiff_t)t;
    int32_t p = c[(s + 1) % 3], q = c[(s + 2) % 3], far = opposite(triangles.corners + 3 * (ptrdiff_t)other, p, q);
    set_element(b, &arrays, 4, hinge, (const int32_t[4]){p, q, c[s % 3], far});
    arrays.parameters[hinge] = whole * 0.5 * (scale_of(b, t) + scale_of(b, other));
    double length = pl_vec3_distance(point_of(b, p), point_of(b, q));
    arrays.weights[hinge] = arrays.parameters[hinge] * length * length / (areas[t] + areas[other]);
    hinge++;
  }
  return PL_OK;
}

static pl_status add_triangles(builder *b, pl_error *error) {
  pl_elements triangles = {b->mesh->triangles, b->mesh->triangle_count, 3};
  double *areas = PL_TAKE(&b->scratch, double, triangles.count);
  if (areas == NULL) return pl_fail_memory(error);
  pl_status status = compute_areas(b, areas, error);
  if (status < 0) return status;
  if (b->def->material == PL_FEM_PLANE) return add_plane(b, areas, error);
  status = add_shell_edges(b, triangles, error);
  if (status >= 0) status = add_shell_areas(b, error);
  if (status >= 0) status = add_shell_hinges(b, triangles, areas, error);
  return status;
}

// --- segments -----------------------------------------------------------------------------------------------------

static pl_status add_segments(builder *b, double *lengths, pl_error *error) {
  const pl_fem_def *def = b->def;
  double section = def->thickness * def->thickness;
  group_arrays arrays;
  if (!add_group(b, &pl_fem_curve_stretch, PL_FEM_SHAPE_LENGTH, b->mesh->segment_count, &arrays))
    return pl_fail_memory(error);
  for (int32_t s = 0; s < b->mesh->segment_count; ++s) {
    const int32_t *ends = b->mesh->segments + 2 * (ptrdiff_t)s;
    lengths[s] = pl_vec3_distance(point_of(b, ends[0]), point_of(b, ends[1]));
    if (!(lengths[s] > 0))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "segment %d has no length; run `pliant check`", s);
    set_element(b, &arrays, 2, s, ends);
    arrays.parameters[s] = 0.25 * def->young * section * scale_of(b, s);
    arrays.weights[s] = 4 * arrays.parameters[s] / lengths[s];
    b->size_sum += lengths[s];
    for (int k = 0; k < 2; ++k) b->masses[ends[k]] += 0.5 * density_of(b, s) * section * lengths[s];
  }
  b->model->element_size = b->size_sum / b->mesh->segment_count;
  b->model->force_scale = def->young * section;
  return PL_OK;
}

// One turning angle for every pair of segments that meet in a point.
static pl_status add_turns(builder *b, const double *lengths, pl_error *error) {
  const int32_t *ends = b->mesh->segments;
  pl_rows rows;
  if (!pl_elements_of_points(&b->scratch, (pl_elements){ends, b->mesh->segment_count, 2}, b->mesh->point_count, &rows))
    return pl_fail_memory(error);
  int64_t count = 0;
  for (int32_t p = 0; p < b->mesh->point_count; ++p) {
    int64_t valence = rows.start[p + 1] - rows.start[p];
    count += valence * (valence - 1) / 2;
  }
  if (count > INT32_MAX / 4) return pl_fail(error, PL_ERROR_UNSUPPORTED, "too many segments meet in the same points");
  group_arrays arrays;
  if (!add_group(b, &pl_fem_curve_bend, PL_FEM_SHAPE_TURN, (int32_t)count, &arrays)) return pl_fail_memory(error);
  double whole = b->def->young * pow(b->def->thickness, 4) / 12;
  int32_t turn = 0;
  for (int32_t p = 0; p < b->mesh->point_count; ++p)
    for (int32_t i = rows.start[p]; i < rows.start[p + 1]; ++i)
      for (int32_t j = rows.start[p]; j < i; ++j) {
        int32_t s = rows.items[j], t = rows.items[i];
        int32_t from = ends[2 * s] == p ? ends[2 * s + 1] : ends[2 * s],
                to = ends[2 * t] == p ? ends[2 * t + 1] : ends[2 * t];
        set_element(b, &arrays, 3, turn, (const int32_t[3]){from, p, to});
        arrays.parameters[turn] = whole * 0.5 * (scale_of(b, s) + scale_of(b, t));
        arrays.weights[turn] = 2 * arrays.parameters[turn] / (lengths[s] + lengths[t]);
        turn++;
      }
  return PL_OK;
}

static pl_status add_curve(builder *b, pl_error *error) {
  double *lengths = PL_TAKE(&b->scratch, double, b->mesh->segment_count);
  if (lengths == NULL) return pl_fail_memory(error);
  pl_status status = add_segments(b, lengths, error);
  return status < 0 ? status : add_turns(b, lengths, error);
}

// --- all ----------------------------------------------------------------------------------------------------------

static pl_status add_elements(builder *b, pl_error *error) {
  bool quadratic = b->def->element == PL_FEM_QUADRATIC;
  switch (b->def->material) {
    case PL_FEM_COROTATED:
      return quadratic ? add_quadratic(b, &pl_fem_corotated_quadratic, error)
                       : add_tets(b, &pl_fem_corotated_tet, error);
    case PL_FEM_NEO_HOOKEAN:
      return quadratic ? add_quadratic(b, &pl_fem_neo_hookean_quadratic, error)
                       : add_tets(b, &pl_fem_neo_hookean_tet, error);
    case PL_FEM_YEOH:
      return quadratic ? add_quadratic(b, &pl_fem_yeoh_quadratic, error) : add_tets(b, &pl_fem_yeoh_tet, error);
    case PL_FEM_EDGES: return add_tets(b, &pl_fem_edge_tet, error);
    case PL_FEM_SHELL:
    case PL_FEM_PLANE: return add_triangles(b, error);
    case PL_FEM_CURVE: return add_curve(b, error);
    case PL_FEM_FAST: break;
  }
  return pl_fail_field(error, PL_ERROR_UNSUPPORTED, "material", "this material is not made of these elements");
}

static pl_status finish_masses(builder *b, pl_error *error) {
  int32_t n = b->mesh->point_count;
  pl_model *head = &b->model->head;
  double *inverse = PL_TAKE(&head->arena, double, n), *rest = PL_TAKE(&head->arena, double, 3 * (size_t)n);
  if (inverse == NULL || rest == NULL) return pl_fail_memory(error);
  pl_vec3 center = {0, 0, 0};
  for (int32_t i = 0; i < n; ++i) {
    if (b->def->added_masses != NULL) b->masses[i] += b->def->added_masses[i];
    if (b->def->added_masses != NULL && b->loads != NULL) b->loads[i] += b->def->added_masses[i];
    if (!(b->masses[i] > 0))
      return pl_fail(error, PL_ERROR_INVALID_DATA,
                     "point %d belongs to no element of this material; remove it or run `pliant check`", i);
    inverse[i] = 1 / b->masses[i];
    head->mass += b->masses[i];
    center = pl_vec3_add_scaled(center, point_of(b, i), b->masses[i]);
    pl_fem_put(rest, i, point_of(b, i));
  }
  b->model->rest_center = pl_vec3_scale(center, 1 / head->mass);
  b->model->rest_points = rest;
  b->model->load_masses = b->loads != NULL ? b->loads : b->masses;
  head->inverse_masses = inverse;
  return PL_OK;
}

static pl_status check_factors(const char *field, const double *factors, int32_t count, pl_error *error) {
  for (int32_t i = 0; factors != NULL && i < count; ++i)
    if (!(factors[i] > 0) || !isfinite(factors[i]))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, field, "factor %d is %g; use positive numbers", i,
                           factors[i]);
  return PL_OK;
}

static pl_status check_masses(const pl_fem_def *def, int32_t point_count, pl_error *error) {
  for (int32_t i = 0; def->added_masses != NULL && i < point_count; ++i)
    if (!(def->added_masses[i] >= 0) || !isfinite(def->added_masses[i]))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "added_masses", "mass %d is %g kg; use 0 or more", i,
                           def->added_masses[i]);
  return PL_OK;
}

static pl_status check_plane(const pl_mesh_view *mesh, pl_error *error) {
  double reach = pl_box_diagonal(pl_box_from_points(mesh->points, mesh->point_count));
  for (int32_t i = 0; i < mesh->point_count; ++i)
    if (fabs(mesh->points[i].z - mesh->points[0].z) > 1e-9 * reach)
      return pl_fail(error, PL_ERROR_INVALID_DATA,
                     "point %d is not in the plane z = %g; this material lives in a plane", i, mesh->points[0].z);
  return PL_OK;
}

pl_status pl_fem_elements_build(pl_context *context, const pl_fem_def *def, const pl_mesh_view *mesh,
                                pl_fem_model *model, pl_error *error) {
  builder b = {.context = context, .def = def, .mesh = mesh, .model = model};
  bool solid = pl_fem_is_solid(def->material), flat = def->material == PL_FEM_SHELL || def->material == PL_FEM_PLANE;
  int32_t count = solid ? mesh->tet_count : flat ? mesh->triangle_count : mesh->segment_count;
  model->planar = def->material == PL_FEM_PLANE || def->material == PL_FEM_CURVE;
  if (count == 0)
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "mesh", "this material is made of %s and the mesh has none",
                         solid  ? "tets"
                         : flat ? "triangles"
                                : "segments");
  pl_status status = check_factors("young_scales", def->young_scales, count, error);
  if (status >= 0) status = check_factors("density_scales", def->density_scales, count, error);
  if (status >= 0) status = check_masses(def, mesh->point_count, error);
  if (status >= 0 && model->planar) status = check_plane(mesh, error);
  if (status < 0) return status;
  b.masses = PL_TAKE(&model->head.arena, double, mesh->point_count);
  if (b.masses == NULL) return pl_fail_memory(error);
  model->head.masses = b.masses;
  pl_arena_init(&b.scratch, context, 0);
  status = add_elements(&b, error);
  pl_arena_destroy(&b.scratch);
  if (status >= 0) status = finish_masses(&b, error);
  return status;
}
