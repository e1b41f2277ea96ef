// Frames of every format: written, then read back by the library where it can, and byte by byte where it cannot.
// ctest: unit
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/gltf.h"
#include "pliant/frames.h"
#include "pliant/mesh_file.h"

enum { POINT_COUNT = 4, FRAME_COUNT = 5 };
static const int32_t triangles[6] = {0, 1, 2, 0, 2, 3};
static const int32_t tets[4] = {0, 1, 2, 3};

typedef struct place {
  char folder[32], path[48];
} place;

static place make_place(void) {
  place p = {.folder = "/tmp/pliant_frames_XXXXXX"};
  assert_non_null(mkdtemp(p.folder));
  snprintf(p.path, sizeof p.path, "%s/run", p.folder);
  return p;
}

// Remove the folder and return how many files were in it.
static int drop_place(const place *p) {
  int count = 0;
  DIR *folder = opendir(p->folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    char path[400];
    snprintf(path, sizeof path, "%s/%s", p->folder, entry->d_name);
    unlink(path);
    count++;
  }
  closedir(folder);
  rmdir(p->folder);
  return count;
}

static void make_frame(int frame, pl_vec3 *points) {
  for (int i = 0; i < POINT_COUNT; ++i)
    points[i] = (pl_vec3){i + 0.25 * frame, (i == 3) - 0.5 * frame, (i == 2) + 0.1 * frame * i};
}

static pl_frames_def make_def(pl_frame_format format, const char *path) {
  pl_frames_def def = pl_default_frames_def(format);
  def.path = path;
  def.frame_rate = 24;
  def.start_time = 0.5;
  def.frame_count = FRAME_COUNT;
  def.point_count = POINT_COUNT;
  def.triangles = triangles;
  def.triangle_count = 2;
  def.name = "my \"box\"";
  return def;
}

static pl_status write_run(pl_context *context, const pl_frames_def *def, int frame_count, pl_error *error) {
  pl_frames *frames = NULL;
  pl_status status = pl_frames_create(context, def, &frames, error);
  if (status < 0) return status;
  for (int i = 0; i < frame_count && status >= 0; ++i) {
    pl_vec3 points[POINT_COUNT];
    make_frame(i, points);
    status = pl_frames_add_frame(frames, points, error);
  }
  pl_status closed = pl_frames_close(frames, error);
  return status < 0 ? status : closed;
}

static size_t read_all(const char *path, const char *ending, unsigned char *bytes, size_t workspace) {
  char name[128];
  snprintf(name, sizeof name, "%s%s", path, ending);
  FILE *file = fopen(name, "rb");
  if (file == NULL) fail_msg("%s is not there", name);
  size_t size = fread(bytes, 1, workspace - 1, file);
  bytes[size] = 0;
  fclose(file);
  return size;
}

static void check_frame(const pl_vec3 *points, int frame, double tolerance) {
  pl_vec3 expected[POINT_COUNT];
  make_frame(frame, expected);
  for (int i = 0; i < POINT_COUNT; ++i) {
    check_near(points[i].x, expected[i].x, tolerance);
    check_near(points[i].y, expected[i].y, tolerance);
    check_near(points[i].z, expected[i].z, tolerance);
  }
}

static void point_caches_read_back_also_when_the_run_was_short(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int format = PL_FRAMES_PC2; format <= PL_FRAMES_MDD; ++format) {
    for (int count = 1; count <= FRAME_COUNT; ++count) {
      place p = make_place();
      pl_error error = {0};
      pl_frames_def def = make_def((pl_frame_format)format, p.path);
      check_ok(write_run(context, &def, count, &error), &error);
      char name[64];
      snprintf(name, sizeof name, "%s.%s", p.path, pl_frame_format_name((pl_frame_format)format));
      pl_frame_file *file = NULL;
      pl_frame_file_report report = {0};
      check_ok(pl_frame_file_open(context, name, &file, &report, &error), &error);
      assert_int_equal(report.format, format);
      assert_int_equal(report.point_count, POINT_COUNT);
      assert_int_equal(report.frame_count, count);
      check_near(report.start_time, format == PL_FRAMES_MDD ? 0.5 : 12, 1e-6);
      check_near(report.frame_rate, format == PL_FRAMES_PC2 ? 1 : count > 1 ? 24 : 0, 1e-4);
      for (int i = count - 1; i >= 0; --i) {
        pl_vec3 points[POINT_COUNT];
        check_ok(pl_frame_file_read(file, i, points, &error), &error);
        check_frame(points, i, 1e-6);
      }
      pl_vec3 points[POINT_COUNT];
      assert_int_equal(pl_frame_file_read(file, count, points, &error), PL_ERROR_INVALID_ARGUMENT);
      assert_int_equal(pl_frame_file_read(file, -1, points, &error), PL_ERROR_INVALID_ARGUMENT);
      pl_frame_file_close(file);
      assert_int_equal(drop_place(&p), 1);
    }
  }
  drop_context(context);
}

