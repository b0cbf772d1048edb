/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans as libfftw3 sees them: facts of its binary interface (3.3.x), which configure checks by
 * running a little program. libfftw3 frees handle and plan itself, so both come from FFTW(malloc).
 */
#ifndef WEFT_FOREIGN_H
#define WEFT_FOREIGN_H

#include <stddef.h>
#include "kernels/base/precision.h"

typedef struct foreign_plan foreign_plan;

/* What print is given: a printer of libfftw3's. */
typedef struct foreign_printer {
    void (*print)(struct foreign_printer *printer, const char *format, ...);
} foreign_printer;

typedef struct {
    void (*solve)(const foreign_plan *plan, const void *problem);
    void (*awake)(foreign_plan *plan, int wakefulness);
    void (*print)(const foreign_plan *plan, foreign_printer *printer);
    void (*destroy)(foreign_plan *plan);
} foreign_table;

/* How a plan begins; behind it lies what is its owner's. FFTW is compiled to align its doubles
 * where the processor's rules do not (32-bit x86). */
struct foreign_plan {
    const foreign_table *table;
    _Alignas(8) double adds;
    double muls, fmas, other;
    double cost;
    int wakefulness;
    int flag;
    void (*apply)(const foreign_plan *plan, weft_real *a, weft_real *b, weft_real *c, weft_real *d);
};

/* What fftw_destroy_plan looks at, and for real transforms fftw_execute_dft_r2c and _c2r. */
typedef struct foreign_problem foreign_problem;
typedef struct {
    int kind;                                          /* none that libfftw3 solves */
    void (*hash)(void), (*zero)(void), (*print)(void); /* are not called */
    void (*destroy)(foreign_problem *problem);
} foreign_problem_table;
struct foreign_problem {
    const foreign_problem_table *table;
    const void *size, *vector;
    weft_real *even, *odd; /* the distance is added to the real array */
};

/* What fftw_plan points to. In 3.3.10 an int sign follows the problem, in 3.3.11 a count of
 * references, which begins at 1, and the sign after it. */
typedef struct {
    foreign_plan *plan;
    const foreign_problem *problem;
    size_t references;
    int sign;
} foreign_handle;

_Static_assert(offsetof(foreign_plan, adds) == 8 && offsetof(foreign_plan, cost) == 40 &&
                   offsetof(foreign_plan, wakefulness) == 48 && offsetof(foreign_plan, apply) == 56,
               "the plan is not laid out as libfftw3's");
#if defined(__LP64__)
_Static_assert(offsetof(foreign_problem, even) == 24 && offsetof(foreign_problem, odd) == 32 &&
                   offsetof(foreign_problem_table, destroy) == 32,
               "the problem is not laid out as libfftw3's");
_Static_assert(offsetof(foreign_handle, references) == 16 && offsetof(foreign_handle, sign) == 24,
               "the handle is not laid out as libfftw3's");
#endif

#endif
