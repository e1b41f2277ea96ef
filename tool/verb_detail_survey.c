// pliant detail info, segment, cover: the contents of a set, similar sites of a surface, and sites without a similar
// example.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_export.h"
#include "report/report_palette.h"
#include "tool_folder.h"
#include "verb_detail.h"

enum { PICTURE_WIDTH = 960, PICTURE_HEIGHT = 720, SIDE = 64, COLUMNS = 8 };

// --- bodies ----------------------------------------------------------------------------------------------------------

static pl_mesh *copy_mesh(pl_context *context, const pl_mesh *mesh, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_mesh *copy = NULL;
  (void)pl_mesh_create(context, &view, &copy, error);
  return copy;
}

// A body of a scene with tets: the one of that name, or the first.
static pl_status open_scene(const tool_session *tool, pl_context *context, const char *path, const char *name,
                            detail_body *body, bool *remarks, pl_error *error) {
  pl_findings *findings = NULL;
  pl_scene *scene = NULL;
  pl_scene_instance *set = NULL;
  pl_scene_build_def build = pl_default_scene_build_def();
  pl_status status = pl_findings_create(context, &findings, error);
  if (status >= 0) status = pl_scene_load(context, path, &scene, findings, error);
  if (status >= 0) status = pl_scene_build(context, &build, scene, &set, findings, error);
  if (findings != NULL) tool_report_findings(&tool->console, findings, PL_SEVERITY_WARNING, path);
  if (findings != NULL && pl_findings_count(findings, PL_SEVERITY_WARNING) > 0) *remarks = true;
  const pl_mesh *tets = NULL, *surface = NULL;
  for (int32_t i = 0; status >= 0 && i < pl_scene_instance_body_count(set) && tets == NULL; ++i) {
    pl_scene_instance_body info = pl_scene_instance_get_body(set, i);
    if (info.mesh == NULL || pl_mesh_get_view(info.mesh).tet_count == 0 ||
        (name != NULL && strcmp(info.name, name) != 0))
      continue;
    tets = info.mesh;
    surface = info.surface;
  }
  if (status >= 0 && tets == NULL) {
    status = error->status = PL_ERROR_NOT_FOUND;
    snprintf(error->text, sizeof error->text, "there is no body%s%s with tets in this scene", name != NULL ? " " : "",
             name != NULL ? name : "");
  }
  if (status >= 0) body->tets = copy_mesh(context, tets, error);
  if (status >= 0 && surface != NULL) body->surface = copy_mesh(context, surface, error);
  if (status >= 0 && (body->tets == NULL || (surface != NULL && body->surface == NULL))) status = error->status;
  pl_scene_instance_destroy(set);
  pl_scene_destroy(scene);
  pl_findings_destroy(findings);
  return status;
}

static pl_status make_lattice(const tool_arguments *arguments, pl_context *context, detail_body *body,
                              pl_error *error) {
  const tool_value *cell = tool_find_value(arguments, "cell-size"), *points = tool_find_value(arguments, "points");
  pl_lattice_def def = pl_default_lattice_def();
  if (points->given) def.target_point_count = (int32_t)points->count;
  if (cell->given) def.cell_size = cell->number;
  return pl_lattice_build(context, &def, body->surface, &body->tets, NULL, error);
}

// The boundary of the tets, or the embedding of a surface in them.
static pl_status tie_surface(pl_context *context, detail_body *body, pl_error *error) {
  body->material = tool_allocate((size_t)pl_mesh_get_view(body->tets).point_count, sizeof *body->material);
  if (body->surface == NULL) return pl_mesh_build_boundary(context, body->tets, &body->surface, body->material, error);
  pl_mesh_view surface = pl_mesh_get_view(body->surface);
  free(body->material);
  body->material = tool_allocate((size_t)surface.point_count, sizeof *body->material);
  pl_box box = pl_box_from_points(surface.points, surface.point_count);
  double size = fmax(fmax(box.max.x - box.min.x, box.max.y - box.min.y), box.max.z - box.min.z);
  pl_embedding_report report;
  pl_status status =
      pl_embedding_build(context, body->tets, &(pl_embedding_input){surface.points, surface.point_count, size},
                         &body->embedding, &report, error);
  if (status < 0) return status;
  pl_embedding_view view = pl_embedding_get_view(body->embedding);
  for (size_t i = 0; i < (size_t)surface.point_count; ++i) {
    int heaviest = 0;
    for (int k = 1; k < 4; ++k)
      if (view.weights[4 * i + (size_t)k] > view.weights[4 * i + (size_t)heaviest]) heaviest = k;
    body->material[i] = view.parents[4 * i + (size_t)heaviest];
  }
  return PL_OK;
}

