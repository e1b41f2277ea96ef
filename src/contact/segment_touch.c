// Tapered segments against colliders: where along a segment the gap is least.
//
//   f(t) = d(a + t u) - (1 - t) r_a - t r_b,   t in [0, 1];   wanted: the t of least f
//
// d  signed distance of the collider      u  b - a, in the collider's frame      g  r_b - r_a, growth of the radius
//
// Convex forms. The signed distance of a convex body is convex along a line, inside too, and a linear radius keeps it
// so. Sphere, capsule and box are all a box (of size 0 along three axes, two or none) with a rounding around it. Cut
// where the segment crosses the planes of the box's faces, it falls into seven pieces at most, and on each the answer
// is a formula:
//   outside  d = |q + t v| less the rounding, q and v having only the coordinates that are beyond the box. From f' = 0,
//   with t_0 the foot of the
//            origin on the line and h its height,  t = t_0 + g h / (|v| sqrt(|v|^2 - g^2)).  If |g| >= |v| the radius
//            always wins: an end.
//   inside   f is the largest of six lines, one per face: walk along the upper ones until they rise.
// No iteration, so the answer is as good as the arithmetic, whatever the sizes.
//
// Meshes are asked triangle by triangle (segment_triangles.c): the distance of each is convex along the segment. That
// is the signed distance while the line from a to b stays outside the mesh: wherever it passed a triangle the gap would
// be
// -(1 - t) r_a - t r_b or less, so a least gap above -r_a and -r_b rules that out.
//
// A line that enters the mesh has no such structure, but d changes no faster than the position: between two positions e
// apart it is at least (d_0 + d_1 - e) / 2. Halves of the segment whose bound cannot beat what was found, or the limit,
// are dropped; others are halved until they are short against the radius (a way of Piyavskii 1972 and Shubert 1972,
// ended early). A valley in a last piece is then followed down by its slope n . u - g. So a place that was missed is
// deeper than the answer by a quarter of the radius at most (half of it for the steepest taper), or by 1/128 of the
// length where that is more.
//
// Close to a mesh of many triangles its distance is interpolated (collider_field.c) instead of asked for, where that is
// right to a twentieth of a cell. Then pieces are not halved below a cell, nor is a valley followed closer than that
// error.
//
// A segment that lies flat on a face has its least gap all along; the middle of that stretch is taken, for an end would
// tilt it.
#include "contact/segment_touch.h"

#include "contact/contact_solver.h"
#include "contact/segment_triangles.h"
#include "pliant/math.h"

// Slopes of this fraction of the segment's length are rounding: flat.
static const double FLAT = 1e-12;
// Rounding of coordinates that were turned and moved, as a fraction of them: nothing is ruled out by less.
static const double ROUNDING = 1e-12;
// On meshes, depths of this fraction of the segment's length are not worth another question.
static const double MESH_TOLERANCE = 1e-7;
// Through its field, fractions of a cell.
static const double FIELD_TOLERANCE = 0.02;
// No piece on a mesh is halved below this fraction of the segment, or a segment without radius would ask for ever …
static const double MIN_PIECE = 1.0 / 64;
// … so six halvings at most; each leaves one piece waiting. A valley converges in four or five questions.
enum { PIECES_WAITING = 8, MAX_VALLEYS = 16 };

typedef struct local_segment {
  const pl_collider *collider;
  pl_vec3 start, along;       // a and b - a in the collider's frame
  double length;              // of `along`
  double radius, end_radius;  // at a and at b
  double growth, flat;        // of the radius from a to b; change of f along the whole segment that counts as none
} local_segment;

// The best position so far.
typedef struct best_position {
  double t, gap, score;  // score: gap, a little less for the middle of a flat stretch, the longest of which wins
  pl_vec3 normal;        // in the collider's frame
} best_position;

static pl_vec3 place_at(const local_segment *s, double t) {
  return pl_vec3_add_scaled(s->start, s->along, t);
}

static double radius_at(const local_segment *s, double t) {
  return (1 - t) * s->radius + t * s->end_radius;
}

static void consider(const local_segment *s, double t, double flat_fraction, best_position *best) {
  pl_vec3 normal;
  double gap = pl_collider_local_distance(s->collider, place_at(s, t), &normal) - radius_at(s, t);
  double score = gap - flat_fraction * s->flat;
  if (score < best->score) *best = (best_position){t, gap, score, normal};
}

