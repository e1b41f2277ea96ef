// Wall-clock time for reports; never part of a result.
#ifndef PL_BASE_CLOCK_H
#define PL_BASE_CLOCK_H

// Seconds since some fixed moment; never goes back.
double pl_clock_seconds(void);

#endif
