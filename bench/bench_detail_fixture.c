// A pillow, presses by formulas, and databases of any size made from them.
//
// A press is a smooth dent that follows a finger, with some of it sideways; the true surface has a ring of folds around
// the finger that leans to where it is dragged. No simulation runs: what is measured with this does not ask where
// displacements come from.
#include "bench_detail_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool_print.h"

static const double WIDTH = 0.4, HEIGHT = 0.12, WINDOW = 0.04, STAMP = 0.1;

enum { CHUNK = 250, FITTED = 100, MAX_INTERPOLATED = 2048 };

// Half the thickness of the pillow at (x, z), which go from -1 to 1.
static double half_height(double x, double z) {
  return 0.5 * HEIGHT * (0.12 + 0.88 * sqrt(fmax((1 - x * x * x * x) * (1 - z * z * z * z), 0)));
}

// A box of tets bent to the pillow, or its boundary alone.
static pl_status make_pillow(pl_context *context, int32_t cells, pl_mesh **mesh, pl_error *error) {
  pl_mesh *box = NULL;
  int32_t layers = cells / 4 > 2 ? cells / 4 : 2;
  pl_status status =
      pl_mesh_create_box(context, (pl_vec3){2, 2, 2}, (const int32_t[3]){cells, layers, cells}, &box, error);
  if (status < 0) return status;
  pl_mesh_view view = pl_mesh_get_view(box);
  pl_vec3 *points = tool_allocate((size_t)view.point_count, sizeof *points);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = view.points[i];
    points[i] = (pl_vec3){0.5 * WIDTH * p.x, half_height(p.x, p.z) * p.y, 0.5 * WIDTH * p.z};
  }
  view.points = points;
  status = pl_mesh_create(context, &view, mesh, error);
  free(points);
  pl_mesh_destroy(box);
  return status;
}

static void find_anchors(pl_mesh_view tets, pl_mesh_view surface, int32_t *anchors) {
  for (int32_t i = 0; i < surface.point_count; ++i) {
    double min = HUGE_VAL;
    for (int32_t m = 0; m < tets.point_count; ++m) {
      pl_vec3 a = surface.points[i], b = tets.points[m];
      double square = (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z);
      if (!(square < min)) continue;
      min = square;
      anchors[i] = m;
    }
  }
}

pl_status detail_pillow_open(pl_context *context, int32_t cells, int32_t surface_cells, detail_pillow *pillow,
                             pl_error *error) {
  pl_mesh *finer = NULL;
  pl_status status = make_pillow(context, cells, &pillow->mesh, error);
  if (status >= 0 && surface_cells > 0) status = make_pillow(context, surface_cells, &finer, error);
  const pl_mesh *source = finer == NULL ? pillow->mesh : finer;
  if (status < 0) return status;
  pillow->anchors = tool_allocate((size_t)pl_mesh_get_view(source).point_count, sizeof(int32_t));
  status = pl_mesh_build_boundary(context, source, &pillow->surface, pillow->anchors, error);
  pl_mesh_destroy(finer);
  if (status < 0) return status;
  pl_mesh_view tets = pl_mesh_get_view(pillow->mesh), surface = pl_mesh_get_view(pillow->surface);
  if (surface_cells > 0) find_anchors(tets, surface, pillow->anchors);
  pillow->object = pl_detail_object_from_mesh(pillow->mesh, pillow->surface, pillow->anchors);
  pillow->displacements = tool_allocate((size_t)tets.point_count, sizeof(pl_vec3));
  pillow->coarse = tool_allocate((size_t)surface.point_count, sizeof(pl_vec3));
  pillow->fine = tool_allocate((size_t)surface.point_count, sizeof(pl_vec3));
  pillow->found = tool_allocate((size_t)surface.point_count, sizeof(pl_vec3));
  return PL_OK;
}

void detail_pillow_close(detail_pillow *pillow) {
  free(pillow->displacements);
  free(pillow->coarse);
  free(pillow->fine);
  free(pillow->found);
  free(pillow->anchors);
  pl_mesh_destroy(pillow->surface);
  pl_mesh_destroy(pillow->mesh);
  *pillow = (detail_pillow){.mesh = NULL};
}