// The t in [from, to] at which |q + t v| - g t is least; `flat_fraction` is how much of the segment has the same gap, 0
// for a single position.
static double outside_position(const local_segment *s, pl_vec3 q, pl_vec3 v, double from, double to,
                               double *flat_fraction) {
  double g = s->growth, squared = pl_vec3_dot(v, v), speed = sqrt(squared);
  bool is_flat = speed <= s->flat && fabs(g) <= s->flat;
  *flat_fraction = is_flat ? to - from : 0;
  if (is_flat) return 0.5 * (from + to);
  if (speed <= fabs(g) || speed <= s->flat) return g > 0 ? to : from;
  double foot = -pl_vec3_dot(q, v) / squared;
  double height = pl_vec3_length(pl_vec3_add_scaled(q, v, foot));
  double t = foot + g * height / (speed * sqrt((speed - fabs(g)) * (speed + fabs(g))));
  return t > from ? (t < to ? t : to) : from;
}

// The t in [from, to], where the segment is within the box, at which the largest of the six faces' lines is least.
static double inside_position(const local_segment *s, const double start[3], const double along[3],
                              const double half[3], double from, double to, double *flat_fraction) {
  double values[6], gradients[6];
  int top = 0;
  for (int i = 0; i < 6; ++i) {
    double sign = i % 2 ? -1 : 1;
    gradients[i] = sign * along[i / 2] - s->growth;
    values[i] = sign * start[i / 2] - half[i / 2];
    if (values[i] + from * gradients[i] > values[top] + from * gradients[top]) top = i;
  }
  *flat_fraction = 0;
  double t = from;
  // Each line on the way rises faster than the one before, so there are six at most.
  while (gradients[top] <= s->flat) {
    int next = -1;
    double end = to;
    for (int i = 0; i < 6; ++i) {
      if (!(gradients[i] > gradients[top])) continue;
      double cross = fmax(t, (values[top] - values[i]) / (gradients[i] - gradients[top]));
      if (cross < end) end = cross, next = i;
    }
    if (gradients[top] >= -s->flat) {
      *flat_fraction = end - t;
      return 0.5 * (t + end);
    }
    t = end;
    if (next < 0) return t;
    top = next;
  }
  return t;
}

// Where the segment crosses the planes of the faces, in order, between 0 and 1; the number of pieces. An axis along
// which the box has no size needs no cut: |x - 0| is one formula on both sides.
static int cut_at_faces(const double start[3], const double along[3], const double half[3], double cuts[8]) {
  int count = 1;
  cuts[0] = 0;
  for (int i = 0; i < 6; ++i) {
    double face = i % 2 ? -half[i / 2] : half[i / 2], t = (face - start[i / 2]) / along[i / 2];
    if (half[i / 2] == 0 || !(t > 0 && t < 1)) continue;
    int at = count++;
    for (; at > 1 && cuts[at - 1] > t; --at) cuts[at] = cuts[at - 1];
    cuts[at] = t;
  }
  cuts[count] = 1;
  return count;
}

// The least gap to a box of the given half size with whatever rounding.
static void search_rounded_box(const local_segment *s, pl_vec3 half_size, best_position *best) {
  const double start[3] = {s->start.x, s->start.y, s->start.z}, along[3] = {s->along.x, s->along.y, s->along.z};
  const double half[3] = {half_size.x, half_size.y, half_size.z};
  double cuts[8];
  int count = cut_at_faces(start, along, half, cuts);
  for (int piece = 0; piece < count; ++piece) {
    double from = cuts[piece], to = cuts[piece + 1], middle = 0.5 * (from + to);
    double q[3] = {0}, v[3] = {0};
    bool is_outside = false;
    for (int k = 0; k < 3; ++k) {
      double x = start[k] + middle * along[k];
      if (half[k] > 0 && fabs(x) <= half[k]) continue;
      is_outside = true;
      q[k] = start[k] - copysign(half[k], x);
      v[k] = along[k];
    }
    double t, flat_fraction;
    if (is_outside)
      t = outside_position(s, pl_vec3_of(q[0], q[1], q[2]), pl_vec3_of(v[0], v[1], v[2]), from, to, &flat_fraction);
    else
      t = inside_position(s, start, along, half, from, to, &flat_fraction);
    consider(s, t, flat_fraction, best);
  }
}

