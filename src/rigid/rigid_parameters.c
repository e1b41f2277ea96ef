// The parameters of pl_rigid_def: the one place for defaults, ranges, units and meanings. After a change run `make
// generate`.
#include "rigid/rigid_parameters.h"

#include "base/parameter_words.h"
#include "pliant/rigid.h"

// In the order of the enum.
static const char *const SHAPES[] = {"mesh", "hull", "sphere", "capsule", "box", NULL};

// One line per parameter.
// clang-format off
#define DEF pl_rigid_def
static const pl_parameter ITEMS[] = {
    CHOICE(shape, pl_rigid_shape, SHAPES, PL_RIGID_MESH, ABOUT("What the body is: the inside of its mesh, the convex hull of its points, or a sphere, capsule or box of its own.")),
    NUMBER(radius, 0.5, ABOVE(0, 1e9), METRES, ABOUT("Of a sphere or capsule.")),
    NUMBER(half_length, 0.5, FROM(0, 1e9), METRES, ABOUT("Of a capsule's axis along y.")),
    VECTOR(half_size, XYZ(0.5, 0.5, 0.5), ABOVE(0, 5e8), METRES, NOT_IN_SCENES, ABOUT("Half the edge lengths of a box.")),
    INTEGER(subdivisions, 3, FROM(0, 6), ABOUT("How finely a sphere or capsule is divided into triangles; each subdivision halves their edges.")),
    NUMBER(density, 1000, ABOVE(0, 1e9), UNIT("kg/m^3"), LOG_SLIDER(10, 1e4), ABOUT("Mass per volume; used when `mass` is 0.")),
    NUMBER(mass, 0, FROM(0, 1e15), UNIT("kg"), ABOUT("Of the whole body; 0: from the density.")),
    NUMBER(friction, 0.5, FROM(0, 1e3), SLIDER(0, 2), ABOUT("Coulomb coefficient; with another body or collider the geometric mean of both counts.")),
    NUMBER(restitution, 0, FROM(0, 1), SLIDER(0, 1), ABOUT("Fraction of the speed kept in a bounce; the larger of both bodies' counts.")),
    NUMBER(damping, 0, FROM(0, 1e6), UNIT("1/s"), SLIDER(0, 20), ABOUT("The velocity dies away as exp(-damping t).")),
    NUMBER(angular_damping, 0, FROM(0, 1e6), UNIT("1/s"), SLIDER(0, 20), ABOUT("The angular momentum dies away as exp(-angular_damping t).")),
    NUMBER(contact_radius, -1, FROM(-1, 1e6), METRES, ABOUT("Gap kept around the surface; negative: the contact thickness of its size.")),
};
const pl_parameter_table pl_rigid_def_parameters = TABLE("rigid", pl_rigid_def, ITEMS);
