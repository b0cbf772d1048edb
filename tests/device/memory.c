/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the stand-in's devices: each allocation is a file in memory, without a name, mapped
 * twice:
 *
 *     outside   the program's addresses: no access, ever
 *     inside    the stand-in's addresses
 *
 * So a thread that works for a queue does not make the memory accessible to others. Other processes
 * open the file as /proc/PID/fd/N; it disappears with its processes. The addresses of released
 * memory are not used again, so that its use is found.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/device/inside.h"

enum { NOTHING = 0xff }; /* new memory is filled with it: not a number */

static standin_memory *all;

static size_t pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return bytes ? (bytes + page - 1) / page * page : page;
}

/* Handles. */

typedef struct {
    char magic[8];
    int process, file, device; /* device: -1 for a segment */
    uint64_t bytes, number; /* size and inode of the file: another file may have its descriptor */
} handle_parts;

static const char magic[8] = "standin";

static uint64_t number_of(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

static void report(int file, int device, size_t bytes, char handle[WEFT_DEVICE_HANDLE])
{
    handle_parts parts = {"", (int)getpid(), file, device, bytes, number_of(file)};
    memcpy(parts.magic, magic, sizeof magic);
    memset(handle, 0, WEFT_DEVICE_HANDLE);
    memcpy(handle, &parts, sizeof parts);
}

/* Opens the file and writes its length. Returns the descriptor, or -1 with an error. */
static int open_and_report(const char handle[WEFT_DEVICE_HANDLE], size_t *bytes)
{
    handle_parts parts;
    memcpy(&parts, handle, sizeof parts);
    if (memcmp(parts.magic, magic, sizeof magic) != 0)
        return standin_fails("this is no handle"), -1;
    if (standin_is.no_peers && parts.device >= 0 && parts.device != standin_current())
        return standin_fails("device %d has no access to memory of device %d", standin_current(),
                             parts.device),
               -1;
    if (parts.process == (int)getpid())
        return standin_fails("a handle of this process itself, which no device opens"), -1;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", parts.process, parts.file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0 && number_of(file) != parts.number) {
        close(file);
        file = -1;
    }
    if (file < 0)
        return standin_fails(
                   "a handle of memory that was freed, or that belongs to another process"),
               -1;
    *bytes = parts.bytes;
    return file;
}

/* Segments: memory that processes share and may access. */

static bool make_file(int *file, size_t bytes)
{
    *file = memfd_create("weft-standin", MFD_CLOEXEC);
    if (*file >= 0 && ftruncate(*file, (off_t)pages(bytes)) == 0)
        return true;
    if (*file >= 0)
        close(*file);
    return standin_fails("no file in memory: %s", strerror(errno));
}

static void *map(int file, size_t bytes, int access)
{
    void *at = mmap(NULL, pages(bytes), access, MAP_SHARED, file, 0);
    if (at != MAP_FAILED)
        return at;
    standin_fails("cannot map memory: %s", strerror(errno));
    return NULL;
}

static bool map_segment(standin_segment *segment)
{
    segment->at = map(segment->file, segment->bytes, PROT_READ | PROT_WRITE);
    if (segment->at)
        return true;
    close(segment->file);
    return false;
}

bool standin_segment_make(standin_segment *segment, size_t bytes)
{
    segment->bytes = bytes;
    return make_file(&segment->file, bytes) && map_segment(segment);
}

bool standin_segment_write(const standin_segment *segment, char handle[WEFT_DEVICE_HANDLE])
{
    report(segment->file, WEFT_DEVICE_HOST, segment->bytes, handle);
    return true;
}

bool standin_segment_open(standin_segment *segment, const char handle[WEFT_DEVICE_HANDLE])
{
    segment->file = open_and_report(handle, &segment->bytes);
    return segment->file >= 0 && map_segment(segment);
}

void standin_segment_close(standin_segment *segment)
{
    munmap(segment->at, pages(segment->bytes));
    close(segment->file);
}

/* Finding memory by address. */

standin_memory *standin_memory_find(const void *from)
{
    const char *at = from;
    for (standin_memory *it = all; it; it = it->next)
        if (at >= it->outside && at < it->outside + it->mapped)
            return it;
    return NULL;
}

standin_memory *standin_memory_of(const void *from, size_t bytes, const char *call,
                                  const char *what)
{
    standin_memory *it = standin_memory_find(from);
    if (!it)
        return NULL;
    if (it->released)
        standin_die("%s: %s is released memory", call, what);
    size_t before = (size_t)((const char *)from - it->outside);
    if (before > it->bytes || bytes > it->bytes - before)
        standin_die("%s: %s needs %zu bytes from byte %zu of memory of %zu", call, what, bytes,
                    before, it->bytes);
    return it;
}

void *standin_inside(const standin_memory *memory, const void *outside)
{
    return memory->inside + ((const char *)outside - memory->outside);
}