detail_press detail_press_take(int32_t n) {
  // Multiples of the powers of the root of x^5 = x + 1 fill a cube of four dimensions evenly.
  static const double steps[4] = {0.85667488385450287, 0.73389185662660870, 0.62870672104183040, 0.53859725722361070};
  double u[4], whole;
  for (int k = 0; k < 4; ++k) u[k] = modf(0.5 + (n + 1) * steps[k], &whole);
  double angle = 2 * PL_PI * u[2], lean = u[3];
  return (detail_press){0.9 * WIDTH * (u[0] - 0.5),
                        0.9 * WIDTH * (u[1] - 0.5),
                        {0.015 * lean * cos(angle), -0.02, 0.015 * lean * sin(angle)}};
}

double detail_pillow_top(double x, double z) {
  return half_height(2 * x / WIDTH, 2 * z / WIDTH);
}

static pl_vec3 coarse_dent(const detail_press *press, pl_vec3 p) {
  double dx = p.x - press->x, dz = p.z - press->z, bell = exp(-(dx * dx + dz * dz) / (2 * 0.04 * 0.04));
  double top = detail_pillow_top(press->x, press->z), fraction = bell * fmin(fmax(0.6 + 0.4 * p.y / top, 0), 1);
  return (pl_vec3){fraction * press->push.x, fraction * press->push.y, fraction * press->push.z};
}

pl_vec3 detail_press_folds(const detail_press *press, pl_vec3 p) {
  double dx = p.x - press->x, dz = p.z - press->z, r = sqrt(dx * dx + dz * dz) / (0.7 * STAMP);
  if (r >= 1 || p.y < 0) return (pl_vec3){0, 0, 0};
  double ahead = (dx * press->push.x + dz * press->push.z) / (0.015 * STAMP), fade = (1 - r * r) * (1 - r * r);
  return (pl_vec3){0, 0.006 * fade * (cos(9 * r) + ahead), 0};
}

