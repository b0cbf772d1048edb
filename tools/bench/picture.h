/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a picture. script.c draws the picture with columns.c and curves.c; all use
 * picture.c. */
#ifndef BENCH_PICTURE_H
#define BENCH_PICTURE_H

#include "tools/bench/plot.h"

enum { MOST_NAMES = 1024, MOST_CURVES = 8 };
/* Lengths in pixels. */
enum { WIDTH = 900, LETTER = 7, LINE = 16, GAP = 24, HEAD = 84, FOOT = 52, COLUMN = 170 };
enum { CURVES = 400, CURVES_LEFT = 64, CURVES_HEAD = 52 };

/* A list of different words in the order of their first appearance. */
typedef struct {
    const char *word[MOST_NAMES];
    int count;
} words;

/* A row of the table. */
typedef struct {
    const char *name, *by;
    double place; /* distance from the top, in rows */
} row;

typedef struct {
    const plot_results *results;
    int run; /* index of the file with the most bars in each row */
    bool counted, one_case;
    words bars;
    row row[MOST_NAMES];
    int rows;
    int columns, labels, column, head, table, width, height;
} picture;

/* picture.c */
void plot_add_word(words *list, const char *word);
words plot_names_of(const plot_results *results, int run, bool by);
const plot_point *plot_find(const plot_results *results, int run, const char *name, const char *by);
double plot_speed(const plot_point *it, bool counted);
const char *plot_shown(const char *by);
double plot_height_at(const picture *it, int pixels);
void plot_colour(FILE *to, int i, int count);

/* columns.c: the plot_draw functions draw column number `column`. The plot_write functions write
 * the data of a column and return its largest number; 0: there are no data, so the column is left
 * out. */
double plot_write_ratios(FILE *to, const picture *it);
double plot_write_split(FILE *to, const picture *it, bool against);
void plot_draw_speed(FILE *to, const picture *it, int column);
void plot_draw_ratios(FILE *to, const picture *it, int column);
void plot_draw_split(FILE *to, const picture *it, int column);

/* curves.c */
bool plot_ranks_differ(const plot_results *results);
words plot_curves_of(const plot_results *results, bool over_ranks);
void plot_draw_curves(FILE *to, const picture *it, const words *curves, bool over_ranks,
                      int letters);

#endif
