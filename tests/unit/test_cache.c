/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of caches, whatever machine this is, or is said to be. */
#include "kernels/base/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/harness.h"

TEST(cache_sizes_are_sane)
{
    ck_assert_uint_ge(weft_cache_level2(), 64 << 10);
    ck_assert_uint_ge(weft_cache_last(), weft_cache_level2());
    ck_assert_uint_eq(weft_cache_last(), weft_cache_last());
    ck_assert_uint_ge(weft_cache_share(), weft_cache_level2());
    ck_assert_uint_le(weft_cache_share(), weft_cache_last());
}

TEST(what_the_user_says_counts)
{
    const size_t second = weft_cache_level2(), share = weft_cache_share();
    const int cores = weft_cores();
    ck_assert(weft_machine_describe("l2=2M,l3=105M cores=2"));
    ck_assert_uint_eq(weft_cache_level2(), 2 << 20);
    ck_assert_uint_eq(weft_cache_last(), 105 << 20);
    ck_assert_uint_eq(weft_cache_share(), 16 << 20); /* not half of what others use, too */
    ck_assert_int_eq(weft_cores(), 2);
    ck_assert(weft_machine_describe("l2=1M,l3=32M cores=8"));
    ck_assert_uint_eq(weft_cache_share(), 4 << 20);
    ck_assert(weft_machine_describe("l3=0 l2=8192K cores=12")); /* which share level 2 */
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

/* What it tells of level 1 is the same for all: one core, with as many threads as it has. */
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
    (void)weft_cache_share(); /* and remembers it */
    remove_caches();
}

TEST(cores_have_parts_of_what_they_share)
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
    look_at("1", "8192K", "fff", NULL, NULL); /* there is no third level */
    ck_assert_uint_eq(weft_cache_level2(), (8 << 20) / 12);
    ck_assert_uint_eq(weft_cache_last(), 8 << 20);
    ck_assert_uint_eq(weft_cache_share(), (8 << 20) / 12);
}

TEST(what_makes_no_sense_changes_nothing)
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
