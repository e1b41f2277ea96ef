// Whether what a scene says of detail makes sense: names that refer to others, cuts, touches.
#include <stdio.h>
#include <string.h>

#include "pliant/math.h"
#include "scene/scene_check.h"
#include "scene/scene_detail.h"

enum { MAX_NAME = 64 };

static void check_cut(pl_scene_checker *c, const pl_scene_cut *cut) {
  if (cut->json == NULL) return;
  if (cut->hilts.count != cut->tips.count || cut->hilts.count == 1)
    pl_checker_report(c, cut->json, "blade", "give one of each for every place of the blade",
                      "a blade passes two places or more, each with a hilt and a tip; here are %d and %d",
                      cut->hilts.count, cut->tips.count);
  else if (cut->hilts.count == 0 && !(pl_vec3_length(cut->def.plane_normal) > 0))
    pl_checker_report(c, pl_checker_position(cut->json, "normal"), "no-direction", "give a normal such as [1, 0, 0]",
                      "a plane needs a normal");
}

static void check_tool(pl_scene_checker *c, const pl_scene_detail *detail, const char *name) {
  const pl_scene_list *colliders = &c->scene->document.colliders;
  const char *names[MAX_NAME];
  int32_t count = 0;
  for (int32_t i = 0; i < colliders->count; ++i) {
    const char *other = ((const pl_scene_collider *)colliders->items)[i].name;
    if (strcmp(other, name) == 0) return;
    if (count < MAX_NAME) names[count++] = other;
  }
  pl_checker_miss(c, pl_checker_position(detail->json, "tools"), "unknown-collider", "collider", name, names, count);
}

void pl_checker_detail(pl_scene_checker *c, const pl_scene_body *body) {
  for (int32_t i = 0; i < body->tets.cuts.count; ++i) check_cut(c, &((const pl_scene_cut *)body->tets.cuts.items)[i]);
  const pl_scene_detail *detail = &body->detail;
  if (detail->json == NULL) return;
  if (body->method == PL_SCENE_ROD)
    pl_checker_report(c, detail->json, "other-method", "remove it, or make the body a solid or finite elements",
                      "only bodies of tets show detail");
  if (detail->set[0] != '\0') pl_checker_file(c, detail->json, "set", detail->set);
  for (int32_t i = 0; i < detail->tools.count; ++i)
    check_tool(c, detail, ((const char *const *)detail->tools.items)[i]);
}

static const pl_scene_body *find_body(pl_scene_checker *c, const pl_json *json, const char *key, const char *name) {
  const pl_scene_list *bodies = &c->scene->document.bodies;
  const char *names[MAX_NAME];
  int32_t count = 0;
  for (int32_t i = 0; i < bodies->count; ++i) {
    const pl_scene_body *body = &((const pl_scene_body *)bodies->items)[i];
    if (strcmp(body->name, name) == 0) return body;
    if (count < MAX_NAME) names[count++] = body->name;
  }
  if (name[0] != '\0') pl_checker_miss(c, pl_checker_position(json, key), "unknown-body", "body", name, names, count);
  return NULL;
}

static void check_touch(pl_scene_checker *c, const pl_scene_recording *recording, const pl_scene_touch *touch) {
  const char *names[MAX_NAME];
  int32_t count = 0;
  if (touch->json == NULL) return;
  if (touch->surface[0] != '\0')
    pl_checker_file(c, touch->json, "surface", touch->surface);
  else if (recording->fine[0] == '\0')
    pl_checker_report(c, touch->json, "no-surface", "name a `fine` body, or give the touch a `surface`",
                      "there is neither a fine body nor a surface of this touch");
  if (touch->tool[0] == '\0') return;
  for (int32_t i = 0; i < recording->tools.count; ++i) {
    const char *name = ((const pl_scene_collider *)recording->tools.items)[i].name;
    if (strcmp(name, touch->tool) == 0) return;
    if (count < MAX_NAME) names[count++] = name;
  }
  pl_checker_miss(c, pl_json_find(touch->json, "tool"), "unknown-tool", "tool", touch->tool, names, count);
}

void pl_checker_recording(pl_scene_checker *c) {
  const pl_scene_recording *recording = &c->scene->document.recording;
  if (recording->json == NULL) return;
  const pl_scene_body *fine = find_body(c, recording->json, "fine", recording->fine),
                      *coarse = find_body(c, recording->json, "coarse", recording->coarse),
                      *skin = find_body(c, recording->json, "skin", recording->skin);
  if (fine != NULL && coarse != NULL && (fine == coarse || strcmp(fine->mesh, coarse->mesh) != 0))
    pl_checker_report(c, pl_checker_position(recording->json, "coarse"), "other-mesh",
                      "give two bodies the same surface as `mesh` and different `tets`",
                      "the fine and the coarse body must be two, and have one mesh");
  if (skin != NULL && recording->fine[0] == '\0')
    pl_checker_report(c, pl_checker_position(recording->json, "skin"), "no-fine", "name the `fine` body as well",
                      "there is no fine body for the skin to cover");
  if (skin != NULL && fine != NULL && (skin == fine || skin == coarse || strcmp(fine->mesh, skin->mesh) != 0))
    pl_checker_report(c, pl_checker_position(recording->json, "skin"), "other-mesh",
                      "give a body of its own, with the material shell, the same surface as `mesh`",
                      "the skin must be a third body, and have the mesh of the fine one");
  for (int32_t i = 0; i < recording->tools.count; ++i) {
    const pl_scene_collider *tool = &((const pl_scene_collider *)recording->tools.items)[i];
    if (tool->json == NULL) continue;
    if (tool->def.shape == PL_COLLIDER_HALF_SPACE)
      pl_checker_report(c, tool->json, "endless-tool", "take a sphere, capsule, box or mesh",
                        "a half space cannot be a tool");
    if (tool->def.shape == PL_COLLIDER_MESH) pl_checker_mesh_name(c, tool->json, tool->mesh);
  }
  if (recording->tools.count == 0 && pl_json_find(recording->json, "tools") != NULL)
    pl_checker_report(c, pl_json_find(recording->json, "tools"), "no-tool", "add one", "a recording needs a tool");
  for (int32_t i = 0; i < recording->touches.count; ++i)
    check_touch(c, recording, &((const pl_scene_touch *)recording->touches.items)[i]);
}
