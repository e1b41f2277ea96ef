// Detail recorded by simulation (paper 003, section 3): a fine and a coarse body are touched in the same way until both
// are at rest, and both surfaces are kept. A touch may have the surface of the real object instead, captured while it
// was touched in the same way: then the coarse body alone is simulated.
//
// Both bodies stand in one world, apart from each other, and each has its own copy of the tool, placed as its body is.
// So step, gravity and what else the scene holds are the same for both, and comparing them in the frame of the mesh
// compares what was done to one object.
//
// A fine body of tets has no folds: those need a thin stiff cover on a soft inside, and elements as thin as the cover.
// A `skin` is that cover (embedded thin shells, Remillard and Kry 2013): a third body, a shell with the same surface
// and a tool of its own, whose every point hangs by a spring at the same point of the fine body. Per area the springs
// are as stiff as the recipe says; folds of a shell of bending stiffness D on a foundation K are 2 pi (D / K)^(1/4)
// long. The fine body does not feel its skin. A touch begins from the world as it was built, and is quasi-static: the
// tool takes its way in a few steps and stands still until nothing moves. The contact is found by the code that serves
// the layer (detail/detail_layer.h), so that a body that is touched again in the same way finds its own example, to the
// last bit.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "body/body_method.h"
#include "detail/detail_layer.h"
#include "pliant/math.h"
#include "pliant/step.h"
#include "scene/scene_detail.h"

// The tool starts this share of its depth above the surface.
static const double HEADROOM = 0.05;

typedef enum side { COARSE = 0, FINE, SKIN, SIDE_COUNT } side;

struct pl_detail_session {
  pl_arena arena;
  pl_scene_instance *set;
  pl_detail_session_view view;
  pl_detail_object object;
};

typedef struct recorder {
  pl_context *context;
  const pl_scene *scene;
  const pl_scene_recording *recipe;
  pl_detail_session *session;
  pl_findings *findings;
  pl_error *error;
  pl_arena arena;  // until the session stands
  pl_world *world;
  int side_count;  // without SKIN, or without FINE as well, where there is none
  const pl_instance_part *parts[SIDE_COUNT];
  pl_transform placements[SIDE_COUNT];
  pl_pin_id *springs;      // of the skin, one per surface point
  pl_triangle_tree *tree;  // of the surface at rest
  pl_vec3 *normals;        // of its points
  pl_mesh **tool_meshes;
  void *start;  // snapshot of the world
  size_t start_size;
  pl_vec3 *before[SIDE_COUNT], *now[SIDE_COUNT];  // surfaces
  int32_t *patch;
} recorder;

// The way of one tool, in the frame of the mesh.
typedef struct way {
  const pl_scene_collider *tool;
  pl_quat rotation;
  pl_vec3 positions[3];  // above the surface, pressed in, dragged
  int32_t position_count;
} way;

pl_detail_session_def pl_default_detail_session_def(void) {
  return (pl_detail_session_def){.magic = PL_DEF_MAGIC};
}

static pl_status report_problem(const recorder *r, const pl_json *value, const char *kind, const char *fix,
                                const char *text) {
  pl_instance_add_finding(r->scene, value, r->findings, PL_SEVERITY_ERROR, kind, fix, "%s", text);
  return pl_fail(r->error, PL_ERROR_INVALID_DATA, "%s", text);
}

// --- what is there before the first touch ---------------------------------------------------------------------------

