// The model of a finite-element body, its state, and what the files of this folder share.
//
// A body is one list of elements per energy ("group"): tets have one group, shells three (edges,
// areas, hinges), curves two (edges, turning angles). A group stores the rest shape of each element
// by itself, three numbers per corner. Neighbouring elements need not agree on the places of the
// corners they share: so mixtures of example poses are rest shapes too (paper 004, section 5.1).
#ifndef PL_FEM_MODEL_H
#define PL_FEM_MODEL_H

#include "body/body_method.h"
#include "fem/fem_assemble.h"
#include "fem/fem_energy.h"
#include "pliant/fem.h"
#include "sparse/linear_solver.h"

enum { PL_FEM_MAX_GROUPS = 3, PL_FEM_MAX_BRANCHES = 12 };

// What of a rest element is mixed when examples are.
typedef enum pl_fem_shape {
  PL_FEM_SHAPE_SOLID,     // right stretch of a tet: 9 numbers
  PL_FEM_SHAPE_TRIANGLE,  // right stretch of a triangle in its own plane: 4 numbers
  PL_FEM_SHAPE_LENGTH,    // of an edge: 1
  PL_FEM_SHAPE_TURN,      // angle between two edges of a curve: 1
  PL_FEM_SHAPE_HINGE,     // angle between two triangles: 1
} pl_fem_shape;

typedef struct pl_fem_group {
  const pl_fem_energy *energy;
  pl_fem_shape shape;
  int32_t element_count, corner_count;
  const int32_t *corners;    // corner_count per element, points of the mesh
  const double *starts;      // 3 corner_count per element: rest shape as built, U of fem_energy.h
  const double *parameters;  // energy->parameter_count per element
  const double *weights;     // per element: what a squared change of its shape counts for in the
                             // projection to examples
} pl_fem_group;

typedef struct pl_fem_examples {
  int32_t count;
  const char *const *names;
  const double *shapes[PL_FEM_MAX_GROUPS];  // by element, then example, numbers of the shape:
                                            // example's less the rest's
  const double *gram;                       // count x count
  double fidelity;                          // fraction of projected weights that is kept
} pl_fem_examples;

// Where surface points meet colliders.
typedef struct pl_fem_touch {
  const double *areas;    // m² that each surface point stands for
  const double *weights;  // 4 per surface point, sum 1
  const int32_t *slots;   // 16 per surface point: blocks of the matrix that couple its parents; -1:
                          // both have no weight
  double stiffness;       // N/m per m²
  double layer_mass;  // kg/m² of a layer of elements, whose inertia the stiffness must stop; 0: it
                      // is as given
  double area;        // m² of all points
  double onset;       // metres over which the contact force bends from 0 to its slope
  double hardening;   // metres beyond which it grows faster than linearly; 0: nowhere
  double hardness;    // by how much: c of fem_contact.c
} pl_fem_touch;

// Maxwell branches of tets (fem_maxwell.h): Prony terms, and those that structural damping is made
// of.
typedef struct pl_fem_branches {
  int32_t count;
  double ratios[PL_FEM_MAX_BRANCHES];  // stiffness as a fraction of the elastic one
  double times[PL_FEM_MAX_BRANCHES];   // s, in which stress relaxes to 1/e
} pl_fem_branches;

// Whether a material is made of tets.
static inline bool pl_fem_is_solid(pl_fem_material material) {
  return material <= PL_FEM_EDGES || material == PL_FEM_YEOH;
}

typedef struct pl_fem_model {
  pl_model head;
  pl_fem_material material;
  bool planar;  // z is held
  bool adapts;  // the state holds the rest shapes
  double mass_damping, stiffness_damping;
  pl_fem_branches branches;
  pl_fem_scheme scheme;
  pl_fem_implicit_steps implicit_steps;
  int32_t max_newton_iterations;
  double newton_tolerance;
  int32_t group_count;
  pl_fem_group groups[PL_FEM_MAX_GROUPS];
  int32_t element_start[PL_FEM_MAX_GROUPS + 1];  // elements of all groups counted through
  const double *rest_points;                     // 3 per particle
  const double *load_masses;  // kg: what a uniform acceleration pulls at in an equilibrium;
                              // `masses` but for quadratic tets, which have none that do both jobs
  const double *start_metrics;  // of the branches, at rest
  pl_vec3 rest_center;          // centre of mass of the rest shape
  pl_block_pattern pattern;     // group g of the pattern is group g above
  pl_fem_touch touch;
  pl_fem_examples examples;
  double element_size;   // m, edge of a typical element
  double force_scale;    // N: what it takes to strain an element by 1
  pl_linear_def linear;  // choice and hint; step and positions are filled in where a solver is made
} pl_fem_model;

