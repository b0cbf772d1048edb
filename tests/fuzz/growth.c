/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads /proc; on systems without it all amounts are 0. */
#include "tests/fuzz/growth.h"
#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The allowed growth: MPI and FFTW keep memory, and the heap has holes. Weft keeps a window, with
 * three mappings, for each group of ranks on a node; 4 ranks have 64 groups. */
static const struct {
    const char *name, *unit;
    long bound;
} kinds[GROWTH_KINDS] = {
    [GROWTH_RESIDENT] = {"resident memory", " KiB", 8192},
    [GROWTH_ADDRESSES] = {"address space", " KiB", 32768},
    [GROWTH_HEAP] = {"heap in use", " KiB", 2048},
    [GROWTH_SHARED] = {"mappings of shared memory", "", 40},
    [GROWTH_FILES] = {"open files", "", 2},
};

static long status_of(const char *name)
{
    char line[200];
    long value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            value = strtol(line + strlen(name), NULL, 10);
    if (file)
        fclose(file);
    return value;
}

/* Counts mappings of segments, which are files without names, or in /dev/shm. */
static long shared_mappings(void)
{
    char line[4200];
    long count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && fgets(line, sizeof line, file))
        count += strstr(line, "/memfd:weft") || strstr(line, "/dev/shm/");
    if (file)
        fclose(file);
    return count;
}

static long open_files(void)
{
    long count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

growth growth_now(void)
{
    growth now = {{0}};
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    malloc_trim(0);
    const struct mallinfo2 heap = mallinfo2();
    now.amount[GROWTH_HEAP] = (long)((heap.uordblks + heap.hblkhd) / 1024);
#endif
    now.amount[GROWTH_RESIDENT] = status_of("VmRSS:");
    now.amount[GROWTH_ADDRESSES] = status_of("VmSize:");
    now.amount[GROWTH_SHARED] = shared_mappings();
    now.amount[GROWTH_FILES] = open_files();
    return now;
}

void growth_describe(const growth *now, char *text, size_t capacity)
{
    size_t at = 0;
    for (int i = 0; i < GROWTH_KINDS && at < capacity; i++)
        at += (size_t)snprintf(text + at, capacity - at, "%s%s %ld%s", i ? ", " : "", kinds[i].name,
                               now->amount[i], kinds[i].unit);
}

const char *growth_wrong(const growth *before, const growth *now, char *text, size_t capacity)
{
    for (int i = 0; i < GROWTH_KINDS; i++)
        if (now->amount[i] - before->amount[i] > kinds[i].bound) {
            snprintf(text, capacity, "%s has grown from %ld to %ld%s, by more than %ld",
                     kinds[i].name, before->amount[i], now->amount[i], kinds[i].unit,
                     kinds[i].bound);
            return text;
        }
    return NULL;
}
