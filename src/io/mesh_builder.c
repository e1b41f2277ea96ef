#include "io/mesh_builder.h"

#include <string.h>

#include "pliant/math.h"

typedef struct file_cell {
  size_t offset, corner_start;
  int32_t corner_count, tag;
  pl_cell_kind kind;
  size_t middle_start;
  int32_t middle_count;
  bool is_quadratic;  // a tet with middles in the mesh's order
} file_cell;

typedef struct group_member {
  int32_t group, cell;
} group_member;

// Group weights take group_count x point_count floats; more than this many are not worth having.
static const size_t MAX_WEIGHTS = (size_t)1 << 25;

void pl_mesh_builder_init(pl_mesh_builder *builder, pl_mesh_source *source) {
  pl_context *context = source->context;
  *builder = (pl_mesh_builder){
      .source = source,
      .points = pl_vector_of(context, sizeof(pl_vec3)),
      .cells = pl_vector_of(context, sizeof(file_cell)),
      .corners = pl_vector_of(context, sizeof(int32_t)),
      .groups = pl_vector_of(context, sizeof(const char *)),
      .members = pl_vector_of(context, sizeof(group_member)),
      .middles = pl_vector_of(context, sizeof(int32_t)),
      .sources = pl_vector_of(context, sizeof(int32_t)),
      .group = -1,
  };
  pl_arena_init(&builder->text, context, 0);
  pl_builder_init_poses(builder);
  pl_builder_init_maps(builder);
}

void pl_mesh_builder_free(pl_mesh_builder *builder) {
  pl_vector_free(&builder->points);
  pl_vector_free(&builder->cells);
  pl_vector_free(&builder->corners);
  pl_vector_free(&builder->groups);
  pl_vector_free(&builder->members);
  pl_vector_free(&builder->middles);
  pl_vector_free(&builder->sources);
  pl_builder_free_poses(builder);
  pl_builder_free_maps(builder);
  pl_arena_destroy(&builder->text);
}

pl_status pl_builder_add_point(pl_mesh_builder *builder, pl_vec3 point, size_t offset) {
  if (!pl_vec3_is_finite(point))
    return pl_source_fail(
        builder->source, offset,
        "point %lld has a coordinate that is infinite or not a number; repair the program that wrote the file",
        (long long)builder->points.count + builder->index_base);
  if (builder->points.count >= INT32_MAX)
    return pl_source_refuse(builder->source, offset, "there are more points than can be used");
  return pl_vector_push(&builder->points, &point) ? PL_OK : pl_source_fail_memory(builder->source);
}

static pl_status fail_index(const pl_mesh_builder *builder, const pl_mesh_source *source, size_t offset,
                            int64_t index) {
  long long base = builder->index_base, count = (long long)builder->points.count;
  if (count == 0) return pl_source_fail(source, offset, "this element names a point, but the file has none");
  return pl_source_fail(source, offset, "this element names point %lld, but points go from %lld to %lld",
                        (long long)index + base, base, count - 1 + base);
}

pl_status pl_builder_add_cell(pl_mesh_builder *builder, pl_cell_kind kind, const int64_t *corners, size_t corner_count,
                              int32_t tag, size_t offset) {
  if (kind != PL_CELL_POLYGON) corner_count = (size_t)pl_cell_corner_count(kind);
  if (kind == PL_CELL_POLYGON && corner_count < 3) {
    pl_builder_skip_cell(builder, "a face with fewer than three corners");
    return PL_OK;
  }
  if (corner_count > INT32_MAX || builder->cells.count >= INT32_MAX)
    return pl_source_refuse(builder->source, offset, "there are more elements than can be used");
  file_cell cell = {.offset = offset,
                    .corner_start = builder->corners.count,
                    .corner_count = (int32_t)corner_count,
                    .tag = tag,
                    .kind = kind};
  int32_t *own = pl_vector_grow(&builder->corners, corner_count);
  if (own == NULL) return pl_source_fail_memory(builder->source);
  for (size_t i = 0; i < corner_count; ++i) {
    // The point may stand further on in the file, so only what can never be an index is refused here.
    if (corners[i] < 0 || corners[i] >= INT32_MAX) return fail_index(builder, builder->source, offset, corners[i]);
    own[i] = (int32_t)corners[i];
  }
  builder->has_tags = builder->has_tags || (tag != 0 && kind >= PL_CELL_TET);
  if (!pl_vector_push(&builder->cells, &cell)) return pl_source_fail_memory(builder->source);
  if (builder->group >= 0) {
    group_member member = {builder->group, (int32_t)builder->cells.count - 1};
    if (!pl_vector_push(&builder->members, &member)) return pl_source_fail_memory(builder->source);
  }
  return PL_OK;
}

