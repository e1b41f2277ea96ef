// The tables of the scene document: every key, its kind, unit, range, default and meaning.
#include "scene/scene_types.h"

#include <string.h>

#include "appearance/appearance_parameters.h"
#include "base/context.h"
#include "contact/collider_parameters.h"
#include "mesh/mesh_parameters.h"
#include "pliant/modeller.h"
#include "scene/scene_fields.h"
#include "world/world_parameters.h"

// One line per key reads best.
// clang-format off

static const pl_scene_box_def BOX_DEFAULTS = {.size = {1, 1, 1}, .cells = {4, 4, 4}};
static const pl_scene_field BOX_FIELDS[] = {
    FIELD("size", VECTOR, pl_scene_box_def, size, METRES, POSITIVE_UP_TO(1e9), .about = "Edge lengths."),
    FIELD("cells", COUNTS, pl_scene_box_def, cells, OPTIONAL, .about = "Cells along each edge; each is cut into five tets."),
};
static const pl_scene_type BOX_TYPE =
    TYPE("box", pl_scene_box_def, "A regular box of tets around the origin.", &BOX_DEFAULTS, BOX_FIELDS);

static const pl_scene_curve CURVE_DEFAULTS = {.segments = 0};
static const pl_scene_field CURVE_FIELDS[] = {
    FIELD("points", POINTS, pl_scene_curve, points, METRES, .about = "Corners of the line, two or more."),
    FIELD("from", VECTOR, pl_scene_curve, from, METRES, .about = "Start of a straight line; instead of `points`."),
    FIELD("to", VECTOR, pl_scene_curve, to, METRES, .about = "End of a straight line."),
    FIELD("segments", INTEGER, pl_scene_curve, segments, UP_TO(100000), .about = "Equal segments from one point to the next; 0 means 20 for a straight line and 1 between `points`."),
    FIELD("closed", BOOL, pl_scene_curve, closed, OPTIONAL, .about = "Whether the last of the `points` is joined to the first."),
};
static const pl_scene_type CURVE_TYPE = TYPE("curve", pl_scene_curve, "A line of segments, for curves.", &CURVE_DEFAULTS, CURVE_FIELDS);

// In the order of pl_scene_sheet_plane.
static const char *const SHEET_PLANES[] = {"xz", "xy", NULL};
static const pl_scene_sheet SHEET_DEFAULTS = {.spacing = 0.05, .plane = PL_SCENE_SHEET_XZ};
static const pl_scene_field SHEET_FIELDS[] = {
    FIELD("size", NUMBERS, pl_scene_sheet, size, METRES, POSITIVE_UP_TO(1e9), .required = true, .about = "Two edge lengths: along x, and along z or y."),
    FIELD("spacing", NUMBER, pl_scene_sheet, spacing, METRES, POSITIVE_UP_TO(1e9), .about = "Edge of a triangle, adjusted so that whole triangles fit."),
    FIELD("plane", CHOICE, pl_scene_sheet, plane, .choices = SHEET_PLANES, .about = "Level (`xz`, seen from above), or upright (`xy`, seen from +z)."),
};
static const pl_scene_type SHEET_TYPE = TYPE("sheet", pl_scene_sheet, "A flat rectangle of nearly equilateral triangles around the origin, for shells and plane solids.", &SHEET_DEFAULTS, SHEET_FIELDS);

static const pl_scene_cell_layer CELL_LAYER_DEFAULTS = {.repeat = 1};
static const pl_scene_field CELL_LAYER_FIELDS[] = {
    FIELD("rows", TEXTS, pl_scene_cell_layer, rows, .required = true, .about = "From the top down, one letter for each box along x: # is filled, . is empty."),
    FIELD("repeat", INTEGER, pl_scene_cell_layer, repeat, .min = 1, .max = 1e6, .about = "Number of equal layers."),
};
static const pl_scene_type CELL_LAYER_TYPE = TYPE("cell_layer", pl_scene_cell_layer, "Layers of boxes, seen from +z.", &CELL_LAYER_DEFAULTS, CELL_LAYER_FIELDS);

static const pl_scene_cells CELLS_DEFAULTS = {.rotation = {0, 0, 0, 1}};
static const pl_scene_field CELLS_FIELDS[] = {
    FIELD("x", NUMBERS, pl_scene_cells, x, METRES, .required = true, .about = "Planes between the boxes, in ascending order."),
    FIELD("y", NUMBERS, pl_scene_cells, y, METRES, .required = true, .about = "Likewise."),
    FIELD("z", NUMBERS, pl_scene_cells, z, METRES, .required = true, .about = "Likewise."),
    FIELD("layers", LIST, pl_scene_cells, layers, .type = &CELL_LAYER_TYPE, .or_one = true, .required = true, .about = "Which boxes are filled, layer by layer from the smallest z."),
    FIELD("position", VECTOR, pl_scene_cells, position, METRES, .about = "Position of the drawing, applied after the rotation."),
    FIELD("rotation", ROTATION, pl_scene_cells, rotation, OPTIONAL, .about = "Rotation of the drawing."),
};
static const pl_scene_type CELLS_TYPE = TYPE("cells", pl_scene_cells, "Boxes drawn as text, each cut into five tets, for bodies of few points.", &CELLS_DEFAULTS, CELLS_FIELDS);

static const pl_scene_hole HOLE_DEFAULTS = {.json = NULL};
static const pl_scene_field HOLE_FIELDS[] = {
    FIELD("outline", CORNERS, pl_scene_hole, outline, METRES, .required = true, .about = "Corners [x, y] of its closed rim, in either direction."),
};
static const pl_scene_type HOLE_TYPE = TYPE("hole", pl_scene_hole, "A hole in a plate.", &HOLE_DEFAULTS, HOLE_FIELDS);

