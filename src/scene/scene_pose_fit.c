// Fits of posed surfaces, with a store for what was fitted before and findings for what was not met.
//
// A record of the store has the name of the hash of all that the fit depends on: tets, surface, posed points and
// parameters. It has the bytes that the fit gave, so that a scene is the same whether it was fitted or loaded.
#include "scene/scene_pose_fit.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/parallel.h"
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

// Fits that are not in the store, on their way. Several run at once, each on one thread, with the same result as one
// after the other.
typedef struct fit_round {
  pl_scene_instance *set;
  const pl_instance_part *part;
  pl_pose_job *jobs;
  const pl_pose_def *def;
  pl_context *context;     // for one fit: of a single thread where several run at once
  const int32_t *pending;  // jobs to fit
  int32_t pending_count, point_count;
  int32_t begun_count;   // by the lock …
  pthread_mutex_t lock;  // … which progress and store take turns by too
} fit_round;

static void fit_pending(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  fit_round *round = data;
  pl_scene_instance *set = round->set;
  for (int32_t i = begin; i < end; ++i) {
    pl_pose_job *job = &round->jobs[round->pending[i]];
    pthread_mutex_lock(&round->lock);
    ++round->begun_count;
    if (set->progress != NULL) {
      char text[200];
      snprintf(text, sizeof text, "fitting pose %d of %d: %s", round->begun_count, round->pending_count, job->name);
      set->progress(set->progress_user, text);
    }
    pthread_mutex_unlock(&round->lock);
    const pl_pose_target target = {round->part->tets, round->part->surface, job->target};
    job->status = pl_pose_fit(round->context, round->def, &target, job->points, &job->report, &job->error);
    if (job->status < 0) continue;
    pthread_mutex_lock(&round->lock);
    save_record(set, job->hash, round->point_count, job, job->status);
    pthread_mutex_unlock(&round->lock);
  }
}

static void *allocate_from(void *user, size_t size, size_t alignment) {
  (void)alignment;  // of our blocks it is the largest there is
  return pl_allocate(user, size);
}

static void release_to(void *user, void *block, size_t size) {
  (void)size;
  pl_release(user, block);
}

// With enough poses for all threads every fit has a thread of its own; with fewer, one fit after the other has them
// all.
static pl_status fit_round_run(fit_round *round, pl_error *error) {
  pl_context *context = round->set->context, *single = NULL;
  bool is_outer = 2 * round->pending_count > pl_context_thread_count(context) && round->pending_count > 1;
  if (is_outer) {
    pl_context_def def = pl_default_context_def();
    def.allocator = (pl_allocator){allocate_from, release_to, context};
    def.thread_count = 1;
    pl_status status = pl_context_create(&def, &single, error);
    if (status < 0) return status;
  }
  round->context = is_outer ? single : context;
  if (pthread_mutex_init(&round->lock, NULL) != 0) {
    pl_context_destroy(single);
    return pl_fail_memory(error);
  }
  if (is_outer)
    pl_parallel_for(context, round->pending_count, 1, fit_pending, round);
  else
    fit_pending(round, 0, round->pending_count, 0);
  pthread_mutex_destroy(&round->lock);
  pl_context_destroy(single);
  for (int32_t i = 0; i < round->pending_count; ++i) {
    const pl_pose_job *job = &round->jobs[round->pending[i]];
    if (job->status >= 0) continue;
    if (error != NULL) *error = job->error;
    return job->status;
  }
  return PL_OK;
}

