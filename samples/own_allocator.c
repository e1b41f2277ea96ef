// The host's own memory: every byte the library uses comes from one block that the host owns, and stepping takes none
// at all.
//
// The allocator below only counts upwards, which is enough to show the contract: aligned blocks or NULL, the size comes
// back on release. When the block is full the library says so with PL_ERROR_OUT_OF_MEMORY and stays usable.
#include <pliant/runtime.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct pool {
  unsigned char *bytes;
  size_t size, used;
  int live_count;  // blocks handed out and not yet given back
} pool;

static void *take(void *user, size_t size, size_t alignment) {
  pool *self = user;
  size_t start = (self->used + alignment - 1) / alignment * alignment;
  if (start > self->size || size > self->size - start) return NULL;
  self->used = start + size;
  self->live_count++;
  return self->bytes + start;
}

static void give_back(void *user, void *block, size_t size) {
  (void)block, (void)size;
  ((pool *)user)->live_count--;
}

// Build a box and let it fall for a second. Returns how often the allocator was asked during that second, or the
// (negative) status.
static long fall(pl_context *context) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  pl_model *model = NULL;
  pl_world *world = NULL;
  pl_solid_def solid_def = pl_default_solid_def();
  pl_world_def world_def = pl_default_world_def();
  pl_body_def body_def = pl_default_body_def();
  pl_status status = pl_mesh_create_box(context, (pl_vec3){0.2, 0.2, 0.2}, (int32_t[3]){4, 4, 4}, &mesh, &error);
  if (status >= 0) status = pl_solid_build(context, &solid_def, mesh, &model, &error);
  if (status >= 0) status = pl_world_create(context, &world_def, &world, &error);
  body_def.model = model;
  if (status >= 0) status = pl_world_add_body(world, &body_def, NULL, &error);
  if (status >= 0) status = pl_world_step(world, NULL, &error);  // the first step may still take memory
  int64_t before = pl_context_get_memory_report(context).allocation_count;
  if (status >= 0) status = pl_world_advance(world, 1.0, 0, NULL, &error);
  long asked = (long)(pl_context_get_memory_report(context).allocation_count - before);
  if (status < 0) printf("status %d: %s\n", status, error.text);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  return status < 0 ? (long)status : asked;
}

// The same with a block of `size` bytes.
static long fall_within(size_t size) {
  pool memory = {.bytes = aligned_alloc(64, size), .size = size};
  if (memory.bytes == NULL) return -1;
  pl_context_def def = pl_default_context_def();
  def.allocator = (pl_allocator){take, give_back, &memory};
  def.thread_count = 1;  // this allocator takes no lock
  pl_context *context = NULL;
  long asked = pl_context_create(&def, &context, NULL);
  if (asked >= 0) asked = fall(context);
  pl_context_destroy(context);
  printf("%zu of %zu bytes used, %d blocks left\n", memory.used, size, memory.live_count);
  if (memory.live_count != 0) asked = -100;
  free(memory.bytes);
  return asked;
}

int main(void) {
  long enough = fall_within((size_t)64 << 20);
  printf("allocations while stepping: %ld\n", enough);
  long too_little = fall_within((size_t)64 << 10);
  printf("with too little memory: %s\n", pl_status_text((pl_status)too_little));
  return enough == 0 && too_little == PL_ERROR_OUT_OF_MEMORY ? 0 : 1;
}
