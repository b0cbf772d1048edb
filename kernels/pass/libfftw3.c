/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lock, the number of threads and the time limit of libfftw3's planner.
 *
 * After fftw_make_planner_thread_safe, libfftw3 locks its planner while it makes and destroys
 * plans, but not while a program reads or changes threads, time limit or wisdom; and libfftw3
 * itself changes the number of threads for moments while it plans. So Weft makes all these calls
 * from the destructor of a plan that solves nothing, because libfftw3 holds its lock there.
 *
 * libfftw3 has no function that returns the time limit. Weft finds the position of the limit in the
 * planner once: it sets two very unlikely limits and looks which number in the planner's memory has
 * changed to them. If there is not exactly one, as in an unknown libfftw3, Weft behaves as if there
 * were no limit. (Exporting fftw_set_timelimit instead would miss programs that are linked in
 * another order, or statically.)
 */
#include "kernels/pass/libfftw3.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#if defined(HAVE_MALLOC_USABLE_SIZE)
#include <malloc.h>
#endif
#include "kernels/base/error.h"

bool weft_fft_aligned(ptrdiff_t bytes)
{
    return FFTW(alignment_of)((void *)(uintptr_t)bytes) == 0;
}

/* A plan whose destructor calls a function. */
typedef struct {
    foreign_plan plan;
    void (*work)(void *argument);
    void *argument;
} locked_call;

void weft_foreign_awake(foreign_plan *plan, int wakefulness)
{
    (void)plan, (void)wakefulness;
}

static void destroy(foreign_plan *plan)
{
    const locked_call *call = (const locked_call *)plan;
    call->work(call->argument);
}

void weft_foreign_leave(foreign_problem *problem)
{
    (void)problem;
}

bool weft_planner_locked(void (*work)(void *argument), void *argument)
{
    static const foreign_table table = {.awake = weft_foreign_awake, .destroy = destroy};
    static const foreign_problem_table problem_table = {.destroy = weft_foreign_leave};
    static const foreign_problem problem = {.table = &problem_table};
    foreign_handle *handle = FFTW(malloc)(sizeof *handle);
    locked_call *call = FFTW(malloc)(sizeof *call);
    if (!handle || !call) {
        weft_error("no memory to lock FFTW's planner: %zu bytes", sizeof *call);
        FFTW(free)(handle);
        FFTW(free)(call);
        return false;
    }
    *call = (locked_call){.plan = {.table = &table}, .work = work, .argument = argument};
    *handle = (foreign_handle){.plan = &call->plan, .problem = &problem, .references = 1};
    FFTW(destroy_plan)((FFTW(plan))handle);
    return true;
}

/* From libfftw3_threads or libfftw3_omp, if the program uses one of them. */
extern int FFTW(planner_nthreads)(void) __attribute__((weak));
extern void FFTW(plan_with_nthreads)(int) __attribute__((weak));
/* libfftw3 exports this, though no header declares it. */
extern void *FFTW(the_planner)(void) __attribute__((weak));

enum { NOT_SEARCHED = -2, UNKNOWN = -1, MOST_BYTES = 512 /* a planner of 3.3.10 has 288 */ };

typedef struct {
    int threads; /* 0: do not change */
    double limit;
    bool has_limit; /* false: do not change the limit */
} planner_settings;

/* Protects the next two variables. The thread that calls weft_planner_one_thread holds the lock
 * until it calls weft_planner_restore. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int limit_place = NOT_SEARCHED; /* index of the limit among the planner's doubles */
static planner_settings changed;       /* the program's settings that must be restored */

/* Number of bytes of the planner that may be read. */
static size_t size_of(const void *planner)
{
    size_t size = 0;
#if defined(HAVE_MALLOC_USABLE_SIZE)
    size = malloc_usable_size((void *)planner);
#endif
    return size < MOST_BYTES ? size : MOST_BYTES;
}

static double number_at(const void *planner, int at)
{
    double number;
    memcpy(&number, (const char *)planner + (size_t)at * sizeof number, sizeof number);
    return number;
}

/* Copies the planner by a system call if possible: parts of a planner may never have been written,
 * and memory checkers would report that they are read. */
static void copy_planner(char *copy, const void *planner, size_t size)
{
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (memory < 0 || pread(memory, copy, size, (off_t)(uintptr_t)planner) != (ssize_t)size)
        memcpy(copy, planner, size);
    if (memory >= 0)
        close(memory);
}

