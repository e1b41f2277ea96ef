// BVH: `HIERARCHY` with nested ROOT, JOINT and End Site, then `MOTION` with one line of numbers per frame. Rotations
// are applied in the order in which the channels are written: R = R(first) R(second) R(third).
#include "character/character_bvh.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"
#include "io/file_bytes.h"
#include "text/text_cursor.h"

enum { MAX_JOINTS = 4096, MAX_DEPTH = 256 };

typedef struct reader {
  pl_bvh *bvh;
  const pl_mesh_source *source;
  pl_text_cursor cursor;
  pl_bvh_joint *joints;
  int32_t stack[MAX_DEPTH], depth;
} reader;

static pl_status fail_at(const reader *r, const char *what) {
  return pl_source_fail(r->source, pl_text_offset(&r->cursor), "%s", what);
}

static pl_status expect(reader *r, const char *wanted) {
  pl_word word;
  if (!pl_text_take_word(&r->cursor, &word) || !pl_word_is_any_case(word, wanted))
    return pl_source_fail(r->source, pl_text_offset(&r->cursor), "%s is expected here", wanted);
  return PL_OK;
}

static pl_status read_channels(reader *r, pl_bvh_joint *joint) {
  static const struct {
    const char *name;
    char letter;
  } NAMES[] = {{"Xposition", 'x'}, {"Yposition", 'y'}, {"Zposition", 'z'},
               {"Xrotation", 'X'}, {"Yrotation", 'Y'}, {"Zrotation", 'Z'}};
  int64_t count = 0;
  pl_status status = pl_text_take_integer(&r->cursor, "the number of channels", &count);
  if (status < 0) return status;
  if (count < 0 || count > 6) return fail_at(r, "a joint has at most 6 channels");
  joint->channel_count = (int32_t)count;
  joint->first_channel = r->bvh->channel_count;
  r->bvh->channel_count += joint->channel_count;
  for (int32_t i = 0; i < joint->channel_count; ++i) {
    pl_word word;
    if (!pl_text_take_word(&r->cursor, &word)) return fail_at(r, "the file ends inside a list of channels");
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; ++k)
      if (pl_word_is_any_case(word, NAMES[k].name)) joint->channels[i] = NAMES[k].letter;
    if (joint->channels[i] == 0) return fail_at(r, "a channel is Xposition … Zposition or Xrotation … Zrotation");
  }
  return PL_OK;
}

static pl_status begin_joint(reader *r, bool is_end) {
  pl_bvh *bvh = r->bvh;
  if (bvh->joint_count == MAX_JOINTS) return fail_at(r, "there are more than 4096 joints");
  if (r->depth == MAX_DEPTH) return fail_at(r, "joints are nested deeper than 256");
  pl_text_skip_blanks(&r->cursor);
  pl_word name = pl_text_take_line(&r->cursor);
  while (name.length > 0 && strchr(" \t\r{", name.text[name.length - 1]) != NULL) --name.length;
  // Some writers put the brace on the line of the name.
  const char *brace = memchr(name.text, '{', (size_t)(r->cursor.at - name.text));
  if (brace != NULL) r->cursor.at = brace;
  char *text = pl_arena_take(&bvh->arena, name.length + 1, 1);
  if (text == NULL) return pl_source_fail_memory(r->source);
  memcpy(text, name.text, name.length);
  r->joints[bvh->joint_count] =
      (pl_bvh_joint){.name = is_end ? "" : text, .parent = r->depth > 0 ? r->stack[r->depth - 1] : -1};
  pl_status status = expect(r, "{");
  r->stack[r->depth++] = bvh->joint_count++;
  return status;
}

static pl_status read_hierarchy(reader *r) {
  pl_status status = expect(r, "HIERARCHY");
  pl_word word;
  size_t place;
  while (status >= 0) {
    if (!pl_text_take_word(&r->cursor, &word)) return fail_at(r, "the file ends before MOTION");
    pl_bvh_joint *joint = r->depth > 0 ? &r->joints[r->stack[r->depth - 1]] : NULL;
    if (joint == NULL && pl_word_is_any_case(word, "MOTION")) return PL_OK;
    if (joint == NULL ? pl_word_is_any_case(word, "ROOT") : pl_word_is_any_case(word, "JOINT"))
      status = begin_joint(r, false);
    else if (joint != NULL && pl_word_is_any_case(word, "End"))
      status = begin_joint(r, true);
    else if (joint != NULL && pl_word_is_any_case(word, "OFFSET"))
      status = pl_text_take_point(&r->cursor, &joint->offset, &place);
    else if (joint != NULL && pl_word_is_any_case(word, "CHANNELS"))
      status = read_channels(r, joint);
    else if (joint != NULL && pl_word_is(word, "}"))
      r->depth--;
    else
      return fail_at(r, "ROOT, JOINT, End Site, OFFSET, CHANNELS, a brace or MOTION is expected here");
  }
  return status;
}

