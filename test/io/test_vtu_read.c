// VTU files in every encoding, as VTK and other tools write them. Binary data is encoded here, by a second hand, not by
// the library.
// ctest: unit
#include <zlib.h>

#include "fixtures/mesh_file.h"

// How to write a file of one tet.
typedef struct vtu_style {
  bool appended, raw, compressed, big_endian, wide_head, head_apart;
} vtu_style;

static void put_base64(byte_buffer *to, const unsigned char *bytes, size_t size) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) {
    uint32_t bits =
        (uint32_t)bytes[i] << 16 | (i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0) | (i + 2 < size ? bytes[i + 2] : 0);
    char group[4] = {letters[bits >> 18], letters[bits >> 12 & 63], i + 1 < size ? letters[bits >> 6 & 63] : '=',
                     i + 2 < size ? letters[bits & 63] : '='};
    put_bytes(to, group, 4);
  }
}

// Head and data of one array, encoded.
static void put_array(byte_buffer *to, const byte_buffer *data, vtu_style style) {
  byte_buffer head = {.big_endian = style.big_endian}, body = {0};
  int width = style.wide_head ? 8 : 4;
  if (!style.compressed) {
    put_integer(&head, data->size, width);
    put_bytes(&body, data->bytes, data->size);
  } else {
    // Blocks of 16 bytes, the last one shorter.
    size_t block_count = (data->size + 15) / 16;
    put_integer(&head, block_count, width);
    put_integer(&head, 16, width);
    put_integer(&head, data->size % 16, width);
    for (size_t i = 0; i < block_count; ++i) {
      unsigned char packed[64];
      uLongf packed_size = sizeof packed;
      size_t size = data->size - 16 * i < 16 ? data->size - 16 * i : 16;
      assert_int_equal(compress(packed, &packed_size, data->bytes + 16 * i, (uLong)size), Z_OK);
      put_integer(&head, packed_size, width);
      put_bytes(&body, packed, packed_size);
    }
  }
  if (style.raw) {
    put_bytes(to, head.bytes, head.size);
    put_bytes(to, body.bytes, body.size);
  } else if (style.compressed || style.head_apart) {
    put_base64(to, head.bytes, head.size);
    put_base64(to, body.bytes, body.size);
  } else {
    put_bytes(&head, body.bytes, body.size);
    put_base64(to, head.bytes, head.size);
  }
}

static byte_buffer make_file(vtu_style style) {
  static const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const char *const tags[4] = {"Float32\" Name=\"Points\" NumberOfComponents=\"3", "Int32\" Name=\"connectivity",
                                      "Int64\" Name=\"offsets", "UInt8\" Name=\"types"};
  byte_buffer arrays[4], file = {0}, appended = {0};
  for (int i = 0; i < 4; ++i) arrays[i] = (byte_buffer){.big_endian = style.big_endian};
  for (int i = 0; i < 12; ++i) put_float(&arrays[0], (float)x[i / 3][i % 3]);
  for (uint32_t i = 0; i < 4; ++i) put_integer(&arrays[1], i, 4);
  put_integer(&arrays[2], 4, 8);
  put_integer(&arrays[3], 10, 1);
  char text[512];
  snprintf(text, sizeof text,
           "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
           "header_type=\"%s\"%s>\n<UnstructuredGrid>\n",
           style.big_endian ? "BigEndian" : "LittleEndian", style.wide_head ? "UInt64" : "UInt32",
           style.compressed ? " compressor=\"vtkZLibDataCompressor\"" : "");
  put_text(&file, text);
  put_text(&file, "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n<PointData></PointData>\n<Points>\n");
  for (int i = 0; i < 4; ++i) {
    if (i == 1) put_text(&file, "</Points>\n<Cells>\n");
    if (style.appended) {
      snprintf(text, sizeof text, "<DataArray type=\"%s\" format=\"appended\" offset=\"%zu\"/>\n", tags[i],
               appended.size);
      put_text(&file, text);
      put_array(&appended, &arrays[i], style);
    } else {
      snprintf(text, sizeof text, "<DataArray type=\"%s\" format=\"binary\">\n   ", tags[i]);
      put_text(&file, text);
      put_array(&file, &arrays[i], style);
      put_text(&file, "\n</DataArray>\n");
    }
  }
  put_text(&file, "</Cells>\n</Piece>\n</UnstructuredGrid>\n");
  if (style.appended) {
    put_text(&file, style.raw ? "<AppendedData encoding=\"raw\">\n   _" : "<AppendedData encoding=\"base64\">\n   _");
    put_bytes(&file, appended.bytes, appended.size);
    put_text(&file, "\n</AppendedData>\n");
  }
  put_text(&file, "</VTKFile>\n");
  return file;
}

