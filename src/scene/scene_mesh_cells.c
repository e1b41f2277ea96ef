// Tets that a scene draws as text: planes across each axis cut space into boxes, and layers of rows of letters say
// which of them are filled.
//
// For bodies of very few points. A lattice around a surface takes the cells that the surface happens to touch; where a
// leg has four points at its foot and four at its knee, somebody has to say where they are. Each box becomes five tets
// like those of pl_mesh_create_box().
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "mesh/mesh_box.h"
#include "pliant/math.h"
#include "scene/scene_check.h"
#include "scene/scene_fem.h"

enum { MAX_CELLS = 1000000 };

// Boxes along each axis.
typedef struct cell_counts {
  int32_t x, y, z;
} cell_counts;

static cell_counts count_cells(const pl_scene_cells *def) {
  return (cell_counts){def->x.count - 1, def->y.count - 1, def->z.count - 1};
}

// Layer `k` from the back, which may stand for several; NULL when there are fewer.
static const pl_scene_cell_layer *layer_at(const pl_scene_cells *def, int32_t k) {
  const pl_scene_cell_layer *layers = def->layers.items;
  int64_t passed = 0;
  for (int32_t i = 0; i < def->layers.count; ++i) {
    passed += layers[i].repeat;
    if (k < passed) return &layers[i];
  }
  return NULL;
}

// Rows are written from the top down, as they are seen.
static bool is_filled(const pl_scene_cells *def, int32_t i, int32_t j, int32_t k) {
  cell_counts n = count_cells(def);
  if (i < 0 || j < 0 || k < 0 || i >= n.x || j >= n.y || k >= n.z) return false;
  const pl_scene_cell_layer *layer = layer_at(def, k);
  return ((const char *const *)layer->rows.items)[n.y - 1 - j][i] == '#';
}

// --- what may be wrong
// ------------------------------------------------------------------------------------------------

// Where a drawing is wrong, and why. `text` is empty when all is well.
typedef struct flaw {
  const pl_json *json_node;
  char text[160];
} flaw;

static void find_flaw_of_planes(const pl_scene_cells *def, const pl_scene_list *planes, const char *key, flaw *found) {
  const double *at = planes->items;
  if (planes->count < 2) snprintf(found->text, sizeof found->text, "`%s` needs two planes or more", key);
  for (int32_t i = 1; i < planes->count && found->text[0] == '\0'; ++i)
    if (!(at[i] > at[i - 1])) snprintf(found->text, sizeof found->text, "the planes of `%s` do not ascend", key);
  if (found->text[0] != '\0') found->json_node = pl_checker_position(def->json, key);
}

static void find_flaw_of_layer(const pl_scene_cells *def, const pl_scene_cell_layer *layer, flaw *found) {
  cell_counts n = count_cells(def);
  const char *const *rows = layer->rows.items;
  if (layer->rows.count != n.y)
    snprintf(found->text, sizeof found->text, "a layer has %d rows here, one between any two planes of `y`, not %d",
             n.y, layer->rows.count);
  for (int32_t j = 0; j < layer->rows.count && found->text[0] == '\0'; ++j) {
    if ((int64_t)strlen(rows[j]) != n.x)
      snprintf(found->text, sizeof found->text, "a row has %d letters here, one between any two planes of `x`, not %d",
               n.x, (int)strlen(rows[j]));
    else if (strspn(rows[j], "#. ") != (size_t)n.x)
      snprintf(found->text, sizeof found->text, "a row is made of # (filled) and . (empty)");
  }
  if (found->text[0] != '\0') found->json_node = pl_checker_position(layer->json, "rows");
}

static flaw find_flaw(const pl_scene_cells *def) {
  flaw found = {.json_node = def->json};
  find_flaw_of_planes(def, &def->x, "x", &found);
  if (found.text[0] == '\0') find_flaw_of_planes(def, &def->y, "y", &found);
  if (found.text[0] == '\0') find_flaw_of_planes(def, &def->z, "z", &found);
  if (found.text[0] != '\0') return found;
  cell_counts n = count_cells(def);
  int64_t layers = 0;
  for (int32_t i = 0; i < def->layers.count && found.text[0] == '\0'; ++i) {
    const pl_scene_cell_layer *layer = &((const pl_scene_cell_layer *)def->layers.items)[i];
    layers += layer->repeat;
    find_flaw_of_layer(def, layer, &found);
  }
  if (found.text[0] != '\0') return found;
  if (layers != n.z) {
    found.json_node = pl_checker_position(def->json, "layers");
    snprintf(found.text, sizeof found.text, "there are %d layers here, one between any two planes of `z`, not %lld",
             n.z, (long long)layers);
  } else if ((double)n.x * n.y * n.z > MAX_CELLS) {
    snprintf(found.text, sizeof found.text, "more than %d boxes are too many", MAX_CELLS);
  }
  for (int32_t k = 0; found.text[0] == '\0' && k < n.z; ++k)
    for (int32_t j = 0; j < n.y; ++j)
      for (int32_t i = 0; i < n.x; ++i)
        if (is_filled(def, i, j, k)) return found;
  if (found.text[0] == '\0') snprintf(found.text, sizeof found.text, "no box is filled");
  return found;
}

