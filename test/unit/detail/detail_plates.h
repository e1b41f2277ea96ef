// A plate whose coarse and fine dents are given by formulas: recordings without a simulation.
#ifndef PL_TEST_DETAIL_PLATES_H
#define PL_TEST_DETAIL_PLATES_H

#include "check.h"
#include "mesh/topology.h"
#include "pliant/detail.h"
#include "pliant/math.h"

// Tets of a box 1 x 1 x 0.2 around the origin, z up, with its boundary as surface; or such a box cut.
typedef struct plate {
  pl_mesh *mesh, *surface;
  pl_detail_object object;
  int32_t *material_of_surface;
  pl_vec3 *displacements, *coarse, *fine, *found;
} plate;

static const double PLATE_TOP = 0.1, PLATE_WINDOW = 0.12, PLATE_STAMP = 0.3;

static inline void take_mesh(pl_context *context, plate *p) {
  pl_error error = {0};
  pl_mesh_view tets = pl_mesh_get_view(p->mesh);
  p->material_of_surface = malloc((size_t)tets.point_count * sizeof(int32_t));
  check_ok(pl_mesh_build_boundary(context, p->mesh, &p->surface, p->material_of_surface, &error), &error);
  pl_mesh_view surface = pl_mesh_get_view(p->surface);
  p->object = pl_detail_object_from_mesh(p->mesh, p->surface, p->material_of_surface);
  p->displacements = calloc((size_t)tets.point_count, sizeof(pl_vec3));
  p->coarse = calloc((size_t)surface.point_count, sizeof(pl_vec3));
  p->fine = calloc((size_t)surface.point_count, sizeof(pl_vec3));
  p->found = calloc((size_t)surface.point_count, sizeof(pl_vec3));
}

static inline plate make_plate(pl_context *context, int32_t cells) {
  plate p = {0};
  pl_error error = {0};
  const int32_t counts[3] = {cells, cells, cells / 5 > 2 ? cells / 5 : 2};
  check_ok(pl_mesh_create_box(context, pl_vec3_of(1, 1, 2 * PLATE_TOP), counts, &p.mesh, &error), &error);
  take_mesh(context, &p);
  return p;
}

static inline void drop_plate(plate *p) {
  pl_mesh_destroy(p->mesh);
  pl_mesh_destroy(p->surface);
  free(p->material_of_surface);
  free(p->displacements);
  free(p->coarse);
  free(p->fine);
  free(p->found);
}

// A press: how deep, where, and how the body is moved as a whole.
typedef struct press {
  pl_vec3 center;  // on the top
  double depth;
  pl_quat rotation;
  pl_vec3 shift;
} press;

static inline press press_at(double x, double y, double depth) {
  return (press){{x, y, PLATE_TOP}, depth, pl_quat_identity(), {0, 0, 0}};
}

// The coarse body: a wide, smooth dent that grows weaker with depth, before the whole is moved.
static inline pl_vec3 coarse_dent(const press *load, pl_vec3 x) {
  double dx = x.x - load->center.x, dy = x.y - load->center.y, r2 = dx * dx + dy * dy;
  double bell = exp(-r2 / (2 * 0.1 * 0.1)), weak = 0.6 + 2 * x.z;
  return pl_vec3_of(-2 * load->depth * dx * bell, -2 * load->depth * dy * bell, -load->depth * bell * weak);
}

// What the true surface has besides: a sharper dent with a wall around it and a fold on one side, over before the stamp fades out.
static inline pl_vec3 fine_detail(const press *load, pl_vec3 x) {
  double dx = x.x - load->center.x, dy = x.y - load->center.y, r = sqrt(dx * dx + dy * dy), reach = 0.7 * PLATE_STAMP;
  if (r >= reach || x.z < PLATE_TOP - 1e-9) return pl_vec3_of(0, 0, 0);
  double t = r / reach, fade = (1 - t * t) * (1 - t * t);
  return pl_vec3_scale(pl_vec3_of(0.2 * dx / reach, 0, 0.5 * cos(6 * t) + 0.2 * dx / reach), load->depth * fade);
}

static inline pl_vec3 carry(const press *load, pl_vec3 x) {
  return pl_vec3_add(pl_quat_rotate(load->rotation, x), load->shift);
}

