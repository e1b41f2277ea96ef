// A camera that follows a body: level, and smoothly, so that the ground passes by and the body's own bobbing stays
// visible.
//
// The path of the body is known when pictures are drawn, so it is smoothed without delay: over half a second before and
// after, weights falling to either side.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool_run.h"

// Seconds to either side.
static const double WINDOW = 0.5;

// The body of that name, or its first copy; -1 if there is none.
static int32_t find_body(const run_job *run, const char *name) {
  size_t length = strlen(name);
  for (int32_t i = 0; i < run->body_count; ++i) {
    const char *own = run->bodies[i].info.name;
    if (strncmp(own, name, length) == 0 && (own[length] == '\0' || strcmp(own + length, "_001") == 0)) return i;
  }
  return -1;
}

static pl_status read_middles(run_job *run, const run_body *body, pl_vec3 *middles, pl_error *error) {
  int32_t count = body->surface.point_count;
  pl_vec3 *points = tool_allocate((size_t)count, sizeof *points);
  pl_status status = PL_OK;
  for (int64_t frame = 0; frame < pl_frame_log_count(run->log) && status >= 0; ++frame) {
    pl_vec3 sum = {0, 0, 0};
    status = pl_frame_log_read(run->log, frame, body->point_start, count, points, error);
    for (int32_t i = 0; i < count; ++i) sum = (pl_vec3){sum.x + points[i].x, sum.y + points[i].y, sum.z + points[i].z};
    double fraction = count > 0 ? 1.0 / count : 0;
    middles[frame] = (pl_vec3){fraction * sum.x, fraction * sum.y, fraction * sum.z};
  }
  free(points);
  return status;
}

// Component of a shift perpendicular to `up`.
static pl_vec3 level(pl_vec3 shift, pl_vec3 up) {
  double square = up.x * up.x + up.y * up.y + up.z * up.z;
  double along = square > 0 ? (shift.x * up.x + shift.y * up.y + shift.z * up.z) / square : 0;
  return (pl_vec3){shift.x - along * up.x, shift.y - along * up.y, shift.z - along * up.z};
}

pl_status run_follow(run_job *run, const char *name, pl_vec3 up, pl_vec3 **shifts, pl_error *error) {
  *shifts = NULL;
  int32_t body = name != NULL ? find_body(run, name) : -1;
  if (body < 0) return PL_OK;
  int64_t count = pl_frame_log_count(run->log), reach = (int64_t)ceil(WINDOW * run->facts.frame_rate);
  pl_vec3 *middles = tool_allocate((size_t)count, sizeof *middles);
  pl_status status = read_middles(run, &run->bodies[body], middles, error);
  pl_vec3 *made = tool_allocate((size_t)count, sizeof *made);
  for (int64_t frame = 0; frame < count; ++frame) {
    // A symmetric window, limited by the nearer end, so that the ends of the path are not shifted inwards.
    int64_t wide = frame < count - 1 - frame ? frame : count - 1 - frame;
    if (wide > reach) wide = reach;
    pl_vec3 sum = {0, 0, 0};
    double weights = 0;
    for (int64_t k = -wide; k <= wide; ++k) {
      double weight = (double)(wide + 1 - llabs(k));
      const pl_vec3 *m = &middles[frame + k];
      sum = (pl_vec3){sum.x + weight * m->x, sum.y + weight * m->y, sum.z + weight * m->z};
      weights += weight;
    }
    const pl_vec3 shift = {sum.x / weights - middles[0].x, sum.y / weights - middles[0].y,
                           sum.z / weights - middles[0].z};
    made[frame] = level(shift, up);
  }
  free(middles);
  if (status < 0) {
    free(made);
    return status;
  }
  *shifts = made;
  return PL_OK;
}
