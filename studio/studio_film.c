// Recordings by virtual depth cameras: the output of `pliant sense` in a temporary folder.
#define _GNU_SOURCE
#include "studio_film.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "studio_document.h"
#include "studio_program.h"

enum { MAX_FRAMES = 24, ARGUMENT_COUNT = 16, ARGUMENT_SIZE = 40, PATH_SIZE = 1200 };
// Fine enough for tracking, and fast to render.
static const char PICTURE_SIZE[] = "320x240";

struct studio_film {
  pl_context *context;
  char base[PATH_SIZE], scene[PATH_SIZE + 32], log[PATH_SIZE + 32];  // temporary folder with the scene and the log
  char folder[PATH_SIZE + 32];                                       // of the recording, in `base`
  int32_t frame_count;
  pid_t process;  // 0: the process has ended
};

// Time when the last pin of the body is released, s.
static double release_of(const studio_world *w, int32_t body) {
  const pl_scene_body *source = PL_ITEM(&w->instance->parts, pl_instance_part, body).source;
  const pl_scene_pin *pins = source->pins.items;
  double release = 0;
  for (int32_t i = 0; i < source->pins.count; ++i) release = fmax(release, pins[i].def.until);
  return release;
}

static pid_t start(studio_film *film, const studio_world *w, int32_t body) {
  pl_scene_report facts = pl_scene_get_report(w->scene);
  double release = release_of(w, body), left = (facts.frame_count - 1) / facts.frame_rate - release;
  film->frame_count = (int32_t)fmin(fmax(1 + floor(left * facts.frame_rate + 1e-6), 2), MAX_FRAMES);
  char rate[ARGUMENT_SIZE], begin[ARGUMENT_SIZE], frames[ARGUMENT_SIZE], threads[ARGUMENT_SIZE];
  snprintf(rate, sizeof rate, "--rate=%.17g", facts.frame_rate);
  snprintf(begin, sizeof begin, "--start=%.17g", release);
  snprintf(frames, sizeof frames, "--frames=%d", film->frame_count);
  snprintf(threads, sizeof threads, "--threads=%d", w->options->thread_count);
  const char *arguments[ARGUMENT_COUNT] = {"pliant",
                                           "sense",
                                           film->scene,
                                           "--output",
                                           film->folder,
                                           "--body",
                                           pl_scene_instance_get_body(w->instance, body).name,
                                           rate,
                                           begin,
                                           frames,
                                           "--size",
                                           PICTURE_SIZE};
  if (w->options->thread_count > 0) arguments[12] = threads;
  return studio_program_start(w->options->program, arguments, film->log);
}

studio_film *studio_film_begin(studio_world *w, int32_t body, pl_error *error) {
  studio_film *film = pl_allocate_array(w->context, 1, sizeof *film);
  if (film == NULL) {
    pl_fail_memory(error);
    return NULL;
  }
  film->context = w->context;
  char *folder = studio_files_folder(w->files);
  pl_status status = folder != NULL ? PL_OK : pl_fail(error, PL_ERROR_FILE, "a temporary folder cannot be created");
  if (status >= 0) {
    snprintf(film->base, sizeof film->base, "%s", folder);
    snprintf(film->scene, sizeof film->scene, "%s/scene.json", film->base);
    snprintf(film->log, sizeof film->log, "%s/sense.log", film->base);
    snprintf(film->folder, sizeof film->folder, "%s/film", film->base);
    status = studio_document_save(w->context, &w->document, film->scene, error);
  }
  pl_release(w->context, folder);
  if (status >= 0) {
    film->process = start(film, w, body);
    if (film->process > 0) return film;
    film->process = 0;
    (void)pl_fail(error, PL_ERROR_UNSUPPORTED, "the program could not be started");
  }
  studio_film_destroy(film);
  return NULL;
}

double studio_film_fraction(const studio_film *film) {
  char path[PATH_SIZE + 64];
  int32_t count = 0;
  snprintf(path, sizeof path, "%s/camera1", film->folder);
  DIR *opened = opendir(path);
  for (struct dirent *found = opened != NULL ? readdir(opened) : NULL; found != NULL; found = readdir(opened))
    count += pl_ending_is(found->d_name, ".png");
  if (opened != NULL) closedir(opened);
  return fmin(1, (double)count / film->frame_count);
}

bool studio_film_has_ended(studio_film *film, bool *good, pl_error *error) {
  if (!studio_program_has_ended(film->process, good)) return false;
  film->process = 0;
  if (!*good) {
    char line[400];
    studio_program_last_line(film->context, film->log, line, sizeof line);
    (void)pl_fail(error, PL_ERROR_UNSUPPORTED, "the virtual cameras could not record the scene: %s", line);
  }
  return true;
}

const char *studio_film_folder(const studio_film *film) {
  return film->folder;
}

void studio_film_destroy(studio_film *film) {
  if (film == NULL) return;
  if (film->process > 0) studio_program_kill(film->process);
  if (film->base[0] != '\0') studio_files_remove(film->base);
  pl_release(film->context, film);
}
