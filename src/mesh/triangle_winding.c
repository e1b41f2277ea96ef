// Generalized winding number of a triangle soup (Jacobson et al. 2013), fast by a hierarchy (Barill et al. 2018).
//
//   w(q) = 1/4π  sum over triangles of the solid angle seen from q
//
// Seen from far away the triangles of a node are an expansion around their centre p. With d = p - q, r = |d|, x running
// over the triangles, n their unit normal, and the moments
//
//   N_i = ∫ n_i      M_ij = ∫ n_i (x-p)_j      T_ijk = ∫ n_i (x-p)_j (x-p)_k
//
//   4π w ≈  d·N / r³  +  tr M / r³ - 3 dᵀMd / r⁵  -  3/2 d·(2a + b) / r⁵ + 15/2 T(d,d,d) / r⁷
//   a_k = T_iik      b_i = T_ijj
//
// Only the symmetric parts of M and T matter in the forms, which is what a node keeps. A node is far when r > beta x
// its radius; near leaves are summed exactly. Order 2 is worth its 13 numbers: on a sphere order 1 is off by up to 0.07
// at the same beta, order 2 by 0.006. Moments are summed from the leaves up, so building is linear in the number of
// nodes.
#include "mesh/simplex.h"
#include "mesh/triangle_tree.h"

static const double BETA = 2;  // the paper's choice
static const double FOUR_PI = 12.566370614359172954;

typedef struct moments {
  double center[3], area;
  double n[3], m[3][3], t[3][3][3];
} moments;

// Add the moments of one triangle around the centre of `sum`.
static void add_triangle(moments *sum, const pl_vec3 corners[3]) {
  const pl_vec3 p = {sum->center[0], sum->center[1], sum->center[2]};
  pl_vec3 a = pl_vec3_sub(corners[0], p), b = pl_vec3_sub(corners[1], p), c = pl_vec3_sub(corners[2], p);
  pl_vec3 area = pl_vec3_scale(pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(c, a)), 0.5),
          all = pl_vec3_add(pl_vec3_add(a, b), c);
  const double n[3] = {area.x, area.y, area.z}, s[3] = {all.x, all.y, all.z};
  const double v[3][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}};
  for (int i = 0; i < 3; ++i) {
    sum->n[i] += n[i];
    for (int j = 0; j < 3; ++j) {
      sum->m[i][j] += n[i] * s[j] / 3;
      for (int k = 0; k < 3; ++k)
        sum->t[i][j][k] += n[i] / 12 * (v[0][j] * v[0][k] + v[1][j] * v[1][k] + v[2][j] * v[2][k] + s[j] * s[k]);
    }
  }
}

// Add the moments of a part, moved from its own centre to that of `sum`.
static void add_part(moments *sum, const moments *part) {
  double s[3];
  for (int i = 0; i < 3; ++i) s[i] = part->center[i] - sum->center[i];
  for (int i = 0; i < 3; ++i) {
    sum->n[i] += part->n[i];
    for (int j = 0; j < 3; ++j) {
      sum->m[i][j] += part->m[i][j] + part->n[i] * s[j];
      for (int k = 0; k < 3; ++k)
        sum->t[i][j][k] += part->t[i][j][k] + s[j] * part->m[i][k] + s[k] * part->m[i][j] + part->n[i] * s[j] * s[k];
    }
  }
}

static void start_at(moments *sum, const double weighted[3], double area, const pl_box *box) {
  pl_vec3 middle = pl_box_center(*box);
  const double fallback[3] = {middle.x, middle.y, middle.z};
  *sum = (moments){.area = area};
  for (int i = 0; i < 3; ++i) sum->center[i] = area > 0 ? weighted[i] / area : fallback[i];
}

static void sum_leaf(const pl_triangle_tree *tree, const pl_box_node *leaf, moments *sum) {
  double weighted[3] = {0}, area = 0;
  for (int32_t i = leaf->first; i < leaf->end; ++i) {
    const pl_vec3 *c = &tree->corners[3 * (size_t)i];
    double size = 0.5 * pl_vec3_length(pl_vec3_cross(pl_vec3_sub(c[1], c[0]), pl_vec3_sub(c[2], c[0])));
    weighted[0] += size * (c[0].x + c[1].x + c[2].x) / 3;
    weighted[1] += size * (c[0].y + c[1].y + c[2].y) / 3;
    weighted[2] += size * (c[0].z + c[1].z + c[2].z) / 3;
    area += size;
  }
  start_at(sum, weighted, area, &leaf->box);
  for (int32_t i = leaf->first; i < leaf->end; ++i) add_triangle(sum, &tree->corners[3 * (size_t)i]);
}

static void sum_children(const moments *first, const moments *second, const pl_box *box, moments *sum) {
  double weighted[3];
  for (int i = 0; i < 3; ++i) weighted[i] = first->area * first->center[i] + second->area * second->center[i];
  start_at(sum, weighted, first->area + second->area, box);
  add_part(sum, first);
  add_part(sum, second);
}

