// Load a mesh file, check it, fill it with tets and save it:   read_mesh [IN [OUT]]
//
// Without arguments the sample writes itself a torus to read, so that it shows something anywhere.
#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>

// A ring of 48 x 24 points, its triangles counter-clockwise seen from outside.
static pl_status write_torus(pl_context *context, const char *path, pl_error *error) {
  enum { AROUND = 48, ACROSS = 24 };
  pl_vec3 points[AROUND * ACROSS];
  int32_t triangles[AROUND * ACROSS * 6];
  const double turn = 2 * PL_PI;
  for (int32_t i = 0, k = 0; i < AROUND; ++i)
    for (int32_t j = 0; j < ACROSS; ++j) {
      double u = turn * i / AROUND, v = turn * j / ACROSS, r = 0.3 + 0.1 * cos(v);
      points[i * ACROSS + j] = (pl_vec3){r * cos(u), 0.1 * sin(v), -r * sin(u)};
      int32_t a = i * ACROSS + j, b = (i + 1) % AROUND * ACROSS + j;
      int32_t c = (i + 1) % AROUND * ACROSS + (j + 1) % ACROSS, d = i * ACROSS + (j + 1) % ACROSS;
      const int32_t corners[6] = {a, b, c, a, c, d};
      for (int32_t n = 0; n < 6; ++n) triangles[k++] = corners[n];
    }
  pl_mesh_view view = {
      .point_count = AROUND * ACROSS, .points = points, .triangle_count = AROUND * ACROSS * 2, .triangles = triangles};
  pl_mesh *torus = NULL;
  pl_status status = pl_mesh_create(context, &view, &torus, error);
  if (status >= 0) status = pl_mesh_save(context, path, torus, error);
  pl_mesh_destroy(torus);
  return status;
}

static void print_findings(const pl_findings *findings) {
  for (int32_t i = 0; i < pl_findings_count(findings, PL_SEVERITY_NOTE); ++i) {
    char line[1024];
    pl_finding_format(pl_findings_get(findings, i), line, sizeof line);
    printf("%s\n", line);
  }
}

// Read `in`, list what is doubtful about it, and write its tets to `out`.
static pl_status make_tets(pl_context *context, const char *in, const char *out, pl_error *error) {
  pl_findings *findings = NULL;
  pl_mesh *surface = NULL, *tets = NULL;
  pl_lattice_def def = pl_default_lattice_def();
  pl_lattice_report report = {0};
  pl_status status = pl_findings_create(context, &findings, error);
  if (status >= 0) status = pl_mesh_load(context, in, &surface, findings, error);
  if (status >= 0) status = pl_mesh_check(context, surface, findings, NULL, error);
  if (findings != NULL) print_findings(findings);
  if (status >= 0) status = pl_lattice_build(context, &def, surface, &tets, &report, error);
  if (status >= 0) status = pl_mesh_save(context, out, tets, error);
  if (status >= 0)
    printf("%d triangles in %s, %d tets in %s, cell size %.4g m, %.1f %% enclosed\n",
           pl_mesh_get_view(surface).triangle_count, in, pl_mesh_get_view(tets).tet_count, out, report.cell_size,
           100 * report.enclosed_fraction);
  pl_mesh_destroy(tets);
  pl_mesh_destroy(surface);
  pl_findings_destroy(findings);
  return status;
}

int main(int argument_count, char **arguments) {
  const char *in = argument_count > 1 ? arguments[1] : "torus.ply",
             *out = argument_count > 2 ? arguments[2] : "torus_tets.vtu";
  pl_error error = {0};
  pl_context *context = NULL;
  pl_context_def def = pl_default_context_def();
  pl_status status = pl_context_create(&def, &context, &error);
  if (status >= 0 && argument_count == 1) status = write_torus(context, in, &error);
  if (status >= 0) status = make_tets(context, in, out, &error);
  if (status < 0) {
    char line[1024];
    pl_error_format(&error, line, sizeof line);
    fprintf(stderr, "%s\n", line);
  }
  pl_context_destroy(context);
  return status < 0 ? 1 : 0;
}