static void pc2_has_the_header_that_blender_expects(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  place p = make_place();
  pl_error error = {0};
  pl_frames_def def = make_def(PL_FRAMES_PC2, p.path);
  check_ok(write_run(context, &def, 2, &error), &error);
  unsigned char bytes[512];
  assert_int_equal(read_all(p.path, ".pc2", bytes, sizeof bytes), 32 + 2 * POINT_COUNT * 12);
  static const unsigned char head[32] = {'P', 'O', 'I', 'N', 'T', 'C', 'A',  'C',  'H', 'E', '2',  0,    1, 0, 0, 0,
                                         4,   0,   0,   0,   0,   0,   0x40, 0x41, 0,   0,   0x80, 0x3F, 2, 0, 0, 0};
  assert_memory_equal(bytes, head, sizeof head);
  drop_place(&p);
  drop_context(context);
}

static void glb_frames_are_morph_targets(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int count = 1; count <= FRAME_COUNT; count += 2) {
    place p = make_place();
    pl_error error = {0};
    pl_frames_def def = make_def(PL_FRAMES_GLB, p.path);
    check_ok(write_run(context, &def, count, &error), &error);
    static unsigned char bytes[65536];
    size_t size = read_all(p.path, ".glb", bytes, sizeof bytes);
    pl_mesh *mesh = NULL;
    check_ok(pl_gltf_read(context, bytes, size, "run.glb", NULL, &mesh, NULL, &error), &error);
    pl_mesh_view view = pl_mesh_get_view(mesh);
    check_frame(view.points, 0, 1e-6);
    assert_int_equal(view.pose_count, count - 1);
    for (int i = 1; i < count; ++i) {
      char name[32];
      snprintf(name, sizeof name, "frame_%04d", i + 1);
      assert_string_equal(view.poses[i - 1].name, name);
      check_frame(view.poses[i - 1].points, i, 1e-6);
    }
    pl_mesh_destroy(mesh);
    assert_int_equal(drop_place(&p), 1);
  }
  drop_context(context);
}

static uint64_t little(const unsigned char *bytes, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; ++i) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

