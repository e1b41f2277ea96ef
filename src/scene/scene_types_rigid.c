// The tables of rigid bodies, joints and attachments in the scene document.
#include "rigid/rigid_parameters.h"
#include "scene/scene_fields.h"
#include "world/joint_parameters.h"

// One line per key reads best.
// clang-format off

static const pl_scene_rigid RIGID_DEFAULTS = {.json = NULL};
static const pl_scene_field RIGID_FIELDS[] = {
    PARAMETERS(pl_rigid_def_parameters, pl_scene_rigid, def),
    PARAMETER("size", pl_rigid_def_parameters, half_size, pl_scene_rigid, def.half_size, .factor = 2, .about = "Edge lengths of a box."),
};
const pl_scene_type pl_scene_rigid_type = TYPE("rigid", pl_scene_rigid, "A rigid body.", &RIGID_DEFAULTS, RIGID_FIELDS);

static const pl_scene_motor_key MOTOR_KEY_DEFAULTS = {.json = NULL};
static const pl_scene_field MOTOR_KEY_FIELDS[] = {
    FIELD("time", NUMBER, pl_scene_motor_key, time, .unit = "s", UP_TO(1e9), .required = true, .about = "From when on."),
    FIELD("speed", NUMBER, pl_scene_motor_key, speed, .unit = "rad/s or m/s", .about = "Speed of the motor; the largest on the way to a target."),
    FIELD("target", NUMBER, pl_scene_motor_key, target, .unit = "rad or m", .about = "Angle or position that the motor goes to."),
};
static const pl_scene_type MOTOR_KEY_TYPE = TYPE("motor_key", pl_scene_motor_key, "What a motor does from a time on.", &MOTOR_KEY_DEFAULTS, MOTOR_KEY_FIELDS);

static const pl_scene_joint JOINT_DEFAULTS = {.a = "", .b = ""};
static const pl_scene_field JOINT_FIELDS[] = {
    FIELD("a", TEXT, pl_scene_joint, a, .required = true, .about = "Name of a rigid body; copies have numbers: `box_001`."),
    FIELD("b", TEXT, pl_scene_joint, b, OPTIONAL, .about = "Name of another; the world when absent."),
    PARAMETERS(pl_joint_def_parameters, pl_scene_joint, def),
    FIELD("keys", LIST, pl_scene_joint, keys, .type = &MOTOR_KEY_TYPE, .about = "What the motor does over time; before the first key it does as the parameters say."),
};
const pl_scene_type pl_scene_joint_type = TYPE("joint", pl_scene_joint, "Joins a rigid body to another or to the world.", &JOINT_DEFAULTS, JOINT_FIELDS);

static const pl_scene_attachment ATTACHMENT_DEFAULTS = {.a = "", .b = "", .bone = -1, .node = "", .group = ""};
static const pl_scene_field ATTACHMENT_FIELDS[] = {
    FIELD("a", TEXT, pl_scene_attachment, a, .required = true, .about = "Name of the body whose particles are tied; copies have numbers: `box_001`."),
    FIELD("b", TEXT, pl_scene_attachment, b, OPTIONAL, .about = "Name of the body that they are tied to; the world when absent."),
    FIELD("bone", INTEGER, pl_scene_attachment, bone, .min = -1, .max = 1e6, .about = "Joint number of a rod b that they follow; -1 for other bodies."),
    FIELD("node", TEXT, pl_scene_attachment, node, OPTIONAL, .about = "Name of a node of a kinematic mesh b that they follow; the nearest points of its surface when absent."),
    FIELD("particles", INDICES, pl_scene_attachment, particles, OPTIONAL, .about = "Point numbers of the mesh of a."),
    FIELD("within", OBJECT, pl_scene_attachment, within, .type = &pl_scene_region_type, .about = "The particles inside this box at the start."),
    FIELD("group", TEXT, pl_scene_attachment, group, OPTIONAL, .about = "The points of this vertex group; its weights are factors on stiffness, damping and break force."),
    PARAMETERS(pl_attachment_def_parameters, pl_scene_attachment, def),
};
const pl_scene_type pl_scene_attachment_type = TYPE("attachment", pl_scene_attachment, "Ties particles of a body to another body, to a bone or to the world.", &ATTACHMENT_DEFAULTS, ATTACHMENT_FIELDS);
