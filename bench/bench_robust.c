// Robustness of actors: thirteen characters of the gallery, each under seventeen changes of what it was tuned for.
//
//   slope      the ground is tilted by -5, -2.5, 2.5, 5 degrees: downhill, uphill
//   push       0.2 s long from 3 s on, by -0.3, -0.15, 0.15, 0.3 m/s altogether, forces on the whole body
//   friction   of body and ground 0.4, 0.6, 0.8, 1
//   stiffness  Young's modulus times 0.5, 0.7, 1.4, 2
//   mesh       twice the triangles; of bodies that a given mesh of tets carries, of their surface
//
// A run falls if an actor tumbles or leans farther than FALL_LEAN; crawlers count no tumbles. It is met if everything
// is that the scene expects, on flat ground and unpushed. Runs are shared out to all processors; each computes on one
// thread, so the table does not depend on their number.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_suite.h"
#include "text/json.h"
#include "tool_gallery.h"
#include "tool_items.h"

static const char *const SCENES[] = {
    "actor-a",      "actor-r",      "actor-h",      "actor-castle", "actor-castle-curve",
    "actor-pirate", "actor-cheesy", "actor-crusty", "actor-i",      "actor-p",
    "actor-s",      "actor-g",      "actor-worm"};
enum {
  SCENE_COUNT = sizeof SCENES / sizeof SCENES[0],
  QUICK_SCENES = 2,
  MAX_OVERRIDES = 16,
  TEXT_SIZE = 160,
  VALUE_SIZE = 8192
};

typedef enum change_kind { SLOPE, PUSH, FRICTION, STIFFNESS, MESH } change_kind;
typedef struct change {
  change_kind kind;
  double amount;
  const char *name;
  bool is_quick;  // of a quick run too: one of each kind
} change;

static const change CHANGES[] = {
    {SLOPE, -5, "-5", false},      {SLOPE, -2.5, "-2.5", false},    {SLOPE, 2.5, "2.5", false},
    {SLOPE, 5, "5", true},         {PUSH, -0.3, "-.3", false},      {PUSH, -0.15, "-.15", false},
    {PUSH, 0.15, ".15", false},    {PUSH, 0.3, ".3", true},         {FRICTION, 0.4, "u.4", true},
    {FRICTION, 0.6, "u.6", false}, {FRICTION, 0.8, "u.8", false},   {FRICTION, 1, "u1", false},
    {STIFFNESS, 0.5, "E/2", true}, {STIFFNESS, 0.7, "E*.7", false}, {STIFFNESS, 1.4, "E*1.4", false},
    {STIFFNESS, 2, "E*2", false},  {MESH, 2, "mesh", true},
};
enum { CHANGE_COUNT = sizeof CHANGES / sizeof CHANGES[0] };

static const double FALL_LEAN = 60;       // degrees
static const double PUSH_TIME = 0.2;      // s
static const double QUICK_SECONDS = 0.5;  // of every run with --quick

typedef enum run_outcome { FAILED, FELL, MISSED, MET } run_outcome;
static const char *const OUTCOMES[] = {"error", "fall", "miss", "."};

typedef struct robust_job {
  const tool_gallery *gallery;
  bool quick;
  int scene_count, change_count;
  change changes[CHANGE_COUNT];
  run_outcome outcomes[SCENE_COUNT][CHANGE_COUNT];
  char missed[SCENE_COUNT][CHANGE_COUNT][TEXT_SIZE];  // names of the expectations that a run misses
  char errors[SCENE_COUNT][CHANGE_COUNT][TEXT_SIZE];
} robust_job;

// --- changes --------------------------------------------------------------------------------------------------------

typedef struct override_list {
  int32_t count;
  pl_scene_override items[MAX_OVERRIDES];
  char paths[MAX_OVERRIDES][TEXT_SIZE], values[MAX_OVERRIDES][VALUE_SIZE];
} override_list;

static void add(override_list *list, const char *path, const char *value) {
  if (list->count == MAX_OVERRIDES) return;
  int32_t k = list->count++;
  snprintf(list->paths[k], TEXT_SIZE, "%s", path);
  snprintf(list->values[k], VALUE_SIZE, "%s", value);
  list->items[k] = (pl_scene_override){list->paths[k], list->values[k]};
}

static void add_number(override_list *list, const char *path, double number) {
  char value[TEXT_SIZE];
  snprintf(value, sizeof value, "%.9g", number);
  add(list, path, value);
}

