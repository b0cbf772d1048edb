/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI ends the program when it is called at the wrong time or with a wrong communicator; these
 * functions check that first. Handles tell two kinds of MPI apart: Open MPI's are addresses of
 * objects that its library exports; handles of MPICH and its relatives are numbers. Weft's calls
 * reach the MPI library that comes first in the loader's search order. The checks call or look up
 * PMPI functions, because profiling tools may replace the MPI functions. No other MPI function is
 * called before the MPI is known to be the right one.
 */
#include "api/mpi-state.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backends/exchange/communicator.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"

#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)
/* Kinds of MPI, with different handles and constants. MPI 5 defines the handles of STANDARD; the
 * libmpi_abi.so of every MPI library uses them. */
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

const char *weft_mpi_title(char *text, size_t capacity)
{
    enum { LONGEST = 8192 }; /* long enough for any MPI, not only for Weft's */
    char version[LONGEST] = "";
    int length;
    size_t used = 0;
    PMPI_Get_library_version(version, &length);
    for (const char *from = version; *from && !strchr("\n,", *from) && used + 1 < capacity; from++)
        text[used++] = *from == '\t' ? ' ' : *from;
    text[used] = '\0';
    return text;
}

void weft_exit_process(const char *format, ...)
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

/* Ends the process if Weft's calls reach an MPI of another kind than Weft was built for. */
static void check_kind(void)
{
    char title[200];
    static atomic_bool checked;
    void *library = NULL;
    if (!atomic_exchange(&checked, true))
        library = weft_library_of(address_of(PMPI_Initialized));
    if (!library)
        return; /* checked before, or MPI is part of the program, which was linked for it */
    const mpi_kind kind = strstr(weft_mpi_file(), "libmpi_abi")   ? STANDARD
                          : dlsym(library, open_mpi_only) != NULL ? OF_OPEN_MPI
                                                                  : OF_MPICH;
    dlclose(library);
    if (kind != own_kind)
        weft_exit_process("the program runs on %s (%s), but this Weft (%s) was built for %s; use "
                          "one that was built with the program's MPI compiler",
                          weft_mpi_title(title, sizeof title), weft_mpi_file(),
                          weft_file_of(open_mpi_only), BUILT_FOR);
}

/* Writes the name of a file that is loaded into the process, with its '\0'. */
static int add(struct dl_phdr_info *info, size_t size, void *to)
{
    (void)size;
    if (info->dlpi_name && *info->dlpi_name)
        fwrite(info->dlpi_name, strlen(info->dlpi_name) + 1, 1, to);
    return 0;
}

/* MPI_Initialized of the MPI library that this file, or a library that it needs, contains. NULL if
 * it contains none, or if that is Weft's own MPI. */
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

/* Ends the process if another MPI library than Weft's is initialized. To be called when Weft's MPI
 * is not initialized. */
static void check_other(void)
{
    char *names = NULL;
    size_t length = 0;
    FILE *list = open_memstream(&names, &length);
    if (list) {
        dl_iterate_phdr(add, list);
        fclose(list);
    }
    for (size_t at = 0; names && at < length; at += strlen(names + at) + 1) {
        asking other = other_in(names + at);
        int initialized = 0;
        if (other && !other(&initialized) && initialized)
            weft_exit_process(
                "the program has initialized the MPI in %s, but this Weft (%s) was built for the "
                "MPI in %s; use one that was built with the program's MPI compiler",
                weft_file_of(address_of(other)), weft_file_of(open_mpi_only), weft_mpi_file());
    }
    free(names);
}

static bool initialized(void)
{
    int yes = 0;
    MPI_Initialized(&yes);
    return yes;
}

bool weft_mpi_running(void)
{
    check_kind();
    if (!initialized())
        check_other();
    return weft_has_world();
}

/* Whether this MPI has sessions, with which a program need not call MPI_Init. */
#ifdef MPI_SESSION_NULL
enum { HAS_SESSIONS = true };
#else
enum { HAS_SESSIONS = false };
#endif

/* Whether a program that has not called MPI_Init may have made this communicator from a session. */
static bool may_be_of_session(MPI_Comm comm)
{
    return HAS_SESSIONS && !initialized() && comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF &&
           comm != MPI_COMM_NULL;
}

