// Search for what makes a mesh unfit to simulate. Every kind of trouble is counted in full and listed for its first few
// elements, in words for someone who made the mesh and never saw this code. Indices count from 0, as in the file's own
// order.
#include "mesh/mesh_check.h"

#include "base/error.h"
#include "mesh/topology.h"
#include "pliant/math.h"

enum { LISTED = 8 };  // findings of one kind: enough to see a pattern, few enough to read

// An element is flat when twice its area (six times its volume) is below this fraction of its longest edge squared
// (cubed). That is about 0.7 for a regular element and above 0.01 for well-made ones; at 1e-6 single precision cannot
// tell its height from 0 any more.
static const double FLAT = 1e-6;

static const struct {
  const char *kind;
  pl_severity severity;
  const char *why, *fix;
} TROUBLES[PL_TROUBLE_COUNT] = {
    [PL_TROUBLE_EMPTY] = {"empty-mesh", PL_SEVERITY_ERROR,
                          "A body is made from tets, triangles or segments; points alone cannot hold together.",
                          "Export the mesh with its faces, and check that the right object was selected."},
    [PL_TROUBLE_INVERTED_TET] =
        {"inverted-tet", PL_SEVERITY_ERROR,
         "An inside-out tet pulls where it should push, so the body knots up or bursts at the first step.",
         "Make the tets again from the surface; if all of them are inverted, the file was mirrored or lists corners in "
         "the other order: apply the mirror, or swap two corners of each."},
    [PL_TROUBLE_FLAT_TET] = {"degenerate-tet", PL_SEVERITY_ERROR,
                             "With no volume it has no shape to return to, and its forces are divided by almost zero.",
                             "Make the tets again with a larger cell size, or remove this one."},
    [PL_TROUBLE_FLAT_TRIANGLE] =
        {"degenerate-triangle", PL_SEVERITY_WARNING,
         "With no area it has no front and no back, so shading and contact guess there.",
         "Dissolve degenerate faces in your modelling program (in Blender: Mesh > Clean Up > Degenerate Dissolve)."},
    [PL_TROUBLE_FLAT_SEGMENT] = {"degenerate-segment", PL_SEVERITY_WARNING,
                                 "With no length it has no direction to keep.", "Merge its two ends, or remove it."},
    [PL_TROUBLE_DUPLICATE] =
        {"duplicate-element", PL_SEVERITY_WARNING,
         "The same piece of material is there twice: it is twice as heavy and stiff, and the surface has no clear "
         "outside.",
         "Delete one of the two; a copy that faces the other way to look two-sided is not needed here."},
    [PL_TROUBLE_COINCIDENT] =
        {"coincident-points", PL_SEVERITY_WARNING,
         "They look like one point but are not joined, so the body can tear open there.",
         "Merge points by distance in your modelling program, or export without splitting seams."},
    [PL_TROUBLE_ISOLATED] = {"isolated-point", PL_SEVERITY_WARNING,
                             "Nothing holds it, so it has no mass and stays behind or falls away alone.",
                             "Delete loose points before exporting."},
    [PL_TROUBLE_PIECES] =
        {"several-pieces", PL_SEVERITY_NOTE,
         "Pieces that share no point do not hold each other; each moves on its own.",
         "Nothing, if that is what you want; otherwise join them, or put one tet mesh around all of them."},
    [PL_TROUBLE_TET_PIECES] =
        {"several-pieces", PL_SEVERITY_WARNING,
         "Pieces that share no point do not hold each other, so the body falls apart.",
         "Join the pieces, use a larger cell size so that they grow together, or make each its own body."},
    [PL_TROUBLE_OPEN_EDGE] = {"open-edge", PL_SEVERITY_WARNING,
                              "The surface has a rim or a hole there, so inside and outside are not clear.",
                              "Fill the hole if the body should be solid; leave it if it is meant to be a sheet."},
    [PL_TROUBLE_CROWDED_EDGE] =
        {"non-manifold-edge", PL_SEVERITY_WARNING,
         "Where more than two triangles meet at an edge there is a wall inside the body or two bodies "
         "touch, and the surface has no clear outside.",
         "Delete the inner faces, or separate the parts that touch."},
    [PL_TROUBLE_FLIPPED_EDGE] =
        {"flipped-edge", PL_SEVERITY_WARNING,
         "What is outside for one is inside for the other, so contact pushes the wrong way there.",
         "Recalculate normals to the outside (in Blender: Mesh > Normals > Recalculate Outside)."},
    [PL_TROUBLE_INSIDE_OUT] =
        {"inside-out", PL_SEVERITY_WARNING,
         "Everything outside counts as solid and the inside as empty, so contact pushes things in instead of out.",
         "Flip the normals of this piece (in Blender: Mesh > Normals > Flip)."},
};

