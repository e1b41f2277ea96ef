// Which format is it, and which reader reads it. The content decides: files come with wrong endings, and .mesh and .msh
// mean different things to different programs.
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "io/gltf.h"
#include "io/mesh_formats.h"
#include "text/text_cursor.h"

static const struct {
  const char *name;
  pl_format_read_function *read;  // NULL for glTF, which is read by its own rules
} formats[] = {
    [PL_MESH_FORMAT_UNKNOWN] = {"unknown", NULL},
    [PL_MESH_FORMAT_OBJ] = {"obj", pl_obj_read},
    [PL_MESH_FORMAT_PLY] = {"ply", pl_ply_read},
    [PL_MESH_FORMAT_STL] = {"stl", pl_stl_read},
    [PL_MESH_FORMAT_GMSH] = {"gmsh", pl_gmsh_read},
    [PL_MESH_FORMAT_TETGEN] = {"tetgen", pl_tetgen_read},
    [PL_MESH_FORMAT_VTK] = {"vtk", pl_vtk_read},
    [PL_MESH_FORMAT_VTU] = {"vtu", pl_vtu_read},
    [PL_MESH_FORMAT_MEDIT] = {"medit", pl_medit_read},
    [PL_MESH_FORMAT_GLTF] = {"gltf", NULL},
    [PL_MESH_FORMAT_GLB] = {"glb", NULL},
    [PL_MESH_FORMAT_ABAQUS] = {"abaqus", pl_abaqus_read},
};

const char *pl_mesh_format_name(pl_mesh_format format) {
  if ((unsigned)format >= sizeof formats / sizeof formats[0]) return formats[PL_MESH_FORMAT_UNKNOWN].name;
  return formats[format].name;
}

static bool contains(const char *text, size_t size, const char *word) {
  size_t length = strlen(word);
  for (size_t i = 0; i + length <= size; ++i) {
    const char *found = memchr(text + i, word[0], size - length - i + 1);
    if (found == NULL) return false;
    if (memcmp(found, word, length) == 0) return true;
    i = (size_t)(found - text);
  }
  return false;
}

static bool starts_with(pl_word word, const char *text) {
  size_t length = strlen(text);
  return word.length >= length && pl_word_is_any_case((pl_word){word.text, length}, text);
}

// Binary Medit begins with the number 1 and a version from 1 to 4, in either byte order.
static bool is_binary_medit(const unsigned char *bytes, size_t size) {
  if (size < 8) return false;
  bool little =
      memcmp(bytes, "\1\0\0\0", 4) == 0 && bytes[4] >= 1 && bytes[4] <= 4 && memcmp(bytes + 5, "\0\0\0", 3) == 0;
  bool big = memcmp(bytes, "\0\0\0\1", 4) == 0 && bytes[7] >= 1 && bytes[7] <= 4 && memcmp(bytes + 4, "\0\0\0", 3) == 0;
  return little || big;
}

static bool is_obj_keyword(pl_word word) {
  static const char *const keywords[] = {
      "v",     "vt",     "vn",     "vp",     "f",        "l",        "p",   "o",          "g",        "s",
      "mg",    "mtllib", "usemtl", "maplib", "usemap",   "cstype",   "deg", "bmat",       "step",     "curv",
      "curv2", "surf",   "fo",     "bevel",  "c_interp", "d_interp", "lod", "shadow_obj", "trace_obj"};
  for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; ++i)
    if (pl_word_is(word, keywords[i])) return true;
  return false;
}

// The first line of a .node file: number of points, dimension 2 or 3, number of attributes, 0 or 1. Of an .ele file:
// number of tets, 4 or 10 corners, number of attributes.
static bool is_tetgen_head(pl_text_cursor cursor) {
  pl_word word;
  int64_t numbers[4] = {0};
  int count = 0;
  while (count < 4 && pl_text_take_word_in_line(&cursor, &word))
    if (!pl_word_integer(word, &numbers[count++])) return false;
  if (count == 4 && pl_text_skip_blanks(&cursor)) return false;
  bool node = numbers[1] == 2 || numbers[1] == 3;
  bool ele = numbers[1] == 4 || numbers[1] == 10;
  return count >= 2 && numbers[0] >= 0 && (node || ele) && numbers[2] >= 0 && (numbers[3] == 0 || numbers[3] == 1);
}

