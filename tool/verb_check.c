// pliant check: every error and warning of a scene or a mesh, one line each, on standard output.
#include <stdio.h>
#include <stdlib.h>

#include "tool_open.h"
#include "tool_options.h"
#include "tool_overrides.h"
#include "tool_verbs.h"

// clang-format off
static const tool_option OPTIONS[] = {
    {"quiet", 'q', TOOL_FLAG, .about = "print errors and warnings only, no notes and no summary"},
    {"schema", .kind = TOOL_TEXT, .value = "FILE",
     .about = "write the JSON Schema of scenes to FILE, for editors that complete and check",
     .more = "With it, no other file needs to be named."},
    TOOL_SET_OPTION,
};
// clang-format on

// A scene with all its geometry.
static pl_status check_scene(const tool_session *tool, pl_context *context, const char *path,
                             const tool_overrides *overrides, pl_findings *findings, pl_error *error) {
  pl_scene *scene = NULL;
  pl_scene_instance *set = NULL;
  tool_building building;
  tool_building_start(tool, context, &building);
  pl_status status = pl_scene_load_with(context, path, &(pl_scene_overrides){overrides->items, overrides->count},
                                        &scene, findings, error);
  if (status >= 0) status = pl_scene_build(context, &building.def, scene, &set, findings, error);
  tool_building_end(&building);
  pl_scene_instance_destroy(set);
  pl_scene_destroy(scene);
  return status;
}

static pl_status check_mesh(pl_context *context, const char *path, pl_findings *findings, pl_error *error) {
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_load(context, path, &mesh, findings, error);
  if (status >= 0) status = pl_mesh_check(context, mesh, findings, NULL, error);
  pl_mesh_destroy(mesh);
  return status;
}

// Whether a precedes b in its file; findings without a location come last, in the order they were found.
static bool stands_before(const pl_finding *a, const pl_finding *b) {
  if (a->line == 0 || b->line == 0) return a->line > 0 && b->line == 0;
  return a->line != b->line ? a->line < b->line : a->column < b->column;
}

// Print in the order of the file, which is not the order in which they were found.
static void print_findings(const pl_findings *findings, const char *path, pl_severity min) {
  int32_t count = pl_findings_count(findings, PL_SEVERITY_NOTE);
  const pl_finding **sorted = tool_allocate((size_t)count, sizeof(const pl_finding *));
  for (int32_t i = 0; i < count; ++i) {
    const pl_finding *finding = pl_findings_get(findings, i);
    int32_t slot = i;
    for (; slot > 0 && stands_before(finding, sorted[slot - 1]); --slot) sorted[slot] = sorted[slot - 1];
    sorted[slot] = finding;
  }
  for (int32_t i = 0; i < count; ++i) {
    char line[2048];
    if (sorted[i]->severity < min) continue;
    tool_finding_text(sorted[i], path, line, sizeof line);
    puts(line);
  }
  free(sorted);
}

static int check_file(const tool_session *tool, pl_context *context, const char *path, const tool_overrides *overrides,
                      bool quiet) {
  tool_file_kind kind = tool_file_detect(tool, path);
  if (kind == TOOL_FILE_MISSING) return TOOL_FAILED;
  if (kind != TOOL_FILE_SCENE && kind != TOOL_FILE_MESH) {
    tool_print_error(&tool->console, "'%s' is neither a scene nor a mesh; try 'pliant info'", path);
    return TOOL_FAILED;
  }
  pl_findings *findings = NULL;
  pl_error error = {0};
  pl_status status = pl_findings_create(context, &findings, &error);
  if (status < 0) return tool_report_error(&tool->console, &error);
  status = kind == TOOL_FILE_SCENE ? check_scene(tool, context, path, overrides, findings, &error)
                                   : check_mesh(context, path, findings, &error);
  print_findings(findings, path, quiet ? PL_SEVERITY_WARNING : PL_SEVERITY_NOTE);
  int32_t error_count = pl_findings_count(findings, PL_SEVERITY_ERROR);
  int32_t warning_count = pl_findings_count(findings, PL_SEVERITY_WARNING) - error_count;
  pl_findings_destroy(findings);
  // A failure that is not among the findings.
  if (status < 0 && error_count == 0) {
    char line[2048];
    pl_error_format(&error, line, sizeof line);
    printf("%s%s%s\n", error.file[0] == '\0' ? path : "", error.file[0] == '\0' ? ": " : "", line);
    error_count = 1;
  }
  if (!quiet)
    tool_print(&tool->console, "%s: %d %s, %d %s", path, error_count, error_count == 1 ? "error" : "errors",
               warning_count, warning_count == 1 ? "warning" : "warnings");
  return error_count > 0 ? TOOL_FAILED : warning_count > 0 ? TOOL_REMARKS : TOOL_DONE;
}

static int check_verb(const tool_session *tool, const tool_arguments *arguments) {
  bool failed = false, remarks = false;
  const tool_value *schema = tool_find_value(arguments, "schema");
  if (arguments->word_count == 0 && !schema->given) {
    tool_print_error(&tool->console, "check needs FILE...");
    return TOOL_USAGE;
  }
  tool_overrides overrides;
  bool good = tool_overrides_read(tool, arguments, &overrides);
  pl_context *context = good ? tool_open_context(tool, 0) : NULL;
  if (context == NULL) {
    tool_overrides_free(&overrides);
    return good ? TOOL_FAILED : TOOL_USAGE;
  }
  pl_error error = {0};
  if (schema->given && pl_scene_schema_save(context, schema->text, &error) < 0) {
    tool_report_error(&tool->console, &error);
    failed = true;
  }
  for (int i = 0; i < arguments->word_count; ++i) {
    int code = check_file(tool, context, arguments->words[i], &overrides, tool_find_value(arguments, "quiet")->given);
    failed = failed || code == TOOL_FAILED;
    remarks = remarks || code == TOOL_REMARKS;
  }
  pl_context_destroy(context);
  tool_overrides_free(&overrides);
  return failed ? TOOL_FAILED : remarks ? TOOL_REMARKS : TOOL_DONE;
}

const tool_verb tool_check_verb = {
    .name = "check",
    .words = "FILE...",
    .summary = "validate scenes and meshes and print every problem with its location and a fix",
    .details =
        "One line per problem: FILE:LINE:COLUMN: SEVERITY: FIELD: what is there; why it matters; what to do.\n"
        "The exit status is 1 if there are errors and 3 if there are only warnings.",
    .min_words = 0,
    .max_words = TOOL_MAX_WORDS,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = check_verb,
};
