// A fit as plain bytes, so that an interrupted one can resume.
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "capture/fit_parts.h"

// Tells fits apart that cannot resume from each other's state.
typedef struct state_head {
  uint64_t magic, shape;
  int64_t log_count;
  pl_fit_cursor cursor;
  double values[PL_FIT_MAX_VALUES], start[PL_FIT_MAX_VALUES];
} state_head;

static const uint64_t MAGIC = UINT64_C(0x31746966746c7003);

static uint64_t shape_of(const pl_fit *fit) {
  int32_t counts[] = {fit->value_count,
                      fit->column_count,
                      fit->sequence_count,
                      fit->case_count,
                      fit->vibration_count,
                      fit->longest,
                      fit->window_count,
                      (int32_t)fit->def.fitter,
                      fit->def.steps_per_frame,
                      fit->def.max_steps,
                      fit->body.model->head.particle_count,
                      fit->body.model->groups[0].element_count};
  uint64_t hash = pl_hash_bytes(PL_HASH_START, counts, sizeof counts);
  hash = pl_hash_bytes(hash, fit->windows, (size_t)fit->window_count * sizeof *fit->windows);
  return pl_hash_bytes(hash, fit->columns, (size_t)fit->column_count * sizeof *fit->columns);
}

static size_t rest_size(const pl_fit *fit) {
  return 3 * (size_t)fit->body.model->head.particle_count * sizeof(double);
}

size_t pl_fit_snapshot_size(const pl_fit *fit) {
  return sizeof(state_head) + rest_size(fit) + fit->log.count * sizeof(double);
}

void pl_fit_snapshot(const pl_fit *fit, void *buffer) {
  state_head head;
  memset(&head, 0, sizeof head);
  head.magic = MAGIC;
  head.shape = shape_of(fit);
  head.log_count = (int64_t)fit->log.count;
  head.cursor = fit->cursor;
  memcpy(head.values, fit->values, sizeof head.values);
  memcpy(head.start, fit->start, sizeof head.start);
  uint8_t *to = buffer;
  memcpy(to, &head, sizeof head);
  memcpy(to + sizeof head, fit->rest, rest_size(fit));
  if (fit->log.count > 0) memcpy(to + sizeof head + rest_size(fit), fit->log.items, fit->log.count * sizeof(double));
}

pl_status pl_fit_restore(pl_fit *fit, const void *buffer, size_t size, pl_error *error) {
  state_head head;
  const uint8_t *from = buffer;
  if (size < sizeof head) return pl_fail(error, PL_ERROR_INVALID_DATA, "the state of a fit is cut short");
  memcpy(&head, from, sizeof head);
  if (head.magic != MAGIC || head.shape != shape_of(fit))
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "the state is of another fit: mesh, sequences, parameters and windows must be the same");
  size_t body = sizeof head + rest_size(fit);
  if (head.log_count < 0 || size < body || (size - body) / sizeof(double) != (size_t)head.log_count ||
      (size - body) % sizeof(double) != 0)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "the state of a fit has %zu bytes, which is not what it says of itself", size);
  if (head.cursor.window < 0 || head.cursor.window >= fit->window_count || head.cursor.steps < 1)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "the state of a fit is damaged");
  pl_vector log = pl_vector_of(fit->context, sizeof(double));
  double *entries = head.log_count > 0 ? pl_vector_grow(&log, (size_t)head.log_count) : NULL;
  if (head.log_count > 0 && entries == NULL) {
    pl_vector_free(&log);
    return pl_fail_memory(error);
  }
  if (entries != NULL) memcpy(entries, from + body, (size_t)head.log_count * sizeof(double));
  pl_vector_free(&fit->log);
  fit->log = log;
  fit->cursor = head.cursor;
  fit->refined = fit->has_starts = false;
  memcpy(fit->values, head.values, sizeof head.values);
  memcpy(fit->start, head.start, sizeof head.start);
  memcpy(fit->rest, from + sizeof head, rest_size(fit));
  fit->evaluated = false;
  return PL_OK;
}