static pl_status find_parts(recorder *r) {
  const char *names[SIDE_COUNT] = {r->recipe->coarse, r->recipe->fine, r->recipe->skin};
  r->side_count = r->recipe->fine[0] == '\0' ? FINE : r->recipe->skin[0] == '\0' ? SKIN : SIDE_COUNT;
  for (int s = 0; s < r->side_count; ++s)
    for (size_t i = 0; i < r->session->set->parts.count && r->parts[s] == NULL; ++i) {
      const pl_instance_part *part = &PL_ITEM(&r->session->set->parts, pl_instance_part, i);
      if (strcmp(part->source->name, names[s]) == 0) r->parts[s] = part;
    }
  for (int s = 0; s < r->side_count; ++s) {
    bool is_body = r->parts[s] != NULL && r->parts[s]->tets != NULL;
    if (s == SKIN && (!is_body || pl_mesh_get_view(r->parts[s]->tets).triangle_count == 0))
      return report_problem(r, pl_json_find(r->recipe->json, "skin"), "no-shell",
                            "take a single body of method fem with the material shell",
                            "the skin of a recording is a single shell");
    if (s != SKIN && (!is_body || pl_mesh_get_view(r->parts[s]->tets).tet_count == 0))
      return report_problem(r, r->recipe->json, "no-tets", "take bodies of tets, and no copies of them",
                            "the bodies of a recording are single bodies of tets");
    r->placements[s] = r->parts[s]->source->def.placement;
  }
  static const char *const keys[SIDE_COUNT] = {"coarse", "fine", "skin"};
  const pl_contact_surface *a = &r->parts[COARSE]->model->surface;
  for (int s = FINE; s < r->side_count; ++s) {
    const pl_contact_surface *b = &r->parts[s]->model->surface;
    if (a->point_count == b->point_count && a->triangle_count == b->triangle_count &&
        memcmp(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof *a->triangles) == 0)
      continue;
    char text[80];
    snprintf(text, sizeof text, "the coarse and the %s body have different surfaces", keys[s]);
    return report_problem(r, pl_json_find(r->recipe->json, keys[s]), "other-surface",
                          "take a mesh that is a surface, which all bodies can carry whatever their tets are", text);
  }
  return PL_OK;
}

// Where the springs of the skin pull its points to: the surface of the fine body as it is.
static pl_vec3 spring_target(const recorder *r, int32_t point) {
  return pl_transform_apply(r->placements[SKIN], pl_transform_apply_inverse(r->placements[FINE], r->now[FINE][point]));
}

// A spring for every point, as stiff as the recipe says for a third of the triangles around it.
static pl_status add_springs(recorder *r) {
  const pl_detail_object *object = &r->session->object;
  double *areas = PL_TAKE(&r->arena, double, object->surface_count);
  r->springs = PL_TAKE(&r->arena, pl_pin_id, object->surface_count);
  if (r->arena.failed) return pl_fail_memory(r->error);
  for (int32_t t = 0; t < object->triangle_count; ++t) {
    const int32_t *corners = object->triangles + 3 * (size_t)t;
    pl_vec3 a = object->surface_points[corners[0]];
    double area = 0.5 * pl_vec3_length(pl_vec3_cross(pl_vec3_sub(object->surface_points[corners[1]], a),
                                                     pl_vec3_sub(object->surface_points[corners[2]], a)));
    for (int k = 0; k < 3; ++k) areas[corners[k]] += area / 3;
  }
  (void)pl_body_get_surface(r->world, r->parts[FINE]->body.id, r->now[FINE]);
  pl_status status = PL_OK;
  for (int32_t i = 0; status >= 0 && i < object->surface_count; ++i) {
    pl_pin_def def = pl_default_pin_def();
    def.body = r->parts[SKIN]->body.id;
    def.particle = r->parts[SKIN]->model->surface.parents[4 * (size_t)i];
    def.target = spring_target(r, i);
    // No area at all would be a hard pin.
    def.stiffness = fmax(r->recipe->skin_stiffness * areas[i], 1e-12);
    status = pl_world_add_pin(r->world, &def, &r->springs[i], r->error);
  }
  return status;
}

static pl_status measure_surface(recorder *r) {
  const pl_detail_object *object = &r->session->object;
  pl_mesh_view view = {.point_count = object->surface_count,
                       .points = object->surface_points,
                       .triangle_count = object->triangle_count,
                       .triangles = object->triangles};
  pl_mesh *surface = NULL;
  pl_status status = pl_mesh_create(r->context, &view, &surface, r->error);
  if (status >= 0) status = pl_triangle_tree_build(r->context, surface, &r->tree, r->error);
  pl_mesh_destroy(surface);
  if (status >= 0)
    pl_normals_compute(object->surface_points, object->surface_count, object->triangles, object->triangle_count,
                       r->normals);
  return status;
}

