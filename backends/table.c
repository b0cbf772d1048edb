/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of backends: the backends of Weft, listed below, then the plug-ins from WEFT_PLUGINS in
 * the order of loading. A plug-in is a shared object that exports one descriptor as `weft_plugin`.
 * A loaded plug-in is never unloaded, because plans refer to it. Loading a list of plug-ins loads
 * all of them or none, so a rank that fails is left unchanged.
 */
#include "backends/table.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "kernels/base/text.h"

/* The backends in the order in which they are listed and tried. To add a backend, add its file and
 * a line here. */
#define OURS(BACKEND)                                                                              \
    BACKEND(alltoallw)                                                                             \
    BACKEND(alltoallv)                                                                             \
    BACKEND(alltoall)                                                                              \
    BACKEND(pairwise)                                                                              \
    BACKEND(bruck)                                                                                 \
    BACKEND(waitall)                                                                               \
    BACKEND(waitsome)                                                                              \
    BACKEND(waitall_in_groups)                                                                     \
    BACKEND(waitsome_in_groups)                                                                    \
    BACKEND(ialltoallw)                                                                            \
    BACKEND(ialltoallv)                                                                            \
    BACKEND(node)                                                                                  \
    BACKEND(overlap)                                                                               \
    BACKEND(shared)                                                                                \
    BACKEND(direct)                                                                                \
    BACKEND(device)

#define DECLARE(name) extern const weft_backend weft_backend_##name;
OURS(DECLARE)

#define ENTER(name) &weft_backend_##name,
static const weft_backend *const ours[] = {OURS(ENTER)};

const weft_backend *const weft_backend_alone = &weft_backend_pairwise;

enum { OUR_NUMBER = sizeof ours / sizeof *ours, LONGEST_LIST = 1000 };

enum { MOST_PLUGINS = 64, LONGEST_NAME = 64 };

static struct {
    void *handle;
    const weft_backend *backend;
} plugin[MOST_PLUGINS];
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static int plugins;               /* includes plug-ins that are just being loaded */
static atomic_int loaded_plugins; /* plug-ins that weft_backend_at returns */

const weft_backend *weft_backend_at(int place)
{
    if (place < 0)
        return NULL;
    if (place < OUR_NUMBER)
        return ours[place];
    return place - OUR_NUMBER < loaded_plugins ? plugin[place - OUR_NUMBER].backend : NULL;
}

static const weft_backend *find(const char *name, size_t length)
{
    const weft_backend *backend;
    for (int place = 0; (backend = weft_backend_at(place)); place++)
        if (strlen(backend->name) == length && !strncmp(backend->name, name, length))
            break;
    return backend;
}

/* The same, with an error if there is no such backend. */
static const weft_backend *known(const char *name, size_t length)
{
    const weft_backend *found = find(name, length);
    if (found)
        return found;
    char names[LONGEST_LIST];
    weft_writer to = weft_write_to(names, sizeof names);
    const weft_backend *backend;
    for (int place = 0; (backend = weft_backend_at(place)); place++)
        weft_write(&to, "%s%s", place ? ", " : "", backend->name);
    weft_error("there is no backend \"%.*s\"; there are %s", (int)(length < 100 ? length : 100),
               name, names);
    return NULL;
}

const weft_backend *weft_backend_named(const char *name)
{
    return known(name, strlen(name));
}

/* With a value, "waitall" and "waitsome" mean "waitall/b" and "waitsome/b", which take one. */
static const weft_backend *with_value(const weft_backend *backend)
{
    char grouped[LONGEST_NAME + sizeof "/b"];
    snprintf(grouped, sizeof grouped, "%s/b", backend->name);
    const weft_backend *found = backend->parameter ? NULL : find(grouped, strlen(grouped));
    return found ? found : backend;
}

