/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/search/laps.h"
#include "backends/exchange/agreement.h"
#include "kernels/base/clock.h"

/* Shorter runs are timed a few times in a lap: a machine that is busy disturbs some of them. */
static const double short_run = 5e-3;
enum { SAMPLES = 3, MOST_TIMES = 50 };

/* Seconds of a run, the slowest rank's, and what has been spent on planning. */
static weft_lap timed(const weft_laps *laps, int candidate)
{
    const weft_search *search = laps->search;
    double time[SAMPLES + 1] = {0};
    const int samples = laps->long_runs[candidate] ? 1 : SAMPLES;
    for (int sample = 0; sample < samples; sample++) {
        MPI_Barrier(search->comm);
        const double begin = weft_clock();
        for (int run = 0; run < laps->times[candidate]; run++)
            laps->run(laps->context, candidate);
        time[sample] = (weft_clock() - begin) / laps->times[candidate];
    }
    time[samples] = weft_clock() - search->begin;
    weft_agree_max_all(search->comm, time, samples + 1);
    double least = time[0];
    for (int sample = 1; sample < samples; sample++)
        least = time[sample] < least ? time[sample] : least;
    return (weft_lap){least, time[samples]};
}

/* One run out of the race tells how many are a lap. */
static void first_run(weft_laps *laps, int candidate)
{
    laps->times[candidate] = 1;
    laps->long_runs[candidate] = true;
    const double once = timed(laps, candidate).seconds;
    laps->long_runs[candidate] = once > short_run;
    if (once * MOST_TIMES < laps->enough)
        laps->times[candidate] = MOST_TIMES;
    else if (once < laps->enough)
        laps->times[candidate] = (int)(laps->enough / once) + 1;
}

weft_lap weft_laps_time(weft_laps *laps, int candidate)
{
    if (laps->times[candidate] == 0)
        first_run(laps, candidate);
    return timed(laps, candidate);
}
