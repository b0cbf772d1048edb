/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares Weft's strided copies with FFTW's plans of rank 0 and with memcpy, in one process. The
 * three take turns, so that a disturbance of the machine affects all of them. The results of Weft
 * and FFTW are compared bit for bit. Not installed.
 *
 *     bench-copy [-e] [-s seconds] [-k word]
 *         -e  FFTW plans with FFTW_ESTIMATE (default: FFTW_PATIENT)
 *         -s  seconds for each case (default 0.3)
 *         -k  only cases whose line contains this word
 */
#include <fftw3.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tools/kernels/bench-copy.h"
#include "kernels/copy/copy.h"
#include "kernels/base/error.h"
#include "tools/median.h"

enum { MIN_RUNS = 5, MAX_RUNS = 200 };

/* The type of an element in FFTW's plan. */
typedef enum { REAL, COMPLEX_FLOAT, COMPLEX, KINDS } kind;
static const struct {
    const char *name;
    size_t bytes;
} kinds[KINDS] = {{"real", 8}, {"complex float", 8}, {"complex", 16}};

typedef struct {
    fftw_plan plan[MAX_PARTS];
    fftwf_plan plan_float[MAX_PARTS];
    weft_copy *copy[MAX_PARTS];
} contenders;

typedef struct {
    double time[MAX_RUNS];
    int runs;
} sample;

typedef struct {
    unsigned flags;
    double seconds;
    const char *word;
    char *from, *to, *check;
    double log_ratio;
    int cases, slower;
} bench;

/* CPU time of this thread, which does not count the time of other programs, although they use
 * memory bandwidth. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the contenders ---- */

static void plan_fftw(const bench *b, const part *p, kind k, fftw_plan *plan,
                      fftwf_plan *plan_float)
{
    fftw_iodim64 dims[AXES];
    for (int a = 0; a < AXES; a++)
        dims[a] = (fftw_iodim64){p->count[a], p->from_stride[a], p->to_stride[a]};
    void *from = b->from + (size_t)p->from_offset * kinds[k].bytes;
    void *to = b->check + (size_t)p->to_offset * kinds[k].bytes;
    if (k == REAL)
        *plan = fftw_plan_guru64_r2r(0, NULL, AXES, dims, from, to, NULL, b->flags);
    else if (k == COMPLEX)
        *plan = fftw_plan_guru64_dft(0, NULL, AXES, dims, from, to, FFTW_FORWARD, b->flags);
    else
        *plan_float = fftwf_plan_guru64_dft(0, NULL, AXES, dims, from, to, FFTW_FORWARD, b->flags);
}

static bool prepare(const bench *b, const work *w, kind k, contenders *c)
{
    for (int p = 0; p < w->parts; p++) {
        const part *one = &w->part[p];
        plan_fftw(b, one, k, &c->plan[p], &c->plan_float[p]);
        c->copy[p] = weft_copy_prepare(kinds[k].bytes, AXES, one->count, one->from_offset,
                                       one->from_stride, one->to_offset, one->to_stride);
        if (!c->copy[p] || (!c->plan[p] && !c->plan_float[p]))
            return false;
    }
    return true;
}

static void release(const work *w, contenders *c)
{
    for (int p = 0; p < w->parts; p++) {
        if (c->plan[p])
            fftw_destroy_plan(c->plan[p]);
        if (c->plan_float[p])
            fftwf_destroy_plan(c->plan_float[p]);
        weft_copy_release(c->copy[p]);
    }
}

static void run_fftw(const work *w, const contenders *c)
{
    for (int p = 0; p < w->parts; p++) {
        if (c->plan[p])
            fftw_execute(c->plan[p]);
        else
            fftwf_execute(c->plan_float[p]);
    }
}

static void run_weft(const bench *b, const work *w, const contenders *c)
{
    for (int p = 0; p < w->parts; p++)
        weft_copy_run(c->copy[p], b->from, b->to);
}

/* ---- timing ---- */

static void add(sample *s, double start)
{
    s->time[s->runs++] = now() - start;
}

static double median(sample *s)
{
    return median_of(s->time, s->runs);
}

static double least(const sample *s)
{
    double time = s->time[0];
    for (int run = 1; run < s->runs; run++)
        time = fmin(time, s->time[run]);
    return time;
}

/* Fills the arrays again, because planning may have overwritten them, runs both copies and compares
 * the results. */
