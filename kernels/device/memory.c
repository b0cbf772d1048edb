/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds out where arrays are. A process has no array on a device unless the driver of a device is
 * loaded; if it is, the driver is asked about the array. So programs that use no device pay only
 * for a look at the list of loaded libraries. WEFT_DEVICE names another device library, which is
 * then asked instead. The device library stays loaded, because plans refer to it.
 */
#include "kernels/device/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "kernels/base/text.h"

enum { LONGEST_PATH = 4096 };

/* A driver of devices, and the library for them. */
typedef struct {
    const char *driver, *function, *library, *option;
    unsigned host; /* what the function says of host memory, at most */
} maker;

static const maker makers[] = {
    {"libcuda.so", "cuPointerGetAttribute", "libweft-cuda" WEFT_SUFFIX ".so.0", "--with-cuda", 1},
    {"libamdhip64.so", "hipPointerGetAttribute", "libweft-hip" WEFT_SUFFIX ".so.0", "--with-hip",
     0},
};

static struct {
    pthread_mutex_t lock;
    bool tried;
    const weft_device_library *library;
    char why_not[512];
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_bool seen;
static _Atomic(const maker *) loaded_maker = &makers[0]; /* whose driver the process has loaded */

/* Looks for the library in the folder of this library and in the folder above, since this library
 * may be in a subfolder. */
static void *open_beside(const char *name)
{
    Dl_info info;
    void *handle = NULL;
    char folder[LONGEST_PATH], path[sizeof folder + 64];
    if (!dladdr((const void *)&process, &info) || !info.dli_fname)
        return NULL;
    snprintf(folder, sizeof folder, "%s", info.dli_fname);
    for (int up = 0; !handle && up < 2; up++) {
        char *slash = strrchr(folder, '/');
        if (!slash)
            break;
        *slash = '\0';
        snprintf(path, sizeof path, "%s/%s", folder, name);
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

static void *open_library(const char *path)
{
    if (path)
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *name = loaded_maker->library;
    void *handle = open_beside(name);
    return handle ? handle : dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

static void say_missing(const char *path)
{
    const char *why = dlerror();
    char *to = process.why_not;
    const size_t capacity = sizeof process.why_not;
    if (path)
        snprintf(to, capacity, "WEFT_DEVICE names %s, which could not be loaded: %s", path,
                 why ? why : "");
    else
        snprintf(to, capacity,
                 "memory of a GPU takes Weft's device library %s: build and "
                 "install Weft with %s (%s)",
                 loaded_maker->library, loaded_maker->option, why ? why : "not found");
}

/* The value of WEFT_DEVICE, or NULL if it is unset or empty. */
static const char *named(void)
{
    const char *path = weft_setting("WEFT_DEVICE");
    return path && *path ? path : NULL;
}

static void load_library(void)
{
    const char *path = named();
    void *handle = open_library(path);
    const weft_device_library *library = handle ? dlsym(handle, WEFT_DEVICE_SYMBOL) : NULL;
    if (!handle)
        say_missing(path);
    else if (!library || library->version != WEFT_DEVICE_VERSION)
        snprintf(process.why_not, sizeof process.why_not,
                 "%s is no device library of this version of Weft",
                 path ? path : loaded_maker->library);
    else
        process.library = library;
}

const weft_device_library *weft_device_load(void)
{
    pthread_mutex_lock(&process.lock);
    if (!process.tried)
        load_library();
    process.tried = true;
    seen = true;
    const weft_device_library *library = process.library;
    pthread_mutex_unlock(&process.lock);
    if (!library)
        weft_error("%s", process.why_not);
    if (!library && named())
        weft_error_blame_environment();
    return library;
}

/* Callback of dl_iterate_phdr: gets the number of objects loaded so far, and stops at the first
 * object. */
static int count_loaded(struct dl_phdr_info *info, size_t size, void *loaded)
{
    (void)size;
    *(unsigned long long *)loaded = info->dlpi_adds;
    return true;
}

/* Callback of dl_iterate_phdr: stops at a driver and copies its path. */
static int is_driver(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    const char *name = slash ? slash + 1 : info->dlpi_name ? info->dlpi_name : "";
    for (size_t m = 0; m < sizeof makers / sizeof *makers; m++) {
        if (strncmp(name, makers[m].driver, strlen(makers[m].driver)) != 0)
            continue;
        snprintf(path, LONGEST_PATH, "%s", info->dlpi_name);
        loaded_maker = &makers[m];
        return true;
    }
    return false;
}

/* Finds the path of the driver, if it is loaded. If the list of loaded objects had no driver, the
 * list is not searched again until an object is added. */
static bool find_driver(char path[LONGEST_PATH])
{
    static _Atomic unsigned long long none_among;
    unsigned long long loaded = 0;
    dl_iterate_phdr(count_loaded, &loaded);
    if (loaded == none_among)
        return false;
    const bool found = dl_iterate_phdr(is_driver, path);
    if (!found)
        none_among = loaded;
    return found;
}

/* Asks the driver for the attribute 2, the type of memory. The driver returns an error for memory
 * that it does not know. */
static bool driver_knows(const void *array)
{
    enum { MEMORY_TYPE = 2 };
    typedef int (*asked)(void *, int, unsigned long long);
    char path[LONGEST_PATH];
    if (!find_driver(path))
        return false;
    seen = true;
    void *driver = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    void *const address = driver ? dlsym(driver, loaded_maker->function) : NULL;
    bool knows = false;
    if (address) {
        asked ask;
        unsigned type = 0;
        memcpy(&ask, &address, sizeof ask);
        knows = ask(&type, MEMORY_TYPE, (unsigned long long)(size_t)array) == 0 &&
                type > loaded_maker->host;
    }
    if (driver)
        dlclose(driver);
    return knows;
}

bool weft_device_may_be_in_use(void)
{
    return seen;
}

/* Whether this process can read the array: the kernel tries it for a write to a pipe. */
static bool readable(const void *array)
{
    int ends[2];
    if (pipe(ends) != 0)
        return true;
    const bool ok = write(ends[1], array, 1) == 1 || errno != EFAULT;
    close(ends[0]);
    close(ends[1]);
    return ok;
}

int weft_device_where(const void *array)
{
    int place = WEFT_DEVICE_HOST;
    if (array && (named() || driver_knows(array))) {
        seen = true;
        const weft_device_library *library = weft_device_load();
        place = library ? library->where(array) : WEFT_DEVICE_UNKNOWN;
    }
    if (!array || place != WEFT_DEVICE_HOST || !seen || readable(array))
        return place;
    weft_error("the array at %p is memory neither of the host nor of a device; it may have been "
               "freed",
               array);
    return WEFT_DEVICE_UNKNOWN;
}

/* Devices of plans, and allocation of all kinds of memory. */

weft_device *weft_device_open(int number)
{
    const weft_device_library *library = weft_device_load();
    if (!library)
        return NULL;
    if (!library->usable(number)) {
        weft_error("device %d cannot be used: %s", number, library->why());
        return NULL;
    }
    weft_device *device = weft_new(1, sizeof *device, "a device");
    if (!device)
        return NULL;
    *device = (weft_device){.library = library, .number = number};
    const int before = weft_device_enter(device);
    device->queue = library->queue_create();
    weft_device_leave(device, before);
    if (device->queue)
        return device;
    weft_error("device %d has no queue for a plan: %s", number, library->why());
    free(device);
    return NULL;
}

bool weft_device_open_bus(weft_device *device)
{
    if (!device->down)
        device->down = device->library->queue_create();
    if (device->down && !device->up)
        device->up = device->library->queue_create();
    return device->up;
}

void weft_device_close(weft_device *device)
{
    if (!device)
        return;
    const int before = weft_device_enter(device);
    (void)weft_device_wait(device);
    device->library->queue_destroy(device->queue);
    device->library->queue_destroy(device->down);
    device->library->queue_destroy(device->up);
    weft_device_leave(device, before);
    free(device);
}

bool weft_device_set_stream(weft_device *device, void *stream, bool own)
{
    const weft_device_library *library = device->library;
    const int before = weft_device_enter(device);
    weft_queue *queue = own ? library->queue_create() : library->queue_adopt(stream);
    const bool ok = queue && library->queue_wait(device->queue);
    if (!ok)
        weft_error("the stream cannot be used on device %d: %s", device->number, library->why());
    weft_queue *leaves = ok ? device->queue : queue;
    if (ok) {
        device->queue = queue;
        device->users = !own;
    }
    library->queue_destroy(leaves);
    weft_device_leave(device, before);
    return ok;
}

int weft_device_enter(const weft_device *device)
{
    if (!device)
        return WEFT_DEVICE_HOST;
    const int before = device->library->current();
    if (before != device->number)
        (void)device->library->use(device->number);
    return before;
}

void weft_device_leave(const weft_device *device, int before)
{
    if (device && before >= 0 && before != device->number)
        (void)device->library->use(before);
}

void weft_device_record(weft_device *device, bool ok)
{
    if (ok || device->failed)
        return;
    device->failed = true;
    snprintf(device->why, sizeof device->why, "%s", device->library->why());
}

bool weft_device_wait(weft_device *device)
{
    weft_queue *const queues[] = {device->queue, device->down, device->up};
    for (int i = 0; i < 3; i++)
        if (queues[i])
            weft_device_record(device, device->library->queue_wait(queues[i]));
    return !device->failed;
}

bool weft_device_succeeded(weft_device *device)
{
    const bool well = !device->failed;
    if (!well)
        weft_error("device %d has failed: %s", device->number, device->why);
    device->failed = false;
    return well;
}

void *weft_memory_allocate_on(const weft_device *device, bool pinned, size_t bytes)
{
    if (!device)
        return weft_memory_allocate(bytes);
    const weft_device_library *library = device->library;
    bytes = bytes > 0 ? bytes : 1;
    void *memory = pinned ? library->allocate_pinned(bytes) : library->allocate(bytes);
    if (!memory)
        weft_error("no %s of %zu bytes: %s", pinned ? "pinned memory" : "memory on the device",
                   bytes, library->why());
    return memory;
}

void weft_memory_free_on(const weft_device *device, bool pinned, void *memory)
{
    if (!memory)
        return;
    if (!device)
        free(memory);
    else if (pinned)
        device->library->release_pinned(memory);
    else
        device->library->release(memory);
}
