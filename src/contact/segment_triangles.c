// A tapered segment against triangles.
//
//   f_T(t) = |p(t) - T| - r(t),   p(t) = a + t u,  r(t) = r_a + g t;   wanted: the least of all triangles T
//
// A triangle is convex, so its distance is convex along a line, and a linear radius keeps it so. At a sample s the
// slope
//   f'(s) = n . u - g,   n the unit vector from the nearest point of T to p(s)
// gives a bound below for all of the segment: f(t) >= f(s) + f'(s) (t - s). Most triangles are dropped after the one
// sample in the middle. Others are bracketed between a falling and a rising sample, whose tangents cross at a bound
// below the minimum; it is reached when that bound is the best sample. Within one feature of the triangle the minimum
// is a formula (away: from the feature to p(s), v: part of u across the feature):
//   corner, edge   s_0 = s - away . v / |v|²,  h = |away + (s_0 - s) v|,  t = s_0 + g h / (|v| sqrt(|v|² - g²))
//   face           f is linear: the tangents' crossing
// so that two or three samples are enough.
#include "contact/segment_triangles.h"

#include <assert.h>

#include "mesh/simplex.h"
#include "pliant/math.h"

// Depths of this fraction of the segment's length are not worth another sample; less than FLAT of it is rounding.
static const double TOLERANCE = 1e-7, FLAT = 1e-12;
enum { MAX_SAMPLES = 24 };

typedef struct gap_search {
  const pl_triangle_tree *tree;
  const pl_tapered_segment *segment;
  double growth, tolerance, flat, max_radius;
  double bound;  // gaps above do not matter: the limit, or what was found
  bool is_found;
  pl_triangle_gap best;
} gap_search;

typedef struct gap_sample {
  double t, gap, gradient;
  pl_vec3 away;  // from the nearest point
  double weights[3];
} gap_sample;

static gap_sample sample_triangle(gap_search *s, int32_t item, double t) {
  const pl_vec3 *corners = &s->tree->corners[3 * (size_t)item];
  pl_vec3 place = pl_vec3_add_scaled(s->segment->start, s->segment->along, t);
  gap_sample sample = {.t = t};
  pl_vec3 on = pl_triangle_nearest(corners[0], corners[1], corners[2], place, sample.weights);
  sample.away = pl_vec3_sub(place, on);
  double distance = pl_vec3_length(sample.away);
  sample.gap = distance - ((1 - t) * s->segment->radius + t * s->segment->end_radius);
  // On the triangle itself every direction is a slope; none is one of them.
  sample.gradient = (distance > 0 ? pl_vec3_dot(sample.away, s->segment->along) / distance : 0) - s->growth;
  if (!(sample.gap <= s->bound + (s->is_found ? s->flat : 0))) return sample;
  bool is_level = s->is_found && sample.gap >= s->best.gap - s->flat;
  if (is_level && !(fabs(t - 0.5) < fabs(s->best.t - 0.5))) return sample;
  s->is_found = true;
  s->bound = sample.gap;
  s->best = (pl_triangle_gap){
      t,
      sample.gap,
      {s->tree->boxes.order[item], distance, on, {sample.weights[0], sample.weights[1], sample.weights[2]}}};
  return sample;
}

// A gap that is worth finding is at most this.
static double wanted_gap(const gap_search *s) {
  return s->is_found ? s->bound - s->tolerance : s->bound;
}

// Where the gap to the feature that is nearest at a sample is least; false on a face, and where the radius always wins.
static bool feature_minimum(const gap_search *s, int32_t item, const gap_sample *at, double *t) {
  const pl_vec3 *corners = &s->tree->corners[3 * (size_t)item];
  const double *w = at->weights;
  int zero_count = (w[0] == 0) + (w[1] == 0) + (w[2] == 0);
  if (zero_count == 0) return false;
  pl_vec3 across = s->segment->along;
  if (zero_count == 1) {
    int opposite = w[0] == 0 ? 0 : w[1] == 0 ? 1 : 2;
    pl_vec3 edge = pl_vec3_sub(corners[(opposite + 2) % 3], corners[(opposite + 1) % 3]);
    across = pl_vec3_add_scaled(across, edge, -pl_vec3_dot(across, edge) / pl_vec3_dot(edge, edge));
  }
  double squared = pl_vec3_dot(across, across), rest = squared - s->growth * s->growth;
  if (!(rest > 1e-12 * squared)) return false;
  double foot = -pl_vec3_dot(at->away, across) / squared;
  double height = pl_vec3_length(pl_vec3_add_scaled(at->away, across, foot));
  *t = at->t + foot + s->growth * height / sqrt(squared * rest);
  return true;
}

