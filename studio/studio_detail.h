// Bodies that show detail: what is told of them, which places of theirs are alike, and where they are pressed now.
#ifndef STUDIO_DETAIL_H
#define STUDIO_DETAIL_H

#include "pliant/detail.h"
#include "studio_message.h"

// Whether a body has detail at all, whether it is shown, its surface without, and what is to be told of it.
bool studio_detail_exists(const studio_world *world, int32_t body);
bool studio_detail_is_on(const studio_world *world, int32_t body);
bool studio_detail_get_coarse_surface(const studio_world *world, int32_t body, pl_vec3 *points);
void studio_detail_report(studio_world *world, studio_message *message, pl_json *object, int32_t body);

// The set of examples that a body shows; NULL for none.
const pl_detail_set *studio_detail_get_set(const studio_world *world, int32_t body);

// The contact with the largest load in the last step; false when nothing presses.
bool studio_detail_strongest_contact(const studio_world *world, int32_t body, pl_detail_contact_report *report);

// The ball under a viewer's mouse is a tool of all bodies, those with tools of their own included.
void studio_detail_set_tool(studio_world *world);

// Number of the segment of each surface point: places that are alike have the same; -1 on bodies without detail. Found once for each body, and remembered until the
// scene is built anew.
void studio_segments_fill(studio_world *world, int32_t body, double *numbers);
void studio_segments_clear(studio_world *world);

#endif
