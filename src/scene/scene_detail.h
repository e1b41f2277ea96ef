// Detail in scenes: sets of examples on bodies, cuts, and recordings by simulation.
#ifndef PL_SCENE_DETAIL_H
#define PL_SCENE_DETAIL_H

#include "pliant/detail_session.h"
#include "scene/scene_instance.h"

// Let the bodies that have a `detail` show it; the colliders must be there (scene_detail.c).
pl_status pl_instance_add_details(pl_scene_instance *set, pl_findings *findings, pl_error *error);

// Forget them; the world must be gone.
void pl_instance_destroy_details(pl_scene_instance *set);

// Cut a part's tets as its `tets.cuts` says (scene_cut.c).
pl_status pl_instance_cut_tets(pl_scene_instance *set, pl_instance_part *part,
                               pl_findings *findings, pl_error *error);

// Cut the surface that a part's tets carry where these `cuts` are; warn where a surface bridges a
// cut that its tets came with (scene_cut.c).
pl_status pl_instance_cut_surface(pl_scene_instance *set, pl_instance_part *part,
                                  pl_findings *findings, pl_error *error);

// What pl_world_add_collider() needs of a collider of the document; without keys, `mesh` is the
// wall's (scene_build.c).
pl_collider_def pl_scene_collider_def_of(const pl_scene_collider *source, const pl_mesh *mesh);

// What the tables cannot say about detail (scene_check_detail.c).
struct pl_scene_checker;
void pl_checker_detail(struct pl_scene_checker *c, const pl_scene_body *body);
void pl_checker_recording(struct pl_scene_checker *c);

#endif
