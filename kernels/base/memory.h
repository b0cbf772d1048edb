/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for large arrays: aligned to a page, and on huge pages where the system has them. */
#ifndef WEFT_MEMORY_H
#define WEFT_MEMORY_H

#include <stddef.h>

/* NULL: there is none. Of no bytes there is some. To be freed with weft_memory_free. */
void *weft_memory_get(size_t bytes);
/* Bytes that may be held for later although nobody needs them now: a sixteenth of what the machine
 * has, but 256 MiB at most, and none while three quarters of it are in use, or where that cannot be
 * known. */
size_t weft_memory_to_spare(void);
void weft_memory_free(void *memory);

#endif
