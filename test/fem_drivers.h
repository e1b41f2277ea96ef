// Drivers of finite-element bodies that ask for anything at all, and bodies of every kind that adapts.
#ifndef PL_TEST_FEM_DRIVERS_H
#define PL_TEST_FEM_DRIVERS_H

#include "base/random.h"
#include "fem/fem_driver.h"
#include "fem_bodies.h"
#include "math/mat3.h"
#include "pliant/math.h"

enum { ADAPTING_COUNT = 6 };

static const pl_fem_material ADAPTING[ADAPTING_COUNT] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_EDGES,
                                                         PL_FEM_SHELL,     PL_FEM_PLANE,       PL_FEM_CURVE};
static const char *const ADAPTING_NAMES[ADAPTING_COUNT] = {"corotated", "neo-Hookean", "edges", "shell", "plane", "curve"};

static inline pl_mesh *make_adapting_mesh(pl_context *context, pl_fem_material material) {
  if (material == PL_FEM_CURVE) return make_fem_chain(context, 0.4, 6);
  if (material >= PL_FEM_SHELL) return make_fem_sheet(context, 0.3, 3, 2);
  return make_fem_box(context, (pl_vec3){0.3, 0.2, 0.2}, 2, 1, 2);
}

// One element's corners, stretched and sheared by up to `size` each, turned and moved anywhere: alone, whatever its neighbours do.
static inline void put_wild_element(pl_random *random, const pl_fem_model *model, const pl_fem_group *group, int32_t element,
                                    double size, double *rest) {
  pl_mat3 change = pl_mat3_identity();
  for (int i = 0; i < 9; ++i) change.m[i / 3][i % 3] += pl_random_between(random, -size, size);
  pl_vec3 turn = {pl_random_between(random, -3, 3), pl_random_between(random, -3, 3), pl_random_between(random, -3, 3)};
  pl_vec3 shift = {pl_random_between(random, -1, 1), pl_random_between(random, -1, 1), pl_random_between(random, -1, 1)};
  if (model->planar) {
    for (int i = 0; i < 2; ++i) change.m[i][2] = change.m[2][i] = 0;
    turn.x = turn.y = shift.z = 0;
  }
  pl_quat rotation = pl_quat_from_rotation_vector(turn);
  for (int32_t k = group->corner_count * element; k < group->corner_count * (element + 1); ++k)
    pl_fem_put(rest, k, pl_vec3_add(shift, pl_quat_rotate(rotation, pl_mat3_apply(change, pl_fem_vector(group->starts, k)))));
}

static inline void put_wild_rest(const pl_fem_model *model, uint64_t seed, double size, double *const *rest) {
  pl_random random = pl_random_of_seed(seed);
  for (int32_t g = 0; g < model->group_count; ++g)
    for (int32_t e = 0; e < model->groups[g].element_count; ++e)
      put_wild_element(&random, model, &model->groups[g], e, size, rest[g]);
}

// Other rest shapes in every step, told by the time alone, so that a restored world goes on with the same.
typedef struct wild_driver {
  pl_fem_driver driver;
  double size;
  int32_t chosen, finished;
  int32_t fail_at;  // the choice that fails, counted from 1; 0: none
  pl_fem_report report;
} wild_driver;

static inline pl_status choose_wildly(void *user, pl_fem_choice *choice, pl_error *error) {
  (void)error;
  wild_driver *wild = user;
  double steps = choice->move->time / choice->move->step;
  put_wild_rest(choice->model, 17 + (uint64_t)(steps + 0.5), wild->size, choice->state.rest);
  return ++wild->chosen == wild->fail_at ? PL_ERROR_INVALID_DATA : PL_OK;
}

static inline void finish_wildly(void *user, const pl_fem_choice *choice) {
  wild_driver *wild = user;
  wild->finished++;
  wild->report = choice->work->report;
}

static inline void begin_wild_driver(wild_driver *wild, double size) {
  *wild = (wild_driver){.driver = {choose_wildly, finish_wildly, wild}, .size = size};
}

#endif
