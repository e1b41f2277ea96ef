// Shared by the parts of pl_mesh_check(): the kinds of trouble with their sentences, and the count
// of findings of each kind.
#ifndef PL_MESH_CHECK_H
#define PL_MESH_CHECK_H

#include "base/arena.h"
#include "base/finding.h"
#include "pliant/mesh.h"

typedef enum pl_trouble {
  PL_TROUBLE_EMPTY,
  PL_TROUBLE_INVERTED_TET,
  PL_TROUBLE_FLAT_TET,
  PL_TROUBLE_FLAT_TRIANGLE,
  PL_TROUBLE_FLAT_SEGMENT,
  PL_TROUBLE_DUPLICATE,
  PL_TROUBLE_COINCIDENT,
  PL_TROUBLE_ISOLATED,
  PL_TROUBLE_PIECES,
  PL_TROUBLE_TET_PIECES,
  PL_TROUBLE_OPEN_EDGE,
  PL_TROUBLE_CROWDED_EDGE,
  PL_TROUBLE_FLIPPED_EDGE,
  PL_TROUBLE_INSIDE_OUT,
  PL_TROUBLE_COUNT
} pl_trouble;

typedef struct pl_check {
  pl_mesh_view view;
  pl_findings *findings;             // may be NULL
  pl_mesh_check_report report;       // counts so far
  int32_t counts[PL_TROUBLE_COUNT];  // of each kind so far
  bool is_doubtful;                  // some kind was a warning or worse
  bool failed;                       // out of memory
  pl_arena arena;                    // for tables while checking
} pl_check;

// Count a trouble. True when it is among the first few of its kind: then `where` is filled and the
// caller says what it sees through PL_CHECK_SAY().
bool pl_check_count(pl_check *check, pl_trouble trouble, int32_t index, pl_vec3 position,
                    pl_finding *where);

// Add the finding `where` with a formatted sentence about what is there.
#define PL_CHECK_REPORT(check, where, ...) \
  ((check)->failed =                       \
       (check)->failed || pl_findings_addf((check)->findings, (where), __VA_ARGS__) < 0)

// Edges of the triangles, and closed pieces that are inside out. False when out of memory.
bool pl_check_surface(pl_check *check);

#endif
