// 64-bit hash of bytes: the same on every machine, made for telling states apart, not for secrecy.
#ifndef PL_BASE_HASH_H
#define PL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PL_HASH_START UINT64_C(0x9E3779B97F4A7C15)

// Continue `hash` (PL_HASH_START at first) with `size` bytes. Splitting a byte string differently
// gives another hash.
uint64_t pl_hash_bytes(uint64_t hash, const void *bytes, size_t size);

#endif
