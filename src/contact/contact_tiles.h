// Where the bodies of a large heap are, as tiles of a grid: pairs of bodies in different places may
// be swept at the same time.
//
//   tile of a body    where its centre is, in a grid across the two longer sides of the heap
//   tile of a pair    the lower of those of its bodies in either direction, if these are the same
//                     or neighbours; the bodies lie in this tile and the three beyond it
//
// So pairs of two tiles share no body if both numbers of these have the same parity: all pairs are
// swept in four phases, and within a tile one after the other by one thread, in whose cache the
// few bodies of it stay.
#ifndef PL_CONTACT_TILES_H
#define PL_CONTACT_TILES_H

#include "contact/surface_motion.h"

// At most this many tiles. Four phases, by the parity of both numbers of a tile.
enum { PL_TILES = 4096, PL_TILE_PHASES = 4 };

typedef struct pl_contact_tiles {
  int axes[2];  // directions of the grid: 0, 1 or 2
  double origin[2], inverse_size;
  int32_t counts[2];
} pl_contact_tiles;

// Lay a grid over boxes, of which `is_used` says which count. Tiles are about two bodies wide.
// False if there are too few to be worth it.
bool pl_contact_tiles_lay(const pl_box *boxes, const bool *is_used, int32_t count,
                          pl_contact_tiles *tiles);

// The place of a box in the grid: of each direction the number of its tile.
typedef struct pl_tile_place {
  int16_t numbers[2];
} pl_tile_place;
pl_tile_place pl_contact_tiles_place(const pl_contact_tiles *tiles, const pl_box *box);

// The tile of a pair; -1 if its bodies are too far apart.
static inline int32_t pl_contact_tiles_find(const pl_contact_tiles *tiles, pl_tile_place a,
                                            pl_tile_place b) {
  int32_t low[2];
  for (int k = 0; k < 2; ++k) {
    int32_t way = a.numbers[k] - b.numbers[k];
    if (way < -1 || way > 1) return -1;
    low[k] = way < 0 ? a.numbers[k] : b.numbers[k];
  }
  return low[0] * tiles->counts[1] + low[1];
}

// The phase of a tile.
static inline int pl_contact_tiles_phase(const pl_contact_tiles *tiles, int32_t tile) {
  return 2 * (tile / tiles->counts[1] % 2) + tile % tiles->counts[1] % 2;
}

#endif