void pl_checker_cells(pl_scene_checker *c, const pl_scene_cells *def) {
  flaw found = find_flaw(def);
  if (found.text[0] != '\0')
    pl_checker_report(c, found.json_node, "wrong-cells", "count planes, layers, rows and letters", "%s", found.text);
}

// --- making the tets
// --------------------------------------------------------------------------------------------------

// Number of each grid point that a filled box has, in the order of the grid, or -1; returns how many there are.
static int32_t number_points(const pl_scene_cells *def, int32_t *numbers) {
  cell_counts n = count_cells(def);
  int32_t count = 0;
  for (int32_t k = 0; k <= n.z; ++k)
    for (int32_t j = 0; j <= n.y; ++j)
      for (int32_t i = 0; i <= n.x; ++i) {
        bool used = false;
        for (int32_t c = 0; c < 8; ++c) used = used || is_filled(def, i - (c & 1), j - (c >> 1 & 1), k - (c >> 2));
        *numbers++ = used ? count++ : -1;
      }
  return count;
}

static void place_points(const pl_scene_cells *def, const int32_t *numbers, pl_vec3 *points) {
  const double *x = def->x.items, *y = def->y.items, *z = def->z.items;
  for (int32_t k = 0; k < def->z.count; ++k)
    for (int32_t j = 0; j < def->y.count; ++j)
      for (int32_t i = 0; i < def->x.count; ++i, ++numbers)
        if (*numbers >= 0)
          points[*numbers] = pl_vec3_add(def->position, pl_quat_rotate(def->rotation, (pl_vec3){x[i], y[j], z[k]}));
}

// Five tets of each filled box; returns how many there are.
static int32_t cut_cells(const pl_scene_cells *def, const int32_t *numbers, int32_t *tets) {
  cell_counts n = count_cells(def);
  int32_t across = n.x + 1, layer = across * (n.y + 1), count = 0;
  for (int32_t k = 0; k < n.z; ++k)
    for (int32_t j = 0; j < n.y; ++j)
      for (int32_t i = 0; i < n.x; ++i) {
        if (!is_filled(def, i, j, k)) continue;
        int32_t corners[8];
        for (int32_t c = 0; c < 8; ++c)
          corners[c] = numbers[(i + (c & 1)) + across * (j + (c >> 1 & 1)) + layer * (k + (c >> 2))];
        pl_mesh_cut_cell(corners, (i + j + k) & 1, tets + 4 * (ptrdiff_t)count);
        count += 5;
      }
  return count;
}

pl_status pl_scene_make_cells(pl_context *context, const pl_scene_cells *def, pl_mesh **mesh, pl_error *error) {
  flaw found = find_flaw(def);
  if (found.text[0] != '\0') return pl_fail(error, PL_ERROR_INVALID_DATA, "%s", found.text);
  cell_counts n = count_cells(def);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *numbers = PL_TAKE(&arena, int32_t, (n.x + 1) * (n.y + 1) * (n.z + 1));
  int32_t *tets = PL_TAKE(&arena, int32_t, 20 * n.x * n.y * n.z);
  pl_mesh_view view = {.tets = tets};
  if (!arena.failed) view.point_count = number_points(def, numbers);
  pl_vec3 *points = PL_TAKE(&arena, pl_vec3, view.point_count);
  view.points = points;
  pl_status status = arena.failed ? pl_fail_memory(error) : PL_OK;
  if (status >= 0) {
    place_points(def, numbers, points);
    view.tet_count = cut_cells(def, numbers, tets);
    status = pl_mesh_create(context, &view, mesh, error);
  }
  pl_arena_destroy(&arena);
  return status;
}
