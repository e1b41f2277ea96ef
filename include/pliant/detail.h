/// @file detail.h
/// Dents and wrinkles around a contact, transferred from a few recorded examples to any coarse
/// simulation (paper 003).
///
/// A *recording* is one press, pinch or drag: the deformation of a coarse body, and the true
/// surface. A *set* holds what is kept of recordings: for each a small map of displacements (a
/// stamp), and descriptors of site and load that say where it applies. A *filter* adds stamps to
/// the surface of a simulation, by Pliant or any other engine, wherever a similar site is loaded in
/// a similar way.
#ifndef PLIANT_DETAIL_H
#define PLIANT_DETAIL_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A body at rest: its material as points with volumes, and its surface. Borrowed arrays.
/// Connectivity follows from indices: two vertices at one position with different indices are a
/// cut. Vertices that were duplicated for a texture seam must be welded before.
typedef struct pl_detail_object {
  int32_t material_count;
  const pl_vec3
      *material_points;  ///< metres; those of a tet mesh, or any spread through the inside
  const double *material_volumes;  ///< m³ that each stands for; NULL: from the tets
  int32_t tet_count;
  const int32_t *tets;  ///< 4 material points each: material that is cut off from the contact then
                        ///< does not count. NULL: all of it counts
  int32_t surface_count;
  const pl_vec3 *surface_points;  ///< metres
  int32_t triangle_count;
  const int32_t *triangles;  ///< 3 surface points each, counter-clockwise seen from outside
  /// For each surface point a material point of the same piece, such as pl_mesh_build_boundary()
  /// gives; NULL: the nearest one, which near a cut may be the wrong one. Only used with tets.
  const int32_t *material_of_surface;
} pl_detail_object;

/// The object made of a tet mesh and a surface, borrowed from both: the boundary with the
/// point_of_surface that pl_mesh_build_boundary() gave, or another surface with NULL or a point of
/// the same piece for each of its points. Never fails.
PL_API pl_detail_object pl_detail_object_from_mesh(const pl_mesh *tets, const pl_mesh *surface,
                                                   const int32_t *material_of_surface);

/// Where a tool touches the deformed coarse surface.
typedef struct pl_detail_contact {
  pl_vec3 point;   ///< metres; the nearest surface point counts
  pl_vec3 normal;  ///< outward normal of the surface there, any length; distinguishes the two sides
                   ///< of a thin part. Zero: not known
  double pressure;  ///< how hard it presses, in any unit: only ratios between contacts count. 0:
                    ///< the contact does nothing
  bool is_located;  ///< `triangle` and `barycentric` say where it is; otherwise they are found from
                    ///< `point`
  int32_t triangle;  ///< of the object
  double barycentric[3];
  double radius;  ///< of a round contact patch, metres; 0: a point. Only used by sets with a patch
                  ///< descriptor, without patch_points
  int32_t patch_count;          ///< surface points that are touched …
  const int32_t *patch_points;  ///< … and which
} pl_detail_contact;

/// One recorded press, pinch or drag. Borrowed arrays.
typedef struct pl_detail_recording {
  const char *label;                      ///< NULL: none
  const pl_detail_object *object;         ///< recordings of one object should point to the same one
  const pl_vec3 *material_displacements;  ///< of the coarse body, metres
  const pl_vec3 *coarse_points;           ///< surface of the coarse body, metres
  const pl_vec3 *fine_points;             ///< the true surface in the same vertex order
  pl_detail_contact contact;              ///< on the coarse surface
} pl_detail_recording;

/// A list of recordings. Borrowed.
typedef struct pl_detail_recordings {
  const pl_detail_recording *items;
  int32_t count;
  const int32_t *sites;  ///< site of each recording, any number; only for
                         ///< pl_detail_cross_validate(), may be NULL
} pl_detail_recordings;

