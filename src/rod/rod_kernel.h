// The inner loops; included by rod_kernels.c and rod_kernels_avx2.c with KERNELS set to the name of the table to
// define.
//
// Eight chains of one plan side by side, one per lane: no gathers, no branches that differ between lanes.
//
//   x v q w   position, velocity, orientation, angular velocity of a joint
//   _         of the rest pose P(w), in the base's frame
//   d         direction of the segment to a joint
//   r         rotation from one segment's direction to the next (eq. 8)
//   D         deviation: turns a rest direction into the present one
//   c R A     centre, rotation and moment matrix of a region
//   n C       direction and error of a constraint
//   h alpha   step, stiffness

#include "rod/rod_lane_math.h"

// Affine map of a region, [12][8]: R row-major, then c - R c_.
enum { REGION_SHIFT = MAT3_LANES, REGION_MAP_LANES = MAT3_LANES + VEC3_LANES };

// Paper 001, §3.1, QLERP: the weighted sum of quaternions of one hemisphere, made a unit. `stride` floats from one
// example to the next.
PL_SIMD_INLINE q4 mix(const float *poses, int32_t joint, size_t stride, const float *weights, int32_t count,
                      pl_f8 rest_weight) {
  q4 rest = get4(poses, joint);
  q4 sum = {rest.x * rest_weight, rest.y * rest_weight, rest.z * rest_weight, rest.w * rest_weight};
  for (int32_t k = 0; k < count; ++k)
    sum = add_scaled4(sum, get4(poses + (size_t)(k + 1) * stride, joint), get1(weights, k));
  // Quaternions of one hemisphere can only cancel where all are perpendicular to the rest's, half a turn away.
  return unit4(select4(dot4(sum, sum) > 1e-12f, sum, rest));
}

// Angle and Gaussian of Algorithm 1 in double precision, four chains at a time, by operations that are exactly rounded:
// the same bits on every machine, which a library's atan2 and exp are not, and several times faster.
typedef double d4 __attribute__((vector_size(32), may_alias));
typedef int64_t i4 __attribute__((vector_size(32), may_alias));

PL_SIMD_INLINE d4 d4_set1(double a) {
  return (d4){a, a, a, a};
}
PL_SIMD_INLINE d4 d4_at(const double *from) {
  return *(const d4 *)(const void *)from;
}
PL_SIMD_INLINE d4 d4_select(i4 mask, d4 a, d4 b) {
  return (d4)((mask & (i4)a) | (~mask & (i4)b));
}
PL_SIMD_INLINE d4 d4_sqrt(d4 a) {
#if PL_SIMD_IS_AVX
  return (d4)_mm256_sqrt_pd((__m256d)a);
#else
  for (int i = 0; i < 4; ++i) a[i] = sqrt(a[i]);
  return a;
#endif
}

// Angle between unit vectors from their cosine c and the square of their distance: with s = sin(x/2) = distance / 2 and
// t = tan(x/4) the angle is 4 atan(t). For angles above 90 degrees the supplement is taken, so t is at most tan(22.5
// degrees) and fourteen terms of the series give 1e-12.
PL_SIMD_INLINE d4 angle_between(d4 cosine) {
  i4 obtuse = cosine < 0.0;
  d4 size = d4_select(obtuse, -cosine, cosine), one = d4_set1(1.0);
  d4 square = (one - d4_select(size > 1.0, one, size)) * 0.5, s = d4_sqrt(square);
  d4 t = s / (one + d4_sqrt(one - square)), t2 = t * t, sum = d4_set1(1.0 / 29);
  for (int k = 27; k >= 1; k -= 2) sum = 1.0 / k - t2 * sum;
  d4 angle = 4.0 * t * sum;
  return d4_select(obtuse, PL_PI - angle, angle);
}

// exp(-y) for y >= 0: 2^-k times the series of the remainder, at most half of ln 2.
PL_SIMD_INLINE d4 exp_minus(d4 y) {
  // 1.5 * 2^52: adding it rounds to an integer, which then stands in the lowest bits
  const d4 magic = d4_set1(6755399441055744.0);
  y = d4_select(y > 700.0, d4_set1(700.0), y);
  d4 shifted = y * 1.4426950408889634 + magic, k = shifted - magic;
  d4 r = k * 0.6931471803691238 - y + k * 1.9082149292705877e-10, sum = d4_set1(1.0);
  for (int n = 12; n >= 1; --n) sum = 1.0 + r * sum / (double)n;
  i4 power = (1023 - ((i4)shifted - (i4)magic)) << 52;
  return sum * (d4)power;
}

