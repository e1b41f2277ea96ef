// A game loop at 144 frames a second: vertex buffers between steps, contact events, picking with a ray.
#include <math.h>
#include <pliant/runtime.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct vertex {
  float position[3], normal[3], uv[2];  // as the renderer has it
} vertex;

typedef struct game {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_shading *shading;
  pl_world *world;
  pl_body_id body;
  vertex *vertices;  // stands for a mapped buffer
  int32_t vertex_count;
} game;

static bool start(game *g, pl_error *e) {
  pl_context_def context_def = pl_default_context_def();
  pl_fem_def fem_def = pl_default_fem_def(PL_FEM_FAST);
  pl_shading_def shading_def = pl_default_shading_def();
  pl_world_def world_def = pl_default_world_def();
  pl_collider_def ground_def = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  pl_body_def body_def = pl_default_body_def();
  fem_def.fast_step = world_def.step;
  shading_def.crease_angle = 0.7;  // edges of the box are sharp
  world_def.contact_events = true;
  ground_def.collision_layers = 2;  // layer 1: what moves, layer 2: the level
  bool good = pl_context_create(&context_def, &g->context, e) >= 0 &&
              pl_mesh_create_box(g->context, (pl_vec3){0.4, 0.4, 0.4}, (int32_t[3]){4, 4, 4}, &g->mesh, e) >= 0 &&
              pl_fem_build(g->context, &fem_def, g->mesh, &g->model, e) >= 0 &&
              pl_shading_build(g->context, &shading_def, g->model, &g->shading, e) >= 0 &&
              pl_world_create(g->context, &world_def, &g->world, e) >= 0;
  if (!good) return false;
  body_def.model = g->model, body_def.placement.position.y = 0.7;
  g->vertex_count = pl_shading_get_view(g->shading).vertex_count;
  g->vertices = calloc((size_t)g->vertex_count, sizeof(vertex));
  return g->vertices != NULL && pl_world_add_collider(g->world, &ground_def, NULL, e) >= 0 &&
         pl_world_add_body(g->world, &body_def, &g->body, e) >= 0;
}

static bool draw(game *g, pl_error *e) {
  pl_vertex_buffer buffer = {.positions = g->vertices->position,
                             .position_stride = sizeof(vertex),
                             .normals = g->vertices->normal,
                             .normal_stride = sizeof(vertex),
                             .vertex_count = g->vertex_count,
                             .fraction = pl_world_get_interpolation(g->world)};
  return pl_body_get_vertices(g->world, g->body, g->shading, &buffer, e) >= 0;
}

// Sounds of impacts, by how hard they were.
static void play_sounds(const game *g) {
  pl_contact_event_view view = pl_world_get_contact_events(g->world);
  for (int32_t i = 0; i < view.event_count; ++i)
    if (view.events[i].kind == PL_CONTACT_BEGIN && view.events[i].impulse > 0.1)
      printf("%.2f s: hits the ground with %.1f N s\n", pl_world_get_time(g->world), view.events[i].impulse);
}

int main(void) {
  game g = {0};
  pl_error e = {0};
  bool good = start(&g, &e);
  for (int frame = 0; frame < 144 && good; ++frame) {
    // At most 8 steps a frame: a slow machine slows the game down instead of stalling it.
    good = pl_world_advance(g.world, 1.0 / 144, 8, NULL, &e) >= 0 && draw(&g, &e);
    if (good) play_sounds(&g);
  }
  // What is under the cursor, of the things that move?
  pl_query_ray ray = {{0.1, 2, 0.1}, {0, -1, 0}, 10};
  pl_query_filter filter = pl_default_query_filter();
  pl_query_hit hit;
  filter.mask = 1;
  good = good && pl_world_cast_ray(g.world, &ray, &filter, &hit, &e) >= 0;
  if (good && hit.body.slot != 0) printf("picked triangle %d at height %.2f m\n", hit.triangle, hit.position.y);
  if (!good) puts(e.text);
  free(g.vertices);
  pl_world_destroy(g.world), pl_shading_destroy(g.shading), pl_model_destroy(g.model);
  pl_mesh_destroy(g.mesh), pl_context_destroy(g.context);
  return good ? 0 : 1;
}
