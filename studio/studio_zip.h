// Several files as one, for download.
#ifndef STUDIO_ZIP_H
#define STUDIO_ZIP_H

#include "pliant/pliant.h"

// Pack the files of a folder (not of folders in it) into a ZIP archive at `path`, as they are: frames hardly get smaller by packing. Fails with PL_ERROR_UNSUPPORTED where the
// archive would be larger than the format can hold.
pl_status studio_zip_write(pl_context *context, const char *folder, const char *path, pl_error *error);

#endif
