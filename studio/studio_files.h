// Files that viewers can download, made by exports and saves. They are in one temporary folder that
// is removed when the server ends.
#ifndef STUDIO_FILES_H
#define STUDIO_FILES_H

#include <pthread.h>

#include "studio_log.h"

enum { STUDIO_MAX_FILES = 256, STUDIO_FILE_ID_SIZE = 24 };

typedef struct studio_file {
  char id[STUDIO_FILE_ID_SIZE];
  char *path, *name;  // path on the server, and file name for the download
} studio_file;

typedef struct studio_files {
  pl_context *context;
  char *folder;  // created on first use
  pthread_mutex_t lock;
  studio_file files[STUDIO_MAX_FILES];
  int count;
  int folder_count;
} studio_files;

void studio_files_init(studio_files *files, pl_context *context);
// Remove the folder with its content.
void studio_files_free(studio_files *files);

// Create a folder for the files of one request. The path must be freed by pl_release(); NULL if the
// folder cannot be created.
char *studio_files_folder(studio_files *files);

// Remove such a folder with its content.
void studio_files_remove(const char *folder);

// Make a file available for download; `id` receives its id. False if there are too many files.
bool studio_files_add(studio_files *files, const char *path, const char *name,
                      char id[STUDIO_FILE_ID_SIZE]);

// Path and name of a file, both to be freed by pl_release(). False if the id is unknown.
bool studio_files_find(studio_files *files, const char *id, char **path, char **name);

// Copy a text; free it by pl_release(). NULL: out of memory.
char *studio_copy_text(pl_context *context, const char *text);

#endif
