/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of plans: communicators of all kinds, overlapping ones in turn, init and cleanup; and
 * one rank, or all, without shared memory.
 */
#include "api/fftw3-mpi.h"
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"
#include "tests/mpi/segments.h"
#include "api/weft.h"

enum { TURNS = 8 };

static const dropin_case flat = {.what = DROPIN_C2C, .rank = 2, .n = {6, 10}};

/* Each plan transforms another multiple of the same numbers. */
static void make(kept_plan *my, MPI_Comm comm, bool transposed, bool in_place, int multiple)
{
    dropin_case it =
        dropin_single(&flat, FFTW_ESTIMATE | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0));
    it.in_place = in_place;
    problem_on_slabs(&my->of, &it, comm);
    problem_times(&my->of, (weft_real)multiple);
    kept_make(my, false, comm);
}

TEST(any_communicator)
{
    MPI_Comm comms[6] = {[4] = MPI_COMM_SELF, [5] = MPI_COMM_WORLD};
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &comms[2]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[3]);
    for (int i = 0; i < 12; i++) {
        dropin_case it = dropin_single(&flat, FFTW_ESTIMATE);
        it.in_place = i % 2;
        it.flags |= it.in_place ? FFTW_MPI_TRANSPOSED_OUT : 0;
        if (i / 2 == 2) /* the other ranks do not have this backend */
            setenv("WEFT_PLUGINS", PLUGINS "libturns.so", 1);
        dropin_check(&it, comms[i / 2]);
        unsetenv("WEFT_PLUGINS");
    }
    for (int i = 0; i < 4; i++)
        if (comms[i] != MPI_COMM_NULL)
            MPI_Comm_free(&comms[i]);
}

/* After cleanup old plans still run, and the program can make new ones. */
TEST(init_twice_cleanup_and_init_again)
{
    kept_plan first, second;
    FFTW(mpi_init)();
    FFTW(mpi_init)();
    make(&first, MPI_COMM_WORLD, false, false, 1);
    bool right = kept_works(&first);
    FFTW(mpi_cleanup)();
    right = kept_works(&first) && right;
    FFTW(mpi_init)();
    make(&second, MPI_COMM_WORLD, true, true, 2);
    kept_drop(&first);
    FFTW(mpi_cleanup)();
    right = kept_works(&second) && right;
    kept_drop(&second);
    all_true(right, "wrong numbers before a cleanup or after it");
    FFTW(mpi_init)();
}

TEST(ranks_may_differ_in_whether_they_are_in_place)
{
    kept_plan it;
    make(&it, MPI_COMM_WORLD, false, rank == 0, 1);
    const bool right = kept_works(&it);
    all_true(right, "%s", it.run.text);
    kept_drop(&it);
}

#if defined(WEFT_HAVE_FLOAT)
/* A program has plans of double and of float at the same time, and cleans up each library while the
 * other is in use. The transform of a single 1 at the origin is 1 everywhere. */
TEST(two_precisions_in_one_program)
{
    enum { N = 8 };
    ptrdiff_t rows, first;
    kept_plan my;
    bool right = true;
    make(&my, MPI_COMM_WORLD, false, true, 3);
    fftwf_mpi_init();
    fftwf_complex *data = fftwf_alloc_complex(
        (size_t)fftwf_mpi_local_size_2d(N, N, MPI_COMM_WORLD, &rows, &first) + 1);
    fftwf_plan plan =
        fftwf_mpi_plan_dft_2d(N, N, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE);
    all_true(plan, "no plan in float: %s", weftf_last_error());
    for (int turn = 0; turn < 3; turn++) {
        for (ptrdiff_t i = 0; i < rows * N; i++)
            data[i][0] = first + i == 0, data[i][1] = 0;
        right = kept_works(&my) && right;
        fftwf_execute(plan);
        for (ptrdiff_t i = 0; i < rows * N; i++)
            right = right && data[i][0] == 1 && data[i][1] == 0;
    }
    fftwf_destroy_plan(plan);
    fftwf_mpi_cleanup();
    right = kept_works(&my) && right;
    all_true(right, "wrong numbers");
    fftwf_free(data);
    kept_drop(&my);
}
#endif