static const pl_scene_figure FIGURE_DEFAULTS = {.json = NULL};
static const pl_scene_field FIGURE_FIELDS[] = {
    FIELD("outline", CORNERS, pl_scene_figure, outline, METRES, .required = true, .about = "Corners [x, y] of a closed line, in the frame of the plate."),
    FIELD("holes", LIST, pl_scene_figure, holes, .type = &HOLE_TYPE, .about = "Holes inside it: eyes, windows."),
    FIELD("spacing", NUMBER, pl_scene_figure, spacing, METRES, UP_TO(1e9), .about = "Edge of a triangle; 0 means a third of the plate's."),
};
static const pl_scene_type FIGURE_TYPE = TYPE("figure", pl_scene_figure, "A finer figure that pictures show; the triangles of the plate move it.", &FIGURE_DEFAULTS, FIGURE_FIELDS);

static const pl_scene_plate PLATE_DEFAULTS = {.spacing = 0.1};
static const pl_scene_field PLATE_FIELDS[] = {
    FIELD("outline", CORNERS, pl_scene_plate, outline, METRES, .required = true, .about = "Corners [x, y] of a closed line, in either direction. Sharp turns stay corners of the mesh; a curve may have many points; the mesh uses only those it needs."),
    FIELD("holes", LIST, pl_scene_plate, holes, .type = &HOLE_TYPE, .about = "Holes inside the outline."),
    FIELD("spacing", NUMBER, pl_scene_plate, spacing, METRES, POSITIVE_UP_TO(1e9), .about = "Edge of a triangle; they are smaller where the figure is narrow."),
    FIELD("drawn", OBJECT, pl_scene_plate, drawn, .type = &FIGURE_TYPE, .about = "A finer figure that pictures show in place of the plane solid; when absent, the outline itself with all its points."),
};
static const pl_scene_type PLATE_TYPE = TYPE("plate", pl_scene_plate, "A figure in the plane z = 0 given by its outline and filled with well-shaped triangles, for plane solids and shells.", &PLATE_DEFAULTS, PLATE_FIELDS);

// In the order of pl_shape_kind.
static const char *const SHAPE_KINDS[] = {"ellipsoid",  "capsule",      "box",  "revolved", "extruded", "union",
                                          "difference", "intersection", "bend", "twist",    NULL};
static const pl_scene_shape SHAPE_DEFAULTS = {.rotation = {0, 0, 0, 1}, .scale = 1};
static const pl_scene_type SHAPE_TYPE;
static const pl_scene_field SHAPE_FIELDS[] = {
    FIELD("kind", CHOICE, pl_scene_shape, kind, .choices = SHAPE_KINDS, .required = true,
          .about = "What this node of the shape is."),
    FIELD("position", VECTOR, pl_scene_shape, position, METRES, .about = "Position of the node, applied after scale and rotation."),
    FIELD("rotation", ROTATION, pl_scene_shape, rotation, OPTIONAL, .about = "Rotation of the node."),
    FIELD("scale", NUMBER, pl_scene_shape, scale, POSITIVE_UP_TO(1e6), .about = "Uniform scale of the node and all below it."),
    FIELD("size", VECTOR, pl_scene_shape, size, METRES, UP_TO(1e9),
          .about = "Radii of an ellipsoid, edges of a box; z is the thickness of an extruded outline."),
    FIELD("from", VECTOR, pl_scene_shape, from, METRES, .about = "Start of a capsule."),
    FIELD("to", VECTOR, pl_scene_shape, to, METRES, .about = "End of a capsule."),
    FIELD("radius", NUMBER, pl_scene_shape, radius, METRES, UP_TO(1e9),
          .about = "Radius of a capsule at its start; of the rounded edges of a box or an extruded outline."),
    FIELD("end_radius", NUMBER, pl_scene_shape, end_radius, METRES, UP_TO(1e9),
          .about = "Radius of a capsule at its end; 0 means the same as at its start."),
    FIELD("smoothness", NUMBER, pl_scene_shape, smoothness, METRES, UP_TO(1e9), .about = "Size of the fillet where children meet."),
    FIELD("amount", NUMBER, pl_scene_shape, amount, .length_power = -1, .unit = "rad/m", .about = "Bend or twist per metre."),
    FIELD("outline", CORNERS, pl_scene_shape, outline, METRES,
          .about = "Corners of a closed outline: [distance from the axis, height] of a revolved one, [x, y] of an extruded one."),
    FIELD("children", LIST, pl_scene_shape, children, .type = &SHAPE_TYPE,
          .about = "The nodes that are combined, bent or twisted."),
};
static const pl_scene_type SHAPE_TYPE = TYPE("shape", pl_scene_shape, "A node of a modelled shape.", &SHAPE_DEFAULTS, SHAPE_FIELDS);

