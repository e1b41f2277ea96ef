// The gallery: the scenes with name, description and picture.
#include "studio_gallery.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "io/file_bytes.h"
#include "scene/scene_types.h"

static char *path_of_scene(const studio_gallery *gallery, const char *name, const char *file) {
  char *folder = pl_path_join(gallery->context, gallery->options->gallery, name);
  char *path = folder != NULL ? pl_path_join(gallery->context, folder, file) : NULL;
  pl_release(gallery->context, folder);
  return path;
}

char *studio_gallery_picture(const studio_gallery *gallery, const char *name) {
  enum { FOLDER_COUNT = 3 };
  int known = -1;
  for (int i = 0; i < gallery->options->name_count; ++i)
    if (strcmp(gallery->options->names[i], name) == 0) known = i;
  for (int i = 0; known >= 0 && i < FOLDER_COUNT; ++i) {
    char *path = NULL, below[300];
    const char *own = gallery->options->names[known];
    // Next to the scene, in the source tree, or installed.
    if (i == 0)
      path = path_of_scene(gallery, own, "picture.png");
    else if (snprintf(below, sizeof below, i == 1 ? "../docs/pictures/%s.png" : "../../doc/pliant/pictures/%s.png",
                      own) < (int)sizeof below)
      path = pl_path_join(gallery->context, gallery->options->gallery, below);
    if (path != NULL && pl_file_exists(path)) return path;
    pl_release(gallery->context, path);
  }
  return NULL;
}

// Pictures with several panels are listed in strips.json next to them: the number of panels, and the one to show.
static void set_panels(const studio_gallery *gallery, pl_arena *arena, pl_json *item, const char *picture,
                       const char *name) {
  char *folder = pl_path_folder(gallery->context, picture);
  char *path = folder != NULL ? pl_path_join(gallery->context, folder, "strips.json") : NULL;
  pl_bytes bytes;
  pl_json_document *table = NULL;
  int64_t panels, panel;
  if (path != NULL && pl_file_exists(path) && pl_bytes_read(gallery->context, path, &bytes, NULL) >= 0) {
    if (pl_json_parse(gallery->context, (const char *)bytes.data, bytes.size, path, NULL, &table, NULL) == PL_OK) {
      const pl_json *strip = pl_json_find(table->root, name);
      if (pl_json_get_integer(pl_json_find(strip, "panels"), &panels) &&
          pl_json_get_integer(pl_json_find(strip, "panel"), &panel)) {
        pl_json_set_number(arena, item, "panels", (double)panels);
        pl_json_set_number(arena, item, "panel", (double)panel);
      }
    }
    pl_json_document_destroy(table);
    pl_bytes_free(&bytes);
  }
  pl_release(gallery->context, folder);
  pl_release(gallery->context, path);
}

// The section of a scene. Only the name says that a scene is a capture target.
static const char *method_of(const pl_scene *scene, const char *name) {
  const pl_scene_body *bodies = scene->document.bodies.items;
  if (strncmp(name, "capture-", 8) == 0) return "capture";
  for (int32_t i = 0; i < scene->document.bodies.count; ++i) {
    if (bodies[i].actor.json != NULL) return "actor";
    if (bodies[i].detail.json != NULL) return "detail";
  }
  // Rigid bodies and animated meshes are there for the others to touch.
  for (int32_t i = 0; i < scene->document.bodies.count; ++i)
    if (bodies[i].method != PL_SCENE_RIGID && bodies[i].method != PL_SCENE_KINEMATIC)
      return bodies[i].method == PL_SCENE_ROD ? "rod" : bodies[i].method == PL_SCENE_FEM ? "fem" : "solid";
  return scene->document.bodies.count > 0 ? "rigid" : "solid";
}

static void add_scene(const studio_gallery *gallery, pl_arena *arena, pl_json *list, const char *name) {
  pl_scene *scene = NULL;
  char *path = path_of_scene(gallery, name, "scene.json"), *picture = studio_gallery_picture(gallery, name), link[300];
  if (path != NULL && pl_scene_load(gallery->context, path, &scene, NULL, NULL) >= 0) {
    pl_json *item = pl_json_new(arena, PL_JSON_OBJECT);
    pl_scene_report facts = pl_scene_get_report(scene);
    snprintf(link, sizeof link, "/pictures/%.280s", name);
    if (item != NULL) {
      pl_json_set_text(arena, item, "name", name);
      pl_json_set_text(arena, item, "title", facts.name);
      pl_json_set_text(arena, item, "method", method_of(scene, name));
      pl_json_set_text(arena, item, "description", facts.description);
      pl_json_set_text(arena, item, "picture", picture != NULL ? link : "");
      if (picture != NULL) set_panels(gallery, arena, item, picture, name);
      pl_json_add(list, item);
    }
  }
  pl_scene_destroy(scene);
  pl_release(gallery->context, path);
  pl_release(gallery->context, picture);
}

const char *studio_gallery_text(studio_gallery *gallery, size_t *size) {
  if (gallery->text == NULL) {
    pl_arena arena;
    pl_vector text = pl_vector_of(gallery->context, 1);
    pl_arena_init(&arena, gallery->context, 0);
    pl_json *list = pl_json_new(&arena, PL_JSON_ARRAY);
    for (int i = 0; list != NULL && gallery->options->gallery != NULL && i < gallery->options->name_count; ++i)
      add_scene(gallery, &arena, list, gallery->options->names[i]);
    if (!arena.failed && list != NULL && pl_json_write(list, PL_JSON_COMPACT, &text, NULL) >= 0) {
      gallery->text = text.items;
      gallery->size = text.count;
    } else {
      pl_vector_free(&text);
    }
    pl_arena_destroy(&arena);
  }
  *size = gallery->size;
  return gallery->text;
}

void studio_gallery_free(studio_gallery *gallery) {
  pl_release(gallery->context, gallery->text);
}