bool detail_body_open(const tool_session *tool, const tool_arguments *arguments, pl_context *context, const char *path,
                      detail_body *body, bool *remarks) {
  *body = (detail_body){NULL, NULL, NULL, NULL, {0}};
  tool_file_kind kind = tool_file_detect(tool, path);
  if (kind == TOOL_FILE_MISSING) return false;
  const tool_value *name = tool_find_value(arguments, "body");
  pl_error error = {0};
  pl_status status = PL_OK;
  if (kind == TOOL_FILE_SCENE) {
    status = open_scene(tool, context, path, name->given ? name->text : NULL, body, remarks, &error);
    bool rebuild = tool_find_value(arguments, "cell-size")->given || tool_find_value(arguments, "points")->given;
    if (status >= 0 && rebuild && body->surface != NULL) {
      pl_mesh_destroy(body->tets);
      body->tets = NULL;
      status = make_lattice(arguments, context, body, &error);
    }
  } else {
    pl_mesh *mesh = tool_open_mesh(tool, context, path, 1, remarks);
    if (mesh == NULL) return false;
    if (pl_mesh_get_view(mesh).tet_count > 0)
      body->tets = mesh;
    else
      body->surface = mesh;
    if (body->tets == NULL) status = make_lattice(arguments, context, body, &error);
  }
  if (status >= 0) status = tie_surface(context, body, &error);
  if (status < 0) {
    if (error.file[0] == '\0') snprintf(error.file, sizeof error.file, "%s", path);
    tool_report_error(&tool->console, &error);
    detail_body_close(body);
    return false;
  }
  body->object = pl_detail_object_from_mesh(body->tets, body->surface, body->material);
  return true;
}

void detail_body_close(detail_body *body) {
  pl_embedding_destroy(body->embedding);
  pl_mesh_destroy(body->surface);
  pl_mesh_destroy(body->tets);
  free(body->material);
  *body = (detail_body){NULL, NULL, NULL, NULL, {0}};
}

// --- pictures --------------------------------------------------------------------------------------------------------

static pl_status draw(pl_context *context, const char *path, const detail_body *body, const pl_color *colors,
                      pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(body->surface);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  pl_renderer_def def = pl_default_renderer_def();
  def.width = PICTURE_WIDTH;
  def.height = PICTURE_HEIGHT;
  def.ground_height = box.min.y;
  pl_picture_item item = {.points = view.points,
                          .point_count = view.point_count,
                          .triangles = view.triangles,
                          .triangle_count = view.triangle_count,
                          .colors = colors};
  pl_camera camera = pl_camera_frame_box(box, (double)PICTURE_WIDTH / PICTURE_HEIGHT);
  pl_renderer *renderer = NULL;
  uint8_t *rgb = tool_allocate(3 * (size_t)PICTURE_WIDTH * PICTURE_HEIGHT, 1);
  pl_status status = pl_renderer_create(context, &def, &renderer, error);
  if (status >= 0) status = pl_renderer_draw(renderer, &(pl_picture){camera, &item, 1, NULL}, rgb, error);
  if (status >= 0) status = pl_picture_save(context, path, rgb, PICTURE_WIDTH, PICTURE_HEIGHT, error);
  pl_renderer_destroy(renderer);
  free(rgb);
  return status;
}

static bool can_be_painted(const tool_session *tool, const tool_value *output) {
  if (!output->given || tool_has_ending(output->text, "ply") || tool_has_ending(output->text, "png")) return true;
  tool_print_error(&tool->console, "'%s' is not a .ply or .png file; choose one of these for --output", output->text);
  return false;
}

static pl_status paint(pl_context *context, const tool_value *output, const detail_body *body, const pl_color *colors,
                       pl_error *error) {
  if (!output->given) return PL_OK;
  if (tool_has_ending(output->text, "png")) return draw(context, output->text, body, colors, error);
  return pl_painted_surface_save(context, output->text, body->surface, colors, error);
}

// --- info ------------------------------------------------------------------------------------------------------------

// All stamps in rows, first to last.
static pl_status write_previews(pl_context *context, const char *path, const pl_detail_set *set, int32_t count,
                                pl_error *error) {
  int32_t columns = count < COLUMNS ? count : COLUMNS, rows = (count + columns - 1) / columns;
  int32_t width = columns * SIDE, height = rows * SIDE;
  uint8_t *rgb = tool_allocate(3 * (size_t)width * (size_t)height, 1), grey[SIDE * SIDE];
  for (int32_t i = 0; i < count; ++i) {
    if (pl_detail_set_preview(set, i, SIDE, grey) < 0) continue;
    for (int32_t k = 0; k < SIDE * SIDE; ++k) {
      size_t at = (size_t)(i / columns * SIDE + k / SIDE) * (size_t)width + (size_t)(i % columns * SIDE + k % SIDE);
      memset(rgb + 3 * at, grey[k], 3);
    }
  }
  pl_status status = pl_picture_save(context, path, rgb, width, height, error);
  free(rgb);
  return status;
}

