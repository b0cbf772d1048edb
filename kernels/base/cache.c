/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cache sizes. The first source is Linux's /sys. The second is sysconf, which asks the processor
 * itself: under a hypervisor the answer describes the whole socket (384 MiB where the guest really
 * has 32). The last is a guess that is right within a factor of two for most machines.
 */
#include "kernels/base/cache.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/error.h"

enum { MAX_INDEX = 8, MAX_CORES = 1 << 16 };
enum { FIRST = 2, LEVELS = 2 }; /* the levels 2 and 3 */
/* The largest share of a core in the last level, as a multiple of the core's level 2. Reason: where
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

/* The system's answers. */
static struct {
    size_t level[LEVELS]; /* 0: the machine has no such cache */
    int sharers[LEVELS];  /* number of cores that share a level */
    int cores;
} machine;
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Caches of the first processor. */
static const char *folder = "/sys/devices/system/cpu/cpu0/cache";

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

static size_t size_from_system(int level)
{
    size_t size = size_from_sys(level);
    if (!size && level > FIRST && size_from_sys(FIRST))
        return 0; /* /sys describes level 2, so a missing level 3 does not exist */
    if (!size)
        size = size_from_sysconf(level);
    return size < least[level - FIRST] ? guess[level - FIRST] : size;
}

static void ask(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const int threads_of_core = processors_of(1);
    machine.cores = online < 1 ? 1 : (int)online;
    for (int i = 0; i < LEVELS; i++) {
        const int cores = threads_of_core > 0 ? processors_of(FIRST + i) / threads_of_core : 0;
        machine.level[i] = size_from_system(FIRST + i);
        machine.sharers[i] = cores > 0 ? cores : i > 0 ? machine.cores : 1;
    }
}

void weft_machine_set_folder(const char *at)
{
    pthread_once(&once, ask);
    folder = at;
    ask();
}

static size_t size_of_level(int level)
{
    const size_t set = user_level[level - FIRST];
    pthread_once(&once, ask);
    return set == NONE ? 0 : set ? set : machine.level[level - FIRST];
}

int weft_cores_set(void)
{
    return user_cores;
}

int weft_cores_online(void)
{
    pthread_once(&once, ask);
    return machine.cores;
}

int weft_cores(void)
{
    const int set = user_cores;
    return set ? set : weft_cores_online();
}

size_t weft_cache_level2(void)
{
    const size_t second = size_of_level(2);
    /* level 2 of a size that the user has set is shared only if it is the last level */
    const int cores = !user_level[0] ? machine.sharers[0] : size_of_level(3) ? 1 : weft_cores();
    const size_t part = second / (size_t)cores;
    return part > least[0] ? part : least[0];
}

size_t weft_cache_last(void)
{
    size_t second = size_of_level(2), third = size_of_level(3);
    return third > second ? third : second;
}

size_t weft_cache_share(void)
{
    const size_t second = weft_cache_level2(), bound = MOST_SHARE * second;
    const int set = user_cores, cores = set ? set : machine.sharers[1];
    const size_t share = size_of_level(3) / (size_t)cores;
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
        user_level[i] = it.level[i];
    user_cores = (int)it.cores;
    return true;
}
