// Any bytes as a scene: reading gives a scene or findings, and what is accepted is written as a document that reads
// back. Nothing is built: a sound scene may ask for a million particles, and the meshes it names have targets of their
// own.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pliant/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read_again(pl_context *context, const pl_scene *scene) {
  char folder[] = "/dev/shm/pliant-fuzz-XXXXXX", path[sizeof folder + 16];
  if (mkdtemp(folder) == NULL) abort();
  snprintf(path, sizeof path, "%s/scene.json", folder);
  pl_error error = {0};
  pl_scene *again = NULL;
  if (pl_scene_save(context, path, scene, &error) < 0) abort();
  if (pl_scene_load(context, path, &again, NULL, &error) < 0) {
    fprintf(stderr, "%d:%d: %s: %s\n", error.line, error.column, error.field, error.text);
    abort();
  }
  pl_scene_destroy(again);
  unlink(path);
  rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_context *context = NULL;
  pl_findings *findings = NULL;
  if (pl_context_create(&def, &context, NULL) < 0 || pl_findings_create(context, &findings, NULL) < 0) abort();
  pl_scene *scene = NULL;
  pl_error error = {0};
  pl_status status = pl_scene_load_memory(context, &(pl_memory_source){(const char *)data, size, "fuzz.json", "."},
                                          &scene, findings, &error);
  if ((status < 0) != (scene == NULL) || (status < 0 && error.text[0] == '\0')) abort();
  if (status < 0 && pl_findings_count(findings, PL_SEVERITY_ERROR) == 0) abort();
  if (scene != NULL) {
    pl_scene_report report = pl_scene_get_report(scene);
    if (report.name == NULL || report.description == NULL || report.frame_count < 1) abort();
    if (report.has_camera) pl_scene_get_camera(scene, 0.5);
    write_and_read_again(context, scene);
  }
  pl_scene_destroy(scene);
  pl_findings_destroy(findings);
  if (pl_context_get_memory_report(context).block_count != 0) abort();
  pl_context_destroy(context);
  return 0;
}
