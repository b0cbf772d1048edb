/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * If MPI reports every rank alone on a node (tests/mpi/alone.c), Weft finds ranks that can share
 * memory and puts them on one node. Plans use the memory. A rank that cannot share memory is alone,
 * with a reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "backends/exchange/nodes.h"
#include "backends/memory/window.h"
#include "kernels/base/error.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"

/* What fails on this rank with the shared file: the system has no files without names; opening the
 * other ranks' files in /proc fails; also opening those in /dev/shm; the file is another one;
 * /dev/shm is full. */
static enum { NOTHING, NO_NAMELESS, NO_PROC, NONE_OPENS, OTHER, FULL } trouble;
static char namespace;

int memfd_create(const char *name, unsigned flags)
{
    if (trouble == NO_NAMELESS || trouble == FULL) {
        errno = ENOSYS;
        return -1;
    }
    return (int)syscall(SYS_memfd_create, name, flags);
}

int posix_fallocate(int file, off_t from, off_t bytes)
{
    return trouble == FULL ? ENOSPC : (int)syscall(SYS_fallocate, file, 0, from, bytes);
}

int open(const char *name, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    const bool proc = strncmp(name, "/proc/", 6) == 0 && strstr(name, "/fd/"),
               shm = strncmp(name, "/dev/shm/weft-", 14) == 0;
    if ((proc || shm) && trouble == OTHER)
        return (int)syscall(SYS_memfd_create, "other", 0);
    if ((proc && (trouble == NO_PROC || trouble == NONE_OPENS)) || (shm && trouble == NONE_OPENS)) {
        errno = EACCES;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

ssize_t readlink(const char *restrict name, char *restrict text, size_t capacity)
{
    if (!namespace || strcmp(name, "/proc/self/ns/pid") != 0)
        return syscall(SYS_readlinkat, AT_FDCWD, name, text, capacity);
    text[0] = namespace;
    return 1;
}

/* Checks that ranks are on one node if they differ by a multiple of `step`. A rank that is alone
 * has a reason with the words `why`. */
static void check_nodes(int step, const char *why)
{
    weft_nodes nodes;
    weft_error_clear();
    all_true(weft_nodes_find(MPI_COMM_WORLD, &nodes), "%s", weft_error_text());
    const int members = (ranks - rank % step + step - 1) / step;
    bool right = nodes.own == (members > 1) && !*weft_error_text() &&
                 (*why ? ranks == 1 || strstr(nodes.why, why) : step > 2 || !*nodes.why);
    for (int r = 0; r < ranks; r++)
        right &= nodes.leader[r] == r % step;
    all_true(right, "not every %d ranks, or for another reason: %s, %s", step, nodes.why,
             weft_error_text());
    free(nodes.leader);
}

TEST(ranks_that_see_the_same_memory_are_on_one_node)
{
    check_nodes(1, "");
}

TEST(ranks_of_another_namespace_are_on_another_node)
{
    namespace = rank % 2 ? 'b' : 'a';
    check_nodes(2, "");
    namespace = '\0';
}

/* Rank 0 makes the file, the others open it. */
TEST(ranks_that_cannot_open_the_file_are_alone, .to = 3)
{
    static const struct {
        int trouble, rank;
        const char *why;
    } row[] = {{NONE_OPENS, -1, "cannot be opened: Permission denied"},
               {OTHER, -1, "is not the shared memory of another rank"},
               {FULL, 0, "bytes of shared memory: No space left on device"}};
    if (rank == (row[_i].rank < 0 ? ranks - 1 : row[_i].rank) && ranks > 1)
        trouble = row[_i].trouble;
    check_nodes(ranks, row[_i].why);
    weft_window *window = weft_window_open(MPI_COMM_WORLD, 1000);
    all_true((window != NULL) == (ranks == 1), "there is a window");
    all_true(window || strstr(weft_error_text(), row[_i].why), "it says: %s", weft_error_text());
    weft_window_close(window);
    trouble = NOTHING;
}

/* A plan that exchanges through memory is right. */
static void check_plan(int sample, MPI_Comm comm)
{
    setenv("WEFT_BACKEND", "shared", 1);
    const dropin_case it = dropin_single(&dropin_samples[sample], FFTW_ESTIMATE);
    dropin_check(&it, comm);
    unsetenv("WEFT_BACKEND");
}

/* The file is in /dev/shm. tests/mpi/launch checks that no file stays there. */
TEST(a_file_with_a_name_also_works, .to = 2)
{
    if (_i ? rank == ranks - 1 : rank == 0)
        trouble = _i ? NO_PROC : NO_NAMELESS;
    check_nodes(1, "");
    MPI_Comm other; /* a communicator without an open window */
    MPI_Comm_split(MPI_COMM_WORLD, _i > 0, -rank, &other);
    check_plan(0, other);
    trouble = NOTHING;
    MPI_Comm_free(&other);
}

TEST(pretended_nodes_are_kept)
{
    setenv("MPIR_CVAR_NUM_CLIQUES", "8", 1);
    check_nodes(ranks, "");
    unsetenv("MPIR_CVAR_NUM_CLIQUES");
}

TEST(plans_go_through_memory, .to = DROPIN_SAMPLES)
{
    check_plan(_i, MPI_COMM_WORLD);
}