/// Input of pl_detail_set_build().
typedef struct pl_detail_def {
  // parameters of src/detail/detail_parameters.c by `make generate`: begin
  /// How far descriptors look around a contact, one standard deviation.
  double window_radius;  ///< m, above 0 up to 1e6, to be filled in
  /// How far a stamp reaches around the contact; 0 means: 2.5 window radii.
  double stamp_radius;  ///< m, 0 … 1e6, default 0
  /// Samples along each side of a stamp.
  int32_t stamp_resolution;  ///< 4 … 512, default 64
  /// Fraction of the radius over which a stamp fades out.
  double stamp_border;  ///< 0 … 1, default 0.25
  /// 2: what faces away from the contact, the lower side of a sheet, has a map of its own; 1: one
  /// map for all.
  int32_t stamp_sides;  ///< 1 … 2, default 2
  /// Orders of moments of the place.
  int32_t site_order;  ///< 0 … 3, default 3
  /// Of the contact patch's shape; -1: not looked at.
  int32_t patch_order;  ///< -1 … 3, default -1
  /// Of the load; 0: not looked at.
  int32_t load_order;  ///< 0 … 2, default 2
  /// Loads below this fraction of the window radius are none.
  double min_load;  ///< 0 … 1, default 1e-4
  /// Size of loads around which sizes are distinguished best. 0: loads are compared by direction
  /// alone, as in the paper, so one place can be recorded at one depth for each direction.
  /// Negative: 0, or the mean size of the recordings if some differ in size alone.
  double load_reference;  ///< m, -1e6 … 1e6, default -1
  /// A stamp grows with the load up to this factor times the load of its recording.
  double overload;  ///< 1 … 1e6, default 1.5
  /// Of the kernel; 0: that which predicts each recording best from the others, if there are four
  /// or more.
  double site_width;  ///< 0 … 1e6, default 0
  /// Likewise.
  double patch_width;  ///< 0 … 1e6, default 0
  /// Likewise.
  double load_width;  ///< 0 … 1e6, default 0
  /// Whether every recording also stands for its mirror image: those come after all recordings, in
  /// their order, but for what is its own mirror image or too like another example. Right for all
  /// material that has no handedness.
  bool mirror;  ///< default false
  /// Whether weights are plain similarities (eq. 15), for more examples than can interpolate.
  bool plain_weights;  ///< default false
  // parameters: end

  uint32_t magic;  ///< set by pl_default_detail_def()
} pl_detail_def;

/// Every parameter at its default; the window radius is to be filled in.
PL_API pl_detail_def pl_default_detail_def(void);

/// Detail examples prepared for queries. Immutable; may be used from several threads at once.
typedef struct pl_detail_set pl_detail_set;

/// Result of pl_detail_set_build().
typedef struct pl_detail_set_report {
  double site_width, patch_width, load_width;  ///< of the kernel, as used
  double prediction_error;  ///< error of predicting each example from all others, relative; 0 if
                            ///< widths were given or there are fewer than four
  double
      inexactness;  ///< farthest that weights at an example are from 1 for it and 0 for the others
  int32_t max_group;   ///< examples that are similar to each other, directly or by way of others
  double stamp_error;  ///< largest fraction of a recording's displacement (root mean square) that
                       ///< its stamp does not reproduce …
  int32_t stamp_error_index;  ///< … and of which
  int32_t mirrored_count;     ///< examples that are mirror images
} pl_detail_set_report;

/// Build a set from recordings, which are not needed afterwards. The caller owns the set; `report`
/// may be NULL. Fails with PL_ERROR_INVALID_ARGUMENT for numbers out of range,
/// PL_ERROR_INVALID_DATA for recordings that are not finite, have no load at their contact, or are
/// too similar (the error names their indices). Runs on the calling thread.
PL_API pl_status pl_detail_set_build(pl_context *context, const pl_detail_def *def,
                                     const pl_detail_recordings *recordings, pl_detail_set **set,
                                     pl_detail_set_report *report, pl_error *error);

/// All arrays of a set, as they are saved to a file. Borrowed.
typedef struct pl_detail_set_view {
  pl_detail_def def;  ///< as used: nothing is left to be chosen
  int32_t example_count;
  const char *const *labels;  ///< "" for none
  int32_t key_size;           ///< numbers in a key, decided by the orders
  const float *keys;          ///< key_size each: moments of site and patch, direction of the load
  const float *sizes;         ///< of the loads, metres
  const float *stamps;  ///< stamp_resolution² samples for each side, y in rows, x fastest, of 4
                        ///< numbers: displacement per metre of load in the stamping frame, 0
} pl_detail_set_view;

/// The arrays of a set; valid as long as the instance.
PL_API pl_detail_set_view pl_detail_set_get_view(const pl_detail_set *set);

/// Create a set from its arrays, which are copied. The caller owns the set. Fails as
/// pl_detail_set_build() does.
PL_API pl_status pl_detail_set_create(pl_context *context, const pl_detail_set_view *view,
                                      pl_detail_set **set, pl_error *error);

/// Destroy a set. Its filters must have been destroyed before. NULL is allowed.
PL_API void pl_detail_set_destroy(pl_detail_set *set);

/// Number of floats of scratch memory, aligned to 32 bytes, that pl_detail_set_compare() and
/// pl_detail_set_compute_weights() need.
PL_API size_t pl_detail_set_scratch_size(const pl_detail_set *set);

