// The parameters of pl_rollout_def: the one place for defaults, ranges, units and meanings. After a change run
// `make generate`.
#include "capture/rollout_parameters.h"

#include "base/parameter_words.h"
#include "pliant/rollout.h"

// One line per parameter.
// clang-format off
#define DEF pl_rollout_def
static const pl_parameter ROLLOUT[] = {
    NUMBER(step, 1.0 / 240, ABOVE(0, 10), UNIT("s"), ABOUT("Length of a step.")),
    INTEGER(step_count, 100, FROM(1, 1e6), ABOUT("Steps of a motion.")),
    VECTOR(gravity, EARTH_GRAVITY, METRES_PER("s^2"), ABOUT("Acceleration of free fall.")),
    SWITCH(equilibrium, false, ABOUT("The motion is one jump to the equilibrium under gravity and forces instead of steps; `step_count` must be 1.")),
    NUMBER(tolerance, 1e-11, ABOVE(0, 1), ABOUT("Last Newton step of a time step, as a fraction of the size of the body; derivatives are as exact as this.")),
    INTEGER(max_newton_iterations, 60, FROM(1, 1e6), ABOUT("Maximum Newton iterations of a step.")),
};
const pl_parameter_table pl_rollout_def_parameters = TABLE("rollout", pl_rollout_def, ROLLOUT);
