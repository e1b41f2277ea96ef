// Velocities of all frames until the end of a file, for formats that have them after the positions. They wait in a
// file without a name next to the one being written, so that a long motion takes no memory.
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/frames_format.h"

static pl_status open_file(pl_frames *frames, pl_error *error) {
  size_t size = strlen(frames->path) + 32;
  char *name = pl_allocate(frames->context, size);
  frames->row = pl_allocate_array(frames->context, 3 * (size_t)frames->def.point_count, sizeof(float));
  if (name == NULL || frames->row == NULL) {
    pl_release(frames->context, name);
    return pl_fail_memory(error);
  }
  snprintf(name, size, "%s.%s.velocities", frames->path, frames->kind->name);
  frames->waiting = fopen(name, "w+b");
  pl_status status = frames->waiting == NULL
                         ? pl_fail_at(error, PL_ERROR_FILE, name, 0, 0, "the file for velocities cannot be created")
                         : PL_OK;
  remove(name);
  pl_release(frames->context, name);
  return status;
}

pl_status pl_frames_keep_velocities(pl_frames *frames, pl_error *error) {
  if (frames->velocities == NULL || frames->waiting_count != frames->written) return PL_OK;
  pl_status status = frames->waiting == NULL ? open_file(frames, error) : PL_OK;
  if (status < 0) return status;
  for (int32_t i = 0; i < frames->def.point_count; ++i) {
    frames->row[3 * (size_t)i] = (float)frames->velocities[i].x;
    frames->row[3 * (size_t)i + 1] = (float)frames->velocities[i].y;
    frames->row[3 * (size_t)i + 2] = (float)frames->velocities[i].z;
  }
  size_t count = 3 * (size_t)frames->def.point_count;
  if (fwrite(frames->row, sizeof(float), count, frames->waiting) != count)
    return pl_fail(error, PL_ERROR_FILE, "velocities could not be written; is the disk full?");
  frames->waiting_count++;
  return PL_OK;
}

bool pl_frames_kept_velocities(const pl_frames *frames) {
  return frames->waiting != NULL && frames->waiting_count == frames->written;
}

void pl_frames_rewind_velocities(pl_frames *frames) {
  rewind(frames->waiting);
}

pl_status pl_frames_next_velocities(pl_frames *frames, pl_error *error) {
  size_t count = 3 * (size_t)frames->def.point_count;
  if (fread(frames->row, sizeof(float), count, frames->waiting) == count) return PL_OK;
  return pl_fail(error, PL_ERROR_FILE, "velocities could not be read back; is the disk full?");
}

void pl_frames_drop_velocities(pl_frames *frames) {
  if (frames->waiting != NULL) fclose(frames->waiting);
  pl_release(frames->context, frames->row);
}
