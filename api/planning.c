/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every plan function calls weft_make_plan: it checks the request, agrees on it with the other
 * ranks, plans, and wraps the plan in a handle for libfftw3. Weft initializes itself when it first
 * plans, so a program may call init twice, or never, before or after the threads functions. cleanup
 * frees what serial FFTW keeps, as FFTW-MPI's does, and the shared memory that Weft keeps for later
 * plans.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/memory/window.h"
#include "kernels/base/error.h"
#include "kernels/pass/libfftw3.h"
#include "kernels/pass/plans.h"
#include "planner/handle.h"
#include "planner/plan.h"
#include "planner/workspace.h"
#include "api/entries.h"
#include "api/mpi-state.h"
#include "api/planning.h"
#include "api/record.h"
#include "api/weft.h"

static const void *execute(void)
{
    void (*const function)(const FFTW(plan)) = FFTW(execute);
    const void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}

/* Whether the library that provides fftw_execute makes plans with the same structure as libfftw3's.
 * Making a plan initializes the planner, so this is called only if the library's version string is
 * missing. */
static bool plans_alike(void)
{
    FFTW(complex) in[2], out[2];
    FFTW(plan) plan = FFTW(plan_dft_1d)(2, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    const bool alike = plan && weft_handle_resembles(plan);
    if (plan)
        FFTW(destroy_plan)(plan);
    return alike;
}

/* Ends the process if fftw_execute belongs to another library than FFTW with other plans than
 * libfftw3's, because that library could not run Weft's plans. A tool between the program and
 * libfftw3 has FFTW's names and is accepted. */
static void check_fftw(void)
{
    void *library = weft_library_of(execute());
    const char *version = library ? dlsym(library, "fftw" WEFT_LETTER "_version") : FFTW(version);
    if (library)
        dlclose(library);
    if (version ? strncmp(version, "fftw-3.", 7) != 0 : !plans_alike())
        weft_exit_process("%s is not FFTW's but comes from %s (%s), which cannot run Weft's plans; "
                          "make the program load FFTW's libfftw3%s first",
                          "fftw" WEFT_LETTER "_execute", weft_file_of(execute()),
                          version ? version : "of no known version", WEFT_LETTER);
}

/* Rank 0 prints one line with WEFT_VERBOSE, which shows that the program uses Weft. */
static void introduce(void)
{
    char mpi[200];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && weft_is_verbose())
        fprintf(stderr, "weft: Weft %s (%s), %s, on %s (%s) and %s (%s)\n", PACKAGE_VERSION,
                WEFT_PRECISION, weft_file_of(WEFT_PRECISION), FFTW(version),
                weft_file_of(execute()), weft_mpi_title(mpi, sizeof mpi), weft_mpi_file());
}

void weft_set_up(void)
{
    static atomic_bool checked, introduced;
    const bool running = weft_mpi_running();
    if (!atomic_exchange(&checked, true))
        check_fftw();
    if (running && !atomic_exchange(&introduced, true))
        introduce();
}

void weft_mpi_init(void)
{
    weft_error_clear();
    weft_set_up();
}

void weft_mpi_cleanup(void)
{
    weft_window_cleanup();
    weft_workspace_cleanup();
    weft_fftw_plans_cleanup();
    FFTW(cleanup)();
}

/* FFTW's manual: only transforms from complex to real numbers destroy their input without
 * FFTW_DESTROY_INPUT. */
static bool may_destroy(const weft_request *request, const weft_problem *problem)
{
    bool complex_to_real = request->asked == WEFT_ASK_C2R;
    for (int axis = 0; axis < problem->axes; axis++)
        complex_to_real |= problem->kind[axis] == WEFT_HC2R;
    return !(request->flags & FFTW_PRESERVE_INPUT) &&
           (complex_to_real || request->flags & FFTW_DESTROY_INPUT);
}

/* Whether the arrays can be used in place: a real side without padding is too small for the complex
 * numbers. */
static bool arrays_suit(const weft_request *request, const weft_problem *problem)
{
    return problem->task == WEFT_REDISTRIBUTE || !(problem->flags & WEFT_UNPADDED) ||
           !request->in || request->in != request->out ||
           weft_error(problem->between ? "%s: r2c and c2r between distributions need two arrays, "
                                         "but the input is the output"
                                       : "%s: WEFT_UNPADDED needs two arrays, but the input is the "
                                         "output; in place the real side must be padded",
                      request->function);
}

