/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sizes of this machine's caches, in bytes, and how many cores it has. Asked of the system
 * once, with sane values where it does not tell; or as the user says.
 */
#ifndef WEFT_CACHE_H
#define WEFT_CACHE_H

#include <stdbool.h>
#include <stddef.h>

enum { WEFT_LINE = 64 }; /* of a cache, of the processors that matter */

size_t weft_cache_level2(void); /* what one core has for itself, or nearly */
size_t weft_cache_last(void);   /* the last level, that cores share: never less than level 2 */

/* What of the last level is left for one core when all are at work; never less than level 2. */
size_t weft_cache_share(void);

/* Processors that are at work, as threads count. */
int weft_cores(void);

/* What the user says of this machine, from now on: "l2=1M l3=32M cores=8", any of them, in any
 * order: what a core has of level 2, and how many share level 3; with "l3=0" they share level 2;
 * "unknown": the system tells nothing; NULL or "": ask it. False, with an error, and nothing
 * changed, where that cannot be understood. */
bool weft_machine_tell(const char *description);
/* How many cores the user says there are; 0: asked of the system. */
int weft_cores_told(void);

/* For tests: the folder where the system tells of the first processor's caches, from now on. */
void weft_machine_look(const char *folder);

#endif
