// Spring bones as VRMC_springBone 1.0 has them: Verlet integration of the tail of each bone,
//
//   next = x + (x - x_before) (1 - drag) + a stiffness h + g h
//
// x  the tail, in the frame of the center            a  axis of the bone with the joint at rest, in the world
// g  direction times power of gravity                h  seconds of the update
//
// then back to the length of the bone and into its limit, out of the colliders one after the other, each time back to
// the length and the limit, and the joint turns by the shortest way from its axis to the new tail. Limits are those of
// VRMC_springBone_limit 1.0-draft, in the frame whose Y axis is the bone at rest:
//
//   cone        the angle from Y is at most `angle`
//   hinge       the direction is projected onto the YZ plane, then as above
//   spherical   x = sin(yaw), y = cos(yaw) cos(pitch), z = cos(yaw) sin(pitch), both angles bounded
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "character/character_parts.h"
#include "pliant/spring.h"

typedef struct spring_bone {
  int32_t node, spring;
  const pl_character_spring_joint *numbers;
  pl_vec3 axis;          // unit, in the joint's frame
  pl_quat limit_turn;    // from the limit's frame to the joint's at rest
  double length;         // metres
  pl_vec3 tail, before;  // in the frame of the center
} spring_bone;

struct pl_spring {
  pl_arena arena;
  const pl_character *character;
  int32_t count;
  spring_bone *bones;    // in the order in which they move
  int32_t *bone_of;      // per node, -1 for none
  pl_transform *locals;  // workspace: nodes in their parents
};

// --- building

// From Y by the shortest way to the bone; half a turn around X where it points down.
static pl_quat limit_turn_of(pl_vec3 axis, const pl_character_limit *limit) {
  if (limit->kind == PL_CHARACTER_UNLIMITED) return pl_quat_identity();
  pl_quat turn = axis.y > -1 + 1e-12 ? (pl_quat){axis.z, 0, -axis.x, axis.y + 1} : (pl_quat){1, 0, 0, 0};
  return pl_quat_normalize(pl_quat_multiply(pl_quat_normalize(turn), limit->rotation));
}

// Which bones there are, in the order of the file.
static void list_bones(pl_spring *s) {
  const pl_character *c = s->character;
  for (int32_t k = 0; k < c->view.spring_count; ++k) {
    const pl_character_spring *spring = &c->springs[k];
    for (int32_t j = 0; j < spring->joint_count; ++j) {
      bool is_last = j + 1 == spring->joint_count;
      int32_t node = spring->joints[j].node;
      if (s->bone_of[node] >= 0 || (is_last && !spring->has_tail)) continue;
      pl_vec3 tail = is_last ? spring->tail
                             : pl_transform_apply_inverse(c->rest[node], c->rest[spring->joints[j + 1].node].position);
      double length = pl_vec3_length(tail);
      if (!(length > 0)) continue;
      s->bone_of[node] = s->count;
      s->bones[s->count++] =
          (spring_bone){.node = node,
                        .spring = k,
                        .numbers = &spring->joints[j],
                        .axis = pl_vec3_scale(tail, 1 / length),
                        .limit_turn = limit_turn_of(pl_vec3_scale(tail, 1 / length), &spring->joints[j].limit),
                        .length = length};
    }
  }
}

typedef struct sorting {
  const pl_spring *s;
  bool *is_seen;
  int32_t *order, count;
} sorting;

static void visit(sorting *t, int32_t bone);

// The bones at a node and above it, from the top down.
static void visit_above(sorting *t, int32_t node) {
  if (node < 0) return;
  visit_above(t, t->s->character->nodes[node].parent);
  if (t->s->bone_of[node] >= 0) visit(t, t->s->bone_of[node]);
}

