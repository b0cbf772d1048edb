/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that libfftw3 calls (solve, apply, print, destroy) find Weft's plan behind
 * libfftw3's fields. Before a run they check the arrays.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "kernels/device/memory.h"
#include "kernels/pass/libfftw3.h"
#include "kernels/pass/plans.h"
#include "backends/exchange/abort.h"
#include "planner/handle.h"

/* The arrays of one run. The program passes `in` and `out`. The plan works on `from` and `to`: the
 * same arrays, or copies. */
typedef struct {
    void *in, *out, *from, *to;
} run_arrays;

/* The fields of libfftw3's plan, followed by Weft's. */
typedef struct {
    foreign_plan begin;
    weft_plan *plan;
    const weft_problem *problem; /* of the plan */
    size_t in_bytes, out_bytes;  /* bytes of this rank's arrays */
    bool aligned;                /* the plan runs on aligned arrays only */
    run_arrays started;          /* arrays of a started run */
} own_plan;

static const own_plan *own(const foreign_plan *plan)
{
    return (const own_plan *)plan;
}

/* A distance in bytes that two arrays never have. It marks plans that are not r2c or c2r (see
 * apply). */
#define FAR ((size_t)PTRDIFF_MAX / 64 * sizeof(weft_real))

/* Memory for a copy of an array. `kept` bytes of the array are copied. */
static void *copy_of(const void *array, size_t kept, size_t bytes)
{
    void *copy = weft_memory_allocate(bytes);
    if (!copy)
        weft_abort("no memory for a copy of %zu bytes; a plan copies arrays that differ from the "
                   "arrays of planning in alignment or in being in place",
                   bytes);
    return kept > 0 ? memcpy(copy, array, kept) : copy;
}

static bool is_odd(const own_plan *plan, const void *array)
{
    return plan->aligned && !weft_pass_array_aligned(array);
}

/* The arrays for a run of an in-place plan. If the program's arrays are two, the output serves as
 * the working array, unless it is too small, is not aligned, or has elements around boxes
 * ("rooms"), which must not change. */
static run_arrays in_one_array(const own_plan *plan, void *in, void *out)
{
    const bool fits = plan->in_bytes <= plan->out_bytes && !plan->problem->to.layout.enclosing;
    const size_t most = plan->in_bytes > plan->out_bytes ? plan->in_bytes : plan->out_bytes;
    if (is_odd(plan, out) || (in != out && !fits)) {
        void *both = copy_of(in, in == out ? most : plan->in_bytes, most);
        return (run_arrays){in, out, both, both};
    }
    if (in != out)
        memcpy(out, in, plan->in_bytes);
    return (run_arrays){in, out, out, out};
}

/* Copies the program's arrays where the plan cannot run on them. On a rank without data on one
 * side, the program may pass any pointer for that side; an in-place plan without input therefore
 * uses the output for both. Elements between the results in the output do not change. */
static run_arrays take_arrays(const own_plan *plan, void *in, void *out)
{
    run_arrays it = {in, out, in, out};
    if (plan->problem->in_place && plan->in_bytes == 0)
        it.in = it.from = in = out;
    if (plan->problem->device)
        return it;
    if (plan->problem->in_place)
        return in_one_array(plan, in, out);
    if ((in == out && plan->in_bytes > 0 && plan->out_bytes > 0) || is_odd(plan, in))
        it.from = copy_of(in, plan->in_bytes, plan->in_bytes);
    if (is_odd(plan, out))
        it.to = copy_of(out, plan->out_bytes, plan->out_bytes);
    return it;
}

/* Copies results to the program's output, and frees copies. Where boxes are in enclosing arrays
 * ("rooms"), elements outside of the boxes do not change. */
static void put_back(const own_plan *plan, const run_arrays *it)
{
    const weft_layout *layout = &plan->problem->to.layout;
    if (it->to != it->out && layout->enclosing)
        weft_layout_fill(layout, plan->problem->rank, weft_number_bytes(plan->problem->to.real),
                         it->to, it->out);
    else if (it->to != it->out && plan->out_bytes > 0)
        memcpy(it->out, it->to, plan->out_bytes);
    if (it->to != it->out)
        free(it->to);
    if (it->from != it->in && it->from != it->to)
        free(it->from);
}

/* Ends the program if the array is missing, or not on the same device, or not on the host, like the
 * arrays of planning. */
