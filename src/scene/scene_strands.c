// Hair of a scene: guides and strands grow on a mesh, all alike but for chance.
//
// Roots are spread over the triangles by their areas. A hair leaves the skin along its normal n and turns towards the
// direction in which it falls, by the fraction `droop` of the angle between the two at its tip:
//
//   direction at s (0 … 1 along it) = n turned by droop * angle * s (2 - s)
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "pliant/math.h"
#include "rod/strands_parameters.h"
#include "scene/scene_rod.h"

// The best of this many random roots, the one farthest from all others, becomes that of a guide.
enum { CANDIDATES = 12 };

typedef struct grower {
  pl_scene_instance *set;
  const pl_scene_rod_strands *source;
  pl_mesh_view skin;
  const pl_vec3 *normals;  // of its points
  double *areas;           // summed up, one per triangle
  pl_random random;
  int32_t joint;
} grower;

static bool is_within(const pl_scene_region *box, pl_vec3 p) {
  return box->json == NULL || (p.x >= box->min.x && p.x <= box->max.x && p.y >= box->min.y && p.y <= box->max.y &&
                               p.z >= box->min.z && p.z <= box->max.z);
}

// Triangles count where their middle is within the region.
static double sum_areas(grower *g) {
  double sum = 0;
  for (int32_t t = 0; t < g->skin.triangle_count; ++t) {
    const int32_t *c = g->skin.triangles + 3 * (ptrdiff_t)t;
    pl_vec3 a = g->skin.points[c[0]], b = g->skin.points[c[1]], d = g->skin.points[c[2]];
    pl_vec3 middle = pl_vec3_scale(pl_vec3_add(a, pl_vec3_add(b, d)), 1.0 / 3);
    if (is_within(&g->source->within, middle))
      sum += 0.5 * pl_vec3_length(pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(d, a)));
    g->areas[t] = sum;
  }
  return sum;
}

static pl_strand_root pick_root(grower *g) {
  double wanted = pl_random_unit(&g->random) * g->areas[g->skin.triangle_count - 1];
  int32_t low = 0, high = g->skin.triangle_count - 1;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (g->areas[middle] > wanted)
      high = middle;
    else
      low = middle + 1;
  }
  double u = pl_random_unit(&g->random), v = pl_random_unit(&g->random), root = sqrt(u);
  const double weights[3] = {1 - root, root * (1 - v), root * v};
  pl_strand_root made = {.joint = g->joint};
  for (int k = 0; k < 3; ++k) {
    int32_t point = g->skin.triangles[3 * (ptrdiff_t)low + k];
    made.position = pl_vec3_add_scaled(made.position, g->skin.points[point], weights[k]);
    made.normal = pl_vec3_add_scaled(made.normal, g->normals[point], weights[k]);
  }
  made.normal = pl_vec3_normalize_or(made.normal, pl_vec3_of(0, 1, 0));
  return made;
}

static void grow(const grower *g, const pl_strand_root *root, double length, int32_t count, pl_vec3 *points) {
  pl_vec3 fall = pl_vec3_normalize_or(g->source->fall, pl_vec3_of(0, -1, 0)), n = root->normal;
  pl_vec3 any = fabs(n.x) < 0.6 ? pl_vec3_of(1, 0, 0) : pl_vec3_of(0, 0, 1);
  pl_vec3 axis = pl_vec3_normalize_or(pl_vec3_cross(n, fall), pl_vec3_cross(n, any));
  double angle = atan2(pl_vec3_length(pl_vec3_cross(n, fall)), pl_vec3_dot(n, fall)) * g->source->droop;
  points[0] = root->position;
  for (int32_t i = 1; i < count; ++i) {
    double s = (i - 0.5) / (count - 1);
    pl_vec3 direction = pl_quat_rotate(pl_quat_from_axis_angle(axis, angle * s * (2 - s)), n);
    points[i] = pl_vec3_add_scaled(points[i - 1], direction, length / (count - 1));
  }
}

// --- guides

static pl_strand_root pick_guide(grower *g, const pl_rod_joint *joints, const int32_t *roots, int32_t count) {
  pl_strand_root best = {0};
  double farthest = -1;
  for (int k = 0; k < CANDIDATES; ++k) {
    pl_strand_root root = pick_root(g);
    double nearest = HUGE_VAL;
    for (int32_t i = 0; i < count; ++i)
      nearest = fmin(nearest, pl_vec3_distance(root.position, joints[roots[i]].rest.position));
    if (nearest > farthest) {
      farthest = nearest;
      best = root;
    }
  }
  return best;
}

