// The tables of finite elements in the scene document: every key, its kind, unit, range, default and meaning.
//
// Moduli, densities and stiffnesses stay in pascals, kg/m³ and N/m³ whatever the document's length unit is: they come from tables of materials, which nobody
// converts to centimetres.
#include "pliant/fem.h"
#include "scene/scene_fields.h"

// One line per key reads best.
// clang-format off

static const pl_scene_young_region REGION_DEFAULTS = {.scale = 1};
static const pl_scene_field REGION_FIELDS[] = {
    FIELD("min", VECTOR, pl_scene_young_region, min, METRES, .required = true, .about = "Lowest corner of a box in the mesh's frame."),
    FIELD("max", VECTOR, pl_scene_young_region, max, METRES, .required = true, .about = "Highest corner."),
    FIELD("scale", NUMBER, pl_scene_young_region, scale, POSITIVE_UP_TO(1e9), .required = true, .about = "Factor on Young's modulus of elements whose middle is inside; boxes that overlap multiply."),
    FIELD("border", NUMBER, pl_scene_young_region, border, METRES, UP_TO(1e9), .about = "Distance outside the box over which the factor returns to 1."),
};
static const pl_scene_type REGION_TYPE = TYPE("young_region", pl_scene_young_region, "A stiffer or softer part of a body.", &REGION_DEFAULTS, REGION_FIELDS);

// In the order of pl_fem_material, pl_fem_scheme and pl_fem_solver.
static const char *const MATERIALS[] = {"corotated", "neo-hookean", "edges", "shell", "plane", "curve", "fast", NULL};
static const char *const SCHEMES[] = {"second-order", "implicit-euler", NULL};
static const char *const SOLVERS[] = {"auto", "cg", "direct", NULL};
static const pl_scene_fem FEM_DEFAULTS = {
    .material = PL_FEM_COROTATED + 1, .density = 1000, .young = 1e5, .young_table = "", .poisson = 0.3, .thickness = 0.01, .scheme = PL_FEM_SECOND_ORDER + 1,
    .solver = PL_FEM_SOLVER_AUTO + 1, .max_newton_iterations = 8, .newton_tolerance = 1e-4, .volume_rounds = 2, .friction = 0.5, .surface_tolerance = 1e-3};
static const pl_scene_field FEM_FIELDS[] = {
    FIELD("material", CHOICE, pl_scene_fem, material, .choices = MATERIALS, .about = "What the mesh is made of. Tets: corotated linear, stable neo-Hookean, edge lengths and volumes, or `fast` for interactive use. Triangles: a shell, or a plane solid that moves in its plane z = const. Segments: a curve in a plane z = const."),
    FIELD("density", NUMBER, pl_scene_fem, density, .unit = "kg/m^3", POSITIVE_UP_TO(1e9), .about = "Mass per volume; of shells, plane solids and curves too."),
    FIELD("young", NUMBER, pl_scene_fem, young, .unit = "Pa", POSITIVE_UP_TO(1e15), .about = "Young's modulus, in pascals whatever `length_unit` says."),
    FIELD("poisson", NUMBER, pl_scene_fem, poisson, .min = -1, .min_above = true, .max = 0.4999, .about = "Poisson's ratio: 0.3 for most solids, near 0.5 for what keeps its volume."),
    FIELD("thickness", NUMBER, pl_scene_fem, thickness, METRES, POSITIVE_UP_TO(1e6), .about = "Of a shell or plane solid; side of a curve's square cross-section."),
    FIELD("young_regions", LIST, pl_scene_fem, young_regions, .type = &REGION_TYPE, .about = "Stiffer and softer parts."),
    FIELD("young_table", TEXT, pl_scene_fem, young_table, OPTIONAL, .about = "A table (CSV) with a column `young`: Young's modulus of every element in pascals, in the order of the mesh, instead of `young`. `pliant fit` writes one."),
    FIELD("mass_damping", NUMBER, pl_scene_fem, mass_damping, .unit = "1/s", UP_TO(1e6), .about = "Alpha of Rayleigh damping: slows all motion, slow motion most."),
    FIELD("stiffness_damping", NUMBER, pl_scene_fem, stiffness_damping, .unit = "s", UP_TO(1e3), .about = "Beta of Rayleigh damping: slows deformation, fast vibration most."),
    FIELD("scheme", CHOICE, pl_scene_fem, scheme, .choices = SCHEMES, .about = "How time is stepped: second order keeps energy, implicit Euler damps by itself."),
    FIELD("solver", CHOICE, pl_scene_fem, solver, .choices = SOLVERS, .about = "How linear systems are solved: chosen from size and stiffness, conjugate gradients, or a factorisation."),
    FIELD("max_newton_iterations", INTEGER, pl_scene_fem, max_newton_iterations, .min = 1, .max = 1000, .about = "Most Newton iterations a step; 50 for an `actor` when absent."),
    FIELD("newton_tolerance", NUMBER, pl_scene_fem, newton_tolerance, POSITIVE_UP_TO(1), .about = "Residual force, as a share of the typical one, at which a step counts as solved; 1e-6 for an `actor` when absent."),
    FIELD("volume_rounds", INTEGER, pl_scene_fem, volume_rounds, UP_TO(1000), .about = "Of `fast`: iterations that keep the volume."),
    FIELD("friction", NUMBER, pl_scene_fem, friction, UP_TO(1e3), .about = "Coulomb coefficient."),
    FIELD("restitution", NUMBER, pl_scene_fem, restitution, UP_TO(1), .about = "Share of the speed kept in a bounce off another body."),
    FIELD("contact_radius", NUMBER, pl_scene_fem, contact_radius, METRES, UP_TO(1e6), .about = "Gap kept around the surface; half the thickness lets a shell or curve rest on its outside."),
    FIELD("contact_stiffness", NUMBER, pl_scene_fem, contact_stiffness, .unit = "N/m^3", UP_TO(1e18), .about = "Of colliders: force per depth and area; 0 means ten times that of a layer of elements."),
    FIELD("surface_tolerance", NUMBER, pl_scene_fem, surface_tolerance, METRES, UP_TO(1e6), .about = "How far the surface may lie outside the tets."),
    FIELD("self_contact", BOOL, pl_scene_fem, self_contact, OPTIONAL, .about = "Whether the body collides with itself."),
    FIELD("examples", TEXTS, pl_scene_fem, examples, OPTIONAL, .about = "Names of poses of the mesh that the rest shape is mixed from; not with `fast`."),
};
const pl_scene_type pl_scene_fem_type = TYPE("fem", pl_scene_fem, "Finite elements: a curve, shell or solid with a Young's modulus.", &FEM_DEFAULTS, FEM_FIELDS);
