// Known loads over time that drive a motion: forces on points, and pressures on faces as they move.
//
// A step has the mean of a load that is linear between its times, so that its impulse is exact. The force of a pressure
// p on node a of a face with shape functions N is
//
//   f_a = -p ∫ N_a x_ξ × x_η dξ dη            ∂f_a = -p ∫ N_a (∂x_ξ × x_η + x_ξ × ∂x_η) dξ dη
//
// of linear tets a third of the area vector. In a step, x is where the body would be in its middle with its velocity of
// the beginning, x_n + τ v_n: the scheme stays of second order and its matrix symmetric, and derivatives are those of
// the scheme. An equilibrium is found with x where the last one was, in turn (fit_balance.c).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit_motion_parts.h"
#include "capture/fit_parts.h"
#include "fem/fem_quadratic.h"
#include "mesh/topology.h"
#include "pliant/math.h"

enum { MAX_FACE_NODES = 6, MAX_FACE_POINTS = 6, LOAD_NUMBERS = 4 };

// --- the table ------------------------------------------------------------------------------------------------------

// Force and pressure of a row.
static void row_of(const pl_fit_load *load, int32_t row, double to[LOAD_NUMBERS]) {
  pl_vec3 force = load->forces != NULL ? load->forces[row] : (pl_vec3){0, 0, 0};
  to[0] = force.x, to[1] = force.y, to[2] = force.z;
  to[3] = load->pressures != NULL ? load->pressures[row] : 0;
}

// The same at a time from row `next` - 1 to row `next`, either of which may not be there.
static void between(const pl_fit_load *load, int32_t next, double time, double to[LOAD_NUMBERS]) {
  double a[LOAD_NUMBERS], b[LOAD_NUMBERS];
  int32_t last = load->time_count - 1, from = next > 0 ? next - 1 : 0, until = next < last ? next : last;
  double length = load->times[until] - load->times[from], t = length > 0 ? (time - load->times[from]) / length : 1;
  t = fmin(fmax(t, 0), 1);
  row_of(load, from, a);
  row_of(load, until, b);
  for (int i = 0; i < LOAD_NUMBERS; ++i) to[i] = a[i] + t * (b[i] - a[i]);
}

// The mean from `time` until `end`; at one time what it is before a jump there.
static void mean_of(const pl_fit_load *load, double time, double end, double mean[LOAD_NUMBERS]) {
  int32_t next = 0;
  double from[LOAD_NUMBERS], to[LOAD_NUMBERS], begin = time;
  if (!(end > time)) {
    while (next < load->time_count && load->times[next] < time) ++next;
    between(load, next, time, mean);
    return;
  }
  while (next < load->time_count && load->times[next] <= time) ++next;
  between(load, next, time, from);
  for (int i = 0; i < LOAD_NUMBERS; ++i) mean[i] = 0;
  for (bool ended = false; !ended; ++next) {
    ended = next >= load->time_count || load->times[next] >= end;
    double at = ended ? end : load->times[next], part = 0.5 * (at - begin) / (end - time);
    if (ended)
      between(load, next, end, to);
    else
      row_of(load, next, to);
    for (int i = 0; i < LOAD_NUMBERS; ++i) mean[i] += part * (from[i] + to[i]), from[i] = to[i];
    begin = at;
  }
}

bool pl_motion_has_pressure(const pl_fit_sequence *sequence) {
  bool found = false;
  for (int32_t i = 0; sequence != NULL && i < sequence->load_count; ++i)
    found = found || sequence->loads[i].pressures != NULL;
  return found;
}

// --- faces ----------------------------------------------------------------------------------------------------------

// The node between corners p and q of a quadratic tet.
static int32_t middle_of(const int32_t *nodes, int32_t p, int32_t q) {
  static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (int e = 0; e < 6; ++e) {
    int32_t a = nodes[ends[e][0]], b = nodes[ends[e][1]];
    if ((a == p && b == q) || (a == q && b == p)) return nodes[4 + e];
  }
  return nodes[4];
}

