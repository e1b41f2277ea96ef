// Colours of our programs: of bodies, and of numbers on surfaces.
#ifndef PL_REPORT_PALETTE_H
#define PL_REPORT_PALETTE_H

#include "pliant/picture.h"

// Colour number `index` of a palette whose neighbours are easy to distinguish, also for
// colour-blind viewers. Any index; the palette repeats.
pl_color pl_palette_color(int32_t index);

// Colour of a number from 0 to 1: from dark blue through green to yellow with evenly rising
// lightness, so that it is also readable in grey. Numbers outside have the colours of the ends.
pl_color pl_scale_color(double fraction);

#endif
