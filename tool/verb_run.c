// pliant run: a scene becomes frames, without a display.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool_folder.h"
#include "tool_run.h"

static bool is_png(const char *word) {
  return tool_has_ending(word, "png");
}

static bool is_mp4(const char *word) {
  return tool_has_ending(word, "mp4");
}

static const tool_option OPTIONS[] = {
    {.name = "output", .letter = 'o', .kind = TOOL_TEXT, .value = "DIR", .about = "folder for the results; out/NAME if not given"},
    {.name = "frames",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "frames, the start included, instead of the scene's number",
     .min = 1,
     .max = 1e7},
    {.name = "format",
     .kind = TOOL_TEXT,
     .value = "LIST",
     .about = "any of pc2,mdd,glb,vtu,obj,ply,csv,actors, or none; pc2,glb if not given"},
    {.name = "threads",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "threads; the results are the same for any number",
     .min = 1,
     .max = 1024},
    {.name = "seed",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "seed of everything random, instead of the scene's",
     .min = 0,
     .max = 9007199254740992.0},
    {.name = "hash",
     .kind = TOOL_OPTIONAL_TEXT,
     .value = "frames",
     .about = "print the 64-bit hash of the end state, or of every frame"},
    {.name = "picture",
     .kind = TOOL_OPTIONAL_TEXT,
     .value = "FILE",
     .about = "draw the last frame; DIR/picture.png if not named",
     .takes = is_png},
    {.name = "video",
     .kind = TOOL_OPTIONAL_TEXT,
     .value = "FILE",
     .about = "an MP4 of all frames; DIR/video.mp4 if not named",
     .takes = is_mp4},
    {.name = "strip",
     .kind = TOOL_COUNT,
     .value = "N",
     .about = "draw N frames from first to last side by side into the picture",
     .min = 2,
     .max = RUN_STRIP_LIMIT},
    {.name = "strip-times",
     .kind = TOOL_TEXT,
     .value = "LIST",
     .about = "draw the frames at these times side by side, such as 0,0.5,1.2 (seconds)"},
    {.name = "fixed-camera", .kind = TOOL_FLAG, .about = "use a camera that stands still and sees the whole motion"},
    {.name = "overlay",
     .kind = TOOL_FLAG,
     .about = "draw the frames of the strip into one picture, from a camera that stands still"},
    {.name = "checker",
     .kind = TOOL_NUMBER,
     .value = "SIZE",
     .about = "draw the ground as a checkerboard with squares of this size in metres",
     .min = 1e-6,
     .max = 1e6},
    {.name = "title", .kind = TOOL_TEXT, .value = "TEXT", .about = "title of pictures and videos (default: the scene's name)"},
    {.name = "size", .kind = TOOL_TEXT, .value = "WxH", .about = "pixels of picture and video; 1280x720 if not given"},
    {.name = "observer", .kind = TOOL_FLAG, .about = "take pictures from the scene's second camera, 'observer'"},
    {.name = "ghost", .kind = TOOL_FLAG, .about = "draw the rest shape of every actor above it, pale"},
    {.name = "set", .kind = TOOL_TEXT, .value = "PATH=VALUE", .about = TOOL_SET_ABOUT, .repeats = true},
    {.name = "resume",
     .kind = TOOL_OPTIONAL_TEXT,
     .value = "DIR",
     .about = "go on from the checkpoint of an interrupted run",
     .takes = tool_is_folder},
    {.name = "checkpoint-every",
     .kind = TOOL_NUMBER,
     .value = "SECONDS",
     .about = "how often to keep a checkpoint; 30, and 0 for only on Ctrl-C",
     .min = 0,
     .max = 1e9},
};

static bool read_formats(const tool_session *tool, const char *text, run_options *options) {
  options->format_count = 0;
  options->actor_tables = false;
  if (strcasecmp(text, "none") == 0) return true;
  for (const char *at = text;;) {
    char name[16] = "";
    size_t length = strcspn(at, ",");
    if (length < sizeof name) memcpy(name, at, length);
    bool tables = strcasecmp(name, "actors") == 0;
    pl_frame_format format = pl_frame_format_find(name);
    if (format == 0 && !tables) {
      tool_complain(&tool->voice, "--format knows pc2, mdd, glb, vtu, obj, ply, csv and actors, not '%.*s'", (int)length, at);
      return false;
    }
    bool known = tables;
    options->actor_tables = options->actor_tables || tables || format == PL_FRAMES_CSV;
    for (int i = 0; i < options->format_count; ++i) known = known || options->formats[i] == format;
    if (!known && options->format_count < RUN_MAX_FORMATS) options->formats[options->format_count++] = format;
    if (at[length] == '\0') return true;
    at += length + 1;
  }
}

