// Writers of formats that hold segments, triangles and tets, all as text: Gmsh 2.2, legacy VTK 3.0, Medit 2, TetGen,
// Abaqus.
// These versions are what the most programs read.
#include <stdio.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "io/mesh_formats.h"
#include "pliant/math.h"

static void print_point(pl_file_writer *writer, pl_vec3 p) {
  pl_file_writer_number(writer, p.x);
  pl_file_writer_print(writer, " ");
  pl_file_writer_number(writer, p.y);
  pl_file_writer_print(writer, " ");
  pl_file_writer_number(writer, p.z);
}

// Corners, counted from `base`, with a blank before each.
static void print_corners(pl_file_writer *writer, const int32_t *corners, int corner_count, int32_t base) {
  for (int i = 0; i < corner_count; ++i) pl_file_writer_print(writer, " %d", corners[i] + base);
}

static int32_t tag_of(const pl_mesh_view *view, int32_t tet) {
  return view->tet_tags == NULL ? 0 : view->tet_tags[tet];
}

// The three kinds of elements in the order they are written.
typedef struct element_kind {
  int32_t count;
  const int32_t *corners;
  int corner_count;
  const int32_t *mids;  // six per element, or NULL
} element_kind;

static void list_kinds(const pl_mesh_view *view, element_kind kinds[3]) {
  kinds[0] = (element_kind){view->segment_count, view->segments, 2, NULL};
  kinds[1] = (element_kind){view->triangle_count, view->triangles, 3, NULL};
  kinds[2] = (element_kind){view->tet_count, view->tets, 4, view->tet_mids};
}

