// The distance of a simulation from what was observed: points of the mesh, or markers, each a fixed mean of four of
// them, so that derivatives are the same means of the sensitivities.
#include <math.h>

#include "capture/fit_motion_parts.h"

void pl_motion_observe(const pl_motion *m, int32_t point, const double *field, double to[3]) {
  for (int i = 0; i < 3; ++i) to[i] = m->parents == NULL ? field[3 * (ptrdiff_t)point + i] : 0;
  if (m->parents == NULL) return;
  const int32_t *parents = m->parents + 4 * (ptrdiff_t)point;
  const float *weights = m->weights + 4 * (ptrdiff_t)point;
  for (int a = 0; a < 4; ++a)
    for (int i = 0; i < 3; ++i) to[i] += (double)weights[a] * field[3 * (ptrdiff_t)parents[a] + i];
}

// Add a point with the derivatives of its position.
static void add_point(pl_motion *m, int32_t point, const double off[3], double weight, double *scores) {
  pl_motion_result *result = m->result;
  double moved[PL_FIT_MOTION_COLUMNS][3];
  for (int32_t k = 0; k < m->columns; ++k) {
    pl_motion_observe(m, point, m->s + k * m->n, moved[k]);
    double own[3] = {weight * moved[k][0], weight * moved[k][1], weight * moved[k][2]};
    double part = own[0] * off[0] + own[1] * off[1] + own[2] * off[2];
    result->gradient[k] += part;
    if (scores != NULL) scores[k] += part;
    double *row = result->normal + (ptrdiff_t)k * m->columns;
    for (int32_t l = 0; l <= k; ++l) row[l] += own[0] * moved[l][0] + own[1] * moved[l][1] + own[2] * moved[l][2];
  }
}

void pl_motion_compare(pl_motion *m, const pl_vec3 *seen, const double *point_weights, double weight, double *scores) {
  const double *rest = m->worker->body->model->rest_points;
  pl_motion_result *result = m->result;
  for (int32_t p = 0; p < m->observed_count; ++p) {
    double count = weight * (point_weights != NULL ? point_weights[p] : 1), x[3], still[3];
    const double at[3] = {seen[p].x, seen[p].y, seen[p].z};
    bool is_held = m->parents == NULL && m->fixed[p] != 0;
    // A sample of a marker that is missing is not finite.
    if (!(count > 0) || is_held || !isfinite(at[0] + at[1] + at[2])) continue;
    pl_motion_observe(m, p, m->x, x);
    pl_motion_observe(m, p, rest, still);
    double off[3], square = 0, way = 0;
    for (int i = 0; i < 3; ++i) {
      off[i] = x[i] - at[i];
      square += off[i] * off[i];
      way += (at[i] - still[i]) * (at[i] - still[i]);
    }
    result->cost += m->ratio * count * square;
    result->weight += count;
    result->amplitude += m->ratio * count * way;
    result->worst = fmax(result->worst, sqrt(square));
    add_point(m, p, off, m->ratio * count, scores);
  }
}

void pl_motion_compare_frame(pl_motion *m, int32_t frame) {
  const pl_fit_sequence *sequence = m->job->sequence;
  double weight = sequence->frame_weights != NULL ? sequence->frame_weights[frame] : 1;
  if (!(weight > 0)) return;
  double *scores = m->result->scores != NULL ? m->result->scores + (ptrdiff_t)frame * m->columns : NULL;
  pl_motion_compare(m, sequence->positions + (ptrdiff_t)frame * m->observed_count, sequence->point_weights, weight,
                    scores);
}