static const pl_scene_turn TURN_DEFAULTS = {.toward = {0, 1, 0}, .reach = 0.1, .radius = 1e9, .rotation = {0, 0, 0, 1}};
static const pl_scene_field TURN_FIELDS[] = {
    FIELD("around", VECTOR, pl_scene_turn, around, METRES, .required = true, .about = "Centre of the rotation, where it begins to act."),
    FIELD("toward", VECTOR, pl_scene_turn, toward, OPTIONAL, .about = "Points in this direction from `around` are rotated."),
    FIELD("reach", NUMBER, pl_scene_turn, reach, METRES, POSITIVE_UP_TO(1e9), .about = "Distance over which the rotation grows to its full size."),
    FIELD("radius", NUMBER, pl_scene_turn, radius, METRES, POSITIVE_UP_TO(1e9), .about = "Distance from the line through `around` within which the rotation acts; beyond it fades out over half of this distance."),
    FIELD("rotation", ROTATION, pl_scene_turn, rotation, OPTIONAL, .about = "The rotation."),
    FIELD("shift", VECTOR, pl_scene_turn, shift, METRES, .about = "A shift added to the rotation."),
};
static const pl_scene_type TURN_TYPE = TYPE("turn", pl_scene_turn, "Rotation of a part such as a limb, an ear or a head, as part of a pose.", &TURN_DEFAULTS, TURN_FIELDS);

static const char *const AXES[] = {"x", "y", "z", NULL};
static const pl_scene_pose POSE_DEFAULTS = {.name = "", .file = "", .axis = 2, .scale = {1, 1, 1}, .wave_length = 1};
static const pl_scene_field POSE_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_pose, name, .required = true, .about = "Name of the pose."),
    FIELD("file", TEXT, pl_scene_pose, file, OPTIONAL, .about = "Mesh file with the same points in another pose, relative to the scene; the deformations below are applied to it."),
    FIELD("match", BOOL, pl_scene_pose, match, OPTIONAL, .about = "The file numbers its vertices in another order than the mesh: find them again from the faces."),
    FIELD("points", POINTS, pl_scene_pose, points, METRES, .about = "The pose itself instead of a file: all points of the mesh's tets, or of its surface, in their order and in the mesh's frame. The deformations below are applied to it."),
    FIELD("scale", VECTOR, pl_scene_pose, scale, .min = -1e6, .max = 1e6, .about = "Stretch along each axis, applied first."),
    FIELD("axis", CHOICE, pl_scene_pose, axis, .choices = AXES, .about = "Axis of wave, twist and bend."),
    FIELD("wave", VECTOR, pl_scene_pose, wave, METRES, .about = "Amplitude of a sine along the axis: an S."),
    FIELD("wave_length", NUMBER, pl_scene_pose, wave_length, METRES, POSITIVE_UP_TO(1e9), .about = "Length of one period of the wave."),
    FIELD("twist", NUMBER, pl_scene_pose, twist, .length_power = -1, .unit = "rad/m", .about = "Twist around the axis."),
    FIELD("bend", NUMBER, pl_scene_pose, bend, .length_power = -1, .unit = "rad/m", .about = "Bend of the axis towards the next one (x to y, y to z, z to x)."),
    FIELD("turns", LIST, pl_scene_pose, turns, .type = &TURN_TYPE, .about = "Rotations of parts, in order, applied last."),
    FIELD("fit", BOOL, pl_scene_pose, fit, OPTIONAL, .about = "Deform the surface and fit the tets to it, as to a pose of a file, instead of deforming the tets: for strong poses that would turn tets inside out."),
};
static const pl_scene_type POSE_TYPE = TYPE("pose", pl_scene_pose, "A second shape of a mesh, made from a file, from points or by deforming it.", &POSE_DEFAULTS, POSE_FIELDS);

static const pl_scene_group GROUP_DEFAULTS = {.name = ""};
static const pl_scene_field GROUP_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_group, name, .required = true, .about = "Name of the group."),
    FIELD("min", VECTOR, pl_scene_group, min, METRES, .required = true, .about = "Lowest corner of a box in the mesh's frame."),
    FIELD("max", VECTOR, pl_scene_group, max, METRES, .required = true, .about = "Highest corner."),
    FIELD("border", NUMBER, pl_scene_group, border, METRES, UP_TO(1e9), .about = "Distance outside the box over which the group fades out."),
};
static const pl_scene_type GROUP_TYPE = TYPE("group", pl_scene_group, "The points of a mesh in a box.", &GROUP_DEFAULTS, GROUP_FIELDS);

static const pl_scene_mesh MESH_DEFAULTS = {.name = "", .file = "", .triangles = 8000, .scale = 1};
static const pl_scene_field MESH_FIELDS[] = {
    FIELD("file", TEXT, pl_scene_mesh, file, OPTIONAL,
          .about = "Mesh file, relative to the scene: OBJ, PLY, STL, glTF, GLB, Gmsh, TetGen, VTK, VTU, Medit or Abaqus."),
    FIELD("box", OBJECT, pl_scene_mesh, box, .type = &BOX_TYPE, .about = "A box of tets instead of a file."),
    FIELD("shape", OBJECT, pl_scene_mesh, shape, .type = &SHAPE_TYPE, .about = "A modelled shape instead of a file."),
    FIELD("curve", OBJECT, pl_scene_mesh, curve, .type = &CURVE_TYPE, .about = "A line of segments instead of a file."),
    FIELD("sheet", OBJECT, pl_scene_mesh, sheet, .type = &SHEET_TYPE, .about = "A flat rectangle of triangles instead of a file."),
    FIELD("plate", OBJECT, pl_scene_mesh, plate, .type = &PLATE_TYPE, .about = "A plane figure of triangles, given by its outline, instead of a file."),
    FIELD("cells", OBJECT, pl_scene_mesh, cells, .type = &CELLS_TYPE, .about = "Boxes of tets drawn as text instead of a file."),
    FIELD("cell_size", NUMBER, pl_scene_mesh, cell_size, METRES, UP_TO(1e9),
          .about = "Cell size of the grid on which the shape is sampled; 0 means chosen from `triangles`."),
    FIELD("triangles", INTEGER, pl_scene_mesh, triangles, .min = 20, .max = 5e6,
          .about = "Approximate number of triangles of a sampled shape."),
    FIELD("scale", NUMBER, pl_scene_mesh, scale, POSITIVE_UP_TO(1e6),
          .about = "Scale of the whole mesh, for files in other units."),
    FIELD("poses", LIST, pl_scene_mesh, poses, .type = &POSE_TYPE, .about = "Poses besides those of the file (morph targets)."),
    FIELD("groups", LIST, pl_scene_mesh, groups, .type = &GROUP_TYPE, .about = "Groups of points besides those of the file."),
};
static const pl_scene_type MESH_TYPE =
    TYPE("mesh", pl_scene_mesh, "One mesh: exactly one of file, box, cells, shape, curve, sheet and plate.", &MESH_DEFAULTS, MESH_FIELDS);

