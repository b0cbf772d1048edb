/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports: what a plan does, how it was found, what else was tried, and, from the first report that
 * was asked for on, where the time of its runs goes. Local. */
#ifndef WEFT_REPORT_H
#define WEFT_REPORT_H

#include <stdio.h>
#include "planner/plan.h"

void weft_report(const weft_plan *plan, FILE *file);
void weft_report_json(const weft_plan *plan, FILE *file);
/* What WEFT_VERBOSE asked for, on rank 0, to standard error. */
void weft_report_verbose(const weft_plan *plan);
/* Enters the plan, and what its runs will cost, into the report of WEFT_REPORT. */
void weft_report_sum(weft_plan *plan);

#endif
