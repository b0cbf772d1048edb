/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --plan: who holds what of an array before, between and after, and what moves where, for
 * any number of ranks, none of which runs: in words, and as a picture. */
#ifndef INFO_PLAN_H
#define INFO_PLAN_H

#include <stdio.h>
#include "planner/path/path.h"

/* What one exchange moves, each rank's own piece left out. */
typedef struct {
    double *bytes; /* [sender * ranks + receiver], the own piece included */
    int talking;   /* ranks that talk with one another */
    double most, all;
    int most_messages;
} info_move;

typedef struct {
    weft_problem problem;
    weft_path path;
    char name[256], shape[96];
    info_move move[WEFT_MAX_STAGES]; /* after each stage but the last */
} info_plan;

/* `argument` and those after it; the exit status, 2 after a sentence where they make no sense. */
int info_plan_main(int arguments, char **argument);

/* Text that says how a stage is divided, "n0 in 4, n1 in 2"; what it transforms, "n2, n1"; bytes as
 * people say them. */
void info_divided(const weft_layout *layout, char *text, size_t room);
void info_transformed(const weft_stage *stage, char *text, size_t room);
void info_bytes(double bytes, char *text, size_t room);
/* The most bytes that a rank holds. */
double info_stage_bytes(const info_plan *plan, const weft_layout *layout, bool real);
const char *info_stage_name(const info_plan *plan, int stage);

/* False: it could not be written, with errno. */
bool info_draw(const info_plan *plan, FILE *file);

#endif
