/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libfftw3 keeps the limit in its planner and has no function that tells it. Where in the planner
 * it lies is found out by setting it, once, to numbers that are nowhere else, and looking which
 * number of that memory has become them. Where that is not exactly one, as in a libfftw3 that is
 * not known, there is no limit. To take the place of fftw_set_timelimit instead would miss programs
 * that are linked in another order, or statically.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#if defined(HAVE_MALLOC_USABLE_SIZE)
#include <malloc.h>
#endif
#include "kernels/pass/planner.h"
#include "kernels/pass/timelimit.h"

/* Exported, though in no header. */
extern void *FFTW(the_planner)(void) __attribute__((weak));

enum { NOT_LOOKED_FOR = -2, UNKNOWN = -1, MOST_BYTES = 512 /* a planner of 3.3.10 has 288 */ };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int place = NOT_LOOKED_FOR; /* of the limit, in doubles */
static bool lowered;
static double given; /* by the program, where it is lowered */

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

/* By the system where it does that: not all of a planner need have been written to, and tools would
 * say that this is read. */
static void copy_planner(char *copy, const void *planner, size_t size)
{
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (memory < 0 || pread(memory, copy, size, (off_t)(uintptr_t)planner) != (ssize_t)size)
        memcpy(copy, planner, size);
    if (memory >= 0)
        close(memory);
}

/* The only place of a number; UNKNOWN: there is none, or there are several. */
static int place_of(double number, const void *planner, size_t size)
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

/* While no other thread plans, if the program has that seen to; else it would be with a limit of
 * many days. */
static void look_for_place(void *found)
{
    static const double rare[] = {123456789.0625, 234567891.03125};
    char before[MOST_BYTES];
    void *planner = FFTW(the_planner)();
    const size_t size = size_of(planner);
    memcpy(before, planner, size);
    FFTW(set_timelimit)(rare[0]);
    const int first = place_of(rare[0], planner, size);
    FFTW(set_timelimit)(rare[1]);
    const int second = place_of(rare[1], planner, size);
    FFTW(set_timelimit)(first >= 0 ? number_at(before, first) : FFTW_NO_TIMELIMIT);
    *(int *)found = first == second ? first : UNKNOWN;
}

/* With the lock held. */
static double current(void)
{
    if (!FFTW(the_planner))
        return FFTW_NO_TIMELIMIT;
    if (place == NOT_LOOKED_FOR)
        weft_planner_locked(look_for_place, &place);
    return place >= 0 ? number_at(FFTW(the_planner)(), place) : FFTW_NO_TIMELIMIT;
}

double weft_timelimit(void)
{
    pthread_mutex_lock(&lock);
    const double limit = current();
    pthread_mutex_unlock(&lock);
    return limit;
}

static void set(void *seconds)
{
    FFTW(set_timelimit)(*(double *)seconds);
}

/* Negative as FFTW_NO_TIMELIMIT is, and its own in every copy of Weft. */
static double mark(void)
{
    return FFTW_NO_TIMELIMIT - (double)((uintptr_t)&place % (1 << 20) + 1) / (1 << 30);
}

bool weft_timelimit_is_marked(void)
{
    return weft_timelimit() == mark();
}

bool weft_timelimit_mark(void)
{
    double marked = mark();
    pthread_mutex_lock(&lock);
    const double limit = current();
    const bool ok =
        place >= 0 &&
        (limit == marked || (limit == FFTW_NO_TIMELIMIT && weft_planner_locked(set, &marked)));
    pthread_mutex_unlock(&lock);
    return ok;
}

/* What cannot be read could not be restored, and is left alone. */
void weft_timelimit_lower(double seconds)
{
    pthread_mutex_lock(&lock);
    if (seconds < 0)
        return;
    given = current();
    lowered = place >= 0 && (given < 0 || seconds < given) && weft_planner_locked(set, &seconds);
}

void weft_timelimit_restore(void)
{
    if (lowered)
        weft_planner_locked(set, &given);
    lowered = false;
    pthread_mutex_unlock(&lock);
}