static const pl_scene_tets TETS_DEFAULTS = {.mesh = "", .def = {.target_point_count = 1000, .magic = PL_DEF_MAGIC}};
static const pl_scene_field TETS_FIELDS[] = {
    FIELD("mesh", TEXT, pl_scene_tets, mesh, OPTIONAL, .about = "Name of the mesh of tets that carries the surface, instead of a lattice. Poses, groups and drivers are still those of the body's mesh."),
    PARAMETER("points", pl_lattice_def_parameters, target_point_count, pl_scene_tets, def.target_point_count, .own_default = true),
    PARAMETER("cell_size", pl_lattice_def_parameters, cell_size, pl_scene_tets, def.cell_size, OPTIONAL),
    FIELD("cuts", LIST, pl_scene_tets, cuts, .type = &pl_scene_cut_type, .or_one = true, .about = "Cuts through the tets. The surface closes along them: that of the tets, and a surface that tets carry is cut with them."),
};
static const pl_scene_type TETS_TYPE =
    TYPE("tets", pl_scene_tets, "How a surface is filled with tets, or which tets carry it.", &TETS_DEFAULTS, TETS_FIELDS);

static const pl_scene_weight_key WEIGHT_KEY_DEFAULTS = {.json = NULL};
static const pl_scene_field WEIGHT_KEY_FIELDS[] = {
    FIELD("time", NUMBER, pl_scene_weight_key, time, .unit = "s", UP_TO(1e9), .about = "Time; required in a curve over time."),
    FIELD("at", NUMBER, pl_scene_weight_key, at, .min = -1e9, .max = 1e9, .about = "Angle (degrees) or speed (m/s); required in drivers of these kinds."),
    FIELD("weights", NUMBERS, pl_scene_weight_key, weights, UP_TO(1), .required = true, .about = "One weight per example; the rest shape has the remainder to 1."),
};
static const pl_scene_type WEIGHT_KEY_TYPE = TYPE("weight_key", pl_scene_weight_key, "Weights of the examples at a time, angle or speed.", &WEIGHT_KEY_DEFAULTS, WEIGHT_KEY_FIELDS);

static const pl_scene_view_example VIEW_EXAMPLE_DEFAULTS = {.extent = 40};
static const pl_scene_field VIEW_EXAMPLE_FIELDS[] = {
    FIELD("direction", VECTOR, pl_scene_view_example, direction, .required = true, .about = "From the body to the camera, in the frame of its mesh."),
    FIELD("extent", NUMBER, pl_scene_view_example, extent, .unit = "degrees", POSITIVE_UP_TO(180), .about = "Angle at which the example's influence has fallen to 1/e."),
};
static const pl_scene_type VIEW_EXAMPLE_TYPE = TYPE("view_example", pl_scene_view_example, "The direction an example belongs to.", &VIEW_EXAMPLE_DEFAULTS, VIEW_EXAMPLE_FIELDS);

// In the order of pl_scene_driver_kind.
static const char *const DRIVER_KINDS[] = {"projection", "constant", "curve", "view", "angle", "speed", "morph", NULL};
static const pl_scene_driver DRIVER_DEFAULTS = {.kind = PL_SCENE_DRIVER_PROJECTION, .chain = "", .body = "", .joint = ""};
static const pl_scene_field DRIVER_FIELDS[] = {
    FIELD("kind", CHOICE, pl_scene_driver, kind, .choices = DRIVER_KINDS, .about = "Input of the driver: the current shape (not for rods), fixed weights, a curve over time, the camera's direction, angle or speed of a kinematic joint of the rod or of a node of a kinematic mesh, or morph targets of that mesh."),
    FIELD("chain", TEXT, pl_scene_driver, chain, OPTIONAL, .about = "Name of the chain of a rod, or of the group of a solid, that is driven; all when absent."),
    FIELD("weights", NUMBERS, pl_scene_driver, weights, UP_TO(1), .about = "Weights of a constant driver, one per example."),
    FIELD("keys", LIST, pl_scene_driver, keys, .type = &WEIGHT_KEY_TYPE, .about = "Keys of a curve over time, angle or speed."),
    FIELD("smooth", BOOL, pl_scene_driver, smooth, OPTIONAL, .about = "Whether a curve is smooth instead of straight from key to key."),
    FIELD("loop", BOOL, pl_scene_driver, loop, OPTIONAL, .about = "Whether a curve over time repeats."),
    FIELD("views", LIST, pl_scene_driver, views, .type = &VIEW_EXAMPLE_TYPE, .about = "Directions of a view driver of a solid, one per example. Examples of rods have their own."),
    FIELD("body", TEXT, pl_scene_driver, body, OPTIONAL, .about = "Name of a kinematic mesh, earlier in the list, whose node or morph targets are used; when absent, joints of the rod itself."),
    FIELD("joint", TEXT, pl_scene_driver, joint, OPTIONAL, .about = "Name of the kinematic joint or node whose angle or speed is used; the first when absent."),
    FIELD("morphs", TEXTS, pl_scene_driver, morphs, OPTIONAL, .about = "Names of morph targets of a morph driver, one per example: its weights are theirs."),
    FIELD("about", VECTOR, pl_scene_driver, about, OPTIONAL, .about = "Axis of a signed angle, in the frame of the parent joint or of the body. When absent, the total angle, which is never negative."),
};
static const pl_scene_type DRIVER_TYPE = TYPE("driver", pl_scene_driver, "Sets the weights of the examples.", &DRIVER_DEFAULTS, DRIVER_FIELDS);

