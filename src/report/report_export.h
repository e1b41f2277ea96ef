// Files that our programs write for other programs.
#ifndef PL_REPORT_EXPORT_H
#define PL_REPORT_EXPORT_H

#include "pliant/mesh.h"
#include "pliant/picture.h"
#include "report/report.h"

// Save a surface with a colour at each of its points as a PLY file.
pl_status pl_painted_surface_save(pl_context *context, const char *path, const pl_mesh *surface,
                                  const pl_color *colors, pl_error *error);

// Save an embedding as a CSV file, one line per point: its index, the four mesh points it is
// embedded in, and their weights.
pl_status pl_embedding_save(pl_context *context, const char *path, const pl_embedding *embedding,
                            pl_error *error);

// Save charts below each other as one SVG file, each with its title and the names of its curves.
pl_status pl_charts_save(pl_context *context, const char *path, const pl_report_chart *charts,
                         int32_t count, pl_error *error);

#endif