static double number_of(const pl_json *object, const char *key, double otherwise) {
  pl_json_get_number(pl_json_find(object, key), &otherwise);
  return otherwise;
}

// A tilted ground would cut into wide feet: bodies are lifted and settle on it first.
static void tilt(override_list *list, const pl_json *root, double degrees) {
  char path[TEXT_SIZE], value[TEXT_SIZE];
  snprintf(value, sizeof value, "{\"axis\": [0, 0, 1], \"degrees\": %g}", degrees);
  add(list, "colliders[0].rotation", value);
  add_number(list, "time.warm_up", 1);
  const pl_json *bodies = pl_json_find(root, "bodies");
  for (int32_t i = 0; i < bodies->count; ++i) {
    const pl_json *place = pl_json_find(pl_json_at(bodies, i), "position");
    double at[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) pl_json_get_number(pl_json_at(place, k), &at[k]);
    snprintf(path, sizeof path, "bodies[%d].position", i);
    snprintf(value, sizeof value, "[%.9g, %.9g, %.9g]", at[0], at[1] + 0.5 * sin(fabs(degrees) * PL_PI / 180), at[2]);
    add(list, path, value);
  }
}

// The points of a closed curve with one more in the middle of each edge.
static void halve_edges(override_list *list, const char *path, const pl_json *points) {
  char value[VALUE_SIZE] = "[";
  size_t used = 1;
  for (int32_t i = 0; i < 2 * points->count && used + TEXT_SIZE < sizeof value; ++i) {
    const pl_json *from = pl_json_at(points, i / 2), *to = pl_json_at(points, (i + 1) / 2 % points->count);
    double a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
      pl_json_get_number(pl_json_at(from, k), &a[k]);
      pl_json_get_number(pl_json_at(to, k), &b[k]);
    }
    used += (size_t)snprintf(value + used, sizeof value - used, "%s[%.9g, %.9g, %.9g]", i > 0 ? ", " : "",
                             0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2]));
  }
  snprintf(value + used, sizeof value - used, "]");
  add(list, path, value);
}

static void refine(override_list *list, const pl_json *root, double factor) {
  char path[TEXT_SIZE];
  const pl_json *bodies = pl_json_find(root, "bodies"), *meshes = pl_json_find(root, "meshes");
  for (const pl_json *mesh = meshes->first; mesh != NULL; mesh = mesh->next) {
    const pl_json *plate = pl_json_find(mesh, "plate"), *curve = pl_json_find(mesh, "curve");
    bool is_body = false;
    for (int32_t i = 0; i < bodies->count; ++i)
      is_body = is_body || pl_json_is_text(pl_json_find(pl_json_at(bodies, i), "mesh"), mesh->key);
    if (!is_body) continue;
    if (pl_json_find(mesh, "triangles") != NULL) {
      snprintf(path, sizeof path, "meshes.%s.triangles", mesh->key);
      add_number(list, path, factor * number_of(mesh, "triangles", 0));
    } else if (plate != NULL) {
      snprintf(path, sizeof path, "meshes.%s.plate.spacing", mesh->key);
      add_number(list, path, number_of(plate, "spacing", 0.1) / sqrt(factor));
    } else if (curve != NULL) {
      snprintf(path, sizeof path, "meshes.%s.curve.points", mesh->key);
      halve_edges(list, path, pl_json_find(curve, "points"));
    }
  }
}

static void apply_change(override_list *list, const pl_json *root, const change *it, double mass) {
  char path[TEXT_SIZE], value[TEXT_SIZE];
  const pl_json *bodies = pl_json_find(root, "bodies");
  if (it->kind == SLOPE) tilt(list, root, it->amount);
  if (it->kind == MESH) refine(list, root, it->amount);
  if (it->kind == FRICTION) add_number(list, "colliders[0].friction", it->amount);
  for (int32_t i = 0; i < bodies->count; ++i) {
    const pl_json *fem = pl_json_find(pl_json_at(bodies, i), "fem");
    if (it->kind == FRICTION || it->kind == STIFFNESS)
      snprintf(path, sizeof path, "bodies[%d].fem.%s", i, it->kind == FRICTION ? "friction" : "young");
    if (it->kind == FRICTION) add_number(list, path, it->amount);
    if (it->kind == STIFFNESS) add_number(list, path, it->amount * number_of(fem, "young", 1e5));
    if (it->kind != PUSH) continue;
    snprintf(path, sizeof path, "bodies[%d].pushes", i);
    snprintf(value, sizeof value, "[{\"force\": [%.9g, 0, 0], \"from\": 3, \"until\": %g}]",
             mass * it->amount / PUSH_TIME, 3 + PUSH_TIME);
    add(list, path, value);
  }
}

