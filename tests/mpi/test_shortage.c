/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows larger than the shared memory there is are refused, and the program goes on. On most
 * machines there is enough; tests/scripts/shortage.sh runs this where there is little. Likewise
 * where a rank has too few addresses; and a plan asks no more once it was refused.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include "api/fftw3-mpi.h"
#include "api/weft.h"
#include "kernels/base/error.h"
#include "kernels/base/host.h"
#include "tests/mpi/harness.h"
#include "backends/memory/storage.h"
#include "backends/memory/window.h"

/* Whether a sentence names the host, and has two numbers of bytes of which the first is less. */
static bool says_how_much(const char *sentence)
{
    unsigned long long there = 0, needed = 0;
    const char *at = strstr(sentence, " has ");
    return at && strstr(sentence, weft_host()) &&
           sscanf(at, " has %llu bytes free, but shared memory needs %llu", &there, &needed) == 2 &&
           there < needed;
}

/* Rank 0's bytes; negative: there is no such directory. */
static double room_now(void)
{
    struct statvfs state;
    double room = -1;
    if (statvfs("/dev/shm", &state) == 0)
        room = (double)state.f_bavail * (double)state.f_frsize;
    MPI_Bcast(&room, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return room;
}

START_TEST(windows_that_have_no_room_are_refused)
{
    enum { SMALL = 1 << 16, LARGE = 64 << 20 };
    double room = room_now();
    if (room < 0)
        return;
    weft_window *small = weft_window_open(MPI_COMM_WORLD, SMALL);
    all_true(small, "%s", weft_error_text());
    weft_window *large = weft_window_open(MPI_COMM_WORLD, LARGE);
    if (room < (double)LARGE * ranks) {
        all_true(!large && says_how_much(weft_error_text()), "it says: %s", weft_error_text());
        /* what there is room for, but for the reserve */
        const double rest = room_now() / ranks - (1 << 18);
        const bool fits =
            rest <= 0 || weft_storage_has_room(MPI_COMM_WORLD, (size_t)(rest > 0 ? rest : 0));
        all_true(rest <= 0 || (!fits && says_how_much(weft_error_text())), "it says: %s",
                 weft_error_text());
    }
    if (room > 2.0 * LARGE * ranks)
        all_true(large, "%s", weft_error_text());
    if (rank == 0 && !large)
        printf("refused: %s\n", weft_error_text());
    memset(weft_window_part(small, rank), 1, SMALL);
    MPI_Barrier(MPI_COMM_WORLD);
    weft_window_close(large);
    weft_window_close(small);
}
END_TEST

/* In place of MPI's own. */
static int asked;
static bool refusing;

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *window)
{
    asked++;
    if (!refusing)
        return PMPI_Win_allocate_shared(size, unit, info, comm, base, window);
    MPI_Barrier(comm);
    return MPI_ERR_NO_MEM;
}

static size_t bytes_of_process(void)
{
    size_t all = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%zu", &all) != 1)
        all = 0;
    if (file)
        fclose(file);
    return all * 4096;
}

START_TEST(memory_that_one_rank_has_no_addresses_for_is_not_asked_for)
{
    enum { FREE = 16 << 20, BYTES = 20 << 20 };
    struct rlimit before, little;
    getrlimit(RLIMIT_AS, &before);
    little = before;
    const bool lame = rank == ranks - 1;
    for (int other = 0; other < ranks; other++) /* MPI needs addresses for each it talks with */
        MPI_Sendrecv(NULL, 0, MPI_INT, other, 0, NULL, 0, MPI_INT, other, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    const size_t now = bytes_of_process();
    if (now == 0)
        return;
    little.rlim_cur = now + FREE;
    asked = 0;
    if (lame)
        setrlimit(RLIMIT_AS, &little);
    weft_window *window = weft_window_open(MPI_COMM_WORLD, BYTES);
    if (lame)
        setrlimit(RLIMIT_AS, &before);
    all_true(!window, "there is a window");
    all_true(!lame || strstr(weft_error_text(), "has no addresses for"), "it says: %s",
             weft_error_text());
    all_true(asked == 0, "MPI was asked %d times", asked);
    window = weft_window_open(MPI_COMM_WORLD, BYTES);
    all_true(window, "%s", weft_error_text());
    memset(weft_window_part(window, rank), 1, BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    weft_window_close(window);
}
END_TEST

START_TEST(a_plan_that_was_refused_memory_does_not_ask_again)
{
    static const unsigned rigor[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT};
    enum { N = 30 };
    static fftw_complex array[N * N * N];
    fftw_forget_wisdom();
    weft_forget_wisdom();
    asked = 0;
    refusing = true;
    MPI_Comm other; /* whose window nobody has opened */
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
    fftw_plan plan = fftw_mpi_plan_dft_3d(N, N, N, array, array, other, FFTW_FORWARD, rigor[_i]);
    refusing = false;
    all_true(plan, "there is no plan");
    all_true(asked <= 1, "MPI was asked %d times", asked);
    memset(array, 0, sizeof array);
    if (rank == ranks - 1)
        array[0][0] = 1;
    fftw_execute(plan);
    ptrdiff_t mine, start;
    fftw_mpi_local_size_3d(N, N, N, other, &mine, &start);
    int wrong = 0;
    for (ptrdiff_t i = 0; i < mine * N * N; i++)
        wrong += array[i][0] != 1 || array[i][1] != 0;
    all_true(wrong == 0, "%d numbers are wrong", wrong);
    fftw_destroy_plan(plan);
    MPI_Comm_free(&other);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("shortage");
    TCase *tests = tcase_create("windows");
    tcase_add_test(tests, memory_that_one_rank_has_no_addresses_for_is_not_asked_for);
    tcase_add_test(tests, windows_that_have_no_room_are_refused);
    tcase_add_loop_test(tests, a_plan_that_was_refused_memory_does_not_ask_again, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
