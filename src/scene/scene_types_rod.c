// The tables of rods in the scene document: every key, its kind, unit, range, default and meaning.
#include "base/context.h"
#include "contact/collider_parameters.h"
#include "rod/rod_parameters.h"
#include "scene/scene_fields.h"

// One line per key reads best.
// clang-format off

static const pl_scene_rod_joint JOINT_DEFAULTS = {.name = "", .rotation = {0, 0, 0, 1}};
static const pl_scene_field JOINT_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_rod_joint, name, .required = true, .about = "What the joint is called; must be unique in the body."),
    FIELD("position", VECTOR, pl_scene_rod_joint, position, METRES, .about = "Where it is at rest, in the body's frame."),
    FIELD("rotation", ROTATION, pl_scene_rod_joint, rotation, OPTIONAL, .about = "How it is turned at rest."),
    FIELD("keys", LIST, pl_scene_rod_joint, keys, .type = &pl_scene_key_type, .about = "How it is moved: a shift from its rest position along the body's axes, and a turn around itself."),
    FIELD("loop", BOOL, pl_scene_rod_joint, loop, OPTIONAL, .about = "Whether the motion repeats."),
};
static const pl_scene_type JOINT_TYPE = TYPE("rod_joint", pl_scene_rod_joint, "A led joint: chains hang on it, and it moves by key frames.", &JOINT_DEFAULTS, JOINT_FIELDS);

static const pl_scene_rod_branch BRANCH_DEFAULTS = {.at = 0};
static const pl_scene_type BRANCH_TYPE;
static const pl_scene_field BRANCH_FIELDS[] = {
    FIELD("at", INTEGER, pl_scene_rod_branch, at, UP_TO(255), .required = true, .about = "Where it grows from: number of a point in the list of points of the chain, or branch, that it is written in."),
    FIELD("points", POINTS, pl_scene_rod_branch, points, METRES, .required = true, .about = "Its points from there to the tip, without the one it grows from, in the body's frame."),
    FIELD("radius", NUMBER, pl_scene_rod_branch, radius, METRES, UP_TO(1e6), .about = "At its first point; 0 means: as where it grows from."),
    FIELD("tip_radius", NUMBER, pl_scene_rod_branch, tip_radius, METRES, UP_TO(1e6), .about = "At its tip; 0 means: as at the tip of the chain."),
    FIELD("branches", LIST, pl_scene_rod_branch, branches, .type = &BRANCH_TYPE, .about = "Branches of the branch."),
};
static const pl_scene_type BRANCH_TYPE = TYPE("rod_branch", pl_scene_rod_branch, "A branch of a chain.", &BRANCH_DEFAULTS, BRANCH_FIELDS);

static const pl_scene_rod_turn TURN_DEFAULTS = {.axis = {1, 0, 0}};
static const pl_scene_field TURN_FIELDS[] = {
    FIELD("joint", INTEGER, pl_scene_rod_turn, joint, UP_TO(255), .required = true, .about = "Number of a point of the chain; everything beyond it turns around it."),
    FIELD("axis", VECTOR, pl_scene_rod_turn, axis, OPTIONAL, .about = "In the body's frame."),
    FIELD("degrees", NUMBER, pl_scene_rod_turn, degrees, .unit = "degrees", .min = -3600, .max = 3600, .required = true, .about = "How far."),
};
static const pl_scene_type TURN_TYPE = TYPE("rod_turn", pl_scene_rod_turn, "A bend of a chain at one of its points.", &TURN_DEFAULTS, TURN_FIELDS);

static const pl_scene_rod_curl CURL_DEFAULTS = {.axis = {1, 0, 0}};
static const pl_scene_field CURL_FIELDS[] = {
    FIELD("axis", VECTOR, pl_scene_rod_curl, axis, OPTIONAL, .about = "In the body's frame."),
    FIELD("degrees", NUMBER, pl_scene_rod_curl, degrees, .unit = "degrees", .min = -36000, .max = 36000, .required = true, .about = "From the first segment's old direction to the last one's new."),
};
static const pl_scene_type CURL_TYPE = TYPE("rod_curl", pl_scene_rod_curl, "A bend spread evenly over all segments of a chain.", &CURL_DEFAULTS, CURL_FIELDS);

