/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cache sizes. The first source is Linux's /sys. The second is sysconf, which asks the processor
 * itself: under a hypervisor the answer describes the whole socket (384 MiB where the guest really
 * has 32). The last is a guess that is right within a factor of two for most machines.
 */
#include "kernels/base/cache.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/error.h"

enum { MAX_INDEX = 8, MAX_CORES = 1 << 16 };
enum { FIRST = 2, LEVELS = 2 }; /* the levels 2 and 3 */
/* The largest share of a core in the last level, as a multiple of its own level 2. Reason: where
 * the system says that two cores share 105 MiB, they see the cache of a large chip, whose other
 * cores belong to other guests. */
enum { MOST_SHARE = 8 };

static const size_t least[LEVELS] = {64 << 10, 256 << 10};
static const size_t guess[LEVELS] = {1 << 20, 8 << 20};
static const size_t most = (size_t)1 << (sizeof(size_t) > 4 ? 38 : 31);

/* The user's description; 0: not set. */
typedef struct {
    size_t level[LEVELS]; /* NONE: the machine has no such cache */
    size_t cores;
} description;
enum { NONE = 1 };
static _Atomic size_t user_level[LEVELS];
static atomic_int user_cores;

/* The system's answers, which do not depend on the thread that asks first; 0: not asked yet. */
static _Atomic size_t known[LEVELS];
static atomic_int known_cores, known_sharers[LEVELS];
/* Caches of the first processor. */
static const char *folder = "/sys/devices/system/cpu/cpu0/cache";

void weft_machine_set_folder(const char *at)
{
    folder = at;
    atomic_store(&known_cores, 0);
    for (int i = 0; i < LEVELS; i++) {
        atomic_store(&known[i], 0);
        atomic_store(&known_sharers[i], 0);
    }
}

static bool read_field(int index, const char *field, char *text, size_t capacity)
{
    char name[256];
    snprintf(name, sizeof name, "%.200s/index%d/%s", folder, index, field);
    FILE *file = fopen(name, "r");
    if (!file)
        return false;
    const bool read = fgets(text, (int)capacity, file) != NULL;
    fclose(file);
    return read;
}

/* The index of the data or unified cache of a level; negative when /sys does not have it. */
static int index_of_level(int level)
{
    char text[32];
    for (int index = 0; index < MAX_INDEX; index++) {
        if (!read_field(index, "level", text, sizeof text))
            return -1;
        if (atoi(text) == level && read_field(index, "type", text, sizeof text) &&
            strncmp(text, "Instruction", 11) != 0)
            return index;
    }
    return -1;
}

static size_t size_from_sys(int level)
{
    char text[32];
    const int index = index_of_level(level);
    if (index < 0 || !read_field(index, "size", text, sizeof text))
        return 0;
    return (size_t)strtoul(text, NULL, 10) << 10; /* always in KiB */
}

/* The number of processors that share the cache of a level with the first one; 0 when /sys does not
 * say. */
static int processors_of(int level)
{
    char text[1024];
    int count = 0;
    const int index = index_of_level(level);
    if (index < 0 || !read_field(index, "shared_cpu_map", text, sizeof text))
        return 0;
    for (const char *at = text; *at; at++) /* a mask in hexadecimal digits, with commas */
        if (isxdigit((unsigned char)*at)) {
            const char digit[2] = {*at, '\0'};
            count += __builtin_popcountl(strtoul(digit, NULL, 16));
        }
    return count;
}

