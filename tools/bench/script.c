/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What gnuplot is told: one panel above the other.
 *
 *     bars       a group a case, a bar a library or backend, of the file that has the most of them
 *     curves     over ranks, where files differ in them, else over sizes, where there are three
 *     split      a bar a case (of one case, a bar a backend), stacked: what of the time goes into
 *                passes, moving and waiting, in per cent of FFTW-MPI's time, else of Weft's
 *     ratios     a group a case, a bar a file: how many times as fast as FFTW-MPI, with the line at
 *                1
 *
 * Colours go from dark to light, curves differ in their points, FFTW-MPI's are dashed: so it can be
 * read in grey.
 */
#include <string.h>
#include "tools/bench/plot.h"

enum { MOST_NAMES = 64, MOST_CURVES = 8 };

/* Different words, in the order in which they come. */
typedef struct {
    const char *word[MOST_NAMES];
    int count;
} words;

static void add_word(words *list, const char *word)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->word[i], word) == 0)
            return;
    if (list->count < MOST_NAMES)
        list->word[list->count++] = word;
}

/* Of one file, or (negative) of all. */
static words names_of(const plot_results *results, int run, bool by)
{
    words list = {.count = 0};
    for (int i = 0; i < results->points; i++)
        if (run < 0 || results->point[i].run == run)
            add_word(&list, by ? results->point[i].by : results->point[i].name);
    return list;
}

static const plot_point *find(const plot_results *results, int run, const char *name,
                              const char *by)
{
    for (int i = 0; i < results->points; i++) {
        const plot_point *it = &results->point[i];
        if (it->run == run && strcmp(it->name, name) == 0 && strcmp(it->by, by) == 0)
            return it;
    }
    return NULL;
}

static bool all_counted(const plot_results *results)
{
    for (int i = 0; i < results->points; i++)
        if (results->point[i].gflops <= 0)
            return false;
    return true;
}

static double speed(const plot_point *it, bool counted)
{
    return counted ? it->gflops : it->milliseconds;
}

/* The file with the most bars to a group. */
static int richest(const plot_results *results)
{
    int best = 0;
    for (int run = 1; run < results->runs; run++)
        if (names_of(results, run, true).count > names_of(results, best, true).count)
            best = run;
    return best;
}

static void colour(FILE *to, int i, int count)
{
    static const int dark[3] = {60, 35, 100}, light[3] = {245, 225, 130};
    const double share = count > 1 ? (double)i / (count - 1) : 0.3;
    fprintf(to, "'#%02x%02x%02x'", dark[0] + (int)(share * (light[0] - dark[0])),
            dark[1] + (int)(share * (light[1] - dark[1])),
            dark[2] + (int)(share * (light[2] - dark[2])));
}

/* FFTW-MPI's are white; of many others some are hatched. */
static void end_bars(FILE *to, const char *block, const words *bars, int groups, const char *more)
{
    fprintf(
        to,
        "set style data histograms\nset style histogram clustered gap 1.5\n"
        "set style fill solid 1 border rgb 'black'\nset boxwidth 0.9\nset xrange [-0.7:%d-0.3]\n"
        "set xtics noenhanced %s\nplot ",
        groups, groups > 6 ? "rotate by 20 right" : "norotate");
    for (int i = 0; i < bars->count; i++) {
        fprintf(to, "%s$%s using %d:xtic(1) title '%s' ", i ? ", " : "", block, i + 2,
                bars->word[i]);
        if (strcmp(bars->word[i], "FFTW-MPI") == 0) {
            fputs("fs solid 1 border rgb 'black' lc rgb 'white'", to);
            continue;
        }
        fputs("lc rgb ", to);
        colour(to, i, bars->count);
        if (bars->count > 6 && i % 3 != 1) /* steps of colour alone would be too small */
            fprintf(to, " fs pattern %d border rgb 'black'", i % 3 == 2 ? 4 : 2);
    }
    fprintf(to, "%s\n", more);
}

