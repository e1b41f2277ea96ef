// The parameters of pl_capture_writer_def: the one place for defaults, ranges, units and meanings. After a change run
// `make generate`.
#include "io/capture_parameters.h"

#include "base/parameter_words.h"
#include "pliant/capture_file.h"

// One line per parameter.
// clang-format off
#define DEF pl_capture_writer_def
static const pl_parameter WRITER[] = {
    NUMBER(rate, 30, ABOVE(0, 1e6), UNIT("1/s"), ABOUT("Frames per second.")),
    VECTOR(gravity, EARTH_GRAVITY, METRES_PER("s^2"), ABOUT("Gravity during the capture.")),
};
const pl_parameter_table pl_capture_writer_def_parameters = TABLE("capture_writer", pl_capture_writer_def, WRITER);
