// The folder of the viewers: by path, scenes are opened from it and from the gallery; by name, they are saved into it. It is fixed when the server starts, so that a viewer who opens
// another scene does not get at another folder.
#ifndef STUDIO_FOLDER_H
#define STUDIO_FOLDER_H

#include "studio_world.h"

// Whether a viewer may open what is at `path`. PL_ERROR_NOT_FOUND if not, also when there is nothing: what is elsewhere is not told.
pl_status studio_folder_check_open(const studio_world *world, const char *path, pl_error *error);

// The path to save a scene to as `name`, of `length` bytes; to be given to pl_release(). Fails when there is no folder, when the name is not a plain one that ends in .json, or when
// something is there that is not a scene.
pl_status studio_folder_save_path(const studio_world *world, const char *name, size_t length, char **path, pl_error *error);

// Whether nothing, or a file with the same bytes, is at `path`, so that writing them loses nothing.
bool studio_folder_can_write(pl_context *context, const char *path, const void *bytes, size_t size);

#endif
