// The JSON document of a scene, with the changes of the viewers.
//
// The tree is that of the file, so everything that was not changed stays as the author wrote it:
// units, order, defaults. Numbers from viewers are SI and are converted to the unit of length of
// the document.
#ifndef STUDIO_DOCUMENT_H
#define STUDIO_DOCUMENT_H

#include "studio_world.h"

// Load a file, or parse a text. Problems of the text go to `findings`.
pl_status studio_document_read(pl_context *context, const char *path, pl_findings *findings,
                               studio_document *document, pl_error *error);
pl_status studio_document_parse(pl_context *context, const char *text, size_t size,
                                const char *name, pl_findings *findings, studio_document *document,
                                pl_error *error);
void studio_document_free(pl_context *context, studio_document *document);

// Append the document as text.
pl_status studio_document_text(const studio_document *document, pl_vector *text, pl_error *error);

// Copy the document, to change the copy: it replaces the original once its scene is built.
pl_status studio_document_copy(pl_context *context, const studio_document *from,
                               studio_document *copy, pl_error *error);

// Write the document to a file. In another folder its relative paths become absolute.
pl_status studio_document_save(pl_context *context, const studio_document *document,
                               const char *path, pl_error *error);

// The unit of length of the document, m.
double studio_document_unit(const studio_document *document);

// Member `key` of an object, added if it is missing; NULL: out of memory, or the member is of
// another kind.
pl_json *studio_document_object(studio_document *document, pl_json *object, const char *key,
                                pl_json_kind kind);
pl_json *studio_document_body(const studio_document *document, int32_t index);

#endif