static const pl_scene_rod_example EXAMPLE_DEFAULTS = {.name = "", .extent = 40};
static const pl_scene_field EXAMPLE_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_rod_example, name, .required = true, .about = "What it is called. Examples of the same name in different chains are one example of the body."),
    FIELD("direction", VECTOR, pl_scene_rod_example, direction, OPTIONAL, .about = "To the camera, in the frame of the led joint above the chain; not driven by the view when absent."),
    FIELD("extent", NUMBER, pl_scene_rod_example, extent, .unit = "degrees", UP_TO(180), .about = "Angle at which its influence has fallen to 1/e; 0 means: not driven by the view."),
    FIELD("points", POINTS, pl_scene_rod_example, points, METRES, .about = "The pose: all points of the chain (branches follow in their order), in the body's frame. Segments must have the lengths they have at rest."),
    FIELD("turns", LIST, pl_scene_rod_example, turns, .type = &TURN_TYPE, .about = "The pose as bends at some points, applied from the root outwards."),
    FIELD("curl", OBJECT, pl_scene_rod_example, curl, .type = &CURL_TYPE, .about = "The pose as one even bend."),
};
static const pl_scene_type EXAMPLE_TYPE = TYPE("rod_example", pl_scene_rod_example, "An example pose of a chain: exactly one of points, turns and curl.", &EXAMPLE_DEFAULTS, EXAMPLE_FIELDS);

static const pl_scene_rod_chain CHAIN_DEFAULTS = {.name = "", .base = "", .radius = 0.01, .center = ""};
static const pl_scene_field CHAIN_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_rod_chain, name, .required = true, .about = "What the chain is called; must be unique in the body."),
    FIELD("base", TEXT, pl_scene_rod_chain, base, OPTIONAL, .about = "Name of the led joint it hangs on; the first when absent."),
    FIELD("points", POINTS, pl_scene_rod_chain, points, METRES, .required = true, .about = "Its joints at rest from root to tip, two or more, in the body's frame. The root keeps its place on the led joint."),
    PARAMETER("radius", pl_rod_joint_parameters, radius, pl_scene_rod_chain, radius, .own_default = true, .about = "Of the capsules around its segments, at the root."),
    FIELD("tip_radius", NUMBER, pl_scene_rod_chain, tip_radius, METRES, UP_TO(1e6), .about = "At the tip; 0 means: as at the root."),
    PARAMETER("stiffness", pl_rod_joint_parameters, stiffness, pl_scene_rod_chain, stiffness, .about = "Factor on the body's stiffness, at the root."),
    FIELD("tip_stiffness", NUMBER, pl_scene_rod_chain, tip_stiffness, UP_TO(1e5), .about = "At the tip; 0 means: as at the root."),
    FIELD("max_angle", NUMBER, pl_scene_rod_chain, max_angle, .unit = "degrees", UP_TO(180), .about = "How far a segment may turn from its rest direction, seen from the one before; 0 means: any."),
    PARAMETER("mass", pl_rod_joint_parameters, mass, pl_scene_rod_chain, mass, .about = "Of each joint; 0 means: from density and radius."),
    PARAMETER("spring", pl_rod_joint_parameters, spring, pl_scene_rod_chain, spring, .about = "Stiffness of a spring bone."),
    PARAMETER("drag", pl_rod_joint_parameters, drag, pl_scene_rod_chain, drag, .about = "Drag of a spring bone."),
    PARAMETER("pull", pl_rod_joint_parameters, pull, pl_scene_rod_chain, pull, .about = "Gravity of a spring bone: direction times power."),
    FIELD("branches", LIST, pl_scene_rod_chain, branches, .type = &BRANCH_TYPE, .about = "What grows from the chain."),
    FIELD("links", PAIRS, pl_scene_rod_chain, links, OPTIONAL, .about = "Pairs of points whose distance stays: they close loops. Points are numbered from 0: the chain's, then those of each branch with its own branches, in their order."),
    FIELD("center", TEXT, pl_scene_rod_chain, center, OPTIONAL, .about = "Name of a led joint in whose frame inertia counts; the world when absent."),
    FIELD("colliders", TEXTS, pl_scene_rod_chain, colliders, OPTIONAL, .about = "Names of the body's colliders that it meets; all when absent."),
    FIELD("examples", LIST, pl_scene_rod_chain, examples, .type = &EXAMPLE_TYPE, .about = "Its example poses."),
};
static const pl_scene_type CHAIN_TYPE = TYPE("rod_chain", pl_scene_rod_chain, "A chain of passive joints that hangs on a led one.", &CHAIN_DEFAULTS, CHAIN_FIELDS);