static void vtu_frames_hold_cells_and_times(void **state) {
  (void)state;
  static const struct {
    int32_t tet_count, triangle_count, cell_count, corner_count;
    int type;
  } cases[] = {{1, 2, 1, 4, 10}, {0, 2, 2, 6, 5}, {0, 0, 4, 4, 1}};
  pl_context *context = make_context(1);
  for (int c = 0; c < 3; ++c) {
    place p = make_place();
    pl_error error = {0};
    pl_frames_def def = make_def(PL_FRAMES_VTU, p.path);
    def.tets = tets;
    def.tet_count = cases[c].tet_count;
    def.triangle_count = cases[c].triangle_count;
    check_ok(write_run(context, &def, 3, &error), &error);
    unsigned char bytes[4096];
    size_t size = read_all(p.path, "_0002.vtu", bytes, sizeof bytes);
    char counts[80];
    snprintf(counts, sizeof counts, "NumberOfPoints=\"4\" NumberOfCells=\"%d\"", cases[c].cell_count);
    assert_non_null(strstr((char *)bytes, counts));
    const unsigned char *data = memmem(bytes, size, "encoding=\"raw\">\n_", 17);
    assert_non_null(data);
    data += 17;
    assert_int_equal(little(data, 8), POINT_COUNT * 24);
    pl_vec3 points[POINT_COUNT];
    memcpy(points, data + 8, sizeof points);
    check_frame(points, 1, 0);
    // Each array stands where its offset says.
    const char *offset = strstr((char *)bytes, "Name=\"types\"");
    const unsigned char *types = data + strtol(strstr(offset, "offset=\"") + 8, NULL, 10);
    assert_int_equal(little(types, 8), cases[c].cell_count);
    for (int i = 0; i < cases[c].cell_count; ++i) assert_int_equal(types[8 + i], cases[c].type);
    offset = strstr((char *)bytes, "Name=\"connectivity\"");
    const unsigned char *corners = data + strtol(strstr(offset, "offset=\"") + 8, NULL, 10);
    assert_int_equal(little(corners, 8), 4 * cases[c].corner_count);
    assert_int_equal(little(corners + 8 + 4, 4), 1);
    offset = strstr((char *)bytes, "Name=\"offsets\"");
    const unsigned char *ends = data + strtol(strstr(offset, "offset=\"") + 8, NULL, 10);
    assert_int_equal(little(ends + 8 + 4 * (cases[c].cell_count - 1), 4), cases[c].corner_count);
    offset = strstr((char *)bytes, "Name=\"displacement\"");
    const unsigned char *moved = data + strtol(strstr(offset, "offset=\"") + 8, NULL, 10);
    assert_ptr_equal(moved, types + 8 + cases[c].cell_count);
    assert_int_equal(little(moved, 8), POINT_COUNT * 24);
    double first[3];
    memcpy(first, moved + 8, sizeof first);
    assert_true(first[0] == points[0].x && first[1] == points[0].y && first[2] == points[0].z);  // it began at 0
    const unsigned char *end = moved + 8 + POINT_COUNT * 24;
    assert_true((strstr((char *)bytes, "Name=\"J\"") != NULL) == (cases[c].type == 10));
    if (cases[c].type == 10) {
      double ratio;
      assert_int_equal(little(end, 8), 8);
      memcpy(&ratio, end + 8, sizeof ratio);
      check_near(ratio, 1, 1e-12);  // the frames are the tets moved as they are
      end += 16;
    }
    assert_memory_equal(end, "\n</AppendedData>", 16);
    read_all(p.path, ".pvd", bytes, sizeof bytes);
    assert_non_null(strstr((char *)bytes, "timestep=\"0.5\" part=\"0\" file=\"run_0001.vtu\""));
    assert_non_null(strstr((char *)bytes, "file=\"run_0003.vtu\""));
    assert_null(strstr((char *)bytes, "file=\"run_0004.vtu\""));
    assert_int_equal(drop_place(&p), 4);
  }
  drop_context(context);
}

// What an array of a VTU file holds, by its name.
static const unsigned char *find_array(const unsigned char *bytes, size_t size, const char *name, size_t number_count) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "Name=\"%s\"", name);
  const char *head = strstr((const char *)bytes, quoted);
  if (head == NULL) fail_msg("there is no array %s", name);
  const unsigned char *data = memmem(bytes, size, "encoding=\"raw\">\n_", 17);
  const unsigned char *array = data + 17 + strtol(strstr(head, "offset=\"") + 8, NULL, 10);
  assert_int_equal(little(array, 8), 8 * number_count);
  return array + 8;
}

