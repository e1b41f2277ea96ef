// The colours of bodies, and of numbers.
//
// Ten colours that were chosen so that each differs from the next by lightness or along blue–yellow as well as by hue:
// neighbours stay at least 15 CIELAB units apart for protanopes and deuteranopes too (the test recomputes that).
#include "report/report_palette.h"

enum { COLOR_COUNT = 10 };

pl_color pl_palette_color(int32_t index) {
  static const pl_color colors[COLOR_COUNT] = {
      {0.910f, 0.435f, 0.365f},  // coral
      {0.130f, 0.575f, 0.610f},  // teal
      {0.955f, 0.715f, 0.290f},  // amber
      {0.345f, 0.395f, 0.720f},  // indigo
      {0.560f, 0.745f, 0.400f},  // leaf
      {0.615f, 0.300f, 0.520f},  // plum
      {0.500f, 0.755f, 0.905f},  // sky
      {0.300f, 0.345f, 0.405f},  // slate
      {0.955f, 0.655f, 0.690f},  // rose
      {0.480f, 0.315f, 0.205f},  // walnut
  };
  int32_t slot = index % COLOR_COUNT;
  return colors[slot < 0 ? slot + COLOR_COUNT : slot];
}

// Nine colours of the map "viridis" of van der Walt and Smith (2015), whose lightness grows evenly for all kinds of
// eyes.
pl_color pl_scale_color(double fraction) {
  enum { STEP_COUNT = 8 };
  static const pl_color colors[STEP_COUNT + 1] = {
      {0.267f, 0.005f, 0.329f}, {0.279f, 0.175f, 0.483f}, {0.230f, 0.322f, 0.546f},
      {0.173f, 0.449f, 0.558f}, {0.128f, 0.567f, 0.551f}, {0.154f, 0.681f, 0.504f},
      {0.369f, 0.789f, 0.383f}, {0.678f, 0.864f, 0.190f}, {0.993f, 0.906f, 0.144f},
  };
  double position = fraction > 0 ? fraction < 1 ? fraction * STEP_COUNT : STEP_COUNT : 0;
  int step = position < STEP_COUNT ? (int)position : STEP_COUNT - 1;
  float part = (float)(position - step);
  const pl_color *a = &colors[step], *b = &colors[step + 1];
  return (pl_color){a->r + part * (b->r - a->r), a->g + part * (b->g - a->g), a->b + part * (b->b - a->b)};
}
