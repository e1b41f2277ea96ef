// The parameters of pl_actor_def and pl_actor_command: the one place for defaults, ranges, units and meanings. After a
// change run `make generate`.
#include "actor/actor_parameters.h"

#include "base/parameter_words.h"
#include "pliant/actor.h"

// In the order of the enums.
static const char *const RESTS[] = {"free", "cage", "examples", "modes", NULL};
static const char *const HESSIANS[] = {"gauss-newton", "exact", NULL};

// One line per parameter.
// clang-format off
#define DEF pl_actor_def
static const pl_parameter ACTOR[] = {
    CHOICE(rest, pl_rest_kind, RESTS, PL_REST_CAGE, ABOUT("What the rest shape is chosen from: all shapes, those of a cage, mixtures of examples, or sums of the softest vibrations.")),
    INTEGER(cage_point_count, 16, FROM(4, 2000), NOT_IN_SCENES, ABOUT("Points to aim at when the cage is made from a coarse lattice around the body.")),
    INTEGER(mode_count, 12, FROM(1, 500), KEY("modes"), ABOUT("Number of vibrations.")),
    NUMBER(regularisation, 0.1, FROM(0, 1e12), UNIT("(m/s)^2"), LOG_SLIDER(1e-6, 10), ABOUT("Cost of a rest shape strained by 1 everywhere; more: less effort.")),
    NUMBER(rate_regularisation, 1, FROM(0, 1e12), UNIT("(m/s)^2"), LOG_SLIDER(1e-6, 1e3), ABOUT("Cost of the rest shape's strain changing by 1 in one step; more: calmer.")),
    NUMBER(volume_regularisation, 1, FROM(0, 1e6), ABOUT("Factor on the cost of changes of volume (or area) of the rest shape.")),
    NUMBER(bend_regularisation, 1, FROM(0, 1e6), ABOUT("Factor on the cost of bending of curves and shells; (d / thickness)^2 makes it as dear as for a body of thickness d.")),
    NUMBER(max_strain, 0.2, FROM(0, 1e6), ABOUT("Strain of a single element of the rest shape at which its cost has doubled; 0: none. Not of examples.")),
    NUMBER(hull_penalty, 10, FROM(0, 1e12), UNIT("(m/s)^2"), ABOUT("Of examples: cost of leaving the hull of rest and examples by 1.")),
    CHOICE(hessian, pl_actor_hessian, HESSIANS, PL_ACTOR_GAUSS_NEWTON, ABOUT("Second derivatives of the goals alone, or of the whole Lagrangian.")),
    INTEGER(max_iterations, 40, FROM(1, 1000), KEY("iterations"), ABOUT("Maximum iterations of the optimisation in a step.")),
    NUMBER(tolerance, 1e-2, ABOVE(0, 1), ABOUT("Of the optimality conditions: the root of what the objective may still fall by, as a fraction of it.")),
    INTEGER(horizon, 1, FROM(1, 32), ABOUT("Steps that are planned at once; 1: as in the paper.")),
    SWITCH(path_loops, false, ABOUT("Whether it continues with the first place of its path after the last.")),
    SWITCH(stands_while_settling, false, ABOUT("Whether it keeps its balance, at speed 0, while the world settles; otherwise it is passive then.")),
};
const pl_parameter_table pl_actor_def_parameters = TABLE("actor", pl_actor_def, ACTOR);

#undef DEF
#define DEF pl_actor_command
static const pl_parameter COMMAND[] = {
    NUMBER(speed, 0, FROM(0, 1e3), METRES_PER("s"), LIVE_SLIDER(0, 2), ABOUT("How fast to go; 0 means: stay.")),
    VECTOR(heading, XYZ(1, 0, 0), ABOUT("Which way on the ground, of any length but 0; a path overrides it.")),
};
const pl_parameter_table pl_actor_command_parameters = TABLE_WITHOUT_MAGIC("actor_command", pl_actor_command, COMMAND);