// Faces of the body's boundary whose corners are all loaded.
static pl_status find_faces(pl_arena *arena, const pl_fem_model *model, const pl_fit_load *load, pl_motion_faces *faces,
                            pl_error *error) {
  const pl_fem_group *group = &model->groups[0];
  int32_t points = model->head.particle_count, count = 0, *triangles = NULL, *owners = NULL;
  int32_t *tets = PL_TAKE(arena, int32_t, 4 * (size_t)group->element_count);
  uint8_t *marks = PL_TAKE(arena, uint8_t, points);
  if (arena->failed) return pl_fail_memory(error);
  for (ptrdiff_t i = 0; i < 4 * (ptrdiff_t)group->element_count; ++i)
    tets[i] = group->corners[group->corner_count * (i / 4) + i % 4];
  for (int32_t i = 0; i < load->loaded_count; ++i) marks[load->loaded[i]] = 1;
  if (!pl_tets_boundary(arena, tets, group->element_count, points, &triangles, &count, &owners))
    return pl_fail_memory(error);
  faces->node_count = group->corner_count == PL_FEM_QUADRATIC_NODES ? MAX_FACE_NODES : 3;
  faces->nodes = PL_TAKE(arena, int32_t, (size_t)faces->node_count * (size_t)count);
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t t = 0; t < count; ++t) {
    const int32_t *corners = triangles + 3 * (ptrdiff_t)t;
    if (!marks[corners[0]] || !marks[corners[1]] || !marks[corners[2]]) continue;
    int32_t *to = faces->nodes + faces->node_count * (ptrdiff_t)faces->count++;
    memcpy(to, corners, 3 * sizeof *to);
    const int32_t *nodes = group->corners + group->corner_count * (ptrdiff_t)owners[t];
    for (int k = 0; k < 3 && faces->node_count > 3; ++k) to[3 + k] = middle_of(nodes, corners[k], corners[(k + 1) % 3]);
  }
  return PL_OK;
}

// A point of integration: its part of the area of the parent triangle, and N with both slopes of every node.
typedef struct face_point {
  double weight, values[MAX_FACE_NODES], slopes[2][MAX_FACE_NODES];
} face_point;

static void fill_point(int32_t node_count, double l1, double l2, double weight, face_point *p) {
  const double l[3] = {1 - l1 - l2, l1, l2}, d[2][3] = {{-1, 1, 0}, {-1, 0, 1}};
  p->weight = weight;
  for (int a = 0; a < 3; ++a) {
    bool curved = node_count > 3;
    int b = (a + 1) % 3;
    p->values[a] = curved ? l[a] * (2 * l[a] - 1) : l[a];
    p->values[3 + a] = 4 * l[a] * l[b];
    for (int c = 0; c < 2; ++c) {
      p->slopes[c][a] = d[c][a] * (curved ? 4 * l[a] - 1 : 1);
      p->slopes[c][3 + a] = 4 * (l[a] * d[c][b] + l[b] * d[c][a]);
    }
  }
}

// Exact: a flat linear face needs one point, a quadratic one the fourth degree (Dunavant 1985).
static int fill_points(int32_t node_count, face_point points[MAX_FACE_POINTS]) {
  static const double at[2] = {0.445948490915965, 0.091576213509771},
                      weight[2] = {0.223381589678011, 0.109951743655322};
  if (node_count == 3) {
    fill_point(node_count, 1.0 / 3, 1.0 / 3, 0.5, points);
    return 1;
  }
  for (int k = 0; k < 2; ++k) {
    double other = 1 - 2 * at[k], half = 0.5 * weight[k];
    fill_point(node_count, at[k], at[k], half, points + 3 * k);
    fill_point(node_count, other, at[k], half, points + 3 * k + 1);
    fill_point(node_count, at[k], other, half, points + 3 * k + 2);
  }
  return MAX_FACE_POINTS;
}

static pl_vec3 tangent_of(const pl_motion_faces *faces, const int32_t *nodes, const double *slopes, const double *x) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t a = 0; a < faces->node_count; ++a) sum = pl_vec3_add_scaled(sum, pl_fem_vector(x, nodes[a]), slopes[a]);
  return sum;
}

// Add forces of a pressure on the faces at x, or their change along a change of x if that is not NULL.
static void press(const pl_motion_faces *faces, double pressure, const double *x, const double *change, double *to) {
  face_point points[MAX_FACE_POINTS];
  int count = fill_points(faces->node_count, points);
  for (int32_t f = 0; f < faces->count && pressure != 0; ++f) {
    const int32_t *nodes = faces->nodes + faces->node_count * (ptrdiff_t)f;
    for (int q = 0; q < count; ++q) {
      const face_point *p = &points[q];
      pl_vec3 a = tangent_of(faces, nodes, p->slopes[0], x), b = tangent_of(faces, nodes, p->slopes[1], x);
      pl_vec3 normal = pl_vec3_cross(a, b);
      if (change != NULL)
        normal = pl_vec3_add(pl_vec3_cross(tangent_of(faces, nodes, p->slopes[0], change), b),
                             pl_vec3_cross(a, tangent_of(faces, nodes, p->slopes[1], change)));
      for (int32_t k = 0; k < faces->node_count; ++k) {
        double part = -pressure * p->weight * p->values[k], *node = to + 3 * (ptrdiff_t)nodes[k];
        node[0] += part * normal.x, node[1] += part * normal.y, node[2] += part * normal.z;
      }
    }
  }
}

// --- loads of a motion ----------------------------------------------------------------------------------------------

