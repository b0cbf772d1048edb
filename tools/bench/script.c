/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the script for gnuplot. The picture is a table of bars. Its rows are the cases, sorted by
 * kind, each with its name at the left; if there is only one case, the rows are the libraries and
 * backends. With more rows the picture gets higher, not denser:
 *
 *                      speed          against FFTW-MPI   where the time goes
 *                      [] FFTW-MPI    -- as fast         [] passes [] moving ...
 *                      [] Weft
 *     c2c 64x64x64     ######         ####:### 1.52      ####==//  :
 *     c2c 128x128x128  ########       ####:# 1.21        #####==// :
 *
 *     speed     a bar for each library or backend, from the file that has the most of them
 *     against   a bar for each file: how many times as fast as FFTW-MPI, with a line at 1
 *     where     stacked: passes, moving and waiting, in per cent of FFTW-MPI's time, or, if that is
 *               unknown, of Weft's time
 *
 * Below the table there are curves: over the number of ranks if that differs between files,
 * otherwise over the size if there are at least three sizes. Colours go from dark to light, curves
 * have different points, and FFTW-MPI's curves are dashed, so that the picture can be read in grey.
 * All lengths are pixels of a picture that is 900 pixels wide, or wider if the names need more
 * space.
 */
#include <string.h>
#include "tools/bench/picture.h"

/* Whether any result has counted operations, so that speeds are drawn; otherwise times are drawn.
 */
static bool any_counted(const plot_results *results)
{
    for (int i = 0; i < results->points; i++)
        if (results->point[i].gflops > 0)
            return true;
    return false;
}

static int richest(const plot_results *results)
{
    int best = 0;
    for (int run = 1; run < results->runs; run++)
        if (plot_names_of(results, run, true).count > plot_names_of(results, best, true).count)
            best = run;
    return best;
}

static bool same_kind(const char *one, const char *other)
{
    const size_t kind = strcspn(one, " ");
    return kind == strcspn(other, " ") && strncmp(one, other, kind) == 0;
}

/* Adds a row for each case, sorted by kind, with space between kinds. */
static void add_cases(picture *it, const words *cases)
{
    bool taken[MOST_NAMES] = {false};
    double place = 0;
    for (int first = 0; first < cases->count; first++) {
        if (taken[first])
            continue;
        for (int i = first; i < cases->count; i++)
            if (!taken[i] && same_kind(cases->word[i], cases->word[first])) {
                taken[i] = true;
                it->row[it->rows++] = (row){cases->word[i], "weft", place++};
            }
        place += 0.6;
    }
}

static void add_backends(picture *it, const char *name)
{
    for (; it->rows < it->bars.count; it->rows++)
        it->row[it->rows] = (row){name, it->bars.word[it->rows], it->rows};
}

