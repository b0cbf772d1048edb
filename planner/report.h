/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports: what a plan does, how it was found and what else was tried. Local. */
#ifndef WEFT_REPORT_H
#define WEFT_REPORT_H

#include <stdio.h>
#include "plan.h"

void WEFT(report)(const WEFT(plan) * plan, FILE *file);
void WEFT(report_json)(const WEFT(plan) * plan, FILE *file);
/* What WEFT_VERBOSE asks for, on rank 0, to standard error. */
void WEFT(report_verbose)(const WEFT(plan) * plan, int verbose);

#endif