static void draw_bars(FILE *to, const plot_results *results, bool counted)
{
    const int run = richest(results);
    const words cases = names_of(results, run, false), bars = names_of(results, run, true);
    fputs("$bars << EOD\n", to);
    for (int i = 0; i < cases.count; i++) {
        fprintf(to, "\"%s\"", cases.word[i]);
        for (int j = 0; j < bars.count; j++) {
            const plot_point *it = find(results, run, cases.word[i], bars.word[j]);
            it ? fprintf(to, " %g", speed(it, counted)) : fputs(" ?", to);
        }
        putc('\n', to);
    }
    fprintf(to,
            "EOD\nset title '%d rank%s: %s'\nset ylabel '%s'\nset xlabel ''\nset yrange [0:*]\n",
            results->run[run].ranks, results->run[run].ranks == 1 ? "" : "s",
            counted ? "speed, more is better" : "time, less is better",
            counted ? "GFLOP/s" : "milliseconds");
    end_bars(to, "bars", &bars, cases.count, "");
}

/* Milliseconds that count as 100 per cent of a case; 0: there are none. */
static double whole(const plot_results *results, int run, const char *name, bool against)
{
    const plot_point *it = find(results, run, name, against ? "FFTW-MPI" : "weft");
    return it ? it->milliseconds : 0;
}

static bool has_split(const plot_point *it)
{
    return it->part[0] >= 0 && it->part[1] >= 0 && it->part[2] >= 0;
}

/* Writes the bars of a file, of which there are so many; `to` may be NULL. */
static int write_split(FILE *to, const plot_results *results, int run, bool against)
{
    const bool one_case = names_of(results, run, false).count == 1;
    int bars = 0;
    for (int i = 0; i < results->points; i++) {
        const plot_point *it = &results->point[i];
        const double all = whole(results, run, it->name, against);
        if (it->run != run || !has_split(it) || all <= 0 ||
            (!one_case && strcmp(it->by, "weft") != 0))
            continue;
        bars++;
        if (!to)
            continue;
        fprintf(to, "\"%s\"", one_case ? it->by : it->name);
        for (int k = 0; k < PLOT_PARTS; k++)
            fprintf(to, " %g", 100 * it->part[k] / all);
        putc('\n', to);
    }
    return bars;
}

/* Dark, light and hatched. */
static void draw_split(FILE *to, const plot_results *results)
{
    static const char *const part[PLOT_PARTS] = {"passes", "moving", "waiting"};
    static const char *const fill[PLOT_PARTS] = {"solid 1", "solid 1", "pattern 4"};
    static const char *const shade[PLOT_PARTS] = {"#3c2364", "#b8a078", "black"};
    const int run = richest(results);
    const bool against = write_split(NULL, results, run, true) > 0;
    fputs("$split << EOD\n", to);
    const int bars = write_split(to, results, run, against);
    fprintf(
        to,
        "EOD\nset title 'Where the time of a run of Weft goes, %d rank%s'\nset ylabel '%% of %s "
        "time'\nset xlabel ''\nset yrange [0:*]\nset style data histograms\n"
        "set style histogram rowstacked\nset boxwidth 0.6\nset xrange [-0.7:%d-0.3]\n"
        "set xtics noenhanced %s\nplot ",
        results->run[run].ranks, results->run[run].ranks == 1 ? "" : "s",
        against ? "FFTW-MPI''s" : "Weft''s", bars, bars > 6 ? "rotate by 20 right" : "norotate");
    for (int k = 0; k < PLOT_PARTS; k++)
        fprintf(to, "%s$split using %d:xtic(1) title '%s' fs %s border rgb 'black' lc rgb '%s'",
                k ? ", " : "", k + 2, part[k], fill[k], shade[k]);
    fprintf(to, ", 100 with lines lw 2 dt 2 lc rgb 'black' title '%s'\n",
            against ? "FFTW-MPI''s time" : "all of it");
}

static bool any_split(const plot_results *results)
{
    return write_split(NULL, results, richest(results), false) > 0;
}

