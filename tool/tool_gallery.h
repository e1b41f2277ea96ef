// The gallery: the scenes that come with the program.
#ifndef TOOL_GALLERY_H
#define TOOL_GALLERY_H

#include "tool_arguments.h"

typedef struct tool_gallery {
  char *folder;  // NULL if none was found
  char **names;  // sorted
  int count;
} tool_gallery;

// Look for it: $PLIANT_SCENES, then next to the program as it was built or installed, then in the
// source folder.
tool_gallery tool_gallery_find(void);
void tool_gallery_free(tool_gallery *gallery);

// Path of the scene file of that name, to be freed.
char *tool_gallery_scene(const tool_gallery *gallery, const char *name);

#endif
