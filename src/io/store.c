// Stores of named records: one that keeps files in a folder, one that keeps memory.
#include "pliant/store.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/error.h"
#include "base/vector.h"
#include "io/file_bytes.h"

void pl_store_close(pl_store *store) {
  if (store->close != NULL) store->close(store->user);
  *store = (pl_store){0};
}

// --- files
// ----------------------------------------------------------------------------------------------------------------

typedef struct folder_store {
  pl_context *context;
  char *path;
} folder_store;

// A path with all folders before its last part. Those that are there already are left as they are.
static pl_status make_folders(char *path, pl_error *error) {
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    bool made = mkdir(path, 0777) == 0 || errno == EEXIST || errno == EISDIR;
    int code = errno;
    pl_status status =
        made ? PL_OK : pl_fail_at(error, PL_ERROR_FILE, path, 0, 0, "this folder cannot be made: %s", strerror(code));
    *slash = '/';
    if (status < 0) return status;
  }
  return PL_OK;
}

static pl_status save_file(void *user, const char *name, const void *bytes, size_t size, pl_error *error) {
  folder_store *store = user;
  char *path = pl_path_join(store->context, store->path, name);
  if (path == NULL) return pl_fail_memory(error);
  pl_file_writer *writer = NULL;
  pl_status status = make_folders(path, error);
  if (status >= 0) status = pl_file_writer_open(store->context, path, &writer, error);
  // A missing folder would have been made: what cannot be opened here cannot be written.
  if (status == PL_ERROR_NOT_FOUND) status = PL_ERROR_FILE;
  if (status >= 0) {
    pl_file_writer_write(writer, bytes, size);
    status = pl_file_writer_commit(writer, error);
  }
  pl_release(store->context, path);
  return status;
}

static pl_status load_file(void *user, const char *name, void *bytes, size_t capacity, size_t *size, pl_error *error) {
  folder_store *store = user;
  char *path = pl_path_join(store->context, store->path, name);
  if (path == NULL) return pl_fail_memory(error);
  struct stat info;
  pl_status status = PL_OK;
  // Asked for the size alone, the file is not read.
  if (capacity == 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
    *size = (size_t)info.st_size;
  } else {
    pl_bytes content;
    status = pl_bytes_read(store->context, path, &content, error);
    if (status >= 0) *size = content.size;
    if (status >= 0 && content.size <= capacity) memcpy(bytes, content.data, content.size);
    pl_bytes_free(&content);
  }
  pl_release(store->context, path);
  return status;
}

static void close_folder(void *user) {
  folder_store *store = user;
  pl_release(store->context, store->path);
  pl_release(store->context, store);
}

pl_status pl_store_open_folder(pl_context *context, const char *path, pl_store *store, pl_error *error) {
  *store = (pl_store){0};
  folder_store *made = pl_allocate_array(context, 1, sizeof *made);
  char *copy = pl_path_join(context, NULL, path);
  if (made == NULL || copy == NULL) {
    pl_release(context, made);
    pl_release(context, copy);
    return pl_fail_memory(error);
  }
  *made = (folder_store){context, copy};
  *store = (pl_store){.save = save_file, .load = load_file, .close = close_folder, .user = made};
  return PL_OK;
}

// --- memory
// ---------------------------------------------------------------------------------------------------------------

typedef struct memory_record {
  char *name;
  void *bytes;
  size_t size;
} memory_record;

typedef struct memory_store {
  pl_context *context;
  pl_vector records;
} memory_store;

static memory_record *find_record(const memory_store *store, const char *name) {
  for (size_t i = 0; i < store->records.count; ++i)
    if (strcmp(PL_ITEM(&store->records, memory_record, i).name, name) == 0)
      return &PL_ITEM(&store->records, memory_record, i);
  return NULL;
}

// A record of this name without bytes, added if it is not there; NULL when out of memory.
static memory_record *make_record(memory_store *store, const char *name) {
  memory_record *record = find_record(store, name);
  if (record != NULL) return record;
  memory_record made = {.name = pl_path_join(store->context, NULL, name)};
  if (made.name != NULL && pl_vector_push(&store->records, &made)) return find_record(store, name);
  pl_release(store->context, made.name);
  return NULL;
}

static pl_status save_memory(void *user, const char *name, const void *bytes, size_t size, pl_error *error) {
  memory_store *store = user;
  // The copy comes first, so that an old record is there until it is replaced as a whole.
  void *copy = pl_allocate(store->context, size);
  memory_record *record = copy != NULL ? make_record(store, name) : NULL;
  if (record == NULL) {
    pl_release(store->context, copy);
    return pl_fail_memory(error);
  }
  if (size > 0) memcpy(copy, bytes, size);
  pl_release(store->context, record->bytes);
  record->bytes = copy;
  record->size = size;
  return PL_OK;
}

static pl_status load_memory(void *user, const char *name, void *bytes, size_t capacity, size_t *size,
                             pl_error *error) {
  const memory_record *record = find_record(user, name);
  if (record == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no record '%s'", name);
  *size = record->size;
  if (record->size > 0 && record->size <= capacity) memcpy(bytes, record->bytes, record->size);
  return PL_OK;
}

static void close_memory(void *user) {
  memory_store *store = user;
  for (size_t i = 0; i < store->records.count; ++i) {
    pl_release(store->context, PL_ITEM(&store->records, memory_record, i).name);
    pl_release(store->context, PL_ITEM(&store->records, memory_record, i).bytes);
  }
  pl_vector_free(&store->records);
  pl_release(store->context, store);
}

pl_status pl_store_open_memory(pl_context *context, pl_store *store, pl_error *error) {
  *store = (pl_store){0};
  memory_store *made = pl_allocate_array(context, 1, sizeof *made);
  if (made == NULL) return pl_fail_memory(error);
  *made = (memory_store){context, pl_vector_of(context, sizeof(memory_record))};
  *store = (pl_store){.save = save_memory, .load = load_memory, .close = close_memory, .user = made};
  return PL_OK;
}
