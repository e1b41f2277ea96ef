// Which vertex of a posed mesh is which of the rest, from their connectivity: for files whose vertices were numbered
// again on the way.
//
// Across a side that two elements share, the match of one element tells that of the other, so a piece that hangs
// together by its sides is matched as a whole once the match of one element, the seed, is known. Seeds are tried where
// the surroundings are alike: every point has a colour, a hash of its elements that is refined by the colours around it
// (Weisfeiler and Leman 1968), and only points of one colour match. Of several matches, of a mesh with a symmetry, the
// one with the least change of edge lengths and, among equals, the shortest way is taken.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "mesh/topology.h"
#include "pliant/pose.h"

enum { ROUND_COUNT = 12, MAX_WIDTH = 4, TRIAL_LIMIT = 4096 };

// Matches whose changes of edge lengths differ by less than this fraction are equals; so are those below the last one,
// of the squared edge lengths.
static const double EQUAL_FRACTION = 0.01, NO_CHANGE = 1e-12;

typedef struct match_score {
  double change, way;  // sums of squares: of changes of edge lengths, and of ways
} match_score;

typedef struct side_mesh {
  pl_elements elements;
  const pl_vec3 *points;
  int32_t point_count;
  int32_t *neighbours;  // width per element, across the side opposite to each corner
  int32_t *parts;       // connected part of each point …
  int32_t *part_sizes;  // … and the number of its elements
  uint64_t *colors;     // per point
  uint64_t *kinds;      // per element: the colours of its corners, in any order
} side_mesh;

typedef struct matcher {
  pl_arena arena;
  side_mesh rest, posed;
  int32_t *match;  // posed point of each rest point, -1: not yet
  int32_t *owner;  // rest point of each posed point, -1: none
  int32_t *trail;  // rest points that the trial at hand matched
  int32_t trail_count;
  int32_t *piece;   // rest elements of the piece at hand, in the order they were reached
  int32_t *image;   // posed element of each rest element, -1: none
  bool *is_taken;   // posed elements
  int32_t *best;    // the best match so far of the piece's points, as `match`
  int32_t *images;  // and of its elements, in the order of `piece`
  pl_vec3 rest_center, posed_center;
  pl_mat3 turn;  // of the pieces that are matched
} matcher;

static uint64_t mix(uint64_t a) {
  a ^= a >> 30;
  a *= UINT64_C(0xBF58476D1CE4E5B9);
  a ^= a >> 27;
  a *= UINT64_C(0x94D049BB133111EB);
  return a ^ a >> 31;
}

static const int32_t *corners_of(const side_mesh *m, int32_t element) {
  return m->elements.corners + (size_t)element * (size_t)m->elements.width;
}

// Colours of the points: sums do not depend on the order of elements and corners.
static bool find_colors(pl_arena *arena, side_mesh *m) {
  int32_t width = m->elements.width;
  uint64_t *next = PL_TAKE(arena, uint64_t, m->point_count);
  m->colors = PL_TAKE(arena, uint64_t, m->point_count);
  m->kinds = PL_TAKE(arena, uint64_t, m->elements.count);
  if (arena->failed) return false;
  for (int round = 0; round < ROUND_COUNT; ++round) {
    for (int32_t i = 0; i < m->point_count; ++i) next[i] = mix(m->colors[i] + 1);
    for (int32_t e = 0; e < m->elements.count; ++e) {
      const int32_t *c = corners_of(m, e);
      uint64_t sum = 0;
      for (int32_t k = 0; k < width; ++k) sum += mix(m->colors[c[k]] + 2);
      // A triangle tells its corners apart by the way round, so that a mirror image is another mesh.
      for (int32_t k = 0; k < width; ++k)
        next[c[k]] += mix(sum + (width == 3 ? 3 * mix(m->colors[c[(k + 1) % 3]] + 3) : 0));
    }
    memcpy(m->colors, next, (size_t)m->point_count * sizeof *next);
  }
  for (int32_t e = 0; e < m->elements.count; ++e)
    for (int32_t k = 0; k < width; ++k) m->kinds[e] += mix(m->colors[corners_of(m, e)[k]]);
  return true;
}

