// The table of downloadable files.
#define _GNU_SOURCE
#include "studio_files.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "io/file_bytes.h"

char *studio_copy_text(pl_context *context, const char *text) {
  char *copy = pl_allocate(context, strlen(text) + 1);
  if (copy != NULL) memcpy(copy, text, strlen(text) + 1);
  return copy;
}

void studio_files_init(studio_files *files, pl_context *context) {
  *files = (studio_files){.context = context};
  pthread_mutex_init(&files->lock, NULL);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *level) {
  (void)status;
  (void)kind;
  (void)level;
  remove(path);
  return 0;
}

void studio_files_remove(const char *folder) {
  nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void studio_files_free(studio_files *files) {
  if (files->folder != NULL) studio_files_remove(files->folder);
  for (int i = 0; i < files->count; ++i) {
    pl_release(files->context, files->files[i].path);
    pl_release(files->context, files->files[i].name);
  }
  pl_release(files->context, files->folder);
  pthread_mutex_destroy(&files->lock);
}

char *studio_files_folder(studio_files *files) {
  char *made = NULL;
  pthread_mutex_lock(&files->lock);
  if (files->folder == NULL) {
    const char *parent = getenv("TMPDIR");
    char path[1024];
    snprintf(path, sizeof path, "%s/pliant-studio-XXXXXX", parent != NULL && parent[0] != '\0' ? parent : "/tmp");
    if (mkdtemp(path) != NULL) files->folder = studio_copy_text(files->context, path);
  }
  if (files->folder != NULL) {
    char name[32];
    snprintf(name, sizeof name, "%d", ++files->folder_count);
    made = pl_path_join(files->context, files->folder, name);
    if (made != NULL && mkdir(made, 0700) != 0) {
      pl_release(files->context, made);
      made = NULL;
    }
  }
  pthread_mutex_unlock(&files->lock);
  return made;
}

// Ids cannot be guessed, even though the token is required as well.
static bool make_id(char id[STUDIO_FILE_ID_SIZE]) {
  uint64_t number;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) return false;
  snprintf(id, STUDIO_FILE_ID_SIZE, "%016llx", (unsigned long long)number);
  return true;
}

bool studio_files_add(studio_files *files, const char *path, const char *name, char id[STUDIO_FILE_ID_SIZE]) {
  bool added = false;
  studio_file file = {.path = studio_copy_text(files->context, path), .name = studio_copy_text(files->context, name)};
  pthread_mutex_lock(&files->lock);
  if (file.path != NULL && file.name != NULL && files->count < STUDIO_MAX_FILES && make_id(file.id)) {
    files->files[files->count++] = file;
    memcpy(id, file.id, sizeof file.id);
    added = true;
  }
  pthread_mutex_unlock(&files->lock);
  if (!added) {
    pl_release(files->context, file.path);
    pl_release(files->context, file.name);
  }
  return added;
}

bool studio_files_find(studio_files *files, const char *id, char **path, char **name) {
  *path = *name = NULL;
  pthread_mutex_lock(&files->lock);
  for (int i = 0; i < files->count; ++i)
    if (strcmp(files->files[i].id, id) == 0) {
      *path = studio_copy_text(files->context, files->files[i].path);
      *name = studio_copy_text(files->context, files->files[i].name);
    }
  pthread_mutex_unlock(&files->lock);
  if (*path != NULL && *name != NULL) return true;
  pl_release(files->context, *path);
  pl_release(files->context, *name);
  return false;
}
