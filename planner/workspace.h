/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The workspace: one piece of memory of a kind that all plans of a process share, as large as the
 * largest of them needs. It holds nothing from one run to the next. A plan reserves what it needs
 * for as long as it lives, so that running allocates nothing.
 */
#ifndef WEFT_WORKSPACE_H
#define WEFT_WORKSPACE_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/device/memory.h"

/* Makes room for a plan; false and an error when there is no memory. Local. Of other memory than
 * the host's the device is the current one, here and below. */
bool weft_workspace_reserve(weft_memory_kind kind, size_t bytes);
void weft_workspace_unreserve(weft_memory_kind kind, size_t bytes);
/* Gives back what is kept for plans to come. */
void weft_workspace_cleanup(void);

/* Borrows it for one run; aligned to a page. When another thread runs a plan at this moment, the
 * run gets memory of its own. What a device still does there for the run before this one waits for:
 * its queue, or of pinned memory the caller. */
void *weft_workspace_borrow(weft_memory_kind kind, size_t bytes, weft_device *device);
void weft_workspace_return(weft_memory_kind kind, void *workspace, weft_device *device);

#endif
