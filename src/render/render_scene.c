// From items to vertex arrays.
//
// Smooth items share one vertex per point, with the sum of the triangles' normals weighted by their angle there
// (Thürmer and Wüthrich 1998: does not depend on how a face is cut into triangles). Flat, creased and wireframe items
// get three vertices per triangle: the shader tells the corners apart by the vertex number modulo 3, which is why their
// first vertex number is a multiple of 3.
//
// Creased: the normal of a corner sums only those triangles at the point whose own normal is within 40 degrees of this
// triangle's.
//
// Items with an appearance are drawn by its vertices: one per point, normal and texture coordinate. Vertices of one
// normal group share the sum over all their triangles, so that a seam of texture coordinates does not show.
#include "render/render_scene.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "pliant/math.h"
#include "render/render_appearance.h"

#define CREASE_COSINE 0.7660444431189780
#define FARTHEST 1e12             // metres; beyond it single precision gives no picture
#define MAX_COUNT 150000000       // vertices or indices: what a 32-bit buffer size still holds
#define MAX_CREASE_NEIGHBOURS 64  // triangles at a point; a fan of more is the tip of something round

static pl_status check_item(const pl_picture_item *item, int32_t number, pl_error *error) {
  char field[64];
  if (item->point_count < 0 || item->triangle_count < 0) {
    snprintf(field, sizeof field, "items[%d]", number);
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, field, "counts must not be negative");
  }
  if ((item->points == NULL && item->point_count > 0) || (item->triangles == NULL && item->triangle_count > 0)) {
    snprintf(field, sizeof field, "items[%d]", number);
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, field,
                         "points or triangles are NULL although they are counted");
  }
  for (int32_t i = 0; i < item->point_count; ++i) {
    pl_vec3 p = item->points[i];
    if (fabs(p.x) < FARTHEST && fabs(p.y) < FARTHEST && fabs(p.z) < FARTHEST) continue;
    snprintf(field, sizeof field, "items[%d].points[%d]", number, i);
    if (!pl_vec3_is_finite(p)) return pl_fail_field(error, PL_ERROR_INVALID_DATA, field, "the point is not finite");
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, field, "the point is more than 1e12 metres away");
  }
  for (int64_t i = 0; i < 3 * (int64_t)item->triangle_count; ++i) {
    if (item->triangles[i] >= 0 && item->triangles[i] < item->point_count) continue;
    snprintf(field, sizeof field, "items[%d].triangles[%d]", number, (int)(i / 3));
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, field, "point %d does not exist; the item has %d points",
                         item->triangles[i], item->point_count);
  }
  return item->appearance != NULL ? pl_render_check_appearance(item, number, error) : PL_OK;
}

static bool is_expanded(const pl_picture_item *item) {
  if (item->appearance != NULL) return item->wireframe || item->appearance->normal_groups == NULL;
  return item->flat || item->creased || item->wireframe;
}

static int32_t vertex_count_of(const pl_picture_item *item) {
  if (is_expanded(item)) return 3 * item->triangle_count;
  return item->appearance != NULL ? item->appearance->vertex_count : item->point_count;
}

static uint32_t next_multiple_of_three(uint32_t number) {
  return (number + 2) / 3 * 3;
}

// Twice the area times the unit normal.
static pl_vec3 area_normal(const pl_picture_item *item, int32_t triangle) {
  const int32_t *corner = item->triangles + 3 * (size_t)triangle;
  pl_vec3 a = item->points[corner[0]];
  return pl_vec3_cross(pl_vec3_sub(item->points[corner[1]], a), pl_vec3_sub(item->points[corner[2]], a));
}

static double corner_angle(const pl_picture_item *item, int32_t triangle, int corner_number) {
  const int32_t *corner = item->triangles + 3 * (size_t)triangle;
  pl_vec3 p = item->points[corner[corner_number]];
  pl_vec3 a = pl_vec3_sub(item->points[corner[(corner_number + 1) % 3]], p);
  pl_vec3 b = pl_vec3_sub(item->points[corner[(corner_number + 2) % 3]], p);
  return atan2(pl_vec3_length(pl_vec3_cross(a, b)), pl_vec3_dot(a, b));
}

