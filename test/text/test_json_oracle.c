// The JSON parser against jansson, an independent one: both must agree on which texts are JSON, and on every value in
// them. The texts are a few seeds and thousands of random mutations of them.
// ctest: unit
#include "check.h"

#include "base/random.h"
#include "text/json.h"

#ifdef PLIANT_HAS_JANSSON
#include <jansson.h>

static const char *const seeds[] = {
    "{\"a\": [1, 2.5, -3e-2, {\"b\": null}], \"text\": \"q\\u00e9\\n\\ud83d\\ude00\", \"t\": true, \"f\": false}",
    "[[[]], {}, [{}], \"\", 0, -0, 1e5, 123456789.25]",
    "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0,\"translation\":[0,1.5,-2]}],\"x\\\"y\":\"é€\"}",
    " \r\n\t[true , false\n, null , \"\\\\ \\/ \\b\\f\\n\\r\\t\"] \n",
    "\"just text\"",
    "-12.5E+3",
};

static bool same(const pl_json *ours, const json_t *theirs);

static bool same_object(const pl_json *ours, const json_t *theirs) {
  if ((size_t)ours->count != json_object_size(theirs)) return false;
  for (const pl_json *member = ours->first; member != NULL; member = member->next) {
    json_t *other = json_object_getn(theirs, member->key, (size_t)member->key_length);
    if (other == NULL || !same(member, other)) return false;
  }
  return true;
}

static bool same(const pl_json *ours, const json_t *theirs) {
  switch (json_typeof(theirs)) {
    case JSON_NULL: return ours->kind == PL_JSON_NULL;
    case JSON_TRUE: return ours->kind == PL_JSON_BOOL && ours->boolean;
    case JSON_FALSE: return ours->kind == PL_JSON_BOOL && !ours->boolean;
    case JSON_INTEGER:
    case JSON_REAL: return ours->kind == PL_JSON_NUMBER && ours->number == json_number_value(theirs);
    case JSON_STRING:
      return ours->kind == PL_JSON_STRING && (size_t)ours->text_length == json_string_length(theirs) &&
             memcmp(ours->text, json_string_value(theirs), json_string_length(theirs)) == 0;
    case JSON_ARRAY:
      if (ours->kind != PL_JSON_ARRAY || (size_t)ours->count != json_array_size(theirs)) return false;
      for (int32_t i = 0; i < ours->count; ++i)
        if (!same(pl_json_at(ours, i), json_array_get(theirs, (size_t)i))) return false;
      return true;
    case JSON_OBJECT: return ours->kind == PL_JSON_OBJECT && same_object(ours, theirs);
  }
  return false;
}

// Returns whether the text is JSON.
static bool compare(pl_context *context, const char *text, size_t size) {
  pl_json_document *document = NULL;
  pl_error error = {0};
  pl_status status = pl_json_parse(context, text, size, "t", NULL, &document, &error);
  json_error_t json_error;
  json_t *theirs = json_loadb(
      text, size, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &json_error);
  if ((status == PL_OK) != (theirs != NULL))
    fail_msg("ours: %s; jansson: %s; text: %.*s", status == PL_OK ? "fine" : error.text,
             theirs != NULL ? "fine" : json_error.text, (int)size, text);
  if (theirs != NULL && !same(document->root, theirs)) fail_msg("values differ: %.*s", (int)size, text);
  bool valid = theirs != NULL;
  json_decref(theirs);
  pl_json_document_destroy(document);
  return valid;
}

static void jansson_agrees_on_random_mutations(void **state) {
  (void)state;
  static const char alphabet[] = "{}[]:,\"\\0123456789.eE+-tfnrul \nabx\x80\xC3\xA9\xE2";
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(7);
  int valid_count = 0;
  for (int round = 0; round < 20000; ++round) {
    char text[256];
    const char *seed = seeds[round % 6];
    size_t size = strlen(seed);
    memcpy(text, seed, size);
    int change_count = 1 + (int)(pl_random_u32(&random) % 3);
    for (int change = 0; change < change_count && size > 1; ++change) {
      size_t at = pl_random_u32(&random) % size;
      char letter = alphabet[pl_random_u32(&random) % (sizeof alphabet - 1)];
      switch (pl_random_u32(&random) % 4) {
        case 0: text[at] = letter; break;
        case 1: memmove(text + at, text + at + 1, --size - at); break;
        case 2:
          memmove(text + at + 1, text + at, size++ - at);
          text[at] = letter;
          break;
        default: text[at] = text[pl_random_u32(&random) % size]; break;
      }
    }
    valid_count += compare(context, text, size);
  }
  assert_true(valid_count > 1000);  // otherwise the agreement would mean little
  drop_context(context);
}

static void jansson_agrees_on_the_seeds_and_their_beginnings(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; ++i) {
    assert_true(compare(context, seeds[i], strlen(seeds[i])));
    for (size_t size = 0; size < strlen(seeds[i]); ++size) compare(context, seeds[i], size);
  }
  drop_context(context);
}

static void jansson_agrees_on_random_numbers(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(11);
  for (int round = 0; round < 20000; ++round) {
    char text[64];
    uint64_t bits = (uint64_t)pl_random_u32(&random) << 32 | pl_random_u32(&random);
    double number;
    memcpy(&number, &bits, sizeof number);
    if (!isfinite(number)) continue;
    int digits = (int)(pl_random_u32(&random) % 20) + 1;
    size_t size = (size_t)snprintf(text, sizeof text, "%.*e", digits, number);
    compare(context, text, size);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jansson_agrees_on_the_seeds_and_their_beginnings),
      cmocka_unit_test(jansson_agrees_on_random_mutations),
      cmocka_unit_test(jansson_agrees_on_random_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void jansson_is_not_installed(void **state) {
  (void)state;
  skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(jansson_is_not_installed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
