// LZF, the compression inside PCD files.
#ifndef PL_IO_CLOUD_LZF_H
#define PL_IO_CLOUD_LZF_H

#include <stdbool.h>
#include <stddef.h>

// Expand `size` bytes to exactly `out_size`. False when the packed bytes are damaged: they end
// early, point before the beginning, or give more or fewer bytes; `place` (may be NULL) then
// receives the offset of the instruction that fails.
bool pl_lzf_expand(const unsigned char *bytes, size_t size, unsigned char *out, size_t out_size,
                   size_t *slot);

#endif
