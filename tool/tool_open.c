// Detects the kind of a file from its content, as the library does.
#include "tool_open.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_folder.h"

enum { HEAD_SIZE = 1 << 16 };

static bool begins_with(const char *bytes, size_t size, const char *text) {
  return size >= strlen(text) && memcmp(bytes, text, strlen(text)) == 0;
}

static bool is_object(const char *bytes, size_t size) {
  size_t i = begins_with(bytes, size, "\xEF\xBB\xBF") ? 3 : 0;
  while (i < size && isspace((unsigned char)bytes[i])) ++i;
  return i < size && bytes[i] == '{';
}

// The first line that is not a comment holds numbers, as in a cloud without a header.
static bool is_rows(const char *head, size_t size) {
  size_t i = begins_with(head, size, "\xEF\xBB\xBF") ? 3 : 0;
  while (i < size && (isspace((unsigned char)head[i]) || head[i] == '#' || head[i] == '/'))
    if (head[i] == '#' || head[i] == '/')
      while (i < size && head[i] != '\n') ++i;
    else
      ++i;
  double x, y, z;
  return i < size && sscanf(head + i, "%lf%*[ \t,;]%lf%*[ \t,;]%lf", &x, &y, &z) == 3;
}

// `head` ends with a zero after its `size` bytes.
static tool_file_kind detect_by_head(const char *path, const char *head, size_t size) {
  if (begins_with(head, size, "PLIANTCK")) return TOOL_FILE_CHECKPOINT;
  if (begins_with(head, size, "PLIANTDT")) return TOOL_FILE_DETAIL;
  if (begins_with(head, size, "POINTCACHE2") || tool_has_ending(path, "mdd")) return TOOL_FILE_FRAMES;
  bool object = is_object(head, size);
  if (object && strstr(head, "\"pliant\"") != NULL) return TOOL_FILE_SCENE;
  // A glTF file may begin with a long buffer, so that its characteristic keys come late.
  if (pl_mesh_format_detect(head, size) != PL_MESH_FORMAT_UNKNOWN || tool_has_ending(path, "gltf"))
    return TOOL_FILE_MESH;
  static const char *const keys[] = {"\"clouds\"", "\"cameras\"", "\"intrinsic_matrix\""};
  for (size_t i = 0; i < sizeof keys / sizeof *keys && object; ++i)
    if (strstr(head, keys[i]) != NULL) return TOOL_FILE_CAPTURE;
  if (object || tool_has_ending(path, "json")) return TOOL_FILE_SCENE;
  bool numpy = begins_with(head, size, "\x93NUMPY") || tool_has_ending(path, "npz");
  return numpy || tool_has_ending(path, "pcd") || is_rows(head, size) ? TOOL_FILE_CLOUD : TOOL_FILE_UNKNOWN;
}

tool_file_kind tool_file_detect(const tool_session *tool, const char *path) {
  FILE *file = tool_is_folder(path) ? (errno = EISDIR, NULL) : fopen(path, "rb");
  char *head = tool_allocate(HEAD_SIZE + 1, 1);
  size_t size = file != NULL ? fread(head, 1, HEAD_SIZE, file) : 0;
  bool read = file != NULL && !ferror(file);
  int code = errno;
  if (file != NULL) fclose(file);
  tool_file_kind kind = read ? detect_by_head(path, head, size) : TOOL_FILE_MISSING;
  free(head);
  if (!read) {
    pl_error error = {.status = PL_ERROR_FILE};
    snprintf(error.file, sizeof error.file, "%s", path);
    snprintf(error.text, sizeof error.text, "cannot be read: %s", strerror(code));
    tool_report_error(&tool->console, &error);
  }
  return kind;
}

pl_context *tool_open_context(const tool_session *tool, int32_t thread_count) {
  pl_context_def def = pl_default_context_def();
  pl_context *context = NULL;
  pl_error error = {0};
  def.thread_count = thread_count;
  if (pl_context_create(&def, &context, &error) < 0) tool_report_error(&tool->console, &error);
  return context;
}

// The folder of fitted poses and the like, to be freed; NULL for none.
static char *cache_folder(void) {
  const char *own = getenv("PLIANT_CACHE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (own != NULL) return own[0] != '\0' ? tool_text("%s", own) : NULL;
  if (cache != NULL && cache[0] == '/') return tool_text("%s/pliant", cache);
  return home != NULL && home[0] == '/' ? tool_text("%s/.cache/pliant", home) : NULL;
}

// Fits take seconds each and are always shown; of bodies, one a second where building takes longer than that.
static void show_building(void *user, const char *text) {
  tool_building *building = user;
  double now = tool_seconds();
  bool body = strncmp(text, "building", strlen("building")) == 0;
  if (body && now - building->last < 1) return;
  if (body) building->last = now;
  tool_print(building->progress.console, "%s", text);
}

void tool_building_start(const tool_session *tool, pl_context *context, tool_building *building) {
  *building = (tool_building){pl_default_scene_build_def(), {.console = &tool->console}, tool_seconds()};
  char *folder = cache_folder();
  if (folder != NULL) (void)pl_store_open_folder(context, folder, &building->def.store, NULL);
  free(folder);
  building->def.progress = show_building;
  building->def.progress_user = building;
}

void tool_building_end(tool_building *building) {
  pl_store_close(&building->def.store);
}

static pl_vec3 *scaled_points(const pl_vec3 *points, int32_t count, double scale) {
  pl_vec3 *made = tool_allocate((size_t)count, sizeof *made);
  for (int32_t i = 0; i < count; ++i)
    made[i] = (pl_vec3){scale * points[i].x, scale * points[i].y, scale * points[i].z};
  return made;
}

// The mesh `scale` times as large, poses included; the old one is destroyed.
static pl_mesh *scale_mesh(const tool_session *tool, pl_context *context, pl_mesh *mesh, double scale) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_mesh_pose *poses = tool_allocate((size_t)view.pose_count, sizeof *poses);
  pl_vec3 *points = scaled_points(view.points, view.point_count, scale);
  pl_mesh *made = NULL;
  pl_error error = {0};
  for (int32_t i = 0; i < view.pose_count; ++i)
    poses[i] = (pl_mesh_pose){view.poses[i].name, scaled_points(view.poses[i].points, view.point_count, scale)};
  view.points = points;
  if (view.pose_count > 0) view.poses = poses;
  if (pl_mesh_create(context, &view, &made, &error) < 0) tool_report_error(&tool->console, &error);
  for (int32_t i = 0; i < view.pose_count; ++i) free((void *)poses[i].points);
  free(poses);
  free(points);
  pl_mesh_destroy(mesh);
  return made;
}

pl_mesh *tool_open_mesh(const tool_session *tool, pl_context *context, const char *path, double scale, bool *remarks) {
  pl_findings *findings = NULL;
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  pl_status status = pl_findings_create(context, &findings, &error);
  if (status >= 0) status = pl_mesh_load(context, path, &mesh, findings, &error);
  if (findings != NULL) {
    tool_report_findings(&tool->console, findings, PL_SEVERITY_WARNING, path);
    if (pl_findings_count(findings, PL_SEVERITY_WARNING) > 0) *remarks = true;
  }
  if (status < 0 && (findings == NULL || pl_findings_count(findings, PL_SEVERITY_ERROR) == 0))
    tool_report_error(&tool->console, &error);
  pl_findings_destroy(findings);
  if (mesh != NULL && scale != 1) mesh = scale_mesh(tool, context, mesh, scale);
  return mesh;
}
