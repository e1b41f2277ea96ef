// Recipes of detail: scenes with a `recording`, from which examples are recorded.
#ifndef STUDIO_RECIPE_H
#define STUDIO_RECIPE_H

#include "studio_document.h"

// Whether a recipe can record examples for body `source` of the open document: both need the same
// mesh, the same lattice and the same unit, so that positions on one are valid on the other.
bool studio_recipe_matches(studio_world *world, const studio_document *recipe, int32_t source);

// Replace the touches of the recipe by one: at `position` in the frame of the mesh (m), with the
// direction of its first touch, and its depth times `strength`.
pl_status studio_recipe_set_touch(studio_document *recipe, pl_vec3 position, double strength,
                                  const char *label, pl_error *error);

#endif
