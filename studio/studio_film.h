// A recording of a scene by virtual depth cameras: runs `pliant sense` in a separate process.
#ifndef STUDIO_FILM_H
#define STUDIO_FILM_H

#include "studio_world.h"

typedef struct studio_film studio_film;

// Start recording a body of the open scene, from the time when its last pin is released. NULL, with
// `error`, on failure.
studio_film *studio_film_begin(studio_world *world, int32_t body, pl_error *error);

// Fraction of the images that are written, 0 … 1.
double studio_film_fraction(const studio_film *film);

// Whether the process has ended; `*good` is false if it failed, and then `error` is set.
bool studio_film_has_ended(studio_film *film, bool *good, pl_error *error);

// The folder of the recording.
const char *studio_film_folder(const studio_film *film);

// Kill the process if it runs, and remove the recording. NULL is allowed.
void studio_film_destroy(studio_film *film);

#endif
