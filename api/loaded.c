/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two kinds of MPI are told apart by their handles: Open MPI's are addresses of objects that its
 * library exports, those of MPICH and its relatives are numbers. Calls of Weft reach whichever MPI
 * comes first in the search order; PMPI is asked, since tools for profiling stand before MPI.
 * Nothing of MPI is called until it is known to be the right one.
 */
#include "api/loaded.h"

#include <dlfcn.h>
#ifdef __ELF__
#include <link.h>
#endif
#include <mpi.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)
/* MPIs whose handles and constants differ. MPI 5 defines those of STANDARD, which libmpi_abi.so has
 * of every MPI. */
typedef enum { OF_MPICH, OF_OPEN_MPI, STANDARD } mpi_kind;

#if defined MPI_ABI_VERSION && MPI_ABI_VERSION > 0
#define BUILT_FOR "the ABI of MPI 5"
static const mpi_kind own_kind = STANDARD;
#elif defined OPEN_MPI
#define BUILT_FOR "Open MPI " TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION)
static const mpi_kind own_kind = OF_OPEN_MPI;
#elif defined MPICH_VERSION
#define BUILT_FOR "MPICH " MPICH_VERSION
static const mpi_kind own_kind = OF_MPICH;
#else
#define BUILT_FOR "another MPI"
static const mpi_kind own_kind = OF_MPICH;
#endif

typedef int (*asking)(int *);

static const char open_mpi_only[] = "ompi_mpi_comm_world";

const char *weft_file_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

void *weft_library_of(const void *address)
{
    const char *file = weft_file_of(address);
    return *file ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

static const void *address_of(asking function)
{
    const void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}

const char *weft_mpi_file(void)
{
    return weft_file_of(address_of(PMPI_Initialized));
}

const char *weft_mpi_title(char *text, size_t room)
{
    enum { LONGEST = 8192 }; /* of any MPI, not Weft's alone */
    char version[LONGEST] = "";
    int length;
    size_t used = 0;
    PMPI_Get_library_version(version, &length);
    for (const char *from = version; *from && !strchr("\n,", *from) && used + 1 < room; from++)
        text[used++] = *from == '\t' ? ' ' : *from;
    text[used] = '\0';
    return text;
}

void weft_end(const char *format, ...)
{
    va_list arguments;
    fflush(NULL);
    fputs("weft: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    _exit(EXIT_FAILURE);
}

void weft_mpi_check_kind(void)
{
    char title[200];
    static atomic_bool checked;
    void *library = NULL;
    if (!atomic_exchange(&checked, true))
        library = weft_library_of(address_of(PMPI_Initialized));
    if (!library)
        return; /* known already, or part of the program, for which it was linked */
    const mpi_kind kind = strstr(weft_mpi_file(), "libmpi_abi")   ? STANDARD
                          : dlsym(library, open_mpi_only) != NULL ? OF_OPEN_MPI
                                                                  : OF_MPICH;
    dlclose(library);
    if (kind != own_kind)
        weft_end("the program runs on %s (%s), but this Weft (%s) was built for %s; use one that "
                 "was built with the program's MPI compiler",
                 weft_mpi_title(title, sizeof title), weft_mpi_file(), weft_file_of(open_mpi_only),
                 BUILT_FOR);
}

#ifdef __ELF__
/* The files of a process, one after the other. */
typedef struct {
    char *names;
    size_t length;
} list;

static int add(struct dl_phdr_info *info, size_t size, void *to)
{
    list *it = to;
    const size_t more = info->dlpi_name ? strlen(info->dlpi_name) + 1 : 0;
    char *names = more > 1 ? realloc(it->names, it->length + more) : NULL;
    (void)size;
    if (names) {
        memcpy(names + it->length, info->dlpi_name, more);
        *it = (list){names, it->length + more};
    }
    return 0;
}

/* How to ask the MPI that a file or what it needs holds; NULL: Weft's own, or none. */
static asking other_in(const char *file)
{
    void *library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    void *address = library ? dlsym(library, "PMPI_Initialized") : NULL;
    asking function = NULL;
    if (library)
        dlclose(library);
    if (address && strcmp(weft_file_of(address), weft_mpi_file()) != 0)
        memcpy(&function, &address, sizeof function);
    return function;
}

void weft_mpi_check_other(void)
{
    list files = {NULL, 0};
    dl_iterate_phdr(add, &files);
    for (size_t at = 0; at < files.length; at += strlen(files.names + at) + 1) {
        asking other = other_in(files.names + at);
        int initialized = 0;
        if (other && !other(&initialized) && initialized)
            weft_end("the program has initialized the MPI of %s, but this Weft (%s) was built for "
                     "that of %s; use one that was built with the program's MPI compiler",
                     weft_file_of(address_of(other)), weft_file_of(open_mpi_only), weft_mpi_file());
    }
    free(files.names);
}
#else
void weft_mpi_check_other(void)
{
}
#endif