/* Returns a sentence that says why this communicator cannot be used now, or NULL. */
static const char *unusable(MPI_Comm comm)
{
    int between = 0;
    if (!weft_mpi_running() && !may_be_of_session(comm))
        return initialized() ? "MPI has been finalized; call it before MPI_Finalize"
                             : "MPI is not initialized; call MPI_Init first";
    if (comm == MPI_COMM_NULL)
        return "the communicator is MPI_COMM_NULL; only its members may call";
    MPI_Comm_test_inter(comm, &between);
    return between ? "the communicator is an inter-communicator; pass an ordinary one" : NULL;
}

/* The error handlers of MPI_COMM_WORLD and MPI_COMM_SELF, which MPI calls for errors without a
 * communicator. They exist only with MPI_COMM_WORLD, and are replaced while any thread is inside
 * Weft. */
static struct {
    pthread_mutex_t lock;
    int inside;
    weft_handler world, self;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER,
            .world = {MPI_COMM_NULL, MPI_ERRHANDLER_NULL},
            .self = {MPI_COMM_NULL, MPI_ERRHANDLER_NULL}};

weft_handler weft_errors_fatal(MPI_Comm comm)
{
    pthread_mutex_lock(&shared.lock);
    if (shared.inside++ == 0 && weft_has_world()) {
        shared.world = weft_handler_replace(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        shared.self = weft_handler_replace(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    }
    pthread_mutex_unlock(&shared.lock);
    if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF)
        return (weft_handler){.comm = comm, .handler = MPI_ERRHANDLER_NULL};
    return weft_handler_replace(comm, MPI_ERRORS_ARE_FATAL);
}

void weft_errors_as_before(weft_handler *was)
{
    weft_handler_restore(was);
    pthread_mutex_lock(&shared.lock);
    if (--shared.inside == 0) {
        weft_handler_restore(&shared.self);
        weft_handler_restore(&shared.world);
    }
    pthread_mutex_unlock(&shared.lock);
}

bool weft_comm_usable(const char *function, MPI_Comm comm, int *rank, int *ranks)
{
    const char *why = unusable(comm);
    if (why)
        return weft_error("%s: %s", function, why);
    WEFT_ERRORS_ARE_FATAL(comm);
    MPI_Comm_rank(comm, rank);
    MPI_Comm_size(comm, ranks);
    return true;
}

static double answer_limit(void)
{
    enum { LIMIT = 60 };
    const char *text = weft_setting("WEFT_ANSWER_LIMIT");
    char *end = NULL;
    const double seconds = text && *text ? weft_parse_number(text, &end) : LIMIT;
    return seconds > 0 && (!end || !*end) ? seconds : LIMIT;
}

bool weft_comm_usable_on_all(const char *function, MPI_Comm comm, int *rank, int *ranks)
{
    if (!weft_comm_usable(function, comm, rank, ranks))
        return false;
    WEFT_ERRORS_ARE_FATAL(comm);
    if (weft_communicator_is_open(comm))
        return true;
    const weft_handshake_result result = weft_handshake(comm, answer_limit());
    if (result == WEFT_HANDSHAKE_FAILED)
        weft_error_blame_environment();
    if (result != WEFT_HANDSHAKE_ALONE)
        return result == WEFT_HANDSHAKE_GOOD;
    if (weft_error_text()[0])
        weft_abort("%s: %s", function, weft_error_text());
    for (;;) /* another rank prints the sentence and ends the program; signals interrupt pause */
        pause();
}

bool weft_is_verbose(void)
{
    const char *verbose = weft_setting("WEFT_VERBOSE");
    return verbose && weft_parse_number(verbose, NULL) >= 1;
}

void *weft_or_error(void *made, MPI_Comm comm)
{
    int rank = 0;
    if (!made && !unusable(comm))
        MPI_Comm_rank(comm, &rank);
    if (!made && rank == 0 && weft_error_is_environment())
        weft_print_once("%s", weft_error_text());
    else if (!made && rank == 0 && weft_is_verbose())
        fprintf(stderr, "weft: %s\n", weft_error_text());
    return made;
}

MPI_Comm weft_comm_from_fortran(MPI_Fint comm)
{
    if (!weft_mpi_running() && !HAS_SESSIONS)
        return MPI_COMM_NULL;
#if defined MPI_ABI_VERSION && MPI_ABI_VERSION > 0
    return MPI_Comm_fromint(comm); /* in this ABI MPI_Comm_f2c is in a library for Fortran */
#else
    return MPI_Comm_f2c(comm);
#endif
}