/* Sets the kind of each axis, for requests that do not name it. NULL: the program passed no
 * kinds. */
static const int *kinds_of(const weft_request *request, int each[WEFT_MAX_RANK])
{
    const weft_asked asked = request->asked;
    const int last = request->axes - 1;
    const bool backward = asked == WEFT_ASK_C2R ||
                          (asked == WEFT_ASK_C2C && weft_sign(request->sign) == FFTW_BACKWARD);
    if (asked >= WEFT_ASK_KINDS || (asked == WEFT_ASK_R2R && !request->kinds))
        return request->each;
    for (int axis = 0; axis <= last && axis < WEFT_MAX_RANK; axis++)
        each[axis] = asked == WEFT_ASK_R2R                   ? (int)request->kinds[axis]
                     : asked == WEFT_ASK_TRANSPOSE           ? WEFT_NONE
                     : axis == last && asked == WEFT_ASK_R2C ? WEFT_DFT_R2C
                     : axis == last && asked == WEFT_ASK_C2R ? WEFT_DFT_C2R
                     : backward                              ? WEFT_DFT_BACKWARD
                                                             : WEFT_DFT_FORWARD;
    return each;
}

bool weft_request_valid(const weft_request *request, int rank, int ranks, weft_problem *problem)
{
    const bool slabs = !request->process_grid && !request->from;
    int each[WEFT_MAX_RANK];
    weft_request asked = *request;
    asked.each = kinds_of(request, each);
    if (!weft_sizes_and_flags_valid(request) ||
        !(slabs ? weft_slab_problem : weft_grid_problem)(&asked, ranks, problem))
        return false;
    problem->rank = rank;
    problem->comm = request->comm;
    problem->in = request->in;
    problem->out = request->out;
    problem->flags = slabs ? request->flags & WEFT_SLAB_FLAGS : request->flags;
    if (problem->between && weft_is_half_complex(problem))
        problem->flags |= WEFT_UNPADDED;
    problem->may_destroy = may_destroy(request, problem);
    return slabs || arrays_suit(request, problem);
}

static FFTW(plan) planned_by(const weft_request *request, int rank, int ranks)
{
    WEFT_ERRORS_ARE_FATAL(request->comm);
    weft_problem problem;
    const bool valid = weft_request_valid(request, rank, ranks, &problem);
    if (!weft_agree_on_problem(request, &problem, valid))
        return NULL;
    problem.threads = weft_planner_threads();
    weft_record(request, &problem, WEFT_PRECISION);
    weft_plan *plan = weft_plan_make(&problem);
    if (!plan)
        return NULL;
    weft_report_verbose(plan);
    weft_report_sum(plan);
    FFTW(plan) handle = weft_handle_create(plan, &problem);
    if (weft_agree(request->comm, handle != NULL))
        return handle;
    if (handle)
        FFTW(destroy_plan)(handle);
    else
        weft_plan_destroy(plan);
    return NULL;
}

FFTW(plan) weft_make_plan(const weft_request *request)
{
    int rank, ranks;
    FFTW(plan) plan = NULL;
    weft_error_clear();
    weft_set_up();
    if (weft_comm_usable_on_all(request->function, request->comm, &rank, &ranks))
        plan = planned_by(request, rank, ranks);
    if (!plan)
        weft_print_error(request->comm);
    return plan;
}

bool weft_grid_given(const char *function, const struct weft_grid_s *grid)
{
    return grid || weft_error("%s: the grid is NULL", function);
}

FFTW(plan) weft_grid_planned(weft_grid grid, weft_request request)
{
    int each[WEFT_MAX_RANK];
    weft_error_clear();
    if (!weft_grid_given(request.function, grid))
        return NULL;
    request.each = kinds_of(&request, each);
    request.asked = WEFT_ASK_KINDS;
    request.comm = grid->comm;
    request.flags |= grid->rows ? WEFT_ROWS : 0;
    request.process_grid = &grid->process_grid;
    return weft_make_plan(&request);
}
