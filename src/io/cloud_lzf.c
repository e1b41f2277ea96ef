// LZF. A stream of instructions, each begun by one byte c. Below 32: the c + 1 bytes behind it are taken as they are.
// Else a piece of what was already written is repeated: its length is 2 plus the upper three bits of c (if they are all
// set, plus one byte more), its distance 1 plus the lower five bits of c above the eight of the next byte. A piece may
// overlap its own copy, which repeats a pattern.
#include "io/cloud_lzf.h"

#include <string.h>

typedef struct lzf {
  const unsigned char *bytes;
  size_t size, at;
  unsigned char *out;
  size_t out_size, written;
} lzf;

static bool take_literal(lzf *s, size_t count) {
  if (count > s->size - s->at || count > s->out_size - s->written) return false;
  memcpy(s->out + s->written, s->bytes + s->at, count);
  s->at += count;
  s->written += count;
  return true;
}

static bool repeat(lzf *s, unsigned char control) {
  size_t length = control >> 5;
  if (length == 7) {
    if (s->at >= s->size) return false;
    length += s->bytes[s->at++];
  }
  length += 2;
  if (s->at >= s->size) return false;
  size_t distance = ((size_t)(control & 31) << 8) + s->bytes[s->at++] + 1;
  if (distance > s->written || length > s->out_size - s->written) return false;
  for (size_t i = 0; i < length; ++i, ++s->written) s->out[s->written] = s->out[s->written - distance];
  return true;
}

bool pl_lzf_expand(const unsigned char *bytes, size_t size, unsigned char *out, size_t out_size, size_t *slot) {
  lzf s = {.bytes = bytes, .size = size, .out = out, .out_size = out_size};
  while (s.at < s.size) {
    size_t start = s.at;
    unsigned char control = s.bytes[s.at++];
    if (control < 32 ? take_literal(&s, (size_t)control + 1) : repeat(&s, control)) continue;
    if (slot != NULL) *slot = start;
    return false;
  }
  if (slot != NULL) *slot = size;
  return s.written == out_size;
}
