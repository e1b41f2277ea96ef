// The tables of rods in the scene document: every key, its kind, unit, range, default and meaning.
#include "base/context.h"
#include "contact/collider_parameters.h"
#include "rod/rod_parameters.h"
#include "rod/strands_parameters.h"
#include "scene/scene_fields.h"

// One line per key reads best.
// clang-format off

static const pl_scene_rod_joint JOINT_DEFAULTS = {.name = "", .body = "", .node = "", .rotation = {0, 0, 0, 1}};
static const pl_scene_field JOINT_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_rod_joint, name, .required = true, .about = "Name of the joint; must be unique in the body."),
    FIELD("position", VECTOR, pl_scene_rod_joint, position, METRES, .about = "Rest position, in the body's frame."),
    FIELD("rotation", ROTATION, pl_scene_rod_joint, rotation, OPTIONAL, .about = "Rest rotation."),
    FIELD("keys", LIST, pl_scene_rod_joint, keys, .type = &pl_scene_key_type, .about = "Motion: a shift from its rest position along the body's axes, and a rotation around itself."),
    FIELD("loop", BOOL, pl_scene_rod_joint, loop, OPTIONAL, .about = "Whether the motion repeats."),
    FIELD("body", TEXT, pl_scene_rod_joint, body, OPTIONAL, .about = "Name of a kinematic mesh, earlier in the list, that the joint follows; its position is then as with that mesh at rest."),
    FIELD("node", TEXT, pl_scene_rod_joint, node, OPTIONAL, .about = "Name of the node of that mesh."),
};
static const pl_scene_type JOINT_TYPE = TYPE("rod_joint", pl_scene_rod_joint, "A kinematic joint: it moves along key frames, and chains are attached to it.", &JOINT_DEFAULTS, JOINT_FIELDS);

static const pl_scene_rod_branch BRANCH_DEFAULTS = {.at = 0};
static const pl_scene_type BRANCH_TYPE;
static const pl_scene_field BRANCH_FIELDS[] = {
    FIELD("at", INTEGER, pl_scene_rod_branch, at, UP_TO(255), .required = true, .about = "Where it begins: number of a point in the list of points of the chain or branch that contains it."),
    FIELD("points", POINTS, pl_scene_rod_branch, points, METRES, .required = true, .about = "Its points from there to the tip, without the one where it begins, in the body's frame."),
    FIELD("radius", NUMBER, pl_scene_rod_branch, radius, METRES, UP_TO(1e6), .about = "Radius at its first point; 0 means the radius where it begins."),
    FIELD("tip_radius", NUMBER, pl_scene_rod_branch, tip_radius, METRES, UP_TO(1e6), .about = "Radius at its tip; 0 means the radius at the tip of the chain."),
    FIELD("branches", LIST, pl_scene_rod_branch, branches, .type = &BRANCH_TYPE, .about = "Branches of the branch."),
};
static const pl_scene_type BRANCH_TYPE = TYPE("rod_branch", pl_scene_rod_branch, "A branch of a chain.", &BRANCH_DEFAULTS, BRANCH_FIELDS);

static const pl_scene_rod_turn TURN_DEFAULTS = {.node = "", .axis = {1, 0, 0}};
static const pl_scene_field TURN_FIELDS[] = {
    FIELD("joint", INTEGER, pl_scene_rod_turn, joint, UP_TO(255), .about = "In a chain: number of a point; all points beyond it rotate around it."),
    FIELD("node", TEXT, pl_scene_rod_turn, node, OPTIONAL, .about = "In a spring: name of one of its nodes; all nodes beyond it rotate around it."),
    FIELD("axis", VECTOR, pl_scene_rod_turn, axis, OPTIONAL, .about = "In the body's frame."),
    FIELD("degrees", NUMBER, pl_scene_rod_turn, degrees, .unit = "degrees", .min = -3600, .max = 3600, .required = true, .about = "Angle."),
};
static const pl_scene_type TURN_TYPE = TYPE("rod_turn", pl_scene_rod_turn, "A bend of a chain at one of its points, or of a spring at one of its nodes.", &TURN_DEFAULTS, TURN_FIELDS);

