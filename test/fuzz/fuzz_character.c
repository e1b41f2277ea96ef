// Any bytes as a character: it is read with all its parts or refused with a sentence; what is read can be sampled and
// made a rig. Text that begins like JSON is wrapped into a GLB file.
#include "glb_wrap.h"
#include "pliant/character.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const pl_character *character) {
  pl_character_view view = pl_character_get_view(character);
  pl_mesh_view mesh = view.surface == NULL ? (pl_mesh_view){0} : pl_mesh_get_view(view.surface);
  pl_transform *nodes = malloc((size_t)view.node_count * sizeof *nodes);
  double *morphs = malloc(((size_t)mesh.pose_count + 1) * sizeof *morphs);
  if (nodes == NULL || morphs == NULL) abort();
  for (int32_t i = -1; i < view.animation_count && i < 3; ++i)
    for (int k = 0; k < 3; ++k) pl_character_sample(character, i, 0.5 * k, nodes, morphs);
  int64_t influences = (int64_t)mesh.point_count * view.influence_count;
  for (int64_t i = 0; i < influences; ++i)
    if (view.skin_nodes[i] < 0 || view.skin_nodes[i] >= view.node_count || !(view.skin_weights[i] >= 0)) abort();
  free(nodes);
  free(morphs);
  pl_error error = {0};
  pl_character_rig *rig = NULL;
  pl_status status = pl_character_rig_create(character, &rig, &error);
  if ((status < 0) != (rig == NULL) || (status < 0 && error.text[0] == '\0')) abort();
  if (rig == NULL) return;
  pl_rod_def def = pl_character_rig_get_def(rig);
  for (int32_t i = 0; i < def.joint_count; ++i)
    if (def.joints[i].parent >= i || (def.joints[i].parent < 0 && !def.joints[i].kinematic)) abort();
  for (int32_t i = 0; i < def.collider_count; ++i)
    if (!def.joints[def.colliders[i].joint].kinematic) abort();
  for (int64_t i = 0; i < influences; ++i)
    if (def.skin.joints[i] < 0 || def.skin.joints[i] >= def.joint_count) abort();
  pl_character_rig_destroy(rig);
}

static void read_once(pl_context *context, const uint8_t *data, size_t size) {
  pl_findings *findings = NULL;
  if (pl_findings_create(context, &findings, NULL) < 0) abort();
  pl_character *character = NULL;
  pl_error error = {0};
  pl_status status =
      pl_character_load_memory(context, &(pl_memory_source){data, size, "fuzz", NULL}, &character, findings, &error);
  if ((status < 0) != (character == NULL) || (status < 0 && error.text[0] == '\0')) abort();
  if (character != NULL) use(character);
  pl_character_destroy(character);
  pl_findings_destroy(findings);
}

static void read_wrapped(pl_context *context, const uint8_t *data, size_t size) {
  size_t file_size = 0;
  uint8_t *file = wrap_glb(data, size, &file_size);
  if (file != NULL) read_once(context, file, file_size);
  free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_context *context = NULL;
  if (pl_context_create(&def, &context, NULL) < 0) return 0;
  if (size > 0 && data[0] == '{')
    read_wrapped(context, data, size);
  else
    read_once(context, data, size);
  if (pl_context_get_memory_report(context).block_count != 0) abort();
  pl_context_destroy(context);
  return 0;
}