static void vtu_frames_hold_fields(void **state) {
  (void)state;
  static const char *const names[2] = {"a", "b \"c\""};
  pl_context *context = make_context(1);
  for (int tet_count = 0; tet_count <= 1; ++tet_count) {
    place p = make_place();
    pl_error error = {0};
    pl_frames_def def = make_def(PL_FRAMES_VTU, p.path);
    def.tets = tets;
    def.tet_count = tet_count;
    double heat[POINT_COUNT], stress[12], weights[2];
    size_t cell_count = tet_count == 1 ? 1 : 2;
    const pl_frame_field fields[3] = {
        {"stress", PL_FRAME_FIELD_CELLS, 6, NULL, stress},
        {"weights", PL_FRAME_FIELD_FRAME, 2, names, weights},
        {"heat & <cold>", PL_FRAME_FIELD_POINTS, 1, NULL, heat},
    };
    pl_frames *frames = NULL;
    check_ok(pl_frames_create(context, &def, &frames, &error), &error);
    pl_frames_set_fields(frames, fields, 3);
    for (int frame = 0; frame < 2; ++frame) {
      pl_vec3 points[POINT_COUNT];
      make_frame(frame, points);
      for (int i = 0; i < POINT_COUNT; ++i) heat[i] = 100 * frame + i;
      for (int i = 0; i < 12; ++i) stress[i] = -1000 * frame - i;
      weights[0] = 0.25 * frame, weights[1] = 0.5;
      pl_frames_set_velocities(frames, points);
      check_ok(pl_frames_add_frame(frames, points, &error), &error);
    }
    check_ok(pl_frames_close(frames, &error), &error);
    unsigned char bytes[4096];
    size_t size = read_all(p.path, "_0002.vtu", bytes, sizeof bytes);
    assert_memory_equal(find_array(bytes, size, "heat &amp; &lt;cold&gt;", POINT_COUNT), heat, sizeof heat);
    assert_memory_equal(find_array(bytes, size, "stress", 6 * cell_count), stress, 48 * cell_count);
    assert_memory_equal(find_array(bytes, size, "weights", 2), weights, sizeof weights);
    find_array(bytes, size, "velocity", 3 * POINT_COUNT);
    if (tet_count == 1) find_array(bytes, size, "J", 1);
    // Fields of the frame stand before the piece, those of points and cells inside, each at its place.
    const char *text = (const char *)bytes, *piece = strstr(text, "<Piece");
    assert_non_null(strstr(text, "ComponentName0=\"a\" ComponentName1=\"b &quot;c&quot;\" NumberOfTuples=\"1\""));
    assert_true(strstr(text, "Name=\"weights\"") < piece && piece < strstr(text, "Name=\"heat"));
    assert_true(strstr(text, "Name=\"heat") < strstr(text, "</PointData>"));
    assert_true(strstr(text, "<CellData>") < strstr(text, "Name=\"stress\""));
    // The last array ends where the data do.
    const unsigned char *end = find_array(bytes, size, "stress", 6 * cell_count) + 48 * cell_count;
    assert_memory_equal(end, "\n</AppendedData>", 16);
    assert_int_equal(drop_place(&p), 3);
  }
  drop_context(context);
}

static void obj_ply_and_csv_hold_the_points(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  place p = make_place();
  pl_error error = {0};
  for (int format = PL_FRAMES_OBJ; format <= PL_FRAMES_CSV; ++format) {
    pl_frames_def def = make_def((pl_frame_format)format, p.path);
    check_ok(write_run(context, &def, 2, &error), &error);
  }
  unsigned char bytes[4096];
  read_all(p.path, "_0001.obj", bytes, sizeof bytes);
  assert_string_equal(bytes, "o my \"box\"\nv 0 0 0\nv 1 0 0\nv 2 0 1\nv 3 1 0\nf 1 2 3\nf 1 3 4\n");
  size_t size = read_all(p.path, "_0002.ply", bytes, sizeof bytes);
  const unsigned char *body = memmem(bytes, size, "end_header\n", 11);
  assert_non_null(body);
  body += 11;
  assert_int_equal(bytes + size - body, POINT_COUNT * 12 + 2 * 13);
  float x;
  memcpy(&x, body + 12, 4);
  check_near((double)x, 1.25, 0);
  assert_int_equal(body[48], 3);
  read_all(p.path, ".csv", bytes, sizeof bytes);
  assert_memory_equal(bytes, "frame,time,point,x,y,z\n1,0.5,0,0,0,0\n1,0.5,1,1,0,0\n", 51);
  const char *row = strstr((char *)bytes, "\n2,");
  assert_non_null(row);
  char *end = NULL;
  check_near(strtod(row + 3, &end), 0.5 + 1 / 24.0, 0);
  assert_memory_equal(end, ",0,0.25,-0.5,0\n2,", 17);
  assert_int_equal(drop_place(&p), 5);
  drop_context(context);
}

// Two of three announced frames: shape, data and the directory at the end say so. python/tests reads one by NumPy.
// The numbers of the time sample `frame` of an attribute, in a text whose lines are one sample each.
static void read_sample(const char *text, const char *attribute, int frame, double *numbers, int count) {
  char label[32];
  const char *at = strstr(text, attribute);
  assert_non_null(at);
  snprintf(label, sizeof label, "        %d: [", frame);
  at = strstr(at, label);
  assert_non_null(at);
  at += strlen(label);
  for (int i = 0; i < count; ++i) {
    at += strspn(at, "(), ");
    char *end;
    numbers[i] = strtod(at, &end);
    assert_true(end != at);
    at = end;
  }
  assert_true(strncmp(at, ")],\n", 4) == 0);
}

