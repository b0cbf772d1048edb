/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "backends/exchange/exchange.h"
#include "kernels/base/cache.h"
#include "kernels/base/error.h"
#include "planner/settings.h"
#include "backends/table.h"
#include "kernels/base/text.h"

/* Values set by functions of weft.h, which take precedence over the environment. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *set_backend;
static char set_limit[32];

enum {
    SET_BACKEND,
    SET_PLUGINS,
    SET_WISDOM,
    SET_LIMIT,
    SET_VERBOSE,
    SET_TRACE,
    SET_MACHINE,
    SET_WIRE,
    NAMES, /* number of environment variables */
    OWN_LIMIT = NAMES,
    CALLED_LIMIT, /* the limit of weft_set_timelimit, which takes precedence over WEFT_TIMELIMIT */
    ALL
};

bool weft_settings_set_backend(const char *backend)
{
    char *copy = backend ? strdup(backend) : NULL;
    if (backend && !copy)
        return weft_error("no memory for the names of backends");
    pthread_mutex_lock(&lock);
    free(set_backend);
    set_backend = copy;
    pthread_mutex_unlock(&lock);
    return true;
}

void weft_settings_set_limit(double seconds)
{
    pthread_mutex_lock(&lock);
    weft_writer to = weft_write_to(set_limit, sizeof set_limit);
    weft_write(&to, "%.9g", seconds);
    pthread_mutex_unlock(&lock);
}

/* Collects all settings as text, one line each, in the order of the enum. The caller holds the
 * lock and frees the text. */
static char *collect(double limit)
{
    static const char *const name[NAMES] = {"WEFT_BACKEND",   "WEFT_PLUGINS", "WEFT_WISDOM",
                                            "WEFT_TIMELIMIT", "WEFT_VERBOSE", "WEFT_TRACE",
                                            "WEFT_MACHINE",   "WEFT_WIRE"};
    char *text = NULL, own[32];
    size_t length;
    FILE *file = open_memstream(&text, &length);
    weft_writer to = weft_write_to(own, sizeof own);
    if (limit >= 0)
        weft_write(&to, "%.9g", limit);
    for (int i = 0; file && i < ALL; i++) {
        const char *value = i == OWN_LIMIT                    ? own
                            : i == CALLED_LIMIT               ? set_limit
                            : i == SET_LIMIT && set_limit[0]  ? NULL
                            : i == SET_BACKEND && set_backend ? set_backend
                                                              : weft_setting(name[i]);
        for (; value && *value; value++)
            fputc(*value == '\n' ? ' ' : *value, file);
        fputc('\n', file);
    }
    if (file && fclose(file) == 0)
        return text;
    free(text);
    return NULL;
}

static bool number(const char *text, const char *name, double *value)
{
    char *end = NULL;
    if (!*text)
        return true;
    *value = weft_parse_number(text, &end);
    return (*end == '\0' && end != text && *value == *value) ||
           weft_error("%s is \"%.60s\"; it should be a number", name, text);
}

bool weft_settings_name_backends(const char *text, weft_settings *settings)
{
    char word[256];
    settings->named = 0;
    settings->narrows = *text == '^';
    text += settings->narrows;
    if (!settings->narrows && (!*text || strcmp(text, "auto") == 0))
        return true;
    for (bool more = true; more; text += more) {
        const size_t length = strcspn(text, ",");
        if (length >= sizeof word)
            return weft_error("the name of a backend is too long: %.100s...", text);
        if (settings->named == WEFT_MAX_NAMED)
            return weft_error("more than %d backends are named", WEFT_MAX_NAMED);
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        weft_method *method = &settings->method[settings->named++];
        *method = (weft_method){0};
        if (settings->narrows ? !(method->backend = weft_backend_named(word))
                              : strcmp(word, "auto") != 0 && !weft_method_read(word, method))
            return false;
        text += length;
        more = *text == ',';
    }
    return true;
}

static bool read_environment(char *const *value, weft_settings *settings)
{
    double verbose = 0;
    if (!number(value[SET_LIMIT], "WEFT_TIMELIMIT", &settings->limit) ||
        !number(value[SET_VERBOSE], "WEFT_VERBOSE", &verbose) ||
        !weft_machine_describe(value[SET_MACHINE]))
        return false;
    settings->as_float = strcmp(value[SET_WIRE], "float") == 0;
    if (*value[SET_WIRE] && !settings->as_float)
        return weft_error("WEFT_WIRE is \"%.60s\"; the only value is float", value[SET_WIRE]);
    settings->verbose = verbose < 0 ? 0 : verbose > 3 ? 3 : (int)verbose;
    settings->wisdom = *value[SET_WISDOM] ? value[SET_WISDOM] : NULL;
    settings->trace = *value[SET_TRACE] ? value[SET_TRACE] : NULL;
    settings->machine = *value[SET_MACHINE] ? value[SET_MACHINE] : NULL;
    return (!*value[SET_PLUGINS] || weft_plugins_load(value[SET_PLUGINS])) &&
           weft_settings_name_backends(value[SET_BACKEND], settings);
}

