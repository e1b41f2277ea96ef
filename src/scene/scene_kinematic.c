// Kinematic meshes of a scene: from the document to a motion and a model, and where they are before every step.
#include "scene/scene_kinematic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "pliant/kinematic.h"
#include "pliant/math.h"
#include "pliant/step.h"

// What a motion is made from, and where its troubles go.
typedef struct making {
  pl_scene_instance *set;
  pl_instance_part *part;
  pl_instance_kinematic *made;
  pl_findings *findings;
  pl_error *error;
} making;

static pl_status report_failure(const making *m, const char *key, const char *path, pl_status status,
                                const pl_error *local) {
  if (status == PL_ERROR_OUT_OF_MEMORY) return pl_fail_memory(m->error);
  pl_instance_add_finding(m->set->scene, pl_json_find(m->made->source->json, key), m->findings, PL_SEVERITY_ERROR,
                          "motion-failed", "export it again, or name another file", "\"%s\" cannot be used: %s", path,
                          local->text);
  return pl_fail(m->error, status, "\"%s\" cannot be used: %s", path, local->text);
}

static pl_status find_animation(const making *m, int32_t *animation) {
  const char *name = m->made->source->animation;
  *animation = -1;
  if (name[0] == '\0') return PL_OK;
  *animation = pl_character_find_animation(m->made->character, name);
  if (*animation >= 0) return PL_OK;
  return pl_instance_report_animation(m->set, m->made->character, m->made->source->json, name, m->findings, m->error);
}

static pl_status load_character(const making *m, const char *path) {
  pl_error local = {0};
  pl_status status = pl_character_load(m->set->context, path, &m->made->character, m->findings, &local);
  if (status < 0) return report_failure(m, "character", path, status, &local);
  int32_t animation;
  status = find_animation(m, &animation);
  if (status < 0) return status;
  if (m->made->source->motion[0] == '\0') {
    status = pl_motion_create(m->set->context, m->made->character, animation, &m->made->motion, &local);
    return status < 0 ? report_failure(m, "character", path, status, &local) : PL_OK;
  }
  char *motion = pl_path_join(m->set->context, m->set->scene->folder, m->made->source->motion);
  if (motion == NULL) return pl_fail_memory(m->error);
  status = pl_motion_load(m->set->context, m->made->character, motion, &m->made->motion, m->findings, &local);
  if (status < 0) status = report_failure(m, "motion", motion, status, &local);
  pl_release(m->set->context, motion);
  return status;
}

static pl_status load_cache(const making *m, const char *path) {
  pl_error local = {0};
  pl_mesh *mesh = NULL;
  pl_status status = pl_scene_make_mesh(m->set->scene, m->part->source->mesh, &mesh, m->findings, m->error);
  if (status < 0) return status;
  status = pl_motion_load_cache(m->set->context, mesh, path, m->made->source->frame_rate, &m->made->motion, &local);
  pl_mesh_destroy(mesh);
  return status < 0 ? report_failure(m, "cache", path, status, &local) : PL_OK;
}

static pl_status load_motion(const making *m) {
  const pl_scene_kinematic *source = m->made->source;
  bool is_cache = source->cache[0] != '\0';
  char *path = pl_path_join(m->set->context, m->set->scene->folder, is_cache ? source->cache : source->character);
  if (path == NULL) return pl_fail_memory(m->error);
  pl_status status = is_cache ? load_cache(m, path) : load_character(m, path);
  pl_release(m->set->context, path);
  return status;
}

pl_status pl_instance_make_kinematic(pl_scene_instance *set, pl_instance_part *part, pl_findings *findings,
                                     pl_error *error) {
  pl_instance_kinematic *made = PL_TAKE(&set->arena, pl_instance_kinematic, 1);
  if (made == NULL) return pl_fail_memory(error);
  part->kinematic = made;
  made->source = &part->source->kinematic;
  const making m = {set, part, made, findings, error};
  pl_status status = load_motion(&m);
  if (status < 0) return status;
  made->report = pl_motion_get_report(made->motion);
  if (made->report.mesh == NULL) {
    pl_error local = {0};
    pl_fail(&local, PL_ERROR_INVALID_DATA, "it has no triangles that animation alone moves; export it with a mesh");
    return report_failure(&m, "character", made->source->character, PL_ERROR_INVALID_DATA, &local);
  }
  pl_mesh_view view = pl_mesh_get_view(made->report.mesh);
  made->nodes = PL_TAKE(&set->arena, pl_transform, made->report.node_count);
  made->rest = PL_TAKE(&set->arena, pl_transform, made->report.node_count);
  made->morphs = PL_TAKE(&set->arena, double, made->report.morph_count);
  made->points = PL_TAKE(&set->arena, pl_vec3, view.point_count);
  if (set->arena.failed) return pl_fail_memory(error);
  if (made->character != NULL) pl_character_sample(made->character, -1, 0, made->rest, NULL);
  status = pl_mesh_create(set->context, &view, &part->tets, error);
  if (status >= 0) status = pl_kinematic_build(set->context, &made->source->def, part->tets, &part->model, error);
  return status < 0 ? status : pl_instance_make_surface(set, part, error);
}

void pl_instance_kinematic_destroy(pl_instance_kinematic *kinematic) {
  if (kinematic == NULL) return;
  pl_motion_destroy(kinematic->motion);
  pl_character_destroy(kinematic->character);
}

// --- motion

