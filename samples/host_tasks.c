// The host's own task system: the library's parallel loops run as tasks of the host, and give the same bits whatever
// the host does with them.
//
// Two hosts are tried, one that runs tasks backwards on the calling thread and one that spreads them over two threads;
// the hashes of the moved worlds must be equal.
#include <pliant/runtime.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

// ctest: threads

static void run_backwards(void *user, int32_t count, pl_task_function *task, void *data) {
  (void)user;
  for (int32_t i = count - 1; i >= 0; --i) task(data, i);
}

typedef struct shared_work {
  atomic_int next;
  int32_t count;
  pl_task_function *task;
  void *data;
} shared_work;

static void *work_off(void *argument) {
  shared_work *work = argument;
  for (int32_t i = atomic_fetch_add(&work->next, 1); i < work->count; i = atomic_fetch_add(&work->next, 1))
    work->task(work->data, i);
  return NULL;
}

// A real host would hand the tasks to threads it already has.
static void run_on_two_threads(void *user, int32_t count, pl_task_function *task, void *data) {
  (void)user;
  shared_work work = {.count = count, .task = task, .data = data};
  pthread_t other;
  bool helped = pthread_create(&other, NULL, work_off, &work) == 0;
  work_off(&work);
  if (helped) pthread_join(other, NULL);
}

// Hash of a box that fell for half a second under this host, 0 if something failed.
static uint64_t fall(pl_task_runner runner) {
  pl_error error = {0};
  pl_context *context = NULL;
  pl_mesh *mesh = NULL;
  pl_model *model = NULL;
  pl_world *world = NULL;
  pl_context_def context_def = pl_default_context_def();
  context_def.task_runner = runner;
  pl_solid_def solid_def = pl_default_solid_def();
  pl_world_def world_def = pl_default_world_def();
  pl_body_def body_def = pl_default_body_def();
  body_def.placement.position.y = 0.5;
  pl_collider_def ground_def = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  pl_status status = pl_context_create(&context_def, &context, &error);
  if (status >= 0)
    status = pl_mesh_create_box(context, (pl_vec3){0.4, 0.4, 0.4}, (int32_t[3]){10, 10, 10}, &mesh, &error);
  if (status >= 0) status = pl_solid_build(context, &solid_def, mesh, &model, &error);
  if (status >= 0) status = pl_world_create(context, &world_def, &world, &error);
  body_def.model = model;
  if (status >= 0) status = pl_world_add_body(world, &body_def, NULL, &error);
  if (status >= 0) status = pl_world_add_collider(world, &ground_def, NULL, &error);
  if (status >= 0) status = pl_world_advance(world, 0.5, 0, NULL, &error);
  if (status < 0) printf("%s\n", error.text);
  uint64_t hash = status < 0 ? 0 : pl_world_get_hash(world);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  pl_context_destroy(context);
  return hash;
}

int main(void) {
  uint64_t backwards = fall((pl_task_runner){run_backwards, NULL});
  uint64_t two_threads = fall((pl_task_runner){run_on_two_threads, NULL});
  uint64_t own_pool = fall((pl_task_runner){NULL, NULL});
  printf("backwards   %016llx\ntwo threads %016llx\nown pool    %016llx\n", (unsigned long long)backwards,
         (unsigned long long)two_threads, (unsigned long long)own_pool);
  return backwards != 0 && backwards == two_threads && backwards == own_pool ? 0 : 1;
}
