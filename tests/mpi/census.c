/* SPDX-License-Identifier: BSD-3-Clause */
/* The watch counts MPI's handles. */
#include "tests/mpi/census.h"
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tests/mpi/watch.h"

static census taken;
static long number, asked;

void census_fail(long which)
{
    number = which;
    asked = 0;
}

bool census_failed(void)
{
    return number > 0 && asked >= number;
}

/* Counts an allocation; whether it must fail. */
static bool fails(void)
{
    return ++asked == number;
}

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

static void *given(void *memory)
{
    taken.allocations += memory != NULL;
    return memory;
}

/* Wraps a function that returns memory; it returns NULL if the allocation must fail. */
#define WRAP(type, name, parameters, arguments)                                                    \
    type *__real_##name parameters;                                                                \
    type *__wrap_##name parameters;                                                                \
    type *__wrap_##name parameters                                                                 \
    {                                                                                              \
        return given(fails() ? NULL : __real_##name arguments);                                    \
    }

WRAP(void, malloc, (size_t bytes), (bytes))
WRAP(void, calloc, (size_t count, size_t bytes), (count, bytes))
WRAP(void, aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes))
WRAP(char, strdup, (const char *text), (text))
WRAP(char, strndup, (const char *text, size_t most), (text, most))
WRAP(char, realpath, (const char *path, char *whole), (path, whole))
WRAP(FILE, open_memstream, (char **text, size_t *bytes), (text, bytes))
/* The program frees its result with free. */
WRAP(char, fftw_export_wisdom_to_string, (void), ())

void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes)
{
    void *larger = fails() ? NULL : __real_realloc(memory, bytes);
    return memory ? larger : given(larger);
}

int __real_posix_memalign(void **memory, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    const int code = fails() ? ENOMEM : __real_posix_memalign(memory, alignment, bytes);
    taken.allocations += code == 0;
    return code;
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
    void *memory = MAP_FAILED;
    if (!fails())
        memory = __real_mmap(at, bytes, access, flags, file, from);
    else
        errno = ENOMEM;
    taken.allocations += memory != MAP_FAILED;
    return memory;
}

int __real_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes)
{
    taken.allocations--;
    return __real_munmap(at, bytes);
}

int __wrap_asprintf(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = fails() ? -1 : vasprintf(text, format, arguments);
    va_end(arguments);
    taken.allocations += length >= 0;
    return length;
}

/* fftw_free frees this memory, so it does not count, but the allocation can fail. */
void *__real_fftw_malloc(size_t bytes);
void *__wrap_fftw_malloc(size_t bytes);
void *__wrap_fftw_malloc(size_t bytes)
{
    return fails() ? NULL : __real_fftw_malloc(bytes);
}
