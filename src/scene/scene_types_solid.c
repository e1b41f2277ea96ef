// The table of solids in the scene document: the parameters of pl_solid_def, and names of poses and groups.
#include "scene/scene_fields.h"
#include "solid/solid_parameters.h"

// One line per key reads best.
// clang-format off

static const pl_scene_solid_map MAP_DEFAULTS = {.group = "", .stiffness = 1, .density = 1, .fidelity = 1, .plasticity = 1};
static const pl_scene_field MAP_FIELDS[] = {
    FIELD("group", TEXT, pl_scene_solid_map, group, .required = true, .about = "Group of the mesh: of the file, or of its `groups`."),
    FIELD("stiffness", NUMBER, pl_scene_solid_map, stiffness, POSITIVE_UP_TO(1e6), .about = "Factor on `stiffness` or `young` where the group's weight is 1; where it is w, the factor to the power of w."),
    FIELD("density", NUMBER, pl_scene_solid_map, density, POSITIVE_UP_TO(1e6), .about = "Factor on `density`, likewise."),
    FIELD("fidelity", NUMBER, pl_scene_solid_map, fidelity, UP_TO(1), .about = "Factor on `fidelity` where the group's weight is 1, and in proportion where it is less: at 0 the part ignores the examples."),
    FIELD("plasticity", NUMBER, pl_scene_solid_map, plasticity, UP_TO(1), .about = "Fraction of the plastic change that the part keeps, likewise: at 0 it stays elastic."),
};
static const pl_scene_type MAP_TYPE = TYPE("solid_map", pl_scene_solid_map, "A part of a solid with another stiffness, density, fidelity or plasticity, by a group of its mesh.", &MAP_DEFAULTS, MAP_FIELDS);

static const pl_scene_solid SOLID_DEFAULTS = {.json = NULL};
static const pl_scene_field SOLID_FIELDS[] = {
    PARAMETERS(pl_solid_def_parameters, pl_scene_solid, def),
    FIELD("examples", TEXTS, pl_scene_solid, examples, OPTIONAL, .about = "Names of poses of the mesh that the body prefers; none for the plain solid."),
    FIELD("groups", TEXTS, pl_scene_solid, groups, OPTIONAL, .about = "Names of groups of the mesh, for grouping by groups."),
    FIELD("maps", LIST, pl_scene_solid, maps, .type = &MAP_TYPE, .about = "Parts with another stiffness, density, fidelity or plasticity; groups that overlap multiply."),
};
const pl_scene_type pl_scene_solid_type = TYPE("solid", pl_scene_solid, "A shape-matching solid.", &SOLID_DEFAULTS, SOLID_FIELDS);
