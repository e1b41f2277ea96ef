// What people mean when they name something to simulate.
#include "tool_scene_find.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_folder.h"
#include "tool_gallery.h"
#include "tool_open.h"

char *tool_scene_name(const char *path) {
  char *absolute = tool_absolute_path(path), *slash = strrchr(absolute, '/');
  char *name = slash != NULL ? slash + 1 : absolute;
  if (slash != NULL && slash != absolute && strcmp(name, "scene.json") == 0) {
    *slash = '\0';
    slash = strrchr(absolute, '/');
    name = slash != NULL ? slash + 1 : absolute;
  } else if (tool_ending(name)[0] != '\0') {
    name[strlen(name) - strlen(tool_ending(name)) - 1] = '\0';
  }
  char *safe = tool_safe_name(name);
  free(absolute);
  return safe;
}

// --- writing a scene --------------------------------------------------------------------------------------------

// What a scene is written from.
typedef struct subject {
  const tool_session *tool;
  pl_context *context;
  FILE *file;
  char *name;
  const char *mesh_file;  // as the scene names it
  pl_character *character;
  pl_mesh *mesh;
  pl_box box;
  double size, scale;  // largest edge of the box; factor to metres
} subject;

static void put_number(const subject *s, double value) {
  fprintf(s->file, "%.4g", value);
}

static void put_vector(const subject *s, pl_vec3 v) {
  fprintf(s->file, "[%.4g, %.4g, %.4g]", v.x, v.y, v.z);
}

// Files of other programs are in centimetres or millimetres. A body between 2 cm and 20 m is left alone.
static double guess_scale(double size) {
  static const double units[] = {1, 0.01, 0.001};
  for (int i = 0; i < 3; ++i)
    if (size * units[i] <= 20) return units[i];
  return size > 0 ? 1 / size : 1;
}

// Whether a surface encloses something: a few small holes are closed by the lattice, a sheet is not.
static bool is_closed(const subject *s) {
  pl_mesh_view view = pl_mesh_get_view(s->mesh);
  pl_mesh_check_report report = {0};
  pl_findings *findings = NULL;
  if (view.tet_count > 0) return true;
  if (pl_findings_create(s->context, &findings, NULL) < 0) return true;
  pl_status status = pl_mesh_check(s->context, s->mesh, findings, &report, NULL);
  pl_findings_destroy(findings);
  return status < 0 || report.open_edge_count < 0.05 * 1.5 * view.triangle_count;
}

static void put_head(const subject *s, const char *what, int frames) {
  fprintf(s->file, "{\n  \"pliant\": 1,\n  \"name\": ");
  tool_put_json_text(s->file, s->name);
  fprintf(s->file, ",\n  \"description\": ");
  char *text = tool_text("%s %s.", s->name, what);
  tool_put_json_text(s->file, text);
  free(text);
  fprintf(
      s->file,
      ",\n  \"comment\": \"Run it with `pliant run`, look at it with `pliant view`. `comment` has no effect and may "
      "stand in every pair of braces; docs/formats.md lists all other keys.\",\n"
      "  \"time\": {\"frames\": %d, \"frame_rate\": 60},\n",
      frames);
}

// From in front, to the right and above, at everything between `bottom` and `top`.
static void put_camera(const subject *s, double bottom, double top) {
  double size = fmax(s->size * s->scale, top - bottom);
  pl_vec3 middle = pl_vec3_scale(pl_vec3_add(s->box.min, s->box.max), 0.5 * s->scale);
  middle.y = 0.5 * (bottom + top);
  fprintf(s->file, "  \"camera\": {\"eye\": ");
  put_vector(s, pl_vec3_add(middle, pl_vec3_of(1.2 * size, 0.5 * size, 2.2 * size)));
  fprintf(s->file, ", \"target\": ");
  put_vector(s, middle);
  fprintf(s->file, "}\n}\n");
}

