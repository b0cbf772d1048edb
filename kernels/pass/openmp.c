/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What makes a shared library bring OpenMP's library along: a reference that is not weak, as those
 * of kernels/pass/run.c are. Linkers that drop what nothing needs (--as-needed) do not count weak
 * ones. Out of an archive nobody takes this file, for nothing calls it.
 */
#ifdef _OPENMP
#include <omp.h>

extern int (*const weft_openmp_wanted)(void);
__attribute__((used)) int (*const weft_openmp_wanted)(void) = omp_get_max_threads;
#else
extern const int weft_openmp_wanted;
const int weft_openmp_wanted = 0;
#endif