static void every_binary_encoding_gives_the_same_mesh(void **state) {
  (void)state;
  for (int variant = 0; variant < 64; ++variant) {
    vtu_style style = {.appended = variant & 1,
                       .raw = variant & 2,
                       .compressed = variant & 4,
                       .big_endian = variant & 8,
                       .wide_head = variant & 16,
                       .head_apart = variant & 32};
    if (style.raw && !style.appended) continue;
    byte_buffer b = make_file(style);
    mesh_file file = open_bytes(b.bytes, b.size);
    assert_int_equal(file.view.point_count, 4);
    assert_int_equal(file.view.tet_count, 1);
    check_near(total_volume(&file.view), 1.0 / 6, 1e-12);
    close_mesh(&file);
  }
}

static const char two_pieces[] =
    "<?xml version='1.0'?>\n<!DOCTYPE x>\n<!-- <VTKFile> in a comment -->\n<VTKFile type='UnstructuredGrid' "
    "version=\"0.1\" "
    "byte_order='LittleEndian'>\n"
    "  <UnstructuredGrid>\n <FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
    "format=\"ascii\">0.5</DataArray></FieldData>\n"
    "    <Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n<CellData Scalars='a&gt;b'><DataArray type='Int32' "
    "Name='a&gt;b' "
    "format='ascii'>7</DataArray></CellData>\n"
    "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n0 0 0 1 0 0 <!-- half -->0 1 0 "
    "<![CDATA[0 0 "
    "1]]>\n</DataArray></Points>\n"
    "<Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray><DataArray "
    "type=\"Int32\" "
    "Name=\"offsets\">4</DataArray>\n"
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">1&#48;</DataArray></Cells></Piece>\n"
    "    <Piece NumberOfPoints=\"4\" NumberOfCells=\"2\"><Points><DataArray type=\"Float32\" Name=\"Position\" "
    "NumberOfComponents=\"3\" format=\"ascii\">\n"
    "5 0 0 6 0 0 6 1 0 5 1 0</DataArray></Points><Cells><DataArray type=\"Int64\" Name=\"connectivity\" "
    "format=\"ascii\">0 1 2 3 0 "
    "1</DataArray>\n"
    "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">4 6</DataArray><DataArray type=\"UInt8\" "
    "Name=\"types\" "
    "format=\"ascii\">9 3</DataArray></Cells></Piece>\n"
    "    <Piece NumberOfPoints=\"0\" NumberOfCells=\"0\"><Points/><Cells/></Piece>\n  "
    "</UnstructuredGrid>\n</VTKFile>\n";

static void text_of_several_pieces_with_markup_inside_is_read(void **state) {
  (void)state;
  mesh_file file = open_text(two_pieces);
  assert_int_equal(file.view.point_count, 8);
  assert_int_equal(file.view.tet_count, 1);
  assert_int_equal(file.view.triangle_count, 2);
  assert_int_equal(file.view.segment_count, 1);
  assert_int_equal(file.view.segments[0], 4);
  check_near(flat_area(&file.view), 1, 1e-12);
  close_mesh(&file);
}

static void an_array_of_nothing_but_markup_is_empty(void **state) {
  (void)state;
  static const char *const forms[] = {"ascii", "binary"};
  for (int i = 0; i < 2; ++i) {
    char text[512];
    snprintf(
        text, sizeof text,
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"1\" NumberOfCells=\"0\"><Points>"
        "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"%s\"><!-- none --></DataArray></Points><Cells/>"
        "</Piece></UnstructuredGrid></VTKFile>",
        forms[i]);
    check_refused(text, PL_ERROR_INVALID_DATA, 0, 0, i == 0 ? "0 " : "cut off");
  }
}

