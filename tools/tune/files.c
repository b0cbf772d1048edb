/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists, merges and prunes wisdom files. The library's own code reads and writes the lines. To find
 * the current versions and processor, the program makes a small plan in every precision and reads
 * the plan's key.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/error.h"
#include "planner/wisdom/wisdom.h"
#include "tools/tune/tune.h"

static bool load(const char *path)
{
    const weft_file_state state = weft_wisdom_load(path);
    if (state == WEFT_FILE_ABSENT)
        fprintf(stderr, "weft-tune: there is no file %s\n", path);
    else if (state != WEFT_FILE_WHOLE)
        fprintf(stderr, "weft-tune: %s\n", weft_error_text());
    return state == WEFT_FILE_WHOLE || state == WEFT_FILE_PARTLY;
}

/* Writes the wisdom to the output file. An existing file is replaced only with --force, and if it
 * still has the text `before`: a job may have added a line since the files were read. */
static int write_to(const tune_files *files, const char *before)
{
    if (!files->force && access(files->output, F_OK) == 0) {
        fprintf(stderr, "weft-tune: %s exists; --force overwrites it\n", files->output);
        return 2;
    }
    if (weft_wisdom_save(files->output, before ? before : ""))
        return 0;
    fprintf(stderr, "weft-tune: %s\n", weft_error_text());
    return 2;
}

/* Reads the next line with a decision. The key ends at the arrow, the decision at the checksum. */
static bool next_line(char **rest, char **key, char **decision)
{
    for (char *line; (line = strsep(rest, "\n"));) {
        char *arrow = strstr(line, " => "), *sum = arrow ? strrchr(arrow, '~') : NULL;
        if (!sum)
            continue;
        *arrow = sum[-1] = '\0';
        *key = line;
        *decision = arrow + strlen(" => ");
        return true;
    }
    return false;
}

/* Sets *value to the value of "name=value" among words and returns its length; 0: there is none. */
static int value_of(const char *words, const char *name, const char **value)
{
    const size_t length = strlen(name);
    for (const char *at = words; (at = strstr(at, name)); at++)
        if (at > words && at[-1] == ' ' && at[length] == '=') {
            *value = at + length + 1;
            return (int)strcspn(*value, " ");
        }
    *value = "";
    return 0;
}

/* Returns the part of a key that begins with "  threads=" and describes where the problem was
 * planned. The word before it is the precision. */
static const char *place_of(const char *key)
{
    const char *threads = strstr(key, " threads=");
    return threads ? threads : key + strlen(key);
}

static void print_words(const char *decision, const char *name, const char *before,
                        const char *after)
{
    const char *value;
    char spaced[WEFT_WISDOM_LINE];
    snprintf(spaced, sizeof spaced, " %s", decision);
    const int length = value_of(spaced, name, &value);
    if (length > 0)
        printf("%s%.*s%s", before, length, value, after);
}

int tune_list(const tune_files *files)
{
    for (int i = 0; i < files->files; i++)
        if (!load(files->file[i]))
            return 2;
    char *text = weft_wisdom_text(), *rest = text, *key, *decision;
    int count = 0;
    for (; text && next_line(&rest, &key, &decision); count++) {
        const char *place = place_of(key);
        printf("%.*s\n", (int)(place - key), key);
        print_words(decision, "exchanges", "    by ", "");
        print_words(decision, "seconds", ", ", " s a run");
        printf("\n   %s\n", place);
    }
    free(text);
    printf("%d decision%s\n", count, count == 1 ? "" : "s");
    return text ? 0 : 1;
}

int tune_merge(const tune_files *files)
{
    char *before = weft_wisdom_read(files->output);
    int status = 0;
    for (int i = 0; status == 0 && i < files->files; i++)
        status = load(files->file[i]) ? 0 : 2;
    status = status == 0 ? write_to(files, before) : status;
    free(before);
    return status;
}

/* The parts of a key that --prune can compare with a key that is made here. */
enum { WEFT, FFTW, MPI, PROCESSOR, RIGOR, DROPPED };
static const char *const dropped[DROPPED] = {"weft", "fftw", "mpi", "processor", "rigor"};

static char here[3][WEFT_WISDOM_LINE]; /* keys made on this machine, one for each precision */
static int keys;

