// The parameters of pl_lattice_def, pl_cut_def and pl_pose_def: the one place for defaults, ranges, units and meanings.
// After a change run `make generate`.
#include "mesh/mesh_parameters.h"

#include "base/parameter_words.h"
#include "pliant/mesh.h"
#include "pliant/pose.h"

// One line per parameter.
// clang-format off
#define DEF pl_lattice_def
static const pl_parameter LATTICE[] = {
    INTEGER(target_point_count, 2000, FROM(8, 2e6), KEY("points"), ABOUT("Points of the tets to aim at (met within 20 %); used when `cell_size` is 0.")),
    NUMBER(cell_size, 0, FROM(0, 1e9), METRES, ABOUT("Edge of a lattice cell, instead of the number of points; 0: from the number of points.")),
    NUMBER(margin, 0, FROM(0, 10), NOT_IN_SCENES, ABOUT("A cell belongs to the tets when the surface comes this close to it, as a fraction of the cell; 0 is exact.")),
};
const pl_parameter_table pl_lattice_def_parameters = TABLE("lattice", pl_lattice_def, LATTICE);

#undef DEF
#define DEF pl_cut_def
static const pl_parameter CUT[] = {
    VECTOR(plane_point, ZERO_VECTOR, METRES, KEY("point"), ABOUT("Some point of the plane, in the mesh's frame.")),
    VECTOR(plane_normal, XYZ(1, 0, 0), KEY("normal"), ABOUT("Of the plane, any length.")),
    NUMBER(snap, 0.1, FROM(0, 0.4), ABOUT("Where the cut would pass an edge closer to one end than this fraction of its length, it passes through that end.")),
};
const pl_parameter_table pl_cut_def_parameters = TABLE("cut", pl_cut_def, CUT);

#undef DEF
#define DEF pl_pose_def
static const pl_parameter POSE[] = {
    NUMBER(weight, 1000, ABOVE(0, 1e6), ABOUT("How hard the surface pulls the tets to its pose: at 1, a surface that is one edge of a tet away costs about as much as a tet stretched to double length. Around tets that would be turned inside out the weight is lowered, unless `exact` is set.")),
    SWITCH(exact, false, ABOUT("Impose the surface as it is (weight 1e6) and keep it so; inverted tets are counted and reported.")),
    NUMBER(reach, 0, FROM(0, 1e9), METRES, ABOUT("A surface point farther than this from all tets is an error; 0: a tenth of the tets' diagonal.")),
    INTEGER(max_iterations, 200, FROM(1, 1e6), ABOUT("As-rigid-as-possible iterations for each weight that is tried.")),
};
const pl_parameter_table pl_pose_def_parameters = TABLE("pose", pl_pose_def, POSE);