static bool read_hash(const tool_session *tool, const tool_value *value, run_options *options) {
  if (!value->given) return true;
  options->hash = RUN_HASH_END;
  if (value->text == NULL || strcmp(value->text, "end") == 0) return true;
  if (strcmp(value->text, "frames") == 0) {
    options->hash = RUN_HASH_FRAMES;
    return true;
  }
  tool_complain(&tool->voice, "--hash is given alone, or as --hash=frames, not '%s'", value->text);
  return false;
}

// The moments of a strip.
static bool read_strip(const tool_session *tool, const tool_arguments *arguments, run_options *options) {
  const tool_value *strip = tool_find_value(arguments, "strip"), *times = tool_find_value(arguments, "strip-times");
  options->strip_count = strip->given ? (int32_t)strip->count : 1;
  options->overlay = tool_find_value(arguments, "overlay")->given;
  if (strip->given && times->given) {
    tool_complain(&tool->voice, "--strip and --strip-times exclude each other; give one of them");
    return false;
  }
  if (options->overlay && !strip->given && !times->given) {
    tool_complain(&tool->voice, "--overlay needs the frames to draw; give --strip or --strip-times");
    return false;
  }
  if (!times->given) return true;
  options->has_strip_times = true;
  options->strip_count = 0;
  for (const char *at = times->text;; ++at) {
    char *end;
    double time = strtod(at, &end);
    bool good = end != at && isfinite(time) && time >= 0 && (*end == ',' || *end == '\0');
    if (!good || options->strip_count == RUN_STRIP_LIMIT) {
      tool_complain(&tool->voice, "--strip-times needs 1 to %d times in seconds, separated by commas, such as 0,0.5,1.2, not '%s'",
                    RUN_STRIP_LIMIT, times->text);
      return false;
    }
    options->strip_times[options->strip_count++] = time;
    if (*end == '\0') return true;
    at = end;
  }
}

static bool read_title(const tool_session *tool, const tool_value *title, run_options *options) {
  options->title = title->given ? title->text : NULL;
  // Checkpoints keep options as lines of text.
  if (!title->given || strchr(title->text, '\n') == NULL) return true;
  tool_complain(&tool->voice, "--title has a line break; a title is one line");
  return false;
}

bool run_options_read(const tool_session *tool, const tool_arguments *arguments, run_options *options) {
  const tool_value *frames = tool_find_value(arguments, "frames"), *format = tool_find_value(arguments, "format");
  const tool_value *threads = tool_find_value(arguments, "threads"), *seed = tool_find_value(arguments, "seed");
  const tool_value *picture = tool_find_value(arguments, "picture"), *video = tool_find_value(arguments, "video");
  const tool_value *size = tool_find_value(arguments, "size"), *every = tool_find_value(arguments, "checkpoint-every");
  *options = (run_options){.formats = {PL_FRAMES_PC2, PL_FRAMES_GLB}, .format_count = 2, .width = 1280, .height = 720};
  options->frame_count = (int32_t)frames->count;
  options->thread_count = (int32_t)threads->count;
  options->has_seed = seed->given;
  options->seed = (uint64_t)seed->count;
  options->checkpoint_seconds = every->given ? every->number : 30;
  const tool_value *checker = tool_find_value(arguments, "checker");
  options->checker_size = checker->given ? checker->number : 0;
  if (picture->given) options->picture = picture->text != NULL ? picture->text : "";
  if (video->given) options->video = video->text != NULL ? video->text : "";
  options->fixed_camera = tool_find_value(arguments, "fixed-camera")->given;
  options->observer = tool_find_value(arguments, "observer")->given;
  options->ghost = tool_find_value(arguments, "ghost")->given;
  bool good = tool_overrides_read(tool, arguments, &options->overrides);
  good = read_strip(tool, arguments, options) && good;
  good = read_title(tool, tool_find_value(arguments, "title"), options) && good;
  if ((options->has_strip_times || options->strip_count > 1) && !picture->given) options->picture = "";
  good = read_hash(tool, tool_find_value(arguments, "hash"), options) && good;
  if (format->given) good = read_formats(tool, format->text, options) && good;
  if (size->given) good = tool_parse_size(tool, size->text, &options->width, &options->height) && good;
  // Half the pixels of a colour: what players can show.
  if (video->given && (options->width % 2 != 0 || options->height % 2 != 0)) {
    tool_complain(&tool->voice, "a video needs an even width and height, not %dx%d", options->width, options->height);
    good = false;
  }
  return good;
}

// out/ and the scene's file name, or that of its folder for files called scene.json.
static char *default_folder(const char *scene_path) {
  char *path = tool_absolute_path(scene_path), *slash = strrchr(path, '/');
  char *name = slash != NULL ? slash + 1 : path;
  if (slash != NULL && slash != path && strcmp(name, "scene.json") == 0) {
    *slash = '\0';
    slash = strrchr(path, '/');
    name = slash != NULL ? slash + 1 : path;
  } else if (tool_has_ending(name, "json")) {
    name[strlen(name) - strlen(".json")] = '\0';
  }
  char *safe = tool_safe_name(name), *folder = tool_text("out/%s", safe);
  free(safe);
  free(path);
  return folder;
}