static void show_rows(const pl_detail_set *set, info_sheet *sheet) {
  pl_detail_set_view view = pl_detail_set_get_view(set);
  info_row_text(sheet, "kind", "detail");
  info_row_count(sheet, "examples", view.example_count);
  info_row_number(sheet, "window radius", view.def.window_radius, "m");
  info_row_number(sheet, "stamp radius", view.def.stamp_radius, "m");
  info_row_count(sheet, "stamp resolution", view.def.stamp_resolution);
  info_row_count(sheet, "stamp sides", view.def.stamp_sides);
  info_row_count(sheet, "site order", view.def.site_order);
  info_row_count(sheet, "patch order", view.def.patch_order);
  info_row_count(sheet, "load order", view.def.load_order);
  info_row_number(sheet, "load reference", view.def.load_reference, "m");
  info_row_number(sheet, "site width", view.def.site_width, "");
  info_row_number(sheet, "load width", view.def.load_width, "");
  info_row_text(sheet, "weights", view.def.plain_weights ? "plain" : "interpolating");
  info_begin_list(sheet, "labels", view.example_count);
  for (int32_t i = 0; i < view.example_count; ++i) {
    info_begin_item(sheet, view.labels[i], i);
    info_end_item(sheet);
  }
  info_end_list(sheet);
}

bool detail_show_set(const tool_session *tool, pl_context *context, const char *path, info_sheet *sheet) {
  pl_detail_set *set = NULL;
  pl_error error = {0};
  if (pl_detail_set_load(context, path, &set, &error) < 0) {
    tool_report_error(&tool->console, &error);
    return false;
  }
  show_rows(set, sheet);
  pl_detail_set_destroy(set);
  return true;
}

int detail_info(const tool_session *tool, const tool_arguments *arguments, pl_context *context) {
  const tool_value *output = tool_find_value(arguments, "output");
  pl_detail_set *set = NULL;
  pl_error error = {0};
  if (pl_detail_set_load(context, arguments->words[1], &set, &error) < 0)
    return tool_report_error(&tool->console, &error);
  info_sheet sheet = {.json = tool_find_value(arguments, "json")->given};
  show_rows(set, &sheet);
  info_end_sheet(&sheet);
  pl_status status = PL_OK;
  if (output->given)
    status = write_previews(context, output->text, set, pl_detail_set_get_view(set).example_count, &error);
  pl_detail_set_destroy(set);
  return status < 0 ? tool_report_error(&tool->console, &error) : TOOL_DONE;
}

// --- segment ---------------------------------------------------------------------------------------------------------

static void print_segments(const detail_body *body, const pl_detail_segments *segments, bool json) {
  const pl_detail_object *object = &body->object;
  printf(json ? "{\"spread\": %.9g, \"segments\": [" : "spread %.4g\nsegment  points  most typical site\n",
         segments->spread);
  for (int32_t s = 0; s < segments->count; ++s) {
    int32_t count = 0, slot = segments->representatives[s];
    for (int32_t i = 0; i < object->surface_count; ++i) count += segments->segment_of_point[i] == s;
    pl_vec3 at = slot >= 0 ? object->surface_points[slot] : (pl_vec3){0, 0, 0};
    printf(json ? "%s\n  {\"segment\": %d, \"points\": %d, \"point\": %d, \"at\": [%.9g, %.9g, %.9g]}"
                : "%s%7d %7d  point %d at (%.4g, %.4g, %.4g)\n",
           json && s > 0 ? "," : "", s, count, slot, at.x, at.y, at.z);
  }
  if (json) printf("\n]}\n");
}