// Through the middle of a ball or the axis of a capsule every direction across is out; one across the segment too frees
// it, one along it does not.
static void turn_normal_across(const local_segment *s, best_position *best) {
  const pl_collider *collider = s->collider;
  if (best->gap + radius_at(s, best->t) + collider->radius > ROUNDING * collider->radius || !(s->length > 0)) return;
  pl_vec3 along = pl_vec3_scale(s->along, 1 / s->length), axis = {0, 1, 0};
  if (collider->shape == PL_COLLIDER_SPHERE) best->normal = pl_vec3_perpendicular(along);
  if (collider->shape == PL_COLLIDER_CAPSULE)
    best->normal = pl_vec3_normalize_or(pl_vec3_cross(along, axis), pl_vec3_perpendicular(axis));
}

// A half-space is nearest at an end.
static void search_half_space(const local_segment *s, best_position *best) {
  double gradient = s->along.y - s->growth;
  consider(s, fabs(gradient) <= s->flat ? 0.5 : gradient > 0 ? 0 : 1, 0, best);
}

// A position along the segment at which a mesh was asked.
typedef struct mesh_sample {
  double t, distance, gap, gradient;  // slope: of the gap over t
} mesh_sample;

typedef struct mesh_search {
  const local_segment *segment;
  double limit;               // gaps above do not matter
  double max_radius;          // along the segment
  double tolerance;           // metres of depth that are not worth another question
  double min_piece;           // metres below which no piece is halved
  bool has_field;             // and all gaps up to the limit are within the band of it
  pl_distance_anchor anchor;  // the position asked for last
  best_position best;
} mesh_search;

static void take_sample(mesh_search *m, double t, double distance, pl_vec3 normal, mesh_sample *sample) {
  const local_segment *s = m->segment;
  *sample = (mesh_sample){t, distance, distance - radius_at(s, t), pl_vec3_dot(normal, s->along) - s->growth};
  if (sample->gap < m->best.score) m->best = (best_position){t, sample->gap, sample->gap - s->flat, normal};
}

// Ask the field at t; false where it does not know. A position that is certainly outside the band cannot be the answer;
// there a distance that is no more than the true one is all that is needed.
static bool sample_field(mesh_search *m, double t, double max_outside, mesh_sample *sample) {
  const local_segment *s = m->segment;
  pl_vec3 position = place_at(s, t), normal;
  double distance, away;
  if (pl_collider_field_at(&s->collider->field, position, &distance, &normal)) {
    if (distance <= max_outside) take_sample(m, t, distance, normal, sample);
    sample->distance = distance;
    return true;
  }
  distance = pl_collider_clearance_at(&s->collider->clearance, position, &away);
  if (!(distance - away > m->limit + m->max_radius)) return false;
  *sample = (mesh_sample){t, distance - away, distance - away - radius_at(s, t), 0};
  return true;
}

// Ask the mesh at t; false when the position is farther than `max_outside`.
static bool sample_mesh(mesh_search *m, double t, double max_outside, mesh_sample *sample) {
  const local_segment *s = m->segment;
  const pl_collider *collider = s->collider;
  pl_vec3 position = place_at(s, t), normal;
  if (m->has_field && sample_field(m, t, max_outside, sample)) return sample->distance <= max_outside;
  pl_distance_range range = pl_distance_anchor_range(&m->anchor, position);
  double away, distance = pl_collider_clearance_at(&collider->clearance, position, &away);
  range.low = fmax(range.low, distance - away);
  range.high = fmin(range.high, distance + away);
  double slack = 1e-9 * collider->reach;
  if (range.low > max_outside + slack) return false;
  distance = pl_triangle_tree_signed_distance(collider->tree, position,
                                              pl_distance_search_limit(range, max_outside, slack), NULL, &normal);
  if (!(distance < HUGE_VAL)) return false;
  m->anchor = (pl_distance_anchor){true, position, distance};
  take_sample(m, t, distance, normal, sample);
  return true;
}