// Paper 001, Algorithm 1: Gaussian weights of the angle between the direction to the camera and those of the examples,
// scaled down where they sum to more than 1.
static void view(const pl_rod_batch *batch, const double *directions, float *weights) {
  for (int half = 0; half < LANES; half += 4) {
    d4 x = d4_at(directions + half), y = d4_at(directions + LANES + half), z = d4_at(directions + 2 * LANES + half);
    d4 length = d4_sqrt(x * x + y * y + z * z), sum = d4_set1(0.0), found[PL_MAX_EXAMPLES];
    i4 known = (length > 1e-150) & (length < 1e150);
    d4 inverse = d4_select(known, 1.0 / length, d4_set1(0.0));
    for (int32_t k = 0; k < batch->example_count; ++k) {
      const double *d = batch->view_directions + VEC3_LANES * (size_t)k + half;
      d4 angle = angle_between((x * d4_at(d) + y * d4_at(d + LANES) + z * d4_at(d + 2 * LANES)) * inverse);
      d4 ratio = angle * d4_at(batch->view_rates + LANES * (size_t)k + half);
      found[k] = d4_select(known, exp_minus(ratio * ratio) * d4_at(batch->view_fractions + LANES * (size_t)k + half),
                           d4_set1(0.0));
      sum += found[k];
    }
    d4 fraction = 1.0 / d4_select(sum > 1.0, sum, d4_set1(1.0));
    for (int32_t k = 0; k < batch->example_count; ++k) {
      d4 weight = found[k] * fraction;
      for (int lane = 0; lane < 4; ++lane) weights[LANES * (size_t)k + (size_t)(half + lane)] = (float)weight[lane];
    }
  }
}

// Paper 001, eqs. 4 to 9: P(w), with the base pose and its weight in eqs. 5 and 6, where print leaves them out.
static void blend(const pl_rod_batch *batch, const float *weights, float *positions, float *rotations) {
  const pl_rod_plan *plan = batch->plan;
  int32_t n = plan->joint_count, count = batch->example_count;
  size_t stride = QUAT_LANES * (size_t)n;
  pl_f8 rest_weight = pl_f8_set1(1.0f);
  for (int32_t k = 0; k < count; ++k) rest_weight -= get1(weights, k);
  put3(positions, 0, zero3());
  put4(rotations, 0, mix(batch->poses, 0, stride, weights, count, rest_weight));
  for (int32_t i = 1; i < n; ++i) {
    int32_t p = plan->parents[i];
    // Forward kinematics: the parent's direction turned by r. Directions follow from positions, so no array of them is
    // kept.
    v3 from = p == 0 ? get3(batch->aims, i)
                     : scale3(sub3(get3(positions, p), get3(positions, plan->parents[p])),
                              1.0f / get1(batch->lengths, p - 1));
    v3 d = rotate(mix(batch->turns, i, stride, weights, count, rest_weight), from);
    d = unit3(d, from);
    put3(positions, i, add_scaled3(get3(positions, p), d, get1(batch->lengths, i - 1)));
    put4(rotations, i, mix(batch->poses, i, stride, weights, count, rest_weight));
  }
}

// Not in the paper: suppression of ghost momentum by transport. D turns the rest direction of a segment into the
// present one; it is the joint's own deviation q q_^-1 followed by the short turn to where the segment really is. With
// D kept, the segment follows its rest direction: d' = D d_'. Velocities relative to the parent turn along, so a chain
// at rest stays at rest and a swing continues around the new rest pose.
static void transport(const pl_rod_batch *batch, const pl_rod_lanes *lanes, const float *rest_positions,
                      const float *rest_rotations) {
  const pl_rod_plan *plan = batch->plan;
  // A joint's old position and velocity are needed by its children after it has moved: joints are taken from the last
  // to the first for what is relative to the parent, then put together again from the first to the last.
  for (int32_t i = plan->joint_count - 1; i > 0; --i) {
    int32_t p = plan->parents[i];
    put3(lanes->positions, i, sub3(get3(lanes->positions, i), get3(lanes->positions, p)));
    put3(lanes->velocities, i, sub3(get3(lanes->velocities, i), get3(lanes->velocities, p)));
  }
  for (int32_t i = 0; i < plan->joint_count; ++i) {
    int32_t p = plan->parents[i];
    q4 deviation = multiply4(get4(lanes->rotations, i), conjugate4(get4(lanes->rest_rotations, i)));
    put4(lanes->rotations, i, unit4(multiply4(deviation, get4(rest_rotations, i))));
    if (i == 0) continue;
    pl_f8 length = get1(batch->lengths, i - 1);
    v3 old_rest = scale3(sub3(get3(lanes->rest_positions, i), get3(lanes->rest_positions, p)), 1.0f / length);
    v3 new_rest = scale3(sub3(get3(rest_positions, i), get3(rest_positions, p)), 1.0f / length);
    v3 turned = rotate(deviation, old_rest), d = unit3(get3(lanes->positions, i), turned);
    q4 exact = turn_between(turned, d);
    v3 next = unit3(rotate(exact, rotate(deviation, new_rest)), d);
    v3 velocity = rotate(turn_between(d, next), get3(lanes->velocities, i));
    put3(lanes->positions, i, add_scaled3(get3(lanes->positions, p), next, length));
    put3(lanes->velocities, i, add3(get3(lanes->velocities, p), velocity));
  }
  for (int32_t i = 0; i < plan->joint_count; ++i) {
    put3(lanes->rest_positions, i, get3(rest_positions, i));
    put4(lanes->rest_rotations, i, get4(rest_rotations, i));
  }
}

