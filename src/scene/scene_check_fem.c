// What the tables cannot say about finite elements and thin meshes of a scene.
#include <math.h>
#include <stdio.h>

#include "fem/fem_parameters.h"
#include "pliant/math.h"
#include "scene/scene_check.h"
#include "scene/scene_fem.h"
#include "text/json.h"

static void warn(pl_scene_checker *c, const pl_json *value, const char *kind, const char *why, const char *fix,
                 const char *text) {
  const pl_finding about = {.severity = PL_SEVERITY_WARNING, .index = -1, .kind = kind, .why = why, .fix = fix};
  pl_status status = pl_json_add_finding(c->scene->json, value, false, c->findings, &about, "%s", text);
  if (status < 0) c->status = status;
}

static void check_curve(pl_scene_checker *c, const pl_scene_curve *curve) {
  const pl_json *json = curve->json, *points = pl_json_find(json, "points");
  bool straight = pl_json_find(json, "from") != NULL && pl_json_find(json, "to") != NULL;
  bool half = pl_json_find(json, "from") != NULL || pl_json_find(json, "to") != NULL;
  if ((points != NULL) == straight || (points != NULL && half)) {
    pl_checker_report(c, json, "curve-ends", "keep one or the other", "a curve has `points`, or both `from` and `to`");
    return;
  }
  const pl_vec3 ends[2] = {curve->from, curve->to}, *corners = points != NULL ? curve->points.items : ends;
  int32_t count = points != NULL ? curve->points.count : 2;
  if (count < (curve->closed ? 3 : 2))
    pl_checker_report(c, pl_checker_position(json, "points"), "too-few-points", "add points",
                      curve->closed && points == NULL ? "a straight line cannot be closed"
                                                      : "a curve has two points or more, and a closed one three");
  for (int32_t i = 1; i < count; ++i)
    if (!(pl_vec3_distance(corners[i - 1], corners[i]) > 0))
      pl_checker_report(c, pl_checker_position(json, "points"), "no-length", "move or remove one of them",
                        "points %d and %d of this curve are at the same place", i - 1, i);
}

void pl_checker_thin_mesh(pl_scene_checker *c, const pl_scene_mesh *mesh) {
  if (mesh->curve.json != NULL) check_curve(c, &mesh->curve);
  if (mesh->sheet.json != NULL && pl_json_find(mesh->sheet.json, "size") != NULL && mesh->sheet.size.count != 2)
    pl_checker_report(c, pl_json_find(mesh->sheet.json, "size"), "wrong-length", "write them as [1, 2]",
                      "two numbers in brackets are wanted here");
}

static const char *word_of(const pl_scene_fem *fem) {
  return pl_parameter_find(&pl_fem_def_parameters, "material")->choices[fem->def.material];
}

// Elements that the mesh cannot have; what a file holds shows only when it is read.
static void check_elements(pl_scene_checker *c, const pl_scene_body *body) {
  const pl_scene_mesh *mesh = pl_scene_find_mesh(c->scene, body->mesh);
  if (mesh == NULL || mesh->file[0] != '\0') return;
  const pl_json *json_node = pl_checker_position(body->json, "mesh");
  pl_fem_element_kind kind = pl_scene_fem_elements(&body->fem);
  bool curve = mesh->curve.json != NULL, plate = mesh->plate.json != NULL, sheet = mesh->sheet.json != NULL || plate;
  if (kind == PL_FEM_OF_SEGMENTS && !curve)
    pl_checker_report(c, json_node, "wrong-elements", "take a mesh with a `curve`, or another material",
                      "the material `curve` is made of segments, and mesh \"%s\" has none", body->mesh);
  if (kind == PL_FEM_OF_TRIANGLES && curve)
    pl_checker_report(c, json_node, "wrong-elements", "take a mesh with a `sheet` or `plate`, or the material `curve`",
                      "the material `%s` is made of triangles, and mesh \"%s\" is a curve", word_of(&body->fem),
                      body->mesh);
  if (kind == PL_FEM_OF_TETS && (curve || sheet))
    pl_checker_report(c, json_node, "wrong-elements",
                      curve ? "use the material `curve`" : "use the material `shell` or `plane`",
                      "the material `%s` is made of tets, and mesh \"%s\" is a %s", word_of(&body->fem), body->mesh,
                      curve   ? "curve"
                      : plate ? "plate"
                              : "sheet");
  if (body->fem.def.material == PL_FEM_PLANE && sheet && !plate && mesh->sheet.plane != PL_SCENE_SHEET_XY)
    pl_checker_report(c, json_node, "not-in-plane", "add `\"plane\": \"xy\"` to the sheet",
                      "the material `plane` lives in a plane z = const, and the sheet \"%s\" is level", body->mesh);
  if (body->fem.def.material == PL_FEM_PLANE && !sheet && !curve)
    pl_checker_report(c, json_node, "not-in-plane", "take a mesh with a `plate` or `sheet`, or a flat one from a file",
                      "the material `plane` lives in a plane z = const, and mesh \"%s\" has depth", body->mesh);
}