static void visit(sorting *t, int32_t bone) {
  if (t->is_seen[bone]) return;
  t->is_seen[bone] = true;
  const pl_character *c = t->s->character;
  const spring_bone *b = &t->s->bones[bone];
  const pl_character_spring *spring = &c->springs[b->spring];
  visit_above(t, c->nodes[b->node].parent);
  for (int32_t i = 0; i < spring->collider_count; ++i) visit_above(t, c->view.colliders[spring->colliders[i]].node);
  t->order[t->count++] = bone;
}

static pl_status sort_bones(pl_spring *s, pl_error *error) {
  pl_arena workspace;
  pl_arena_init(&workspace, s->arena.context, 0);
  sorting t = {s, PL_TAKE(&workspace, bool, s->count), PL_TAKE(&workspace, int32_t, s->count), 0};
  spring_bone *bones = PL_TAKE(&workspace, spring_bone, s->count);
  bool is_allocated = !workspace.failed;
  if (is_allocated) {
    for (int32_t i = 0; i < s->count; ++i) visit(&t, i);
    memcpy(bones, s->bones, (size_t)s->count * sizeof *bones);
    for (int32_t i = 0; i < s->count; ++i) {
      s->bones[i] = bones[t.order[i]];
      s->bone_of[s->bones[i].node] = i;
    }
  }
  pl_arena_destroy(&workspace);
  return is_allocated ? PL_OK : pl_fail_memory(error);
}

pl_status pl_spring_create(pl_context *context, const pl_character *character, pl_spring **spring, pl_error *error) {
  *spring = NULL;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_spring *s = PL_TAKE(&arena, pl_spring, 1);
  int32_t node_count = character->view.node_count;
  int32_t *bone_of = PL_TAKE(&arena, int32_t, node_count);
  spring_bone *bones = PL_TAKE(&arena, spring_bone, node_count);
  pl_transform *locals = PL_TAKE(&arena, pl_transform, node_count);
  if (arena.failed) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  *s = (pl_spring){.arena = arena, .character = character, .bones = bones, .bone_of = bone_of, .locals = locals};
  for (int32_t i = 0; i < node_count; ++i) bone_of[i] = -1;
  list_bones(s);
  pl_status status = sort_bones(s, error);
  if (status < 0) {
    pl_spring_destroy(s);
    return status;
  }
  pl_spring_reset(s, character->rest);
  *spring = s;
  return PL_OK;
}

void pl_spring_destroy(pl_spring *spring) {
  if (spring == NULL) return;
  pl_arena arena = spring->arena;
  pl_arena_destroy(&arena);
}

int32_t pl_spring_joint_count(const pl_spring *spring) {
  return spring->count;
}

// --- colliders

// Distance of the surface of a ball from that of a shape, and the direction out.
static double ball_distance(pl_vec3 from, double radius, double own, bool inside, pl_vec3 *out) {
  double length = pl_vec3_length(from);
  *out = length > 0 ? pl_vec3_scale(from, (inside ? -1 : 1) / length) : pl_vec3_of(0, 1, 0);
  return inside ? radius - own - length : length - own - radius;
}

static double collider_distance(const pl_character_collider *collider, pl_transform node, pl_vec3 position, double own,
                                pl_vec3 *out) {
  const pl_character_extended *extended = &collider->extended;
  if (extended->kind == PL_CHARACTER_PLANE) {
    *out = pl_quat_rotate(node.rotation, extended->normal);
    return pl_vec3_dot(*out, pl_vec3_sub(position, pl_transform_apply(node, extended->from))) - own;
  }
  bool is_extended = extended->kind != PL_CHARACTER_PLAIN;
  pl_vec3 a = pl_transform_apply(node, is_extended ? extended->from : collider->from);
  pl_vec3 b = pl_transform_apply(node, is_extended ? extended->to : collider->to);
  pl_vec3 along = pl_vec3_sub(b, a), from = pl_vec3_sub(position, a);
  double square = pl_vec3_dot(along, along), dot = pl_vec3_dot(along, from);
  if (dot > 0) from = pl_vec3_add_scaled(from, along, dot >= square ? -1 : -dot / square);
  return ball_distance(from, is_extended ? extended->radius : collider->radius, own, is_extended && extended->inside,
                       out);
}

