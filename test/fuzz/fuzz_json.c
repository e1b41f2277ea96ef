// Any bytes as JSON: parsing with and without findings agrees, and what is accepted is written as text that reads back
// the same.
#include <stdlib.h>
#include <string.h>

#include "text/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read_again(pl_context *context, const pl_json *root) {
  pl_vector once = pl_vector_of(context, 1), twice = pl_vector_of(context, 1);
  pl_json_document *again = NULL;
  if (pl_json_write(root, PL_JSON_PRETTY, &once, NULL) != PL_OK) abort();
  if (pl_json_parse(context, once.items, once.count, "again", NULL, &again, NULL) != PL_OK) abort();
  if (pl_json_write(again->root, PL_JSON_PRETTY, &twice, NULL) != PL_OK) abort();
  if (once.count != twice.count || memcmp(once.items, twice.items, once.count) != 0) abort();
  pl_json_document_destroy(again);
  pl_vector_free(&once);
  pl_vector_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_context *context = NULL;
  if (pl_context_create(&def, &context, NULL) < 0) return 0;
  pl_findings *findings = NULL;
  if (pl_findings_create(context, &findings, NULL) < 0) abort();
  pl_json_document *strict = NULL, *repaired = NULL;
  pl_status status = pl_json_parse(context, (const char *)data, size, "fuzz", NULL, &strict, NULL);
  pl_status with_findings = pl_json_parse(context, (const char *)data, size, "fuzz", findings, &repaired, NULL);
  if ((status == PL_OK) != (with_findings == PL_OK)) abort();
  if ((with_findings == PL_OK) != (pl_findings_count(findings, PL_SEVERITY_NOTE) == 0)) abort();
  if (strict != NULL) write_and_read_again(context, strict->root);
  if (repaired != NULL) write_and_read_again(context, repaired->root);
  pl_json_document_destroy(strict);
  pl_json_document_destroy(repaired);
  pl_findings_destroy(findings);
  if (pl_context_get_memory_report(context).block_count != 0) abort();
  pl_context_destroy(context);
  return 0;
}
