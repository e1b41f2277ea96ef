// Bodies with detail: their telemetry, their segments of similar shape, and their contacts.
#ifndef STUDIO_DETAIL_H
#define STUDIO_DETAIL_H

#include "pliant/detail.h"
#include "studio_message.h"

// Whether a body has detail, whether it is shown, the surface without detail, and the telemetry.
bool studio_detail_exists(const studio_world *world, int32_t body);
bool studio_detail_is_on(const studio_world *world, int32_t body);
bool studio_detail_get_coarse_surface(const studio_world *world, int32_t body, pl_vec3 *points);
void studio_detail_report(studio_world *world, studio_message *message, pl_json *object,
                          int32_t body);

// The set of examples of a body; NULL: none.
const pl_detail_set *studio_detail_get_set(const studio_world *world, int32_t body);

// The contact with the largest load in the last step; false if there is no contact.
bool studio_detail_strongest_contact(const studio_world *world, int32_t body,
                                     pl_detail_contact_report *report);

// Let the tool of the viewers (studio_tool.h) leave detail on all bodies, including those that have
// tools in the scene.
void studio_detail_set_tool(studio_world *world);

// Number of the segment of each surface point: points with similar surroundings share a segment; -1
// on bodies without detail. Computed once for each body and cached until another scene is
// installed.
void studio_segments_fill(studio_world *world, int32_t body, double *numbers);
void studio_segments_clear(studio_world *world);

#endif
