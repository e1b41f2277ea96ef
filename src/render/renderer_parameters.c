// The parameters of pl_renderer_def: the one place for defaults, ranges, units and meanings. After a change run `make
// generate`.
#include "render/renderer_parameters.h"

#include "base/parameter_words.h"
#include "pliant/picture.h"

// One line per parameter.
// clang-format off
#define DEF pl_renderer_def
static const pl_parameter RENDERER[] = {
    INTEGER(width, 1280, FROM(1, 65535), UNIT("pixels"), ABOUT("Width of the picture.")),
    INTEGER(height, 720, FROM(1, 65535), UNIT("pixels"), ABOUT("Height of the picture.")),
    COLOR(background_top, XYZ(0.725, 0.785, 0.85), FROM(0, 1), ABOUT("Background colour at the top.")),
    COLOR(background_bottom, XYZ(0.935, 0.935, 0.93), FROM(0, 1), ABOUT("Background colour at the bottom.")),
    COLOR(ground_color, XYZ(0.92, 0.92, 0.915), FROM(0, 1), ABOUT("Colour of the ground.")),
    NUMBER(ground_height, 0, FROM(-1e12, 1e12), METRES, ABOUT("Height of the ground plane that is drawn.")),
    SWITCH(ground, true, ABOUT("Draw the ground.")),
    NUMBER(checker_size, 0, FROM(0, 1e12), METRES, ABOUT("Edge of the squares of a checkerboard on the ground; 0 draws thin lines instead.")),
    VECTOR(light, XYZ(-0.45, 0.95, 0.62), ABOUT("Direction towards the sun.")),
    NUMBER(sun_strength, 1, FROM(0, 10), ABOUT("Strength of the sun's light.")),
    NUMBER(sky_strength, 1, FROM(0, 10), ABOUT("Strength of the light of the sky and of the ground.")),
};
const pl_parameter_table pl_renderer_def_parameters = TABLE("renderer", pl_renderer_def, RENDERER);
