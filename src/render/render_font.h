// A stroke font of our own: pen paths for the printable ASCII characters.
#ifndef PL_RENDER_RENDER_FONT_H
#define PL_RENDER_RENDER_FONT_H

#include <stddef.h>
#include <stdint.h>

// Heights in font units above the baseline.
#define PL_FONT_CAPITAL 7.0f
#define PL_FONT_DESCENT 2.0f
#define PL_FONT_GAP 1.95f  // between letters, from pen to pen
#define PL_FONT_LINE 12.5f

typedef struct pl_font_segment {
  float x0, y0, x1, y1;  // font units, y up, baseline at 0; a dot has both ends in one place
} pl_font_segment;

// More than any glyph needs.
#define PL_FONT_MAX_SEGMENTS 128

// Straight pieces of the glyph of `character` (others than printable ASCII give `?`); returns their
// number, and the width of the glyph.
int32_t pl_font_glyph(char character, pl_font_segment segments[PL_FONT_MAX_SEGMENTS], float *width);

#endif
