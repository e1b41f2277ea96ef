// Filling in a pl_error. All functions accept error == NULL and return the status they were given,
// so that a failure reads `return pl_fail(error, PL_ERROR_INVALID_DATA, "tet %d is …", i);`.
#ifndef PL_BASE_ERROR_H
#define PL_BASE_ERROR_H

#include "pliant/base.h"

pl_status pl_fail(pl_error *error, pl_status status, const char *format, ...) PL_PRINTF(3, 4);

// The same with a location: file may be NULL, line and column 0.
pl_status pl_fail_at(pl_error *error, pl_status status, const char *file, int32_t line,
                     int32_t column, const char *format, ...) PL_PRINTF(6, 7);

// The same with a field path.
pl_status pl_fail_field(pl_error *error, pl_status status, const char *field, const char *format,
                        ...) PL_PRINTF(4, 5);

// The usual out-of-memory.
pl_status pl_fail_memory(pl_error *error);

// Refuse a def that did not come from its pl_default_*_def(): PL_OK or PL_ERROR_INVALID_ARGUMENT.
pl_status pl_check_def(uint32_t magic, const char *def_name, pl_error *error);

// Refuse a number of a def that is not finite or outside its range, naming its field: PL_OK or
// PL_ERROR_INVALID_ARGUMENT.
pl_status pl_check_range(const char *field, double value, double min, double max, bool min_allowed,
                         pl_error *error);

#endif
