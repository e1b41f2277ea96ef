// pliant demo: runs scenes of the gallery and writes frames and a picture.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_folder.h"
#include "tool_gallery.h"
#include "tool_open.h"
#include "tool_options.h"
#include "tool_run.h"
#include "tool_verbs.h"

// clang-format off
static const tool_option OPTIONS[] = {
    TOOL_DIR_OPTION(.default_text = "out/demo", .about = "folder for the results, with one folder per scene"),
    {"list", .kind = TOOL_FLAG, .about = "print the names and descriptions of the scenes of the gallery"},
    {"all", .kind = TOOL_FLAG, .about = "run every scene of the gallery"},
    TOOL_FRAMES_OPTION,
    TOOL_FORMAT_OPTION,
    TOOL_THREADS_OPTION,
    TOOL_HASH_OPTION,
    TOOL_CHECKPOINT_OPTION,
    {"video", .kind = TOOL_FLAG, .about = "write an MP4 too; needs the program ffmpeg"},
    TOOL_PICTURE_SIZE_OPTION,
    TOOL_SET_OPTION,
    TOOL_OBSERVER_OPTION,
};
// clang-format on

// One scene per method, run when none is named.
static const char *const BEST_OF_METHODS[] = {"jelly-drop", "solid-teddy", "rod-bunny", "fem-squeeze", "actor-cheesy"};

static const char *gallery_name(const void *user, int index) {
  const tool_gallery *gallery = user;
  return index < gallery->count ? gallery->names[index] : NULL;
}

static int list_gallery(const tool_session *tool, const tool_gallery *gallery) {
  pl_context *context = tool_open_context(tool, 1);
  if (context == NULL) return TOOL_FAILED;
  int width = 0, code = TOOL_DONE;
  for (int i = 0; i < gallery->count; ++i)
    if ((int)strlen(gallery->names[i]) > width) width = (int)strlen(gallery->names[i]);
  for (int i = 0; i < gallery->count; ++i) {
    char *path = tool_gallery_scene(gallery, gallery->names[i]);
    pl_scene *scene = NULL;
    pl_error error = {0};
    if (pl_scene_load(context, path, &scene, NULL, &error) < 0)
      code = tool_report_error(&tool->console, &error);
    else
      printf("%-*s  %s\n", width, gallery->names[i], pl_scene_get_report(scene).description);
    pl_scene_destroy(scene);
    free(path);
  }
  pl_context_destroy(context);
  return code;
}

static bool is_best(const char *name) {
  for (size_t i = 0; i < sizeof BEST_OF_METHODS / sizeof BEST_OF_METHODS[0]; ++i)
    if (strcmp(BEST_OF_METHODS[i], name) == 0) return true;
  return false;
}

static int show_scene(const tool_session *tool, const tool_gallery *gallery, const run_options *options,
                      const char *folder, const char *name) {
  run_options own = *options;
  char *scene_path = tool_gallery_scene(gallery, name), *output = tool_text("%s/%s", folder, name);
  own.scene_path = scene_path;
  own.folder = output;
  own.picture = "";
  int code = run_scene(tool, &own);
  if (code != TOOL_FAILED)
    tool_print(
        &tool->console,
        "open %s/picture.png, drop a .glb onto a 3D viewer, or change the scene: cp %s mine.json && %s run mine.json",
        output, scene_path, tool->program);
  free(scene_path);
  free(output);
  return code;
}

static int show_scenes(const tool_session *tool, const tool_gallery *gallery, const tool_arguments *arguments,
                       const run_options *options) {
  const char *folder = tool_get_text(arguments, "output"),
             *named = arguments->word_count > 0 ? arguments->words[0] : NULL;
  bool all = tool_find_value(arguments, "all")->given, best = false, failed = false, remarks = false;
  for (int i = 0; i < gallery->count; ++i) best = best || is_best(gallery->names[i]);
  for (int i = 0; i < gallery->count; ++i) {
    const char *name = gallery->names[i];
    bool wanted = named != NULL ? strcmp(name, named) == 0 : all || (best ? is_best(name) : i == 0);
    if (!wanted) continue;
    int code = show_scene(tool, gallery, options, folder, name);
    failed = failed || code == TOOL_FAILED;
    remarks = remarks || code == TOOL_REMARKS;
    if (failed) break;
  }
  return failed ? TOOL_FAILED : remarks ? TOOL_REMARKS : TOOL_DONE;
}

static int demo_verb(const tool_session *tool, const tool_arguments *arguments) {
  run_options options;
  if (!run_options_read(tool, arguments, &options)) {
    tool_overrides_free(&options.overrides);
    return TOOL_USAGE;
  }
  tool_gallery gallery = tool_gallery_find();
  const char *named = arguments->word_count > 0 ? arguments->words[0] : NULL;
  int code = TOOL_USAGE;
  bool known = named == NULL;
  for (int i = 0; i < gallery.count; ++i) known = known || strcmp(gallery.names[i], named) == 0;
  const char *meant = known ? NULL : tool_suggest(named, gallery_name, &gallery);
  if (gallery.folder == NULL) {
    tool_print_error(&tool->console, "the gallery was not found; set PLIANT_SCENES to the folder 'scenes' of Pliant");
    code = TOOL_FAILED;
  } else if (tool_find_value(arguments, "list")->given) {
    code = list_gallery(tool, &gallery);
  } else if (known) {
    code = show_scenes(tool, &gallery, arguments, &options);
  } else if (meant != NULL) {
    tool_print_error(&tool->console, "the gallery has no scene '%s' (did you mean %s?)", named, meant);
  } else {
    tool_print_error(&tool->console, "the gallery has no scene '%s'; 'pliant demo --list' lists them", named);
  }
  tool_gallery_free(&gallery);
  tool_overrides_free(&options.overrides);
  return code;
}

const tool_verb tool_demo_verb = {
    .name = "demo",
    .words = "[NAME]",
    .summary = "run a scene of the gallery and write frames and a picture",
    .details =
        "Without a name, one scene of each method is run. The gallery is the folder `scenes` next to the program, or "
        "$PLIANT_SCENES.",
    .min_words = 0,
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .names_from = "demo",
    .no_files = true,
    .run = demo_verb,
};
