// Finite-element bodies in coupled solves with the bodies that they touch.
#ifndef PL_FEM_FEM_COUPLED_H
#define PL_FEM_FEM_COUPLED_H

#include "body/body_method.h"

extern const pl_body_coupled pl_fem_coupled;       // fem_coupled.c
extern const pl_body_coupled pl_fem_fast_coupled;  // fem_fast_coupled.c

#endif
