// What the tables cannot say about rigid bodies, joints and attachments of a scene.
#include "scene/scene_check.h"

void pl_checker_rigid(pl_scene_checker *c, const pl_scene_body *body) {
  bool needs_mesh = body->rigid.def.shape == PL_RIGID_MESH || body->rigid.def.shape == PL_RIGID_HULL;
  if (needs_mesh && body->mesh[0] == '\0')
    pl_checker_report(c, body->json, "missing-key", "add it, or give a `shape` to `rigid`", "this body has no `mesh`");
  if (!needs_mesh && body->mesh[0] != '\0')
    pl_checker_report(c, pl_json_find(body->json, "mesh"), "unused-mesh", "take it out, or use the shape `mesh`",
                      "a rigid sphere, capsule or box has no mesh");
  const pl_json *others[4] = {body->solid.json, body->rod.json, body->fem.json, body->kinematic.json};
  for (int i = 0; i < 4; ++i)
    if (others[i] != NULL)
      pl_checker_report(c, others[i], "other-method", "take it out, or use its method",
                        "these are parameters of another method than the body's");
}

static void check_joint(pl_scene_checker *c, const pl_scene_joint *joint) {
  const pl_scene_motor_key *keys = joint->keys.items;
  for (int32_t i = 1; i < joint->keys.count; ++i)
    if (!(keys[i].time > keys[i - 1].time))
      pl_checker_report(c, keys[i].json, "key-order", "sort the keys by time",
                        "key %d is at %g s, not after the one before it at %g s", i, keys[i].time, keys[i - 1].time);
  if (joint->keys.count > 0 && joint->def.motor == PL_JOINT_MOTOR_OFF)
    pl_checker_report(c, joint->json, "no-motor", "write `\"motor\": \"target\"` or `\"speed\"`",
                      "this joint has keys for a motor that is off");
}

static void check_attachment(pl_scene_checker *c, const pl_scene_attachment *attachment) {
  int given = (attachment->particles.count > 0) + (attachment->within.json != NULL) + (attachment->group[0] != '\0');
  if (attachment->json != NULL && given != 1)
    pl_checker_report(c, attachment->json, "attachment-choice", "keep exactly one",
                      "an attachment ties `particles`, what is `within` a box, or a `group`; %d of them are given",
                      given);
}

void pl_checker_joints(pl_scene_checker *c) {
  const pl_scene_document *document = &c->scene->document;
  for (int32_t i = 0; i < document->joints.count; ++i)
    check_joint(c, &((const pl_scene_joint *)document->joints.items)[i]);
  for (int32_t i = 0; i < document->attachments.count; ++i)
    check_attachment(c, &((const pl_scene_attachment *)document->attachments.items)[i]);
}
