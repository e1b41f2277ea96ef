// Saving the document, and exports. An export runs `pliant run` on the document, so its files are those of a run.
//
// Each export has a thread that waits for the process, reports the progress from the size of the frame log in the
// output folder, and makes the result available for download. The process runs at low priority.
#define _GNU_SOURCE
#include "studio_export.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "studio_document.h"
#include "studio_folder.h"
#include "studio_message.h"
#include "studio_program.h"
#include "studio_record.h"
#include "studio_zip.h"

enum { MAX_EXPORTS = 2, MAX_FRAMES = 100000, PATH_SIZE = 1200, FRAMES_SIZE = 32 };

typedef struct export_job {
  studio_world *w;
  pthread_t thread;
  uint32_t viewer;
  double id;
  char made[PATH_SIZE];  // folder of all files of the job
  char scene[PATH_SIZE], folder[PATH_SIZE], log[PATH_SIZE], name[100], format[8];
  int32_t frames;
  pid_t process;
  atomic_bool stop, done;
} export_job;

struct studio_exports {
  export_job *jobs[MAX_EXPORTS];
};

// --- saving
// ----------------------------------------------------------------------------------------------------------------------------

static void safe_name(const char *name, char *safe, size_t size) {
  snprintf(safe, size, "%.80s", name[0] != '\0' ? name : "scene");
  studio_text_fix_utf8(safe, strlen(safe));
  for (char *c = safe; *c != '\0'; ++c)
    if ((unsigned char)*c < 32 || *c == 127 || strchr("/\\:*?\"<>|", *c) != NULL) *c = '_';
  if (safe[0] == '.') safe[0] = '_';
}

static pl_status save_to(studio_world *w, const char *path, pl_error *error) {
  return studio_document_save(w->context, &w->document, path, error);
}

// The same for a file that must stay valid after the server ends.
static pl_status save_permanent(studio_world *w, const char *path, bool beside, pl_error *error) {
  studio_document copy;
  pl_status status = studio_document_copy(w->context, &w->document, &copy, error);
  if (status < 0) return status;
  char *folder = pl_path_folder(w->context, path);
  status = folder != NULL ? studio_record_copy_sets(w, &copy, beside ? folder : NULL, error) : pl_fail_memory(error);
  if (status >= 0) status = studio_document_save(w->context, &copy, path, error);
  pl_release(w->context, folder);
  studio_document_free(w->context, &copy);
  return status;
}

// Save into the folder of the viewers.
static pl_status save_named(studio_world *w, const pl_json *name, studio_message *message, pl_error *error) {
  const char *text = "";
  char *path;
  if (!pl_json_get_text(name, &text)) return pl_fail(error, PL_ERROR_INVALID_DATA, "`name` must be a text");
  pl_status status = studio_folder_save_path(w, text, (size_t)name->text_length, &path, error);
  if (status >= 0) status = save_permanent(w, path, true, error);
  if (status >= 0) {
    studio_send_log(w, "saved to %s", path);
    studio_log_write(w->log, PL_SEVERITY_NOTE, "saved to %s", path);
    pl_json_set_text(&message->arena, message->root, "path", path);
  }
  pl_release(w->context, path);
  return status;
}

// Save for download.
static pl_status save_download(studio_world *w, studio_message *message, pl_error *error) {
  char name[100], file[140], id[STUDIO_FILE_ID_SIZE];
  safe_name(w->document.name, name, sizeof name);
  snprintf(file, sizeof file, "%s%s", name, pl_ending_is(name, ".json") ? "" : ".json");
  char *folder = studio_files_folder(w->files), *whole = folder != NULL ? pl_path_join(w->context, folder, file) : NULL;
  pl_status status = whole != NULL ? save_permanent(w, whole, false, error)
                                   : pl_fail(error, PL_ERROR_FILE, "a temporary folder cannot be created");
  if (status >= 0 && !studio_files_add(w->files, whole, file, id))
    status = pl_fail(error, PL_ERROR_UNSUPPORTED, "too many files were exported; restart `pliant view`");
  if (status >= 0) {
    pl_json_set_text(&message->arena, message->root, "file", id);
    pl_json_set_text(&message->arena, message->root, "name", file);
  } else if (folder != NULL) {
    studio_files_remove(folder);
  }
  pl_release(w->context, folder);
  pl_release(w->context, whole);
  return status;
}

void studio_export_save(studio_world *w, uint32_t viewer, const pl_json *id, const pl_json *request) {
  const pl_json *name = pl_json_find(request, "name");
  pl_error error = {0};
  if (w->instance == NULL) {
    studio_send_error(w, viewer, id, "no scene is open");
    return;
  }
  if (pl_json_find(request, "path") != NULL) {
    studio_send_error(w, viewer, id,
                      "a scene is saved by name, not by path; set `name` to a file name such as mine.json");
    return;
  }
  studio_message message = studio_message_begin_reply(w, id);
  pl_status status = message.root == NULL ? pl_fail_memory(&error)
                     : name != NULL       ? save_named(w, name, &message, &error)
                                          : save_download(w, &message, &error);
  if (status >= 0) {
    studio_message_send(w, &message, viewer, STUDIO_ANSWER_QUEUE);
    return;
  }
  char line[1024];
  pl_arena_destroy(&message.arena);
  pl_error_format(&error, line, sizeof line);
  studio_send_error(w, viewer, id, "%s", line);
}

