/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a problem from options, either on the command line or in a line that WEFT_RECORD has
 * written. */
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "api/problem-text.h"
#include "kernels/base/text.h"
#include "tools/bench/bench.h"

const char bench_case_usage[] =
    "  --kind KIND           c2c (default), r2c, c2r, r2r or transpose\n"
    "  --howmany N           this many interleaved transforms (1)\n"
    "  --precision P         double (default), float or long\n"
    "  --transposed          transposed output (c2r: transposed input)\n"
    "  --scrambled           scrambled output, for one axis\n"
    "  --in-place            input and output are one array\n"
    "  --grid GRID           on a process grid such as 4x2 or 4x2:column-major; dimensions of 0\n"
    "                        are chosen\n"
    "  --backward            backward transform, for c2c\n"
    "  --kinds KIND,...      kinds of r2r such as redft10, one for all axes or one for each; on a\n"
    "                        grid also none, forward, backward, and r2c or c2r for the last axis\n"
    "  --blocks IN,OUT       blocks of the divided axes, as in FFTW's plan_many functions\n"
    "  --flags FLAG,...      destroy-input, preserve-input, unaligned, conserve-memory,\n"
    "                        transposed-in, transposed-out, scrambled-in, scrambled-out; on a\n"
    "                        grid also rows, unpadded, fftw-blocks, reversed, same-layout\n"
    "  --operator            transform forward, divide by the square of the wave number, and\n"
    "                        transform back: as one plan, and as two plans with a loop.\n"
    "                        weft-tune accepts --kinds, for an operator that does nothing, and "
    "then\n"
    "                        also the next three options\n"
    "  --factors             instead of --operator: multiply by an array\n"
    "  --modes SIZES         modes of each axis, such as 20x20x20\n"
    "  --fields-out N        fields (numbers of a point) of the output, as --howmany of the input\n"
    "  --threads N           threads of each rank (1)\n"
    "  --ranks N             only for runs with this many ranks\n";

/* The index of a word in a list that ends with NULL; -1: the list does not contain the word. */
static int place_of(const char *text, const char *const *words)
{
    for (int place = 0; words[place]; place++)
        if (strcmp(text, words[place]) == 0)
            return place;
    return -1;
}

static bool read_precision(const char *text, bench_case *that)
{
    static const char *const words[] = {"double", "float", "long", NULL};
    const int place = place_of(text, words);
    if (place >= 0)
        that->precision = (bench_precision)place;
    return place >= 0;
}

static bool read_kind(const char *text, bench_case *that)
{
    static const char *const words[] = {"c2c", "r2c", "c2r", "r2r", "transpose", NULL};
    const int place = place_of(text, words);
    if (place >= 0)
        that->kind = (bench_kind)place;
    return place >= 0;
}

/* Removes the first word from a list with commas and sets the number that it stands for. Returns
 * false if the word is unknown. */
static bool next_word(char **list, const weft_word *words, unsigned *number)
{
    const char *text = strsep(list, ",");
    while (words->word && strcmp(words->word, text) != 0)
        words++;
    *number = words->number;
    return words->word != NULL;
}

static bool read_kinds(char *list, bench_case *that)
{
    static const weft_word words[] = {{"r2hc", FFTW_R2HC},
                                      {"hc2r", FFTW_HC2R},
                                      {"dht", FFTW_DHT},
                                      {"redft00", FFTW_REDFT00},
                                      {"redft01", FFTW_REDFT01},
                                      {"redft10", FFTW_REDFT10},
                                      {"redft11", FFTW_REDFT11},
                                      {"rodft00", FFTW_RODFT00},
                                      {"rodft01", FFTW_RODFT01},
                                      {"rodft10", FFTW_RODFT10},
                                      {"rodft11", FFTW_RODFT11},
                                      {"none", WEFT_NONE},
                                      {"forward", WEFT_DFT_FORWARD},
                                      {"backward", WEFT_DFT_BACKWARD},
                                      {"r2c", WEFT_DFT_R2C},
                                      {"c2r", WEFT_DFT_C2R},
                                      {NULL, 0}};
    unsigned number;
    for (that->kinds = 0; list; that->each[that->kinds++] = (int)number)
        if (that->kinds == BENCH_MAX_AXES || !next_word(&list, words, &number))
            return false;
    if (that->grid_axes == 0)
        that->kind = BENCH_R2R;
    return true;
}

static bool read_flags(char *list, bench_case *that)
{
    static const weft_word words[] = WEFT_FLAG_WORDS;
    for (unsigned number; list; that->flags |= number)
        if (!next_word(&list, words, &number))
            return false;
    return true;
}

static bool read_list(bool (*read)(char *list, bench_case *that), const char *text,
                      bench_case *that)
{
    char *copy = strdup(text);
    const bool ok = copy && read(copy, that);
    free(copy);
    return ok;
}

/* Whether the text is one whole number from `least` to `most`. */
static bool whole(const char *text, ptrdiff_t least, ptrdiff_t most, ptrdiff_t *number)
{
    char *end;
    return weft_parse_whole(text, &end, least, most, number) && *end == '\0';
}

static bool read_blocks(char *list, bench_case *that)
{
    const char *first = strsep(&list, ",");
    return list && whole(first, 0, PTRDIFF_MAX, &that->block[0]) &&
           whole(list, 0, PTRDIFF_MAX, &that->block[1]);
}

static bool read_count(const char *text, int *count)
{
    ptrdiff_t number;
    const bool ok = whole(text, 1, 1 << 24, &number);
    if (ok)
        *count = (int)number;
    return ok;
}

static bool read_modes(const char *text, bench_case *that)
{
    memset(that->modes, 0, sizeof that->modes);
    return weft_parse_sizes(text, "", 1, PTRDIFF_MAX, that->modes, BENCH_MAX_AXES) > 0;
}

