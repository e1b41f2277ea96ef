// Setting and drawing the caption.
//
// The pen's paths give, for every pixel near the text, its distance from the nearest stroke. From that one field come
// both the letters (covered where the distance is less than half the pen, with one pixel of transition) and the soft
// halo that keeps them legible over any picture. Text is dark over a light picture and light over a dark one. Drawn on
// the processor: a few thousand pixels are not worth a program of their own.
#include "render/render_caption.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "render/render_font.h"

#define PEN_RADIUS 0.46f  // font units
#define HALO 2.6f         // font units beyond the pen
#define MIN_UNIT 0.9f

// The nearest ASCII of U+00C0 to U+00FF.
static const char latin_letters[65] = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty";

typedef struct near_text {
  uint32_t code;
  const char *text;
} near_text;

static const near_text near_texts[] = {
    {0xA0, " "},     {0xB0, " deg"},   {0xB1, "+-"},     {0xB2, "2"},     {0xB3, "3"},    {0xB5, "u"},
    {0xB7, "."},     {0xBD, "1/2"},    {0x2010, "-"},    {0x2011, "-"},   {0x2012, "-"},  {0x2013, "-"},
    {0x2014, "-"},   {0x2018, "'"},    {0x2019, "'"},    {0x201C, "\""},  {0x201D, "\""}, {0x2022, "*"},
    {0x2026, "..."}, {0x202F, " "},    {0x2190, "<-"},   {0x2192, "->"},  {0x2212, "-"},  {0x2264, "<="},
    {0x2265, ">="},  {0x2248, "~"},    {0x3B1, "alpha"}, {0x3B2, "beta"}, {0x3BC, "u"},   {0x3BD, "nu"},
    {0x3C1, "rho"},  {0x394, "Delta"},
};

// Decode one character of UTF-8 and step over it; what is not UTF-8 gives 0xFFFD and steps over one byte.
static uint32_t next_code(const char **text) {
  const unsigned char *p = (const unsigned char *)*text;
  int more = p[0] < 0x80                   ? 0
             : p[0] >= 0xC2 && p[0] < 0xE0 ? 1
             : p[0] >= 0xE0 && p[0] < 0xF0 ? 2
             : p[0] >= 0xF0 && p[0] < 0xF5 ? 3
                                           : -1;
  uint32_t code = more <= 0 ? p[0] : p[0] & (0x3Fu >> more);
  for (int i = 1; i <= more; ++i) {
    // The terminating zero fails this test too, so a cut-off character never reads past the end.
    if ((p[i] & 0xC0) != 0x80) {
      more = -1;
      break;
    }
    code = code << 6 | (p[i] & 0x3Fu);
  }
  *text += more < 0 ? 1 : more + 1;
  return more < 0 ? 0xFFFD : code;
}

// `text` in the characters of the font and line breaks; NULL when out of memory.
static char *to_ascii(pl_scratch *scratch, const char *text) {
  // The longest replacement has five characters, for at least two bytes.
  char *ascii = PL_SCRATCH(scratch, char, 3 * strlen(text) + 8);
  if (ascii == NULL) return NULL;
  char *to = ascii;
  while (*text != '\0') {
    uint32_t code = next_code(&text);
    const char *near = NULL;
    for (size_t i = 0; i < sizeof near_texts / sizeof near_texts[0]; ++i)
      if (near_texts[i].code == code) near = near_texts[i].text;
    if (near != NULL) {
      size_t length = strlen(near);
      memcpy(to, near, length);
      to += length;
    } else if (code == '\n' || (code >= ' ' && code <= '~')) {
      *to++ = (char)code;
    } else if (code == '\t') {
      *to++ = ' ';
    } else if (code >= 0xC0 && code <= 0xFF) {
      *to++ = latin_letters[code - 0xC0];
    } else if (code >= ' ' && code != 0x7F && !(code >= 0x300 && code < 0x370)) {
      *to++ = '?';  // accents that stand behind their letter are left out, like control characters
    }
  }
  *to = '\0';
  return ascii;
}

// The rectangle of the picture that the text may touch, and the field of distances over it.
typedef struct caption {
  float unit;  // pixels a font unit
  float x, y;  // pen of the last line's baseline, pixels from the left and from the top
  int32_t left, top, right, bottom;
  float *distances;  // (right - left) * (bottom - top)
} caption;

static float line_width(const char *text, size_t length) {
  float sum = 0, width;
  pl_font_segment segments[PL_FONT_MAX_SEGMENTS];
  for (size_t i = 0; i < length; ++i) {
    pl_font_glyph(text[i], segments, &width);
    sum += width + (i > 0 ? PL_FONT_GAP : 0);
  }
  return sum;
}

static void draw_segment(caption *self, float x0, float y0, float x1, float y1) {
  float reach = (PEN_RADIUS + HALO) * self->unit + 1;
  int32_t left = (int32_t)fmaxf(floorf(fminf(x0, x1) - reach), (float)self->left);
  int32_t right = (int32_t)fminf(ceilf(fmaxf(x0, x1) + reach), (float)self->right);
  int32_t top = (int32_t)fmaxf(floorf(fminf(y0, y1) - reach), (float)self->top);
  int32_t bottom = (int32_t)fminf(ceilf(fmaxf(y0, y1) + reach), (float)self->bottom);
  float dx = x1 - x0, dy = y1 - y0, squared = dx * dx + dy * dy;
  for (int32_t y = top; y < bottom; ++y) {
    for (int32_t x = left; x < right; ++x) {
      float px = (float)x + 0.5f - x0, py = (float)y + 0.5f - y0;
      float t = squared > 0 ? fminf(fmaxf((px * dx + py * dy) / squared, 0), 1) : 0;
      float away = hypotf(px - t * dx, py - t * dy);
      float *nearest =
          &self->distances[(size_t)(y - self->top) * (size_t)(self->right - self->left) + (size_t)(x - self->left)];
      *nearest = fminf(*nearest, away);
    }
  }
}