// m R(q) R(q_)^T: what the orientation of a joint adds to a region's moments (Müller and Chentanez 2011), and its
// matrix form.
PL_SIMD_INLINE void add_rotation(q4 q, pl_f8 s, pl_f8 a[9]) {
  pl_f8 x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  pl_f8 xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
  pl_f8 wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  a[0] += s * (1.0f - (yy + zz));
  a[1] += s * (xy - wz);
  a[2] += s * (xz + wy);
  a[3] += s * (xy + wz);
  a[4] += s * (1.0f - (xx + zz));
  a[5] += s * (yz - wx);
  a[6] += s * (xz - wy);
  a[7] += s * (yz + wx);
  a[8] += s * (1.0f - (xx + yy));
}

// Paper 001, §3.1 (Müller and Chentanez 2011): affine maps of the regions, R and c - R c_. Regions with the root are
// fixed to the kinematic joint; the others find their rotation from positions and orientations.
static void place_regions(const pl_rod_solve *solve, float *maps) {
  const pl_rod_batch *batch = solve->batch;
  const pl_rod_plan *plan = batch->plan;
  // what each joint's orientation adds to the moments of its regions
  float *turns = maps + REGION_MAP_LANES * (size_t)plan->joint_count;
  for (int32_t i = 0; i < plan->joint_count; ++i) {
    pl_f8 zero = pl_f8_set1(0.0f), m[9] = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
    q4 turn = multiply4(get4(solve->from.rotations, i), conjugate4(get4(solve->rest_rotations, i)));
    add_rotation(turn, get1(batch->match_squares, i), m);
    for (int e = 0; e < 9; ++e) pl_f8_store(turns + MAT3_LANES * (size_t)i + LANES * e, m[e]);
  }
  for (int32_t r = 0; r < plan->joint_count; ++r) {
    float *map = maps + REGION_MAP_LANES * (size_t)r;
    pl_f8 zero = pl_f8_set1(0.0f), m[9] = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
    v3 shift = zero3();
    if (plan->anchored[r]) {
      add_rotation(get4(solve->base->start, 0), pl_f8_set1(1.0f), m);
      put4(solve->matches, r, get4(solve->base->start, 0));
    } else {
      _Alignas(32) float moments[MAT3_LANES];
      pl_f8 a[9] = {zero, zero, zero, zero, zero, zero, zero, zero, zero}, total = zero;
      v3 center = zero3(), rest_center = zero3(), origin = get3(solve->from.positions, r),
         rest_origin = get3(solve->rest_positions, r);
      for (int32_t k = plan->region_start[r]; k < plan->region_start[r + 1]; ++k) {
        int32_t i = plan->region_joints[k];
        pl_f8 w = get1(batch->fractions, i);
        v3 x = sub3(get3(solve->from.positions, i), origin), y = sub3(get3(solve->rest_positions, i), rest_origin);
        v3 wx = scale3(x, w);
        total += w;
        center = add3(center, wx);
        rest_center = add_scaled3(rest_center, y, w);
        a[0] += wx.x * y.x, a[1] += wx.x * y.y, a[2] += wx.x * y.z;
        a[3] += wx.y * y.x, a[4] += wx.y * y.y, a[5] += wx.y * y.z;
        a[6] += wx.z * y.x, a[7] += wx.z * y.y, a[8] += wx.z * y.z;
        for (int e = 0; e < 9; ++e) a[e] += pl_f8_load(turns + MAT3_LANES * (size_t)i + LANES * e);
      }
      pl_f8 inverse = 1.0f / total;
      center = scale3(center, inverse);
      v3 wy = rest_center;
      rest_center = scale3(rest_center, inverse);
      a[0] -= center.x * wy.x, a[1] -= center.x * wy.y, a[2] -= center.x * wy.z;
      a[3] -= center.y * wy.x, a[4] -= center.y * wy.y, a[5] -= center.y * wy.z;
      a[6] -= center.z * wy.x, a[7] -= center.z * wy.y, a[8] -= center.z * wy.z;
      for (int e = 0; e < 9; ++e) pl_f8_store(moments + LANES * e, a[e]);
      pl_rotation_batch(moments, solve->matches + QUAT_LANES * (size_t)r);
      q4 rotation = get4(solve->matches, r);
      add_rotation(rotation, pl_f8_set1(1.0f), m);
      shift = sub3(add3(center, origin), rotate(rotation, add3(rest_center, rest_origin)));
    }
    for (int e = 0; e < 9; ++e) pl_f8_store(map + LANES * e, m[e]);
    put3(map + REGION_SHIFT, 0, shift);
  }
}

