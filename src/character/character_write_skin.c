// Influences as glTF wants them. A point of ours may have any number of joints; viewers know four or eight, want no
// joint twice, and add weights up as they are. Of more than eight the heaviest are kept and stand for the whole.
#include "base/error.h"
#include "character/character_write.h"
#include "pliant/math.h"

// How far the place a joint gives a point at rest may be from the point: the file has one place for it, whatever its
// joints say.
static const double OFFSET_TOLERANCE = 1e-4;

typedef struct influence {
  int32_t joint;
  double weight;
} influence;

static pl_status check_offset(const pl_draft *draft, int32_t point, int32_t joint, pl_vec3 offset, pl_vec3 position) {
  pl_transform rest = draft->rod->joints[joint].rest;
  rest.rotation = pl_quat_normalize(rest.rotation);
  if (pl_vec3_distance(pl_transform_apply(rest, offset), position) <= OFFSET_TOLERANCE) return PL_OK;
  return pl_fail(draft->error, PL_ERROR_UNSUPPORTED,
                 "the skin binds point %d to joint \"%.60s\" elsewhere than at rest, which this file cannot hold",
                 point, draft->names[joint]);
}

// The joints of a point, merged and sorted by falling weight (the lower joint first among equals); their number in
// `count`.
static pl_status merge(const pl_draft *draft, int32_t point, pl_vec3 position, influence *list, int32_t *count) {
  const pl_rod_skin *skin = &draft->rod->skin;
  *count = 0;
  for (int32_t k = 0; k < skin->influence_count; ++k) {
    size_t from = (size_t)point * (size_t)skin->influence_count + (size_t)k;
    influence added = {skin->joints[from], (double)skin->weights[from]};
    if (added.joint < 0 || added.joint >= draft->rod->joint_count)
      return pl_fail(draft->error, PL_ERROR_INVALID_DATA, "point %d of the skin follows joint %d, but there are %d",
                     point, added.joint, draft->rod->joint_count);
    if (!(added.weight >= 0 && added.weight <= 1e6))
      return pl_fail(draft->error, PL_ERROR_INVALID_DATA, "a weight of point %d of the skin is negative or not finite",
                     point);
    if (added.weight == 0) continue;
    if (skin->offsets != NULL) {
      pl_status status = check_offset(draft, point, added.joint, skin->offsets[from], position);
      if (status < 0) return status;
    }
    int32_t at = 0;
    while (at < *count && list[at].joint != added.joint) at++;
    if (at < *count)
      added.weight += list[at].weight;
    else
      (*count)++;
    for (; at > 0 && (list[at - 1].weight < added.weight ||
                      (list[at - 1].weight == added.weight && list[at - 1].joint > added.joint));
         --at)
      list[at] = list[at - 1];
    list[at] = added;
  }
  return PL_OK;
}

// The sum of the rounded weights is what viewers see, so the heaviest takes up what rounding leaves.
static void store(const influence *list, int32_t count, int32_t *joints, float *weights) {
  double sum = 0, others = 0;
  for (int32_t k = 0; k < count; ++k) sum += list[k].weight;
  for (int32_t k = 1; k < count; ++k) {
    weights[k] = (float)(list[k].weight / sum);
    joints[k] = weights[k] > 0.0f ? list[k].joint : 0;
    others += (double)weights[k];
  }
  joints[0] = list[0].joint;
  weights[0] = (float)(1 - others);
}

pl_status pl_draft_gather_influences(pl_draft *draft, pl_draft_influences *influences) {
  const pl_rod_skin *skin = &draft->rod->skin;
  pl_mesh_view view = pl_mesh_get_view(skin->surface);
  if (skin->influence_count < 1 || skin->joints == NULL || skin->weights == NULL)
    return pl_fail(draft->error, PL_ERROR_INVALID_ARGUMENT, "the skin has no joints and weights");
  influences->set_count = 1;
  influences->joints = PL_TAKE(&draft->arena, int32_t, (size_t)view.point_count * PL_DRAFT_INFLUENCES);
  influences->weights = PL_TAKE(&draft->arena, float, (size_t)view.point_count *PL_DRAFT_INFLUENCES);
  influence *list = PL_TAKE(&draft->arena, influence, (size_t)skin->influence_count + 1);
  if (draft->arena.failed) return pl_fail_memory(draft->error);
  for (int32_t point = 0; point < view.point_count; ++point) {
    int32_t count = 0;
    pl_status status = merge(draft, point, view.points[point], list, &count);
    if (status < 0) return status;
    if (count == 0) return pl_fail(draft->error, PL_ERROR_INVALID_DATA, "point %d of the skin follows no joint", point);
    if (count > PL_DRAFT_INFLUENCES) count = PL_DRAFT_INFLUENCES;
    if (count > 4) influences->set_count = 2;
    size_t at = (size_t)point * PL_DRAFT_INFLUENCES;
    store(list, count, influences->joints + at, influences->weights + at);
  }
  return PL_OK;
}
