#include "base/finding.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/context.h"
#include "base/error.h"
#include "base/vector.h"

struct pl_findings {
  pl_context *context;
  pl_vector list;  // of pl_finding
  pl_arena text;   // their strings
};

pl_status pl_findings_create(pl_context *context, pl_findings **findings, pl_error *error) {
  *findings = pl_allocate_array(context, 1, sizeof(pl_findings));
  if (*findings == NULL) return pl_fail_memory(error);
  (*findings)->context = context;
  (*findings)->list = pl_vector_of(context, sizeof(pl_finding));
  pl_arena_init(&(*findings)->text, context, 0);
  return PL_OK;
}

void pl_findings_destroy(pl_findings *findings) {
  if (findings == NULL) return;
  pl_vector_free(&findings->list);
  pl_arena_destroy(&findings->text);
  pl_release(findings->context, findings);
}

static const char *keep(pl_findings *findings, const char *text) {
  return pl_arena_copy_text(&findings->text, text == NULL ? "" : text);
}

pl_status pl_findings_add(pl_findings *findings, const pl_finding *finding) {
  pl_finding copy = *finding;
  copy.file = keep(findings, finding->file);
  copy.field = keep(findings, finding->field);
  copy.kind = keep(findings, finding->kind);
  copy.you_see = keep(findings, finding->you_see);
  copy.why = keep(findings, finding->why);
  copy.fix = keep(findings, finding->fix);
  bool kept = copy.file && copy.field && copy.kind && copy.you_see && copy.why && copy.fix;
  return kept && pl_vector_push(&findings->list, &copy) ? PL_OK : PL_ERROR_OUT_OF_MEMORY;
}

int32_t pl_findings_count(const pl_findings *findings, pl_severity min) {
  int32_t count = 0;
  for (size_t i = 0; i < findings->list.count; ++i) count += PL_ITEM(&findings->list, pl_finding, i).severity >= min;
  return count;
}

const pl_finding *pl_findings_get(const pl_findings *findings, int32_t index) {
  return &PL_ITEM(&findings->list, pl_finding, index);
}

pl_status pl_findings_addf(pl_findings *findings, const pl_finding *where, const char *format, ...) {
  if (findings == NULL) return PL_OK;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  pl_finding finding = *where;
  finding.you_see = text;
  return pl_findings_add(findings, &finding);
}
