// The parameters of pl_sensor_def: the one place for defaults, ranges, units and meanings. After a change run `make generate`.
#include "capture/sensor_parameters.h"

#include "base/parameter_words.h"
#include "pliant/sensor.h"

// About what a first Kinect does. One line per parameter.
// clang-format off
#define DEF pl_sensor_def
static const pl_parameter SENSOR[] = {
    NUMBER(noise, 0.002, FROM(0, 10), METRES, ABOUT("Standard deviation along the depth.")),
    NUMBER(quantum, 0.0028, FROM(0, 10), METRES, ABOUT("Depths at 1 m come in steps of this size; 0: only in those of the picture's unit.")),
    SWITCH(quantum_grows, true, ABOUT("With the square of the depth, as of sensors that triangulate; otherwise steps are the same at all depths.")),
    NUMBER(dropout, 0, FROM(0, 1), ABOUT("Fraction of all pixels that are lost.")),
    NUMBER(edge_jump, 0.02, FROM(0, 1e6), METRES, ABOUT("Pixels between which depths differ by more, or that have nothing next to them, are edges.")),
    NUMBER(edge_dropout, 0.5, FROM(0, 1), ABOUT("Fraction of edge pixels that are lost.")),
    NUMBER(edge_mix, 0.1, FROM(0, 1), ABOUT("Fraction of the other edge pixels whose depth lies somewhere between the two sides.")),
    NUMBER(outliers, 0.1, FROM(0, 1), ABOUT("Fraction of pixels whose depth has nothing to do with what is seen.")),
    NUMBER(outlier_range, 0.3, FROM(0, 1e6), METRES, ABOUT("Outliers lie within this distance of the true depth, evenly.")),
    NUMBER(min_depth, 0.3, FROM(0, 1e6), METRES, ABOUT("Nearer things are not seen.")),
    NUMBER(max_depth, 8, FROM(0, 1e6), METRES, ABOUT("Farther things are not seen.")),
    SEED(seed, 1, ABOUT("Of everything random; the same seed, camera and frame give the same picture.")),
};
const pl_parameter_table pl_sensor_def_parameters = TABLE("sensor", pl_sensor_def, SENSOR);
