/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times passes on one process. First whole transforms made of passes, as slabs make them, against
 * serial FFTW with the same libfftw3 in the same run; then passes that pack for peers, or read what
 * peers have packed, against the same pass with contiguous memory on that side. Contenders take
 * turns, so that whatever disturbs the machine disturbs them alike; shown are the best times and
 * their ratio. Not installed.
 *
 *     bench-pass [-e] [-p] [-v] [-s seconds] [-k word]
 *         -e  plan with FFTW_ESTIMATE, -p with FFTW_PATIENT (default: FFTW_MEASURE)
 *         -v  say how each pass is done, and how long planning took
 *         -s  about so long for each case (default 1)
 *         -k  only cases whose name contains this word
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "error.h"
#include "pass.h"

enum { MOST_PEERS = 64, MIN_RUNS = 5, STEPS = 2 };

typedef struct {
    unsigned flags;
    bool verbose;
    double seconds;
    const char *word;
} bench_options;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Something to be timed: passes in a row, or an FFTW plan. */
typedef struct {
    fftw_plan plan;
    WEFT(pass) * pass[STEPS];
    void *from[STEPS], *to[STEPS];
    void *work;
    double best;
} contender;

static void run(const contender *c)
{
    if (c->plan)
        fftw_execute(c->plan);
    for (int s = 0; s < STEPS && c->pass[s]; s++)
        WEFT(pass_run)
    (c->pass[s], (const void *const[2]){c->from[s], NULL}, (void *const[2]){c->to[s], NULL},
     c->work);
}

static void take_turns(contender *c, int contenders, double seconds)
{
    double begin = now();
    for (int round = 0; round < MIN_RUNS || now() - begin < seconds; round++)
        for (int k = 0; k < contenders; k++) {
            double start = now();
            run(&c[k]);
            double time = now() - start;
            if (round > 0 && (round == 1 || time < c[k].best))
                c[k].best = time;
        }
}

static WEFT(pass) * make(const bench_options *options, const char *name, const weft_pass_spec *spec)
{
    double start = now();
    WEFT(pass) *pass = WEFT(pass_create)(spec);
    if (!pass) {
        fprintf(stderr, "bench-pass: %s\n", weft_error_text());
        exit(EXIT_FAILURE);
    }
    if (options->verbose)
        printf("    %-8s %s (planned in %.3f s)\n", name, WEFT(pass_text)(pass), now() - start);
    return pass;
}

static void drop(contender *c)
{
    if (c->plan)
        fftw_destroy_plan(c->plan);
    for (int s = 0; s < STEPS; s++)
        WEFT(pass_destroy)(c->pass[s]);
    free(c->work);
}

static void give_workspace(contender *c)
{
    size_t bytes = 64;
    for (int s = 0; s < STEPS && c->pass[s]; s++)
        if (bytes < WEFT(pass_workspace)(c->pass[s]))
            bytes = WEFT(pass_workspace)(c->pass[s]);
    c->work = aligned_alloc(64, (bytes + 63) / 64 * 64);
}

/* A view of n0 x n1 x n2 in some memory order, divided for peers. */
typedef struct {
    weft_view view;
    weft_view_piece piece[MOST_PEERS];
} slab_view;

/* `axis` is divided into blocks, one behind the other, each in this order of axes. */
static void divide(slab_view *v, const ptrdiff_t *size, const int *order, int axis, int peers)
{
    ptrdiff_t offset = 0, left = size[axis], block = (size[axis] + peers - 1) / peers;
    v->view = (weft_view){.axis = axis, .pieces = peers, .piece = v->piece};
    for (int p = 0; p < peers; p++) {
        ptrdiff_t step = 1, count = block < left ? block : left;
        v->piece[p] = (weft_view_piece){.count = count, .offset = offset};
        for (int k = 2; k >= 0; k--) {
            v->piece[p].stride[order[k]] = step;
            step *= order[k] == axis ? count : size[order[k]];
        }
        offset += step;
        left -= count;
    }
}

static const int order_012[] = {0, 1, 2}, order_102[] = {1, 0, 2};

static weft_pass_spec slab_pass(const bench_options *options, const ptrdiff_t *size, bool first,
                                const slab_view *source, const slab_view *target)
{
    weft_pass_spec spec = {
        .axes = 3,
        .size = {size[0], size[1], size[2]},
        .source = source->view,
        .target = target->view,
        .fftw_flags = options->flags,
        .threads = 1,
    };
    for (int a = 0; a < 3; a++)
        spec.kind[a] = (a > 0) == first ? WEFT_FORWARD : WEFT_KEEP;
    return spec;
}