// Paper 001, §3.1: goal position and rotation of a joint, means over its regions.
PL_SIMD_INLINE v3 goal_of(const pl_rod_plan *plan, const float *maps, const float *matches, int32_t i, v3 rest,
                          q4 *turn) {
  pl_f8 sum[12];
  q4 own = get4(matches, i);
  *turn = own;
  for (int e = 0; e < 12; ++e) sum[e] = pl_f8_set1(0.0f);
  for (int32_t k = plan->region_start[i]; k < plan->region_start[i + 1]; ++k) {
    const float *map = maps + REGION_MAP_LANES * (size_t)plan->region_joints[k];
    for (int e = 0; e < 12; ++e) sum[e] += pl_f8_load(map + LANES * e);
    if (plan->region_joints[k] == i) continue;
    q4 other = get4(matches, plan->region_joints[k]);
    pl_f8 side = pl_f8_select(dot4(own, other) < 0.0f, pl_f8_set1(-1.0f), pl_f8_set1(1.0f));
    *turn = add_scaled4(*turn, other, side);
  }
  *turn = unit4(*turn);
  pl_f8 fraction = pl_f8_set1(1.0f / (float)(plan->region_start[i + 1] - plan->region_start[i]));
  v3 goal = {sum[0] * rest.x + sum[1] * rest.y + sum[2] * rest.z + sum[9],
             sum[3] * rest.x + sum[4] * rest.y + sum[5] * rest.z + sum[10],
             sum[6] * rest.x + sum[7] * rest.y + sum[8] * rest.z + sum[11]};
  return scale3(goal, fraction);
}

// q turned by the rotation vector w h.
PL_SIMD_INLINE q4 spun(q4 q, v3 w, float h) {
  pl_f8 half = pl_f8_set1(0.5f * h);
  q4 rate = multiply4((q4){w.x * half, w.y * half, w.z * half, pl_f8_set1(0.0f)}, q);
  return unit4((q4){q.x + rate.x, q.y + rate.y, q.z + rate.z, q.w + rate.w});
}

// Paper 001, §3.1, and the prediction x* of eqs. 10 to 13: one step of generalised shape matching without constraints.
static void match(const pl_rod_solve *solve) {
  const pl_rod_batch *batch = solve->batch;
  const pl_rod_plan *plan = batch->plan;
  float *maps = solve->work;
  place_regions(solve, maps);
  float h = solve->step;
  v3 base_velocity = get3(solve->base->velocity, 0), base_spin = get3(solve->base->spin, 0),
     shift = get3(solve->base->shift, 0);
  pl_f8 kept = pl_f8_set1(solve->kept);
  for (int32_t i = 0; i < plan->joint_count; ++i) {
    v3 x = get3(solve->from.positions, i), v = get3(solve->from.velocities, i), w = get3(solve->from.spins, i);
    q4 q = get4(solve->from.rotations, i);
    pl_f8 alpha = pl_f8_min(get1(batch->gains, i) * solve->stiffness, pl_f8_set1(1.0f));
    q4 turn;
    v3 goal = goal_of(plan, maps, solve->matches, i, get3(solve->rest_positions, i), &turn);
    v3 carried = add3(base_velocity, cross3(base_spin, x));
    if (solve->predicts) {
      v = sub3(v, scale3(sub3(v, carried), alpha));
      w = sub3(w, scale3(sub3(w, base_spin), alpha));
    }
    v = add_scaled3(v, sub3(goal, x), alpha / h);
    v = add_scaled3(v, get3(solve->accelerations, i), pl_f8_set1(h));
    q4 aim = multiply4(turn, get4(solve->rest_rotations, i));
    w = add_scaled3(w, small_turn(multiply4(aim, conjugate4(q))), alpha / h);
    // Damping: only what differs from moving with the kinematic joint.
    v = add_scaled3(carried, sub3(v, carried), kept);
    w = add_scaled3(base_spin, sub3(w, base_spin), kept);
    put3(solve->positions, i, i == 0 ? zero3() : sub3(add_scaled3(x, v, pl_f8_set1(h)), shift));
    put4(solve->rotations, i, spun(q, w, h));
  }
}