static void write_gmsh(pl_file_writer *writer, const pl_mesh_view *view) {
  const int types[3] = {1, 2, view->tet_mids != NULL ? 11 : 4};
  element_kind kinds[3];
  list_kinds(view, kinds);
  pl_file_writer_print(writer, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", view->point_count);
  for (int32_t i = 0; i < view->point_count; ++i) {
    pl_file_writer_print(writer, "%d ", i + 1);
    print_point(writer, view->points[i]);
    pl_file_writer_print(writer, "\n");
  }
  int64_t element_count = (int64_t)view->segment_count + view->triangle_count + view->tet_count, number = 0;
  pl_file_writer_print(writer, "$EndNodes\n$Elements\n%lld\n", (long long)element_count);
  for (int kind = 0; kind < 3; ++kind) {
    for (int32_t i = 0; i < kinds[kind].count; ++i) {
      int32_t tag = kind == 2 ? tag_of(view, i) : 0;
      pl_file_writer_print(writer, "%lld %d 2 %d %d", (long long)++number, types[kind], tag, tag);
      print_corners(writer, kinds[kind].corners + (size_t)kinds[kind].corner_count * (size_t)i,
                    kinds[kind].corner_count, 1);
      if (kinds[kind].mids != NULL) {
        // Gmsh has the edge 2-3 before 1-3.
        const int32_t *m = kinds[kind].mids + 6 * (size_t)i;
        print_corners(writer, (const int32_t[6]){m[0], m[1], m[2], m[3], m[5], m[4]}, 6, 1);
      }
      pl_file_writer_print(writer, "\n");
    }
  }
  pl_file_writer_print(writer, "$EndElements\n");
}

// VTK ends a name at a blank; odd characters are written as %XX, as VTK itself does.
static void print_vtk_name(pl_file_writer *writer, const char *name) {
  for (const unsigned char *at = (const unsigned char *)name; *at != '\0'; ++at) {
    bool plain = *at > ' ' && *at < 127 && *at != '"' && *at != '%';
    pl_file_writer_print(writer, plain ? "%c" : "%%%02X", *at);
  }
}

static void write_vtk_poses(pl_file_writer *writer, const pl_mesh_view *view) {
  if (view->pose_count > 0 || view->group_count > 0) pl_file_writer_print(writer, "POINT_DATA %d\n", view->point_count);
  for (int32_t pose = 0; pose < view->pose_count; ++pose) {
    pl_file_writer_print(writer, "VECTORS " PL_POSE_PREFIX);
    print_vtk_name(writer, view->poses[pose].name);
    pl_file_writer_print(writer, " double\n");
    for (int32_t i = 0; i < view->point_count; ++i) {
      print_point(writer, pl_vec3_sub(view->poses[pose].points[i], view->points[i]));
      pl_file_writer_print(writer, "\n");
    }
  }
  if (view->group_count > 0) pl_file_writer_print(writer, "FIELD groups %d\n", view->group_count);
  for (int32_t group = 0; group < view->group_count; ++group) {
    pl_file_writer_print(writer, PL_GROUP_PREFIX);
    print_vtk_name(writer, view->groups[group].name);
    pl_file_writer_print(writer, " 1 %d float\n", view->point_count);
    for (int32_t i = 0; i < view->point_count; ++i) {
      char number[PL_NUMBER_SIZE];
      pl_number_write((double)view->groups[group].weights[i], number);
      pl_file_writer_print(writer, "%s\n", number);
    }
  }
}

static void write_vtk(pl_file_writer *writer, const pl_mesh_view *view) {
  const int types[3] = {3, 5, view->tet_mids != NULL ? 24 : 10};
  element_kind kinds[3];
  list_kinds(view, kinds);
  int64_t cell_count = 0, number_count = 0;
  for (int kind = 0; kind < 3; ++kind) {
    cell_count += kinds[kind].count;
    number_count += (int64_t)kinds[kind].count * (kinds[kind].corner_count + 1 + (kinds[kind].mids != NULL ? 6 : 0));
  }
  pl_file_writer_print(writer,
                       "# vtk DataFile Version 3.0\nPliant %s\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n",
                       pl_version(), view->point_count);
  for (int32_t i = 0; i < view->point_count; ++i) {
    print_point(writer, view->points[i]);
    pl_file_writer_print(writer, "\n");
  }
  pl_file_writer_print(writer, "CELLS %lld %lld\n", (long long)cell_count, (long long)number_count);
  for (int kind = 0; kind < 3; ++kind) {
    for (int32_t i = 0; i < kinds[kind].count; ++i) {
      pl_file_writer_print(writer, "%d", kinds[kind].corner_count + (kinds[kind].mids != NULL ? 6 : 0));
      print_corners(writer, kinds[kind].corners + (size_t)kinds[kind].corner_count * (size_t)i,
                    kinds[kind].corner_count, 0);
      if (kinds[kind].mids != NULL) print_corners(writer, kinds[kind].mids + 6 * (size_t)i, 6, 0);
      pl_file_writer_print(writer, "\n");
    }
  }
  pl_file_writer_print(writer, "CELL_TYPES %lld\n", (long long)cell_count);
  for (int kind = 0; kind < 3; ++kind)
    for (int32_t i = 0; i < kinds[kind].count; ++i) pl_file_writer_print(writer, "%d\n", types[kind]);
  write_vtk_poses(writer, view);
  if (view->tet_tags == NULL) return;
  pl_file_writer_print(writer, "CELL_DATA %lld\nSCALARS tag int 1\nLOOKUP_TABLE default\n", (long long)cell_count);
  for (int kind = 0; kind < 3; ++kind)
    for (int32_t i = 0; i < kinds[kind].count; ++i)
      pl_file_writer_print(writer, "%d\n", kind == 2 ? tag_of(view, i) : 0);
}

static void write_medit(pl_file_writer *writer, const pl_mesh_view *view) {
  static const char *const names[3] = {"Edges", "Triangles", "Tetrahedra"};
  element_kind kinds[3];
  list_kinds(view, kinds);
  pl_file_writer_print(writer, "MeshVersionFormatted 2\n\nDimension 3\n\nVertices\n%d\n", view->point_count);
  for (int32_t i = 0; i < view->point_count; ++i) {
    print_point(writer, view->points[i]);
    pl_file_writer_print(writer, " 0\n");
  }
  for (int kind = 0; kind < 3; ++kind) {
    if (kinds[kind].count == 0) continue;
    pl_file_writer_print(writer, "\n%s\n%d\n", names[kind], kinds[kind].count);
    for (int32_t i = 0; i < kinds[kind].count; ++i) {
      print_corners(writer, kinds[kind].corners + (size_t)kinds[kind].corner_count * (size_t)i,
                    kinds[kind].corner_count, 1);
      pl_file_writer_print(writer, " %d\n", kind == 2 ? tag_of(view, i) : 0);
    }
  }
  pl_file_writer_print(writer, "\nEnd\n");
}

typedef void write_function(pl_file_writer *writer, const pl_mesh_view *view);

static pl_status write_file(pl_context *context, const char *path, const pl_mesh *mesh, write_function *write,
                            pl_error *error) {
  pl_file_writer *writer = NULL;
  pl_status status = pl_file_writer_open(context, path, &writer, error);
  if (status < 0) return status;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  write(writer, &view);
  return pl_file_writer_commit(writer, error);
}

pl_status pl_gmsh_write(pl_context *context, const char *path, const pl_mesh *mesh, pl_error *error) {
  return write_file(context, path, mesh, write_gmsh, error);
}

pl_status pl_vtk_write(pl_context *context, const char *path, const pl_mesh *mesh, pl_error *error) {
  return write_file(context, path, mesh, write_vtk, error);
}

// Formats that are written with linear tets only: the corners of quadratic ones.
static pl_status write_linear(pl_context *context, const char *path, const pl_mesh *mesh,
                              pl_format_write_function *write, pl_error *error) {
  pl_mesh *linear = NULL;
  pl_status status = pl_mesh_build_linear(context, mesh, &linear, error);
  if (status >= 0) status = write(context, path, linear, error);
  pl_mesh_destroy(linear);
  return status;
}

pl_status pl_medit_write(pl_context *context, const char *path, const pl_mesh *mesh, pl_error *error) {
  if (pl_mesh_get_view(mesh).tet_mids != NULL) return write_linear(context, path, mesh, pl_medit_write, error);
  return write_file(context, path, mesh, write_medit, error);
}

// With as many digits as 20 characters hold: CalculiX reads no more of a number, and would lose its exponent.
static void print_short(pl_file_writer *writer, double value) {
  char text[40];
  for (int digits = 17; digits > 0; --digits)
    if (snprintf(text, sizeof text, "%.*g", digits, value) <= 20) break;
  pl_file_writer_print(writer, ", %s", text);
}

// Abaqus and CalculiX: a set of elements for each kind and tag.
static void write_abaqus(pl_file_writer *writer, const pl_mesh_view *view) {
  static const char *const types[3] = {"T3D2", "S3", "C3D4"};
  element_kind kinds[3];
  list_kinds(view, kinds);
  pl_file_writer_print(writer, "*HEADING\nPliant %s\n*NODE, NSET=NALL\n", pl_version());
  for (int32_t i = 0; i < view->point_count; ++i) {
    pl_file_writer_print(writer, "%d", i + 1);
    print_short(writer, view->points[i].x);
    print_short(writer, view->points[i].y);
    print_short(writer, view->points[i].z);
    pl_file_writer_print(writer, "\n");
  }
  int64_t number = 0;
  for (int kind = 0; kind < 3; ++kind) {
    for (int32_t i = 0; i < kinds[kind].count; ++i) {
      int32_t tag = kind == 2 ? tag_of(view, i) : 0;
      if (i == 0 || (kind == 2 && tag != tag_of(view, i - 1)))
        pl_file_writer_print(writer, "*ELEMENT, TYPE=%s, ELSET=E%s%d\n",
                             kinds[kind].mids != NULL ? "C3D10" : types[kind], types[kind], tag);
      pl_file_writer_print(writer, "%lld", (long long)++number);
      for (int k = 0; k < kinds[kind].corner_count; ++k)
        pl_file_writer_print(writer, ", %d",
                             kinds[kind].corners[(size_t)kinds[kind].corner_count * (size_t)i + (size_t)k] + 1);
      for (int k = 0; kinds[kind].mids != NULL && k < 6; ++k)
        pl_file_writer_print(writer, ", %d", kinds[kind].mids[6 * (size_t)i + (size_t)k] + 1);
      pl_file_writer_print(writer, "\n");
    }
  }
}

pl_status pl_abaqus_write(pl_context *context, const char *path, const pl_mesh *mesh, pl_error *error) {
  return write_file(context, path, mesh, write_abaqus, error);
}

static void write_nodes(pl_file_writer *writer, const pl_mesh_view *view) {
  pl_file_writer_print(writer, "%d 3 0 0\n", view->point_count);
  for (int32_t i = 0; i < view->point_count; ++i) {
    pl_file_writer_print(writer, "%d ", i);
    print_point(writer, view->points[i]);
    pl_file_writer_print(writer, "\n");
  }
}

static void write_tets(pl_file_writer *writer, const pl_mesh_view *view) {
  pl_file_writer_print(writer, "%d 4 %d\n", view->tet_count, view->tet_tags != NULL);
  for (int32_t i = 0; i < view->tet_count; ++i) {
    pl_file_writer_print(writer, "%d", i);
    print_corners(writer, view->tets + 4 * (size_t)i, 4, 0);
    if (view->tet_tags != NULL) pl_file_writer_print(writer, " %d", view->tet_tags[i]);
    pl_file_writer_print(writer, "\n");
  }
}

static void write_sides(pl_file_writer *writer, int32_t count, const int32_t *corners, int corner_count) {
  pl_file_writer_print(writer, "%d 0\n", count);
  for (int32_t i = 0; i < count; ++i) {
    pl_file_writer_print(writer, "%d", i);
    print_corners(writer, corners + (size_t)corner_count * (size_t)i, corner_count, 0);
    pl_file_writer_print(writer, "\n");
  }
}

static void write_triangles(pl_file_writer *writer, const pl_mesh_view *view) {
  write_sides(writer, view->triangle_count, view->triangles, 3);
}

static void write_segments(pl_file_writer *writer, const pl_mesh_view *view) {
  write_sides(writer, view->segment_count, view->segments, 2);
}

// One of the files next to the .node. One that would be empty is written only over an older one, which would belong to
// another mesh.
static pl_status write_sibling(pl_context *context, const char *path, const char *ending, int32_t count,
                               const pl_mesh *mesh, write_function *write, pl_error *error) {
  char *sibling = pl_path_with_ending(context, path, ending);
  if (sibling == NULL) return pl_fail_memory(error);
  pl_status status = PL_OK;
  if (count > 0 || pl_file_exists(sibling)) status = write_file(context, sibling, mesh, write, error);
  pl_release(context, sibling);
  return status;
}

pl_status pl_tetgen_write(pl_context *context, const char *path, const pl_mesh *mesh, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (view.tet_mids != NULL) return write_linear(context, path, mesh, pl_tetgen_write, error);
  pl_status status = write_sibling(context, path, ".ele", view.tet_count, mesh, write_tets, error);
  if (status >= 0) status = write_sibling(context, path, ".face", view.triangle_count, mesh, write_triangles, error);
  if (status >= 0) status = write_sibling(context, path, ".edge", view.segment_count, mesh, write_segments, error);
  // The points come last: who finds them finds the rest.
  if (status >= 0) status = write_sibling(context, path, ".node", 1, mesh, write_nodes, error);
  return status;
}