// What lives in a plane z = const must be put and started there.
static void check_plane(pl_scene_checker *c, const pl_scene_body *body) {
  pl_vec3 axis = pl_quat_rotate(body->def.placement.rotation, (pl_vec3){0, 0, 1});
  if (!(axis.z > 1 - 1e-9))
    pl_checker_report(c, pl_checker_position(body->json, "rotation"), "not-in-plane", "turn it around z only",
                      "the material `%s` lives in a plane z = const, and this turns it out of it", word_of(&body->fem));
  if (body->repeat.turn > 0)
    pl_checker_report(c, pl_checker_position(body->repeat.json, "turn"), "not-in-plane", "take `turn` out",
                      "the material `%s` lives in a plane z = const, and copies would be turned out of it",
                      word_of(&body->fem));
  if (body->def.velocity.z != 0)
    warn(c, pl_checker_position(body->json, "velocity"), "not-in-plane", "the body is held in its plane z = const",
         "let the last number be 0", "this velocity has a part along z, which has no effect");
  if (body->def.angular_velocity.x != 0 || body->def.angular_velocity.y != 0)
    warn(c, pl_checker_position(body->json, "angular_velocity"), "not-in-plane",
         "the body is held in its plane z = const", "let only the last number differ from 0",
         "this body cannot turn around x or y");
}

static void check_fast(pl_scene_checker *c, const pl_scene_fem *fem) {
  if (fem->def.stiffness_damping != 0)
    pl_checker_report(c, pl_json_find(fem->json, "stiffness_damping"), "not-with-fast",
                      "remove it: its steps damp fast vibration by themselves",
                      "the material `fast` has `mass_damping` only");
  if (fem->def.poisson < 0)
    pl_checker_report(c, pl_json_find(fem->json, "poisson"), "poisson", "use 0 or more, or the material `corotated`",
                      "Poisson's ratio %g is too small for the material `fast`", fem->def.poisson);
  static const char *const unused[] = {"scheme",           "solver",    "max_newton_iterations",
                                       "newton_tolerance", "thickness", "contact_stiffness",
                                       "contact_hardening"};
  for (size_t i = 0; i < sizeof unused / sizeof *unused; ++i) {
    const pl_json *json_node = pl_json_find(fem->json, unused[i]);
    if (json_node != NULL)
      warn(c, json_node, "not-with-fast", "", "take it out", "this has no effect with the material `fast`");
  }
}

// The matrix of `fast` damps like implicit Euler: what swings faster than a few steps is gone at once, and volumes are
// kept less well.
static void check_fast_step(pl_scene_checker *c, const pl_scene_fem *fem) {
  double step = c->scene->document.time.step;
  if (!(step > 0.02)) return;
  const pl_json *json_node = pl_checker_position(c->scene->document.time.json, "step");
  char text[160];
  snprintf(text, sizeof text, "steps of %.3g s are long for the material `fast`", step);
  warn(c, json_node != NULL ? json_node : fem->json, "long-step",
       "its steps find rotations once, so long ones damp strongly and are late to turn",
       "use a `step` of 1/60 s or less", text);
}

static void check_box(pl_scene_checker *c, const pl_json *json, pl_vec3 min, pl_vec3 max) {
  if (min.x > max.x || min.y > max.y || min.z > max.z)
    pl_checker_report(c, json, "empty-region", "exchange `min` and `max` where they cross",
                      "this box is empty: `min` exceeds `max`");
}

static void check_regions(pl_scene_checker *c, const pl_scene_fem *fem) {
  const pl_scene_list *lists[2] = {&fem->young_regions, &fem->density_regions};
  for (int k = 0; k < 2; ++k)
    for (int32_t i = 0; i < lists[k]->count; ++i) {
      const pl_scene_young_region *region = &((const pl_scene_young_region *)lists[k]->items)[i];
      check_box(c, region->json, region->min, region->max);
    }
  for (int32_t i = 0; i < fem->masses.count; ++i) {
    const pl_scene_mass *mass = &((const pl_scene_mass *)fem->masses.items)[i];
    check_box(c, mass->json, mass->min, mass->max);
  }
}

void pl_checker_fem(pl_scene_checker *c, const pl_scene_body *body) {
  const pl_scene_fem *fem = &body->fem;
  if (pl_json_find(body->json, "mesh") == NULL)
    pl_checker_report(c, body->json, "missing-key", "add it", "this body has no `mesh`");
  const pl_json *other = body->solid.json != NULL ? body->solid.json : body->rod.json;
  if (other != NULL)
    pl_checker_report(c, other, "other-method", "put them into `fem`, or change the body's `method`",
                      "these are parameters of another method than the body's");
  check_elements(c, body);
  if (pl_scene_fem_is_planar(fem)) check_plane(c, body);
  if (fem->def.material == PL_FEM_FAST) {
    check_fast(c, fem);
    check_fast_step(c, fem);
  }
  if (fem->def.material == PL_FEM_EDGES && fem->def.poisson < 0.25)
    warn(c, pl_checker_position(fem->json != NULL ? fem->json : body->json, "poisson"), "poisson",
         "its edges alone have a ratio of 1/4, and less takes volumes that push outwards, which may collapse",
         "use 0.25 or more, or the material `corotated`",
         "Poisson's ratio is below 1/4, which the material `edges` does not hold well");
  bool quadratic = fem->def.element == PL_FEM_QUADRATIC, elastic = fem->def.material == PL_FEM_COROTATED ||
                                                                   fem->def.material == PL_FEM_NEO_HOOKEAN ||
                                                                   fem->def.material == PL_FEM_YEOH;
  if (quadratic && (!elastic || fem->examples.count > 0 || body->actor.json != NULL))
    pl_checker_report(c, pl_json_find(fem->json, "element"), "quadratic",
                      "use `linear`, or corotated, neo-hookean or yeoh without examples and actor",
                      "this body cannot have quadratic elements");
  if (fem->examples.count > 32)
    pl_checker_report(c, pl_json_find(fem->json, "examples"), "too-many", "use 32 or fewer", "%d examples are too many",
                      fem->examples.count);
  check_regions(c, fem);
}
