// What checks of a scene's sense share (scene_check.c, scene_check_rod.c).
#ifndef PL_SCENE_CHECK_H
#define PL_SCENE_CHECK_H

#include "scene/scene_types.h"

typedef struct pl_scene_checker {
  const pl_scene *scene;
  pl_findings *findings;
  pl_status status;
} pl_scene_checker;

// Report an error at a value. NULL, for a member of a list that was no object, is passed over: its
// reader has said so.
void pl_checker_report(pl_scene_checker *c, const pl_json *value, const char *kind, const char *fix,
                       const char *format, ...) PL_PRINTF(5, 6);

// Report that nothing is called `name`, with a suggestion out of the names there are.
void pl_checker_miss(pl_scene_checker *c, const pl_json *value, const char *kind, const char *what,
                     const char *name, const char *const *names, int32_t count);

// The member `key` of an object, or the object itself where it is absent.
const pl_json *pl_checker_position(const pl_json *json, const char *key);

void pl_checker_mesh_name(pl_scene_checker *c, const pl_json *json, const char *name);
void pl_checker_file(pl_scene_checker *c, const pl_json *json, const char *key, const char *file);
void pl_checker_keys(pl_scene_checker *c, const pl_scene_list *keys);

// A solid (scene_check_solid.c), a rod body (scene_check_rod.c).
void pl_checker_rigid(pl_scene_checker *c, const pl_scene_body *body);
void pl_checker_kinematic(pl_scene_checker *c, const pl_scene_body *body);
void pl_checker_joints(pl_scene_checker *c);
void pl_checker_solid(pl_scene_checker *c, const pl_scene_body *body);
void pl_checker_rod(pl_scene_checker *c, const pl_scene_body *body);

#endif
