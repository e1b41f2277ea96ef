// The table of solids in the scene document: the parameters of pl_solid_def, and names of poses and groups.
#include "scene/scene_fields.h"
#include "solid/solid_parameters.h"

// One line per key reads best.
// clang-format off

static const pl_scene_solid SOLID_DEFAULTS = {.json = NULL};
static const pl_scene_field SOLID_FIELDS[] = {
    PARAMETERS(pl_solid_def_parameters, pl_scene_solid, def),
    FIELD("examples", TEXTS, pl_scene_solid, examples, OPTIONAL, .about = "Names of poses of the mesh that the body prefers; none for the plain solid."),
    FIELD("groups", TEXTS, pl_scene_solid, groups, OPTIONAL, .about = "Names of groups of the mesh, for grouping by groups."),
};
const pl_scene_type pl_scene_solid_type = TYPE("solid", pl_scene_solid, "A shape-matching solid.", &SOLID_DEFAULTS, SOLID_FIELDS);
