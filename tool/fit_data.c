// Data of a fit other than motions of all points: markers, static shapes under loads, force-displacement curves,
// vibrations, and known loads over time.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_box.h"
#include "tool_fit.h"
#include "tool_folder.h"

// How far from the mesh a marker or a measured point may be, as a fraction of the size.
static const double OUTSIDE_FRACTION = 0.1;

static double size_of(const pl_mesh *mesh) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  return fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z));
}

// --- markers --------------------------------------------------------------------------------------------------------

bool fit_data_is_markers(const char *path) {
  return tool_has_ending(path, "c3d") || tool_has_ending(path, "trc") || tool_has_ending(path, "csv");
}

// Mean position of a marker over the frames in which it is seen; false if there are none.
static bool mean_of(const pl_markers_view *view, int32_t marker, pl_vec3 *mean) {
  int32_t count = 0;
  *mean = (pl_vec3){0, 0, 0};
  for (int32_t f = 0; f < view->frame_count; ++f) {
    pl_vec3 at = view->positions[(size_t)f * (size_t)view->marker_count + (size_t)marker];
    if (!isfinite(at.x)) continue;
    mean->x += at.x, mean->y += at.y, mean->z += at.z;
    ++count;
  }
  if (count > 0) mean->x /= count, mean->y /= count, mean->z /= count;
  return count > 0;
}

// Markers of the motion that are in the rest recording too, tied to the mesh; the others are left out, with a warning.
static bool bind_markers(const tool_session *tool, pl_context *context, const pl_markers *moving,
                         const pl_markers *still, const pl_mesh *mesh, fit_motion *motion) {
  pl_markers_view view = pl_markers_get_view(moving), rest = pl_markers_get_view(still);
  pl_vec3 *points = tool_allocate((size_t)view.marker_count, sizeof *points);
  int32_t *chosen = tool_allocate((size_t)view.marker_count, sizeof *chosen), count = 0;
  for (int32_t i = 0; i < view.marker_count; ++i) {
    int32_t index = pl_markers_find(still, view.names[i]);
    if (index >= 0 && mean_of(&rest, index, &points[count]))
      chosen[count++] = i;
    else
      tool_print_warning(&tool->console, "marker '%s' of '%s' is not among the markers at rest; it is left out",
                         view.names[i], motion->name);
  }
  pl_error error = {0};
  pl_embedding_report report;
  bool good = count > 0;
  if (!good) tool_print_error(&tool->console, "'%s' has no marker that is among those at rest", motion->name);
  double tolerance = OUTSIDE_FRACTION * size_of(mesh);
  if (good && pl_embedding_build(context, mesh, &(pl_embedding_input){points, count, tolerance}, &motion->markers,
                                 &report, &error) < 0) {
    tool_report_error(&tool->console, &error);
    good = false;
  }
  if (good) {
    pl_vec3 *positions = tool_allocate((size_t)view.frame_count * (size_t)count, sizeof *positions);
    for (size_t f = 0; f < (size_t)view.frame_count; ++f)
      for (int32_t i = 0; i < count; ++i)
        positions[f * (size_t)count + (size_t)i] = view.positions[f * (size_t)view.marker_count + (size_t)chosen[i]];
    motion->positions = positions;
    motion->point_count = count;
    motion->frame_count = view.frame_count;
    motion->rate = view.rate;
    tool_print(&tool->console, "%s: %d markers, %d frames at %.4g/s, %lld samples missing; up to %.3g mm off the tets",
               motion->name, count, view.frame_count, view.rate, (long long)view.missing_count,
               1e3 * (report.farthest_point >= 0 ? report.max_distance : 0));
  }
  free(points);
  free(chosen);
  return good;
}

bool fit_data_read_markers(const tool_session *tool, pl_context *context, const tool_arguments *arguments,
                           const char *path, const pl_mesh *mesh, fit_motion *motion) {
  const tool_value *rest = tool_find_value(arguments, "markers"), *start = tool_find_value(arguments, "start");
  *motion = (fit_motion){.name = tool_text("%s", path), .start = PL_FIT_START_PULLED, .start_chosen = start->given};
  if (!rest->given) {
    tool_print_error(&tool->console,
                     "'%s' has markers, but it is not known where they sit; give a recording of them at rest with "
                     "--markers",
                     path);
    return false;
  }
  if (start->given && strcmp(start->text, "given") == 0) {
    tool_print_error(&tool->console,
                     "markers do not tell where all points start; use --start pulled, moving or balanced");
    return false;
  }
  if (start->given && strcmp(start->text, "moving") == 0) motion->start = PL_FIT_START_MOVING;
  if (start->given && strcmp(start->text, "balanced") == 0) motion->start = PL_FIT_START_BALANCED;
  pl_markers *moving = NULL, *still = NULL;
  pl_error error = {0};
  pl_status status = pl_markers_load(context, path, &moving, &error);
  if (status >= 0) status = pl_markers_load(context, rest->text, &still, &error);
  bool good = status >= 0;
  if (!good) tool_report_error(&tool->console, &error);
  good = good && bind_markers(tool, context, moving, still, mesh, motion);
  pl_markers_destroy(moving);
  pl_markers_destroy(still);
  return good;
}

