// Gathers what a reader finds in a file, then makes a mesh of it: checks every index, cuts cells
// into simplices, turns tets outside out.
#ifndef PL_IO_MESH_BUILDER_H
#define PL_IO_MESH_BUILDER_H

#include "base/arena.h"
#include "io/cell_split.h"
#include "pliant/mesh.h"
#include "text/text_source.h"

typedef struct pl_mesh_builder {
  pl_mesh_source *source;
  pl_vector points;   // pl_vec3
  pl_vector cells;    // of the file, before cutting
  pl_vector corners;  // int32_t, of all cells
  pl_vector groups;   // const char *, in `text`
  pl_vector members;  // pairs of group and cell
  pl_vector middles;  // int32_t, points that are mid-nodes of higher-order cells; -1 once left out
  pl_vector sources;  // int32_t, point of each source vertex, if points were welded
  pl_vector poses;    // of mesh_poses.c
  pl_vector maps;     // of mesh_maps.c
  pl_arena text;
  int64_t index_base;     // what the file counts from, for messages
  int32_t group;          // that new cells belong to, -1 for none
  size_t checked_count;   // cells whose indices are known to be good
  int64_t skipped_count;  // cells of kinds that a mesh cannot hold
  const char *skipped_kind;
  bool has_tags;
} pl_mesh_builder;

void pl_mesh_builder_init(pl_mesh_builder *builder, pl_mesh_source *source);
void pl_mesh_builder_free(pl_mesh_builder *builder);

// Append a point that stands at `offset` of the file; fails if it is not finite.
pl_status pl_builder_add_point(pl_mesh_builder *builder, pl_vec3 point, size_t offset);

// Append a cell with corners counted from 0. `corner_count` matters for polygons; other kinds have
// a fixed number. A tag of 0 is none.
pl_status pl_builder_add_cell(pl_mesh_builder *builder, pl_cell_kind kind, const int64_t *corners,
                              size_t corner_count, int32_t tag, size_t offset);

// Remember a point as mid-node of the cell that was added last: it is left out unless it is some
// cell's corner or the mesh is one of quadratic tets.
pl_status pl_builder_add_middle(pl_mesh_builder *builder, int64_t point, size_t offset);

// The cell that was added last is a quadratic tet: its six mid-nodes, added before, are in the
// order of pl_mesh_view::tet_mids. A mesh all of whose volume cells are such keeps them.
void pl_builder_set_quadratic(pl_mesh_builder *builder);

// Count a cell that is left out; `kind` (static storage) names the first of them in the finding.
void pl_builder_skip_cell(pl_mesh_builder *builder, const char *kind);

// Cells from now on belong to the group of this name, which is made if it is new; an empty name
// ends the group.
pl_status pl_builder_set_group(pl_mesh_builder *builder, const char *name, size_t length);

// Check the corners of cells added since the last check against the points there are. Done by
// finish; a reader of several files does it while `source` is still the file the cells are from.
pl_status pl_builder_check(pl_mesh_builder *builder, const pl_mesh_source *source);

// Points of formats that hold vectors by name: those called PL_POSE_PREFIX and a name are poses, as
// displacements from the rest.
#define PL_POSE_PREFIX "pose:"

// Append to pose `name`, made if it is new, the displacements of `count` points from `first_point`
// on, 3 numbers each; `offset` is their place in the file. Points that no call names stay where
// they are.
pl_status pl_builder_add_pose(pl_mesh_builder *builder, const char *name, size_t first_point,
                              const double *offsets, size_t count, size_t offset);

void pl_builder_init_poses(pl_mesh_builder *builder);

// The steps of finish that deal with poses: places instead of displacements, for all points; move
// one point's places; list them as a vector of pl_mesh_pose.
pl_status pl_builder_fill_poses(pl_mesh_builder *builder);
void pl_builder_move_pose_point(pl_mesh_builder *builder, size_t to, size_t from);
pl_status pl_builder_list_poses(const pl_mesh_builder *builder, pl_vector *poses);
void pl_builder_free_poses(pl_mesh_builder *builder);

// Numbers per point that become groups (mesh_maps.c). Scalars called PL_GROUP_PREFIX and a name are
// groups of that name.
#define PL_GROUP_PREFIX "group:"
enum { PL_MAP_NAME_SIZE = 32 };

// Name of the group of one channel (0 red … 3 alpha) of a set of colours, counted from 0.
void pl_color_map_name(char name[PL_MAP_NAME_SIZE], int set, int channel);

// The map called `name`, made if it is new; -1 where there are too many.
pl_status pl_builder_find_map(pl_mesh_builder *builder, const char *name, int32_t *map);

// Set the value of one point; points without one have 0. A map with a value outside 0 … 1 is left
// out of the mesh with a warning. Nothing happens for map -1.
pl_status pl_builder_set_map(pl_mesh_builder *builder, int32_t map, size_t point, double value);

void pl_builder_init_maps(pl_mesh_builder *builder);
void pl_builder_free_maps(pl_mesh_builder *builder);

// The steps of finish that deal with maps: values for all points; move one point's values; append
// them to a vector of pl_mesh_group, but for those whose name is taken.
pl_status pl_builder_fill_maps(pl_mesh_builder *builder);
void pl_builder_move_map_point(pl_mesh_builder *builder, size_t to, size_t from);
pl_status pl_builder_list_maps(const pl_mesh_builder *builder, pl_vector *groups);

// Make the mesh.
pl_status pl_mesh_builder_finish(pl_mesh_builder *builder, pl_mesh **mesh);

#endif