static float linear_of_srgb(float c) {
  return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

pl_vec3 pl_linear_color(pl_color color) {
  return pl_vec3_of((double)linear_of_srgb(color.r), (double)linear_of_srgb(color.g), (double)linear_of_srgb(color.b));
}

// Linear colour and alpha of a vertex; a material is multiplied later.
static void put_color(float *to, const pl_picture_item *item, int32_t point, int32_t vertex) {
  pl_vec3 color = {1, 1, 1};
  to[3] = 1;
  if (item->appearance != NULL) {
    const float *colors = item->appearance->colors;
    for (int c = 0; c < 4; ++c) to[c] = colors != NULL ? colors[4 * (size_t)vertex + (size_t)c] : 1;
    return;
  }
  if (item->colors != NULL)
    color = pl_linear_color(item->colors[point]);
  else if (item->material == NULL)
    color = pl_linear_color(item->color);
  to[0] = (float)color.x, to[1] = (float)color.y, to[2] = (float)color.z;
}

// A vertex of an item, with a normal of its own: vertex number `vertex` of its appearance, or point `vertex`.
static void put_vertex(float *to, const pl_picture_item *item, int32_t vertex, pl_vec3 origin, pl_vec3 normal) {
  const pl_appearance_view *appearance = item->appearance;
  int32_t point = appearance != NULL ? appearance->points[vertex] : vertex;
  pl_vec3 position = item->points[point];
  // A point without a proper triangle has no normal; any will do, for nothing of it is seen.
  normal = pl_vec3_normalize_or(normal, pl_vec3_of(0, 1, 0));
  to[0] = (float)(position.x - origin.x), to[1] = (float)(position.y - origin.y),
  to[2] = (float)(position.z - origin.z);
  to[3] = (float)normal.x, to[4] = (float)normal.y, to[5] = (float)normal.z;
  put_color(to + 6, item, point, vertex);
  bool has_uvs = appearance != NULL && appearance->uvs != NULL;
  for (int c = 0; c < 2; ++c) to[10 + c] = has_uvs ? appearance->uvs[2 * (size_t)vertex + (size_t)c] : 0;
}

// Angle-weighted normals per point and unit normals per triangle.
static void find_normals(const pl_picture_item *item, pl_vec3 *point_normals, pl_vec3 *triangle_normals) {
  for (int32_t i = 0; i < item->point_count; ++i) point_normals[i] = pl_vec3_of(0, 0, 0);
  for (int32_t i = 0; i < item->triangle_count; ++i) {
    triangle_normals[i] = pl_vec3_normalize_or(area_normal(item, i), pl_vec3_of(0, 0, 0));
    for (int c = 0; c < 3; ++c) {
      pl_vec3 *sum = &point_normals[item->triangles[3 * (size_t)i + (size_t)c]];
      *sum = pl_vec3_add_scaled(*sum, triangle_normals[i], corner_angle(item, i, c));
    }
  }
}

// Angle-weighted normals per group of vertices.
static void find_group_normals(const pl_picture_item *item, const pl_vec3 *triangle_normals, pl_vec3 *group_normals) {
  const pl_appearance_view *appearance = item->appearance;
  for (int32_t i = 0; i < appearance->normal_group_count; ++i) group_normals[i] = pl_vec3_of(0, 0, 0);
  for (int32_t i = 0; i < item->triangle_count; ++i)
    for (int c = 0; c < 3; ++c) {
      int32_t vertex = appearance->triangles[3 * (size_t)i + (size_t)c];
      pl_vec3 *sum = &group_normals[appearance->normal_groups[vertex]];
      *sum = pl_vec3_add_scaled(*sum, triangle_normals[i], corner_angle(item, i, c));
    }
}

// Triangles around each point, as offsets and a list.
static void find_stars(const pl_picture_item *item, int32_t *star_start, int32_t *star_triangles) {
  for (int32_t i = 0; i <= item->point_count; ++i) star_start[i] = 0;
  size_t corner_count = 3 * (size_t)item->triangle_count;
  for (size_t i = 0; i < corner_count; ++i) star_start[item->triangles[i] + 1]++;
  for (int32_t i = 0; i < item->point_count; ++i) star_start[i + 1] += star_start[i];
  // Filling moves each start to its end, which is the next one's start; so they are shifted back afterwards.
  for (size_t i = 0; i < corner_count; ++i) star_triangles[star_start[item->triangles[i]]++] = (int32_t)(i / 3);
  for (int32_t i = item->point_count; i > 0; --i) star_start[i] = star_start[i - 1];
  star_start[0] = 0;
}

static pl_vec3 creased_normal(const pl_picture_item *item, const pl_vec3 *triangle_normals, const int32_t *star_start,
                              const int32_t *star_triangles, int32_t triangle, int32_t point) {
  pl_vec3 own = triangle_normals[triangle], sum = pl_vec3_of(0, 0, 0);
  for (int32_t k = star_start[point]; k < star_start[point + 1]; ++k) {
    int32_t other = star_triangles[k];
    if (pl_vec3_dot(own, triangle_normals[other]) < CREASE_COSINE) continue;
    const int32_t *corner = item->triangles + 3 * (size_t)other;
    int c = corner[0] == point ? 0 : corner[1] == point ? 1 : 2;
    sum = pl_vec3_add_scaled(sum, triangle_normals[other], corner_angle(item, other, c));
  }
  return sum;
}

// Normals of an item: of its triangles, of its points, and of the groups of its appearance (NULL without).
typedef struct item_normals {
  pl_vec3 *triangles, *points, *groups;
} item_normals;

// Three vertices per triangle.
static bool put_expanded(pl_scratch *scratch, const pl_picture_item *item, const item_normals *normals, pl_vec3 origin,
                         float *vertices) {
  const pl_appearance_view *appearance = item->appearance;
  int32_t *star_start = NULL, *star_triangles = NULL;
  bool is_creased = appearance != NULL ? appearance->normal_groups == NULL : item->creased && !item->flat;
  if (is_creased) {
    star_start = PL_SCRATCH(scratch, int32_t, (size_t)item->point_count + 1);
    star_triangles = PL_SCRATCH(scratch, int32_t, 3 * (size_t)item->triangle_count);
    if (star_start == NULL || star_triangles == NULL) return false;
    find_stars(item, star_start, star_triangles);
  }
  for (int32_t i = 0; i < item->triangle_count; ++i) {
    for (size_t c = 0; c < 3; ++c) {
      int32_t point = item->triangles[3 * (size_t)i + c];
      int32_t vertex = appearance != NULL ? appearance->triangles[3 * (size_t)i + c] : point;
      pl_vec3 normal = item->flat && appearance == NULL ? normals->triangles[i]
                       : normals->groups != NULL        ? normals->groups[appearance->normal_groups[vertex]]
                                                        : normals->points[point];
      if (star_start != NULL && star_start[point + 1] - star_start[point] <= MAX_CREASE_NEIGHBOURS)
        normal = creased_normal(item, normals->triangles, star_start, star_triangles, i, point);
      put_vertex(vertices + PL_VERTEX_FLOATS * (3 * (size_t)i + c), item, vertex, origin, normal);
    }
  }
  return true;
}

// Vertices and indices of one item.
static bool put_item(pl_scratch *scratch, const pl_picture_item *item, uint32_t vertex_start, pl_render_scene *scene,
                     pl_render_part *part) {
  const pl_appearance_view *appearance = item->appearance;
  bool has_groups = appearance != NULL && appearance->normal_groups != NULL;
  item_normals normals = {PL_SCRATCH(scratch, pl_vec3, item->triangle_count),
                          PL_SCRATCH(scratch, pl_vec3, item->point_count),
                          PL_SCRATCH(scratch, pl_vec3, has_groups ? appearance->normal_group_count : 0)};
  if (normals.points == NULL || normals.triangles == NULL || normals.groups == NULL) return false;
  find_normals(item, normals.points, normals.triangles);
  if (has_groups)
    find_group_normals(item, normals.triangles, normals.groups);
  else
    normals.groups = NULL;
  float *vertices = scene->vertices + PL_VERTEX_FLOATS * (size_t)vertex_start;
  uint32_t *indices = scene->indices + part->index_start;
  if (is_expanded(item)) {
    for (uint32_t i = 0; i < part->index_count; ++i) indices[i] = vertex_start + i;
    return put_expanded(scratch, item, &normals, scene->origin, vertices);
  }
  const int32_t *triangles = appearance != NULL ? appearance->triangles : item->triangles;
  for (uint32_t i = 0; i < part->index_count; ++i) indices[i] = vertex_start + (uint32_t)triangles[i];
  for (int32_t i = 0; i < vertex_count_of(item); ++i)
    put_vertex(vertices + PL_VERTEX_FLOATS * (size_t)i, item, i, scene->origin,
               has_groups ? normals.groups[appearance->normal_groups[i]] : normals.points[i]);
  return true;
}

// A number that tells the edge from a to b from every other, by two rounds of multiply and shift (as in MurmurHash3's
// finish).
static uint64_t edge_number(int32_t a, int32_t b) {
  uint64_t h = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) + UINT64_C(0x9E3779B97F4A7C15);
  h = (h ^ h >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
  h = (h ^ h >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
  return h ^ h >> 33;
}

// Whether the item is closed, and which way round. Each edge adds its number and takes off that of its reverse: where
// every edge has a partner the sum is zero, and by chance alone it is so once in 2^64.
static int find_side(const pl_picture_item *item, pl_vec3 origin) {
  uint64_t sum = 0;
  double volume = 0;
  for (int32_t i = 0; i < item->triangle_count; ++i) {
    const int32_t *corner = item->triangles + 3 * (size_t)i;
    for (int c = 0; c < 3; ++c)
      sum += edge_number(corner[c], corner[(c + 1) % 3]) - edge_number(corner[(c + 1) % 3], corner[c]);
    volume += pl_vec3_dot(pl_vec3_sub(item->points[corner[0]], origin), area_normal(item, i));
  }
  return sum != 0 || item->triangle_count == 0 ? 0 : volume > 0 ? 1 : volume < 0 ? -1 : 0;
}

static pl_box find_box(const pl_picture_item *item, pl_vec3 origin) {
  pl_box box = pl_box_empty();
  for (int32_t i = 0; i < item->point_count; ++i) box = pl_box_add_point(box, pl_vec3_sub(item->points[i], origin));
  return box;
}

// Points and triangles of one item for the depth maps.
static void put_depth_item(const pl_picture_item *item, uint32_t point_start, const pl_render_part *part,
                           pl_render_scene *scene) {
  for (int32_t i = 0; i < item->point_count; ++i) {
    float *to = scene->points + 3 * ((size_t)point_start + (size_t)i);
    pl_vec3 p = pl_vec3_sub(item->points[i], scene->origin);
    to[0] = (float)p.x, to[1] = (float)p.y, to[2] = (float)p.z;
  }
  for (uint32_t i = 0; i < part->index_count; ++i)
    scene->corners[part->index_start + i] = point_start + (uint32_t)item->triangles[i];
}

// One batch per material of an item.
static void put_batches(const pl_picture_item *item, int32_t number, pl_render_part *part, pl_render_scene *scene) {
  const pl_appearance_view *appearance = item->appearance;
  if (appearance == NULL) {
    scene->batches[scene->batch_count++] =
        (pl_render_batch){number, part->index_start, part->index_count, item->material, NULL};
    part->has_holes = item->material != NULL && item->material->alpha_mode != PL_ALPHA_OPAQUE;
    return;
  }
  for (int32_t i = 0; i < appearance->part_count; ++i) {
    const pl_appearance_part *own = &appearance->parts[i];
    const pl_appearance_material *material = &appearance->materials[own->material];
    scene->batches[scene->batch_count++] =
        (pl_render_batch){number, part->index_start + 3 * (uint32_t)own->triangle_start,
                          3 * (uint32_t)own->triangle_count, material, appearance->images};
    part->has_holes = part->has_holes || material->alpha_mode != PL_ALPHA_OPAQUE;
  }
}

// Counts of everything, and the box.
static pl_status measure(const pl_picture_item *items, int32_t item_count, pl_render_scene *scene, pl_error *error) {
  pl_box box = pl_box_empty();
  int64_t vertex_count = 0, point_count = 0, index_count = 0;
  for (int32_t i = 0; i < item_count; ++i) {
    pl_status status = check_item(&items[i], i, error);
    if (status < 0) return status;
    point_count += items[i].point_count;
    index_count += 3 * (int64_t)items[i].triangle_count;
    vertex_count += 2 + (int64_t)vertex_count_of(&items[i]);
    scene->batch_count += items[i].appearance != NULL ? items[i].appearance->part_count : 1;
    if (vertex_count > MAX_COUNT || point_count > MAX_COUNT || index_count > MAX_COUNT)
      return pl_fail(error, PL_ERROR_UNSUPPORTED, "the picture has more than %d vertices or triangle corners",
                     MAX_COUNT);
    for (int32_t k = 0; k < items[i].point_count; ++k) box = pl_box_add_point(box, items[i].points[k]);
  }
  if (point_count == 0) box = (pl_box){{0, 0, 0}, {0, 0, 0}};
  scene->origin = pl_box_center(box);
  scene->box = (pl_box){pl_vec3_sub(box.min, scene->origin), pl_vec3_sub(box.max, scene->origin)};
  scene->point_count = (uint32_t)point_count;
  scene->vertex_count = (uint32_t)vertex_count;
  scene->index_count = scene->corner_count = (uint32_t)index_count;
  return PL_OK;
}

pl_status pl_render_scene_build(pl_scratch *scratch, const pl_picture_item *items, int32_t item_count,
                                pl_render_scene *scene, pl_error *error) {
  *scene = (pl_render_scene){0};
  pl_status status = measure(items, item_count, scene, error);
  if (status < 0) return status;
  scene->parts = PL_SCRATCH(scratch, pl_render_part, item_count);
  scene->points = PL_SCRATCH(scratch, float, 3 * (size_t)scene->point_count);
  scene->corners = PL_SCRATCH(scratch, uint32_t, scene->corner_count);
  scene->batches = PL_SCRATCH(scratch, pl_render_batch, scene->batch_count);
  scene->vertices = PL_SCRATCH(scratch, float, PL_VERTEX_FLOATS *(size_t)scene->vertex_count);
  scene->indices = PL_SCRATCH(scratch, uint32_t, scene->index_count);
  if (scene->parts == NULL || scene->points == NULL || scene->corners == NULL || scene->vertices == NULL ||
      scene->indices == NULL || scene->batches == NULL)
    return pl_fail_memory(error);
  scene->batch_count = 0;
  uint32_t point_start = 0, vertex_start = 0, index_start = 0;
  for (int32_t i = 0; i < item_count; ++i) {
    bool expanded = is_expanded(&items[i]);
    pl_render_part *part = &scene->parts[i];
    *part = (pl_render_part){index_start, 3 * (uint32_t)items[i].triangle_count, find_side(&items[i], scene->origin),
                             find_box(&items[i], scene->origin), false};
    put_batches(&items[i], i, part, scene);
    if (expanded) vertex_start = next_multiple_of_three(vertex_start);
    pl_scratch_mark mark = pl_scratch_push(scratch);
    bool done = put_item(scratch, &items[i], vertex_start, scene, part);
    pl_scratch_pop(scratch, mark);
    if (!done) return pl_fail_memory(error);
    put_depth_item(&items[i], point_start, part, scene);
    point_start += (uint32_t)items[i].point_count;
    index_start += part->index_count;
    vertex_start += (uint32_t)vertex_count_of(&items[i]);
  }
  return PL_OK;
}