static const pl_scene_region REGION_DEFAULTS = {.json = NULL};
static const pl_scene_field REGION_FIELDS[] = {
    FIELD("min", VECTOR, pl_scene_region, min, METRES, .required = true, .about = "Lowest corner."),
    FIELD("max", VECTOR, pl_scene_region, max, METRES, .required = true, .about = "Highest corner."),
};
const pl_scene_type pl_scene_region_type =
    TYPE("region", pl_scene_region, "All particles inside a box of the world at the start.", &REGION_DEFAULTS, REGION_FIELDS);

static const pl_scene_key KEY_DEFAULTS = {.rotation = {0, 0, 0, 1}};
static const pl_scene_field KEY_FIELDS[] = {
    FIELD("time", NUMBER, pl_scene_key, time, .unit = "s", UP_TO(1e9), .required = true, .about = "When."),
    FIELD("position", VECTOR, pl_scene_key, position, METRES,
          .about = "Position of a collider in the world; shift of pinned particles and kinematic joints from their start."),
    FIELD("rotation", ROTATION, pl_scene_key, rotation, OPTIONAL,
          .about = "Rotation; of pinned particles around their centre and of kinematic joints around themselves, relative to their start."),
};
const pl_scene_type pl_scene_key_type =
    TYPE("key", pl_scene_key, "A placement at a time; between two keys the position is linear and the rotation takes the shortest way.",
         &KEY_DEFAULTS, KEY_FIELDS);

static const pl_scene_pin PIN_DEFAULTS = {.group = ""};
static const pl_scene_field PIN_FIELDS[] = {
    FIELD("particles", INDICES, pl_scene_pin, particles, OPTIONAL, .about = "Point numbers of the body's mesh; of a rod, joint numbers: kinematic joints first, then the points of its chains in their order."),
    FIELD("within", OBJECT, pl_scene_pin, within, .type = &pl_scene_region_type, .about = "Pin the particles inside this box at the start."),
    FIELD("group", TEXT, pl_scene_pin, group, OPTIONAL, .about = "Pin the points of this vertex group (weight one half or more)."),
    PARAMETERS(pl_pin_def_parameters, pl_scene_pin, def),
    FIELD("keys", LIST, pl_scene_pin, keys, .type = &pl_scene_key_type, .about = "Motion of the pinned particles."),
};
static const pl_scene_type PIN_TYPE =
    TYPE("pin", pl_scene_pin, "Particles held in place or moved along keys.", &PIN_DEFAULTS, PIN_FIELDS);

static const pl_scene_load_key LOAD_KEY_DEFAULTS = {.factor = 1};
static const pl_scene_field LOAD_KEY_FIELDS[] = {
    FIELD("time", NUMBER, pl_scene_load_key, time, .unit = "s", UP_TO(1e9), .required = true, .about = "When."),
    FIELD("factor", NUMBER, pl_scene_load_key, factor, .min = -1e9, .max = 1e9, .required = true, .about = "Factor on force and pressure at that time."),
};
static const pl_scene_type LOAD_KEY_TYPE = TYPE("load_key", pl_scene_load_key, "How large a load is at a time; linear between two keys, and as the first and the last one before and after all of them.", &LOAD_KEY_DEFAULTS, LOAD_KEY_FIELDS);

static const pl_scene_push PUSH_DEFAULTS = {.json = NULL};
static const pl_scene_field PUSH_FIELDS[] = {
    FIELD("within", OBJECT, pl_scene_push, within, .type = &pl_scene_region_type,
          .about = "Push the particles inside this box at the start; all when absent."),
    FIELD("force", VECTOR, pl_scene_push, force, .unit = "N", .about = "Total force, divided equally among the particles."),
    FIELD("pressure", NUMBER, pl_scene_push, pressure, .unit = "Pa", .min = -1e15, .max = 1e15, .about = "Pressure on the triangles of the surface whose points are all pushed, against the surface as it moves; negative: suction. Only of bodies that have a surface."),
    FIELD("from", NUMBER, pl_scene_push, from, .unit = "s", UP_TO(1e9), .about = "Start time."),
    FIELD("until", NUMBER, pl_scene_push, until, .unit = "s", UP_TO(1e9), .about = "End time; 0 means never."),
    FIELD("keys", LIST, pl_scene_push, keys, .type = &LOAD_KEY_TYPE, .about = "Factors on the load over time, such as a ramp; 1 when absent."),
};
static const pl_scene_type PUSH_TYPE = TYPE("push", pl_scene_push, "A force or a pressure for some time.", &PUSH_DEFAULTS, PUSH_FIELDS);