static const pl_scene_rod_curl CURL_DEFAULTS = {.axis = {1, 0, 0}};
static const pl_scene_field CURL_FIELDS[] = {
    FIELD("axis", VECTOR, pl_scene_rod_curl, axis, OPTIONAL, .about = "In the body's frame."),
    FIELD("degrees", NUMBER, pl_scene_rod_curl, degrees, .unit = "degrees", .min = -36000, .max = 36000, .required = true, .about = "Angle from the old direction of the first segment to the new direction of the last."),
};
static const pl_scene_type CURL_TYPE = TYPE("rod_curl", pl_scene_rod_curl, "A bend spread evenly over all segments of a chain.", &CURL_DEFAULTS, CURL_FIELDS);

static const pl_scene_rod_example EXAMPLE_DEFAULTS = {.name = "", .extent = 40};
static const pl_scene_field EXAMPLE_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_rod_example, name, .required = true, .about = "Name of the example. Examples of the same name in different chains or springs are one example of the body."),
    FIELD("direction", VECTOR, pl_scene_rod_example, direction, OPTIONAL, .about = "Direction to the camera, in the frame of the kinematic joint above the chain, or of the parent of the first node of a spring; not driven by the view when absent."),
    FIELD("extent", NUMBER, pl_scene_rod_example, extent, .unit = "degrees", UP_TO(180), .about = "Angle at which its influence has fallen to 1/e; 0 means not driven by the view."),
    FIELD("points", POINTS, pl_scene_rod_example, points, METRES, .about = "The pose of a chain: all its points (branches follow in their order), in the body's frame. Segments must have the lengths they have at rest."),
    FIELD("turns", LIST, pl_scene_rod_example, turns, .type = &TURN_TYPE, .about = "The pose as bends at some points or nodes, applied from the root outwards."),
    FIELD("curl", OBJECT, pl_scene_rod_example, curl, .type = &CURL_TYPE, .about = "The pose as one even bend."),
};
static const pl_scene_type EXAMPLE_TYPE = TYPE("rod_example", pl_scene_rod_example, "An example pose: of a chain exactly one of points, turns and curl, of a spring turns, curl or both.", &EXAMPLE_DEFAULTS, EXAMPLE_FIELDS);

static const pl_scene_rod_chain CHAIN_DEFAULTS = {.name = "", .base = "", .radius = 0.01, .center = ""};
static const pl_scene_field CHAIN_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_rod_chain, name, .required = true, .about = "Name of the chain; must be unique in the body."),
    FIELD("base", TEXT, pl_scene_rod_chain, base, OPTIONAL, .about = "Name of the kinematic joint to which the chain is attached; the first when absent."),
    FIELD("points", POINTS, pl_scene_rod_chain, points, METRES, .required = true, .about = "Its joints at rest from root to tip, two or more, in the body's frame. The root is fixed to the kinematic joint."),
    PARAMETER("radius", pl_rod_joint_parameters, radius, pl_scene_rod_chain, radius, .own_default = true, .about = "Radius of the capsules around its segments, at the root."),
    FIELD("tip_radius", NUMBER, pl_scene_rod_chain, tip_radius, METRES, UP_TO(1e6), .about = "Radius at the tip; 0 means the same as at the root."),
    PARAMETER("stiffness", pl_rod_joint_parameters, stiffness, pl_scene_rod_chain, stiffness, .about = "Factor on the body's stiffness, at the root."),
    FIELD("tip_stiffness", NUMBER, pl_scene_rod_chain, tip_stiffness, UP_TO(1e5), .about = "Factor at the tip; 0 means the same as at the root."),
    FIELD("max_angle", NUMBER, pl_scene_rod_chain, max_angle, .unit = "degrees", UP_TO(180), .about = "Maximum angle between a segment and its rest direction, relative to the segment before; 0 means no limit."),
    PARAMETER("mass", pl_rod_joint_parameters, mass, pl_scene_rod_chain, mass, .about = "Mass of each joint; 0 means from density and radius."),
    PARAMETER("spring", pl_rod_joint_parameters, spring, pl_scene_rod_chain, spring, .about = "Stiffness of a spring bone."),
    PARAMETER("drag", pl_rod_joint_parameters, drag, pl_scene_rod_chain, drag, .about = "Drag of a spring bone."),
    PARAMETER("pull", pl_rod_joint_parameters, pull, pl_scene_rod_chain, pull, .about = "Gravity of a spring bone: direction times power."),
    FIELD("branches", LIST, pl_scene_rod_chain, branches, .type = &BRANCH_TYPE, .about = "Branches of the chain."),
    FIELD("links", PAIRS, pl_scene_rod_chain, links, OPTIONAL, .about = "Pairs of points whose distance is kept: they close loops. Points are numbered from 0: the chain's, then those of each branch with its own branches, in their order."),
    FIELD("center", TEXT, pl_scene_rod_chain, center, OPTIONAL, .about = "Name of a kinematic joint in whose frame inertia is computed; the world when absent."),
    FIELD("colliders", TEXTS, pl_scene_rod_chain, colliders, OPTIONAL, .about = "Names of the body's colliders that the chain collides with; all when absent."),
    FIELD("examples", LIST, pl_scene_rod_chain, examples, .type = &EXAMPLE_TYPE, .about = "Its example poses."),
};
static const pl_scene_type CHAIN_TYPE = TYPE("rod_chain", pl_scene_rod_chain, "A chain of passive joints that is attached to a kinematic one.", &CHAIN_DEFAULTS, CHAIN_FIELDS);

