// What a bouncing contact arrives and leaves with.
//
// A bounce happens at the time t of the step at which the gap closed. Positions at whole steps lie
// on an exact parabola whose velocity in the middle of the step is the one we have; so the speed at
// t, and after it speed and height at the step's end, follow from gravity alone, and a ball keeps
// its height over any number of bounces. Between two bodies gravity cancels.
#ifndef PL_CONTACT_BOUNCE_H
#define PL_CONTACT_BOUNCE_H

#include <math.h>

#include "contact/contact_terms.h"

// Overlap from before the step is pushed apart at this rate, in 1/s, and no faster than this, in
// m/s.
static inline double pl_contact_push_speed(double overlap) {
  const double rate = 120, max_speed = 1;
  return pl_smaller(rate * overlap, max_speed);
}

typedef struct pl_contact_meeting {
  double step;              // s
  double speed;             // m/s of the gap before resolution
  double depth, start_gap;  // metres, as of a contact
  double pull;              // m/s²: gravity along the normal; 0 between two bodies
  double restitution;
  double min_speed;  // m/s of approach from which on it bounces
} pl_contact_meeting;

static inline double pl_contact_meeting_time(const pl_contact_meeting *m) {
  return m->start_gap > 0 ? m->start_gap / (m->start_gap + m->depth) : 0;
}

// Speed of approach at the time of contact; negative where nothing can bounce.
static inline double pl_contact_meeting_approach(const pl_contact_meeting *m) {
  if (!(m->depth > 0 && m->restitution > 0)) return -1;
  return -(m->speed + (pl_contact_meeting_time(m) - 0.5) * m->step * m->pull);
}

// Set the least velocities of the gap of both halves of the solution; false if it does not bounce.
// `start_approach`: how fast the gap was closing when the step began. A body at rest is pressed
// onto the ground by its own elastic forces in every step, and so fast that it would seem to fall
// on it. Only what was already approaching may bounce, or a soft body never comes to rest.
static inline bool pl_contact_meeting_bounce(const pl_contact_meeting *m, double start_approach,
                                             double *arrive, double *leave) {
  double h = m->step, t = pl_contact_meeting_time(m);
  double approach = pl_smaller(pl_contact_meeting_approach(m), start_approach + h * fabs(m->pull));
  if (!(approach > m->min_speed)) return false;
  double speed = m->restitution * approach, rest = (1 - t) * h;
  double landing = pl_larger(rest * speed + 0.5 * rest * rest * m->pull, 0);
  *leave = speed + (0.5 - t) * h * m->pull;
  // Overlap from before the step is not the bounce's to take back.
  *arrive = m->speed + (m->depth + pl_smaller(m->start_gap, 0) + landing) / h;
  return true;
}

#endif
