// ZIP archives, for download of several files.
#ifndef STUDIO_ZIP_H
#define STUDIO_ZIP_H

#include "pliant/pliant.h"

// Write the files of a folder (without subfolders) to a ZIP archive at `path`, without compression:
// frames hardly compress. Fails with PL_ERROR_UNSUPPORTED if the archive would exceed the limits of
// the format.
pl_status studio_zip_write(pl_context *context, const char *folder, const char *path,
                           pl_error *error);

#endif
