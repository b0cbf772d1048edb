/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What has been reported of FFTW's MPI library, by the number of the issue of its tracker: one case
 * a process, since some end the process or hang. Prints "NUMBER: right", or "NUMBER: " and what is
 * wrong. Only functions of fftw3-mpi.h are called, so the program can be linked to either library.
 */
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static char wrong[200];

static void say(const char *what)
{
    if (!wrong[0])
        snprintf(wrong, sizeof wrong, "%s", what);
}

static double complex input(ptrdiff_t i)
{
    return sin(0.37 * (double)i) + I * cos(1.13 * (double)i * (double)(i % 7));
}

typedef struct {
    int rnk;
    ptrdiff_t n[3], howmany, block, tblock;
    int sign;
    unsigned flags;
    int in_place;
} transform;

/* The whole result, by serial FFTW. */
static double complex *expected(const transform *it, ptrdiff_t numbers)
{
    int n[3];
    double complex *whole = fftw_malloc(sizeof *whole * (size_t)numbers);
    for (int axis = 0; axis < it->rnk; axis++)
        n[axis] = (int)it->n[axis];
    fftw_plan plan =
        fftw_plan_many_dft(it->rnk, n, (int)it->howmany, whole, NULL, (int)it->howmany, 1, whole,
                           NULL, (int)it->howmany, 1, it->sign, FFTW_ESTIMATE);
    for (ptrdiff_t i = 0; i < numbers; i++)
        whole[i] = input(i);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return whole;
}

/* Natural order in; natural or transposed order out. */
static void check(const transform *it)
{
    ptrdiff_t n0, start0, n1, start1, row = it->howmany, numbers = it->howmany;
    for (int axis = 0; axis < it->rnk; axis++)
        numbers *= it->n[axis];
    for (int axis = 1; axis < it->rnk; axis++)
        row *= it->n[axis];
    const ptrdiff_t local =
        fftw_mpi_local_size_many_transposed(it->rnk, it->n, it->howmany, it->block, it->tblock,
                                            MPI_COMM_WORLD, &n0, &start0, &n1, &start1);
    double complex *in = fftw_malloc(sizeof *in * (size_t)(local + 1)),
                   *out = it->in_place ? in : fftw_malloc(sizeof *out * (size_t)(local + 1)),
                   *whole = expected(it, numbers);
    fftw_plan plan = fftw_mpi_plan_many_dft(it->rnk, it->n, it->howmany, it->block, it->tblock, in,
                                            out, MPI_COMM_WORLD, it->sign, it->flags);
    if (!plan) {
        say("no plan");
        return;
    }
    for (ptrdiff_t i = 0; i < n0 * row; i++)
        in[i] = input(start0 * row + i);
    fftw_execute(plan);
    double most = 0;
    if (it->flags & FFTW_MPI_TRANSPOSED_OUT) {
        const ptrdiff_t rest = row / it->n[1];
        for (ptrdiff_t j = 0; j < n1; j++)
            for (ptrdiff_t i = 0; i < it->n[0]; i++)
                for (ptrdiff_t k = 0; k < rest; k++)
                    most = fmax(most, cabs(out[(j * it->n[0] + i) * rest + k] -
                                           whole[(i * it->n[1] + start1 + j) * rest + k]));
    } else {
        for (ptrdiff_t i = 0; i < n0 * row; i++)
            most = fmax(most, cabs(out[i] - whole[start0 * row + i]));
    }
    if (!(most < 1e-9 * (double)numbers))
        say("wrong numbers");
    fftw_destroy_plan(plan);
}

/* Issue 20: N x 1 and N x 1 x 1. */
static void n_by_1(void)
{
    static const ptrdiff_t sizes[] = {98, 50, 30, 64, 100};
    for (int i = 0; i < 5; i++)
        for (int way = 0; way < 8; way++)
            check(&(transform){.rnk = 2 + (way & 1),
                               .n = {sizes[i], 1, 1},
                               .howmany = 1,
                               .sign = way & 2 ? FFTW_FORWARD : FFTW_BACKWARD,
                               .flags = FFTW_ESTIMATE,
                               .in_place = way & 4});
}

/* Issue 33: what was learnt is there after a program has read, used and written its wisdom. */
static void wisdom_stays(void)
{
    static fftw_complex a[48 * 48], b[48 * 48];
    for (int turn = 0; turn < 4; turn++) {
        char *text = NULL;
        fftw_plan plan = fftw_mpi_plan_dft_2d(48, 48, a, b, MPI_COMM_WORLD, FFTW_FORWARD,
                                              FFTW_MEASURE | (turn > 0 ? FFTW_WISDOM_ONLY : 0));
        if (!plan)
            say(turn == 1 ? "what was learnt is not in the wisdom"
                          : "what was learnt is lost when wisdom is read, used and written");
        if (plan)
            fftw_destroy_plan(plan);
        fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
        if (rank == 0)
            text = fftw_export_wisdom_to_string();
        fftw_mpi_cleanup(); /* forgets all of it */
        fftw_mpi_init();
        if (rank == 0)
            fftw_import_wisdom_from_string(text);
        fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
        free(text);
    }
}