bool pl_check_count(pl_check *check, pl_trouble trouble, int32_t index, pl_vec3 position, pl_finding *where) {
  if (TROUBLES[trouble].severity >= PL_SEVERITY_WARNING) check->is_doubtful = true;
  *where = (pl_finding){.severity = TROUBLES[trouble].severity,
                        .index = index,
                        .position = {position.x, position.y, position.z},
                        .has_position = index >= 0,
                        .kind = TROUBLES[trouble].kind,
                        .why = TROUBLES[trouble].why,
                        .fix = TROUBLES[trouble].fix};
  return check->counts[trouble]++ < LISTED;
}

static pl_vec3 element_center(const pl_check *check, const int32_t *corners, int32_t width) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < width; ++i) sum = pl_vec3_add_scaled(sum, check->view.points[corners[i]], 1.0 / width);
  return sum;
}

static double longest_edge(const pl_vec3 *points, const int32_t *corners, int32_t width) {
  double longest = 0;
  for (int32_t i = 0; i < width; ++i)
    for (int32_t j = i + 1; j < width; ++j) {
      double length = pl_vec3_distance(points[corners[i]], points[corners[j]]);
      longest = length > longest ? length : longest;
    }
  return longest;
}

static void check_tets(pl_check *check) {
  const pl_vec3 *p = check->view.points;
  for (int32_t t = 0; t < check->view.tet_count; ++t) {
    const int32_t *c = &check->view.tets[4 * t];
    pl_vec3 u = pl_vec3_sub(p[c[1]], p[c[0]]), v = pl_vec3_sub(p[c[2]], p[c[0]]), w = pl_vec3_sub(p[c[3]], p[c[0]]);
    double volume = pl_vec3_dot(pl_vec3_cross(u, v), w) / 6, longest = longest_edge(p, c, 4);
    pl_vec3 center = element_center(check, c, 4);
    pl_finding where;
    if (!(fabs(volume) * 6 > FLAT * longest * longest * longest)) {
      check->report.degenerate_count++;
      if (pl_check_count(check, PL_TROUBLE_FLAT_TET, t, center, &where))
        PL_CHECK_REPORT(check, &where,
                        "Tet %d (points %d, %d, %d, %d) is flat: %g m long, but its volume is %g cubic metres.", t,
                        c[0], c[1], c[2], c[3], longest, volume);
    } else if (volume < 0) {
      check->report.inverted_tet_count++;
      if (pl_check_count(check, PL_TROUBLE_INVERTED_TET, t, center, &where))
        PL_CHECK_REPORT(check, &where, "Tet %d (points %d, %d, %d, %d) is inside out: its volume is %g cubic metres.",
                        t, c[0], c[1], c[2], c[3], volume);
    }
  }
}

static void check_triangles(pl_check *check) {
  const pl_vec3 *p = check->view.points;
  for (int32_t t = 0; t < check->view.triangle_count; ++t) {
    const int32_t *c = &check->view.triangles[3 * t];
    double doubled = pl_vec3_length(pl_vec3_cross(pl_vec3_sub(p[c[1]], p[c[0]]), pl_vec3_sub(p[c[2]], p[c[0]])));
    double longest = longest_edge(p, c, 3);
    if (doubled > FLAT * longest * longest) continue;
    pl_finding where;
    check->report.degenerate_count++;
    if (pl_check_count(check, PL_TROUBLE_FLAT_TRIANGLE, t, element_center(check, c, 3), &where))
      PL_CHECK_REPORT(check, &where,
                      "Triangle %d (points %d, %d, %d) is %s: %g m long, with an area of %g square metres.", t, c[0],
                      c[1], c[2], longest > 0 ? "a line" : "a point", longest, doubled / 2);
  }
}

