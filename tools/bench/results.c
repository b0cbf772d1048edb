/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads files of results that weft-bench --json has written. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tools/json.h"
#include "tools/bench/plot.h"

enum { FIRST = 1 << 14, LARGEST = 1 << 26 };

static bool wrong(char *error, size_t capacity, const char *name, const char *why)
{
    snprintf(error, capacity, "%s: %s", name, why);
    return false;
}

/* Reads a whole file; the caller frees the text. NULL, with the reason in `error`. */
static char *read_all(const char *name, char *error, size_t capacity)
{
    FILE *file = fopen(name, "r");
    char *text = NULL, *larger;
    size_t length = 0;
    bool whole = false;
    for (size_t bytes = FIRST; file && !whole && bytes <= LARGEST; bytes *= 2) {
        if (!(larger = realloc(text, bytes)))
            break;
        text = larger;
        length += fread(text + length, 1, bytes - length, file);
        whole = length < bytes;
    }
    whole = whole && !ferror(file);
    if (whole)
        text[length] = '\0';
    else
        wrong(error, capacity, name, errno ? strerror(errno) : "it is larger than 64 MiB");
    if (file)
        fclose(file);
    if (!whole)
        free(text);
    return whole ? text : NULL;
}

static bool read_word(const char *value, const char *path, char *text, size_t capacity)
{
    const bool there = json_string_of(value, path, text, capacity);
    for (char *at = text; there && *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr(" ._-+*/:,()@[]", *at))
            *at = '_';
    return there;
}

/* The product of the sizes in "c2c 64x64x64 ...". */
static double size_in(const char *name)
{
    double size = 1;
    const char *at = strchr(name, ' ');
    while (at && isdigit((unsigned char)at[1])) {
        char *end;
        size *= strtod(at + 1, &end);
        at = *end == 'x' || *end == '*' ? end : NULL;
    }
    return size;
}

static void add_point(plot_results *results, const char *name, const char *result)
{
    static const char *const part[PLOT_PARTS] = {"passes", "moving", "waiting"};
    plot_point *it = &results->point[results->points];
    *it = (plot_point){.run = results->runs};
    snprintf(it->name, sizeof it->name, "%s", name);
    it->size = size_in(name);
    it->milliseconds = 1e3 * json_number_of(result, "median");
    it->gflops = json_number_of(result, "gflops");
    it->ratio = json_number_of(result, "ratio");
    for (int i = 0; i < PLOT_PARTS; i++)
        it->part[i] = 1e3 * json_number_of(result, part[i]);
    results->points += it->milliseconds > 0 && read_word(result, "by", it->by, sizeof it->by);
}

static bool read_cases(const char *text, plot_results *results)
{
    char path[64], name[96];
    const int cases = json_count(json_find(text, "cases"));
    for (int i = 0; i < cases; i++) {
        snprintf(path, sizeof path, "cases.%d", i);
        const char *one = json_find(text, path);
        const int count = json_count(json_find(one, "results"));
        if (count < 0 || !read_word(one, "case", name, sizeof name))
            return false;
        for (int j = 0; j < count && results->points < PLOT_MOST_POINTS; j++) {
            snprintf(path, sizeof path, "results.%d", j);
            add_point(results, name, json_find(one, path));
        }
    }
    return cases > 0;
}

bool plot_read_text(const char *name, const char *text, plot_results *results, char *error,
                    size_t capacity)
{
    const int before = results->points;
    const double ranks = json_valid(text, NULL) ? json_number_of(text, "ranks") : -1;
    plot_run *run = &results->run[results->runs];
    if (results->runs == PLOT_MOST_RUNS)
        return wrong(error, capacity, name, "there are more files than can be drawn");
    if (!(ranks >= 1 && ranks <= 1e9) ||
        !read_word(text, "processor", run->processor, sizeof run->processor) ||
        !read_word(text, "mpi", run->mpi, sizeof run->mpi) ||
        !read_word(text, "rigor", run->rigor, sizeof run->rigor) ||
        !read_word(text, "timed", run->timed, sizeof run->timed) || !read_cases(text, results))
        return wrong(error, capacity, name, "this is no file that weft-bench --json has written");
    if (results->points == before)
        return wrong(error, capacity, name, "there are no times in it");
    run->ranks = (int)ranks;
    results->runs++;
    return true;
}

bool plot_read(const char *name, plot_results *results, char *error, size_t capacity)
{
    errno = 0;
    char *text = read_all(name, error, capacity);
    const bool ok = text && plot_read_text(name, text, results, error, capacity);
    free(text);
    return ok;
}
