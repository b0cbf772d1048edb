/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws the curves of a picture: speed over the number of ranks, or over the size. */
#include <string.h>
#include "tools/bench/picture.h"

bool plot_ranks_differ(const plot_results *results)
{
    for (int run = 1; run < results->runs; run++)
        if (results->run[run].ranks != results->run[0].ranks)
            return true;
    return false;
}

enum { KIND = 40 };

/* The kind and precision of a case: the first and the last words of its name. */
static void kind_of(const char *name, char kind[KIND])
{
    const char *precision = strstr(name, " float");
    precision = precision ? precision : strstr(name, " long double");
    snprintf(kind, KIND, "%.*s%s", (int)strcspn(name, " "), name, precision ? precision : "");
}

/* Whether a point belongs to a curve. A curve over ranks is one case; a curve over sizes is one
 * kind. */
static bool on_curve(const plot_point *it, const char *curve, const char *by, bool over_ranks)
{
    char kind[KIND];
    kind_of(it->name, kind);
    return strcmp(it->by, by) == 0 && strcmp(over_ranks ? it->name : kind, curve) == 0;
}

/* Writes the points of a curve from left to right, for each position only the fastest, and returns
 * how many there are. */
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
                         y = plot_speed(it, counted);
            if (!on_curve(it, curve, by, over_ranks) || y <= 0 || x <= last ||
                (next >= 0 && x > next))
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

words plot_curves_of(const plot_results *results, bool over_ranks)
{
    static char kind[MOST_CURVES][KIND];
    words all = plot_names_of(results, -1, false), list = {.count = 0};
    for (int i = 0; i < all.count && list.count < MOST_CURVES; i++) {
        kind_of(all.word[i], kind[list.count]);
        const char *curve = over_ranks ? all.word[i] : kind[list.count];
        if (write_curve(NULL, results, curve, "weft", over_ranks, true) >= (over_ranks ? 2 : 3))
            plot_add_word(&list, curve);
    }
    return list;
}

/* Sets the ticks: each number of ranks if there are few of them; otherwise, and for sizes, powers
 * of two. */
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

/* Sets the position of the curves below the table. `letters` is the width of their titles. */
static void place_curves(FILE *to, const picture *it, int letters)
{
    const double right = it->width - GAP - 40 - LETTER * letters;
    const int head = it->head + it->table + FOOT;
    fprintf(to,
            "set lmargin at screen %g\nset rmargin at screen %g\nset tmargin at screen %g\n"
            "set bmargin at screen %g\nset key at screen %g, screen %g\n",
            (double)CURVES_LEFT / it->width, right / it->width,
            plot_height_at(it, head + CURVES_HEAD), plot_height_at(it, head + CURVES - FOOT),
            (right + 8) / it->width, plot_height_at(it, head + CURVES_HEAD - 6));
    fprintf(to, "unset object\nunset label\nset label 3 at screen %g, screen %g font ',13'\n",
            (double)CURVES_LEFT / it->width, plot_height_at(it, head + CURVES_HEAD - 18));
}

void plot_draw_curves(FILE *to, const picture *it, const words *curves, bool over_ranks,
                      int letters)
{
    static const char *const by[] = {"weft", "FFTW-MPI"};
    for (int i = 0; i < 2 * curves->count; i++) {
        fprintf(to, "$curve%d << EOD\n", i);
        write_curve(to, it->results, curves->word[i / 2], by[i % 2], over_ranks, it->counted);
        fputs("EOD\n", to);
    }
    place_curves(to, it, letters);
    fprintf(to, "set label 3 \"%s\"\nset ylabel '%s'\n", over_ranks ? "Over ranks" : "Over sizes",
            it->counted ? "GFLOP/s" : "milliseconds");
    fputs("set yrange [0:*] noreverse\nset grid ytics\nset ytics autofreq nomirror scale 1 format "
          "'%g'\n",
          to);
    set_axis(to, it->results, over_ranks);
    fputs("plot ", to);
    for (int i = 0, drawn = 0; i < 2 * curves->count; i++) {
        if (write_curve(NULL, it->results, curves->word[i / 2], by[i % 2], over_ranks,
                        it->counted) == 0)
            continue;
        fprintf(to, "%s$curve%d using 1:2 with linespoints lw 2 ps 0.9 dt %d pt %d lc rgb ",
                drawn++ ? ", " : "", i, i % 2 ? 2 : 1, 4 + i / 2 * 2 + (i % 2 ? 0 : 1));
        plot_colour(to, i / 2, curves->count + 1);
        fprintf(to, " title '%s, %s'", curves->word[i / 2], plot_shown(by[i % 2]));
    }
    putc('\n', to);
}
