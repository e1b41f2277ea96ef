// Boxes from the command line, x,y,z,x,y,z, and weights on the points inside one.
#ifndef TOOL_BOX_H
#define TOOL_BOX_H

#include "pliant/pliant.h"
#include "tool_options.h"

#define TOOL_WEIGHT_OPTION                                                                    \
  {                                                                                           \
    "weight", .kind = TOOL_TEXT, .value = "KG:X,Y,Z,X,Y,Z",                                   \
              .about =                                                                        \
                  "mass that the body carries in a box, such as one hung on its tip, spread " \
                  "evenly over the points inside"                                             \
  }

// Six numbers separated by commas; false if the text is something else.
bool tool_box_read(const char *text, double box[6]);

// Corners may be given in any order.
bool tool_box_contains(const double box[6], pl_vec3 point);

// Masses in kg, one per point, of a text as --weight takes it, to be freed. False on failure
// (printed).
bool tool_box_read_weight(const tool_session *tool, const char *text, const pl_mesh *mesh,
                          double **masses);

#endif
