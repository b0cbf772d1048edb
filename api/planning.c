/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Weft initializes itself when it first plans, so a program may call init twice, or never, before
 * or after the threads functions. cleanup frees what serial FFTW keeps, as FFTW-MPI's does, and the
 * shared memory that Weft keeps for later plans.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/memory/window.h"
#include "kernels/base/digest.h"
#include "kernels/base/error.h"
#include "kernels/device/memory.h"
#include "kernels/pass/libfftw3.h"
#include "kernels/pass/plans.h"
#include "planner/handle.h"
#include "planner/wisdom/decision.h"
#include "planner/workspace.h"
#include "api/entries.h"
#include "api/mpi-state.h"
#include "api/planning.h"
#include "api/problem-text.h"

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

/* With WEFT_VERBOSE, rank 0 prints one line once, which shows that the program uses Weft. */
static void introduce(MPI_Comm comm)
{
    static atomic_bool introduced;
    char mpi[200];
    if (!atomic_exchange(&introduced, true) && weft_process_rank(comm) == 0 && weft_is_verbose())
        fprintf(stderr, "weft: Weft %s (%s), %s, on %s (%s) and %s (%s)\n", PACKAGE_VERSION,
                WEFT_PRECISION, weft_file_of(WEFT_PRECISION), FFTW(version),
                weft_file_of(execute()), weft_mpi_title(mpi, sizeof mpi), weft_mpi_file());
}

/* Runs once per process. Ends the process if Weft's plans cannot run in it. Returns whether
 * MPI_COMM_WORLD can be used. */
static bool set_up(void)
{
    static atomic_bool checked;
    const bool running = weft_mpi_running();
    if (!atomic_exchange(&checked, true))
        check_fftw();
    return running;
}

void weft_mpi_init(void)
{
    weft_error_clear();
    if (set_up())
        introduce(MPI_COMM_WORLD);
}

void weft_mpi_cleanup(void)
{
    weft_window_cleanup();
    weft_workspace_cleanup();
    weft_fftw_plans_cleanup();
    FFTW(cleanup)();
}

/* FFTW's manual: only transforms from complex to real numbers destroy their input without
 * FFTW_DESTROY_INPUT. On a grid only r2r (HC2R) does. The problem keeps a flag only if it changes
 * something. */
static void set_may_destroy(const weft_request *request, weft_problem *problem)
{
    bool complex_to_real = request->asked == WEFT_ASK_C2R && !request->process_grid;
    for (int axis = 0; axis < problem->axes && request->asked != WEFT_ASK_OPERATOR; axis++)
        complex_to_real |= problem->kind[axis] == WEFT_HC2R;
    problem->may_destroy = !(request->flags & FFTW_PRESERVE_INPUT) &&
                           (complex_to_real || request->flags & FFTW_DESTROY_INPUT);
    problem->flags &= ~(unsigned)(FFTW_DESTROY_INPUT | FFTW_PRESERVE_INPUT);
    if (problem->may_destroy != complex_to_real)
        problem->flags |= complex_to_real ? FFTW_PRESERVE_INPUT : FFTW_DESTROY_INPUT;
}

/* Whether the input must not be the output: a real side without padding is too small for the
 * complex numbers. With an operator both sides are alike, except for the number of fields. */
static bool needs_two_arrays(const weft_problem *problem)
{
    const ptrdiff_t fields_out = problem->to.layout.howmany;
    return weft_operates(problem) ? fields_out > 0 && fields_out != problem->howmany
                                  : problem->flags & WEFT_UNPADDED ||
                                        (problem->between && weft_is_half_complex(problem));
}

static bool arrays_suit(const weft_request *request, const weft_problem *problem)
{
    return !needs_two_arrays(problem) || !request->in || request->in != request->out ||
           weft_error(
               request->asked == WEFT_ASK_OPERATOR
                   ? "%s: the output has another number of fields than the input, so it must "
                     "be another array"
               : problem->between ? "%s: r2c and c2r between distributions need two arrays, "
                                    "but the input is the output"
                                  : "%s: WEFT_UNPADDED needs two arrays, but the input is the "
                                    "output; in place the real side must be padded",
               request->function);
}

bool weft_request_valid(const weft_request *request, int rank, int ranks, weft_problem *problem)
{
    const bool slabs = !request->process_grid && !request->from;
    if (!weft_sizes_and_flags_valid(request) ||
        !(slabs ? weft_slab_problem : weft_grid_problem)(request, ranks, problem))
        return false;
    problem->rank = rank;
    problem->comm = request->comm;
    problem->in = request->in;
    problem->out = request->out;
    problem->flags = slabs ? request->flags & WEFT_SLAB_FLAGS : request->flags;
    set_may_destroy(request, problem);
    return slabs || arrays_suit(request, problem);
}

