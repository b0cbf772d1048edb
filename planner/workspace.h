/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The workspace: scratch memory that all plans of a process share, one per kind of memory, as
 * large as the largest plan needs. Its contents do not survive a run. A plan reserves its size
 * while the plan exists, so that runs allocate nothing.
 */
#ifndef WEFT_WORKSPACE_H
#define WEFT_WORKSPACE_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/device/memory.h"

/* Reserves workspace for a plan in its device's memory or, with `pinned`, in pinned host memory;
 * `device` NULL: ordinary host memory. False with an error when there is no memory. Local. The
 * caller has made the device current; the same holds for the functions below. */
bool weft_workspace_reserve(const weft_device *device, bool pinned, size_t bytes);
void weft_workspace_unreserve(const weft_device *device, bool pinned, size_t bytes);
/* Frees workspace that is kept although no plan exists. */
void weft_workspace_cleanup(void);

/* Borrows the workspace, aligned to a page, for one run. The run gets separate memory when another
 * thread uses the workspace. If a device may still use the workspace for an earlier run, the new
 * run's queue waits for that work; for pinned memory the caller waits. */
void *weft_workspace_borrow(weft_device *device, bool pinned, size_t bytes);
void weft_workspace_return(weft_device *device, bool pinned, void *workspace);

#endif