// Direction along which each constraint pushes: that at the beginning of the step. Pushing along the direction at the
// end would take energy from a chain under tension, and give energy to one under pressure, which then never comes to
// rest. Only where a constraint turns by more than 60 degrees in one step is the end's taken.
PL_SIMD_INLINE void aim_constraints(const pl_rod_solve *solve, float *directions) {
  const pl_rod_plan *plan = solve->batch->plan;
  for (int32_t b = 0; b < plan->constraint_count; ++b) {
    int32_t from = plan->constraints[2 * b], to = plan->constraints[2 * b + 1];
    v3 last = unit3(sub3(get3(solve->positions, to), get3(solve->positions, from)), zero3());
    v3 first = unit3(sub3(get3(solve->from.positions, to), get3(solve->from.positions, from)), last);
    put3(directions, b, select3(dot3(first, last) > 0.5f, first, last));
  }
}

// Directions of the constraints as they are now, for some lanes.
PL_SIMD_INLINE void aim_again(const pl_rod_solve *solve, pl_m8 lanes, float *directions) {
  const pl_rod_plan *plan = solve->batch->plan;
  for (int32_t b = 0; b < plan->constraint_count; ++b) {
    v3 now =
           sub3(get3(solve->positions, plan->constraints[2 * b + 1]), get3(solve->positions, plan->constraints[2 * b])),
       old = get3(directions, b);
    put3(directions, b, select3(lanes, unit3(now, old), old));
  }
}

// Error of each constraint in the order of elimination; returns the largest, relative to the length.
PL_SIMD_INLINE pl_f8 measure_constraints(const pl_rod_solve *solve, float *errors) {
  const pl_rod_plan *plan = solve->batch->plan;
  pl_f8 worst = pl_f8_set1(0.0f);
  for (int32_t k = 0; k < plan->constraint_count; ++k) {
    int32_t b = plan->constraint_of[k];
    v3 e = sub3(get3(solve->positions, plan->constraints[2 * b + 1]), get3(solve->positions, plan->constraints[2 * b]));
    pl_f8 rest = get1(solve->batch->lengths, b), error = pl_f8_sqrt(dot3(e, e)) - rest;
    put1(errors, k, error);
    worst = pl_f8_max(worst, pl_f8_abs(error) / rest);
  }
  return worst;
}

// J M^-1 J^T = L D L^T by the plan's elimination; `diagonal` ends up holding 1 / D.
PL_SIMD_INLINE void factor_constraints(const pl_rod_solve *solve, const float *directions, float *diagonal,
                                       float *entries) {
  const pl_rod_batch *batch = solve->batch;
  const pl_rod_plan *plan = batch->plan;
  int32_t m = plan->constraint_count;
  for (int32_t k = 0; k < m; ++k) {
    int32_t b = plan->constraint_of[k];
    // A little more than it is: a loop pulled taut has no solution of its own.
    put1(diagonal, k,
         (get1(batch->inverse_masses, plan->constraints[2 * b]) +
          get1(batch->inverse_masses, plan->constraints[2 * b + 1])) *
             1.0001f);
  }
  for (int32_t e = 0; e < plan->column_start[m]; ++e) put1(entries, e, pl_f8_set1(0.0f));
  for (int32_t c = 0; c < plan->coupling_count; ++c) {
    const int32_t *coupling = plan->couplings + 4 * (size_t)c;
    pl_f8 cosine = dot3(get3(directions, coupling[1]), get3(directions, coupling[2]));
    pl_f8 value = get1(batch->inverse_masses, coupling[3]) * cosine * plan->coupling_signs[c];
    put1(entries, coupling[0], get1(entries, coupling[0]) + value);
  }
  const int32_t *update = plan->updates, *last = plan->updates + 4 * (size_t)plan->update_count;
  for (int32_t k = 0; k < m; ++k) {
    pl_f8 inverse = 1.0f / get1(diagonal, k);
    for (; update < last && update[3] == k; update += 4) {
      float *target = update[0] < 0 ? diagonal + LANES * (size_t)(-1 - update[0]) : entries + LANES * (size_t)update[0];
      pl_f8_store(target, pl_f8_load(target) - get1(entries, update[1]) * get1(entries, update[2]) * inverse);
    }
    for (int32_t e = plan->column_start[k]; e < plan->column_start[k + 1]; ++e)
      put1(entries, e, get1(entries, e) * inverse);
    put1(diagonal, k, inverse);
  }
}

