// Small bodies of every material with a space of rest shapes of every kind, for tests.
#ifndef PL_TEST_REST_SPACES_H
#define PL_TEST_REST_SPACES_H

#include "actor/actor_space.h"
#include "base/random.h"
#include "check.h"
#include "fem/fem_system.h"
#include "pliant/math.h"
#include "pliant/runtime.h"
#include "solvers/eigen_modes.h"

enum { REST_EXAMPLES = 3 };

typedef struct rest_subject {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  const pl_fem_model *fem;
  pl_arena arena;
  pl_fem_system system;
  pl_block_matrix matrix;
  pl_mesh_pose *poses;  // REST_EXAMPLES, in the arena: defs point to them
  pl_actor_def def;
  pl_rest_space *space;
  double *rest[PL_FEM_MAX_GROUPS];
  int32_t n, size;  // numbers of a pose; parameters
} rest_subject;

// Two cells of tets, or a bent strip of triangles or segments.
static inline pl_mesh *make_rest_mesh(pl_context *context, pl_fem_material material) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  if (material <= PL_FEM_EDGES) {
    check_ok(pl_mesh_create_box(context, (pl_vec3){0.4, 0.2, 0.2}, (const int32_t[3]){2, 1, 1}, &mesh, &error), &error);
    return mesh;
  }
  static const int32_t triangles[] = {0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5}, segments[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5};
  bool planar = material != PL_FEM_SHELL;
  pl_vec3 points[6];
  for (int i = 0; i < 6; ++i) points[i] = (pl_vec3){0.1 * i, 0.17 * (i % 2) + 0.02 * i * i, planar ? 0 : 0.03 * i * i};
  pl_mesh_view view = {.point_count = 6, .points = points};
  if (material == PL_FEM_CURVE)
    view.segments = segments, view.segment_count = 5;
  else
    view.triangles = triangles, view.triangle_count = 4;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  return mesh;
}

// Rotation by `angle` about an axis of length 1.
static inline pl_vec3 turn_about(pl_vec3 v, pl_vec3 axis, double angle) {
  pl_vec3 across = pl_vec3_cross(axis, v), along = pl_vec3_scale(axis, pl_vec3_dot(axis, v));
  pl_vec3 rest = pl_vec3_sub(v, along);
  return pl_vec3_add(along, pl_vec3_add(pl_vec3_scale(rest, cos(angle)), pl_vec3_scale(across, sin(angle))));
}

// Example 0: stretched and bent in the plane x, y; 1: bent the other way and turned by 200 degrees, far away; 2: only the last
// point moved.
static inline pl_vec3 bend_point(pl_vec3 p, int32_t example, bool planar) {
  if (example == 2) return pl_vec3_add(p, pl_vec3_of(0.02, 0.03, planar ? 0 : -0.02));
  double bow = example == 0 ? 0.6 : -0.5, x = example == 0 ? 1.2 * p.x : 0.9 * p.x;
  pl_vec3 bent = {x, p.y * (example == 0 ? 0.9 : 1.1) + bow * x * x, planar ? p.z : p.z + 0.3 * x * p.y};
  if (example == 0) return bent;
  pl_vec3 axis = planar ? pl_vec3_of(0, 0, 1) : pl_vec3_normalize_or(pl_vec3_of(1, 2, -1), pl_vec3_of(1, 0, 0));
  return pl_vec3_add(turn_about(bent, axis, 200 * PL_PI / 180), pl_vec3_of(30, -7, planar ? 0 : 11));
}

static inline void make_rest_poses(rest_subject *s) {
  static const char *const names[REST_EXAMPLES] = {"stretched", "turned", "local"};
  pl_mesh_view view = pl_mesh_get_view(s->mesh);
  s->poses = PL_TAKE(&s->arena, pl_mesh_pose, REST_EXAMPLES);
  for (int32_t k = 0; k < REST_EXAMPLES; ++k) {
    pl_vec3 *points = PL_TAKE(&s->arena, pl_vec3, view.point_count);
    for (int32_t i = 0; i < view.point_count; ++i)
      points[i] = k == 2 && i + 1 < view.point_count ? view.points[i] : bend_point(view.points[i], k, s->fem->planar);
    s->poses[k] = (pl_mesh_pose){names[k], points};
  }
}

