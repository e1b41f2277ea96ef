// The glyphs, as a pen would draw them.
//
// A glyph is a string of strokes separated by spaces; a stroke is a string of points; a point is a digit for x and a
// letter for y, where a is -2, c is the baseline, h (5) the height of small letters and j (7) that of capitals. A small
// letter is a point the pen goes through; a capital one pulls the pen like the control point of a parabola, and between
// two of those the pen passes their middle, as in TrueType outlines. So the round o is "2c4C4H0H0C2c". A stroke of one
// point is a dot.
#include "render/render_font.h"

#include <stdbool.h>

#define X_UNIT 0.86f   // the design grid is a little narrower than high
#define DIGIT_WIDTH 4  // digits are all equally wide, so that running numbers do not dance
#define CURVE_PIECES 6

static const char *const glyphs[95] = {
    "",                                     // space
    "0j0e 0c",                              // !
    "0j0h 2j2h",                            // "
    "1c2j 3c4j 0e5e 0h5h",                  // #
    "5i4J3j2j0J0G2g3g5G5C3c2c1C0d 3k3b",    // $
    "1c5j 1h2H2J0J0H1h 5c6C6E4E4C5c",       // %
    "5c1h1J3J3h0F0C4C5f",                   // &
    "0j0h",                                 // '
    "2k0I0D2b",                             // (
    "0k2I2D0b",                             // )
    "2j2f 0i4g 0g4i",                       // *
    "0f4f 2d2h",                            // +
    "1c0b",                                 // ,
    "0f3f",                                 // -
    "0c",                                   // .
    "0b4k",                                 // /
    "0e0C4C4e4h4J0J0h0e",                   // 0
    "1h3j3c",                               // 1
    "0h0J4J4h4F0c4c",                       // 2
    "0i1J2j4J4G2g1g 2g4G4C2c1C0d",          // 3
    "3c3j0e4e",                             // 4
    "4j0j0g2g4G4C2c1C0d",                   // 5
    "3j0I0e0C4C4G0G0e",                     // 6
    "0j4j1c",                               // 7
    "2g4G4J0J0G2g4G4C0C0G2g",               // 8
    "1c4D4h4J0J0F4F4h",                     // 9
    "0c 0g",                                // :
    "1g 1c0b",                              // ;
    "4h0f4d",                               // <
    "0e4e 0g4g",                            // =
    "0h4f0d",                               // >
    "0h0J4J4h4F2f2e 2c",                    // ?
    "4h4e4D6D6g6J0J0g0e0C5c 4g4H2H2D4D4f",  // @
    "0c3j6c 1e5e",                          // A
    "0c0j3j5J5G3g0g 3g5G5C3c0c",            // B
    "5h5J0J0h0e0C5C5e",                     // C
    "0c0j2j5J5h5e5C2c0c",                   // D
    "4j0j0c4c 0g3g",                        // E
    "4j0j0c 0g3g",                          // F
    "5h5J0J0h0e0C5C5e5f3f",                 // G
    "0c0j 5c5j 0g5g",                       // H
    "0c0j",                                 // I
    "3j3e3C0C0e",                           // J
    "0c0j 4j0f 1g4c",                       // K
    "0j0c4c",                               // L
    "0c0j3e6j6c",                           // M
    "0c0j5c5j",                             // N
    "0e0C5C5e5h5J0J0h0e",                   // O
    "0c0j3j5J5F3f0f",                       // P
    "0e0C5C5e5h5J0J0h0e 3e5c",              // Q
    "0c0j3j5J5F3f0f 2f5c",                  // R
    "5i4J3j2j0J0G2g3g5G5C3c2c1C0d",         // S
    "0j4j 2j2c",                            // T
    "0j0e0C5C5e5j",                         // U
    "0j3c6j",                               // V
    "0j2c4i6c8j",                           // W
    "0c5j 0j5c",                            // X
    "0j3f6j 3f3c",                          // Y
    "0j5j0c5c",                             // Z
    "2k0k0b2b",                             // [
    "0k4b",                                 // backslash
    "0k2k2b0b",                             // ]
    "0h2j4h",                               // ^
    "0b4b",                                 // _
    "0j1i",                                 // `
    "4h4c 4f4H0H0C4C4e",                    // a
    "0j0c 0f0H4H4C0C0e",                    // b
    "4g4H0H0C4C4d",                         // c
    "4j4c 4f4H0H0C4C4e",                    // d
    "0f4f4H0H0C4C4d",                       // e
    "3j1J1h1c 0h3h",                        // f
    "4h4c4A0A0b 4f4H0H0C4C4e",              // g
    "0j0c 0f0H4H4f4c",                      // h
    "0h0c 0j",                              // i
    "1h1b1A0a 1j",                          // j
    "0j0c 3h0e 1f4c",                       // k
    "0j0d0C1c",                             // l
    "0h0c 0f0H3H3f3c 3f3H6H6f6c",           // m
    "0h0c 0f0H4H4f4c",                      // n
    "2c4C4H0H0C2c",                         // o
    "0h0a 0f0H4H4C0C0e",                    // p
    "4h4a 4f4H0H0C4C4e",                    // q
    "0h0c 0f0H3h",                          // r
    "4g4H2h0H0F4E4C2c0C0d",                 // s
    "1j1d1C3c 0h3h",                        // t
    "0h0e0C4C4e 4h4c",                      // u
    "0h2c4h",                               // v
    "0h2c3g4c6h",                           // w
    "0h4c 0c4h",                            // x
    "0h2c 4h2c1a",                          // y
    "0h4h0c4c",                             // z
    "3k1K1h0f1d1B3b",                       // {
    "0k0b",                                 // |
    "0k2K2h3f2d2B0b",                       // }
    "0f1G2f3E4f",                           // ~
};

