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
#include <sys/stat.h>
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
TEST(a_thread_alone_has_undisturbed_times)
{
    const double begin = weft_clock();
    double lost = 1;
    while (lost > 0 && weft_clock() - begin < 10)
        lost = lost_in(0.002);
    ck_assert(lost == 0);
}

TEST(a_thread_that_waits_is_not_disturbed)
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

TEST(the_machine_of_the_user_counts)
{
    const size_t second = weft_cache_level2(), share = weft_cache_share();
    const int cores = weft_cores();
    ck_assert(weft_machine_describe("l2=2M,l3=105M cores=2"));
    ck_assert_uint_eq(weft_cache_level2(), 2 << 20);
    ck_assert_uint_eq(weft_cache_last(), 105 << 20);
    ck_assert_uint_eq(weft_cache_share(), 16 << 20); /* not half of a cache that others also use */
    ck_assert_int_eq(weft_cores(), 2);
    ck_assert(weft_machine_describe("l2=1M,l3=32M cores=8"));
    ck_assert_uint_eq(weft_cache_share(), 4 << 20);
    ck_assert(weft_machine_describe("l3=0 l2=8192K cores=12")); /* the cores share level 2 */
    ck_assert_uint_eq(weft_cache_last(), 8 << 20);
    ck_assert_uint_eq(weft_cache_level2(), (8 << 20) / 12);
    ck_assert_uint_eq(weft_cache_share(), (8 << 20) / 12);
    ck_assert(weft_machine_describe("unknown"));
    ck_assert_uint_eq(weft_cache_level2(), 1 << 20);
    ck_assert_int_eq(weft_cores(), cores);
    ck_assert(weft_machine_describe(NULL));
    ck_assert_uint_eq(weft_cache_level2(), second);
    ck_assert_uint_eq(weft_cache_share(), share);
}

static char directory[] = "/tmp/weft-cache-XXXXXX";

static void write_field(int index, const char *field, const char *text)
{
    char name[128];
    snprintf(name, sizeof name, "%s/index%d", directory, index);
    mkdir(name, 0700);
    snprintf(name, sizeof name, "%s/index%d/%s", directory, index, field);
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%s\n", text);
    fclose(file);
}

static void write_cache(int index, const char *level, const char *type, const char *size,
                        const char *map)
{
    write_field(index, "level", level);
    write_field(index, "type", type);
    write_field(index, "size", size);
    write_field(index, "shared_cpu_map", map);
}

static void remove_caches(void)
{
    static const char *const field[] = {"level", "type", "size", "shared_cpu_map", ""};
    char name[128];
    for (int index = 0; index < 4; index++)
        for (int f = 0; f < 5; f++) {
            snprintf(name, sizeof name, "%s/index%d/%s", directory, index, field[f]);
            remove(name);
        }
    rmdir(directory);
}

/* Describes the caches of a machine. Level 1 is the same for all: one core with its threads. */
static void look_at(const char *map_of_core, const char *second, const char *map_of_second,
                    const char *third, const char *map_of_third)
{
    ck_assert_ptr_nonnull(mkdtemp(strcpy(directory, "/tmp/weft-cache-XXXXXX")));
    write_cache(0, "1", "Data", "64K", map_of_core);
    write_cache(1, "1", "Instruction", "64K", map_of_core);
    write_cache(2, "2", "Unified", second, map_of_second);
    if (third)
        write_cache(3, "3", "Unified", third, map_of_third);
    weft_machine_set_folder(directory);
    (void)weft_cache_share(); /* which stores the result */
    remove_caches();
}

TEST(cores_have_parts_of_shared_caches)
{
    look_at("1", "1024K", "1", "32768K", "ff");
    ck_assert_uint_eq(weft_cache_level2(), 1 << 20);
    ck_assert_uint_eq(weft_cache_share(), 4 << 20);
    look_at("00000000,00010001", "1024K", "00000000,00010001", "32768K", "00000000,00ff00ff");
    ck_assert_uint_eq(weft_cache_level2(), 1 << 20); /* two threads of one core */
    ck_assert_uint_eq(weft_cache_share(), 4 << 20);
    look_at("1", "4096K", "f", "32768K", "ffff"); /* little cores */
    ck_assert_uint_eq(weft_cache_level2(), 1 << 20);
    ck_assert_uint_eq(weft_cache_share(), 2 << 20);
    look_at("1", "8192K", "fff", NULL, NULL); /* no third level */
    ck_assert_uint_eq(weft_cache_level2(), (8 << 20) / 12);
    ck_assert_uint_eq(weft_cache_last(), 8 << 20);
    ck_assert_uint_eq(weft_cache_share(), (8 << 20) / 12);
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
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(!weft_machine_describe(wrong[i]), "%s", wrong[i]);
        ck_assert_uint_eq(weft_cache_level2(), 1 << 20);
    }
    ck_assert(weft_machine_describe(""));
}