// Distance from the centre to the farthest corner of the box.
static double radius_of(const moments *sum, const pl_box *box) {
  pl_vec3 p = {sum->center[0], sum->center[1], sum->center[2]};
  pl_vec3 below = pl_vec3_sub(p, box->min), above = pl_vec3_sub(box->max, p);
  return pl_vec3_length(pl_vec3_max(below, above));
}

static pl_dipole dipole_of(const moments *sum, const pl_box *box) {
  const double(*m)[3] = sum->m, (*t)[3][3] = sum->t;
  double linear[3];
  for (int i = 0; i < 3; ++i) {
    linear[i] = 0;
    for (int j = 0; j < 3; ++j) linear[i] -= 1.5 * (2 * t[j][j][i] + t[i][j][j]);
  }
  pl_dipole dipole = {
      .center = {sum->center[0], sum->center[1], sum->center[2]},
      .radius = radius_of(sum, box),
      .normal = {sum->n[0], sum->n[1], sum->n[2]},
      .trace = m[0][0] + m[1][1] + m[2][2],
      .quadratic = {-3 * m[0][0], -3 * m[1][1], -3 * m[2][2], -3 * (m[0][1] + m[1][0]), -3 * (m[0][2] + m[2][0]),
                    -3 * (m[1][2] + m[2][1])},
      .linear = {linear[0], linear[1], linear[2]},
      .cubic = {t[0][0][0], t[1][1][1], t[2][2][2], 2 * t[0][0][1] + t[1][0][0], 2 * t[0][0][2] + t[2][0][0],
                2 * t[1][0][1] + t[0][1][1], 2 * t[1][1][2] + t[2][1][1], 2 * t[2][0][2] + t[0][2][2],
                2 * t[2][1][2] + t[1][2][2], 2 * (t[0][1][2] + t[1][0][2] + t[2][0][1])},
  };
  for (int i = 0; i < 10; ++i) dipole.cubic[i] *= 7.5;
  return dipole;
}

bool pl_triangle_tree_reserve_refit(pl_triangle_tree *tree) {
  if (tree->moments == NULL) tree->moments = PL_TAKE(&tree->arena, moments, tree->boxes.node_count);
  return tree->moments != NULL;
}

bool pl_triangle_tree_fill_dipoles(pl_triangle_tree *tree) {
  int32_t node_count = tree->boxes.node_count;
  pl_arena temporary;
  pl_arena_init(&temporary, tree->arena.context, 0);
  moments *sums = tree->moments != NULL ? tree->moments : PL_TAKE(&temporary, moments, node_count);
  // Children come after their parent in the array, so going backwards meets them first.
  for (int32_t node = node_count - 1; sums != NULL && node >= 0; --node) {
    const pl_box_node *n = &tree->boxes.nodes[node];
    if (n->count > 0)
      sum_leaf(tree, n, &sums[node]);
    else
      sum_children(&sums[node + 1], &sums[n->second], &n->box, &sums[node]);
    tree->dipoles[node] = dipole_of(&sums[node], &n->box);
  }
  pl_arena_destroy(&temporary);
  return sums != NULL;
}

static double dipole_angle(const pl_dipole *dipole, pl_vec3 d, double squared) {
  const double *q = dipole->quadratic, *c = dipole->cubic;
  double i2 = 1 / squared, i3 = i2 * sqrt(i2), x = d.x, y = d.y, z = d.z;
  double quadratic = x * (q[0] * x + q[3] * y + q[4] * z) + y * (q[1] * y + q[5] * z) + q[2] * z * z;
  double cubic = x * x * (c[0] * x + c[3] * y + c[4] * z) + y * y * (c[1] * y + c[5] * x + c[6] * z) +
                 z * z * (c[2] * z + c[7] * x + c[8] * y) + c[9] * x * y * z;
  return i3 * (pl_vec3_dot(d, dipole->normal) + dipole->trace +
               i2 * (quadratic + pl_vec3_dot(d, dipole->linear) + i2 * cubic));
}

double pl_triangle_tree_winding(const pl_triangle_tree *tree, pl_vec3 point) {
  if (tree->boxes.node_count == 0 || !pl_vec3_is_finite(point)) return 0;
  double angle = 0;
  int32_t stack[PL_BOX_TREE_DEPTH], depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    int32_t node = stack[--depth];
    const pl_dipole *dipole = &tree->dipoles[node];
    pl_vec3 d = pl_vec3_sub(dipole->center, point);
    double squared = pl_vec3_dot(d, d), far = BETA * dipole->radius;
    if (squared > far * far) {
      angle += dipole_angle(dipole, d, squared);
      continue;
    }
    const pl_box_node *n = &tree->boxes.nodes[node];
    if (n->count == 0) {
      stack[depth++] = n->second;
      stack[depth++] = node + 1;
      continue;
    }
    for (int32_t i = n->first; i < n->end; ++i) {
      const pl_vec3 *c = &tree->corners[3 * (size_t)i];
      angle += pl_triangle_solid_angle(c[0], c[1], c[2], point);
    }
  }
  return angle / FOUR_PI;
}
