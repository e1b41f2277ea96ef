// What a scene does over time: pins that move along keys, pushes, gusts. All of it is a function of the world's time
// alone, so that a restored world continues exactly.
#include <math.h>

#include "base/error.h"
#include "body/body_method.h"
#include "fem/fem_model.h"
#include "fem/fem_quadratic.h"
#include "pliant/math.h"
#include "pliant/step.h"
#include "scene/scene_actor.h"

pl_transform pl_scene_keys_at(const pl_scene_list *keys, double time) {
  const pl_scene_key *k = keys->items;
  int32_t next = 0;
  while (next < keys->count && k[next].time <= time) ++next;
  const pl_scene_key *a = &k[next > 0 ? next - 1 : 0], *b = &k[next < keys->count ? next : keys->count - 1];
  double t = b->time > a->time ? fmin(fmax((time - a->time) / (b->time - a->time), 0), 1) : 0;
  return (pl_transform){pl_vec3_lerp(a->position, b->position, t), pl_quat_slerp(a->rotation, b->rotation, t)};
}

static bool is_within(const pl_scene_region *region, pl_vec3 p) {
  return p.x >= region->min.x && p.x <= region->max.x && p.y >= region->min.y && p.y <= region->max.y &&
         p.z >= region->min.z && p.z <= region->max.z;
}

// Which particles a pin or push means.
typedef struct choice {
  const pl_scene_region *region;  // used when its json is there
  const pl_scene_list *particles;
  const float *weights;  // of a group, or NULL
} choice;

static bool is_chosen(const choice *c, int32_t particle, pl_vec3 start) {
  if (c->particles != NULL && c->particles->count > 0) {
    const int32_t *list = c->particles->items;
    for (int32_t i = 0; i < c->particles->count; ++i)
      if (list[i] == particle) return true;
    return false;
  }
  if (c->weights != NULL) return c->weights[particle] >= 0.5f;
  return c->region->json == NULL || is_within(c->region, start);
}

static pl_status fill_group(pl_scene_instance *set, const pl_instance_part *part, const choice *c,
                            pl_instance_group *group, pl_error *error) {
  int32_t n = pl_model_get_report(part->model).particle_count, count = 0;
  pl_vec3 *all = PL_TAKE(&set->arena, pl_vec3, n), *starts = PL_TAKE(&set->arena, pl_vec3, n);
  int32_t *particles = PL_TAKE(&set->arena, int32_t, n);
  if (all == NULL || starts == NULL || particles == NULL) return pl_fail_memory(error);
  pl_body_get_positions(set->world, part->body.id, all);
  for (int32_t i = 0; i < n; ++i) {
    if (!is_chosen(c, i, all[i])) continue;
    particles[count] = i;
    starts[count++] = all[i];
    group->middle = pl_vec3_add(group->middle, all[i]);
  }
  if (count > 0) group->middle = pl_vec3_scale(group->middle, 1.0 / count);
  group->body = part->body.id;
  group->particle_count = count;
  group->particles = particles;
  group->starts = starts;
  return PL_OK;
}

pl_status pl_instance_select(pl_scene_instance *set, const pl_instance_part *part,
                             const pl_instance_selection *selection, const int32_t **particles, int32_t *count,
                             pl_error *error) {
  int32_t n = pl_model_get_report(part->model).particle_count;
  choice c = {selection->within, selection->particles, NULL};
  pl_vec3 *all = PL_TAKE(&set->arena, pl_vec3, n);
  int32_t *chosen = PL_TAKE(&set->arena, int32_t, n);
  if (all == NULL || chosen == NULL) return pl_fail_memory(error);
  pl_body_get_positions(set->world, part->body.id, all);
  *count = 0;
  for (int32_t i = 0; i < n; ++i)
    if (selection->weights != NULL ? selection->weights[i] > 0.0f : is_chosen(&c, i, all[i])) chosen[(*count)++] = i;
  *particles = chosen;
  return PL_OK;
}