// --- tables ---------------------------------------------------------------------------------------------------------

// A table with columns by name.
typedef struct data_table {
  pl_table *table;
  pl_table_view view;
  const char *path;
} data_table;

static bool open_table(const tool_session *tool, pl_context *context, const char *path, const char *const *needed,
                       data_table *table) {
  pl_error error = {0};
  table->path = path;
  if (pl_table_load(context, path, &table->table, &error) < 0) {
    tool_report_error(&tool->console, &error);
    return false;
  }
  table->view = pl_table_get_view(table->table);
  for (int i = 0; needed[i] != NULL; ++i)
    if (pl_table_find_column(table->table, needed[i]) < 0) {
      tool_print_error(&tool->console, "'%s' has no column `%s`", path, needed[i]);
      return false;
    }
  return true;
}

static double cell(const data_table *table, int64_t row, const char *column, double missing) {
  int32_t index = pl_table_find_column(table->table, column);
  return index >= 0 ? table->view.cells[row * table->view.column_count + index] : missing;
}

static pl_fit_load_case *add_case(fit_object *object) {
  size_t count = (size_t)object->case_count + 1;
  pl_fit_load_case *cases = tool_allocate(count, sizeof *cases);
  pl_embedding **embeddings = tool_allocate(count, sizeof(pl_embedding *));
  pl_vec3 **positions = tool_allocate(count, sizeof(pl_vec3 *));
  if (object->case_count > 0) {
    memcpy(cases, object->cases, (count - 1) * sizeof *cases);
    memcpy(embeddings, object->embeddings, (count - 1) * sizeof *embeddings);
    memcpy(positions, object->positions, (count - 1) * sizeof *positions);
  }
  free(object->cases);
  free(object->embeddings);
  free(object->positions);
  object->cases = cases;
  object->embeddings = embeddings;
  object->positions = positions;
  cases[object->case_count] =
      (pl_fit_load_case){.loaded = object->gripped, .loaded_count = object->gripped_count, .reaction = (double)NAN};
  return &cases[object->case_count++];
}

static pl_vec3 vector_at(const data_table *table, int64_t row, const char *const names[3]) {
  return (pl_vec3){cell(table, row, names[0], 0), cell(table, row, names[1], 0), cell(table, row, names[2], 0)};
}

static bool read_sags(const tool_session *tool, pl_context *context, const char *path, fit_object *object) {
  static const char *const needed[] = {"x", "y", "z", "moved_x", "moved_y", "moved_z", NULL};
  static const char *const forces[] = {"force_x", "force_y", "force_z"};
  data_table table = {0};
  bool good = open_table(tool, context, path, needed, &table);
  int64_t rows = good ? table.view.row_count : 0;
  for (int64_t first = 0, next; first < rows && good; first = next) {
    pl_vec3 force = vector_at(&table, first, forces);
    for (next = first + 1; next < rows; ++next) {
      pl_vec3 other = vector_at(&table, next, forces);
      if (other.x != force.x || other.y != force.y || other.z != force.z) break;
    }
    size_t count = (size_t)(next - first);
    pl_vec3 *points = tool_allocate(count, sizeof *points), *moved = tool_allocate(count, sizeof *moved);
    for (size_t i = 0; i < count; ++i) {
      points[i] = vector_at(&table, first + (int64_t)i, needed);
      moved[i] = vector_at(&table, first + (int64_t)i, needed + 3);
    }
    pl_fit_load_case *made = add_case(object);
    pl_error error = {0};
    made->force = force;
    made->positions = object->positions[object->case_count - 1] = moved;
    bool loaded = force.x != 0 || force.y != 0 || force.z != 0;
    if (loaded && object->gripped_count == 0) {
      tool_print_error(&tool->console, "'%s' has loads; say with --grip which points they act on", path);
      good = false;
    } else if (pl_embedding_build(
                   context, object->mesh,
                   &(pl_embedding_input){points, (int32_t)count, OUTSIDE_FRACTION * size_of(object->mesh)},
                   &object->embeddings[object->case_count - 1], NULL, &error) < 0) {
      tool_report_error(&tool->console, &error);
      good = false;
    }
    made->markers = object->embeddings[object->case_count - 1];
    free(points);
  }
  pl_table_destroy(table.table);
  return good;
}

