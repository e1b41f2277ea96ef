// Rod bodies of a scene: from the document, or from a character's file, to the def of a rod, and how its kinematic
// joints move.
#include "scene/scene_rod.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "pliant/math.h"
#include "rod/rod_parameters.h"

static const double RADIANS = PL_PI / 180;

// --- a skeleton written in the scene
// ------------------------------------------------------------------------------------

typedef struct builder {
  pl_scene_instance *set;
  pl_instance_rod *rod;
  pl_rod_joint *joints;
  pl_rod_link *links;
  pl_rod_chain *chains;
  pl_rod_example *examples;
  // Examples of one name share their arrays: chains do not overlap.
  const char **names;
  pl_vec3 **positions;
  pl_quat **rotations;
  int32_t name_count, max_joint;
  pl_error *error;
} builder;

static pl_status take_workspace(builder *b, pl_chain_shape *shape) {
  const pl_scene_rod *source = b->rod->source;
  const pl_scene_rod_chain *chains = source->chains.items;
  pl_arena *arena = &b->set->arena;
  int32_t joints = source->joints.count > 0 ? source->joints.count : 1, links = 0, examples = 0;
  for (int32_t i = 0; i < source->chains.count; ++i) {
    if (!pl_chain_shape_fill(&chains[i], shape))
      return pl_fail(b->error, PL_ERROR_INVALID_DATA, "chain \"%s\" is broken", chains[i].name);
    joints += shape->count;
    links += chains[i].links.count;
    examples += chains[i].examples.count;
  }
  b->max_joint = joints;
  b->joints = PL_TAKE(arena, pl_rod_joint, joints);
  b->links = PL_TAKE(arena, pl_rod_link, links);
  b->chains = PL_TAKE(arena, pl_rod_chain, source->chains.count);
  b->examples = PL_TAKE(arena, pl_rod_example, examples);
  b->names = PL_TAKE(arena, const char *, examples);
  b->positions = PL_TAKE(arena, pl_vec3 *, examples);
  b->rotations = PL_TAKE(arena, pl_quat *, examples);
  return arena->failed ? pl_fail_memory(b->error) : PL_OK;
}

static void add_kinematic_joints(builder *b) {
  const pl_scene_rod *source = b->rod->source;
  const pl_scene_rod_joint *joints = source->joints.items;
  int32_t count = source->joints.count > 0 ? source->joints.count : 1;
  for (int32_t i = 0; i < count; ++i) {
    pl_rod_joint *joint = &b->joints[b->rod->def.joint_count++];
    *joint = pl_default_rod_joint(-1);
    joint->kinematic = true;
    joint->name = source->joints.count > 0 ? joints[i].name : "base";
    if (source->joints.count > 0) joint->rest = (pl_transform){joints[i].position, joints[i].rotation};
  }
}

static const char *point_name(builder *b, const char *chain, int32_t number) {
  char name[300];
  snprintf(name, sizeof name, "%.250s_%d", chain, number);
  return pl_arena_copy_text(&b->set->arena, name);
}

static void add_joints(builder *b, const pl_scene_rod_chain *chain, const pl_chain_shape *shape) {
  int32_t first = b->rod->def.joint_count, base = pl_scene_rod_find_joint(b->rod->source, chain->base);
  for (int32_t i = 0; i < shape->count; ++i) {
    pl_rod_joint *joint = &b->joints[b->rod->def.joint_count++];
    *joint = pl_default_rod_joint(i == 0 ? base : first + shape->parents[i]);
    joint->name = point_name(b, chain->name, i);
    joint->rest.position = shape->positions[i];
    joint->radius = shape->radii[i];
    joint->mass = chain->mass;
    joint->stiffness = shape->stiffnesses[i];
    joint->max_angle = chain->max_angle * RADIANS;
    joint->spring = chain->spring;
    joint->drag = chain->drag;
    joint->pull = chain->pull;
  }
  const int32_t(*links)[2] = (const int32_t(*)[2])chain->links.items;
  for (int32_t i = 0; i < chain->links.count; ++i)
    b->links[b->rod->def.link_count++] = (pl_rod_link){first + links[i][0], first + links[i][1]};
}

