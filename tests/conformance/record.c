/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records the results of FFTW-MPI: reads the calls in recorded.tsv, makes them, and prints the file
 * with the results. To add a case, add a line with the function, the arguments and the number of
 * ranks. Then
 *
 *     make check TESTS=tests/scripts/recorded.sh FFTW_MPI_LDFLAGS=-L...
 *
 * builds this program with an FFTW-MPI (tools/build-fftw-mpi makes one), runs it, and shows the
 * differences; the complete new file is tests/scripts/programs/recorded.tsv.
 */
#include "api/fftw3-mpi.h"
#include <math.h>
#include <stdlib.h>
#include "tests/conformance/recorded.h"

static int rank;

/* Only the ranks of the row's communicator call it. */
static void print_sizes(const recorded *row, MPI_Comm comm)
{
    ptrdiff_t own[5] = {0}, all[RECORDED_RANKS][5];
    int results = row->line || row->transposed ? 5 : 3;
    own[0] = recorded_call(row, comm, own + 1);
    MPI_Gather(own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, comm);
    for (int peer = 0; rank == 0 && peer < row->ranks; peer++) {
        printf("\t%td", all[peer][0]);
        for (int i = 1; i < results; i += 2)
            printf(" %td+%td", all[peer][i], all[peer][i + 1]);
    }
}

/* A plan of one dimension, and this rank's part of its arrays. */
typedef struct {
    fftw_plan plan;
    fftw_complex *in, *out;
    ptrdiff_t in_count, in_start, out_count, out_start;
} line;

static line line_of(const recorded *row, MPI_Comm comm)
{
    line it;
    ptrdiff_t n = row->n[0],
              numbers = fftw_mpi_local_size_1d(n, comm, row->sign, row->flags, &it.in_count,
                                               &it.in_start, &it.out_count, &it.out_start);
    it.in = fftw_alloc_complex((size_t)numbers);
    it.out = fftw_alloc_complex((size_t)numbers);
    it.plan = fftw_mpi_plan_dft_1d(n, it.in, it.out, comm, row->sign, FFTW_ESTIMATE | row->flags);
    return it;
}

/* Transforms zeros with a 1 at place `one`. The result at place `seen` is w^(a b), where a is the
 * index of place `one` and b the index of place `seen`. If one index is 1, the function returns the
 * other. */
static ptrdiff_t index_found(const line *it, const recorded *row, MPI_Comm comm, ptrdiff_t one,
                             ptrdiff_t seen)
{
    double number[2] = {0, 0};
    for (ptrdiff_t i = 0; i < it->in_count; i++) {
        it->in[i][0] = it->in_start + i == one;
        it->in[i][1] = 0;
    }
    fftw_execute(it->plan);
    if (seen >= it->out_start && seen < it->out_start + it->out_count) {
        number[0] = it->out[seen - it->out_start][0];
        number[1] = it->out[seen - it->out_start][1];
    }
    MPI_Allreduce(MPI_IN_PLACE, number, 2, MPI_DOUBLE, MPI_SUM, comm);
    ptrdiff_t n = row->n[0];
    double turns = row->sign * atan2(number[1], number[0]) / (2 * acos(-1));
    return ((ptrdiff_t)lround(turns * (double)n) + n) % n;
}

/* Expects the order of a matrix that is read by columns; place 1 gives the number of rows. Returns
 * false if another place does not fit. */
static bool print_order(recorded *row, MPI_Comm comm)
{
    line it = line_of(row, comm);
    bool fits = true;
    for (ptrdiff_t place = 1; it.plan && fits && place < row->n[0]; place++) {
        bool in = row->flags & FFTW_MPI_SCRAMBLED_IN;
        ptrdiff_t index = index_found(&it, row, comm, in ? place : 1, in ? 1 : place);
        if (place == 1)
            row->radix = index;
        fits = recorded_index(row, place) == index;
    }
    if (rank == 0 && it.plan)
        printf("\t%td", row->radix);
    else if (rank == 0)
        printf("\tnone");
    if (it.plan)
        fftw_destroy_plan(it.plan);
    fftw_free(it.in);
    fftw_free(it.out);
    return fits;
}

int main(int argc, char **argv)
{
    int ranks;
    recorded row;
    MPI_Comm comm[RECORDED_RANKS + 1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    FILE *file = recorded_open();
    if (!file || ranks < RECORDED_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int size = 1; size <= RECORDED_RANKS; size++)
        MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &comm[size]);
    fftw_mpi_init();
    bool fits = true;
    while (recorded_read(file, &row, rank == 0 ? stdout : NULL)) {
        if (rank == 0)
            printf("%s\t%d", row.call, row.ranks);
        if (rank < row.ranks && row.order)
            fits = print_order(&row, comm[row.ranks]) && fits;
        else if (rank < row.ranks)
            print_sizes(&row, comm[row.ranks]);
        if (rank == 0)
            printf("\n");
    }
    fclose(file);
    fftw_mpi_cleanup();
    for (int size = 1; size <= RECORDED_RANKS; size++)
        if (rank < size)
            MPI_Comm_free(&comm[size]);
    MPI_Finalize();
    return fits ? EXIT_SUCCESS : EXIT_FAILURE;
}
