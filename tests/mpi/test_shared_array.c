/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared arrays: only arrays in shared memory are announced; freed places are used again; and plans
 * read and write shared arrays instead of copying (test_random and test_grid compare the numbers).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "backends/memory/shared-array.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/segments.h"
#include "tests/mpi/windows.h"
#include "kernels/base/precision.h"
#include "api/weft.h"

/* Whether an array is announced in a run of a window, where this rank has the number `here`. */
static bool announces(weft_window *window, int here, bool put, const void *array, size_t bytes)
{
    const bool can = weft_shared_array_announce(window, put, array, bytes);
    weft_barrier_publish(&window->barrier);
    const void *there = weft_shared_array_announced(window, here, put);
    weft_barrier_done(&window->barrier);
    all_true(there == (can ? array : NULL), "it is not announced where it is");
    return can;
}

TEST(only_arrays_in_shared_memory_are_announced)
{
    char *array = weft_shared_array_make(MPI_COMM_WORLD, 1000), *other = malloc(1000);
    weft_window *window = weft_window_open(MPI_COMM_WORLD, 1);
    all_true(array && other && window, "%s", weft_error_text());
    const struct {
        const char *array;
        size_t bytes;
        bool shared;
        const char *what;
    } cases[] = {
        {array, 1000, true, "all of it"},
        {array + 128, 872, true, "a part of it"},
        {array + 128, 873, false, "a part that is too long"},
        {array + 8, 100, false, "a part that is not aligned"},
        {array, 0, false, "nothing"},
        {other, 1000, false, "other memory"},
        {NULL, 8, false, "no array"},
        {array, 1000, true, "all of it, once more"},
    };
    for (int i = 0; i < NUMBER(cases); i++)
        all_true(announces(window, rank, i % 2, cases[i].array, cases[i].bytes) == cases[i].shared,
                 "%s", cases[i].what);
    all_true(!weft_shared_array_free(other) && !weft_shared_array_free(NULL),
             "other memory is freed");
    all_true(weft_shared_array_free(array), "it is not known");
    all_true(!announces(window, rank, false, array, 1000), "a freed array is announced");
    weft_window_close(window);
    free(other);
}

TEST(arrays_are_announced_if_all_ranks_can_see_them)
{
    enum { HALF, SINGLE, ALL, WINDOWS };
    MPI_Comm comm[WINDOWS];
    weft_window *window[WINDOWS];
    int here[WINDOWS];
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm[HALF]);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &comm[SINGLE]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[ALL]);
    char *array = weft_shared_array_make(comm[HALF], 100);
    all_true(array, "%s", weft_error_text());
    for (int i = 0; i < WINDOWS; i++) {
        window[i] = weft_window_open(comm[i], 1);
        MPI_Comm_rank(comm[i], &here[i]);
    }
    for (int i = 0; i < 2 * WINDOWS; i++) { /* results for one window must not affect another */
        const int w = i % WINDOWS;
        all_true(announces(window[w], here[w], false, array, 100) == (w != ALL || ranks == 1),
                 "window %d", w);
    }
    for (int i = 0; i < WINDOWS; i++) {
        weft_window_close(window[i]);
        MPI_Comm_free(&comm[i]);
    }
    weft_shared_array_free(array);
}

TEST(freed_places_are_used_again)
{
    enum { BYTES = 3 << 20 };
    uint32_t *kept = weft_shared_array_make(MPI_COMM_WORLD, 4000), *array;
    write_part(kept, rank, 2, 1000);
    array = weft_shared_array_make(MPI_COMM_WORLD, BYTES);
    int before = segments_made;
    for (int round = 0; round < 20; round++) {
        memset(array, 1, BYTES);
        weft_shared_array_free(array);
        array = weft_shared_array_make(MPI_COMM_WORLD, BYTES - 1000 * (size_t)round);
        all_true(array && segments_made == before, "round %d: %s", round, weft_error_text());
    }
    /* Some ranks have freed their array: a new one is necessary, and the old ones do not change. */
    memset(array, 2, BYTES / 2);
    if (rank == 0)
        weft_shared_array_free(array);
    uint32_t *next = weft_shared_array_make(MPI_COMM_WORLD, 100);
    /* If MPI reports each rank alone, Weft makes one more segment to find ranks that can share
     * memory. */
    all_true(next && (segments_made > before) == (ranks > 1), "%s", weft_error_text());
    all_true(rank == 0 || ((unsigned char *)array)[BYTES / 2 - 1] == 2,
             "another array has the same place");
    all_true(holds(kept, rank, 2, 1000), "another one has changed");
    if (rank > 0)
        weft_shared_array_free(array);
    weft_shared_array_free(next);
    weft_shared_array_free(kept);
}