// Match one point; false when it contradicts what is matched.
static bool match_point(matcher *s, int32_t rest, int32_t posed) {
  if (s->match[rest] >= 0) return s->match[rest] == posed;
  if (s->owner[posed] >= 0 || s->rest.colors[rest] != s->posed.colors[posed]) return false;
  s->match[rest] = posed;
  s->owner[posed] = rest;
  s->trail[s->trail_count++] = rest;
  return true;
}

// The corner of an element that none of the other's matched corners is; -1 if there is no such single corner.
static int32_t free_corner(const matcher *s, const int32_t *rest, const int32_t *posed, int32_t side) {
  int32_t width = s->rest.elements.width, found = -1;
  for (int32_t k = 0; k < width; ++k) {
    bool is_shared = false;
    for (int32_t l = 0; l < width; ++l) is_shared = is_shared || (l != side && s->match[rest[l]] == posed[k]);
    if (is_shared) continue;
    if (found >= 0) return -1;
    found = k;
  }
  return found;
}

// Whether the corners of two matched elements go the same way round.
static bool same_sense(const matcher *s, const int32_t *rest, const int32_t *posed) {
  int32_t width = s->rest.elements.width, order[MAX_WIDTH], swaps = 0;
  for (int32_t k = 0; k < width; ++k) {
    order[k] = -1;
    for (int32_t l = 0; l < width; ++l)
      if (s->match[rest[k]] == posed[l]) order[k] = l;
    if (order[k] < 0) return false;
  }
  for (int32_t k = 0; k < width; ++k)
    for (int32_t l = k + 1; l < width; ++l) swaps += order[k] > order[l];
  return swaps % 2 == 0;
}

// Follow a seed through its piece. `count` receives the number of elements that were reached, also when it fails.
static bool spread(matcher *s, int32_t seed, int32_t image, int32_t *count) {
  int32_t width = s->rest.elements.width;
  s->piece[0] = seed;
  s->image[seed] = image;
  *count = 1;
  for (int32_t at = 0; at < *count; ++at) {
    int32_t e = s->piece[at], f = s->image[e];
    const int32_t *c = corners_of(&s->rest, e), *d = corners_of(&s->posed, f);
    if (s->is_taken[f] || !same_sense(s, c, d)) return false;
    for (int32_t k = 0; k < width; ++k) {
      int32_t next = s->rest.neighbours[e * width + k], side = -1;
      for (int32_t l = 0; l < width; ++l)
        if (d[l] == s->match[c[k]]) side = l;
      int32_t across = s->posed.neighbours[f * width + side];
      if ((next < 0) != (across < 0)) return false;
      if (next < 0) continue;
      if (s->image[next] >= 0) {
        if (s->image[next] != across) return false;
        continue;
      }
      const int32_t *n = corners_of(&s->rest, next), *m = corners_of(&s->posed, across);
      int32_t own = 0;  // the corner of `next` that is not on the side
      for (int32_t l = 0; l < width; ++l)
        if (s->rest.neighbours[next * width + l] == e) own = l;
      int32_t other = free_corner(s, n, m, own);
      if (other < 0 || s->rest.kinds[next] != s->posed.kinds[across]) return false;
      s->image[next] = across;
      s->piece[(*count)++] = next;
      if (!match_point(s, n[own], m[other])) return false;
    }
  }
  return true;
}

// Undo what a seed matched. Points that a piece shares with one before, in a corner, stay.
static void forget(matcher *s, int32_t count) {
  for (int32_t at = 0; at < count; ++at) s->image[s->piece[at]] = -1;
  while (s->trail_count > 0) {
    int32_t i = s->trail[--s->trail_count];
    s->owner[s->match[i]] = -1;
    s->match[i] = -1;
  }
}

