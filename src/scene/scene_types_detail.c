// The tables of detail in the scene document: cuts, sets on bodies, recordings by simulation.
#include "scene/scene_fields.h"

// One line per key reads best.
// clang-format off

static const pl_scene_cut CUT_DEFAULTS = {.normal = {1, 0, 0}, .snap = 0.1};
static const pl_scene_field CUT_FIELDS[] = {
    FIELD("point", VECTOR, pl_scene_cut, point, METRES, .about = "Some point of the plane, in the mesh's frame."),
    FIELD("normal", VECTOR, pl_scene_cut, normal, OPTIONAL, .about = "Of the plane, any length."),
    FIELD("hilts", POINTS, pl_scene_cut, hilts, METRES, .about = "Instead of a plane: one end of a blade's edge at each place it passes, two or more."),
    FIELD("tips", POINTS, pl_scene_cut, tips, METRES, .about = "The other end at the same places."),
    FIELD("snap", NUMBER, pl_scene_cut, snap, UP_TO(0.4), .about = "Where the cut would pass an edge closer to its end than this share of its length, it passes through that end."),
};
const pl_scene_type pl_scene_cut_type = TYPE("cut", pl_scene_cut, "A cut through tets: along a plane, or along what the edge of a blade sweeps.", &CUT_DEFAULTS, CUT_FIELDS);

static const pl_scene_detail DETAIL_DEFAULTS = {.set = "", .reach = 1e-3, .scale = 1, .contacts = 8};
static const pl_scene_field DETAIL_FIELDS[] = {
    FIELD("set", TEXT, pl_scene_detail, set, .required = true, .about = "File with the examples, relative to the scene, as `pliant detail record` writes it."),
    FIELD("tools", TEXTS, pl_scene_detail, tools, OPTIONAL, .about = "Names of the colliders whose touch shows; when absent, all that move along keys."),
    FIELD("reach", NUMBER, pl_scene_detail, reach, METRES, UP_TO(1e6), .about = "Surface points this close to a tool are touched, beside the gap that the body keeps."),
    FIELD("scale", NUMBER, pl_scene_detail, scale, POSITIVE_UP_TO(1e6), .about = "Size of the body by that of the recorded one: 0.5 lays stamps of half the length and height."),
    FIELD("contacts", INTEGER, pl_scene_detail, contacts, .min = 1, .max = 4096, .about = "Tools that may touch at a time."),
};
const pl_scene_type pl_scene_detail_type = TYPE("detail", pl_scene_detail, "Dents and wrinkles that the surface shows where tools touch it.", &DETAIL_DEFAULTS, DETAIL_FIELDS);

static const pl_scene_touch TOUCH_DEFAULTS = {.label = "", .tool = ""};
static const pl_scene_field TOUCH_FIELDS[] = {
    FIELD("label", TEXT, pl_scene_touch, label, OPTIONAL, .about = "Name of the example."),
    FIELD("tool", TEXT, pl_scene_touch, tool, OPTIONAL, .about = "Name of one of the `tools`; the first when absent."),
    FIELD("at", VECTOR, pl_scene_touch, at, METRES, .required = true, .about = "Place in the frame of the mesh; the nearest point of the surface is touched."),
    FIELD("toward", VECTOR, pl_scene_touch, toward, OPTIONAL, .about = "Direction of the press, any length; against the surface's normal when absent."),
    FIELD("depth", NUMBER, pl_scene_touch, depth, METRES, POSITIVE_UP_TO(1e9), .required = true, .about = "How far the tool goes beyond the first touch."),
    FIELD("drag", VECTOR, pl_scene_touch, drag, METRES, .about = "Way of the tool after the press."),
    FIELD("pinch", BOOL, pl_scene_touch, pinch, OPTIONAL, .about = "Whether a second tool of the same kind does the same from the other side."),
    FIELD("held_out", BOOL, pl_scene_touch, held_out, OPTIONAL, .about = "Recorded to judge the examples by, and not one of them."),
};
static const pl_scene_type TOUCH_TYPE = TYPE("touch", pl_scene_touch, "One press, drag or pinch to be recorded.", &TOUCH_DEFAULTS, TOUCH_FIELDS);

static const pl_scene_recording RECORDING_DEFAULTS = {
    .fine = "", .coarse = "", .stamp_border = 0.25, .stamp_resolution = 64, .stamp_sides = 2, .site_order = 3, .patch_order = -1, .load_order = 2, .load_reference = -1, .overload = 1.5,
    .reach = 1e-3, .steps = 10, .settle = 60, .tolerance = 1e-3};
