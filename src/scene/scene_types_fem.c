// The tables of finite elements in the scene document: the parameters of pl_fem_def, the regions where the body is
// stiffer or heavier, and weights on it.
#include "fem/fem_parameters.h"
#include "scene/scene_fields.h"

// One line per key reads best.
// clang-format off

static const pl_scene_young_region REGION_DEFAULTS = {.scale = 1};
static const pl_scene_field REGION_FIELDS[] = {
    FIELD("min", VECTOR, pl_scene_young_region, min, METRES, .required = true, .about = "Lowest corner of a box in the mesh's frame."),
    FIELD("max", VECTOR, pl_scene_young_region, max, METRES, .required = true, .about = "Highest corner."),
    FIELD("scale", NUMBER, pl_scene_young_region, scale, POSITIVE_UP_TO(1e9), .required = true, .about = "Factor on Young's modulus of elements whose centre is inside; boxes that overlap multiply."),
    FIELD("border", NUMBER, pl_scene_young_region, border, METRES, UP_TO(1e9), .about = "Distance outside the box over which the factor returns to 1."),
};
static const pl_scene_type REGION_TYPE = TYPE("young_region", pl_scene_young_region, "A stiffer or softer part of a body.", &REGION_DEFAULTS, REGION_FIELDS);

static const pl_scene_field DENSITY_FIELDS[] = {
    FIELD("min", VECTOR, pl_scene_young_region, min, METRES, .required = true, .about = "Lowest corner of a box in the mesh's frame."),
    FIELD("max", VECTOR, pl_scene_young_region, max, METRES, .required = true, .about = "Highest corner."),
    FIELD("scale", NUMBER, pl_scene_young_region, scale, POSITIVE_UP_TO(1e9), .required = true, .about = "Factor on the density of elements whose centre is inside; boxes that overlap multiply."),
    FIELD("border", NUMBER, pl_scene_young_region, border, METRES, UP_TO(1e9), .about = "Distance outside the box over which the factor returns to 1."),
};
static const pl_scene_type DENSITY_TYPE = TYPE("density_region", pl_scene_young_region, "A heavier or lighter part of a body.", &REGION_DEFAULTS, DENSITY_FIELDS);

static const pl_scene_mass MASS_DEFAULTS = {.mass = 0};
static const pl_scene_field MASS_FIELDS[] = {
    FIELD("min", VECTOR, pl_scene_mass, min, METRES, .required = true, .about = "Lowest corner of a box in the mesh's frame."),
    FIELD("max", VECTOR, pl_scene_mass, max, METRES, .required = true, .about = "Highest corner."),
    FIELD("mass", NUMBER, pl_scene_mass, mass, POSITIVE_UP_TO(1e12), .required = true, .about = "Kilograms, spread evenly over the points of the mesh in the box. It has weight and inertia and no stiffness."),
};
static const pl_scene_type MASS_TYPE = TYPE("mass", pl_scene_mass, "A weight fastened to a part of a body.", &MASS_DEFAULTS, MASS_FIELDS);

static const pl_scene_fem FEM_DEFAULTS = {.young_table = ""};
static const pl_scene_field FEM_FIELDS[] = {
    PARAMETERS(pl_fem_def_parameters, pl_scene_fem, def),
    FIELD("young_regions", LIST, pl_scene_fem, young_regions, .type = &REGION_TYPE, .about = "Stiffer and softer parts."),
    FIELD("density_regions", LIST, pl_scene_fem, density_regions, .type = &DENSITY_TYPE, .about = "Heavier and lighter parts."),
    FIELD("masses", LIST, pl_scene_fem, masses, .type = &MASS_TYPE, .about = "Weights fastened to the body, such as one hung on its tip."),
    FIELD("young_table", TEXT, pl_scene_fem, young_table, OPTIONAL, .about = "A table (CSV) with a column `young`: Young's modulus of every element in pascals, in the order of the mesh, instead of `young`. `pliant fit` writes one."),
    FIELD("examples", TEXTS, pl_scene_fem, examples, OPTIONAL, .about = "Names of poses of the mesh that the rest shape is mixed from."),
};
const pl_scene_type pl_scene_fem_type = TYPE("fem", pl_scene_fem, "Finite elements: a curve, shell or solid with a Young's modulus.", &FEM_DEFAULTS, FEM_FIELDS);
