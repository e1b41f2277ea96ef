// pliant info: what is in a file, as a table or as JSON on standard output.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "info_sheet.h"
#include "tool_folder.h"
#include "tool_open.h"
#include "tool_verbs.h"
#include "verb_detail.h"

// clang-format off
static const tool_option OPTIONS[] = {
    {"json", .kind = TOOL_FLAG, .about = "print one JSON object instead of a table"},
    {"nodes", .kind = TOOL_FLAG, .about = "list the nodes of a character, each with its parent"},
};
// clang-format on

static const char *group_name(const pl_mesh_view *mesh, int32_t index) {
  return mesh->groups[index].name;
}

static const char *format_of(const char *path) {
  unsigned char head[4096];
  FILE *file = fopen(path, "rb");
  size_t size = file != NULL ? fread(head, 1, sizeof head, file) : 0;
  if (file != NULL) fclose(file);
  return pl_mesh_format_name(pl_mesh_format_detect(head, size));
}

static int show_mesh(const tool_session *tool, pl_context *context, const char *path, info_sheet *sheet) {
  bool remarks = false;
  if (info_show_character(tool, context, path, format_of(path), sheet, &remarks))
    return remarks ? TOOL_REMARKS : TOOL_DONE;
  pl_mesh *mesh = tool_open_mesh(tool, context, path, 1, &remarks);
  if (mesh == NULL) return TOOL_FAILED;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  pl_mesh_check_report report;
  pl_error error = {0};
  pl_status status = pl_mesh_check(context, mesh, NULL, &report, &error);
  info_row_text(sheet, "kind", "mesh");
  info_row_text(sheet, "format", format_of(path));
  info_row_count(sheet, "points", view.point_count);
  if (view.point_of_source != NULL) info_row_count(sheet, "file vertices", view.source_count);
  info_row_count(sheet, "segments", view.segment_count);
  info_row_count(sheet, "triangles", view.triangle_count);
  info_row_count(sheet, "tets", view.tet_count);
  info_row_names(sheet, "groups", view.group_count, group_name, &view);
  info_row_names(sheet, "poses", view.pose_count, info_pose_name, &view);
  if (view.point_count > 0) {
    info_row_vector(sheet, "min", box.min);
    info_row_vector(sheet, "max", box.max);
  }
  if (status >= 0) {
    info_row_count(sheet, "pieces", report.component_count);
    info_row_count(sheet, "open edges", report.open_edge_count);
    info_row_count(sheet, "inverted tets", report.inverted_tet_count);
  }
  pl_mesh_destroy(mesh);
  return remarks ? TOOL_REMARKS : TOOL_DONE;
}

static int show_frames(const tool_session *tool, pl_context *context, const char *path, info_sheet *sheet) {
  pl_frame_file *file = NULL;
  pl_frame_file_report facts;
  pl_error error = {0};
  pl_status status = pl_frame_file_open(context, path, &file, &facts, &error);
  if (status < 0) return tool_report_error(&tool->console, &error);
  info_row_text(sheet, "kind", "point cache");
  info_row_text(sheet, "format", pl_frame_format_name(facts.format));
  info_row_count(sheet, "points", facts.point_count);
  info_row_count(sheet, "frames", facts.frame_count);
  // PC2 counts time in frames of the host's project.
  bool counts_frames = facts.format == PL_FRAMES_PC2;
  info_row_number(sheet, counts_frames ? "start frame" : "start", facts.start_time, counts_frames ? "" : "s");
  info_row_number(sheet, counts_frames ? "samples per frame" : "frame rate", facts.frame_rate,
                  counts_frames ? "" : "1/s");
  if (facts.point_count > 0 && facts.frame_count > 0) {
    pl_vec3 *points = tool_allocate((size_t)facts.point_count, sizeof *points);
    status = pl_frame_file_read(file, facts.frame_count - 1, points, &error);
    pl_box box = pl_box_from_points(points, facts.point_count);
    if (status >= 0) info_row_vector(sheet, "min at the end", box.min);
    if (status >= 0) info_row_vector(sheet, "max at the end", box.max);
    free(points);
  }
  pl_frame_file_close(file);
  return status < 0 ? tool_report_error(&tool->console, &error) : TOOL_DONE;
}

