// The document of a scene as it was opened, with what viewers changed in it.
//
// The tree is that of the file, so what nobody touched stays as its author wrote it: units, order, defaults. Numbers that come from viewers are SI and are put into the
// author's unit of length.
#ifndef STUDIO_DOCUMENT_H
#define STUDIO_DOCUMENT_H

#include "studio_world.h"

// Read a file, or take a text. Problems of the text go to `findings`.
pl_status studio_document_read(pl_context *context, const char *path, pl_findings *findings, studio_document *document,
                               pl_error *error);
pl_status studio_document_parse(pl_context *context, const char *text, size_t size, const char *name, pl_findings *findings,
                                studio_document *document, pl_error *error);
void studio_document_free(pl_context *context, studio_document *document);

// The document as text.
pl_status studio_document_text(const studio_document *document, pl_vector *text, pl_error *error);

// A copy to be changed: the changed one takes the place of the old when it turns out to be sound.
pl_status studio_document_copy(pl_context *context, const studio_document *from, studio_document *copy, pl_error *error);

// Write it to a file. Where that stands in another folder, relative paths in it become absolute.
pl_status studio_document_save(pl_context *context, const studio_document *document, const char *path, pl_error *error);

// Metres of its unit of length.
double studio_document_unit(const studio_document *document);

// Member `key` of an object, made if it is missing; NULL when out of memory or when it is of another kind.
pl_json *studio_document_object(studio_document *document, pl_json *object, const char *key, pl_json_kind kind);
pl_json *studio_document_body(const studio_document *document, int32_t index);

#endif
