/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws the columns of a picture, whose rows contain bars: speed, ratios, and where the time goes.
 */
#include <string.h>
#include "tools/bench/picture.h"

static const plot_point *of_row(const picture *it, int run, int i, const char *by)
{
    return plot_find(it->results, run, it->row[i].name, by);
}

/* Begins a row's line in a block of data: the row's name and its position. */
static void put_row(FILE *to, const picture *it, int i)
{
    fprintf(to, "\"%s\" %g", it->one_case ? plot_shown(it->row[i].by) : it->row[i].name,
            it->row[i].place);
}

/* Writes a value into a block of data and returns the larger of the value and `most`. */
static double put_value(FILE *to, double value, double most)
{
    value > 0 ? fprintf(to, " %g", value) : fputs(" ?", to);
    return value > most ? value : most;
}

/* Writes the fill of bar i. FFTW-MPI's bars are light grey and Weft's are the darkest. With many
 * others, some of them are hatched. */
static void put_fill(FILE *to, const words *bars, int i, bool plain)
{
    const int first = bars->count > 1 && strcmp(bars->word[0], "FFTW-MPI") == 0,
              count = bars->count - first;
    fputs(" fs ", to);
    if (count > 6 && (i - first) % 3 > 0 &&
        !plain) /* with so many bars, shades alone would be too similar */
        fprintf(to, "pattern %d", (i - first) % 3 == 1 ? 4 : 2);
    else
        fputs("solid 1", to);
    fputs(" border lc rgb '#333333' lc rgb ", to);
    if (i < first)
        fputs("'#d4d6da'", to);
    else
        plot_colour(to, plain ? i > first : i - first, plain ? 4 : count);
}

/* Writes gnuplot's command for one of the `bars` bars of each row. The bar's value is in this
 * column of the data, from column 3 on. */
static void put_bar(FILE *to, const char *block, int i, int bars, int column)
{
    const double low = -0.38 + 0.76 * i / bars;
    fprintf(to, "$%s using %d:2:(0):%d:($2+%.3f):($2+%.3f) with boxxyerror", block, column, column,
            low, low + 0.76 / bars);
}

static void put_line(FILE *to, int at, const char *title)
{
    fprintf(to, "$line using (%d*$1):2 with lines lw 2 dt (6,3) lc rgb '#e8590c' title \"%s\"", at,
            title);
}

/* Sets the axis from 0 to `most`, with at most five more ticks, in steps of 1, 2 or 5 times a power
 * of ten. */
static void set_range(FILE *to, double most)
{
    double step = 1e-9;
    for (int i = 0; 5 * step < most && i < 60; i++)
        step *= i % 3 == 1 ? 2.5 : 2;
    fprintf(to, "set xrange [0:%g]\nset xtics %g\n", most, step);
}

/* Sets the position of a column. The first column also has the names of the rows. */
static void begin_column(FILE *to, const picture *it, int column, const char *title,
                         const char *axis, double most)
{
    const double left = it->labels + column * (it->column + GAP);
    if (column > 0)
        fputs("unset object\nunset label\nunset ytics\n", to);
    fprintf(to,
            "set lmargin at screen %g\nset rmargin at screen %g\nset tmargin at screen %g\n"
            "set bmargin at screen %g\n",
            left / it->width, (left + it->column) / it->width, plot_height_at(it, it->head),
            plot_height_at(it, it->head + it->table));
    fprintf(to, "set label 3 \"%s\" at screen %g, screen %g left font ',13'\n", title,
            left / it->width, plot_height_at(it, HEAD - 16));
    fprintf(to, "set key at screen %g, screen %g left top vertical Left reverse samplen 2\n",
            left / it->width, plot_height_at(it, HEAD - 6));
    fprintf(to, "set xlabel \"%s\"\n", axis);
    set_range(to, most);
}

/* Writes the times of a row without a speed: its case has no operations to count. */
static void put_times(FILE *to, const picture *it, int i)
{
    const plot_point *weft = of_row(it, it->run, i, "weft"),
                     *other = of_row(it, it->run, i, "FFTW-MPI");
    if (!weft || plot_speed(weft, it->counted) > 0)
        return;
    fputs("set label \"", to);
    if (other)
        fprintf(to, "FFTW-MPI %.3g, Weft ", other->milliseconds);
    fprintf(to, "%.3g ms\" at 0, %g left offset 0.5,0 font ',9'\n", weft->milliseconds,
            it->row[i].place);
}

void plot_draw_speed(FILE *to, const picture *it, int column)
{
    char title[64];
    double most = 0;
    const int bars = it->bars.count, ranks = it->results->run[it->run].ranks;
    fputs("$speed << EOD\n", to);
    for (int i = 0; i < it->rows; i++, putc('\n', to)) {
        put_row(to, it, i);
        for (int j = 0; j < bars; j++) {
            const plot_point *that = of_row(it, it->run, i, it->bars.word[j]);
            most = put_value(
                to, that && (!it->one_case || i == j) ? plot_speed(that, it->counted) : 0, most);
        }
    }
    fputs("EOD\n", to);
    snprintf(title, sizeof title, "%s on %d rank%s", it->counted ? "Speed" : "Time", ranks,
             ranks == 1 ? "" : "s");
    begin_column(to, it, column, title,
                 it->counted ? "GFLOP/s, more is better" : "milliseconds, less is better", most);
    for (int i = 0; i < it->rows; i++)
        put_times(to, it, i);
    for (int j = 0; j < bars; j++) {
        fputs(j ? ", " : "plot ", to);
        put_bar(to, "speed", it->one_case ? 0 : j, it->one_case ? 1 : bars, j + 3);
        put_fill(to, &it->bars, j, it->one_case);
        fprintf(to, " title '%s'", it->one_case ? "" : plot_shown(it->bars.word[j]));
    }
    putc('\n', to);
}

