// Fits of posed surfaces, with a store for what was fitted before and findings for what was not met.
//
// A record of the store has the name of the hash of all that the fit depends on: tets, surface, posed points and
// parameters. It has the bytes that the fit gave, so that a scene is the same whether it was fitted or loaded.
#include "scene/scene_pose_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "pliant/math.h"

// A change of the fit, or of the record, must change this.
static const char RECORD_MAGIC[8] = "plpose1";

// Distances over the diagonal of the surface above which a pose counts as missed: root mean square, and largest.
static const double MAX_RMS = 0.005, MAX_DISTANCE = 0.03;

typedef struct record_head {
  char magic[8];
  uint64_t hash;
  int32_t point_count, is_converged;
  pl_pose_report report;
} record_head;

static uint64_t hash_doubles(uint64_t hash, const double *values, size_t count) {
  return pl_hash_bytes(hash, values, count * sizeof(double));
}

static uint64_t hash_points(uint64_t hash, const pl_vec3 *points, int32_t count) {
  return pl_hash_bytes(hash, points, (size_t)count * sizeof(pl_vec3));
}

// What all fits of one part depend on.
static uint64_t hash_part(const pl_instance_part *part, const pl_pose_def *def) {
  pl_mesh_view tets = pl_mesh_get_view(part->tets), surface = pl_mesh_get_view(part->surface);
  const double numbers[] = {def->weight,           def->exact,     def->reach,
                            def->max_iterations,   tets.tet_count, surface.point_count,
                            surface.triangle_count};
  uint64_t hash = pl_hash_bytes(PL_HASH_START, RECORD_MAGIC, sizeof RECORD_MAGIC);
  hash = hash_doubles(hash, numbers, sizeof numbers / sizeof *numbers);
  hash = hash_points(hash, tets.points, tets.point_count);
  hash = pl_hash_bytes(hash, tets.tets, 4 * (size_t)tets.tet_count * sizeof(int32_t));
  hash = hash_points(hash, surface.points, surface.point_count);
  if (surface.triangle_count > 0)
    hash = pl_hash_bytes(hash, surface.triangles, 3 * (size_t)surface.triangle_count * sizeof(int32_t));
  return hash;
}

static void name_record(uint64_t hash, char name[32]) {
  snprintf(name, 32, "poses/%016llx", (unsigned long long)hash);
}

// False when there is no such record, or not a whole one.
static bool load_record(pl_scene_instance *set, uint64_t hash, int32_t point_count, pl_pose_job *job,
                        pl_status *status) {
  if (set->store.load == NULL) return false;
  char name[32];
  name_record(hash, name);
  size_t points = (size_t)point_count * sizeof(pl_vec3), size = 0;
  unsigned char *bytes = pl_allocate(set->context, sizeof(record_head) + points);
  record_head head;
  bool is_whole = bytes != NULL &&
                  set->store.load(set->store.user, name, bytes, sizeof head + points, &size, NULL) >= 0 &&
                  size == sizeof head + points;
  if (is_whole) {
    memcpy(&head, bytes, sizeof head);
    is_whole = memcmp(head.magic, RECORD_MAGIC, sizeof head.magic) == 0 && head.hash == hash &&
               head.point_count == point_count;
  }
  if (is_whole) {
    memcpy(job->points, bytes + sizeof head, points);
    for (int32_t i = 0; i < point_count; ++i) is_whole = is_whole && pl_vec3_is_finite(job->points[i]);
    job->report = head.report;
    *status = head.is_converged ? PL_OK : PL_REMARK_NOT_CONVERGED;
  }
  pl_release(set->context, bytes);
  return is_whole;
}

// What cannot be kept is fitted again the next time.
static void save_record(pl_scene_instance *set, uint64_t hash, int32_t point_count, const pl_pose_job *job,
                        pl_status status) {
  if (set->store.save == NULL) return;
  char name[32];
  name_record(hash, name);
  size_t points = (size_t)point_count * sizeof(pl_vec3);
  unsigned char *bytes = pl_allocate(set->context, sizeof(record_head) + points);
  if (bytes == NULL) return;
  record_head head;
  memset(&head, 0, sizeof head);
  memcpy(head.magic, RECORD_MAGIC, sizeof head.magic);
  head.hash = hash;
  head.point_count = point_count;
  head.is_converged = status == PL_OK;
  head.report = job->report;
  memcpy(bytes, &head, sizeof head);
  memcpy(bytes + sizeof head, job->points, points);
  (void)set->store.save(set->store.user, name, bytes, sizeof head + points, NULL);
  pl_release(set->context, bytes);
}