// Follow a valley between two positions down, the gap falling at one and rising at the other. By turns the crossing of
// the tangents, which is right for a crease, and the zero of the straight line through the slopes, which is right for a
// round valley.
static bool follow_valley(mesh_search *m, mesh_sample a, mesh_sample b) {
  for (int i = 0; i < MAX_VALLEYS; ++i) {
    double width = b.t - a.t, crossing = (b.gap - a.gap - b.gradient * width) / (a.gradient - b.gradient);
    if (a.gap + a.gradient * crossing >= m->best.gap - m->tolerance) return true;
    double step = i % 2 ? width * a.gradient / (a.gradient - b.gradient) : crossing;
    step = fmin(fmax(step, 0.01 * width), 0.99 * width);
    mesh_sample middle;
    if (!sample_mesh(m, a.t + step, HUGE_VAL, &middle)) return false;
    if (middle.gradient == 0) return true;
    if (middle.gradient < 0) {
      a = middle;
    } else {
      b = middle;
    }
  }
  return true;
}

typedef struct mesh_piece {
  mesh_sample a, b;
} mesh_piece;

// A piece whose least possible gap is too much for what is sought.
static bool is_hopeless(const mesh_search *m, const mesh_piece *piece) {
  const local_segment *s = m->segment;
  double length = (piece->b.t - piece->a.t) * s->length;
  double min =
      0.5 * (piece->a.distance + piece->b.distance - length) - fmax(radius_at(s, piece->a.t), radius_at(s, piece->b.t));
  return min > m->limit + ROUNDING * (fabs(min) + s->collider->reach) || min >= m->best.gap - m->tolerance;
}

static bool is_short(const mesh_search *m, const mesh_piece *piece) {
  const local_segment *s = m->segment;
  double fraction = piece->b.t - piece->a.t;
  return fraction * s->length <= m->min_piece ||
         fraction * s->length <= 0.5 * fmin(radius_at(s, piece->a.t), radius_at(s, piece->b.t));
}

// False when the whole segment is farther than the limit.
static bool search_mesh(mesh_search *m) {
  const local_segment *s = m->segment;
  // Where the distance is more than this, no point of the segment can have a gap below the limit; from its middle only
  // half the way remains.
  double max = m->limit + m->max_radius + s->length;
  mesh_sample start, middle, end;
  if (!sample_mesh(m, 0.5, max - 0.5 * s->length, &middle)) return false;
  if (!sample_mesh(m, 0, max, &start) || !sample_mesh(m, 1, max, &end)) return false;
  mesh_piece waiting[PIECES_WAITING] = {{start, middle}, {middle, end}};
  int count = 2;
  while (count > 0) {
    mesh_piece piece = waiting[--count];
    if (is_hopeless(m, &piece)) continue;
    if (is_short(m, &piece)) {
      if (piece.a.gradient < 0 && piece.b.gradient > 0 && !follow_valley(m, piece.a, piece.b)) return false;
      continue;
    }
    if (!sample_mesh(m, 0.5 * (piece.a.t + piece.b.t), max, &middle)) return false;
    // The half with the smaller gap first: what it finds may spare the other.
    mesh_piece first = {piece.a, middle}, second = {middle, piece.b};
    bool is_first_near = piece.a.gap < piece.b.gap;
    waiting[count++] = is_first_near ? second : first;
    waiting[count++] = is_first_near ? first : second;
  }
  return true;
}

// What the triangles tell of a segment.
typedef enum triangles_answer { TRIANGLES_CLEAR, TRIANGLES_TOUCH, TRIANGLES_ENTERED } triangles_answer;

// Is the middle of a segment outside that has no triangle around it?
static bool is_middle_outside(const local_segment *s) {
  pl_vec3 middle = place_at(s, 0.5);
  double away, distance = pl_collider_clearance_at(&s->collider->clearance, middle, &away);
  if (distance - away > 0) return true;
  return pl_triangle_tree_signed_distance(s->collider->tree, middle, HUGE_VAL, NULL, NULL) > 0;
}

static triangles_answer search_triangles(mesh_search *m, bool is_outside) {
  const local_segment *s = m->segment;
  const pl_triangle_tree *tree = s->collider->tree;
  pl_tapered_segment segment = {s->start, s->along, s->radius, s->end_radius};
  pl_triangle_gap found;
  if (!pl_triangle_tree_segment_gap(tree, &segment, m->limit, &found))
    return is_outside || is_middle_outside(s) ? TRIANGLES_CLEAR : TRIANGLES_ENTERED;
  if (!(found.gap > 10 * m->tolerance - fmin(s->radius, s->end_radius))) return TRIANGLES_ENTERED;
  pl_vec3 normal;
  if (!(pl_triangle_tree_sign_hit(tree, &found.hit, place_at(s, found.t), &normal) > 0)) return TRIANGLES_ENTERED;
  m->best = (best_position){found.t, found.gap, found.gap, normal};
  return TRIANGLES_TOUCH;
}

