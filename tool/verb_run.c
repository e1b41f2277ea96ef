// pliant run: simulates a scene without a display and writes its frames.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool_folder.h"
#include "tool_options.h"
#include "tool_run.h"
#include "tool_scene.h"
#include "tool_scene_find.h"
#include "tool_verbs.h"

static bool is_png(const char *word) {
  return tool_has_ending(word, "png");
}

static bool is_svg(const char *word) {
  return tool_has_ending(word, "svg");
}

static bool is_video(const char *word) {
  return tool_has_ending(word, "mp4") || tool_has_ending(word, "gif") || tool_has_ending(word, "webp");
}

// clang-format off
static const tool_option OPTIONS[] = {
    TOOL_DIR_OPTION(.default_note = "out/ and the name of the scene", .about = "folder for the results"),
    TOOL_FRAMES_OPTION,
    TOOL_FORMAT_OPTION,
    TOOL_THREADS_OPTION,
    TOOL_SEED_OPTION(.default_note = "set by the scene", .about = "seed of the random numbers"),
    TOOL_HASH_OPTION,
    {"picture", .kind = TOOL_OPTIONAL_TEXT, .value = "FILE", .takes = is_png,
     .about = "draw the last frame as a PNG file; without FILE, DIR/picture.png"},
    {"video", .kind = TOOL_OPTIONAL_TEXT, .value = "FILE", .takes = is_video,
     .about = "write all frames as an MP4 file, or as an animated GIF or WebP of at most 25 frames per second; without FILE, DIR/video.mp4; needs the program ffmpeg"},
    {"plot", .kind = TOOL_OPTIONAL_TEXT, .value = "FILE", .takes = is_svg,
     .about = "draw weights of examples and energies over time as an SVG file; without FILE, DIR/plot.svg"},
    {"strip", .kind = TOOL_COUNT, .value = "N", .min = 2, .max = RUN_MAX_STRIP,
     .about = "draw N frames, from the first to the last, side by side into the picture"},
    {"strip-times", .kind = TOOL_TEXT, .value = "LIST", .about = "draw the frames at these times side by side, such as 0,0.5,1.2 (seconds)"},
    {"no-tables", .kind = TOOL_FLAG, .about = "write frames and pictures alone, without energy.csv and weights.csv"},
    {"fixed-camera", .kind = TOOL_FLAG, .about = "use a camera that stands still and sees the whole motion"},
    {"overlay", .kind = TOOL_FLAG, .about = "draw the frames of the strip into one picture, from a camera that stands still"},
    {"view", .kind = TOOL_TEXT, .value = "AROUND,ABOVE", .default_note = "the camera of the scene",
     .about = "look from this direction at the whole motion: degrees around the vertical from the front (+z) towards +x, and degrees above the horizon"},
    {"checker", .kind = TOOL_NUMBER, .value = "SIZE", .min = 1e-6, .max = 1e6, .default_note = "a plain ground",
     .about = "draw the ground as a checkerboard with squares of this size in metres"},
    {"title", .kind = TOOL_TEXT, .value = "TEXT", .default_note = "the scene's name", .about = "title of pictures and videos"},
    TOOL_PICTURE_SIZE_OPTION,
    TOOL_OBSERVER_OPTION,
    {"json", .kind = TOOL_FLAG, .about = "print a report of the run as one JSON object: frames, steps, hash, times, bodies with centre and energies"},
    {"ghost", .kind = TOOL_FLAG, .about = "draw the rest shape of every actor, in a pale colour, above the actor"},
    TOOL_SET_OPTION,
    {"resume", .kind = TOOL_OPTIONAL_TEXT, .value = "DIR", .takes = tool_is_folder,
     .about = "resume the interrupted run in DIR from its checkpoint",
     .more = "Options that are not given are those of the interrupted run."},
    TOOL_CHECKPOINT_OPTION,
};
// clang-format on