static void put_character(const subject *s) {
  pl_character_view view = pl_character_get_view(s->character);
  int frames = 240;
  if (view.animation_count > 0) {
    double seconds = view.animations[0].end - view.animations[0].start;
    frames = seconds > 0 && seconds < 600 ? (int)ceil(60 * seconds) + 1 : frames;
  }
  bool has_springs = view.spring_count > 0;
  put_head(s,
           view.animation_count > 0 && has_springs ? "plays an animation, and its spring bones follow"
           : has_springs                           ? "lets its spring bones swing"
           : view.animation_count > 0              ? "plays an animation"
                                                   : "stands in its rest pose",
           frames);
  fprintf(s->file, "  \"bodies\": [\n    {\n      \"name\": ");
  tool_put_json_text(s->file, s->name);
  if (has_springs)
    fprintf(
        s->file,
        ",\n      \"comment\": \"%d springs of the file are simulated; numbers in `rod` replace those of the file.\"",
        view.spring_count);
  else
    fprintf(s->file,
            ",\n      \"comment\": \"The file has no springs. Add them to `springs`, such as {\\\"nodes\\\": "
            "[\\\"hair1\\\"], "
            "\\\"tail_length\\\": 0.05}: the node and all below it swing. `pliant info --nodes` lists the nodes.\"");
  fprintf(s->file, ",\n      \"method\": \"rod\",\n      \"rod\": {\"character\": ");
  tool_put_json_text(s->file, s->mesh_file);
  if (view.animation_count > 0) {
    fprintf(s->file, ", \"animation\": ");
    tool_put_json_text(s->file, view.animations[0].name);
    fprintf(s->file, ", \"loop\": true");
  }
  if (!has_springs) fprintf(s->file, ", \"springs\": []");
  fprintf(s->file, "}\n    }\n  ],\n");
  put_camera(s, s->box.min.y, s->box.max.y);
}

static void put_mesh(const subject *s) {
  pl_mesh_view view = pl_mesh_get_view(s->mesh);
  pl_vec3 edges = pl_vec3_scale(pl_vec3_sub(s->box.max, s->box.min), s->scale);
  fprintf(s->file, "  \"meshes\": {\n    ");
  tool_put_json_text(s->file, s->name);
  fprintf(s->file, ": {\n      \"file\": ");
  tool_put_json_text(s->file, s->mesh_file);
  fprintf(s->file, ",\n      \"scale\": ");
  put_number(s, s->scale);
  fprintf(s->file, ",\n      \"comment\": \"%.3g x %.3g x %.3g m%s", edges.x, edges.y, edges.z,
          s->scale != 1 ? " after `scale`, which is a guess: the file seems not to be in metres" : "");
  if (view.group_count > 0) {
    fprintf(s->file, "; groups that pins and maps can name:");
    for (int32_t i = 0; i < view.group_count && i < 12; ++i) {
      char *quoted = tool_safe_name(view.groups[i].name);
      fprintf(s->file, "%s %s", i > 0 ? "," : "", quoted);
      free(quoted);
    }
  }
  fprintf(s->file, "\"\n    }\n  },\n");
}

static void put_examples(const subject *s) {
  pl_mesh_view view = pl_mesh_get_view(s->mesh);
  int32_t count = view.pose_count < PL_MAX_EXAMPLE_COUNT ? view.pose_count : PL_MAX_EXAMPLE_COUNT;
  for (int32_t i = 0; i < count; ++i) {
    fprintf(s->file, "%s", i == 0 ? ", \"examples\": [" : ", ");
    tool_put_json_text(s->file, view.poses[i].name);
  }
  if (count > 0) fprintf(s->file, "]");
}