static const pl_scene_rod_spring SPRING_DEFAULTS = {.name = "", .radius = 0.02, .center = ""};
static const pl_scene_field SPRING_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_rod_spring, name, OPTIONAL, .about = "Name of the spring; that of its first node when absent."),
    FIELD("nodes", TEXTS, pl_scene_rod_spring, nodes, .required = true, .about = "Names of the character's nodes from the first that swings to the last. One name alone means all nodes below it, with their branches."),
    PARAMETER("radius", pl_rod_joint_parameters, radius, pl_scene_rod_spring, radius, .own_default = true, .about = "Radius of the capsules around its bones."),
    PARAMETER("stiffness", pl_rod_joint_parameters, stiffness, pl_scene_rod_spring, stiffness, .about = "Factor on the body's stiffness, for the solver `matched`."),
    FIELD("max_angle", NUMBER, pl_scene_rod_spring, max_angle, .unit = "degrees", UP_TO(180), .slider = {.offered = true, .max = 180}, .about = "Maximum angle between a bone and its rest direction, relative to the bone before; 0 means no limit."),
    PARAMETER("mass", pl_rod_joint_parameters, mass, pl_scene_rod_spring, mass, .about = "Mass of each joint; 0 means from density and radius."),
    PARAMETER("spring", pl_rod_joint_parameters, spring, pl_scene_rod_spring, spring, .about = "Stiffness of its spring bones (VRM's `stiffness`)."),
    PARAMETER("drag", pl_rod_joint_parameters, drag, pl_scene_rod_spring, drag, .about = "Drag of its spring bones (VRM's `dragForce`)."),
    PARAMETER("pull", pl_rod_joint_parameters, pull, pl_scene_rod_spring, pull, .about = "Gravity of its spring bones: direction times power."),
    FIELD("tail_length", NUMBER, pl_scene_rod_spring, tail_length, METRES, UP_TO(1e6), .slider = {.offered = true, .max = 0.3}, .about = "Length of the bone of the last node, straight on from the one before; 0 means that the last node only ends that bone."),
    FIELD("center", TEXT, pl_scene_rod_spring, center, OPTIONAL, .about = "Name of a node in whose frame inertia is computed; the world when absent."),
    FIELD("colliders", TEXTS, pl_scene_rod_spring, colliders, OPTIONAL, .about = "Names of the body's colliders that the spring collides with; all when absent, and those of the springs of the file that it replaces."),
    FIELD("examples", LIST, pl_scene_rod_spring, examples, .type = &EXAMPLE_TYPE, .about = "Its example poses."),
};
static const pl_scene_type SPRING_TYPE = TYPE("rod_spring", pl_scene_rod_spring, "A spring that is added to the nodes of a character. It replaces springs of the file on the same nodes.", &SPRING_DEFAULTS, SPRING_FIELDS);