pl_status pl_instance_fit_poses(pl_scene_instance *set, const pl_instance_part *part, pl_pose_job *jobs,
                                int32_t job_count, pl_findings *findings, pl_error *error) {
  if (job_count == 0) return PL_OK;
  pl_pose_def def = pl_default_pose_def();
  int32_t surface_count = pl_mesh_get_view(part->surface).point_count;
  uint64_t hash = hash_part(part, &def);
  int32_t *pending = pl_allocate_array(set->context, (size_t)job_count, sizeof *pending);
  if (pending == NULL) return pl_fail_memory(error);
  fit_round round = {.set = set, .part = part, .jobs = jobs, .def = &def, .pending = pending};
  round.point_count = pl_mesh_get_view(part->tets).point_count;
  for (int32_t i = 0; i < job_count; ++i) {
    jobs[i].hash = hash_points(hash, jobs[i].target, surface_count);
    if (!load_record(set, jobs[i].hash, round.point_count, &jobs[i], &jobs[i].status))
      pending[round.pending_count++] = i;
  }
  pl_status status = round.pending_count > 0 ? fit_round_run(&round, error) : PL_OK;
  for (int32_t i = 0; status >= 0 && i < job_count; ++i) report_fit(set, part, &jobs[i], findings);
  pl_release(set->context, pending);
  return status;
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

// What differs between the faces of a pose and of the rest: the numbers of them, or the first that is another.
static void describe_difference(const pl_scene_pose *pose, const pl_mesh_view *rest, const pl_mesh_view *posed,
                                char text[300]) {
  bool has_tets = posed->tet_count > 0 && rest->tet_count > 0;
  int corners = has_tets ? 4 : 3;
  int32_t count = has_tets ? posed->tet_count : posed->triangle_count,
          rest_count = has_tets ? rest->tet_count : rest->triangle_count;
  const int32_t *faces = has_tets ? posed->tets : posed->triangles,
                *rest_faces = has_tets ? rest->tets : rest->triangles;
  const char *what = has_tets ? "tet" : "face";
  if (count != rest_count) {
    snprintf(text, 300, "pose \"%s\" has %d %ss where the mesh has %d", pose->name, count, what, rest_count);
    return;
  }
  int32_t first = 0, differing_count = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (same_face(&faces[(size_t)corners * (size_t)i], &rest_faces[(size_t)corners * (size_t)i], corners)) continue;
    if (differing_count++ == 0) first = i;
  }
  const int32_t *a = &rest_faces[(size_t)corners * (size_t)first], *b = &faces[(size_t)corners * (size_t)first];
  snprintf(text, 300,
           "pose \"%s\" numbers its vertices in another order: %s %d is %d %d %d in the mesh and %d %d %d in the "
           "pose (%d of %d differ)",
           pose->name, what, first, a[0], a[1], a[2], b[0], b[1], b[2], differing_count, count);
}

pl_status pl_instance_order_pose(pl_scene_instance *set, const pl_scene_pose *pose, const pl_mesh *rest,
                                 const pl_mesh *posed, pl_pose_order *order, pl_error *error) {
  pl_mesh_view of_rest = pl_mesh_get_view(rest), of_posed = pl_mesh_get_view(posed);
  bool has_tets = of_posed.tet_count > 0 && of_rest.tet_count > 0;
  order->posed_of_rest = NULL;
  if (!has_tets && (of_posed.triangle_count == 0 || of_rest.triangle_count == 0)) return PL_OK;
  int32_t *posed_of_rest = PL_TAKE(order->arena, int32_t, of_rest.point_count);
  if (posed_of_rest == NULL) return pl_fail_memory(error);
  pl_pose_match_report report;
  pl_error why = {0};
  pl_status status = pl_poses_match(set->context, rest, posed, posed_of_rest, &report, &why);
  if (status == PL_ERROR_OUT_OF_MEMORY) return pl_fail_memory(error);
  if (status >= 0 && report.moved_count == 0) return PL_OK;
  if (status >= 0 && pose->match) {
    order->posed_of_rest = posed_of_rest;
    pl_instance_add_finding(set->scene, pose->json, order->findings, PL_SEVERITY_NOTE, "pose-matched", "",
                            "pose \"%s\": %d of %d vertices have another number in its file and were found by the "
                            "faces, which is possible in %d way%s",
                            pose->name, report.moved_count, of_rest.point_count, report.way_count,
                            report.way_count == 1 ? "" : "s; the one of least change was taken");
    return PL_OK;
  }
  char text[300];
  describe_difference(pose, &of_rest, &of_posed, text);
  pl_instance_add_finding(
      set->scene, pose->json, order->findings, PL_SEVERITY_ERROR, "pose-faces",
      status >= 0
          ? "write `\"match\": true` in the pose: its vertices can be found again from the faces; or export the "
            "pose with the order of vertices kept"
          : "export the pose from the same mesh, with the order of vertices and faces kept",
      "%s%s%s", text, status < 0 ? "; " : "", status < 0 ? why.text : "");
  return pl_fail(error, PL_ERROR_INVALID_DATA, "%s", text);
}
