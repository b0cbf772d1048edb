/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of backends: first Weft's backends, then the plug-ins from WEFT_PLUGINS. Tests, tools
 * and the planner walk the table. */
#ifndef WEFT_TABLE_H
#define WEFT_TABLE_H

#include <stdbool.h>
#include "backends/weft-backend.h"

/* The backend at an index of the table; NULL past the end of the table. */
const weft_backend *weft_backend_at(int place);
/* The backend for a rank that exchanges with no other rank: it copies the rank's own block. */
extern const weft_backend *const weft_backend_alone;
/* The backend with this name. NULL when there is none; the error then lists all names. */
const weft_backend *weft_backend_named(const char *name);
/* Parses "name" or "name:value"; sets *value to 0 when the text gives no value. Returns NULL, with
 * an error, when the text is malformed or the name unknown. */
const weft_backend *weft_backend_parse(const char *text, int *value);
/* Loads the plug-ins of a list "path.so[:path.so]", except those already loaded. Returns false,
 * with an error, when a plug-in cannot be used. Local: the caller makes the ranks agree on the
 * result. */
bool weft_plugins_load(const char *paths);

#endif