static size_t size_from_sysconf(int level)
{
    long size = -1;
#ifdef _SC_LEVEL2_CACHE_SIZE
    size = sysconf(level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
#else
    (void)level;
#endif
    return size > 0 ? (size_t)size : 0;
}

static size_t size_of_level(int level)
{
    size_t size = atomic_load_explicit(&user_level[level - FIRST], memory_order_relaxed);
    if (!size)
        size = atomic_load_explicit(&known[level - FIRST], memory_order_relaxed);
    if (size)
        return size == NONE ? 0 : size;
    size = size_from_sys(level);
    if (!size && level > FIRST && size_from_sys(FIRST))
        size = NONE; /* /sys describes level 2, so a missing level 3 does not exist */
    if (!size)
        size = size_from_sysconf(level);
    if (size != NONE && size < least[level - FIRST])
        size = guess[level - FIRST];
    atomic_store_explicit(&known[level - FIRST], size, memory_order_relaxed);
    return size == NONE ? 0 : size;
}

int weft_cores_set(void)
{
    return atomic_load_explicit(&user_cores, memory_order_relaxed);
}

int weft_cores(void)
{
    if (!atomic_load_explicit(&known_cores, memory_order_relaxed)) {
        const long online = sysconf(_SC_NPROCESSORS_ONLN);
        atomic_store_explicit(&known_cores, online < 1 ? 1 : (int)online, memory_order_relaxed);
    }
    const int set = weft_cores_set();
    return set ? set : atomic_load_explicit(&known_cores, memory_order_relaxed);
}

/* The number of cores that share a level; `otherwise` when the system does not say. */
static int sharers(int level, int otherwise)
{
    atomic_int *its = &known_sharers[level - FIRST];
    if (!atomic_load_explicit(its, memory_order_relaxed)) {
        const int threads_of_core = processors_of(1),
                  cores = threads_of_core > 0 ? processors_of(level) / threads_of_core : 0;
        atomic_store_explicit(its, cores < 1 ? otherwise : cores, memory_order_relaxed);
    }
    return atomic_load_explicit(its, memory_order_relaxed);
}

/* The number of cores that share level 2. If the user has set its size, level 2 is shared only when
 * it is the last level. */
static int cores_of_second(void)
{
    if (!atomic_load_explicit(&user_level[0], memory_order_relaxed))
        return sharers(2, 1);
    return size_of_level(3) > 0 ? 1 : weft_cores();
}

size_t weft_cache_level2(void)
{
    const size_t part = size_of_level(2) / (size_t)cores_of_second();
    return part > least[0] ? part : least[0];
}

size_t weft_cache_last(void)
{
    size_t second = size_of_level(2), third = size_of_level(3);
    return third > second ? third : second;
}

size_t weft_cache_share(void)
{
    const int cores = weft_cores_set() ? weft_cores_set() : sharers(3, weft_cores());
    const size_t second = weft_cache_level2(), bound = MOST_SHARE * second,
                 share = size_of_level(3) / (size_t)cores;
    return share > bound ? bound : share > second ? share : second;
}

/* Parses a whole number that K, M or G may follow; 0: not a number, or out of bounds. */
static size_t amount(const char *text, size_t least_of_all)
{
    static const char units[] = "KMG";
    char *end;
    if (!isdigit((unsigned char)*text))
        return 0;
    unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (end[unit != NULL] || number > most >> shift || number << shift < least_of_all)
        return 0;
    return (size_t)(number << shift);
}

/* Parses one word of a description; returns false when the word is not valid. */
static bool understood(const char *word, description *it)
{
    if (strncmp(word, "l2=", 3) == 0)
        return (it->level[0] = amount(word + 3, least[0])) != 0;
    if (strcmp(word, "l3=0") == 0)
        return (it->level[1] = NONE) != 0;
    if (strncmp(word, "l3=", 3) == 0)
        return (it->level[1] = amount(word + 3, least[1])) != 0;
    if (strncmp(word, "cores=", 6) == 0)
        return (it->cores = amount(word + 6, 1)) != 0 && it->cores <= MAX_CORES;
    return false;
}

bool weft_machine_describe(const char *text)
{
    description it = {0};
    char copy[128], *rest = copy;
    const bool unknown = text && strcmp(text, "unknown") == 0;
    bool ok = !text || strlen(text) < sizeof copy;
    if (unknown)
        it = (description){{guess[0], guess[1]}, 0};
    strcpy(copy, text && ok && !unknown ? text : "");
    for (char *word; ok && (word = strsep(&rest, " ,"));)
        ok = !*word || understood(word, &it);
    if (!ok)
        return weft_error("WEFT_MACHINE is \"%.60s\"; it should be as \"l2=1M l3=32M cores=8\", or "
                          "\"unknown\"",
                          text);
    for (int i = 0; i < LEVELS; i++)
        atomic_store_explicit(&user_level[i], it.level[i], memory_order_relaxed);
    atomic_store_explicit(&user_cores, (int)it.cores, memory_order_relaxed);
    return true;
}
