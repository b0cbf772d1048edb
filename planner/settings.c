/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading settings and choosing backends by them. Without a choice by the user the backend is found
 * by rule: all messages at once, unpacked as they arrive, which measured best or nearly best for
 * the few large pieces of a slab; with many ranks the grouped form bounds the messages under way.
 */
#include <stdlib.h>
#include <string.h>
#include "agreement.h"
#include "error.h"
#include "settings.h"
#include "table.h"

enum { MANY_RANKS = 64, GROUP = 32 };

bool weft_settings_read(MPI_Comm comm, weft_settings *settings)
{
    static const char *const name[] = {"WEFT_BACKEND", "WEFT_PLUGINS", "WEFT_VERBOSE"};
    enum { names = sizeof name / sizeof name[0] };
    size_t length = 0;
    for (int i = 0; i < names; i++)
        length += (getenv(name[i]) ? strlen(getenv(name[i])) : 0) + 1;
    char *mine = malloc(length), *end = mine;
    *settings = (weft_settings){0};
    for (int i = 0; mine && i < names; i++) {
        const char *value = getenv(name[i]) ? getenv(name[i]) : "";
        end = stpcpy(end, value);
        *end++ = i == names - 1 ? '\0' : '\n';
    }
    char *text = weft_agree_text(comm, mine);
    free(mine);
    if (!text)
        return false;
    char *rest = text;
    const char *backend = strsep(&rest, "\n"), *plugins = strsep(&rest, "\n");
    settings->verbose = rest ? atoi(rest) : 0;
    if (backend && *backend && strcmp(backend, "auto") != 0)
        settings->backend = strdup(backend);
    bool ok = !plugins || !*plugins || weft_plugins_load(plugins);
    free(text);
    ok = weft_agree(comm, ok);
    if (!ok)
        weft_settings_free(settings);
    return ok;
}

void weft_settings_free(weft_settings *settings)
{
    free(settings->backend);
    settings->backend = NULL;
}

static bool checked(const weft_exchange *exchange, weft_way *way)
{
    const weft_backend *backend = way->backend;
    if (way->value == 0 && backend->values)
        backend->values(exchange, &way->value, 1);
    const char *why = backend->applicable ? backend->applicable(exchange, way->value) : NULL;
    if (why)
        weft_error("backend %s cannot carry out this exchange: %s", backend->name, why);
    return !why;
}

bool weft_settings_choose(const weft_settings *settings, const weft_exchange *exchange, int which,
                          weft_way *way)
{
    char word[256];
    const char *from = settings->backend;
    *way = (weft_way){0};
    for (const char *comma; from && which > 0 && (comma = strchr(from, ',')); which--)
        from = comma + 1;
    const size_t length = from ? strcspn(from, ",") : 0;
    if (length >= sizeof word) {
        weft_error("the name of a backend is too long: %s", from);
        return false;
    }
    if (from)
        memcpy(word, from, length);
    word[length] = '\0';
    if (from && strcmp(word, "auto") != 0) {
        way->backend = weft_backend_parse(word, &way->value);
    } else {
        const bool many = exchange->ranks > MANY_RANKS;
        way->value = many ? GROUP : 0;
        way->backend = weft_backend_named(many ? "waitsome/b" : "waitsome");
    }
    return way->backend && checked(exchange, way);
}