// --- the program
// -------------------------------------------------------------------------------------------------------------------------

// The command line: pliant run SCENE --output DIR …
static void make_arguments(const export_job *job, char *frames, char *option, size_t size, const char **arguments) {
  int count = 0;
  snprintf(frames, FRAMES_SIZE, "--frames=%d", job->frames);
  arguments[count++] = "pliant";
  arguments[count++] = "run";
  arguments[count++] = job->scene;
  arguments[count++] = "--output";
  arguments[count++] = job->folder;
  arguments[count++] = "--no-tables";
  if (job->frames > 0) arguments[count++] = frames;
  if (strcmp(job->format, "png") == 0 || strcmp(job->format, "mp4") == 0) {
    arguments[count++] = "--format=none";
    snprintf(option, size, strcmp(job->format, "png") == 0 ? "--picture=%s/%s.png" : "--video=%s/%s.mp4", job->folder,
             job->name);
  } else {
    snprintf(option, size, "--format=%s", job->format);
  }
  arguments[count++] = option;
  arguments[count] = NULL;
}

static bool start(export_job *job, const char *program) {
  char frames[FRAMES_SIZE], option[PATH_SIZE + 200];
  const char *arguments[16];
  make_arguments(job, frames, option, sizeof option, arguments);
  job->process = studio_program_start(program, arguments, job->log);
  return job->process > 0;
}

// Fraction of the frames in the frame log of the run; its header has the number of points.
static double read_progress(const export_job *job) {
  char path[PATH_SIZE + 32];
  uint64_t head[2];
  struct stat facts;
  snprintf(path, sizeof path, "%s/pliant.frames", job->folder);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  bool read_it = read(file, head, sizeof head) == (ssize_t)sizeof head && fstat(file, &facts) == 0;
  close(file);
  if (!read_it || head[1] > 1000000000) return 0;
  double frames = (double)(facts.st_size - (off_t)sizeof head) / (16 + 24 * (double)head[1]);
  return frames / (job->frames > 0 ? job->frames : 1);
}

static void send_failure(const export_job *job, const char *text) {
  studio_message message = studio_message_begin(job->w->context, "error");
  if (message.root != NULL) {
    studio_message_set_number(&message, message.root, "id", job->id);
    pl_json_set_text(&message.arena, message.root, "text", text);
  }
  studio_message_send(job->w, &message, job->viewer, STUDIO_ANSWER_QUEUE);
}

// --- results
// --------------------------------------------------------------------------------------------------------------------------------

static int count_files(const char *folder, char *one, size_t size) {
  int count = 0;
  DIR *opened = opendir(folder);
  for (struct dirent *found = opened != NULL ? readdir(opened) : NULL; found != NULL; found = readdir(opened)) {
    if (found->d_name[0] == '.') continue;
    snprintf(one, size, "%.255s", found->d_name);
    ++count;
  }
  if (opened != NULL) closedir(opened);
  return count;
}

// False, after an error message to the viewer, if there is no result.
static bool send_results(const export_job *job) {
  char one[256] = "", path[PATH_SIZE + 260], name[200], id[STUDIO_FILE_ID_SIZE];
  pl_error error = {0};
  int count = count_files(job->folder, one, sizeof one);
  if (count == 1) {
    snprintf(path, sizeof path, "%s/%s", job->folder, one);
    snprintf(name, sizeof name, "%.190s", one);
  } else {
    snprintf(path, sizeof path, "%s.zip", job->folder);
    snprintf(name, sizeof name, "%s-%s.zip", job->name, job->format);
    if (count == 0 || studio_zip_write(job->w->context, job->folder, path, &error) < 0) {
      send_failure(job, count == 0 ? "the run wrote no files" : error.text);
      return false;
    }
  }
  if (!studio_files_add(job->w->files, path, name, id)) {
    send_failure(job, "too many files were exported; restart `pliant view`");
    return false;
  }
  studio_message message = studio_message_begin(job->w->context, "done");
  if (message.root != NULL) {
    studio_message_set_number(&message, message.root, "id", job->id);
    pl_json_set_text(&message.arena, message.root, "file", id);
    pl_json_set_text(&message.arena, message.root, "name", name);
  }
  studio_message_send(job->w, &message, job->viewer, STUDIO_ANSWER_QUEUE);
  return true;
}

