/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory and files of this process, and how they have grown. */
#ifndef FUZZ_GROWTH_H
#define FUZZ_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

enum { GROWTH_RESIDENT, GROWTH_ADDRESSES, GROWTH_HEAP, GROWTH_SHARED, GROWTH_FILES, GROWTH_KINDS };

typedef struct {
    long amount[GROWTH_KINDS]; /* KiB; numbers for mappings of shared memory and open files */
} growth;

growth growth_now(void);
/* Writes "resident 31204 KiB, address space ...". */
void growth_describe(const growth *now, char *text, size_t capacity);
/* Returns NULL, or a sentence about an amount that has grown beyond its limit. */
const char *growth_wrong(const growth *before, const growth *now, char *text, size_t capacity);

#endif
