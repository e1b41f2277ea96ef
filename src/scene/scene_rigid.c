// Rigid bodies, joints and attachments of a scene: from the document to models and to the world.
#include <string.h>

#include "base/error.h"
#include "body/body_method.h"
#include "pliant/attachment.h"
#include "pliant/joint.h"
#include "pliant/step.h"
#include "scene/scene_kinematic.h"

pl_status pl_instance_make_surface(pl_scene_instance *set, pl_instance_part *part, pl_error *error) {
  const pl_contact_surface *surface = &part->model->surface;
  pl_mesh_view view = {.point_count = surface->point_count,
                       .points = surface->rest_points,
                       .triangle_count = surface->triangle_count,
                       .triangles = surface->triangles};
  pl_status status = pl_mesh_create(set->context, &view, &part->surface, error);
  // Spheres, capsules and boxes have no other mesh.
  if (status >= 0 && part->tets == NULL) status = pl_mesh_create(set->context, &view, &part->tets, error);
  return status;
}

pl_status pl_instance_make_rigid(pl_scene_instance *set, pl_instance_part *part, pl_findings *findings,
                                 pl_error *error) {
  const pl_scene_rigid *rigid = &part->source->rigid;
  pl_status status = PL_OK;
  if (part->source->mesh[0] != '\0') {
    status = pl_scene_make_mesh(set->scene, part->source->mesh, &part->tets, findings, error);
    if (status < 0) return status;
  }
  status = pl_rigid_build(set->context, &rigid->def, part->tets, &part->model, error);
  return status < 0 ? status : pl_instance_make_surface(set, part, error);
}

// --- joints and attachments

static const pl_instance_part *find_part(const pl_scene_instance *set, const char *name) {
  for (size_t i = 0; i < set->parts.count; ++i) {
    const pl_instance_part *part = &PL_ITEM(&set->parts, pl_instance_part, i);
    if (strcmp(part->body.name, name) == 0) return part;
  }
  return NULL;
}

static pl_status find_end(pl_scene_instance *set, const pl_json *json, const char *key, const char *name,
                          const pl_instance_part **part, pl_findings *findings, pl_error *error) {
  *part = NULL;
  if (name[0] == '\0') return PL_OK;
  *part = find_part(set, name);
  if (*part != NULL) return PL_OK;
  pl_instance_add_finding(set->scene, pl_json_find(json, key), findings, PL_SEVERITY_ERROR, "unknown-body",
                          "use the name of a body; copies are called NAME_001, NAME_002 …", "there is no body \"%s\"",
                          name);
  return pl_fail(error, PL_ERROR_INVALID_DATA, "there is no body \"%s\"", name);
}

// What the world says of it, at its place in the document.
static pl_status report_failure(pl_scene_instance *set, const pl_json *json, const char *what, pl_status status,
                                pl_findings *findings, const pl_error *error) {
  if (status != PL_ERROR_OUT_OF_MEMORY)
    pl_instance_add_finding(set->scene, json, findings, PL_SEVERITY_ERROR, "joint-failed", "",
                            "this %s cannot be made: %s%s%s", what, error->field, error->field[0] != '\0' ? ": " : "",
                            error->text);
  return status;
}

static pl_status add_joint(pl_scene_instance *set, const pl_scene_joint *source, pl_findings *findings,
                           pl_error *error) {
  const pl_instance_part *a, *b;
  pl_status status = find_end(set, source->json, "a", source->a, &a, findings, error);
  if (status >= 0) status = find_end(set, source->json, "b", source->b, &b, findings, error);
  if (status < 0) return status;
  pl_joint_def def = source->def;
  if (a != NULL) def.body_a = a->body.id;
  if (b != NULL) def.body_b = b->body.id;
  pl_instance_joint joint = {.source = source};
  status = pl_world_add_joint(set->world, &def, &joint.id, error);
  if (status < 0) return report_failure(set, source->json, "joint", status, findings, error);
  return pl_vector_push(&set->joints, &joint) ? PL_OK : pl_fail_memory(error);
}

