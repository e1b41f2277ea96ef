// What the tables cannot say about the actor of a scene's body.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pliant/fem.h"
#include "pliant/math.h"
#include "scene/scene_actor.h"
#include "scene/scene_check.h"

static void warn(pl_scene_checker *c, const pl_json *value, const char *kind, const char *fix, const char *text) {
  if (value == NULL) return;
  const pl_finding about = {.severity = PL_SEVERITY_WARNING, .index = -1, .kind = kind, .fix = fix};
  pl_status status = pl_json_add_finding(c->scene->json, value, false, c->findings, &about, "%s", text);
  if (status < 0) c->status = status;
}

// --- the body --------------------------------------------------------------------------------------------------------

static void check_body(pl_scene_checker *c, const pl_scene_body *body) {
  const pl_json *json = body->actor.json;
  if (body->method != PL_SCENE_FEM) {
    pl_checker_report(c, json, "actor-method", "write `\"method\": \"fem\"`, or take `actor` out",
                      "only finite elements can be an actor, and body \"%s\" is of another method", body->name);
    return;
  }
  if (body->fem.def.material == PL_FEM_FAST)
    pl_checker_report(
        c, pl_checker_position(body->fem.json, "material"), "not-with-actor", "use the material `corotated`",
        "the material `fast` has one constant matrix for one rest shape, which an actor changes in every step");
  if (body->fem.examples.count > 0)
    pl_checker_report(c, pl_json_find(body->fem.json, "examples"), "not-with-actor",
                      "name them in `actor.examples`, with `\"rest\": \"examples\"`",
                      "the rest shape of an actor is its own to choose, and these examples would choose it too");
  if (body->drivers.count > 0)
    pl_checker_report(c, pl_json_find(body->json, "driver"), "not-with-actor", "remove `driver` or `actor`",
                      "the rest shape of an actor is its own to choose, and this driver would choose it too");
}

// --- behaviour
// ---------------------------------------------------------------------------------------------------------

static void check_setting(pl_scene_checker *c, const pl_behaviour *behaviour, const pl_scene_setting *given) {
  const char *names[64];
  int32_t count = 0;
  for (int32_t k = 0; k < behaviour->setting_count; ++k) {
    const pl_behaviour_setting *setting = &behaviour->settings[k];
    if (count < 64) names[count++] = setting->name;
    if (strcmp(setting->name, given->name) != 0) continue;
    if (given->value >= setting->min && given->value <= setting->max) return;
    char fix[160];
    snprintf(fix, sizeof fix, "use %g to %g %s; its preset is %g", setting->min, setting->max, setting->unit,
             setting->preset);
    pl_checker_report(c, given->json, "out-of-range", fix, "%g is out of range for `%s` (%s)", given->value,
                      setting->name, setting->about);
    return;
  }
  char list[300] = "";
  for (int32_t k = 0; k < count; ++k) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "", names[k]);
  }
  const char *near = pl_text_suggest(given->name, names, count);
  char fix[400];
  if (near != NULL)
    snprintf(fix, sizeof fix, "did you mean `%s`? (there are: %s)", near, list);
  else
    snprintf(fix, sizeof fix, count > 0 ? "use one of: %s" : "take it out%s", list);
  pl_checker_report(c, given->json, "unknown-setting", fix, "the behaviour `%s` has no setting `%s`", behaviour->name,
                    given->name);
}

static void check_behaviour(pl_scene_checker *c, const pl_scene_actor *actor) {
  if (actor->behaviour[0] == '\0') return;  // its absence is reported already
  int32_t count = 0;
  const pl_behaviour *const *all = pl_behaviour_list(&count);
  const pl_behaviour *behaviour = pl_behaviour_find(actor->behaviour);
  if (behaviour == NULL) {
    const char *names[64];
    if (count > 64) count = 64;
    for (int32_t i = 0; i < count; ++i) names[i] = all[i]->name;
    pl_checker_miss(c, pl_json_find(actor->json, "behaviour"), "unknown-behaviour", "behaviour", actor->behaviour,
                    names, count);
    return;
  }
  for (int32_t i = 0; i < actor->settings.count; ++i)
    check_setting(c, behaviour, &((const pl_scene_setting *)actor->settings.items)[i]);
}

// --- rest shapes
// ---------------------------------------------------------------------------------------------------------

