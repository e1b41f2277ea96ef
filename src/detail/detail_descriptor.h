// What a contact point's surroundings and their deformation come to: site descriptor, load
// descriptor, and the frame both are compared in.
#ifndef PL_DETAIL_DESCRIPTOR_H
#define PL_DETAIL_DESCRIPTOR_H

#include "detail/detail_moments.h"
#include "pliant/mesh.h"

// Volume that each point of a tet mesh stands for: a quarter of every tet around it. m³, one per
// point.
void pl_material_fractions(const pl_mesh_view *mesh, double *fractions);

// How sums over points become the moments of a density.
typedef enum pl_site_scale {
  PL_SITE_PER_VOLUME = 0,  // the integral of eq. 7; fractions are volumes, and the moment of order
                           // 0 says how full the window is
  // eq. 8: divided by the sum of the windows' weights, so that order 0 is always 1
  PL_SITE_PER_POINT = 1,
} pl_site_scale;

// Site descriptor from the sums of the function 1; all zero where no material is near. Axes stay
// those of the points.
pl_moments pl_site_of_sums(const pl_moments *sums, double radius, pl_site_scale scale);

// Load descriptor (eqs. 10, 11), to order 2, from the sums of the function 1 (to order 3) and of
// the displacement (to order 2): the rigid part is taken out, so that it does not depend on how the
// object has moved as a whole. `rotation` and `shift`, if wanted, receive that part: x - c goes to
// rotation (x - c) + shift, with c the mean of the material in the window. Zero where no material
// is near.
pl_vector_moments pl_load_of_sums(const pl_moments *sums, const pl_moments field_sums[3],
                                  double radius, pl_mat3 *rotation, pl_vec3 *shift);

// Stamping frame at a surface point with unit normal `normal` (section 4.4): the rows are b_x, b_y,
// b_z = normal. b_x is the first moment of the site in the tangent plane, with a small part of the
// direction in which `load` shears the surface (NULL for none): where the site has no direction,
// the load has, and stamps must be laid along it. Where neither has one, b_x lies along the axis in
// which there is most material, and where there is none such either, in a direction that depends on
// the normal alone.
pl_mat3 pl_stamp_frame(const pl_moments *site, const pl_vector_moments *load, pl_vec3 normal);

#endif