/* The index of the only double that equals `number`; UNKNOWN: there are none or several. */
static int find_number(double number, const void *planner, size_t size)
{
    char copy[MOST_BYTES];
    int found = UNKNOWN, count = 0;
    copy_planner(copy, planner, size);
    for (int at = 0; (size_t)(at + 1) * sizeof number <= size; at++)
        if (number_at(copy, at) == number) {
            found = at;
            count++;
        }
    return count == 1 ? found : UNKNOWN;
}

/* Finds the index of the limit. Runs under the planner's lock; otherwise another thread could plan
 * at the same time with a limit of many days. */
static void find_limit(void *found)
{
    static const double rare[] = {123456789.0625, 234567891.03125};
    char before[MOST_BYTES];
    void *planner = FFTW(the_planner)();
    const size_t size = size_of(planner);
    memcpy(before, planner, size);
    FFTW(set_timelimit)(rare[0]);
    const int first = find_number(rare[0], planner, size);
    FFTW(set_timelimit)(rare[1]);
    const int second = find_number(rare[1], planner, size);
    FFTW(set_timelimit)(first >= 0 ? number_at(before, first) : FFTW_NO_TIMELIMIT);
    *(int *)found = first == second ? first : UNKNOWN;
}

/* The caller holds the lock. */
static double current_limit(void)
{
    if (!FFTW(the_planner))
        return FFTW_NO_TIMELIMIT;
    if (limit_place == NOT_SEARCHED)
        weft_planner_locked(find_limit, &limit_place);
    return limit_place >= 0 ? number_at(FFTW(the_planner)(), limit_place) : FFTW_NO_TIMELIMIT;
}

static void read_threads(void *threads)
{
    *(int *)threads = FFTW(planner_nthreads)();
}

/* The caller holds the lock. */
static int current_threads(void)
{
    int threads = 1;
    if (FFTW(planner_nthreads) && FFTW(plan_with_nthreads))
        weft_planner_locked(read_threads, &threads);
    return threads > 1 ? threads : 1;
}

static void apply(void *settings)
{
    const planner_settings *wanted = settings;
    if (wanted->threads > 0)
        FFTW(plan_with_nthreads)(wanted->threads);
    if (wanted->has_limit)
        FFTW(set_timelimit)(wanted->limit);
}

static bool apply_locked(planner_settings *settings)
{
    return (settings->threads == 0 && !settings->has_limit) || weft_planner_locked(apply, settings);
}

int weft_planner_threads(void)
{
    pthread_mutex_lock(&lock);
    const int threads = current_threads();
    pthread_mutex_unlock(&lock);
    return threads;
}

double weft_timelimit(void)
{
    pthread_mutex_lock(&lock);
    const double limit = current_limit();
    pthread_mutex_unlock(&lock);
    return limit;
}

/* Does not change a limit that cannot be read, because it could not be restored. */
void weft_planner_one_thread(double limit)
{
    planner_settings wanted = {.limit = limit};
    pthread_mutex_lock(&lock);
    changed = (planner_settings){.threads = current_threads()};
    if (changed.threads > 1)
        wanted.threads = 1;
    else
        changed.threads = 0;
    if (limit >= 0) {
        changed.limit = current_limit();
        wanted.has_limit = changed.has_limit =
            limit_place >= 0 && (changed.limit < 0 || limit < changed.limit);
    }
    if (!apply_locked(&wanted))
        changed = (planner_settings){0};
}

void weft_planner_restore(void)
{
    apply_locked(&changed);
    pthread_mutex_unlock(&lock);
}

/* A negative number, which means no limit as FFTW_NO_TIMELIMIT does; different in each copy of Weft
 * in the process. */
static double tag_limit(void)
{
    return FFTW_NO_TIMELIMIT - (double)((uintptr_t)&limit_place % (1 << 20) + 1) / (1 << 30);
}

bool weft_planner_is_tagged(void)
{
    return weft_timelimit() == tag_limit();
}

bool weft_planner_tag(void)
{
    planner_settings tagged = {.limit = tag_limit(), .has_limit = true};
    pthread_mutex_lock(&lock);
    const double limit = current_limit();
    const bool ok = limit_place >= 0 && (limit == tagged.limit ||
                                         (limit == FFTW_NO_TIMELIMIT && apply_locked(&tagged)));
    pthread_mutex_unlock(&lock);
    return ok;
}