// Where pins without stiffness find particles of a body placed as its source says. A repetition that is placed
// elsewhere may find others; its steps then iterate.
pl_status pl_instance_list_held(pl_scene_instance *set, const pl_instance_part *part, const int32_t **points,
                                int32_t *count, pl_error *error) {
  pl_mesh_view mesh = pl_mesh_get_view(part->tets);
  int32_t *held = PL_TAKE(&set->arena, int32_t, mesh.point_count);
  bool *is_held = PL_TAKE(&set->arena, bool, mesh.point_count);
  if (held == NULL || is_held == NULL) return pl_fail_memory(error);
  for (int32_t p = 0; p < part->source->pins.count; ++p) {
    const pl_scene_pin *pin = &((const pl_scene_pin *)part->source->pins.items)[p];
    choice c = {&pin->within, &pin->particles, NULL};
    if (pin->def.stiffness > 0) continue;
    if (pin->group[0] != '\0') {
      pl_status status = pl_instance_find_group(set, part, pin->group, &c.weights, error);
      if (status < 0) return status;
      if (c.weights == NULL) continue;  // reported where pins are added
    }
    for (int32_t i = 0; i < mesh.point_count; ++i)
      is_held[i] |= is_chosen(&c, i, pl_transform_apply(part->source->def.placement, mesh.points[i]));
  }
  *count = 0;
  for (int32_t i = 0; i < mesh.point_count; ++i)
    if (is_held[i]) held[(*count)++] = i;
  *points = held;
  return PL_OK;
}

static pl_status add_pins(pl_scene_instance *set, pl_instance_group *group, pl_error *error) {
  pl_pin_id *pins = PL_TAKE(&set->arena, pl_pin_id, group->particle_count);
  if (pins == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < group->particle_count; ++i) {
    pl_pin_def def = group->pin->def;
    def.body = group->body;
    def.particle = group->particles[i];
    def.target = group->starts[i];
    pl_status status = pl_world_add_pin(set->world, &def, &pins[i], error);
    if (status < 0) return status;
  }
  group->pins = pins;
  return PL_OK;
}

static pl_status add_pin_group(pl_scene_instance *set, const pl_instance_part *part, const pl_scene_pin *pin,
                               pl_findings *findings, pl_error *error) {
  choice c = {&pin->within, &pin->particles, NULL};
  if (pin->group[0] != '\0') {
    pl_status found = pl_instance_find_group(set, part, pin->group, &c.weights, error);
    if (found < 0) return found;
    if (c.weights == NULL) {
      pl_instance_add_finding(set->scene, pin->json, findings, PL_SEVERITY_ERROR, "unknown-group",
                              "name a vertex group of the mesh", "the mesh of body \"%s\" has no group \"%s\"",
                              part->source->name, pin->group);
      return pl_fail(error, PL_ERROR_INVALID_DATA, "unknown group \"%s\"", pin->group);
    }
  }
  pl_instance_group group = {.pin = pin};
  pl_status status = fill_group(set, part, &c, &group, error);
  if (status < 0) return status;
  if (group.particle_count == 0 || group.particle_count < pin->particles.count) {
    pl_instance_add_finding(set->scene, pin->json, findings, PL_SEVERITY_ERROR, "empty-pin",
                            "move or widen it; `pliant info` prints the body's box",
                            "this pin finds %d particles of body \"%s\"", group.particle_count, part->source->name);
    return pl_fail(error, PL_ERROR_INVALID_DATA, "a pin of body \"%s\" holds nothing", part->source->name);
  }
  status = add_pins(set, &group, error);
  if (status >= 0 && !pl_vector_push(&set->groups, &group)) status = pl_fail_memory(error);
  return status;
}

// Particles that are corners of quadratic tets; NULL: there are none, or out of memory.
static uint8_t *list_corners(pl_scene_instance *set, const pl_model *model) {
  const pl_fem_group *group = pl_fem_is_model(model) ? &((const pl_fem_model *)model)->groups[0] : NULL;
  if (group == NULL || group->corner_count != PL_FEM_QUADRATIC_NODES) return NULL;
  uint8_t *marks = PL_TAKE(&set->arena, uint8_t, model->particle_count);
  for (ptrdiff_t i = 0; marks != NULL && i < 4 * (ptrdiff_t)group->element_count; ++i)
    marks[group->corners[PL_FEM_QUADRATIC_NODES * (i / 4) + i % 4]] = 1;
  return marks;
}

// Which fraction of a triangle's force each of its points takes. The shape functions of corners of a quadratic face
// have no mean, so that what its four triangles would give to corners goes to its middles: a third of the whole to
// each.
static void share_out(const pl_contact_surface *surface, const uint8_t *corners, const int32_t *triangle,
                      double shares[3]) {
  bool is_corner[3] = {false, false, false};
  int count = 0;
  for (int k = 0; k < 3 && corners != NULL; ++k) {
    ptrdiff_t at = 4 * (ptrdiff_t)triangle[k];
    is_corner[k] = surface->weights[at] == 1 && corners[surface->parents[at]] != 0;
    count += is_corner[k];
  }
  for (int k = 0; k < 3; ++k) shares[k] = count == 3 ? 1.0 / 3 : is_corner[k] ? 0 : 1.0 / (3 - count);
}

