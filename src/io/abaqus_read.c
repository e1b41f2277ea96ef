// Abaqus and CalculiX input (.inp): lines of numbers between commas under keywords that begin with an asterisk. Read
// are *NODE and *ELEMENT, with the sets that an *ELEMENT line names as groups; everything else (materials, steps,
// loads) is passed over. The numbers of one element may go on in the next line where a line ends with a comma.
//
// Parts and instances are not resolved: a file with several parts has their nodes under the same numbers, which is
// refused. Two asterisks begin a comment.
#include <string.h>

#include "io/index_map.h"
#include "io/mesh_formats.h"
#include "text/text_cursor.h"

enum { MAX_NODES = 20 };

static const struct {
  const char *prefix;
  pl_cell_kind kind;
  unsigned char corner_count, node_count;
} types[] = {
    {"C3D10", PL_CELL_TET, 4, 10},   {"C3D20", PL_CELL_HEX, 8, 20},     {"C3D15", PL_CELL_PRISM, 6, 15},
    {"C3D4", PL_CELL_TET, 4, 4},     {"C3D8", PL_CELL_HEX, 8, 8},       {"C3D6", PL_CELL_PRISM, 6, 6},
    {"C3D5", PL_CELL_PYRAMID, 5, 5}, {"STRI3", PL_CELL_TRIANGLE, 3, 3}, {"S3", PL_CELL_TRIANGLE, 3, 3},
    {"S4", PL_CELL_QUAD, 4, 4},      {"S6", PL_CELL_TRIANGLE, 3, 6},    {"S8", PL_CELL_QUAD, 4, 8},
    {"T3D2", PL_CELL_SEGMENT, 2, 2}, {"B31", PL_CELL_SEGMENT, 2, 2},
};

typedef struct abaqus_reader {
  pl_mesh_source *source;
  pl_mesh_builder *builder;
  const char *at, *end;
  pl_index_map nodes;
} abaqus_reader;

static size_t offset_of(const abaqus_reader *r, const char *at) {
  return (size_t)(at - (const char *)r->source->bytes);
}

