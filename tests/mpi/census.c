/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators and datatypes are counted in MPI's profiling interface. */
#include "tests/mpi/census.h"
#include <malloc.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static census taken;

census census_now(void)
{
    census now = taken;
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 heap = mallinfo2();
    now.bytes = (ptrdiff_t)(heap.uordblks + heap.hblkhd);
#endif
    return now;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    int code = PMPI_Comm_split(comm, color, key, made);
    taken.communicators += code == MPI_SUCCESS && *made != MPI_COMM_NULL;
    return code;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    int code = PMPI_Comm_split_type(comm, type, key, info, made);
    taken.communicators += code == MPI_SUCCESS && *made != MPI_COMM_NULL;
    return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    int code = PMPI_Comm_dup(comm, made);
    taken.communicators += code == MPI_SUCCESS;
    return code;
}

int MPI_Comm_free(MPI_Comm *comm)
{
    taken.communicators--;
    return PMPI_Comm_free(comm);
}

int MPI_Type_create_hvector(int count, int length, MPI_Aint step, MPI_Datatype type,
                            MPI_Datatype *made)
{
    taken.datatypes++;
    return PMPI_Type_create_hvector(count, length, step, type, made);
}

int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint *places, MPI_Datatype type,
                                   MPI_Datatype *made)
{
    taken.datatypes++;
    return PMPI_Type_create_hindexed_block(count, length, places, type, made);
}

int MPI_Type_free(MPI_Datatype *type)
{
    taken.datatypes--;
    return PMPI_Type_free(type);
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