static void put_body(const subject *s) {
  pl_mesh_view view = pl_mesh_get_view(s->mesh);
  bool closed = is_closed(s), tets = view.tet_count > 0;
  double lift = 0.5 * s->size * s->scale;
  put_head(s, closed ? "falls on the ground" : "falls on the ground like cloth", 150);
  put_mesh(s);
  fprintf(s->file, "  \"bodies\": [\n    {\n      \"name\": ");
  tool_put_json_text(s->file, s->name);
  fprintf(s->file, ",\n      \"mesh\": ");
  tool_put_json_text(s->file, s->name);
  fprintf(s->file, ",\n      \"position\": ");
  put_vector(s, pl_vec3_of(0, lift - s->scale * s->box.min.y, 0));
  if (closed && !tets)
    fprintf(s->file,
            ",\n      \"tets\": {\"points\": 2000, \"comment\": \"particles inside the surface: more are finer and "
            "slower\"}");
  if (closed) {
    fprintf(s->file,
            ",\n      \"solid\": {\"stiffness\": 0.3, \"comment\": \"0.05 is jelly, 1 nearly rigid; examples are the "
            "poses of the file that the body deforms towards\"");
    put_examples(s);
    fprintf(s->file, "}");
  } else {
    fprintf(s->file, ",\n      \"method\": \"fem\",\n      \"fem\": {\"material\": \"shell\", \"thickness\": ");
    put_number(s, 0.005 * s->size * s->scale);
    fprintf(s->file,
            ", \"young\": 1e5, \"density\": 300, \"mass_damping\": 0.6, \"comment\": \"a shell, because the surface is "
            "open\"}");
  }
  fprintf(s->file,
          "\n    }\n  ],\n  \"colliders\": [{\"shape\": \"half_space\", \"comment\": \"the ground, y = 0\"}],\n");
  put_camera(s, 0, lift + s->scale * (s->box.max.y - s->box.min.y));
}

// The file as a scene in `scene_path` names it: without a folder where they are in the same one. To be freed.
static char *mesh_file_for(const char *mesh_path, const char *scene_path) {
  char *mesh = tool_absolute_path(mesh_path), *scene = tool_absolute_path(scene_path);
  char *mesh_name = strrchr(mesh, '/') + 1, *scene_name = strrchr(scene, '/') + 1;
  bool same = mesh_name - mesh == scene_name - scene && strncmp(mesh, scene, (size_t)(mesh_name - mesh)) == 0;
  char *file = tool_text("%s", same ? mesh_name : mesh);
  free(mesh);
  free(scene);
  return file;
}

// Files that play: those with springs, VRM models, and skins with an animation.
static bool is_character(const pl_character_view *view) {
  bool plays = view->spring_count > 0 || view->is_vrm || (view->influence_count > 1 && view->animation_count > 0);
  return plays && view->surface != NULL;
}

// Load the file as a character, or as a mesh.
static bool load_subject(subject *s, const char *mesh_path) {
  pl_error error = {0};
  if (pl_character_load(s->context, mesh_path, &s->character, NULL, &error) >= 0) {
    pl_character_view view = pl_character_get_view(s->character);
    if (is_character(&view)) {
      pl_mesh_view surface = pl_mesh_get_view(view.surface);
      s->box = pl_box_from_points(surface.points, surface.point_count);
      return true;
    }
    pl_character_destroy(s->character);
    s->character = NULL;
  }
  bool remarks = false;
  s->mesh = tool_open_mesh(s->tool, s->context, mesh_path, 1, &remarks);
  if (s->mesh == NULL) return false;
  pl_mesh_view view = pl_mesh_get_view(s->mesh);
  s->box = pl_box_from_points(view.points, view.point_count);
  if (view.triangle_count > 0 || view.tet_count > 0) return true;
  tool_print_error(&s->tool->console,
                   "'%s' has neither triangles nor tets to simulate; it holds points and segments alone", mesh_path);
  return false;
}

static bool write_file(subject *s, const char *scene_path) {
  pl_vec3 edges = pl_vec3_sub(s->box.max, s->box.min);
  s->size = fmax(edges.x, fmax(edges.y, edges.z));
  s->scale = s->character != NULL ? 1 : guess_scale(s->size);
  s->file = fopen(scene_path, "w");
  bool done = s->file != NULL;
  if (done && s->character != NULL) put_character(s);
  if (done && s->character == NULL) put_body(s);
  if (done) done = !ferror(s->file);
  if (s->file != NULL) done = fclose(s->file) == 0 && done;
  if (!done) tool_print_error(&s->tool->console, "'%s' cannot be written", scene_path);
  return done;
}

