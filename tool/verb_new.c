// pliant new: writes a scene with comments for a mesh or a character.
#include <stdio.h>
#include <stdlib.h>

#include "tool_folder.h"
#include "tool_open.h"
#include "tool_scene_find.h"
#include "tool_verbs.h"

// clang-format off
static const tool_option OPTIONS[] = {
    {"output", 'o', TOOL_TEXT, .value = "FILE", .default_note = "the name of MESH with the ending .json, in the current folder",
     .about = "scene file to write"},
    {"force", .kind = TOOL_FLAG, .about = "replace a file that exists"},
};
// clang-format on

static int new_verb(const tool_session *tool, const tool_arguments *arguments) {
  const char *mesh_path = arguments->words[0];
  const tool_value *output = tool_find_value(arguments, "output");
  tool_file_kind kind = tool_file_detect(tool, mesh_path);
  if (kind == TOOL_FILE_MISSING) return TOOL_FAILED;
  if (kind != TOOL_FILE_MESH) {
    tool_print_error(&tool->console, "'%s' is not a mesh or a character; try 'pliant info'", mesh_path);
    return TOOL_FAILED;
  }
  char *name = tool_scene_name(mesh_path),
       *path = output->given ? tool_text("%s", output->text) : tool_text("%s.json", name);
  int code = TOOL_FAILED;
  if (tool_is_file(path) && !tool_find_value(arguments, "force")->given)
    tool_print_error(&tool->console, "'%s' exists; give another name with -o, or --force to replace it", path);
  else if (tool_scene_write(tool, mesh_path, path)) {
    printf("%s\n", path);
    code = TOOL_DONE;
  }
  free(name);
  free(path);
  return code;
}

const tool_verb tool_new_verb = {
    .name = "new",
    .words = "MESH",
    .summary = "write a scene with comments for a mesh or a character",
    .details =
        "A closed surface or a mesh of tets falls on the ground as a solid with the poses of the file as examples, an "
        "open surface as a shell. A VRM model, and a skinned file with an animation or spring bones, plays its first "
        "animation. The name of the scene is printed.\n"
        "`pliant run MESH` and `pliant view MESH` do this by themselves, into out/NAME/scene.json.",
    .min_words = 1,
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = new_verb,
};
