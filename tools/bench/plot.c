/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-bench --plot: checks the picture's name, and has gnuplot draw. */
#include "tools/bench/plot.h"

#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

static int complain(const char *format, const char *text)
{
    fputs("weft-bench: ", stderr);
    fprintf(stderr, format, text);
    putc('\n', stderr);
    return 2;
}

/* gnuplot's name for the kind of picture that the name ends with; NULL: unknown. */
static const char *terminal_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return !dot                       ? NULL
           : !strcasecmp(dot, ".svg") ? "svg background rgb 'white'"
           : !strcasecmp(dot, ".png") ? "pngcairo"
           : !strcasecmp(dot, ".pdf") ? "pdfcairo"
                                      : NULL;
}

static bool cannot_write(const char *picture, int error)
{
    if (error == EEXIST)
        complain("%s exists; --force overwrites it", picture);
    else
        fprintf(stderr, "weft-bench: %s cannot be written: %s\n", picture, strerror(error));
    return false;
}

static bool folder_writable(const char *picture)
{
    char *copy = strdup(picture);
    const bool ok = copy && access(dirname(copy), W_OK) == 0;
    free(copy);
    return ok;
}

bool plot_possible(const char *picture, bool force)
{
    const bool exists = access(picture, F_OK) == 0;
    if (!terminal_of(picture))
        return complain("--plot is \"%s\"; the name must end with .svg, .png or .pdf", picture) ==
               0;
    if (exists && !force)
        return cannot_write(picture, EEXIST);
    if (exists ? access(picture, W_OK) != 0 : !folder_writable(picture))
        return cannot_write(picture, errno);
    if (system("command -v gnuplot >/dev/null 2>&1") != 0)
        return complain("gnuplot is not installed, so %s cannot be drawn; on Debian: apt-get "
                        "install gnuplot-nox",
                        picture) == 0;
    return true;
}

/* Creates the file, which shows that it can be written and did not exist. */
static bool create(const char *picture, bool force)
{
    FILE *file = fopen(picture, force ? "a" : "wx");
    if (!file)
        return cannot_write(picture, errno);
    return fclose(file) == 0;
}

static int draw(const plot_results *results, const char *picture, bool force)
{
    if (!create(picture, force))
        return 2;
    signal(SIGPIPE, SIG_IGN);
    FILE *to = popen("LC_ALL=C.UTF-8 gnuplot", "w");
    if (to)
        plot_script(to, results, picture, terminal_of(picture));
    const int status = to ? pclose(to) : -1;
    if (status == 0)
        return 0;
    if (!force)
        unlink(picture);
    return complain("gnuplot failed, so %s was not drawn", picture);
}

static plot_results results;

int plot_files(const char *picture, bool force, const char *const *file, int files)
{
    char error[600];
    for (int i = 0; i < files; i++)
        if (!plot_read(file[i], &results, error, sizeof error))
            return complain("%s", error);
    return plot_possible(picture, force) ? draw(&results, picture, force) : 2;
}

int plot_json(const char *picture, bool force, const char *text)
{
    char error[600];
    if (!plot_read_text("the results", text, &results, error, sizeof error))
        return complain("%s", error);
    return draw(&results, picture, force);
}
