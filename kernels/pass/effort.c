/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses FFTW's planning flags, and with them how much planning the plans of a tile are worth.
 *
 * FFTW_MEASURE times many algorithms, some of which are hardly ever the fastest. For 20 transforms
 * of tiles, 64 to 1000 points long, plans without FFTW's indirect algorithms were on average as
 * fast, and took half the planning time. Quick plans leave out more: pruned plans were mostly
 * within a sixth of the best after a 20th of the planning time, except on processors where FFTW's
 * first plans are slow (weft_effort_first_plan_is_good). Among real kinds this is true for r2c and
 * c2r only.
 */
#include <stdatomic.h>
#include "kernels/base/clock.h"
#include "kernels/pass/libfftw3.h"
#include "kernels/pass/sweep.h"

static bool is_pruned(const weft_pass_sweep *sweep, weft_kind kind)
{
    return !weft_kind_is_r2r(kind) && !sweep->variant.unpruned;
}

bool weft_effort_is_pruned(const weft_pass_sweep *sweep)
{
    for (int g = 0; g < sweep->groups; g++)
        if (!is_pruned(sweep, sweep->group[g].kind))
            return false;
    return true;
}

/* The rigor of a sweep. With WISDOM_ONLY, FFTW finds a measured plan only if the other flags are
 * the same as when the plan was measured. */
static unsigned rigor(const weft_pass_sweep *sweep)
{
    if (sweep->variant.estimated)
        return FFTW_ESTIMATE;
    return sweep->spec->fftw_flags & FFTW_WISDOM_ONLY ? sweep->spec->fftw_flags & ~FFTW_ESTIMATE
                                                      : sweep->spec->fftw_flags;
}

bool weft_effort_is_estimate(const weft_pass_sweep *sweep)
{
    return rigor(sweep) & FFTW_ESTIMATE;
}

/*
 * These flags keep those algorithms of FFTW_PATIENT beyond FFTW_MEASURE that were ever faster: many
 * lines step by step, and transforms through buffers. Lines of 48, 90, 100, 120, 256, 512, 1024
 * numbers in tiles take (ns per number) 1.17, 1.50, 1.39, 1.39, 1.38, 1.53, 1.93, the same as with
 * all of FFTW_PATIENT in a quarter of its planning time, and 1.40, 1.85, 1.62, 1.59, 1.70, 2.31,
 * 2.31 with FFTW_MEASURE. Planning takes 0.1 to 0.3 s up to 256 numbers and longer beyond, so
 * arrays must have at least MIDDLING or LARGE bytes.
 */
#define PATIENT_WHERE_IT_PAYS                                                                      \
    (FFTW_PATIENT | FFTW_NO_RANK_SPLITS | FFTW_NO_VRANK_SPLITS | FFTW_NO_NONTHREADED |             \
     FFTW_NO_DFT_R2HC | FFTW_NO_FIXED_RADIX_LARGE_N | FFTW_BELIEVE_PCOST)
enum { LONG_LINE = 256, MIDDLING = 16 << 20, LARGE = 64 << 20 };

/*
 * The same flags with pruning, for lines from one buffer to another: FFTW then still transforms
 * many lines step by step. Planning lines of 100, 256, 1000 numbers that become contiguous takes
 * 0.4 to 6 ms and gives 1.47, 1.78, 3.19 ns per number. Estimating the same takes 0.05 to 0.5 ms
 * and gives 1.45, 2.08, 3.05; FFTW_ESTIMATE's plans, line by line, give 1.65, 2.83, 3.67; the flags
 * above plan for 24 to 220 ms and give 1.39, 1.60, 2.08. In place, pruned plans can be four times
 * as slow.
 */
#define STEP_BY_STEP (PATIENT_WHERE_IT_PAYS | FFTW_ALLOW_PRUNING)

/* Whether a group consists of the axis of r2c or c2r alone, transformed by FFTW's real transform.
 * Plans without pruning are then up to 1.6 times as fast, and FFTW_PATIENT finds no faster ones. */
static bool rows_alone(const weft_group *group)
{
    return weft_kind_is_halving(group->kind) && group->axes == 1 && !group->in_halves;
}

static bool only_small_factors(ptrdiff_t length)
{
    for (int factor = 2; factor <= 7; factor++)
        while (length % factor == 0)
            length /= factor;
    return length == 1;
}

/* Whether a group's lines go from one buffer to another because this is faster when measured, not
 * only because FFTW estimates it to be faster. */
static bool step_by_step(const weft_pass_sweep *sweep, const weft_group *group)
{
    return (sweep->turned || sweep->middle) && group == &sweep->group[sweep->apart];
}

/* Whether FFTW_PATIENT pays for a group. It does not for real kinds and large primes, which have
 * too many algorithms to try, nor for lines that are already contiguous, which have few. */
static bool patience_pays(const weft_pass_sweep *sweep, const weft_group *group)
{
    const double bytes = weft_side_bytes(sweep->source);
    bool pays = !weft_kind_is_r2r(group->kind) && bytes >= MIDDLING &&
                (!sweep->turned || step_by_step(sweep, group));
    for (int k = 0; k < group->axes && pays; k++) {
        const ptrdiff_t length = sweep->size[group->axis[k]];
        pays = only_small_factors(length) && (length <= LONG_LINE || bytes >= LARGE);
    }
    return pays;
}

