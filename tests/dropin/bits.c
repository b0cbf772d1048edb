/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that handles wisdom as FFTW's manual shows it, and prints a digest of every bit of what
 * its transforms make. From the environment: BITS_FLAGS for all plans, BITS_FROM and BITS_TO, files
 * to read wisdom from and to write it to.
 */
#include <fftw3-mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { FORWARD, BACKWARD, TRANSPOSED, R2C, C2R, R2R, KINDS } what;

static const ptrdiff_t sizes[][3] = {{24, 20, 18}, {40, 36, 35}, {130, 90, 0}, {3600, 0, 0}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static int rank;
static unsigned flags;

static fftw_plan plan(what kind, int axes, const ptrdiff_t *n, double *in, double *out)
{
    static const fftw_r2r_kind kinds[] = {FFTW_REDFT10, FFTW_R2HC, FFTW_RODFT01};
    const int sign = kind == BACKWARD ? FFTW_BACKWARD : FFTW_FORWARD;
    fftw_complex *from = (fftw_complex *)in, *to = (fftw_complex *)out;
    if (kind == R2C)
        return fftw_mpi_plan_dft_r2c(axes, n, in, to, MPI_COMM_WORLD, flags);
    if (kind == C2R)
        return fftw_mpi_plan_dft_c2r(axes, n, from, out, MPI_COMM_WORLD, flags);
    if (kind == R2R)
        return fftw_mpi_plan_r2r(axes, n, in, out, MPI_COMM_WORLD, kinds, flags);
    return fftw_mpi_plan_dft(axes, n, from, to, MPI_COMM_WORLD, sign,
                             flags | (kind == TRANSPOSED ? FFTW_MPI_TRANSPOSED_OUT : 0));
}

static void print_digest(what kind, const ptrdiff_t *n, int in_place, const double *numbers,
                         ptrdiff_t count)
{
    uint64_t digest = 14695981039346656037u, all = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)sizeof(double) * count; i++)
        digest = (digest ^ ((const unsigned char *)numbers)[i]) * 1099511628211u;
    digest *= (uint64_t)(2 * rank + 1);
    MPI_Reduce(&digest, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d %tdx%tdx%td %d %016llx\n", kind, n[0], n[1], n[2], in_place,
               (unsigned long long)all);
}

/* Everything that was allocated is digested: none of it may depend on the run. */
static void transform(what kind, int axes, const ptrdiff_t *n, int in_place)
{
    ptrdiff_t local, start, after, start_after, hermitian[3];
    memcpy(hermitian, n, sizeof hermitian);
    hermitian[axes - 1] = n[axes - 1] / 2 + 1;
    const ptrdiff_t count =
        2 * (axes == 1 ? fftw_mpi_local_size_1d(n[0], MPI_COMM_WORLD, FFTW_FORWARD, flags, &local,
                                                &start, &after, &start_after)
                       : fftw_mpi_local_size_transposed(
                             axes, kind == R2C || kind == C2R ? hermitian : n, MPI_COMM_WORLD,
                             &local, &start, &after, &start_after));
    double *in = fftw_alloc_real((size_t)count),
           *out = in_place ? in : fftw_alloc_real((size_t)count);
    fftw_plan made = plan(kind, axes, n, in, out);
    for (ptrdiff_t i = 0; i < count; i++) {
        out[i] = 0;
        in[i] = (double)((i * 7919 + rank * 104729) % 1009) / 1013;
    }
    if (made) {
        fftw_execute(made);
        print_digest(kind, n, in_place, out, count);
        fftw_destroy_plan(made);
    } else if (rank == 0) {
        printf("%d %tdx%tdx%td %d NULL\n", kind, n[0], n[1], n[2], in_place);
    }
    fftw_free(in);
    if (!in_place)
        fftw_free(out);
}

int main(int argc, char **argv)
{
    const char *from = getenv("BITS_FROM"), *to = getenv("BITS_TO"), *wanted = getenv("BITS_FLAGS");
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    flags = wanted ? (unsigned)strtoul(wanted, NULL, 0) : FFTW_ESTIMATE;
    if (rank == 0 && from && *from && !fftw_import_wisdom_from_filename(from))
        printf("%s cannot be imported\n", from);
    fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
    for (int size = 0; size < SIZES; size++)
        for (int kind = 0; kind < (sizes[size][1] ? KINDS : TRANSPOSED); kind++)
            for (int in_place = 0; in_place < 2; in_place++)
                transform(kind, sizes[size][2] ? 3 : sizes[size][1] ? 2 : 1, sizes[size], in_place);
    fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
    if (rank == 0 && to && *to && !fftw_export_wisdom_to_filename(to))
        printf("%s cannot be exported\n", to);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return 0;
}
