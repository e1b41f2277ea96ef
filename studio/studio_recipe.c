// Recipes of detail: scenes with a `recording`, from which examples are recorded.
#include "studio_recipe.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"

static bool is_same(studio_world *w, const pl_json *a, const pl_json *b) {
  pl_vector texts[2] = {pl_vector_of(w->context, 1), pl_vector_of(w->context, 1)};
  bool same = a != NULL && b != NULL && pl_json_write(a, PL_JSON_COMPACT, &texts[0], NULL) >= 0 &&
              pl_json_write(b, PL_JSON_COMPACT, &texts[1], NULL) >= 0 && texts[0].count == texts[1].count &&
              memcmp(texts[0].items, texts[1].items, texts[0].count) == 0;
  pl_vector_free(&texts[0]);
  pl_vector_free(&texts[1]);
  return same;
}

static const pl_json *find_named(const studio_document *document, const char *name) {
  const pl_json *bodies = pl_json_find(document->json->root, "bodies");
  for (const pl_json *body = bodies != NULL ? bodies->first : NULL; body != NULL; body = body->next)
    if (pl_json_is_text(pl_json_find(body, "name"), name)) return body;
  return NULL;
}

static const pl_json *mesh_of(const studio_document *document, const pl_json *body) {
  const char *name = "";
  (void)pl_json_get_text(pl_json_find(body, "mesh"), &name);
  return pl_json_find(pl_json_find(document->json->root, "meshes"), name);
}

bool studio_recipe_matches(studio_world *w, const studio_document *recipe, int32_t source) {
  const char *coarse = "";
  const pl_json *recording = pl_json_find(recipe->json->root, "recording");
  if (!pl_json_get_text(pl_json_find(recording, "coarse"), &coarse)) return false;
  const pl_json *theirs = find_named(recipe, coarse), *own = studio_document_body(&w->document, source);
  return theirs != NULL && is_same(w, mesh_of(recipe, theirs), mesh_of(&w->document, own)) &&
         is_same(w, pl_json_find(theirs, "tets"), pl_json_find(own, "tets")) &&
         studio_document_unit(recipe) == studio_document_unit(&w->document);
}

pl_status studio_recipe_set_touch(studio_document *recipe, pl_vec3 position, double strength, const char *label,
                                  pl_error *error) {
  pl_arena *arena = &recipe->json->arena;
  pl_json *recording = studio_document_object(recipe, recipe->json->root, "recording", PL_JSON_OBJECT);
  const pl_json *first = pl_json_at(pl_json_find(recording, "touches"), 0), *toward = pl_json_find(first, "toward");
  double depth = 0, unit = studio_document_unit(recipe), way[3];
  pl_json *touch = pl_json_new(arena, PL_JSON_OBJECT), *touches = pl_json_new(arena, PL_JSON_ARRAY);
  if (!pl_json_get_number(pl_json_find(first, "depth"), &depth) || !(depth > 0))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "the recipe has no touch to go by");
  if (recording == NULL || touch == NULL || touches == NULL) return pl_fail_memory(error);
  pl_json_set_text(arena, touch, "label", label);
  pl_json_set_numbers(arena, touch, "at", (const double[3]){position.x / unit, position.y / unit, position.z / unit},
                      3);
  pl_json_set_number(arena, touch, "depth", depth * strength);
  bool directed = toward != NULL;
  for (int k = 0; k < 3; ++k) directed = directed && pl_json_get_number(pl_json_at(toward, k), &way[k]);
  if (directed) pl_json_set_numbers(arena, touch, "toward", way, 3);
  pl_json_add(touches, touch);
  pl_json_set(arena, recording, "touches", touches);
  return arena->failed ? pl_fail_memory(error) : PL_OK;
}