/// Similarity (eq. 15) of a key, as in pl_detail_set_view, to each example: 1 at an example, 0
/// where it is not similar at all. `similarities` holds example_count. Allocates nothing; may be
/// called from several threads at once, each with scratch memory of its own.
PL_API void pl_detail_set_compare(const pl_detail_set *set, const float *key, float *scratch,
                                  float *similarities);

/// Weights of the examples for a key: those that interpolate, or the similarities for a set with
/// plain weights. Returns the number of similar examples. Memory and threads are as for
/// pl_detail_set_compare().
PL_API int32_t pl_detail_set_compute_weights(const pl_detail_set *set, const float *key,
                                             float *scratch, float *weights);

/// A stamp as a grey picture of side x side pixels, rows from the top, y up: 128 is zero
/// displacement along the normal, lighter is outwards, and the largest displacement is full scale.
/// Fails with PL_ERROR_NOT_FOUND for an example that does not exist.
PL_API pl_status pl_detail_set_preview(const pl_detail_set *set, int32_t example, int32_t side,
                                       uint8_t *pixels);

/// Input of pl_detail_filter_create().
typedef struct pl_detail_filter_def {
  // parameters of src/detail/detail_parameters.c by `make generate`: begin
  /// Contacts at a time; memory grows with it.
  int32_t max_contacts;  ///< 1 … 4096, default 8
  /// Size of the object by that of the recorded ones: 0.5 lays stamps of half the length and
  /// height.
  double scale;  ///< above 0 up to 1e6, default 1
  // parameters: end

  const pl_detail_set *set;        ///< must outlive the filter
  const pl_detail_object *object;  ///< whose surface is to be changed; copied
  uint32_t magic;                  ///< set by pl_default_detail_filter_def()
} pl_detail_filter_def;

/// Every parameter at its default; set and object are to be filled in.
PL_API pl_detail_filter_def pl_default_detail_filter_def(void);

/// Adds detail to one surface. Holds working memory only: the result depends on the arguments
/// alone.
typedef struct pl_detail_filter pl_detail_filter;

/// Create a filter for an object. After a cut create a new one from the cut mesh. The caller owns
/// the filter. Fails with PL_ERROR_INVALID_ARGUMENT or PL_ERROR_INVALID_DATA for an object without
/// material, volumes or triangles, with indices out of range or numbers that are not finite.
PL_API pl_status pl_detail_filter_create(pl_context *context, const pl_detail_filter_def *def,
                                         pl_detail_filter **filter, pl_error *error);

/// Destroy a filter. NULL is allowed.
PL_API void pl_detail_filter_destroy(pl_detail_filter *filter);

/// One moment of a coarse simulation. Borrowed arrays. A rigid motion of the whole makes no
/// difference.
typedef struct pl_detail_frame {
  const pl_vec3 *material_displacements;  ///< metres, of the object's material points
  const pl_vec3 *surface_points;          ///< metres, where the object's surface points are now
  int32_t contact_count;
  const pl_detail_contact *contacts;
} pl_detail_frame;

/// Result for one contact.
typedef struct pl_detail_contact_report {
  int32_t triangle;  ///< where it was found, -1 for a contact without pressure
  double barycentric[3];
  double load_size;       ///< metres, of the recorded objects' scale
  int32_t similar_count;  ///< examples that are similar at all
  int32_t best_example;   ///< example with the largest weight, -1 if none
  double best_weight;
} pl_detail_contact_report;

/// Compute the surface of a frame with detail. `points` receives surface_count positions and may be
/// `frame->surface_points`. Where stamps of several contacts overlap they are blended and not
/// summed. `reports` holds contact_count, or is NULL. Allocates nothing; time is bounded by the
/// sizes of object and set. Fails with PL_ERROR_INVALID_ARGUMENT for too many contacts or one
/// without a position, PL_ERROR_INVALID_DATA for displacements that are not finite; `points` is
/// then unchanged. One thread per filter; different filters may run at the same time.
PL_API pl_status pl_detail_filter_apply(pl_detail_filter *filter, const pl_detail_frame *frame,
                                        pl_vec3 *points, pl_detail_contact_report *reports,
                                        pl_error *error);

/// Weights of the examples at contact `contact` of the last pl_detail_filter_apply(). `weights`
/// holds example_count of the set. All zero for a contact that does not exist or had no effect.
PL_API void pl_detail_filter_get_weights(const pl_detail_filter *filter, int32_t contact,
                                         double *weights);

/// Wall-clock time of the last pl_detail_filter_apply() by part.
typedef struct pl_detail_time_report {
  double find_seconds;      ///< contacts on the surface, and connectivity around them
  double describe_seconds;  ///< descriptors of site, load and patch
  double weights_seconds;   ///< comparison with all examples, and weights
  double blend_seconds;     ///< stamps of examples into one for each contact
  double stamp_seconds;     ///< that one onto the surface
} pl_detail_time_report;

