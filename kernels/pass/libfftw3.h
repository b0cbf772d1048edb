/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Weft's uses of libfftw3 beyond its documented functions: the memory layout of its plans, and the
 * lock, the number of threads and the time limit of its planner, which the process shares. Compiled
 * once per precision.
 */
#ifndef WEFT_LIBFFTW3_H
#define WEFT_LIBFFTW3_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/base/precision.h"

/*
 * Plans as libfftw3 3.3.x sees them. These are facts of its binary interface, which configure
 * checks by a small program. libfftw3 frees the handle and the plan itself, so FFTW(malloc) must
 * allocate both.
 */
typedef struct foreign_plan foreign_plan;

/* The printer that libfftw3 passes to `print`. */
typedef struct foreign_printer {
    void (*print)(struct foreign_printer *printer, const char *format, ...);
} foreign_printer;

typedef struct {
    void (*solve)(const foreign_plan *plan, const void *problem);
    void (*awake)(foreign_plan *plan, int wakefulness);
    void (*print)(const foreign_plan *plan, foreign_printer *printer);
    void (*destroy)(foreign_plan *plan);
} foreign_table;

/* The beginning of a plan; the plan's owner may store data behind it. FFTW aligns the doubles to 8
 * bytes, also where the processor does not require that (32-bit x86). */
struct foreign_plan {
    const foreign_table *table;
    _Alignas(8) double adds;
    double muls, fmas, other;
    double cost;
    int wakefulness;
    int flag;
    void (*apply)(const foreign_plan *plan, weft_real *a, weft_real *b, weft_real *c, weft_real *d);
};

/* The problem of a plan. fftw_destroy_plan reads it, and for real transforms fftw_execute_dft_r2c
 * and _c2r do, too. */
typedef struct foreign_problem foreign_problem;
typedef struct {
    int kind;                                          /* a kind that libfftw3 does not solve */
    void (*hash)(void), (*zero)(void), (*print)(void); /* never called */
    void (*destroy)(foreign_problem *problem);
} foreign_problem_table;
struct foreign_problem {
    const foreign_problem_table *table;
    const void *size, *vector;
    weft_real *even, *odd; /* their distance is added to the real array */
};

/* fftw_plan points to this struct. In 3.3.10 the sign follows the problem directly; in 3.3.11 a
 * reference count, which must start at 1, is between the two. This struct works for both. */
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

/* What libfftw3 calls without any effect: a plan awakes, and a problem stays when its plan is
 * destroyed. */
void weft_foreign_awake(foreign_plan *plan, int wakefulness);
void weft_foreign_leave(foreign_problem *problem);

/* Whether FFTW treats an address so many bytes from aligned memory as aligned. */
bool weft_fft_aligned(ptrdiff_t bytes);

/* Calls `work` while libfftw3 holds the lock of its planner, if the program made the planner thread
 * safe. `work` must not make or destroy plans. Returns false, with an error, if there is no memory.
 */
bool weft_planner_locked(void (*work)(void *argument), void *argument);

/* The number of threads that fftw_plan_with_nthreads has set; 1 without FFTW's threads. */
int weft_planner_threads(void);
/* The time limit that the program has set, in seconds; negative: none, or this libfftw3 does not
 * allow reading the limit. */
double weft_timelimit(void);

/* Makes FFTW plan for one thread and, unless `limit` is negative, for at most so many seconds. The
 * calling thread must call weft_planner_restore, which restores the program's settings. Other
 * threads that call these functions wait until then. */
void weft_planner_one_thread(double limit);
void weft_planner_restore(void);

/* Marks the planner with a special limit that also means no limit, if the program has set none. The
 * mark disappears when fftw_cleanup replaces the planner or the program sets a limit. Returns false
 * if there is a limit or this libfftw3 does not allow reading it. */
bool weft_planner_tag(void);
bool weft_planner_is_tagged(void);

#endif