static inline pl_actor_def make_rest_def(const rest_subject *s, pl_rest_kind kind) {
  static const int32_t groups[REST_EXAMPLES] = {0, 0, 1};
  return (pl_actor_def){.rest = kind,
                        .cage_point_count = 12,
                        .examples = s->poses,
                        .example_count = REST_EXAMPLES,
                        .example_groups = groups,
                        .mode_count = 4,
                        .regularisation = 0.7,
                        .rate_regularisation = 0.3,
                        .volume_regularisation = 2,
                        .bend_regularisation = 3,
                        .hull_penalty = 5};
}

// Without the space.
static inline rest_subject make_rest_body(pl_context *context, pl_fem_material material) {
  rest_subject s = {.context = context, .mesh = make_rest_mesh(context, material)};
  pl_error error = {0};
  pl_fem_def def = pl_default_fem_def(material);
  check_ok(pl_fem_build(context, &def, s.mesh, &s.model, &error), &error);
  s.fem = (const pl_fem_model *)s.model;
  pl_arena_init(&s.arena, context, 0);
  s.n = 3 * s.fem->head.particle_count;
  assert_true(pl_fem_system_take(&s.arena, context, s.fem, &s.system));
  assert_true(pl_block_matrix_take(&s.arena, &s.fem->pattern, &s.matrix));
  for (int32_t g = 0; g < s.fem->group_count; ++g)
    s.rest[g] = PL_TAKE(&s.arena, double, 3 * (size_t)(s.fem->groups[g].corner_count * s.fem->groups[g].element_count));
  make_rest_poses(&s);
  return s;
}

static inline rest_subject make_rest_subject(pl_context *context, pl_fem_material material, pl_rest_kind kind) {
  rest_subject s = make_rest_body(context, material);
  pl_error error = {0};
  s.def = make_rest_def(&s, kind);
  check_ok(pl_rest_space_build(context, &s.def, s.fem, s.mesh, &s.space, &error), &error);
  s.size = pl_rest_space_size(s.space);
  return s;
}

static inline void drop_rest_subject(rest_subject *s) {
  pl_rest_space_destroy(s->space);
  pl_arena_destroy(&s->arena);
  pl_model_destroy(s->model);
  pl_mesh_destroy(s->mesh);
}

// Use the rest shapes of p.
static inline void use_rest(rest_subject *s, const double *p) {
  pl_rest_space_shape(s->space, p, s->rest);
  pl_fem_system_use(&s->system, (const double *const *)s->rest, NULL);
}

// Parameters that strain the body by some percent.
static inline void choose_parameters(const rest_subject *s, uint64_t seed, double *p) {
  pl_random random = pl_random_of_seed(seed);
  double size = s->def.rest == PL_REST_EXAMPLES ? 0.3 : s->def.rest == PL_REST_MODES ? 0.3 : 0.01;
  for (int32_t k = 0; k < s->size; ++k) p[k] = size * pl_random_between(&random, -1, 1);
}

static inline void choose_pose(const rest_subject *s, uint64_t seed, double *x) {
  pl_random random = pl_random_of_seed(seed);
  for (int32_t i = 0; i < s->n; ++i) {
    bool held = s->fem->planar && i % 3 == 2;
    x[i] = s->fem->rest_points[i] + (held ? 0 : 0.02 * pl_random_between(&random, -1, 1));
  }
}

static inline bool kind_is_available(pl_rest_kind kind) {
  return kind != PL_REST_MODES || pl_eigen_is_available();
}

static const pl_fem_material rest_materials[] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_EDGES,
                                                 PL_FEM_SHELL,     PL_FEM_PLANE,       PL_FEM_CURVE};

#endif