/* The passes of a slab on one process, natural or transposed order, against FFTW. */
static void whole(const bench_options *options, const ptrdiff_t *size, bool in_place,
                  bool transposed, fftw_complex *in, fftw_complex *out, fftw_complex *middle)
{
    contender c[2] = {{.best = 0}};
    slab_view natural, turned;
    divide(&natural, size, order_012, 0, 1);
    divide(&turned, size, order_102, 0, 1);
    fftw_complex *result = in_place ? in : out;
    const slab_view *between = transposed ? &turned : &natural;
    weft_pass_spec first = slab_pass(options, size, true, &natural, between);
    weft_pass_spec second = slab_pass(options, size, false, between, between);
    double start = now();
    c[0].plan = fftw_plan_dft_3d((int)size[0], (int)size[1], (int)size[2], in, result, FFTW_FORWARD,
                                 options->flags);
    if (options->verbose)
        printf("    FFTW     planned in %.3f s\n", now() - start);
    first.in_place = !transposed && in_place;
    second.in_place = !transposed;
    c[1].pass[0] = make(options, "pass 1", &first);
    c[1].pass[1] = make(options, "pass 2", &second);
    c[1].from[0] = in;
    c[1].to[0] = c[1].from[1] = transposed ? middle : result;
    c[1].to[1] = result;
    give_workspace(&c[1]);
    take_turns(c, 2, options->seconds);
    printf("%4td x %3td x %3td  %-12s %-11s FFTW %9.3f ms  passes %9.3f ms  ratio %.3f\n", size[0],
           size[1], size[2], in_place ? "in place" : "out of place",
           transposed ? "transposed" : "natural", 1e3 * c[0].best, 1e3 * c[1].best,
           c[1].best / c[0].best);
    drop(&c[0]);
    drop(&c[1]);
}

typedef enum { PACKS_ROWS, PACKS_PLANES, UNPACKS, PACKINGS } pass_packing;
static const char *const packings[] = {
    "pass 1, blocks [n0][n1 part][n2]",
    "pass 1, blocks [n1 part][n0][n2] apart",
    "pass 2, blocks [n1][n0 part][n2]",
};

/* The same pass with contiguous memory and with blocks for or from peers. */
static void packed(const bench_options *options, const ptrdiff_t *size, pass_packing how,
                   fftw_complex *in, fftw_complex *out)
{
    enum { CONTENDERS = 4 };
    static const int peers[CONTENDERS] = {1, 2, 4, 16};
    contender c[CONTENDERS] = {{.best = 0}};
    slab_view natural, turned, blocks;
    divide(&natural, size, order_012, 0, 1);
    divide(&turned, size, order_102, 0, 1);
    for (int k = 0; k < CONTENDERS; k++) {
        bool first = how != UNPACKS;
        char name[16];
        divide(&blocks, size, how == PACKS_ROWS && k ? order_012 : order_102, first, peers[k]);
        for (int p = 0; how == PACKS_PLANES && p < peers[k]; p++)
            blocks.piece[p].offset += 4 * p;
        weft_pass_spec spec =
            slab_pass(options, size, first, first ? &natural : &blocks, first ? &blocks : &turned);
        snprintf(name, sizeof name, "%d", peers[k]);
        c[k].pass[0] = make(options, name, &spec);
        c[k].from[0] = in;
        c[k].to[0] = out;
        give_workspace(&c[k]);
    }
    take_turns(c, CONTENDERS, options->seconds);
    printf("%4td x %3td x %3td  %-39s 1: %8.3f ms", size[0], size[1], size[2], packings[how],
           1e3 * c[0].best);
    for (int k = 1; k < CONTENDERS; k++)
        printf("  %d: %.3f", peers[k], c[k].best / c[0].best);
    printf("\n");
    for (int k = 0; k < CONTENDERS; k++)
        drop(&c[k]);
}

static bench_options parse(int arguments, char **argument)
{
    bench_options options = {.flags = FFTW_MEASURE, .seconds = 1};
    int letter;
    while ((letter = getopt(arguments, argument, "epvs:k:")) != -1) {
        if (letter == 'e')
            options.flags = FFTW_ESTIMATE;
        else if (letter == 'p')
            options.flags = FFTW_PATIENT;
        else if (letter == 'v')
            options.verbose = true;
        else if (letter == 's')
            options.seconds = atof(optarg);
        else if (letter == 'k')
            options.word = optarg;
        else {
            fprintf(stderr, "usage: bench-pass [-e | -p] [-v] [-s seconds] [-k word]\n");
            exit(EXIT_FAILURE);
        }
    }
    return options;
}

static bool wanted(const bench_options *options, const ptrdiff_t *size, const char *what)
{
    char name[160];
    snprintf(name, sizeof name, "%tdx%tdx%td %s", size[0], size[1], size[2], what);
    return !options->word || strstr(name, options->word);
}

int main(int arguments, char **argument)
{
    static const ptrdiff_t sizes[][3] = {{256, 256, 256}, {128, 128, 128}, {100, 120, 90}};
    bench_options options = parse(arguments, argument);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const ptrdiff_t *size = sizes[k];
        size_t elements = (size_t)(size[0] * size[1] * size[2]), bytes = elements + 4 * MOST_PEERS;
        fftw_complex *array[3];
        for (int a = 0; a < 3; a++) {
            array[a] = fftw_alloc_complex(bytes);
            if (!array[a])
                return EXIT_FAILURE;
            memset(array[a], 0, bytes * sizeof *array[a]);
        }
        for (int way = 0; way < 4; way++)
            if (wanted(&options, size, way & 1 ? "whole in place" : "whole out of place"))
                whole(&options, size, way & 1, way & 2, array[0], array[1], array[2]);
        for (pass_packing how = 0; how < PACKINGS; how++)
            if (wanted(&options, size, packings[how]))
                packed(&options, size, how, array[0], array[1]);
        for (int a = 0; a < 3; a++)
            fftw_free(array[a]);
    }
    return 0;
}