// Between two samples, the gap falling at one and rising at the other.
static void follow_down(gap_search *s, int32_t item, gap_sample a, gap_sample b) {
  for (int i = 0; i < MAX_SAMPLES; ++i) {
    double width = b.t - a.t, crossing = (b.gap - a.gap - b.gradient * width) / (a.gradient - b.gradient);
    if (!(a.gap + a.gradient * crossing <= wanted_gap(s))) return;
    double t = a.t + crossing;
    if (i % 2 == 0 && feature_minimum(s, item, a.gap < b.gap ? &a : &b, &t))
      t = fmin(fmax(t, a.t + 1e-3 * width), b.t - 1e-3 * width);
    gap_sample middle = sample_triangle(s, item, t);
    if (middle.gradient == 0) return;
    if (middle.gradient < 0)
      a = middle;
    else
      b = middle;
  }
}

static void search_triangle(gap_search *s, int32_t item) {
  gap_sample middle = sample_triangle(s, item, 0.5);
  if (!(middle.gap - 0.5 * fabs(middle.gradient) <= wanted_gap(s))) return;
  bool falls = middle.gradient < 0;
  gap_sample end = sample_triangle(s, item, falls ? 1 : 0);
  if (falls && end.gradient > 0) follow_down(s, item, middle, end);
  if (!falls && end.gradient < 0) follow_down(s, item, end, middle);
}

static double axis_distance(double a_min, double a_max, double b_min, double b_max) {
  double below = b_min - a_max, above = a_min - b_max, apart = below > above ? below : above;
  return apart > 0 ? apart : 0;
}

static double boxes_distance_squared(const pl_box *a, const pl_box *b) {
  double x = axis_distance(a->min.x, a->max.x, b->min.x, b->max.x),
         y = axis_distance(a->min.y, a->max.y, b->min.y, b->max.y),
         z = axis_distance(a->min.z, a->max.z, b->min.z, b->max.z);
  return x * x + y * y + z * z;
}

// Farther than this from the segment's box a triangle is of no use.
static double useful_squared(const gap_search *s) {
  double useful = s->bound + s->max_radius;
  return useful >= 0 ? useful * useful * (1 + 1e-12) : -1;
}

// Down the nearer child first, as a search for the nearest triangle does (triangle_tree.c).
static void search_tree(gap_search *s, const pl_box *box) {
  const pl_box_node *nodes = s->tree->boxes.nodes;
  struct {
    int32_t node;
    double squared;
  } stack[PL_BOX_TREE_DEPTH];
  int32_t depth = 0;
  stack[depth].node = 0;
  stack[depth++].squared = boxes_distance_squared(&nodes[0].box, box);
  while (depth > 0) {
    int32_t node = stack[--depth].node;
    if (!(stack[depth].squared <= useful_squared(s))) continue;
    for (int32_t i = 0; i < nodes[node].count; ++i) search_triangle(s, nodes[node].first + i);
    if (nodes[node].count > 0) continue;
    int32_t near = node + 1, far = nodes[node].second;
    double near_squared = boxes_distance_squared(&nodes[near].box, box);
    double far_squared = boxes_distance_squared(&nodes[far].box, box);
    bool swap = far_squared < near_squared;
    assert(depth + 2 <= PL_BOX_TREE_DEPTH);
    stack[depth].node = swap ? near : far;
    stack[depth++].squared = swap ? near_squared : far_squared;
    stack[depth].node = swap ? far : near;
    stack[depth++].squared = swap ? far_squared : near_squared;
  }
}

bool pl_triangle_tree_segment_gap(const pl_triangle_tree *tree, const pl_tapered_segment *segment, double limit,
                                  pl_triangle_gap *gap) {
  pl_vec3 end = pl_vec3_add(segment->start, segment->along);
  double length = pl_vec3_length(segment->along);
  if (tree->boxes.node_count == 0 || !pl_vec3_is_finite(segment->start) || !(length < HUGE_VAL)) return false;
  gap_search s = {.tree = tree,
                  .segment = segment,
                  .growth = segment->end_radius - segment->radius,
                  .tolerance = TOLERANCE * length,
                  .flat = FLAT * length,
                  .max_radius = fmax(segment->radius, segment->end_radius),
                  .bound = limit};
  pl_box box = pl_box_add_point((pl_box){segment->start, segment->start}, end);
  search_tree(&s, &box);
  if (s.is_found) *gap = s.best;
  return s.is_found;
}