static pl_vec3 at_length(pl_vec3 tail, pl_vec3 head, double length) {
  pl_vec3 along = pl_vec3_sub(tail, head);
  return pl_vec3_add(head, pl_vec3_scale(pl_vec3_normalize_or(along, pl_vec3_of(0, -1, 0)), length));
}

// --- limits

// The nearest angle to that of (y, z) from Y within the limit, as a unit vector of the YZ plane.
static pl_vec3 bounded_in_plane(double y, double z, double angle) {
  double length = hypot(y, z);
  if (!(length > 1e-12)) return (pl_vec3){0, 1, 0};
  if (y >= cos(angle) * length) return (pl_vec3){0, y / length, z / length};
  return (pl_vec3){0, cos(angle), z < 0 ? -sin(angle) : sin(angle)};
}

// A unit direction in the limit's frame. Where no direction is nearest, that of the specification is taken.
static pl_vec3 bounded(const pl_character_limit *limit, pl_vec3 d) {
  double flat = hypot(d.x, d.z);
  switch (limit->kind) {
    case PL_CHARACTER_CONE:
      if (d.y >= cos(limit->angle)) return d;
      if (!(flat > 1e-12)) return (pl_vec3){0, cos(limit->angle), sin(limit->angle)};
      return (pl_vec3){d.x * sin(limit->angle) / flat, cos(limit->angle), d.z * sin(limit->angle) / flat};
    case PL_CHARACTER_HINGE: return bounded_in_plane(d.y, d.z, limit->angle);
    case PL_CHARACTER_SPHERICAL: {
      pl_vec3 pitched = bounded_in_plane(d.y, d.z, limit->angle);
      double x = fmin(fmax(d.x, -sin(limit->yaw)), sin(limit->yaw)), across = sqrt(1 - x * x);
      return (pl_vec3){x, across * pitched.y, across * pitched.z};
    }
    case PL_CHARACTER_UNLIMITED: break;
  }
  return d;
}

// The frame of a bone in which its tail must stay.
typedef struct bone_frame {
  const spring_bone *bone;
  pl_vec3 head;
  pl_quat rest;  // of the joint, in the world
} bone_frame;

// Back to the length of the bone, and into its limit.
static pl_vec3 back_to_bone(const bone_frame *f, pl_vec3 tail) {
  const spring_bone *bone = f->bone;
  tail = at_length(tail, f->head, bone->length);
  if (bone->numbers->limit.kind == PL_CHARACTER_UNLIMITED) return tail;
  pl_quat turn = pl_quat_multiply(f->rest, bone->limit_turn);
  pl_vec3 direction = pl_vec3_scale(pl_vec3_sub(tail, f->head), 1 / bone->length);
  direction = pl_quat_rotate(turn, bounded(&bone->numbers->limit, pl_quat_rotate(pl_quat_conjugate(turn), direction)));
  return pl_vec3_add_scaled(f->head, direction, bone->length);
}

static pl_vec3 avoid_colliders(const pl_spring *s, const bone_frame *f, const pl_transform *nodes, pl_vec3 tail) {
  const spring_bone *bone = f->bone;
  const pl_character_spring *spring = &s->character->springs[bone->spring];
  for (int32_t i = 0; i < spring->collider_count; ++i) {
    const pl_character_collider *collider = &s->character->view.colliders[spring->colliders[i]];
    pl_vec3 out;
    double distance = collider_distance(collider, nodes[collider->node], tail, bone->numbers->radius, &out);
    if (distance < 0) tail = back_to_bone(f, pl_vec3_add_scaled(tail, out, -distance));
  }
  return tail;
}

// --- the update

static pl_transform center_of(const pl_spring *s, const spring_bone *bone, const pl_transform *nodes) {
  int32_t center = s->character->springs[bone->spring].center;
  return center < 0 ? pl_transform_identity() : nodes[center];
}

