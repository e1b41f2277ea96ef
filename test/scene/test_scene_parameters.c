// One line in a table of parameters is enough: its key, default, range, unit and choices are in the published schema,
// in what a document is read into, and in what is refused.
#include <stdio.h>

// ctest: unit
#include "actor/actor_parameters.h"
#include "check.h"
#include "contact/collider_parameters.h"
#include "detail/detail_parameters.h"
#include "fem/fem_parameters.h"
#include "mesh/mesh_parameters.h"
#include "rod/rod_parameters.h"
#include "scene/scene_types.h"
#include "solid/solid_parameters.h"
#include "world/world_parameters.h"

// Tables that a type of the schema has whole.
static const struct {
  const char *type;
  const pl_parameter_table *table;
} WHOLE[] = {
    {"solid", &pl_solid_def_parameters},
    {"rod", &pl_rod_def_parameters},
    {"fem", &pl_fem_def_parameters},
    {"actor", &pl_actor_def_parameters},
    {"body", &pl_body_def_parameters},
    {"pin", &pl_pin_def_parameters},
    {"collider", &pl_collider_def_parameters},
    {"cut", &pl_cut_def_parameters},
    {"detail", &pl_detail_layer_def_parameters},
    {"recording", &pl_detail_def_parameters},
    {"actor_command", &pl_actor_command_parameters},
};
enum { WHOLE_COUNT = sizeof WHOLE / sizeof *WHOLE };

static const char *key_of(const pl_parameter *parameter) {
  return parameter->scene_key != NULL ? parameter->scene_key : parameter->name;
}

static pl_json_document *read_schema(pl_context *context) {
  pl_error error = {0};
  FILE *file = fopen(PLIANT_SOURCE_DIR "/docs/scene.schema.json", "rb");
  assert_non_null(file);
  enum { MAX_BYTES = 1 << 20 };
  char *text = malloc(MAX_BYTES);
  assert_non_null(text);
  size_t length = fread(text, 1, MAX_BYTES, file);
  fclose(file);
  assert_true(length < MAX_BYTES);
  pl_json_document *schema = NULL;
  check_ok(pl_json_parse(context, text, length, "schema", NULL, &schema, &error), &error);
  free(text);
  return schema;
}

static double number_of(const pl_json *object, const char *key) {
  double number = 0;
  if (!pl_json_get_number(pl_json_find(object, key), &number)) fail_msg("there is no number `%s`", key);
  return number;
}

static void check_text(const pl_json *object, const char *key, const char *expected) {
  const char *text = "";
  if (!pl_json_get_text(pl_json_find(object, key), &text)) fail_msg("there is no text `%s`", key);
  assert_string_equal(text, expected);
}

static void check_default(const pl_parameter *parameter, const pl_json *property) {
  const pl_json *given = pl_json_find(property, "default");
  const double *value = parameter->default_value;
  bool on = false;
  assert_int_equal(given != NULL, !parameter->required);
  if (given == NULL) return;
  switch (parameter->kind) {
    case PL_PARAMETER_BOOL:
      assert_true(pl_json_get_bool(given, &on));
      assert_int_equal(on, value[0] != 0);
      break;
    case PL_PARAMETER_CHOICE: check_text(property, "default", parameter->choices[(int)value[0]]); break;
    case PL_PARAMETER_VECTOR:
      for (int32_t i = 0; i < 3; ++i) {
        double number = (double)NAN;
        assert_true(pl_json_get_number(pl_json_at(given, i), &number));
        check_near(number, value[i], 0);
      }
      break;
    default: check_near(number_of(property, "default"), value[0], 0); break;
  }
}

static void check_property(const pl_parameter *parameter, const pl_json *property) {
  check_text(property, "description", parameter->about);
  if (parameter->unit != NULL) check_text(property, "unit", parameter->unit);
  const pl_json *numbers = parameter->kind == PL_PARAMETER_VECTOR ? pl_json_find(property, "items") : property;
  if (parameter->min != 0 || parameter->max != 0) {
    check_near(number_of(numbers, parameter->min_excluded ? "exclusiveMinimum" : "minimum"), parameter->min, 0);
    check_near(number_of(numbers, "maximum"), parameter->max, 0);
  }
  check_default(parameter, property);
}

