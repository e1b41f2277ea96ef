// pliant detail add: a captured or modelled surface becomes an example.
//
// There is no coarse simulation of it, so the lattice around BASE takes its place: it is fitted to the displaced
// surface with as little deformation of its cells as possible, and the difference that remains is the detail.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_folder.h"
#include "verb_detail.h"

// "X,Y,Z" as a position.
static bool parse_position(const char *text, pl_vec3 *position) {
  char rest;
  return sscanf(text, "%lf,%lf,%lf%c", &position->x, &position->y, &position->z, &rest) == 3 && isfinite(position->x) &&
         isfinite(position->y) && isfinite(position->z);
}

// Positions of the surface's points in the displaced file, or NULL (printed).
static pl_vec3 *read_displaced(const tool_session *tool, pl_context *context, const char *path, const detail_body *body,
                               bool *remarks) {
  pl_mesh *mesh = tool_open_mesh(tool, context, path, 1, remarks);
  if (mesh == NULL) return NULL;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  int32_t surface_count = body->object.surface_count, tet_points = pl_mesh_get_view(body->tets).point_count;
  bool of_tets = body->embedding == NULL && view.point_count == tet_points;
  pl_vec3 *points = NULL;
  if (view.point_count == surface_count || of_tets) {
    points = tool_allocate((size_t)surface_count, sizeof *points);
    for (int32_t i = 0; i < surface_count; ++i) points[i] = view.points[of_tets ? body->material[i] : i];
  } else {
    tool_print_error(&tool->console,
                     "%s: has %d points and the base has %d; both must have the same points in the same order", path,
                     view.point_count, surface_count);
  }
  pl_mesh_destroy(mesh);
  return points;
}

// One recording as a set of its own.
static pl_status make_example(pl_context *context, const detail_body *body, const pl_detail_def *def,
                              const pl_vec3 *fine, pl_vec3 contact, const char *label, pl_detail_set **set,
                              double *missing, pl_error *error) {
  pl_mesh_view tets = pl_mesh_get_view(body->tets);
  int32_t surface_count = body->object.surface_count;
  pl_vec3 *moved = tool_allocate((size_t)tets.point_count, sizeof *moved),
          *coarse = tool_allocate((size_t)surface_count, sizeof *coarse);
  pl_pose_def pose = pl_default_pose_def();
  pl_pose_report fit;
  pl_status status =
      pl_pose_fit(context, &pose, &(pl_pose_target){body->tets, body->surface, fine}, moved, &fit, error);
  *missing = fit.residual_rms;
  if (status >= 0) {
    if (body->embedding != NULL) pl_embedding_apply(body->embedding, moved, coarse);
    for (int32_t i = 0; body->embedding == NULL && i < surface_count; ++i) coarse[i] = moved[body->material[i]];
    for (int32_t i = 0; i < tets.point_count; ++i)
      moved[i] = (pl_vec3){moved[i].x - tets.points[i].x, moved[i].y - tets.points[i].y, moved[i].z - tets.points[i].z};
    pl_detail_recording recording = {.label = label,
                                     .object = &body->object,
                                     .material_displacements = moved,
                                     .coarse_points = coarse,
                                     .fine_points = fine,
                                     .contact = {.point = contact, .pressure = 1}};
    status = pl_detail_set_build(context, def, &(pl_detail_recordings){&recording, 1, NULL}, set, NULL, error);
  }
  free(moved);
  free(coarse);
  return status;
}

