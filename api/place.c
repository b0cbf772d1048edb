/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays of a plan lie all in memory of the host, or all on devices, each rank's on that which is
 * current there. An array of NULL, and any array of a rank that holds nothing of it, lies where the
 * others do.
 */
#include "api/place.h"

#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "kernels/device/load.h"

/* Nobody's, like an array without numbers. */
enum { NOWHERE = -3 };

static int place_of(const weft_problem *problem, bool output)
{
    const void *array = output ? problem->out : problem->in;
    const weft_holding *side = output ? &problem->to : &problem->from;
    if (!array || problem->howmany == 0 || weft_numbers_held(side, problem->rank) == 0)
        return NOWHERE;
    return weft_device_where(array);
}

bool weft_place_concerns(const weft_problem *problem)
{
    const int in = place_of(problem, false), out = place_of(problem, true);
    return (in != NOWHERE && in != WEFT_DEVICE_HOST) || (out != NOWHERE && out != WEFT_DEVICE_HOST);
}

/* This rank's place, of its two arrays. False and an error: they cannot be used together. */
static bool find_place(const char *function, const weft_problem *problem, int *place)
{
    const int in = place_of(problem, false), out = place_of(problem, true);
    *place = in == NOWHERE ? out : in;
    if (in == WEFT_DEVICE_UNKNOWN || out == WEFT_DEVICE_UNKNOWN)
        return false; /* why has been said */
    if (in != NOWHERE && out != NOWHERE && in != out) {
        if (in == WEFT_DEVICE_HOST || out == WEFT_DEVICE_HOST)
            weft_error("%s: the %s lies on a device, the %s in memory of the host", function,
                       in == WEFT_DEVICE_HOST ? "output" : "input",
                       in == WEFT_DEVICE_HOST ? "input" : "output");
        else
            weft_error("%s: the input lies on device %d, the output on device %d", function, in,
                       out);
        return false;
    }
    const weft_device_library *library = *place >= 0 ? weft_device_load() : NULL;
    if (*place >= 0 && library && library->current() != *place) {
        weft_error("%s: the arrays lie on device %d, but device %d is current", function, *place,
                   library->current());
        return false;
    }
    return *place < 0 || library;
}

/* On all ranks that have a place. */
static bool all_on_devices(const char *function, const weft_problem *problem, int place)
{
    double host = place == WEFT_DEVICE_HOST;
    if (weft_agree_max(problem->comm, host) <= 0)
        return true;
    weft_error("%s: arrays of some ranks lie on a device, those of others in memory of the host",
               function);
    return false;
}

/* Whether devices do it at all; the same on all ranks. */
static bool can_be_done(const char *function, const weft_problem *problem)
{
    for (int axis = 0; axis < problem->axes; axis++) {
        if (problem->kind[axis] >= WEFT_R2HC) {
            weft_error("%s: there are no r2r transforms on a device", function);
            return false;
        }
        if (problem->modes[axis] && problem->modes[axis] != problem->size[axis]) {
            weft_error("%s: on a device a spectrum has as many modes as the grid has points",
                       function);
            return false;
        }
    }
    return true;
}

/* The device of a rank whose arrays do not say it. */
static int current(void)
{
    const weft_device_library *library = weft_device_load();
    if (!library)
        return WEFT_DEVICE_UNKNOWN;
    if (library->current() < 0)
        weft_error("there is no device on this rank, but others have their arrays on one");
    return library->current();
}

bool weft_place_agreed(const char *function, weft_problem *problem)
{
    int place;
    if (!weft_agree(problem->comm, find_place(function, problem, &place)) ||
        !all_on_devices(function, problem, place) || !can_be_done(function, problem))
        return false;
    const int number = place == NOWHERE ? current() : place;
    problem->device = number < 0 ? NULL : weft_device_open(number);
    problem->flags &= ~(unsigned)FFTW_CONSERVE_MEMORY; /* a device has one way */
    if (weft_agree(problem->comm, problem->device))
        return true;
    weft_device_close(problem->device);
    problem->device = NULL;
    return false;
}