/* Weft's time as a share of FFTW-MPI's, the other way round: a bar a file. */
static void draw_ratios(FILE *to, const plot_results *results)
{
    static char title[PLOT_MOST_RUNS][32];
    const words cases = names_of(results, -1, false);
    words bars = {.count = results->runs};
    fputs("$ratios << EOD\n", to);
    for (int i = 0; i < cases.count; i++) {
        fprintf(to, "\"%s\"", cases.word[i]);
        for (int run = 0; run < results->runs; run++) {
            const plot_point *it = find(results, run, cases.word[i], "weft");
            it && it->ratio > 0 ? fprintf(to, " %g", it->ratio) : fputs(" ?", to);
        }
        putc('\n', to);
    }
    for (int run = 0; run < results->runs; run++) {
        const int ranks = results->run[run].ranks;
        snprintf(title[run], sizeof title[run], "%d rank%s", ranks, ranks == 1 ? "" : "s");
        bars.word[run] = title[run];
    }
    fputs("EOD\nset title 'Weft against FFTW-MPI, above the line Weft is faster'\n"
          "set ylabel 'FFTW-MPI time / Weft time'\nset xlabel ''\nset yrange [0:*]\n",
          to);
    end_bars(to, "ratios", &bars, cases.count,
             ", 1 with lines lw 2 dt 2 lc rgb 'black' title 'as fast as FFTW-MPI'");
}

static bool has_ratios(const plot_results *results)
{
    for (int i = 0; i < results->points; i++)
        if (results->point[i].ratio > 0 && strcmp(results->point[i].by, "weft") == 0)
            return true;
    return false;
}

static bool ranks_differ(const plot_results *results)
{
    for (int run = 1; run < results->runs; run++)
        if (results->run[run].ranks != results->run[0].ranks)
            return true;
    return false;
}

/* Whether a point is on a curve: over ranks of that case, over sizes of that kind. */
static bool on_curve(const plot_point *it, const char *curve, const char *by, bool over_ranks)
{
    const size_t kind = strcspn(it->name, " ");
    return strcmp(it->by, by) == 0 &&
           (over_ranks ? strcmp(it->name, curve) == 0
                       : strlen(curve) == kind && strncmp(it->name, curve, kind) == 0);
}

/* Writes a curve's points from left to right, the best of those at one place; how many. */
static int write_curve(FILE *to, const plot_results *results, const char *curve, const char *by,
                       bool over_ranks, bool counted)
{
    int count = 0;
    for (double last = -1, next;; last = next, count++) {
        double best = 0;
        next = -1;
        for (int i = 0; i < results->points; i++) {
            const plot_point *it = &results->point[i];
            const double x = over_ranks ? results->run[it->run].ranks : it->size,
                         y = speed(it, counted);
            if (!on_curve(it, curve, by, over_ranks) || x <= last || (next >= 0 && x > next))
                continue;
            if (next < 0 || x < next || (counted ? y > best : y < best))
                best = y;
            next = x;
        }
        if (next < 0)
            return count;
        if (to)
            fprintf(to, "%.17g %g\n", next, best);
    }
}

static words curves_of(const plot_results *results, bool over_ranks)
{
    static char kind[MOST_CURVES][32];
    words all = names_of(results, -1, false), list = {.count = 0};
    for (int i = 0; i < all.count && list.count < MOST_CURVES; i++) {
        snprintf(kind[list.count], sizeof kind[0], "%.*s", (int)strcspn(all.word[i], " "),
                 all.word[i]);
        const char *curve = over_ranks ? all.word[i] : kind[list.count];
        if (write_curve(NULL, results, curve, "weft", over_ranks, true) >= (over_ranks ? 2 : 3))
            add_word(&list, curve);
    }
    return list;
}