static const pl_scene_field RECORDING_FIELDS[] = {
    FIELD("fine", TEXT, pl_scene_recording, fine, .required = true, .about = "Name of the body that deforms truly."),
    FIELD("coarse", TEXT, pl_scene_recording, coarse, .required = true, .about = "Name of the body that is to be enriched; it has the same mesh, so that the surfaces' points correspond."),
    FIELD("tools", LIST, pl_scene_recording, tools, .type = &pl_scene_collider_type, .required = true, .about = "What touches; places and keys of tools do not count. A tool is turned so that its -y faces the surface."),
    FIELD("touches", LIST, pl_scene_recording, touches, .type = &TOUCH_TYPE, .required = true, .about = "What is recorded; both bodies are touched in the same way."),
    FIELD("steps", INTEGER, pl_scene_recording, steps, .min = 1, .max = 1e6, .about = "Steps of `time.step` in which a tool presses; a drag takes as many again."),
    FIELD("settle", INTEGER, pl_scene_recording, settle, .min = 0, .max = 1e6, .about = "Steps after that, at most, until the bodies are at rest."),
    FIELD("tolerance", NUMBER, pl_scene_recording, tolerance, POSITIVE_UP_TO(1), .about = "What counts as rest: motion in a step as a share of the tool's way."),
    FIELD("reach", NUMBER, pl_scene_recording, reach, METRES, UP_TO(1e6), .about = "Surface points this close to the tool are touched; should be as in the `detail` of bodies."),
    FIELD("window_radius", NUMBER, pl_scene_recording, window_radius, METRES, POSITIVE_UP_TO(1e9), .required = true, .about = "How far descriptors look around a contact, one standard deviation."),
    FIELD("stamp_radius", NUMBER, pl_scene_recording, stamp_radius, METRES, UP_TO(1e9), .about = "How far a stamp reaches; 0 means: 2.5 window radii."),
    FIELD("stamp_resolution", INTEGER, pl_scene_recording, stamp_resolution, .min = 4, .max = 512, .about = "Samples along each side of a stamp."),
    FIELD("stamp_border", NUMBER, pl_scene_recording, stamp_border, UP_TO(1), .about = "Share of the radius over which a stamp fades out."),
    FIELD("stamp_sides", INTEGER, pl_scene_recording, stamp_sides, .min = 1, .max = 2, .about = "2: what faces away from the contact has a map of its own."),
    FIELD("site_order", INTEGER, pl_scene_recording, site_order, .min = 0, .max = 3, .about = "Orders of moments of the place."),
    FIELD("patch_order", INTEGER, pl_scene_recording, patch_order, .min = -1, .max = 3, .about = "Of the contact patch's shape; -1: not looked at."),
    FIELD("load_order", INTEGER, pl_scene_recording, load_order, .min = 0, .max = 2, .about = "Of the load; 0: not looked at."),
    FIELD("load_reference", NUMBER, pl_scene_recording, load_reference, METRES, .min = -1e9, .max = 1e9, .about = "Size of loads around which sizes are told apart; 0: never, negative: chosen."),
    FIELD("overload", NUMBER, pl_scene_recording, overload, .min = 1, .max = 1e6, .about = "A stamp grows with the load up to so many times its recording's."),
    FIELD("site_width", NUMBER, pl_scene_recording, site_width, UP_TO(1e6), .about = "Of the kernel; 0: that which predicts each recording best from the others."),
    FIELD("patch_width", NUMBER, pl_scene_recording, patch_width, UP_TO(1e6), .about = "Likewise."),
    FIELD("load_width", NUMBER, pl_scene_recording, load_width, UP_TO(1e6), .about = "Likewise."),
    FIELD("mirror", BOOL, pl_scene_recording, mirror, OPTIONAL, .about = "Whether every recording also stands for its mirror image."),
    FIELD("plain_weights", BOOL, pl_scene_recording, plain_weights, OPTIONAL, .about = "Whether weights are plain similarities, for more examples than can interpolate."),
};
const pl_scene_type pl_scene_recording_type = TYPE("recording", pl_scene_recording, "How examples of detail are recorded by simulation of a fine and a coarse body.", &RECORDING_DEFAULTS, RECORDING_FIELDS);
