// Appearances and materials as a renderer takes them: checked before anything is drawn.
#ifndef PL_RENDER_RENDER_APPEARANCE_H
#define PL_RENDER_RENDER_APPEARANCE_H

#include "pliant/picture.h"

// Every index of the appearance of an item inside its list, as many triangles as the item has, and
// its materials in range. PL_ERROR_INVALID_DATA with a field such as `items[2].appearance.points`.
pl_status pl_render_check_appearance(const pl_picture_item *item, int32_t number, pl_error *error);

#endif
