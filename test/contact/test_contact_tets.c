// Points of one soft box in another: the contacts are those of the face they came in through or, at rest, are nearest
// to, wherever the boxes are and however much they are squeezed.
// ctest: unit
#include "body/body_method.h"
#include "contact/tet_map.h"
#include "fixtures/solid_bodies.h"

enum { PARTICLES = 64, MAX_CONTACTS = 512 };
static const double SIZE = 0.2, RADIUS = 1e-4;

typedef struct two_boxes {
  pl_context *context;
  pl_model *model;
  pl_vec3 starts[2][PARTICLES], positions[2][PARTICLES], velocities[2][PARTICLES];
  double inverse_masses[PARTICLES];
  pl_contact contacts[MAX_CONTACTS];
} two_boxes;

static void open_boxes(two_boxes *b) {
  b->context = make_context(1);
  pl_solid_def def = pl_default_solid_def();
  b->model = make_box_model(b->context, pl_vec3_of(SIZE, SIZE, SIZE), 3, 3, 3, &def);
  for (int i = 0; i < PARTICLES; ++i) b->inverse_masses[i] = 1;
}

static void close_boxes(two_boxes *b) {
  pl_model_destroy(b->model);
  drop_context(b->context);
}

// The lower box is scaled; the upper one starts and ends at these heights above its own place on top of the lower.
static void place(two_boxes *b, pl_vec3 scale, double start, double end, pl_transform where) {
  const pl_vec3 *rest = b->model->surface.tet_map->rest;
  for (int i = 0; i < PARTICLES; ++i) {
    pl_vec3 low = {scale.x * rest[i].x, scale.y * rest[i].y, scale.z * rest[i].z};
    // Points of the upper box are not above those of the lower.
    pl_vec3 high = {0.3 * rest[i].x + 0.011, rest[i].y + 0.5 * (1 + scale.y) * SIZE, 0.3 * rest[i].z + 0.017};
    b->starts[0][i] = b->positions[0][i] = pl_transform_apply(where, low);
    b->starts[1][i] = pl_transform_apply(where, pl_vec3_add(high, pl_vec3_of(0, start, 0)));
    b->positions[1][i] = pl_transform_apply(where, pl_vec3_add(high, pl_vec3_of(0, end, 0)));
  }
}

static int32_t detect(two_boxes *b) {
  pl_contact_body bodies[2];
  for (int k = 0; k < 2; ++k)
    bodies[k] = (pl_contact_body){.surface = &b->model->surface,
                                  .starts = b->starts[k],
                                  .positions = b->positions[k],
                                  .velocities = b->velocities[k],
                                  .inverse_masses = b->inverse_masses,
                                  .radius = RADIUS};
  pl_contact_solver *solver;
  pl_error error = {0};
  check_ok(pl_contact_solver_create(b->context, &solver, &error), &error);
  check_ok(pl_contact_solver_prepare(solver, bodies, 2, NULL, 0, &error), &error);
  pl_contact_step step = {.step = 1.0 / 240, .rounds = 8, .gravity = {0, -9.81, 0}};
  const pl_contact *contacts;
  int32_t count = 0;
  check_ok(pl_contact_solver_detect(solver, bodies, 2, NULL, 0, &step, &contacts, &count, &error), &error);
  assert_true(count <= MAX_CONTACTS);
  memcpy(b->contacts, contacts, (size_t)count * sizeof *contacts);
  pl_contact_solver_destroy(solver);
  return count;
}

// All contacts of the upper box's 16 lower points are with the upper face, as deep as they are below it.
static void check_face(two_boxes *b, double end, pl_vec3 up) {
  int32_t count = detect(b), found = 0;
  for (int32_t i = 0; i < count; ++i) {
    const pl_contact *c = &b->contacts[i];
    if (c->a.body != 1) continue;
    ++found;
    assert_int_equal(c->a.count, 1);
    check_near(pl_vec3_dot(c->normal, up), 1, 1e-9);
    check_near(c->depth, 2 * RADIUS - end, 1e-9);
    check_near(c->b.weights[0] + c->b.weights[1] + c->b.weights[2], 1, 1e-12);
  }
  assert_int_equal(found, 16);
}

static void a_face_pressed_into_a_face_is_as_deep_as_it_is(void **state) {
  (void)state;
  two_boxes b;
  open_boxes(&b);
  const pl_vec3 one = {1, 1, 1}, up = {0, 1, 0};
  pl_transform places[3] = {pl_transform_identity(),
                            {{5, -7, 3}, pl_quat_from_rotation_vector(pl_vec3_of(0.4, 1, -2))},
                            {{0, 1000, 0}, pl_quat_from_rotation_vector(pl_vec3_of(-1, 0.2, 0.7))}};
  for (int k = 0; k < 3; ++k) {
    pl_vec3 turned = pl_quat_rotate(places[k].rotation, up);
    // Just arrived; at rest within the margin, above and below; pressed in before, deep.
    place(&b, one, 0.004, -0.003, places[k]), check_face(&b, -0.003, turned);
    place(&b, one, 0.0001, 0.0001, places[k]), check_face(&b, 0.0001, turned);
    place(&b, one, -0.0002, -0.0002, places[k]), check_face(&b, -0.0002, turned);
    place(&b, one, -0.03, -0.031, places[k]), check_face(&b, -0.031, turned);
  }
  close_boxes(&b);
}

// Squeezed to 0.7 of its width, the sides are nearer than the face above; at rest they are not.
static void the_way_out_of_a_squeezed_body_is_that_of_the_rest_shape(void **state) {
  (void)state;
  two_boxes b;
  open_boxes(&b);
  place(&b, pl_vec3_of(0.7, 1, 0.7), -0.03, -0.03, pl_transform_identity());
  check_face(&b, -0.03, pl_vec3_of(0, 1, 0));
  place(&b, pl_vec3_of(1, 0.3, 1), -0.01, -0.01, pl_transform_identity());
  check_face(&b, -0.01, pl_vec3_of(0, 1, 0));
  close_boxes(&b);
}

static void boxes_apart_have_no_contacts(void **state) {
  (void)state;
  two_boxes b;
  open_boxes(&b);
  place(&b, pl_vec3_of(1, 1, 1), 0.01, 0.004, pl_transform_identity());
  assert_int_equal(detect(&b), 0);
  close_boxes(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_face_pressed_into_a_face_is_as_deep_as_it_is),
                                     cmocka_unit_test(the_way_out_of_a_squeezed_body_is_that_of_the_rest_shape),
                                     cmocka_unit_test(boxes_apart_have_no_contacts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
