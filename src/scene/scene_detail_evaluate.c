// How good examples of detail are: surfaces that they enrich against the true ones, at places they know and at places they do not.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/context.h"
#include "base/error.h"
#include "math/vec3.h"
#include "pliant/recording.h"

static double distance(const pl_vec3 *a, const pl_vec3 *b, int32_t count) {
  double sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 off = pl_vec3_sub(a[i], b[i]);
    sum += pl_vec3_dot(off, off);
  }
  return count > 0 ? sqrt(sum / count) : 0.0;
}

static pl_status evaluate_one(pl_detail_filter *filter, const pl_detail_recording *recording, pl_vec3 *points,
                              pl_detail_judgement *judgement, pl_error *error) {
  int32_t count = recording->object->surface_count;
  pl_detail_contact contact = recording->contact;
  if (!(contact.pressure > 0)) contact.pressure = 1;
  pl_detail_frame frame = {recording->material_displacements, recording->coarse_points, 1, &contact};
  pl_status status = pl_detail_filter_apply(filter, &frame, points, NULL, error);
  if (status < 0) return status;
  judgement->displacement = distance(recording->fine_points, recording->object->surface_points, count);
  judgement->coarse = distance(recording->fine_points, recording->coarse_points, count);
  judgement->enriched = distance(recording->fine_points, points, count);
  return PL_OK;
}

pl_status pl_detail_set_evaluate(pl_context *context, const pl_detail_set *set, const pl_detail_recording *recordings,
                                 int32_t recording_count, pl_detail_judgement *judgements, pl_error *error) {
  pl_status status = PL_OK;
  pl_detail_filter *filter = NULL;
  pl_vec3 *points = NULL;
  for (int32_t i = 0; status >= 0 && i < recording_count; ++i) {
    const pl_detail_recording *recording = &recordings[i];
    if (i == 0 || recording->object != recordings[i - 1].object) {
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
    if (status >= 0) status = evaluate_one(filter, recording, points, &judgements[i], error);
  }
  pl_detail_filter_destroy(filter);
  pl_release(context, points);
  return status;
}

// Judge the recordings of one site by the others.
static pl_status evaluate_site(pl_context *context, const pl_detail_def *def, const pl_detail_recording *recordings,
                               const int32_t *sites, int32_t count, int32_t site, pl_detail_recording *others,
                               pl_detail_judgement *judgements, pl_error *error) {
  int32_t other_count = 0;
  for (int32_t i = 0; i < count; ++i)
    if (sites[i] != site) others[other_count++] = recordings[i];
  if (other_count == 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "all recordings are at one site; evaluation needs recordings at two or more sites");
  pl_detail_set *set = NULL;
  pl_status status = pl_detail_set_build(context, def, others, other_count, &set, NULL, error);
  for (int32_t i = 0; status >= 0 && i < count; ++i)
    if (sites[i] == site) status = pl_detail_set_evaluate(context, set, &recordings[i], 1, &judgements[i], error);
  pl_detail_set_destroy(set);
  return status;
}

pl_status pl_detail_cross_validate(pl_context *context, const pl_detail_def *def, const pl_detail_recording *recordings,
                                   const int32_t *sites, int32_t recording_count, pl_detail_judgement *judgements,
                                   pl_error *error) {
  pl_detail_recording *others = pl_allocate_array(context, (size_t)recording_count, sizeof *others);
  if (others == NULL) return pl_fail_memory(error);
  pl_status status = PL_OK;
  for (int32_t i = 0; status >= 0 && i < recording_count; ++i) {
    bool is_first = true;
    for (int32_t k = 0; k < i && is_first; ++k) is_first = sites[k] != sites[i];
    if (is_first) status = evaluate_site(context, def, recordings, sites, recording_count, sites[i], others, judgements, error);
  }
  pl_release(context, others);
  return status;
}
