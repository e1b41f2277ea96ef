// The surfaces of one picture as the graphics processor takes them: checked, moved to the origin,
// in single precision, with normals.
#ifndef PL_RENDER_RENDER_SCENE_H
#define PL_RENDER_RENDER_SCENE_H

#include "base/scratch.h"
#include "pliant/picture.h"

enum { PL_VERTEX_FLOATS = 12 };

// What is drawn of one item.
typedef struct pl_render_part {
  uint32_t index_start, index_count;  // in `indices`
  int side;        // 1: closed with the normals outwards, -1: closed and inside out, 0: open
  pl_box box;      // of its points, relative to the scene's origin
  bool has_holes;  // some of its materials let light through by alpha
} pl_render_part;

// Triangles of one item with one material.
typedef struct pl_render_batch {
  int32_t item;
  uint32_t index_start, index_count;       // in `indices`
  const pl_appearance_material *material;  // NULL: that of items without one
  const pl_appearance_image *images;       // that the material counts from; NULL: none
} pl_render_batch;

typedef struct pl_render_scene {
  pl_vec3 origin;  // metres; everything below is relative to it, so that single precision does far
                   // from the world's origin
  pl_box box;      // of all points, relative to `origin`; the point 0 when there are none
  float *points;   // 3 each: all points of all items, for the depth maps
  uint32_t *corners;      // 3 each: triangles of those points
  float *vertices;        // PL_VERTEX_FLOATS each: position, unit normal, linear colour with alpha,
                          // texture coordinates
  uint32_t *indices;      // 3 each: triangles of those vertices
  pl_render_part *parts;  // one per item
  pl_render_batch *batches;
  int32_t batch_count;
  uint32_t point_count, corner_count, vertex_count, index_count;
} pl_render_scene;

// Light of a colour as an artist picks it: sRGB without its curve.
pl_vec3 pl_linear_color(pl_color color);

// Check the items and prepare them; all memory is taken from `scratch`. PL_ERROR_INVALID_ARGUMENT
// or PL_ERROR_INVALID_DATA with a field such as `items[2].triangles` when an item is wrong.
pl_status pl_render_scene_build(pl_scratch *scratch, const pl_picture_item *items,
                                int32_t item_count, pl_render_scene *scene, pl_error *error);

#endif
