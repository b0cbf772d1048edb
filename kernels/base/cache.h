/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sizes of this machine's caches, in bytes, and the number of its cores. Weft asks the system
 * once, and uses sensible defaults where the system gives no answer. The user can override the
 * values.
 */
#ifndef WEFT_CACHE_H
#define WEFT_CACHE_H

#include <stdbool.h>
#include <stddef.h>

enum { WEFT_LINE = 64 }; /* bytes of a cache line on the processors that matter */

size_t weft_cache_level2(void); /* size of level 2 per core */
/* Size of the last level, which cores share; never less than level 2. */
size_t weft_cache_last(void);

/* The share of one core in the last level when all cores work; never less than level 2. */
size_t weft_cache_share(void);

/* Number of processors online, counting hardware threads. */
int weft_cores_online(void);
/* The same, or the number that the user gave. */
int weft_cores(void);

/* Sets the user's description of this machine, such as "l2=1M l3=32M cores=8": any of these words,
 * in any order. l2 is the size of level 2 per core, l3 the size of level 3, and cores the number of
 * cores that share level 3. With "l3=0" the cores share level 2. "unknown": use the defaults
 * instead of asking the system. NULL or "": ask the system. Returns false, with an error and
 * nothing changed, when the text is not valid. */
bool weft_machine_describe(const char *description);
/* The number of cores that the user has set; 0: the system decides. */
int weft_cores_set(void);

/* For tests: sets the folder in which the system describes the caches of the first processor. */
void weft_machine_set_folder(const char *folder);

#endif
