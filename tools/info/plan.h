/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --plan: for any number of ranks, without running them, shows which part of an array
 * each rank has before, during and after a transform, and which data moves; as text and as a
 * picture. */
#ifndef INFO_PLAN_H
#define INFO_PLAN_H

#include <stdio.h>
#include "planner/path/path.h"

/* What one exchange moves. Own blocks stay where they are and count only in `bytes`. */
typedef struct {
    double *bytes; /* [sender * ranks + receiver], own blocks included */
    int talking;   /* number of ranks in a group that exchanges data */
    double most, all;
    int most_messages;
} info_traffic;

typedef struct {
    weft_problem problem;
    weft_path path;
    char name[256], shape[96];
    info_traffic traffic[WEFT_MAX_STAGES]; /* the exchange after each stage except the last */
} info_plan;

/* Runs --plan with these arguments and returns the exit status: 2, after a sentence, if the
 * arguments are not valid. */
int info_plan_main(int arguments, char **argument);

/* Write as text: how a stage is divided ("n0 in 4, n1 in 2"); what a stage transforms ("n2, n1"); a
 * number of bytes with a unit. */
void info_divided(const weft_layout *layout, char *text, size_t capacity);
void info_transformed(const weft_stage *stage, char *text, size_t capacity);
void info_bytes(double bytes, char *text, size_t capacity);
/* The largest number of bytes that any rank has in this layout. */
double info_stage_bytes(const info_plan *plan, const weft_layout *layout, bool real);
const char *info_stage_name(const info_plan *plan, int stage);

/* Draws the picture. Returns false, with errno set, if the file could not be written. */
bool info_draw(const info_plan *plan, FILE *file);

#endif