// Views into a state: all are doubles.
//
// Anchors tell which surface points touch colliders: at the end of a step [3] is not 0 exactly for
// those that press against one at their positions then, as the step's own contact forces see it.
// World contact with other bodies comes afterwards and may move particles; pl_fem_set_state()
// leaves anchors as they are, and so do controllers. At the start [3] is 0 everywhere.
typedef struct pl_fem_state {
  double *driven;   // 1: weights are given from outside
  double *energy;   // [1]: elastic energy of the positions, J, if [0] is not 0; [2]: J that steps
                    // gained though nothing supplied them (fem_budget.c)
  double *weights;  // of the examples, count
  double *given;    // as given from outside, count
  // 4 per surface point: where friction holds it, in the frame of collider number [3] - 1; [3]
  // = 0: it touches nothing
  double *anchors;
  double *positions;   // 3 per particle
  double *velocities;  // 3 per particle
  double *metrics;     // of Maxwell branches (fem_maxwell.h), branch after branch
  // as `starts` of the group, of models that adapt; otherwise NULL
  double *rest[PL_FEM_MAX_GROUPS];
} pl_fem_state;

pl_fem_state pl_fem_state_of(const pl_model *model, const void *state);

// fem_def.c
pl_status pl_fem_def_check(const pl_fem_def *def, pl_error *error);
// The branches that a def asks for (fem_branches.c).
pl_fem_branches pl_fem_branches_of(const pl_fem_def *def);

// fem_elements.c: groups, masses and sizes from a mesh.
pl_status pl_fem_elements_build(pl_context *context, const pl_fem_def *def,
                                const pl_mesh_view *mesh, pl_fem_model *model, pl_error *error);

// fem_examples.c
pl_status pl_fem_examples_build(const pl_fem_def *def, const pl_mesh_view *mesh,
                                pl_fem_model *model, pl_error *error);
// Rest shape of elements begin … end of a group for weights, 3 corner_count numbers per element,
// written to rest + 3 corner_count begin.
void pl_fem_examples_mix(const pl_fem_model *model, int32_t group, const double *weights,
                         int32_t begin, int32_t end, double *rest);
pl_example_view pl_fem_list_examples(const pl_model *model);
void pl_fem_get_weights(const pl_model *model, const void *state, int32_t manifold,
                        double *weights);
void pl_fem_set_weights(const pl_model *model, void *state, int32_t manifold,
                        const double *weights);

// fem_surface.c: the table's functions that read and write.
size_t pl_fem_state_size(const pl_model *model);
void pl_fem_start(const pl_model *model, void *state, const pl_body_start *start);
void pl_fem_get_positions(const pl_model *model, const void *state, pl_vec3 *positions);
void pl_fem_get_velocities(const pl_model *model, const void *state, pl_vec3 *velocities);
void pl_fem_get_surface(const pl_model *model, const void *state, pl_vec3 *points);
void pl_fem_get_view(const pl_model *model, const void *state, pl_body_view *view);
void pl_fem_set_state(const pl_model *model, void *state, const pl_vec3 *positions,
                      const pl_vec3 *velocities);
pl_vec3 pl_fem_get_particle(const pl_model *model, const void *state, int32_t particle,
                            pl_vec3 *velocity);
void pl_fem_set_particle(const pl_model *model, void *state, int32_t particle, pl_vec3 position,
                         pl_vec3 velocity);
int32_t pl_fem_find_not_finite(const pl_model *model, const void *state);

// The table's move (fem_step.c), and the memory it works in (fem_work.c).
pl_status pl_fem_move(const pl_model *model, void *state, const pl_body_move *move,
                      pl_error *error);
pl_status pl_fem_create_work(const pl_model *model, pl_context *context, double step, void **work,
                             pl_error *error);
void pl_fem_destroy_work(void *work);
const pl_fem_report *pl_fem_work_report(const void *work);

// Whether a model is one of these.
bool pl_fem_is_model(const pl_model *model);

static inline pl_vec3 pl_fem_vector(const double *from, int32_t i) {
  return (pl_vec3){from[3 * (ptrdiff_t)i], from[3 * (ptrdiff_t)i + 1], from[3 * (ptrdiff_t)i + 2]};
}
static inline void pl_fem_put(double *to, int32_t i, pl_vec3 v) {
  to[3 * (ptrdiff_t)i] = v.x;
  to[3 * (ptrdiff_t)i + 1] = v.y;
  to[3 * (ptrdiff_t)i + 2] = v.z;
}

#endif
