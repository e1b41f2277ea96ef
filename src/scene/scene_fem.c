// Finite elements of a scene: from the document to the elements, the def and the model of a body.
#include "scene/scene_fem.h"

#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "base/error.h"
#include "fem/fem_parameters.h"
#include "io/file_bytes.h"
#include "pliant/math.h"
#include "pliant/table.h"
#include "solvers/cholmod_solver.h"

pl_fem_element_kind pl_scene_fem_elements(const pl_scene_fem *fem) {
  switch (fem->def.material) {
    case PL_FEM_SHELL:
    case PL_FEM_PLANE: return PL_FEM_OF_TRIANGLES;
    case PL_FEM_CURVE: return PL_FEM_OF_SEGMENTS;
    default: return PL_FEM_OF_TETS;
  }
}

bool pl_scene_fem_is_planar(const pl_scene_fem *fem) {
  return fem->def.material == PL_FEM_PLANE || fem->def.material == PL_FEM_CURVE;
}

// --- elements -----------------------------------------------------------------------------------------------------

static pl_status report_elements(pl_scene_instance *set, const pl_instance_part *part, pl_findings *findings,
                                 pl_error *error) {
  bool curve = pl_scene_fem_elements(&part->source->fem) == PL_FEM_OF_SEGMENTS;
  const char *what = curve ? "segments" : "triangles";
  pl_instance_add_finding(set->scene, pl_json_find(part->source->json, "mesh"), findings, PL_SEVERITY_ERROR,
                          "wrong-elements",
                          curve ? "take a mesh with a `curve`, or a file with lines"
                                : "take a mesh with a `sheet` or `plate`, or a file with a surface",
                          "this material is made of %s, and mesh \"%s\" has none", what, part->source->mesh);
  return pl_fail(error, PL_ERROR_INVALID_DATA, "mesh \"%s\" has no %s", part->source->mesh, what);
}

// The triangles or segments of a mesh; of a mesh of tets, its boundary.
static pl_status make_thin(pl_scene_instance *set, pl_instance_part *part, pl_findings *findings, pl_error *error) {
  pl_status status = pl_scene_make_mesh(set->scene, part->source->mesh, &part->tets, findings, error);
  if (status < 0) return status;
  bool curve = pl_scene_fem_elements(&part->source->fem) == PL_FEM_OF_SEGMENTS;
  if (!curve && pl_mesh_get_view(part->tets).tet_count > 0) {
    pl_mesh *solid = part->tets;
    part->tets = NULL;
    status = pl_mesh_build_boundary(set->context, solid, &part->tets, NULL, error);
    pl_mesh_destroy(solid);
    if (status < 0) return status;
  }
  pl_mesh_view view = pl_mesh_get_view(part->tets);
  if ((curve ? view.segment_count : view.triangle_count) == 0) return report_elements(set, part, findings, error);
  return pl_instance_make_poses(set, part, pl_scene_find_mesh(set->scene, part->source->mesh), findings, error);
}

// --- stiffer and softer parts ---------------------------------------------------------------------------------------

static pl_vec3 middle_of(const pl_mesh_view *mesh, const int32_t *corners, int32_t width) {
  pl_vec3 middle = {0, 0, 0};
  for (int32_t k = 0; k < width; ++k) middle = pl_vec3_add_scaled(middle, mesh->points[corners[k]], 1.0 / width);
  return middle;
}

// 1 in the box, falling smoothly to 0 over its border.
static double fraction_in(const pl_scene_young_region *region, pl_vec3 p) {
  pl_vec3 outside = {fmax(fmax(region->min.x - p.x, p.x - region->max.x), 0),
                     fmax(fmax(region->min.y - p.y, p.y - region->max.y), 0),
                     fmax(fmax(region->min.z - p.z, p.z - region->max.z), 0)};
  double distance = pl_vec3_length(outside);
  if (!(distance > 0)) return 1;
  if (!(distance < region->border)) return 0;
  double t = distance / region->border;
  return 1 - t * t * (3 - 2 * t);
}