static void check_segments(pl_check *check) {
  for (int32_t s = 0; s < check->view.segment_count; ++s) {
    const int32_t *c = &check->view.segments[2 * s];
    if (pl_vec3_distance(check->view.points[c[0]], check->view.points[c[1]]) > 0) continue;
    pl_finding where;
    check->report.degenerate_count++;
    if (pl_check_count(check, PL_TROUBLE_FLAT_SEGMENT, s, check->view.points[c[0]], &where))
      PL_CHECK_REPORT(check, &where, "Segment %d (points %d, %d) has no length.", s, c[0], c[1]);
  }
}

// Elements with the same corners in any order.
static bool check_duplicates(pl_check *check, pl_elements elements) {
  int32_t width = elements.width;
  size_t stride = (size_t)width;
  int32_t *keys = PL_TAKE(&check->arena, int32_t, stride * (size_t)elements.count), *order = NULL;
  if (keys == NULL) return false;
  for (int32_t e = 0; e < elements.count; ++e)
    for (int32_t i = 0; i < width; ++i) {  // insertion in rising order
      int32_t *key = &keys[stride * (size_t)e], corner = elements.corners[width * e + i], at = i;
      for (; at > 0 && key[at - 1] > corner; --at) key[at] = key[at - 1];
      key[at] = corner;
    }
  if (!pl_tuples_sort(&check->arena, keys, elements.count, width, check->view.point_count, &order)) return false;
  for (int32_t i = 1, first = 0; i < elements.count; ++i) {
    const int32_t *key = &keys[stride * (size_t)order[i]], *other = &keys[stride * (size_t)order[first]];
    bool is_same = true;
    for (int32_t k = 0; k < width; ++k) is_same = is_same && key[k] == other[k];
    if (!is_same) {
      first = i;
      continue;
    }
    pl_finding where;
    check->report.duplicate_count++;
    if (pl_check_count(check, PL_TROUBLE_DUPLICATE, order[i], element_center(check, key, width), &where))
      PL_CHECK_REPORT(check, &where, "%ss %d and %d have the same corners.",
                      width == 2   ? "Segment"
                      : width == 3 ? "Triangle"
                                   : "Tet",
                      order[first], order[i]);
  }
  return true;
}

static bool check_points(pl_check *check, const int32_t *component_of_point) {
  int32_t *first_of_point = NULL;
  if (!pl_points_weld(&check->arena, check->view.points, check->view.point_count, &first_of_point)) return false;
  for (int32_t i = 0; i < check->view.point_count; ++i) {
    pl_finding where;
    pl_vec3 p = check->view.points[i];
    if (component_of_point[i] < 0) {
      check->report.isolated_point_count++;
      if (pl_check_count(check, PL_TROUBLE_ISOLATED, i, p, &where))
        PL_CHECK_REPORT(check, &where, "Point %d at (%g, %g, %g) belongs to no element.", i, p.x, p.y, p.z);
    }
    if (first_of_point[i] == i) continue;
    check->report.duplicate_count++;
    if (pl_check_count(check, PL_TROUBLE_COINCIDENT, i, p, &where))
      PL_CHECK_REPORT(check, &where, "Points %d and %d are at the same place, (%g, %g, %g).", first_of_point[i], i, p.x,
                      p.y, p.z);
  }
  return true;
}

