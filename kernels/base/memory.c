/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes walk large arrays in long strides, which small pages make slow. */
#include "kernels/base/memory.h"
#include <stdbool.h>
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

void weft_memory_free(void *memory)
{
    free(memory);
}