static const pl_scene_repeat REPEAT_DEFAULTS = {.counts = {1, 1, 1}};
static const pl_scene_field REPEAT_FIELDS[] = {
    FIELD("counts", COUNTS, pl_scene_repeat, counts, OPTIONAL, .about = "Copies along x, y and z."),
    FIELD("spacing", VECTOR, pl_scene_repeat, spacing, METRES, .about = "Distance from one copy to the next along each axis."),
    FIELD("jitter", NUMBER, pl_scene_repeat, jitter, METRES, UP_TO(1e9),
          .about = "Largest random shift along each axis, from the scene's seed."),
    FIELD("turn", NUMBER, pl_scene_repeat, turn, .unit = "degrees", UP_TO(180),
          .about = "Largest random turn around a random axis, from the scene's seed."),
};
static const pl_scene_type REPEAT_TYPE =
    TYPE("repeat", pl_scene_repeat, "Copies of a body on a grid.", &REPEAT_DEFAULTS, REPEAT_FIELDS);

// In the order of pl_scene_method.
static const char *const METHODS[] = {"solid", "rod", "fem", "rigid", "kinematic", NULL};
static const pl_scene_body BODY_DEFAULTS = {
    .name = "", .mesh = "", .method = 1, .def = {.placement = {.rotation = {0, 0, 0, 1}}}, .color = {-1, -1, -1}};
static const pl_scene_field BODY_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_body, name, .required = true, .about = "Name of the body, used for its files; must be unique."),
    FIELD("mesh", TEXT, pl_scene_body, mesh, OPTIONAL, .about = "Name of one of the scene's meshes. A rod without one is drawn as tubes; a rigid sphere, capsule or box has none."),
    FIELD("method", CHOICE, pl_scene_body, method, .choices = METHODS, .about = "Simulation method of the body."),
    FIELD("tets", OBJECT, pl_scene_body, tets, .type = &TETS_TYPE,
          .about = "How the mesh is filled with tets when it is a surface."),
    FIELD("solid", OBJECT, pl_scene_body, solid, .type = &pl_scene_solid_type, .about = "Parameters of the method `solid`."),
    FIELD("rod", OBJECT, pl_scene_body, rod, .type = &pl_scene_rod_type, .about = "Skeleton and parameters of the method `rod`."),
    FIELD("fem", OBJECT, pl_scene_body, fem, .type = &pl_scene_fem_type, .about = "Parameters of the method `fem`."),
    FIELD("rigid", OBJECT, pl_scene_body, rigid, .type = &pl_scene_rigid_type, .about = "Shape and parameters of the method `rigid`."),
    FIELD("kinematic", OBJECT, pl_scene_body, kinematic, .type = &pl_scene_kinematic_type, .about = "Motion and parameters of the method `kinematic`."),
    FIELD("actor", OBJECT, pl_scene_body, actor, .type = &pl_scene_actor_type, .about = "Makes a body of the method `fem` a soft character that moves by itself."),
    FIELD("detail", OBJECT, pl_scene_body, detail, .type = &pl_scene_detail_type, .about = "Dents and wrinkles from recorded examples where tools touch a body of tets."),
    FIELD("driver", LIST, pl_scene_body, drivers, .type = &DRIVER_TYPE, .or_one = true, .about = "Sets the weights of the examples; a list for different chains. When absent: the current shape of a solid or of finite elements; the scene's camera for a rod whose examples have directions."),
    FIELD("position", VECTOR, pl_scene_body, def.placement.position, METRES, .about = "Position of the mesh's origin."),
    FIELD("rotation", ROTATION, pl_scene_body, def.placement.rotation, OPTIONAL, .about = "Rotation of the mesh."),
    PARAMETERS(pl_body_def_parameters, pl_scene_body, def),
    FIELD("color", COLOR, pl_scene_body, color, OPTIONAL, .about = "Colour in pictures; when absent, the materials of its file, or a colour of a palette."),
    FIELD("appearance", CHOICE, pl_scene_body, appearance, OPTIONAL, .choices = pl_appearance_preset_names, .about = "Material in pictures, in the colour of the body; when absent, the materials of its file, or soft plastic."),
    FIELD("repeat", OBJECT, pl_scene_body, repeat, .type = &REPEAT_TYPE, .about = "Copies on a grid."),
    FIELD("pins", LIST, pl_scene_body, pins, .type = &PIN_TYPE, .about = "Particles held in place or moved along keys."),
    FIELD("pushes", LIST, pl_scene_body, pushes, .type = &PUSH_TYPE, .about = "Forces over time."),
};
static const pl_scene_type BODY_TYPE = TYPE("body", pl_scene_body, "A deformable, rigid or kinematic body.", &BODY_DEFAULTS, BODY_FIELDS);