// --- runs -----------------------------------------------------------------------------------------------------------

static pl_status load_document(pl_context *context, const char *path, pl_json_document **document, pl_error *error) {
  FILE *file = fopen(path, "rb");
  long size = -1;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  char *text = size >= 0 ? tool_allocate((size_t)size + 1, 1) : NULL;
  if (text != NULL) rewind(file);
  bool good = text != NULL && fread(text, 1, (size_t)size, file) == (size_t)size;
  if (file != NULL) fclose(file);
  pl_status status = PL_ERROR_NOT_FOUND;
  if (good)
    status = pl_json_parse(context, text, (size_t)size, path, NULL, document, error);
  else
    snprintf(error->text, sizeof error->text, "%.200s cannot be read", path);
  free(text);
  return status;
}

// Mass of the first actor's body as the scene has it.
static pl_status find_mass(pl_context *context, const char *path, double *mass, pl_error *error) {
  pl_scene_build_def def = pl_default_scene_build_def();
  pl_scene *scene = NULL;
  pl_scene_instance *set = NULL;
  pl_status status = pl_scene_load(context, path, &scene, NULL, error);
  if (status >= 0) status = pl_scene_build(context, &def, scene, &set, NULL, error);
  if (status >= 0) {
    int32_t body = pl_scene_instance_get_actor(set, 0).body;
    *mass = pl_body_get_report(pl_scene_instance_get_world(set), pl_scene_instance_get_body(set, body).id).mass;
  }
  pl_scene_instance_destroy(set);
  pl_scene_destroy(scene);
  return status;
}

static bool has_fallen(const pl_scene_instance *set) {
  for (int32_t i = 0; i < pl_scene_instance_actor_count(set); ++i) {
    pl_scene_instance_actor actor = pl_scene_instance_get_actor(set, i);
    pl_actor_report report = pl_actor_get_report(actor.actor);
    if (report.tally.tumbles > 0 || report.max_lean > FALL_LEAN) return true;
  }
  return false;
}

// What is expected of the whole run says nothing about its first second.
static run_outcome rate(const pl_scene_instance *set, bool quick, char missed[TEXT_SIZE]) {
  if (has_fallen(set)) return FELL;
  size_t used = 0;
  for (int32_t i = 0; !quick && i < pl_scene_instance_expectation_count(set); ++i) {
    pl_scene_instance_expectation it = pl_scene_instance_get_expectation(set, i);
    if (it.met || used >= TEXT_SIZE) continue;
    used += (size_t)snprintf(missed + used, TEXT_SIZE - used, "%s%s %.3g", used > 0 ? ", " : "", it.name, it.found);
  }
  return used > 0 ? MISSED : MET;
}

typedef struct run_result {
  run_outcome outcome;
  char *missed;  // TEXT_SIZE
} run_result;

static pl_status run_changed(pl_context *context, const char *path, const change *it, bool quick, run_result *result,
                             pl_error *error) {
  pl_scene_build_def def = pl_default_scene_build_def();
  override_list *list = tool_allocate(1, sizeof *list);
  pl_json_document *document = NULL;
  pl_scene *scene = NULL;
  pl_scene_instance *set = NULL;
  double mass = 0;
  pl_status status = load_document(context, path, &document, error);
  if (status >= 0 && it->kind == PUSH) status = find_mass(context, path, &mass, error);
  if (status >= 0) apply_change(list, document->root, it, mass);
  if (status >= 0)
    status = pl_scene_load_with(context, path, &(pl_scene_overrides){list->items, list->count}, &scene, NULL, error);
  if (status >= 0) status = pl_scene_build(context, &def, scene, &set, NULL, error);
  pl_scene_report facts = status >= 0 ? pl_scene_get_report(scene) : (pl_scene_report){0};
  int64_t frames = facts.frame_count - 1, max = llround(QUICK_SECONDS * facts.frame_rate);
  if (quick && frames > max) frames = max;
  for (int64_t frame = 0; status >= 0 && frame < frames && !has_fallen(set); ++frame)
    status = pl_world_advance(pl_scene_instance_get_world(set), 1 / facts.frame_rate, 0, NULL, error);
  if (status >= 0) result->outcome = rate(set, quick, result->missed);
  pl_scene_instance_destroy(set);
  pl_scene_destroy(scene);
  pl_json_document_destroy(document);
  free(list);
  return status;
}

