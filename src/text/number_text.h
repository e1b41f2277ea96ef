// Numbers as text, the same whatever locale the host has set.
#ifndef PL_IO_NUMBER_TEXT_H
#define PL_IO_NUMBER_TEXT_H

#include <stddef.h>
#include <stdint.h>

// Read a number at `begin`: sign, digits with a point, exponent after e, E, d or D (Fortran). Also
// "nan" and "inf" in any case and with a sign, and Microsoft's 1.#IND and 1.#INF, so that the
// caller can say what is wrong with them. No blanks are skipped, nothing at or behind `end` is
// touched. Returns the place behind the number, or NULL if there is none. Too large a number gives
// infinity.
const char *pl_number_read(const char *begin, const char *end, double *value);

// Read a decimal integer with optional sign. NULL if there is none or it does not fit 64 bits.
const char *pl_integer_read(const char *begin, const char *end, int64_t *value);

#define PL_NUMBER_SIZE 32

// Write the shortest of 15, 16 or 17 digits that reads back as the same double; terminated. Returns
// the length. Not-finite values become nan, inf and -inf.
size_t pl_number_write(double value, char text[PL_NUMBER_SIZE]);

#endif
