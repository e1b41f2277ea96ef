// The tags of an XML file one after the other: enough for data files. No schema, no external
// entities; places are byte offsets.
#ifndef PL_IO_XML_CURSOR_H
#define PL_IO_XML_CURSOR_H

#include "base/vector.h"
#include "text/text_cursor.h"

typedef struct pl_xml_cursor {
  const pl_mesh_source *source;
  const char *at, *end;
} pl_xml_cursor;

// A start tag, an end tag or both (<a/>).
typedef struct pl_xml_tag {
  pl_word name;
  pl_word attributes;  // the text between name and end of the tag
  size_t offset;
  bool is_end, is_empty;
  bool is_last;  // there was no tag any more
} pl_xml_tag;

pl_xml_cursor pl_xml_cursor_of(const pl_mesh_source *source);

// Go to the next tag, passing text, comments, CDATA, declarations and processing instructions.
pl_status pl_xml_take_tag(pl_xml_cursor *cursor, pl_xml_tag *tag);

// Value of an attribute with entities decoded, cut to fit; false if it is not there.
bool pl_xml_attribute(const pl_xml_tag *tag, const char *name, char *value, size_t size);

// Append the text of content [begin, end) to `text` (char): comments left out, CDATA opened,
// entities decoded. False when out of memory.
bool pl_xml_append_text(const char *begin, const char *end, pl_vector *text);

#endif
