/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads files of problems. Each line is a command line of options and sizes, as WEFT_RECORD writes
 * it; # begins a comment. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "tools/tune/tune.h"

const char *const tune_rigors[] = {"estimate", "measure", "patient", "exhaustive", NULL};

unsigned tune_rigor(int place)
{
    static const unsigned rigor[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT, FFTW_EXHAUSTIVE};
    return rigor[place];
}

enum { MOST_WORDS = 128, LINE = 4096 };

bool tune_problem_add(tune_problems *all, const bench_case *model, const char *sizes, char *error)
{
    bench_case that = *model;
    if (!bench_case_sizes(sizes, &that)) {
        bench_bad_sizes(sizes, error, TUNE_ERROR);
        return false;
    }
    if (!bench_case_fits(&that, error, TUNE_ERROR))
        return false;
    bench_case *larger = realloc(all->item, ((size_t)all->count + 1) * sizeof *larger);
    if (!larger) {
        snprintf(error, TUNE_ERROR, "there is no memory for %d problems", all->count + 1);
        return false;
    }
    all->item = larger;
    all->item[all->count++] = that;
    return true;
}

static bool one_option(void *model, int letter, const char *text)
{
    return bench_case_option(model, letter, text);
}

static bool read_words(int argc, char **argv, tune_problems *all, char *error)
{
    static const struct option names[] = {BENCH_CASE_OPTIONS, {NULL, 0, NULL, 0}};
    bench_case model = {.howmany = 1};
    if (!bench_options_each(argc, argv, ":", names, one_option, &model, error, TUNE_ERROR))
        return false;
    if (optind == argc)
        snprintf(error, TUNE_ERROR, "the line has no size, such as 256x256x256");
    bool ok = optind < argc;
    for (; ok && optind < argc; optind++)
        ok = tune_problem_add(all, &model, argv[optind], error);
    return ok;
}

static bool read_line(char *line, tune_problems *all, char *error)
{
    char name[] = "weft-tune", *word[MOST_WORDS] = {name}, *rest = line;
    int words = 1;
    line[strcspn(line, "#\n")] = '\0';
    for (char *next; (next = strsep(&rest, " \t\r"));) {
        if (*next && words + 1 == MOST_WORDS) {
            snprintf(error, TUNE_ERROR, "the line has more than %d words", MOST_WORDS - 2);
            return false;
        }
        if (*next)
            word[words++] = next;
    }
    return words == 1 || read_words(words, word, all, error);
}

bool tune_problems_read(tune_problems *all, const char *path, char *error)
{
    char line[LINE], why[TUNE_ERROR] = "";
    FILE *file = fopen(path, "r");
    bool ok = file != NULL;
    int number = 0;
    while (ok && fgets(line, sizeof line, file)) {
        number++;
        ok = (strchr(line, '\n') || feof(file)) && read_line(line, all, why);
        if (!ok)
            snprintf(error, TUNE_ERROR, "%.200s, line %d: %.200s", path, number,
                     *why ? why : "the line is too long, or contains a zero byte");
    }
    if (!file || (ok && ferror(file)))
        snprintf(error, TUNE_ERROR, "%.200s cannot be read: %s", path, strerror(errno));
    ok = ok && !ferror(file);
    if (file)
        fclose(file);
    return ok;
}
