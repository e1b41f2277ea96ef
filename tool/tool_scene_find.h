// From a word of the command line to a scene: files, folders, names of the gallery, and meshes and
// characters, for which a scene is written.
#ifndef TOOL_SCENE_FIND_H
#define TOOL_SCENE_FIND_H

#include "tool_arguments.h"

// Path of the scene that `word` means, to be freed; NULL on failure (printed).
//   a scene file        itself
//   a folder            its scene.json, or the only scene or mesh in it; itself where
//   `keeps_folder`
//                       and it has none of these
//   a mesh, a character scene.json in `folder` (NULL: out/NAME), written by tool_scene_write()
//   a name              that scene of the gallery
// Anything else stays as it is, for the caller to report.
char *tool_scene_find(const tool_session *tool, const char *word, const char *folder,
                      bool keeps_folder);

// Write a scene with comments for a mesh or a character: a closed surface or tets fall on the
// ground as a solid with the poses of the file as examples, an open one as a shell; a character
// with springs plays its first animation. False on failure (printed).
bool tool_scene_write(const tool_session *tool, const char *mesh_path, const char *scene_path);

// Name for the scene of a file: its name without folder and ending, or that of the folder of a
// file called scene; to be freed.
char *tool_scene_name(const char *path);

#endif
