// Memory and log of a context, as the rest of the library uses them.
#ifndef PL_BASE_CONTEXT_H
#define PL_BASE_CONTEXT_H

#include "pliant/base.h"

// Every def carries this in `magic`, put there by its pl_default_*_def(): a def that was only
// zeroed is caught.
#define PL_DEF_MAGIC 0x504C4431u

// A block of `size` bytes aligned to 64, or NULL. Size 0 gives a valid block. Contents are
// undefined.
void *pl_allocate(pl_context *context, size_t size);

// `count` items of `item_size` bytes, zeroed, or NULL (also when the product overflows).
void *pl_allocate_array(pl_context *context, size_t count, size_t item_size);

// Give a block back. NULL is allowed.
void pl_release(pl_context *context, void *block);

// Does the caller run the tasks, on threads that nobody has counted?
bool pl_context_has_task_runner(const pl_context *context);

// Send a formatted line to the context's log.
void pl_log(pl_context *context, pl_severity severity, const char *format, ...) PL_PRINTF(3, 4);

#endif
