// pliant detail enrich: detail on the frames of any simulation, from a point cache and a table of contacts.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_folder.h"
#include "verb_detail.h"

// Contacts of all frames, in the order of the table.
typedef struct contact_table {
  int32_t count, workspace;
  int32_t *frames;
  pl_detail_contact *contacts;
} contact_table;

typedef struct job {
  const tool_session *tool;
  pl_context *context;
  detail_body body;
  pl_detail_set *set;
  pl_detail_filter *filter;
  pl_frame_file *input;
  pl_frame_file_report facts;
  contact_table table;
  bool of_tets;  // frames hold the points of the tets, not of the surface
  pl_vec3 *frame, *material, *surface;
} job;

static void add_contact(contact_table *table, const double *numbers, int count) {
  if (table->count == table->workspace) {
    table->workspace = 2 * table->workspace + 16;
    int32_t *frames = tool_allocate((size_t)table->workspace, sizeof *frames);
    pl_detail_contact *contacts = tool_allocate((size_t)table->workspace, sizeof *contacts);
    for (int32_t i = 0; i < table->count; ++i) {
      frames[i] = table->frames[i];
      contacts[i] = table->contacts[i];
    }
    free(table->frames);
    free(table->contacts);
    table->frames = frames;
    table->contacts = contacts;
  }
  pl_detail_contact contact = {.point = {numbers[1], numbers[2], numbers[3]}, .pressure = count > 4 ? numbers[4] : 1};
  if (count > 7) contact.normal = (pl_vec3){numbers[5], numbers[6], numbers[7]};
  table->frames[table->count] = (int32_t)numbers[0];
  table->contacts[table->count++] = contact;
}

// Number of values of a line; -1 and the column where a value is invalid.
static int parse_line(const char *line, double *numbers, int *column) {
  int count = 0;
  const char *at = line;
  while (count < 8) {
    char *end;
    numbers[count] = strtod(at, &end);
    *column = (int)(at - line) + 1;
    if (end == at || !isfinite(numbers[count])) return -1;
    ++count;
    while (*end == ' ' || *end == '\t' || *end == '\r' || *end == '\n') ++end;
    if (*end == '\0') return count;
    *column = (int)(end - line) + 1;
    if (*end != ',' || count == 8) return -1;
    at = end + 1;
  }
  return -1;
}

static bool read_contacts(const tool_session *tool, const char *path, contact_table *table) {
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    tool_print_error(&tool->console, "%s: cannot be read: %s", path, strerror(errno));
    return false;
  }
  char line[512];
  bool good = true;
  for (int number = 1; good && fgets(line, sizeof line, file) != NULL; ++number) {
    double numbers[8];
    int column = 1, count = parse_line(line, numbers, &column);
    bool is_head = number == 1 && count < 0, is_empty = strspn(line, " \t\r\n") == strlen(line);
    if (is_head || is_empty) continue;
    good = (count == 4 || count == 5 || count == 8) && numbers[0] >= 0 && numbers[0] < 2e9 &&
           (count < 5 || numbers[4] >= 0);
    if (good)
      add_contact(table, numbers, count);
    else
      tool_print_error(&tool->console, "%s:%d:%d: not a contact; a line is frame,x,y,z[,pressure[,nx,ny,nz]]", path,
                       number, column);
  }
  good = good && !ferror(file);
  fclose(file);
  return good;
}

// Displacements of the material and the surface, from the points of a frame.
static pl_status split_frame(job *j, pl_error *error) {
  pl_mesh_view tets = pl_mesh_get_view(j->body.tets);
  int32_t surface_count = j->body.object.surface_count;
  if (j->of_tets) {
    memcpy(j->material, j->frame, (size_t)tets.point_count * sizeof *j->material);
    if (j->body.embedding != NULL) pl_embedding_apply(j->body.embedding, j->frame, j->surface);
    for (int32_t i = 0; j->body.embedding == NULL && i < surface_count; ++i)
      j->surface[i] = j->frame[j->body.material[i]];
  } else {
    pl_pose_def pose = pl_default_pose_def();
    memcpy(j->surface, j->frame, (size_t)surface_count * sizeof *j->surface);
    pl_status status = pl_pose_fit(j->context, &pose, &(pl_pose_target){j->body.tets, j->body.surface, j->surface},
                                   j->material, NULL, error);
    if (status < 0) return status;
  }
  for (int32_t i = 0; i < tets.point_count; ++i)
    j->material[i] = (pl_vec3){j->material[i].x - tets.points[i].x, j->material[i].y - tets.points[i].y,
                               j->material[i].z - tets.points[i].z};
  return PL_OK;
}

