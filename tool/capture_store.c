// The store of a capture for one process or several. Those of pliant-mpi all run the same capture; the first one reads
// and writes files, and the others receive what it read and whether it could write. So all take the same way, and none
// waits for another that has gone elsewhere.
#include <stdio.h>

#include "tool_capture.h"
#include "tool_ranks.h"

// What the first process got, for all.
static pl_status fraction_status(pl_status status, const char *name, pl_error *error) {
  pl_status shared = (pl_status)tool_ranks_agree(status);
  if (tool_rank() != 0 && shared < 0 && error != NULL) {
    *error = (pl_error){.status = shared};
    snprintf(error->text, sizeof error->text, "the first process could not read or write '%s'", name);
  }
  return shared;
}

static pl_status save(void *user, const char *name, const void *bytes, size_t size, pl_error *error) {
  const pl_store *files = &((capture_store *)user)->files;
  pl_status status = tool_rank() == 0 ? files->save(files->user, name, bytes, size, error) : PL_OK;
  return fraction_status(status, name, error);
}

static pl_status load(void *user, const char *name, void *bytes, size_t capacity, size_t *size, pl_error *error) {
  const pl_store *files = &((capture_store *)user)->files;
  pl_status status = tool_rank() == 0 ? files->load(files->user, name, bytes, capacity, size, error) : PL_OK;
  status = fraction_status(status, name, error);
  if (status < 0) return status;
  tool_ranks_broadcast(size, sizeof *size);
  if (*size <= capacity) tool_ranks_broadcast(bytes, *size);
  return status;
}

pl_status capture_store_open(pl_context *context, const char *folder, capture_store *own, pl_store *store,
                             pl_error *error) {
  pl_status status = pl_store_open_folder(context, folder, &own->files, error);
  *store = (pl_store){.save = save, .load = load, .user = own};
  return status;
}

void capture_store_close(capture_store *own) {
  pl_store_close(&own->files);
}
