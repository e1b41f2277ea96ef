// Records of a run in its store: a head that says what the payload belongs to and whether it is whole, then the
// payload, plain bytes of this machine.
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "capture/capture_run_parts.h"

// Changes with the layout of head or payload: records of another layout are refused like those of another run.
static const uint64_t LAYOUT = UINT64_C(0x31304E5552434C50);  // "PLCRUN01"

typedef struct record_head {
  uint64_t layout;
  uint64_t hash;      // of the run, see pl_capture_result
  uint64_t size;      // bytes of the payload
  uint64_t checksum;  // of the three numbers above and the payload
} record_head;

static uint64_t checksum_of(const record_head *head, const void *payload) {
  const uint64_t numbers[] = {head->layout, head->hash, head->size};
  return pl_hash_bytes(pl_hash_bytes(PL_HASH_START, numbers, sizeof numbers), payload, (size_t)head->size);
}

bool pl_run_record_make(pl_context *context, size_t size, pl_run_record *record) {
  *record = (pl_run_record){
      .context = context, .bytes = pl_allocate_array(context, sizeof(record_head) + size, 1), .size = size};
  if (record->bytes != NULL) record->payload = record->bytes + sizeof(record_head);
  return record->bytes != NULL;
}

void pl_run_record_free(pl_run_record *record) {
  if (record->bytes != NULL) pl_release(record->context, record->bytes);
  *record = (pl_run_record){.context = record->context};
}

pl_status pl_run_save(const pl_capture_result *run, const char *name, const pl_run_record *record, pl_error *error) {
  record_head head = {.layout = LAYOUT, .hash = run->hash, .size = record->size};
  head.checksum = checksum_of(&head, record->payload);
  memcpy(record->bytes, &head, sizeof head);
  return run->def.store.save(run->def.store.user, name, record->bytes, sizeof head + record->size, error);
}

// Load all bytes; `record` is empty if there are none.
static pl_status load_bytes(const pl_capture_result *run, const char *name, pl_run_record *record, pl_error *error) {
  const pl_store *store = &run->def.store;
  size_t size = 0, again = 0;
  // A missing record is usual: it leaves no trace in the caller's error.
  pl_error trouble = {0};
  pl_status status = store->load(store->user, name, NULL, 0, &size, &trouble);
  if (status == PL_ERROR_NOT_FOUND) return PL_OK;
  if (status < 0) {
    if (error != NULL) *error = trouble;
    return status;
  }
  if (size < sizeof(record_head)) return PL_OK;
  if (!pl_run_record_make(run->context, size - sizeof(record_head), record)) return pl_fail_memory(error);
  status = store->load(store->user, name, record->bytes, size, &again, error);
  if (status < 0 || again != size) pl_run_record_free(record);
  return status;
}

pl_status pl_run_load(const pl_capture_result *run, const char *name, pl_run_record *record, pl_error *error) {
  *record = (pl_run_record){.context = run->context};
  if (run->def.store.load == NULL) return PL_OK;
  pl_status status = load_bytes(run, name, record, error);
  if (status < 0 || record->bytes == NULL) return status;
  record_head head;
  memcpy(&head, record->bytes, sizeof head);
  // What is not whole is worth nothing, and is computed again. What is whole but of something else is somebody's work.
  if (head.size != record->size || head.checksum != checksum_of(&head, record->payload)) {
    pl_run_record_free(record);
  } else if (head.layout != LAYOUT || head.hash != run->hash) {
    pl_run_record_free(record);
    status = pl_fail(
        error, PL_ERROR_INVALID_DATA,
        "the record '%s' is of a capture with other data or settings; give the same ones, or another store", name);
  }
  return status;
}