static int longest(const words *list)
{
    int letters = 0;
    for (int i = 0; i < list->count; i++)
        if ((int)strlen(list->word[i]) > letters)
            letters = (int)strlen(list->word[i]);
    return letters;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Computes the sizes of all parts of the picture. `letters` is the length of the longest row name,
 * letters_of_curves the length of the longest curve title; 0: there are no curves. */
static void lay_out(picture *it, int letters, int letters_of_curves)
{
    const int ratios = plot_write_ratios(NULL, it) > 0,
              split = plot_write_split(NULL, it, false) > 0, runs = it->results->runs,
              bars = it->one_case ? 0 : it->bars.count;
    const double rows = it->row[it->rows - 1].place + 1.3;
    it->columns = 1 + ratios + split;
    it->labels = LETTER * letters + GAP;
    it->column = larger(COLUMN, (WIDTH - it->labels) / it->columns - GAP);
    it->width = it->labels + it->columns * (it->column + GAP);
    if (letters_of_curves > 0)
        it->width = larger(it->width, LETTER * letters_of_curves + 2 * COLUMN);
    const int least = 7 * larger(bars, ratios * runs) + 8;
    it->table = (int)(rows * larger(larger(least, 22), 120 / rows < 40 ? (int)(120 / rows) : 40));
    it->head = HEAD + LINE * larger(larger(bars, ratios * (runs + 1)), 4 * split);
    it->height = it->head + it->table + FOOT + (letters_of_curves > 0 ? CURVES : 0);
}

static void set_titles(FILE *to, const picture *it)
{
    const plot_results *results = it->results;
    const plot_run *run = &results->run[0];
    int least = run->ranks, most = least;
    for (int i = 1; i < results->runs; i++) {
        least = results->run[i].ranks < least ? results->run[i].ranks : least;
        most = larger(most, results->run[i].ranks);
    }
    fputs("set label 1 \"", to);
    if (it->one_case)
        fprintf(to, "%s: ", it->row[0].name);
    if (least < most)
        fprintf(to, "%d to ", least);
    fprintf(to, "%d rank%s, %s\" at screen %g, screen %g font ',16'\n", most, most == 1 ? "" : "s",
            run->processor, 12.0 / it->width, plot_height_at(it, 22));
    fprintf(to, "set label 2 \"%s, rigor %s%s\" at screen %g, screen %g\n", run->mpi, run->rigor,
            strcmp(run->timed, "lives") == 0 ? ", whole lives of plans" : "", 12.0 / it->width,
            plot_height_at(it, 44));
}

/* Writes the names at the left, and a light background for every second row. */
static void set_rows(FILE *to, const picture *it)
{
    const double last = it->row[it->rows - 1].place + 0.65;
    fprintf(to, "set yrange [%g:-0.65]\nset ytics (", last);
    for (int i = 0; i < it->rows; i++)
        fprintf(to, "%s\"%s\" %g", i ? ", " : "",
                it->one_case ? plot_shown(it->row[i].by) : it->row[i].name, it->row[i].place);
    fputs(")\n", to);
    for (int i = 0; i < it->rows; i += 2)
        fprintf(to,
                "set object rectangle from screen 0, first %g to screen 1, first %g behind "
                "fc rgb '#f2f3f5' fs solid noborder\n",
                it->row[i].place - 0.5, it->row[i].place + 0.5);
    fprintf(to, "$line << EOD\n1 -0.65\n1 %g\nEOD\n", last);
}

static void set_up(FILE *to, const picture *it, const char *name, const char *terminal)
{
    const double unit = strcmp(terminal, "pdfcairo") == 0 ? 1 / 72.0 : 1;
    fprintf(to, "set terminal %s size %g,%g font '%s,11' fontscale %g\nset output '", terminal,
            unit * it->width, unit * it->height,
            strcmp(terminal, "svg") == 0 ? "DejaVu Sans, Helvetica, Arial, sans-serif"
                                         : "DejaVu Sans",
            strcmp(terminal, "pngcairo") == 0 ? 0.8 : 1);
    for (; *name; name++) /* gnuplot's form of a quote inside a quoted string */
        fprintf(to, *name == '\'' ? "''" : "%c", *name);
    fputs("'\nset encoding utf8\nset termoption noenhanced\nset datafile missing '?'\n"
          "set grid xtics lc rgb '#bbbbbb'\nset border 3 lc rgb '#555555'\n"
          "set xtics nomirror font ',10'\nset ytics nomirror scale 0 textcolor rgb 'black'\nset "
          "xtics textcolor rgb 'black'\nset multiplot\n",
          to);
}

void plot_script(FILE *to, const plot_results *results, const char *name, const char *terminal)
{
    static picture it;
    const words cases = plot_names_of(results, -1, false);
    const bool over_ranks = plot_ranks_differ(results);
    const words curves = plot_curves_of(results, over_ranks);
    it = (picture){.results = results,
                   .run = richest(results),
                   .counted = any_counted(results),
                   .one_case = cases.count == 1};
    const int letters = curves.count > 0 ? longest(&curves) + 10 : 0;
    it.bars = plot_names_of(results, it.run, true);
    it.one_case ? add_backends(&it, cases.word[0]) : add_cases(&it, &cases);
    lay_out(&it, longest(it.one_case ? &it.bars : &cases), letters);
    set_up(to, &it, name, terminal);
    set_titles(to, &it);
    set_rows(to, &it);
    int column = 0;
    plot_draw_speed(to, &it, column++);
    if (plot_write_ratios(NULL, &it) > 0)
        plot_draw_ratios(to, &it, column++);
    if (plot_write_split(NULL, &it, false) > 0)
        plot_draw_split(to, &it, column++);
    if (curves.count > 0)
        plot_draw_curves(to, &it, &curves, over_ranks, letters);
    fputs("unset multiplot\n", to);
}