// In the order of pl_collider_shape.
const char *const pl_scene_collider_shapes[] = {"half_space", "sphere", "capsule", "box", "mesh", NULL};
static const pl_scene_collider COLLIDER_DEFAULTS = {.name = "", .mesh = "", .def = {.placement = {.rotation = {0, 0, 0, 1}}}, .visible = true, .color = {-1, -1, -1}};
static const pl_scene_field COLLIDER_FIELDS[] = {
    FIELD("name", TEXT, pl_scene_collider, name, OPTIONAL, .about = "Name of the collider."),
    FIELD("shape", CHOICE, pl_scene_collider, def.shape, .choices = pl_scene_collider_shapes, .required = true,
          .about = "Shape. A half space is solid below its own y = 0."),
    FIELD("mesh", TEXT, pl_scene_collider, mesh, OPTIONAL, .about = "Name of one of the scene's meshes, for the shape `mesh`."),
    PARAMETERS(pl_collider_def_parameters, pl_scene_collider, def),
    PARAMETER("size", pl_collider_def_parameters, half_size, pl_scene_collider, def.half_size, .factor = 2, .about = "Edge lengths of a box."),
    FIELD("position", VECTOR, pl_scene_collider, def.placement.position, METRES, .about = "Position of the collider."),
    FIELD("rotation", ROTATION, pl_scene_collider, def.placement.rotation, OPTIONAL, .about = "Rotation of the collider."),
    FIELD("keys", LIST, pl_scene_collider, keys, .type = &pl_scene_key_type, .about = "Its motion; replaces position and rotation."),
    FIELD("visible", BOOL, pl_scene_collider, visible, OPTIONAL, .about = "Whether pictures show it."),
    FIELD("color", COLOR, pl_scene_collider, color, OPTIONAL, .about = "Colour in pictures."),
    FIELD("appearance", CHOICE, pl_scene_collider, appearance, OPTIONAL, .choices = pl_appearance_preset_names, .about = "Material in pictures, in its colour."),
};
const pl_scene_type pl_scene_collider_type =
    TYPE("collider", pl_scene_collider, "Something that bodies collide with.", &COLLIDER_DEFAULTS, COLLIDER_FIELDS);

static const pl_scene_view VIEW_DEFAULTS = {.json = NULL};
static const pl_scene_field VIEW_FIELDS[] = {
    FIELD("time", NUMBER, pl_scene_view, time, .unit = "s", UP_TO(1e9), .required = true, .about = "When."),
    FIELD("eye", VECTOR, pl_scene_view, eye, METRES, .required = true, .about = "Position of the camera."),
    FIELD("target", VECTOR, pl_scene_view, target, METRES, .required = true, .about = "Point that the camera looks at."),
};
static const pl_scene_type VIEW_TYPE = TYPE("view", pl_scene_view, "The camera at a time.", &VIEW_DEFAULTS, VIEW_FIELDS);

static const pl_scene_camera_def CAMERA_DEFAULTS = {.eye = {3, 2, 5}, .up = {0, 1, 0}, .field_of_view = 35, .follow = ""};
static const pl_scene_field CAMERA_FIELDS[] = {
    FIELD("eye", VECTOR, pl_scene_camera_def, eye, METRES, .about = "Position of the camera."),
    FIELD("target", VECTOR, pl_scene_camera_def, target, METRES, .about = "Point that the camera looks at."),
    FIELD("up", VECTOR, pl_scene_camera_def, up, OPTIONAL, .about = "Up direction."),
    FIELD("field_of_view", NUMBER, pl_scene_camera_def, field_of_view, .unit = "degrees", .min = 1, .max = 170,
          .about = "Vertical angle of view."),
    FIELD("path", LIST, pl_scene_camera_def, path, .type = &VIEW_TYPE, .about = "Motion of the camera; replaces eye and target."),
    FIELD("light", VECTOR, pl_scene_camera_def, light, OPTIONAL, .about = "Direction towards the sun, any length; a low one shows folds and dents. From above and the front when absent."),
    FIELD("follow", TEXT, pl_scene_camera_def, follow, OPTIONAL, .about = "Name of a body that the camera follows smoothly and horizontally; in pictures only, not for view drivers."),
};
static const pl_scene_type CAMERA_TYPE =
    TYPE("camera", pl_scene_camera_def, "Camera of the pictures; when absent, one that shows all bodies.", &CAMERA_DEFAULTS,
         CAMERA_FIELDS);

static const pl_scene_lighting LIGHTING_DEFAULTS = {.sun_strength = 1, .sky_strength = 1, .background_top = {-1, -1, -1}, .background_bottom = {-1, -1, -1}};
static const pl_scene_field LIGHTING_FIELDS[] = {
    FIELD("sun", VECTOR, pl_scene_lighting, sun, OPTIONAL, .about = "Direction towards the sun, any length; `light` of the camera when absent."),
    FIELD("sun_strength", NUMBER, pl_scene_lighting, sun_strength, UP_TO(10), .about = "Strength of the sun's light."),
    FIELD("sky_strength", NUMBER, pl_scene_lighting, sky_strength, UP_TO(10), .about = "Strength of the light of the sky and of the ground."),
    FIELD("background_top", COLOR, pl_scene_lighting, background_top, OPTIONAL, .about = "Background colour at the top of the picture."),
    FIELD("background_bottom", COLOR, pl_scene_lighting, background_bottom, OPTIONAL, .about = "Background colour at the bottom; that at the top when absent."),
};
static const pl_scene_type LIGHTING_TYPE = TYPE("lighting", pl_scene_lighting, "Light and background of the pictures.", &LIGHTING_DEFAULTS, LIGHTING_FIELDS);

static const pl_scene_time TIME_DEFAULTS = {.frame_rate = 60, .frames = 120};
static const pl_scene_field TIME_FIELDS[] = {
    PARAMETER("step", pl_world_def_parameters, step, pl_scene_time, step, OPTIONAL),
    FIELD("frame_rate", NUMBER, pl_scene_time, frame_rate, .unit = "1/s", POSITIVE_UP_TO(1e6),
          .about = "Frames per second of the output."),
    FIELD("frames", INTEGER, pl_scene_time, frames, .min = 1, .max = 1e7, .about = "Frames to write, the start included."),
    FIELD("warm_up", NUMBER, pl_scene_time, warm_up, .unit = "s", UP_TO(1e4), .about = "Time to come to rest before the clock starts; key frames do not move meanwhile."),
    FIELD("pre_roll", NUMBER, pl_scene_time, pre_roll, .unit = "s", UP_TO(1e4), .about = "Time that the scene runs before its first frame, with motions playing as before it: those that loop continue, others wait at their start."),
};
static const pl_scene_type TIME_TYPE = TYPE("time", pl_scene_time, "Steps and frames.", &TIME_DEFAULTS, TIME_FIELDS);