// Formats between commas; the option table has checked the names. `none` adds none.
static void read_formats(const char *text, run_options *options) {
  for (const char *at = text;;) {
    char name[16] = "";
    size_t length = strcspn(at, ",");
    if (length < sizeof name) memcpy(name, at, length);
    bool tables = strcasecmp(name, "actors") == 0;
    pl_frame_format format = pl_frame_format_find(name);
    bool known = format == 0;
    options->actor_tables = options->actor_tables || tables || format == PL_FRAMES_CSV;
    for (int i = 0; i < options->format_count; ++i) known = known || options->formats[i] == format;
    if (!known && options->format_count < RUN_MAX_FORMATS) options->formats[options->format_count++] = format;
    if (at[length] == '\0') return;
    at += length + 1;
  }
}

static void read_hash(const tool_value *value, run_options *options) {
  if (!value->given) return;
  bool frames = value->text != NULL && strcasecmp(value->text, "frames") == 0;
  options->hash = frames ? RUN_HASH_FRAMES : RUN_HASH_END;
}

// The moments of a strip.
static bool read_strip(const tool_session *tool, const tool_arguments *arguments, run_options *options) {
  const tool_value *strip = tool_find_value(arguments, "strip"), *times = tool_find_value(arguments, "strip-times");
  options->strip_count = strip->given ? (int32_t)strip->count : 1;
  options->overlay = tool_find_value(arguments, "overlay")->given;
  if (strip->given && times->given) {
    tool_print_error(&tool->console, "--strip and --strip-times exclude each other; give one of them");
    return false;
  }
  if (options->overlay && !strip->given && !times->given) {
    tool_print_error(&tool->console, "--overlay needs the frames to draw; give --strip or --strip-times");
    return false;
  }
  if (!times->given) return true;
  options->has_strip_times = true;
  options->strip_count = 0;
  for (const char *at = times->text;; ++at) {
    char *end;
    double time = strtod(at, &end);
    bool good = end != at && isfinite(time) && time >= 0 && (*end == ',' || *end == '\0');
    if (!good || options->strip_count == RUN_MAX_STRIP) {
      tool_print_error(&tool->console,
                       "--strip-times needs 1 to %d times in seconds, separated by commas, such as 0,0.5,1.2, not '%s'",
                       RUN_MAX_STRIP, times->text);
      return false;
    }
    options->strip_times[options->strip_count++] = time;
    if (*end == '\0') return true;
    at = end;
  }
}

static bool read_view(const tool_session *tool, const tool_value *view, run_options *options) {
  if (!view->given) return true;
  char *middle, *end = NULL;
  options->has_view = true;
  options->view[0] = strtod(view->text, &middle);
  if (middle != view->text && *middle == ',') options->view[1] = strtod(middle + 1, &end);
  bool good =
      end != NULL && end != middle + 1 && *end == '\0' && fabs(options->view[0]) <= 360 && fabs(options->view[1]) <= 90;
  if (!good)
    tool_print_error(&tool->console,
                     "--view needs degrees around (-360 to 360) and above the horizon (-90 to 90), such as 30,15, not "
                     "'%s'",
                     view->text);
  return good;
}

static bool read_title(const tool_session *tool, const tool_value *title, run_options *options) {
  options->title = title->given ? title->text : NULL;
  // Checkpoints keep options as lines of text.
  if (!title->given || strchr(title->text, '\n') == NULL) return true;
  tool_print_error(&tool->console, "--title has a line break; a title is one line");
  return false;
}

