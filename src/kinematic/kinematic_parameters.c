// The parameters of pl_kinematic_def: the one place for defaults, ranges, units and meanings. After a change run `make
// generate`.
#include "kinematic/kinematic_parameters.h"

#include "base/parameter_words.h"
#include "pliant/kinematic.h"

// One line per parameter.
// clang-format off
#define DEF pl_kinematic_def
static const pl_parameter ITEMS[] = {
    NUMBER(friction, 0.5, FROM(0, 1e3), SLIDER(0, 2), ABOUT("Coulomb coefficient; with another body the geometric mean of both counts.")),
    NUMBER(restitution, 0, FROM(0, 1), SLIDER(0, 1), ABOUT("Fraction of the speed kept in a bounce; the larger of both bodies' counts.")),
    NUMBER(contact_radius, 0, FROM(0, 1e6), METRES, ABOUT("Gap kept around the surface.")),
};
const pl_parameter_table pl_kinematic_def_parameters = TABLE("kinematic", pl_kinematic_def, ITEMS);