static void check_rest(pl_scene_checker *c, const pl_scene_actor *actor) {
  const pl_scene_actor_cage *cage = &actor->cage;
  bool examples = actor->examples.count > 0 || actor->groups.count > 0;
  if (cage->json != NULL && cage->mesh[0] != '\0') {
    pl_checker_mesh_name(c, cage->json, cage->mesh);
    if (pl_json_find(cage->json, "points") != NULL)
      pl_checker_report(c, cage->json, "cage-choice", "keep one of them",
                        "a cage is made from `points`, or it is a `mesh`");
  }
  if (actor->def.rest == PL_REST_EXAMPLES && !examples)
    pl_checker_report(c, pl_checker_position(actor->json, "rest"), "no-examples",
                      "add `examples`: names of poses of the mesh",
                      "this rest shape is mixed from examples, and there are none");
  if (actor->def.rest != PL_REST_EXAMPLES && examples)
    warn(c, pl_json_find(actor->json, actor->examples.count > 0 ? "examples" : "groups"), "other-rest",
         "add `\"rest\": \"examples\"`, or take them out", "examples have no effect with this kind of rest shape");
  if (actor->def.rest != PL_REST_CAGE && cage->json != NULL)
    warn(c, cage->json, "other-rest", "add `\"rest\": \"cage\"`, or take it out",
         "a cage has no effect with this kind of rest shape");
  if (actor->def.rest != PL_REST_MODES && pl_json_find(actor->json, "modes") != NULL)
    warn(c, pl_json_find(actor->json, "modes"), "other-rest", "add `\"rest\": \"modes\"`, or take it out",
         "a number of modes has no effect with this kind of rest shape");
}

// --- parts
// ---------------------------------------------------------------------------------------------------------------

static void check_part(pl_scene_checker *c, const pl_scene_actor *actor, int32_t index) {
  const pl_scene_actor_part *parts = actor->parts.items, *part = &parts[index];
  if (part->json == NULL) return;
  int given = (part->points.count > 0) + (part->within.json != NULL) + (part->group[0] != '\0');
  if (given != 1)
    pl_checker_report(c, part->json, "part-choice", "keep exactly one",
                      "a part is a `group`, what is `within` a box, or some `points`; %d of them are given", given);
  const pl_scene_region *box = &part->within;
  if (box->json != NULL && (box->min.x > box->max.x || box->min.y > box->max.y || box->min.z > box->max.z))
    pl_checker_report(c, box->json, "empty-region", "exchange `min` and `max` where they cross",
                      "this box is empty: `min` exceeds `max`");
  for (int32_t k = 0; k < index; ++k)
    if (part->name[0] != '\0' && strcmp(part->name, parts[k].name) == 0) {
      pl_checker_report(c, pl_checker_position(part->json, "name"), "same-name", "make them different",
                        "part %d is called \"%s\" like part %d", index, part->name, k);
      return;
    }
}

// --- commands
// --------------------------------------------------------------------------------------------------------------

// A heading is a direction on the ground: its component perpendicular to gravity must not vanish.
static void check_heading(pl_scene_checker *c, const pl_json *json, pl_vec3 heading) {
  const pl_json *json_node = pl_json_find(json, "heading");
  if (json_node == NULL) return;
  pl_vec3 up = pl_vec3_normalize_or(c->scene->document.gravity, (pl_vec3){0, 1, 0});
  pl_vec3 level = pl_vec3_add_scaled(heading, up, -pl_vec3_dot(heading, up));
  if (!(pl_vec3_length(level) > 1e-6 * pl_vec3_length(heading)) || !(pl_vec3_length(heading) > 0))
    pl_checker_report(c, json_node, "no-direction", "give a direction such as [1, 0, 0]",
                      "this heading does not lead anywhere on the ground");
}

static void check_commands(pl_scene_checker *c, const pl_scene_actor *actor) {
  const pl_scene_actor_command *commands = actor->commands.items;
  check_heading(c, actor->command.json, actor->command.def.heading);
  for (int32_t i = 0; i < actor->commands.count; ++i) {
    check_heading(c, commands[i].json, commands[i].def.heading);
    if (i > 0 && !(commands[i].time > commands[i - 1].time))
      pl_checker_report(c, commands[i].json, "key-order", "sort the commands by time",
                        "command %d is at %g s, not after the one before it", i, commands[i].time);
  }
  if (actor->def.path_loops && actor->path.count < 2)
    pl_checker_report(c, pl_json_find(actor->json, "path_loops"), "too-few-points", "add places to `path`",
                      "a path that goes round needs two places or more");
}

void pl_checker_actor(pl_scene_checker *c, const pl_scene_body *body) {
  const pl_scene_actor *actor = &body->actor;
  if (actor->json == NULL) return;
  check_body(c, body);
  check_behaviour(c, actor);
  check_rest(c, actor);
  for (int32_t i = 0; i < actor->parts.count; ++i) check_part(c, actor, i);
  check_commands(c, actor);
}
