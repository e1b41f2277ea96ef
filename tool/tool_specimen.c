// A body of finite elements from the command line: mesh, material, held points.
#include "tool_specimen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_hold.h"
#include "tool_open.h"

double specimen_default_young(void) {
  return pl_default_fem_def(PL_FEM_COROTATED).young;
}
double specimen_default_poisson(void) {
  return pl_default_fem_def(PL_FEM_COROTATED).poisson;
}
double specimen_default_density(void) {
  return pl_default_fem_def(PL_FEM_COROTATED).density;
}

bool tool_specimen_vector(const tool_session *tool, const char *option, const char *text, pl_vec3 *v) {
  char rest;
  if (sscanf(text, "%lf,%lf,%lf%c", &v->x, &v->y, &v->z, &rest) == 3 && isfinite(v->x + v->y + v->z)) return true;
  tool_print_error(&tool->console, "--%s takes three numbers x,y,z, not '%s'", option, text);
  return false;
}

// Put tets of the wanted order in the place of the mesh's.
static pl_status fit_order(pl_context *context, bool quadratic, pl_mesh **mesh, pl_error *error) {
  pl_mesh *made = NULL;
  pl_status status = quadratic ? pl_mesh_build_quadratic(context, *mesh, &made, error)
                               : pl_mesh_build_linear(context, *mesh, &made, error);
  if (status < 0) return status;
  pl_mesh_destroy(*mesh);
  *mesh = made;
  return PL_OK;
}

bool tool_specimen_open(const tool_session *tool, const tool_arguments *arguments, pl_context *context,
                        tool_specimen *specimen) {
  *specimen = (tool_specimen){0};
  const char *material = tool_get_text(arguments, "material");
  bool quadratic = strcmp(tool_get_text(arguments, "element"), "quadratic") == 0;
  specimen->mesh =
      tool_open_mesh(tool, context, arguments->words[0], tool_get_number(arguments, "scale"), &specimen->remarks);
  if (specimen->mesh == NULL) return false;
  if (pl_mesh_get_view(specimen->mesh).tet_count == 0) {
    tool_print_error(&tool->console, "'%s' has no tets; fill the surface with them by 'pliant mesh'",
                     arguments->words[0]);
    return false;
  }
  pl_error error = {0};
  pl_fem_def def = pl_default_fem_def(strcmp(material, "yeoh") == 0          ? PL_FEM_YEOH
                                      : strcmp(material, "neo-hookean") == 0 ? PL_FEM_NEO_HOOKEAN
                                                                             : PL_FEM_COROTATED);
  def.element = quadratic ? PL_FEM_QUADRATIC : PL_FEM_LINEAR;
  def.young = tool_get_number(arguments, "young");
  def.poisson = tool_get_number(arguments, "poisson");
  def.density = tool_get_number(arguments, "density");
  def.direct = pl_cholmod_backend();
  pl_status status = fit_order(context, quadratic, &specimen->mesh, &error);
  const tool_value *weight = tool_find_value(arguments, "weight");
  double *masses = NULL;
  if (status >= 0 && weight->given && !tool_box_read_weight(tool, weight->text, specimen->mesh, &masses)) return false;
  def.added_masses = masses;
  if (status >= 0) status = pl_fem_build(context, &def, specimen->mesh, &specimen->model, &error);
  free(masses);
  if (status < 0) {
    if (error.file[0] == '\0') snprintf(error.file, sizeof error.file, "%s", arguments->words[0]);
    tool_report_error(&tool->console, &error);
    return false;
  }
  return tool_hold_read(tool, context, arguments, specimen->mesh, &specimen->held, &specimen->held_count);
}

void tool_specimen_close(tool_specimen *specimen) {
  pl_model_destroy(specimen->model);
  pl_mesh_destroy(specimen->mesh);
  free(specimen->held);
}
