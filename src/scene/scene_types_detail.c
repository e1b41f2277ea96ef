// The tables of detail in the scene document: cuts, sets on bodies, recordings by simulation.
#include "detail/detail_parameters.h"
#include "mesh/mesh_parameters.h"
#include "scene/scene_fields.h"

// One line per key reads best.
// clang-format off

static const pl_scene_cut CUT_DEFAULTS = {.json = NULL};
static const pl_scene_field CUT_FIELDS[] = {
    PARAMETERS(pl_cut_def_parameters, pl_scene_cut, def),
    FIELD("hilts", POINTS, pl_scene_cut, hilts, METRES, .about = "Instead of a plane: one end of a blade's edge at each of its positions, two or more."),
    FIELD("tips", POINTS, pl_scene_cut, tips, METRES, .about = "The other end at the same positions."),
};
const pl_scene_type pl_scene_cut_type = TYPE("cut", pl_scene_cut, "A cut through tets: along a plane, or along the surface that the edge of a blade sweeps.", &CUT_DEFAULTS, CUT_FIELDS);

static const pl_scene_detail DETAIL_DEFAULTS = {.set = ""};
static const pl_scene_field DETAIL_FIELDS[] = {
    FIELD("set", TEXT, pl_scene_detail, set, .required = true, .about = "File with the examples, relative to the scene, as `pliant detail record` writes it."),
    FIELD("tools", TEXTS, pl_scene_detail, tools, OPTIONAL, .about = "Names of the colliders whose contact shows detail; when absent, all that move along keys."),
    PARAMETERS(pl_detail_layer_def_parameters, pl_scene_detail, def),
};
const pl_scene_type pl_scene_detail_type = TYPE("detail", pl_scene_detail, "Dents and wrinkles that the surface shows where tools touch it.", &DETAIL_DEFAULTS, DETAIL_FIELDS);

static const pl_scene_touch TOUCH_DEFAULTS = {.label = "", .tool = "", .surface = ""};
static const pl_scene_field TOUCH_FIELDS[] = {
    FIELD("label", TEXT, pl_scene_touch, label, OPTIONAL, .about = "Name of the example."),
    FIELD("tool", TEXT, pl_scene_touch, tool, OPTIONAL, .about = "Name of one of the `tools`; the first when absent."),
    FIELD("at", VECTOR, pl_scene_touch, at, METRES, .required = true, .about = "Position in the frame of the mesh; the nearest point of the surface is touched."),
    FIELD("toward", VECTOR, pl_scene_touch, toward, OPTIONAL, .about = "Direction of the press, any length; against the surface's normal when absent."),
    FIELD("depth", NUMBER, pl_scene_touch, depth, METRES, POSITIVE_UP_TO(1e9), .required = true, .about = "Distance that the tool moves beyond the first touch."),
    FIELD("drag", VECTOR, pl_scene_touch, drag, METRES, .about = "Path of the tool after the press."),
    FIELD("pinch", BOOL, pl_scene_touch, pinch, OPTIONAL, .about = "Whether a second tool of the same kind does the same from the other side."),
    FIELD("surface", TEXT, pl_scene_touch, surface, OPTIONAL, .about = "File with the surface under this touch, captured or modelled, in the frame and with the vertices of the mesh; instead of that of the fine body."),
    FIELD("held_out", BOOL, pl_scene_touch, held_out, OPTIONAL, .about = "Held out: recorded to evaluate the examples, and not one of them."),
};
static const pl_scene_type TOUCH_TYPE = TYPE("touch", pl_scene_touch, "One press, drag or pinch to record.", &TOUCH_DEFAULTS, TOUCH_FIELDS);

static const pl_scene_recording RECORDING_DEFAULTS = {.fine = "", .coarse = "", .skin = "", .skin_stiffness = 1e6, .steps = 10, .settle = 60, .tolerance = 1e-3};
static const pl_scene_field RECORDING_FIELDS[] = {
    FIELD("fine", TEXT, pl_scene_recording, fine, OPTIONAL, .about = "Name of the fine body, whose deformation is recorded; may be absent when every touch has a `surface`."),
    FIELD("coarse", TEXT, pl_scene_recording, coarse, .required = true, .about = "Name of the coarse body, which gets the detail; it has the same mesh, so that the surfaces' points correspond."),
    FIELD("skin", TEXT, pl_scene_recording, skin, OPTIONAL, .about = "Name of a shell with the same mesh that covers the fine body: springs hold each of its points to the fine body's surface, and its folds are recorded."),
    FIELD("skin_stiffness", NUMBER, pl_scene_recording, skin_stiffness, .unit = "N/m^3", POSITIVE_UP_TO(1e15), .about = "Stiffness of these springs per area, K, in newtons and metres whatever `length_unit` a scene has: folds of a shell of bending stiffness D are 2 pi (D / K)^(1/4) long."),
    FIELD("tools", LIST, pl_scene_recording, tools, .type = &pl_scene_collider_type, .required = true, .about = "Colliders that touch the bodies; positions and keys of tools are ignored. A tool is turned so that its -y faces the surface."),
    FIELD("touches", LIST, pl_scene_recording, touches, .type = &TOUCH_TYPE, .required = true, .about = "Touches to record; both bodies are touched in the same way."),
    FIELD("steps", INTEGER, pl_scene_recording, steps, .min = 1, .max = 1e6, .about = "Steps of `time.step` in which a tool presses; a drag takes the same number again."),
    FIELD("settle", INTEGER, pl_scene_recording, settle, .min = 0, .max = 1e6, .about = "Maximum steps after that until the bodies are at rest."),
    FIELD("tolerance", NUMBER, pl_scene_recording, tolerance, POSITIVE_UP_TO(1), .about = "Motion in a step below which a body is at rest, as a fraction of the tool's path."),
    PARAMETER("reach", pl_detail_layer_def_parameters, reach, pl_scene_recording, reach, .about = "Surface points this close to the tool are touched; should be as in the `detail` of bodies."),
    PARAMETERS(pl_detail_def_parameters, pl_scene_recording, def),
};
const pl_scene_type pl_scene_recording_type = TYPE("recording", pl_scene_recording, "How examples of detail are recorded by simulation of a fine and a coarse body.", &RECORDING_DEFAULTS, RECORDING_FIELDS);