// A modulus per element from a file, as factors on the first of them.
static pl_status read_moduli(pl_scene_instance *set, const pl_instance_part *part, int32_t count, double *scales,
                             pl_fem_def *def, pl_findings *findings, pl_error *error) {
  const pl_scene_fem *fem = &part->source->fem;
  const pl_json *json_node = pl_json_find(fem->json, "young_table");
  const pl_parameter *allowed = pl_parameter_find(&pl_fem_def_parameters, "young");
  char *path = pl_path_join(set->context, set->scene->folder, fem->young_table);
  if (path == NULL) return pl_fail_memory(error);
  pl_table *table = NULL;
  pl_status status = pl_table_load(set->context, path, &table, error);
  pl_release(set->context, path);
  if (status < 0) return status;
  pl_table_view view = pl_table_get_view(table);
  int32_t column = pl_table_find_column(table, "young");
  bool is_wrong = column < 0 || view.row_count != count;
  if (column < 0)
    pl_instance_add_finding(set->scene, json_node, findings, PL_SEVERITY_ERROR, "young-table",
                            "name the column of moduli `young`", "the table has no column `young`");
  else if (view.row_count != count)
    pl_instance_add_finding(set->scene, json_node, findings, PL_SEVERITY_ERROR, "young-table",
                            "write a row for every element of the mesh",
                            "the table has %lld rows, the mesh %d elements", (long long)view.row_count, count);
  for (int32_t i = 0; i < count && !is_wrong; ++i) {
    double young = view.cells[(ptrdiff_t)i * view.column_count + column];
    if (young > allowed->min && young <= allowed->max) {
      if (i == 0) def->young = young;
      scales[i] = young / def->young;
      continue;
    }
    char fix[80];
    snprintf(fix, sizeof fix, "moduli are above %g and at most %g Pa", allowed->min, allowed->max);
    pl_instance_add_finding(set->scene, json_node, findings, PL_SEVERITY_ERROR, "young-table", fix,
                            "%g Pa is not a valid modulus of element %d", young, i);
    is_wrong = true;
  }
  pl_table_destroy(table);
  return is_wrong
             ? pl_fail(error, PL_ERROR_INVALID_DATA, "the table of moduli '%s' does not fit its mesh", fem->young_table)
             : PL_OK;
}

// What the elements of a part are made of.
typedef struct element_list {
  int32_t width, count;
  const int32_t *corners;
} element_list;

static element_list elements_of(const pl_instance_part *part, const pl_mesh_view *mesh) {
  switch (pl_scene_fem_elements(&part->source->fem)) {
    case PL_FEM_OF_TRIANGLES: return (element_list){3, mesh->triangle_count, mesh->triangles};
    case PL_FEM_OF_SEGMENTS: return (element_list){2, mesh->segment_count, mesh->segments};
    default: return (element_list){4, mesh->tet_count, mesh->tets};
  }
}

static void warn_empty(pl_scene_instance *set, const pl_instance_part *part, const pl_json *json, const char *what,
                       pl_findings *findings) {
  pl_instance_add_finding(set->scene, json, findings, PL_SEVERITY_WARNING, "empty-region",
                          "move or widen it; boxes are in the mesh's frame, and `pliant info` prints the mesh's box",
                          "no %s of body \"%s\" in this box", what, part->source->name);
}

// Moduli span decades, so a border runs through their powers: half way between 1 and 100 is 10. Densities follow suit.
static void apply_regions(pl_scene_instance *set, const pl_instance_part *part, const pl_scene_list *regions,
                          double *scales, pl_findings *findings) {
  pl_mesh_view mesh = pl_mesh_get_view(part->tets);
  element_list elements = elements_of(part, &mesh);
  for (int32_t r = 0; r < regions->count; ++r) {
    const pl_scene_young_region *region = &((const pl_scene_young_region *)regions->items)[r];
    bool found = false;
    for (int32_t i = 0; i < elements.count; ++i) {
      const int32_t *corners = elements.corners + (ptrdiff_t)elements.width * i;
      double fraction = fraction_in(region, middle_of(&mesh, corners, elements.width));
      if (fraction > 0) scales[i] *= pow(region->scale, fraction);
      found = found || fraction > 0;
    }
    if (!found) warn_empty(set, part, region->json, "element has its middle,", findings);
  }
}

static double *take_scales(pl_scene_instance *set, int32_t count) {
  double *scales = PL_TAKE(&set->arena, double, count);
  for (int32_t i = 0; scales != NULL && i < count; ++i) scales[i] = 1;
  return scales;
}

