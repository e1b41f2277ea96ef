// The parameters of pl_reference_def, pl_field_def, pl_fit_def and pl_warm_start_def: the one place for defaults,
// ranges, units and meanings. After a change run `make generate`.
#include "capture/fit_parameters.h"

#include "base/parameter_words.h"
#include "capture/fit_modes.h"
#include "capture/fit_parts.h"
#include "pliant/fit.h"

// Arrays have these sizes.
_Static_assert(PL_FIT_MAX_MODES == 16 && PL_FIT_MAX_CONTROLS == 64, "the ranges of mode_count and control_count below");

// In the order of the enums.
static const char *const MATERIALS[] = {"corotated", "neo-hookean", NULL};
static const char *const ELEMENTS[] = {"linear", "quadratic", NULL};
static const char *const SHAPES[] = {"static", "unstressed", "unknown", NULL};
static const char *const SOLVERS[] = {"newton", "virtual-force", NULL};
static const char *const FITTERS[] = {"gauss-newton", "nelder-mead", NULL};

// One line per parameter.
// clang-format off
#define DEF pl_reference_def
static const pl_parameter REFERENCE[] = {
    CHOICE(solver, pl_reference_solver, SOLVERS, PL_REFERENCE_NEWTON, ABOUT("How the reference shape is found.")),
    VECTOR(gravity, EARTH_GRAVITY, METRES_PER("s^2"), ABOUT("Gravity of the static shape.")),
    NUMBER(tolerance, 1e-10, ABOVE(0, 1), ABOUT("Residual force as a fraction of the weight.")),
    INTEGER(limit, 400, FROM(1, 1e9), ABOUT("Maximum iterations or steps of artificial time.")),
    NUMBER(min_volume, 0.02, ABOVE(0, 0.99), ABOUT("Fraction of its volume in the static shape that every element must keep.")),
};
const pl_parameter_table pl_reference_def_parameters = TABLE("reference", pl_reference_def, REFERENCE);

#undef DEF
#define DEF pl_field_def
static const pl_parameter FIELD[] = {
    INTEGER(control_count, 1, FROM(1, 64), ABOUT("Control points; 1 for a uniform field.")),
    VECTOR(axis, ZERO_VECTOR, ABOUT("Direction along which the control points lie; zero: the longest edge of the box.")),
};
const pl_parameter_table pl_field_def_parameters = TABLE("field", pl_field_def, FIELD);

#undef DEF
#define DEF pl_fit_def
static const pl_parameter FIT[] = {
    CHOICE(material, pl_fem_material, MATERIALS, PL_FEM_COROTATED, ABOUT("Material of the tets: PL_FEM_COROTATED or PL_FEM_NEO_HOOKEAN.")),
    CHOICE(element, pl_fem_element_order, ELEMENTS, PL_FEM_LINEAR, ABOUT("Linear tets, or quadratic ones with a node on every edge of the mesh, which do not lock. Where points of the mesh are given, the nodes start in equilibrium with them.")),
    NUMBER(density, 1000, ABOVE(0, 1e6), UNIT("kg/m^3"), ABOUT("Density of the static shape: mass by volume.")),
    VECTOR(gravity, EARTH_GRAVITY, METRES_PER("s^2"), ABOUT("Gravity during the capture.")),
    RANGE(young, 1e5, 1e3, 1e9, true, FROM(1e-3, 1e15), UNIT("Pa"), ABOUT("Young's modulus of every control point.")),
    RANGE(poisson, 0.3, 0.0, 0.49, false, FROM(-0.99, 0.4999), ABOUT("Poisson's ratio.")),
    RANGE(mass_damping, 0.1, 1e-4, 100, true, FROM(1e-12, 1e6), UNIT("1/s"), ABOUT("Alpha of Rayleigh damping.")),
    RANGE(stiffness_damping, 1e-3, 1e-6, 0.1, true, FROM(1e-12, 1e3), UNIT("s"), ABOUT("Beta of Rayleigh damping.")),
    RANGE(prony_ratio, 0, 1e-4, 100, false, FROM(0, 1e3), ABOUT("Stiffness of a Maxwell branch as a fraction of Young's modulus (`fem`); 0: none. Branches begin without stress.")),
    RANGE(prony_time, 0.1, 1e-4, 1e3, false, FROM(1e-9, 1e9), UNIT("s"), ABOUT("Relaxation time of that branch.")),
    RANGE(second_prony_ratio, 0, 1e-4, 100, false, FROM(0, 1e3), ABOUT("The same of a second branch; 0: none.")),
    RANGE(second_prony_time, 1, 1e-4, 1e3, false, FROM(1e-9, 1e9), UNIT("s"), ABOUT("Relaxation time of the second branch.")),
    RANGE(loss_factor, 0, 1e-5, 1, false, FROM(0, 1), ABOUT("Loss factor of structural damping; 0: none.")),
    NUMBER(loss_frequency, 0.5, ABOVE(0, 1e9), UNIT("Hz"), ABOUT("Lowest frequency at which structural damping acts in full.")),
    CHOICE(shape, pl_fit_shape, SHAPES, PL_FIT_SHAPE_STATIC, ABOUT("What the shape of the mesh is: in equilibrium under gravity, unstressed, or unknown, which is to be found from motions or sags.")),
    CHOICE(reference, pl_reference_solver, SOLVERS, PL_REFERENCE_NEWTON, ABOUT("How reference shapes are found.")),
    CHOICE(fitter, pl_fitter, FITTERS, PL_FITTER_GAUSS_NEWTON, ABOUT("Minimisation method.")),
    INTEGER(steps_per_frame, 2, FROM(1, 1000), ABOUT("Time steps between two frames.")),
    INTEGER(max_steps, 0, FROM(0, 1000), ABOUT("Gauss-Newton only: fit again with twice the number of steps, from the last result, until no modulus changes by more than 1 % or a frame would have more than max_steps; 0: steps_per_frame only.")),
    INTEGER(max_iterations, 200, FROM(0, 1e9), ABOUT("Maximum iterations in total.")),
    NUMBER(tolerance, 1e-4, ABOVE(0, 1), ABOUT("Change of parameters at which the last window has converged.")),
    NUMBER(noise, 0, FROM(0, 1e6), METRES, ABOUT("Expected error of a tracked point, for the intervals of the parameters; 0: 1e-4 of the object's size.")),
    NUMBER(doubt, 0.25, ABOVE(0, 1e6), ABOUT("Half width of the 95 % interval, as a fraction of the value, from which a parameter counts as not determined.")),
};
const pl_parameter_table pl_fit_def_parameters = TABLE("fit", pl_fit_def, FIT);

#undef DEF
#define DEF pl_warm_start_def
static const pl_parameter WARM_START[] = {
    INTEGER(sample_count, 16, FROM(1, 1000), ABOUT("Moduli tried around the estimate from the stiffest one, on a logarithmic scale.")),
    INTEGER(mode_count, 6, FROM(1, 16), ABOUT("Number of lowest modes used.")),
    INTEGER(rounds, 2, FROM(0, 1e6), ABOUT("Rounds of coordinate descent over the control points; all stay equal with 0, and where there are more of them than modes.")),
    NUMBER(min, 1e3, ABOVE(0, 1e15), UNIT("Pa"), ABOUT("Smallest modulus tried.")),
    NUMBER(max, 1e9, ABOVE(0, 1e15), UNIT("Pa"), ABOUT("Largest modulus tried.")),
};
const pl_parameter_table pl_warm_start_def_parameters = TABLE("warm_start", pl_warm_start_def, WARM_START);
