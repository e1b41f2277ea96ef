// The parameters of pl_collider_def: the one place for defaults, ranges, units and meanings. After a change run `make
// generate`.
#include "contact/collider_parameters.h"

#include "base/parameter_words.h"
#include "pliant/collider.h"

// One line per parameter.
// clang-format off
#define DEF pl_collider_def
static const pl_parameter COLLIDER[] = {
    NUMBER(radius, 0.5, ABOVE(0, 1e9), METRES, LOG_SLIDER(0.001, 10), ABOUT("Of a sphere or capsule.")),
    NUMBER(half_length, 0.5, FROM(0, 1e9), METRES, SLIDER(0, 2), ABOUT("Of a capsule's axis along y.")),
    VECTOR(half_size, XYZ(0.5, 0.5, 0.5), ABOVE(0, 5e8), METRES, NOT_IN_SCENES, ABOUT("Half the edge lengths of a box.")),
    NUMBER(friction, 0.5, FROM(0, 1e3), ABOUT("Coulomb coefficient; combined with the body's by geometric mean.")),
    NUMBER(restitution, 0, FROM(0, 1), ABOUT("Fraction of the speed kept in a bounce; the larger of collider and body counts.")),
    BITS(collision_layers, 1, FROM(0, 4294967295), ABOUT("Layers that it is in, one bit each. Two things touch if each is in a layer of the other's mask.")),
    BITS(collision_mask, ALL_BITS, FROM(0, 4294967295), ABOUT("Layers that it touches, one bit each; 4294967295 is all 32.")),
    SWITCH(loop, false, ABOUT("Whether the motion along the keys repeats; otherwise the last placement is kept.")),
};
const pl_parameter_table pl_collider_def_parameters = TABLE("collider", pl_collider_def, COLLIDER);
