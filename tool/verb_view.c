// pliant view: the studio in the browser.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_folder.h"
#include "tool_gallery.h"
#include "tool_interrupt.h"
#include "tool_options.h"
#include "tool_scene_find.h"
#include "tool_verbs.h"

#ifdef PLIANT_STUDIO
#include <sys/wait.h>
#include <unistd.h>

#include "studio.h"
#endif

// clang-format off
static const tool_option OPTIONS[] = {
    {"port", .kind = TOOL_COUNT, .value = "N", .min = 1, .max = 65535, .default_note = "any free port",
     .about = "port to listen on"},
    {"host", .kind = TOOL_TEXT, .value = "HOST", .default_text = "127.0.0.1", .about = "address to listen on",
     .more = "The default can be reached from this machine only."},
    {"folder", .kind = TOOL_TEXT, .value = "DIR", .default_note = "the folder of SCENE",
     .about = "folder from which pages open scenes by path and into which they save them"},
    {"no-browser", .kind = TOOL_FLAG, .about = "do not open a browser"},
    TOOL_THREADS_OPTION,
};
// clang-format on

#ifdef PLIANT_STUDIO
typedef struct view {
  const tool_session *tool;
  bool browser;
} view;

static void print_line(void *user, pl_severity severity, const char *line) {
  const view *v = user;
  if (severity == PL_SEVERITY_ERROR)
    tool_print_error(&v->tool->console, "%s", line);
  else if (severity == PL_SEVERITY_WARNING)
    tool_print_warning(&v->tool->console, "%s", line);
  else
    tool_print(&v->tool->console, "%s", line);
}

// Forked twice, so that the browser is not a child of this process and needs no wait.
static void open_browser(const char *address) {
  pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {
      if (freopen("/dev/null", "w", stdout) != NULL && freopen("/dev/null", "w", stderr) != NULL)
        execlp("xdg-open", "xdg-open", address, (char *)NULL);
    }
    _exit(0);
  }
  if (child > 0) waitpid(child, NULL, 0);
}

static void print_address(void *user, const char *address) {
  const view *v = user;
  printf("%s\n", address);
  fflush(stdout);
  bool display = getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL;
  if (v->browser && display && tool_has_program("xdg-open"))
    open_browser(address);
  else
    tool_print(&v->tool->console, "open this address in a browser; Ctrl-C ends the program");
}

static bool is_interrupted(void *user) {
  (void)user;
  return tool_interrupt_count() > 0;
}

static bool is_loopback(const char *host) {
  return strcmp(host, "127.0.0.1") == 0 || strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0;
}

// Folder of the viewers, to be freed; NULL: none. That of SCENE, unless it is one of the gallery, which is nobody's to
// save into.
static char *find_folder(const tool_arguments *arguments, const char *scene_path) {
  const tool_value *folder = tool_find_value(arguments, "folder");
  if (folder->given) return tool_absolute_path(folder->text);
  if (scene_path == NULL || (!tool_is_folder(arguments->words[0]) && !tool_is_file(arguments->words[0]))) return NULL;
  char *path = tool_absolute_path(scene_path);
  if (!tool_is_folder(path)) *(strrchr(path, '/') == path ? path + 1 : strrchr(path, '/')) = '\0';
  return path;
}

static int serve(const tool_session *tool, const tool_arguments *arguments, const char *scene_path,
                 const tool_gallery *gallery) {
  char *folder = find_folder(arguments, scene_path);
  if (folder != NULL && !tool_is_folder(folder)) {
    tool_print_error(&tool->console, "'%s' is not a folder; make it first, or name another one with --folder", folder);
    free(folder);
    return TOOL_FAILED;
  }
  view v = {tool, !tool_find_value(arguments, "no-browser")->given};
  studio_options options = {.scene_path = scene_path,
                            .host = tool_get_text(arguments, "host"),
                            .port = (int)tool_find_value(arguments, "port")->count,
                            .thread_count = (int32_t)tool_find_value(arguments, "threads")->count,
                            .program = "/proc/self/exe",
                            .folder = folder,
                            .gallery = gallery->folder,
                            .names = (const char *const *)gallery->names,
                            .name_count = gallery->count,
                            .log = print_line,
                            .ready = print_address,
                            .stop = is_interrupted,
                            .user = &v};
  if (!is_loopback(options.host))
    tool_print_warning(&tool->console,
                       "'%s' can be reached from other machines: whoever has the address can change this world and "
                       "save scenes as you; nothing "
                       "is encrypted",
                       options.host);
  pl_error error = {0};
  tool_interrupt_watch();
  pl_status status = studio_run(&options, &error);
  tool_interrupt_release();
  free(folder);
  return status < 0 ? tool_report_error(&tool->console, &error) : TOOL_DONE;
}
#else
static int serve(const tool_session *tool, const tool_arguments *arguments, const char *scene_path,
                 const tool_gallery *gallery) {
  (void)arguments;
  (void)scene_path;
  (void)gallery;
  tool_print_error(
      &tool->console,
      "this program was built without the studio; install libmicrohttpd-dev and libwslay-dev and build it again");
  return TOOL_FAILED;
}
#endif

static int view_verb(const tool_session *tool, const tool_arguments *arguments) {
  tool_gallery gallery = tool_gallery_find();
  char *scene_path = arguments->word_count > 0 ? tool_scene_find(tool, arguments->words[0], NULL, true) : NULL;
  bool found = arguments->word_count == 0 || scene_path != NULL;
  int code = found ? serve(tool, arguments, scene_path, &gallery) : TOOL_FAILED;
  free(scene_path);
  tool_gallery_free(&gallery);
  return code;
}

const tool_verb tool_view_verb = {
    .name = "view",
    .words = "[SCENE]",
    .summary = "show a scene in the browser, drag its bodies and edit it",
    .details =
        "SCENE is a scene file, a folder with one, or the name of a scene of the gallery; without it the page shows "
        "the gallery. For a mesh or a character a scene is written first, as `pliant new` does. SCENE may also be a "
        "recording (`capture.json` or its folder, as sense writes it) or the folder of a fit.\n"
        "The address of the page, with a token that is different every time, is printed on standard output. It works "
        "through an "
        "SSH tunnel too: ssh -L 8080:127.0.0.1:8080 MACHINE pliant view --port 8080 SCENE. Ctrl-C ends the program.",
    .min_words = 0,
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .names_from = "demo",
    .run = view_verb,
};