int detail_segment(const tool_session *tool, const tool_arguments *arguments, pl_context *context) {
  const tool_value *output = tool_find_value(arguments, "output"), *count = tool_find_value(arguments, "count"),
                   *window = tool_find_value(arguments, "window");
  if (!count->given || !window->given) {
    tool_print_error(&tool->console, "segment needs --count N and --window LENGTH");
    return TOOL_USAGE;
  }
  if (!can_be_painted(tool, output)) return TOOL_USAGE;
  bool remarks = false;
  detail_body body;
  if (!detail_body_open(tool, arguments, context, arguments->words[1], &body, &remarks)) return TOOL_FAILED;
  size_t point_count = (size_t)body.object.surface_count;
  pl_detail_def def = pl_default_detail_def();
  def.window_radius = window->number;
  pl_detail_segments segments = {.count = (int32_t)count->count,
                                 .segment_of_point = tool_allocate(point_count, sizeof(int32_t)),
                                 .representatives = tool_allocate((size_t)count->count, sizeof(int32_t))};
  pl_color *colors = tool_allocate(point_count, sizeof *colors);
  pl_error error = {0};
  pl_status status =
      pl_detail_segment(context, &def, &body.object, (uint64_t)tool_get_count(arguments, "seed"), &segments, &error);
  for (size_t i = 0; status >= 0 && i < point_count; ++i) colors[i] = pl_palette_color(segments.segment_of_point[i]);
  if (status >= 0) status = paint(context, output, &body, colors, &error);
  if (status >= 0) print_segments(&body, &segments, tool_find_value(arguments, "json")->given);
  free(segments.segment_of_point);
  free(segments.representatives);
  free(colors);
  detail_body_close(&body);
  return status < 0 ? tool_report_error(&tool->console, &error) : remarks ? TOOL_REMARKS : TOOL_DONE;
}

// --- cover -----------------------------------------------------------------------------------------------------------

// Where to record next: the site least similar to any example, then the next one that is not close to it on the
// surface, and so on.
static void print_next(const detail_body *body, const double *distances, double limit, double apart, int32_t max,
                       bool json) {
  const pl_detail_object *object = &body->object;
  int32_t chosen[64], count = 0;
  while (count < max && count < 64) {
    int32_t best = -1;
    for (int32_t i = 0; i < object->surface_count; ++i) {
      if (!(distances[i] > limit) || (best >= 0 && !(distances[i] > distances[best]))) continue;
      bool is_far = true;
      for (int32_t k = 0; k < count && is_far; ++k) {
        pl_vec3 a = object->surface_points[i], b = object->surface_points[chosen[k]];
        is_far = sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z)) > apart;
      }
      if (is_far) best = i;
    }
    if (best < 0) break;
    pl_vec3 at = object->surface_points[best];
    printf(json ? "%s\n  {\"point\": %d, \"distance\": %.9g, \"at\": [%.9g, %.9g, %.9g]}"
                : "%srecord next    point %d, %.2f widths from any example, at (%.4g, %.4g, %.4g)\n",
           json && count > 0 ? "," : "", best, json ? distances[best] : distances[best] / limit, at.x, at.y, at.z);
    chosen[count++] = best;
  }
}

static void print_cover(const detail_body *body, const pl_detail_coverage *found, const double *distances, double apart,
                        int32_t max, bool json) {
  printf(
      json
          ? "{\"covered\": %.9g, \"limit\": %.9g, \"mean\": %.9g, \"largest\": %.9g, \"next\": ["
          : "covered        %.4g of the surface is within the width %.4g of an example\ndistance       %.4g mean, %.4g "
            "max\n",
      found->covered, found->limit, found->mean, found->max);
  print_next(body, distances, found->limit, apart, max, json);
  if (json) printf("\n]}\n");
}

int detail_cover(const tool_session *tool, const tool_arguments *arguments, pl_context *context) {
  const tool_value *output = tool_find_value(arguments, "output"), *count = tool_find_value(arguments, "count");
  if (!can_be_painted(tool, output)) return TOOL_USAGE;
  bool remarks = false;
  detail_body body;
  pl_detail_set *set = NULL;
  pl_error error = {0};
  if (pl_detail_set_load(context, arguments->words[1], &set, &error) < 0)
    return tool_report_error(&tool->console, &error);
  if (!detail_body_open(tool, arguments, context, arguments->words[2], &body, &remarks)) {
    pl_detail_set_destroy(set);
    return TOOL_FAILED;
  }
  size_t point_count = (size_t)body.object.surface_count;
  double *distances = tool_allocate(point_count, sizeof *distances), size = tool_get_number(arguments, "scale");
  pl_color *colors = tool_allocate(point_count, sizeof *colors);
  pl_detail_coverage found = {.distances = distances};
  pl_status status = pl_detail_measure_coverage(context, set, &body.object, size, &found, &error);
  for (size_t i = 0; status >= 0 && i < point_count; ++i)
    colors[i] = pl_scale_color(fmin(distances[i] / (2 * found.limit), 1));
  if (status >= 0) status = paint(context, output, &body, colors, &error);
  if (status >= 0)
    print_cover(&body, &found, distances, size * pl_detail_set_get_view(set).def.window_radius,
                count->given ? (int32_t)count->count : DETAIL_COVER_COUNT, tool_find_value(arguments, "json")->given);
  free(distances);
  free(colors);
  detail_body_close(&body);
  pl_detail_set_destroy(set);
  return status < 0 ? tool_report_error(&tool->console, &error) : remarks ? TOOL_REMARKS : TOOL_DONE;
}
