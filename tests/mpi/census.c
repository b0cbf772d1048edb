/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's handles are counted by the watch. */
#include "tests/mpi/census.h"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tests/mpi/watch.h"

static census taken;

census census_now(void)
{
    census now = taken;
    now.handles = watch_alive_all();
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 heap = mallinfo2();
    now.bytes = (ptrdiff_t)(heap.uordblks + heap.hblkhd);
#endif
    return now;
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
    taken.allocations++;
    return __real_malloc(bytes);
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    taken.allocations++;
    return __real_calloc(count, bytes);
}

void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes)
{
    taken.allocations += memory == NULL;
    return __real_realloc(memory, bytes);
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    taken.allocations++;
    return __real_strdup(text);
}

char *__real_strndup(const char *text, size_t most);
char *__wrap_strndup(const char *text, size_t most);
char *__wrap_strndup(const char *text, size_t most)
{
    taken.allocations++;
    return __real_strndup(text, most);
}

void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    taken.allocations++;
    return __real_aligned_alloc(alignment, bytes);
}

int __real_posix_memalign(void **memory, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    taken.allocations++;
    return __real_posix_memalign(memory, alignment, bytes);
}

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
    taken.allocations -= memory != NULL;
    __real_free(memory);
}

void *__real_mmap(void *at, size_t bytes, int access, int flags, int file, off_t from);
void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int file, off_t from);
void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int file, off_t from)
{
    taken.allocations++;
    return __real_mmap(at, bytes, access, flags, file, from);
}

int __real_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes)
{
    taken.allocations--;
    return __real_munmap(at, bytes);
}
