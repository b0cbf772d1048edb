/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The structures below are facts of libfftw3's binary interface (3.3.x); configure checks them by
 * running a little program. libfftw3 frees handle and plan itself, so both come from FFTW(malloc).
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "kernels/pass/fft.h"
#include "planner/abort.h"
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
    void (*apply)(const foreign_plan *plan, weft_real *a, weft_real *b, weft_real *c, weft_real *d);
    /* From here on, ours. */
    weft_plan *plan;
    void *in, *out;
    size_t in_bytes, out_bytes; /* that this rank holds */
    bool in_place;
    bool complex; /* numbers are, on a side at least */
    bool to_real; /* c2r */
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

/* A distance in bytes that no two arrays have. */
#define FAR ((size_t)PTRDIFF_MAX / 64 * sizeof(weft_real))

/* What fftw_plan points to. In 3.3.10 an int sign follows the problem, in 3.3.11 a count of
 * references, which begins at 1, and the sign after it. */
typedef struct {
    foreign_plan *plan;
    const foreign_problem *problem;
    size_t references;
    int sign;
} foreign_handle;

#if defined(__LP64__)
_Static_assert(offsetof(foreign_plan, adds) == 8 && offsetof(foreign_plan, cost) == 40 &&
                   offsetof(foreign_plan, wakefulness) == 48 && offsetof(foreign_plan, apply) == 56,
               "the plan is not laid out as libfftw3's");
_Static_assert(offsetof(foreign_problem, even) == 24 && offsetof(foreign_problem, odd) == 32 &&
                   offsetof(foreign_problem_table, destroy) == 32,
               "the problem is not laid out as libfftw3's");
_Static_assert(offsetof(foreign_handle, references) == 16 && offsetof(foreign_handle, sign) == 24,
               "the handle is not laid out as libfftw3's");
#endif

static void *copy_of(const void *array, size_t bytes)
{
    void *copy = weft_memory_get(bytes);
    if (!copy)
        weft_abort("no memory for a copy of %zu bytes, which a plan takes that is run in place but "
                   "was not made so, or the other way round",
                   bytes);
    return memcpy(copy, array, bytes);
}

/* Out of place by a plan in place; the output may be too small to work in. */
static void run_in_place(const foreign_plan *plan, void *in, void *out)
{
    if (plan->in_bytes <= plan->out_bytes) {
        memcpy(out, in, plan->in_bytes);
        weft_plan_run(plan->plan, out, out);
        return;
    }
    void *both = copy_of(in, plan->in_bytes);
    weft_plan_run(plan->plan, both, both);
    memcpy(out, both, plan->out_bytes);
    weft_memory_free(both);
}

/* In place by a plan out of place. */
static void run_out_of_place(const foreign_plan *plan, void *both)
{
    void *in = copy_of(both, plan->in_bytes);
    weft_plan_run(plan->plan, in, both);
    weft_memory_free(in);
}

/* On a rank that holds nothing of one side that array may be anything. */
static void run(const foreign_plan *plan, void *in, void *out)
{
    if ((plan->in_bytes > 0 && !in) || (plan->out_bytes > 0 && !out))
        weft_abort("a plan is run on rank %d with %s array of NULL, of which the rank holds %zu "
                   "bytes; plans that were made for NULL are run by fftw%s_mpi_execute_dft or its "
                   "like, on other arrays",
                   plan->plan->rank, plan->in_bytes > 0 && !in ? "an input" : "an output",
                   plan->in_bytes > 0 && !in ? plan->in_bytes : plan->out_bytes, WEFT_LETTER);
    const bool both = plan->in_bytes > 0 && plan->out_bytes > 0;
    if (plan->in_place && !both)
        in = out = plan->in_bytes > 0 ? in : out;
    if (both && plan->in_place && in != out)
        run_in_place(plan, in, out);
    else if (both && !plan->in_place && in == out)
        run_out_of_place(plan, out);
    else
        weft_plan_run(plan->plan, in, out);
}