/* the array is NULL or has no numbers */
enum { NOWHERE = -3 };

/* Where an array is. Either all arrays are in host memory, or the arrays of each rank are on its
 * current device. */
static int place_of(const weft_problem *problem, bool output)
{
    const void *array = output ? problem->out : problem->in;
    const weft_problem_side *side = output ? &problem->to : &problem->from;
    return array && weft_layout_local_elements(&side->layout, problem->rank) > 0
               ? weft_device_where(array)
               : NOWHERE;
}

/* Whether an array of this rank is not in host memory. */
static bool place_concerns(const weft_problem *problem)
{
    const int in = place_of(problem, false), out = place_of(problem, true);
    return (in != NOWHERE && in != WEFT_DEVICE_HOST) || (out != NOWHERE && out != WEFT_DEVICE_HOST);
}

/* Finds out where the two arrays of this rank are. Returns false with an error if they cannot be
 * used together. */
static bool find_place(const char *function, const weft_problem *problem, int *place)
{
    const int in = place_of(problem, false), out = place_of(problem, true);
    *place = in == NOWHERE ? out : in;
    if (in == WEFT_DEVICE_UNKNOWN || out == WEFT_DEVICE_UNKNOWN)
        return false; /* weft_device_where has set the error */
    if (in != NOWHERE && out != NOWHERE && in != out)
        return in == WEFT_DEVICE_HOST || out == WEFT_DEVICE_HOST
                   ? weft_error("%s: only the %s is in host memory; both arrays must be in the "
                                "same memory",
                                function, in == WEFT_DEVICE_HOST ? "input" : "output")
                   : weft_error("%s: the input is on device %d, but the output is on device %d; "
                                "both must be on the same device",
                                function, in, out);
    const weft_device_library *library = *place >= 0 ? weft_device_load() : NULL;
    if (library && library->current() != *place)
        return weft_error("%s: the arrays are on device %d, but device %d is current; make the "
                          "device of the arrays current",
                          function, *place, library->current());
    return *place < 0 || library;
}

static bool all_on_devices(const char *function, const weft_problem *problem, int place)
{
    return weft_agree_max(problem->comm, place == WEFT_DEVICE_HOST) <= 0 ||
           weft_error("%s: some ranks pass arrays on a device, others arrays in host memory; all "
                      "must pass the same kind",
                      function);
}

/* Whether devices can do this transform; the answer is the same on all ranks. */
static bool can_be_done(const char *function, const weft_problem *problem)
{
    if (weft_operates(problem))
        return weft_error("%s: devices cannot call an operator inside a plan; use arrays in host "
                          "memory, or separate plans and your own kernel between them",
                          function);
    for (int axis = 0; axis < problem->axes; axis++)
        if (weft_kind_is_r2r(problem->kind[axis]))
            return weft_error("%s: devices cannot do r2r transforms; use arrays in host memory",
                              function);
    return !weft_modes_differ(problem->axes, problem->modes) ||
           weft_error("%s: on a device the number of modes must be the number of points along each "
                      "axis; use arrays in host memory",
                      function);
}

/* Collective, called if place_concerns is true on any rank. Sets the device of the problem. Returns
 * false on every rank, with an error, if some arrays are in host memory and others on a device, or
 * if devices cannot do the transform. */
static bool place_agreed(const char *function, weft_problem *problem)
{
    int place;
    if (!weft_agree(problem->comm, find_place(function, problem, &place)) ||
        !all_on_devices(function, problem, place) || !can_be_done(function, problem))
        return false;
    const weft_device_library *library = place == NOWHERE ? weft_device_load() : NULL;
    if (library)
        place = library->current();
    if (library && place < 0)
        weft_error("this rank has no device, but other ranks pass arrays on a device");
    problem->device = place < 0 ? NULL : weft_device_open(place);
    problem->flags &= ~(unsigned)FFTW_CONSERVE_MEMORY; /* without effect on devices */
    const bool ok = weft_agree(problem->comm, problem->device);
    if (!ok)
        weft_device_close(problem->device);
    return ok;
}

/* Whether the input is the output. Only ranks that have numbers on both sides can tell; rank 0 has,
 * unless the arrays are empty. Two NULL arrays count as the same array, as for FFTW, except where
 * two arrays are needed. */