static const pl_scene_rod_collider COLLIDER_DEFAULTS = {.name = "", .joint = "", .mesh = "", .def = {.placement = {.rotation = {0, 0, 0, 1}}, .magic = PL_DEF_MAGIC}};
static const pl_scene_field COLLIDER_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_rod_collider, name, OPTIONAL, .about = "By which chains choose it."),
    FIELD("joint", TEXT, pl_scene_rod_collider, joint, OPTIONAL, .about = "Name of the led joint it moves with; the first when absent."),
    FIELD("shape", CHOICE, pl_scene_rod_collider, def.shape, .choices = pl_scene_collider_shapes, .required = true, .about = "Its form. A half space is solid below its own y = 0."),
    FIELD("mesh", TEXT, pl_scene_rod_collider, mesh, OPTIONAL, .about = "Name of one of the scene's meshes, for the shape `mesh`."),
    PARAMETER("radius", pl_collider_def_parameters, radius, pl_scene_rod_collider, def.radius, OPTIONAL),
    PARAMETER("half_length", pl_collider_def_parameters, half_length, pl_scene_rod_collider, def.half_length, OPTIONAL),
    PARAMETER("size", pl_collider_def_parameters, half_size, pl_scene_rod_collider, def.half_size, .factor = 2, .about = "Edge lengths of a box."),
    PARAMETER("friction", pl_collider_def_parameters, friction, pl_scene_rod_collider, def.friction, OPTIONAL),
    FIELD("position", VECTOR, pl_scene_rod_collider, def.placement.position, METRES, .about = "Where it is, in the joint's frame."),
    FIELD("rotation", ROTATION, pl_scene_rod_collider, def.placement.rotation, OPTIONAL, .about = "How it is turned there."),
};
static const pl_scene_type COLLIDER_TYPE = TYPE("rod_collider", pl_scene_rod_collider, "Something that moves with a led joint and that the body's chains bump into.", &COLLIDER_DEFAULTS, COLLIDER_FIELDS);

static const pl_scene_rod_skin SKIN_DEFAULTS = {.reach = 1.5, .fade = 1};
static const pl_scene_field SKIN_FIELDS[] = {
    FIELD("reach", NUMBER, pl_scene_rod_skin, reach, POSITIVE_UP_TO(1e6), .about = "Points within so many radii of a chain's axis follow the chain."),
    FIELD("fade", NUMBER, pl_scene_rod_skin, fade, POSITIVE_UP_TO(1e6), .about = "Over so many radii more the influence of the chain fades; what is farther away follows the nearest led joint."),
};
static const pl_scene_type SKIN_TYPE = TYPE("rod_skin", pl_scene_rod_skin, "How the body's mesh follows the joints.", &SKIN_DEFAULTS, SKIN_FIELDS);

static const pl_scene_rod ROD_DEFAULTS = {.character = "", .animation = ""};
static const pl_scene_field ROD_FIELDS[] = {
    FIELD("character", TEXT, pl_scene_rod, character, OPTIONAL, .about = "glTF, GLB or VRM file, relative to the scene, whose nodes, skin, spring bones and examples make the body. The numbers below then replace those of the file only where they are written."),
    FIELD("animation", TEXT, pl_scene_rod, animation, OPTIONAL, .about = "Name of the animation of the character that moves its led joints; it stays at rest when absent."),
    FIELD("loop", BOOL, pl_scene_rod, loop, OPTIONAL, .about = "Whether the animation repeats."),
    FIELD("joints", LIST, pl_scene_rod, joints, .type = &JOINT_TYPE, .about = "Led joints; one called `base` at the body's origin when absent."),
    FIELD("chains", LIST, pl_scene_rod, chains, .type = &CHAIN_TYPE, .about = "What is simulated."),
    FIELD("colliders", LIST, pl_scene_rod, colliders, .type = &COLLIDER_TYPE, .about = "What moves with the led joints and is bumped into."),
    FIELD("skin", OBJECT, pl_scene_rod, skin, .type = &SKIN_TYPE, .about = "How the body's `mesh` follows the joints."),
    PARAMETERS(pl_rod_def_parameters, pl_scene_rod, def),
};
const pl_scene_type pl_scene_rod_type = TYPE("rod", pl_scene_rod, "A skeleton whose chains (hair, ears, whiskers) are simulated: a character, or joints and chains.", &ROD_DEFAULTS, ROD_FIELDS);
