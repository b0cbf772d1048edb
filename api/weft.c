/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of weft.h. */
#include "config.h"
#include "error.h"
#include "precision.h"
#include "table.h"
#include "weft.h"

const char *WEFT(version)(void)
{
    return PACKAGE_VERSION;
}

const char *WEFT(last_error)(void)
{
    return weft_error_text();
}

const char *WEFT(backend_name)(int place)
{
    const weft_backend *backend = place < 0 ? NULL : weft_backend_at(place);
    return backend ? backend->name : NULL;
}

const char *WEFT(backend_about)(int place)
{
    const weft_backend *backend = place < 0 ? NULL : weft_backend_at(place);
    return backend ? backend->about : NULL;
}
