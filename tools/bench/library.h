/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of a library that weft-bench calls. Only library.c, which opens libraries, and
 * plans.c use them. */
#ifndef BENCH_LIBRARY_H
#define BENCH_LIBRARY_H

#include <fftw3.h>
#include "api/weft.h"
#include "tools/bench/bench.h"

/* Pointers to numbers are void pointers, because the binary interface is the same for all
 * precisions. */
typedef struct {
    void *handle;
    void (*init)(void);
    ptrdiff_t (*local_size_many_transposed)(int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t,
                                            MPI_Comm, ptrdiff_t *, ptrdiff_t *, ptrdiff_t *,
                                            ptrdiff_t *);
    ptrdiff_t (*local_size_many_1d)(ptrdiff_t, ptrdiff_t, MPI_Comm, int, unsigned, ptrdiff_t *,
                                    ptrdiff_t *, ptrdiff_t *, ptrdiff_t *);
    void *(*plan_many_dft)(int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, void *, void *,
                           MPI_Comm, int, unsigned);
    void *(*plan_many_dft_r2c)(int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, void *,
                               void *, MPI_Comm, unsigned);
    void *(*plan_many_dft_c2r)(int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, void *,
                               void *, MPI_Comm, unsigned);
    void *(*plan_many_r2r)(int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, void *, void *,
                           MPI_Comm, const fftw_r2r_kind *, unsigned);
    void *(*plan_many_transpose)(ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, void *,
                                 void *, MPI_Comm, unsigned);
    /* Functions that only Weft has, for process grids. */
    void *(*grid_create)(MPI_Comm, int, const int *);
    void *(*grid_create_column_major)(MPI_Comm, int, const int *);
    void (*grid_free)(void *);
    ptrdiff_t (*local_size)(int, const ptrdiff_t *, ptrdiff_t, void *, int, unsigned, ptrdiff_t *,
                            ptrdiff_t *, ptrdiff_t *, ptrdiff_t *);
    void *(*plan_many_kinds)(int, const ptrdiff_t *, ptrdiff_t, void *, void *, void *, const int *,
                             unsigned);
    void *(*plan_multiply)(int, const ptrdiff_t *, const ptrdiff_t *, ptrdiff_t, void *, void *,
                           void *, const int *, const void *, int, MPI_Comm, unsigned);
    void *(*plan_fields)(int, const ptrdiff_t *, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, void *,
                         void *, void *, const int *, weft_operator, void *, MPI_Comm, unsigned);
    void *(*alloc_real)(ptrdiff_t, MPI_Comm);
    void (*free)(void *);
    void (*execute)(void *); /* a function of serial FFTW, as is destroy_plan */
    void (*destroy_plan)(void *);
    const char *(*last_error)(void);
    const char *(*backend_name)(int);
    int (*plan_report_json)(void *, FILE *);
} bench_functions;

struct bench_library {
    char name[512];
    bench_functions of[3]; /* by precision */
};

/* plans.c: makes the grid of a case (NULL: the extents do not fit, or the library has no grids),
 * and the kind of each axis, as weft.h numbers them. */
void *bench_grid_of(const bench_functions *of, const bench_case *that);
void bench_kinds_of(const bench_case *that, int kind[BENCH_MAX_AXES]);

/* operators.c: the plan, or the two plans, of a case with an operator. */
void *bench_operator_plan(bench_library *library, const bench_case *that, void *in, void *out,
                          unsigned flags);
void bench_operator_execute(const bench_functions *of, void *plan);
void bench_operator_destroy(const bench_functions *of, void *plan);

#endif
