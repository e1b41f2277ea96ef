// What the tables cannot say about kinematic meshes of a scene.
#include "scene/scene_check.h"

void pl_checker_kinematic(pl_scene_checker *c, const pl_scene_body *body) {
  const pl_scene_kinematic *k = &body->kinematic;
  const pl_json *json = k->json != NULL ? k->json : body->json;
  bool has_character = k->character[0] != '\0', has_cache = k->cache[0] != '\0', has_mesh = body->mesh[0] != '\0';
  if (has_character == has_cache)
    pl_checker_report(c, json, "kinematic-choice", "keep exactly one",
                      "a kinematic mesh is a `character` or a mesh with a `cache`; %s given",
                      has_character ? "both are" : "none is");
  if (has_character) pl_checker_file(c, json, "character", k->character);
  if (has_cache) pl_checker_file(c, json, "cache", k->cache);
  if (k->motion[0] != '\0') pl_checker_file(c, json, "motion", k->motion);
  if (has_character && has_mesh)
    pl_checker_report(c, pl_json_find(body->json, "mesh"), "unused-mesh", "take it out",
                      "the mesh of this body is the skin of its character");
  if (has_cache && !has_mesh)
    pl_checker_report(c, json, "missing-key", "add the mesh that the cache was exported from",
                      "this body has no `mesh`");
  if (!has_character && (k->motion[0] != '\0' || k->animation[0] != '\0'))
    pl_checker_report(c, json, "kinematic-choice", "name a `character`, or take it out",
                      "`animation` and `motion` move a `character`");
  if (k->motion[0] != '\0' && k->animation[0] != '\0')
    pl_checker_report(c, pl_json_find(json, "motion"), "kinematic-choice", "keep one of them",
                      "`animation` and `motion` are both given");
  const pl_json *others[4] = {body->solid.json, body->rod.json, body->fem.json, body->rigid.json};
  for (int i = 0; i < 4; ++i)
    if (others[i] != NULL)
      pl_checker_report(c, others[i], "other-method", "take it out, or use its method",
                        "these are parameters of another method than the body's");
  if (body->drivers.count > 0)
    pl_checker_report(c, pl_json_find(body->json, "driver"), "other-method", "take it out",
                      "a kinematic mesh has no examples that could be driven");
}