int standin_where(const void *array)
{
    STANDIN_LOCKED;
    const standin_memory *it = standin_memory_find(array);
    return it && !it->released ? it->device : WEFT_DEVICE_HOST;
}

/* Allocating and releasing memory. */

static standin_memory *enter(standin_memory it)
{
    standin_memory *kept = malloc(sizeof *kept);
    if (!kept)
        standin_die("no memory for its own account");
    it.mapped = pages(it.bytes);
    it.next = all;
    *kept = it;
    return all = kept;
}

static bool map_twice(standin_memory *it)
{
    it->outside = map(it->file, it->bytes, PROT_NONE);
    if (it->outside) {
        it->inside = map(it->file, it->bytes, PROT_READ | PROT_WRITE);
        if (it->inside)
            return true;
        munmap(it->outside, pages(it->bytes));
    }
    close(it->file);
    return false;
}

static bool has_capacity(int device, size_t bytes)
{
    uint64_t taken = 0;
    for (const standin_memory *it = all; it; it = it->next)
        if (it->device == device && !it->released && !it->imported)
            taken += it->bytes;
    return bytes <= standin_is.bytes && taken <= standin_is.bytes - bytes;
}

void *standin_allocate(size_t bytes)
{
    STANDIN_LOCKED;
    standin_memory it = {.bytes = bytes, .device = standin_current()};
    if (!standin_goes("allocate"))
        return NULL;
    if (!has_capacity(it.device, bytes)) {
        standin_fails("out of memory: device %d has not %zu bytes left", it.device, bytes);
        return NULL;
    }
    if (!make_file(&it.file, bytes) || !map_twice(&it))
        return NULL;
    memset(it.inside, NOTHING, bytes);
    return enter(it)->outside;
}

void *standin_allocate_pinned(size_t bytes)
{
    STANDIN_LOCKED;
    standin_memory it = {.bytes = bytes, .device = WEFT_DEVICE_HOST, .file = -1};
    if (!standin_goes("allocate_pinned"))
        return NULL;
    void *at = mmap(NULL, pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        standin_fails("no pinned memory of %zu bytes: %s", bytes, strerror(errno));
        return NULL;
    }
    it.outside = it.inside = memset(at, NOTHING, bytes);
    return enter(it)->outside;
}

/* Releases the memory, but keeps the addresses. */
static void release(void *memory, bool pinned, bool imported, const char *call)
{
    if (!memory)
        return;
    STANDIN_LOCKED;
    standin_memory *it = standin_memory_find(memory);
    if (!it || it->outside != (char *)memory)
        standin_die("%s of %p, which it did not give", call, memory);
    if (it->released)
        standin_die("%s of memory that is released already", call);
    if ((it->device == WEFT_DEVICE_HOST) != pinned || it->imported != imported)
        standin_die("%s of memory that another function gave", call);
    if (it->users)
        standin_die("%s while %d pieces of work that are not done use it", call, it->users);
    it->released = true;
    if (it->inside != it->outside)
        munmap(it->inside, it->mapped);
    if (it->file >= 0)
        close(it->file);
    if (mmap(it->outside, it->mapped, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED)
        standin_die("%s: %s", call, strerror(errno));
}

void standin_release(void *memory)
{
    release(memory, false, false, "release");
}

void standin_release_pinned(void *memory)
{
    release(memory, true, false, "release_pinned");
}

/* Between processes. */

bool standin_memory_export(void *memory, char handle[WEFT_DEVICE_HANDLE])
{
    STANDIN_LOCKED;
    standin_memory *it = standin_memory_of(memory, 0, "memory_export", "the memory");
    if (!it || it->device == WEFT_DEVICE_HOST || it->imported || it->outside != (char *)memory)
        standin_die("memory_export of %p, which `allocate` did not give", memory);
    if (!standin_goes("memory_export"))
        return false;
    report(it->file, it->device, it->bytes, handle);
    return true;
}

void *standin_memory_import(const char handle[WEFT_DEVICE_HANDLE])
{
    STANDIN_LOCKED;
    standin_memory it = {.imported = true, .device = standin_current()};
    if (!standin_goes("memory_import"))
        return NULL;
    it.file = open_and_report(handle, &it.bytes);
    if (it.file < 0 || !map_twice(&it))
        return NULL;
    return enter(it)->outside;
}

void standin_memory_close(void *imported)
{
    release(imported, false, true, "memory_close");
}

/* Leaks. */

int standin_memory_left(void)
{
    int left = 0;
    for (const standin_memory *it = all; it; it = it->next)
        left += !it->released;
    return left;
}

void standin_memory_complain(void)
{
    for (const standin_memory *it = all; it; it = it->next)
        if (!it->released)
            fprintf(stderr, "stand-in device: %zu bytes of %s are not %s\n", it->bytes,
                    it->device == WEFT_DEVICE_HOST ? "pinned memory" : "its memory",
                    it->imported ? "closed" : "released");
}
