/* SPDX-License-Identifier: BSD-3-Clause */
/* Which times are a thread's own: not where another one has had its core for a part that matters.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include "kernels/base/clock.h"
#include "tests/unit/harness.h"

static atomic_bool over;

/* Works, until it is over. */
static void *work(void *nothing)
{
    while (!atomic_load(&over))
        ;
    return nothing;
}

/* On one core, with what is created from now on. */
static void stay(void)
{
    cpu_set_t may, one;
    CPU_ZERO(&one);
    ck_assert_int_eq(sched_getaffinity(0, sizeof may, &may), 0);
    for (int core = 0; CPU_COUNT(&one) == 0; core++)
        if (CPU_ISSET(core, &may))
            CPU_SET(core, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
}

/* Of so many seconds of work, those that were not this thread's own. */
static double lost_in(double seconds)
{
    double lost, passed;
    const weft_moment begin = weft_moment_now();
    do
        passed = weft_seconds_since(&begin, &lost);
    while (passed < seconds);
    ck_assert(lost >= 0 && lost < passed);
    return lost;
}

TEST(a_thread_that_shares_its_core_sees_it)
{
    pthread_t other;
    stay();
    ck_assert_int_eq(pthread_create(&other, NULL, work, NULL), 0);
    const double begin = weft_clock();
    double lost = 0;
    while (lost < 0.001 && weft_clock() - begin < 10)
        lost = lost_in(0.05);
    atomic_store(&over, true);
    pthread_join(other, NULL);
    ck_assert(lost >= 0.001);
}

/* On a machine that does other things, some times are not. */
TEST(a_thread_alone_has_times_of_its_own)
{
    const double begin = weft_clock();
    double lost = 1;
    while (lost > 0 && weft_clock() - begin < 10)
        lost = lost_in(0.002);
    ck_assert(lost == 0);
}

TEST(who_waits_of_itself_is_not_disturbed)
{
    const double begin = weft_clock();
    double lost = 1;
    while (lost > 0 && weft_clock() - begin < 10) {
        const weft_moment moment = weft_moment_now();
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        ck_assert(weft_seconds_since(&moment, &lost) >= 0.002);
    }
    ck_assert(lost == 0);
}

static double a_second(void)
{
    static double now;
    return now += 1;
}

TEST(a_test_tells_the_time)
{
    double lost;
    weft_clock_set(a_second);
    const weft_moment moment = weft_moment_now();
    ck_assert(weft_seconds_since(&moment, &lost) == 1 && lost == 0);
}
