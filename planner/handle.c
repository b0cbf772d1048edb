/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The structures below are facts of libfftw3's binary interface (3.3.x); configure checks them by
 * running a little program. libfftw3 frees handle and plan itself, so both come from FFTW(malloc).
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/error.h"
#include "kernels/pass/fft.h"
#include "planner/handle.h"

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

struct foreign_plan {
    const foreign_table *table;
    double adds, muls, fmas, other;
    double cost;
    int wakefulness;
    int flag;
    void (*apply)(const foreign_plan *plan, void *in, void *out);
    /* From here on, ours. */
    weft_plan *plan;
    void *in, *out;
    bool in_place;
    size_t copied;
};

/* What fftw_plan points to. In 3.3.10 an int sign follows the problem, in 3.3.11 a count of
 * references, which begins at 1, and the sign after it. */
typedef struct {
    foreign_plan *plan;
    void *problem; /* none: destroying skips it */
    size_t references;
    int sign;
} foreign_handle;

#if defined(__LP64__)
_Static_assert(offsetof(foreign_plan, adds) == 8 && offsetof(foreign_plan, cost) == 40 &&
                   offsetof(foreign_plan, wakefulness) == 48 && offsetof(foreign_plan, apply) == 56,
               "the plan is not laid out as libfftw3's");
_Static_assert(offsetof(foreign_handle, references) == 16 && offsetof(foreign_handle, sign) == 24,
               "the handle is not laid out as libfftw3's");
#endif

static void apply(const foreign_plan *plan, void *in, void *out)
{
    if (plan->in_place) {
        void *both = out ? out : in;
        if (plan->copied > 0 && in != both)
            memcpy(both, in, plan->copied);
        in = out = both;
    }
    weft_plan_run(plan->plan, in, out);
}

static void solve(const foreign_plan *plan, const void *problem)
{
    (void)problem;
    apply(plan, plan->in, plan->out);
}

static void awake(foreign_plan *plan, int wakefulness)
{
    (void)plan;
    (void)wakefulness;
}

/* The text goes through an argument: a percent sign in it means nothing. */
static void print_text(void *to, const char *text)
{
    foreign_printer *printer = to;
    printer->print(printer, "%s", text);
}

static void print(const foreign_plan *plan, foreign_printer *printer)
{
    weft_plan_print(plan->plan, print_text, printer);
}

static void destroy(foreign_plan *plan)
{
    weft_fft_planner_is_locked(true);
    weft_plan_destroy(plan->plan);
    weft_fft_planner_is_locked(false);
}

static const foreign_table table = {solve, awake, print, destroy};

FFTW(plan) weft_handle_create(weft_plan *plan, void *in, void *out, bool in_place, size_t copied)
{
    foreign_handle *handle = FFTW(malloc)(sizeof *handle);
    foreign_plan *foreign = FFTW(malloc)(sizeof *foreign);
    if (!handle || !foreign)
        goto fail;
    weft_operations cost = weft_plan_operations(plan);
    *foreign = (foreign_plan){.table = &table,
                              .adds = cost.adds,
                              .muls = cost.muls,
                              .fmas = cost.fmas,
                              .other = cost.other,
                              .cost = cost.cost,
                              .apply = apply,
                              .plan = plan,
                              .in = in,
                              .out = out,
                              .in_place = in_place,
                              .copied = copied};
    *handle = (foreign_handle){.plan = foreign, .references = 1};
    return (FFTW(plan))handle;

fail:
    weft_error("no memory for the plan");
    FFTW(free)(handle);
    FFTW(free)(foreign);
    return NULL;
}

static const foreign_plan *within(FFTW(plan) handle)
{
    const foreign_handle *ours = (const foreign_handle *)handle;
    return ours && ours->plan && ours->plan->table == &table ? ours->plan : NULL;
}

weft_plan *weft_handle_plan(FFTW(plan) handle)
{
    return within(handle) ? within(handle)->plan : NULL;
}

bool weft_handle_run(FFTW(plan) handle, void *in, void *out)
{
    const foreign_plan *plan = within(handle);
    if (plan)
        apply(plan, in, out);
    return plan != NULL;
}

/* Copies from anywhere, which fails where there is no memory. */
static bool look(const void *from, void *to, size_t bytes)
{
    int end[2];
    if (pipe(end))
        return false;
    const bool ok =
        write(end[1], from, bytes) == (ssize_t)bytes && read(end[0], to, bytes) == (ssize_t)bytes;
    close(end[0]);
    close(end[1]);
    return ok;
}

bool weft_handle_resembles(FFTW(plan) handle)
{
    enum { FUNCTIONS = sizeof(foreign_table) / sizeof(void *), FEW = 1000 };
    foreign_handle theirs;
    foreign_plan plan;
    void *function[FUNCTIONS];
    Dl_info info;
    if (!look(handle, &theirs, offsetof(foreign_handle, references)) ||
        !look(theirs.plan, &plan, offsetof(foreign_plan, plan)) ||
        !look(plan.table, function, sizeof function))
        return false;
    bool alike = (plan.wakefulness & ~7) == 0 && (plan.flag & ~1) == 0;
    const double count[] = {plan.adds, plan.muls, plan.fmas, plan.other};
    for (int i = 0; i < 4; i++)
        alike &= count[i] >= 0 && count[i] < FEW && count[i] == (int)count[i];
    for (int i = 0; i < FUNCTIONS; i++)
        alike &= dladdr(function[i], &info) != 0;
    return alike;
}
