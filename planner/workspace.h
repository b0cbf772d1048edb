/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The workspace: one piece of memory that all plans of a process share, as large as the largest of
 * them needs. It holds nothing from one run to the next. A plan reserves what it needs for as long
 * as it lives, so that running allocates nothing.
 */
#ifndef WEFT_WORKSPACE_H
#define WEFT_WORKSPACE_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for a plan; false and an error when there is no memory. Local. */
bool weft_workspace_reserve(size_t bytes);
void weft_workspace_unreserve(size_t bytes);
/* Gives back what is kept for plans to come. */
void weft_workspace_cleanup(void);

/* Borrows it for one run; aligned to a page. When another thread runs a plan at this moment, the
 * run gets memory of its own. */
void *weft_workspace_borrow(size_t bytes);
void weft_workspace_return(void *workspace);

#endif