static pl_status prepare(recorder *r) {
  pl_status status = find_parts(r);
  if (status < 0) return status;
  pl_detail_session *session = r->session;
  r->world = session->set->world;
  if (!pl_model_detail_object(&session->arena, r->parts[COARSE]->model, r->parts[COARSE]->tets, &session->object))
    return pl_fail_memory(r->error);
  int32_t surface_count = session->object.surface_count;
  r->normals = PL_TAKE(&r->arena, pl_vec3, surface_count);
  r->patch = PL_TAKE(&r->arena, int32_t, surface_count);
  for (int s = 0; s < r->side_count; ++s) {
    r->before[s] = PL_TAKE(&r->arena, pl_vec3, surface_count);
    r->now[s] = PL_TAKE(&r->arena, pl_vec3, surface_count);
  }
  r->tool_meshes = PL_TAKE(&r->arena, pl_mesh *, r->recipe->tools.count);
  if (r->arena.failed) return pl_fail_memory(r->error);
  if (r->side_count > SKIN) status = add_springs(r);
  if (status < 0) return status;
  r->start_size = pl_world_snapshot_size(r->world);
  r->start = PL_TAKE(&r->arena, char, r->start_size);
  if (r->arena.failed) return pl_fail_memory(r->error);
  pl_world_snapshot(r->world, r->start);
  status = measure_surface(r);
  for (int32_t i = 0; status >= 0 && i < r->recipe->tools.count; ++i) {
    const pl_scene_collider *tool = &((const pl_scene_collider *)r->recipe->tools.items)[i];
    if (tool->def.shape == PL_COLLIDER_MESH)
      status = pl_scene_make_mesh(r->scene, tool->mesh, &r->tool_meshes[i], r->findings, r->error);
  }
  return status;
}

// --- tools ---------------------------------------------------------------------------------------------------------

static int32_t tool_number(const recorder *r, const pl_scene_touch *touch) {
  for (int32_t i = 0; i < r->recipe->tools.count; ++i)
    if (touch->tool[0] == '\0' || strcmp(((const pl_scene_collider *)r->recipe->tools.items)[i].name, touch->tool) == 0)
      return i;
  return 0;
}

// How far a tool reaches from its origin toward its own -y.
static double extent_of(const pl_scene_collider *tool, const pl_mesh *mesh) {
  double lowest = 0;
  switch (tool->def.shape) {
    case PL_COLLIDER_SPHERE: return tool->def.radius;
    case PL_COLLIDER_CAPSULE: return tool->def.radius + tool->def.half_length;
    case PL_COLLIDER_BOX: return tool->def.half_size.y;
    default: break;
  }
  pl_mesh_view view = pl_mesh_get_view(mesh);
  for (int32_t i = 0; i < view.point_count; ++i) lowest = i == 0 ? view.points[i].y : fmin(lowest, view.points[i].y);
  return -lowest;
}

// The shortest turn from one unit direction to another.
static pl_quat turn_between(pl_vec3 a, pl_vec3 b) {
  pl_vec3 axis = pl_vec3_cross(a, b);
  double cosine = pl_vec3_dot(a, b), length = pl_vec3_length(axis);
  if (length < 1e-12) return cosine > 0 ? pl_quat_identity() : (pl_quat){1, 0, 0, 0};  // half a turn around x
  return pl_quat_from_axis_angle(axis, atan2(length, cosine));
}

static way make_way(const recorder *r, const pl_scene_touch *touch, pl_vec3 site, pl_vec3 outward) {
  int32_t number = tool_number(r, touch);
  const pl_scene_collider *tool = &((const pl_scene_collider *)r->recipe->tools.items)[number];
  double extent = extent_of(tool, r->tool_meshes[number]);
  way w = {.tool = tool, .rotation = turn_between((pl_vec3){0, 1, 0}, outward), .position_count = 2};
  w.positions[0] = pl_vec3_add_scaled(site, outward, extent + HEADROOM * touch->depth);
  w.positions[1] = pl_vec3_add_scaled(site, outward, extent - touch->depth);
  if (pl_vec3_length(touch->drag) > 0) w.positions[w.position_count++] = pl_vec3_add(w.positions[1], touch->drag);
  return w;
}

static pl_status add_tool(const recorder *r, const way *w, int s, pl_collider_id *id) {
  double step = pl_world_get_step_length(r->world) * (double)r->recipe->steps;
  pl_collider_key keys[3];
  for (int32_t i = 0; i < w->position_count; ++i)
    keys[i] = (pl_collider_key){i * step,
                                pl_transform_multiply(r->placements[s], (pl_transform){w->positions[i], w->rotation})};
  ptrdiff_t number = w->tool - (const pl_scene_collider *)r->recipe->tools.items;
  pl_collider_def def = pl_scene_collider_def_of(w->tool, r->tool_meshes[number]);
  def.keys = keys;
  def.key_count = w->position_count;
  return pl_world_add_collider(r->world, &def, id, r->error);
}