/* Ranks as they are where there are few, else, and sizes always, by powers of two. */
static void set_axis(FILE *to, const plot_results *results, bool over_ranks)
{
    int least = results->run[0].ranks, most = least;
    for (int run = 1; run < results->runs; run++) {
        const int ranks = results->run[run].ranks;
        least = ranks < least ? ranks : least;
        most = ranks > most ? ranks : most;
    }
    fprintf(to, "set xlabel '%s'\nset xtics norotate autofreq\n",
            over_ranks ? "ranks" : "numbers in the array");
    if (over_ranks && most <= 16)
        fprintf(to, "set xrange [%d-0.3:%d+0.3]\nset xtics 1\n", least, most);
    else
        fprintf(to,
                "set xrange [*:*]\nset logscale x 2\nset offsets graph 0.03, graph 0.03, 0, 0\nset "
                "format x '%s'\n",
                over_ranks ? "%g" : "2^%L");
}

static void draw_curves(FILE *to, const plot_results *results, const words *curves, bool over_ranks,
                        bool counted)
{
    static const char *const by[] = {"weft", "FFTW-MPI"};
    for (int i = 0; i < 2 * curves->count; i++) {
        fprintf(to, "$curve%d << EOD\n", i);
        write_curve(to, results, curves->word[i / 2], by[i % 2], over_ranks, counted);
        fputs("EOD\n", to);
    }
    fprintf(to, "set title '%s'\nset ylabel '%s'\nset yrange [0:*]\n",
            over_ranks ? "Over ranks" : "Over sizes", counted ? "GFLOP/s" : "milliseconds");
    set_axis(to, results, over_ranks);
    fputs("plot ", to);
    for (int i = 0, drawn = 0; i < 2 * curves->count; i++) {
        if (write_curve(NULL, results, curves->word[i / 2], by[i % 2], over_ranks, counted) == 0)
            continue;
        fprintf(to, "%s$curve%d using 1:2 with linespoints lw 2 ps 0.9 dt %d pt %d lc rgb ",
                drawn++ ? ", " : "", i, i % 2 ? 2 : 1, 4 + i / 2 * 2 + (i % 2 ? 0 : 1));
        colour(to, i / 2, curves->count + 1);
        fprintf(to, " title '%s, %s'", curves->word[i / 2], i % 2 ? "FFTW-MPI" : "Weft");
    }
    fputs("\nunset logscale x\nunset offsets\nset format x '%g'\n", to);
}

static void set_up(FILE *to, const plot_results *results, const char *name, const char *terminal,
                   int panels)
{
    const plot_run *run = &results->run[0];
    const bool inches = strcmp(terminal, "pdfcairo") == 0;
    fprintf(to, "set terminal %s size %d,%d font '%s,%d'\n", terminal, inches ? 11 : 1050,
            (inches ? 4 : 380) * panels + (inches ? 1 : 60),
            strcmp(terminal, "svg") == 0 ? "DejaVu Sans, Helvetica, Arial, sans-serif"
                                         : "DejaVu Sans",
            12);
    fputs("set output '", to);
    for (; *name; name++) /* a quote within quotes is two */
        fprintf(to, *name == '\'' ? "''" : "%c", *name);
    fprintf(to,
            "'\nset encoding utf8\nset datafile missing '?'\nset grid ytics lc rgb '#bbbbbb'\n"
            "set key outside right top noenhanced reverse Left\nset xtics noenhanced nomirror\nset "
            "ytics nomirror\n"
            "set multiplot layout %d,1 title '%s, %s%s, rigor %s' noenhanced font ',16'\n",
            panels, run->processor, run->mpi,
            results->runs > 1                  ? ""
            : strcmp(run->timed, "lives") == 0 ? ", whole lives of plans"
                                               : "",
            run->rigor);
}

void plot_script(FILE *to, const plot_results *results, const char *name, const char *terminal)
{
    const bool counted = all_counted(results), over_ranks = ranks_differ(results),
               split = any_split(results), ratios = has_ratios(results);
    const words curves = curves_of(results, over_ranks);
    set_up(to, results, name, terminal, 1 + (curves.count > 0) + split + ratios);
    draw_bars(to, results, counted);
    if (curves.count > 0)
        draw_curves(to, results, &curves, over_ranks, counted);
    if (split)
        draw_split(to, results);
    if (ratios)
        draw_ratios(to, results);
    fputs("unset multiplot\n", to);
}
