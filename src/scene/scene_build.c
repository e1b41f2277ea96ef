// From a scene document to models and a world.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "pliant/math.h"
#include "pliant/step.h"
#include "scene/scene_actor.h"
#include "scene/scene_detail.h"
#include "scene/scene_fem.h"
#include "scene/scene_rod.h"

void pl_instance_add_finding(const pl_scene *scene, const pl_json *value, pl_findings *findings, pl_severity severity,
                             const char *kind, const char *fix, const char *format, ...) {
  char text[768];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  pl_finding about = {.severity = severity, .index = -1, .kind = kind, .fix = fix};
  // Bodies of one mesh find the same, which is said once.
  pl_json_position place = value->position;
  for (int32_t i = 0; findings != NULL && i < pl_findings_count(findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *other = pl_findings_get(findings, i);
    if (other->line == place.line && other->column == place.column && strcmp(other->kind, kind) == 0 &&
        strcmp(other->you_see, text) == 0)
      return;
  }
  // A finding may be lost here when memory runs out; the status of the call still reports the failure.
  (void)pl_json_add_finding(scene->json, value, false, findings, &about, "%s", text);
}

pl_scene_build_def pl_default_scene_build_def(void) {
  return (pl_scene_build_def){.magic = PL_DEF_MAGIC};
}

static pl_status make_world(pl_scene_instance *set, pl_error *error) {
  const pl_scene_document *document = &set->scene->document;
  pl_world_def def = pl_default_world_def();
  def.step = document->time.step;
  def.gravity = document->gravity;
  def.contact_rounds = document->contact_rounds;
  def.contact_damping = document->contact_damping;
  def.sleeping = document->sleeping;
  def.all_edges = document->all_edges;
  def.sleep_speed = document->sleep_speed;
  def.sleep_seconds = document->sleep_seconds;
  if (document->air.json != NULL) {
    def.wind = document->air.wind;
    def.air_density = document->air.density;
    def.drag = document->air.drag;
  }
  return pl_world_create(set->context, &def, &set->world, error);
}

// The tets of another mesh, for a surface that they carry.
static pl_status make_carrier(pl_scene_instance *set, pl_instance_part *part, pl_findings *findings, pl_error *error) {
  const pl_scene_body *body = part->source;
  pl_status status = pl_scene_make_mesh(set->scene, body->tets.mesh, &part->tets, findings, error);
  if (status < 0) return status;
  bool solid = pl_mesh_get_view(part->surface).tet_count > 0;
  if (pl_mesh_get_view(part->tets).tet_count > 0 && !solid) return PL_OK;
  const char *wrong = solid ? body->mesh : body->tets.mesh, *what = solid ? "is not a surface" : "has no tets";
  pl_instance_add_finding(set->scene, pl_json_find(solid ? body->json : body->tets.json, "mesh"), findings,
                          PL_SEVERITY_ERROR, "wrong-elements",
                          "`mesh` is a surface, and `tets.mesh` the tets that carry it", "mesh \"%s\" %s", wrong, what);
  return pl_fail(error, PL_ERROR_INVALID_DATA, "mesh \"%s\" %s", wrong, what);
}

// Tets of the mesh, of another mesh that carries it, or of a lattice around it.
static pl_status find_tets(pl_scene_instance *set, pl_instance_part *part, pl_findings *findings, pl_error *error) {
  pl_mesh *mesh = NULL;
  pl_status status = pl_scene_make_mesh(set->scene, part->source->mesh, &mesh, findings, error);
  if (status < 0) return status;
  pl_scene_doubt_size(set->scene, part->source->mesh, mesh, findings);
  if (part->source->tets.mesh[0] != '\0') {
    part->surface = mesh;
    return make_carrier(set, part, findings, error);
  }
  if (pl_mesh_get_view(mesh).tet_count > 0) {
    part->tets = mesh;
    return PL_OK;
  }
  part->surface = mesh;
  return pl_lattice_build(set->context, &part->source->tets.def, mesh, &part->tets, NULL, error);
}

// Put quadratic tets in the place of linear ones, or the other way round, where the body has the other kind.
static pl_status fit_order(pl_scene_instance *set, pl_instance_part *part, bool quadratic, pl_error *error) {
  if ((pl_mesh_get_view(part->tets).tet_mids != NULL) == quadratic) return PL_OK;
  pl_mesh *made = NULL;
  pl_status status = quadratic ? pl_mesh_build_quadratic(set->context, part->tets, &made, error)
                               : pl_mesh_build_linear(set->context, part->tets, &made, error);
  if (status < 0) return status;
  pl_mesh_destroy(part->tets);
  part->tets = made;
  return PL_OK;
}

pl_status pl_instance_make_tets(pl_scene_instance *set, pl_instance_part *part, pl_findings *findings,
                                pl_error *error) {
  bool quadratic = part->source->method == PL_SCENE_FEM && part->source->fem.def.element == PL_FEM_QUADRATIC;
  pl_status status = find_tets(set, part, findings, error);
  if (status >= 0 && !quadratic) status = fit_order(set, part, false, error);
  if (status >= 0) status = pl_instance_cut_tets(set, part, findings, error);
  if (status >= 0 && quadratic) status = fit_order(set, part, true, error);
  if (status < 0) return status;
  status = pl_instance_make_poses(set, part, pl_scene_find_mesh(set->scene, part->source->mesh), findings, error);
  return status < 0 ? status : pl_instance_cut_surface(set, part, findings, error);
}

static bool same_model(const pl_scene_body *a, const pl_scene_body *b) {
  const size_t skip = sizeof(const pl_json *);  // where they stand in the document does not matter
  if (a->method == PL_SCENE_ROD || a->method == PL_SCENE_KINEMATIC)
    return false;  // lists would have to be compared item by item
  return strcmp(a->mesh, b->mesh) == 0 && a->method == b->method &&
         (a->actor.json != NULL) == (b->actor.json != NULL) &&
         memcmp((const char *)&a->solid + skip, (const char *)&b->solid + skip, sizeof a->solid - skip) == 0 &&
         memcmp((const char *)&a->rigid + skip, (const char *)&b->rigid + skip, sizeof a->rigid - skip) == 0 &&
         memcmp((const char *)&a->fem + skip, (const char *)&b->fem + skip, sizeof a->fem - skip) == 0 &&
         memcmp((const char *)&a->tets + skip, (const char *)&b->tets + skip, sizeof a->tets - skip) == 0;
}

// The model of a body, shared with an earlier body of the same making.
static pl_status make_model(pl_scene_instance *set, pl_instance_part *part, pl_findings *findings, pl_error *error) {
  for (size_t i = 0; i < set->parts.count; ++i) {
    const pl_instance_part *other = &PL_ITEM(&set->parts, pl_instance_part, i);
    if (!same_model(other->source, part->source)) continue;
    part->model = other->model;
    part->tets = other->tets;
    part->surface = other->surface;
    part->skin = other->skin;
    return PL_OK;
  }
  part->owns_model = true;
  if (part->source->method == PL_SCENE_ROD) return pl_instance_make_rod(set, part, findings, error);
  if (part->source->method == PL_SCENE_FEM) return pl_instance_make_fem(set, part, findings, error);
  if (part->source->method == PL_SCENE_RIGID) return pl_instance_make_rigid(set, part, findings, error);
  if (part->source->method == PL_SCENE_KINEMATIC) return pl_instance_make_kinematic(set, part, findings, error);
  return pl_instance_make_solid(set, part, findings, error);
}

static void destroy_part(pl_instance_part *part) {
  if (!part->owns_model) return;
  pl_model_destroy(part->model);
  pl_mesh_destroy(part->tets);
  pl_mesh_destroy(part->surface);
  pl_mesh_destroy(part->cut_surface);
  pl_instance_rod_destroy(part->rod);
  pl_instance_kinematic_destroy(part->kinematic);
}

static pl_vec3 random_vector(pl_random *random, double size) {
  double x = pl_random_between(random, -size, size), y = pl_random_between(random, -size, size),
         z = pl_random_between(random, -size, size);
  return (pl_vec3){x, y, z};
}

// Copy number (x, y, z) of a body.
static pl_body_def place_copy(pl_scene_instance *set, const pl_instance_part *part, int32_t x, int32_t y, int32_t z) {
  const pl_scene_body *source = part->source;
  const pl_scene_repeat *repeat = &source->repeat;
  pl_body_def def = source->def;
  def.model = part->model;
  pl_vec3 shift = {x * repeat->spacing.x, y * repeat->spacing.y, z * repeat->spacing.z};
  def.placement.position = pl_vec3_add(def.placement.position, shift);
  if (repeat->jitter > 0)
    def.placement.position = pl_vec3_add(def.placement.position, random_vector(&set->random, repeat->jitter));
  if (repeat->turn > 0) {
    pl_vec3 axis = random_vector(&set->random, 1);
    double angle = repeat->turn * pl_random_between(&set->random, -1, 1) * PL_PI / 180;
    def.placement.rotation = pl_quat_multiply(pl_quat_from_axis_angle(axis, angle), def.placement.rotation);
  }
  return def;
}

// What only a rod has: a mesh of its tubes, and kinematic joints that move.
static pl_status finish_rod(pl_scene_instance *set, pl_instance_part *part, const pl_body_def *def, pl_error *error) {
  const pl_instance_rod *rod = part->rod;
  pl_status status = PL_OK;
  if (rod->def.skin.surface == NULL && part->surface == NULL)
    status = pl_instance_make_tubes(set, part, def->placement, error);
  part->body.surface = rod->def.skin.surface != NULL ? rod->def.skin.surface : part->surface;
  part->body.character = rod->character;
  part->body.character_path = rod->path;
  part->body.additions = rod->additions.spring_count > 0 ? &rod->additions : NULL;
  part->body.nodes = rod->nodes;
  part->body.rod_def = &rod->def;
  return status < 0 ? status : pl_instance_add_target(set, part, def->placement, error);
}

// The file of a body's mesh, in the arena; NULL when the mesh was made, or when out of memory.
static const char *find_mesh_path(pl_scene_instance *set, const pl_instance_part *part) {
  const pl_scene_mesh *mesh = part->rod != NULL ? NULL : pl_scene_find_mesh(set->scene, part->source->mesh);
  if (mesh == NULL || mesh->file[0] == '\0') return NULL;
  char *path = pl_path_join(set->context, set->scene->folder, mesh->file);
  const char *kept = path == NULL ? NULL : pl_arena_copy_text(&set->arena, path);
  pl_release(set->context, path);
  return kept;
}

static pl_status add_copy(pl_scene_instance *set, pl_instance_part *part, const pl_body_def *def, int32_t number,
                          int32_t count, pl_findings *findings, pl_error *error) {
  char name[300];
  if (count > 1)
    snprintf(name, sizeof name, "%s_%03d", part->source->name, number + 1);
  else
    snprintf(name, sizeof name, "%s", part->source->name);
  const pl_color color = part->source->color;
  part->body = (pl_scene_instance_body){.name = pl_arena_copy_text(&set->arena, name),
                                        .has_color = color.r >= 0,
                                        .color = color,
                                        .appearance = pl_appearance_preset_name(part->source->appearance - 1),
                                        .mesh = part->tets,
                                        .surface = part->surface,
                                        .mesh_path = find_mesh_path(set, part)};
  if (set->arena.failed) return pl_fail_memory(error);
  pl_status status = pl_world_add_body(set->world, def, &part->body.id, error);
  // A shell is drawn by its own triangles.
  if (part->source->method == PL_SCENE_FEM && part->surface == NULL && pl_mesh_get_view(part->tets).tet_count == 0)
    part->body.surface = part->tets;
  if (status >= 0 && part->rod != NULL) status = finish_rod(set, part, def, error);
  if (status >= 0 && part->kinematic != NULL) status = pl_instance_play(set, part, def->placement, error);
  if (status >= 0) status = pl_instance_add_groups(set, part, findings, error);
  if (status >= 0) status = pl_instance_add_drivers(set, part, findings, error);
  return status;
}

static void report_body(const pl_scene_instance *set, const pl_scene_body *source, int32_t number) {
  char text[200];
  if (set->progress == NULL) return;
  snprintf(text, sizeof text, "building body %d of %d: %s", number + 1, set->scene->document.bodies.count,
           source->name);
  set->progress(set->progress_user, text);
}

static pl_status add_body(pl_scene_instance *set, const pl_scene_body *source, pl_findings *findings, pl_error *error) {
  pl_instance_part part = {.source = source};
  pl_status status = make_model(set, &part, findings, error);
  const int32_t *counts = source->repeat.counts;
  int64_t total = (int64_t)counts[0] * counts[1] * counts[2];
  if (status >= 0 && total > 100000)
    status = pl_fail(error, PL_ERROR_INVALID_DATA, "%lld copies are too many", (long long)total);
  int32_t number = 0;
  for (int32_t z = 0; status >= 0 && z < counts[2]; ++z)
    for (int32_t y = 0; status >= 0 && y < counts[1]; ++y)
      for (int32_t x = 0; status >= 0 && x < counts[0]; ++x) {
        pl_body_def def = place_copy(set, &part, x, y, z);
        status = add_copy(set, &part, &def, number++, (int32_t)total, findings, error);
        if (status < 0) break;
        if (!pl_vector_push(&set->parts, &part)) {
          status = pl_fail_memory(error);
          break;
        }
        part.owns_model = false;  // the first copy keeps it
      }
  if (status < 0) {
    // A body that is already in the world must not outlive its model; there is none yet when the model itself failed.
    if (part.owns_model) (void)pl_world_remove_body(set->world, part.body.id, NULL);
    destroy_part(&part);
    if (status != PL_ERROR_OUT_OF_MEMORY && error != NULL && error->file[0] == '\0')
      pl_instance_add_finding(set->scene, source->json, findings, PL_SEVERITY_ERROR, "body-failed", "",
                              "body \"%s\" cannot be made: %s%s%s", source->name, error->field,
                              error->field[0] != '\0' ? ": " : "", error->text);
  }
  return status;
}

pl_collider_def pl_scene_collider_def_of(const pl_scene_collider *source, const pl_mesh *mesh) {
  pl_collider_def def = source->def;
  def.mesh = mesh;
  return def;
}

// Everything outside of a closed mesh that faces inwards is solid: bodies are pushed through it, or torn.
static pl_status warn_inside_out(const pl_scene_instance *set, const pl_scene_collider *source, const pl_mesh *mesh,
                                 pl_findings *findings, pl_error *error) {
  pl_findings *found = NULL;
  pl_mesh_check_report report;
  bool is_inside_out = false;
  if (findings == NULL || source->def.shape != PL_COLLIDER_MESH) return PL_OK;
  pl_status status = pl_findings_create(set->scene->context, &found, error);
  if (status >= 0) status = pl_mesh_check(set->scene->context, mesh, found, &report, error);
  for (int32_t i = 0; status >= 0 && i < pl_findings_count(found, PL_SEVERITY_WARNING); ++i)
    is_inside_out = is_inside_out || strcmp(pl_findings_get(found, i)->kind, "inside-out") == 0;
  pl_findings_destroy(found);
  if (is_inside_out)
    pl_instance_add_finding(set->scene, source->json, findings, PL_SEVERITY_WARNING, "inside-out-collider",
                            "reverse the order of the corners of its triangles (in Blender: Mesh > Normals > Flip), "
                            "unless the bodies are meant to be inside of it",
                            "the mesh of this collider faces inwards: all that is outside of it is solid");
  return status < 0 ? status : PL_OK;
}

static pl_status add_collider(pl_scene_instance *set, const pl_scene_collider *source, pl_findings *findings,
                              pl_error *error) {
  pl_instance_collider collider = {.source = source};
  pl_status status = pl_scene_make_collider_mesh(set->scene, source, &collider.mesh, findings, error);
  if (status >= 0) status = warn_inside_out(set, source, collider.mesh, findings, error);
  if (status < 0) {
    pl_mesh_destroy(collider.mesh);
    return status;
  }
  collider.view =
      (pl_scene_instance_collider){.name = source->name,
                                   .visible = source->visible,
                                   .ground = source->def.shape == PL_COLLIDER_HALF_SPACE && collider.mesh == NULL,
                                   .height = source->def.placement.position.y,
                                   .mesh = collider.mesh,
                                   .has_color = source->color.r >= 0,
                                   .color = source->color,
                                   .appearance = pl_appearance_preset_name(source->appearance - 1)};
  if (!pl_vector_push(&set->colliders, &collider)) {
    pl_mesh_destroy(collider.mesh);
    return pl_fail_memory(error);
  }
  pl_collider_def def = pl_scene_collider_def_of(source, collider.mesh);
  pl_collider_key *keys = PL_TAKE(&set->arena, pl_collider_key, source->keys.count);
  if (keys == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < source->keys.count; ++i) {
    const pl_scene_key *key = &((const pl_scene_key *)source->keys.items)[i];
    keys[i] = (pl_collider_key){key->time, {key->position, key->rotation}};
  }
  def.keys = keys;
  def.key_count = source->keys.count;
  status = pl_world_add_collider(set->world, &def,
                                 &PL_ITEM(&set->colliders, pl_instance_collider, set->colliders.count - 1).id, error);
  if (status < 0 && status != PL_ERROR_OUT_OF_MEMORY)
    pl_instance_add_finding(set->scene, source->json, findings, PL_SEVERITY_ERROR, "collider-failed", "",
                            "this collider cannot be made: %s%s%s", error == NULL ? "" : error->field,
                            error != NULL && error->field[0] != '\0' ? ": " : "", error == NULL ? "" : error->text);
  return status;
}

static pl_status reserve_memory(pl_scene_instance *set, pl_error *error) {
  int32_t max = 0;
  for (size_t i = 0; i < set->parts.count; ++i) {
    int32_t count = pl_model_get_report(PL_ITEM(&set->parts, pl_instance_part, i).model).particle_count;
    if (count > max) max = count;
  }
  set->points = PL_TAKE(&set->arena, pl_vec3, max);
  return set->points == NULL ? pl_fail_memory(error) : PL_OK;
}

// Steps before the first frame: at rest, then with motions as before it.
static pl_status run_before(pl_scene_instance *set, pl_step_report *report, pl_error *error) {
  const pl_scene_time *time = &set->scene->document.time;
  pl_status status = time->warm_up > 0 ? pl_world_settle(set->world, time->warm_up, report, error) : PL_OK;
  int64_t count = (int64_t)floor(time->pre_roll / time->step + 1e-3);
  for (int64_t i = count; status >= 0 && i > 0; --i) {
    set->time_shift = (double)i * time->step;
    status = pl_world_settle(set->world, time->step, report, error);
  }
  set->time_shift = 0;
  return status;
}

static pl_status warm_up(pl_scene_instance *set, pl_findings *findings, pl_error *error) {
  const pl_scene_time *time = &set->scene->document.time;
  if (!(time->warm_up > 0) && !(time->pre_roll > 0)) return PL_OK;
  pl_step_report report;
  pl_status status = run_before(set, &report, error);
  if (status >= 0 || status == PL_ERROR_OUT_OF_MEMORY) return status;
  const char *name = "";
  for (int32_t i = 0; i < pl_scene_instance_body_count(set); ++i) {
    pl_scene_instance_body body = pl_scene_instance_get_body(set, i);
    if (body.id.slot == report.failed_body.slot && body.id.generation == report.failed_body.generation)
      name = body.name;
  }
  pl_instance_add_finding(set->scene, time->json, findings, PL_SEVERITY_ERROR, "warm-up-failed",
                          "use a smaller `step`, or softer bodies", "the scene does not survive its warm-up: %s%s%s%s",
                          error == NULL ? "" : error->text, name[0] != '\0' ? " (body '" : "", name,
                          name[0] != '\0' ? "')" : "");
  return status;
}

pl_status pl_scene_build(pl_context *context, const pl_scene_build_def *def, const pl_scene *scene,
                         pl_scene_instance **set, pl_findings *findings, pl_error *error) {
  *set = NULL;
  pl_status status = pl_check_def(def->magic, "pl_scene_build_def", error);
  if (status < 0) return status;
  pl_error local = {0};
  if (error == NULL) error = &local;  // the builders look at it to place their findings
  pl_scene_instance *made = pl_allocate_array(context, 1, sizeof(pl_scene_instance));
  if (made == NULL) return pl_fail_memory(error);
  made->context = context;
  made->scene = scene;
  made->store = def->store;
  made->progress = def->progress;
  made->progress_user = def->progress_user;
  made->random = pl_random_of_seed(def->has_seed ? def->seed : (uint64_t)scene->document.seed);
  pl_arena_init(&made->arena, context, 0);
  made->parts = pl_vector_of(context, sizeof(pl_instance_part));
  made->colliders = pl_vector_of(context, sizeof(pl_instance_collider));
  made->groups = pl_vector_of(context, sizeof(pl_instance_group));
  made->drivers = pl_vector_of(context, sizeof(pl_instance_driver));
  made->targets = pl_vector_of(context, sizeof(pl_instance_target));
  made->players = pl_vector_of(context, sizeof(pl_instance_player));
  made->details = pl_vector_of(context, sizeof(pl_instance_detail));
  made->joints = pl_vector_of(context, sizeof(pl_instance_joint));
  made->playing = pl_vector_of(context, sizeof(pl_instance_playing));
  made->ties = pl_vector_of(context, sizeof(pl_instance_tie));
  status = make_world(made, error);
  for (int32_t i = 0; status >= 0 && i < scene->document.bodies.count; ++i) {
    const pl_scene_body *source = &((const pl_scene_body *)scene->document.bodies.items)[i];
    report_body(made, source, i);
    status = add_body(made, source, findings, error);
  }
  for (int32_t i = 0; status >= 0 && i < scene->document.colliders.count; ++i)
    status = add_collider(made, &((const pl_scene_collider *)scene->document.colliders.items)[i], findings, error);
  if (status >= 0) status = pl_instance_add_joints(made, findings, error);
  if (status >= 0) status = reserve_memory(made, error);
  if (status >= 0) status = pl_instance_add_controller(made, error);
  if (status >= 0) status = pl_instance_add_actors(made, findings, error);
  if (status >= 0) status = pl_instance_add_details(made, findings, error);
  if (status >= 0) status = warm_up(made, findings, error);
  if (status < 0) {
    pl_scene_instance_destroy(made);
    return status;
  }
  made->store = (pl_store){0};
  made->progress = NULL;
  *set = made;
  return PL_OK;
}

void pl_scene_instance_destroy(pl_scene_instance *set) {
  if (set == NULL) return;
  pl_world_destroy(set->world);
  pl_instance_destroy_details(set);
  for (size_t i = 0; i < set->players.count; ++i) pl_actor_destroy(PL_ITEM(&set->players, pl_instance_player, i).actor);
  for (size_t i = 0; i < set->parts.count; ++i) destroy_part(&PL_ITEM(&set->parts, pl_instance_part, i));
  for (size_t i = 0; i < set->colliders.count; ++i)
    pl_mesh_destroy(PL_ITEM(&set->colliders, pl_instance_collider, i).mesh);
  pl_vector_free(&set->parts);
  pl_vector_free(&set->colliders);
  pl_vector_free(&set->groups);
  pl_vector_free(&set->drivers);
  pl_vector_free(&set->targets);
  pl_vector_free(&set->players);
  pl_vector_free(&set->joints);
  pl_vector_free(&set->playing);
  pl_vector_free(&set->ties);
  pl_arena_destroy(&set->arena);
  pl_release(set->context, set);
}

pl_world *pl_scene_instance_get_world(pl_scene_instance *set) {
  return set->world;
}

int32_t pl_scene_instance_body_count(const pl_scene_instance *set) {
  return (int32_t)set->parts.count;
}

pl_scene_instance_body pl_scene_instance_get_body(const pl_scene_instance *set, int32_t index) {
  return PL_ITEM(&set->parts, pl_instance_part, index).body;
}

int32_t pl_scene_instance_collider_count(const pl_scene_instance *set) {
  return (int32_t)set->colliders.count;
}

pl_scene_instance_collider pl_scene_instance_get_collider(const pl_scene_instance *set, int32_t index, double time) {
  const pl_instance_collider *collider = &PL_ITEM(&set->colliders, pl_instance_collider, index);
  pl_scene_instance_collider view = collider->view;
  view.placement = collider->source->def.placement;
  const pl_scene_list *keys = &collider->source->keys;
  if (keys->count > 0) {
    double first = ((const pl_scene_key *)keys->items)[0].time,
           last = ((const pl_scene_key *)keys->items)[keys->count - 1].time;
    if (collider->source->def.loop && last > first && time > last) time = first + fmod(time - first, last - first);
    view.placement = pl_scene_keys_at(keys, time);
  }
  return view;
}