// Words of a checkpoint that the command line did not give itself. `text` is cut into them and must be kept.
static bool add_kept_options(const tool_session *tool, char *text, tool_arguments *arguments) {
  enum { LIMIT = TOOL_MAX_OPTIONS + TOOL_MAX_REPEATS };
  char *words[LIMIT];
  int count = 0;
  for (char *word = strtok(text, "\n"); word != NULL && count < LIMIT; word = strtok(NULL, "\n")) words[count++] = word;
  tool_arguments kept = {.verb = arguments->verb};
  if (!tool_arguments_parse(tool, arguments->verb, count, words, &kept)) return false;
  for (int i = 0; i < arguments->verb->option_count; ++i)
    if (!arguments->values[i].given) arguments->values[i] = kept.values[i];
  if (arguments->repeated_count > 0) return true;
  arguments->repeated_count = kept.repeated_count;
  memcpy(arguments->repeated, kept.repeated, sizeof kept.repeated);
  return true;
}

// Scene path and options as the checkpoint has them; false if it cannot be read, which is printed.
static bool read_checkpoint(const tool_session *tool, const char *folder, char **scene_path, char **options) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_context *context = NULL;
  pl_checkpoint *checkpoint = NULL;
  pl_error error = {0};
  char *path = run_checkpoint_path(folder);
  pl_status status = pl_context_create(&def, &context, &error);
  if (status >= 0) status = pl_checkpoint_load(context, path, &checkpoint, &error);
  if (status == PL_ERROR_NOT_FOUND)
    tool_complain(&tool->voice, "there is no unfinished run in '%s': no checkpoint is there", folder);
  else if (status < 0)
    tool_report_error(&tool->voice, &error);
  if (status >= 0) {
    pl_checkpoint_view view = pl_checkpoint_get_view(checkpoint);
    *scene_path = tool_text("%s", view.scene_path);
    *options = tool_text("%s", view.options);
  }
  pl_checkpoint_destroy(checkpoint);
  pl_context_destroy(context);
  free(path);
  return status >= 0;
}

static int run_verb(const tool_session *tool, const tool_arguments *given) {
  tool_arguments arguments = *given;
  const tool_value *output = tool_find_value(&arguments, "output"), *resume = tool_find_value(&arguments, "resume");
  const char *scene_path = arguments.word_count > 0 ? arguments.words[0] : NULL;
  const char *folder = output->given ? output->text : resume->text;
  char *own_folder = NULL, *kept_scene = NULL, *kept_options = NULL;
  if (scene_path == NULL && (!resume->given || folder == NULL)) {
    tool_complain(&tool->voice, "run needs a scene file, or --resume and the folder of an interrupted run");
    return TOOL_USAGE;
  }
  if (output->given && resume->text != NULL && strcmp(output->text, resume->text) != 0) {
    tool_complain(&tool->voice, "--output '%s' and --resume '%s' name two folders; one is enough", output->text, resume->text);
    return TOOL_USAGE;
  }
  if (folder == NULL) folder = own_folder = default_folder(scene_path);
  int code = TOOL_DONE;
  run_options options = {.scene_path = NULL};
  if (resume->given && !read_checkpoint(tool, folder, &kept_scene, &kept_options)) code = TOOL_FAILED;
  if (code == TOOL_DONE && kept_options != NULL && !add_kept_options(tool, kept_options, &arguments)) code = TOOL_USAGE;
  if (code == TOOL_DONE && !run_options_read(tool, &arguments, &options)) code = TOOL_USAGE;
  if (code == TOOL_DONE) {
    options.scene_path = scene_path != NULL ? scene_path : kept_scene;
    options.folder = folder;
    options.resume = resume->given;
    if (options.observer && options.picture == NULL && options.video == NULL) {
      tool_complain(&tool->voice, "--observer chooses the camera of --picture, --strip or --video; none of them is given");
      code = TOOL_USAGE;
    } else {
      code = run_scene(tool, &options);
    }
  }
  tool_overrides_free(&options.overrides);
  free(own_folder);
  free(kept_scene);
  free(kept_options);
  return code;
}

const tool_verb tool_run_verb = {
    .name = "run",
    .words = "SCENE",
    .summary = "simulate a scene headless and write its frames",
    .details =
        "Every body gets its own files in DIR, in the vertex order of its surface. Frame 0 is the start.\n"
        "Ctrl-C finishes the frame, keeps a checkpoint in DIR and prints the command that goes on; a second Ctrl-C stops at once.\n"
        "A run that went on gives the same files and the same hash as one that was never stopped.",
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = run_verb,
};