// L D L^T λ = errors, in place.
PL_SIMD_INLINE void solve_constraints(const pl_rod_plan *plan, const float *diagonal, const float *entries,
                                      float *lambda) {
  int32_t m = plan->constraint_count;
  for (int32_t k = 0; k < m; ++k) {
    pl_f8 value = get1(lambda, k);
    for (int32_t e = plan->column_start[k]; e < plan->column_start[k + 1]; ++e)
      put1(lambda, plan->rows[e], get1(lambda, plan->rows[e]) - get1(entries, e) * value);
  }
  for (int32_t k = m - 1; k >= 0; --k) {
    pl_f8 value = get1(lambda, k) * get1(diagonal, k);
    for (int32_t e = plan->column_start[k]; e < plan->column_start[k + 1]; ++e)
      value -= get1(entries, e) * get1(lambda, plan->rows[e]);
    put1(lambda, k, value);
  }
}

// The matrix belongs to the beginning of the step, so it is factored once; each round shrinks the errors by about the
// square of the angle the constraints have turned. Where they shrink by less than a third, in a whip or a loop pulled
// taut, full Newton steps along the current directions take over. The remainder is corrected by follow(), which is
// exact and ignores masses.
enum { LENGTH_ROUNDS = 12, ALL_ROUNDS = 20 };

PL_SIMD_INLINE pl_m8 chosen_lanes(const pl_rod_solve *solve) {
  pl_f8 one = pl_f8_set1(1.0f);
  return (solve->chosen != NULL ? pl_f8_load(solve->chosen) : one) > 0.0f;
}

// Paper 001, §3.1, distance constraints: J M⁻¹ Jᵀ λ = C, by the plan's elimination.
static void keep_lengths(const pl_rod_solve *solve) {
  const pl_rod_batch *batch = solve->batch;
  const pl_rod_plan *plan = batch->plan;
  int32_t m = plan->constraint_count;
  float *directions = solve->work, *diagonal = directions + VEC3_LANES * (size_t)m,
        *lambda = diagonal + LANES * (size_t)m, *entries = lambda + LANES * (size_t)m;
  // A lane that has settled is left alone, so that the iterations of its neighbours do not change its bits.
  pl_m8 active = chosen_lanes(solve), newton = ~active & active;
  pl_f8 before = pl_f8_set1(HUGE_VALF);
  for (int round = 0; round < ALL_ROUNDS; ++round) {
    pl_f8 worst = measure_constraints(solve, lambda);
    active &= ~(worst < pl_f8_select(newton, pl_f8_set1(1e-4f), pl_f8_set1(1e-5f)));
    if (!pl_m8_any(active)) break;
    pl_m8 stuck = active & ~(worst < 0.67f * before);
    newton |= round >= LENGTH_ROUNDS ? active : stuck;
    before = worst;
    if (round == 0)
      aim_constraints(solve, directions);
    else if (pl_m8_any(newton & active))
      aim_again(solve, newton, directions);
    if (round == 0 || pl_m8_any(newton & active)) factor_constraints(solve, directions, diagonal, entries);
    solve_constraints(plan, diagonal, entries, lambda);
    for (int32_t k = 0; k < m; ++k) {
      int32_t b = plan->constraint_of[k], from = plan->constraints[2 * b], to = plan->constraints[2 * b + 1];
      v3 push = scale3(get3(directions, b), pl_f8_select(active, get1(lambda, k), pl_f8_set1(0.0f)));
      put3(solve->positions, from, add_scaled3(get3(solve->positions, from), push, get1(batch->inverse_masses, from)));
      put3(solve->positions, to, add_scaled3(get3(solve->positions, to), push, -get1(batch->inverse_masses, to)));
    }
  }
}

