// The rotation nearest to a 3x3 matrix A: R in SO(3) that maximises trace(R^T A).
//
// Newton's iteration on the rotation. With R exp([w]) for a small rotation vector w and B = R^T A,
//
//   trace(exp([w])^T B) = tr B + g.w - w.H w / 2 + ...      g = axial part of B,  H = tr(S) I - S,  S = (B + B^T) / 2
//
// so the step solves H w = g. From last step's rotation two or three steps give all digits.
//
// At a stationary point B = S has signed stretches s1 >= s2 >= s3, and H the eigenvalues s1 + s2, s1 + s3, s2 + s3.
// They are all positive only if s2 > |s3|, and that makes R the *global* maximum: so testing H for positive
// definiteness on every step is the whole safeguard. Where it fails (a guess more than a quarter turn off, a saddle
// after half a turn, flat or inverted matrices without a unique answer) Davenport's matrix K decides: trace(R(q)^T A) =
// q.K q for unit quaternions q, so the answer is K's largest eigenvector, with no special cases (Davenport 1968; Horn
// 1987). It costs some ten times as much.
#include "math/rotation.h"

#include "math/jacobi.h"
#include "math/mat3.h"

enum { MAX_NEWTON_ITERATIONS = 10 };

// H w = g by the adjugate. False when H is not safely positive definite.
static bool solve_step(pl_mat3 b, pl_vec3 *w) {
  double h00 = b.m[1][1] + b.m[2][2], h11 = b.m[0][0] + b.m[2][2], h22 = b.m[0][0] + b.m[1][1];
  double h01 = -0.5 * (b.m[0][1] + b.m[1][0]), h02 = -0.5 * (b.m[0][2] + b.m[2][0]),
         h12 = -0.5 * (b.m[1][2] + b.m[2][1]);
  double c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
  double c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
  double determinant = h00 * c00 + h01 * c01 + h02 * c02, trace = h00 + h11 + h22;
  if (!(h00 > 0 && c22 > 0 && determinant > 1e-12 * trace * trace * trace)) return false;
  double gx = b.m[2][1] - b.m[1][2], gy = b.m[0][2] - b.m[2][0], gz = b.m[1][0] - b.m[0][1];
  double f = 1 / determinant;
  *w = (pl_vec3){f * (c00 * gx + c01 * gy + c02 * gz), f * (c01 * gx + c11 * gy + c12 * gz),
                 f * (c02 * gx + c12 * gy + c22 * gz)};
  return true;
}

static bool iterate(pl_mat3 a, pl_quat *rotation) {
  pl_quat q = *rotation;
  for (int i = 0; i < MAX_NEWTON_ITERATIONS; ++i) {
    pl_mat3 b = pl_mat3_multiply(pl_mat3_transpose(pl_mat3_from_quat(q)), a);
    pl_vec3 w;
    if (!solve_step(b, &w)) return false;
    // Steps beyond a radian leave the range of the quadratic model.
    double length = pl_vec3_length(w);
    double half = length > 1 ? 0.5 / length : 0.5;
    q = pl_quat_normalize(pl_quat_multiply(q, (pl_quat){half * w.x, half * w.y, half * w.z, 1}));
    // The error after a step is at most the square of the step over the condition of H.
    if (length < 1e-10) {
      *rotation = q;
      return true;
    }
  }
  return false;
}

static pl_quat max_eigenvector(pl_mat3 a, pl_quat guess) {
  const double(*m)[3] = (const double(*)[3])a.m;
  double k[4][4] = {
      {m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[0][2] + m[2][0], m[2][1] - m[1][2]},
      {m[0][1] + m[1][0], m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1], m[0][2] - m[2][0]},
      {m[0][2] + m[2][0], m[1][2] + m[2][1], m[2][2] - m[0][0] - m[1][1], m[1][0] - m[0][1]},
      {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], m[0][0] + m[1][1] + m[2][2]},
  };
  double v[4][4];
  pl_jacobi_eigen(4, k, v);
  int best = 0;
  for (int j = 1; j < 4; ++j)
    if (k[j][j] > k[best][best]) best = j;

  // Where the answer is not unique (a line, a point reflection), all of an eigenspace maximises the trace: take what
  // lies nearest to the guess, so that a degenerate region does not spin from step to step.
  pl_quat near = {0, 0, 0, 0};
  for (int j = 0; j < 4; ++j) {
    if (k[j][j] < k[best][best] - 1e-13) continue;
    pl_quat e = {v[0][j], v[1][j], v[2][j], v[3][j]};
    double along = pl_quat_dot(e, guess);
    near = (pl_quat){near.x + along * e.x, near.y + along * e.y, near.z + along * e.z, near.w + along * e.w};
  }
  if (pl_quat_dot(near, near) > 1e-12) return pl_quat_normalize(near);
  return pl_quat_normalize((pl_quat){v[0][best], v[1][best], v[2][best], v[3][best]});
}

pl_quat pl_rotation_of_mat3(pl_mat3 a, pl_quat guess) {
  double size = pl_quat_dot(guess, guess);
  guess = isfinite(size) ? pl_quat_normalize(guess) : pl_quat_identity();
  double scale = pl_mat3_normalizer(a);
  if (scale == 0) return guess;
  pl_mat3 scaled = pl_mat3_scale(a, scale);
  pl_quat rotation = guess;
  return iterate(scaled, &rotation) ? rotation : max_eigenvector(scaled, guess);
}

pl_mat3 pl_right_stretch(pl_mat3 a, pl_quat rotation) {
  pl_mat3 b = pl_mat3_multiply(pl_mat3_transpose(pl_mat3_from_quat(rotation)), a);
  return pl_mat3_scale(pl_mat3_add(b, pl_mat3_transpose(b)), 0.5);
}