static int show_cloud(const tool_session *tool, pl_context *context, const char *path, info_sheet *sheet) {
  pl_cloud *cloud = NULL;
  pl_error error = {0};
  if (pl_cloud_load(context, path, &cloud, NULL, &error) < 0) return tool_report_error(&tool->console, &error);
  pl_cloud_view view = pl_cloud_get_view(cloud);
  info_row_text(sheet, "kind", "point cloud");
  info_row_count(sheet, "points", view.point_count);
  info_row_count(sheet, "dropped points", view.dropped_count);
  info_row_text(sheet, "normals", view.normals != NULL ? "yes" : "no");
  info_row_text(sheet, "colours", view.colors != NULL ? "yes" : "no");
  if (view.point_count > 0) {
    pl_box box = pl_box_from_points(view.points, view.point_count);
    info_row_vector(sheet, "min", box.min);
    info_row_vector(sheet, "max", box.max);
  }
  pl_cloud_destroy(cloud);
  return TOOL_DONE;
}

static int show_capture(const tool_session *tool, pl_context *context, const char *path, info_sheet *sheet) {
  pl_capture *capture = NULL;
  pl_capture_report report;
  pl_findings *findings = NULL;
  pl_error error = {0};
  pl_status status = pl_findings_create(context, &findings, &error);
  if (status >= 0) status = pl_capture_load(context, path, &capture, findings, &error);
  if (status >= 0) status = pl_capture_get_report(capture, 5, &report, findings, &error);
  int code = TOOL_DONE;
  if (findings != NULL) tool_report_findings(&tool->console, findings, PL_SEVERITY_WARNING, path);
  if (status < 0) {
    bool reported = findings != NULL && pl_findings_count(findings, PL_SEVERITY_ERROR) > 0;
    code = reported ? TOOL_FAILED : tool_report_error(&tool->console, &error);
  } else {
    pl_capture_view view = pl_capture_get_view(capture);
    info_row_text(sheet, "kind", "capture");
    info_row_text(sheet, "name", view.name);
    info_row_count(sheet, "frames", view.frame_count);
    info_row_number(sheet, "frame rate", view.rate, "1/s");
    info_row_number(sheet, "duration", report.duration, "s");
    info_row_count(sheet, "cameras", view.camera_count);
    info_row_number(sheet, "points per frame", report.mean_points, "");
    if (report.max_points > 0) {
      info_row_vector(sheet, "min", report.box.min);
      info_row_vector(sheet, "max", report.box.max);
    }
    if (pl_findings_count(findings, PL_SEVERITY_WARNING) > 0) code = TOOL_REMARKS;
  }
  pl_capture_destroy(capture);
  pl_findings_destroy(findings);
  return code;
}

static void show_world(pl_scene_instance *set, info_sheet *sheet) {
  int64_t particles = 0, triangles = 0;
  double mass = 0;
  int32_t count = pl_scene_instance_body_count(set);
  for (int32_t i = 0; i < count; ++i) {
    pl_model_report model =
        pl_model_get_report(pl_body_get_model(pl_scene_instance_get_world(set), pl_scene_instance_get_body(set, i).id));
    particles += model.particle_count;
    triangles += model.surface_triangle_count;
    mass += model.mass;
  }
  info_row_count(sheet, "bodies", count);
  if (pl_scene_instance_actor_count(set) > 0) info_row_count(sheet, "actors", pl_scene_instance_actor_count(set));
  info_row_count(sheet, "particles", particles);
  info_row_count(sheet, "triangles", triangles);
  info_row_number(sheet, "mass", mass, "kg");
  info_row_count(sheet, "colliders", pl_scene_instance_collider_count(set));
  info_row_hash(sheet, "start hash", pl_world_get_hash(pl_scene_instance_get_world(set)));
}

