/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes a shared library depend on OpenMP's library, by a reference that is not weak. The
 * references in kernels/pass/run.c are weak, and linkers that drop unneeded libraries (--as-needed)
 * do not count weak references. Programs with static libraries do not get this file, because
 * nothing refers to it.
 */
#ifdef _OPENMP
#include <omp.h>

extern int (*const weft_openmp_wanted)(void);
__attribute__((used)) int (*const weft_openmp_wanted)(void) = omp_get_max_threads;
#else
extern const int weft_openmp_wanted;
const int weft_openmp_wanted = 0;
#endif
