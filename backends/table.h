/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of backends: ours, then those of WEFT_PLUGINS. Tests, tools and the planner walk it. */
#ifndef WEFT_TABLE_H
#define WEFT_TABLE_H

#include <stdbool.h>
#include "backends/weft-backend.h"

/* The backend at a place in the table, NULL past its end. */
const weft_backend *weft_backend_at(int place);
/* The one that also carries out the exchange of a rank that talks with nobody: it copies the own
 * piece. */
extern const weft_backend *const weft_backend_alone;
/* By name; NULL when there is none (the error then lists the names). */
const weft_backend *weft_backend_named(const char *name);
/* "name" or "name:value"; value 0 when none is given. NULL and an error when malformed or unknown.
 */
const weft_backend *weft_backend_parse(const char *text, int *value);
/* Loads plug-ins, "path.so[:path.so]"; false and an error when one cannot be used. Local: the
 * caller agrees. A path already loaded is not loaded again. */
bool weft_plugins_load(const char *paths);

#endif
