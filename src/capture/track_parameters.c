// The parameters of pl_track_def: the one place for defaults, ranges, units and meanings. After a change run `make
// generate`.
#include "capture/track_parameters.h"

#include "base/parameter_words.h"
#include "pliant/track.h"

// One line per parameter.
// clang-format off
#define DEF pl_track_def
static const pl_parameter TRACK[] = {
    NUMBER(noise, 0.002, ABOVE(0, 1e6), METRES, ABOUT("Standard deviation of measured points from the surface; a larger value is estimated from the data.")),
    NUMBER(outliers, 0.1, FROM(0, 0.95), ABOUT("Initial fraction of outliers; it is then estimated from the data.")),
    NUMBER(first_reach, 0.12, ABOVE(0, 10), ABOUT("Search distance in the first frame, as a fraction of the body's size.")),
    NUMBER(reach, 0.05, ABOVE(0, 10), ABOUT("Search distance around the prediction in later frames, as a fraction of the body's size.")),
    NUMBER(anneal, 0.7, FROM(0.05, 0.99), ABOUT("Factor on the width of the search from one iteration to the next.")),
    INTEGER(settle_count, 6, FROM(1, 1000), ABOUT("Maximum iterations at the smallest width.")),
    NUMBER(detail, 0, FROM(0, 1e6), METRES, ABOUT("Size of features: much smaller ones count as noise, larger ones as shape; 0: a twentieth of the body's size.")),
    NUMBER(inertia, 0, FROM(0, 1), ABOUT("Motion of parts that are not seen: 0 follows the other parts as if at rest, 1 as if moved on by inertia.")),
    VECTOR(acceleration, ZERO_VECTOR, METRES_PER("s^2"), ABOUT("Gravity, for a model whose rest shape has gravity removed; 0 where the rest shape is the static shape.")),
    INTEGER(max_points, 20000, FROM(100, 1e7), ABOUT("Maximum points of a cloud that are used; larger clouds are sampled evenly.")),
    SWITCH(gating, true, ABOUT("A measured point pulls only one part of the body, even where other parts touch it.")),
};
const pl_parameter_table pl_track_def_parameters = TABLE("track", pl_track_def, TRACK);