/* Parses the collected text; every rank does this with rank 0's text. */
static bool apply(const char *text, weft_settings *settings)
{
    char *value[ALL], *rest = settings->text = strdup(text);
    double own = -1;
    if (!rest)
        return weft_error("no memory for the settings");
    for (int i = 0; i < ALL; i++)
        value[i] = strsep(&rest, "\n");
    if (!read_environment(value, settings))
        return weft_error_blame_environment();
    if (!number(value[CALLED_LIMIT], "the argument of weft_set_timelimit", &settings->limit) ||
        !number(value[OWN_LIMIT], "the time limit", &own))
        return false;
    if (own >= 0 && (settings->limit < 0 || own < settings->limit))
        settings->limit = own;
    return true;
}

bool weft_settings_leave_out(const weft_settings *settings, const weft_backend *backend)
{
    for (int i = 0; settings->narrows && i < settings->named; i++)
        if (settings->method[i].backend == backend)
            return true;
    return false;
}

/* Whether every exchange may use shared memory; this rank looks at its plug-ins only. */
static bool shares(const weft_settings *settings)
{
    const weft_backend *backend;
    bool share = !settings->narrows;
    for (int i = 0; share && i < settings->named; i++)
        share = settings->method[i].backend && settings->method[i].backend->memory;
    for (int place = 0; settings->narrows && (backend = weft_backend_at(place)); place++)
        share |= backend->memory && !weft_settings_leave_out(settings, backend);
    return share;
}

bool weft_settings_read(MPI_Comm comm, bool ok, double limit, weft_settings *settings)
{
    weft_common_text common;
    pthread_mutex_lock(&lock);
    char *mine = collect(limit);
    pthread_mutex_unlock(&lock);
    *settings = (weft_settings){.limit = -1};
    weft_broadcast_text(comm, mine, &common);
    free(mine);
    if (!common.text) {
        weft_error("no memory for the settings");
        return false; /* on all ranks */
    }
    ok = ok && apply(common.text, settings);
    weft_common_text_free(&common);
    /* Some ranks may have more threads or more plug-ins than others. */
    bool any[2] = {weft_threads_at_once(), ok && !shares(settings)};
    ok = weft_agree_both(comm, ok, "", 0, "", any);
    settings->threads_at_once = any[0];
    settings->share = !any[1];
    return ok;
}

void weft_settings_free(weft_settings *settings)
{
    free(settings->text);
    *settings = (weft_settings){0};
}

void weft_method_write(weft_method method, char *text, size_t capacity)
{
    weft_writer to = weft_write_to(text, capacity);
    weft_write(&to, "%s", method.backend ? method.backend->name : "auto");
    if (method.backend && method.backend->parameter)
        weft_write(&to, ":%d", method.value);
}

bool weft_method_read(const char *text, weft_method *method)
{
    *method = (weft_method){0};
    method->backend = weft_backend_parse(text, &method->value);
    return method->backend != NULL;
}

static void list_applicable(const weft_exchange *exchange, char *text, size_t capacity)
{
    weft_writer to = weft_write_to(text, capacity);
    const weft_backend *backend;
    const char *comma = "";
    for (int place = 0; (backend = weft_backend_at(place)); place++) {
        int value = 0;
        if (backend->values)
            backend->values(exchange, &value, 1);
        if (weft_exchange_why_refused(exchange, backend, value))
            continue;
        weft_write(&to, "%s%s", comma, backend->name);
        comma = ", ";
    }
}

/* Sets the first value that the backend offers if the user gave none. An exchange of a single rank
 * moves nothing, so any value will do. */
static bool give_value(const weft_exchange *exchange, weft_method *method)
{
    const weft_backend *backend = method->backend;
    int value = 0;
    if (method->value > 0 || !backend->values)
        return true;
    if (backend->values(exchange, &value, 1) < 1 || value < 1)
        value = exchange->ranks > 1 ? 0 : 1;
    method->value = value;
    return value > 0 ||
           weft_error("backend %s offers no value for this exchange; give one, as %s:NUMBER (%s)",
                      backend->name, backend->name, backend->parameter);
}

static bool checked(const weft_exchange *exchange, weft_method *method)
{
    char names[400];
    const weft_backend *backend = method->backend;
    if (!give_value(exchange, method))
        return false;
    if (backend->memory && exchange->ranks > 1 && weft_base(exchange)->as_float)
        return weft_error("WEFT_WIRE=float is for messages, and backend %s sends none; unset "
                          "WEFT_WIRE or choose another backend",
                          backend->name);
    const char *why = weft_exchange_why_refused(exchange, backend, method->value);
    if (!why)
        return true;
    list_applicable(exchange, names, sizeof names);
    return weft_error("backend %s cannot carry out this exchange: %s; these can: %s", backend->name,
                      why, names);
}

bool weft_settings_choose(const weft_settings *settings, const weft_exchange *exchange, int which,
                          weft_method *method)
{
    const int last = settings->named - 1;
    *method = (weft_method){0};
    if (settings->named > 0 && !settings->narrows)
        *method = settings->method[which < last ? which : last];
    return !method->backend || checked(exchange, method) || weft_error_blame_environment();
}
