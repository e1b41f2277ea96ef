// The folder of the viewers. Scenes can be opened by path from this folder and the gallery, and
// saved by name into this folder. It is fixed when the server starts: opening another scene does
// not give access to another folder.
#ifndef STUDIO_FOLDER_H
#define STUDIO_FOLDER_H

#include "studio_world.h"

// Whether a viewer may open `path`. PL_ERROR_NOT_FOUND if not, whether or not the file exists: the
// server does not reveal what is outside the folder.
pl_status studio_folder_check_open(const studio_world *world, const char *path, pl_error *error);

// The path for saving a scene as `name` (`length` bytes), to be freed by pl_release(). Fails if
// there is no folder, if the name is not a plain file name that ends in .json, or if a file that is
// not a scene has this name.
pl_status studio_folder_save_path(const studio_world *world, const char *name, size_t length,
                                  char **path, pl_error *error);

// Whether `bytes` can be written to `path` without loss: there is no file, or one with the same
// content.
bool studio_folder_can_write(pl_context *context, const char *path, const void *bytes, size_t size);

#endif
