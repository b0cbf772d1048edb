/* SPDX-License-Identifier: BSD-3-Clause */
/* For heat.c and turbulence.c: a picture of a plane whose rows are spread over the ranks. */
#ifndef PICTURE_H
#define PICTURE_H

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

/* Writes height x width points as a PPM; each rank in turn adds its rows. Values go from blue (-1)
 * by white (0) to red (1). Returns 1, or 0 with a message. */
static int picture(const char *name, int height, int width, ptrdiff_t rows, const double *value)
{
    int rank, ranks, right = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int turn = 0; turn < ranks; turn++) {
        FILE *file = turn == rank ? fopen(name, turn ? "ab" : "wb") : NULL;
        if (file && turn == 0)
            fprintf(file, "P6\n%d %d\n255\n", width, height);
        for (ptrdiff_t at = 0; file && at < rows * width; at++) {
            const double a = value[at] < -1 ? -1 : value[at] > 1 ? 1 : value[at];
            fputc((int)(255 * (a < 0 ? 1 + a : 1)), file);
            fputc((int)(255 * (a < 0 ? 1 + a : 1 - a)), file);
            fputc((int)(255 * (a < 0 ? 1 : 1 - a)), file);
        }
        if (turn == rank && (!file || fclose(file) != 0))
            right = fprintf(stderr, "%s cannot be written\n", name) < 0;
        MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    }
    return right;
}

#endif