static int show_scene(const tool_session *tool, pl_context *context, const char *path, info_sheet *sheet) {
  pl_scene *scene = NULL;
  pl_scene_instance *set = NULL;
  pl_findings *findings = NULL;
  pl_error error = {0};
  pl_scene_build_def def = pl_default_scene_build_def();
  pl_status status = pl_findings_create(context, &findings, &error);
  if (status >= 0) status = pl_scene_load(context, path, &scene, findings, &error);
  if (status >= 0) status = pl_scene_build(context, &def, scene, &set, findings, &error);
  int code = TOOL_DONE;
  if (status < 0) {
    if (findings != NULL) tool_report_findings(&tool->console, findings, PL_SEVERITY_WARNING, path);
    if (findings == NULL || pl_findings_count(findings, PL_SEVERITY_ERROR) == 0)
      tool_report_error(&tool->console, &error);
    code = TOOL_FAILED;
  } else {
    pl_scene_report facts = pl_scene_get_report(scene);
    info_row_text(sheet, "kind", "scene");
    info_row_text(sheet, "name", facts.name);
    info_row_text(sheet, "description", facts.description);
    info_row_count(sheet, "frames", facts.frame_count);
    info_row_number(sheet, "frame rate", facts.frame_rate, "1/s");
    info_row_number(sheet, "step", facts.step, "s");
    info_row_count(sheet, "seed", (int64_t)facts.seed);
    show_world(set, sheet);
  }
  pl_scene_instance_destroy(set);
  pl_scene_destroy(scene);
  pl_findings_destroy(findings);
  return code;
}

static int show_checkpoint(const tool_session *tool, pl_context *context, const char *path, info_sheet *sheet) {
  pl_checkpoint *checkpoint = NULL;
  pl_error error = {0};
  if (pl_checkpoint_load(context, path, &checkpoint, &error) < 0) return tool_report_error(&tool->console, &error);
  pl_checkpoint_view view = pl_checkpoint_get_view(checkpoint);
  char *options = tool_text("%s", view.options);
  for (char *c = options; *c != '\0'; ++c)
    if (*c == '\n') *c = ' ';
  info_row_text(sheet, "kind", "checkpoint");
  info_row_text(sheet, "scene", view.scene_path);
  info_row_hash(sheet, "scene hash", view.scene_hash);
  info_row_count(sheet, "seed", (int64_t)view.seed);
  info_row_count(sheet, "frame", view.frame);
  info_row_count(sheet, "frames", view.frame_count);
  info_row_hash(sheet, "state hash", view.state_hash);
  info_row_count(sheet, "snapshot bytes", (int64_t)view.snapshot_size);
  info_row_text(sheet, "options", options);
  free(options);
  pl_checkpoint_destroy(checkpoint);
  return TOOL_DONE;
}

static int info_verb(const tool_session *tool, const tool_arguments *arguments) {
  const char *path = arguments->words[0];
  info_sheet sheet = {.json = tool_find_value(arguments, "json")->given,
                      .nodes = tool_find_value(arguments, "nodes")->given};
  // The folder of a capture stands for its document.
  char *inside = tool_is_folder(path) ? tool_capture_path(path) : NULL;
  if (inside != NULL && access(inside, R_OK) == 0) path = inside;
  tool_file_kind kind = tool_file_detect(tool, path);
  if (kind == TOOL_FILE_MISSING) {
    free(inside);
    return TOOL_FAILED;
  }
  pl_context *context = tool_open_context(tool, 0);
  int code = TOOL_FAILED;
  if (context == NULL) kind = TOOL_FILE_MISSING;
  switch (kind) {
    case TOOL_FILE_MISSING: break;
    case TOOL_FILE_FRAMES: code = show_frames(tool, context, path, &sheet); break;
    case TOOL_FILE_SCENE: code = show_scene(tool, context, path, &sheet); break;
    case TOOL_FILE_DETAIL: code = detail_show_set(tool, context, path, &sheet) ? TOOL_DONE : TOOL_FAILED; break;
    case TOOL_FILE_CLOUD: code = show_cloud(tool, context, path, &sheet); break;
    case TOOL_FILE_CAPTURE: code = show_capture(tool, context, path, &sheet); break;
    case TOOL_FILE_CHECKPOINT: code = show_checkpoint(tool, context, path, &sheet); break;
    default: code = show_mesh(tool, context, path, &sheet); break;
  }
  if (sheet.row_count > 0) info_end_sheet(&sheet);
  pl_context_destroy(context);
  free(inside);
  return code;
}

const tool_verb tool_info_verb = {
    .name = "info",
    .words = "FILE",
    .summary = "print what is in a mesh, character, point cache, point cloud, capture, scene, detail set or checkpoint",
    .min_words = 1,
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = info_verb,
};
