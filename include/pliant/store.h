/// @file store.h
/// Named records that a long computation saves while it works, so that it can resume after an
/// interruption (part of the lab). A store is a small table of functions: use one of the two that
/// are ready, or fill in your own (a database, an object store, several processes that share one
/// disk).
#ifndef PLIANT_STORE_H
#define PLIANT_STORE_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where records go. A zeroed store keeps nothing. Passed by value and borrowed by those who use
/// it: `user` must stay valid as long as they run, and they never call `close`. Functions are
/// called by one thread at a time.
typedef struct pl_store {
  /// Save a record, in the place of an older one of this name. The name has letters, digits, dots
  /// and hyphens in parts that are separated by slashes, such as "round-1/fit". A record must be
  /// replaced as a whole: whoever loads it later, after a crash too, gets the old bytes or the new
  /// ones. The bytes are not kept by the caller.
  pl_status (*save)(void *user, const char *name, const void *bytes, size_t size, pl_error *error);
  /// Load a record. `*size` receives its size; its bytes are copied to `bytes` if `capacity` is at
  /// least that, and otherwise left out, so that a capacity of 0 asks for the size.
  /// PL_ERROR_NOT_FOUND when there is no such record.
  pl_status (*load)(void *user, const char *name, void *bytes, size_t capacity, size_t *size,
                    pl_error *error);
  void (*close)(void *user);  ///< called by pl_store_close(); NULL: nothing to do
  void *user;                 ///< first argument of the three
} pl_store;

/// A store in which each record is a file of its name in the folder `path`, written under a
/// temporary name and renamed. Folders are made when they are needed; nothing is written before the
/// first record. The path is copied, the context must outlive the store. Fails with
/// PL_ERROR_OUT_OF_MEMORY; `*store` is then zeroed. Its functions fail with PL_ERROR_FILE when a
/// folder or file cannot be written or read.
PL_API pl_status pl_store_open_folder(pl_context *context, const char *path, pl_store *store,
                                      pl_error *error);

/// A store in memory of the context, which must outlive it. Fails with PL_ERROR_OUT_OF_MEMORY, as
/// saving does; `*store` is then zeroed.
PL_API pl_status pl_store_open_memory(pl_context *context, pl_store *store, pl_error *error);

/// Close a store and zero it. Files stay, memory is given back. A zeroed store is allowed.
PL_API void pl_store_close(pl_store *store);

#ifdef __cplusplus
}
#endif
#endif
