// The table of kinematic meshes in the scene document.
#include "base/context.h"
#include "kinematic/kinematic_parameters.h"
#include "scene/scene_fields.h"

// One line per key reads best.
// clang-format off

static const pl_scene_kinematic KINEMATIC_DEFAULTS = {.character = "", .animation = "", .motion = "", .cache = "", .speed = 1};
static const pl_scene_field KINEMATIC_FIELDS[] = {
    FIELD("character", TEXT, pl_scene_kinematic, character, OPTIONAL, .about = "glTF, GLB or VRM file, relative to the scene, whose skin is the mesh; parts that follow spring bones are left out. The body then has no `mesh`."),
    FIELD("animation", TEXT, pl_scene_kinematic, animation, OPTIONAL, .about = "Name of the animation of the character that it plays; it stays at rest when absent."),
    FIELD("motion", TEXT, pl_scene_kinematic, motion, OPTIONAL, .about = "File with an animation for a humanoid character: VRM animation (.vrma), glTF, GLB or BVH."),
    FIELD("cache", TEXT, pl_scene_kinematic, cache, OPTIONAL, .about = "Point cache (.pc2, .mdd) that moves the points of the body's `mesh`."),
    FIELD("frame_rate", NUMBER, pl_scene_kinematic, frame_rate, .unit = "1/s", UP_TO(1e6), .about = "Frames per second of the cache; 0 means that of an MDD file, and 24 for PC2, which does not say."),
    FIELD("loop", BOOL, pl_scene_kinematic, loop, OPTIONAL, .about = "Whether the motion repeats. Where its end does not join its start the mesh is put back without pushing anything."),
    FIELD("start", NUMBER, pl_scene_kinematic, start, .unit = "s", .min = -1e9, .max = 1e9, .about = "Time of the motion at the start of the scene."),
    FIELD("speed", NUMBER, pl_scene_kinematic, speed, UP_TO(1e3), .about = "Seconds of the motion per second."),
    PARAMETERS(pl_kinematic_def_parameters, pl_scene_kinematic, def),
};
const pl_scene_type pl_scene_kinematic_type = TYPE("kinematic", pl_scene_kinematic, "A surface that an animation moves: others touch it and are tied to it, and nothing pushes it.", &KINEMATIC_DEFAULTS, KINEMATIC_FIELDS);