static void every_parameter_is_in_the_schema(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_json_document *schema = read_schema(context);
  int32_t count = 0;
  for (int t = 0; t < WHOLE_COUNT; ++t) {
    const pl_json *type = pl_json_find(pl_json_find(schema->root, "$defs"), WHOLE[t].type);
    for (int32_t i = 0; i < WHOLE[t].table->count; ++i) {
      const pl_parameter *parameter = &WHOLE[t].table->items[i];
      const pl_json *property = pl_json_find(pl_json_find(type, "properties"), key_of(parameter));
      if (parameter->not_in_scenes) continue;
      if (property == NULL)
        fail_msg("%s.%s is not in docs/scene.schema.json; run make generate", WHOLE[t].type, key_of(parameter));
      check_property(parameter, property);
      ++count;
    }
  }
  print_message("%d parameters\n", count);
  assert_true(count > 60);
  pl_json_document_destroy(schema);
  drop_context(context);
}

// A scene of one body, and what is wrong with it.
static pl_scene *read_body(pl_context *context, const char *solid, pl_findings **findings) {
  char text[400];
  pl_error error = {0};
  pl_scene *scene = NULL;
  snprintf(
      text, sizeof text,
      "{\"pliant\": 1, \"name\": \"one\", \"meshes\": {\"m\": {\"box\": {}}}, \"bodies\": [{\"name\": \"b\", \"mesh\": "
      "\"m\"%s%s}]}",
      solid[0] != '\0' ? ", \"solid\": " : "", solid);
  check_ok(pl_findings_create(context, findings, &error), &error);
  (void)pl_scene_load_memory(context, &(pl_memory_source){text, strlen(text), "one.json", "."}, &scene, *findings,
                             &error);
  return scene;
}

static void an_absent_key_is_the_default_of_the_def(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_findings *findings = NULL;
  pl_scene *scene = read_body(context, "", &findings);
  assert_non_null(scene);
  const pl_scene_body *body = scene->document.bodies.items;
  const pl_solid_def solid = pl_default_solid_def();
  const pl_rod_def rod = pl_default_rod_def();
  const pl_fem_def fem = pl_default_fem_def(PL_FEM_COROTATED);
  const pl_actor_def actor = pl_default_actor_def();
  const struct {
    const pl_parameter_table *table;
    const void *read, *expected;
  } defs[] = {{&pl_solid_def_parameters, &body->solid.def, &solid},
              {&pl_rod_def_parameters, &body->rod.def, &rod},
              {&pl_fem_def_parameters, &body->fem.def, &fem},
              {&pl_actor_def_parameters, &body->actor.def, &actor}};
  for (size_t d = 0; d < sizeof defs / sizeof *defs; ++d)
    for (int32_t i = 0; i < defs[d].table->count; ++i) {
      const pl_parameter *parameter = &defs[d].table->items[i];
      assert_memory_equal((const char *)defs[d].read + parameter->offset,
                          (const char *)defs[d].expected + parameter->offset, pl_parameter_size(parameter));
    }
  pl_scene_destroy(scene);
  pl_findings_destroy(findings);
  drop_context(context);
}

static void a_document_is_refused_what_the_table_refuses(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int32_t i = 0; i < pl_solid_def_parameters.count; ++i) {
    const pl_parameter *parameter = &pl_solid_def_parameters.items[i];
    char solid[100];
    if (parameter->kind != PL_PARAMETER_NUMBER) continue;
    for (int k = 0; k < 3; ++k) {
      // Above, below, and the middle, which is read into the def.
      double values[] = {2 * parameter->max + 1, parameter->min - 1, 0.5 * (parameter->min + parameter->max)};
      snprintf(solid, sizeof solid, "{\"%s\": %.17g}", key_of(parameter), values[k]);
      pl_findings *findings = NULL;
      pl_scene *scene = read_body(context, solid, &findings);
      if (k < 2) {
        assert_int_equal(pl_findings_count(findings, PL_SEVERITY_ERROR), 1);
        assert_string_equal(pl_findings_get(findings, 0)->kind, "out-of-range");
      } else {
        const pl_scene_body *body = scene->document.bodies.items;
        assert_true(*(const double *)((const char *)&body->solid.def + parameter->offset) == values[k]);
      }
      pl_scene_destroy(scene);
      pl_findings_destroy(findings);
    }
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_parameter_is_in_the_schema),
      cmocka_unit_test(an_absent_key_is_the_default_of_the_def),
      cmocka_unit_test(a_document_is_refused_what_the_table_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