static pl_transform above(const pl_spring *s, int32_t node, const pl_transform *nodes) {
  int32_t parent = s->character->nodes[node].parent;
  return parent < 0 ? pl_transform_identity() : nodes[parent];
}

// Nodes in their parents, as the animation has them.
static void take_locals(pl_spring *s, const pl_transform *nodes) {
  for (int32_t i = 0; i < s->character->view.node_count; ++i) {
    pl_transform parent = above(s, i, nodes);
    s->locals[i] = (pl_transform){pl_transform_apply_inverse(parent, nodes[i].position),
                                  pl_quat_multiply(pl_quat_conjugate(parent.rotation), nodes[i].rotation)};
  }
}

// Place all nodes below `node` again, down to the next joints, which follow in their turn.
static void place_below(const pl_spring *s, int32_t node, pl_transform *nodes) {
  const pl_character *c = s->character;
  for (int32_t k = 0; k < c->view.node_count; ++k) {
    int32_t i = c->order[k];
    if (i != node && pl_character_is_below(c, i, node))
      nodes[i] = pl_transform_multiply(nodes[c->nodes[i].parent], s->locals[i]);
  }
}

static pl_quat shortest_turn(pl_vec3 from, pl_vec3 to) {
  double w = 1 + pl_vec3_dot(from, to);
  if (w < 1e-12) {
    // Back to where it came from: any axis across it.
    pl_vec3 side = fabs(from.x) > fabs(from.z) ? (pl_vec3){-from.y, from.x, 0} : (pl_vec3){0, -from.z, from.y};
    return pl_quat_normalize((pl_quat){side.x, side.y, side.z, 0});
  }
  pl_vec3 axis = pl_vec3_cross(from, to);
  return pl_quat_normalize((pl_quat){axis.x, axis.y, axis.z, w});
}

static void move_bone(pl_spring *s, spring_bone *bone, double seconds, pl_transform *nodes) {
  const pl_character_spring_joint *n = bone->numbers;
  pl_transform parent = above(s, bone->node, nodes), center = center_of(s, bone, nodes);
  pl_transform rest = pl_transform_multiply(parent, s->character->nodes[bone->node].rest);
  pl_vec3 head = pl_transform_apply(parent, s->locals[bone->node].position);
  pl_vec3 axis = pl_quat_rotate(rest.rotation, bone->axis);
  pl_vec3 inertia = pl_vec3_scale(pl_vec3_sub(bone->tail, bone->before), 1 - n->drag);
  pl_vec3 next = pl_transform_apply(center, pl_vec3_add(bone->tail, inertia));
  next = pl_vec3_add_scaled(pl_vec3_add_scaled(next, axis, n->stiffness * seconds), n->pull, seconds);
  bone_frame frame = {bone, head, rest.rotation};
  next = avoid_colliders(s, &frame, nodes, back_to_bone(&frame, next));
  bone->before = bone->tail;
  bone->tail = pl_transform_apply_inverse(center, next);
  pl_vec3 to = pl_vec3_normalize_or(pl_transform_apply_inverse(rest, next), bone->axis);
  pl_quat turned = pl_quat_multiply(rest.rotation, shortest_turn(bone->axis, to));
  nodes[bone->node] = (pl_transform){head, pl_quat_normalize(turned)};
  place_below(s, bone->node, nodes);
}

void pl_spring_step(pl_spring *spring, double seconds, pl_transform *nodes) {
  if (!(seconds > 0)) return;
  take_locals(spring, nodes);
  for (int32_t i = 0; i < spring->count; ++i) move_bone(spring, &spring->bones[i], seconds, nodes);
}

void pl_spring_reset(pl_spring *spring, const pl_transform *nodes) {
  for (int32_t i = 0; i < spring->count; ++i) {
    spring_bone *bone = &spring->bones[i];
    pl_vec3 tail = pl_transform_apply(nodes[bone->node], pl_vec3_scale(bone->axis, bone->length));
    bone->tail = bone->before = pl_transform_apply_inverse(center_of(spring, bone, nodes), tail);
  }
}
