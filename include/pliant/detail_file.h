/// @file detail_file.h
/// Load and save sets of detail examples (part of the lab). The runtime has no files; the set
/// itself is in detail.h.
#ifndef PLIANT_DETAIL_FILE_H
#define PLIANT_DETAIL_FILE_H

#include "pliant/base.h"
#include "pliant/detail.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Save a set of detail examples as one file: its arrays, and small grey previews of the stamps in
/// front of them. The file is written under a temporary name and renamed at the end. Fails with
/// PL_ERROR_FILE when it cannot be written.
PL_API pl_status pl_detail_set_save(pl_context *context, const char *path, const pl_detail_set *set,
                                    pl_error *error);

/// Load a set of detail examples. The caller owns the set. Fails with PL_ERROR_NOT_FOUND or
/// PL_ERROR_FILE when the file cannot be read, PL_ERROR_INVALID_DATA when it is not such a file or
/// is damaged, PL_ERROR_UNSUPPORTED when it has another version; `*set` is then NULL.
PL_API pl_status pl_detail_set_load(pl_context *context, const char *path, pl_detail_set **set,
                                    pl_error *error);

/// Load a set of detail examples from memory, as pl_detail_set_load() does.
PL_API pl_status pl_detail_set_load_memory(pl_context *context, const pl_memory_source *source,
                                           pl_detail_set **set, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