pl_status pl_builder_add_middle(pl_mesh_builder *builder, int64_t point, size_t offset) {
  if (point < 0 || point >= INT32_MAX) return fail_index(builder, builder->source, offset, point);
  int32_t own = (int32_t)point;
  if (builder->cells.count > 0) {
    file_cell *cell = &PL_ITEM(&builder->cells, file_cell, builder->cells.count - 1);
    if (cell->middle_count++ == 0) cell->middle_start = builder->middles.count;
  }
  return pl_vector_push(&builder->middles, &own) ? PL_OK : pl_source_fail_memory(builder->source);
}

void pl_builder_set_quadratic(pl_mesh_builder *builder) {
  if (builder->cells.count == 0) return;
  file_cell *cell = &PL_ITEM(&builder->cells, file_cell, builder->cells.count - 1);
  cell->is_quadratic = cell->kind == PL_CELL_TET && cell->middle_count == 6;
}

void pl_builder_skip_cell(pl_mesh_builder *builder, const char *kind) {
  if (builder->skipped_count++ == 0) builder->skipped_kind = kind;
}

pl_status pl_builder_set_group(pl_mesh_builder *builder, const char *name, size_t length) {
  builder->group = -1;
  const char *zero = memchr(name, '\0', length);
  if (zero != NULL) length = (size_t)(zero - name);
  if (length == 0) return PL_OK;
  // A file with very many groups uses them as labels; beyond this they would all be dropped at the end anyway.
  if (builder->groups.count > 4096) return PL_OK;
  for (size_t i = 0; i < builder->groups.count; ++i) {
    const char *known = PL_ITEM(&builder->groups, const char *, i);
    if (strncmp(known, name, length) == 0 && known[length] == '\0') {
      builder->group = (int32_t)i;
      return PL_OK;
    }
  }
  char *copy = pl_arena_take(&builder->text, length + 1, 1);
  if (copy == NULL) return pl_source_fail_memory(builder->source);
  memcpy(copy, name, length);
  if (!pl_vector_push(&builder->groups, &copy)) return pl_source_fail_memory(builder->source);
  builder->group = (int32_t)builder->groups.count - 1;
  return PL_OK;
}

pl_status pl_builder_check(pl_mesh_builder *builder, const pl_mesh_source *source) {
  int64_t point_count = (int64_t)builder->points.count;
  for (; builder->checked_count < builder->cells.count; ++builder->checked_count) {
    const file_cell *cell = &PL_ITEM(&builder->cells, file_cell, builder->checked_count);
    const int32_t *corners = &PL_ITEM(&builder->corners, int32_t, cell->corner_start);
    for (int32_t i = 0; i < cell->corner_count; ++i)
      if (corners[i] >= point_count) return fail_index(builder, source, cell->offset, corners[i]);
  }
  for (size_t i = 0; i < builder->middles.count; ++i) {
    int32_t point = PL_ITEM(&builder->middles, int32_t, i);
    if (point >= point_count) return fail_index(builder, source, PL_NO_POSITION, point);
  }
  return PL_OK;
}

// Simplices while the mesh is being made.
typedef struct simplices {
  pl_vector segments, triangles, tets;  // int32_t
  pl_vector tags;                       // int32_t per tet
  pl_vector mids;                       // int32_t, six per tet of a mesh of quadratic ones
  pl_vector kinds;                      // unsigned char per tet: pl_cell_kind of the cell it was cut from
  pl_vector scratch;                    // int32_t
  pl_vector weights;                    // float, all groups
  pl_vector groups;                     // pl_mesh_group
  pl_vector poses;                      // pl_mesh_pose
} simplices;

