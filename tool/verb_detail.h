// Actions of `pliant detail`.
#ifndef VERB_DETAIL_H
#define VERB_DETAIL_H

#include "info_sheet.h"
#include "tool_open.h"

// Sites that `cover` names when it is not told how many.
#define DETAIL_COVER_COUNT 3

// Simulate a recipe, build the set and print its quality (verb_detail_record.c).
int detail_record(const tool_session *tool, const tool_arguments *arguments, pl_context *context);

// Add a captured or modelled surface to a set (verb_detail_add.c).
int detail_add(const tool_session *tool, const tool_arguments *arguments, pl_context *context);

// What is in a set (verb_detail_survey.c).
int detail_info(const tool_session *tool, const tool_arguments *arguments, pl_context *context);

// Its rows; prints what goes wrong (verb_detail_survey.c).
bool detail_show_set(const tool_session *tool, pl_context *context, const char *path,
                     info_sheet *sheet);

// Similar sites, and sites without a similar example, painted on a surface (verb_detail_survey.c).
int detail_segment(const tool_session *tool, const tool_arguments *arguments, pl_context *context);
int detail_cover(const tool_session *tool, const tool_arguments *arguments, pl_context *context);

// Frames of a simulation with detail (verb_detail_enrich.c).
int detail_enrich(const tool_session *tool, const tool_arguments *arguments, pl_context *context);

// A surface with the tets it sits in: from a file with tets their boundary, else a lattice around
// the file's triangles.
typedef struct detail_body {
  pl_mesh *tets, *surface;
  pl_embedding *embedding;  // of the surface in the tets; NULL for a boundary
  int32_t *material;        // tet point that each surface point hangs on most
  pl_detail_object object;
} detail_body;

// Open one; prints what goes wrong (verb_detail_survey.c).
bool detail_body_open(const tool_session *tool, const tool_arguments *arguments,
                      pl_context *context, const char *path, detail_body *body, bool *remarks);
void detail_body_close(detail_body *body);

#endif