typedef struct pen {
  float x, y;
  pl_font_segment *segments;
  int32_t count;
} pen;

static void line_to(pen *at, float x, float y) {
  if (at->count < PL_FONT_MAX_SEGMENTS) at->segments[at->count++] = (pl_font_segment){at->x, at->y, x, y};
  at->x = x, at->y = y;
}

static void curve_to(pen *at, float pull_x, float pull_y, float x, float y) {
  float x0 = at->x, y0 = at->y;
  for (int i = 1; i <= CURVE_PIECES; ++i) {
    float t = (float)i / CURVE_PIECES, a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
    line_to(at, a * x0 + b * pull_x + c * x, a * y0 + b * pull_y + c * y);
  }
}

// Draw one stroke and return what follows it.
static const char *draw_stroke(pen *at, const char *path) {
  bool pulled = false, started = false;
  float pull_x = 0, pull_y = 0;
  int point_count = 0;
  for (; path[0] != '\0' && path[0] != ' '; path += 2, ++point_count) {
    bool pulls = path[1] >= 'A' && path[1] <= 'Z';
    float x = (float)(path[0] - '0') * X_UNIT, y = (float)(path[1] - (pulls ? 'A' : 'a')) - PL_FONT_DESCENT;
    if (pulls && pulled) curve_to(at, pull_x, pull_y, 0.5f * (pull_x + x), 0.5f * (pull_y + y));
    if (!pulls && pulled)
      curve_to(at, pull_x, pull_y, x, y);
    else if (!pulls && started)
      line_to(at, x, y);
    else if (!pulls)
      at->x = x, at->y = y;
    started = true;
    pulled = pulls;
    pull_x = x, pull_y = y;
  }
  if (point_count == 1) line_to(at, at->x, at->y);
  return path[0] == ' ' ? path + 1 : path;
}

int32_t pl_font_glyph(char character, pl_font_segment segments[PL_FONT_MAX_SEGMENTS], float *width) {
  if (character < ' ' || character > '~') character = '?';
  const char *path = glyphs[character - ' '];
  int widest = character == ' ' ? 2 : 0;
  if (character >= '0' && character <= '9') widest = DIGIT_WIDTH;
  for (const char *p = path; *p != '\0'; ++p)
    if (*p >= '0' && *p <= '9' && *p - '0' > widest) widest = *p - '0';
  *width = (float)widest * X_UNIT;
  pen at = {0, 0, segments, 0};
  while (*path != '\0') path = draw_stroke(&at, path);
  return at.count;
}
