// Scenes read from text and built, with what was found on the way: what tests of scenes start from.
#ifndef PL_TEST_FIXTURES_H
#define PL_TEST_FIXTURES_H

#include "check.h"
#include "pliant/pliant.h"

typedef struct fixture {
  pl_context *context;
  pl_findings *findings;
  pl_scene *scene;
  pl_scene_instance *set;
  pl_world *world;  // of the set, NULL without one
  pl_status status;
  pl_error error;
} fixture;

// Paths in the scene start from `folder`.
static inline fixture open_fixture(const char *text, const char *folder) {
  fixture s = {.context = make_context(1)};
  check_ok(pl_findings_create(s.context, &s.findings, &s.error), &s.error);
  s.status =
      pl_scene_load_memory(s.context, &(pl_memory_source){text, strlen(text), "test.json", folder}, &s.scene, s.findings, &s.error);
  pl_scene_build_def def = pl_default_scene_build_def();
  if (s.status >= 0) s.status = pl_scene_build(s.context, &def, s.scene, &s.set, s.findings, &s.error);
  if (s.set != NULL) s.world = pl_scene_instance_get_world(s.set);
  return s;
}

static inline void close_fixture(fixture *s) {
  pl_scene_instance_destroy(s->set);
  pl_scene_destroy(s->scene);
  pl_findings_destroy(s->findings);
  drop_context(s->context);
}

#endif