static void *wait_for_process(void *user) {
  export_job *job = user;
  bool good = false;
  double reported = -1;
  while (!studio_program_has_ended(job->process, &good)) {
    double fraction = 0.9 * read_progress(job);
    if (fraction - reported >= 0.01) {
      studio_send_progress(job->w, job->viewer, job->id, fraction, fraction < 0.89 ? "simulating" : "writing");
      reported = fraction;
    }
    if (atomic_load(&job->stop)) kill(job->process, SIGKILL);
    nanosleep(&(struct timespec){0, 100000000}, NULL);
  }
  char line[512];
  bool sent = good && send_results(job);
  if (!good && !atomic_load(&job->stop)) {
    studio_program_last_line(job->w->context, job->log, line, sizeof line);
    send_failure(job, line);
  }
  if (!sent) studio_files_remove(job->made);
  atomic_store(&job->done, true);
  return NULL;
}

// --- beginning and ending
// -----------------------------------------------------------------------------------------------------------------------

static void end_job(studio_world *w, export_job **slot) {
  pthread_join((*slot)->thread, NULL);
  pl_release(w->context, *slot);
  *slot = NULL;
}

void studio_export_stop(studio_world *w) {
  for (int i = 0; w->exports != NULL && i < MAX_EXPORTS; ++i) {
    if (w->exports->jobs[i] == NULL) continue;
    atomic_store(&w->exports->jobs[i]->stop, true);
    end_job(w, &w->exports->jobs[i]);
  }
  pl_release(w->context, w->exports);
  w->exports = NULL;
}

static pl_status prepare(studio_world *w, export_job *job, pl_error *error) {
  char *folder = studio_files_folder(w->files);
  if (folder == NULL) return pl_fail(error, PL_ERROR_FILE, "a temporary folder cannot be created");
  safe_name(w->document.name, job->name, sizeof job->name);
  snprintf(job->made, sizeof job->made, "%s", folder);
  snprintf(job->scene, sizeof job->scene, "%s/scene.json", folder);
  snprintf(job->folder, sizeof job->folder, "%s/%s", folder, job->format);
  snprintf(job->log, sizeof job->log, "%s/run.log", folder);
  pl_release(w->context, folder);
  pl_status status = save_to(w, job->scene, error);
  if (status >= 0 && !start(job, w->options->program))
    status = pl_fail(error, PL_ERROR_UNSUPPORTED, "the program could not be started");
  if (status < 0) studio_files_remove(job->made);
  return status;
}

static pl_status begin(studio_world *w, export_job *job, pl_error *error) {
  static const char *const formats[] = {"pc2", "mdd", "glb", "vtu", "obj", "ply", "csv", "png", "mp4"};
  bool known = false;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i) known = known || strcmp(formats[i], job->format) == 0;
  if (!known) return pl_fail(error, PL_ERROR_INVALID_DATA, "\"%s\" is not an export format", job->format);
  if (w->instance == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "no scene is open");
  if (job->frames <= 0) job->frames = pl_scene_get_report(w->scene).frame_count;
  if (job->frames > MAX_FRAMES) job->frames = MAX_FRAMES;
  if (w->exports == NULL) w->exports = pl_allocate_array(w->context, 1, sizeof *w->exports);
  export_job **slot = NULL;
  for (int i = 0; w->exports != NULL && i < MAX_EXPORTS; ++i) {
    if (w->exports->jobs[i] != NULL && atomic_load(&w->exports->jobs[i]->done)) end_job(w, &w->exports->jobs[i]);
    if (w->exports->jobs[i] == NULL) slot = &w->exports->jobs[i];
  }
  if (slot == NULL)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "%d exports run already; wait for one to end", MAX_EXPORTS);
  export_job *kept = pl_allocate_array(w->context, 1, sizeof *kept);
  if (kept == NULL) return pl_fail_memory(error);
  *kept = *job;
  pl_status status = prepare(w, kept, error);
  if (status >= 0 && pthread_create(&kept->thread, NULL, wait_for_process, kept) != 0) {
    studio_program_kill(kept->process);
    studio_files_remove(kept->made);
    status = pl_fail(error, PL_ERROR_UNSUPPORTED, "a thread could not be started");
  }
  if (status >= 0)
    *slot = kept;
  else
    pl_release(w->context, kept);
  return status;
}

void studio_export_begin(studio_world *w, uint32_t viewer, const pl_json *id, const pl_json *request) {
  const char *format = "";
  int64_t frames = 0;
  pl_error error = {0};
  export_job job = {.w = w, .viewer = viewer};
  (void)pl_json_get_text(pl_json_find(request, "format"), &format);
  (void)pl_json_get_integer(pl_json_find(request, "frames"), &frames);
  (void)pl_json_get_number(id, &job.id);
  snprintf(job.format, sizeof job.format, "%s", format);
  job.frames = frames > 0 && frames <= MAX_FRAMES ? (int32_t)frames : 0;
  if (begin(w, &job, &error) < 0) studio_send_error(w, viewer, id, "%s", error.text);
}
