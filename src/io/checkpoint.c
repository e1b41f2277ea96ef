// Checkpoints: where a run stands, in one file that is replaced as a whole.
//
// Layout, all numbers little-endian: magic "PLIANTCK", version (4 bytes), 4 zero bytes; scene hash, seed, frame, frame
// count, state hash (8 bytes each); lengths of scene path, options and snapshot (8 bytes each); those three one behind
// the other; hash of everything before it (8 bytes). A snapshot is memory of the machine that made it, so a checkpoint
// is meant for the machine, and the build, that wrote it.
#include "pliant/checkpoint.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/file_bytes.h"

#define MAGIC "PLIANTCK"

enum {
  LAYOUT_VERSION = 1,
  MAGIC_SIZE = 8,
  NUMBER_COUNT = 8,
  HEAD_SIZE = MAGIC_SIZE + 8 + NUMBER_COUNT * 8,
  TAIL_SIZE = 8
};

struct pl_checkpoint {
  pl_bytes bytes;
  char *scene_path, *options;
  pl_checkpoint_view view;
};

static void store_little(unsigned char *to, uint64_t value, int size) {
  for (int i = 0; i < size; ++i) to[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t load_little(const unsigned char *from, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; ++i) value |= (uint64_t)from[i] << (8 * i);
  return value;
}

// The hash is taken part by part, so that writing needs no second copy of the snapshot.
static uint64_t hash_parts(const unsigned char *head, const char *path, uint64_t path_size, const char *options,
                           uint64_t options_size, const void *snapshot, uint64_t snapshot_size) {
  uint64_t hash = pl_hash_bytes(PL_HASH_START, head, HEAD_SIZE);
  hash = pl_hash_bytes(hash, path, (size_t)path_size);
  hash = pl_hash_bytes(hash, options, (size_t)options_size);
  return pl_hash_bytes(hash, snapshot, (size_t)snapshot_size);
}

pl_status pl_checkpoint_save(pl_context *context, const char *path, const pl_checkpoint_view *view, pl_error *error) {
  const char *scene_path = view->scene_path != NULL ? view->scene_path : "",
             *options = view->options != NULL ? view->options : "";
  uint64_t path_size = strlen(scene_path), options_size = strlen(options);
  unsigned char head[HEAD_SIZE] = {0};
  memcpy(head, MAGIC, MAGIC_SIZE);
  store_little(head + MAGIC_SIZE, LAYOUT_VERSION, 4);
  const uint64_t numbers[NUMBER_COUNT] = {
      view->scene_hash, view->seed, (uint64_t)view->frame, (uint64_t)view->frame_count,
      view->state_hash, path_size,  options_size,          view->snapshot_size};
  for (int i = 0; i < NUMBER_COUNT; ++i) store_little(head + MAGIC_SIZE + 8 + 8 * i, numbers[i], 8);

  pl_file_writer *writer = NULL;
  pl_status status = pl_file_writer_open(context, path, &writer, error);
  if (status < 0) return status;
  pl_file_writer_write(writer, head, HEAD_SIZE);
  pl_file_writer_write(writer, scene_path, (size_t)path_size);
  pl_file_writer_write(writer, options, (size_t)options_size);
  pl_file_writer_write(writer, view->snapshot, view->snapshot_size);
  uint64_t hash = hash_parts(head, scene_path, path_size, options, options_size, view->snapshot, view->snapshot_size);
  pl_file_writer_little(writer, hash, 8);
  return pl_file_writer_commit(writer, error);
}

// Look at the bytes of a checkpoint: sizes against what is there, then the hash.
static pl_status check_bytes(const pl_bytes *bytes, const char *path, uint64_t numbers[NUMBER_COUNT], pl_error *error) {
  if (bytes->size < HEAD_SIZE + TAIL_SIZE || memcmp(bytes->data, MAGIC, MAGIC_SIZE) != 0)
    return pl_fail_at(error, PL_ERROR_INVALID_DATA, path, 0, 0, "this is not a checkpoint");
  uint64_t version = load_little(bytes->data + MAGIC_SIZE, 4);
  if (version != LAYOUT_VERSION)
    return pl_fail_at(error, PL_ERROR_UNSUPPORTED, path, 0, 0,
                      "the checkpoint has layout %llu and this version of Pliant reads layout %d; start the run again",
                      (unsigned long long)version, LAYOUT_VERSION);
  for (int i = 0; i < NUMBER_COUNT; ++i) numbers[i] = load_little(bytes->data + MAGIC_SIZE + 8 + 8 * i, 8);
  uint64_t rest = bytes->size - HEAD_SIZE - TAIL_SIZE;
  for (int i = 5; i < NUMBER_COUNT; ++i) {
    if (numbers[i] > rest)
      return pl_fail_at(error, PL_ERROR_INVALID_DATA, path, 0, 0, "the checkpoint is cut off; start the run again");
    rest -= numbers[i];
  }
  const unsigned char *part = bytes->data + HEAD_SIZE;
  uint64_t hash = hash_parts(bytes->data, (const char *)part, numbers[5], (const char *)part + numbers[5], numbers[6],
                             part + numbers[5] + numbers[6], numbers[7]);
  if (rest != 0 || hash != load_little(bytes->data + bytes->size - TAIL_SIZE, TAIL_SIZE) || numbers[2] > INT64_MAX ||
      numbers[3] > INT64_MAX)
    return pl_fail_at(error, PL_ERROR_INVALID_DATA, path, 0, 0,
                      "the checkpoint is damaged (its hash does not fit); start the run again");
  return PL_OK;
}

static char *copy_text(pl_context *context, const unsigned char *text, uint64_t size) {
  char *copy = pl_allocate(context, (size_t)size + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, text, (size_t)size);
  copy[size] = '\0';
  return copy;
}

pl_status pl_checkpoint_load(pl_context *context, const char *path, pl_checkpoint **checkpoint, pl_error *error) {
  *checkpoint = NULL;
  pl_bytes bytes;
  uint64_t numbers[NUMBER_COUNT];
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  status = check_bytes(&bytes, path, numbers, error);
  pl_checkpoint *made = status < 0 ? NULL : pl_allocate_array(context, 1, sizeof *made);
  if (made == NULL) {
    pl_bytes_free(&bytes);
    return status < 0 ? status : pl_fail_memory(error);
  }
  const unsigned char *part = bytes.data + HEAD_SIZE;
  made->bytes = bytes;
  made->scene_path = copy_text(context, part, numbers[5]);
  made->options = copy_text(context, part + numbers[5], numbers[6]);
  if (made->scene_path == NULL || made->options == NULL) {
    pl_checkpoint_destroy(made);
    return pl_fail_memory(error);
  }
  made->view = (pl_checkpoint_view){.scene_path = made->scene_path,
                                    .scene_hash = numbers[0],
                                    .seed = numbers[1],
                                    .options = made->options,
                                    .frame = (int64_t)numbers[2],
                                    .frame_count = (int64_t)numbers[3],
                                    .state_hash = numbers[4],
                                    .snapshot = part + numbers[5] + numbers[6],
                                    .snapshot_size = (size_t)numbers[7]};
  *checkpoint = made;
  return PL_OK;
}

void pl_checkpoint_destroy(pl_checkpoint *checkpoint) {
  if (checkpoint == NULL) return;
  pl_context *context = checkpoint->bytes.context;
  pl_release(context, checkpoint->scene_path);
  pl_release(context, checkpoint->options);
  pl_bytes_free(&checkpoint->bytes);
  pl_release(context, checkpoint);
}

pl_checkpoint_view pl_checkpoint_get_view(const pl_checkpoint *checkpoint) {
  return checkpoint->view;
}

pl_status pl_file_get_hash(pl_context *context, const char *path, uint64_t *hash, pl_error *error) {
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  *hash = pl_hash_bytes(PL_HASH_START, bytes.data, bytes.size);
  pl_bytes_free(&bytes);
  return PL_OK;
}
