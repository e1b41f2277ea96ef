// Inside characters: what a character holds, and the readers that fill it one part after the other.
#ifndef PL_IO_CHARACTER_PARTS_H
#define PL_IO_CHARACTER_PARTS_H

#include "base/arena.h"
#include "character/character_humanoid.h"
#include "io/gltf_document.h"
#include "pliant/character.h"

// --- what a character holds
// ---------------------------------------------------------------------------------------

typedef enum pl_character_mode {
  PL_CHARACTER_LINEAR = 0,
  PL_CHARACTER_STEP,
  PL_CHARACTER_CUBIC
} pl_character_mode;
typedef enum pl_character_path {
  PL_CHARACTER_POSITION = 0,
  PL_CHARACTER_ROTATION,
  PL_CHARACTER_SCALE,
  PL_CHARACTER_MORPHS,
} pl_character_path;

// Keys of an animation sampler. Cubic ones have three rows a key: tangent in, value, tangent out.
typedef struct pl_character_sampler {
  pl_character_mode mode;
  int32_t key_count, width;  // width: numbers a row
  const double *times;       // increasing
  const double *values;      // key_count (times 3) x width; NULL: not read
} pl_character_sampler;

typedef struct pl_character_channel {
  int32_t node;
  pl_character_path path;
  const pl_character_sampler *sampler;
} pl_character_channel;

// The channels of an animation.
typedef struct pl_character_track {
  const pl_character_channel *channels;
  int32_t channel_count;
  const int32_t
      *scale_of_node;  // channel that scales each node, -1 for none; NULL: it scales nothing
} pl_character_track;

// Numbers of ours for one node; those that the file does not give are negative.
typedef struct pl_character_extra {
  int32_t node;
  double radius, mass, stiffness, max_angle;
} pl_character_extra;

// An expression of VRM: a mixture of morph targets; in a VRM animation a node that plays it.
typedef struct pl_character_bind {
  int32_t pose;  // of the surface
  double weight;
} pl_character_bind;
// What an expression does to those of a group (blink, look-at, mouth) while it is shown.
typedef enum pl_character_override {
  PL_CHARACTER_OVERRIDE_NONE = 0,
  PL_CHARACTER_OVERRIDE_BLOCK,
  PL_CHARACTER_OVERRIDE_BLEND,
} pl_character_override;
enum { PL_CHARACTER_OVERRIDES = 3 };
typedef struct pl_character_expression {
  const char *name;
  bool is_binary;
  int32_t node;  // -1: none
  const pl_character_bind *binds;
  int32_t bind_count;
  pl_character_override overrides[PL_CHARACTER_OVERRIDES];
} pl_character_expression;

// How a gaze moves the eyes: as bones, or as expressions.
typedef enum pl_character_gaze_kind {
  PL_CHARACTER_GAZE_NONE = 0,
  PL_CHARACTER_GAZE_BONE,
  PL_CHARACTER_GAZE_EXPRESSION,
} pl_character_gaze_kind;
enum { PL_GAZE_INNER = 0, PL_GAZE_OUTER, PL_GAZE_DOWN, PL_GAZE_UP, PL_GAZE_MAPS };
typedef struct pl_character_gaze {
  pl_character_gaze_kind kind;
  double max_input[PL_GAZE_MAPS], scale[PL_GAZE_MAPS];  // degrees to degrees, or to weights
  int32_t node;  // of a VRM animation: its rotation is the gaze, -1 for none
} pl_character_gaze;

struct pl_character {
  pl_context *context;
  pl_arena arena;  // holds all that follows, and this struct
  pl_mesh *surface;
  pl_character_view view;

  pl_character_node *nodes;  // view.nodes
  int32_t *order;            // nodes, parents before children
  pl_transform *rest;        // per node: in the world, without scale
  pl_mat3 *linear;           // per node: linear part in the world, with scale
  bool is_scaled;            // some node has a scale

  pl_character_track *tracks;  // one per animation
  int32_t *target_start;  // node_count + 1: the morph targets of each node's mesh in pose_of_target
  const int32_t *pose_of_target;
  double *morphs;  // per pose of the surface: weight at rest
  const pl_character_expression *expressions;
  int32_t expression_count;
  pl_character_gaze gaze;

  pl_character_spring *springs;  // view.springs
  bool *is_used;                 // per spring: it has a bone that moves
  bool *is_passive;              // per node: simulated
  const pl_character_spring_joint *
      *numbers;  // per node: those of the bone it turns; NULL: it turns none

  int32_t bones[PL_HUMANOID_COUNT];  // node of each bone of a humanoid, -1 for none