static void free_simplices(simplices *s) {
  pl_vector *all[] = {&s->segments, &s->triangles, &s->tets,    &s->tags,   &s->kinds,
                      &s->mids,     &s->scratch,   &s->weights, &s->groups, &s->poses};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) pl_vector_free(all[i]);
}

static bool cut_volume(const pl_mesh_builder *builder, const file_cell *cell, const int32_t *corners, bool quadratic,
                       simplices *s) {
  if (!pl_cell_split_tets(cell->kind, corners, &s->tets)) return false;
  if (quadratic) {
    int32_t *mids = pl_vector_grow(&s->mids, 6);
    if (mids == NULL) return false;
    memcpy(mids, &PL_ITEM(&builder->middles, int32_t, cell->middle_start), 6 * sizeof *mids);
  }
  unsigned char kind = (unsigned char)cell->kind;
  while (s->kinds.count < s->tets.count / 4)
    if (!pl_vector_push(&s->kinds, &kind) || !pl_vector_push(&s->tags, &cell->tag)) return false;
  return true;
}

static pl_status cut_cells(const pl_mesh_builder *builder, bool quadratic, simplices *s) {
  const pl_vec3 *points = builder->points.items;
  for (size_t i = 0; i < builder->cells.count; ++i) {
    const file_cell *cell = &PL_ITEM(&builder->cells, file_cell, i);
    const int32_t *corners = &PL_ITEM(&builder->corners, int32_t, cell->corner_start);
    bool done = true;
    int32_t *own;
    switch (cell->kind) {
      case PL_CELL_SEGMENT:
        own = pl_vector_grow(&s->segments, 2);
        done = own != NULL;
        if (done) memcpy(own, corners, 2 * sizeof *own);
        break;
      case PL_CELL_QUAD: done = pl_quad_split(corners, &s->triangles); break;
      case PL_CELL_TRIANGLE:
      case PL_CELL_POLYGON:
        done = pl_polygon_split(points, corners, cell->corner_count, &s->scratch, &s->triangles);
        break;
      default: done = cut_volume(builder, cell, corners, quadratic, s); break;
    }
    if (!done) return pl_source_fail_memory(builder->source);
  }
  return PL_OK;
}

// Tools disagree on which way round the corners of a volume cell go (VTK's and Gmsh's prisms differ, and some exporters
// mirror). Where *all* cells of a kind are inside out it is the convention, so they are turned; where only some are,
// the mesh is damaged, and saying so is left to the mesh check.
static pl_status turn_tets(const pl_mesh_builder *builder, simplices *s) {
  const pl_vec3 *points = builder->points.items;
  int32_t positive[PL_CELL_KIND_COUNT] = {0}, negative[PL_CELL_KIND_COUNT] = {0};
  int32_t *tets = s->tets.items;
  const unsigned char *kinds = s->kinds.items;
  for (size_t t = 0; t < s->kinds.count; ++t) {
    pl_vec3 a = points[tets[4 * t]];
    pl_vec3 b = pl_vec3_sub(points[tets[4 * t + 1]], a), c = pl_vec3_sub(points[tets[4 * t + 2]], a);
    double volume = pl_vec3_dot(pl_vec3_cross(b, c), pl_vec3_sub(points[tets[4 * t + 3]], a));
    positive[kinds[t]] += volume > 0;
    negative[kinds[t]] += volume < 0;
  }
  int64_t turned_count = 0;
  for (size_t t = 0; t < s->kinds.count; ++t) {
    if (positive[kinds[t]] > 0 || negative[kinds[t]] == 0) continue;
    int32_t swapped = tets[4 * t + 2];
    tets[4 * t + 2] = tets[4 * t + 3];
    tets[4 * t + 3] = swapped;
    if (s->mids.count > 0) {
      // 1-2 and 1-3 change places, 2-0 and 0-3 too.
      int32_t *mids = &PL_ITEM(&s->mids, int32_t, 6 * t), old[6];
      memcpy(old, mids, sizeof old);
      mids[1] = old[4];
      mids[4] = old[1];
      mids[2] = old[3];
      mids[3] = old[2];
    }
    ++turned_count;
  }
  if (turned_count == 0) return PL_OK;
  return pl_source_note(builder->source, PL_SEVERITY_NOTE, "turned-tets",
                        "the file lists their corners the other way round", "",
                        "%lld tets had negative volume and were turned", (long long)turned_count);
}