static pl_status add_example(builder *b, const pl_scene_rod_example *from, const pl_chain_shape *shape, int32_t first) {
  int32_t number = 0;
  while (number < b->name_count && strcmp(b->names[number], from->name) != 0) ++number;
  if (number == b->name_count) {
    b->names[number] = from->name;
    b->positions[number] = PL_TAKE(&b->set->arena, pl_vec3, b->max_joint);
    b->rotations[number] = PL_TAKE(&b->set->arena, pl_quat, b->max_joint);
    b->name_count++;
    if (b->set->arena.failed) return pl_fail_memory(b->error);
  }
  bool turned = pl_chain_shape_pose(shape, from, b->positions[number] + first, b->rotations[number] + first);
  pl_rod_example *example = &b->examples[b->rod->def.example_count++];
  *example = (pl_rod_example){.name = from->name,
                              .root = first,
                              .positions = b->positions[number],
                              .rotations = turned ? b->rotations[number] : NULL};
  if (pl_scene_example_is_viewed(from)) {
    example->direction = from->direction;
    example->extent = from->extent * RADIANS;
  }
  return PL_OK;
}

// Which of the body's colliders a chain meets, by name.
static pl_status choose_colliders(builder *b, const pl_scene_rod_chain *from, pl_rod_chain *chain) {
  chain->collider_count = -1;
  if (from->colliders.items == NULL) return PL_OK;
  const pl_scene_list *all = &b->rod->source->colliders;
  int32_t *chosen = PL_TAKE(&b->set->arena, int32_t, all->count);
  if (chosen == NULL) return pl_fail_memory(b->error);
  chain->collider_count = 0;
  for (int32_t i = 0; i < all->count; ++i)
    for (int32_t k = 0; k < from->colliders.count; ++k)
      if (strcmp(((const pl_scene_rod_collider *)all->items)[i].name,
                 ((const char *const *)from->colliders.items)[k]) == 0) {
        chosen[chain->collider_count++] = i;
        break;
      }
  chain->colliders = chosen;
  return PL_OK;
}

static pl_status add_chain(builder *b, const pl_scene_rod_chain *from, pl_chain_shape *shape) {
  if (!pl_chain_shape_fill(from, shape))
    return pl_fail(b->error, PL_ERROR_INVALID_DATA, "chain \"%s\" is broken", from->name);
  int32_t first = b->rod->def.joint_count;
  add_joints(b, from, shape);
  pl_rod_chain *chain = &b->chains[b->rod->def.chain_count++];
  *chain = (pl_rod_chain){.name = from->name, .root = first, .center = -1};
  if (from->center[0] != '\0') chain->center = pl_scene_rod_find_joint(b->rod->source, from->center);
  pl_status status = choose_colliders(b, from, chain);
  for (int32_t i = 0; status >= 0 && i < from->examples.count; ++i)
    status = add_example(b, &((const pl_scene_rod_example *)from->examples.items)[i], shape, first);
  return status;
}

static pl_status add_colliders(builder *b, pl_findings *findings) {
  const pl_scene_list *list = &b->rod->source->colliders;
  pl_rod_collider *colliders = PL_TAKE(&b->set->arena, pl_rod_collider, list->count);
  b->rod->meshes = PL_TAKE(&b->set->arena, pl_mesh *, list->count);
  if (b->set->arena.failed) return pl_fail_memory(b->error);
  for (int32_t i = 0; i < list->count; ++i) {
    const pl_scene_rod_collider *from = &((const pl_scene_rod_collider *)list->items)[i];
    pl_collider_def shape = from->def;
    if (from->def.shape == PL_COLLIDER_MESH) {
      pl_mesh **mesh = &b->rod->meshes[b->rod->mesh_count];
      pl_status status = pl_scene_make_mesh(b->set->scene, from->mesh, mesh, findings, b->error);
      if (status < 0) return status;
      b->rod->mesh_count++;
      shape.mesh = *mesh;
    }
    colliders[i] = (pl_rod_collider){pl_scene_rod_find_joint(b->rod->source, from->joint), shape};
  }
  b->rod->def.colliders = colliders;
  b->rod->def.collider_count = list->count;
  return PL_OK;
}

