/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's handles are counted by the watch. */
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

/* Whether this is the one to fail. */
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

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
    return given(fails() ? NULL : __real_malloc(bytes));
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    return given(fails() ? NULL : __real_calloc(count, bytes));
}

void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes)
{
    void *larger = fails() ? NULL : __real_realloc(memory, bytes);
    return memory ? larger : given(larger);
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    return given(fails() ? NULL : __real_strdup(text));
}

char *__real_strndup(const char *text, size_t most);
char *__wrap_strndup(const char *text, size_t most);
char *__wrap_strndup(const char *text, size_t most)
{
    return given(fails() ? NULL : __real_strndup(text, most));
}

void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return given(fails() ? NULL : __real_aligned_alloc(alignment, bytes));
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

char *__real_realpath(const char *path, char *whole);
char *__wrap_realpath(const char *path, char *whole);
char *__wrap_realpath(const char *path, char *whole)
{
    return given(fails() ? NULL : __real_realpath(path, whole));
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

FILE *__real_open_memstream(char **text, size_t *bytes);
FILE *__wrap_open_memstream(char **text, size_t *bytes);
FILE *__wrap_open_memstream(char **text, size_t *bytes)
{
    return given(fails() ? NULL : __real_open_memstream(text, bytes));
}

/* FFTW's own, which fftw_free frees: not counted, but they fail. */
void *__real_fftw_malloc(size_t bytes);
void *__wrap_fftw_malloc(size_t bytes);
void *__wrap_fftw_malloc(size_t bytes)
{
    return fails() ? NULL : __real_fftw_malloc(bytes);
}

/* To be freed with free. */
char *__real_fftw_export_wisdom_to_string(void);
char *__wrap_fftw_export_wisdom_to_string(void);
char *__wrap_fftw_export_wisdom_to_string(void)
{
    return given(fails() ? NULL : __real_fftw_export_wisdom_to_string());
}
