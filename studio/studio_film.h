// A scene filmed by depth cameras that are not there: `pliant sense` run beside the server.
#ifndef STUDIO_FILM_H
#define STUDIO_FILM_H

#include "studio_world.h"

typedef struct studio_film studio_film;

// Begin to film a body of the scene that is open, from the frame on in which it is let go. NULL, with `error`, when that cannot be.
studio_film *studio_film_begin(studio_world *world, int32_t body, pl_error *error);

// Share of the pictures that are taken, 0 … 1.
double studio_film_fraction(const studio_film *film);

// Whether it has ended; `*good` says whether the film is whole, and the error is filled in if not.
bool studio_film_has_ended(studio_film *film, bool *good, pl_error *error);

// The folder that the film is in.
const char *studio_film_folder(const studio_film *film);

// End it at once where it runs, and remove the film. NULL is allowed.
void studio_film_destroy(studio_film *film);

#endif
