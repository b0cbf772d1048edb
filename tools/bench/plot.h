/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-bench --plot FILE: a picture of results that --json prints. */
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

/* results.c: false, with why in `error`. Text is changed so that it can be put between quotes. */
bool plot_read(const char *name, plot_results *results, char *error, size_t capacity);
/* The same for text that comes from `name`. */
bool plot_read_text(const char *name, const char *text, plot_results *results, char *error,
                    size_t capacity);
/* plot.c: whether a picture can be drawn there, before hours of timing; prints why not. */
bool plot_possible(const char *picture, bool force);
/* Draws; the exit status, 2 after a message. */
int plot_files(const char *picture, bool force, const char *const *file, int files);
int plot_json(const char *picture, bool force, const char *text);
/* script.c: the input of gnuplot. */
void plot_script(FILE *to, const plot_results *results, const char *name, const char *terminal);

#endif
