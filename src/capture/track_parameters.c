// The parameters of pl_track_def: the one place for defaults, ranges, units and meanings. After a change run `make generate`.
#include "capture/track_parameters.h"

#include "base/parameter_words.h"
#include "pliant/track.h"

// One line per parameter.
// clang-format off
#define DEF pl_track_def
static const pl_parameter TRACK[] = {
    NUMBER(noise, 0.002, ABOVE(0, 1e6), METRES, ABOUT("Standard deviation of measured points from the surface; found from the data where that is larger.")),
    NUMBER(outliers, 0.1, FROM(0, 0.95), ABOUT("Fraction of points that belong to nothing, to begin with; then it is found from the data.")),
    NUMBER(first_reach, 0.12, ABOVE(0, 10), ABOUT("How far from its place in the first frame the body may start, as a fraction of its size.")),
    NUMBER(reach, 0.05, ABOVE(0, 10), ABOUT("How far from the predicted place it may be in later frames, as a fraction of its size.")),
    NUMBER(anneal, 0.7, FROM(0.05, 0.99), ABOUT("Factor on the width of the search from one iteration to the next.")),
    INTEGER(settle_count, 6, FROM(1, 1000), ABOUT("Maximum iterations at the smallest width.")),
    NUMBER(detail, 0, FROM(0, 1e6), METRES, ABOUT("Bumps much smaller than this are taken for noise, larger ones for shape; 0: a twentieth of the size.")),
    NUMBER(inertia, 0, FROM(0, 1), ABOUT("0: parts that are not seen follow the others as if at rest; 1: as if carried on by their mass.")),
    VECTOR(acceleration, ZERO_VECTOR, METRES_PER("s^2"), ABOUT("Gravity for a model whose rest shape is the one without gravity; 0 where it is the static one.")),
    INTEGER(max_points, 20000, FROM(100, 1e7), ABOUT("Maximum points of a cloud that are used; of larger ones an even choice.")),
    SWITCH(gating, true, ABOUT("A measured point pulls at one part of the body only, even where others touch it.")),
};
const pl_parameter_table pl_track_def_parameters = TABLE("track", pl_track_def, TRACK);