static const pl_scene_air AIR_DEFAULTS = {.density = 1.2, .gust_period = 2};
static const pl_scene_field AIR_FIELDS[] = {
    PARAMETER("wind", pl_world_def_parameters, wind, pl_scene_air, wind, OPTIONAL),
    PARAMETER("density", pl_world_def_parameters, air_density, pl_scene_air, density, .own_default = true),
    PARAMETER("drag", pl_world_def_parameters, drag, pl_scene_air, drag, OPTIONAL),
    FIELD("gust", NUMBER, pl_scene_air, gust, UP_TO(10), .about = "Fraction of the wind that varies."),
    FIELD("gust_period", NUMBER, pl_scene_air, gust_period, .unit = "s", POSITIVE_UP_TO(1e6), .about = "Period of that variation."),
};
static const pl_scene_type AIR_TYPE =
    TYPE("air", pl_scene_air, "Air that drags on surfaces; none when absent.", &AIR_DEFAULTS, AIR_FIELDS);

static const char *const LENGTH_UNITS[] = {"m", "cm", "mm", "in", NULL};

double pl_scene_unit_metres(const char *unit) {
  static const double metres[] = {1, 0.01, 0.001, 0.0254};
  for (int i = 0; LENGTH_UNITS[i] != NULL; ++i)
    if (strcmp(LENGTH_UNITS[i], unit) == 0) return metres[i];
  return 1;
}

static const pl_scene_document DOCUMENT_DEFAULTS = {
    .name = "", .description = "", .length_unit = 1, .seed = 1};
static const pl_scene_field DOCUMENT_FIELDS[] = {
    FIELD("pliant", INTEGER, pl_scene_document, version, .min = 1, .max = 1, .required = true,
          .about = "Version of the format; 1."),
    FIELD("name", TEXT, pl_scene_document, name, .required = true, .about = "Name of the scene, used for files and captions."),
    FIELD("description", TEXT, pl_scene_document, description, OPTIONAL, .about = "One sentence on what the scene shows."),
    FIELD("length_unit", CHOICE, pl_scene_document, length_unit, .choices = LENGTH_UNITS,
          .about = "Unit of every length in this document (velocities and gravity included)."),
    FIELD("seed", INTEGER, pl_scene_document, seed, .min = 0, .max = 9007199254740992.0, .about = "Seed of all random numbers."),
    FIELD("time", OBJECT, pl_scene_document, time, .type = &TIME_TYPE, .about = "Steps and frames."),
    FIELD("air", OBJECT, pl_scene_document, air, .type = &AIR_TYPE, .about = "Wind and drag."),
    PARAMETER("gravity", pl_world_def_parameters, gravity, pl_scene_document, gravity, OPTIONAL),
    PARAMETER("contact_rounds", pl_world_def_parameters, contact_rounds, pl_scene_document, contact_rounds, OPTIONAL),
    PARAMETER("contact_damping", pl_world_def_parameters, contact_damping, pl_scene_document, contact_damping, OPTIONAL),
    PARAMETER("sleeping", pl_world_def_parameters, sleeping, pl_scene_document, sleeping, OPTIONAL),
    PARAMETER("all_edges", pl_world_def_parameters, all_edges, pl_scene_document, all_edges, OPTIONAL),
    PARAMETER("sleep_speed", pl_world_def_parameters, sleep_speed, pl_scene_document, sleep_speed, OPTIONAL),
    PARAMETER("sleep_seconds", pl_world_def_parameters, sleep_seconds, pl_scene_document, sleep_seconds, OPTIONAL),
    FIELD("meshes", MAP, pl_scene_document, meshes, .type = &MESH_TYPE, .about = "Meshes by name."),
    FIELD("bodies", LIST, pl_scene_document, bodies, .type = &BODY_TYPE, .required = true, .about = "Deformable and rigid bodies."),
    FIELD("colliders", LIST, pl_scene_document, colliders, .type = &pl_scene_collider_type, .about = "Things that bodies collide with."),
    FIELD("joints", LIST, pl_scene_document, joints, .type = &pl_scene_joint_type, .about = "Joints of rigid bodies."),
    FIELD("attachments", LIST, pl_scene_document, attachments, .type = &pl_scene_attachment_type, .about = "Particles tied to other bodies, to bones or to the world."),
    FIELD("camera", OBJECT, pl_scene_document, camera, .type = &CAMERA_TYPE, .about = "Camera of the pictures and of view drivers."),
    FIELD("observer", OBJECT, pl_scene_document, observer, .type = &CAMERA_TYPE, .about = "A second camera: pictures are taken from here, while view drivers still follow `camera`."),
    FIELD("lighting", OBJECT, pl_scene_document, lighting, .type = &LIGHTING_TYPE, .about = "Light and background of the pictures."),
    FIELD("recording", OBJECT, pl_scene_document, recording, .type = &pl_scene_recording_type, .about = "Makes the scene a recipe for `pliant detail record`: examples of detail from a fine and a coarse body."),
};
const pl_scene_type pl_scene_document_type =
    TYPE("scene", pl_scene_document, "A Pliant scene: bodies, colliders, and the time to run.", &DOCUMENT_DEFAULTS,
         DOCUMENT_FIELDS);