static bool is_one(const weft_problem *problem)
{
    return weft_layout_local_elements(&problem->from.layout, problem->rank) > 0 &&
           weft_layout_local_elements(&problem->to.layout, problem->rank) > 0 &&
           problem->in == problem->out && !needs_two_arrays(problem);
}

/* Ranks compare this text: the problem's text, and the flags that concern planning. */
enum { ASKED_TEXT = WEFT_PROBLEM_TEXT + 64 };

static void write_asked(weft_problem *problem, char text[ASKED_TEXT])
{
    weft_problem_write(problem);
    snprintf(text, ASKED_TEXT, "%s with %s%s", problem->text,
             weft_rigor_name[weft_rigor(problem->flags)],
             problem->flags & FFTW_WISDOM_ONLY ? " and FFTW_WISDOM_ONLY" : "");
}

/* Collective: whether all ranks have rank 0's text. */
static bool agree_on_text(const weft_problem *problem, const char *mine)
{
    weft_common_text first;
    weft_broadcast_text(problem->comm, mine, &first);
    const bool same =
        first.text && (strcmp(first.text, mine) == 0 ||
                       weft_error("ranks ask for different things: rank 0 for %s, rank %d for %s",
                                  first.text, problem->rank, mine));
    weft_common_text_free(&first);
    return weft_agree(problem->comm, same);
}

/* Collective: returns whether the problem is valid on all ranks and all ranks ask for the same. One
 * comparison of digests answers in most cases; only if they differ, further calls find out what
 * differs. Sets `device`, and sets `in_place` if the input is the output on any rank. */
static bool agree_on_problem(const weft_request *request, weft_problem *problem, bool valid)
{
    MPI_Comm comm = request->comm;
    char asked[ASKED_TEXT];
    uint64_t digest[3] = {0}; /* of the text, and of the distributions */
    bool any[2] = {valid && is_one(problem), valid && place_concerns(problem)};
    if (valid) {
        write_asked(problem, asked);
        digest[0] = weft_digest_bytes(asked, strlen(asked));
        digest[1] = weft_layout_digest(&problem->from.layout);
        digest[2] = weft_layout_digest(&problem->to.layout);
    }
    if (weft_agree_both(comm, valid, digest, sizeof digest, "what is asked for", any)) {
        problem->in_place = any[0];
        return !any[1] || place_agreed(request->function, problem);
    }
    if (weft_agree(comm, valid) && agree_on_text(problem, asked))
        weft_agree_same(comm, &digest[1], 2 * sizeof *digest,
                        "the distribution of the input or of the output");
    return false;
}

static FFTW(plan) planned_by(const weft_request *request, int rank, int ranks)
{
    WEFT_ERRORS_ARE_FATAL(request->comm);
    weft_problem problem;
    weft_callback callback = {0};
    const bool valid =
        weft_request_valid(request, rank, ranks, &problem) &&
        (request->asked != WEFT_ASK_OPERATOR || weft_operator_make(request, &problem, &callback));
    weft_plan *plan = NULL;
    if (agree_on_problem(request, &problem, valid)) {
        problem.callback = callback.apply ? &callback : NULL;
        problem.threads = weft_planner_threads();
        weft_problem_write(&problem); /* again: the ranks have agreed on `in_place` */
        weft_problem_record(&problem, WEFT_PRECISION);
        plan = weft_plan_make(&problem);
    }
    if (!plan) {
        if (callback.owned)
            free(callback.data);
        return NULL;
    }
    FFTW(plan) handle = weft_handle_create(plan);
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
    set_up();
    if (weft_comm_usable_on_all(request->function, request->comm, &rank, &ranks)) {
        introduce(request->comm);
        plan = planned_by(request, rank, ranks);
    }
    return weft_or_error(plan, request->comm);
}

bool weft_grid_given(const char *function, const struct weft_grid_s *grid)
{
    return grid || weft_error("%s: the grid is NULL", function);
}

FFTW(plan) weft_grid_planned(weft_grid grid, weft_request request)
{
    static const weft_process_grid slabs = {1, {0}, 0};
    weft_error_clear();
    if (request.asked != WEFT_ASK_OPERATOR && !weft_grid_given(request.function, grid))
        return weft_or_error(NULL, MPI_COMM_NULL);
    request.comm = grid ? grid->comm : request.comm;
    request.flags |= !grid ? WEFT_FFTW_BLOCKS : grid->rows ? WEFT_ROWS : 0;
    request.process_grid = grid ? &grid->process_grid : &slabs;
    return weft_make_plan(&request);
}
