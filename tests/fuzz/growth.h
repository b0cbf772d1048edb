/* SPDX-License-Identifier: BSD-3-Clause */
/* What this process holds, and what has grown. */
#ifndef FUZZ_GROWTH_H
#define FUZZ_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

enum { GROWTH_RESIDENT, GROWTH_ADDRESSES, GROWTH_HEAP, GROWTH_SHARED, GROWTH_FILES, GROWTH_KINDS };

typedef struct {
    long
        amount[GROWTH_KINDS]; /* KiB, but for numbers of mappings of shared memory and open files */
} growth;

growth growth_now(void);
/* "resident 31204 KiB, address space ...". */
void growth_describe(const growth *now, char *text, size_t capacity);
/* NULL, or what has grown beyond the bound. */
const char *growth_wrong(const growth *before, const growth *now, char *text, size_t capacity);

#endif