// Triangles of the surface whose points are all within the box.
static pl_status fill_pressed(pl_scene_instance *set, const pl_instance_part *part, pl_instance_group *group,
                              pl_error *error) {
  const pl_contact_surface *surface = &part->model->surface;
  const pl_scene_region *region = &group->push->within;
  const uint8_t *corners = list_corners(set, part->model);
  int32_t *triangles = PL_TAKE(&set->arena, int32_t, surface->triangle_count);
  double *shares = PL_TAKE(&set->arena, double, 3 * (size_t)surface->triangle_count);
  group->points = PL_TAKE(&set->arena, pl_vec3, surface->point_count);
  group->forces = PL_TAKE(&set->arena, pl_vec3, surface->point_count);
  if (set->arena.failed) return pl_fail_memory(error);
  if (surface->point_count > 0) pl_body_get_surface(set->world, part->body.id, group->points);
  for (int32_t t = 0; t < surface->triangle_count; ++t) {
    const int32_t *triangle = surface->triangles + 3 * (ptrdiff_t)t;
    bool inside = true;
    for (int k = 0; k < 3; ++k)
      inside = inside && (region->json == NULL || is_within(region, group->points[triangle[k]]));
    if (!inside) continue;
    share_out(surface, corners, triangle, shares + 3 * (ptrdiff_t)group->triangle_count);
    triangles[group->triangle_count++] = t;
  }
  group->surface = surface;
  group->triangles = triangles;
  group->shares = shares;
  return PL_OK;
}

static pl_status add_push_group(pl_scene_instance *set, const pl_instance_part *part, const pl_scene_push *push,
                                pl_findings *findings, pl_error *error) {
  choice c = {&push->within, NULL, NULL};
  pl_instance_group group = {.push = push};
  pl_status status = fill_group(set, part, &c, &group, error);
  if (status >= 0 && push->pressure != 0) status = fill_pressed(set, part, &group, error);
  if (status < 0) return status;
  bool pulls = pl_vec3_length(push->force) > 0;
  if ((pulls && group.particle_count == 0) || (push->pressure != 0 && group.triangle_count == 0)) {
    pl_instance_add_finding(set->scene, push->json, findings, PL_SEVERITY_ERROR, "empty-push", "move or widen its box",
                            "this push finds no %s of body \"%s\"",
                            group.particle_count == 0 ? "particle" : "triangle of the surface", part->source->name);
    return pl_fail(error, PL_ERROR_INVALID_DATA, "a push of body \"%s\" finds nothing", part->source->name);
  }
  return pl_vector_push(&set->groups, &group) ? PL_OK : pl_fail_memory(error);
}

pl_status pl_instance_add_groups(pl_scene_instance *set, const pl_instance_part *part, pl_findings *findings,
                                 pl_error *error) {
  pl_status status = PL_OK;
  for (int32_t i = 0; status >= 0 && i < part->source->pins.count; ++i)
    status = add_pin_group(set, part, &((const pl_scene_pin *)part->source->pins.items)[i], findings, error);
  for (int32_t i = 0; status >= 0 && i < part->source->pushes.count; ++i)
    status = add_push_group(set, part, &((const pl_scene_push *)part->source->pushes.items)[i], findings, error);
  return status;
}

// Targets at the end of the coming step: the pinned particles as one rigid piece, turned around their middle and
// shifted.
static pl_status move_pins(pl_world *world, const pl_instance_group *group, double time, pl_error *error) {
  if (group->pin->keys.count == 0) return PL_OK;
  pl_transform t = pl_scene_keys_at(&group->pin->keys, time);
  for (int32_t i = 0; i < group->particle_count; ++i) {
    pl_vec3 arm = pl_quat_rotate(t.rotation, pl_vec3_sub(group->starts[i], group->middle));
    pl_status status =
        pl_world_move_pin(world, group->pins[i], pl_vec3_add(pl_vec3_add(group->middle, t.position), arm), error);
    if (status < 0) return status;
  }
  return PL_OK;
}