// Where a touch is on the surface, and which way is out of it there.
static pl_status find_site(const recorder *r, const pl_scene_touch *touch, pl_vec3 *site, pl_vec3 *outward) {
  const pl_detail_object *object = &r->session->object;
  pl_hit hit = pl_triangle_tree_nearest(r->tree, touch->at, HUGE_VAL);
  if (hit.triangle < 0) return report_problem(r, touch->json, "no-site", "", "there is no surface to touch");
  *site = hit.point;
  *outward = pl_vec3_scale(touch->toward, -1);
  for (int k = 0; k < 3 && !(pl_vec3_length(touch->toward) > 0); ++k)
    *outward = pl_vec3_add_scaled(*outward, r->normals[object->triangles[3 * (size_t)hit.triangle + (size_t)k]],
                                  hit.barycentric[k]);
  *outward = pl_vec3_normalize_or(*outward, (pl_vec3){0, 1, 0});
  return PL_OK;
}

// The tools of a touch, one or two; `ways` holds two.
static pl_status plan(const recorder *r, const pl_scene_touch *touch, way *ways, int32_t *way_count) {
  pl_vec3 site, outward;
  pl_status status = find_site(r, touch, &site, &outward);
  if (status < 0) return status;
  ways[0] = make_way(r, touch, site, outward);
  *way_count = 1;
  if (!touch->pinch) return PL_OK;
  pl_box box = r->parts[COARSE]->model->box;
  double size = pl_vec3_distance(box.min, box.max);
  pl_hit other = pl_triangle_tree_ray(r->tree, pl_vec3_add_scaled(site, outward, -1e-6 * size),
                                      pl_vec3_scale(outward, -1), 2 * size);
  if (other.triangle < 0)
    return report_problem(r, pl_json_find(touch->json, "pinch"), "no-other-side",
                          "press along a line that leaves the body again", "there is no other side to pinch from");
  ways[1] = make_way(r, touch, other.point, pl_vec3_scale(outward, -1));
  *way_count = 2;
  return PL_OK;
}

// --- one touch -----------------------------------------------------------------------------------------------------

static double max_motion(const recorder *r) {
  double max = 0;
  for (int s = 0; s < r->side_count; ++s)
    for (int32_t i = 0; i < r->session->object.surface_count; ++i)
      max = fmax(max, pl_vec3_distance(r->before[s][i], r->now[s][i]));
  return max;
}

static pl_status step_once(recorder *r, pl_detail_touch_report *report) {
  pl_step_report step;
  pl_status status = PL_OK;
  for (int s = 0; s < r->side_count; ++s) {
    (void)pl_body_get_surface(r->world, r->parts[s]->body.id, r->now[s]);
    memcpy(r->before[s], r->now[s], (size_t)r->session->object.surface_count * sizeof *r->now[s]);
  }
  for (int32_t i = 0; status >= 0 && r->side_count > SKIN && i < r->session->object.surface_count; ++i)
    status = pl_world_move_pin(r->world, r->springs[i], spring_target(r, i), r->error);
  if (status >= 0) status = pl_world_step(r->world, &step, r->error);
  if (status < 0) return status;
  for (int s = 0; s < r->side_count; ++s) (void)pl_body_get_surface(r->world, r->parts[s]->body.id, r->now[s]);
  report->unconverged_count += step.unconverged_count;
  report->step_count++;
  report->rest_motion = max_motion(r);
  return PL_OK;
}

static pl_status run_touch(recorder *r, const pl_scene_touch *touch, int32_t position_count,
                           pl_detail_touch_report *report) {
  int64_t moving = r->recipe->steps * (position_count - 1), max = moving + r->recipe->settle;
  double limit = r->recipe->tolerance * (touch->depth + pl_vec3_length(touch->drag));
  pl_status status = PL_OK;
  for (int64_t i = 0; status >= 0 && i < max && (i <= moving || report->rest_motion > limit); ++i)
    status = step_once(r, report);
  if (status >= 0 && report->rest_motion > limit)
    pl_instance_add_finding(
        r->scene, touch->json, r->findings, PL_SEVERITY_WARNING, "not-at-rest",
        "raise `settle`, or damp the bodies: `\"scheme\": \"implicit-euler\"`, `mass_damping`, `damping`",
        "the surface still moves %.3g m in a step, %.3g times the limit for rest", report->rest_motion,
        report->rest_motion / limit);
  return status;
}

