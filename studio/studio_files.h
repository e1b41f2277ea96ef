// Files that viewers may fetch: made by exports and saves, kept in one temporary folder that goes with the server.
#ifndef STUDIO_FILES_H
#define STUDIO_FILES_H

#include <pthread.h>

#include "studio_log.h"

enum { STUDIO_MAX_FILES = 256, STUDIO_FILE_ID_SIZE = 24 };

typedef struct studio_file {
  char id[STUDIO_FILE_ID_SIZE];
  char *path, *name;  // where it is, and what it is called when fetched
} studio_file;

typedef struct studio_files {
  pl_context *context;
  char *folder;  // made when it is first needed
  pthread_mutex_t lock;
  studio_file files[STUDIO_MAX_FILES];
  int count;
  int folder_count;
} studio_files;

void studio_files_init(studio_files *files, pl_context *context);
// Remove the folder with all that is in it.
void studio_files_free(studio_files *files);

// A new folder for the files of one request; to be given to pl_release(). NULL when it cannot be made.
char *studio_files_folder(studio_files *files);

// Remove such a folder with all that is in it, before the server ends.
void studio_files_remove(const char *folder);

// Let viewers fetch a file; its id is put into `id`. False when there are too many.
bool studio_files_add(studio_files *files, const char *path, const char *name, char id[STUDIO_FILE_ID_SIZE]);

// Path and name of an offered file, to be given to pl_release(). False if there is none of that id.
bool studio_files_find(studio_files *files, const char *id, char **path, char **name);

// A copy of a text, to be given to pl_release(); NULL when out of memory.
char *studio_copy_text(pl_context *context, const char *text);

#endif
