/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether the first way that FFTW finds will do. FFTW_ESTIMATE and FFTW_ALLOW_PRUNING take it among
 * those that seem alike to them: that of the widest vectors. Some processors are slow with these:
 * on an EPYC rows of 8 to 128 numbers took 2.5 times as long with AVX-512 as with AVX, in strides
 * as long. It is timed once a process, on rows of 16, for which FFTW has few other ways: with rows
 * of 64, which say the same there (2.7 times and 2.1), that took 6 to 12 ms, a quarter of all
 * planning of 64^3, in place of 0.7 and 1.2.
 */
#include <stdatomic.h>
#include "kernels/base/clock.h"
#include "kernels/pass/fft.h"
#include "kernels/pass/planner.h"

/* The one has more rows than the other, which FFTW's wisdom would be taken from otherwise: as many
 * as the widest vectors take, for FFTW has these for multiples only. */
enum { LENGTH = 16, ROWS = 64, MORE_ROWS = 80, RUNS = 9, TOGETHER = 8 };
/* Of the time of a way that was timed against others. */
static const double CLOSE = 1.25;

static FFTW(plan) plan_of(int rows, FFTW(complex) * memory, unsigned flags)
{
    const int length = LENGTH;
    return FFTW(plan_many_dft)(1, &length, rows, memory, NULL, 1, LENGTH,
                               memory + LENGTH * MORE_ROWS, NULL, 1, LENGTH, FFTW_FORWARD,
                               flags | FFTW_DESTROY_INPUT);
}

/* The shorter of two times, that of a few runs more. */
static double run(const FFTW(plan) plan, double least)
{
    const double begin = weft_clock();
    for (int i = 0; i < TOGETHER; i++)
        FFTW(execute)(plan);
    const double time = weft_clock() - begin;
    return time < least ? time : least;
}

static bool compare(const FFTW(plan) first, const FFTW(plan) timed)
{
    double least[2] = {1, 1};
    for (int i = 0; i < RUNS; i++) {
        least[0] = run(first, least[0]);
        least[1] = run(timed, least[1]);
    }
    return least[0] / MORE_ROWS <= CLOSE * least[1] / ROWS;
}

static bool try_both(void)
{
    bool close = true;
    const int numbers = 2 * LENGTH * MORE_ROWS;
    FFTW(complex) *memory = FFTW(malloc)(sizeof *memory * (size_t)numbers);
    if (!memory)
        return close;
    const int threads = weft_planner_threads_off();
    FFTW(plan) first = plan_of(MORE_ROWS, memory, FFTW_ALLOW_PRUNING);
    FFTW(plan) timed = plan_of(ROWS, memory, FFTW_NO_INDIRECT_OP);
    weft_planner_threads_on(threads);
    for (int i = 0; i < numbers; i++)
        memory[i][0] = memory[i][1] = 0;
    close = !first || !timed || compare(first, timed);
    FFTW(destroy_plan)(first);
    FFTW(destroy_plan)(timed);
    FFTW(free)(memory);
    return close;
}

static atomic_int known; /* 0: not yet; 1: it will do; -1: it will not */

void weft_fft_first_tell(bool will_do)
{
    atomic_store_explicit(&known, will_do ? 1 : -1, memory_order_relaxed);
}

bool weft_fft_first_will_do(bool now)
{
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (!answer && now)
        return true;
    if (answer)
        return answer > 0;
    const bool will_do = try_both();
    weft_fft_first_tell(will_do);
    return will_do;
}