pl_status pl_motion_loads_take(pl_motion *m, pl_error *error) {
  const pl_fit_sequence *sequence = m->job->sequence;
  if (!pl_motion_has_pressure(sequence)) return PL_OK;
  m->faces = PL_TAKE(m->arena, pl_motion_faces, sequence->load_count);
  m->load_change = PL_TAKE(m->arena, double, (size_t)m->n *(size_t)m->columns);
  if (m->arena->failed) return pl_fail_memory(error);
  pl_status status = PL_OK;
  for (int32_t i = 0; i < sequence->load_count && status >= 0; ++i)
    if (sequence->loads[i].pressures != NULL)
      status = find_faces(m->arena, m->worker->body->model, &sequence->loads[i], &m->faces[i], error);
  return status;
}

void pl_motion_loads_set(pl_motion *m, double time, double end) {
  const pl_fit_sequence *sequence = m->job->sequence;
  double ahead = 0.5 * (end - time), *x = m->stretch, *change = m->base;
  memcpy(m->load, m->worker->body->load, (size_t)m->n * sizeof(double));
  if (m->faces != NULL) memset(m->load_change, 0, (size_t)(m->n * m->columns) * sizeof(double));
  for (ptrdiff_t i = 0; m->faces != NULL && i < m->n; ++i) x[i] = m->x[i] + ahead * m->v[i];
  for (int32_t l = 0; l < sequence->load_count; ++l) {
    const pl_fit_load *load = &sequence->loads[l];
    double now[LOAD_NUMBERS];
    mean_of(load, time, end, now);
    for (int32_t i = 0; load->forces != NULL && i < load->loaded_count; ++i)
      for (int a = 0; a < 3; ++a) m->load[3 * (ptrdiff_t)load->loaded[i] + a] += now[a] / load->loaded_count;
    if (load->pressures == NULL) continue;
    press(&m->faces[l], now[3], x, NULL, m->load);
    for (int32_t k = 0; k < m->columns; ++k) {
      for (ptrdiff_t i = 0; i < m->n; ++i) change[i] = m->s[k * m->n + i] + ahead * m->t[k * m->n + i];
      press(&m->faces[l], now[3], x, change, m->load_change + k * m->n);
    }
  }
}

// --- what is given --------------------------------------------------------------------------------------------------

static pl_status check_table(const pl_fit_load *load, int32_t sequence, int32_t number, pl_error *error) {
  if (load->time_count < 1 || load->times == NULL || (load->forces == NULL && load->pressures == NULL))
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "sequence %d, load %d has %d times; a load has at least one, with a force or a pressure", sequence,
                   number, load->time_count);
  for (int32_t i = 0; i < load->time_count; ++i) {
    double numbers[LOAD_NUMBERS];
    row_of(load, i, numbers);
    if (!isfinite(load->times[i] + numbers[0] + numbers[1] + numbers[2] + numbers[3]))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "sequence %d, load %d: row %d is not finite", sequence, number, i);
    if (i > 0 && load->times[i] < load->times[i - 1])
      return pl_fail(error, PL_ERROR_INVALID_DATA, "sequence %d, load %d: time %g of row %d is before that of the last",
                     sequence, number, load->times[i], i);
  }
  return PL_OK;
}

static pl_status check_load(const pl_fit *fit, const pl_fit_load *load, int32_t sequence, int32_t number,
                            pl_error *error) {
  int32_t points = fit->body.point_count;
  pl_status status = check_table(load, sequence, number, error);
  if (status < 0) return status;
  for (int32_t i = 0; i < load->loaded_count; ++i) {
    int32_t point = load->loaded[i];
    if (point < 0 || point >= points || (load->forces != NULL && fit->body.fixed[point] != 0))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "sequence %d, load %d: point %d does not exist or is held", sequence,
                     number, point);
  }
  if (load->loaded_count < 1)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "sequence %d, load %d acts on no points", sequence, number);
  if (load->pressures == NULL) return PL_OK;
  pl_arena arena;
  pl_arena_init(&arena, fit->context, 0);
  pl_motion_faces faces = {0};
  status = find_faces(&arena, fit->body.model, load, &faces, error);
  pl_arena_destroy(&arena);
  if (status >= 0 && faces.count == 0)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "sequence %d, load %d: no triangle of the surface has all of its points among those that the "
                   "pressure acts on",
                   sequence, number);
  return status;
}

pl_status pl_fit_check_loads(const pl_fit *fit, const pl_fit_sequence *sequence, int32_t number, pl_error *error) {
  pl_status status = PL_OK;
  for (int32_t i = 0; i < sequence->load_count && status >= 0; ++i)
    status = check_load(fit, &sequence->loads[i], number, i, error);
  if (status < 0 || sequence->start != PL_FIT_START_BALANCED) return status;
  for (int32_t i = 0; i < fit->body.point_count; ++i)
    if (fit->body.fixed[i] != 0) return PL_OK;
  return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "pinned",
                       "nothing is held, so sequence %d cannot start in equilibrium; give points in `pinned`", number);
}