bool tool_scene_write(const tool_session *tool, const char *mesh_path, const char *scene_path) {
  char *mesh_file = mesh_file_for(mesh_path, scene_path);
  subject s = {
      .tool = tool, .context = tool_open_context(tool, 0), .name = tool_scene_name(mesh_path), .mesh_file = mesh_file};
  bool done = s.context != NULL && load_subject(&s, mesh_path) && write_file(&s, scene_path);
  pl_character_destroy(s.character);
  pl_mesh_destroy(s.mesh);
  pl_context_destroy(s.context);
  free(s.name);
  free(mesh_file);
  return done;
}

// --- finding a scene --------------------------------------------------------------------------------------------

// Kind of a file without a message.
static tool_file_kind kind_of(const tool_session *tool, const char *path) {
  return tool_is_file(path) ? tool_file_detect(tool, path) : TOOL_FILE_MISSING;
}

// Whether a document is one of ours: other programs have documents in JSON too.
static bool is_scene(const char *path) {
  FILE *file = fopen(path, "rb");
  char head[4096];
  size_t size = file == NULL ? 0 : fread(head, 1, sizeof head - 1, file);
  if (file != NULL) fclose(file);
  head[size] = '\0';
  return strstr(head, "\"pliant\"") != NULL;
}

// The only file of a kind in a folder, to be freed; NULL if there is none or more than one.
static char *only_file(const tool_session *tool, const char *folder, tool_file_kind kind) {
  DIR *stream = opendir(folder);
  char *found = NULL;
  int count = 0;
  for (struct dirent *entry = stream == NULL ? NULL : readdir(stream); entry != NULL; entry = readdir(stream)) {
    if (entry->d_name[0] == '.') continue;
    char *path = tool_text("%s/%s", folder, entry->d_name);
    bool fits = kind_of(tool, path) == kind && (kind != TOOL_FILE_SCENE || is_scene(path));
    if (fits && count++ == 0)
      found = path;
    else
      free(path);
  }
  if (stream != NULL) closedir(stream);
  if (count == 1) return found;
  free(found);
  return NULL;
}

static char *find_in_folder(const tool_session *tool, const char *folder) {
  char *path = tool_text("%s/scene.json", folder);
  if (tool_is_file(path)) return path;
  free(path);
  path = only_file(tool, folder, TOOL_FILE_SCENE);
  return path != NULL ? path : only_file(tool, folder, TOOL_FILE_MESH);
}

// The scene of a file; for a mesh one is written.
static char *scene_of_file(const tool_session *tool, const char *path, const char *output) {
  if (kind_of(tool, path) != TOOL_FILE_MESH) return tool_text("%s", path);
  char *name = tool_scene_name(path);
  char *folder = output != NULL ? tool_text("%s", output) : tool_text("out/%s", name),
       *scene = tool_text("%s/scene.json", folder);
  bool done = tool_folder_make(tool, folder) && tool_scene_write(tool, path, scene);
  if (done) tool_print(&tool->console, "'%s' is a mesh; the scene for it is %s", path, scene);
  free(name);
  free(folder);
  if (done) return scene;
  free(scene);
  return NULL;
}

static void report_folder(const tool_session *tool, const char *folder) {
  pl_error error = {.status = PL_ERROR_NOT_FOUND};
  snprintf(error.file, sizeof error.file, "%s", folder);
  snprintf(error.text, sizeof error.text, "this is a folder without a scene.json; name the scene or mesh in it");
  tool_report_error(&tool->console, &error);
}

char *tool_scene_find(const tool_session *tool, const char *word, const char *folder, bool keeps_folder) {
  if (tool_is_file(word)) return scene_of_file(tool, word, folder);
  if (tool_is_folder(word)) {
    char *inside = find_in_folder(tool, word), *scene = NULL;
    if (inside != NULL) scene = scene_of_file(tool, inside, folder);
    if (inside == NULL && keeps_folder) scene = tool_text("%s", word);
    if (inside == NULL && !keeps_folder) report_folder(tool, word);
    free(inside);
    return scene;
  }
  tool_gallery gallery = tool_gallery_find();
  char *scene = NULL;
  for (int i = 0; i < gallery.count && scene == NULL; ++i)
    if (strcmp(gallery.names[i], word) == 0) scene = tool_gallery_scene(&gallery, word);
  tool_gallery_free(&gallery);
  return scene != NULL ? scene : tool_text("%s", word);
}