TEST(without_shared_memory_arrays_are_private, .to = 3)
{
    const ptrdiff_t numbers = 100000 * (_i + 1); /* more than before */
    weft_window *window = weft_window_open(MPI_COMM_WORLD, 1);
    all_true(!WEFT(alloc_complex)(((ptrdiff_t)1 << 58) - 1, MPI_COMM_WORLD), "2^62 bytes a rank");
    no_addresses = rank == _i % ranks;
    FFTW(complex) *array = WEFT(alloc_complex)(numbers, MPI_COMM_WORLD);
    no_addresses = false;
    all_true(array, "%s", weft_error_text());
    all_true(!announces(window, rank, false, array, 16), "private memory is announced");
    all_true(!WEFT(last_error)()[0], "an error is left: %s", WEFT(last_error)());
    memset(array, 0, (size_t)numbers * sizeof *array);
    WEFT(free)(array);
    array = WEFT(alloc_complex)(numbers, MPI_COMM_WORLD);
    all_true(array && announces(window, rank, false, array, (size_t)numbers * sizeof *array),
             "it is never shared again");
    weft_window_close(window);
    WEFT(free)(array);
    WEFT(free)(NULL);
}

/* Whether a plan of [8][8][6] on a grid of two rows has written to this rank's part of the window,
 * where it would collect slabs. */
static bool copies(weft_real *in, FFTW(complex) * out, bool back)
{
    enum { BYTES = 1024 };
    static unsigned char sign[BYTES];
    const ptrdiff_t n[3] = {8, 8, 6};
    const int dims[2] = {2, ranks / 2};
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, 2, dims);
    FFTW(plan)
    plan = back ? WEFT(plan_dft_c2r)(3, n, out, in, grid, FFTW_ESTIMATE)
                : WEFT(plan_dft_r2c)(3, n, in, out, grid, FFTW_ESTIMATE);
    all_true(plan, "%s", WEFT(last_error)());
    MPI_Comm row;
    MPI_Comm_split(MPI_COMM_WORLD, rank / dims[1], rank, &row);
    weft_window *window = weft_window_open(row, BYTES); /* the plan's window */
    int here;
    MPI_Comm_rank(row, &here);
    memset(sign, 0xA5, BYTES);
    memcpy(weft_window_part(window, here), sign, BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    FFTW(execute)(plan);
    MPI_Barrier(MPI_COMM_WORLD);
    const bool copied = memcmp(weft_window_part(window, here), sign, BYTES) != 0;
    FFTW(destroy_plan)(plan);
    weft_window_close(window);
    MPI_Comm_free(&row);
    WEFT(grid_free)(grid);
    return copied;
}

TEST(plans_do_not_copy_shared_arrays, .to = 2)
{
    enum { NUMBERS = 8 * 8 * 8 };
    if (ranks != 4 && ranks != 8)
        return;
    WEFT(set_backend)("shared");
    static weft_real own[NUMBERS];
    weft_real *in = WEFT(alloc_real)(NUMBERS, MPI_COMM_WORLD);
    FFTW(complex) *out = WEFT(alloc_complex)(NUMBERS, MPI_COMM_WORLD);
    memset(in, 0, NUMBERS * sizeof *in);
    memset(out, 0, NUMBERS * sizeof *out);
    all_true(copies(own, out, _i), "an array that is not shared was not copied");
    all_true(!copies(in, out, _i), "a shared array was copied");
    all_true(copies(rank % 2 ? in : own, out, _i) == (rank % 2 == 0),
             "a rank copied a shared array, or did not copy another");
    WEFT(set_backend)(NULL);
    WEFT(free)(in);
    WEFT(free)(out);
}