/* The flags for MEASURE, with quick planning or with all the effort that pays. */
static unsigned measured(const weft_pass_sweep *sweep, const weft_group *group, bool quick)
{
    if (rows_alone(group))
        return FFTW_NO_INDIRECT_OP | FFTW_NO_BUFFERING | FFTW_NO_RANK_SPLITS;
    if (!quick && patience_pays(sweep, group))
        return FFTW_NO_INDIRECT_OP | PATIENT_WHERE_IT_PAYS;
    if (step_by_step(sweep, group)) /* plans line by line are no better */
        return STEP_BY_STEP;
    if (!quick)
        return FFTW_NO_INDIRECT_OP;
    return is_pruned(sweep, group->kind)
               ? FFTW_ALLOW_PRUNING
               : FFTW_NO_INDIRECT_OP | FFTW_NO_BUFFERING | FFTW_NO_RANK_SPLITS;
}

unsigned weft_effort_flags(const weft_pass_sweep *sweep, const weft_group *group, bool seldom)
{
    const unsigned flags = seldom ? FFTW_ESTIMATE : rigor(sweep);
    if ((flags & FFTW_ESTIMATE) && step_by_step(sweep, group))
        return (flags & ~FFTW_ESTIMATE) | STEP_BY_STEP | FFTW_ESTIMATE_PATIENT |
               FFTW_NO_INDIRECT_OP;
    if (flags & (FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE))
        return flags;
    return flags | measured(sweep, group, sweep->variant.quick);
}

bool weft_effort_quick_is_full(const weft_pass_sweep *sweep)
{
    for (int g = 0; g < sweep->groups; g++)
        if (measured(sweep, &sweep->group[g], true) != measured(sweep, &sweep->group[g], false))
            return false;
    return true;
}

/*
 * Whether FFTW's first plans are good enough. FFTW_ESTIMATE and FFTW_ALLOW_PRUNING take the first
 * of the plans that seem equally good to them, which is the plan with the widest vectors. Some
 * processors are slow with wide vectors: on an EPYC, rows of 8 to 128 numbers took 2.5 times as
 * long with AVX-512 as with AVX. Weft times this once per process, on rows of 16, for which FFTW
 * has few other plans. This takes 0.7 to 1.2 ms; rows of 64 give the same answer in 6 to 12 ms.
 */

/* The two plans have different numbers of rows, so that FFTW does not find one in the wisdom of the
 * other. Both are multiples of the widest vectors, which FFTW uses for multiples only. */
enum { LENGTH = 16, ROWS = 64, MORE_ROWS = 80, RUNS = 9, TOGETHER = 8 };
/* The first plan is good enough if its time is below this multiple of the timed plan's time. */
static const double CLOSE = 1.25;

static FFTW(plan) plan_of(int rows, FFTW(complex) * memory, unsigned flags)
{
    const int length = LENGTH;
    return FFTW(plan_many_dft)(1, &length, rows, memory, NULL, 1, LENGTH,
                               memory + LENGTH * MORE_ROWS, NULL, 1, LENGTH, FFTW_FORWARD,
                               flags | FFTW_DESTROY_INPUT);
}

/* Runs a plan a few times. Returns the shorter of its time and `least`. */
static double run_plan(const FFTW(plan) plan, double least)
{
    const double begin = weft_clock();
    for (int i = 0; i < TOGETHER; i++)
        FFTW(execute)(plan);
    const double time = weft_clock() - begin;
    return time < least ? time : least;
}

static bool first_is_close(const FFTW(plan) first, const FFTW(plan) timed)
{
    double least[2] = {1, 1};
    for (int i = 0; i < RUNS; i++) {
        least[0] = run_plan(first, least[0]);
        least[1] = run_plan(timed, least[1]);
    }
    return least[0] / MORE_ROWS <= CLOSE * least[1] / ROWS;
}

static bool time_both(void)
{
    bool close = true;
    const int numbers = 2 * LENGTH * MORE_ROWS;
    FFTW(complex) *memory = FFTW(malloc)(sizeof *memory * (size_t)numbers);
    if (!memory)
        return close;
    weft_planner_one_thread(-1);
    FFTW(plan) first = plan_of(MORE_ROWS, memory, FFTW_ALLOW_PRUNING);
    FFTW(plan) timed = plan_of(ROWS, memory, FFTW_NO_INDIRECT_OP);
    weft_planner_restore();
    for (int i = 0; i < numbers; i++)
        memory[i][0] = memory[i][1] = 0;
    close = !first || !timed || first_is_close(first, timed);
    FFTW(destroy_plan)(first);
    FFTW(destroy_plan)(timed);
    FFTW(free)(memory);
    return close;
}

static atomic_int known; /* 1: first plans are good enough; -1: they are not; 0: not known yet */

void weft_effort_set_first_plan_is_good(bool will_do)
{
    atomic_store_explicit(&known, will_do ? 1 : -1, memory_order_relaxed);
}

bool weft_effort_first_plan_is_good(bool may_time)
{
    if (may_time && !atomic_load_explicit(&known, memory_order_relaxed))
        weft_effort_set_first_plan_is_good(time_both());
    return atomic_load_explicit(&known, memory_order_relaxed) >= 0; /* not known yet: good */
}