static bool equal_results(bench *b, const work *w, const contenders *c, size_t bytes)
{
    uint32_t *source = (void *)b->from;
    for (size_t i = 0; i < bytes / sizeof *source; i++)
        source[i] = (uint32_t)i & 0x3fffffff;
    memset(b->to, 0, bytes);
    memset(b->check, 1, bytes);
    run_fftw(w, c);
    run_weft(b, w, c);
    return memcmp(b->to, b->check, bytes) == 0;
}

static void report(bench *b, const char *line, sample *weft, sample *fftw, sample *plain)
{
    double ratio = least(fftw) / least(weft);
    printf("%s %8.3f %8.3f %8.3f %8.3f %6.2f %6.2f %7.2f%s\n", line, 1e3 * least(weft),
           1e3 * median(weft), 1e3 * least(fftw), 1e3 * median(fftw), ratio,
           median(fftw) / median(weft), least(plain) / least(weft), ratio < 1 ? "  slower" : "");
    fflush(stdout);
    b->log_ratio += log(ratio);
    b->slower += ratio < 1;
    b->cases++;
}

/* Runs memcpy before each of the two contenders, so that both find the same data in the caches.
 * Otherwise the contender after ordinary stores would pay for writing them back. */
static void copy_plainly(const bench *b, size_t bytes, sample *plain)
{
    double start = now();
    memcpy(b->to, b->from, bytes);
    if (plain->runs < MAX_RUNS)
        add(plain, start);
}

static void measure(bench *b, const work *w, kind k)
{
    char line[96];
    snprintf(line, sizeof line, "%-26s %-13s", w->name, kinds[k].name);
    if (b->word && !strstr(line, b->word))
        return;
    size_t bytes = (size_t)w->elements * kinds[k].bytes;
    contenders c = {0};
    if (!prepare(b, w, k, &c)) {
        fprintf(stderr, "bench-copy: %s cannot be prepared: %s\n", line, weft_error_text());
        exit(EXIT_FAILURE);
    }
    if (!equal_results(b, w, &c, bytes)) {
        fprintf(stderr, "bench-copy: %s: Weft and FFTW disagree\n", line);
        exit(EXIT_FAILURE);
    }
    sample fftw = {.runs = 0}, weft = {.runs = 0}, plain = {.runs = 0};
    double begin = now();
    while (weft.runs < MAX_RUNS && (weft.runs < MIN_RUNS || now() - begin < b->seconds)) {
        copy_plainly(b, bytes, &plain);
        double start = now();
        run_fftw(w, &c);
        add(&fftw, start);
        copy_plainly(b, bytes, &plain);
        start = now();
        run_weft(b, w, &c);
        add(&weft, start);
    }
    report(b, line, &weft, &fftw, &plain);
    release(w, &c);
}

static bool allocate(bench *b, size_t bytes)
{
    b->from = fftw_malloc(bytes);
    b->to = fftw_malloc(bytes);
    b->check = fftw_malloc(bytes);
    if (!b->from || !b->to || !b->check)
        return false;
    memset(b->from, 0, bytes);
    memset(b->to, 0, bytes);
    memset(b->check, 0, bytes);
    return true;
}

int main(int argc, char **argv)
{
    bench b = {.flags = FFTW_PATIENT, .seconds = 0.3};
    for (int option; (option = getopt(argc, argv, "es:k:")) != -1;) {
        if (option == 'e')
            b.flags = FFTW_ESTIMATE;
        else if (option == 's')
            b.seconds = atof(optarg);
        else if (option == 'k')
            b.word = optarg;
        else
            return EXIT_FAILURE;
    }
    size_t bytes = (size_t)4096 * 4096 * 16; /* the largest case */
    if (!allocate(&b, bytes)) {
        fprintf(stderr, "bench-copy: no memory for three arrays of %zu bytes\n", bytes);
        return EXIT_FAILURE;
    }
    printf("%-40s %17s %17s %13s %7s\n%-40s %8s %8s %8s %8s %6s %6s %7s\n", "", "Weft, ms",
           "FFTW, ms", "FFTW / Weft", "memcpy", "", "min", "median", "min", "median", "min",
           "median", "/ Weft");
    for (int k = 0; k < KINDS; k++)
        for (int c = 0; c < cases(); c++) {
            work w = case_number(c);
            measure(&b, &w, (kind)k);
        }
    if (b.cases)
        printf("%d cases, %d slower than FFTW; geometric mean of FFTW / Weft: %.2f\n", b.cases,
               b.slower, exp(b.log_ratio / b.cases));
    fftw_free(b.from);
    fftw_free(b.to);
    fftw_free(b.check);
    return EXIT_SUCCESS;
}
