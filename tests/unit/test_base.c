/* SPDX-License-Identifier: BSD-3-Clause */
/* Clock, progress, texts and sizes of caches. */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "kernels/base/cache.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "tests/unit/harness.h"

/* Undisturbed times of a thread: no other thread has used its core for an important part.
 */

static atomic_bool over;

/* Computes until `over` is true. */
static void *work(void *nothing)
{
    while (!atomic_load(&over))
        ;
    return nothing;
}

/* Binds this thread, and threads that it creates, to one core. */
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

/* Works for so many seconds and returns the seconds that other threads took. */
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

TEST(a_thread_that_shares_its_core_notices)
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

/* On a busy machine some times are disturbed, so the test tries again. */
TEST(a_thread_alone_or_waiting_has_undisturbed_times, .to = 2)
{
    const double begin = weft_clock();
    double lost = 1;
    while (lost > 0 && weft_clock() - begin < 10) {
        const weft_moment moment = weft_moment_now();
        if (_i)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        else
            lost_in(0.002);
        ck_assert(weft_seconds_since(&moment, &lost) >= 0.002);
    }
    ck_assert(lost == 0);
}

/* Progress is reported every three seconds during planning, by the clock. */

static double the_time;

static double fake_clock(void)
{
    return the_time;
}

static void at(double seconds)
{
    the_time = seconds;
    weft_progress("at %g", seconds);
}

TEST(progress_is_reported_now_and_then)
{
    char said[1024];
    weft_clock_set(fake_clock);
    capture();
    at(50);
    weft_progress_begin("c2c 8x8", 100);
    for (double seconds = 100; seconds < 108; seconds += 0.5)
        at(seconds);
    weft_progress_begin(NULL, 0);
    at(200);
    captured(said, sizeof said);
    weft_clock_set(NULL);
    ck_assert_str_eq(said, "weft: planning c2c 8x8 for 3 s: at 103\n"
                           "weft: planning c2c 8x8 for 6 s: at 106\n");
}

/* Texts have the output of printf, are cut at their capacity, and end with 0. */

/* Tries all capacities, after an existing text. */
#define SAME_AS_PRINTF(...)                                                                        \
    for (size_t capacity = 1; capacity < 200; capacity++) {                                        \
        char wanted[200] = "+", text[200];                                                         \
        snprintf(wanted + (capacity > 1), capacity - (capacity > 1), __VA_ARGS__);                 \
        memset(text, '#', sizeof text);                                                            \
        weft_writer to = weft_write_to(text, capacity);                                            \
        weft_write(&to, "+");                                                                      \
        weft_write(&to, __VA_ARGS__);                                                              \
        if (capacity == 1)                                                                         \
            wanted[0] = '\0';                                                                      \
        ck_assert_str_eq(text, wanted);                                                            \
        ck_assert_uint_eq(to.used, strlen(wanted));                                                \
        ck_assert_int_eq(text[capacity], '#');                                                     \
    }

TEST(texts_are_written_like_printf)
{
    SAME_AS_PRINTF("nothing to fill in");
    SAME_AS_PRINTF("%s, %s and%s", "a word", "", " more");
    SAME_AS_PRINTF("%d %d %d %d", 0, -7, INT_MAX, INT_MIN);
    SAME_AS_PRINTF("%td%td x%td", (ptrdiff_t)0, PTRDIFF_MAX, PTRDIFF_MIN);
    SAME_AS_PRINTF("%s%td%s%d", "x", (ptrdiff_t)1048576, "y", 10);
    SAME_AS_PRINTF("%5d|%-6s|%08x|%.3e|%g", 3, "abc", 255U, 0.00012345, 2.5);
    SAME_AS_PRINTF("100%% of %d %zu %ld %c", 5, sizeof(int), 9L, 'c');
}

/* Sizes of caches, of this machine and as described. */

TEST(cache_sizes_are_sane)
{
    ck_assert_uint_ge(weft_cache_level2(), 64 << 10);
    ck_assert_uint_ge(weft_cache_last(), weft_cache_level2());
    ck_assert_uint_eq(weft_cache_last(), weft_cache_last());
    ck_assert_uint_ge(weft_cache_share(), weft_cache_level2());
    ck_assert_uint_le(weft_cache_share(), weft_cache_last());
}

