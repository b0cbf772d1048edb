/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for objects, and for large arrays: those are aligned to a page, and on huge pages where
 * the system has them. */
#ifndef WEFT_MEMORY_H
#define WEFT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Allocates `count` zeroed objects of `size` bytes, which free() frees; also for 0 objects. Returns
 * NULL with the error "no memory for WHAT: ... bytes" if there is no memory. */
void *weft_new(size_t count, size_t size, const char *what);

/* The bytes rounded up to a multiple of `unit`. */
static inline size_t weft_round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Allocates memory, even for 0 bytes; NULL without memory. free() frees it. */
void *weft_memory_allocate(size_t bytes);
/* Maps memory without pages, as the system provides large arrays: only pages that are touched take
 * memory. munmap() frees it. NULL: the system has no such range of addresses. */
char *weft_memory_map(size_t bytes);
/* Number of bytes that Weft may keep for later use: a sixteenth of the machine's memory, at most
 * 256 MiB; 0 while more than three quarters of the memory are in use, or where the system does not
 * say. */
size_t weft_memory_to_keep(void);
/* Bytes that the machine has left for programs; UINT64_MAX where the system does not say. */
uint64_t weft_memory_available(void);

#endif