// Change of edge lengths, and the way beyond the turn of what is matched.
static match_score score_of(const matcher *s, int32_t count) {
  int32_t width = s->rest.elements.width;
  match_score score = {0, 0};
  for (int32_t at = 0; at < count; ++at) {
    const int32_t *c = corners_of(&s->rest, s->piece[at]);
    for (int32_t k = 0; k < width; ++k) {
      pl_vec3 p = s->rest.points[c[k]], q = s->posed.points[s->match[c[k]]];
      for (int32_t l = k + 1; l < width; ++l) {
        double length = pl_vec3_distance(p, s->rest.points[c[l]]);
        double change = length - pl_vec3_distance(q, s->posed.points[s->match[c[l]]]);
        score.change += change * change + NO_CHANGE / EQUAL_FRACTION * length * length;
      }
      pl_vec3 way =
          pl_vec3_sub(pl_vec3_sub(q, s->posed_center), pl_mat3_apply(s->turn, pl_vec3_sub(p, s->rest_center)));
      score.way += pl_vec3_dot(way, way);
    }
  }
  return score;
}

static bool is_better(match_score a, match_score b) {
  if (a.change < (1 - EQUAL_FRACTION) * b.change) return true;
  return a.change <= (1 + EQUAL_FRACTION) * b.change && a.way < b.way;
}

// Elements of a piece are reached in the same order whatever the seed's image is, so `images` goes with any of them.
static void keep_points(const matcher *s, int32_t count) {
  int32_t width = s->rest.elements.width;
  for (int32_t at = 0; at < count; ++at) {
    const int32_t *c = corners_of(&s->rest, s->piece[at]);
    for (int32_t k = 0; k < width; ++k) s->best[c[k]] = s->match[c[k]];
    s->images[at] = s->image[s->piece[at]];
  }
}

// Corner k of the seed is corner order[k] of its image: the even permutations, which keep the sense.
static const int32_t TURNS3[3][MAX_WIDTH] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
static const int32_t TURNS4[12][MAX_WIDTH] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 0, 3, 2},
                                              {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 0, 1, 3}, {2, 1, 3, 0},
                                              {2, 3, 0, 1}, {3, 0, 2, 1}, {3, 1, 0, 2}, {3, 2, 1, 0}};

// The best match of the piece of `seed`; false where there is none. `way_count` counts the matches.
static bool match_piece(matcher *s, int32_t seed, int32_t *way_count) {
  int32_t width = s->rest.elements.width, turn_count = width == 3 ? 3 : 12, found_count = 0, piece_count = 0;
  match_score best = {HUGE_VAL, HUGE_VAL};
  for (int32_t f = 0; f < s->posed.elements.count && found_count < TRIAL_LIMIT; ++f) {
    if (s->is_taken[f] || s->posed.kinds[f] != s->rest.kinds[seed]) continue;
    for (int32_t t = 0; t < turn_count; ++t) {
      const int32_t *order = width == 3 ? TURNS3[t] : TURNS4[t];
      int32_t count = 1;
      s->piece[0] = seed;
      bool good = true;
      for (int32_t k = 0; k < width && good; ++k)
        good = match_point(s, corners_of(&s->rest, seed)[k], corners_of(&s->posed, f)[order[k]]);
      good = good && spread(s, seed, f, &count);
      found_count += good;
      match_score score = good ? score_of(s, count) : best;
      if (good && is_better(score, best)) {
        best = score;
        piece_count = count;
        keep_points(s, count);
      }
      forget(s, count);
    }
  }
  if (found_count == 0) return false;
  *way_count = found_count > *way_count ? found_count : *way_count;
  for (int32_t at = 0; at < piece_count; ++at) {
    int32_t e = s->piece[at];
    s->image[e] = s->images[at];
    s->is_taken[s->images[at]] = true;
    for (int32_t k = 0; k < width; ++k) {
      int32_t i = corners_of(&s->rest, e)[k];
      s->match[i] = s->best[i];
      s->owner[s->best[i]] = i;
    }
  }
  return true;
}

// The rotation of what is matched so far, for pieces that are alike (two eyes).
static void find_turn(matcher *s) {
  pl_mat3 sum = pl_mat3_zero();
  pl_vec3 rest = {0, 0, 0}, posed = {0, 0, 0};
  int32_t count = 0;
  for (int32_t i = 0; i < s->rest.point_count; ++i) {
    if (s->match[i] < 0) continue;
    rest = pl_vec3_add(rest, s->rest.points[i]);
    posed = pl_vec3_add(posed, s->posed.points[s->match[i]]);
    ++count;
  }
  s->rest_center = pl_vec3_scale(rest, 1.0 / count);
  s->posed_center = pl_vec3_scale(posed, 1.0 / count);
  for (int32_t i = 0; i < s->rest.point_count; ++i)
    if (s->match[i] >= 0)
      sum = pl_mat3_add(sum, pl_mat3_outer(pl_vec3_sub(s->posed.points[s->match[i]], s->posed_center),
                                           pl_vec3_sub(s->rest.points[i], s->rest_center)));
  s->turn = pl_mat3_from_quat(pl_rotation_of_mat3(sum, pl_quat_identity()));
}

