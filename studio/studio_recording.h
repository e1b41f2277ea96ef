// Recordings that are opened like scenes: capture.json and the mesh of the object next to it become
// a scene with the object as scanned.
#ifndef STUDIO_RECORDING_H
#define STUDIO_RECORDING_H

#include "studio_world.h"

// Whether a document is a recording.
bool studio_document_is_recording(const studio_document *document);

// Replace the document of a recording by a scene of its object. Files next to it: static.vtu, the
// tets at rest under gravity; optionally surface.ply, the surface that cameras see, and held.csv,
// the fixed points. Problems of the recording go to `findings`.
pl_status studio_recording_make_scene(pl_context *context, studio_document *document,
                                      pl_findings *findings, pl_error *error);

// Path of a file next to a recording, to be freed by pl_release(); NULL if it does not exist or
// memory runs out.
char *studio_recording_find_file(pl_context *context, const char *capture, const char *name);

#endif
