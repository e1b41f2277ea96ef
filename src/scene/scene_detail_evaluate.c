// How good examples of detail are: surfaces that they enrich against the true ones, at places they know and at places
// they do not.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/context.h"
#include "base/error.h"
#include "pliant/detail_session.h"
#include "pliant/math.h"

static double distance(const pl_vec3 *a, const pl_vec3 *b, int32_t count) {
  double sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 off = pl_vec3_sub(a[i], b[i]);
    sum += pl_vec3_dot(off, off);
  }
  return count > 0 ? sqrt(sum / count) : 0.0;
}

static pl_status evaluate_one(pl_detail_filter *filter, const pl_detail_recording *recording, pl_vec3 *points,
                              pl_detail_evaluation *evaluation, pl_error *error) {
  int32_t count = recording->object->surface_count;
  pl_detail_contact contact = recording->contact;
  if (!(contact.pressure > 0)) contact.pressure = 1;
  pl_detail_frame frame = {recording->material_displacements, recording->coarse_points, 1, &contact};
  pl_status status = pl_detail_filter_apply(filter, &frame, points, NULL, error);
  if (status < 0) return status;
  evaluation->displacement = distance(recording->fine_points, recording->object->surface_points, count);
  evaluation->coarse = distance(recording->fine_points, recording->coarse_points, count);
  evaluation->enriched = distance(recording->fine_points, points, count);
  return PL_OK;
}

pl_status pl_detail_set_evaluate(pl_context *context, const pl_detail_set *set, const pl_detail_recordings *recordings,
                                 pl_detail_evaluation *evaluations, pl_error *error) {
  pl_status status = PL_OK;
  pl_detail_filter *filter = NULL;
  pl_vec3 *points = NULL;
  for (int32_t i = 0; status >= 0 && i < recordings->count; ++i) {
    const pl_detail_recording *recording = &recordings->items[i];
    if (i == 0 || recording->object != recordings->items[i - 1].object) {
      pl_detail_filter_destroy(filter);
      pl_release(context, points);
      pl_detail_filter_def def = pl_default_detail_filter_def();
      def.set = set;
      def.object = recording->object;
      def.max_contacts = 1;
      filter = NULL;
      points = pl_allocate_array(context, (size_t)recording->object->surface_count, sizeof *points);
      status = points == NULL ? pl_fail_memory(error) : pl_detail_filter_create(context, &def, &filter, error);
    }
    if (status >= 0) status = evaluate_one(filter, recording, points, &evaluations[i], error);
  }
  pl_detail_filter_destroy(filter);
  pl_release(context, points);
  return status;
}

// Evaluate the recordings of one site with a set built from the others; `others` has room for all.
static pl_status evaluate_site(pl_context *context, const pl_detail_def *def, const pl_detail_recordings *recordings,
                               int32_t site, pl_detail_recording *others, pl_detail_evaluation *evaluations,
                               pl_error *error) {
  int32_t other_count = 0;
  for (int32_t i = 0; i < recordings->count; ++i)
    if (recordings->sites[i] != site) others[other_count++] = recordings->items[i];
  if (other_count == 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "all recordings are at one site; cross-validation needs two sites or more");
  pl_detail_set *set = NULL;
  pl_status status =
      pl_detail_set_build(context, def, &(pl_detail_recordings){others, other_count, NULL}, &set, NULL, error);
  for (int32_t i = 0; status >= 0 && i < recordings->count; ++i)
    if (recordings->sites[i] == site)
      status = pl_detail_set_evaluate(context, set, &(pl_detail_recordings){&recordings->items[i], 1, NULL},
                                      &evaluations[i], error);
  pl_detail_set_destroy(set);
  return status;
}

pl_status pl_detail_cross_validate(pl_context *context, const pl_detail_def *def,
                                   const pl_detail_recordings *recordings, pl_detail_evaluation *evaluations,
                                   pl_error *error) {
  const int32_t *sites = recordings->sites;
  if (sites == NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "sites",
                         "the recordings have no sites; give the site of each");
  pl_detail_recording *others = pl_allocate_array(context, (size_t)recordings->count, sizeof *others);
  if (others == NULL) return pl_fail_memory(error);
  pl_status status = PL_OK;
  for (int32_t i = 0; status >= 0 && i < recordings->count; ++i) {
    bool is_first = true;
    for (int32_t k = 0; k < i && is_first; ++k) is_first = sites[k] != sites[i];
    if (is_first) status = evaluate_site(context, def, recordings, sites[i], others, evaluations, error);
  }
  pl_release(context, others);
  return status;
}
