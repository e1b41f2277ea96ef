// Stamps of a set of detail, packed for its file.
//
// A stamp's numbers are kept as whole multiples of a power of two, the least whose 2047-fold
// reaches the largest: no number changes by more than 1/2047 of that, and a set that is read and
// written again stays as it is. What is stored of a number is how far it is off the plane through
// its neighbours, in 16 bits; low bytes first and then high bytes, deflated. Stamps are smooth, so
// a file is about a tenth as long as with plain floats.
#ifndef PL_IO_DETAIL_PACK_H
#define PL_IO_DETAIL_PACK_H

#include "base/vector.h"
#include "pliant/detail.h"

// Append scales (8-byte floats, one per example) and the deflated numbers.
pl_status pl_detail_pack(pl_context *context, const pl_detail_set_view *view, pl_vector *bytes,
                         pl_error *error);

// The reverse; `name` is the file's. `stamps` has 4 numbers a sample and is all zero.
pl_status pl_detail_unpack(pl_context *context, const char *name, const unsigned char *bytes,
                           size_t size, const pl_detail_set_view *view, float *stamps,
                           pl_error *error);

// Whether `size` bytes can hold the stamps of a set, checked before memory is allocated.
bool pl_detail_pack_fits(uint64_t size, uint64_t example_count, uint64_t sample_count);

#endif