bool run_options_read(const tool_session *tool, const tool_arguments *arguments, run_options *options) {
  const tool_value *frames = tool_find_value(arguments, "frames");
  const tool_value *threads = tool_find_value(arguments, "threads"), *seed = tool_find_value(arguments, "seed");
  const tool_value *picture = tool_find_value(arguments, "picture"), *video = tool_find_value(arguments, "video");
  *options = (run_options){.format_count = 0};
  options->frame_count = (int32_t)frames->count;
  options->thread_count = (int32_t)threads->count;
  options->has_seed = seed->given;
  options->seed = (uint64_t)seed->count;
  options->checkpoint_seconds = tool_get_number(arguments, "checkpoint-every");
  const tool_value *checker = tool_find_value(arguments, "checker");
  options->checker_size = checker->given ? checker->number : 0;
  if (picture->given) options->picture = picture->text != NULL ? picture->text : "";
  const tool_value *plot = tool_find_value(arguments, "plot");
  if (plot->given) options->plot = plot->text != NULL ? plot->text : "";
  if (video->given) options->video = video->text != NULL ? video->text : "";
  options->no_tables = tool_find_value(arguments, "no-tables")->given;
  options->fixed_camera = tool_find_value(arguments, "fixed-camera")->given;
  options->observer = tool_find_value(arguments, "observer")->given;
  options->ghost = tool_find_value(arguments, "ghost")->given;
  options->json = tool_find_value(arguments, "json")->given;
  bool good = tool_overrides_read(tool, arguments, &options->overrides);
  good = read_strip(tool, arguments, options) && good;
  good = read_title(tool, tool_find_value(arguments, "title"), options) && good;
  good = read_view(tool, tool_find_value(arguments, "view"), options) && good;
  if ((options->has_strip_times || options->strip_count > 1) && !picture->given) options->picture = "";
  read_hash(tool_find_value(arguments, "hash"), options);
  read_formats(tool_get_text(arguments, "format"), options);
  good = tool_parse_size(tool, tool_get_text(arguments, "size"), &options->width, &options->height) && good;
  // Players expect colours at half the resolution.
  if (video->given && (options->width % 2 != 0 || options->height % 2 != 0)) {
    tool_print_error(&tool->console, "a video needs an even width and height; --size is %dx%d", options->width,
                     options->height);
    good = false;
  }
  return good;
}

// out/ and the scene's name.
static char *default_folder(const char *scene_path) {
  if (tool_is_standard_input(scene_path)) return tool_text("out/" TOOL_STANDARD_INPUT_NAME);
  char *name = tool_scene_name(scene_path), *folder = tool_text("out/%s", name);
  free(name);
  return folder;
}

// Add options of a checkpoint that the command line did not give. `text` is split in place and must outlive the
// arguments.
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
    tool_print_error(&tool->console,
                     "there is no unfinished run in '%s' (no checkpoint); run the scene without --resume", folder);
  else if (status < 0)
    tool_report_error(&tool->console, &error);
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
  char *scene_path = NULL;
  const char *folder = output->given ? output->text : resume->text;
  char *own_folder = NULL, *kept_scene = NULL, *kept_options = NULL;
  if (arguments.word_count == 0 && (!resume->given || folder == NULL)) {
    tool_print_error(&tool->console, "run needs a scene file, or --resume and the folder of an interrupted run");
    return TOOL_USAGE;
  }
  if (output->given && resume->text != NULL && strcmp(output->text, resume->text) != 0) {
    tool_print_error(&tool->console, "--output '%s' and --resume '%s' name two folders; give one", output->text,
                     resume->text);
    return TOOL_USAGE;
  }
  if (arguments.word_count > 0) {
    scene_path = tool_scene_find(tool, arguments.words[0], folder, false);
    if (scene_path == NULL) return TOOL_FAILED;
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
      tool_print_error(&tool->console,
                       "--observer selects the camera of --picture, --strip or --video; give one of them");
      code = TOOL_USAGE;
    } else {
      code = run_scene(tool, &options);
    }
  }
  tool_overrides_free(&options.overrides);
  free(scene_path);
  free(own_folder);
  free(kept_scene);
  free(kept_options);
  return code;
}

const tool_verb tool_run_verb = {
    .name = "run",
    .words = "SCENE",
    .summary = "simulate a scene without a display and write its frames",
    .details =
        "SCENE is a scene file, a folder with one, or the name of a scene of the gallery. For a mesh or a character a "
        "scene is written first, as `pliant new` does: a mesh falls on the ground, a character plays.\n"
        "Every body gets its own files in DIR, in the vertex order of its surface. Frame 0 is the start.\n"
        "SCENE may be `-`: standard input, with files relative to the current folder.\n"
        "Ctrl-C finishes the current frame, writes a checkpoint into DIR and prints the command that resumes the run; "
        "a second "
        "Ctrl-C stops immediately. A resumed run writes the same files and the same hash as an uninterrupted one.",
    .min_words = 0,
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = run_verb,
};