static void check_array(const own_plan *plan, const char *name, const void *array, size_t bytes)
{
    const weft_device *device = plan->problem->device;
    const int wanted = device ? device->number : WEFT_DEVICE_HOST;
    if (bytes > 0 && !array)
        weft_abort("a plan runs on rank %d with %s array that is NULL, but this rank has %zu bytes "
                   "of it; a plan that was made for NULL must run by fftw%s_mpi_execute_dft or a "
                   "similar function, on other arrays",
                   plan->problem->rank, name, bytes, WEFT_LETTER);
    if (bytes == 0 || array == plan->problem->in || array == plan->problem->out ||
        (!device && !weft_device_may_be_in_use()))
        return;
    const int place = weft_device_where(array);
    if (place == wanted)
        return;
    if (place == WEFT_DEVICE_UNKNOWN)
        weft_abort("a plan cannot run on these arrays: %s", weft_error_text());
    weft_abort("a plan for arrays on device %d runs on arrays on device %d (%d: host memory); they "
               "must be in the same memory",
               wanted, place, WEFT_DEVICE_HOST);
}

/* On a device, Weft makes no copies for runs that differ from planning in placement or alignment;
 * such runs end the program. */
static void check_device_run(const own_plan *plan, const void *in, const void *out)
{
    const bool both = plan->in_bytes > 0 && plan->out_bytes > 0;
    if (both && plan->problem->in_place != (in == out))
        weft_abort("a plan on a device that was made %s runs %s; make a plan for each",
                   plan->problem->in_place ? "in place" : "out of place",
                   plan->problem->in_place ? "out of place" : "in place");
    if (plan->aligned && !(weft_pass_array_aligned(in) && weft_pass_array_aligned(out)))
        weft_abort("a plan on a device for aligned arrays runs on unaligned arrays; make the plan "
                   "with FFTW_UNALIGNED");
}

static void check_arrays_of_run(const own_plan *plan, const void *in, const void *out)
{
    check_array(plan, "an input", in, plan->in_bytes);
    check_array(plan, "an output", out, plan->out_bytes);
    if (plan->problem->device)
        check_device_run(plan, in, out);
}

static void run(const own_plan *plan, void *in, void *out)
{
    if (weft_plan_is_too_late(plan->plan))
        return;
    check_arrays_of_run(plan, in, out);
    const run_arrays it = take_arrays(plan, in, out);
    weft_plan_run(plan->plan, it.from, it.to);
    put_back(plan, &it);
}

/* The distance in bytes between any two pointers. */
static uintptr_t distance(const weft_real *from, const weft_real *to)
{
    return (uintptr_t)to - (uintptr_t)from;
}

/*
 * libfftw3 calls `apply` with arrays in an order that depends on the function the program called.
 * fftw_execute_r2r passes two arrays, and c and d are undefined; the others pass four:
 *
 *     fftw_execute_r2r        in      out
 *     fftw_execute_dft        in + 1  in       out + 1  out      (in, in + 1, ... for sign -1)
 *     fftw_execute_dft_r2c    in      in + 1   out      out + 1  (the distance of the problem)
 *     fftw_execute_dft_c2r    out     out + 1  in       in + 1
 */
static void apply(const foreign_plan *begin, weft_real *a, weft_real *b, weft_real *c, weft_real *d)
{
    const own_plan *plan = own(begin);
    const bool complex = !(plan->problem->from.real && plan->problem->to.real),
               to_real = weft_last_kind(plan->problem) == WEFT_C2R;
    if (distance(a, b) == FAR && distance(c, d) == sizeof *c)
        weft_abort("fftw%s_execute_dft_r2c and _c2r run only r2c and c2r plans; this plan is for "
                   "another transform",
                   WEFT_LETTER);
    if (complex && distance(b, a) == sizeof *a && distance(d, c) == sizeof *c)
        run(plan, b, d);
    else if (complex && distance(a, b) == sizeof *a && distance(c, d) == sizeof *c)
        run(plan, to_real ? c : a, to_real ? a : c);
    else
        run(plan, a, b);
}

static void solve(const foreign_plan *plan, const void *problem)
{
    (void)problem;
    run(own(plan), own(plan)->problem->in, own(plan)->problem->out);
}

/* Prints one parenthesised expression like FFTW's, without a line end. */
static void print(const foreign_plan *plan, foreign_printer *printer)
{
    const weft_plan *it = own(plan)->plan;
    char step[WEFT_STEP_TEXT];
    printer->print(printer, "(weft-%s", it->shape[0] ? it->shape : "nothing");
    for (int i = 0; it->schedule && i < it->schedule->steps; i++) {
        weft_schedule_print_step(it->schedule, i, step);
        printer->print(printer, "\n  (%s)", step);
    }
    printer->print(printer, ")");
}

static void finish(own_plan *plan)
{
    weft_plan_finish(plan->plan);
    put_back(plan, &plan->started);
}

