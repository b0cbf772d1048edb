/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cache sizes. Linux's /sys comes first: sysconf asks the processor itself, which under a
 * hypervisor describes the whole socket (384 MiB where the guest really has 32). sysconf comes
 * next, then a guess that is right within a factor of two for most machines.
 */
#include "cache.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_INDEX = 8 };
enum { LEVELS = 3 };

static const size_t least[LEVELS] = {8 << 10, 64 << 10, 256 << 10};
static const size_t guess[LEVELS] = {32 << 10, 512 << 10, 8 << 20};

/* The size of the data or unified cache of a level, 0 when /sys does not say. */
static size_t size_from_sys(int level)
{
    for (int index = 0; index < MAX_INDEX; index++) {
        char name[64], type[32] = "";
        int this_level = 0;
        unsigned long kilobytes = 0;
        static const char *const field[] = {"level", "type", "size"};
        for (int f = 0; f < 3; f++) {
            snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index,
                     field[f]);
            FILE *file = fopen(name, "r");
            if (!file)
                return 0;
            int read = f == 0   ? fscanf(file, "%d", &this_level)
                       : f == 1 ? fscanf(file, "%31s", type)
                                : fscanf(file, "%luK", &kilobytes);
            fclose(file);
            if (read != 1)
                return 0;
        }
        if (this_level == level && strcmp(type, "Instruction") != 0)
            return (size_t)kilobytes << 10;
    }
    return 0;
}

static size_t size_from_sysconf(int level)
{
    long size = -1;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    static const int name[LEVELS] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                     _SC_LEVEL3_CACHE_SIZE};
    size = sysconf(name[level - 1]);
#else
    (void)level;
#endif
    return size > 0 ? (size_t)size : 0;
}

static size_t size_of_level(int level)
{
    static _Atomic size_t known[LEVELS]; /* the same whoever finds it out first */
    size_t size = atomic_load_explicit(&known[level - 1], memory_order_relaxed);
    if (size)
        return size;
    size = size_from_sys(level);
    if (!size)
        size = size_from_sysconf(level);
    if (size < least[level - 1])
        size = guess[level - 1];
    atomic_store_explicit(&known[level - 1], size, memory_order_relaxed);
    return size;
}

size_t weft_cache_level1(void)
{
    return size_of_level(1);
}

size_t weft_cache_level2(void)
{
    return size_of_level(2);
}

size_t weft_cache_last(void)
{
    size_t second = size_of_level(2), third = size_of_level(3);
    return third > second ? third : second;
}
