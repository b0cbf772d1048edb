/* SPDX-License-Identifier: BSD-3-Clause */
/* Backends of users, loaded from shared objects. weft_plugins_load is declared in table.h. */
#ifndef WEFT_PLUGINS_H
#define WEFT_PLUGINS_H

#include "backends/weft-backend.h"

/* The loaded ones in the order of loading; NULL past the end. */
const weft_backend *weft_plugin_at(int place);

#endif
