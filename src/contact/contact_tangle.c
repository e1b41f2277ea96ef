#include "contact/contact_tangle.h"

#include <math.h>

#include "mesh/simplex.h"

// A point whose way out is along its own outward direction, by this cosine, comes back from behind.
static const double HOOKED = 0.5;
// The sum of areas tells where tangled bodies come apart if it is at least this fraction of them.
static const double DECISIVE = 0.25;
// Points whose own way out is along the common direction, by this cosine, keep it.
static const double ALONG = 0.25;
// Fraction of an edge of the other surface that a point was below it when the step began, if it is deep: contacts do
// not let in as much, so nothing changes where bodies were not put into each other.
static const double DEEP_EDGES = 0.1;

void pl_contact_tangle_add(pl_contact_tangle *tangle, pl_vec3 outward) {
  tangle->area = pl_vec3_add(tangle->area, outward);
  tangle->all_area += pl_vec3_length(outward);
}

pl_vec3 pl_contact_tangle_way(const pl_contact_tangle *tangle, pl_vec3 apart) {
  pl_vec3 way = pl_vec3_scale(tangle->area, -1);
  if (!(pl_vec3_length(way) > DECISIVE * tangle->all_area)) way = apart;
  return pl_vec3_normalize_or(way, pl_vec3_of(0, 1, 0));
}

pl_vec3 pl_contact_outward(const pl_surface_motion *motion, int32_t point) {
  const pl_surface_tree *tree = motion->tree;
  pl_vec3 sum = {0, 0, 0};
  for (int32_t r = tree->ring_start[point]; r < tree->ring_start[point + 1]; ++r) {
    pl_vec3 c[3];
    pl_surface_corners(tree, motion->ends, tree->ring[r], c);
    sum = pl_vec3_add(sum, pl_vec3_cross(pl_vec3_sub(c[1], c[0]), pl_vec3_sub(c[2], c[0])));
  }
  return sum;
}

bool pl_contact_is_hooked(pl_vec3 normal, pl_vec3 outward) {
  return pl_vec3_dot(normal, outward) > HOOKED * (pl_vec3_length(normal) * pl_vec3_length(outward));
}

bool pl_contact_is_along(pl_vec3 normal, pl_vec3 way) {
  return pl_vec3_dot(normal, way) > ALONG;
}

// --- contacts of points and triangles

// p + t way = c_0 + u (c_1 - c_0) + v (c_2 - c_0), by the volumes of tets (Möller and Trumbore 1997).
static bool pass_triangle(const pl_vec3 c[3], pl_vec3 from, pl_vec3 way, double *time, double weights[3]) {
  pl_vec3 a = pl_vec3_sub(c[1], c[0]), b = pl_vec3_sub(c[2], c[0]), to = pl_vec3_sub(from, c[0]);
  double volume = pl_vec3_dot(way, pl_vec3_cross(a, b));
  if (!(volume > 0)) return false;  // it enters there
  double u = pl_vec3_dot(way, pl_vec3_cross(to, b)) / volume, v = pl_vec3_dot(way, pl_vec3_cross(a, to)) / volume;
  const double border = 1e-9;
  if (!(u >= -border && v >= -border && u + v <= 1 + border)) return false;
  *time = -pl_vec3_dot(to, pl_vec3_cross(a, b)) / volume;
  weights[0] = 1 - u - v, weights[1] = u, weights[2] = v;
  return *time > 0;
}

static bool find_way_out(const pl_surface_motion *motion, pl_vec3 from, pl_vec3 way, pl_contact_place *place) {
  double first = HUGE_VAL;
  for (int32_t t = 0; t < motion->tree->surface->triangle_count; ++t) {
    pl_vec3 c[3];
    double time, weights[3];
    pl_surface_corners(motion->tree, motion->ends, t, c);
    if (!pass_triangle(c, from, way, &time, weights) || !(time < first)) continue;
    first = time;
    *place = (pl_contact_place){t, {weights[0], weights[1], weights[2]}};
  }
  return first < HUGE_VAL;
}

static bool may_be_tangled(const pl_contact_memory *memory, const pl_contact *c) {
  if (c->collider >= 0 || c->a.count != 1 || c->b.count != 3 || c->a.body == c->b.body) return false;
  const pl_surface_motion *own = &memory->motions[c->a.body], *other = &memory->motions[c->b.body];
  if (own->has_tets && other->has_tets) return false;
  return own->tree->is_closed && other->tree->is_closed && other->tree->surface->triangle_count <= PL_TANGLE_TRIANGLES;
}

