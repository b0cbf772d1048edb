/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A field of several components, whose rows and columns are spread over a part of the ranks only: a
 * communicator for each part, blocks of the program's own, and a plan of one component, which
 * fftw_execute_r2r runs on every component, wherever in the array that starts. The parts have
 * different numbers of components.
 */
#include "report.h"

#define ROWS       11
#define COLUMNS    7
#define DEPTH      3
#define COMPONENTS 4

typedef struct {
    ptrdiff_t rows, row_start, columns, column_start, size;
    fftw_plan there, back;
} transposer;

static transposer make(MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    const ptrdiff_t n[] = {ROWS, COLUMNS}, row_block = (ROWS + size - 1) / size + 1;
    const ptrdiff_t column_block = (COLUMNS + size - 1) / size;
    transposer it;
    it.size =
        fftw_mpi_local_size_many_transposed(2, n, DEPTH, row_block, column_block, comm, &it.rows,
                                            &it.row_start, &it.columns, &it.column_start);
    double *scratch = fftw_alloc_real((size_t)it.size);
    it.there = planned(fftw_mpi_plan_many_transpose(ROWS, COLUMNS, DEPTH, row_block, column_block,
                                                    scratch, scratch, comm, FFTW_MEASURE),
                       "rows to columns");
    it.back = planned(fftw_mpi_plan_many_transpose(COLUMNS, ROWS, DEPTH, column_block, row_block,
                                                   scratch, scratch, comm, FFTW_MEASURE),
                      "columns to rows");
    fftw_free(scratch);
    return it;
}

/* One number more than there are of components, so that most of them start at an odd place. */
static double *component(double *field, const transposer *it, int c)
{
    return field + c * (it->size + 1);
}

/* Ranks of other communicators have fewer components, or none: nobody waits for them. */
static void transpose_all(double *field, const transposer *it, int components, fftw_plan plan)
{
    for (int c = 0; c < components; c++)
        fftw_execute_r2r(plan, component(field, it, c), component(field, it, c));
}

static void show_all(double *field, const transposer *it, int components, int turn)
{
    const ptrdiff_t start = turn ? it->column_start : it->row_start,
                    count = turn ? it->columns : it->rows;
    const ptrdiff_t row = (turn ? ROWS : COLUMNS) * DEPTH, most = ROWS * COLUMNS * DEPTH;
    double *all = malloc(sizeof *all * (size_t)most);
    for (int c = 0; c < COMPONENTS; c++) {
        const ptrdiff_t mine = c < components ? count * row : 0;
        fill(all, most, c * most);
        double *right = turned(all, ROWS, COLUMNS, DEPTH, it->column_start, it->columns);
        compare(turn ? "turned" : "back", component(field, it, c), turn ? right : all + start * row,
                mine);
        free(right);
    }
    free(all);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    look_around();
    fftw_mpi_init();
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    transposer it = make(part);
    const int components = rank % 2 ? 2 : COMPONENTS;
    double *field = fftw_alloc_real((size_t)(COMPONENTS * (it.size + 1)));
    for (int c = 0; c < components; c++)
        fill(component(field, &it, c), it.rows * COLUMNS * DEPTH,
             (c * ROWS + it.row_start) * COLUMNS * DEPTH);
    transpose_all(field, &it, components, it.there);
    show_all(field, &it, components, 1);
    transpose_all(field, &it, components, it.back);
    show_all(field, &it, components, 0);
    /* The communicator goes before its plans do. */
    MPI_Comm_free(&part);
    transpose_all(field, &it, components, it.there);
    show_all(field, &it, components, 1);
    fftw_destroy_plan(it.there);
    fftw_destroy_plan(it.back);
    fftw_free(field);
    return verdict();
}
