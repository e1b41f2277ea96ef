// The parameters of pl_sensor_def: the one place for defaults, ranges, units and meanings. After a change run `make
// generate`.
#include "capture/sensor_parameters.h"

#include "base/parameter_words.h"
#include "pliant/sensor.h"

// About what a first Kinect does. One line per parameter.
// clang-format off
#define DEF pl_sensor_def
static const pl_parameter SENSOR[] = {
    NUMBER(noise, 0.002, FROM(0, 10), METRES, ABOUT("Standard deviation along the depth.")),
    NUMBER(quantum, 0.0028, FROM(0, 10), METRES, ABOUT("Quantisation step of depths at 1 m; 0: only the unit of the image.")),
    SWITCH(quantum_grows, true, ABOUT("Quantisation grows with the square of the depth, as in sensors that triangulate; otherwise it is the same at all depths.")),
    NUMBER(dropout, 0, FROM(0, 1), ABOUT("Fraction of all pixels that are dropped.")),
    NUMBER(edge_jump, 0.02, FROM(0, 1e6), METRES, ABOUT("Depth difference of neighbouring pixels from which they are edge pixels; pixels next to empty ones are too.")),
    NUMBER(edge_dropout, 0.5, FROM(0, 1), ABOUT("Fraction of edge pixels that are dropped.")),
    NUMBER(edge_mix, 0.1, FROM(0, 1), ABOUT("Fraction of the other edge pixels whose depth is mixed from the two sides.")),
    NUMBER(outliers, 0.1, FROM(0, 1), ABOUT("Fraction of pixels whose depth is an outlier.")),
    NUMBER(outlier_range, 0.3, FROM(0, 1e6), METRES, ABOUT("Outliers are uniform within this distance of the true depth.")),
    NUMBER(min_depth, 0.3, FROM(0, 1e6), METRES, ABOUT("Minimum depth that is seen.")),
    NUMBER(max_depth, 8, FROM(0, 1e6), METRES, ABOUT("Maximum depth that is seen.")),
    SEED(seed, 1, ABOUT("Seed of all random numbers; the same seed, camera and frame give the same image.")),
};
const pl_parameter_table pl_sensor_def_parameters = TABLE("sensor", pl_sensor_def, SENSOR);
