// The parameters of pl_strands_def: the one place for defaults, ranges, units and meanings. After a change run
// `make generate`.
#include "rod/strands_parameters.h"

#include "base/parameter_words.h"
#include "pliant/strands.h"

// One line per parameter.
// clang-format off
#define DEF pl_strands_def
static const pl_parameter STRANDS[] = {
    INTEGER(points, 16, FROM(2, 64), ABOUT("Points of each strand, evenly along its guides.")),
    INTEGER(neighbours, 3, FROM(1, 4), ABOUT("Nearest guides that each strand follows.")),
    NUMBER(clearance, 0.001, FROM(0, 1e3), METRES, ABOUT("Distance from colliders that points of strands keep; their roots may be anywhere.")),
    NUMBER(radius, 0.0004, FROM(0, 1e3), METRES, ABOUT("Of the strand that is drawn, at its root.")),
    NUMBER(tip_radius, 0.0001, FROM(0, 1e3), METRES, ABOUT("The same at its tip.")),
    INTEGER(sides, 3, FROM(2, 16), ABOUT("Corners of the tube that a strand is drawn as; 2 means: a flat band.")),
};
const pl_parameter_table pl_strands_def_parameters = TABLE("strands", pl_strands_def, STRANDS);