static pl_status make_scales(pl_scene_instance *set, const pl_instance_part *part, pl_fem_def *def,
                             pl_findings *findings, pl_error *error) {
  const pl_scene_fem *fem = &part->source->fem;
  pl_mesh_view mesh = pl_mesh_get_view(part->tets);
  int32_t count = elements_of(part, &mesh).count;
  if (fem->young_regions.count > 0 || fem->young_table[0] != '\0') {
    double *scales = take_scales(set, count);
    if (scales == NULL) return pl_fail_memory(error);
    if (fem->young_table[0] != '\0') {
      pl_status status = read_moduli(set, part, count, scales, def, findings, error);
      if (status < 0) return status;
    }
    apply_regions(set, part, &fem->young_regions, scales, findings);
    def->young_scales = scales;
  }
  if (fem->density_regions.count > 0) {
    double *scales = take_scales(set, count);
    if (scales == NULL) return pl_fail_memory(error);
    apply_regions(set, part, &fem->density_regions, scales, findings);
    def->density_scales = scales;
  }
  return PL_OK;
}

// --- weights --------------------------------------------------------------------------------------------------------

static bool is_inside(const pl_scene_mass *mass, pl_vec3 p) {
  return p.x >= mass->min.x && p.y >= mass->min.y && p.z >= mass->min.z && p.x <= mass->max.x && p.y <= mass->max.y &&
         p.z <= mass->max.z;
}

static pl_status make_masses(pl_scene_instance *set, const pl_instance_part *part, pl_fem_def *def,
                             pl_findings *findings, pl_error *error) {
  const pl_scene_list *list = &part->source->fem.masses;
  if (list->count == 0) return PL_OK;
  pl_mesh_view mesh = pl_mesh_get_view(part->tets);
  double *masses = PL_TAKE(&set->arena, double, mesh.point_count);
  if (masses == NULL) return pl_fail_memory(error);
  for (int32_t k = 0; k < list->count; ++k) {
    const pl_scene_mass *mass = &((const pl_scene_mass *)list->items)[k];
    int32_t found = 0;
    for (int32_t i = 0; i < mesh.point_count; ++i) found += is_inside(mass, mesh.points[i]);
    for (int32_t i = 0; i < mesh.point_count; ++i)
      if (is_inside(mass, mesh.points[i])) masses[i] += mass->mass / found;
    if (found == 0) warn_empty(set, part, mass->json, "point lies", findings);
  }
  def->added_masses = masses;
  return PL_OK;
}

// --- def ----------------------------------------------------------------------------------------------------------

// Characters show what a passive body hides: equations solved as exactly as this are what makes their motion their own.
enum { ACTOR_NEWTON_ITERATIONS = 50 };
static const double ACTOR_NEWTON_TOLERANCE = 1e-6;

static pl_fem_def fem_def_of(const pl_scene_instance *set, const pl_instance_part *part) {
  const pl_scene_fem *f = &part->source->fem;
  pl_fem_def def = f->def;
  def.fast_step = set->scene->document.time.step;
  def.surface = part->surface;
  def.direct = pl_cholmod_backend();
  if (part->source->actor.json != NULL) {
    def.adapts = true;
    if (pl_json_find(f->json, "max_newton_iterations") == NULL) def.max_newton_iterations = ACTOR_NEWTON_ITERATIONS;
    if (pl_json_find(f->json, "newton_tolerance") == NULL) def.newton_tolerance = ACTOR_NEWTON_TOLERANCE;
  }
  return def;
}

pl_status pl_instance_make_fem(pl_scene_instance *set, pl_instance_part *part, pl_findings *findings, pl_error *error) {
  const pl_scene_fem *fem = &part->source->fem;
  bool thin = pl_scene_fem_elements(fem) != PL_FEM_OF_TETS;
  pl_status status = thin ? make_thin(set, part, findings, error) : pl_instance_make_tets(set, part, findings, error);
  if (status < 0) return status;
  pl_fem_def def = fem_def_of(set, part);
  def.example_count = fem->examples.count;
  status = pl_instance_choose_poses(set, part, &fem->examples, &def.examples, findings, error);
  if (status >= 0) status = make_scales(set, part, &def, findings, error);
  if (status >= 0) status = make_masses(set, part, &def, findings, error);
  if (status >= 0 && def.material == PL_FEM_FAST)
    status = pl_instance_list_held(set, part, &def.held_points, &def.held_count, error);
  if (status >= 0) status = pl_fem_build(set->context, &def, part->tets, &part->model, error);
  if (status >= 0 && pl_scene_fem_is_planar(fem)) status = pl_instance_make_skin(set, part, error);
  return status;
}