// Is a ball around the whole segment farther from the collider than the limit?
static bool is_clear(const pl_collider *collider, pl_vec3 middle, double reach, double limit) {
  double far = pl_vec3_distance(middle, collider->center);
  double enough = limit + reach + ROUNDING * (far + reach);
  // Numbers that are none, or too large to square, touch nothing.
  if (!(far + reach < HUGE_VAL) || far > collider->reach + enough) return true;
  double away = 0, distance = collider->shape == PL_COLLIDER_MESH
                                  ? pl_collider_clearance_at(&collider->clearance, middle, &away)
                                  : pl_collider_local_distance(collider, middle, NULL);
  return distance - away > enough;
}

static bool find_touch(const pl_segment *segment, const pl_collider *collider, pl_transform placement, double limit,
                       bool is_outside, pl_segment_touch *touch) {
  pl_vec3 along = pl_vec3_sub(segment->b, segment->a);
  pl_vec3 middle = pl_transform_apply_inverse(placement, pl_vec3_add_scaled(segment->a, along, 0.5));
  double length = pl_vec3_length(along), max_radius = fmax(segment->radius_a, segment->radius_b);
  if (is_clear(collider, middle, 0.5 * length + max_radius, limit)) return false;

  along = pl_quat_rotate(pl_quat_conjugate(placement.rotation), along);
  local_segment s = {
      .collider = collider,
      .start = pl_vec3_add_scaled(middle, along, -0.5),
      .along = along,
      .length = length,
      .radius = segment->radius_a,
      .end_radius = segment->radius_b,
      .growth = segment->radius_b - segment->radius_a,
      .flat = FLAT * length,
  };
  best_position best = {.gap = HUGE_VAL, .score = HUGE_VAL};
  switch (collider->shape) {
    case PL_COLLIDER_HALF_SPACE: search_half_space(&s, &best); break;
    case PL_COLLIDER_SPHERE: search_rounded_box(&s, (pl_vec3){0, 0, 0}, &best); break;
    case PL_COLLIDER_CAPSULE: search_rounded_box(&s, (pl_vec3){0, collider->half_length, 0}, &best); break;
    case PL_COLLIDER_BOX: search_rounded_box(&s, collider->half_size, &best); break;
    case PL_COLLIDER_MESH: {
      mesh_search m = {.segment = &s, .limit = limit, .max_radius = max_radius, .best = best};
      m.tolerance = MESH_TOLERANCE * length;
      m.min_piece = MIN_PIECE * length;
      m.has_field = collider->field.distances != NULL && limit + max_radius < collider->field.band;
      if (m.has_field) {
        m.tolerance = fmax(m.tolerance, FIELD_TOLERANCE * collider->field.cell);
        m.min_piece = fmax(m.min_piece, collider->field.cell);
      }
      triangles_answer answer = m.has_field ? TRIANGLES_ENTERED : search_triangles(&m, is_outside);
      if (answer == TRIANGLES_CLEAR || (answer == TRIANGLES_ENTERED && !search_mesh(&m))) return false;
      best = m.best;
      break;
    }
  }
  if (!(best.gap <= limit && best.gap < HUGE_VAL)) return false;
  if (collider->shape == PL_COLLIDER_SPHERE || collider->shape == PL_COLLIDER_CAPSULE) turn_normal_across(&s, &best);
  *touch = (pl_segment_touch){best.t, best.gap, pl_quat_rotate(placement.rotation, best.normal)};
  return true;
}

bool pl_segment_touch_collider(const pl_segment *segment, const pl_collider *collider, pl_transform placement,
                               double limit, pl_segment_touch *touch) {
  return find_touch(segment, collider, placement, limit, false, touch);
}

bool pl_segment_touch_from_outside(const pl_segment *segment, const pl_collider *collider, pl_transform placement,
                                   double limit, pl_segment_touch *touch) {
  return find_touch(segment, collider, placement, limit, true, touch);
}