// Pieces are held together by elements of any kind: join the first corner of each to its others.
static bool find_pieces(pl_check *check, int32_t **component_of_point) {
  const pl_elements kinds[3] = {{check->view.segments, check->view.segment_count, 2},
                                {check->view.triangles, check->view.triangle_count, 3},
                                {check->view.tets, check->view.tet_count, 4}};
  int64_t pair_count = 0;
  for (int k = 0; k < 3; ++k) pair_count += (int64_t)kinds[k].count * (kinds[k].width - 1);
  if (pair_count > INT32_MAX / 2) return false;
  int32_t *pairs = PL_TAKE(&check->arena, int32_t, 2 * pair_count), *pair = pairs;
  if (pairs == NULL) return false;
  for (int k = 0; k < 3; ++k)
    for (int32_t e = 0; e < kinds[k].count; ++e)
      for (int32_t i = 1; i < kinds[k].width; ++i) {
        *pair++ = kinds[k].corners[kinds[k].width * e];
        *pair++ = kinds[k].corners[kinds[k].width * e + i];
      }
  return pl_components_find(&check->arena, (pl_elements){pairs, (int32_t)pair_count, 2}, check->view.point_count,
                            component_of_point, &check->report.component_count);
}

// One finding for all pieces, at the smallest, which is usually the unintended one.
static bool check_pieces(pl_check *check, const int32_t *component_of_point) {
  int32_t piece_count = check->report.component_count;
  if (piece_count < 2) return true;
  int32_t *sizes = PL_TAKE(&check->arena, int32_t, piece_count), min = 0, at = 0;
  if (sizes == NULL) return false;
  for (int32_t i = 0; i < check->view.point_count; ++i)
    if (component_of_point[i] >= 0) sizes[component_of_point[i]]++;
  for (int32_t i = 1; i < piece_count; ++i)
    if (sizes[i] < sizes[min]) min = i;
  while (component_of_point[at] != min) at++;
  pl_trouble trouble = check->view.tet_count > 0 ? PL_TROUBLE_TET_PIECES : PL_TROUBLE_PIECES;
  pl_finding where;
  if (pl_check_count(check, trouble, at, check->view.points[at], &where))
    PL_CHECK_REPORT(check, &where,
                    "The mesh is in %d separate pieces; the smallest has %d points and begins at point %d.",
                    piece_count, sizes[min], at);
  return true;
}

static bool check_everything(pl_check *check) {
  const pl_mesh_view *view = &check->view;
  pl_finding where;
  if (view->tet_count == 0 && view->triangle_count == 0 && view->segment_count == 0 &&
      pl_check_count(check, PL_TROUBLE_EMPTY, -1, pl_vec3_of(0, 0, 0), &where))
    PL_CHECK_REPORT(check, &where, "The mesh has %d points and no tets, triangles or segments.", view->point_count);
  check_tets(check);
  check_triangles(check);
  check_segments(check);
  int32_t *component_of_point = NULL;
  return check_duplicates(check, (pl_elements){view->tets, view->tet_count, 4}) &&
         check_duplicates(check, (pl_elements){view->triangles, view->triangle_count, 3}) &&
         check_duplicates(check, (pl_elements){view->segments, view->segment_count, 2}) && pl_check_surface(check) &&
         find_pieces(check, &component_of_point) && check_points(check, component_of_point) &&
         check_pieces(check, component_of_point);
}

pl_status pl_mesh_check(pl_context *context, const pl_mesh *mesh, pl_findings *findings, pl_mesh_check_report *report,
                        pl_error *error) {
  pl_check check = {.view = pl_mesh_get_view(mesh), .findings = findings};
  if (check.view.tet_mids != NULL) {
    // The eight linear tets of each quadratic one have all its points, and show where it is folded.
    pl_mesh *split = NULL;
    pl_status made = pl_mesh_build_split(context, mesh, &split, error);
    if (made >= 0) made = pl_mesh_check(context, split, findings, report, error);
    pl_mesh_destroy(split);
    return made;
  }
  pl_arena_init(&check.arena, context, 0);
  bool done = check_everything(&check) && !check.failed;
  pl_arena_destroy(&check.arena);
  if (!done) return pl_fail_memory(error);
  if (report != NULL) *report = check.report;
  return check.is_doubtful ? PL_REMARK_FINDINGS : PL_OK;
}
