// A body of finite elements from the command line: what `solve` and `modes` have in common.
#ifndef TOOL_SPECIMEN_H
#define TOOL_SPECIMEN_H

#include "pliant/pliant.h"
#include "tool_box.h"
#include "tool_options.h"

double specimen_default_young(void);
double specimen_default_poisson(void);
double specimen_default_density(void);

// clang-format off
#define TOOL_SPECIMEN_OPTIONS \
  {"material", .kind = TOOL_TEXT, .value = "NAME", .choices = "corotated neo-hookean yeoh", .default_text = "corotated", \
   .about = "material of the tets"}, \
  {"element", .kind = TOOL_TEXT, .value = "ORDER", .choices = "linear quadratic", .default_text = "quadratic", \
   .about = "order of the tets; linear ones are too stiff in bending"}, \
  {"young", .kind = TOOL_NUMBER, .value = "PA", .min = 1e-6, .max = 1e15, .default_number = specimen_default_young, \
   .about = "Young's modulus in pascals"}, \
  {"poisson", .kind = TOOL_NUMBER, .value = "RATIO", .min = -0.99, .max = 0.4999, .default_number = specimen_default_poisson, \
   .about = "Poisson's ratio"}, \
  {"density", .kind = TOOL_NUMBER, .value = "KG/M3", .min = 1e-6, .max = 1e9, .default_number = specimen_default_density, \
   .about = "mass per volume in kg/m^3"}, \
  TOOL_HOLD_OPTION, \
  TOOL_WEIGHT_OPTION, \
  TOOL_SCALE_OPTION(.about = "scale the mesh, such as 0.001 for a file in millimetres")
// clang-format on

typedef struct tool_specimen {
  pl_mesh *mesh;  // with nodes on edges where the tets are quadratic
  pl_model *model;
  int32_t *held, held_count;
  bool remarks;
} tool_specimen;

// Load the mesh of the first word and build the model. False on failure (printed).
bool tool_specimen_open(const tool_session *tool, const tool_arguments *arguments,
                        pl_context *context, tool_specimen *specimen);
void tool_specimen_close(tool_specimen *specimen);

// Three numbers between commas; false (printed) if the text is something else.
bool tool_specimen_vector(const tool_session *tool, const char *option, const char *text,
                          pl_vec3 *v);

#endif