static void check_caches(size_t level2, size_t last, size_t share)
{
    ck_assert_uint_eq(weft_cache_level2(), level2);
    ck_assert_uint_eq(weft_cache_last(), last);
    ck_assert_uint_eq(weft_cache_share(), share);
}

enum { MB = 1 << 20 };

TEST(the_machine_of_the_user_counts)
{
    const size_t second = weft_cache_level2(), last = weft_cache_last(), share = weft_cache_share();
    const int cores = weft_cores();
    ck_assert(weft_machine_describe("l2=2M,l3=105M cores=2"));
    check_caches(2 * MB, 105 * MB, 16 * MB); /* not half of a cache that others also use */
    ck_assert_int_eq(weft_cores(), 2);
    ck_assert(weft_machine_describe("l2=1M,l3=32M cores=8"));
    check_caches(1 * MB, 32 * MB, 4 * MB);
    ck_assert(weft_machine_describe("l3=0 l2=8192K cores=12")); /* the cores share level 2 */
    check_caches(8 * MB / 12, 8 * MB, 8 * MB / 12);
    ck_assert(weft_machine_describe("unknown"));
    ck_assert_uint_eq(weft_cache_level2(), 1 * MB);
    ck_assert_int_eq(weft_cores(), cores);
    ck_assert(weft_machine_describe(NULL));
    check_caches(second, last, share);
}

/* Caches as Linux describes them. The first level of every machine belongs to one core with its
 * threads. */
static const struct {
    const char *core, *second[2], *third[2]; /* the map of a core; sizes of caches and their maps */
    size_t level2, last, share;
} machines[] = {
    {"1", {"1024K", "1"}, {"32768K", "ff"}, 1 * MB, 32 * MB, 4 * MB},
    /* two threads of one core */
    {"00000000,00010001",
     {"1024K", "00000000,00010001"},
     {"32768K", "00000000,00ff00ff"},
     1 * MB,
     32 * MB,
     4 * MB},
    /* little cores */
    {"1", {"4096K", "f"}, {"32768K", "ffff"}, 1 * MB, 32 * MB, 2 * MB},
    /* no third level */
    {"1", {"8192K", "fff"}, {NULL, NULL}, 8 * MB / 12, 8 * MB, 8 * MB / 12},
};

TEST(cores_have_parts_of_shared_caches, .to = NUMBER(machines))
{
    const char *const *second = machines[_i].second, *const *third = machines[_i].third;
    const char *const cache[][4] = {{"1", "Data", "64K", machines[_i].core},
                                    {"1", "Instruction", "64K", machines[_i].core},
                                    {"2", "Unified", second[0], second[1]},
                                    {"3", "Unified", third[0], third[1]}};
    char directory[] = "/tmp/weft-cache-XXXXXX", command[400];
    ck_assert_ptr_nonnull(mkdtemp(directory));
    for (int i = 0; i < 4 && cache[i][2]; i++) {
        snprintf(command, sizeof command,
                 "mkdir %s/index%d && cd %s/index%d && echo %s >level && echo %s >type && "
                 "echo %s >size && echo %s >shared_cpu_map",
                 directory, i, directory, i, cache[i][0], cache[i][1], cache[i][2], cache[i][3]);
        ck_assert_int_eq(system(command), 0);
    }
    weft_machine_set_folder(directory);
    (void)weft_cache_share(); /* which stores the result */
    snprintf(command, sizeof command, "rm -r %s", directory);
    ck_assert_int_eq(system(command), 0);
    check_caches(machines[_i].level2, machines[_i].last, machines[_i].share);
}

TEST(a_wrong_machine_changes_nothing)
{
    static const char longest[] =
        "cores=0000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "00000000000000000000000000000000000000000000000000000000000000000000000001";
    static const char *const wrong[] = {"fast",         "l2",
                                        "l2=",          "l2=1",
                                        "l2=-1M",       "l2=1MB",
                                        "l2=1T",        "l2=99999999999999999999G",
                                        "l3=1K",        "cores=0",
                                        "cores=100000", "l2=1M l4=2M",
                                        "l2 = 1M",      "unknown l2=1M",
                                        longest};
    ck_assert(weft_machine_describe("l2=1M"));
    for (int i = 0; i < NUMBER(wrong); i++) {
        ck_assert_msg(!weft_machine_describe(wrong[i]), "%s", wrong[i]);
        ck_assert_uint_eq(weft_cache_level2(), 1 << 20);
    }
    ck_assert(weft_machine_describe(""));
}