static pl_status make_groups(const pl_mesh_builder *builder, simplices *s) {
  size_t group_count = builder->groups.count, point_count = builder->points.count;
  if (group_count == 0) return PL_OK;
  if (group_count > 4096 || group_count * point_count > MAX_WEIGHTS)
    return pl_source_note(builder->source, PL_SEVERITY_NOTE, "too-many-groups",
                          "a weight for every point in every group would be too much",
                          "keep only the groups that are needed", "%zu groups for %zu points were left out",
                          group_count, point_count);
  float *weights = pl_vector_grow(&s->weights, group_count * point_count);
  pl_mesh_group *groups = pl_vector_grow(&s->groups, group_count);
  if (weights == NULL || groups == NULL) return pl_source_fail_memory(builder->source);
  for (size_t i = 0; i < group_count; ++i)
    groups[i] = (pl_mesh_group){PL_ITEM(&builder->groups, const char *, i), weights + i * point_count};
  for (size_t i = 0; i < builder->members.count; ++i) {
    group_member member = PL_ITEM(&builder->members, group_member, i);
    const file_cell *cell = &PL_ITEM(&builder->cells, file_cell, member.cell);
    const int32_t *corners = &PL_ITEM(&builder->corners, int32_t, cell->corner_start);
    for (int32_t k = 0; k < cell->corner_count; ++k)
      weights[(size_t)member.group * point_count + (size_t)corners[k]] = 1.0f;
    for (int32_t k = 0; k < cell->middle_count; ++k) {
      int32_t middle = PL_ITEM(&builder->middles, int32_t, cell->middle_start + (size_t)k);
      if (middle >= 0) weights[(size_t)member.group * point_count + (size_t)middle] = 1.0f;
    }
  }
  return PL_OK;
}

// Whether all volume cells are quadratic tets.
static bool is_quadratic(const pl_mesh_builder *builder) {
  bool any = false;
  for (size_t i = 0; i < builder->cells.count; ++i) {
    const file_cell *cell = &PL_ITEM(&builder->cells, file_cell, i);
    if (cell->kind >= PL_CELL_TET && !cell->is_quadratic) return false;
    any = any || cell->is_quadratic;
  }
  return any;
}

// Leave out mid-nodes that are no cell's corner and no quadratic tet's: nothing would hold them. The others keep their
// order.
static pl_status drop_middles(pl_mesh_builder *builder, bool quadratic, simplices *s) {
  if (builder->middles.count == 0) return PL_OK;
  size_t point_count = builder->points.count;
  s->scratch.count = 0;
  int32_t *fate = pl_vector_grow(&s->scratch, point_count);  // 0 stays, -1 goes; then the new index
  if (fate == NULL) return pl_source_fail_memory(builder->source);
  for (size_t i = 0; i < builder->middles.count; ++i) fate[PL_ITEM(&builder->middles, int32_t, i)] = -1;
  for (size_t i = 0; i < builder->corners.count; ++i) fate[PL_ITEM(&builder->corners, int32_t, i)] = 0;
  for (size_t i = 0; quadratic && i < builder->cells.count; ++i) {
    const file_cell *cell = &PL_ITEM(&builder->cells, file_cell, i);
    for (size_t k = 0; cell->is_quadratic && k < 6; ++k)
      fate[PL_ITEM(&builder->middles, int32_t, cell->middle_start + k)] = 0;
  }
  int32_t kept_count = 0;
  for (size_t i = 0; i < point_count; ++i) {
    if (fate[i] < 0) continue;
    PL_ITEM(&builder->points, pl_vec3, kept_count) = PL_ITEM(&builder->points, pl_vec3, i);
    pl_builder_move_pose_point(builder, (size_t)kept_count, i);
    pl_builder_move_map_point(builder, (size_t)kept_count, i);
    fate[i] = kept_count++;
  }
  for (size_t i = 0; i < builder->corners.count; ++i)
    PL_ITEM(&builder->corners, int32_t, i) = fate[PL_ITEM(&builder->corners, int32_t, i)];
  for (size_t i = 0; i < builder->middles.count; ++i)
    PL_ITEM(&builder->middles, int32_t, i) = fate[PL_ITEM(&builder->middles, int32_t, i)];
  builder->points.count = (size_t)kept_count;
  if ((size_t)kept_count == point_count) return PL_OK;
  return pl_source_note(builder->source, PL_SEVERITY_NOTE, "mid-nodes", "elements are used with straight edges", "",
                        "%zu mid-nodes of higher-order elements were left out", point_count - (size_t)kept_count);
}