static bool read_curve(const tool_session *tool, pl_context *context, const char *path, pl_vec3 pull,
                       fit_object *object) {
  static const char *const needed[] = {"displacement", "force", NULL};
  data_table table = {0};
  bool good = open_table(tool, context, path, needed, &table);
  double length = sqrt(pull.x * pull.x + pull.y * pull.y + pull.z * pull.z), largest = 0;
  if (good && (object->gripped_count == 0 || !(length > 0))) {
    tool_print_error(&tool->console, "--curve needs the points that are moved, --grip, and their direction, --pull");
    good = false;
  }
  for (int64_t i = 0; good && i < table.view.row_count; ++i) largest = fmax(largest, fabs(cell(&table, i, "force", 0)));
  for (int64_t i = 0; good && i < table.view.row_count; ++i) {
    double way = cell(&table, i, "displacement", 0) / length;
    if (way == 0) continue;
    pl_fit_load_case *made = add_case(object);
    made->moved = true;
    made->displacement = (pl_vec3){way * pull.x, way * pull.y, way * pull.z};
    // The library counts the force along the displacement.
    made->reaction = (way > 0 ? 1 : -1) * cell(&table, i, "force", 0);
    made->reaction_deviation = cell(&table, i, "deviation", 0.01 * largest);
  }
  pl_table_destroy(table.table);
  return good;
}

static bool read_vibrations(const tool_session *tool, pl_context *context, const char *path, fit_object *object) {
  static const char *const needed[] = {"mode", NULL};
  data_table table = {0};
  bool good = open_table(tool, context, path, needed, &table);
  if (good) object->vibrations = tool_allocate((size_t)table.view.row_count + 1, sizeof *object->vibrations);
  for (int64_t i = 0; good && i < table.view.row_count; ++i) {
    double ratio = cell(&table, i, "damping_ratio", (double)NAN);
    object->vibrations[object->vibration_count++] =
        (pl_fit_vibration){.mode = (int32_t)cell(&table, i, "mode", 0) - 1,
                           .frequency = cell(&table, i, "frequency", (double)NAN),
                           .frequency_deviation = cell(&table, i, "frequency_deviation", 0.005),
                           .damping_ratio = ratio,
                           .damping_deviation = cell(&table, i, "damping_deviation", 0.1 * ratio)};
  }
  pl_table_destroy(table.table);
  return good;
}

// Points of the mesh in a box, to be freed; `held`: those that are held too.
static int32_t *points_in(const fit_object *object, const double box[6], bool held, int32_t *count) {
  pl_mesh_view mesh = pl_mesh_get_view(object->mesh);
  int32_t *points = tool_allocate((size_t)mesh.point_count, sizeof *points);
  *count = 0;
  for (int32_t i = 0; i < mesh.point_count; ++i) {
    bool inside = tool_box_contains(box, mesh.points[i]);
    for (int32_t k = 0; !held && k < object->held_count && inside; ++k) inside = object->held[k] != i;
    if (inside) points[(*count)++] = i;
  }
  return points;
}

static bool read_grip(const tool_session *tool, const char *text, fit_object *object) {
  double box[6];
  if (!tool_box_read(text, box)) {
    tool_print_error(&tool->console, "--grip takes a box, six numbers x,y,z,x,y,z, not '%s'", text);
    return false;
  }
  object->gripped = points_in(object, box, false, &object->gripped_count);
  if (object->gripped_count > 0) return true;
  tool_print_error(&tool->console, "the box of --grip has no point of the mesh that is not held");
  return false;
}

// --- known loads over time ------------------------------------------------------------------------------------------

// Rows of a table for one motion, counted from 1: those with its number, or all of a table without numbers.
static void take_load(const data_table *table, int32_t number, bool is_force, pl_fit_load *load) {
  static const char *const forces[] = {"force_x", "force_y", "force_z"};
  size_t rows = (size_t)table->view.row_count;
  double *times = tool_allocate(rows, sizeof *times), *pressures = NULL;
  pl_vec3 *vectors = NULL;
  if (is_force)
    load->forces = vectors = tool_allocate(rows, sizeof *vectors);
  else
    load->pressures = pressures = tool_allocate(rows, sizeof *pressures);
  load->times = times;
  for (int64_t i = 0; i < table->view.row_count; ++i) {
    if (cell(table, i, "motion", number) != number) continue;
    times[load->time_count] = cell(table, i, "time", 0);
    if (is_force)
      vectors[load->time_count] = vector_at(table, i, forces);
    else
      pressures[load->time_count] = cell(table, i, "pressure", 0);
    load->time_count++;
  }
}