static void fenics_deal_ii_and_openfoam_flavours_are_read(void **state) {
  (void)state;
  // FEniCS: no XML declaration worth the name, all on long lines, double blanks, 32-bit types.
  static const char fenics[] =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\"  version=\"0.1\"  >\n<UnstructuredGrid>\n<Piece  "
      "NumberOfPoints=\"4\" NumberOfCells=\"1\">\n"
      "<Points>\n<DataArray  type=\"Float64\"  NumberOfComponents=\"3\"  format=\"ascii\">0 0 0  1 0 0  0 1 0  0 0 1  "
      "</DataArray>\n</Points>\n<Cells>\n"
      "<DataArray  type=\"UInt32\"  Name=\"connectivity\"  format=\"ascii\">0 1 2 3 </DataArray>\n<DataArray  "
      "type=\"UInt32\"  "
      "Name=\"offsets\"  format=\"ascii\">4 "
      "</DataArray>\n<DataArray  type=\"UInt8\"  Name=\"types\"  format=\"ascii\">10 "
      "</DataArray>\n</Cells>\n<PointData  "
      "Scalars=\"u\"> \n"
      "<DataArray  type=\"Float64\"  Name=\"u\"  format=\"ascii\">1 nan inf "
      "4</DataArray>\n</PointData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>";
  // deal.II: a comment before the root, CRLF, a hexahedron, cells before points.
  static const char deal_ii[] =
      "<?xml version=\"1.0\" ?> \r\n<!-- \r\n# vtk DataFile Version 3.0\r\n#This file was generated by the deal.II "
      "library\r\n-->\r\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">\r\n<UnstructuredGrid>\r\n<Piece "
      "NumberOfPoints=\"8\" NumberOfCells=\"1\" >\r\n"
      "  <Cells>\r\n    <DataArray type=\"Int32\" Name=\"connectivity\" "
      "format=\"ascii\">\r\n0\t1\t3\t2\t4\t5\t7\t6\r\n    "
      "</DataArray>\r\n"
      "    <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">8</DataArray><DataArray type=\"UInt8\" "
      "Name=\"types\" "
      "format=\"ascii\">12</DataArray>\r\n  </Cells>\r\n"
      "  <Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 "
      "0 1 0 1 1 1 "
      "1 1</DataArray></Points>\r\n"
      "</Piece>\r\n</UnstructuredGrid>\r\n</VTKFile>\r\n";
  // OpenFOAM: quoted comment, polyhedra with faces, which are left out, next to a tet.
  static const char openfoam[] =
      "<?xml version='1.0'?>\n<!-- case='x' -->\n<VTKFile type='UnstructuredGrid' version='0.1' "
      "byte_order='LittleEndian' "
      "header_type='UInt64'>\n<UnstructuredGrid>\n"
      "<Piece NumberOfPoints='4' NumberOfCells='2'>\n<Points>\n<DataArray type='Float32' Name='Points' "
      "NumberOfComponents='3' "
      "format='ascii'>0 0 0 1 0 0 0 1 0 0 0 1"
      "</DataArray></Points><Cells><DataArray type='Int32' Name='connectivity' format='ascii'>0 1 2 3 0 1 2 "
      "3</DataArray><DataArray type='Int32' Name='offsets' "
      "format='ascii'>4 8</DataArray><DataArray type='UInt8' Name='types' format='ascii'>10 42</DataArray><DataArray "
      "type='Int32' "
      "Name='faces' format='ascii'>4 3 0 1 2 3 0 1 3 "
      "3 1 2 3 3 2 0 3</DataArray><DataArray type='Int32' Name='faceoffsets' format='ascii'>-1 "
      "17</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>";
  mesh_file file = open_text(fenics);
  assert_int_equal(file.view.tet_count, 1);
  check_near(total_volume(&file.view), 1.0 / 6, 1e-12);
  close_mesh(&file);
  file = open_text(deal_ii);
  assert_int_equal(file.view.tet_count, 6);
  check_near(total_volume(&file.view), 1, 1e-12);
  close_mesh(&file);
  file = open_text(openfoam);
  assert_int_equal(file.view.tet_count, 1);
  assert_true(has_finding(&file, "left-out-elements"));
  close_mesh(&file);
}