/* In bytes, of any two pointers. */
static uintptr_t distance(const weft_real *from, const weft_real *to)
{
    return (uintptr_t)to - (uintptr_t)from;
}

/*
 * fftw_execute_r2r passes two arrays, and what c and d are then is chance; the others pass four:
 *
 *     fftw_execute_r2r        in      out
 *     fftw_execute_dft        in + 1  in       out + 1  out      (in, in + 1, ... were the sign -1)
 *     fftw_execute_dft_r2c    in      in + 1   out      out + 1  (the distance of the problem)
 *     fftw_execute_dft_c2r    out     out + 1  in       in + 1
 */
static void apply(const foreign_plan *plan, weft_real *a, weft_real *b, weft_real *c, weft_real *d)
{
    if (distance(a, b) == FAR && distance(c, d) == sizeof *c)
        weft_abort("fftw%s_execute_dft_r2c and _c2r run plans of such transforms only; this one is "
                   "another",
                   WEFT_LETTER);
    if (plan->complex && distance(b, a) == sizeof *a && distance(d, c) == sizeof *c)
        run(plan, b, d);
    else if (plan->complex && distance(a, b) == sizeof *a && distance(c, d) == sizeof *c)
        run(plan, plan->to_real ? c : a, plan->to_real ? a : c);
    else
        run(plan, a, b);
}

static void solve(const foreign_plan *plan, const void *problem)
{
    (void)problem;
    run(plan, plan->in, plan->out);
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

static void leave(foreign_problem *problem)
{
    (void)problem;
}

static void no_function(void)
{
}

static const foreign_table table = {solve, awake, print, destroy};
static const foreign_problem_table problem_table = {0, no_function, no_function, no_function,
                                                    leave};
static weft_real pair[2];
static const foreign_problem half_complex = {&problem_table, NULL, NULL, &pair[0], &pair[1]};
static const foreign_problem other = {&problem_table, NULL, NULL, NULL, (weft_real *)FAR};

static size_t bytes_of(const weft_holding *side, int rank)
{
    const size_t number = side->real ? sizeof(weft_real) : sizeof(weft_complex);
    return (size_t)weft_numbers_held(side, rank) * number;
}

FFTW(plan) weft_handle_create(weft_plan *plan, const weft_problem *problem)
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
                              .in = problem->in,
                              .out = problem->out,
                              .in_bytes = bytes_of(&problem->from, problem->rank),
                              .out_bytes = bytes_of(&problem->to, problem->rank),
                              .in_place = problem->in_place,
                              .complex = !problem->real,
                              .to_real = weft_last_kind(problem) == WEFT_C2R};
    *handle = (foreign_handle){.plan = foreign,
                               .problem = weft_is_half_complex(problem) ? &half_complex : &other,
                               .references = 1};
    return (FFTW(plan))handle;

fail:
    weft_error("no memory for the plan");
    FFTW(free)(handle);
    FFTW(free)(foreign);
    return NULL;
}

/* A plan of nothing but that: libfftw3 destroys plans with the lock held. */
typedef struct {
    foreign_plan plan;
    void (*work)(void *argument);
    void *argument;
} errand;

static void go(foreign_plan *plan)
{
    const errand *it = (const errand *)plan;
    it->work(it->argument);
}

bool weft_handle_locked(void (*work)(void *argument), void *argument)
{
    static const foreign_table errands = {solve, awake, print, go};
    foreign_handle *handle = FFTW(malloc)(sizeof *handle);
    errand *it = FFTW(malloc)(sizeof *it);
    if (!handle || !it) {
        weft_error("no memory for a plan of nothing");
        FFTW(free)(handle);
        FFTW(free)(it);
        return false;
    }
    *it = (errand){.plan = {.table = &errands}, .work = work, .argument = argument};
    *handle = (foreign_handle){.plan = &it->plan, .problem = &other, .references = 1};
    FFTW(destroy_plan)((FFTW(plan))handle);
    return true;
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
        run(plan, in, out);
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