static bool value_option(bench_case *that, int letter, const char *text)
{
    switch (letter) {
    case 'k':
        return read_kind(text, that);
    case 'p':
        return read_precision(text, that);
    case 'g':
        return bench_case_grid(text, that);
    case 'm':
        return whole(text, 1, PTRDIFF_MAX, &that->howmany);
    case 'E':
        return read_modes(text, that);
    case 'U':
        that->changes_fields = true;
        return whole(text, 0, PTRDIFF_MAX, &that->fields_out);
    case 'K':
        return read_list(read_kinds, text, that);
    case 'F':
        return read_list(read_flags, text, that);
    case 'L':
        return read_list(read_blocks, text, that);
    case 'T':
        return read_count(text, &that->threads);
    case 'R':
        return read_count(text, &that->ranks);
    default:
        return false;
    }
}

bool bench_case_option(bench_case *that, int letter, const char *text)
{
    switch (letter) {
    case 't':
        that->transposed = true;
        break;
    case 'c':
        that->scrambled = true;
        break;
    case 'i':
        that->in_place = true;
        break;
    case 'B':
        that->backward = true;
        break;
    case 'A':
    case 'X':
        that->operates = true;
        that->factors = letter == 'X';
        break;
    default:
        return value_option(that, letter, text);
    }
    return true;
}

/* What the options of weft-bench and weft-tune accept, for a message. */
static const char *accepted(int letter)
{
    static const struct {
        int letter;
        const char *values;
    } of[] = {{'k', "c2c, r2c, c2r, r2r or transpose"},
              {'p', "double, float or long"},
              {'g', "dimensions such as 4x2 or 4x2:column-major"},
              {'m', "a whole number from 1 on that fits a ptrdiff_t"},
              {'K', "kinds with commas between them, such as redft10 or forward,none,r2c"},
              {'F', "flags with commas between them, such as destroy-input,unaligned"},
              {'L', "two whole numbers with a comma between them, such as 4,8"},
              {'E', "sizes such as 20x20x20"},
              {'U', "a whole number from 0 on that fits a ptrdiff_t"},
              {'T', "a whole number from 1 to 16777216"},
              {'R', "a whole number from 1 to 16777216"},
              {'S', "a number of seconds above 0 and below 1000000"},
              {'r', "measure, patient or exhaustive"},
              {'b', "estimate or measure"},
              {'f', "a file of problems; at most 63 are accepted"},
              {'w', "a file name of 1 to 4095 bytes"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i].letter == letter)
            return of[i].values;
    return "another value";
}

bool bench_seconds(const char *text, double *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    return *end == '\0' && *seconds > 0 && *seconds < 1e6;
}

bool bench_options_each(int argc, char **argv, const char *letters, const struct option *names,
                        bool (*take)(void *reader, int letter, const char *value), void *reader,
                        char *error, size_t capacity)
{
    opterr = 0;
    optind = 0; /* getopt must start anew, because lines of problem files are parsed as command
                   lines, too */
    for (int letter, which = 0; (letter = getopt_long(argc, argv, letters, names, &which)) != -1;) {
        if (letter == ':')
            snprintf(error, capacity, "the option %.100s needs a value", argv[optind - 1]);
        else if (letter == '?' && optopt && !strchr(argv[optind - 1], '=')) /* as in --help=1 */
            snprintf(error, capacity, "there is no option -%c", optopt);
        else if (letter == '?')
            snprintf(error, capacity, "there is no option %.100s", argv[optind - 1]);
        else if (take(reader, letter, optarg))
            continue;
        else if (!error[0])
            snprintf(error, capacity, "--%s is \"%.100s\"; it must be %s", names[which].name,
                     optarg, accepted(letter));
        return false;
    }
    return true;
}

bool bench_case_fits(const bench_case *that, char *error, size_t capacity)
{
    const char *why = NULL;
    if (that->kind == BENCH_TRANSPOSE && that->grid_axes > 0)
        why = "--kind transpose cannot be combined with --grid";
    else if (that->kind == BENCH_TRANSPOSE && that->axes != 2)
        why = "--kind transpose needs two numbers, such as 1024x512";
    else if (that->kinds > 1 && that->kinds != that->axes)
        why = "--kinds needs one kind, or one for each axis";
    else if (that->modes[0] > 0 && (that->modes[that->axes - 1] == 0 ||
                                    (that->axes < BENCH_MAX_AXES && that->modes[that->axes] > 0)))
        why = "--modes needs one number for each axis";
    else if (that->kinds == 0 && (that->factors || that->modes[0] > 0 || that->changes_fields))
        why = "--factors, --modes and --fields-out need --kinds";
    else if (!that->operates && (that->modes[0] > 0 || that->changes_fields))
        why = "--modes and --fields-out need --operator or --factors";
    else if (that->operates && that->kinds == 0 &&
             (that->grid_axes > 0 || that->axes < 2 || that->transposed || that->backward ||
              that->block[0] > 0 || that->block[1] > 0 ||
              (that->kind != BENCH_C2C && that->kind != BENCH_R2C)))
        why =
            "--operator without --kinds needs c2c or r2c in slabs of at least two axes, in natural "
            "order and with the usual blocks";
    const bool slabs = that->grid_axes == 0 && !that->operates;
    for (int axis = 0; !why && axis < that->kinds && slabs; axis++)
        if (that->kind != BENCH_R2R || that->each[axis] >= (int)WEFT_NONE)
            why = "--kinds without --grid accepts only kinds of r2r, such as redft10";
    if (why)
        snprintf(error, capacity, "%s", why);
    return !why;
}
