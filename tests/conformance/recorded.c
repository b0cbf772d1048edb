/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the rows, and calls their functions, of FFTW-MPI or of Weft. */
#include "api/fftw3-mpi.h"
#include <stdlib.h>
#include <string.h>
#include "tests/conformance/recorded.h"

FILE *recorded_open(void)
{
    char path[RECORDED_TEXT];
    const char *srcdir = getenv("srcdir");
    snprintf(path, sizeof path, "%s/tests/conformance/recorded.tsv", srcdir ? srcdir : ".");
    return fopen(path, "r");
}

/* Returns the number after `name` in the arguments, or `absent`. */
static ptrdiff_t argument(const char *arguments, const char *name, ptrdiff_t absent)
{
    const char *at = strstr(arguments, name);
    return at ? strtoll(at + strlen(name), NULL, 10) : absent;
}

static recorded row_of(const char *function, char *arguments, int ranks)
{
    recorded row = {.order = strstr(function, "order") != NULL,
                    .line = strstr(function, "1d") != NULL,
                    .transposed = strstr(function, "transposed") != NULL,
                    .many = strstr(function, "many") != NULL,
                    .howmany = argument(arguments, "howmany=", 1),
                    .block0 = argument(arguments, "block0=", 0),
                    .block1 = argument(arguments, "block1=", 0),
                    .sign = strstr(arguments, "backward") ? FFTW_BACKWARD : FFTW_FORWARD,
                    .flags = (strstr(function, "transposed") ? FFTW_MPI_TRANSPOSED_OUT : 0) |
                             (strstr(arguments, "scrambled_in") ? FFTW_MPI_SCRAMBLED_IN : 0) |
                             (strstr(arguments, "scrambled_out") ? FFTW_MPI_SCRAMBLED_OUT : 0),
                    .ranks = ranks};
    snprintf(row.call, sizeof row.call, "%s\t%s", function, arguments);
    char *at = arguments - 1;
    do
        row.n[row.axes++] = strtoll(at + 1, &at, 10);
    while (*at == 'x' && row.axes < 4);
    return row;
}

/* Reads ALLOCATION COUNT+START [COUNT+START] of one rank; returns how many numbers these are. */
static int results_of(char *field, ptrdiff_t result[5])
{
    int results = 0;
    for (char *end; results < 5 && *field; field = *end ? end + 1 : end)
        result[results++] = strtoll(field, &end, 10);
    return results;
}

bool recorded_read(FILE *file, recorded *row, FILE *comments)
{
    char line[RECORDED_TEXT];
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') {
            if (comments)
                fputs(line, comments);
            continue;
        }
        char *function = strtok(line, "\t"), *arguments = strtok(NULL, "\t"),
             *ranks = strtok(NULL, "\t\n"), *field = strtok(NULL, "\t\n");
        *row = row_of(function, arguments, atoi(ranks));
        row->radix = field ? atoi(field) : 0;
        for (int rank = 0; rank < row->ranks && field; rank++, field = strtok(NULL, "\t\n"))
            row->results = results_of(field, row->result[rank]);
        return true;
    }
    return false;
}

static ptrdiff_t call_line(const recorded *row, MPI_Comm comm, ptrdiff_t to[4])
{
    if (row->many)
        return fftw_mpi_local_size_many_1d(row->n[0], row->howmany, comm, row->sign, row->flags,
                                           &to[0], &to[1], &to[2], &to[3]);
    return fftw_mpi_local_size_1d(row->n[0], comm, row->sign, row->flags, &to[0], &to[1], &to[2],
                                  &to[3]);
}

void recorded_correct(recorded *row)
{
    if (row->order || row->line || !row->transposed || row->ranks == 1 || row->block1 < row->n[1])
        return;
    ptrdiff_t all = row->howmany;
    for (int axis = 0; axis < row->axes; axis++)
        all *= row->n[axis];
    for (int rank = 0; rank < row->ranks; rank++) {
        row->result[rank][3] = rank == 0 ? row->n[1] : 0;
        row->result[rank][4] = 0;
    }
    if (row->result[0][0] < all)
        row->result[0][0] = all;
}

ptrdiff_t recorded_call(const recorded *row, MPI_Comm comm, ptrdiff_t to[4])
{
    const ptrdiff_t *n = row->n;
    if (row->line)
        return call_line(row, comm, to);
    if (row->many)
        return row->transposed ? fftw_mpi_local_size_many_transposed(row->axes, n, row->howmany,
                                                                     row->block0, row->block1, comm,
                                                                     &to[0], &to[1], &to[2], &to[3])
                               : fftw_mpi_local_size_many(row->axes, n, row->howmany, row->block0,
                                                          comm, &to[0], &to[1]);
    if (row->axes == 2)
        return row->transposed ? fftw_mpi_local_size_2d_transposed(n[0], n[1], comm, &to[0], &to[1],
                                                                   &to[2], &to[3])
                               : fftw_mpi_local_size_2d(n[0], n[1], comm, &to[0], &to[1]);
    return row->transposed ? fftw_mpi_local_size_3d_transposed(n[0], n[1], n[2], comm, &to[0],
                                                               &to[1], &to[2], &to[3])
                           : fftw_mpi_local_size_3d(n[0], n[1], n[2], comm, &to[0], &to[1]);
}

ptrdiff_t recorded_index(const recorded *row, ptrdiff_t place)
{
    ptrdiff_t radix = row->radix > 0 ? row->radix : 1, columns = row->n[0] / radix;
    return place / columns + place % columns * radix;
}
