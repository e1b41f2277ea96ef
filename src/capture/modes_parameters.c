// The parameters of pl_modes_def: the one place for defaults, ranges, units and meanings. After a change run
// `make generate`.
#include "capture/modes_parameters.h"

#include "base/parameter_words.h"
#include "pliant/modes.h"

// One line per parameter.
// clang-format off
#define DEF pl_modes_def
static const pl_parameter MODES[] = {
    INTEGER(mode_count, 6, FROM(1, 1000), ABOUT("Number of lowest modes.")),
    NUMBER(tolerance, 1e-10, ABOVE(0, 1), ABOUT("Relative error of the eigenvalues.")),
};
const pl_parameter_table pl_modes_def_parameters = TABLE("modes", pl_modes_def, MODES);
