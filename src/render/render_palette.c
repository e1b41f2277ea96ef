// The colours of bodies.
//
// Ten colours that were chosen so that each is told from the next by lightness or along blue–yellow as well as by hue: neighbours
// stay at least 15 CIELAB units apart for protanopes and deuteranopes too (the test recomputes that).
#include "pliant/picture.h"

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
  int32_t place = index % COLOR_COUNT;
  return colors[place < 0 ? place + COLOR_COUNT : place];
}
