/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-bench --plot FILE RESULT...: draws a picture of results in files that --json has written. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PLOT_MOST_RUNS = 64, PLOT_MOST_POINTS = 8192, PLOT_PARTS = 3 };

/* The machine and the settings of one file of results. */
typedef struct {
    char processor[128], mpi[96], rigor[16], timed[16];
    int ranks;
} plot_run;

/* The result of one case for one library or for one backend of Weft. */
typedef struct {
    int run;
    char name[96], by[64];
    double size;                        /* number of numbers in the array */
    double milliseconds, gflops, ratio; /* negative: unknown */
    double part[PLOT_PARTS]; /* milliseconds of a run: passes, moving, waiting; negative: unknown */
} plot_point;

typedef struct {
    plot_run run[PLOT_MOST_RUNS];
    int runs;
    plot_point point[PLOT_MOST_POINTS];
    int points;
} plot_results;

/* results.c: reads a file. Returns false, with the reason in `error`. Removes characters that could
 * end a string of a gnuplot script. */
bool plot_read(const char *name, plot_results *results, char *error, size_t room);
/* plot.c: runs --plot and returns the exit status: 2 after an error sentence. */
int plot_main(int arguments, char **argument);
/* script.c: writes the commands for gnuplot. */
void plot_script(FILE *to, const plot_results *results, const char *name, const char *terminal);

#endif
