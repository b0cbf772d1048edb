/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks for Weft's libraries in the folder of this library, then where the loader looks. Their
 * symbols stay local (RTLD_LOCAL). */
#include "api/preload.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end(const char *why)
{
    fflush(NULL);
    fprintf(stderr, "weft: libweft-preload cannot load the library of this precision: %s\n",
            why ? why : "it is damaged");
    _exit(EXIT_FAILURE);
}

static void *open_library(const char *letter)
{
    Dl_info self;
    char beside[4096];
    const char *slash = dladdr(open_library, &self) ? strrchr(self.dli_fname, '/') : NULL;
    const int folder = slash ? (int)(slash + 1 - self.dli_fname) : 0;
    snprintf(beside, sizeof beside, "%.*slibweft%s" WEFT_SUFFIX ".so.0", folder,
             folder ? self.dli_fname : "", letter);
    if (folder && access(beside, F_OK) != 0)
        memmove(beside, beside + folder, strlen(beside + folder) + 1);
    return dlopen(beside, RTLD_NOW | RTLD_LOCAL);
}

weft_preload_function weft_preload_find(weft_preload_place *place, const char *letter,
                                        const char *name)
{
    weft_preload_function found = atomic_load_explicit(place, memory_order_acquire);
    if (found)
        return found;
    void *library = open_library(letter), *address = library ? dlsym(library, name) : NULL;
    if (!address)
        end(dlerror());
    memcpy(&found, &address, sizeof found);
    atomic_store_explicit(place, found, memory_order_release);
    return found;
}