void tune_make_keys(void)
{
    static fftw_complex in[64], out[64];
    const bench_case that = {.axes = 2, .size = {4, 4}, .howmany = 1};
    char error[1024];
    unsetenv("WEFT_BACKEND"); /* wisdom keeps only what Weft chooses */
    unsetenv("WEFT_TIMELIMIT");
    bench_library *weft = bench_library_open_weft(NULL, error, sizeof error);
    if (!weft)
        fprintf(stderr, "weft-tune: Weft's library cannot be opened: %s\n", error);
    for (int precision = BENCH_DOUBLE; weft && precision <= BENCH_LONG_DOUBLE; precision++) {
        bench_case one = that;
        one.precision = (bench_precision)precision;
        void *plan = bench_library_has(weft, one.precision)
                         ? bench_plan(weft, &one, in, out, FFTW_MEASURE)
                         : NULL;
        char *(*export)(void) = NULL;
        void *address =
            bench_library_function(weft, one.precision, "weft%s_export_wisdom_to_string");
        memcpy(&export, &address, sizeof address);
        char *text = plan && export ? export() : NULL, *rest = text, *key, *decision;
        if (text && next_line(&rest, &key, &decision))
            snprintf(here[keys++], sizeof *here, "%s", key);
        free(text);
        if (plan)
            bench_destroy(weft, &one, plan);
    }
}

/* Whether a key has the same value as a key that is made here. FFTW's version may be the version of
 * any precision. */
static bool is_here(const char *key, const char *name)
{
    const char *value, *own;
    const int length = value_of(key, name, &value);
    bool same = false;
    for (int i = 0; i < keys; i++)
        same |= value_of(here[i], name, &own) == length && strncmp(value, own, (size_t)length) == 0;
    return same;
}

/* Whether the wisdom has a decision for the same problem that was made with more rigor. */
static bool has_better(const char *key)
{
    char other[WEFT_WISDOM_LINE];
    const char *own;
    if (value_of(key, "rigor", &own) == 0)
        return false;
    bool past = false, better = false;
    for (int i = 0; tune_rigors[i]; i++) {
        snprintf(other, sizeof other, "%.*s%s", (int)(own - key), key, tune_rigors[i]);
        char *found = past ? weft_wisdom_find(other) : NULL;
        better |= found != NULL;
        free(found);
        past |= strcmp(own, tune_rigors[i]) == 0;
    }
    return better;
}

static bool read_list(const char *list, bool drop[DROPPED])
{
    char *copy = strdup(list), *rest = copy;
    bool known = copy != NULL;
    for (char *word; known && (word = strsep(&rest, ","));) {
        known = strcmp(word, "all") == 0;
        for (int i = 0; i < DROPPED; i++) {
            drop[i] |= strcmp(word, "all") == 0 || strcmp(word, dropped[i]) == 0;
            known |= strcmp(word, dropped[i]) == 0;
        }
    }
    free(copy);
    if (!known)
        fprintf(stderr,
                "weft-tune: --prune is \"%s\"; it must be weft, fftw, mpi, processor, rigor or "
                "all, or some of them with commas between\n",
                list);
    return known;
}

static const char *why_dropped(const char *key, const bool drop[DROPPED])
{
    for (int i = WEFT; i < RIGOR; i++)
        if (drop[i] && !is_here(key, dropped[i]))
            return dropped[i];
    return drop[RIGOR] && has_better(key) ? dropped[RIGOR] : NULL;
}

static int prune(const tune_files *files, const char *before)
{
    bool drop[DROPPED] = {false};
    if (!read_list(files->drop, drop) || !load(files->file[0]))
        return 2;
    char *text = keys > 0 ? weft_wisdom_text() : NULL, *rest = text, *key, *decision;
    int gone = 0, all = 0;
    for (; text && next_line(&rest, &key, &decision); all++) {
        const char *why = why_dropped(key, drop);
        if (!why)
            continue;
        printf("%s: %s\n", strcmp(why, "rigor") == 0 ? "less rigor" : why, key);
        weft_wisdom_drop(key, false);
        gone++;
    }
    free(text);
    if (!text)
        return 1;
    printf("%d of %d %s\n", gone, all,
           files->output ? "removed" : "would be removed; -o FILE writes the others");
    return files->output ? write_to(files, before) : 0;
}

int tune_prune(const tune_files *files)
{
    char *before = files->output ? weft_wisdom_read(files->output) : NULL;
    const int status = prune(files, before);
    free(before);
    return status;
}
