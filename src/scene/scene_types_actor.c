// The tables of actors in the scene document: every key, its kind, unit, range, default and meaning.
//
// Costs of the optimisation are in SI units whatever the document's length unit is, settings of behaviours in units of the body itself (its height, and the time it takes to fall from
// it); places, speeds and distances are in the document's.
#include "pliant/actor.h"
#include "scene/scene_fields.h"

// One line per key reads best.
// clang-format off

static const pl_scene_actor_cage CAGE_DEFAULTS = {.points = 16, .mesh = ""};
static const pl_scene_field CAGE_FIELDS[] = {
    FIELD("points", INTEGER, pl_scene_actor_cage, points, .min = 4, .max = 2000, .about = "Points to aim at when the cage is made from a coarse lattice around the body."),
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
    FIELD("name", TEXT, pl_scene_actor_part, name, .required = true, .about = "What the part is called, such as `left foot` or `head`; behaviours may look for names."),
    FIELD("group", TEXT, pl_scene_actor_part, group, OPTIONAL, .about = "Its points are those of this group of the mesh (weight one half or more)."),
    FIELD("within", OBJECT, pl_scene_actor_part, within, .type = &BOX_TYPE, .about = "Its points are those in this box; instead of `group`."),
    FIELD("points", INDICES, pl_scene_actor_part, points, OPTIONAL, .about = "Numbers of its points; instead of `group`."),
    FIELD("foot", BOOL, pl_scene_actor_part, foot, OPTIONAL, .about = "Whether the actor stands on it; feet step in the order of this list."),
};
static const pl_scene_type PART_TYPE = TYPE("actor_part", pl_scene_actor_part, "A part of an actor that goals can speak of; exactly one of group, within and points.", &PART_DEFAULTS, PART_FIELDS);

static const pl_scene_actor_command COMMAND_DEFAULTS = {.heading = {1, 0, 0}};
static const pl_scene_field COMMAND_FIELDS[] = {
    FIELD("speed", NUMBER, pl_scene_actor_command, speed, .length_power = 1, .unit = "m/s", UP_TO(1e3), .about = "How fast to go; 0 means: stay."),
    FIELD("heading", VECTOR, pl_scene_actor_command, heading, OPTIONAL, .about = "Which way on the ground; a `path` overrides it."),
};
static const pl_scene_type COMMAND_TYPE = TYPE("actor_command", pl_scene_actor_command, "What an actor is told at the start.", &COMMAND_DEFAULTS, COMMAND_FIELDS);

static const pl_scene_actor_command LATER_DEFAULTS = {.json = NULL};
static const pl_scene_field LATER_FIELDS[] = {
    FIELD("time", NUMBER, pl_scene_actor_command, time, .unit = "s", UP_TO(1e9), .required = true, .about = "When."),
    FIELD("speed", NUMBER, pl_scene_actor_command, speed, .length_power = 1, .unit = "m/s", UP_TO(1e3), .required = true, .about = "How fast to go from then on; 0 means: stop."),
    FIELD("heading", VECTOR, pl_scene_actor_command, heading, OPTIONAL, .about = "Which way from then on; as before when absent."),
};
static const pl_scene_type LATER_TYPE = TYPE("actor_later_command", pl_scene_actor_command, "What an actor is told at a time: a stop, a start, a turn.", &LATER_DEFAULTS, LATER_FIELDS);

static const pl_scene_actor_expect EXPECT_DEFAULTS = {.json = NULL};
static const pl_scene_field EXPECT_FIELDS[] = {
    FIELD("advance", NUMBER, pl_scene_actor_expect, advance, METRES, .about = "At least so far along its heading."),
    FIELD("steps", INTEGER, pl_scene_actor_expect, steps, UP_TO(1e6), .about = "At least so many steps of a foot."),
    FIELD("hops", INTEGER, pl_scene_actor_expect, hops, UP_TO(1e6), .about = "At least so many hops that landed on the feet."),
    FIELD("turns", NUMBER, pl_scene_actor_expect, turns, UP_TO(1e6), .about = "At least so many full turns of a roll."),
    FIELD("max_tumbles", INTEGER, pl_scene_actor_expect, max_tumbles, UP_TO(1e6), .about = "At most so many falls."),
    FIELD("max_lean", NUMBER, pl_scene_actor_expect, max_lean, .unit = "degrees", UP_TO(180), .about = "Never farther from upright."),
    FIELD("max_acceleration", NUMBER, pl_scene_actor_expect, max_acceleration, .length_power = 1, .unit = "m/s^2", UP_TO(1e6), .about = "Of the centre of mass, over a tenth of a second."),
    FIELD("max_rest_rate", NUMBER, pl_scene_actor_expect, max_rest_rate, .unit = "1/s", UP_TO(1e6), .about = "How fast the strain of the rest shape may change."),
    FIELD("max_unconverged_fraction", NUMBER, pl_scene_actor_expect, max_unconverged_fraction, UP_TO(1), .about = "Share of the steps whose equations of motion may be solved less well than to 1e-6."),
};
static const pl_scene_type EXPECT_TYPE = TYPE("actor_expect", pl_scene_actor_expect, "What the whole run must show; `pliant run` tells what is not met and ends with status 3.", &EXPECT_DEFAULTS, EXPECT_FIELDS);

