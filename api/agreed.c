/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks that all ranks ask for the same. One comparison of digests answers in most cases; only if
 * the digests differ, further calls find out which argument differs. Also finds out where the
 * arrays are: either all are in host memory, or all are on devices, those of each rank on its
 * current device. An array that is NULL, or of which a rank has no numbers, counts as being where
 * the others are.
 */
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "kernels/device/load.h"
#include "planner/wisdom/decision.h"
#include "api/request.h"
#include "api/weft.h"

/* the array is NULL or has no numbers */
enum { NOWHERE = -3 };

static int place_of(const weft_problem *problem, bool output)
{
    const void *array = output ? problem->out : problem->in;
    const weft_problem_side *side = output ? &problem->to : &problem->from;
    if (!array || problem->howmany == 0 || weft_local_numbers(side, problem->rank) == 0)
        return NOWHERE;
    return weft_device_where(array);
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
    if (in != NOWHERE && out != NOWHERE && in != out) {
        if (in == WEFT_DEVICE_HOST || out == WEFT_DEVICE_HOST)
            weft_error("%s: the %s is on a device, but the %s is in host memory; both must be in "
                       "the same memory",
                       function, in == WEFT_DEVICE_HOST ? "output" : "input",
                       in == WEFT_DEVICE_HOST ? "input" : "output");
        else
            weft_error("%s: the input is on device %d, but the output is on device %d; both must "
                       "be on the same device",
                       function, in, out);
        return false;
    }
    const weft_device_library *library = *place >= 0 ? weft_device_load() : NULL;
    if (*place >= 0 && library && library->current() != *place)
        return weft_error("%s: the arrays are on device %d, but device %d is current; make the "
                          "device of the arrays current",
                          function, *place, library->current());
    return *place < 0 || library;
}

static bool all_on_devices(const char *function, const weft_problem *problem, int place)
{
    double host = place == WEFT_DEVICE_HOST;
    return weft_agree_max(problem->comm, host) <= 0 ||
           weft_error("%s: some ranks pass arrays on a device, others arrays in host memory; all "
                      "must pass the same kind",
                      function);
}

/* Whether devices can do this transform; the answer is the same on all ranks. */
static bool can_be_done(const char *function, const weft_problem *problem)
{
    for (int axis = 0; axis < problem->axes; axis++) {
        if (problem->kind[axis] >= WEFT_R2HC)
            return weft_error("%s: devices cannot do r2r transforms; use arrays in host memory",
                              function);
        if (problem->modes[axis] && problem->modes[axis] != problem->size[axis])
            return weft_error("%s: on a device the number of modes must be the number of points "
                              "along each axis; use arrays in host memory",
                              function);
    }
    return true;
}

/* The device of a rank without arrays: its current device. */
static int current(void)
{
    const weft_device_library *library = weft_device_load();
    if (!library)
        return WEFT_DEVICE_UNKNOWN;
    if (library->current() < 0)
        weft_error("this rank has no device, but other ranks pass arrays on a device");
    return library->current();
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
    const int number = place == NOWHERE ? current() : place;
    problem->device = number < 0 ? NULL : weft_device_open(number);
    problem->flags &= ~(unsigned)FFTW_CONSERVE_MEMORY; /* without effect on devices */
    if (weft_agree(problem->comm, problem->device))
        return true;
    weft_device_close(problem->device);
    problem->device = NULL;
    return false;
}

enum { NUMBERS = 4 * WEFT_MAX_RANK + 13 };

/* The flags that must be the same on all ranks, besides the planning rigor: some of FFTW's, and all
 * of FFTW-MPI's and of grids. */
#define COUNTING (FFTW_WISDOM_ONLY | FFTW_UNALIGNED | FFTW_CONSERVE_MEMORY | ~WEFT_SERIAL_FLAGS)

typedef struct {
    const char *what;
    int from, until;
} part;

/* Writes the request as a list of numbers, divided into named parts for the error message. */
static int flattened(const weft_request *request, const weft_problem *problem, ptrdiff_t *number,
                     part *parts)
{
    int count = 0, named = 0;
    number[count++] = request->asked;
    number[count++] = problem->axes;
    for (int axis = 0; axis < problem->axes; axis++)
        number[count++] = problem->size[axis];
    parts[named++] = (part){"the size", 0, count};
    number[count++] = problem->howmany;
    parts[named] = (part){"howmany", parts[named - 1].until, count};
    named++;
    number[count++] = weft_layout_block(&problem->from.layout);
    number[count++] = weft_layout_block(&problem->to.layout);
    parts[named] = (part){"a block", parts[named - 1].until, count};
    named++;
    for (int axis = 0; axis < problem->axes; axis++)
        number[count++] = problem->kind[axis];
    parts[named] = (part){"the kind of transform", parts[named - 1].until, count};
    named++;
    for (int axis = 0; axis < problem->axes; axis++)
        number[count++] = problem->modes[axis];
    parts[named] = (part){"the number of modes", parts[named - 1].until, count};
    named++;
    number[count++] = (ptrdiff_t)(problem->flags & COUNTING);
    number[count++] = weft_rigor(problem->flags);
    number[count++] = problem->may_destroy;
    parts[named] = (part){"the value of the flags", parts[named - 1].until, count};
    named++;
    number[count++] = problem->grid.axes;
    for (int g = 0; g < problem->grid.axes; g++)
        number[count++] = problem->grid.extent[g];
    number[count++] = problem->grid.column_major;
    parts[named] = (part){"the process grid", parts[named - 1].until, count};
    named++;
    number[count++] = (ptrdiff_t)weft_layout_digest(&problem->from.layout);
    number[count++] = (ptrdiff_t)weft_layout_digest(&problem->to.layout);
    parts[named] = (part){"what the ranks hold", parts[named - 1].until, count};
    return named + 1;
}

/* Whether the input is the output. Only ranks that have numbers on both sides can tell; rank 0 has,
 * unless the arrays are empty. Two NULL arrays count as the same array, as for FFTW, except with
 * WEFT_UNPADDED, which needs two arrays. */
static bool is_one(const weft_problem *problem)
{
    return weft_local_numbers(&problem->from, problem->rank) > 0 &&
           weft_local_numbers(&problem->to, problem->rank) > 0 && problem->in == problem->out &&
           !(problem->flags & WEFT_UNPADDED);
}

bool weft_agree_on_problem(const weft_request *request, weft_problem *problem, bool valid)
{
    MPI_Comm comm = request->comm;
    ptrdiff_t number[NUMBERS];
    part parts[8];
    const int named = valid ? flattened(request, problem, number, parts) : 0;
    const size_t bytes = named > 0 ? sizeof number[0] * (size_t)parts[named - 1].until : 0;
    bool any[2] = {valid && is_one(problem), valid && place_concerns(problem)};
    if (weft_agree_all(comm, valid, number, bytes, "what is asked for", any)) {
        problem->in_place = any[0];
        return !any[1] || place_agreed(request->function, problem);
    }
    if (!weft_agree(comm, valid))
        return false;
    for (int i = 0; i < named; i++) {
        size_t length = sizeof number[0] * (size_t)(parts[i].until - parts[i].from);
        if (!weft_agree_same(comm, number + parts[i].from, length, parts[i].what))
            break;
    }
    return false;
}