// The captured surface of a touch, in the frame of the mesh; owned by the session.
static pl_status read_surface(recorder *r, const pl_scene_touch *touch, const pl_vec3 **points) {
  const pl_detail_object *object = &r->session->object;
  const pl_json *json = pl_json_find(touch->json, "surface");
  pl_mesh *mesh = NULL;
  pl_status status = pl_scene_read_mesh(r->scene, touch->surface, &mesh, r->findings, r->error);
  if (status < 0) return status;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  bool is_same = view.point_count == object->surface_count;
  // A point cloud has no triangles that could differ.
  if (is_same && view.triangle_count > 0)
    is_same = view.triangle_count == object->triangle_count &&
              memcmp(view.triangles, object->triangles, 3 * (size_t)view.triangle_count * sizeof *view.triangles) == 0;
  *points = pl_arena_copy(&r->session->arena, view.points, (size_t)view.point_count, sizeof(pl_vec3));
  pl_mesh_destroy(mesh);
  if (*points == NULL) return pl_fail_memory(r->error);
  if (is_same) return PL_OK;
  return report_problem(
      r, json, "other-surface",
      "give the surface of the body, with its vertices in the same order, as `pliant track` writes it",
      "the captured surface does not have the vertices and triangles of the mesh");
}

// The recording out of the world as it stands, all in the frame of the mesh.
static pl_status keep(recorder *r, const pl_scene_touch *touch, pl_collider_id tool, pl_detail_recording *recording) {
  pl_detail_session *session = r->session;
  const pl_detail_object *object = &session->object;
  double limit = r->parts[COARSE]->model->contact_radius + r->recipe->reach;
  pl_detail_contact contact;
  if (!pl_world_find_touch(r->world, tool, limit, &r->parts[COARSE]->model->surface, r->now[COARSE], r->patch,
                           &contact))
    return report_problem(r, touch->json, "no-touch", "raise `depth`, or `reach`",
                          "the tool does not touch the coarse body");
  pl_vec3 *moved = PL_TAKE(&session->arena, pl_vec3, object->material_count);
  pl_vec3 *surfaces[SIDE_COUNT];
  for (int s = 0; s < r->side_count; ++s) surfaces[s] = PL_TAKE(&session->arena, pl_vec3, object->surface_count);
  int32_t *patch = pl_arena_copy(&session->arena, r->patch, (size_t)contact.patch_count, sizeof *patch);
  if (session->arena.failed) return pl_fail_memory(r->error);
  (void)pl_body_get_positions(r->world, r->parts[COARSE]->body.id, moved);
  for (int32_t i = 0; i < object->material_count; ++i)
    moved[i] = pl_vec3_sub(pl_transform_apply_inverse(r->placements[COARSE], moved[i]), object->material_points[i]);
  for (int s = 0; s < r->side_count; ++s)
    for (int32_t i = 0; i < object->surface_count; ++i)
      surfaces[s][i] = pl_transform_apply_inverse(r->placements[s], r->now[s][i]);
  contact.point = pl_transform_apply_inverse(r->placements[COARSE], contact.point);
  contact.normal = pl_quat_rotate(pl_quat_conjugate(r->placements[COARSE].rotation), contact.normal);
  contact.patch_points = patch;
  const pl_vec3 *fine = surfaces[r->side_count - 1];
  if (touch->surface[0] != '\0') {
    pl_status status = read_surface(r, touch, &fine);
    if (status < 0) return status;
  }
  *recording = (pl_detail_recording){recording->label, object, moved, surfaces[COARSE], fine, contact};
  return PL_OK;
}

static pl_status record(recorder *r, const pl_scene_touch *touch, pl_detail_recording *recording,
                        pl_detail_touch_report *report) {
  way ways[2];
  pl_collider_id ids[2 * SIDE_COUNT];
  int32_t way_count = 0, id_count = 0;
  pl_status status = pl_world_restore(r->world, r->start, r->start_size, r->error);
  if (status >= 0) status = plan(r, touch, ways, &way_count);
  for (int32_t i = 0; status >= 0 && i < way_count; ++i)
    for (int s = 0; status >= 0 && s < r->side_count; ++s) {
      status = add_tool(r, &ways[i], s, &ids[id_count]);
      id_count += status >= 0;
    }
  if (status >= 0) status = run_touch(r, touch, ways[0].position_count, report);
  if (status >= 0) status = keep(r, touch, ids[0], recording);  // that of the coarse body comes first
  for (int32_t i = 0; i < id_count; ++i) (void)pl_world_remove_collider(r->world, ids[i], NULL);
  return status;
}