static void mistakes_are_reported_with_their_place(void **state) {
  (void)state;
  check_refused("<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\">\n</VTKFile>\n", PL_ERROR_UNSUPPORTED, 2, 1,
                "PolyData");
  check_refused("<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">\n</VTKFile>\n",
                PL_ERROR_UNSUPPORTED, 1, 1, "LZ4");
  check_refused("<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"x\">\n",
                PL_ERROR_INVALID_DATA, 3, 1, "NumberOfPoints");
  const char *head =
      "<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"1\" "
      "NumberOfCells=\"1\">\n<Points>\n<DataArray type=\"Float64\" "
      "NumberOfComponents=\"3\">\n";
  char text[1024];
  snprintf(text, sizeof text, "%s0 0 x</DataArray></Points></Piece>", head);
  check_refused(text, PL_ERROR_INVALID_DATA, 6, 5, "\"x\"");
  snprintf(text, sizeof text, "%s0 0</DataArray></Points></Piece>", head);
  check_refused(text, PL_ERROR_INVALID_DATA, 5, 1, "2 numbers where 3");
  snprintf(text, sizeof text, "%s0 0 nan</DataArray></Points></Piece>", head);
  check_refused(text, PL_ERROR_INVALID_DATA, 5, 1, "not a number");
  snprintf(text, sizeof text, "%s0 0 0</DataArray></Points></Piece>", head);
  check_refused(text, PL_ERROR_INVALID_DATA, 3, 1, "lack connectivity");
  snprintf(text, sizeof text, "%s0 0 0", head);
  check_refused(text, PL_ERROR_INVALID_DATA, 5, 1, "cut off");
  snprintf(
      text, sizeof text,
      "%s0 0 0</DataArray></Points><Cells><DataArray type=\"Int32\" Name=\"connectivity\">0 3</DataArray>\n<DataArray "
      "type=\"Int32\" Name=\"offsets\">2</DataArray>\n"
      "<DataArray type=\"Int32\" Name=\"types\">3</DataArray></Cells></Piece>",
      head);
  check_refused(text, PL_ERROR_INVALID_DATA, 6, 34, "names point 3");
}

static void a_bomb_is_refused_before_memory_is_taken(void **state) {
  (void)state;
  // One block of 12 bytes that claims to unpack to 2 GB.
  byte_buffer head = {0}, file = {0};
  put_integer(&head, 1, 4);
  put_integer(&head, 0x7FFFFFF0, 4);
  put_integer(&head, 0, 4);
  put_integer(&head, 12, 4);
  put_text(
      &file,
      "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" "
      "compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid>"
      "<Piece NumberOfPoints=\"1\" NumberOfCells=\"0\"><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" "
      "format=\"binary\">");
  put_base64(&file, head.bytes, head.size);
  put_text(&file, "AAAAAAAAAAAAAAAA</DataArray></Points></Piece></UnstructuredGrid></VTKFile>");
  check_refused_bytes(file.bytes, file.size, PL_ERROR_INVALID_DATA, 0, 0, "cannot hold");
}

static void a_damaged_file_never_crashes(void **state) {
  (void)state;
  check_truncations(two_pieces, sizeof two_pieces - 1);
  check_allocations(two_pieces, sizeof two_pieces - 1);
  const vtu_style styles[] = {
      {.appended = true, .raw = true}, {.appended = true, .compressed = true, .wide_head = true}, {.compressed = true}};
  for (size_t i = 0; i < 3; ++i) {
    byte_buffer b = make_file(styles[i]);
    check_truncations(b.bytes, b.size);
    check_allocations(b.bytes, b.size);
    if (i == 1) check_damages(b.bytes, b.size);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_binary_encoding_gives_the_same_mesh),
      cmocka_unit_test(text_of_several_pieces_with_markup_inside_is_read),
      cmocka_unit_test(an_array_of_nothing_but_markup_is_empty),
      cmocka_unit_test(fenics_deal_ii_and_openfoam_flavours_are_read),
      cmocka_unit_test(mistakes_are_reported_with_their_place),
      cmocka_unit_test(a_bomb_is_refused_before_memory_is_taken),
      cmocka_unit_test(a_damaged_file_never_crashes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