static const pl_scene_rod_collider COLLIDER_DEFAULTS = {.name = "", .joint = "", .mesh = "", .def = {.placement = {.rotation = {0, 0, 0, 1}}, .magic = PL_DEF_MAGIC}};
static const pl_scene_field COLLIDER_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_rod_collider, name, OPTIONAL, .about = "Name by which chains select it."),
    FIELD("joint", TEXT, pl_scene_rod_collider, joint, OPTIONAL, .about = "Name of the kinematic joint it moves with, or of the node of a character; the first joint when absent."),
    FIELD("shape", CHOICE, pl_scene_rod_collider, def.shape, .choices = pl_scene_collider_shapes, .required = true, .about = "Shape. A half space is solid below its own y = 0."),
    FIELD("mesh", TEXT, pl_scene_rod_collider, mesh, OPTIONAL, .about = "Name of one of the scene's meshes, for the shape `mesh`."),
    PARAMETER("radius", pl_collider_def_parameters, radius, pl_scene_rod_collider, def.radius, OPTIONAL),
    PARAMETER("half_length", pl_collider_def_parameters, half_length, pl_scene_rod_collider, def.half_length, OPTIONAL),
    PARAMETER("size", pl_collider_def_parameters, half_size, pl_scene_rod_collider, def.half_size, .factor = 2, .about = "Edge lengths of a box."),
    PARAMETER("friction", pl_collider_def_parameters, friction, pl_scene_rod_collider, def.friction, OPTIONAL),
    FIELD("position", VECTOR, pl_scene_rod_collider, def.placement.position, METRES, .slider = {.offered = true, .min = -1, .max = 1, .each_axis = true}, .about = "Position in the joint's frame."),
    FIELD("rotation", ROTATION, pl_scene_rod_collider, def.placement.rotation, OPTIONAL, .about = "Rotation in the joint's frame."),
};
static const pl_scene_type COLLIDER_TYPE = TYPE("rod_collider", pl_scene_rod_collider, "A collider of the body's chains that moves with a kinematic joint.", &COLLIDER_DEFAULTS, COLLIDER_FIELDS);

static const pl_scene_rod_skin SKIN_DEFAULTS = {.reach = 1.5, .fade = 1};
static const pl_scene_field SKIN_FIELDS[] = {
    FIELD("reach", NUMBER, pl_scene_rod_skin, reach, POSITIVE_UP_TO(1e6), .about = "Points within this distance of a chain's axis follow the chain, in radii."),
    FIELD("fade", NUMBER, pl_scene_rod_skin, fade, POSITIVE_UP_TO(1e6), .about = "Further distance over which the influence of the chain fades, in radii; points farther away follow the nearest kinematic joint."),
};
static const pl_scene_type SKIN_TYPE = TYPE("rod_skin", pl_scene_rod_skin, "How the body's mesh follows the joints.", &SKIN_DEFAULTS, SKIN_FIELDS);

