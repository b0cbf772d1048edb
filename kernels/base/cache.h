/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sizes of this machine's caches, in bytes, and how many cores it has. Asked of the system
 * once, with sane values where it does not tell.
 */
#ifndef WEFT_CACHE_H
#define WEFT_CACHE_H

#include <stddef.h>

enum { WEFT_LINE = 64 }; /* of a cache, of the processors that matter */

size_t weft_cache_level2(void); /* what one core has for itself, or nearly */
size_t weft_cache_last(void);   /* the last level, that cores share: never less than level 2 */

/* What of the last level is left for one core when all are at work; never less than level 2. */
size_t weft_cache_share(void);

/* Processors that are at work, as threads count. */
int weft_cores(void);

#endif