static pl_status enrich_frame(job *j, int32_t frame, pl_error *error) {
  pl_status status = pl_frame_file_read(j->input, frame, j->frame, error);
  if (status >= 0) status = split_frame(j, error);
  pl_detail_contact contacts[64];
  int32_t count = 0;
  for (int32_t i = 0; i < j->table.count && count < 64; ++i)
    if (j->table.frames[i] == frame) contacts[count++] = j->table.contacts[i];
  pl_detail_frame now = {j->material, j->surface, count, contacts};
  return status < 0 ? status : pl_detail_filter_apply(j->filter, &now, j->surface, NULL, error);
}

static pl_status write_all(job *j, const char *output, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(j->body.surface);
  bool mdd = tool_has_ending(output, "mdd");
  pl_frames_def def = pl_default_frames_def(mdd ? PL_FRAMES_MDD : PL_FRAMES_PC2);
  char *base = tool_text("%.*s", (int)strlen(output) - 4, output);
  def.path = base;
  def.frame_count = j->facts.frame_count;
  def.point_count = view.point_count;
  def.triangles = view.triangles;
  def.triangle_count = view.triangle_count;
  // PC2 counts time in frames of the host's project, not in seconds.
  if (j->facts.format == PL_FRAMES_MDD) def.frame_rate = j->facts.frame_rate;
  pl_frames *frames = NULL;
  pl_status status = pl_frames_create(j->context, &def, &frames, error);
  for (int32_t i = 0; status >= 0 && i < j->facts.frame_count; ++i) {
    status = enrich_frame(j, i, error);
    if (status >= 0) status = pl_frames_add_frame(frames, j->surface, error);
  }
  if (status >= 0) {
    status = pl_frames_close(frames, error);
    tool_print(&j->tool->console, "%s: %d frames of %d points, %d contacts", output, j->facts.frame_count,
               view.point_count, j->table.count);
  } else {
    pl_frames_abandon(frames);
  }
  free(base);
  return status;
}

static pl_status open_all(job *j, const tool_arguments *arguments, pl_error *error) {
  const tool_value *scale = tool_find_value(arguments, "scale");
  pl_status status = pl_frame_file_open(j->context, arguments->words[3], &j->input, &j->facts, error);
  if (status < 0) return status;
  int32_t surface_count = j->body.object.surface_count, material_count = pl_mesh_get_view(j->body.tets).point_count;
  j->of_tets = j->facts.point_count == material_count && (j->body.embedding == NULL || material_count != surface_count);
  if (!j->of_tets && j->facts.point_count != surface_count) {
    error->status = PL_ERROR_INVALID_DATA;
    snprintf(error->file, sizeof error->file, "%s", arguments->words[3]);
    snprintf(error->text, sizeof error->text,
             "has frames of %d points; the body has %d points on its surface and %d in its tets", j->facts.point_count,
             surface_count, material_count);
    return error->status;
  }
  j->frame = tool_allocate((size_t)j->facts.point_count, sizeof *j->frame);
  j->material = tool_allocate((size_t)material_count, sizeof *j->material);
  j->surface = tool_allocate((size_t)surface_count, sizeof *j->surface);
  pl_detail_filter_def def = pl_default_detail_filter_def();
  def.set = j->set;
  def.object = &j->body.object;
  def.max_contacts = 64;
  if (scale->given) def.scale = scale->number;
  return pl_detail_filter_create(j->context, &def, &j->filter, error);
}

static void close_all(job *j) {
  pl_detail_filter_destroy(j->filter);
  pl_detail_set_destroy(j->set);
  pl_frame_file_close(j->input);
  detail_body_close(&j->body);
  free(j->table.frames);
  free(j->table.contacts);
  free(j->frame);
  free(j->material);
  free(j->surface);
}

int detail_enrich(const tool_session *tool, const tool_arguments *arguments, pl_context *context) {
  const tool_value *output = tool_find_value(arguments, "output"), *contacts = tool_find_value(arguments, "contacts");
  if (!output->given || !contacts->given ||
      !(tool_has_ending(output->text, "pc2") || tool_has_ending(output->text, "mdd"))) {
    tool_print_error(&tool->console, "enrich needs --contacts FILE, and --output FILE.pc2 or .mdd");
    return TOOL_USAGE;
  }
  job j = {.tool = tool, .context = context};
  pl_error error = {0};
  bool remarks = false;
  int code = TOOL_FAILED;
  if (pl_detail_set_load(context, arguments->words[1], &j.set, &error) < 0)
    return tool_report_error(&tool->console, &error);
  if (read_contacts(tool, contacts->text, &j.table) &&
      detail_body_open(tool, arguments, context, arguments->words[2], &j.body, &remarks)) {
    pl_status status = open_all(&j, arguments, &error);
    if (status >= 0) status = write_all(&j, output->text, &error);
    code = status < 0 ? tool_report_error(&tool->console, &error) : remarks ? TOOL_REMARKS : TOOL_DONE;
  }
  close_all(&j);
  return code;
}
