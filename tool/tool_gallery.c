// Finds the gallery, wherever the program is installed.
#include "tool_gallery.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool_folder.h"

char *tool_gallery_scene(const tool_gallery *gallery, const char *name) {
  return tool_text("%s/%s/scene.json", gallery->folder, name);
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// All folders in `folder` that hold a scene; true if there is one.
static bool list_scenes(tool_gallery *gallery) {
  DIR *folder = opendir(gallery->folder);
  if (folder == NULL) return false;
  int capacity = 0;
  for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    char *scene = tool_gallery_scene(gallery, entry->d_name);
    bool there = tool_is_file(scene);
    free(scene);
    if (!there) continue;
    if (gallery->count == capacity) {
      capacity = capacity > 0 ? 2 * capacity : 16;
      char **longer = tool_allocate((size_t)capacity, sizeof *longer);
      for (int i = 0; i < gallery->count; ++i) longer[i] = gallery->names[i];
      free(gallery->names);
      gallery->names = longer;
    }
    gallery->names[gallery->count++] = tool_text("%s", entry->d_name);
  }
  closedir(folder);
  if (gallery->count > 0) qsort(gallery->names, (size_t)gallery->count, sizeof *gallery->names, compare_names);
  return gallery->count > 0;
}

// The folder the program is in, to be freed, or NULL.
static char *program_folder(void) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return NULL;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  if (slash == NULL) return NULL;
  *slash = '\0';
  return tool_text("%s", path);
}

tool_gallery tool_gallery_find(void) {
  const char *chosen = getenv("PLIANT_SCENES");
  char *beside = program_folder();
  if (beside == NULL) beside = tool_text(".");
  // Built: build/preset/pliant or build/pliant. Installed: bin/pliant.
  char *positions[] = {
      chosen != NULL ? tool_text("%s", chosen) : NULL,
      tool_text("%s/../%s/scenes", beside, PLIANT_SHARE),
      tool_text("%s/../../scenes", beside),
      tool_text("%s/../scenes", beside),
      tool_text("%s", PLIANT_GALLERY),
  };
  tool_gallery gallery = {.folder = NULL};
  for (size_t i = 0; i < sizeof positions / sizeof positions[0]; ++i) {
    if (positions[i] == NULL) continue;
    gallery.folder = positions[i];
    if (list_scenes(&gallery)) {
      gallery.folder = tool_absolute_path(positions[i]);
      break;
    }
    gallery.folder = NULL;
    // If PLIANT_SCENES is set, no other folder is tried.
    if (i == 0) break;
  }
  for (size_t i = 0; i < sizeof positions / sizeof positions[0]; ++i) free(positions[i]);
  free(beside);
  return gallery;
}

void tool_gallery_free(tool_gallery *gallery) {
  for (int i = 0; i < gallery->count; ++i) free(gallery->names[i]);
  free(gallery->names);
  free(gallery->folder);
  *gallery = (tool_gallery){.folder = NULL};
}