  pl_rod_def rod;  // numbers of ours, without arrays
  pl_character_extra *extras;
  int32_t extra_count;
  pl_rod_link *links;  // of nodes
  int32_t link_count;
};

// --- readers of the parts
// ----------------------------------------------------------------------------------------- They
// are called in this order, fail with places and names, and leave memory to the character's arena.

pl_status pl_character_read_nodes(pl_gltf *gltf, pl_character *character);
pl_status pl_character_read_surface(pl_gltf *gltf, pl_character *character);
pl_status pl_character_read_animations(pl_gltf *gltf, pl_character *character);
pl_status pl_character_read_expressions(pl_gltf *gltf, pl_character *character);
pl_status pl_character_read_gaze(pl_gltf *gltf, pl_character *character);
pl_status pl_character_read_humanoid(pl_gltf *gltf, pl_character *character);
pl_status pl_character_read_vrm1(pl_gltf *gltf, pl_character *character, const pl_json *extension);
pl_status pl_character_read_vrm0(pl_gltf *gltf, pl_character *character, const pl_json *extension);
pl_status pl_character_read_tails(pl_gltf *gltf, pl_character *character);
pl_status pl_character_find_chains(pl_gltf *gltf, pl_character *character);
pl_status pl_character_read_examples(pl_gltf *gltf, pl_character *character);

// Whether `node` lies below `above`, at any depth.
bool pl_character_is_below(const pl_character *character, int32_t node, int32_t above);

// First joint of the chain that a passive node belongs to.
int32_t pl_character_chain_root(const pl_character *character, int32_t node);

// A point given in the coordinates of a node, scale included, in its frame without scale at rest.
pl_vec3 pl_character_unscale(const pl_character *character, int32_t node, pl_vec3 point);

// Placements and scales of all nodes in their parents at a time of an animation (-1: at rest).
void pl_character_sample_local(const pl_character *character, int32_t animation, double time,
                               pl_transform *locals, pl_vec3 *scales);

// Placements of nodes in their parents become global ones, with the scales of the rest pose.
void pl_character_join(const pl_character *character, pl_transform *nodes);

// --- a skin of one instance
// ---------------------------------------------------------------------------------------

typedef struct pl_character_skin {
  const pl_json *json;
  int32_t joint_count;
  const int32_t *joints;  // nodes
  const double *inverse;  // 16 a joint, column by column
} pl_character_skin;

// Read the skin that `reference` names, for the mesh of `node`.
pl_status pl_character_read_skin(pl_gltf *gltf, const pl_character *character, int32_t node,
                                 const pl_json *reference, pl_character_skin *skin);

// --- fields
// -------------------------------------------------------------------------------------------------------
// `what` names the thing that a field belongs to, for messages such as `spring "hair": an array of
// 3 numbers is expected`.

typedef char pl_character_label[200];

// Members that are missing leave the result untouched.
pl_status pl_character_get_number(const pl_gltf *gltf, const char *what, const pl_json *object,
                                  const char *key, double *value);
pl_status pl_character_get_numbers(const pl_gltf *gltf, const char *what, const pl_json *object,
                                   const char *key, int32_t count, double *values);
pl_status pl_character_get_vector(const pl_gltf *gltf, const char *what, const pl_json *object,
                                  const char *key, pl_vec3 *value);

// Member `key` of `object` as an array; NULL where it is missing.
pl_status pl_character_get_array(const pl_gltf *gltf, const char *what, const pl_json *object,
                                 const char *key, const pl_json **array);

// First item of an array; NULL for an empty or missing one.
static inline const pl_json *pl_character_first(const pl_json *array) {
  return array == NULL ? NULL : array->first;
}

// `value` as an index below `limit` of a `kind` ("node", "collider" …).
pl_status pl_character_get_index(const pl_gltf *gltf, const char *what, const pl_json *value,
                                 int32_t limit, const char *kind, int32_t *index);

// Member `key` of `object`, a text, or "`fallback` `number`" where it is missing or empty.
pl_status pl_character_get_name(const pl_gltf *gltf, pl_character *character, const pl_json *object,
                                const char *key, const char *fallback, int32_t number,
                                const char **name);

// Add a warning about `value`. Fails only when out of memory.
pl_status pl_character_warn(const pl_gltf *gltf, const pl_json *value, const char *kind,
                            const char *why, const char *fix, const char *format, ...)
    PL_PRINTF(6, 7);

// Warn about members of `object` that are not among `keys`.
pl_status pl_character_warn_unknown(const pl_gltf *gltf, const pl_json *object,
                                    const char *const *keys, int32_t key_count);

#endif
