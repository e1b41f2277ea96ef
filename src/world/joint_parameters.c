// The parameters of pl_joint_def and pl_attachment_def: the one place for defaults, ranges, units and meanings. After a
// change run `make generate`.
#include "world/joint_parameters.h"

#include "base/parameter_words.h"
#include "pliant/attachment.h"
#include "pliant/joint.h"

// In the order of the enums.
static const char *const KINDS[] = {"fixed", "ball", "hinge", "slider", NULL};
static const char *const MOTORS[] = {"off", "speed", "target", NULL};

// One line per parameter.
// clang-format off
#define DEF pl_joint_def
static const pl_parameter JOINT[] = {
    CHOICE(kind, pl_joint_kind, KINDS, PL_JOINT_FIXED, ABOUT("What it leaves free: nothing, all rotations, rotation around the axis, or motion along the axis.")),
    VECTOR(anchor, ZERO_VECTOR, METRES, ABOUT("Point of both bodies that it holds together, in the world.")),
    VECTOR(axis, XYZ(0, 0, 1), ABOUT("Of a hinge or slider, any length, in the world.")),
    SWITCH(limited, false, ABOUT("Whether angle or position stay between `lower` and `upper`.")),
    NUMBER(lower, 0, FROM(-1e9, 1e9), UNIT("rad or m"), ABOUT("Lower limit; of a hinge above -pi.")),
    NUMBER(upper, 0, FROM(-1e9, 1e9), UNIT("rad or m"), ABOUT("Upper limit; of a hinge below pi.")),
    CHOICE(motor, pl_joint_motor, MOTORS, PL_JOINT_MOTOR_OFF, ABOUT("Whether it keeps a speed or goes to a target.")),
    NUMBER(motor_speed, 0, FROM(-1e9, 1e9), UNIT("rad/s or m/s"), ABOUT("Speed of the motor; the largest on the way to a target.")),
    NUMBER(motor_target, 0, FROM(-1e9, 1e9), UNIT("rad or m"), ABOUT("Angle or position that the motor goes to.")),
    NUMBER(max_torque, 100, FROM(0, 1e12), UNIT("N m or N"), ABOUT("Largest torque of the motor of a hinge, or force of that of a slider.")),
    NUMBER(break_force, 0, FROM(0, 1e12), UNIT("N"), ABOUT("Force at which it breaks; 0: never.")),
    NUMBER(break_torque, 0, FROM(0, 1e12), UNIT("N m"), ABOUT("Torque at which it breaks; 0: never.")),
    SWITCH(collides, false, ABOUT("Whether the two bodies touch each other.")),
};
const pl_parameter_table pl_joint_def_parameters = TABLE("joint", pl_joint_def, JOINT);

#undef DEF
#define DEF pl_attachment_def
static const pl_parameter ATTACHMENT[] = {
    NUMBER(stiffness, 0, FROM(0, 1e12), UNIT("N/m"), ABOUT("Spring per particle; 0 means hard, which holds the particle exactly.")),
    NUMBER(damping, 0, FROM(0, 1e12), UNIT("N s/m"), ABOUT("Damping of the spring.")),
    NUMBER(break_force, 0, FROM(0, 1e12), UNIT("N"), ABOUT("Force on a particle at which it comes off; 0: never.")),
    NUMBER(max_distance, 0, FROM(0, 1e9), METRES, ABOUT("How far a particle of weight 0 may be from its goal; one of weight 1 is held, others in proportion. 0: no range, all are held. Only to what animation moves.")),
    NUMBER(backstop, -1, FROM(-1, 1e9), METRES, ABOUT("With max_distance, how far a particle may be behind its goal, along the normal of the surface it is tied to; negative: no limit.")),
    SWITCH(collides, false, ABOUT("Whether the two bodies touch each other.")),
};
const pl_parameter_table pl_attachment_def_parameters = TABLE("attachment", pl_attachment_def, ATTACHMENT);