/* Issue 43: many at once, and ranks that hold nothing of the transposed array, with patience. */
static void many_and_idle(void)
{
    fftw_set_timelimit(1);
    for (int in_place = 0; in_place < 2; in_place++)
        check(&(transform){.rnk = 2,
                           .n = {8 * ranks, 3 * ranks - 3},
                           .howmany = 10,
                           .sign = FFTW_FORWARD,
                           .flags = FFTW_PATIENT,
                           .in_place = in_place});
}

/* Issues 65 and 298: sizes that ranks do not divide, and ranks that hold nothing. */
static void not_divided(void)
{
    static const ptrdiff_t n[] = {10, 40, 16};
    for (int i = 0; i < 3; i++)
        for (int rnk = 2; rnk <= 3; rnk++)
            check(&(transform){.rnk = rnk,
                               .n = {n[i], n[i], n[i]},
                               .howmany = 1,
                               .sign = FFTW_FORWARD,
                               .flags = FFTW_MEASURE});
}

/* Issue 167: blocks that do not hold everything make no plan, and end nothing. */
static void short_blocks(void)
{
    static fftw_complex a[4000];
    const ptrdiff_t n[] = {10, 100};
    fftw_plan plan = fftw_mpi_plan_many_dft(2, n, 1, 9 / ranks, 9 / ranks, a, a, MPI_COMM_WORLD,
                                            FFTW_FORWARD, FFTW_ESTIMATE);
    if (plan)
        say("a plan, of blocks that do not hold the array");
}

/* Issue 174: a block of all of n1; there is memory for it, and the counts are those of the plan. */
static void block_of_n1(void)
{
    const transform it = {.rnk = 3,
                          .n = {6, 5, 4},
                          .howmany = 1,
                          .block = 6 / ranks + 1,
                          .tblock = 5,
                          .sign = FFTW_FORWARD,
                          .flags = FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT};
    ptrdiff_t n0, start0, n1, start1;
    const ptrdiff_t local = fftw_mpi_local_size_many_transposed(
        3, it.n, 1, it.block, it.tblock, MPI_COMM_WORLD, &n0, &start0, &n1, &start1);
    if (rank == 0 && local < 6 * 5 * 4)
        say("rank 0 gets the whole output, and less memory than that takes");
    if (n1 != (rank == 0 ? 5 : 0))
        say("local_n1 is n1 on all ranks");
    int mine = wrong[0] != 0, any;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!any)
        check(&it);
}

/* Issue 194: scrambled orders on both sides at once. */
static void scrambled(void)
{
    ptrdiff_t ni, si, no, so;
    const unsigned flags = FFTW_ESTIMATE | FFTW_MPI_SCRAMBLED_IN | FFTW_MPI_SCRAMBLED_OUT;
    const ptrdiff_t local =
        fftw_mpi_local_size_1d(1024, MPI_COMM_WORLD, FFTW_FORWARD, flags, &ni, &si, &no, &so);
    double complex *a = fftw_malloc(sizeof *a * (size_t)(local + 1));
    double sum[2] = {0, 0};
    fftw_plan plan = fftw_mpi_plan_dft_1d(1024, a, a, MPI_COMM_WORLD, FFTW_FORWARD, flags);
    if (!plan) {
        say("no plan");
        return;
    }
    /* whatever the orders are, energy is kept, and a constant becomes one number */
    for (ptrdiff_t i = 0; i < ni; i++)
        a[i] = 1;
    fftw_execute(plan);
    for (ptrdiff_t i = 0; i < no; i++)
        sum[0] += cabs(a[i]);
    MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (fabs(sum[0] - 1024) > 1e-6)
        say("wrong numbers");
    fftw_destroy_plan(plan);
}

int main(int argc, char **argv)
{
    const int issue = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    switch (issue) {
    case 20:
        n_by_1();
        break;
    case 33:
        wisdom_stays();
        break;
    case 43:
        many_and_idle();
        break;
    case 65:
        not_divided();
        break;
    case 167:
        short_blocks();
        break;
    case 174:
        block_of_n1();
        break;
    case 194:
        scrambled();
        break;
    default:
        say("there is no such case");
    }
    /* the sentence of the lowest rank that has one */
    int mine = wrong[0] ? rank : ranks, lowest;
    MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (lowest < ranks)
        MPI_Bcast(wrong, sizeof wrong, MPI_CHAR, lowest, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d: %s\n", issue, wrong[0] ? wrong : "right");
    MPI_Finalize();
    return wrong[0] != 0;
}