// How well a pose is met: a note, and a warning where it is missed.
static void report_fit(pl_scene_instance *set, const pl_instance_part *part, const pl_pose_job *job,
                       pl_findings *findings) {
  const pl_pose_report *r = &job->report;
  pl_mesh_view surface = pl_mesh_get_view(part->surface);
  double size = pl_box_diagonal(pl_box_from_points(surface.points, surface.point_count));
  pl_instance_add_finding(
      set->scene, job->json, findings, PL_SEVERITY_NOTE, "pose-fit", "",
      "pose \"%s\" is met within %.3g m on average and %.3g m at most (point %d); tets have %.3g to "
      "%.3g times their volume; %d surface points give way",
      job->name, r->residual_rms, r->residual_max, r->farthest_point, r->min_j, r->max_j, r->softened_count);
  if (r->inverted_count > 0)
    pl_instance_add_finding(set->scene, job->json, findings, PL_SEVERITY_WARNING, "pose-inverted",
                            "smooth the pose there, or pose it less strongly", "pose \"%s\" leaves %d tets inside out",
                            job->name, r->inverted_count);
  if (r->residual_rms > MAX_RMS * size || r->residual_max > MAX_DISTANCE * size)
    pl_instance_add_finding(set->scene, job->json, findings, PL_SEVERITY_WARNING, "pose-missed",
                            "use more tets (`tets.points`), or a pose that does not fold into itself",
                            "pose \"%s\" is missed by %.3g m on average and %.3g m at most (point %d), of a surface of "
                            "%.3g m",
                            job->name, r->residual_rms, r->residual_max, r->farthest_point, size);
}

pl_status pl_instance_fit_poses(pl_scene_instance *set, const pl_instance_part *part, pl_pose_job *jobs,
                                int32_t job_count, pl_findings *findings, pl_error *error) {
  if (job_count == 0) return PL_OK;
  pl_pose_def def = pl_default_pose_def();
  int32_t point_count = pl_mesh_get_view(part->tets).point_count,
          surface_count = pl_mesh_get_view(part->surface).point_count;
  uint64_t hash = hash_part(part, &def);
  for (int32_t i = 0; i < job_count; ++i) {
    pl_pose_job *job = &jobs[i];
    uint64_t own = hash_points(hash, job->target, surface_count);
    pl_status status = PL_OK;
    if (!load_record(set, own, point_count, job, &status)) {
      if (set->progress != NULL) {
        char text[200];
        snprintf(text, sizeof text, "fitting pose %d of %d: %s", i + 1, job_count, job->name);
        set->progress(set->progress_user, text);
      }
      status = pl_pose_fit(set->context, &def, &(pl_pose_target){part->tets, part->surface, job->target}, job->points,
                           &job->report, error);
      if (status < 0) return status;
      save_record(set, own, point_count, job, status);
    }
    report_fit(set, part, job, findings);
  }
  return PL_OK;
}

// --- faces ---------------------------------------------------------------------------------------------------------

// Whether two faces have the same corners in the same order round, wherever they start.
static bool same_face(const int32_t *a, const int32_t *b, int corners) {
  for (int shift = 0; shift < corners; ++shift) {
    bool is_same = true;
    for (int k = 0; k < corners; ++k) is_same = is_same && a[k] == b[(k + shift) % corners];
    if (is_same) return true;
  }
  return false;
}

pl_status pl_instance_compare_faces(pl_scene_instance *set, const pl_scene_pose *pose, const pl_mesh_view *rest,
                                    const pl_mesh_view *posed, pl_findings *findings, pl_error *error) {
  bool has_tets = posed->tet_count > 0 && rest->tet_count > 0;
  int corners = has_tets ? 4 : 3;
  int32_t count = has_tets ? posed->tet_count : posed->triangle_count,
          rest_count = has_tets ? rest->tet_count : rest->triangle_count;
  const int32_t *faces = has_tets ? posed->tets : posed->triangles,
                *rest_faces = has_tets ? rest->tets : rest->triangles;
  const char *what = has_tets ? "tet" : "face";
  if (count == 0 || rest_count == 0) return PL_OK;
  int32_t first = 0, differing_count = 0;
  for (int32_t i = 0; i < count && i < rest_count; ++i) {
    if (same_face(&faces[(size_t)corners * (size_t)i], &rest_faces[(size_t)corners * (size_t)i], corners)) continue;
    if (differing_count++ == 0) first = i;
  }
  if (count == rest_count && differing_count == 0) return PL_OK;
  char text[300];
  if (count != rest_count) {
    snprintf(text, sizeof text, "pose \"%s\" has %d %ss where the mesh has %d", pose->name, count, what, rest_count);
  } else {
    const int32_t *a = &rest_faces[(size_t)corners * (size_t)first], *b = &faces[(size_t)corners * (size_t)first];
    snprintf(text, sizeof text,
             "pose \"%s\" numbers its vertices in another order: %s %d is %d %d %d in the mesh and %d %d %d in the "
             "pose (%d of %d differ)",
             pose->name, what, first, a[0], a[1], a[2], b[0], b[1], b[2], differing_count, count);
  }
  pl_instance_add_finding(set->scene, pose->json, findings, PL_SEVERITY_ERROR, "pose-faces",
                          "export the pose from the same mesh, with the order of vertices and faces kept", "%s", text);
  return pl_fail(error, PL_ERROR_INVALID_DATA, "%s", text);
}