/* The time in milliseconds whose bar fills a row; 0: unknown. */
static double whole(const picture *it, int i, bool against)
{
    const plot_point *that = of_row(it, it->run, i, against ? "FFTW-MPI" : "weft");
    return that ? that->milliseconds : 0;
}

/* Writes the data of the column and returns the length of the longest bar; 0: there are no data.
 * `to` may be NULL. */
double plot_write_split(FILE *to, const picture *it, bool against)
{
    double most = 0;
    for (int i = 0; i < it->rows; i++) {
        const plot_point *that = of_row(it, it->run, i, it->row[i].by);
        const double all = whole(it, i, against);
        if (!that || all <= 0 || that->part[0] < 0 || that->part[1] < 0 || that->part[2] < 0)
            continue;
        const double bar = 100 * (that->part[0] + that->part[1] + that->part[2]) / all;
        most = bar > most ? bar : most;
        if (!to)
            continue;
        put_row(to, it, i);
        for (int k = 0; k < PLOT_PARTS; k++)
            fprintf(to, " %g", 100 * that->part[k] / all);
        putc('\n', to);
    }
    return most;
}

/* The three parts of a bar are dark, light and hatched. */
void plot_draw_split(FILE *to, const picture *it, int column)
{
    static const char *const part[PLOT_PARTS] = {"passes", "moving", "waiting"};
    static const char *const span[PLOT_PARTS] = {"3:2:(0):3", "($3+$4):2:3:($3+$4)",
                                                 "($3+$4+$5):2:($3+$4):($3+$4+$5)"};
    static const char *const fill[PLOT_PARTS] = {"solid 1", "solid 1", "pattern 4"};
    static const char *const shade[PLOT_PARTS] = {"#183e78", "#e8c872", "#333333"};
    const bool against = plot_write_split(NULL, it, true) > 0;
    fputs("$split << EOD\n", to);
    const double most = plot_write_split(to, it, against);
    fputs("EOD\n", to);
    begin_column(to, it, column, "Where Weft's time goes",
                 against ? "% of FFTW-MPI's time" : "% of Weft's time",
                 most > 100 ? 1.05 * most : 105);
    for (int k = 0; k < PLOT_PARTS; k++)
        fprintf(to,
                "%s$split using %s:($2-0.3):($2+0.3) with boxxyerror fs %s border lc rgb '#333333' "
                "lc rgb '%s' title '%s'",
                k ? ", " : "plot ", span[k], fill[k], shade[k], part[k]);
    fputs(", ", to);
    put_line(to, 100, against ? "FFTW-MPI's time" : "all of it");
    putc('\n', to);
}

/* How many times as fast as FFTW-MPI Weft is in row i of this file; negative: unknown. */
static double ratio_of(const picture *it, int run, int i)
{
    const plot_point *that = of_row(it, run, i, it->row[i].by);
    return that && strcmp(that->by, "FFTW-MPI") != 0 ? that->ratio : -1;
}

/* Writes the data of the column and returns the largest ratio; 0: there are no data. */
double plot_write_ratios(FILE *to, const picture *it)
{
    double most = 0;
    for (int i = 0; i < it->rows; i++) {
        if (to)
            put_row(to, it, i);
        for (int run = 0; run < it->results->runs; run++) {
            const double ratio = ratio_of(it, run, i);
            most = to ? put_value(to, ratio, most) : ratio > most ? ratio : most;
        }
        if (to)
            putc('\n', to);
    }
    return most;
}

/* A bar is FFTW-MPI's time divided by Weft's time, with a line at 1. */
void plot_draw_ratios(FILE *to, const picture *it, int column)
{
    const int runs = it->results->runs;
    const words files = {.count = runs, .word = {""}};
    fputs("$ratios << EOD\n", to);
    const double most = plot_write_ratios(to, it);
    fputs("EOD\n", to);
    begin_column(to, it, column, "Against FFTW-MPI", "times as fast, more is better",
                 most > 1 ? 1.25 * most : 1.25); /* with space for the numbers beside the bars */
    fputs("plot ", to);
    for (int run = 0; run < runs; run++) {
        const int ranks = it->results->run[run].ranks;
        put_bar(to, "ratios", run, runs, run + 3);
        put_fill(to, &files, run, false);
        if (runs == 1)
            fputs(" title 'Weft', ", to);
        else
            fprintf(to, " title '%d rank%s', ", ranks, ranks == 1 ? "" : "s");
    }
    put_line(to, 1, "as fast as FFTW-MPI");
    if (runs == 1)
        fputs(", $ratios using 3:2:(sprintf('%.2f',$3)) with labels left offset 0.5,0 font ',9' "
              "notitle",
              to);
    putc('\n', to);
}
