/* SPDX-License-Identifier: BSD-3-Clause */
/* Without memory for what takes the lock nothing is done. */
#include "planner/wisdom/serial.h"
#include "kernels/pass/libfftw3.h"

typedef struct {
    const char *from;
    bool forget, done;
    char *to;
} work;

static void export(void *argument)
{
    work *it = argument;
    it->to = FFTW(export_wisdom_to_string)();
}

static void import(void *argument)
{
    work *it = argument;
    if (it->forget)
        FFTW(forget_wisdom)();
    it->done = FFTW(import_wisdom_from_string)(it->from);
}

char *weft_serial_export(void)
{
    work it = {0};
    weft_planner_locked(export, &it);
    return it.to;
}

bool weft_serial_import(const char *text)
{
    work it = {.from = text};
    weft_planner_locked(import, &it);
    return it.done;
}

bool weft_serial_replace(const char *text)
{
    work it = {.from = text, .forget = true};
    weft_planner_locked(import, &it);
    return it.done;
}
