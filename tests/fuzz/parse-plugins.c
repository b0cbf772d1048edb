/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of plug-ins, and descriptors with odd fields in them: the linker leads dlopen, dlsym and
 * dlclose of Weft's table here (--wrap), where every letter of a list's paths says what a field is.
 * The path "!" is never there, so that nothing of a list stays; before it fails, what the list has
 * loaded so far is looked at.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "backends/table.h"
#include "kernels/base/error.h"
#include "planner/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void *__wrap_dlopen(const char *path, int mode);
void *__wrap_dlsym(void *handle, const char *name);
int __wrap_dlclose(void *handle);
/* For sanitizers, whose calls come here, too. */
void *__real_dlopen(const char *path, int mode);
void *__real_dlsym(void *handle, const char *name);
int __real_dlclose(void *handle);

enum { OPEN = 80, NAME = 80 };

/* What is loaded now. */
static struct {
    char *path;
    int opened;
    char name[NAME];
    weft_backend backend;
    weft_memory memory;
} module[OPEN];
static int ours; /* backends of Weft's own */
static bool loading;

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)exchange, (void)value;
    *workspace = 0;
    return module;
}

static void transfer(void *state, const void *in, void *out, void *workspace)
{
    (void)state, (void)in, (void)out, (void)workspace;
}

static void release(void *state)
{
    (void)state;
}

static int values(const weft_exchange *exchange, int *value, int most)
{
    (void)exchange;
    *value = 1;
    return most > 0;
}

static void *open_memory(MPI_Comm comm, size_t bytes)
{
    (void)comm, (void)bytes;
    return NULL;
}

static void *part(const void *memory, int rank)
{
    (void)memory, (void)rank;
    return NULL;
}

static int share(void *memory, int put, const void *array, size_t bytes)
{
    (void)memory, (void)put, (void)array, (void)bytes;
    return 0;
}

static void *shared(const void *memory, int rank, int put)
{
    (void)memory, (void)rank, (void)put;
    return NULL;
}

/* The letters after the first nine are the name; without any there is none. */
static void describe(int which)
{
    const char *path = module[which].path;
    unsigned char bit[9] = {0};
    for (int i = 0; i < 9 && *path; i++)
        bit[i] = (unsigned char)*path++;
    strncpy(module[which].name, path, NAME - 1);
    module[which].memory = (weft_memory){.open = bit[0] & 1 ? NULL : open_memory,
                                         .close = bit[0] & 2 ? NULL : release,
                                         .part = bit[0] & 4 ? NULL : part,
                                         .begin = bit[0] & 8 ? NULL : release,
                                         .publish = bit[1] & 1 ? NULL : release,
                                         .done = bit[1] & 2 ? NULL : release,
                                         .share = bit[1] & 4 ? share : NULL,
                                         .shared = bit[1] & 8 ? shared : NULL};
    module[which].backend = (weft_backend){.version = bit[2] & 7 ? WEFT_BACKEND_VERSION : bit[2],
                                           .name = bit[3] & 1 && !*path ? NULL : module[which].name,
                                           .about = bit[3] & 2 ? NULL : "about",
                                           .parameter = bit[3] & 4 ? "parameter" : NULL,
                                           .memory = bit[4] & 1 ? &module[which].memory : NULL,
                                           .values = bit[5] & 1 ? values : NULL,
                                           .prepare = bit[6] & 1 ? NULL : prepare,
                                           .start = bit[6] & 2 ? NULL : transfer,
                                           .finish = bit[7] & 1 ? NULL : transfer,
                                           .release = bit[7] & 2 ? NULL : release};
}

/* What the table has taken can be used, and has a name by which it can be chosen. */
static void look(void)
{
    const weft_backend *backend;
    for (int place = ours; (backend = weft_backend_at(place)); place++) {
        weft_method method, again = {.backend = backend, .parts = 2, .value = 3};
        char text[200];
        must(backend->version == WEFT_BACKEND_VERSION && backend->about && *backend->name);
        must(backend->memory ? backend->memory->open && backend->memory->done
                             : backend->start && backend->release);
        must(!backend->parameter || backend->values);
        weft_method_write(again, text, sizeof text);
        must(weft_method_read(text, &method) && method.backend == backend && method.parts == 2);
    }
}

void *__wrap_dlopen(const char *path, int mode)
{
    int free_one = -1;
    if (!loading)
        return __real_dlopen(path, mode);
    if (strcmp(path, "!") == 0) {
        look();
        return NULL;
    }
    for (int i = 0; i < OPEN; i++) {
        if (!module[i].path)
            free_one = i;
        if (module[i].path && strcmp(module[i].path, path) == 0) {
            module[i].opened++;
            return &module[i];
        }
    }
    if (free_one < 0)
        return NULL;
    module[free_one].path = strdup(path);
    module[free_one].opened = 1;
    describe(free_one);
    return &module[free_one];
}

void *__wrap_dlsym(void *handle, const char *name)
{
    for (int i = 0; i < OPEN; i++)
        if (handle == &module[i])
            return module[i].path[0] == '0' || strcmp(name, "weft_plugin") != 0
                       ? NULL
                       : &module[i].backend;
    return __real_dlsym(handle, name);
}

int __wrap_dlclose(void *handle)
{
    for (int i = 0; i < OPEN; i++)
        if (handle == &module[i]) {
            must(module[i].opened-- > 0);
            if (module[i].opened == 0) {
                free(module[i].path);
                module[i].path = NULL;
            }
            return 0;
        }
    return __real_dlclose(handle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *list = calloc(size + 3, 1);
    while (weft_backend_at(ours))
        ours++;
    memcpy(list, data, size);
    strcat(list, ":!");
    weft_error_clear();
    loading = true;
    must(!weft_plugins_load(list) && weft_error_text()[0] && !weft_backend_at(ours));
    loading = false;
    for (int i = 0; i < OPEN; i++)
        must(!module[i].path);
    free(list);
    return 0;
}
