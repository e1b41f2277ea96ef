// Adding findings with formatted sentences.
#ifndef PL_BASE_FINDING_H
#define PL_BASE_FINDING_H

#include "pliant/base.h"

// Add a finding whose `you_see` is formatted; the rest comes from `where` (its you_see is ignored).
// Does nothing when findings is NULL.
pl_status pl_findings_addf(pl_findings *findings, const pl_finding *where, const char *format, ...)
    PL_PRINTF(3, 4);

#endif