static const pl_scene_rod_strands STRANDS_DEFAULTS = {.mesh = "", .joint = "", .count = 10000, .guides = 500, .guide_points = 16, .seed = 1, .length = 0.25, .droop = 0.6, .guide_radius = 0.002, .fall = {0, -1, 0}};
static const pl_scene_field STRANDS_FIELDS[] = {
    FIELD("mesh", TEXT, pl_scene_rod_strands, mesh, .required = true, .about = "Name of one of the scene's meshes, in the body's frame: the skin that the hair grows on."),
    FIELD("joint", TEXT, pl_scene_rod_strands, joint, OPTIONAL, .about = "Name of the kinematic joint that the skin moves with; the first when absent."),
    FIELD("within", OBJECT, pl_scene_rod_strands, within, .type = &pl_scene_region_type, .about = "Where on the skin it grows, in the body's frame; everywhere when absent."),
    FIELD("count", INTEGER, pl_scene_rod_strands, count, UP_TO(1000000), .about = "Number of strands that are drawn."),
    FIELD("guides", INTEGER, pl_scene_rod_strands, guides, UP_TO(100000), .about = "Number of guides that grow and are simulated; 0 means that the body's `chains` are the guides."),
    FIELD("guide_points", INTEGER, pl_scene_rod_strands, guide_points, .min = 2, .max = 256, .about = "Joints of each guide."),
    FIELD("guide_radius", NUMBER, pl_scene_rod_strands, guide_radius, METRES, UP_TO(1e3), .about = "Radius with which guides touch things."),
    FIELD("length", NUMBER, pl_scene_rod_strands, length, METRES, POSITIVE_UP_TO(1e3), .about = "Length of guides; strands are up to a tenth shorter or longer."),
    FIELD("fall", VECTOR, pl_scene_rod_strands, fall, OPTIONAL, .about = "Direction in which hair falls at rest."),
    FIELD("droop", NUMBER, pl_scene_rod_strands, droop, UP_TO(1), .about = "How far the tip is turned from the skin's normal towards that direction at rest, as a fraction of the angle."),
    FIELD("frizz", NUMBER, pl_scene_rod_strands, frizz, METRES, UP_TO(1e3), .about = "How far tips of strands stray from their smooth curve."),
    FIELD("seed", INTEGER, pl_scene_rod_strands, seed, UP_TO(1e15), .about = "Seed of the random numbers."),
    PARAMETERS(pl_strands_def_parameters, pl_scene_rod_strands, def),
};
static const pl_scene_type STRANDS_TYPE = TYPE("rod_strands", pl_scene_rod_strands, "Hair: thousands of strands that are drawn, from guides that are simulated.", &STRANDS_DEFAULTS, STRANDS_FIELDS);

static const pl_scene_rod ROD_DEFAULTS = {.character = "", .animation = "", .motion = ""};
static const pl_scene_field ROD_FIELDS[] = {
    FIELD("character", TEXT, pl_scene_rod, character, OPTIONAL, .about = "glTF, GLB or VRM file, relative to the scene, whose nodes, skin, spring bones and examples define the body. Numbers below replace those of the file only where they are present."),
    FIELD("animation", TEXT, pl_scene_rod, animation, OPTIONAL, .about = "Name of the animation of the character that moves its kinematic joints; it stays at rest when absent."),
    FIELD("motion", TEXT, pl_scene_rod, motion, OPTIONAL, .about = "File, relative to the scene, with an animation for a humanoid that moves the character instead of one of its own: VRM animation (.vrma), glTF, GLB or BVH."),
    FIELD("loop", BOOL, pl_scene_rod, loop, OPTIONAL, .about = "Whether the animation or motion repeats."),
    FIELD("joints", LIST, pl_scene_rod, joints, .type = &JOINT_TYPE, .about = "Kinematic joints; one called `base` at the body's origin when absent."),
    FIELD("chains", LIST, pl_scene_rod, chains, .type = &CHAIN_TYPE, .about = "Simulated chains."),
    FIELD("springs", LIST, pl_scene_rod, springs, .type = &SPRING_TYPE, .about = "Springs that are added to the nodes of a `character`."),
    FIELD("colliders", LIST, pl_scene_rod, colliders, .type = &COLLIDER_TYPE, .about = "Colliders that move with the kinematic joints, or with nodes of a character for the `springs` that are added to it."),
    FIELD("skin", OBJECT, pl_scene_rod, skin, .type = &SKIN_TYPE, .about = "How the body's `mesh` follows the joints."),
    FIELD("strands", OBJECT, pl_scene_rod, strands, .type = &STRANDS_TYPE, .about = "Hair that grows on a mesh and is drawn in place of the chains."),
    PARAMETERS(pl_rod_def_parameters, pl_scene_rod, def),
};
const pl_scene_type pl_scene_rod_type = TYPE("rod", pl_scene_rod, "A skeleton whose chains (hair, ears, whiskers) are simulated: a character, or joints and chains.", &ROD_DEFAULTS, ROD_FIELDS);
