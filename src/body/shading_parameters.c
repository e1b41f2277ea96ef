// The parameters of pl_shading_def: the one place for defaults, ranges, units and meanings. After a change run `make
// generate`.
#include "body/shading_parameters.h"

#include "base/parameter_words.h"
#include "pliant/surface.h"

// One line per parameter.
// clang-format off
#define DEF pl_shading_def
static const pl_parameter SHADING[] = {
    NUMBER(crease_angle, 3.141592653589793, FROM(0, 3.141592653589793), UNIT("rad"), ABOUT("Angle between the normals of two triangles above which their common edge is hard.")),
};
const pl_parameter_table pl_shading_def_parameters = TABLE("shading", pl_shading_def, SHADING);