static pl_status make_skeleton(pl_scene_instance *set, pl_instance_rod *rod, pl_findings *findings, pl_error *error) {
  builder b = {.set = set, .rod = rod, .error = error};
  pl_chain_shape *shape = PL_TAKE(&set->arena, pl_chain_shape, 1);
  if (shape == NULL) return pl_fail_memory(error);
  rod->def = pl_default_rod_def();
  pl_status status = take_workspace(&b, shape);
  if (status < 0) return status;
  add_kinematic_joints(&b);
  for (int32_t i = 0; status >= 0 && i < rod->source->chains.count; ++i)
    status = add_chain(&b, &((const pl_scene_rod_chain *)rod->source->chains.items)[i], shape);
  if (status >= 0) status = add_colliders(&b, findings);
  if (status >= 0 && set->arena.failed) status = pl_fail_memory(error);
  rod->def.joints = b.joints;
  rod->def.links = b.links;
  rod->def.chains = b.chains;
  rod->def.examples = b.examples;
  return status;
}

// --- a character
// --------------------------------------------------------------------------------------------------------

pl_status pl_instance_report_animation(pl_scene_instance *set, const pl_character *character, const pl_json *json,
                                       const char *name, pl_findings *findings, pl_error *error) {
  pl_character_view view = pl_character_get_view(character);
  const char **names = PL_TAKE(&set->arena, const char *, view.animation_count);
  if (names == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < view.animation_count; ++i) names[i] = view.animations[i].name;
  const char *near = pl_text_suggest(name, names, view.animation_count);
  char fix[200] = "`pliant info FILE` lists its animations";
  if (near != NULL) snprintf(fix, sizeof fix, "did you mean \"%.150s\"?", near);
  pl_instance_add_finding(set->scene, pl_json_find(json, "animation"), findings, PL_SEVERITY_ERROR, "unknown-animation",
                          fix, "the character has no animation \"%s\"", name);
  return pl_fail(error, PL_ERROR_INVALID_DATA, "the character has no animation \"%s\"", name);
}

static pl_status load_motion(pl_scene_instance *set, pl_instance_rod *rod, pl_findings *findings, pl_error *error) {
  pl_error local = {0};
  char *path = pl_path_join(set->context, set->scene->folder, rod->source->motion);
  if (path == NULL) return pl_fail_memory(error);
  pl_status status = pl_motion_load(set->context, rod->character, path, &rod->motion, findings, &local);
  if (status < 0 && status != PL_ERROR_OUT_OF_MEMORY) {
    pl_instance_add_finding(set->scene, pl_json_find(rod->source->json, "motion"), findings, PL_SEVERITY_ERROR,
                            "motion-failed", "name a VRM animation, glTF, GLB or BVH file",
                            "the motion \"%s\" cannot be used: %s", path, local.text);
    pl_fail(error, status, "the motion \"%s\" cannot be used: %s", path, local.text);
  }
  pl_release(set->context, path);
  return status == PL_ERROR_OUT_OF_MEMORY ? pl_fail_memory(error) : status;
}

static pl_status find_animation(pl_scene_instance *set, pl_instance_rod *rod, pl_findings *findings, pl_error *error) {
  const char *name = rod->source->animation;
  rod->animation = -1;
  if (rod->source->motion[0] != '\0') return load_motion(set, rod, findings, error);
  if (name[0] == '\0') return PL_OK;
  rod->animation = pl_character_find_animation(rod->character, name);
  if (rod->animation >= 0) return PL_OK;
  return pl_instance_report_animation(set, rod->character, rod->source->json, name, findings, error);
}

// The spring or collider of the scene that a failure is about, from a field such as `springs[2]`; NULL for others.
static const pl_json *find_added(const pl_json *json, const char *field) {
  int number = -1;
  if (sscanf(field, "springs[%d]", &number) == 1) return pl_json_at(pl_json_find(json, "springs"), number);
  if (sscanf(field, "colliders[%d]", &number) == 1) return pl_json_at(pl_json_find(json, "colliders"), number);
  return NULL;
}

