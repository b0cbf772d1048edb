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

static size_t mapped(const standin_memory *it)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return it->bytes ? (it->bytes + page - 1) / page * page : page;
}

static void *map(const standin_memory *it, void *at, int access, int flags)
{
    void *memory = mmap(at, mapped(it), access, flags, flags & MAP_ANONYMOUS ? -1 : it->file, 0);
    if (memory == MAP_FAILED)
        standin_die("no memory of %zu bytes: %s", it->bytes, strerror(errno));
    return memory;
}

static void make_file(standin_memory *it)
{
    it->file = memfd_create("weft-standin", MFD_CLOEXEC);
    if (it->file < 0 || ftruncate(it->file, (off_t)mapped(it)) != 0)
        standin_die("no file in memory: %s", strerror(errno));
}

static void map_inside(standin_memory *it)
{
    it->inside = map(it, NULL, PROT_READ | PROT_WRITE, MAP_SHARED);
}

/* Handles. */

typedef struct {
    char magic[8];
    int process, file, device;
    uint64_t bytes, number; /* size and inode of the file: another file may have its descriptor */
} handle_parts;

static const char magic[8] = "standin";

static uint64_t number_of(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

void standin_segment_write(const standin_memory *it, char handle[WEFT_DEVICE_HANDLE])
{
    handle_parts parts = {"", (int)getpid(), it->file, it->device, it->bytes, number_of(it->file)};
    memcpy(parts.magic, magic, sizeof magic);
    memset(handle, 0, WEFT_DEVICE_HANDLE);
    memcpy(handle, &parts, sizeof parts);
}

/* Opens the file. */
static bool open_handle(standin_memory *it, const char handle[WEFT_DEVICE_HANDLE])
{
    handle_parts parts;
    char path[64];
    memcpy(&parts, handle, sizeof parts);
    if (memcmp(parts.magic, magic, sizeof magic) != 0)
        return standin_fails("this is no handle");
    if (standin_no_peers && parts.device >= 0 && parts.device != standin_current())
        return standin_fails("device %d has no access to memory of device %d", standin_current(),
                             parts.device);
    if (parts.process == (int)getpid())
        return standin_fails("a handle of this process itself, which no device opens");
    snprintf(path, sizeof path, "/proc/%d/fd/%d", parts.process, parts.file);
    it->file = open(path, O_RDWR | O_CLOEXEC);
    it->bytes = parts.bytes;
    if (it->file >= 0 && number_of(it->file) == parts.number)
        return true;
    if (it->file >= 0)
        close(it->file);
    return standin_fails("a handle of memory that was freed, or that belongs to another process");
}

void standin_segment_make(standin_memory *segment, size_t bytes)
{
    *segment = (standin_memory){.bytes = bytes, .device = WEFT_DEVICE_HOST};
    make_file(segment);
    map_inside(segment);
}

bool standin_segment_open(standin_memory *segment, const char handle[WEFT_DEVICE_HANDLE])
{
    if (!open_handle(segment, handle))
        return false;
    map_inside(segment);
    return true;
}

void standin_segment_close(const standin_memory *segment)
{
    munmap(segment->inside, mapped(segment));
    close(segment->file);
}

/* Finding memory by address. */

standin_memory *standin_memory_find(const void *from)
{
    const char *at = from;
    for (standin_memory *it = all; it; it = it->next)
        if (at >= it->outside && at < it->outside + mapped(it))
            return it;
    return NULL;
}

int standin_where(const void *array)
{
    STANDIN_LOCKED;
    const standin_memory *it = standin_memory_find(array);
    return it && !it->released ? it->device : WEFT_DEVICE_HOST;
}

/* Allocating and releasing memory. */

static void *enter(standin_memory it)
{
    standin_memory *kept = standin_new(sizeof *kept);
    it.next = all;
    *kept = it;
    all = kept;
    standin_count[it.kind]++;
    return it.outside;
}

static bool has_capacity(int device, size_t bytes)
{
    uint64_t taken = 0;
    for (const standin_memory *it = all; it; it = it->next)
        if (it->kind == STANDIN_MEMORY && it->device == device && !it->released)
            taken += it->bytes;
    return bytes <= standin_bytes && taken <= standin_bytes - bytes;
}

void *standin_allocate(size_t bytes)
{
    STANDIN_LOCKED;
    standin_memory it = {.kind = STANDIN_MEMORY, .bytes = bytes, .device = standin_current()};
    if (!standin_goes("allocate"))
        return NULL;
    if (!has_capacity(it.device, bytes)) {
        standin_fails("out of memory: device %d has not %zu bytes left", it.device, bytes);
        return NULL;
    }
    make_file(&it);
    map_inside(&it);
    it.outside = map(&it, NULL, PROT_NONE, MAP_SHARED);
    memset(it.inside, NOTHING, bytes);
    return enter(it);
}

void *standin_allocate_pinned(size_t bytes)
{
    STANDIN_LOCKED;
    standin_memory it = {
        .kind = STANDIN_PINNED, .bytes = bytes, .device = WEFT_DEVICE_HOST, .file = -1};
    if (!standin_goes("allocate_pinned"))
        return NULL;
    it.inside = map(&it, NULL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
    it.outside = memset(it.inside, NOTHING, bytes);
    return enter(it);
}

/* Releases the memory, but keeps the addresses. */
static void release(void *memory, standin_kind kind, const char *call)
{
    if (!memory)
        return;
    STANDIN_LOCKED;
    standin_memory *it = standin_memory_find(memory);
    if (!it || it->outside != (char *)memory || it->kind != kind)
        standin_die("%s of %p, which it did not give", call, memory);
    if (it->released)
        standin_die("%s of memory that is released already", call);
    if (it->users)
        standin_die("%s while %d pieces of work that are not done use it", call, it->users);
    it->released = true;
    standin_count[kind]--;
    if (it->inside != it->outside)
        standin_segment_close(it);
    map(it, it->outside, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE);
}

void standin_release(void *memory)
{
    release(memory, STANDIN_MEMORY, "release");
}

void standin_release_pinned(void *memory)
{
    release(memory, STANDIN_PINNED, "release_pinned");
}

/* Between processes. */

bool standin_memory_export(void *memory, char handle[WEFT_DEVICE_HANDLE])
{
    STANDIN_LOCKED;
    const standin_memory *it = standin_memory_find(memory);
    if (!it || it->kind != STANDIN_MEMORY || it->outside != (char *)memory || it->released)
        standin_die("memory_export of %p, which `allocate` did not give", memory);
    if (!standin_goes("memory_export"))
        return false;
    standin_segment_write(it, handle);
    return true;
}

void *standin_memory_import(const char handle[WEFT_DEVICE_HANDLE])
{
    STANDIN_LOCKED;
    standin_memory it = {.kind = STANDIN_IMPORTED, .device = standin_current()};
    if (!standin_goes("memory_import") || !standin_segment_open(&it, handle))
        return NULL;
    it.outside = map(&it, NULL, PROT_NONE, MAP_SHARED);
    return enter(it);
}

void standin_memory_close(void *imported)
{
    release(imported, STANDIN_IMPORTED, "memory_close");
}
