// The parameters of pl_rod_def and pl_rod_joint: the one place for defaults, ranges, units and meanings. After a change
// run `make generate`.
#include "rod/rod_parameters.h"

#include "base/parameter_words.h"
#include "pliant/rod.h"

// In the order of the enums.
static const char *const SOLVERS[] = {"matched", "spring-bone", NULL};
static const char *const SUPPRESSIONS[] = {"transport", "paper", "keep", NULL};
static const char *const VIEW_RULES[] = {"paper", "interpolating", NULL};

// One line per parameter.
// clang-format off
#define DEF pl_rod_def
static const pl_parameter ROD[] = {
    CHOICE(solver, pl_rod_solver, SOLVERS, PL_ROD_MATCHED, ABOUT("How joints are drawn to the rest pose: matched shapes of neighbourhoods, or the update of VRM spring bones.")),
    NUMBER(density, 1000, ABOVE(0, 1e9), UNIT("kg/m^3"), ABOUT("Of joints without a mass of their own; matters against wind and forces, not against gravity.")),
    NUMBER(stiffness, 0.1, ABOVE(0, 1), LOG_SLIDER(0.001, 1), ABOUT("Fraction of the way to its goal that a joint covers in one `stiffness_step`.")),
    NUMBER(stiffness_step, 1.0 / 240, ABOVE(0, 10), UNIT("s"), ABOUT("Step that `stiffness` refers to, so that it means the same at any step.")),
    NUMBER(damping, 1, FROM(0, 1e6), UNIT("1/s"), SLIDER(0, 20), ABOUT("Slows motion relative to the led joint, which it spares.")),
    NUMBER(twist, 0.5, ABOVE(0, 100), LOG_SLIDER(0.05, 5), ABOUT("How strongly orientations weigh against positions, in segment lengths; more is stiffer in twist, and in bending too.")),
    INTEGER(width, 2, FROM(1, 250), SLIDER(1, 16), ABOUT("Joints on either side that are matched together; wider is stiffer.")),
    NUMBER(friction, 0.3, FROM(0, 1e3), SLIDER(0, 2), ABOUT("Coulomb coefficient; the geometric mean with the collider's counts.")),
    SWITCH(self_contact, false, ABOUT("Whether chains touch each other and themselves, where they are apart at rest.")),
    NUMBER(volume_cell, 0, FROM(0, 1e6), METRES, ABOUT("Edge of the cells of a grid through which chains feel the hair around them as a volume, for hundreds of chains where contact one by one (`self_contact`) would be too slow; about the distance of neighbouring chains. 0 means: they do not.")),
    NUMBER(volume_friction, 10, FROM(0, 1e6), UNIT("1/s"), SLIDER(0, 50), ABOUT("Rate at which a chain takes on the velocity of the hair around it, with `volume_cell`.")),
    NUMBER(volume_pressure, 0.3, FROM(0, 1e3), METRES_PER("s"), SLIDER(0, 2), ABOUT("How hard hair that is denser than at its densest place at rest is driven apart, with `volume_cell`: the speed of sound of a gas.")),
    CHOICE(ghost_momentum, pl_rod_ghost_momentum, SUPPRESSIONS, PL_ROD_GHOST_MOMENTUM_TRANSPORT, OFFERED, ABOUT("What keeps a chain calm when the weights of its examples change: it is carried along, or the paper's second solve, or nothing.")),
    NUMBER(window, 0.1, FROM(0, 1), SLIDER(0, 1), ABOUT("Of the paper's suppression: how far the projected weights may be from the current ones (delta).")),
    NUMBER(view_time, 0, FROM(0, 1e3), UNIT("s"), SLIDER(0, 2), ABOUT("Over which weights follow the camera; 0 means: at once.")),
    CHOICE(view_rule, pl_rod_view_rule, VIEW_RULES, PL_ROD_VIEW_PAPER, OFFERED, ABOUT("How directions become weights: Algorithm 1 of the paper, or exactly 1 at the direction of every example.")),
    INTEGER(tube_sides, 10, FROM(0, 64), ABOUT("Corners of the tubes that show chains without a mesh; 0 for no surface.")),
};
const pl_parameter_table pl_rod_def_parameters = TABLE("rod", pl_rod_def, ROD);

#undef DEF
#define DEF pl_rod_joint
static const pl_parameter JOINT[] = {
    NUMBER(radius, 0, FROM(0, 1e6), METRES, SLIDER(0, 0.2), ABOUT("Of the tapered capsule around the segment, at this joint; 0 means: a line.")),
    NUMBER(mass, 0, FROM(0, 1e8), UNIT("kg"), ABOUT("Of the joint; 0 means: from density and radius.")),
    NUMBER(stiffness, 1, FROM(0, 1e5), LOG_SLIDER(0.01, 100), ABOUT("Factor on the body's stiffness.")),
    NUMBER(max_angle, 0, FROM(0, 100), UNIT("rad"), ABOUT("How far the segment to this joint may turn from its rest direction, seen from the parent; 0 means: any.")),
    NUMBER(spring, 1, FROM(0, 1e5), SLIDER(0, 4), ABOUT("Stiffness of the spring bone that ends at this joint.")),
    NUMBER(drag, 0.4, FROM(0, 1), SLIDER(0, 1), ABOUT("Drag of that spring bone (`dragForce`).")),
    VECTOR(pull, ZERO_VECTOR, SLIDER(-2, 2), ABOUT("Gravity of that spring bone: direction times power.")),
};
const pl_parameter_table pl_rod_joint_parameters = TABLE_WITHOUT_MAGIC("rod_joint", pl_rod_joint, JOINT);
