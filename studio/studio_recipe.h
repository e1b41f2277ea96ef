// Recipes of detail: scenes with a `recording`, from which examples were recorded and more can be.
#ifndef STUDIO_RECIPE_H
#define STUDIO_RECIPE_H

#include "studio_document.h"

// Whether a recipe records the body of that number in the open document. A place on the one is a place on the other only if both have one mesh and one lattice, in one unit.
bool studio_recipe_matches(studio_world *world, const studio_document *recipe, int32_t source);

// Let it record one touch and none of its own: at a place in the frame of the mesh (m), in the direction of its first touch, and as deep as that times `strength`.
pl_status studio_recipe_set_touch(studio_document *recipe, pl_vec3 position, double strength, const char *label, pl_error *error);

#endif