TEST(overlapping_communicators_take_turns, .to = 2)
{
    enum { COMMS = 5 };
    MPI_Comm comm[COMMS];
    static kept_plan it[2 * COMMS];
    bool right = true;
    const int color[COMMS] = {0, rank % 2, rank / 2, rank != 0, (rank + 1) / 2};
    set_environment("WEFT_BACKEND", _i ? "shared" : NULL);
    for (int g = 0; g < COMMS; g++) {
        MPI_Comm_split(MPI_COMM_WORLD, color[g], g == 3 ? -rank : rank, &comm[g]);
        make(&it[2 * g], comm[g], false, g % 2, 2 * g + 1);
        make(&it[2 * g + 1], comm[g], true, g % 2 == 0, 2 * g + 2);
    }
    for (int turn = 0; turn < (ranks <= 2 ? 4 * TURNS : TURNS); turn++)
        for (int i = 0; i < 2 * COMMS; i++)
            right = kept_works(&it[i]) && right;
    all_true(right, "plans that run in turn disturb each other");
    for (int i = 0; i < COMMS; i++) {
        kept_drop(&it[2 * i]);
        for (int j = 0; j < COMMS; j++)
            right = kept_works(&it[2 * j + 1]) && right;
    }
    all_true(right, "plans are wrong once others have been destroyed");
    for (int g = 0; g < COMMS; g++) {
        kept_drop(&it[2 * g + 1]);
        MPI_Comm_free(&comm[g]);
    }
    set_environment("WEFT_BACKEND", NULL);
}

/* Larger than memory that other tests may have left for reuse. */
static const dropin_case large = {.what = DROPIN_C2C, .rank = 3, .n = {48, 40, 32}};

/* Plans the case with a backend and returns the printed plan, which the caller frees; NULL: there
 * is no plan. */
static char *printed(const dropin_case *it, const char *backend)
{
    set_environment("WEFT_BACKEND", backend);
    FFTW(plan) plan = dropin_plan(it, NULL, NULL, MPI_COMM_WORLD);
    set_environment("WEFT_BACKEND", NULL);
    char *text = plan ? FFTW(sprint_plan)(plan) : NULL;
    FFTW(destroy_plan)(plan);
    return text;
}

TEST(without_memory_on_one_rank_all_send_messages, .to = 2)
{
    dropin_case it = dropin_single(&large, _i == 1 ? FFTW_MEASURE : FFTW_ESTIMATE);
    it.n[0] += 16 * _i;
    for (int loser = 0; loser<ranks; loser += ranks> 1 ? ranks - 1 : 1) {
        memory_is_short = rank == loser;
        it.n[0] += 8;
        char *text = printed(&it, NULL);
        const bool without = text && (ranks == 1 || !strstr(text, "shared"));
        all_true(without, "rank %d had no memory, the plan is %s", loser, text ? text : "none");
        free(text);
        dropin_check(&it, MPI_COMM_WORLD);
        text = printed(&it, "shared");
        all_true(!text == (ranks > 1), "with the backend shared on %d ranks", ranks);
        all_true(text || strstr(WEFT(last_error)(), "of memory left"), "it says: %s",
                 WEFT(last_error)());
        free(text);
        memory_is_short = false;
        /* later there may be memory */
        dropin_check(&it, MPI_COMM_WORLD);
    }
}

TEST(refused_memory_is_not_requested_again, .to = 3)
{
    static const unsigned rigor[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT};
    dropin_case it = dropin_single(&large, rigor[_i]);
    kept_plan plan;
    dropin_forget();
    it.n[0] = it.n[1] = it.n[2] = 30;
    MPI_Comm other; /* a communicator without an open window */
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
    problem_on_slabs(&plan.of, &it, other);
    segments_asked = 0;
    segments_refused = true;
    kept_make(&plan, false, other);
    segments_refused = false;
    all_true(segments_asked <= 1, "it asked %d times", segments_asked);
    const bool right = kept_works(&plan);
    all_true(right, "no plan, or %s", plan.run.text);
    kept_drop(&plan);
    MPI_Comm_free(&other);
}