static void usd_holds_samples_also_when_the_run_was_short(void **state) {
  (void)state;
  for (int written = 2; written <= FRAME_COUNT; written += 3) {
    place p = make_place();
    pl_context *context = make_context(1);
    pl_frames_def def = make_def(PL_FRAMES_USDA, p.path);
    pl_frames *frames = NULL;
    pl_error error = {0};
    check_ok(pl_frames_create(context, &def, &frames, &error), &error);
    for (int frame = 0; frame < written; ++frame) {
      pl_vec3 points[POINT_COUNT], velocities[POINT_COUNT];
      make_frame(frame, points);
      for (int i = 0; i < POINT_COUNT; ++i) velocities[i] = (pl_vec3){i, frame, -0.5};
      pl_frames_set_velocities(frames, velocities);
      check_ok(pl_frames_add_frame(frames, points, &error), &error);
    }
    check_ok(pl_frames_close(frames, &error), &error);
    char path[64], text[8192] = "", wanted[64];
    snprintf(path, sizeof path, "%s.usda", p.path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_true(strncmp(text, "#usda 1.0\n", 10) == 0);
    snprintf(wanted, sizeof wanted, "endTimeCode = %d ", written - 1);
    assert_non_null(strstr(text, wanted));
    assert_non_null(strstr(text, "timeCodesPerSecond = 24\n"));
    assert_non_null(strstr(text, "def Mesh \"my__box_\""));
    assert_non_null(strstr(text, "faceVertexIndices = [0, 1, 2, 0, 2, 3]"));
    for (int frame = 0; frame < written; ++frame) {
      double numbers[3 * POINT_COUNT];
      pl_vec3 points[POINT_COUNT];
      make_frame(frame, points);
      read_sample(text, "point3f[] points.timeSamples", frame, numbers, 3 * POINT_COUNT);
      for (int i = 0; i < POINT_COUNT; ++i) {
        check_near(numbers[3 * i], points[i].x, 0);
        check_near(numbers[3 * i + 2], points[i].z, 0);
      }
      read_sample(text, "vector3f[] velocities.timeSamples", frame, numbers, 3 * POINT_COUNT);
      check_near(numbers[3], 1, 0);
      check_near(numbers[4], frame, 0);
      read_sample(text, "float3[] extent.timeSamples", frame, numbers, 6);
      check_near(numbers[0], 0.25 * frame, 1e-6);
      check_near(numbers[3], 3 + 0.25 * frame, 1e-6);
    }
    assert_null(strstr(strstr(text, "point3f[]"), "        5: ["));
    drop_context(context);
    assert_int_equal(drop_place(&p), 1);
  }
}

static void npz_holds_arrays_also_when_the_run_was_short(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  place p = make_place();
  pl_error error = {0};
  pl_frames_def def = make_def(PL_FRAMES_NPZ, p.path);
  check_ok(write_run(context, &def, 2, &error), &error);
  unsigned char bytes[4096];
  size_t size = read_all(p.path, ".npz", bytes, sizeof bytes);
  assert_memory_equal(bytes, "PK\x03\x04", 4);
  const size_t head = 30 + strlen("positions.npy") + 20;
  assert_memory_equal(bytes + head, "\x93NUMPY", 6);
  char shape[32];
  snprintf(shape, sizeof shape, "'shape': (2, %d, 3)", POINT_COUNT);
  assert_non_null(memmem(bytes + head, 128, shape, strlen(shape)));
  pl_vec3 points[2][POINT_COUNT];
  memcpy(points, bytes + head + 128, sizeof points);
  for (int i = 0; i < 2; ++i) check_frame(points[i], i, 0);
  const char *const others[] = {"times.npy", "triangles.npy", "tets.npy"};
  for (int i = 0; i < 3; ++i) assert_non_null(memmem(bytes, size, others[i], strlen(others[i])));
  assert_memory_equal(bytes + size - 22, "PK\x05\x06", 4);
  assert_int_equal(drop_place(&p), 1);
  drop_context(context);
}

// A table and arrays have columns and an array for velocities where the caller sets them.
static void velocities_come_with_the_points(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static const pl_frame_format formats[] = {PL_FRAMES_CSV, PL_FRAMES_NPZ};
  for (int f = 0; f < 2; ++f) {
    place p = make_place();
    pl_error error = {0};
    pl_frames_def def = make_def(formats[f], p.path);
    pl_frames *frames = NULL;
    pl_vec3 points[POINT_COUNT] = {{0, 0, 0}}, velocities[POINT_COUNT];
    for (int i = 0; i < POINT_COUNT; ++i) velocities[i] = (pl_vec3){i, -0.5, 0.25};
    check_ok(pl_frames_create(context, &def, &frames, &error), &error);
    for (int n = 0; n < 2; ++n) {
      pl_frames_set_velocities(frames, velocities);
      check_ok(pl_frames_add_frame(frames, points, &error), &error);
    }
    check_ok(pl_frames_close(frames, &error), &error);
    unsigned char bytes[4096];
    size_t size = read_all(p.path, f == 0 ? ".csv" : ".npz", bytes, sizeof bytes);
    const char *head = "frame,time,point,x,y,z,vx,vy,vz\n1,0.5,0,0,0,0,0,-0.5,0.25\n1,0.5,1,0,0,0,1,-0.5,0.25\n";
    if (f == 0) assert_memory_equal(bytes, head, strlen(head));
    if (f == 1) {
      const unsigned char *entry = memmem(bytes, size, "velocities.npy", 14);
      assert_non_null(entry);
      char shape[64];
      snprintf(shape, sizeof shape, "'shape': (2, %d, 3)", POINT_COUNT);
      entry = memmem(entry, (size_t)(bytes + size - entry), "\x93NUMPY", 6);
      assert_non_null(memmem(entry, 128, "<f4", 3));
      assert_non_null(memmem(entry, 128, shape, strlen(shape)));
      float found[2][POINT_COUNT][3];
      memcpy(found, entry + 128, sizeof found);
      for (int n = 0; n < 2; ++n)
        for (int i = 0; i < POINT_COUNT; ++i)
          assert_true(found[n][i][0] == (float)i && found[n][i][1] == -0.5f && found[n][i][2] == 0.25f);
    }
    assert_int_equal(drop_place(&p), 1);
  }
  drop_context(context);
}

// The mesh readers are other code than the frame writers: what they read back was written right.
static void frames_in_files_of_their_own_are_meshes(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static const pl_frame_format formats[] = {PL_FRAMES_VTU, PL_FRAMES_OBJ, PL_FRAMES_PLY};
  for (int f = 0; f < 3; ++f) {
    for (int with_tets = 0; with_tets < (f == 0 ? 2 : 1); ++with_tets) {
      place p = make_place();
      pl_error error = {0};
      pl_frames_def def = make_def(formats[f], p.path);
      def.tets = tets;
      def.tet_count = with_tets;
      check_ok(write_run(context, &def, 3, &error), &error);
      for (int i = 0; i < 3; ++i) {
        char name[80];
        snprintf(name, sizeof name, "%s_%04d.%s", p.path, i + 1, pl_frame_format_name(formats[f]));
        pl_mesh *mesh = NULL;
        check_ok(pl_mesh_load(context, name, &mesh, NULL, &error), &error);
        pl_mesh_view view = pl_mesh_get_view(mesh);
        assert_int_equal(view.point_count, POINT_COUNT);
        check_frame(view.points, i, f == 2 ? 1e-6 : 1e-15);
        assert_int_equal(view.tet_count, with_tets);
        assert_int_equal(view.triangle_count, with_tets ? 0 : 2);
        if (!with_tets) assert_memory_equal(view.triangles, triangles, sizeof triangles);
        pl_mesh_destroy(mesh);
      }
      drop_place(&p);
    }
  }
  drop_context(context);
}

static void nothing_appears_before_close_and_nothing_after_abandon(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static const pl_frame_format formats[] = {PL_FRAMES_PC2, PL_FRAMES_MDD, PL_FRAMES_GLB, PL_FRAMES_CSV, PL_FRAMES_NPZ};
  for (int i = 0; i < 5; ++i) {
    place p = make_place();
    char name[64];
    snprintf(name, sizeof name, "%s.%s", p.path, pl_frame_format_name(formats[i]));
    pl_error error = {0};
    pl_frames_def def = make_def(formats[i], p.path);
    pl_frames *frames = NULL;
    check_ok(pl_frames_create(context, &def, &frames, &error), &error);
    pl_vec3 points[POINT_COUNT];
    make_frame(0, points);
    check_ok(pl_frames_add_frame(frames, points, &error), &error);
    assert_int_not_equal(access(name, F_OK), 0);
    pl_frames_abandon(frames);
    // A writer without frames leaves nothing either.
    check_ok(pl_frames_create(context, &def, &frames, &error), &error);
    assert_int_equal(pl_frames_close(frames, &error), PL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(drop_place(&p), 0);
  }
  drop_context(context);
}

static void wrong_input_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  place p = make_place();
  pl_frames *frames = NULL;
  pl_error error = {0};
  pl_frames_def good = make_def(PL_FRAMES_PC2, p.path), def = {0};
  assert_int_equal(pl_frames_create(context, &def, &frames, &error), PL_ERROR_INVALID_ARGUMENT);
  def = good, def.format = (pl_frame_format)99;
  assert_int_equal(pl_frames_create(context, &def, &frames, &error), PL_ERROR_INVALID_ARGUMENT);
  def = good, def.frame_rate = 0;
  assert_int_equal(pl_frames_create(context, &def, &frames, &error), PL_ERROR_INVALID_ARGUMENT);
  def = good, def.point_count = 3;
  assert_int_equal(pl_frames_create(context, &def, &frames, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "triangle 1"));
  def = good, def.path = "/nowhere/at/all/x";
  assert_int_equal(pl_frames_create(context, &def, &frames, &error), PL_ERROR_NOT_FOUND);
  def = good, def.format = PL_FRAMES_GLB, def.triangle_count = 0;
  assert_int_equal(pl_frames_create(context, &def, &frames, &error), PL_ERROR_UNSUPPORTED);
  assert_null(frames);
  check_ok(pl_frames_create(context, &good, &frames, &error), &error);
  pl_vec3 points[POINT_COUNT] = {{0, 0, 0}, {0, (double)NAN, 0}};
  assert_int_equal(pl_frames_add_frame(frames, points, &error), PL_ERROR_INVALID_ARGUMENT);
  points[1].y = 1e39;
  assert_int_equal(pl_frames_add_frame(frames, points, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "point 1 of frame 1"));
  points[1].y = 0;
  for (int i = 0; i < FRAME_COUNT; ++i) check_ok(pl_frames_add_frame(frames, points, &error), &error);
  assert_int_equal(pl_frames_add_frame(frames, points, &error), PL_ERROR_INVALID_ARGUMENT);
  check_ok(pl_frames_close(frames, &error), &error);
  drop_place(&p);
  assert_int_equal(pl_frame_format_find("vtu"), PL_FRAMES_VTU);
  assert_int_equal(pl_frame_format_find("mp3"), 0);
  drop_context(context);
}

static void every_failed_allocation_leaves_nothing(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  for (int format = PL_FRAMES_PC2; format <= PL_FRAMES_USDA; ++format) {
    for (int64_t n = 1;; ++n) {
      place p = make_place();
      pl_error error = {0};
      pl_frames_def def = make_def((pl_frame_format)format, p.path);
      allocator.fail_at = allocator.call_count + n;
      pl_status status = write_run(context, &def, 3, &error);
      bool failed = allocator.call_count >= allocator.fail_at;
      allocator.fail_at = 0;
      assert_int_equal(status, failed ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
      assert_int_equal(pl_context_get_memory_report(context).block_count, 0);
      int file_count = drop_place(&p);
      bool one_file = format <= PL_FRAMES_GLB || format >= PL_FRAMES_CSV;
      if (one_file) assert_int_equal(file_count, failed ? 0 : 1);
      if (!failed) break;
    }
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(point_caches_read_back_also_when_the_run_was_short),
      cmocka_unit_test(pc2_has_the_header_that_blender_expects),
      cmocka_unit_test(glb_frames_are_morph_targets),
      cmocka_unit_test(vtu_frames_hold_cells_and_times),
      cmocka_unit_test(vtu_frames_hold_fields),
      cmocka_unit_test(obj_ply_and_csv_hold_the_points),
      cmocka_unit_test(usd_holds_samples_also_when_the_run_was_short),
      cmocka_unit_test(npz_holds_arrays_also_when_the_run_was_short),
      cmocka_unit_test(velocities_come_with_the_points),
      cmocka_unit_test(frames_in_files_of_their_own_are_meshes),
      cmocka_unit_test(nothing_appears_before_close_and_nothing_after_abandon),
      cmocka_unit_test(wrong_input_is_refused),
      cmocka_unit_test(every_failed_allocation_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
