// What a renderer may be asked for, whether or not this build can draw.
#ifndef PL_RENDER_DEF_H
#define PL_RENDER_DEF_H

#include "pliant/picture.h"

pl_status pl_renderer_check_def(const pl_renderer_def *def, pl_error *error);

// Whether red, green and blue are from 0 to 1.
bool pl_render_is_color(pl_color color);

#endif
