// Recordings that are opened like scenes: a capture.json with the object beside it becomes a scene in which the object stands as it was scanned.
#ifndef STUDIO_RECORDING_H
#define STUDIO_RECORDING_H

#include "studio_world.h"

// Whether a document that was read is one of a recording.
bool studio_document_is_recording(const studio_document *document);

// Put the scene of the object in its place: static.vtu beside it, the tets at rest in gravity; surface.ply, what cameras see of them, and held.csv, the points that stay, where
// they are there. What is wrong with the recording goes to `findings`.
pl_status studio_recording_make_scene(pl_context *context, studio_document *document, pl_findings *findings, pl_error *error);

// A file beside a recording, to be given to pl_release(); NULL when it is not there or out of memory.
char *studio_recording_find_file(pl_context *context, const char *capture, const char *name);

#endif