const weft_backend *weft_backend_parse(const char *text, int *value)
{
    const char *colon = strchr(text, ':');
    const weft_backend *backend = known(text, colon ? (size_t)(colon - text) : strlen(text));
    *value = 0;
    if (!backend || !colon)
        return backend;
    backend = with_value(backend);
    if (!backend->parameter) {
        weft_error("backend %s takes no value, but \"%.100s\" gives one", backend->name, text);
        return NULL;
    }
    char *end;
    ptrdiff_t number;
    if (!weft_parse_whole(colon + 1, &end, 1, INT_MAX, &number) || *end || colon[1] < '0' ||
        colon[1] > '9') {
        weft_error("\"%.100s\" should be %s:NUMBER, a positive number (%s)", text, backend->name,
                   backend->parameter);
        return NULL;
    }
    *value = (int)number;
    return backend;
}

static bool has_functions(const weft_backend *backend)
{
    const weft_memory *memory = backend->memory;
    if (!memory)
        return backend->prepare && backend->start && backend->finish && backend->release &&
               !backend->begin == !backend->send;
    return memory->open && memory->close && memory->part && memory->begin && memory->publish &&
           memory->done && !memory->share == !memory->shared;
}

/* Whether WEFT_BACKEND and wisdom files can contain this name. */
static bool nameable(const char *name)
{
    if (strcmp(name, "auto") == 0)
        return false;
    for (; *name; name++)
        if (*name <= ' ' || *name > '~' || strchr(",:*^", *name))
            return false;
    return true;
}

/* Returns what the descriptor lacks, or NULL if it is complete. */
static const char *missing(const weft_backend *backend)
{
    if (!backend->name || !*backend->name)
        return "a name";
    if (strlen(backend->name) > LONGEST_NAME)
        return "a name of at most 64 characters";
    if (!nameable(backend->name))
        return "a name of printable characters, other than auto, without commas, colons, stars, "
               "carets and spaces";
    if (!backend->about)
        return "the line `about`";
    if (!has_functions(backend))
        return backend->memory ? "one of the functions of its memory"
                               : "one of the functions prepare, start, finish and release";
    if (backend->memory && backend->parameter)
        return "the functions of a backend of messages, which its parameter needs";
    if (backend->parameter && !backend->values)
        return "the function `values`, which its parameter needs";
    return NULL;
}

static bool is_taken(const char *name)
{
    bool taken = find(name, strlen(name)) != NULL;
    for (int i = loaded_plugins; i < plugins; i++)
        taken |= strcmp(plugin[i].backend->name, name) == 0;
    return taken;
}

static bool usable(const char *path, const weft_backend *backend)
{
    if (!backend)
        return weft_error("plug-in %s has no descriptor named weft_plugin", path);
    /* Check the version first: in another version the other fields may mean something else. */
    if (backend->version != WEFT_BACKEND_VERSION)
        return weft_error(
            "plug-in %s was compiled with version %u of weft-backend.h, but this library "
            "needs version %d",
            path, backend->version, WEFT_BACKEND_VERSION);
    if (missing(backend))
        return weft_error("plug-in %s lacks %s", path, missing(backend));
    if (is_taken(backend->name))
        return weft_error("plug-in %s has the name %s, which another backend already has", path,
                          backend->name);
    if (plugins == MOST_PLUGINS)
        return weft_error("there are too many plug-ins, with %s; at most %d are allowed", path,
                          MOST_PLUGINS);
    return true;
}

static bool load(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return weft_error("plug-in %s cannot be loaded: %s", path, dlerror());
    /* dlopen returns the same handle for the same file, even under another path. */
    for (int i = 0; i < plugins; i++)
        if (plugin[i].handle == handle) {
            dlclose(handle);
            return true;
        }
    const weft_backend *backend = dlsym(handle, "weft_plugin");
    if (!usable(path, backend)) {
        dlclose(handle);
        return false;
    }
    plugin[plugins].handle = handle;
    plugin[plugins++].backend = backend;
    return true;
}

bool weft_plugins_load(const char *paths)
{
    bool ok = true;
    char *list = strdup(paths), *rest = list;
    if (!list)
        return weft_error("no memory for the list of plug-ins");
    pthread_mutex_lock(&loading);
    for (char *path; ok && (path = strsep(&rest, ":"));)
        ok = !*path || load(path);
    while (!ok && plugins > loaded_plugins)
        dlclose(plugin[--plugins].handle);
    loaded_plugins = plugins;
    pthread_mutex_unlock(&loading);
    free(list);
    return ok;
}
