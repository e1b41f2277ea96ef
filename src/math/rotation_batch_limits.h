// The numbers that the 8-wide kernel of pl_rotation_batch() and its scalar twin must share.
#ifndef PL_MATH_ROTATION_BATCH_LIMITS_H
#define PL_MATH_ROTATION_BATCH_LIMITS_H

// Two iterations are normal for a body in motion, three or four after an impact. Of random matrices
// with random guesses that Newton can settle at all, fewer than one in two hundred need a fifth:
// for these the eight lanes need not go around once more.
enum { MAX_ITERATION_COUNT = 4 };

// det(H) relative to tr(H)^3, which is at most 1/27. Below MIN_CURVATURE the rounding of float
// shows in the step.
#define MIN_CURVATURE 1e-4f

// Largest elements of a matrix whose inverse and products are safe in float.
#define MIN_SIZE 1e-30f
#define MAX_SIZE 1e30f

// Steps longer than MAX_STEP_LENGTH (radians) leave the range of the quadratic model; shorter than
// SETTLED_STEP settle a lane.
#define MAX_STEP_LENGTH 2.0f
#define SETTLED_STEP 2e-4f

#endif
