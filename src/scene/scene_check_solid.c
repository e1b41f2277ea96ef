// What the tables cannot say about a solid of a scene.
#include "scene/scene_check.h"

void pl_checker_solid(pl_scene_checker *c, const pl_scene_body *body) {
  if (pl_json_find(body->json, "mesh") == NULL)
    pl_checker_report(c, body->json, "missing-key", "add it", "this body has no `mesh`");
  if (body->rod.json != NULL)
    pl_checker_report(c, body->rod.json, "other-method", "write `\"method\": \"rod\"`, or take `rod` out",
                      "these are parameters of another method than the body's");
  if (body->fem.json != NULL)
    pl_checker_report(c, body->fem.json, "other-method", "write `\"method\": \"fem\"`, or take `fem` out",
                      "these are parameters of another method than the body's");
}