/// Wall-clock time of the last frame; all zero before the first.
PL_API pl_detail_time_report pl_detail_filter_get_report(const pl_detail_filter *filter);

/// Result of pl_detail_segment(). The caller provides the arrays.
typedef struct pl_detail_segments {
  int32_t count;              ///< wanted
  int32_t *segment_of_point;  ///< one per surface point, the largest segment is 0
  int32_t *representatives;   ///< most typical surface point of each segment: where to record. -1
                              ///< for an empty segment; may be NULL
  double spread;              ///< root of the mean squared distance to the segments' centers
} pl_detail_segments;

/// Segment a surface into regions that are similar in shape (paper 003, section 6.1). `def` gives
/// window radius and site order. Equal input gives equal segments. Fails with
/// PL_ERROR_INVALID_ARGUMENT for a count below 1, or as pl_detail_filter_create() does. Uses the
/// threads of the context.
PL_API pl_status pl_detail_segment(pl_context *context, const pl_detail_def *def,
                                   const pl_detail_object *object, uint64_t seed,
                                   pl_detail_segments *segments, pl_error *error);

/// How well examples cover a surface. The caller provides the arrays.
typedef struct pl_detail_coverage {
  double *distances;  ///< one per surface point: distance (eq. 9) of its site to that of the
                      ///< nearest example
  int32_t *nearest;   ///< one per surface point: index of the nearest example; NULL: not wanted
  double limit;      ///< largest distance that counts as covered: the width of the kernel for sites
  double covered;    ///< fraction of surface points within the limit
  int32_t farthest;  ///< surface point least similar to any example: the next one to record
  double max, mean;  ///< of the distances
} pl_detail_coverage;

/// Measure how well the examples of a set cover a surface. Set `distances` and `nearest` of
/// `coverage` before the call; all other fields are results. `scale` is as in pl_detail_filter_def.
/// Fails as pl_detail_segment() does.
PL_API pl_status pl_detail_measure_coverage(pl_context *context, const pl_detail_set *set,
                                            const pl_detail_object *object, double scale,
                                            pl_detail_coverage *coverage, pl_error *error);

/// Input of pl_detail_layer_add().
typedef struct pl_detail_layer_def {
  // parameters of src/detail/detail_parameters.c by `make generate`: begin
  /// Surface points this close to a tool are touched, besides the gap that the body keeps.
  double reach;  ///< m, 0 … 1e6, default 1e-3
  /// Size of the body by that of the recorded one: 0.5 lays stamps of half the length and height.
  double scale;  ///< above 0 up to 1e6, default 1
  /// Tools that may touch at a time; of more, the first.
  int32_t max_contacts;  ///< 1 … 4096, default 8
  // parameters: end

  const pl_detail_set *set;     ///< must outlive the world
  const pl_mesh *mesh;          ///< the tet mesh the body's model was built from; may go afterwards
  const pl_collider_id *tools;  ///< colliders that count as tools; copied
  int32_t tool_count;           ///< 0: all colliders that move along keys
  uint32_t magic;               ///< set by pl_default_detail_layer_def()
} pl_detail_layer_def;

/// Every parameter at its default, all moving colliders; set and mesh are to be filled in.
PL_API pl_detail_layer_def pl_default_detail_layer_def(void);

/// A detail filter on a body of a world.
typedef struct pl_detail_layer pl_detail_layer;

/// Add detail to the surface of a body wherever tools touch it, after every step from now on. Each
/// tool that touches is one contact, at the mean of the touched points, weighted by depth. The
/// caller owns the layer and destroys it after the world. Fails with PL_ERROR_NOT_FOUND for a stale
/// handle, PL_ERROR_INVALID_DATA when the mesh has no tets or is not the one that the model was
/// built from.
PL_API pl_status pl_detail_layer_add(pl_world *world, pl_body_id body,
                                     const pl_detail_layer_def *def, pl_detail_layer **layer,
                                     pl_error *error);

/// Destroy a layer. Its world, or its body, must have been destroyed before. NULL is allowed.
PL_API void pl_detail_layer_destroy(pl_detail_layer *layer);

/// Contacts of the last step. Returns their number and writes at most `max` of them to `reports`,
/// which may be NULL.
PL_API int32_t pl_detail_layer_get_contacts(const pl_detail_layer *layer, int32_t max,
                                            pl_detail_contact_report *reports);

/// Wall-clock time of the filter in the last step in which a tool touched.
PL_API pl_detail_time_report pl_detail_layer_get_report(const pl_detail_layer *layer);

#ifdef __cplusplus
}
#endif
#endif
