// The parameters of pl_fem_def and pl_fem_equilibrium_def: the one place for defaults, ranges, units and meanings.
// After a change run `make generate`.
#include "fem/fem_parameters.h"

#include "base/parameter_words.h"
#include "pliant/fem.h"

// In the order of the enums.
static const char *const MATERIALS[] = {"corotated", "neo-hookean", "edges", "shell", "plane",
                                        "curve",     "fast",        "yeoh",  NULL};
static const char *const ELEMENTS[] = {"linear", "quadratic", NULL};
static const char *const SCHEMES[] = {"second-order", "implicit-euler", NULL};
static const char *const IMPLICIT_STEPS[] = {"none", "impacts", "contact", NULL};
static const char *const SOLVERS[] = {"auto", "cg", "direct", NULL};

// Moduli, densities and stiffnesses stay in pascals, kg/m³ and N/m³ whatever the length unit of a scene is: they come
// from tables of materials, which nobody converts to centimetres.
//
// One line per parameter.
// clang-format off
#define DEF pl_fem_def
static const pl_parameter FEM[] = {
    CHOICE(material, pl_fem_material, MATERIALS, PL_FEM_COROTATED, ABOUT("What the mesh is made of. Tets: corotated linear, stable neo-Hookean, Yeoh, edge lengths and volumes, or `fast` for interactive use. Triangles: a shell, or a plane solid that moves in its plane z = const. Segments: a curve in a plane z = const.")),
    NUMBER(young, 1e5, ABOVE(0, 1e15), UNIT("Pa"), LOG_SLIDER(100, 1e8), ABOUT("Young's modulus, in pascals whatever `length_unit` a scene has.")),
    NUMBER(poisson, 0.3, ABOVE(-1, 0.4999), SLIDER(0, 0.49), ABOUT("Poisson's ratio: 0.3 for most solids, near 0.5 for what keeps its volume.")),
    CHOICE(element, pl_fem_element_order, ELEMENTS, PL_FEM_LINEAR, ABOUT("Tets of corotated, neo-hookean and yeoh: linear, or quadratic with a node on every edge, which neither lock in bending nor near a Poisson's ratio of 1/2. A mesh without such nodes gets them.")),
    NUMBER(stiffening, 0, FROM(-1, 1e3), SLIDER(0, 1), ABOUT("Of yeoh: second coefficient as a fraction of the first, c2 / c1.")),
    NUMBER(late_stiffening, 0, FROM(-1, 1e3), SLIDER(0, 1), ABOUT("Of yeoh: third coefficient as a fraction of the first, c3 / c1.")),
    NUMBER(density, 1000, ABOVE(0, 1e9), UNIT("kg/m^3"), LOG_SLIDER(10, 1e4), ABOUT("Mass per volume; of shells, plane solids and curves too.")),
    NUMBER(thickness, 0.01, ABOVE(0, 1e6), METRES, ABOUT("Of a shell or plane solid; side of a curve's square cross-section.")),
    NUMBER(mass_damping, 0, FROM(0, 1e6), UNIT("1/s"), SLIDER(0, 10), ABOUT("Alpha of Rayleigh damping: slows all motion, slow motion most.")),
    NUMBER(stiffness_damping, 0, FROM(0, 1e3), UNIT("s"), SLIDER(0, 0.05), ABOUT("Beta of Rayleigh damping: slows deformation, fast vibration most.")),
    NUMBER(prony_ratio, 0, FROM(0, 1e3), SLIDER(0, 1), ABOUT("Viscoelastic tets: stiffness of a Maxwell branch as a fraction of `young`, which stays the modulus at rest: E(t) = young (1 + prony_ratio exp(-t / prony_time) + …) after a sudden strain.")),
    NUMBER(prony_time, 0.1, ABOVE(0, 1e9), UNIT("s"), LOG_SLIDER(1e-3, 10), ABOUT("Relaxation time of that branch: damping is strongest at a frequency of 1 / (2 pi prony_time).")),
    NUMBER(second_prony_ratio, 0, FROM(0, 1e3), SLIDER(0, 1), ABOUT("The same of a second branch.")),
    NUMBER(second_prony_time, 1, ABOVE(0, 1e9), UNIT("s"), LOG_SLIDER(1e-3, 10), ABOUT("Relaxation time of the second branch.")),
    NUMBER(loss_factor, 0, FROM(0, 1), SLIDER(0, 0.3), ABOUT("Structural damping of tets: loss tangent that is the same at all frequencies from `loss_frequency` to 2,000 times that, twice the damping ratio. The modulus grows with frequency, from `young` at rest, by about 2 / pi of it per factor e.")),
    NUMBER(loss_frequency, 0.5, ABOVE(0, 1e9), UNIT("Hz"), LOG_SLIDER(0.01, 100), ABOUT("Lowest frequency at which structural damping acts in full.")),
    CHOICE(scheme, pl_fem_scheme, SCHEMES, PL_FEM_SECOND_ORDER, ABOUT("How time is stepped: second order keeps energy, implicit Euler damps by itself.")),
    CHOICE(implicit_steps, pl_fem_implicit_steps, IMPLICIT_STEPS, PL_FEM_IMPLICIT_NONE, ABOUT("Of the second-order scheme: steps that are ones of implicit Euler all the same. None; those in which a point is about to meet a collider, so that the impact does not throw a stiff body back; or all in which a point meets or touches one, so that only flight is of second order. Not of `fast`.")),
    CHOICE(solver, pl_fem_solver, SOLVERS, PL_FEM_SOLVER_AUTO, ABOUT("How linear systems are solved: chosen from size and stiffness, conjugate gradients, or a factorisation.")),
    INTEGER(max_newton_iterations, 8, FROM(1, 1000), ABOUT("Maximum Newton iterations a step; a scene allows an `actor` more when absent.")),
    NUMBER(newton_tolerance, 1e-4, ABOVE(0, 1), ABOUT("Residual force, as a fraction of the typical one, at which a step counts as solved; a scene takes less for an `actor` when absent.")),
    INTEGER(volume_rounds, 2, FROM(0, 1000), ABOUT("Of `fast`: iterations that keep the volume; where Poisson's ratio is above 0.492, more are made as needed.")),
    NUMBER(fidelity, 1, FROM(0, 1), SLIDER(0, 1), ABOUT("Fraction of a projected weight of an example that stays in the rest shape: at 1 the body stays in any mixture of its examples, below 1 it returns from them.")),
    NUMBER(fast_step, 1.0 / 60, ABOVE(0, 10), UNIT("s"), NOT_IN_SCENES, ABOUT("Of PL_FEM_FAST: the step that the constant matrix is for; worlds must step by it or a whole multiple of it.")),
    NUMBER(friction, 0.5, FROM(0, 1e3), SLIDER(0, 2), ABOUT("Coulomb coefficient.")),
    NUMBER(restitution, 0, FROM(0, 1), ABOUT("Fraction of the speed kept in a bounce; the larger of both counts. Not of curves, plane solids, bodies that adapt and those with `contact_stiffness`.")),
    NUMBER(contact_radius, -1, FROM(-1, 1e6), METRES, ABOUT("Gap kept around the surface; half the thickness lets a shell or curve rest on its outside. Negative: the contact thickness of its size, 0 for a body that adapts.")),
    NUMBER(contact_stiffness, 0, FROM(0, 1e18), UNIT("N/m^3"), ABOUT("Of colliders: force per depth and area; 0 means ten times that of a layer of elements, or what stops the inertia of a layer within a step.")),
    NUMBER(contact_hardening, 0, FROM(-1, 1e6), METRES, ABOUT("Of colliders and bodies that adapt (actors): depth beyond which the force grows faster than linearly, to six times at twice this depth, so that an edge that carries much sinks little deeper; 0: nowhere. Negative: stiffness and hardening follow the weight, so that few points carry it at twice the contact thickness of the body's size.")),
    NUMBER(surface_tolerance, 1e-3, FROM(0, 1e6), METRES, ABOUT("How far the surface may lie outside the tets.")),
    SWITCH(self_contact, false, ABOUT("Whether the body collides with itself.")),
    SWITCH(adapts, false, NOT_IN_SCENES, ABOUT("The state holds the rest shape, so that an actor can change it (actor.h). Stiffness damping then acts on changes of shape only and has no torque. Not with PL_FEM_FAST or examples.")),
};
const pl_parameter_table pl_fem_def_parameters = TABLE("fem", pl_fem_def, FEM);

#undef DEF
#define DEF pl_fem_equilibrium_def
static const pl_parameter EQUILIBRIUM[] = {
    VECTOR(acceleration, ZERO_VECTOR, METRES_PER("s^2"), ABOUT("Such as gravity.")),
    INTEGER(load_steps, 1, FROM(1, 1e6), ABOUT("The load is applied in this many steps.")),
    INTEGER(max_newton_iterations, 50, FROM(1, 1e6), ABOUT("Maximum Newton iterations per load step.")),
    NUMBER(tolerance, 1e-8, ABOVE(0, 1), ABOUT("Residual force as a fraction of the load.")),
};
const pl_parameter_table pl_fem_equilibrium_def_parameters = TABLE("fem_equilibrium", pl_fem_equilibrium_def, EQUILIBRIUM);