static pl_vec3 sum_of(pl_vec3 a, pl_vec3 b) {
  return (pl_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

void detail_pillow_press(detail_pillow *pillow, const detail_press *press) {
  const pl_detail_object *object = &pillow->object;
  for (int32_t i = 0; i < object->material_count; ++i)
    pillow->displacements[i] = coarse_dent(press, object->material_points[i]);
  for (int32_t i = 0; i < object->surface_count; ++i) {
    pl_vec3 p = object->surface_points[i];
    pillow->coarse[i] = sum_of(p, coarse_dent(press, p));
    pillow->fine[i] = sum_of(pillow->coarse[i], detail_press_folds(press, p));
  }
}

pl_detail_contact detail_pillow_contact(const detail_press *press) {
  pl_vec3 top = {press->x, detail_pillow_top(press->x, press->z), press->z};
  return (pl_detail_contact){.point = sum_of(top, coarse_dent(press, top)), .normal = {0, 1, 0}, .pressure = 1};
}

pl_detail_def detail_pillow_def(int32_t resolution) {
  pl_detail_def def = pl_default_detail_def();
  def.window_radius = WINDOW;
  def.stamp_radius = STAMP;
  def.stamp_resolution = resolution;
  def.load_reference = 0;
  return def;
}

pl_status detail_set_record(pl_context *context, detail_pillow *pillow, const pl_detail_def *def, int32_t begin,
                            int32_t count, pl_detail_set **set, pl_error *error) {
  size_t material_count = (size_t)pillow->object.material_count, surface_count = (size_t)pillow->object.surface_count;
  size_t each = material_count + 2 * surface_count;
  pl_vec3 *arrays = tool_allocate((size_t)count * each, sizeof *arrays);
  pl_detail_recording *recordings = tool_allocate((size_t)count, sizeof *recordings);
  for (int32_t i = 0; i < count; ++i) {
    detail_press press = detail_press_take(begin + i);
    pl_vec3 *displacements = arrays + (size_t)i * each, *coarse = displacements + material_count,
            *fine = coarse + surface_count;
    detail_pillow_press(pillow, &press);
    memcpy(displacements, pillow->displacements, material_count * sizeof *arrays);
    memcpy(coarse, pillow->coarse, surface_count * sizeof *arrays);
    memcpy(fine, pillow->fine, surface_count * sizeof *arrays);
    recordings[i] = (pl_detail_recording){.object = &pillow->object,
                                          .material_displacements = displacements,
                                          .coarse_points = coarse,
                                          .fine_points = fine,
                                          .contact = detail_pillow_contact(&press)};
  }
  pl_status status =
      pl_detail_set_build(context, def, &(pl_detail_recordings){recordings, count, NULL}, set, NULL, error);
  free(recordings);
  free(arrays);
  return status;
}

// Keys, sizes and stamps of all presses, recorded a few hundred at a time.
static pl_status gather(pl_context *context, detail_pillow *pillow, pl_detail_set_view *view, float *keys, float *sizes,
                        float *stamps, pl_error *error) {
  pl_status status = PL_OK;
  size_t samples =
      4 * (size_t)view->def.stamp_sides * (size_t)(view->def.stamp_resolution * view->def.stamp_resolution);
  pl_detail_def def = view->def;
  def.plain_weights = true;
  for (int32_t begin = 0; begin < view->example_count && status >= 0; begin += CHUNK) {
    int32_t count = view->example_count - begin < CHUNK ? view->example_count - begin : CHUNK;
    pl_detail_set *part = NULL;
    status = detail_set_record(context, pillow, &def, begin, count, &part, error);
    if (status < 0) break;
    pl_detail_set_view there = pl_detail_set_get_view(part);
    size_t key_size = (size_t)there.key_size;
    view->key_size = there.key_size;
    memcpy(keys + (size_t)begin * key_size, there.keys, (size_t)count * key_size * sizeof *keys);
    memcpy(sizes + begin, there.sizes, (size_t)count * sizeof *sizes);
    memcpy(stamps + (size_t)begin * samples, there.stamps, (size_t)count * samples * sizeof *stamps);
    pl_detail_set_destroy(part);
  }
  return status;
}

static pl_status make_database(pl_context *context, detail_pillow *pillow, pl_detail_set_view *view,
                               pl_detail_set **set, pl_error *error) {
  enum { MAX_KEY = 80 };
  size_t count = (size_t)view->example_count,
         samples =
             4 * (size_t)view->def.stamp_sides * (size_t)(view->def.stamp_resolution * view->def.stamp_resolution);
  float *keys = tool_allocate(count * MAX_KEY, sizeof *keys), *sizes = tool_allocate(count, sizeof *sizes),
        *stamps = tool_allocate(count * samples, sizeof *stamps);
  const char **labels = tool_allocate(count, sizeof *labels);
  for (size_t i = 0; i < count; ++i) labels[i] = "";
  view->labels = labels;
  view->keys = keys;
  view->sizes = sizes;
  view->stamps = stamps;
  view->def.plain_weights = view->example_count > MAX_INTERPOLATED;
  pl_status status = gather(context, pillow, view, keys, sizes, stamps, error);
  if (status >= 0) status = pl_detail_set_create(context, view, set, error);
  for (int tries = 0; tries < 20 && status == PL_ERROR_INVALID_DATA; ++tries) {
    view->def.site_width *= 0.8;
    view->def.load_width *= 0.8;
    status = pl_detail_set_create(context, view, set, error);
  }
  free(keys);
  free(sizes);
  free(stamps);
  free(labels);
  return status;
}

pl_status detail_database_open(pl_context *context, int32_t count, pl_detail_set **set, pl_error *error) {
  detail_pillow pillow = {.mesh = NULL};
  pl_detail_set *fitted = NULL;
  pl_detail_def def = detail_pillow_def(8);
  *set = NULL;
  pl_status status = detail_pillow_open(context, 10, 0, &pillow, error);
  if (status >= 0)
    status = detail_set_record(context, &pillow, &def, 0, count < FITTED ? count : FITTED, &fitted, error);
  if (status >= 0) {
    pl_detail_set_view view = {.def = pl_detail_set_get_view(fitted).def, .example_count = count};
    status = make_database(context, &pillow, &view, set, error);
  }
  pl_detail_set_destroy(fitted);
  detail_pillow_close(&pillow);
  return status;
}