static pl_mesh_format detect_text(const pl_mesh_source *source) {
  pl_text_cursor cursor = pl_text_cursor_at(source, 0, '\0');
  pl_text_skip_space(&cursor);
  const char *text = cursor.at;
  size_t size = (size_t)(cursor.end - cursor.at);
  pl_word all = {text, size};
  if (starts_with(all, "# vtk DataFile")) return PL_MESH_FORMAT_VTK;
  if (starts_with(all, "solid") && (size == 5 || memchr(" \t\r\n", text[5], 4) != NULL)) return PL_MESH_FORMAT_STL;
  if (size > 0 && text[0] == '$')
    return contains(text, size, "$MeshFormat") || starts_with(all, "$NOD") || starts_with(all, "$Nodes")
               ? PL_MESH_FORMAT_GMSH
               : PL_MESH_FORMAT_UNKNOWN;
  if (size > 0 && text[0] == '*')
    return contains(text, size, "*NODE") || contains(text, size, "*Node") || contains(text, size, "*node")
               ? PL_MESH_FORMAT_ABAQUS
               : PL_MESH_FORMAT_UNKNOWN;
  if (size > 0 && text[0] == '<')
    return contains(text, size < 65536 ? size : 65536, "<VTKFile") ? PL_MESH_FORMAT_VTU : PL_MESH_FORMAT_UNKNOWN;
  if (size > 0 && text[0] == '{') {
    bool gltf = contains(text, size, "\"asset\"") || contains(text, size, "\"accessors\"") ||
                contains(text, size, "\"bufferViews\"");
    return gltf ? PL_MESH_FORMAT_GLTF : PL_MESH_FORMAT_UNKNOWN;
  }
  cursor.comment = '#';
  pl_word word;
  if (!pl_text_skip_space(&cursor)) return PL_MESH_FORMAT_UNKNOWN;
  if (is_tetgen_head(cursor)) return PL_MESH_FORMAT_TETGEN;
  if (!pl_text_take_word(&cursor, &word)) return PL_MESH_FORMAT_UNKNOWN;
  if (starts_with(word, "MeshVersion") || (pl_word_is_any_case(word, "Dimension"))) return PL_MESH_FORMAT_MEDIT;
  return is_obj_keyword(word) ? PL_MESH_FORMAT_OBJ : PL_MESH_FORMAT_UNKNOWN;
}

pl_mesh_format pl_mesh_format_detect(const void *bytes, size_t size) {
  const unsigned char *data = bytes;
  if (size >= 4 && memcmp(data, "glTF", 4) == 0) return PL_MESH_FORMAT_GLB;
  if (size >= 4 && memcmp(data, "ply", 3) == 0 && (data[3] == '\n' || data[3] == '\r' || data[3] == ' '))
    return PL_MESH_FORMAT_PLY;
  if (is_binary_medit(data, size)) return PL_MESH_FORMAT_MEDIT;
  pl_mesh_source source = {.bytes = data, .size = size, .name = ""};
  pl_mesh_format format = detect_text(&source);
  // Binary STL has no mark of its own and may begin with any words, "solid" included; other binary formats begin with
  // theirs.
  bool is_weak = format == PL_MESH_FORMAT_UNKNOWN || format == PL_MESH_FORMAT_STL || format == PL_MESH_FORMAT_OBJ ||
                 format == PL_MESH_FORMAT_TETGEN;
  return is_weak && pl_stl_is_binary(data, size) ? PL_MESH_FORMAT_STL : format;
}

static pl_status fail_unknown(const pl_mesh_source *source) {
  if (source->size == 0)
    return pl_fail_at(source->error, PL_ERROR_INVALID_DATA, source->name, 0, 0, "the file is empty");
  return pl_fail_at(source->error, PL_ERROR_UNSUPPORTED, source->name, 0, 0,
                    "this is not a mesh file in a known format; save it as OBJ, PLY, STL, glTF, Gmsh, TetGen, VTK, "
                    "VTU, Medit or Abaqus");
}

static pl_status read_source(pl_mesh_source *source, pl_mesh **mesh) {
  *mesh = NULL;
  pl_mesh_format format = pl_mesh_format_detect(source->bytes, source->size);
  if (format == PL_MESH_FORMAT_UNKNOWN) return fail_unknown(source);
  if (formats[format].read == NULL) {
    char *folder = NULL;
    if (source->path != NULL) {
      folder = pl_path_folder(source->context, source->path);
      if (folder == NULL) return pl_source_fail_memory(source);
    }
    pl_status status = pl_gltf_read(source->context, source->bytes, source->size, source->name, folder, mesh,
                                    source->findings, source->error);
    pl_release(source->context, folder);
    return status;
  }
  pl_mesh_builder builder;
  pl_mesh_builder_init(&builder, source);
  pl_status status = formats[format].read(source, &builder);
  if (status >= 0) status = pl_mesh_builder_finish(&builder, mesh);
  pl_mesh_builder_free(&builder);
  return status;
}

pl_status pl_mesh_load(pl_context *context, const char *path, pl_mesh **mesh, pl_findings *findings, pl_error *error) {
  *mesh = NULL;
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  pl_mesh_source source = {.context = context,
                           .bytes = bytes.data,
                           .size = bytes.size,
                           .name = path,
                           .path = path,
                           .findings = findings,
                           .error = error};
  status = read_source(&source, mesh);
  pl_bytes_free(&bytes);
  return status;
}

pl_status pl_mesh_load_memory(pl_context *context, const pl_memory_source *memory, pl_mesh **mesh,
                              pl_findings *findings, pl_error *error) {
  pl_mesh_source source = {.context = context,
                           .bytes = memory->bytes,
                           .size = memory->size,
                           .name = memory->name,
                           .findings = findings,
                           .error = error};
  return read_source(&source, mesh);
}
