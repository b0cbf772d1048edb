dnl SPDX-License-Identifier: BSD-3-Clause
dnl WEFT_FOREIGN_PLAN: checks that libfftw3 runs, prints, measures and destroys a plan that it did not make.
dnl Weft's plans and problems begin as FFTW's own do (kernels/pass/foreign.h), so that fftw_execute and the rest work. This depends
dnl on FFTW's binary interface, which is the same in all releases of 3.3 (FFTW aligns doubles on 32-bit x86, too), and not on
dnl its source code.
AC_DEFUN([WEFT_FOREIGN_PLAN],
[weft_save_CPPFLAGS=$CPPFLAGS weft_save_LDFLAGS=$LDFLAGS weft_save_LIBS=$LIBS
CPPFLAGS="$FFTW_CPPFLAGS $CPPFLAGS" LDFLAGS="$FFTW_LDFLAGS $LDFLAGS" LIBS="$FFTW_LIBS $LIBS"
AC_CACHE_CHECK([whether libfftw3 runs a plan of Weft's], [weft_cv_foreign_plan],
    [AC_RUN_IFELSE([AC_LANG_SOURCE([WEFT_FOREIGN_PLAN_PROGRAM])],
                   [weft_cv_foreign_plan=yes], [weft_cv_foreign_plan=no],
                   [weft_cv_foreign_plan='assumed (cross compiling)'])])
CPPFLAGS=$weft_save_CPPFLAGS LDFLAGS=$weft_save_LDFLAGS LIBS=$weft_save_LIBS
AS_CASE([$weft_cv_foreign_plan],
    [no], [AC_MSG_ERROR([this libfftw3 does not run Weft's plans: it is not FFTW 3.3.x, or the runtime linker does not find it; point --with-fftw=PREFIX to an FFTW 3.3 (Debian: libfftw3-dev; Fedora: fftw-devel; Homebrew: fftw)])],
    [assumed*], [AC_MSG_NOTICE([cross compiling: run make check where the libraries will be used])])])

m4_define([WEFT_FOREIGN_PLAN_PROGRAM], [[
#include <fftw3.h>
#include <stddef.h>
#include <stdio.h>

typedef struct plan plan;
typedef struct printer { void (*print)(struct printer *, const char *, ...); } printer;
typedef struct {
    void (*solve)(const plan *, const void *problem);
    void (*awake)(plan *, int);
    void (*print)(const plan *, printer *);
    void (*destroy)(plan *);
} functions;
struct plan {
    const functions *functions;
    _Alignas(8) double operations[4];
    double cost;
    int wakefulness, flag;
    void (*apply)(const plan *, double *a, double *b, double *c, double *d);
};
typedef struct problem problem;
typedef struct {
    int kind;
    void (*others[3])(void);
    void (*destroy)(problem *);
} problem_functions;
struct problem {
    const problem_functions *functions;
    void *size, *vector;
    double *even, *odd;
};
typedef struct {
    plan *plan;
    problem *problem;
    size_t references;
    int sign;
} handle;

static int solved, asleep, printed, destroyed, left;
static double *given[4];

static void solve(const plan *p, const void *problem)
{
    solved += p->flag == 7 && problem;
}
static void awake(plan *p, int wakefulness)
{
    asleep += p->flag == 7 && wakefulness == 0;
}
static void print(const plan *p, printer *to)
{
    printed += p->flag == 7;
    to->print(to, "(weft)");
}
static void destroy(plan *p)
{
    destroyed += p->flag == 7;
}
static void leave(problem *p)
{
    left += p->functions->destroy == leave;
}
static void apply(const plan *p, double *a, double *b, double *c, double *d)
{
    given[0] = a, given[1] = b, given[2] = c, given[3] = d;
    if (p->flag != 7)
        given[0] = NULL;
}
static int were(double *a, double *b, double *c, double *d)
{
    return given[0] == a && given[1] == b && (!c || (given[2] == c && given[3] == d));
}

int main(void)
{
    static const functions table = {solve, awake, print, destroy};
    static const problem_functions problem_table = {0, {NULL}, leave};
    fftw_complex array[2];
    double *in = array[0], *out = array[1], adds = 0, muls = 0, fmas = 0;
    problem apart = {&problem_table, NULL, NULL, in, in + 1};
    plan *p = fftw_malloc(sizeof *p);
    handle *h = fftw_malloc(sizeof *h);
    FILE *file = tmpfile();
    p->functions = &table;
    p->operations[0] = 1, p->operations[1] = 2, p->operations[2] = 3, p->operations[3] = 0;
    p->cost = 5;
    p->wakefulness = 1, p->flag = 7;
    p->apply = apply;
    h->plan = p, h->problem = &apart, h->references = 1, h->sign = FFTW_FORWARD;
    fftw_execute((fftw_plan)h);
    fftw_execute_r2r((fftw_plan)h, in, out);
    if (!were(in, out, NULL, NULL))
        return 3;
    fftw_execute_dft((fftw_plan)h, array, array + 1);
    if (!were(in, in + 1, out, out + 1) && !were(in + 1, in, out + 1, out))
        return 4;
    fftw_execute_dft_r2c((fftw_plan)h, in, array + 1);
    if (!were(in, in + 1, out, out + 1))
        return 5;
    fftw_execute_dft_c2r((fftw_plan)h, array, out);
    if (!were(out, out + 1, in, in + 1))
        return 6;
    fftw_flops((fftw_plan)h, &adds, &muls, &fmas);
    if (file)
        fftw_fprint_plan((fftw_plan)h, file);
    if (adds != 1 || muls != 2 || fmas != 3 || fftw_cost((fftw_plan)h) != 5)
        return 2;
    fftw_destroy_plan((fftw_plan)h);
    return !(solved == 1 && printed == !!file && asleep == 1 && destroyed == 1 && left == 1);
}
]])
