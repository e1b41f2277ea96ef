// What is in a character file: nodes, skin, animations, springs with their colliders, and example poses.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "info_sheet.h"
#include "tool_folder.h"

static bool is_character(const pl_character_view *view) {
  return view->spring_count > 0 || view->example_count > 0 || view->vrm_version != 0 || view->influence_count > 1;
}

static void show_animations(const pl_character_view *view, info_sheet *sheet) {
  info_begin_list(sheet, "animations", view->animation_count);
  for (int32_t i = 0; i < view->animation_count; ++i) {
    const pl_character_animation *animation = &view->animations[i];
    info_begin_item(sheet, animation->name, i);
    printf(sheet->json ? ", \"start\": %.9g, \"end\": %.9g" : "%.4g … %.4g s", animation->start, animation->end);
    info_end_item(sheet);
  }
  info_end_list(sheet);
}

static void show_springs(const pl_character_view *view, info_sheet *sheet) {
  info_begin_list(sheet, "springs", view->spring_count);
  for (int32_t i = 0; i < view->spring_count; ++i) {
    const pl_character_spring *spring = &view->springs[i];
    const char *root = spring->joint_count > 0 ? view->nodes[spring->joints[0].node].name : "";
    info_begin_item(sheet, spring->name, i);
    if (sheet->json) {
      printf(", \"joints\": %d, \"colliders\": %d, \"root\": ", spring->joint_count, spring->collider_count);
      tool_print_json_text(root);
    } else {
      printf("%d joints from '%s', %d colliders", spring->joint_count, root, spring->collider_count);
    }
    info_end_item(sheet);
  }
  info_end_list(sheet);
}

static void show_examples(const pl_character_view *view, info_sheet *sheet) {
  info_begin_list(sheet, "examples", view->example_count);
  for (int32_t i = 0; i < view->example_count; ++i) {
    const pl_character_example *example = &view->examples[i];
    const char *root = view->nodes[example->root].name;
    pl_vec3 d = example->direction;
    double extent = 180 / PL_PI * example->extent;
    info_begin_item(sheet, example->name, i);
    if (sheet->json) {
      fputs(", \"chain\": ", stdout);
      tool_print_json_text(root);
      if (extent > 0) printf(", \"direction\": [%.9g, %.9g, %.9g], \"extent degrees\": %.9g", d.x, d.y, d.z, extent);
    } else if (extent > 0) {
      printf("of '%s', seen from %.3g %.3g %.3g, extent %.3g degrees", root, d.x, d.y, d.z, extent);
    } else {
      printf("of '%s', not driven by the view", root);
    }
    info_end_item(sheet);
  }
  info_end_list(sheet);
}

static void show_surface(const pl_character_view *view, info_sheet *sheet) {
  pl_mesh_view mesh = pl_mesh_get_view(view->surface);
  info_row_count(sheet, "points", mesh.point_count);
  info_row_count(sheet, "triangles", mesh.triangle_count);
  info_row_count(sheet, "joints per point", view->influence_count);
  info_row_names(sheet, "poses", mesh.pose_count, info_pose_name, &mesh);
  pl_box box = pl_box_from_points(mesh.points, mesh.point_count);
  if (mesh.point_count == 0) return;
  info_row_vector(sheet, "min", box.min);
  info_row_vector(sheet, "max", box.max);
}

static void show_nodes(const pl_character_view *view, info_sheet *sheet) {
  info_begin_list(sheet, "nodes", view->node_count);
  for (int32_t i = 0; i < view->node_count; ++i) {
    int32_t parent = view->nodes[i].parent;
    info_begin_item(sheet, view->nodes[i].name, i);
    if (sheet->json) {
      fputs(", \"parent\": ", stdout);
      if (parent < 0) fputs("null", stdout);
      if (parent >= 0) tool_print_json_text(view->nodes[parent].name);
    } else if (parent >= 0) {
      printf("of '%s'", view->nodes[parent].name);
    }
    info_end_item(sheet);
  }
  info_end_list(sheet);
}

static void show(const pl_character_view *view, const char *format, info_sheet *sheet) {
  info_row_text(sheet, "kind", "character");
  info_row_text(sheet, "format", format);
  if (view->vrm_version != 0) info_row_text(sheet, "vrm", view->vrm_version > 0 ? "1.0" : "0.x");
  if (sheet->nodes)
    show_nodes(view, sheet);
  else
    info_row_count(sheet, "nodes", view->node_count);
  if (view->surface != NULL) show_surface(view, sheet);
  show_animations(view, sheet);
  show_springs(view, sheet);
  info_row_count(sheet, "colliders", view->collider_count);
  show_examples(view, sheet);
}

bool info_show_character(const tool_session *tool, pl_context *context, const char *path, const char *format,
                         info_sheet *sheet, bool *remarks) {
  pl_character *character = NULL;
  pl_findings *findings = NULL;
  pl_error error = {0};
  bool found = false;
  if (pl_findings_create(context, &findings, &error) < 0) return false;
  if (pl_character_load(context, path, &character, findings, &error) >= 0) {
    pl_character_view view = pl_character_get_view(character);
    found = is_character(&view);
    if (found) {
      tool_report_findings(&tool->console, findings, PL_SEVERITY_WARNING, path);
      *remarks = pl_findings_count(findings, PL_SEVERITY_WARNING) > 0;
      show(&view, format, sheet);
    }
  }
  pl_character_destroy(character);
  pl_findings_destroy(findings);
  return found;
}