static void run_item(void *user, pl_context *context, int32_t item) {
  robust_job *job = user;
  // Characters take turns, so that the slow ones do not come last.
  int scene = item % job->scene_count, at = item / job->scene_count;
  pl_error error = {0};
  char *path = tool_gallery_scene(job->gallery, SCENES[scene]);
  run_result result = {.missed = job->missed[scene][at]};
  pl_status status = run_changed(context, path, &job->changes[at], job->quick, &result, &error);
  job->outcomes[scene][at] = result.outcome;
  if (status < 0) snprintf(job->errors[scene][at], TEXT_SIZE, "%s: %.120s", job->changes[at].name, error.text);
  free(path);
}

// --- the table ------------------------------------------------------------------------------------------------------

static void print_row(const bench_session *bench, const robust_job *job, int scene, const int counts[4]) {
  const run_outcome *row = job->outcomes[scene];
  if (bench->json) {
    printf("{\"suite\": \"robust\", \"case\": \"%s\", \"runs\": %d, \"standing\": %d, \"met\": %d, \"outcomes\": {",
           SCENES[scene], job->change_count, counts[MISSED] + counts[MET], counts[MET]);
    for (int k = 0; k < job->change_count; ++k)
      printf("%s\"%s\": \"%s\"", k > 0 ? ", " : "", job->changes[k].name, row[k] == MET ? "met" : OUTCOMES[row[k]]);
    printf("}, \"missed\": {");
    for (int k = 0, count = 0; k < job->change_count; ++k)
      if (row[k] == MISSED)
        printf("%s\"%s\": \"%s\"", count++ > 0 ? ", " : "", job->changes[k].name, job->missed[scene][k]);
    printf("}}\n");
  } else {
    printf("%-19s", SCENES[scene]);
    for (int k = 0; k < job->change_count; ++k) printf(" %5s", OUTCOMES[row[k]]);
    printf("  %2d %2d\n", counts[MISSED] + counts[MET], counts[MET]);
  }
}

static bool print_table(const bench_session *bench, const robust_job *job) {
  int all[4] = {0, 0, 0, 0}, runs = job->scene_count * job->change_count;
  if (!bench->json) {
    printf("%-19s", "");
    for (int k = 0; k < job->change_count; ++k) printf(" %5s", job->changes[k].name);
    printf("  standing, met\n");
  }
  for (int scene = 0; scene < job->scene_count; ++scene) {
    int counts[4] = {0, 0, 0, 0};
    for (int k = 0; k < job->change_count; ++k) ++counts[job->outcomes[scene][k]];
    print_row(bench, job, scene, counts);
    for (int k = 0; k < 4; ++k) all[k] += counts[k];
    for (int k = 0; k < job->change_count; ++k)
      if (job->errors[scene][k][0] != '\0')
        tool_print_warning(&bench->tool->console, "%s, %s", SCENES[scene], job->errors[scene][k]);
  }
  double standing = (double)(all[MISSED] + all[MET]) / runs, met = (double)all[MET] / runs;
  if (bench->json)
    printf(
        "{\"suite\": \"robust\", \"case\": \"all\", \"runs\": %d, \"standing_fraction\": %.4g, \"met_fraction\": "
        "%.4g}\n",
        runs, standing, met);
  else if (bench->quick)
    printf("%d runs of %g s: %.1f %% without a fall\n", runs, QUICK_SECONDS, 100 * standing);
  else
    printf("%d runs: %.1f %% without a fall, %.1f %% meet all expectations\n", runs, 100 * standing, 100 * met);
  return all[FAILED] == 0;
}

int bench_robust(bench_session *bench) {
  tool_gallery gallery = tool_gallery_find();
  if (gallery.folder == NULL) {
    tool_print_error(&bench->tool->console,
                     "the gallery was not found; set PLIANT_SCENES to the folder 'scenes' of Pliant");
    return TOOL_FAILED;
  }
  robust_job *job = tool_allocate(1, sizeof *job);
  job->gallery = &gallery;
  job->quick = bench->quick;
  job->scene_count = bench->quick ? QUICK_SCENES : SCENE_COUNT;
  for (int i = 0; i < CHANGE_COUNT; ++i)
    if (!bench->quick || CHANGES[i].is_quick) job->changes[job->change_count++] = CHANGES[i];
  tool_run_items(job->scene_count * job->change_count, 0, run_item, job);
  bool good = print_table(bench, job);
  free(job);
  tool_gallery_free(&gallery);
  return good ? TOOL_DONE : TOOL_REMARKS;
}