// Time of the motion at a time of the scene; `turn` counts how often it started over.
static double motion_time(const pl_instance_kinematic *k, double time, double *turn) {
  double at = k->source->start + k->source->speed * time, length = k->report.end - k->report.start;
  *turn = 0;
  if (!k->source->loop || !(length > 0)) return at;
  // A moment that falls on the end of a turn belongs to that turn, so that a step ending there sees its motion.
  *turn = ceil((at - k->report.start) / length - 1e-9) - 1;
  return at - *turn * length;
}

void pl_instance_kinematic_sample(const pl_instance_kinematic *kinematic, double time, pl_vec3 *points) {
  double turn;
  pl_motion_sample(kinematic->motion, motion_time(kinematic, time, &turn), points, kinematic->nodes, kinematic->morphs);
}

static void place(const pl_instance_playing *it) {
  int32_t count = pl_mesh_get_view(it->kinematic->report.mesh).point_count;
  pl_vec3 *points = it->kinematic->points;
  for (int32_t i = 0; i < count; ++i) points[i] = pl_transform_apply(it->placement, points[i]);
}

pl_status pl_instance_play(pl_scene_instance *set, const pl_instance_part *part, pl_transform placement,
                           pl_error *error) {
  pl_instance_playing it = {part->body.id, part->kinematic, placement};
  pl_instance_kinematic_sample(it.kinematic, 0, it.kinematic->points);
  place(&it);
  pl_status status = pl_body_set_state(set->world, it.body, it.kinematic->points, NULL, error);
  if (status < 0) return status;
  return pl_vector_push(&set->playing, &it) ? PL_OK : pl_fail_memory(error);
}

// Where the motion starts over within a step and does not join up, the mesh is put there first.
static pl_status jump(pl_world *world, const pl_instance_playing *it, double now, double end, pl_error *error) {
  const pl_instance_kinematic *k = it->kinematic;
  double turn_now, turn_end, at = motion_time(k, now, &turn_now);
  (void)at;
  (void)motion_time(k, end, &turn_end);
  if (turn_now == turn_end) return PL_OK;
  int32_t count = pl_mesh_get_view(k->report.mesh).point_count;
  double size = pl_box_diagonal(pl_box_from_points(pl_mesh_get_view(k->report.mesh).points, count)), gap = 0;
  pl_motion_sample(k->motion, k->report.end, k->points, NULL, NULL);
  pl_vec3 last = k->points[0];
  pl_motion_sample(k->motion, k->report.start, k->points, NULL, NULL);
  gap = pl_vec3_distance(last, k->points[0]);
  if (!(gap > 1e-4 * size)) return PL_OK;
  place(it);
  return pl_body_set_state(world, it->body, k->points, NULL, error);
}

static pl_status move_ties(const pl_scene_instance *set, pl_world *world, double end, pl_error *error) {
  for (size_t i = 0; i < set->ties.count; ++i) {
    const pl_instance_tie *tie = &PL_ITEM(&set->ties, pl_instance_tie, i);
    pl_instance_kinematic_sample(tie->kinematic, end, NULL);
    pl_transform frame = pl_transform_multiply(tie->placement, tie->kinematic->nodes[tie->node]);
    pl_status status = pl_world_move_attachment(world, tie->id, frame, error);
    if (status < 0) return status;
  }
  return PL_OK;
}

pl_status pl_instance_move_kinematic(pl_scene_instance *set, pl_world *world, double now, double end, pl_error *error) {
  for (size_t i = 0; i < set->playing.count; ++i) {
    const pl_instance_playing *it = &PL_ITEM(&set->playing, pl_instance_playing, i);
    pl_status status = jump(world, it, now, end, error);
    if (status < 0) return status;
    pl_instance_kinematic_sample(it->kinematic, end, it->kinematic->points);
    place(it);
    status = pl_kinematic_set_target(world, it->body, it->kinematic->points, 0, error);
    if (status < 0) return status;
  }
  return move_ties(set, world, end, error);
}

// --- nodes

const pl_instance_part *pl_instance_find_kinematic(const pl_scene_instance *set, const char *name) {
  for (size_t i = 0; i < set->parts.count; ++i) {
    const pl_instance_part *part = &PL_ITEM(&set->parts, pl_instance_part, i);
    if (part->kinematic != NULL && strcmp(part->body.name, name) == 0) return part;
  }
  return NULL;
}

int32_t pl_instance_find_node(const pl_scene_instance *set, const pl_instance_part *part, const pl_json *json,
                              const char *key, const char *name, pl_findings *findings, pl_error *error) {
  const pl_character *character = part->kinematic->character;
  int32_t node = character == NULL ? -1 : pl_character_find_node(character, name);
  if (node >= 0) return node;
  const char *names[256];
  int32_t count = 0;
  pl_character_view view = {0};
  if (character != NULL) view = pl_character_get_view(character);
  for (; count < view.node_count && count < 256; ++count) names[count] = view.nodes[count].name;
  char fix[200] = "`pliant info FILE` lists the nodes of a character";
  const char *near = pl_text_suggest(name, names, count);
  if (near != NULL) snprintf(fix, sizeof fix, "did you mean \"%.150s\"?", near);
  pl_instance_add_finding(set->scene, pl_json_find(json, key), findings, PL_SEVERITY_ERROR, "unknown-node", fix,
                          "\"%s\" has no node \"%s\"", part->body.name, name);
  (void)pl_fail(error, PL_ERROR_INVALID_DATA, "\"%s\" has no node \"%s\"", part->body.name, name);
  return -1;
}
