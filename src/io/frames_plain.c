// The plain formats: one OBJ or binary PLY per frame, and one CSV table of everything.
#include "base/context.h"
#include "base/error.h"
#include "io/frames_format.h"

static pl_status open_frame(pl_frames *frames, pl_file_writer **writer, pl_error *error) {
  char *name = pl_frames_file_name(frames, frames->written);
  if (name == NULL) return pl_fail_memory(error);
  pl_status status = pl_file_writer_open(frames->context, name, writer, error);
  pl_release(frames->context, name);
  return status;
}

static void put_numbers(pl_file_writer *writer, pl_vec3 v, const char *between, const char *after) {
  pl_file_writer_number(writer, v.x);
  pl_file_writer_print(writer, "%s", between);
  pl_file_writer_number(writer, v.y);
  pl_file_writer_print(writer, "%s", between);
  pl_file_writer_number(writer, v.z);
  pl_file_writer_print(writer, "%s", after);
}

static pl_status write_obj(pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  pl_file_writer *writer = NULL;
  pl_status status = open_frame(frames, &writer, error);
  if (status < 0) return status;
  // A line break in the name would begin a statement of its own.
  if (frames->name[0] != '\0') pl_file_writer_print(writer, "o ");
  for (const char *c = frames->name; *c != '\0'; ++c)
    pl_file_writer_write(writer, (unsigned char)*c < 0x20 ? " " : c, 1);
  if (frames->name[0] != '\0') pl_file_writer_print(writer, "\n");
  for (int32_t i = 0; i < frames->def.point_count; ++i) {
    pl_file_writer_print(writer, "v ");
    put_numbers(writer, points[i], " ", "\n");
  }
  for (int64_t i = 0; i < frames->def.triangle_count; ++i) {
    const int32_t *t = frames->def.triangles + 3 * i;
    pl_file_writer_print(writer, "f %lld %lld %lld\n", t[0] + 1LL, t[1] + 1LL, t[2] + 1LL);
  }
  return pl_file_writer_commit(writer, error);
}

const pl_frames_kind pl_frames_obj = {.name = "obj", .write = write_obj};

static pl_status write_ply(pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  pl_file_writer *writer = NULL;
  pl_status status = open_frame(frames, &writer, error);
  if (status < 0) return status;
  pl_file_writer_print(
      writer,
      "ply\nformat binary_little_endian 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
      "%selement face %d\nproperty list uchar int vertex_indices\nend_header\n",
      frames->def.point_count,
      frames->velocities != NULL ? "property float vx\nproperty float vy\nproperty float vz\n" : "",
      frames->def.triangle_count);
  for (int32_t i = 0; i < frames->def.point_count; ++i) {
    pl_frames_put_float_vector(writer, points[i]);
    if (frames->velocities != NULL) pl_frames_put_float_vector(writer, frames->velocities[i]);
  }
  for (int64_t i = 0; i < frames->def.triangle_count; ++i) {
    pl_file_writer_little(writer, 3, 1);
    for (int64_t j = 0; j < 3; ++j) pl_file_writer_little(writer, (uint32_t)frames->def.triangles[3 * i + j], 4);
  }
  return pl_file_writer_commit(writer, error);
}

const pl_frames_kind pl_frames_ply = {.name = "ply", .single = true, .write = write_ply};

// The first frame decides whether there are columns for velocities.
static void put_csv_head(pl_frames *frames) {
  frames->has_velocity_columns = frames->velocities != NULL;
  pl_file_writer_print(frames->writer, "frame,time,point,x,y,z%s\n", frames->has_velocity_columns ? ",vx,vy,vz" : "");
}

static pl_status write_csv(pl_frames *frames, const pl_vec3 *points, pl_error *error) {
  char time[PL_NUMBER_SIZE];
  if (frames->written == 0) put_csv_head(frames);
  pl_number_write(pl_frames_time(frames, frames->written), time);
  for (int32_t i = 0; i < frames->def.point_count; ++i) {
    pl_file_writer_print(frames->writer, "%d,%s,%d,", frames->written + 1, time, i);
    put_numbers(frames->writer, points[i], ",", "");
    if (frames->has_velocity_columns && frames->velocities == NULL) pl_file_writer_print(frames->writer, ",,,");
    if (frames->has_velocity_columns && frames->velocities != NULL) {
      pl_file_writer_print(frames->writer, ",");
      put_numbers(frames->writer, frames->velocities[i], ",", "");
    }
    pl_file_writer_print(frames->writer, "\n");
  }
  pl_status status = pl_file_writer_status(frames->writer);
  return status < 0 ? pl_fail(error, status, "a frame could not be written; is the disk full?") : PL_OK;
}

static pl_status finish_csv(pl_frames *frames, pl_error *error) {
  (void)error;
  if (frames->written == 0) put_csv_head(frames);
  return PL_OK;
}

const pl_frames_kind pl_frames_csv = {.name = "csv", .one_file = true, .write = write_csv, .finish = finish_csv};