static pl_status add_guides(grower *g, pl_rod_def *def, pl_error *error) {
  const pl_scene_rod_strands *source = g->source;
  int32_t guides = (int32_t)source->guides, points = (int32_t)source->guide_points, old = def->joint_count;
  pl_arena *arena = &g->set->arena;
  pl_rod_joint *joints = PL_TAKE(arena, pl_rod_joint, (size_t)old + (size_t)guides * (size_t)points);
  int32_t *roots = PL_TAKE(arena, int32_t, guides);
  pl_vec3 *curve = PL_TAKE(arena, pl_vec3, points);
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < old; ++i) joints[i] = def->joints[i];
  for (int32_t k = 0; k < guides; ++k) {
    pl_strand_root root = pick_guide(g, joints, roots, k);
    grow(g, &root, source->length, points, curve);
    roots[k] = def->joint_count;
    for (int32_t i = 0; i < points; ++i) {
      pl_rod_joint *joint = &joints[def->joint_count];
      *joint = pl_default_rod_joint(i == 0 ? g->joint : def->joint_count - 1);
      joint->name = "guide";
      joint->rest.position = curve[i];
      joint->radius = source->guide_radius;
      def->joint_count++;
    }
  }
  def->joints = joints;
  return PL_OK;
}

// --- strands

// Each strand is a little longer or shorter, and strays from its smooth curve, the more the farther from the root.
static void grow_strand(grower *g, const pl_strand_root *root, pl_vec3 *points) {
  int32_t count = g->source->def.points;
  grow(g, root, g->source->length * pl_random_between(&g->random, 0.9, 1.05), count, points);
  pl_vec3 stray = {0, 0, 0};
  for (int32_t j = 1; j < count; ++j) {
    double x = pl_random_normal(&g->random), y = pl_random_normal(&g->random), z = pl_random_normal(&g->random);
    stray = pl_vec3_add(pl_vec3_scale(stray, 0.8), (pl_vec3){0.6 * x, 0.6 * y, 0.6 * z});
    points[j] = pl_vec3_add_scaled(points[j], stray, g->source->frizz * j / (count - 1));
  }
}

static pl_status create_strands(grower *g, const pl_model *model, pl_strands **strands, pl_error *error) {
  pl_context *context = g->set->context;
  pl_strands_def def = g->source->def;
  def.strand_count = (int32_t)g->source->count;
  size_t count = (size_t)def.strand_count;
  pl_strand_root *roots = pl_allocate_array(context, count, sizeof *roots);
  pl_vec3 *rests = pl_allocate_array(context, count * (size_t)def.points, sizeof *rests);
  pl_status status = roots == NULL || rests == NULL ? pl_fail_memory(error) : PL_OK;
  for (int32_t i = 0; status >= 0 && i < def.strand_count; ++i) {
    roots[i] = pick_root(g);
    grow_strand(g, &roots[i], rests + (size_t)i * (size_t)def.points);
  }
  def.roots = roots;
  def.rests = rests;
  if (status >= 0) status = pl_strands_create(context, model, &def, strands, error);
  pl_release(context, roots);
  pl_release(context, rests);
  return status;
}

// --- both

static pl_status open_grower(pl_scene_instance *set, pl_instance_rod *rod, grower *g, pl_findings *findings,
                             pl_error *error) {
  const pl_scene_rod_strands *source = &rod->source->strands;
  *g = (grower){.set = set, .source = source, .random = pl_random_of_seed((uint64_t)source->seed)};
  g->joint = pl_scene_rod_find_joint(rod->source, source->joint);
  pl_mesh *mesh = NULL;
  pl_status status = pl_scene_make_mesh(set->scene, source->mesh, &mesh, findings, error);
  if (status >= 0 && pl_mesh_get_view(mesh).tet_count > 0) {
    pl_mesh *boundary = NULL;
    status = pl_mesh_build_boundary(set->context, mesh, &boundary, NULL, error);
    pl_mesh_destroy(mesh);
    mesh = boundary;
  }
  if (status < 0) return status;
  rod->scalp = mesh;
  g->skin = pl_mesh_get_view(mesh);
  pl_vec3 *normals = PL_TAKE(&set->arena, pl_vec3, g->skin.point_count);
  g->areas = PL_TAKE(&set->arena, double, g->skin.triangle_count);
  if (set->arena.failed) return pl_fail_memory(error);
  pl_normals_compute(g->skin.points, g->skin.point_count, g->skin.triangles, g->skin.triangle_count, normals);
  g->normals = normals;
  if (sum_areas(g) > 0) return PL_OK;
  pl_instance_add_finding(set->scene, source->json, findings, PL_SEVERITY_ERROR, "no-skin",
                          "enlarge `within`, or name a mesh with triangles",
                          "no triangle of the mesh \"%s\" is there for hair to grow on", source->mesh);
  return pl_fail(error, PL_ERROR_INVALID_DATA, "there is no skin for hair to grow on");
}

pl_status pl_instance_grow_hair(pl_scene_instance *set, pl_instance_rod *rod, pl_findings *findings, pl_model **model,
                                pl_error *error) {
  grower g;
  // Strands are drawn in place of their guides.
  rod->def.tube_sides = 0;
  pl_status status = open_grower(set, rod, &g, findings, error);
  if (status >= 0 && g.source->guides > 0) status = add_guides(&g, &rod->def, error);
  if (status >= 0) status = pl_rod_build(set->context, &rod->def, model, error);
  if (status >= 0) status = create_strands(&g, *model, &rod->strands, error);
  return status;
}