static void draw_line(caption *self, const char *text, size_t length, float baseline) {
  float pen = self->x;
  for (size_t i = 0; i < length && pen < (float)self->right; ++i) {
    pl_font_segment segments[PL_FONT_MAX_SEGMENTS];
    float width;
    int32_t count = pl_font_glyph(text[i], segments, &width);
    for (int32_t k = 0; k < count; ++k)
      draw_segment(self, pen + segments[k].x0 * self->unit, baseline - segments[k].y0 * self->unit,
                   pen + segments[k].x1 * self->unit, baseline - segments[k].y1 * self->unit);
    pen += (width + PL_FONT_GAP) * self->unit;
  }
}

// Whether the picture under the text is rather light.
static bool is_light(const caption *self, const uint8_t *rgb, int32_t width) {
  double sum = 0, count = 0;
  for (int32_t y = self->top; y < self->bottom; ++y)
    for (int32_t x = self->left; x < self->right; ++x, count += 1) {
      const uint8_t *p = rgb + ((size_t)y * (size_t)width + (size_t)x) * 3;
      sum += 0.3 * p[0] + 0.59 * p[1] + 0.11 * p[2];
    }
  return sum >= 128 * count;
}

static void blend(const caption *self, uint8_t *rgb, int32_t width) {
  static const float dark[3] = {43, 49, 58}, light[3] = {255, 255, 255};
  bool on_light = is_light(self, rgb, width);
  const float *ink = on_light ? dark : light, *halo = on_light ? light : dark;
  float radius = PEN_RADIUS * self->unit, fade = HALO * self->unit;
  for (int32_t y = self->top; y < self->bottom; ++y) {
    for (int32_t x = self->left; x < self->right; ++x) {
      float away =
          self->distances[(size_t)(y - self->top) * (size_t)(self->right - self->left) + (size_t)(x - self->left)];
      float glow = fmaxf(1 - fmaxf(away - radius, 0) / fade, 0);
      glow = 0.55f * glow * glow;
      float cover = fminf(fmaxf(radius + 0.5f - away, 0), 1);
      uint8_t *p = rgb + ((size_t)y * (size_t)width + (size_t)x) * 3;
      for (int c = 0; c < 3; ++c) {
        float under = (float)p[c] + (halo[c] - (float)p[c]) * glow;
        p[c] = (uint8_t)(under + (ink[c] - under) * cover + 0.5f);
      }
    }
  }
}

// Size and place of the text: about a fiftieth of the height for capitals, less when the widest line would not fit.
static bool lay_out(caption *self, const char *ascii, int32_t width, int32_t height, int32_t *line_count) {
  float widest = 0;
  *line_count = 0;
  for (const char *line = ascii;; ++line) {
    size_t length = strcspn(line, "\n");
    widest = fmaxf(widest, line_width(line, length));
    ++*line_count;
    line += length;
    if (*line == '\0') break;
  }
  if (widest <= 0) return false;
  float margin = 0.035f * (float)(height < width ? height : width);
  float unit = fmaxf((float)height / 330.0f, 1.15f);
  unit = fmaxf(fminf(unit, ((float)width - 2 * margin) / widest), MIN_UNIT);
  float reach = (PEN_RADIUS + HALO) * unit + 1;
  self->unit = unit;
  self->x = margin + PEN_RADIUS * unit;
  self->y = (float)height - margin - PL_FONT_DESCENT * 0.5f * unit;
  float rise = ((float)(*line_count - 1) * PL_FONT_LINE + PL_FONT_CAPITAL + 1) * unit;
  self->left = (int32_t)fmaxf(floorf(self->x - reach), 0);
  self->right = (int32_t)fminf(ceilf(self->x + widest * unit + reach), (float)width);
  self->top = (int32_t)fmaxf(floorf(self->y - rise - reach), 0);
  self->bottom = (int32_t)fminf(ceilf(self->y + PL_FONT_DESCENT * unit + reach), (float)height);
  return self->left < self->right && self->top < self->bottom;
}

pl_status pl_caption_draw(pl_scratch *scratch, const char *text, uint8_t *rgb, int32_t width, int32_t height,
                          pl_error *error) {
  pl_scratch_mark mark = pl_scratch_push(scratch);
  pl_status status = PL_OK;
  caption self;
  int32_t line_count = 0;
  char *ascii = to_ascii(scratch, text);
  if (ascii == NULL) {
    status = pl_fail_memory(error);
  } else if (lay_out(&self, ascii, width, height, &line_count)) {
    size_t pixel_count = (size_t)(self.right - self.left) * (size_t)(self.bottom - self.top);
    self.distances = PL_SCRATCH(scratch, float, pixel_count);
    if (self.distances == NULL) {
      status = pl_fail_memory(error);
    } else {
      for (size_t i = 0; i < pixel_count; ++i) self.distances[i] = INFINITY;
      const char *line = ascii;
      for (int32_t i = 0; i < line_count; ++i) {
        size_t length = strcspn(line, "\n");
        draw_line(&self, line, length, self.y - (float)(line_count - 1 - i) * PL_FONT_LINE * self.unit);
        line += length + 1;
      }
      blend(&self, rgb, width);
    }
  }
  pl_scratch_pop(scratch, mark);
  return status;
}