static bool is_deep(const pl_contact_memory *memory, const pl_contact *c) {
  double below = -(c->start_gap + c->offset);
  return below > DEEP_EDGES * memory->motions[c->b.body].tree->edge_length && may_be_tangled(memory, c);
}

// The next contact of a body with another, after `at` (-1: the first), in the slots of its points; NULL: none.
static pl_contact *next_contact(const pl_contact_memory *memory, int32_t body, int32_t other, int32_t *at) {
  for (++*at; *at < (memory->point_start[body + 1] - memory->point_start[body]) * PL_CONTACTS_PER_POINT; ++*at) {
    int32_t point = memory->point_start[body] + *at / PL_CONTACTS_PER_POINT, slot = *at % PL_CONTACTS_PER_POINT;
    if (slot >= memory->contact_counts[point]) continue;
    pl_contact *c = &memory->contacts[(size_t)point * PL_CONTACTS_PER_POINT + (size_t)slot];
    if ((other < 0 || c->b.body == other) && may_be_tangled(memory, c)) return c;
  }
  return NULL;
}

static pl_vec3 mix(const pl_vec3 c[3], const double weights[3]) {
  pl_vec3 sum = pl_vec3_scale(c[0], weights[0]);
  return pl_vec3_add_scaled(pl_vec3_add_scaled(sum, c[1], weights[1]), c[2], weights[2]);
}

// Make a contact one with the triangle that its point leaves through along the way.
static void turn_contact(const pl_contact_memory *memory, pl_vec3 way, pl_contact *c) {
  const pl_surface_motion *own = &memory->motions[c->a.body], *other = &memory->motions[c->b.body];
  int32_t point = c->a.points[0];
  pl_contact_place place = {-1, {0, 0, 0}};
  pl_vec3 starts[3], ends[3];
  if (!find_way_out(other, own->ends[point], way, &place)) return;
  pl_surface_corners(other->tree, other->starts, place.triangle, starts);
  pl_surface_corners(other->tree, other->ends, place.triangle, ends);
  for (int k = 0; k < 3; ++k) {
    c->b.points[k] = other->tree->surface->triangles[3 * (size_t)place.triangle + (size_t)k];
    c->b.weights[k] = place.weights[k];
  }
  c->normal = pl_triangle_normal(ends[0], ends[1], ends[2]);
  c->start_gap = pl_vec3_dot(c->normal, pl_vec3_sub(own->starts[point], mix(starts, place.weights))) - c->offset;
  c->depth = c->offset - pl_vec3_dot(c->normal, pl_vec3_sub(own->ends[point], mix(ends, place.weights)));
}

// Of its triangles: points that belong to none may be anywhere.
static pl_vec3 middle_of(const pl_surface_motion *motion) {
  int32_t count = 3 * motion->tree->surface->triangle_count;
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < count; ++i)
    sum = pl_vec3_add_scaled(sum, motion->ends[motion->tree->surface->triangles[i]], 1.0 / count);
  return sum;
}

static void untangle_pair(const pl_contact_memory *memory, int32_t body, int32_t other) {
  const pl_surface_motion *own = &memory->motions[body], *motion = &memory->motions[other];
  pl_contact_tangle tangle = {{0, 0, 0}, 0};
  int32_t at = -1;
  for (pl_contact *c; (c = next_contact(memory, body, other, &at)) != NULL;)
    pl_contact_tangle_add(&tangle, pl_contact_outward(own, c->a.points[0]));
  pl_vec3 way = pl_contact_tangle_way(&tangle, pl_vec3_sub(middle_of(own), middle_of(motion)));
  bool is_tangled = false;
  at = -1;
  for (pl_contact *c; !is_tangled && (c = next_contact(memory, body, other, &at)) != NULL;)
    is_tangled = pl_contact_is_along(c->normal, pl_vec3_scale(way, -1));
  at = -1;
  for (pl_contact *c; is_tangled && (c = next_contact(memory, body, other, &at)) != NULL;)
    if (!pl_contact_is_along(c->normal, way)) turn_contact(memory, way, c);
}

// Others that were seen to; a body is deep in few.
enum { MAX_DEEP = 16 };

void pl_contact_untangle(pl_contact_memory *memory, int32_t body) {
  int32_t others[MAX_DEEP], count = 0, at = -1;
  for (const pl_contact *c; (c = next_contact(memory, body, -1, &at)) != NULL;) {
    bool is_known = count == MAX_DEEP;
    for (int32_t i = 0; i < count; ++i) is_known = is_known || others[i] == c->b.body;
    if (!is_known && is_deep(memory, c)) others[count++] = c->b.body;
  }
  for (int32_t i = 0; i < count; ++i) untangle_pair(memory, body, others[i]);
}
