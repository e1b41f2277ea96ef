// pliant check: every error and warning of a scene or a mesh, one line each, on standard output.
#include <stdio.h>
#include <stdlib.h>

#include "tool_folder.h"
#include "tool_open.h"
#include "tool_options.h"
#include "tool_overrides.h"
#include "tool_scene.h"
#include "tool_verbs.h"

// clang-format off
static const tool_option OPTIONS[] = {
    {"json", .kind = TOOL_FLAG, .about = "print one JSON object: files with their findings, and the numbers of errors and warnings"},
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
  pl_status status = tool_load_scene(context, path, overrides, NULL, &scene, findings, error);
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

// How results are printed, and what was found so far.
typedef struct check_job {
  const tool_session *tool;
  pl_context *context;
  const tool_overrides *overrides;
  pl_severity min;  // of what is printed
  bool json;
  int32_t file_count, error_count, warning_count;
} check_job;

static void print_json_finding(const pl_finding *finding, const char *path, bool first) {
  static const char *const severities[] = {"note", "warning", "error"};
  int severity = finding->severity == PL_SEVERITY_ERROR ? 2 : finding->severity == PL_SEVERITY_WARNING ? 1 : 0;
  printf("%s{\"severity\":\"%s\",\"file\":", first ? "" : ",", severities[severity]);
  tool_print_json_text(finding->file != NULL && finding->file[0] != '\0' ? finding->file : path);
  printf(",\"line\":%d,\"column\":%d", finding->line, finding->column);
  const char *const names[] = {"field", "kind", "you_see", "why", "fix"};
  const char *const texts[] = {finding->field, finding->kind, finding->you_see, finding->why, finding->fix};
  for (int i = 0; i < 5; ++i) {
    printf(",\"%s\":", names[i]);
    tool_print_json_text(texts[i] != NULL ? texts[i] : "");
  }
  putchar('}');
}

// Print in the order of the file, which is not the order in which they were found.
static void print_findings(const check_job *job, const pl_findings *findings, const char *path) {
  int32_t count = pl_findings_count(findings, PL_SEVERITY_NOTE), printed = 0;
  const pl_finding **sorted = tool_allocate((size_t)count, sizeof(const pl_finding *));
  for (int32_t i = 0; i < count; ++i) {
    const pl_finding *finding = pl_findings_get(findings, i);
    int32_t slot = i;
    for (; slot > 0 && stands_before(finding, sorted[slot - 1]); --slot) sorted[slot] = sorted[slot - 1];
    sorted[slot] = finding;
  }
  for (int32_t i = 0; i < count; ++i) {
    char line[2048];
    if (sorted[i]->severity < job->min) continue;
    if (job->json) {
      print_json_finding(sorted[i], path, printed++ == 0);
      continue;
    }
    tool_finding_text(sorted[i], path, line, sizeof line);
    puts(line);
  }
  free(sorted);
}

// A failure that is not among the findings.
static void print_failure(const check_job *job, const pl_error *error, const char *path, bool first) {
  if (job->json) {
    pl_finding finding = {.severity = PL_SEVERITY_ERROR,
                          .file = error->file,
                          .line = error->line,
                          .column = error->column,
                          .field = error->field,
                          .you_see = error->text};
    print_json_finding(&finding, path, first);
    return;
  }
  char line[2048];
  pl_error_format(error, line, sizeof line);
  printf("%s%s%s\n", error->file[0] == '\0' ? path : "", error->file[0] == '\0' ? ": " : "", line);
}

static int check_file(check_job *job, const char *path) {
  const tool_console *console = &job->tool->console;
  bool is_input = tool_is_standard_input(path);
  tool_file_kind kind = is_input ? TOOL_FILE_SCENE : tool_file_detect(job->tool, path);
  if (kind == TOOL_FILE_MISSING) return TOOL_FAILED;
  if (kind != TOOL_FILE_SCENE && kind != TOOL_FILE_MESH) {
    tool_print_error(console, "'%s' is neither a scene nor a mesh; try 'pliant info'", path);
    return TOOL_FAILED;
  }
  pl_findings *findings = NULL;
  pl_error error = {0};
  pl_status status = pl_findings_create(job->context, &findings, &error);
  if (status < 0) return tool_report_error(console, &error);
  status = kind == TOOL_FILE_SCENE ? check_scene(job->tool, job->context, path, job->overrides, findings, &error)
                                   : check_mesh(job->context, path, findings, &error);
  int32_t error_count = pl_findings_count(findings, PL_SEVERITY_ERROR);
  int32_t warning_count = pl_findings_count(findings, PL_SEVERITY_WARNING) - error_count;
  bool other = status < 0 && error_count == 0;
  const char *shown = is_input ? TOOL_STANDARD_INPUT_NAME : path;
  if (job->json) {
    printf("%s{\"file\":", job->file_count++ > 0 ? "," : "");
    tool_print_json_text(shown);
    printf(",\"kind\":\"%s\",\"findings\":[", kind == TOOL_FILE_SCENE ? "scene" : "mesh");
  }
  print_findings(job, findings, shown);
  if (other) print_failure(job, &error, shown, pl_findings_count(findings, job->min) == 0);
  pl_findings_destroy(findings);
  error_count += other;
  job->error_count += error_count;
  job->warning_count += warning_count;
  if (job->json) printf("],\"errors\":%d,\"warnings\":%d}", error_count, warning_count);
  tool_print(console, "%s: %d %s, %d %s", shown, error_count, error_count == 1 ? "error" : "errors", warning_count,
             warning_count == 1 ? "warning" : "warnings");
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
  check_job job = {.tool = tool,
                   .context = context,
                   .overrides = &overrides,
                   .min = arguments->quiet ? PL_SEVERITY_WARNING : PL_SEVERITY_NOTE,
                   .json = tool_find_value(arguments, "json")->given};
  if (job.json) printf("{\"files\":[");
  for (int i = 0; i < arguments->word_count; ++i) {
    int code = check_file(&job, arguments->words[i]);
    failed = failed || code == TOOL_FAILED;
    remarks = remarks || code == TOOL_REMARKS;
  }
  if (job.json) printf("],\"errors\":%d,\"warnings\":%d}\n", job.error_count, job.warning_count);
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
        "FILE may be `-`: a scene on standard input, whose files are relative to the current folder. The exit status "
        "is 1 "
        "if there are errors and 3 if there are only warnings.",
    .min_words = 0,
    .max_words = TOOL_MAX_WORDS,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .run = check_verb,
};
