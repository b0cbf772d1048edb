/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of what planning tried. */
#include <stdarg.h>
#include <stdio.h>
#include "planner/search/trials.h"

weft_trial *weft_trials_add(weft_trials *trials, double model, const char *format, ...)
{
    va_list arguments;
    if (trials->count == WEFT_MAX_TRIALS)
        return NULL;
    weft_trial *trial = &trials->trial[trials->count++];
    *trial = (weft_trial){.model = model, .seconds = -1, .outcome = WEFT_UNTRIED};
    va_start(arguments, format);
    vsnprintf(trial->what, sizeof trial->what, format, arguments);
    va_end(arguments);
    return trial;
}

void weft_trial_enter(weft_trial *trial, const weft_result *result, int i)
{
    if (!trial)
        return;
    trial->runs = result->runs[i];
    trial->seconds = result->seconds[i];
    if (i == result->best)
        trial->outcome = WEFT_CHOSEN;
    else if (result->dropped[i])
        trial->outcome = result->seconds[i] < 0 ? WEFT_FAILED : WEFT_DROPPED;
    else if (result->runs[i] > 0)
        trial->outcome = WEFT_SLOWER;
}

const char *weft_outcome_name(weft_outcome outcome)
{
    static const char *const name[] = {"untried", "slower", "dropped", "failed", "chosen"};
    return name[outcome];
}