/* Finishes a started run first, because MPI still writes to its arrays. */
static void destroy(foreign_plan *plan)
{
    weft_fftw_plans_planner_is_locked(true);
    if (own(plan)->plan->started)
        finish((own_plan *)plan);
    weft_plan_destroy(own(plan)->plan);
    weft_fftw_plans_planner_is_locked(false);
}

static void no_function(void)
{
}

static const foreign_table table = {solve, weft_foreign_awake, print, destroy};
static const foreign_problem_table problem_table = {0, no_function, no_function, no_function,
                                                    weft_foreign_leave};
static weft_real pair[2];
static const foreign_problem half_complex = {&problem_table, NULL, NULL, &pair[0], &pair[1]};
static const foreign_problem other = {&problem_table, NULL, NULL, NULL, (weft_real *)FAR};

FFTW(plan) weft_handle_create(weft_plan *plan)
{
    const weft_problem *problem = &plan->problem;
    foreign_handle *handle = FFTW(malloc)(sizeof *handle);
    own_plan *foreign = FFTW(malloc)(sizeof *foreign);
    if (!handle || !foreign)
        goto fail;
    /* the cost is the time or, if no run was timed, the arithmetic, as in FFTW's own plans */
    const double flops = plan->schedule ? plan->schedule->flops : 0;
    const double cost = plan->seconds > 0 ? plan->seconds : flops;
    *foreign = (own_plan){.begin = {.table = &table, .adds = flops, .cost = cost, .apply = apply},
                          .plan = plan,
                          .problem = problem,
                          .in_bytes = weft_local_bytes(&problem->from, problem->rank),
                          .out_bytes = weft_local_bytes(&problem->to, problem->rank),
                          .aligned = weft_schedule_aligned(problem)};
    *handle =
        (foreign_handle){.plan = &foreign->begin,
                         .problem = problem->from.real != problem->to.real ? &half_complex : &other,
                         .references = 1};
    return (FFTW(plan))handle;

fail:
    weft_error("no memory for the plan");
    FFTW(free)(handle);
    FFTW(free)(foreign);
    return NULL;
}

static const own_plan *within(FFTW(plan) handle)
{
    const foreign_handle *ours = (const foreign_handle *)handle;
    return ours && ours->plan && ours->plan->table == &table ? own(ours->plan) : NULL;
}

weft_plan *weft_handle_plan(FFTW(plan) handle)
{
    return within(handle) ? within(handle)->plan : NULL;
}

bool weft_handle_run(FFTW(plan) handle, void *in, void *out)
{
    const own_plan *plan = within(handle);
    if (plan)
        run(plan, in, out);
    return plan != NULL;
}

/* Returns the plan of a handle if the handle is Weft's, its plan is in the wanted state, and MPI is
 * not finalized where the plan needs it; else NULL, with an error. */
static own_plan *in_state(const char *function, FFTW(plan) handle, bool started)
{
    own_plan *plan = (own_plan *)within(handle);
    weft_error_clear();
    if (!plan)
        weft_error("%s: the plan is not one of Weft's", function);
    else if (plan->plan->started != started)
        weft_error(started ? "%s: the plan has not been started"
                           : "%s: the plan has been started and is not finished",
                   function);
    return plan && plan->plan->started == started && !weft_plan_is_too_late(plan->plan) ? plan
                                                                                        : NULL;
}

bool weft_handle_idle(const char *function, FFTW(plan) handle)
{
    return in_state(function, handle, false);
}

bool weft_handle_start(const char *function, FFTW(plan) handle, void *in, void *out)
{
    own_plan *plan = in_state(function, handle, false);
    if (!plan)
        return false;
    check_arrays_of_run(plan, in, out);
    plan->started = take_arrays(plan, in, out);
    weft_plan_start(plan->plan, plan->started.from, plan->started.to, true);
    return true;
}

bool weft_handle_test(const char *function, FFTW(plan) handle)
{
    const own_plan *plan = in_state(function, handle, true);
    return plan && weft_plan_test(plan->plan);
}

bool weft_handle_finish(const char *function, FFTW(plan) handle)
{
    own_plan *plan = in_state(function, handle, true);
    if (plan)
        finish(plan);
    return plan;
}

/* Copies bytes from any address through a pipe; returns false if the address is not readable. */
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
        !look(theirs.plan, &plan, sizeof plan) || !look(plan.table, function, sizeof function))
        return false;
    bool alike = (plan.wakefulness & ~7) == 0 && (plan.flag & ~1) == 0;
    const double count[] = {plan.adds, plan.muls, plan.fmas, plan.other};
    for (int i = 0; i < 4; i++)
        alike &= count[i] >= 0 && count[i] < FEW && count[i] == (int)count[i];
    for (int i = 0; i < FUNCTIONS; i++)
        alike &= dladdr(function[i], &info) != 0;
    return alike;
}
