// Objects of the gallery through the verbs of this program.
#include "bench_object_fixture.h"

#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pliant/math.h"
#include "tool_folder.h"
#include "tool_open.h"
#include "tool_verbs.h"

// Of all scenes to be captured.
static const double RELEASE = 1.2, RATE = 30;

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *level) {
  (void)info, (void)kind, (void)level;
  return remove(path);
}

void object_fixture_close(object_fixture *fixture) {
  if (fixture->folder != NULL && !fixture->keeps) nftw(fixture->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
  free(fixture->folder);
  tool_gallery_free(&fixture->gallery);
  pl_context_destroy(fixture->context);
}

// The folder to work in, or NULL (printed).
static char *make_folder(const bench_session *bench) {
  const char *base = getenv("TMPDIR");
  if (bench->folder != NULL)
    return tool_folder_make(bench->tool, bench->folder) ? tool_text("%s", bench->folder) : NULL;
  char *folder = tool_text("%s/pliant-bench-XXXXXX", base != NULL && base[0] != '\0' ? base : "/tmp");
  if (mkdtemp(folder) != NULL) return folder;
  tool_print_error(&bench->tool->console,
                   "the temporary folder '%s' cannot be created; check TMPDIR and its permissions", folder);
  free(folder);
  return NULL;
}

bool object_fixture_open(bench_session *bench, object_fixture *fixture) {
  const tool_console *console = &bench->tool->console;
  *fixture = (object_fixture){.bench = bench, .gallery = tool_gallery_find(), .keeps = bench->folder != NULL};
  bool good = fixture->gallery.folder != NULL;
  if (!good) tool_print_error(console, "the gallery was not found; set PLIANT_SCENES to the folder 'scenes' of Pliant");
  if (good) fixture->folder = make_folder(bench);
  good = fixture->folder != NULL;
  if (good) fixture->context = tool_open_context(bench->tool, 0);
  if (good && fixture->context != NULL) return true;
  object_fixture_close(fixture);
  return false;
}

char *object_path(const object_fixture *fixture, const char *name, const char *file) {
  return tool_text("%s/%s%s%s", fixture->folder, name, file[0] != '\0' ? "/" : "", file);
}

// --- verbs
// ------------------------------------------------------------------------------------------------------------

int object_run_verb(const object_fixture *fixture, const tool_verb *verb, const char *const *words) {
  int count = 0;
  while (words[count] != NULL) ++count;
  tool_arguments arguments = {.verb = verb};
  if (!tool_arguments_parse(fixture->bench->tool, verb, count, (char *const *)words, &arguments) ||
      !tool_arguments_check(fixture->bench->tool, &arguments))
    return TOOL_USAGE;
  // Standard output is for rows of the benchmark.
  fflush(stdout);
  int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  int code = verb->run(fixture->bench->tool, &arguments);
  fflush(stdout);
  if (kept >= 0) dup2(kept, STDOUT_FILENO);
  if (kept >= 0) close(kept);
  if (nowhere >= 0) close(nowhere);
  return code;
}

// `sense` writes what is held at its end.
static bool is_filmed(const object_fixture *fixture, const object_film *film) {
  char *last = object_path(fixture, film->name, "held.csv");
  bool there = fixture->keeps && access(last, R_OK) == 0;
  free(last);
  return there;
}

bool object_sense(const object_fixture *fixture, const object_film *film) {
  if (is_filmed(fixture, film)) return true;
  char *scene = tool_gallery_scene(&fixture->gallery, film->scene), *folder = object_path(fixture, film->name, "");
  char *tets = film->tets != NULL ? object_path(fixture, film->tets, "rest.vtu") : NULL;
  char *frames = tool_text("%d", film->frames + film->frames_before),
       *start = tool_text("%.9f", RELEASE - film->frames_before / RATE);
  const char *words[2 * MAX_OBJECT_WORDS + 18] = {scene,      "-o",   folder,   "--start", start,
                                                  "--frames", frames, "--size", film->size};
  int count = 9;
  if (film->settle != NULL) words[count++] = "--settle", words[count++] = film->settle;
  if (tets != NULL) words[count++] = "--tets", words[count++] = tets;
  for (int i = 0; i < MAX_OBJECT_WORDS && film->sets[i] != NULL; ++i)
    words[count++] = "--set", words[count++] = film->sets[i];
  int code = object_run_verb(fixture, &tool_sense_verb, words);
  free(scene);
  free(folder);
  free(tets);
  free(frames);
  free(start);
  return code == TOOL_DONE || code == TOOL_REMARKS;
}

// --- results
// ----------------------------------------------------------------------------------------------------------

static double cell_of(const pl_table *table, int64_t row, const char *column, double fallback) {
  pl_table_view view = pl_table_get_view(table);
  int32_t slot = pl_table_find_column(table, column);
  return slot >= 0 ? view.cells[row * view.column_count + slot] : fallback;
}

static bool read_rounds(const object_fixture *fixture, const char *name, object_found *found) {
  char *path = object_path(fixture, name, "rounds.csv");
  pl_table *table = NULL;
  pl_error error = {0};
  if (pl_table_load(fixture->context, path, &table, &error) < 0) {
    tool_report_error(&fixture->bench->tool->console, &error);
    free(path);
    return false;
  }
  pl_table_view view = pl_table_get_view(table);
  int32_t first = pl_table_find_column(table, "young 1");
  int64_t last = view.row_count - 1;
  found->round_count = (int32_t)view.row_count;
  for (int64_t i = 0; i <= last; ++i) {
    found->track_seconds += cell_of(table, i, "track_seconds", 0);
    found->fit_seconds += cell_of(table, i, "fit_seconds", 0);
  }
  found->error_seen = cell_of(table, last, "error_seen", 0);
  found->error_hidden = cell_of(table, last, "error_hidden", 0);
  found->value_count = view.column_count - first;
  if (found->value_count > MAX_OBJECT_VALUES) found->value_count = MAX_OBJECT_VALUES;
  if (first >= 0 && last >= 0)
    memcpy(found->values, view.cells + last * view.column_count + first,
           (size_t)found->value_count * sizeof *found->values);
  pl_table_destroy(table);
  free(path);
  return first >= 0 && last >= 0;
}

// Tables and the mesh with which moduli are compared with the truth.
typedef struct comparison {
  pl_mesh *mesh;
  pl_table *controls, *found, *truth;
} comparison;

static bool open_table(const object_fixture *fixture, const char *name, const char *file, pl_table **table) {
  char *path = object_path(fixture, name, file);
  pl_error error = {0};
  bool good = pl_table_load(fixture->context, path, table, &error) >= 0;
  if (!good) tool_report_error(&fixture->bench->tool->console, &error);
  free(path);
  return good;
}

static bool open_comparison(const object_fixture *fixture, const char *film, const char *name, comparison *c) {
  char *path = object_path(fixture, film, "static.vtu");
  pl_error error = {0};
  bool good = pl_mesh_load(fixture->context, path, &c->mesh, NULL, &error) >= 0;
  if (!good) tool_report_error(&fixture->bench->tool->console, &error);
  free(path);
  good = good && open_table(fixture, film, "truth_young.csv", &c->truth) &&
         open_table(fixture, name, "controls.csv", &c->controls) && open_table(fixture, name, "young.csv", &c->found);
  return good && pl_table_get_view(c->truth).row_count == pl_mesh_get_view(c->mesh).tet_count &&
         pl_table_get_view(c->found).row_count == pl_mesh_get_view(c->mesh).tet_count;
}

static void close_comparison(comparison *c) {
  pl_mesh_destroy(c->mesh);
  pl_table_destroy(c->controls);
  pl_table_destroy(c->found);
  pl_table_destroy(c->truth);
}

static double truth_near(const comparison *c, pl_vec3 at) {
  pl_mesh_view mesh = pl_mesh_get_view(c->mesh);
  double nearest = HUGE_VAL, truth = 0;
  for (int32_t t = 0; t < mesh.tet_count; ++t) {
    const int32_t *k = mesh.tets + 4 * (ptrdiff_t)t;
    pl_vec3 middle = pl_vec3_scale(pl_vec3_add(pl_vec3_add(mesh.points[k[0]], mesh.points[k[1]]),
                                               pl_vec3_add(mesh.points[k[2]], mesh.points[k[3]])),
                                   0.25);
    double away = pl_vec3_distance(middle, at);
    if (away < nearest) nearest = away, truth = cell_of(c->truth, t, "young", 0);
  }
  return truth;
}

typedef struct tet_error {
  double error, volume;
} tet_error;

static int compare_errors(const void *a, const void *b) {
  double x = ((const tet_error *)a)->error, y = ((const tet_error *)b)->error;
  return (x > y) - (x < y);
}

// Median of the errors of tets, each counted by its volume.
static double typical_error(const comparison *c) {
  pl_mesh_view mesh = pl_mesh_get_view(c->mesh);
  tet_error *errors = tool_allocate((size_t)mesh.tet_count + 1, sizeof *errors);
  double whole = 0, sum = 0;
  for (int32_t t = 0; t < mesh.tet_count; ++t) {
    const int32_t *k = mesh.tets + 4 * (ptrdiff_t)t;
    pl_vec3 o = mesh.points[k[0]], d[3];
    for (int i = 0; i < 3; ++i) d[i] = pl_vec3_sub(mesh.points[k[i + 1]], o);
    errors[t].volume = fabs(pl_vec3_dot(d[0], pl_vec3_cross(d[1], d[2]))) / 6;
    errors[t].error = fabs(cell_of(c->found, t, "young", 0) / cell_of(c->truth, t, "young", 1) - 1);
    whole += errors[t].volume;
  }
  qsort(errors, (size_t)mesh.tet_count, sizeof *errors, compare_errors);
  int32_t at = 0;
  while (at + 1 < mesh.tet_count && (sum += errors[at].volume) < whole / 2) ++at;
  double median = errors[at].error;
  free(errors);
  return median;
}

static bool read_moduli(const object_fixture *fixture, const char *film, const char *name, object_found *found) {
  comparison c = {.controls = NULL};
  bool good = open_comparison(fixture, film, name, &c);
  if (good) {
    found->point_count = pl_mesh_get_view(c.mesh).point_count;
    found->tet_count = pl_mesh_get_view(c.mesh).tet_count;
    found->modulus_count = (int32_t)pl_table_get_view(c.controls).row_count;
    found->typical_error = typical_error(&c);
  }
  for (int32_t i = 0; i < found->modulus_count && i < MAX_OBJECT_VALUES; ++i) {
    pl_vec3 at = {cell_of(c.controls, i, "x", 0), cell_of(c.controls, i, "y", 0), cell_of(c.controls, i, "z", 0)};
    found->moduli[i] = (object_modulus){.value = cell_of(c.controls, i, "young", 0),
                                        .min = cell_of(c.controls, i, "min", 0),
                                        .max = cell_of(c.controls, i, "max", 0),
                                        .truth = truth_near(&c, at),
                                        .verdict = (pl_fit_verdict)cell_of(c.controls, i, "verdict", 0)};
  }
  close_comparison(&c);
  return good;
}

bool object_capture(const object_fixture *fixture, const object_film *film, const char *name, const char *const *words,
                    object_found *found) {
  *found = (object_found){.frame_count = film->frames};
  char *mesh = object_path(fixture, film->name, "static.vtu"),
       *surface = object_path(fixture, film->name, "surface.ply");
  char *held = object_path(fixture, film->name, "held.csv"), *folder = object_path(fixture, name, "");
  char *from = object_path(fixture, film->name, ""), *release = tool_text("%d", film->frames_before),
       *truth = object_path(fixture, film->name, "truth_surface.pc2");
  const char *all[MAX_OBJECT_WORDS + 32] = {mesh,     from, "-o",      folder, "--surface", surface,
                                            "--hold", held, "--truth", truth,  "--release", release};
  int count = 12;
  for (int i = 0; words[i] != NULL && i < MAX_OBJECT_WORDS + 18; ++i) all[count++] = words[i];
  found->resumed = fixture->keeps && tool_is_folder(folder);
  if (found->resumed) all[count++] = "--resume";
  double begin = (double)clock() / CLOCKS_PER_SEC;
  int code = object_run_verb(fixture, &tool_capture_verb, all);
  found->processor_seconds = (double)clock() / CLOCKS_PER_SEC - begin;
  bool good = (code == TOOL_DONE || code == TOOL_REMARKS) && read_rounds(fixture, name, found) &&
              read_moduli(fixture, film->name, name, found);
  free(mesh), free(surface), free(held), free(folder), free(from), free(truth), free(release);
  return good;
}

pl_vec3 *object_motion(const object_fixture *fixture, const char *path, int32_t point_count, int32_t first,
                       int32_t *frame_count) {
  pl_frame_file *file = NULL;
  pl_frame_file_report facts;
  pl_error error = {0};
  pl_vec3 *points = NULL;
  pl_status status = pl_frame_file_open(fixture->context, path, &file, &facts, &error);
  if (status >= 0 && facts.point_count == point_count && facts.frame_count > first) {
    *frame_count = facts.frame_count - first;
    points = tool_allocate((size_t)point_count * (size_t)*frame_count, sizeof *points);
  }
  for (int32_t i = 0; points != NULL && status >= 0 && i < *frame_count; ++i)
    status = pl_frame_file_read(file, first + i, points + (size_t)i * (size_t)point_count, &error);
  pl_frame_file_close(file);
  if (status < 0) tool_report_error(&fixture->bench->tool->console, &error);
  if (status >= 0) return points;
  free(points);
  return NULL;
}