static pl_status make_character(pl_scene_instance *set, pl_instance_rod *rod, pl_findings *findings, pl_error *error) {
  pl_error local = {0};
  char *path = pl_path_join(set->context, set->scene->folder, rod->source->character);
  if (path == NULL) return pl_fail_memory(error);
  pl_status status = pl_instance_add_springs(set, rod, &local);
  if (status >= 0)
    status = pl_character_load_with(set->context, path, &rod->additions, &rod->character, findings, &local);
  if (status >= 0) status = pl_character_rig_create(rod->character, &rod->rig, &local);
  if (status < 0 && status != PL_ERROR_OUT_OF_MEMORY) {
    const pl_json *added = find_added(rod->source->json, local.field);
    if (added != NULL)
      pl_instance_add_finding(set->scene, added, findings, PL_SEVERITY_ERROR, "unknown-node",
                              "`pliant info --nodes FILE` lists the nodes", "%s", local.text);
    else
      pl_instance_add_finding(set->scene, pl_json_find(rod->source->json, "character"), findings, PL_SEVERITY_ERROR,
                              "character-failed", "export the character again, or name another file",
                              "the character \"%s\" cannot be used: %s%s%s", path, local.field,
                              local.field[0] != '\0' ? ": " : "", local.text);
    pl_fail(error, status, "the character \"%s\" cannot be used: %s", path, local.text);
  }
  rod->path = pl_arena_copy_text(&set->arena, path);
  pl_release(set->context, path);
  if (status == PL_ERROR_OUT_OF_MEMORY) return pl_fail_memory(error);
  if (status < 0) return status;
  rod->def = pl_character_rig_get_def(rod->rig);
  rod->nodes = pl_character_rig_get_nodes(rod->rig);
  pl_character_view view = pl_character_get_view(rod->character);
  rod->morph_count = view.surface == NULL ? 0 : pl_mesh_get_view(view.surface).pose_count;
  rod->poses = PL_TAKE(&set->arena, pl_transform, view.node_count);
  rod->morphs = PL_TAKE(&set->arena, double, rod->morph_count);
  if (set->arena.failed) return pl_fail_memory(error);
  return find_animation(set, rod, findings, error);
}

// --- numbers
// ------------------------------------------------------------------------------------------------------------

// All parameters of a skeleton of the scene; of a character only those that are written, since its file has its own.
static void take_numbers(pl_instance_rod *rod) {
  bool any = false;
  for (int32_t i = 0; i < pl_rod_def_parameters.count; ++i) {
    const pl_parameter *parameter = &pl_rod_def_parameters.items[i];
    const char *key = parameter->scene_key != NULL ? parameter->scene_key : parameter->name;
    bool is_given = pl_json_find(rod->source->json, key) != NULL;
    any = any || is_given;
    if (rod->character == NULL || is_given)
      memcpy((char *)&rod->def + parameter->offset, (const char *)&rod->source->def + parameter->offset,
             pl_parameter_size(parameter));
  }
  // They go with the springs of the scene into a file that is written.
  if (any && rod->additions.spring_count > 0) rod->additions.rod = &rod->def;
}

// The surface of the body's mesh, which follows the joints.
static pl_status make_skin(pl_scene_instance *set, pl_instance_part *part, pl_findings *findings, pl_error *error) {
  if (part->source->mesh[0] == '\0') return PL_OK;
  pl_status status = pl_scene_make_mesh(set->scene, part->source->mesh, &part->surface, findings, error);
  if (status >= 0 && pl_mesh_get_view(part->surface).tet_count > 0) {
    pl_mesh *tets = part->surface;
    part->surface = NULL;
    status = pl_mesh_build_boundary(set->context, tets, &part->surface, NULL, error);
    pl_mesh_destroy(tets);
  }
  if (status < 0) return status;
  return pl_instance_skin_rod(set, &part->source->rod.skin, part->surface, &part->rod->def, error);
}