// In the order of pl_rest_kind and pl_actor_hessian.
static const char *const RESTS[] = {"free", "cage", "examples", "modes", NULL};
static const char *const HESSIANS[] = {"gauss-newton", "exact", NULL};
// Equal to pl_default_actor_def().
static const pl_scene_actor ACTOR_DEFAULTS = {.rest = PL_REST_CAGE + 1, .modes = 12, .regularisation = 0.1, .rate_regularisation = 1, .volume_regularisation = 1, .bend_regularisation = 1, .max_strain = 0.2, .hull_penalty = 10,
    .hessian = PL_ACTOR_GAUSS_NEWTON + 1, .iterations = 8, .tolerance = 1e-3, .horizon = 1, .behaviour = ""};
static const pl_scene_field ACTOR_FIELDS[] = {
    FIELD("behaviour", TEXT, pl_scene_actor, behaviour, .required = true, .about = "What it does: `stand`, `hop`, `roll`, `crawl`, `walk`, `waddle` or `bounce`."),
    FIELD("settings", SETTINGS, pl_scene_actor, settings, OPTIONAL, .about = "Numbers of the behaviour by name, in the units that the chapter on actors lists; presets for those that are absent."),
    FIELD("parts", LIST, pl_scene_actor, parts, .type = &PART_TYPE, .about = "Feet and other parts that the behaviour speaks of."),
    FIELD("rest", CHOICE, pl_scene_actor, rest, .choices = RESTS, .about = "What the rest shape is chosen from: all shapes, those of a cage, mixtures of examples, or sums of the softest vibrations."),
    FIELD("cage", OBJECT, pl_scene_actor, cage, .type = &CAGE_TYPE, .about = "Of the rest shapes of a cage."),
    FIELD("examples", TEXTS, pl_scene_actor, examples, OPTIONAL, .about = "Names of poses of the mesh, mixed with each other."),
    FIELD("groups", MAP, pl_scene_actor, groups, .type = &GROUP_TYPE, .about = "Local examples by the name of the part of the body that they change, such as a leg."),
    FIELD("modes", INTEGER, pl_scene_actor, modes, .min = 1, .max = 500, .about = "Number of vibrations."),
    FIELD("regularisation", NUMBER, pl_scene_actor, regularisation, .unit = "(m/s)^2", UP_TO(1e12), .about = "Cost of a rest shape strained by 1 everywhere; more: less effort."),
    FIELD("rate_regularisation", NUMBER, pl_scene_actor, rate_regularisation, .unit = "(m/s)^2", UP_TO(1e12), .about = "Cost of the rest shape's strain changing by 1 in one step; more: calmer."),
    FIELD("volume_regularisation", NUMBER, pl_scene_actor, volume_regularisation, UP_TO(1e6), .about = "Factor on the cost of changes of volume (or area) of the rest shape."),
    FIELD("bend_regularisation", NUMBER, pl_scene_actor, bend_regularisation, UP_TO(1e6), .about = "Factor on the cost of bending of curves and shells; (d / thickness)^2 makes it as dear as for a body of thickness d."),
    FIELD("max_strain", NUMBER, pl_scene_actor, max_strain, UP_TO(1e6), .about = "Strain of a single element of the rest shape at which its cost has doubled; 0: none. Not of examples."),
    FIELD("hull_penalty", NUMBER, pl_scene_actor, hull_penalty, .unit = "(m/s)^2", UP_TO(1e12), .about = "Of examples: cost of leaving the hull of rest and examples by 1."),
    FIELD("hessian", CHOICE, pl_scene_actor, hessian, .choices = HESSIANS, .about = "Second derivatives of the goals alone, or of the whole Lagrangian."),
    FIELD("iterations", INTEGER, pl_scene_actor, iterations, .min = 1, .max = 1000, .about = "Most iterations of the optimisation in a step."),
    FIELD("tolerance", NUMBER, pl_scene_actor, tolerance, POSITIVE_UP_TO(1), .about = "Of the optimality conditions, relative."),
    FIELD("horizon", INTEGER, pl_scene_actor, horizon, .min = 1, .max = 32, .about = "Steps that are planned at once."),
    FIELD("command", OBJECT, pl_scene_actor, command, .type = &COMMAND_TYPE, .about = "Speed and heading at the start."),
    FIELD("commands", LIST, pl_scene_actor, commands, .type = &LATER_TYPE, .about = "What it is told later on, in the order of time."),
    FIELD("path", POINTS, pl_scene_actor, path, METRES, .about = "Places to go to one after the other."),
    FIELD("path_loops", BOOL, pl_scene_actor, path_loops, OPTIONAL, .about = "Whether it goes on with the first place after the last."),
    FIELD("expect", OBJECT, pl_scene_actor, expect, .type = &EXPECT_TYPE, .about = "What the whole run must show."),
};
const pl_scene_type pl_scene_actor_type = TYPE("actor", pl_scene_actor, "A soft character: its rest shape is chosen in every step so that the body moves as its behaviour wants.", &ACTOR_DEFAULTS, ACTOR_FIELDS);
