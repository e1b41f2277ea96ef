// Tags, attributes and text of XML: what is passed over, entities, quotes, what is cut off at every length.
// ctest: unit
#include "check.h"
#include "text/xml_cursor.h"

static const char DOCUMENT[] =
    "<?xml version=\"1.0\"?>\n"
    "<!DOCTYPE a><!-- <no> -->\n"
    "<a one='1 > 0' two = \"x&amp;&lt;&#65;&#x20AC;&nope;\">\n"
    "  some <![CDATA[<b> & ]] ]]>text &gt;\n"
    "  <b/><c three=\"\"/ >\n"
    "</a>";

// A block of exactly its size, so that the address sanitizer sees a read past it.
static pl_mesh_source open_source(const char *text, size_t size, pl_error *error) {
  unsigned char *bytes = malloc(size > 0 ? size : 1);
  assert_non_null(bytes);
  memcpy(bytes, text, size);
  return (pl_mesh_source){.bytes = bytes, .size = size, .name = "text", .error = error};
}

static void close_source(pl_mesh_source *source) {
  free((void *)(uintptr_t)source->bytes);
}

static void tags_come_in_order_with_their_attributes(void **state) {
  (void)state;
  pl_error error = {0};
  pl_mesh_source source = open_source(DOCUMENT, sizeof DOCUMENT - 1, &error);
  pl_xml_cursor cursor = pl_xml_cursor_of(&source);
  pl_xml_tag tag;
  char value[32];
  check_ok(pl_xml_take_tag(&cursor, &tag), &error);
  assert_true(pl_word_is(tag.name, "a") && !tag.is_end && !tag.is_empty && !tag.is_last);
  assert_int_equal(DOCUMENT[tag.offset], '<');
  assert_true(pl_xml_attribute(&tag, "one", value, sizeof value));
  assert_string_equal(value, "1 > 0");  // the end of a tag does not count inside quotes
  assert_true(pl_xml_attribute(&tag, "two", value, sizeof value));
  assert_string_equal(value, "x&<A\xE2\x82\xAC&nope;");  // what is not an entity stands for itself
  assert_true(pl_xml_attribute(&tag, "two", value, 3));
  assert_string_equal(value, "x&");  // cut to fit
  assert_false(pl_xml_attribute(&tag, "tw", value, sizeof value));
  assert_string_equal(value, "");

  check_ok(pl_xml_take_tag(&cursor, &tag), &error);
  assert_true(pl_word_is(tag.name, "b") && tag.is_empty);
  check_ok(pl_xml_take_tag(&cursor, &tag), &error);
  assert_true(pl_word_is(tag.name, "c") && !tag.is_empty);  // a blank between / and > makes it no empty tag
  assert_true(pl_xml_attribute(&tag, "three", value, sizeof value));
  assert_string_equal(value, "");
  check_ok(pl_xml_take_tag(&cursor, &tag), &error);
  assert_true(pl_word_is(tag.name, "a") && tag.is_end);
  check_ok(pl_xml_take_tag(&cursor, &tag), &error);
  assert_true(tag.is_last);
  close_source(&source);
}

static void content_is_text_without_comments_with_entities_decoded(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static const struct {
    const char *content, *text;
  } cases[] = {{"some <![CDATA[<b> & ]] ]]>text &gt;", "some <b> & ]] text >"},
               {"1<!-- > not this -->2<b/>3", "123"},
               {"&apos;&quot;&#0;&#x110000;&", "'\"&#0;&#x110000;&"},
               {"", ""}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    pl_vector text = pl_vector_of(context, sizeof(char));
    assert_true(pl_xml_append_text(cases[i].content, cases[i].content + strlen(cases[i].content), &text));
    assert_int_equal(text.count, strlen(cases[i].text));
    if (text.count > 0) assert_memory_equal(text.items, cases[i].text, text.count);
    pl_vector_free(&text);
  }
  drop_context(context);
}

static void a_document_cut_at_any_length_ends_or_is_refused(void **state) {
  (void)state;
  int refused = 0;
  for (size_t size = 0; size < sizeof DOCUMENT - 1; ++size) {
    pl_error error = {0};
    pl_mesh_source source = open_source(DOCUMENT, size, &error);
    pl_xml_cursor cursor = pl_xml_cursor_of(&source);
    pl_xml_tag tag;
    int tags = 0;
    pl_status status;
    do {
      status = pl_xml_take_tag(&cursor, &tag);
      assert_true(++tags < 10);
    } while (status == PL_OK && !tag.is_last);
    if (status < 0) {
      assert_int_equal(status, PL_ERROR_INVALID_DATA);
      assert_non_null(strstr(error.text, "cut off"));
      assert_true(error.line >= 1 && error.column >= 1);
      refused++;
    }
    close_source(&source);
  }
  assert_true(refused > 50);
}

static void a_tag_without_a_name_is_refused(void **state) {
  (void)state;
  static const char *const cases[] = {"<>", "< a>", "</>", "<a><=b></a>"};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    pl_error error = {0};
    pl_mesh_source source = open_source(cases[i], strlen(cases[i]), &error);
    pl_xml_cursor cursor = pl_xml_cursor_of(&source);
    pl_xml_tag tag;
    pl_status status;
    do status = pl_xml_take_tag(&cursor, &tag);
    while (status == PL_OK && !tag.is_last);
    assert_int_equal(status, PL_ERROR_INVALID_DATA);
    assert_non_null(strstr(error.text, "no name"));
    close_source(&source);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tags_come_in_order_with_their_attributes),
      cmocka_unit_test(content_is_text_without_comments_with_entities_decoded),
      cmocka_unit_test(a_document_cut_at_any_length_ends_or_is_refused),
      cmocka_unit_test(a_tag_without_a_name_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