// Factor on a load at a time: linear between keys.
static double factor_at(const pl_scene_list *keys, double time) {
  const pl_scene_load_key *k = keys->items;
  int32_t next = 0;
  if (keys->count == 0) return 1;
  while (next < keys->count && k[next].time <= time) ++next;
  const pl_scene_load_key *a = &k[next > 0 ? next - 1 : 0], *b = &k[next < keys->count ? next : keys->count - 1];
  double t = b->time > a->time ? fmin(fmax((time - a->time) / (b->time - a->time), 0), 1) : 0;
  return a->factor + t * (b->factor - a->factor);
}

// A pressure against the surface as it is when the step begins: -p times the area vector of a triangle, a third of it
// on each of its points, and by their weights on the particles that carry them.
static pl_status press(pl_world *world, const pl_instance_group *group, double pressure, pl_error *error) {
  const pl_contact_surface *surface = group->surface;
  pl_status status = pl_body_get_surface(world, group->body, group->points);
  if (status < 0) return pl_fail(error, status, "the body of a push is gone");
  for (int32_t i = 0; i < group->triangle_count; ++i) {
    const int32_t *corner = surface->triangles + 3 * (ptrdiff_t)group->triangles[i];
    pl_vec3 a = group->points[corner[0]], b = group->points[corner[1]], c = group->points[corner[2]];
    pl_vec3 force = pl_vec3_scale(pl_vec3_cross(pl_vec3_sub(b, a), pl_vec3_sub(c, a)), -0.5 * pressure);
    for (int k = 0; k < 3; ++k)
      group->forces[corner[k]] =
          pl_vec3_add_scaled(group->forces[corner[k]], force, group->shares[3 * (ptrdiff_t)i + k]);
  }
  for (int32_t p = 0; p < surface->point_count; ++p) {
    pl_vec3 force = group->forces[p];
    group->forces[p] = (pl_vec3){0, 0, 0};
    if (!(pl_vec3_length(force) > 0)) continue;
    for (ptrdiff_t k = 4 * (ptrdiff_t)p; k < 4 * (ptrdiff_t)p + 4 && status >= 0; ++k)
      if (surface->weights[k] != 0)
        status = pl_world_add_force(world, group->body, surface->parents[k],
                                    pl_vec3_scale(force, (double)surface->weights[k]), error);
  }
  return status;
}

static pl_status push_particles(pl_world *world, const pl_instance_group *group, double time, double middle,
                                pl_error *error) {
  const pl_scene_push *push = group->push;
  if (time < push->from || (push->until != 0 && time >= push->until)) return PL_OK;
  // In the middle of a step a load that is linear in it has its mean.
  double factor = factor_at(&push->keys, middle);
  pl_vec3 fraction = pl_vec3_scale(push->force, factor / group->particle_count);
  pl_status status = PL_OK;
  for (int32_t i = 0; i < group->particle_count && status >= 0 && pl_vec3_length(fraction) > 0; ++i)
    status = pl_world_add_force(world, group->body, group->particles[i], fraction, error);
  return status >= 0 && group->triangle_count > 0 ? press(world, group, factor * push->pressure, error) : status;
}

static pl_status act(void *user, pl_world *world, pl_error *error) {
  pl_scene_instance *set = user;
  double now = pl_world_get_time(world) - set->time_shift, end = now + pl_world_get_step_length(world);
  const pl_scene_air *air = &set->scene->document.air;
  if (air->json != NULL && air->gust > 0) {
    double strength = 1 + air->gust * sin(2 * PL_PI * now / air->gust_period);
    pl_world_set_wind(world, pl_vec3_scale(air->wind, strength));
  }
  pl_status done = pl_instance_move_kinematic(set, world, now, end, error);
  if (done >= 0) done = pl_instance_drive(set, world, now, end, error);
  if (done >= 0) done = pl_instance_move_rods(set, world, end, error);
  if (done >= 0) done = pl_instance_run_motors(set, world, now, error);
  pl_instance_steer_actors(set, world);
  if (done < 0) return done;
  for (size_t i = 0; i < set->groups.count; ++i) {
    const pl_instance_group *group = &PL_ITEM(&set->groups, pl_instance_group, i);
    pl_status status = group->pin != NULL ? move_pins(world, group, end, error)
                                          : push_particles(world, group, now, 0.5 * (now + end), error);
    if (status < 0) return status;
  }
  return PL_OK;
}

pl_status pl_instance_add_controller(pl_scene_instance *set, pl_error *error) {
  pl_controller controller = {.before_step = act, .user = set};
  return pl_world_add_controller(set->world, &controller, error);
}
