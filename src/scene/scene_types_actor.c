// The tables of actors in the scene document: every key, its kind, unit, range, default and meaning.
//
// Costs of the optimisation are in SI units whatever the document's length unit is, settings of behaviours in units of
// the body itself (its height, and the time it takes to fall from it); positions, speeds and distances are in the
// document's.
#include "actor/actor_parameters.h"
#include "scene/scene_fields.h"

// One line per key reads best.
// clang-format off

static const pl_scene_actor_cage CAGE_DEFAULTS = {.mesh = ""};
static const pl_scene_field CAGE_FIELDS[] = {
    PARAMETER("points", pl_actor_def_parameters, cage_point_count, pl_scene_actor_cage, points, OPTIONAL),
    FIELD("mesh", TEXT, pl_scene_actor_cage, mesh, OPTIONAL, .about = "Name of one of the scene's meshes that encloses the body, instead of `points`: a closed surface, or, around what lives in a plane, a closed curve."),
};
static const pl_scene_type CAGE_TYPE = TYPE("actor_cage", pl_scene_actor_cage, "A few points around a body that move its rest shape.", &CAGE_DEFAULTS, CAGE_FIELDS);

static const pl_scene_actor_group GROUP_DEFAULTS = {.name = ""};
static const pl_scene_field GROUP_FIELDS[] = {
    FIELD("examples", TEXTS, pl_scene_actor_group, examples, .required = true, .about = "Names of poses of the mesh that change this part of the body only."),
};
static const pl_scene_type GROUP_TYPE = TYPE("actor_group", pl_scene_actor_group, "Examples that are mixed with each other, whatever those of other groups do.", &GROUP_DEFAULTS, GROUP_FIELDS);

static const pl_scene_region BOX_DEFAULTS = {.json = NULL};
static const pl_scene_field BOX_FIELDS[] = {
    FIELD("min", VECTOR, pl_scene_region, min, METRES, .required = true, .about = "Lowest corner."),
    FIELD("max", VECTOR, pl_scene_region, max, METRES, .required = true, .about = "Highest corner."),
};
static const pl_scene_type BOX_TYPE = TYPE("mesh_region", pl_scene_region, "All points of the body's elements inside a box in the mesh's frame.", &BOX_DEFAULTS, BOX_FIELDS);

static const pl_scene_actor_part PART_DEFAULTS = {.name = "", .group = ""};
static const pl_scene_field PART_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_actor_part, name, .required = true, .about = "Name of the part, such as `left foot` or `head`; behaviours may look for names."),
    FIELD("group", TEXT, pl_scene_actor_part, group, OPTIONAL, .about = "Its points are those of this group of the mesh (weight one half or more)."),
    FIELD("within", OBJECT, pl_scene_actor_part, within, .type = &BOX_TYPE, .about = "Its points are those in this box; instead of `group`."),
    FIELD("points", INDICES, pl_scene_actor_part, points, OPTIONAL, .about = "Numbers of its points; instead of `group`."),
    FIELD("foot", BOOL, pl_scene_actor_part, foot, OPTIONAL, .about = "Whether the actor stands on it; feet step in the order of this list."),
};
static const pl_scene_type PART_TYPE = TYPE("actor_part", pl_scene_actor_part, "A part of an actor that goals can refer to; exactly one of group, within and points.", &PART_DEFAULTS, PART_FIELDS);

static const pl_scene_actor_command COMMAND_DEFAULTS = {.json = NULL};
static const pl_scene_field COMMAND_FIELDS[] = {
    PARAMETERS(pl_actor_command_parameters, pl_scene_actor_command, def),
};
static const pl_scene_type COMMAND_TYPE = TYPE("actor_command", pl_scene_actor_command, "Command to an actor at the start.", &COMMAND_DEFAULTS, COMMAND_FIELDS);

static const pl_scene_actor_command LATER_DEFAULTS = {.json = NULL};
static const pl_scene_field LATER_FIELDS[] = {
    FIELD("time", NUMBER, pl_scene_actor_command, time, .unit = "s", UP_TO(1e9), .required = true, .about = "Time."),
    FIELD("speed", NUMBER, pl_scene_actor_command, def.speed, .length_power = 1, .unit = "m/s", UP_TO(1e3), .required = true, .about = "Speed from then on; 0 means stop."),
    FIELD("heading", VECTOR, pl_scene_actor_command, def.heading, OPTIONAL, .about = "Heading from then on; unchanged when absent."),
};
static const pl_scene_type LATER_TYPE = TYPE("actor_later_command", pl_scene_actor_command, "Command to an actor at a later time: stop, start, turn.", &LATER_DEFAULTS, LATER_FIELDS);