static pl_status create_mesh(const pl_mesh_builder *builder, const simplices *s, pl_mesh **mesh) {
  pl_mesh_view view = {
      .point_count = (int32_t)builder->points.count,
      .points = builder->points.items,
      .segment_count = (int32_t)(s->segments.count / 2),
      .segments = s->segments.items,
      .triangle_count = (int32_t)(s->triangles.count / 3),
      .triangles = s->triangles.items,
      .tet_count = (int32_t)(s->tets.count / 4),
      .tets = s->tets.items,
      .tet_mids = s->mids.count > 0 ? s->mids.items : NULL,
      .tet_tags = builder->has_tags && s->tets.count > 0 ? s->tags.items : NULL,
      .group_count = (int32_t)s->groups.count,
      .groups = s->groups.items,
      .pose_count = (int32_t)s->poses.count,
      .poses = s->poses.items,
      .source_count = (int32_t)builder->sources.count,
      .point_of_source = builder->sources.items,
  };
  return pl_mesh_create(builder->source->context, &view, mesh, builder->source->error);
}

pl_status pl_mesh_builder_finish(pl_mesh_builder *builder, pl_mesh **mesh) {
  const pl_mesh_source *source = builder->source;
  pl_context *context = source->context;
  pl_status status = pl_builder_check(builder, source);
  if (status < 0) return status;
  if (builder->points.count == 0) return pl_source_fail(source, PL_NO_POSITION, "the file holds no points");
  simplices s = {
      .segments = pl_vector_of(context, sizeof(int32_t)),
      .triangles = pl_vector_of(context, sizeof(int32_t)),
      .tets = pl_vector_of(context, sizeof(int32_t)),
      .tags = pl_vector_of(context, sizeof(int32_t)),
      .mids = pl_vector_of(context, sizeof(int32_t)),
      .kinds = pl_vector_of(context, 1),
      .scratch = pl_vector_of(context, sizeof(int32_t)),
      .weights = pl_vector_of(context, sizeof(float)),
      .groups = pl_vector_of(context, sizeof(pl_mesh_group)),
      .poses = pl_vector_of(context, sizeof(pl_mesh_pose)),
  };
  status = pl_builder_fill_poses(builder);
  if (status >= 0) status = pl_builder_fill_maps(builder);
  bool quadratic = is_quadratic(builder);
  if (status >= 0) status = drop_middles(builder, quadratic, &s);
  if (status >= 0) status = cut_cells(builder, quadratic, &s);
  if (status >= 0 && (s.triangles.count / 3 > INT32_MAX || s.tets.count / 4 > INT32_MAX))
    status = pl_source_refuse(source, PL_NO_POSITION, "there are more elements than can be used");
  if (status >= 0) status = turn_tets(builder, &s);
  if (status >= 0) status = make_groups(builder, &s);
  if (status >= 0) status = pl_builder_list_maps(builder, &s.groups);
  if (status >= 0) status = pl_builder_list_poses(builder, &s.poses);
  if (status >= 0 && builder->skipped_count > 0)
    status = pl_source_note(source, PL_SEVERITY_WARNING, "left-out-elements",
                            "a mesh holds segments, triangles and tets, and what can be cut into them", "",
                            "%lld elements were left out, the first being %s", (long long)builder->skipped_count,
                            builder->skipped_kind);
  if (status >= 0) status = create_mesh(builder, &s, mesh);
  free_simplices(&s);
  return status;
}
