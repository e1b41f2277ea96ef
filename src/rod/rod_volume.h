// Hair as a volume: a grid through which the chains of a body feel each other.
#ifndef PL_ROD_VOLUME_H
#define PL_ROD_VOLUME_H

#include "base/scratch.h"
#include "rod/rod_model.h"

typedef struct pl_rod_volume {
  pl_vec3 origin;  // of the first node
  double cell;     // between nodes, metres
  int32_t counts[3];
  pl_f4 *nodes;  // velocity (m/s) and mass (kg), x fastest
} pl_rod_volume;

// Masses in motion that fill a volume.
typedef struct pl_rod_volume_points {
  int32_t count;
  const pl_vec3 *positions, *velocities;  // velocities NULL: none
  const double *masses;                   // those of 0 are left out
} pl_rod_volume_points;

// The grid around the points, in the scratch. `anchor` is a node: what moves along with it sees the
// same grid. Cells are doubled until the grid has no more than 2^18 nodes. False when out of
// memory.
bool pl_rod_volume_fill(pl_scratch *scratch, const pl_rod_volume_points *points, pl_vec3 anchor,
                        double cell, pl_rod_volume *volume);

// Velocity and density (kg/m³) at a point, and how the density grows there.
typedef struct pl_rod_volume_sample {
  pl_vec3 velocity, gradient;
  double density;
} pl_rod_volume_sample;
pl_rod_volume_sample pl_rod_volume_at(const pl_rod_volume *volume, pl_vec3 position);

#endif
