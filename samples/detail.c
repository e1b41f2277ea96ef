// Dents and wrinkles on top of a simulation that is not ours: one recorded press, reused wherever a finger goes.
//
// The "simulation" is a formula here: a smooth dent that follows a finger over a cushion. All that a filter wants of a
// simulation are the displacements of some points inside, the surface as it is now, and the contacts.
#include <math.h>
#include <pliant/runtime.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct cushion {
  pl_detail_object object;
  pl_vec3 *displacements, *coarse, *surface;
} cushion;

// The host's simulation: how a point at rest moves when the finger presses `depth` metres at (x, z).
static pl_vec3 dent(pl_vec3 p, double x, double z, double depth) {
  double bell = exp(-((p.x - x) * (p.x - x) + (p.z - z) * (p.z - z)) / 0.008);
  return (pl_vec3){0, -depth * bell * (0.6 + 4 * p.y), 0};
}

static void simulate(cushion *c, double x, double z, double depth) {
  for (int32_t i = 0; i < c->object.material_count; ++i)
    c->displacements[i] = dent(c->object.material_points[i], x, z, depth);
  for (int32_t i = 0; i < c->object.surface_count; ++i) {
    pl_vec3 p = c->object.surface_points[i], u = dent(p, x, z, depth);
    c->coarse[i] = (pl_vec3){p.x, p.y + u.y, p.z};
  }
}

static pl_detail_contact finger_at(double x, double z, double depth) {
  return (pl_detail_contact){.point = {x, 0.1 - depth, z}, .normal = {0, 1, 0}, .pressure = 1};
}

// What was seen when the true cushion was pressed in its middle: a ring of folds around the finger.
static pl_status record(pl_context *context, cushion *c, pl_detail_set **set, pl_error *error) {
  simulate(c, 0, 0, 0.02);
  for (int32_t i = 0; i < c->object.surface_count; ++i) {
    pl_vec3 p = c->object.surface_points[i];
    double r = sqrt(p.x * p.x + p.z * p.z) / 0.18;
    c->surface[i] = c->coarse[i];
    if (p.y > 0.099 && r < 1) c->surface[i].y += 0.004 * (1 - r * r) * (1 - r * r) * cos(12 * r);
  }
  pl_detail_recording recording = {"middle",  &c->object, c->displacements,
                                   c->coarse, c->surface, finger_at(0, 0, 0.02)};
  pl_detail_def def = pl_default_detail_def();
  def.window_radius = 0.08;
  def.stamp_radius = 0.22;
  return pl_detail_set_build(context, &def, &(pl_detail_recordings){&recording, 1, NULL}, set, NULL, error);
}

// The finger goes from the middle to the edge and lifts off; what is added to the surface is printed.
static pl_status play(cushion *c, pl_detail_filter *filter, pl_error *error) {
  printf("finger at   depth   weight   folds up to\n");
  for (int frame = 0; frame <= 8; ++frame) {
    double x = 0.05 * frame, depth = frame < 8 ? 0.02 : 0, max = 0;
    simulate(c, x, 0, depth);
    pl_detail_contact finger = finger_at(x, 0, depth);
    pl_detail_frame now = {c->displacements, c->coarse, 1, &finger};
    pl_detail_contact_report report;
    pl_status status = pl_detail_filter_apply(filter, &now, c->surface, &report, error);
    if (status < 0) return status;
    for (int32_t i = 0; i < c->object.surface_count; ++i) max = fmax(max, fabs(c->surface[i].y - c->coarse[i].y));
    printf("%6.2f m %7.1f mm %7.2f %9.2f mm\n", x, 1e3 * depth, report.best_weight, 1e3 * max);
  }
  return PL_OK;
}

int main(void) {
  pl_error error = {0};
  pl_context *context = NULL;
  pl_mesh *mesh = NULL, *boundary = NULL;
  pl_detail_set *set = NULL;
  pl_detail_filter *filter = NULL;
  pl_context_def context_def = pl_default_context_def();
  pl_status status = pl_context_create(&context_def, &context, &error);
  if (status >= 0)
    status = pl_mesh_create_box(context, (pl_vec3){0.8, 0.2, 0.8}, (const int32_t[3]){32, 8, 32}, &mesh, &error);
  if (status >= 0) status = pl_mesh_build_boundary(context, mesh, &boundary, NULL, &error);
  if (status < 0) return 1;
  cushion c = {.object = pl_detail_object_from_mesh(mesh, boundary, NULL)};
  c.displacements = calloc((size_t)c.object.material_count + 2 * (size_t)c.object.surface_count, sizeof(pl_vec3));
  if (c.displacements == NULL) return 1;
  c.coarse = c.displacements + c.object.material_count;
  c.surface = c.coarse + c.object.surface_count;
  status = record(context, &c, &set, &error);
  pl_detail_filter_def filter_def = pl_default_detail_filter_def();
  filter_def.set = set;
  filter_def.object = &c.object;
  if (status >= 0) status = pl_detail_filter_create(context, &filter_def, &filter, &error);
  if (status >= 0) status = play(&c, filter, &error);
  if (status < 0) fprintf(stderr, "%s: %s\n", pl_status_text(status), error.text);
  pl_detail_filter_destroy(filter);
  pl_detail_set_destroy(set);
  free(c.displacements);
  pl_mesh_destroy(boundary);
  pl_mesh_destroy(mesh);
  pl_context_destroy(context);
  return status < 0;
}
