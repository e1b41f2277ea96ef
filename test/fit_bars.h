// Bars held at one end, bent by gravity, and their motions after being let go: what tests of estimation start from.
#ifndef PL_TEST_FIT_BARS_H
#define PL_TEST_FIT_BARS_H

#include "capture/fit_parts.h"
#include "fem_bodies.h"
#include "pliant/solver.h"

enum { MAX_BAR_FRAMES = 64 };

// A bar of 1 x 0.2 x 0.2 m of 100 kg/m³ in gravity along -y. The straight mesh is taken as the static shape.
typedef struct fit_bar {
  pl_context *context;
  pl_mesh *mesh;
  int32_t *pinned, pinned_count, point_count;
  pl_field *field;
  pl_fit_def def;
  pl_fit_sequence sequences[2];
  pl_vec3 *starts[2], *positions[2];
} fit_bar;

static inline void open_bar(fit_bar *bar, int32_t threads, int32_t control_count, const int32_t cells[3]) {
  pl_error error = {0};
  memset(bar, 0, sizeof *bar);
  bar->context = make_context(threads);
  bar->mesh = make_fem_box(bar->context, (pl_vec3){1, 0.2, 0.2}, cells[0], cells[1], cells[2]);
  bar->point_count = pl_mesh_get_view(bar->mesh).point_count;
  bar->pinned = list_left_points(bar->mesh, -0.499, &bar->pinned_count);
  pl_field_def field = pl_default_field_def();
  field.placement = control_count > 1 ? PL_FIELD_ALONG_AXIS : PL_FIELD_UNIFORM;
  field.control_count = control_count;
  check_ok(pl_field_build(bar->context, &field, bar->mesh, &bar->field, &error), &error);
  bar->def = pl_default_fit_def();
  bar->def.density = 100;
  bar->def.pinned = bar->pinned;
  bar->def.pinned_count = bar->pinned_count;
  bar->def.field = bar->field;
  bar->def.steps_per_frame = 1;
  bar->def.direct = pl_cholmod_backend();
}

static inline void close_bar(fit_bar *bar) {
  for (int i = 0; i < 2; ++i) free(bar->starts[i]), free(bar->positions[i]);
  pl_field_destroy(bar->field);
  free(bar->pinned);
  pl_mesh_destroy(bar->mesh);
  drop_context(bar->context);
}

static inline pl_fit *make_fit(fit_bar *bar, int32_t sequence_count) {
  pl_error error = {0};
  pl_fit *fit = NULL;
  check_ok(pl_fit_create(bar->context, &bar->def, bar->mesh, &(pl_fit_sequences){bar->sequences, sequence_count}, &fit, &error),
           &error);
  return fit;
}

// Motions with the given values (moduli, Poisson's ratio, both dampings): let go from a bend in two directions, and from a twist.
static inline void make_motions(fit_bar *bar, const double *values, int32_t frame_count, double frame_seconds) {
  pl_error error = {0};
  const pl_vec3 *rest = pl_mesh_get_view(bar->mesh).points;
  size_t n = (size_t)bar->point_count, all = n * (size_t)frame_count;
  for (int s = 0; s < 2; ++s) {
    bar->starts[s] = calloc(n, sizeof(pl_vec3));
    bar->positions[s] = calloc(all, sizeof(pl_vec3));
    for (size_t i = 0; i < n; ++i) {
      double t = rest[i].x + 0.5, bend = t * t * (3 - t), angle = s == 1 ? 0.6 * t : 0;
      bar->starts[s][i] =
          (pl_vec3){rest[i].x, cos(angle) * rest[i].y - sin(angle) * rest[i].z, sin(angle) * rest[i].y + cos(angle) * rest[i].z};
      if (s == 0) bar->starts[s][i].y += 0.015 * bend, bar->starts[s][i].z += 0.02 * bend, bar->starts[s][i].x += 0.02 * t;
    }
    bar->sequences[s] = (pl_fit_sequence){.frame_count = frame_count,
                                          .frame_seconds = frame_seconds,
                                          .positions = bar->positions[s],
                                          .start_positions = bar->starts[s]};
  }
  pl_fit *fit = make_fit(bar, 2);
  check_ok(pl_fit_set_values(fit, values, &error), &error);
  for (int s = 0; s < 2; ++s) check_ok(pl_fit_predict(fit, &bar->sequences[s], bar->positions[s], NULL, &error), &error);
  pl_fit_destroy(fit);
}

#endif
