// Clouds in memory, and which reader reads a file: the content decides. PLY and PCD have words of their own at the
// beginning; what else is text is taken for rows of numbers.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/cloud_builder.h"
#include "io/file_bytes.h"
#include "io/ply_points.h"
#include "pliant/math.h"

pl_cloud *pl_cloud_create(pl_context *context) {
  pl_cloud *cloud = pl_allocate(context, sizeof *cloud);
  if (cloud == NULL) return NULL;
  *cloud = (pl_cloud){.context = context,
                      .points = pl_vector_of(context, sizeof(pl_vec3)),
                      .normals = pl_vector_of(context, sizeof(pl_vec3)),
                      .colors = pl_vector_of(context, sizeof(pl_color)),
                      .cameras = pl_vector_of(context, sizeof(int32_t))};
  return cloud;
}

void pl_cloud_destroy(pl_cloud *cloud) {
  if (cloud == NULL) return;
  pl_vector_free(&cloud->points);
  pl_vector_free(&cloud->normals);
  pl_vector_free(&cloud->colors);
  pl_vector_free(&cloud->cameras);
  pl_release(cloud->context, cloud);
}

// A part of the points that is there for all of them, or NULL.
static const void *part(const pl_cloud *cloud, const pl_vector *vector) {
  return vector->count > 0 && vector->count == cloud->points.count ? vector->items : NULL;
}

pl_cloud_view pl_cloud_get_view(const pl_cloud *cloud) {
  return (pl_cloud_view){.point_count = (int32_t)cloud->points.count,
                         .points = cloud->points.items,
                         .normals = part(cloud, &cloud->normals),
                         .colors = part(cloud, &cloud->colors),
                         .cameras = part(cloud, &cloud->cameras),
                         .dropped_count = cloud->dropped_count,
                         .pixel_count = cloud->pixel_count,
                         .invalid_pixel_count = cloud->invalid_pixel_count};
}

// Colours of files that do not keep to their range, NaN included.
static float fraction(float value) {
  return value > 0 ? (value < 1 ? value : 1) : 0;
}

pl_status pl_cloud_add(pl_cloud *cloud, pl_vec3 point, const pl_vec3 *normal, const pl_color *color, pl_error *error) {
  if (!pl_vec3_is_finite(point)) {
    ++cloud->dropped_count;
    return PL_OK;
  }
  if (cloud->points.count >= INT32_MAX)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "a cloud of more than %d points is too large", INT32_MAX);
  pl_vec3 none = {0, 0, 0};
  bool done = pl_vector_push(&cloud->points, &point);
  if (done && normal != NULL) done = pl_vector_push(&cloud->normals, pl_vec3_is_finite(*normal) ? normal : &none);
  if (done && color != NULL) {
    pl_color inside = {fraction(color->r), fraction(color->g), fraction(color->b)};
    done = pl_vector_push(&cloud->colors, &inside);
  }
  return done ? PL_OK : pl_fail_memory(error);
}

typedef struct ply_target {
  pl_cloud *cloud;
  pl_error *error;
} ply_target;

static pl_status add_ply_point(void *data, const pl_ply_point *point) {
  ply_target *target = data;
  return pl_cloud_add(target->cloud, point->position, point->has_normal ? &point->normal : NULL,
                      point->has_color ? &point->color : NULL, target->error);
}

pl_status pl_cloud_ply_read(pl_mesh_source *source, pl_cloud *cloud) {
  ply_target target = {cloud, source->error};
  return pl_ply_read_points(source, add_ply_point, &target);
}

static pl_status read_format(pl_mesh_source *source, pl_cloud *cloud) {
  if (source->size == 0)
    return pl_fail_at(source->error, PL_ERROR_INVALID_DATA, source->name, 0, 0, "the file is empty");
  if (source->size >= 4 && memcmp(source->bytes, "ply", 3) == 0 && memchr("\n\r ", source->bytes[3], 3) != NULL)
    return pl_cloud_ply_read(source, cloud);
  if (pl_cloud_is_pcd(source)) return pl_cloud_pcd_read(source, cloud);
  if (pl_cloud_is_npy(source)) return pl_cloud_npy_read(source, cloud);
  if (memchr(source->bytes, 0, source->size < 4096 ? source->size : 4096) != NULL)
    return pl_fail_at(
        source->error, PL_ERROR_UNSUPPORTED, source->name, 0, 0,
        "this is not a point cloud in a known format; save it as PLY, PCD, NPY, NPZ or rows of numbers (XYZ)");
  return pl_cloud_xyz_read(source, cloud);
}

static pl_status note_doubts(const pl_mesh_source *source, const pl_cloud *cloud) {
  pl_status status = PL_OK;
  if (cloud->dropped_count > 0)
    status = pl_source_note(source, PL_SEVERITY_NOTE, "points-dropped", "a sensor writes them where it saw nothing", "",
                            "%lld of %lld points are not finite and were left out", (long long)cloud->dropped_count,
                            (long long)cloud->dropped_count + (long long)cloud->points.count);
  if (status >= 0 && cloud->points.count == 0)
    status = pl_source_note(source, PL_SEVERITY_WARNING, "empty-cloud", "nothing can be fitted to it",
                            "leave the file out", "the cloud has no points");
  return status;
}

static pl_status read_source(pl_mesh_source *source, pl_cloud **result) {
  *result = NULL;
  pl_cloud *cloud = pl_cloud_create(source->context);
  if (cloud == NULL) return pl_fail_memory(source->error);
  pl_status status = read_format(source, cloud);
  if (status >= 0) {
    status = note_doubts(source, cloud);
    if (status < 0) pl_fail_memory(source->error);
  }
  if (status < 0) {
    pl_cloud_destroy(cloud);
    return status;
  }
  *result = cloud;
  return PL_OK;
}

pl_status pl_cloud_load(pl_context *context, const char *path, pl_cloud **cloud, pl_findings *findings,
                        pl_error *error) {
  *cloud = NULL;
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
  status = read_source(&source, cloud);
  pl_bytes_free(&bytes);
  return status;
}

pl_status pl_cloud_load_memory(pl_context *context, const pl_memory_source *memory, pl_cloud **cloud,
                               pl_findings *findings, pl_error *error) {
  pl_mesh_source source = {.context = context,
                           .bytes = memory->bytes,
                           .size = memory->size,
                           .name = memory->name,
                           .findings = findings,
                           .error = error};
  return read_source(&source, cloud);
}