// The examples of both sets, one after the other.
static pl_status join(pl_context *context, const pl_detail_set *first, const pl_detail_set *second, pl_detail_set **set,
                      pl_error *error) {
  pl_detail_set_view a = pl_detail_set_get_view(first), b = pl_detail_set_get_view(second), both = a;
  size_t count = (size_t)a.example_count + (size_t)b.example_count, key = (size_t)a.key_size,
         stamp = 4 * (size_t)a.def.stamp_sides * (size_t)a.def.stamp_resolution * (size_t)a.def.stamp_resolution;
  const char **labels = tool_allocate(count, sizeof *labels);
  float *keys = tool_allocate(count * key, sizeof *keys), *sizes = tool_allocate(count, sizeof *sizes),
        *stamps = tool_allocate(count * stamp, sizeof *stamps);
  const pl_detail_set_view *parts[2] = {&a, &b};
  for (size_t p = 0, start = 0; p < 2; start += (size_t)parts[p++]->example_count) {
    size_t own = (size_t)parts[p]->example_count;
    memcpy(labels + start, parts[p]->labels, own * sizeof *labels);
    memcpy(keys + start * key, parts[p]->keys, own * key * sizeof *keys);
    memcpy(sizes + start, parts[p]->sizes, own * sizeof *sizes);
    memcpy(stamps + start * stamp, parts[p]->stamps, own * stamp * sizeof *stamps);
  }
  both.example_count = (int32_t)count;
  both.labels = labels;
  both.keys = keys;
  both.sizes = sizes;
  both.stamps = stamps;
  pl_status status = pl_detail_set_create(context, &both, set, error);
  free(labels);
  free(keys);
  free(sizes);
  free(stamps);
  return status;
}

// Make the example, add it to the set, write the set.
static int add_example(const tool_session *tool, const tool_arguments *arguments, pl_context *context,
                       const detail_body *body, const pl_vec3 *fine, pl_vec3 contact, const pl_detail_set *old) {
  const tool_value *label = tool_find_value(arguments, "label"), *window = tool_find_value(arguments, "window");
  const char *output = tool_find_value(arguments, "output")->text;
  pl_detail_set *example = NULL, *joined = NULL;
  pl_error error = {0};
  pl_detail_def def = old != NULL ? pl_detail_set_get_view(old).def : pl_default_detail_def();
  if (old == NULL) def.window_radius = window->number;
  double missing = 0;
  pl_status status =
      make_example(context, body, &def, fine, contact, label->given ? label->text : "", &example, &missing, &error);
  if (status >= 0 && old != NULL) status = join(context, old, example, &joined, &error);
  if (status >= 0) status = pl_detail_set_save(context, output, old != NULL ? joined : example, &error);
  if (status >= 0)
    tool_print(&tool->console,
               "%s: %d examples; the lattice fits the new one with an error of %.4g m (root mean square)", output,
               pl_detail_set_get_view(old != NULL ? joined : example).example_count, missing);
  pl_detail_set_destroy(example);
  pl_detail_set_destroy(joined);
  return status < 0 ? tool_report_error(&tool->console, &error) : TOOL_DONE;
}

int detail_add(const tool_session *tool, const tool_arguments *arguments, pl_context *context) {
  const tool_value *at = tool_find_value(arguments, "contact");
  const char *path = arguments->words[1];
  pl_vec3 contact;
  if (!tool_find_value(arguments, "output")->given || !at->given || !parse_position(at->text, &contact)) {
    tool_print_error(&tool->console, "add needs --contact X,Y,Z and --output SET");
    return TOOL_USAGE;
  }
  pl_detail_set *old = NULL;
  pl_error error = {0};
  if (tool_is_file(path) && pl_detail_set_load(context, path, &old, &error) < 0)
    return tool_report_error(&tool->console, &error);
  if (old == NULL && !tool_find_value(arguments, "window")->given) {
    tool_print_error(&tool->console, "there is no file '%s'; a new set needs --window LENGTH", path);
    return TOOL_USAGE;
  }
  bool remarks = false;
  detail_body body = {NULL, NULL, NULL, NULL, {0}};
  pl_vec3 *fine = NULL;
  int code = TOOL_FAILED;
  if (detail_body_open(tool, arguments, context, arguments->words[2], &body, &remarks))
    fine = read_displaced(tool, context, arguments->words[3], &body, &remarks);
  if (fine != NULL) code = add_example(tool, arguments, context, &body, fine, contact, old);
  free(fine);
  detail_body_close(&body);
  pl_detail_set_destroy(old);
  return code == TOOL_DONE && remarks ? TOOL_REMARKS : code;
}