// One of --force and --pressure, FILE:BOX.
static bool read_load(const tool_session *tool, pl_context *context, const char *option, const char *text,
                      fit_object *object) {
  static const char *const force_columns[] = {"time", "force_x", "force_y", "force_z", NULL},
                           *const pressure_columns[] = {"time", "pressure", NULL};
  bool is_force = strcmp(option, "force") == 0;
  const char *colon = strrchr(text, ':');
  double box[6];
  if (colon == NULL || colon == text || !tool_box_read(colon + 1, box)) {
    tool_print_error(&tool->console, "--%s takes a table and a box, such as load.csv:0.19,-1,-1,0.21,1,1, not '%s'",
                     option, text);
    return false;
  }
  char *path = tool_text("%.*s", (int)(colon - text), text);
  data_table table = {0};
  bool good = open_table(tool, context, path, is_force ? force_columns : pressure_columns, &table);
  int32_t used = 0, count = 0;
  for (int32_t i = 0; good && i < object->motion_count + object->other_count; ++i) {
    fit_motion *motion = i < object->motion_count ? &object->motions[i] : &object->others[i - object->motion_count];
    pl_fit_load *load = &motion->loads[motion->load_count++];
    take_load(&table, i + 1, is_force, load);
    load->loaded = points_in(object, box, !is_force, &count);
    load->loaded_count = count;
    used += load->time_count;
    if (load->time_count == 0) {
      fit_load_free(load);
      motion->load_count--;
    } else if (!motion->start_chosen) {
      motion->start = PL_FIT_START_BALANCED;
    }
  }
  if (good && count == 0) {
    tool_print_error(&tool->console, "the box of --%s has no point of the mesh%s", option,
                     is_force ? " that is not held" : "");
    good = false;
  } else if (good && used == 0) {
    tool_print_error(&tool->console,
                     "'%s' has no row for any of the motions; number them from 1 in the column `motion`", path);
    good = false;
  }
  pl_table_destroy(table.table);
  free(path);
  return good;
}

bool fit_data_read_loads(const tool_session *tool, pl_context *context, const tool_arguments *arguments,
                         fit_object *object) {
  static const char *const options[FIT_MAX_LOADS] = {"force", "pressure"};
  for (int i = 0; i < FIT_MAX_LOADS; ++i) {
    const tool_value *value = tool_find_value(arguments, options[i]);
    if (!value->given) continue;
    if (object->motion_count + object->other_count == 0) {
      tool_print_error(&tool->console, "--%s acts on motions, and there are none; static loads are given by --sags",
                       options[i]);
      return false;
    }
    if (!read_load(tool, context, options[i], value->text, object)) return false;
  }
  return true;
}

bool fit_data_read_tables(const tool_session *tool, pl_context *context, const tool_arguments *arguments,
                          fit_object *object) {
  const tool_value *grip = tool_find_value(arguments, "grip"), *sags = tool_find_value(arguments, "sags"),
                   *curve = tool_find_value(arguments, "curve"), *heard = tool_find_value(arguments, "frequencies");
  pl_vec3 pull = {0};
  char extra;
  const char *direction = tool_get_text(arguments, "pull");
  if (sscanf(direction, "%lf,%lf,%lf%c", &pull.x, &pull.y, &pull.z, &extra) != 3) {
    tool_print_error(&tool->console, "--pull takes three numbers such as 1,0,0, not '%s'", direction);
    return false;
  }
  const tool_value *weight = tool_find_value(arguments, "weight");
  if (weight->given && !tool_box_read_weight(tool, weight->text, object->mesh, &object->masses)) return false;
  if (grip->given && !read_grip(tool, grip->text, object)) return false;
  if (sags->given && !read_sags(tool, context, sags->text, object)) return false;
  if (curve->given && !read_curve(tool, context, curve->text, pull, object)) return false;
  return !heard->given || read_vibrations(tool, context, heard->text, object);
}

void fit_data_free(fit_object *object) {
  for (int32_t i = 0; i < object->case_count; ++i) {
    pl_embedding_destroy(object->embeddings[i]);
    free(object->positions[i]);
  }
  free(object->cases);
  free(object->embeddings);
  free(object->positions);
  free(object->gripped);
  free(object->masses);
  free(object->vibrations);
}
