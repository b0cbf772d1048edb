/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fftw_make_planner_thread_safe has libfftw3 lock its planner while it makes plans and destroys
 * them, but not for the rest: its number of threads, its limit of time, its wisdom. And it changes
 * the number of threads for moments while it plans. All of this is therefore done while it destroys
 * a plan, of nothing, that is there for just that.
 */
#include "kernels/pass/planner.h"

#include <pthread.h>
#include "kernels/base/error.h"
#include "kernels/pass/foreign.h"

typedef struct {
    foreign_plan plan;
    void (*work)(void *argument);
    void *argument;
} errand;

static void awake(foreign_plan *plan, int wakefulness)
{
    (void)plan, (void)wakefulness;
}

static void destroy(foreign_plan *plan)
{
    const errand *it = (const errand *)plan;
    it->work(it->argument);
}

static void leave(foreign_problem *problem)
{
    (void)problem;
}

bool weft_planner_locked(void (*work)(void *argument), void *argument)
{
    static const foreign_table table = {.awake = awake, .destroy = destroy};
    static const foreign_problem_table problem_table = {.destroy = leave};
    static const foreign_problem problem = {.table = &problem_table};
    foreign_handle *handle = FFTW(malloc)(sizeof *handle);
    errand *it = FFTW(malloc)(sizeof *it);
    if (!handle || !it) {
        weft_error("no memory for a plan of nothing");
        FFTW(free)(handle);
        FFTW(free)(it);
        return false;
    }
    *it = (errand){.plan = {.table = &table}, .work = work, .argument = argument};
    *handle = (foreign_handle){.plan = &it->plan, .problem = &problem, .references = 1};
    FFTW(destroy_plan)((FFTW(plan))handle);
    return true;
}

/* Of libfftw3_threads or libfftw3_omp, whichever the program uses, if any. */
extern int FFTW(planner_nthreads)(void) __attribute__((weak));
extern void FFTW(plan_with_nthreads)(int) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held while they are off */

static void get(void *threads)
{
    *(int *)threads = FFTW(planner_nthreads)();
}

static void set(void *threads)
{
    FFTW(plan_with_nthreads)(*(int *)threads);
}

/* With the lock held. */
static int current(void)
{
    int threads = 1;
    if (FFTW(planner_nthreads) && FFTW(plan_with_nthreads))
        weft_planner_locked(get, &threads);
    return threads > 1 ? threads : 1;
}

int weft_planner_threads(void)
{
    pthread_mutex_lock(&lock);
    const int threads = current();
    pthread_mutex_unlock(&lock);
    return threads;
}

int weft_planner_threads_off(void)
{
    int one = 1;
    pthread_mutex_lock(&lock);
    const int threads = current();
    if (threads > 1)
        weft_planner_locked(set, &one);
    else
        pthread_mutex_unlock(&lock);
    return threads;
}

void weft_planner_threads_on(int threads)
{
    if (threads <= 1)
        return;
    weft_planner_locked(set, &threads);
    pthread_mutex_unlock(&lock);
}
