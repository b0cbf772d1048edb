/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory: with many plans alive, a process has no more workspace, private and shared together,
 * than one local array, and a part of it with FFTW_CONSERVE_MEMORY, where slabs are of one size.
 */
#include "api/fftw3-mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/harness.h"
#include "kernels/base/precision.h"
#include "api/weft.h"

/* What a plan's report says of a number. */
static double reported(FFTW(plan) plan, const char *name)
{
    char *text = NULL, key[64];
    size_t length = 0;
    double value = -1;
    FILE *file = open_memstream(&text, &length);
    WEFT(plan_report_json)(plan, file);
    fclose(file);
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(text, key);
    if (at)
        value = strtod(at + strlen(key), NULL);
    free(text);
    return value;
}

typedef struct {
    FFTW(plan) plan;
    double local; /* bytes of the larger array that the program has */
} planned;

/* Tiles of passes come on top: they are as large as caches, not as arrays. */
enum { TILES = 2 << 20 };

enum { SIZES = 3, KINDS = 4, SIDES = 4, PLANS = SIZES * KINDS * SIDES };

static planned make(int which, unsigned flags, void *in, void *out)
{
    static const ptrdiff_t sizes[SIZES] = {4, 5, 7};
    const ptrdiff_t n = sizes[which % SIZES] * 8 * ranks;
    const int kind = which / SIZES % KINDS, side = which / SIZES / KINDS;
    const bool transposed = side & 1, real = kind == 1 || kind == 2;
    void *to = side & 2 ? in : out;
    const ptrdiff_t deep = 128 / ranks, shape[3] = {n, n, deep}, half[3] = {n, n, deep / 2 + 1};
    ptrdiff_t to_fill[4];
    planned it = {0};
    const ptrdiff_t numbers = FFTW(mpi_local_size_transposed)(
        3, real ? half : shape, MPI_COMM_WORLD, &to_fill[0], &to_fill[1], &to_fill[2], &to_fill[3]);
    it.local = (double)numbers * (kind == 3 ? sizeof(weft_real) : sizeof(FFTW(complex)));
    if (kind == 0)
        it.plan = FFTW(mpi_plan_dft)(3, shape, in, to, MPI_COMM_WORLD, FFTW_FORWARD,
                                     flags | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0));
    else if (kind == 1)
        it.plan = FFTW(mpi_plan_dft_r2c)(3, shape, in, to, MPI_COMM_WORLD,
                                         flags | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0));
    else if (kind == 2)
        it.plan = FFTW(mpi_plan_dft_c2r)(3, shape, in, to, MPI_COMM_WORLD,
                                         flags | (transposed ? FFTW_MPI_TRANSPOSED_IN : 0));
    else
        it.plan =
            FFTW(mpi_plan_r2r_3d)(n, n, deep, in, to, MPI_COMM_WORLD, FFTW_REDFT10, FFTW_RODFT10,
                                  FFTW_DHT, flags | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0));
    return it;
}

/* All plans live at a time: what each needs, and what all share, is so many local arrays at the
 * most, and `more` bytes. */
static void check(unsigned flags, double most, double more)
{
    planned it[PLANS];
    const size_t capacity = (size_t)56 * 56 * (size_t)ranks * (size_t)(128 / ranks + 2);
    void *in = FFTW(alloc_real)(capacity * 2), *out = FFTW(alloc_real)(capacity * 2);
    double worst = 0, shared = 0, workspace = 0, largest = 0;
    int worst_plan = 0, missing = 0;
    for (int i = 0; i < PLANS; i++) {
        it[i] = make(i, flags, in, out);
        missing += it[i].plan == NULL;
        if (!it[i].plan)
            continue;
        const double mine = reported(it[i].plan, "workspace_bytes"),
                     window = reported(it[i].plan, "shared_bytes");
        const double part = (mine + window - more) / it[i].local;
        if (part > worst) {
            worst = part;
            worst_plan = i;
        }
        shared = window > shared ? window : shared;
        workspace = mine > workspace ? mine : workspace;
        largest = it[i].local > largest ? it[i].local : largest;
        FFTW(execute)(it[i].plan);
    }
    for (int i = 0; i < PLANS; i++)
        if (it[i].plan)
            FFTW(destroy_plan)(it[i].plan);
    FFTW(free)(in);
    FFTW(free)(out);
    all_true(missing == 0, "%d plans could not be made", missing);
    if (rank == 0)
        printf("workspace: %.3f of the local array at the most, %.3f of the largest in all\n",
               worst, (shared + workspace - more) / largest);
    all_true(ranks == 1 || worst <= most, "plan %d has a workspace of %.3f of its local array",
             worst_plan, worst);
    all_true(ranks == 1 || shared + workspace - more <= most * largest,
             "all plans together have %.0f bytes private and %.0f shared", workspace, shared);
}

START_TEST(all_plans_share_one_workspace)
{
    check(FFTW_ESTIMATE, 1, TILES);
}
END_TEST

START_TEST(a_tenth_is_enough_when_memory_is_conserved)
{
    check(FFTW_ESTIMATE | FFTW_CONSERVE_MEMORY, 0.1, 0);
}
END_TEST

START_TEST(with_messages_it_is_three_at_the_most)
{
    setenv("WEFT_BACKEND", "waitall", 1);
    check(FFTW_ESTIMATE, 3, TILES);
    unsetenv("WEFT_BACKEND");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("workspace");
    tcase_add_test(tests, all_plans_share_one_workspace);
    tcase_add_test(tests, with_messages_it_is_three_at_the_most);
    tcase_add_test(tests, a_tenth_is_enough_when_memory_is_conserved);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