static pl_status read_frames(reader *r) {
  int64_t count = 0;
  pl_bvh *bvh = r->bvh;
  pl_status status = expect(r, "Frames:");
  if (status >= 0) status = pl_text_take_integer(&r->cursor, "the number of frames", &count);
  if (status >= 0) status = expect(r, "Frame");
  if (status >= 0) status = expect(r, "Time:");
  if (status >= 0) status = pl_text_take_number(&r->cursor, "the time of a frame", &bvh->frame_time);
  if (status < 0) return status;
  if (count < 1 || bvh->channel_count < 1) return fail_at(r, "the file has no frames or no channels");
  if (!(bvh->frame_time > 0) || !isfinite(bvh->frame_time)) return fail_at(r, "the time of a frame must be above 0");
  status =
      pl_source_check_count(r->source, pl_text_offset(&r->cursor), count, 2 * (size_t)bvh->channel_count, "frames");
  if (status < 0) return status;
  size_t total = (size_t)count * (size_t)bvh->channel_count;
  float *values = PL_TAKE(&bvh->arena, float, total);
  if (values == NULL) return pl_source_fail_memory(r->source);
  for (size_t i = 0; status >= 0 && i < total; ++i) {
    double value = 0;
    status = pl_text_take_number(&r->cursor, "a number of a frame", &value);
    values[i] = (float)value;
    if (status >= 0 && !isfinite(values[i])) return fail_at(r, "a number of a frame is not finite");
  }
  bvh->values = values;
  bvh->frame_count = (int32_t)count;
  return status;
}

pl_status pl_bvh_load(pl_context *context, const char *path, pl_bvh *bvh, pl_error *error) {
  *bvh = (pl_bvh){0};
  pl_arena_init(&bvh->arena, context, 0);
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  pl_mesh_source source = {.context = context, .bytes = bytes.data, .size = bytes.size, .name = path, .error = error};
  reader r = {.bvh = bvh, .source = &source, .cursor = pl_text_cursor_at(&source, 0, 0)};
  r.joints = PL_TAKE(&bvh->arena, pl_bvh_joint, MAX_JOINTS);
  bvh->joints = r.joints;
  status = r.joints == NULL ? pl_fail_memory(error) : read_hierarchy(&r);
  if (status >= 0) status = read_frames(&r);
  pl_bytes_free(&bytes);
  if (status < 0) pl_bvh_destroy(bvh);
  return status;
}

void pl_bvh_destroy(pl_bvh *bvh) {
  pl_arena_destroy(&bvh->arena);
  *bvh = (pl_bvh){0};
}

static pl_transform frame_of(const pl_bvh *bvh, const pl_bvh_joint *joint, int32_t frame) {
  pl_transform t = {joint->offset, pl_quat_identity()};
  const float *values = bvh->values + (size_t)frame * (size_t)bvh->channel_count + joint->first_channel;
  for (int32_t i = 0; i < joint->channel_count; ++i) {
    double value = (double)values[i];
    pl_vec3 axis = {0, 0, 0};
    switch (joint->channels[i]) {
      case 'x': t.position.x = value; break;
      case 'y': t.position.y = value; break;
      case 'z': t.position.z = value; break;
      case 'X': axis.x = 1; break;
      case 'Y': axis.y = 1; break;
      default: axis.z = 1; break;
    }
    if (joint->channels[i] <= 'Z')
      t.rotation = pl_quat_multiply(t.rotation, pl_quat_from_axis_angle(axis, value * PL_PI / 180));
  }
  return t;
}

pl_transform pl_bvh_sample(const pl_bvh *bvh, int32_t joint, double time) {
  double at = fmin(fmax(time / bvh->frame_time, 0), bvh->frame_count - 1);
  int32_t frame = (int32_t)at;
  if (frame > bvh->frame_count - 2) frame = bvh->frame_count > 1 ? bvh->frame_count - 2 : 0;
  pl_transform a = frame_of(bvh, &bvh->joints[joint], frame);
  if (bvh->frame_count == 1) return a;
  pl_transform b = frame_of(bvh, &bvh->joints[joint], frame + 1);
  double t = at - frame;
  return (pl_transform){pl_vec3_lerp(a.position, b.position, t), pl_quat_slerp(a.rotation, b.rotation, t)};
}
