/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Backends of users. A shared object exports one descriptor as `weft_plugin`; once loaded it stays,
 * since plans refer to it. Either all of a list are loaded or none, so that ranks that fail are
 * left as they were.
 */
#include "backends/plugins.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "backends/table.h"

enum { MOST_PLUGINS = 64, LONGEST_NAME = 64 };

static struct {
    void *handle;
    const weft_backend *backend;
} plugin[MOST_PLUGINS];
static int plugins;

const weft_backend *weft_plugin_at(int place)
{
    return place < plugins ? plugin[place].backend : NULL;
}

static bool taken(const char *name)
{
    const weft_backend *backend;
    for (int place = 0; (backend = weft_backend_at(place)); place++)
        if (!strcmp(backend->name, name))
            return true;
    return false;
}

static bool has_functions(const weft_backend *backend)
{
    const weft_memory *memory = backend->memory;
    if (!memory)
        return backend->prepare && backend->start && backend->finish && backend->release;
    return memory->open && memory->close && memory->part && memory->begin && memory->publish &&
           memory->done && !memory->share == !memory->shared;
}

/* NULL, or what the descriptor lacks. */
static const char *missing(const weft_backend *backend)
{
    if (!backend->name || !*backend->name || strlen(backend->name) > LONGEST_NAME)
        return "a name";
    if (strpbrk(backend->name, ": \t\n"))
        return "a name without colons and spaces";
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

static bool usable(const char *path, const weft_backend *backend)
{
    if (!backend) {
        weft_error("plug-in %s has no descriptor named weft_plugin", path);
        return false;
    }
    /* First of all: in another version the rest may mean something else. */
    if (backend->version != WEFT_BACKEND_VERSION) {
        weft_error("plug-in %s is for version %u of weft-backend.h, this is version %d", path,
                   backend->version, WEFT_BACKEND_VERSION);
        return false;
    }
    if (missing(backend)) {
        weft_error("plug-in %s lacks %s", path, missing(backend));
        return false;
    }
    if (taken(backend->name)) {
        weft_error("plug-in %s is named %s, as another backend is already", path, backend->name);
        return false;
    }
    if (plugins == MOST_PLUGINS) {
        weft_error("plug-in %s is one too many, there may be %d", path, MOST_PLUGINS);
        return false;
    }
    return true;
}

static bool load(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        weft_error("plug-in %s cannot be loaded: %s", path, dlerror());
        return false;
    }
    /* The same file by whatever path has the same handle. */
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
    int before = plugins;
    bool ok = true;
    char *list = strdup(paths), *rest = list;
    if (!list) {
        weft_error("no memory for the list of plug-ins");
        return false;
    }
    for (char *path; ok && (path = strsep(&rest, ":"));)
        ok = !*path || load(path);
    free(list);
    while (!ok && plugins > before)
        dlclose(plugin[--plugins].handle);
    return ok;
}
