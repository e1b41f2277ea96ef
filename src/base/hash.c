#include "base/hash.h"

// Eight bytes at a time: xor, multiply by an odd constant, fold the high half down. The finisher of MurmurHash3 (public
// domain constants) spreads the last bits. Little-endian reading is spelled out so that every machine gets the same
// number.
static uint64_t mix(uint64_t h) {
  h ^= h >> 33;
  h *= UINT64_C(0xFF51AFD7ED558CCD);
  h ^= h >> 33;
  h *= UINT64_C(0xC4CEB9FE1A85EC53);
  h ^= h >> 33;
  return h;
}

static uint64_t read_word(const unsigned char *p, size_t size) {
  uint64_t word = 0;
  for (size_t i = 0; i < size; ++i) word |= (uint64_t)p[i] << (8 * i);
  return word;
}

uint64_t pl_hash_bytes(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *p = bytes;
  hash = mix(hash ^ (uint64_t)size);
  for (; size >= 8; size -= 8, p += 8) {
    hash = (hash ^ read_word(p, 8)) * UINT64_C(0x9FB21C651E98DF25);
    hash ^= hash >> 32;
  }
  if (size > 0) hash = (hash ^ read_word(p, size)) * UINT64_C(0x9FB21C651E98DF25);
  return mix(hash);
}
