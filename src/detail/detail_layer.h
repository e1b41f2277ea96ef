// What a layer of detail and a recorder of detail must see alike: the body as an object of
// pliant/detail.h, and the contact that a tool makes.
#ifndef PL_DETAIL_LAYER_H
#define PL_DETAIL_LAYER_H

#include "base/arena.h"
#include "contact/contact.h"
#include "pliant/detail.h"

// The object of a model and the tets it was built from: tets are borrowed, the model's surface at
// rest is in the arena. False when out of memory.
bool pl_model_detail_object(pl_arena *arena, const pl_model *model, const pl_mesh *mesh,
                            pl_detail_object *object);

// The contact of a tool with a surface, whose points are given, as both are now; false if it
// touches nothing. Points closer to the tool than `limit` are touched, and of triangles that are
// closer than all their corners one corner: `patch`, with one slot per point, receives which, and
// the contact borrows it.
bool pl_world_find_touch(const pl_world *world, pl_collider_id tool, double limit,
                         const pl_contact_surface *surface, const pl_vec3 *points, int32_t *patch,
                         pl_detail_contact *contact);

// Let one collider more count as a tool from the next step on, whatever the layer was made for; a
// null id: none. For a hand that comes and goes.
void pl_detail_layer_set_hand(pl_detail_layer *layer, pl_collider_id hand);

// Weights that the examples had at contact number `contact` of the last step, as
// pl_detail_filter_get_weights().
void pl_detail_layer_get_weights(const pl_detail_layer *layer, int32_t contact, double *weights);

#endif
