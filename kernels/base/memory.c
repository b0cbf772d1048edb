/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes walk large arrays in long strides, which small pages make slow. */
#include "kernels/base/memory.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

void *weft_memory_get(size_t bytes)
{
    void *memory = NULL;
    const bool large = bytes >= 2 * HUGE_PAGE;
    if (posix_memalign(&memory, large ? HUGE_PAGE : PAGE, bytes > 0 ? bytes : 1) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (large)
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

size_t weft_memory_to_spare(void)
{
    const unsigned long long most = 256ULL << 20;
    unsigned long long total = 0, available = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && (!total || !available) && fgets(line, sizeof line, file))
        if (sscanf(line, "MemTotal: %llu", &total) != 1)
            (void)sscanf(line, "MemAvailable: %llu", &available);
    if (file)
        fclose(file);
    if (available < total / 4)
        return 0;
    const unsigned long long share = total / 16 * 1024;
    return (size_t)(share < most ? share : most);
}

void weft_memory_free(void *memory)
{
    free(memory);
}
