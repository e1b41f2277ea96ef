// A user of the lab: a mesh read from memory, and an unreadable one refused with its place.
#include <pliant/pliant.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  static const char good[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", bad[] = "v 0 0 0\nf 1 2 9\n";
  pl_error error = {0};
  pl_context_def context_def = pl_default_context_def();
  pl_context *context = NULL;
  if (pl_context_create(&context_def, &context, &error) < 0) return 1;
  pl_mesh *mesh = NULL, *none = NULL;
  pl_status read =
      pl_mesh_load_memory(context, &(pl_memory_source){good, strlen(good), "good.obj", NULL}, &mesh, NULL, &error);
  int32_t triangle_count = read >= 0 ? pl_mesh_get_view(mesh).triangle_count : 0;
  pl_status refused =
      pl_mesh_load_memory(context, &(pl_memory_source){bad, strlen(bad), "bad.obj", NULL}, &none, NULL, &error);
  printf("%d triangle; line %d: %s\n", triangle_count, error.line, error.text);
  pl_mesh_destroy(mesh);
  pl_context_destroy(context);
  return triangle_count == 1 && refused == PL_ERROR_INVALID_DATA && none == NULL && error.line == 2 ? 0 : 1;
}