static char upper(char c) {
  return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool begins(const char *at, const char *end, const char *word) {
  for (; *word != '\0'; ++word, ++at)
    if (at >= end || upper(*at) != *word) return false;
  return true;
}

static const char *line_end(const abaqus_reader *r, const char *at) {
  const char *found = memchr(at, '\n', (size_t)(r->end - at));
  return found != NULL ? found : r->end;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// The value of `NAME=` in a keyword line; empty if there is none.
static pl_word option_of(const char *at, const char *end, const char *name) {
  for (; at < end; ++at) {
    if (*at != ',') continue;
    const char *word = at + 1;
    while (word < end && is_blank(*word)) ++word;
    if (!begins(word, end, name)) continue;
    word += strlen(name);
    while (word < end && is_blank(*word)) ++word;
    if (word >= end || *word != '=') continue;
    ++word;
    while (word < end && is_blank(*word)) ++word;
    const char *stop = word;
    while (stop < end && *stop != ',' && !is_blank(*stop)) ++stop;
    return (pl_word){word, (size_t)(stop - word)};
  }
  return (pl_word){at, 0};
}

// The next field of a line as a word; false at its end.
static bool take_field(const char **at, const char *end, pl_word *field) {
  while (*at < end && is_blank(**at)) ++*at;
  if (*at >= end) return false;
  const char *stop = *at;
  while (stop < end && *stop != ',') ++stop;
  const char *last = stop;
  while (last > *at && is_blank(last[-1])) --last;
  *field = (pl_word){*at, (size_t)(last - *at)};
  *at = stop < end ? stop + 1 : stop;
  return true;
}

static pl_status fail_number(const abaqus_reader *r, pl_word field) {
  char shown[PL_SHOWN_SIZE];
  return pl_source_fail(r->source, offset_of(r, field.text), "\"%s\" stands where a number should",
                        pl_word_show(field, shown));
}

static pl_status read_nodes(abaqus_reader *r) {
  while (r->at < r->end && *r->at != '*') {
    const char *end = line_end(r, r->at), *at = r->at;
    pl_word field;
    r->at = end < r->end ? end + 1 : end;
    if (!take_field(&at, end, &field)) continue;
    size_t offset = offset_of(r, field.text);
    int64_t number;
    double c[3] = {0, 0, 0};
    if (!pl_word_integer(field, &number)) return fail_number(r, field);
    for (int i = 0; i < 3 && take_field(&at, end, &field); ++i)
      if (!pl_word_number(field, &c[i])) return fail_number(r, field);
    int32_t index = (int32_t)r->builder->points.count;
    pl_status status = pl_builder_add_point(r->builder, (pl_vec3){c[0], c[1], c[2]}, offset);
    if (status < 0) return status;
    bool is_new;
    if (!pl_index_map_put(&r->nodes, number, index, &is_new)) return pl_source_fail_memory(r->source);
    if (!is_new) return pl_source_fail(r->source, offset, "node %lld is there twice", (long long)number);
  }
  return PL_OK;
}

// Numbers of one element, over as many lines as it has; the first is its own.
static pl_status read_element(abaqus_reader *r, size_t type, bool *found) {
  int64_t nodes[MAX_NODES];
  int wanted = types[type].node_count, count = -1;
  size_t offset = 0;
  *found = false;
  while (count < wanted && r->at < r->end && *r->at != '*') {
    const char *end = line_end(r, r->at), *at = r->at;
    pl_word field;
    r->at = end < r->end ? end + 1 : end;
    while (count < wanted && take_field(&at, end, &field)) {
      int64_t number;
      if (!pl_word_integer(field, &number)) return fail_number(r, field);
      if (count++ < 0) {
        offset = offset_of(r, field.text);
        continue;
      }
      nodes[count - 1] = pl_index_map_get(&r->nodes, number);
      if (nodes[count - 1] < 0)
        return pl_source_fail(r->source, offset, "this element names node %lld, which is not among the nodes before it",
                              (long long)number);
    }
  }
  if (count < 0) return PL_OK;
  if (count < wanted)
    return pl_source_fail(r->source, offset, "an element of type %s has %d nodes; here are %d", types[type].prefix,
                          wanted, count);
  *found = true;
  pl_status status = pl_builder_add_cell(r->builder, types[type].kind, nodes, 0, 0, offset);
  for (int k = types[type].corner_count; k < wanted && status >= 0; ++k)
    status = pl_builder_add_middle(r->builder, nodes[k], offset);
  if (wanted == 10 && status >= 0) pl_builder_set_quadratic(r->builder);
  return status;
}

static pl_status read_elements(abaqus_reader *r, const char *keyword, const char *keyword_end) {
  pl_word type = option_of(keyword, keyword_end, "TYPE"), set = option_of(keyword, keyword_end, "ELSET");
  size_t kind = sizeof types / sizeof types[0];
  for (size_t i = 0; i < sizeof types / sizeof types[0] && kind == sizeof types / sizeof types[0]; ++i)
    if (begins(type.text, type.text + type.length, types[i].prefix)) kind = i;
  if (kind == sizeof types / sizeof types[0]) {
    pl_builder_skip_cell(r->builder, "of an Abaqus type that is not supported");
    return PL_OK;
  }
  pl_status status = pl_builder_set_group(r->builder, set.text, set.length);
  bool found = true;
  while (status >= 0 && found) status = read_element(r, kind, &found);
  if (status >= 0) status = pl_builder_set_group(r->builder, "", 0);
  return status;
}

pl_status pl_abaqus_read(pl_mesh_source *source, pl_mesh_builder *builder) {
  abaqus_reader r = {.source = source,
                     .builder = builder,
                     .at = (const char *)source->bytes,
                     .end = (const char *)source->bytes + source->size,
                     .nodes = pl_index_map_of(source->context)};
  builder->index_base = 1;
  pl_status status = PL_OK;
  while (status >= 0 && r.at < r.end) {
    const char *begin = r.at, *end = line_end(&r, r.at);
    r.at = end < r.end ? end + 1 : end;
    if (*begin != '*' || begins(begin, end, "**")) continue;
    const char *after = begin;
    while (after < end && *after != ',' && !is_blank(*after)) ++after;
    if (begins(begin, after, "*NODE") && after - begin == 5) status = read_nodes(&r);
    if (begins(begin, after, "*ELEMENT") && after - begin == 8) status = read_elements(&r, after, end);
  }
  pl_index_map_free(&r.nodes);
  return status;
}