static const pl_scene_actor_expect EXPECT_DEFAULTS = {.json = NULL};
static const pl_scene_field EXPECT_FIELDS[] = {
    FIELD("advance", NUMBER, pl_scene_actor_expect, advance, METRES, .about = "Minimum distance along its heading."),
    FIELD("steps", INTEGER, pl_scene_actor_expect, steps, UP_TO(1e6), .about = "Minimum number of steps: a foot leaves the ground and lands ahead."),
    FIELD("hops", INTEGER, pl_scene_actor_expect, hops, UP_TO(1e6), .about = "Minimum number of hops that land on the feet."),
    FIELD("turns", NUMBER, pl_scene_actor_expect, turns, UP_TO(1e6), .about = "Minimum number of full turns of a roll."),
    FIELD("twists", NUMBER, pl_scene_actor_expect, twists, UP_TO(1e6), .about = "Minimum number of full turns about the vertical, either way."),
    FIELD("places", INTEGER, pl_scene_actor_expect, places, UP_TO(1e6), .about = "Minimum number of places of its path that it reaches."),
    FIELD("clearance", NUMBER, pl_scene_actor_expect, clearance, METRES, .about = "Minimum height above the ground that feet are lifted to, mean of all steps."),
    FIELD("max_foot_slide", NUMBER, pl_scene_actor_expect, max_foot_slide, UP_TO(1e6), .about = "Maximum distance that a foot slides while it stands on the ground, as a fraction of `advance`."),
    FIELD("max_sink", NUMBER, pl_scene_actor_expect, max_sink, METRES, .about = "Maximum depth of its surface in colliders."),
    FIELD("max_tumbles", INTEGER, pl_scene_actor_expect, max_tumbles, UP_TO(1e6), .about = "Maximum number of falls."),
    FIELD("max_lean", NUMBER, pl_scene_actor_expect, max_lean, .unit = "degrees", UP_TO(180), .about = "Maximum angle from upright."),
    FIELD("max_acceleration", NUMBER, pl_scene_actor_expect, max_acceleration, .length_power = 1, .unit = "m/s^2", UP_TO(1e6), .about = "Maximum acceleration of the centre of mass, averaged over a tenth of a second."),
    FIELD("max_rest_rate", NUMBER, pl_scene_actor_expect, max_rest_rate, .unit = "1/s", UP_TO(1e6), .about = "Maximum rate of change of the strain of the rest shape."),
    FIELD("max_unconverged_fraction", NUMBER, pl_scene_actor_expect, max_unconverged_fraction, UP_TO(1), .about = "Maximum fraction of steps whose equations of motion are not solved to 1e-6."),
    FIELD("max_unfinished_fraction", NUMBER, pl_scene_actor_expect, max_unfinished_fraction, UP_TO(1), .about = "Maximum fraction of steps whose optimisation does not finish."),
};
static const pl_scene_type EXPECT_TYPE = TYPE("actor_expect", pl_scene_actor_expect, "Conditions on the whole run; `pliant run` reports those that are not met and ends with status 3.", &EXPECT_DEFAULTS, EXPECT_FIELDS);

static const pl_scene_actor ACTOR_DEFAULTS = {.behaviour = ""};
static const pl_scene_field ACTOR_FIELDS[] = {
    FIELD("behaviour", TEXT, pl_scene_actor, behaviour, .required = true, .about = "Name of the behaviour: `stand`, `hop`, `roll`, `crawl`, `walk`, `waddle` or `bounce`."),
    FIELD("settings", SETTINGS, pl_scene_actor, settings, OPTIONAL, .about = "Numbers of the behaviour by name, in the units that the chapter on actors lists; presets for those that are absent."),
    FIELD("parts", LIST, pl_scene_actor, parts, .type = &PART_TYPE, .about = "Feet and other parts that the behaviour refers to."),
    PARAMETERS(pl_actor_def_parameters, pl_scene_actor, def),
    FIELD("cage", OBJECT, pl_scene_actor, cage, .type = &CAGE_TYPE, .about = "The cage, for rest shapes of the kind `cage`."),
    FIELD("examples", TEXTS, pl_scene_actor, examples, OPTIONAL, .about = "Names of poses of the mesh, mixed with each other."),
    FIELD("groups", MAP, pl_scene_actor, groups, .type = &GROUP_TYPE, .about = "Local examples by the name of the part of the body that they change, such as a leg."),
    FIELD("command", OBJECT, pl_scene_actor, command, .type = &COMMAND_TYPE, .about = "Speed and heading at the start."),
    FIELD("commands", LIST, pl_scene_actor, commands, .type = &LATER_TYPE, .about = "Later commands, in the order of time."),
    FIELD("path", POINTS, pl_scene_actor, path, METRES, .about = "Positions to go to, in order."),
    FIELD("expect", OBJECT, pl_scene_actor, expect, .type = &EXPECT_TYPE, .about = "Conditions on the whole run."),
};
const pl_scene_type pl_scene_actor_type = TYPE("actor", pl_scene_actor, "A soft character: its rest shape is chosen in every step so that the body does what its behaviour asks.", &ACTOR_DEFAULTS, ACTOR_FIELDS);
