/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of backends: ours below, one line each, and behind them those of WEFT_PLUGINS. */
#include "backends/table.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "backends/plugins.h"

/* In the order in which they are listed and tried. A new backend: its file, and its line here. */
#define OURS(BACKEND)                                                                              \
    BACKEND(alltoallw)                                                                             \
    BACKEND(alltoallv)                                                                             \
    BACKEND(pairwise)                                                                              \
    BACKEND(bruck)                                                                                 \
    BACKEND(waitall)                                                                               \
    BACKEND(waitsome)                                                                              \
    BACKEND(waitall_in_groups)                                                                     \
    BACKEND(waitsome_in_groups)                                                                    \
    BACKEND(ialltoallw)                                                                            \
    BACKEND(ialltoallv)                                                                            \
    BACKEND(shared)

#define DECLARE(name) extern const weft_backend weft_backend_##name;
OURS(DECLARE)

#define ENTER(name) &weft_backend_##name,
static const weft_backend *const ours[] = {OURS(ENTER)};

enum { OUR_NUMBER = sizeof ours / sizeof *ours, LONGEST_LIST = 1000 };

const weft_backend *weft_backend_at(int place)
{
    if (place < 0)
        return NULL;
    return place < OUR_NUMBER ? ours[place] : weft_plugin_at(place - OUR_NUMBER);
}

static const weft_backend *find(const char *name, size_t length)
{
    const weft_backend *backend;
    for (int place = 0; (backend = weft_backend_at(place)); place++)
        if (strlen(backend->name) == length && !strncmp(backend->name, name, length))
            break;
    return backend;
}

static void error_unknown(const char *name, size_t length)
{
    char names[LONGEST_LIST] = "";
    size_t end = 0;
    const weft_backend *backend;
    for (int place = 0; (backend = weft_backend_at(place)) && end < sizeof names; place++)
        end += (size_t)snprintf(names + end, sizeof names - end, "%s%s", place ? ", " : "",
                                backend->name);
    weft_error("there is no backend \"%.*s\"; there are %s", (int)(length < 100 ? length : 100),
               name, names);
}

const weft_backend *weft_backend_named(const char *name)
{
    const weft_backend *backend = find(name, strlen(name));
    if (!backend)
        error_unknown(name, strlen(name));
    return backend;
}

/* With a value, "waitall" and "waitsome" mean the backends that have one, "waitall/b" and
 * "waitsome/b". */
static const weft_backend *with_value(const weft_backend *backend)
{
    char grouped[100];
    const weft_backend *found = NULL;
    if (!backend->parameter && strlen(backend->name) < sizeof grouped - 2) {
        snprintf(grouped, sizeof grouped, "%s/b", backend->name);
        found = find(grouped, strlen(grouped));
    }
    return found ? found : backend;
}

const weft_backend *weft_backend_parse(const char *text, int *value)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    const weft_backend *backend = find(text, length);
    *value = 0;
    if (!backend) {
        error_unknown(text, length);
        return NULL;
    }
    if (!colon)
        return backend;
    backend = with_value(backend);
    if (!backend->parameter) {
        weft_error("backend %s takes no value, but \"%.100s\" gives one", backend->name, text);
        return NULL;
    }
    char *end;
    errno = 0;
    long number = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || *end || errno || number < 1 || number > INT_MAX || colon[1] < '0' ||
        colon[1] > '9') {
        weft_error("\"%.100s\" should be %s:NUMBER, a positive number (%s)", text, backend->name,
                   backend->parameter);
        return NULL;
    }
    *value = (int)number;
    return backend;
}