// Not in the paper: exact lengths and angle limits, joint after joint from the root.
static void follow(const pl_rod_solve *solve) {
  const pl_rod_batch *batch = solve->batch;
  const pl_rod_plan *plan = batch->plan;
  q4 base = get4(solve->base->end, 0);
  pl_m8 active = chosen_lanes(solve);
  for (int32_t i = 1; i < plan->joint_count; ++i) {
    int32_t p = plan->parents[i];
    pl_f8 length = get1(batch->lengths, i - 1);
    v3 rest = scale3(sub3(get3(solve->rest_positions, i), get3(solve->rest_positions, p)), 1.0f / length);
    q4 frame = p == 0 ? base : multiply4(get4(solve->rotations, p), conjugate4(get4(solve->rest_rotations, p)));
    v3 aim = rotate(frame, rest), from = get3(solve->positions, p);
    v3 d = unit3(sub3(get3(solve->positions, i), from), aim);
    if (batch->limits != NULL) {
      pl_f8 limit = get1(batch->limits, i), cosine = dot3(d, aim);
      v3 away = sub3(d, scale3(aim, cosine)), any = {-aim.y, aim.x, pl_f8_set1(0.0f)};
      v3 edge = add3(scale3(aim, limit),
                     scale3(unit3(away, any), pl_f8_sqrt(pl_f8_max(1.0f - limit * limit, pl_f8_set1(0.0f)))));
      d = select3(cosine < limit, unit3(edge, aim), d);
    }
    put3(solve->positions, i, select3(active, add_scaled3(from, d, length), get3(solve->positions, i)));
  }
}

// Not in the paper: the update of VRMC_springBone 1.0, joint after joint: inertia less drag, a pull towards where the
// bone would be if it were rigid with its parent, gravity, then back to the bone's length. The numbers are given per
// frame of 1/60 s, and mean the same at any step.
static void spring(const pl_rod_solve *solve) {
  const pl_rod_batch *batch = solve->batch;
  const pl_rod_plan *plan = batch->plan;
  float h = solve->step;
  pl_f8 frames = pl_f8_set1(60.0f * h);
  v3 shift = get3(solve->base->shift, 0);
  q4 base = get4(solve->base->end, 0);
  put3(solve->positions, 0, zero3());
  put4(solve->rotations, 0, multiply4(base, get4(solve->rest_rotations, 0)));
  for (int32_t i = 1; i < plan->joint_count; ++i) {
    int32_t p = plan->parents[i];
    pl_f8 length = get1(batch->lengths, i - 1);
    v3 rest = scale3(sub3(get3(solve->rest_positions, i), get3(solve->rest_positions, p)), 1.0f / length);
    // Rotations hold D q_ of each joint.
    q4 frame = p == 0 ? base : multiply4(get4(solve->rotations, p), conjugate4(get4(solve->rest_rotations, p)));
    v3 aim = unit3(rotate(frame, rest), rest), from = get3(solve->positions, p);
    v3 x = get3(solve->from.positions, i), v = get3(solve->from.velocities, i);
    v3 next = sub3(add_scaled3(x, v, get1(solve->kept_by_drag, i) * h), shift);
    // A pull moves a bone that drag stops by as much in a step as it would in that fraction of a frame.
    pl_f8 lost = 1.0f - get1(batch->drags, i);
    pl_f8 strength = h * pl_f8_select(lost > 1e-4f, (1.0f - get1(solve->kept_by_drag, i)) / lost, frames);
    next = add_scaled3(next, aim, get1(batch->springs, i) * strength);
    next = add_scaled3(next, get3(batch->pulls, i), strength);
    next = add_scaled3(next, get3(solve->accelerations, i), pl_f8_set1(h * h));
    v3 d = unit3(sub3(next, from), aim);
    put3(solve->positions, i, add_scaled3(from, d, length));
    put4(solve->rotations, i, unit4(multiply4(turn_between(aim, d), multiply4(frame, get4(solve->rest_rotations, i)))));
  }
}