// The frame of an attachment that follows a node, and that it does.
static pl_status tie_to_node(pl_scene_instance *set, const pl_scene_attachment *source, const pl_instance_part *b,
                             pl_instance_tie *tie, pl_findings *findings, pl_error *error) {
  if (b == NULL || b->kinematic == NULL) {
    pl_instance_add_finding(set->scene, pl_json_find(source->json, "node"), findings, PL_SEVERITY_ERROR, "unknown-node",
                            "let `b` name a body of the method `kinematic`", "only kinematic meshes have nodes");
    return pl_fail(error, PL_ERROR_INVALID_DATA, "only kinematic meshes have nodes");
  }
  tie->node = pl_instance_find_node(set, b, source->json, "node", source->node, findings, error);
  if (tie->node < 0) return PL_ERROR_INVALID_DATA;
  tie->kinematic = b->kinematic;
  for (size_t i = 0; i < set->playing.count; ++i) {
    const pl_instance_playing *it = &PL_ITEM(&set->playing, pl_instance_playing, i);
    if (it->body.slot == b->body.id.slot) tie->placement = it->placement;
  }
  return PL_OK;
}

static pl_status add_attachment(pl_scene_instance *set, const pl_scene_attachment *source, pl_findings *findings,
                                pl_error *error) {
  const pl_instance_part *a, *b;
  pl_status status = find_end(set, source->json, "a", source->a, &a, findings, error);
  if (status >= 0) status = find_end(set, source->json, "b", source->b, &b, findings, error);
  if (status < 0 || a == NULL) return status;
  pl_instance_selection selection = {.within = &source->within, .particles = &source->particles};
  if (source->group[0] != '\0') {
    status = pl_instance_find_group(set, a, source->group, &selection.weights, error);
    if (status < 0) return status;
    if (selection.weights == NULL) {
      pl_instance_report_name(set, a->source, findings, "group", source->group, NULL, 0);
      return pl_fail(error, PL_ERROR_INVALID_DATA, "there is no group \"%s\"", source->group);
    }
  }
  pl_attachment_def def = pl_default_attachment_def();
  int32_t joint = def.joint;
  pl_transform frame = def.frame;
  def = source->def;
  def.joint = source->bone >= 0 ? (int32_t)source->bone : joint;
  def.frame = frame;
  def.body_a = a->body.id;
  if (b != NULL) def.body_b = b->body.id;
  pl_instance_tie tie = {0};
  if (source->node[0] != '\0') {
    status = tie_to_node(set, source, b, &tie, findings, error);
    if (status < 0) return status;
    pl_instance_kinematic_sample(tie.kinematic, 0, NULL);
    def.frame = pl_transform_multiply(tie.placement, tie.kinematic->nodes[tie.node]);
    def.body_b = (pl_body_id){0, 0};
  }
  status = pl_instance_select(set, a, &selection, &def.particles, &def.particle_count, error);
  if (status < 0) return status;
  float *weights = PL_TAKE(&set->arena, float, def.particle_count);
  if (weights == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; selection.weights != NULL && i < def.particle_count; ++i)
    weights[i] = selection.weights[def.particles[i]];
  if (selection.weights != NULL) def.weights = weights;
  status = pl_world_add_attachment(set->world, &def, &tie.id, error);
  if (status < 0) return report_failure(set, source->json, "attachment", status, findings, error);
  if (tie.kinematic != NULL && !pl_vector_push(&set->ties, &tie)) return pl_fail_memory(error);
  return PL_OK;
}

pl_status pl_instance_add_joints(pl_scene_instance *set, pl_findings *findings, pl_error *error) {
  const pl_scene_document *document = &set->scene->document;
  pl_status status = PL_OK;
  for (int32_t i = 0; status >= 0 && i < document->joints.count; ++i)
    status = add_joint(set, &((const pl_scene_joint *)document->joints.items)[i], findings, error);
  for (int32_t i = 0; status >= 0 && i < document->attachments.count; ++i)
    status = add_attachment(set, &((const pl_scene_attachment *)document->attachments.items)[i], findings, error);
  return status;
}

pl_status pl_instance_run_motors(const pl_scene_instance *set, pl_world *world, double time, pl_error *error) {
  for (size_t i = 0; i < set->joints.count; ++i) {
    const pl_instance_joint *joint = &PL_ITEM(&set->joints, pl_instance_joint, i);
    const pl_scene_motor_key *keys = joint->source->keys.items, *now = NULL;
    double step = pl_world_get_step_length(world);
    for (int32_t k = 0; k < joint->source->keys.count; ++k)
      if (keys[k].time <= time + 1e-9) now = &keys[k];
    // Set once, in the step in which the key begins, so that what rests may sleep; and in the first step.
    if (now == NULL || (now->time < time - 0.5 * step && pl_world_step_count(world) > 0)) continue;
    pl_status status = pl_joint_set_motor(world, joint->id, joint->source->def.motor, now->speed, now->target, error);
    if (status < 0) return status;
  }
  return PL_OK;
}
