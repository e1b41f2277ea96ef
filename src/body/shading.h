// A shading as the world reads it: the corners that make up each vertex's normal.
#ifndef PL_BODY_SHADING_H
#define PL_BODY_SHADING_H

#include "body/body_method.h"
#include "pliant/surface.h"

// A triangle's part in a normal.
typedef struct pl_shading_corner {
  int32_t triangle;
  float weight;  // angle of the corner in the rest shape, rad
} pl_shading_corner;

struct pl_shading {
  pl_arena arena;
  const pl_model *model;
  int32_t vertex_count;
  int32_t *point_of_vertex;    // vertex_count
  int32_t *triangles;          // 3 vertices each
  int32_t *group_of_vertex;    // vertices of one group share a normal; -1: of no triangle
  int32_t *corner_start;       // group count + 1
  pl_shading_corner *corners;  // of each group, triangles ascending
};

#endif
