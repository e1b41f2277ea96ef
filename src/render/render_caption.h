// A line of text in the lower left corner of a picture.
#ifndef PL_RENDER_RENDER_CAPTION_H
#define PL_RENDER_RENDER_CAPTION_H

#include "base/scratch.h"
#include "pliant/base.h"

// Draw `text` (UTF-8; line breaks start a new line) over 8-bit RGB pixels. Characters the font
// lacks are shown as near ones or as
// `?`; bytes that are not UTF-8 as `?`. A line that does not fit is set smaller, and then cut.
pl_status pl_caption_draw(pl_scratch *scratch, const char *text, uint8_t *rgb, int32_t width,
                          int32_t height, pl_error *error);

#endif
