// Thresholds of a step on feet, which walk and waddle share. They decide when a phase is over; how
// a body moves is up to the settings.
#ifndef PL_BEHAVIOUR_SWING_H
#define PL_BEHAVIOUR_SWING_H

// t is the time of a swing, from 0 to 1.
// t before which a foot that touches has not left the ground yet
static const double MIN_SWING = 0.6;
static const double MAX_SWING = 1.5;  // t at which a foot that has not found the ground is given up
// t at which a foot arrives along the ground, before it comes down
static const double LEVEL_SWING = 0.85;
// t up to which a foot may take to leave the ground before the way along it has to be shortened
static const double MAX_LIFT = 0.4;
static const double FOLLOW_RATE = 8;     // how fast the landing position follows, per swing
static const double SEARCH_SPEED = 0.2;  // paces, of a foot that is late, downwards
// of feet on the ground, relative to one that swings: friction holds them too
static const double STANDING_WEIGHT = 0.3;
// rad: a fallen body that leans less is up again; well below PL_MOTION_FALLEN_LEAN
static const double UPRIGHT_LEAN = 0.5;
static const double MIN_PENDULUM = 0.01;  // heights: keeps the pendulum's time positive

#endif