static int32_t part_size(const side_mesh *m, int32_t element) {
  return m->part_sizes[m->parts[corners_of(m, element)[0]]];
}

// A seed for the next piece: of the elements that are not matched one of the largest part, since it tells how smaller
// ones lie, and there one of the rarest kind, so that few places are tried. Kinds are counted by their lower bits.
static int32_t choose_seed(const matcher *s, int32_t *counts, int32_t mask) {
  int32_t best = -1, max_size = 0;
  memset(counts, 0, ((size_t)mask + 1) * sizeof *counts);
  for (int32_t e = 0; e < s->rest.elements.count; ++e) {
    if (s->image[e] >= 0) continue;
    counts[s->rest.kinds[e] & (uint64_t)mask]++;
    max_size = part_size(&s->rest, e) > max_size ? part_size(&s->rest, e) : max_size;
  }
  for (int32_t e = 0; e < s->rest.elements.count; ++e)
    if (s->image[e] < 0 && part_size(&s->rest, e) == max_size &&
        (best < 0 || counts[s->rest.kinds[e] & (uint64_t)mask] < counts[s->rest.kinds[best] & (uint64_t)mask]))
      best = e;
  return best;
}

static bool load_side(pl_arena *arena, const pl_mesh *mesh, pl_elements elements, side_mesh *m) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  m->elements = elements;
  m->points = view.points;
  m->point_count = view.point_count;
  int32_t part_count = 0;
  if (!pl_neighbours_find(arena, elements, view.point_count, &m->neighbours) || !find_colors(arena, m) ||
      !pl_components_find(arena, elements, view.point_count, &m->parts, &part_count))
    return false;
  m->part_sizes = PL_TAKE(arena, int32_t, part_count);
  for (int32_t e = 0; m->part_sizes != NULL && e < elements.count; ++e) m->part_sizes[m->parts[corners_of(m, e)[0]]]++;
  return m->part_sizes != NULL;
}

// Whether all faces are the same already, in whatever order they are listed and wherever each begins.
static bool is_equal(matcher *s, bool *is_same) {
  int32_t width = s->rest.elements.width, count = s->rest.elements.count;
  int32_t *keys[2], *order[2];
  for (int side = 0; side < 2; ++side) {
    const side_mesh *m = side == 0 ? &s->rest : &s->posed;
    keys[side] = PL_TAKE(&s->arena, int32_t, (size_t)count * (size_t)width);
    if (keys[side] == NULL) return false;
    for (int32_t e = 0; e < count; ++e) {
      const int32_t *c = corners_of(m, e);
      int32_t *key = keys[side] + (size_t)e * (size_t)width, first = 0;
      for (int32_t k = 1; k < width; ++k) first = c[k] < c[first] ? k : first;
      for (int32_t k = 0; k < width; ++k) key[k] = c[(first + k) % width];
      // Tets: by rising corners.
      for (int32_t k = 1; width == 4 && k < width; ++k)
        for (int32_t l = k; l > 0 && key[l - 1] > key[l]; --l) {
          int32_t swapped = key[l];
          key[l] = key[l - 1];
          key[l - 1] = swapped;
        }
    }
    if (!pl_tuples_sort(&s->arena, keys[side], count, width, s->rest.point_count, &order[side])) return false;
  }
  *is_same = true;
  for (int32_t e = 0; e < count && *is_same; ++e)
    *is_same = memcmp(keys[0] + (size_t)order[0][e] * (size_t)width, keys[1] + (size_t)order[1][e] * (size_t)width,
                      (size_t)width * sizeof(int32_t)) == 0;
  return true;
}

