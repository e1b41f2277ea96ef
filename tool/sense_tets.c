// Tets that differ from the simulated ones: the result of a fit then does not profit from the truth having the same
// elements.
#include <math.h>
#include <stdlib.h>

#include "tool_open.h"
#include "tool_sense.h"

// Lattices around the same surface differ in their outermost cells, which move with the nearest tet.
static const double OUTSIDE_FRACTION = 0.1;
// Weights below this are rounding.
static const double NO_WEIGHT = 1e-5;

pl_mesh *sense_open_tets(const sense_job *job, const char *path) {
  bool remarks = false;
  pl_mesh *mesh = tool_open_mesh(job->tool, job->context, path, 1, &remarks);
  if (mesh == NULL || pl_mesh_get_view(mesh).tet_count > 0) return mesh;
  tool_print_error(&job->tool->console, "'%s' has no tets; make some with: pliant mesh %s", path, path);
  pl_mesh_destroy(mesh);
  return NULL;
}

// A point is held if its tet is held.
static void hold(sense_job *job, pl_embedding_view views) {
  bool *holds = tool_allocate((size_t)job->particle_count, sizeof *holds);
  for (int32_t i = 0; i < job->held_count; ++i) holds[job->held[i]] = true;
  free(job->held);
  job->held = tool_allocate((size_t)views.point_count + 1, sizeof *job->held);
  job->held_count = 0;
  for (int32_t i = 0; i < views.point_count; ++i) {
    bool held = true;
    for (int32_t k = 4 * i; k < 4 * i + 4 && held; ++k)
      held = holds[views.parents[k]] || fabs((double)views.weights[k]) < NO_WEIGHT;
    if (held) job->held[job->held_count++] = i;
  }
  free(holds);
}

pl_status sense_carry_tets(sense_job *job, pl_error *error) {
  pl_mesh_view own = pl_mesh_get_view(pl_scene_instance_get_body(job->set, job->body).mesh),
               other = pl_mesh_get_view(job->tets);
  pl_box box = pl_box_from_points(own.points, own.point_count);
  double size = fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z));
  pl_embedding *embedding = NULL;
  pl_status status = pl_embedding_build(job->context, pl_scene_instance_get_body(job->set, job->body).mesh,
                                        &(pl_embedding_input){other.points, other.point_count, OUTSIDE_FRACTION * size},
                                        &embedding, NULL, error);
  if (status < 0) return status;
  size_t from = (size_t)job->particle_count, to = (size_t)other.point_count;
  pl_vec3 *particles = tool_allocate(to * (size_t)job->frame_count, sizeof *particles);
  pl_vec3 *statics = tool_allocate(to, sizeof *statics);
  for (size_t f = 0; f < (size_t)job->frame_count; ++f)
    pl_embedding_apply(embedding, job->particles + f * from, particles + f * to);
  pl_embedding_apply(embedding, job->static_points, statics);
  hold(job, pl_embedding_get_view(embedding));
  free(job->particles);
  free(job->static_points);
  job->particles = particles;
  job->static_points = statics;
  job->particle_count = other.point_count;
  pl_embedding_destroy(embedding);
  return PL_OK;
}