// The joint moves with its node as it would be at rest.
static pl_transform follow(const pl_rod_follow *it, pl_transform at_rest, double time) {
  const pl_instance_kinematic *k = it->kinematic;
  pl_instance_kinematic_sample(k, time, NULL);
  pl_transform rest = pl_transform_multiply(it->placement, k->rest[it->node]);
  pl_transform now = pl_transform_multiply(it->placement, k->nodes[it->node]);
  pl_transform in_node = {pl_transform_apply_inverse(rest, at_rest.position),
                          pl_quat_multiply(pl_quat_conjugate(rest.rotation), at_rest.rotation)};
  return pl_transform_multiply(now, in_node);
}

// The kinematic meshes that joints follow.
static pl_status find_followed(pl_scene_instance *set, pl_instance_rod *rod, pl_findings *findings, pl_error *error) {
  const pl_scene_rod_joint *joints = rod->source->joints.items;
  for (int32_t i = 0; i < rod->source->joints.count; ++i) {
    if (joints[i].body[0] == '\0') continue;
    if (rod->follows == NULL) rod->follows = PL_TAKE(&set->arena, pl_rod_follow, rod->def.joint_count);
    if (rod->follows == NULL) return pl_fail_memory(error);
    const pl_instance_part *part = pl_instance_find_kinematic(set, joints[i].body);
    if (part == NULL) {
      pl_instance_add_finding(set->scene, pl_json_find(joints[i].json, "body"), findings, PL_SEVERITY_ERROR,
                              "unknown-body", "name a body of the method `kinematic` that stands before this one",
                              "there is no kinematic mesh \"%s\" before this body", joints[i].body);
      return pl_fail(error, PL_ERROR_INVALID_DATA, "there is no kinematic mesh \"%s\" before this body",
                     joints[i].body);
    }
    int32_t node = pl_instance_find_node(set, part, joints[i].json, "node", joints[i].node, findings, error);
    if (node < 0) return PL_ERROR_INVALID_DATA;
    rod->follows[i] = (pl_rod_follow){part->kinematic, part->source->def.placement, node};
  }
  return PL_OK;
}

pl_status pl_instance_make_rod(pl_scene_instance *set, pl_instance_part *part, pl_findings *findings, pl_error *error) {
  pl_instance_rod *rod = PL_TAKE(&set->arena, pl_instance_rod, 1);
  if (rod == NULL) return pl_fail_memory(error);
  part->rod = rod;
  rod->source = &part->source->rod;
  rod->animation = -1;
  pl_status status = rod->source->character[0] != '\0' ? make_character(set, rod, findings, error)
                                                       : make_skeleton(set, rod, findings, error);
  if (status < 0) return status;
  take_numbers(rod);
  if (rod->character == NULL) status = find_followed(set, rod, findings, error);
  if (status >= 0) status = make_skin(set, part, findings, error);
  if (status < 0) return status;
  if (rod->source->strands.json != NULL) return pl_instance_grow_hair(set, rod, findings, &part->model, error);
  return pl_rod_build(set->context, &rod->def, &part->model, error);
}

void pl_instance_rod_destroy(pl_instance_rod *rod) {
  if (rod == NULL) return;
  pl_strands_destroy(rod->strands);
  pl_mesh_destroy(rod->scalp);
  pl_motion_destroy(rod->motion);
  pl_character_rig_destroy(rod->rig);
  pl_character_destroy(rod->character);
  for (int32_t i = 0; i < rod->mesh_count; ++i) pl_mesh_destroy(rod->meshes[i]);
}

// Tubes have no mesh of their own; what they look like at rest is read from the first body made of them.
pl_status pl_instance_make_tubes(pl_scene_instance *set, pl_instance_part *part, pl_transform placement,
                                 pl_error *error) {
  pl_scene_instance_surface shape = pl_instance_get_part_view(part);
  if (shape.point_count == 0) return PL_OK;
  pl_vec3 *points = pl_allocate_array(set->context, (size_t)shape.point_count, sizeof(pl_vec3));
  if (points == NULL) return pl_fail_memory(error);
  pl_status status = pl_instance_get_part_surface(set, part, points);
  for (int32_t i = 0; i < shape.point_count; ++i) points[i] = pl_transform_apply_inverse(placement, points[i]);
  pl_mesh_view view = {.point_count = shape.point_count,
                       .points = points,
                       .triangle_count = shape.triangle_count,
                       .triangles = shape.triangles};
  if (status >= 0) status = pl_mesh_create(set->context, &view, &part->surface, error);
  pl_release(set->context, points);
  return status;
}