static pl_status find_match(matcher *s, pl_pose_match_report *report, pl_error *error) {
  int32_t n = s->rest.point_count, count = s->rest.elements.count, mask = 1;
  while (mask < count) mask = 2 * mask + 1;
  s->match = PL_TAKE(&s->arena, int32_t, n);
  s->owner = PL_TAKE(&s->arena, int32_t, n);
  s->best = PL_TAKE(&s->arena, int32_t, n);
  s->trail = PL_TAKE(&s->arena, int32_t, n);
  s->piece = PL_TAKE(&s->arena, int32_t, count);
  s->image = PL_TAKE(&s->arena, int32_t, count);
  s->images = PL_TAKE(&s->arena, int32_t, count);
  s->is_taken = PL_TAKE(&s->arena, bool, count);
  int32_t *counts = PL_TAKE(&s->arena, int32_t, (size_t)mask + 1);
  if (s->arena.failed) return pl_fail_memory(error);
  bool is_same;
  if (!is_equal(s, &is_same)) return pl_fail_memory(error);
  for (int32_t i = 0; i < n; ++i) s->match[i] = s->owner[i] = is_same ? i : -1;
  if (is_same) return PL_OK;
  for (int32_t e = 0; e < count; ++e) s->image[e] = -1;
  pl_box rest = pl_box_from_points(s->rest.points, n), posed = pl_box_from_points(s->posed.points, n);
  s->rest_center = pl_vec3_lerp(rest.min, rest.max, 0.5);
  s->posed_center = pl_vec3_lerp(posed.min, posed.max, 0.5);
  s->turn = pl_mat3_identity();
  for (int32_t seed; (seed = choose_seed(s, counts, mask)) >= 0;) {
    if (!match_piece(s, seed, &report->way_count)) {
      const int32_t *c = corners_of(&s->rest, seed);
      return pl_fail(error, PL_ERROR_INVALID_DATA,
                     "the two are not the same mesh: there is nothing like %s %d (%d %d %d%s) and what is around it",
                     s->rest.elements.width == 3 ? "face" : "tet", seed, c[0], c[1], c[2],
                     s->rest.elements.width == 3 ? "" : " …");
    }
    ++report->piece_count;
    find_turn(s);
  }
  // Points of no element: those that are left, in their order.
  int32_t next = 0;
  for (int32_t i = 0; i < n; ++i) {
    if (s->match[i] >= 0) continue;
    while (s->owner[next] >= 0) ++next;
    s->match[i] = next;
    s->owner[next] = i;
  }
  return PL_OK;
}

pl_status pl_poses_match(pl_context *context, const pl_mesh *rest, const pl_mesh *posed, int32_t *posed_of_rest,
                         pl_pose_match_report *report, pl_error *error) {
  pl_mesh_view a = pl_mesh_get_view(rest), b = pl_mesh_get_view(posed);
  bool has_tets = a.tet_count > 0 && b.tet_count > 0;
  pl_elements of_rest = {has_tets ? a.tets : a.triangles, has_tets ? a.tet_count : a.triangle_count, has_tets ? 4 : 3};
  pl_elements of_posed = {has_tets ? b.tets : b.triangles, has_tets ? b.tet_count : b.triangle_count, has_tets ? 4 : 3};
  pl_pose_match_report found = {.way_count = 1};
  if (a.point_count != b.point_count || of_rest.count != of_posed.count || of_rest.count == 0)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "the rest has %d points and %d %ss, the pose %d and %d; they are not the same mesh", a.point_count,
                   of_rest.count, has_tets ? "tet" : "face", b.point_count, of_posed.count);
  matcher s = {.turn = pl_mat3_identity()};
  pl_arena_init(&s.arena, context, 0);
  bool done = load_side(&s.arena, rest, of_rest, &s.rest) && load_side(&s.arena, posed, of_posed, &s.posed);
  pl_status status = done ? find_match(&s, &found, error) : pl_fail_memory(error);
  for (int32_t i = 0; status >= 0 && i < a.point_count; ++i) {
    found.moved_count += s.match[i] != i;
    if (posed_of_rest != NULL) posed_of_rest[i] = s.match[i];
  }
  pl_arena_destroy(&s.arena);
  if (status >= 0 && report != NULL) *report = found;
  return status;
}