// Fill displacements and both surfaces.
static inline void press_plate(plate *p, const press *load) {
  for (int32_t i = 0; i < p->object.material_count; ++i) {
    pl_vec3 x = p->object.material_points[i];
    p->displacements[i] = pl_vec3_sub(carry(load, pl_vec3_add(x, coarse_dent(load, x))), x);
  }
  for (int32_t i = 0; i < p->object.surface_count; ++i) {
    pl_vec3 x = p->object.surface_points[i], y = pl_vec3_add(x, coarse_dent(load, x));
    p->coarse[i] = carry(load, y);
    p->fine[i] = carry(load, pl_vec3_add(y, fine_detail(load, x)));
  }
}

static inline pl_detail_contact contact_of(const press *load) {
  return (pl_detail_contact){.point = carry(load, pl_vec3_add(load->center, coarse_dent(load, load->center))),
                             .normal = pl_quat_rotate(load->rotation, pl_vec3_of(0, 0, 1)),
                             .pressure = 1};
}

static inline pl_detail_def plate_def(void) {
  pl_detail_def def = pl_default_detail_def();
  def.window_radius = PLATE_WINDOW;
  def.stamp_radius = PLATE_STAMP;
  return def;
}

// A set of one press in the middle.
static inline pl_detail_set *record_middle(pl_context *context, plate *p, double depth) {
  press in_the_middle = press_at(0, 0, depth);
  press_plate(p, &in_the_middle);
  pl_detail_recording recording = {.label = "middle",
                                   .object = &p->object,
                                   .material_displacements = p->displacements,
                                   .coarse_points = p->coarse,
                                   .fine_points = p->fine,
                                   .contact = contact_of(&in_the_middle)};
  pl_detail_def def = plate_def();
  pl_detail_set *set = NULL;
  pl_error error = {0};
  check_ok(pl_detail_set_build(context, &def, &(pl_detail_recordings){&recording, 1, NULL}, &set, NULL, &error), &error);
  return set;
}

static inline pl_detail_filter *filter_of(pl_context *context, const pl_detail_set *set, const plate *p) {
  pl_detail_filter_def def = pl_default_detail_filter_def();
  def.set = set;
  def.object = &p->object;
  pl_detail_filter *filter = NULL;
  pl_error error = {0};
  check_ok(pl_detail_filter_create(context, &def, &filter, &error), &error);
  return filter;
}

static inline void enrich(pl_detail_filter *filter, plate *p, const pl_detail_contact *contacts, int32_t contact_count,
                          pl_detail_contact_report *reports) {
  pl_detail_frame frame = {p->displacements, p->coarse, contact_count, contacts};
  pl_error error = {0};
  check_ok(pl_detail_filter_apply(filter, &frame, p->found, reports, &error), &error);
}

// A plate with a filter that knows one press in its middle.
typedef struct filtered_plate {
  pl_context *context;
  plate p;
  pl_detail_set *set;
  pl_detail_filter *filter;
  pl_detail_contact contact;        // of the last press …
  pl_detail_contact_report report;  // … and what it came to
} filtered_plate;

static inline filtered_plate open_filtered(pl_context *context, int32_t cells, double depth) {
  filtered_plate f = {.context = context, .p = make_plate(context, cells)};
  f.set = record_middle(context, &f.p, depth);
  f.filter = filter_of(context, f.set, &f.p);
  return f;
}

static inline void close_filtered(filtered_plate *f) {
  pl_detail_filter_destroy(f->filter);
  pl_detail_set_destroy(f->set);
  drop_plate(&f->p);
  drop_context(f->context);
}

// Press and enrich.
static inline void press_filtered(filtered_plate *f, const press *load) {
  press_plate(&f->p, load);
  f->contact = contact_of(load);
  enrich(f->filter, &f->p, &f->contact, 1, &f->report);
}

static inline pl_vec3 *copy_found(const plate *p) {
  pl_vec3 *copy = malloc((size_t)p->object.surface_count * sizeof *copy);
  memcpy(copy, p->found, (size_t)p->object.surface_count * sizeof *copy);
  return copy;
}

// Bit by bit.
static inline void check_same_points(const plate *p, const pl_vec3 *a, const pl_vec3 *b) {
  assert_memory_equal(a, b, (size_t)p->object.surface_count * sizeof *a);
}

// Root mean square of a - b over that of c - d.
static inline double fraction_missing(const pl_vec3 *a, const pl_vec3 *b, const pl_vec3 *c, const pl_vec3 *d, int32_t count) {
  double off = 0, whole = 0;
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 x = pl_vec3_sub(a[i], b[i]), y = pl_vec3_sub(c[i], d[i]);
    off += pl_vec3_dot(x, x);
    whole += pl_vec3_dot(y, y);
  }
  return sqrt(off / whole);
}

#endif
