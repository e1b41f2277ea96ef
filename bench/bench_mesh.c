// From a shape to a surface, and from a surface of 70,000 triangles to tets.
#include <stdio.h>

#include "bench_suite.h"
#include "tool_open.h"

pl_mesh *bench_surface(const bench_session *bench, pl_context *context, int32_t triangle_count) {
  // A ball with four arms: curved everywhere, with creases softened, like the bodies of the gallery.
  pl_shape_node nodes[6];
  static const int32_t children[] = {0, 1, 2, 3, 4};
  static const pl_vec3 ends[] = {{0.9, 0.3, 0}, {-0.9, 0.3, 0}, {0.3, -0.9, 0.2}, {-0.3, -0.9, 0.2}};
  nodes[0] = pl_default_shape_node(PL_SHAPE_ELLIPSOID);
  nodes[0].size = (pl_vec3){0.5, 0.6, 0.4};
  for (int i = 0; i < 4; ++i) {
    nodes[1 + i] = pl_default_shape_node(PL_SHAPE_CAPSULE);
    nodes[1 + i].to = ends[i];
    nodes[1 + i].radius = 0.18;
    nodes[1 + i].end_radius = 0.12;
  }
  nodes[5] = pl_default_shape_node(PL_SHAPE_UNION);
  nodes[5].smoothness = 0.1;
  nodes[5].children = children;
  nodes[5].child_count = 5;
  pl_shape_def def = pl_default_shape_def();
  def.target_triangle_count = triangle_count;
  pl_mesh *surface = NULL;
  pl_error error = {0};
  if (pl_shape_build_surface(context, &def, nodes, 6, &surface, &error) < 0)
    tool_report_error(&bench->tool->console, &error);
  return surface;
}

static int measure(bench_session *bench, pl_context *context, int threads) {
  int32_t wanted = bench->quick ? 10000 : 70000;
  bench_samples modelling = {0}, filling = {0};
  int32_t triangle_count = 0, point_count = 0;
  for (int i = 0; i < bench_repeats(bench); ++i) {
    double begin = tool_seconds();
    pl_mesh *surface = bench_surface(bench, context, wanted), *tets = NULL;
    if (surface == NULL) return TOOL_FAILED;
    bench_add(&modelling, tool_seconds() - begin);
    triangle_count = pl_mesh_get_view(surface).triangle_count;
    pl_lattice_def def = pl_default_lattice_def();
    pl_error error = {0};
    begin = tool_seconds();
    pl_status status = pl_lattice_build(context, &def, surface, &tets, NULL, &error);
    bench_add(&filling, tool_seconds() - begin);
    if (status >= 0) point_count = pl_mesh_get_view(tets).point_count;
    pl_mesh_destroy(tets);
    pl_mesh_destroy(surface);
    if (status < 0) return tool_report_error(&bench->tool->console, &error);
  }
  char name[64];
  snprintf(name, sizeof name, "surface of %dk", triangle_count / 1000);
  bench_row row = {.suite = "mesh", .name = name, .threads = threads, .unit = "s", .size = triangle_count};
  bench_print(bench, &row, &modelling);
  snprintf(name, sizeof name, "%dk to %d points", triangle_count / 1000, point_count);
  bench_print(bench, &row, &filling);
  return TOOL_DONE;
}

int bench_mesh(bench_session *bench) {
  for (int threads = 1; threads <= 2; ++threads) {
    pl_context *context = tool_open_context(bench->tool, threads);
    if (context == NULL) return TOOL_FAILED;
    int code = measure(bench, context, threads);
    pl_context_destroy(context);
    if (code != TOOL_DONE) return code;
  }
  return TOOL_DONE;
}