// --- motion
// -------------------------------------------------------------------------------------------------------------

// A time folded back into [first, last] when a motion repeats.
static double fold(double time, double first, double last, bool loop) {
  return loop && last > first && time > last ? first + fmod(time - first, last - first) : time;
}

void pl_instance_rod_sample(const pl_instance_rod *rod, double time) {
  if (rod->character == NULL) return;
  if (rod->motion != NULL) {
    pl_motion_report report = pl_motion_get_report(rod->motion);
    time = fold(time, report.start, report.end, rod->source->loop);
    pl_motion_sample(rod->motion, time, NULL, rod->poses, rod->morphs);
    return;
  }
  if (rod->animation >= 0) {
    pl_character_animation animation = pl_character_get_view(rod->character).animations[rod->animation];
    time = fold(time, animation.start, animation.end, rod->source->loop);
  }
  pl_character_sample(rod->character, rod->animation, time, rod->poses, rod->morphs);
}

pl_transform pl_instance_rod_joint_at(const pl_instance_rod *rod, int32_t joint, double time) {
  pl_transform rest = rod->def.joints[joint].rest;
  if (rod->character != NULL) return rod->nodes[joint] >= 0 ? rod->poses[rod->nodes[joint]] : rest;
  if (joint >= rod->source->joints.count) return rest;
  const pl_scene_rod_joint *source = &((const pl_scene_rod_joint *)rod->source->joints.items)[joint];
  const pl_scene_key *keys = source->keys.items;
  if (source->keys.count == 0) return rest;
  pl_transform moved =
      pl_scene_keys_at(&source->keys, fold(time, keys[0].time, keys[source->keys.count - 1].time, source->loop));
  return (pl_transform){pl_vec3_add(rest.position, moved.position),
                        pl_quat_normalize(pl_quat_multiply(moved.rotation, rest.rotation))};
}

pl_status pl_instance_add_target(pl_scene_instance *set, const pl_instance_part *part, pl_transform placement,
                                 pl_error *error) {
  const pl_instance_rod *rod = part->rod;
  bool moves = rod->animation >= 0 || rod->motion != NULL || rod->morph_count > 0;
  for (int32_t i = 0; i < rod->source->joints.count; ++i)
    moves = moves || ((const pl_scene_rod_joint *)rod->source->joints.items)[i].keys.count > 0;
  for (int32_t i = 0; i < rod->source->joints.count; ++i)
    moves = moves || ((const pl_scene_rod_joint *)rod->source->joints.items)[i].body[0] != '\0';
  if (!moves) return PL_OK;
  pl_instance_target moved = {part->body.id, rod, placement};
  return pl_vector_push(&set->targets, &moved) ? PL_OK : pl_fail_memory(error);
}

pl_status pl_instance_move_rods(pl_scene_instance *set, pl_world *world, double time, pl_error *error) {
  for (size_t i = 0; i < set->targets.count; ++i) {
    const pl_instance_target *moved = &PL_ITEM(&set->targets, pl_instance_target, i);
    const pl_instance_rod *rod = moved->rod;
    pl_instance_rod_sample(rod, time);
    for (int32_t j = 0; j < rod->def.joint_count; ++j) {
      if (!rod->def.joints[j].kinematic) continue;
      pl_transform target = pl_transform_multiply(moved->placement, pl_instance_rod_joint_at(rod, j, time));
      if (rod->follows != NULL && rod->follows[j].kinematic != NULL) target = follow(&rod->follows[j], target, time);
      pl_status status = pl_rod_set_joint_target(world, moved->body, j, target, 0, error);
      if (status < 0) return status;
    }
    pl_status status = rod->morph_count > 0 ? pl_rod_set_morph_weights(world, moved->body, rod->morphs, error) : PL_OK;
    if (status < 0) return status;
  }
  return PL_OK;
}
