// The parameters of pl_detail_def, pl_detail_filter_def and pl_detail_layer_def: the one place for defaults, ranges,
// units and meanings. After a change run `make generate`.
#include "detail/detail_parameters.h"

#include "base/parameter_words.h"
#include "detail/detail_set.h"
#include "pliant/detail.h"

// Arrays have these sizes.
_Static_assert(PL_MOMENT_ORDER == 3 && PL_LOAD_ORDER == 2,
               "the ranges of site_order, patch_order and load_order below");

// One line per parameter.
// clang-format off
#define DEF pl_detail_def
static const pl_parameter DETAIL[] = {
    NUMBER(window_radius, NO_DEFAULT, REQUIRED, ABOVE(0, 1e6), METRES, ABOUT("How far descriptors look around a contact, one standard deviation.")),
    NUMBER(stamp_radius, 0, FROM(0, 1e6), METRES, ABOUT("How far a stamp reaches around the contact; 0 means: 2.5 window radii.")),
    INTEGER(stamp_resolution, 64, FROM(4, 512), ABOUT("Samples along each side of a stamp.")),
    NUMBER(stamp_border, 0.25, FROM(0, 1), ABOUT("Fraction of the radius over which a stamp fades out.")),
    INTEGER(stamp_sides, 2, FROM(1, 2), ABOUT("2: what faces away from the contact, the lower side of a sheet, has a map of its own; 1: one map for all.")),
    INTEGER(site_order, 3, FROM(0, 3), ABOUT("Orders of moments of the place.")),
    INTEGER(patch_order, -1, FROM(-1, 3), ABOUT("Of the contact patch's shape; -1: not looked at.")),
    INTEGER(load_order, 2, FROM(0, 2), ABOUT("Of the load; 0: not looked at.")),
    NUMBER(min_load, 1e-4, FROM(0, 1), NOT_IN_SCENES, ABOUT("Loads below this fraction of the window radius are none.")),
    NUMBER(load_reference, -1, FROM(-1e6, 1e6), METRES, ABOUT("Size of loads around which sizes are distinguished best. 0: loads are compared by direction alone, as in the paper, so one place can be recorded at one depth for each direction. Negative: 0, or the mean size of the recordings if some differ in size alone.")),
    NUMBER(overload, 1.5, FROM(1, 1e6), ABOUT("A stamp grows with the load up to this factor times the load of its recording.")),
    NUMBER(site_width, 0, FROM(0, 1e6), ABOUT("Of the kernel; 0: that which predicts each recording best from the others, if there are four or more.")),
    NUMBER(patch_width, 0, FROM(0, 1e6), ABOUT("Likewise.")),
    NUMBER(load_width, 0, FROM(0, 1e6), ABOUT("Likewise.")),
    SWITCH(mirror, false, ABOUT("Whether every recording also stands for its mirror image: those come after all recordings, in their order, but for what is its own mirror image or too like another example. Right for all material that has no handedness.")),
    SWITCH(plain_weights, false, ABOUT("Whether weights are plain similarities (eq. 15), for more examples than can interpolate.")),
};
const pl_parameter_table pl_detail_def_parameters = TABLE("detail", pl_detail_def, DETAIL);

#undef DEF
#define DEF pl_detail_filter_def
static const pl_parameter FILTER[] = {
    INTEGER(max_contacts, 8, FROM(1, 4096), ABOUT("Contacts at a time; memory grows with it.")),
    NUMBER(scale, 1, ABOVE(0, 1e6), ABOUT("Size of the object by that of the recorded ones: 0.5 lays stamps of half the length and height.")),
};
const pl_parameter_table pl_detail_filter_def_parameters = TABLE("detail_filter", pl_detail_filter_def, FILTER);

#undef DEF
#define DEF pl_detail_layer_def
static const pl_parameter LAYER[] = {
    NUMBER(reach, 1e-3, FROM(0, 1e6), METRES, ABOUT("Surface points this close to a tool are touched, besides the gap that the body keeps.")),
    NUMBER(scale, 1, ABOVE(0, 1e6), ABOUT("Size of the body by that of the recorded one: 0.5 lays stamps of half the length and height.")),
    INTEGER(max_contacts, 8, FROM(1, 4096), KEY("contacts"), ABOUT("Tools that may touch at a time; of more, the first.")),
};
const pl_parameter_table pl_detail_layer_def_parameters = TABLE("detail_layer", pl_detail_layer_def, LAYER);
