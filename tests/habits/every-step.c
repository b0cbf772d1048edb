/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries: -lfftw3_mpi -lfftw3_threads -lfftw3 -lpthread -lm
 *
 * A simulation with threads: at every step the mesh is planned, transformed once there and back,
 * and destroyed, while another thread has messages of its own under way.
 */
#include <pthread.h>
#include "report.h"

static const int n[] = {12, 10, 8};
static MPI_Comm talk;

static void *talking(void *sum)
{
    for (int i = 0; i < 200; i++) {
        int from = rank * i, to;
        MPI_Sendrecv(&from, 1, MPI_INT, (rank + 1) % ranks, 7, &to, 1, MPI_INT,
                     (rank + ranks - 1) % ranks, 7, talk, MPI_STATUS_IGNORE);
        *(long *)sum += to;
    }
    return NULL;
}

static void step(const double *right)
{
    ptrdiff_t count, start, count1, start1;
    const ptrdiff_t size = fftw_mpi_local_size_3d_transposed(
        n[0], n[1], n[2] / 2 + 1, MPI_COMM_WORLD, &count, &start, &count1, &start1);
    const ptrdiff_t line = padded(n[2]);
    double *mesh = fftw_alloc_real(2 * (size_t)size);
    fftw_complex *waves = (fftw_complex *)mesh;
    fftw_plan plan = planned(
        fftw_mpi_plan_dft_r2c_3d(n[0], n[1], n[2], mesh, waves, MPI_COMM_WORLD,
                                 FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT | FFTW_DESTROY_INPUT),
        "there");
    fill_padded(mesh, count * n[1], n[2], start * n[1]);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    double *expected = turned(right, n[0], n[1], line, start1, count1);
    compare("waves", mesh, expected, count1 * n[0] * line);
    plan = planned(
        fftw_mpi_plan_dft_c2r_3d(n[0], n[1], n[2], waves, mesh, MPI_COMM_WORLD,
                                 FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN | FFTW_DESTROY_INPUT),
        "back");
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    remove_padding(mesh, count * n[1], n[2]);
    compare_scaled("mesh", mesh, n[0] * n[1] * n[2], count * n[1] * n[2], start * n[1] * n[2]);
    free(expected);
    fftw_free(mesh);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    look_around();
    fftw_init_threads();
    fftw_mpi_init();
    fftw_plan_with_nthreads(2);
    MPI_Comm_dup(MPI_COMM_WORLD, &talk);
    double *right = whole_r2c(3, n);
    for (int i = 0; i < 4; i++) {
        long sum = 0;
        pthread_t thread;
        const int threads =
            provided == MPI_THREAD_MULTIPLE && !pthread_create(&thread, NULL, talking, &sum);
        step(right);
        if (!threads)
            continue;
        pthread_join(thread, NULL);
        require(sum == (rank + ranks - 1) % ranks * (199L * 200 / 2),
                "the other thread's messages have arrived");
    }
    fftw_free(right);
    MPI_Comm_free(&talk);
    fftw_mpi_cleanup();
    fftw_cleanup_threads();
    return verdict();
}
