// Arms of contacts and joints, and how bodies answer to impulses on them.
#include "contact/contact_terms.h"

#include "contact/surface_tree.h"
#include "pliant/math.h"

// A particle that carries several of the points has one term, or its answer would be counted apart.
static int32_t add_term(int32_t particle, double weight, pl_contact_term *terms, int32_t count) {
  int32_t i = 0;
  while (i < count && terms[i].particle != particle) ++i;
  if (i < count)
    terms[i].weight += weight;
  else
    terms[count++] = (pl_contact_term){particle, weight};
  return count;
}

static int32_t add_point(const pl_contact_surface *surface, int32_t point, double scale, pl_contact_term *terms,
                         int32_t count) {
  const int32_t *parents = &surface->parents[4 * (size_t)point];
  const float *weights = &surface->weights[4 * (size_t)point];
  // Most points are particles themselves.
  bool is_particle = weights[0] == 1.0f && weights[1] == 0.0f && weights[2] == 0.0f && weights[3] == 0.0f;
  if (is_particle) return add_term(parents[0], scale, terms, count);
  // Single-precision weights miss 1 by some 1e-8; equal and opposite impulses must not.
  double sum = 0;
  for (int k = 0; k < 4; ++k) sum += (double)weights[k];
  for (int k = 0; k < 4; ++k)
    if (weights[k] != 0.0f) count = add_term(parents[k], scale * (double)weights[k] / sum, terms, count);
  return count;
}

pl_contact_arm pl_contact_arm_of_side(const pl_contact_body *bodies, const pl_contact_side *side,
                                      pl_contact_term *terms) {
  pl_contact_arm arm = {.body = side->count > 0 ? side->body : -1, .terms = terms};
  if (arm.body < 0) return arm;
  const pl_contact_body *body = &bodies[side->body];
  if (body->rigid != NULL) {
    pl_vec3 point = {0, 0, 0};
    for (int32_t k = 0; k < side->count; ++k)
      point = pl_vec3_add_scaled(point, pl_contact_surface_point(body->surface, side->points[k], body->positions),
                                 side->weights[k]);
    arm.lever = pl_vec3_sub(point, body->rigid->center);
    return arm;
  }
  // The points of a surface with a map of tets are particles, and those of a side different ones.
  if (body->surface->tet_map != NULL) {
    for (int32_t k = 0; k < side->count; ++k)
      if (side->weights[k] != 0)
        terms[arm.count++] = (pl_contact_term){body->surface->parents[4 * (size_t)side->points[k]], side->weights[k]};
    return arm;
  }
  for (int32_t k = 0; k < side->count; ++k)
    if (side->weights[k] != 0)
      arm.count = add_point(body->surface, side->points[k], side->weights[k], terms, arm.count);
  return arm;
}

pl_contact_arm pl_contact_arm_of_rigid(const pl_contact_body *bodies, int32_t body, pl_vec3 point) {
  pl_contact_arm arm = {.body = body};
  if (body >= 0) arm.lever = pl_vec3_sub(point, bodies[body].rigid->center);
  return arm;
}

// Point of one side: of particles where they are or were; of a rigid body as its lever says.
static pl_vec3 side_point(const pl_contact_body *bodies, const pl_contact_side *side, const pl_contact_arm *arm,
                          double back) {
  const pl_contact_body *body = &bodies[arm->body];
  if (body->rigid != NULL && back == 0) return pl_vec3_add(body->rigid->center, arm->lever);
  const pl_vec3 *positions = back > 0 && !body->asleep ? body->starts : body->positions;
  pl_vec3 point = {0, 0, 0};
  for (int32_t k = 0; k < side->count; ++k)
    point = pl_vec3_add_scaled(point, pl_contact_surface_point(body->surface, side->points[k], positions),
                               side->weights[k]);
  return point;
}

void pl_contact_align_levers(const pl_contact_body *bodies, const pl_contact *contact, double back, pl_contact_arm *a,
                             pl_contact_arm *b) {
  if (a->body < 0 || b->body < 0) return;
  const pl_contact_rigid *ra = bodies[a->body].rigid, *rb = bodies[b->body].rigid;
  if (ra == NULL && rb == NULL) return;
  pl_vec3 pa = side_point(bodies, &contact->a, a, back), pb = side_point(bodies, &contact->b, b, back);
  pl_vec3 point = ra == NULL ? pa : rb == NULL ? pb : pl_vec3_lerp(pa, pb, 0.5);
  if (ra != NULL) a->lever = pl_vec3_sub(point, pl_vec3_add_scaled(ra->center, ra->velocity, -back));
  if (rb != NULL) b->lever = pl_vec3_sub(point, pl_vec3_add_scaled(rb->center, rb->velocity, -back));
}

pl_quat pl_contact_turn(pl_quat rotation, pl_vec3 turn) {
  return pl_quat_normalize(pl_quat_multiply(pl_quat_from_rotation_vector(turn), rotation));
}

static pl_mat3 cross_matrix(pl_vec3 a) {
  return (pl_mat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

// How the point of arm `a` answers to an impulse on that of arm `b`; zero for arms of different bodies.
//   particles  sum w_i w'_i / m_i      rigid  1/m - [r] I⁻¹ [r']
static pl_mat3 answer(const pl_contact_body *bodies, const pl_contact_arm *a, const pl_contact_arm *b) {
  if (a->body < 0 || a->body != b->body) return pl_mat3_zero();
  const pl_contact_body *body = &bodies[a->body];
  if (body->rigid != NULL) {
    const pl_contact_rigid *rigid = body->rigid;
    pl_mat3 turned =
        pl_mat3_multiply(pl_mat3_multiply(cross_matrix(a->lever), rigid->inverse_inertia), cross_matrix(b->lever));
    double m = rigid->inverse_mass;
    return pl_mat3_add(pl_mat3_diagonal(m, m, m), pl_mat3_scale(turned, -1));
  }
  double sum = 0;
  for (int32_t i = 0; i < a->count; ++i)
    for (int32_t j = 0; j < b->count; ++j)
      if (a->terms[i].particle == b->terms[j].particle)
        sum += a->terms[i].weight * b->terms[j].weight * body->inverse_masses[a->terms[i].particle];
  return pl_mat3_diagonal(sum, sum, sum);
}

pl_mat3 pl_contact_inverse_mass(const pl_contact_body *bodies, const pl_contact_arm *a, const pl_contact_arm *b) {
  pl_mat3 k = pl_mat3_add(answer(bodies, a, a), answer(bodies, b, b));
  if (a->body != b->body) return k;
  pl_mat3 both = pl_mat3_add(answer(bodies, a, b), answer(bodies, b, a));
  return pl_mat3_add(k, pl_mat3_scale(both, -1));
}

double pl_contact_inverse_mass_along(const pl_contact_body *bodies, const pl_contact_arm *a, const pl_contact_arm *b,
                                     pl_vec3 direction) {
  return pl_vec3_dot(direction, pl_mat3_apply(pl_contact_inverse_mass(bodies, a, b), direction));
}

double pl_contact_sliding_answer(pl_mat3 k, pl_vec3 normal) {
  pl_vec3 t = pl_vec3_perpendicular(normal), u = pl_vec3_cross(normal, t);
  pl_vec3 kt = pl_mat3_apply(k, t), ku = pl_mat3_apply(k, u);
  double a = pl_vec3_dot(t, kt), b = pl_vec3_dot(u, ku), c = pl_vec3_dot(t, ku);
  return 0.5 * (a + b) + sqrt(0.25 * (a - b) * (a - b) + c * c);
}
