/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of weft-bench --plot; runs gnuplot, which draws the picture. */
#include "tools/bench/plot.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    const char *picture, *terminal;
    bool force;
} wish;

static int complain(const char *format, const char *text)
{
    fputs("weft-bench: ", stderr);
    fprintf(stderr, format, text);
    putc('\n', stderr);
    return 2;
}

/* Gnuplot's name of the picture format that belongs to the ending of the file name; NULL: none. */
static const char *terminal_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return !dot                       ? NULL
           : !strcasecmp(dot, ".svg") ? "svg background rgb 'white'"
           : !strcasecmp(dot, ".png") ? "pngcairo"
           : !strcasecmp(dot, ".pdf") ? "pdfcairo"
                                      : NULL;
}

/* Creates an empty file. Success shows that the file did not exist and that it can be written. */
static bool claim(const wish *it)
{
    FILE *file = fopen(it->picture, it->force ? "a" : "wx");
    if (file)
        fclose(file);
    else if (errno == EEXIST)
        complain("%s is there already; --force writes over it", it->picture);
    else
        fprintf(stderr, "weft-bench: %s cannot be written: %s\n", it->picture, strerror(errno));
    return file != NULL;
}

static int draw(const plot_results *results, const wish *it)
{
    if (system("command -v gnuplot >/dev/null 2>&1") != 0)
        return complain(
            "gnuplot, which draws %s, is not there (Debian: apt-get install gnuplot-nox)",
            it->picture);
    if (!claim(it))
        return 2;
    signal(SIGPIPE, SIG_IGN);
    FILE *to = popen("gnuplot", "w");
    if (to)
        plot_script(to, results, it->picture, it->terminal);
    const int status = to ? pclose(to) : -1;
    if (status == 0)
        return 0;
    if (!it->force)
        unlink(it->picture);
    return complain("gnuplot could not draw %s", it->picture);
}

int plot_main(int arguments, char **argument)
{
    static plot_results results;
    wish it = {0};
    char error[600];
    for (int i = 1; i < arguments; i++) {
        if (strcmp(argument[i], "--force") == 0) {
            it.force = true;
        } else if (strcmp(argument[i], "--plot") == 0) {
            if (i + 1 == arguments)
                return complain("%s needs a value", argument[i]);
            it.picture = argument[++i];
        } else if (argument[i][0] == '-') {
            return complain("there is no option %s beside --plot", argument[i]);
        } else if (!plot_read(argument[i], &results, error, sizeof error)) {
            return complain("%s", error);
        }
    }
    it.terminal = terminal_of(it.picture);
    if (!it.terminal)
        return complain("--plot writes .svg, .png and .pdf, not %s", it.picture);
    if (results.runs == 0)
        return complain("--plot %s needs results that weft-bench --json has written", it.picture);
    return draw(&results, &it);
}
