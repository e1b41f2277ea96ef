// The parameters of pl_solid_def: the one place for defaults, ranges, units and meanings. After a change run `make
// generate`.
#include "solid/solid_parameters.h"

#include "base/parameter_words.h"
#include "pliant/solid.h"

// In the order of the enums.
static const char *const GROUPINGS[] = {"global", "groups", "regions", NULL};
static const char *const WEIGHT_RULES[] = {"exact", "paper", NULL};
static const char *const ROTATIONS[] = {"conserving", "paper", NULL};

// One line per parameter.
// clang-format off
#define DEF pl_solid_def
static const pl_parameter ITEMS[] = {
    NUMBER(stiffness, 0.5, ABOVE(0, 1), LOG_SLIDER(0.005, 1), ABOUT("Fraction of the way to its goal that a particle covers in one `stiffness_step` (the paper's alpha).")),
    NUMBER(stiffness_step, 1.0 / 240, ABOVE(0, 10), UNIT("s"), ABOUT("Step that `stiffness` refers to, so that it means the same at any step.")),
    NUMBER(young, 0, FROM(0, 1e15), UNIT("Pa"), LOG_SLIDER(1e3, 1e7), ABOUT("Young's modulus, which means the same on any mesh, instead of `stiffness`; 0: by `stiffness`.")),
    NUMBER(fidelity, 0.995, FROM(0, 1), SLIDER(0, 1), ABOUT("Fraction of an example's weight that stays in the goals (the paper's beta): at 1 the body stays in an example, below 1 it returns slowly, at 0 it ignores examples.")),
    NUMBER(damping, 2, FROM(0, 1e6), UNIT("1/s"), SLIDER(0, 20), ABOUT("Vibration dies away as exp(-damping t); rigid motion, flight and tumbling, is spared.")),
    NUMBER(density, 1000, ABOVE(0, 1e9), UNIT("kg/m^3"), LOG_SLIDER(10, 1e4), ABOUT("Mass per volume; matters against forces, springs and other bodies, not in free fall.")),
    NUMBER(friction, 0.5, FROM(0, 1e3), SLIDER(0, 2), ABOUT("Coulomb coefficient; with another body or collider the geometric mean of both counts.")),
    NUMBER(restitution, 0.2, FROM(0, 1), SLIDER(0, 1), ABOUT("Fraction of the speed kept in a bounce; the larger of both bodies' counts. Off colliders: how much of its elastic rebound is kept.")),
    NUMBER(plastic_threshold, 0, FROM(0, 1), SLIDER(0, 1), ABOUT("Weight beyond which the rest shape moves along the examples and stays; 0 for never.")),
    NUMBER(plastic_rate, 5, FROM(0, 1e6), UNIT("1/s"), SLIDER(0, 20), ABOUT("How fast the rest shape moves then.")),
    SWITCH(hold_examples, true, OFFERED, ABOUT("Store the exact shape of every region in every example, so that each example is a minimum of the energy; without, only its affine part, in less time. Only with conserving rotation.")),
    CHOICE(grouping, pl_solid_grouping, GROUPINGS, PL_SOLID_GLOBAL, OFFERED, ABOUT("What follows one mixture of the examples: the whole body, each group, or each region.")),
    CHOICE(weight_rule, pl_solid_weight_rule, WEIGHT_RULES, PL_SOLID_WEIGHTS_EXACT, KEY("weights"), ABOUT("How the nearest mixture is found: exactly, or as the paper prints it.")),
    CHOICE(goal_rotation, pl_solid_goal_rotation, ROTATIONS, PL_SOLID_ROTATION_CONSERVING, KEY("rotation"), ABOUT("How goals are turned: without torque, or as the paper prints it, which lets angular momentum drift.")),
    NUMBER(contact_radius, -1, FROM(-1, 1e6), METRES, ABOUT("Gap kept around the surface; negative: the contact thickness of its size.")),
    NUMBER(surface_tolerance, 1e-3, FROM(0, 1e6), METRES, ABOUT("How far the surface may lie outside the tets.")),
    SWITCH(self_contact, false, ABOUT("Whether the body collides with itself.")),
};
const pl_parameter_table pl_solid_def_parameters = TABLE("solid", pl_solid_def, ITEMS);