// --- all touches ---------------------------------------------------------------------------------------------------

static int32_t find_number(const pl_scene_recording *recipe, int32_t touch) {
  const pl_scene_touch *touches = recipe->touches.items;
  for (int32_t i = 0; i < touch; ++i)
    if (pl_vec3_distance(touches[i].at, touches[touch].at) == 0) return i;
  return touch;
}

static const char *label_of(recorder *r, const pl_scene_touch *touch, int32_t number) {
  char text[24];
  if (touch->label[0] != '\0') return pl_arena_copy_text(&r->session->arena, touch->label);
  snprintf(text, sizeof text, "%d", number);
  return pl_arena_copy_text(&r->session->arena, text);
}

static pl_status record_all(recorder *r, const pl_detail_session_def *def) {
  pl_status status = prepare(r);
  if (status < 0) return status;
  pl_detail_session *session = r->session;
  int32_t count = r->recipe->touches.count, done = 0;
  const pl_scene_touch *touches = r->recipe->touches.items;
  pl_detail_recording *recordings = PL_TAKE(&session->arena, pl_detail_recording, count);
  pl_detail_touch_report *reports = PL_TAKE(&session->arena, pl_detail_touch_report, count);
  if (session->arena.failed) return pl_fail_memory(r->error);
  for (int pass = 0; pass < 2; ++pass)  // examples first
    for (int32_t i = 0; status >= 0 && i < count; ++i) {
      if (touches[i].held_out != (pass == 1)) continue;
      if (def->progress != NULL && !def->progress(def->user, done, count))
        return pl_fail(r->error, PL_REMARK_CANCELLED, "stopped");
      reports[done] =
          (pl_detail_touch_report){.site = find_number(r->recipe, i), .held_out = pass == 1, .depth = touches[i].depth};
      recordings[done].label = label_of(r, &touches[i], i);
      if (recordings[done].label == NULL) return pl_fail_memory(r->error);
      status = record(r, &touches[i], &recordings[done], &reports[done]);
      if (pass == 0) session->view.example_count = ++done;
      if (pass == 1) ++done;
    }
  if (status >= 0 && def->progress != NULL) (void)def->progress(def->user, count, count);
  session->view.def = r->recipe->def;
  session->view.object = &session->object;
  session->view.recording_count = count;
  session->view.recordings = recordings;
  session->view.reports = reports;
  return status;
}

pl_status pl_detail_session_record(pl_context *context, const pl_detail_session_def *def, const pl_scene *scene,
                                   pl_detail_session **session, pl_findings *findings, pl_error *error) {
  *session = NULL;
  pl_error local = {0};
  if (error == NULL) error = &local;
  pl_status status = pl_check_def(def->magic, "pl_detail_session_def", error);
  if (status < 0) return status;
  if (scene->document.recording.json == NULL)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "scene \"%s\" has no `recording`", scene->document.name);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_detail_session *made = PL_TAKE(&arena, pl_detail_session, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->arena = arena;
  recorder r = {.context = context,
                .scene = scene,
                .recipe = &scene->document.recording,
                .session = made,
                .findings = findings,
                .error = error};
  pl_arena_init(&r.arena, context, 0);
  pl_scene_build_def build = pl_default_scene_build_def();
  status = pl_scene_build(context, &build, scene, &made->set, findings, error);
  if (status >= 0) status = record_all(&r, def);
  for (int32_t i = 0; r.tool_meshes != NULL && i < r.recipe->tools.count; ++i) pl_mesh_destroy(r.tool_meshes[i]);
  pl_triangle_tree_destroy(r.tree);
  pl_arena_destroy(&r.arena);
  if (status != PL_OK) {
    pl_detail_session_destroy(made);
    return status;
  }
  *session = made;
  return PL_OK;
}

void pl_detail_session_destroy(pl_detail_session *session) {
  if (session == NULL) return;
  pl_scene_instance_destroy(session->set);
  pl_arena arena = session->arena;
  pl_arena_destroy(&arena);
}

pl_detail_session_view pl_detail_session_get_view(const pl_detail_session *session) {
  return session->view;
}