// Paper 001, eq. 17: L^T (R - R(w)) with R(w) the rotations of the present rest pose. Eq. 17 has the rest R^0 in its
// place and solves for all of w; around R(w) it solves for the difference, which is zero where the chain is in its rest
// pose (sums of quaternions are not of unit length, so eq. 17 itself misses that), and small where examples are alike.
static void project(const pl_rod_batch *batch, const pl_rod_lanes *lanes, const float *base_rotation, float *pulls) {
  const pl_rod_plan *plan = batch->plan;
  int32_t n = plan->joint_count, count = batch->example_count;
  size_t stride = QUAT_LANES * (size_t)n;
  q4 back = conjugate4(get4(base_rotation, 0));
  pl_f8 rest_weight = pl_f8_set1(1.0f);
  for (int32_t k = 0; k < count; ++k) {
    rest_weight -= get1(lanes->weights, k);
    put1(pulls, k, pl_f8_set1(0.0f));
  }
  for (int32_t i = 1; i < n; ++i) {
    int32_t p = plan->parents[i];
    v3 aim = get3(batch->aims, i);
    v3 d = unit3(rotate(back, sub3(get3(lanes->positions, i), get3(lanes->positions, p))), aim);
    v3 before =
        p == 0 ? aim
               : unit3(rotate(back, sub3(get3(lanes->positions, p), get3(lanes->positions, plan->parents[p]))), aim);
    q4 r = turn_between(before, d), rest = get4(batch->turns, i),
       now = mix(batch->turns, i, stride, lanes->weights, count, rest_weight);
    pl_f8 sign = pl_f8_select(dot4(r, rest) < 0.0f, pl_f8_set1(-1.0f), pl_f8_set1(1.0f));
    q4 away = {r.x * sign - now.x, r.y * sign - now.y, r.z * sign - now.z, r.w * sign - now.w};
    for (int32_t k = 0; k < count; ++k) {
      q4 example = get4(batch->turns + (size_t)(k + 1) * stride, i);
      q4 column = {example.x - rest.x, example.y - rest.y, example.z - rest.z, example.w - rest.w};
      put1(pulls, k, get1(pulls, k) + dot4(column, away));
    }
  }
}

// Paper 001, eqs. 10 to 13; eqs. 14 and 15 where the velocities come from a second solve.
static bool finish(const pl_rod_solve *solve, const float *velocity_positions, const float *velocity_rotations,
                   const pl_rod_lanes *to) {
  const pl_rod_plan *plan = solve->batch->plan;
  pl_f8 rate = pl_f8_set1(1.0f / solve->step);
  v3 shift = get3(solve->base->shift, 0), check = zero3();
  for (int32_t i = 0; i < plan->joint_count; ++i) {
    v3 v = scale3(add3(sub3(get3(velocity_positions, i), get3(solve->from.positions, i)), shift), rate);
    v3 w = scale3(small_turn(multiply4(get4(velocity_rotations, i), conjugate4(get4(solve->from.rotations, i)))), rate);
    put3(to->velocities, i, v);
    put3(to->spins, i, w);
    v3 x = get3(solve->positions, i);
    q4 q = get4(solve->rotations, i);
    put3(to->positions, i, x);
    put4(to->rotations, i, q);
    pl_f8 zero = pl_f8_set1(0.0f);
    check = add3(check, add3(scale3(v, zero), scale3(x, zero)));
    check = add3(check, add3(scale3(w, zero), (v3){q.x * q.w * zero, q.y * zero, q.z * zero}));
  }
  // Infinity times zero and not-a-number times zero are not a number.
  return pl_m8_all(check.x + check.y + check.z == 0.0f);
}

// Not in the paper: drag of the air on each segment, a cylinder between its two radii: F = ½ rho C (r_a + r_b) l |u| u
// with u the air's velocity across the segment. However light the segment, it does not become faster than the air: the
// force is taken at the end of the step.
static void blow(const pl_rod_batch *batch, const pl_rod_lanes *lanes, const float wind[3], float strength, float step,
                 float *accelerations) {
  const pl_rod_plan *plan = batch->plan;
  v3 air = {pl_f8_set1(wind[0]), pl_f8_set1(wind[1]), pl_f8_set1(wind[2])};
  for (int32_t i = 1; i < plan->joint_count; ++i) {
    int32_t p = plan->parents[i];
    v3 e = sub3(get3(lanes->positions, i), get3(lanes->positions, p)), d = unit3(e, zero3());
    v3 u = sub3(air, scale3(add3(get3(lanes->velocities, i), get3(lanes->velocities, p)), pl_f8_set1(0.5f)));
    u = sub3(u, scale3(d, dot3(u, d)));
    pl_f8 grip = pl_f8_sqrt(dot3(u, u)) * get1(batch->lengths, i - 1) *
                 (get1(batch->radii, i) + get1(batch->radii, p)) * (0.5f * strength);
    for (int end = 0; end < 2; ++end) {
      int32_t joint = end == 0 ? i : p;
      pl_f8 rate = grip * get1(batch->inverse_masses, joint);
      put3(accelerations, joint, add_scaled3(get3(accelerations, joint), u, rate / (1.0f + rate * step)));
    }
  }
}

const pl_rod_kernels KERNELS = {view, blend, transport, blow, match, keep_lengths, follow, spring, project, finish};
