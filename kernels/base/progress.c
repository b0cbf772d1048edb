/* SPDX-License-Identifier: BSD-3-Clause */
/* Each thread reports by itself, because several threads may make plans at once. */
#include <stdarg.h>
#include <stdio.h>
#include "kernels/base/clock.h"
#include "kernels/base/progress.h"

static const double now_and_then = 3; /* seconds */

static _Thread_local const char *planned;
static _Thread_local double begun, said;

void weft_progress_begin(const char *name, double begin)
{
    planned = name;
    begun = said = begin;
}

void weft_progress(const char *format, ...)
{
    char text[200];
    va_list arguments;
    const double now = planned ? weft_clock() : 0;
    if (!planned || now - said < now_and_then)
        return;
    said = now;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "weft: planning %s for %.0f s: %s\n", planned, now - begun, text);
}
