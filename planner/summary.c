/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report of WEFT_REPORT: sums of planning and running times for plans with the same
 * description. Rank 0 prints them when MPI_Finalize begins.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/abort.h"
#include "kernels/base/text.h"
#include "planner/trace.h"

struct weft_summary {
    weft_summary *next;
    double planning, running; /* seconds on this rank */
    long plans, runs;
    char what[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static weft_summary *all, **last = &all; /* in the order of planning */
static bool asked, wanted;

static const char *plural(long count)
{
    return count == 1 ? "" : "s";
}

static void print_all(void)
{
    weft_summary sum = {0};
    const locale_t before = weft_decimal_point_begin();
    for (const weft_summary *it = all; it; it = it->next) {
        sum.planning += it->planning;
        sum.running += it->running;
        sum.plans += it->plans;
        sum.runs += it->runs;
        fprintf(stderr,
                "weft: report: %s; planned %ld time%s in %.3g s; ran %ld time%s in %.3g s\n",
                it->what, it->plans, plural(it->plans), it->planning, it->runs, plural(it->runs),
                it->running);
    }
    fprintf(stderr,
            "weft: report: in total %ld plan%s made in %.3g s, %ld run%s in %.3g s, on rank 0\n",
            sum.plans, plural(sum.plans), sum.planning, sum.runs, plural(sum.runs), sum.running);
    weft_decimal_point_end(before);
}

static void end(bool over)
{
    int rank;
    (void)over;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_mutex_lock(&lock);
    if (rank == 0)
        print_all();
    wanted = false;
    pthread_mutex_unlock(&lock);
}

/* Sets up the report at the first call if WEFT_REPORT asks for it. The caller holds the lock. */
static bool is_wanted(void)
{
    static weft_finalizer finalizer = {.end = end};
    const char *setting = asked ? NULL : weft_setting("WEFT_REPORT");
    asked = true;
    if (setting && *setting && strcmp(setting, "0") != 0)
        wanted = weft_at_finalize(&finalizer);
    return wanted;
}

static weft_summary *find(const char *what)
{
    weft_summary *it = all;
    while (it && strcmp(it->what, what) != 0)
        it = it->next;
    if (!it && (it = calloc(1, sizeof *it + strlen(what) + 1))) {
        strcpy(it->what, what);
        *last = it;
        last = &it->next;
    }
    return it;
}

weft_summary *weft_summary_enter(const char *what, double planning_seconds)
{
    pthread_mutex_lock(&lock);
    weft_summary *it = is_wanted() ? find(what) : NULL;
    if (it) {
        it->plans++;
        it->planning += planning_seconds;
    }
    pthread_mutex_unlock(&lock);
    return it;
}

void weft_summary_ran(weft_summary *summary, double seconds)
{
    pthread_mutex_lock(&lock);
    summary->runs++;
    summary->running += seconds;
    pthread_mutex_unlock(&lock);
}
