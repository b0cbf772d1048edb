/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of FFTW's planning the plans of a tile are worth, as flags. */
#include "kernels/pass/fft.h"

/*
 * FFTW_MEASURE times many ways of which some are hardly ever the best. Of 20 transforms of tiles,
 * 64 to 1000 points long, those without its indirect ones were on average as fast, in half the
 * planning time. `quick` leaves out more: with pruning most were within a sixth of the best in a
 * 20th of the time, where the first way will do. Of real kinds that is so for r2c and c2r, some
 * lengths of which go in rows.
 */
static bool pruned_well(const weft_sweep *sweep, weft_kind kind)
{
    return kind < WEFT_R2HC && !sweep->choice.unpruned;
}

bool weft_fft_pruned_well(const weft_sweep *sweep)
{
    for (int g = 0; g < sweep->groups; g++)
        if (!pruned_well(sweep, sweep->group[g].kind))
            return false;
    return true;
}

/* FFTW's flags for a sweep; with WISDOM_ONLY it finds what was measured when asked as it was then.
 */
static unsigned rigor(const weft_sweep *sweep)
{
    if (sweep->choice.estimated)
        return FFTW_ESTIMATE;
    return sweep->flags & FFTW_WISDOM_ONLY ? sweep->flags & ~FFTW_ESTIMATE : sweep->flags;
}

bool weft_fft_is_estimated(const weft_sweep *sweep)
{
    return rigor(sweep) & FFTW_ESTIMATE;
}

bool weft_fft_is_quick(const weft_sweep *sweep)
{
    return sweep->choice.quick &&
           !(rigor(sweep) & (FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE));
}

/*
 * What FFTW_PATIENT tries beyond FFTW_MEASURE and was ever better: many lines step by step, and
 * through buffers. Lines of 48, 90, 100, 120, 256, 512, 1024 numbers in tiles take (ns a number)
 * 1.17, 1.50, 1.39, 1.39, 1.38, 1.53, 1.93, as with all of FFTW_PATIENT in four times the time, and
 * 1.40, 1.85, 1.62, 1.59, 1.70, 2.31, 2.31 with FFTW_MEASURE. It plans for 0.1 to 0.3 s up to 256
 * numbers, and longer beyond: the arrays should not be small then, or large.
 */
#define PATIENT_WHERE_IT_PAYS                                                                      \
    (FFTW_PATIENT | FFTW_NO_RANK_SPLITS | FFTW_NO_VRANK_SPLITS | FFTW_NO_NONTHREADED |             \
     FFTW_NO_DFT_R2HC | FFTW_NO_FIXED_RADIX_LARGE_N | FFTW_BELIEVE_PCOST)
enum { LONG_LINE = 256, MIDDLING = 16 << 20, LARGE = 64 << 20 };

/*
 * The same with pruning, of lines from one buffer to another: for little time they are taken step
 * by step at least. Lines of 48, 60, 90, 96, 100, 120, 160, 240, 256, 1000 numbers that come to lie
 * along: 1.09, 1.43, 2.02, 1.30, 1.47, 1.54, 1.50, 1.58, 1.78, 3.19 ns a number in 0.4 to 6 ms, in
 * 0.05 to 0.5 ms if that is estimated 1.01, 1.42, 2.84, 1.31, 1.45, 1.52, 1.56, 1.52, 2.08, 3.05,
 * line by line as FFTW_ESTIMATE has it 1.40, 1.93, 3.43, 1.47, 1.65, 1.69, 1.72, 1.75, 2.83, 3.67,
 * and with all of the above 1.09, 1.22, 1.39, 1.12, 1.39, 1.35, 1.24, 1.33, 1.60, 2.08 in 24 to
 * 220 ms. In place pruning ends with ways that are four times as slow.
 */
#define STEP_BY_STEP (PATIENT_WHERE_IT_PAYS | FFTW_ALLOW_PRUNING)

/* Of r2c and c2r one axis, in FFTW's own way: what is found without pruning is up to 1.6 times as
 * fast, and with patience no faster, in as much time. */
static bool rows_alone(const weft_group *group)
{
    return (group->kind == WEFT_R2C || group->kind == WEFT_C2R) && group->axes == 1 &&
           !group->in_rows;
}

static bool only_small_factors(ptrdiff_t length)
{
    for (int factor = 2; factor <= 7; factor++)
        while (length % factor == 0)
            length /= factor;
    return length == 1;
}

/* Lines from one buffer to another, which FFTW takes step by step at least; not those that are only
 * estimated to be better so. */
static bool step_by_step(const weft_sweep *sweep, const weft_group *group)
{
    return (sweep->turned || sweep->middle) && group == &sweep->group[sweep->apart];
}

/* Of real kinds, and of large primes, there is more to try than it is worth, of lines that lie
 * along already little. */
static bool patience_pays(const weft_sweep *sweep, const weft_group *group)
{
    const double bytes = weft_side_bytes(&sweep->source);
    bool pays = group->kind < WEFT_R2HC && bytes >= MIDDLING &&
                (!sweep->turned || step_by_step(sweep, group));
    for (int k = 0; k < group->axes && pays; k++) {
        const ptrdiff_t length = sweep->size[group->axis[k]];
        pays = only_small_factors(length) && (length <= LONG_LINE || bytes >= LARGE);
    }
    return pays;
}

/* With MEASURE, quickly or with all the effort that is worth it. */
static unsigned measured(const weft_sweep *sweep, const weft_group *group, bool quick)
{
    if (rows_alone(group))
        return FFTW_NO_INDIRECT_OP | FFTW_NO_BUFFERING | FFTW_NO_RANK_SPLITS;
    if (!quick && patience_pays(sweep, group))
        return FFTW_NO_INDIRECT_OP | PATIENT_WHERE_IT_PAYS;
    if (step_by_step(sweep, group)) /* what is found line by line is no better */
        return STEP_BY_STEP;
    if (!quick)
        return FFTW_NO_INDIRECT_OP;
    return pruned_well(sweep, group->kind)
               ? FFTW_ALLOW_PRUNING
               : FFTW_NO_INDIRECT_OP | FFTW_NO_BUFFERING | FFTW_NO_RANK_SPLITS;
}

unsigned weft_fft_effort(const weft_sweep *sweep, const weft_group *group, bool seldom)
{
    const unsigned flags = seldom ? FFTW_ESTIMATE : rigor(sweep);
    if ((flags & FFTW_ESTIMATE) && step_by_step(sweep, group))
        return (flags & ~FFTW_ESTIMATE) | STEP_BY_STEP | FFTW_ESTIMATE_PATIENT |
               FFTW_NO_INDIRECT_OP;
    if (flags & (FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE))
        return flags;
    return flags | measured(sweep, group, sweep->choice.quick);
}

bool weft_fft_quick_is_all(const weft_sweep *sweep)
{
    for (int g = 0; g < sweep->groups; g++)
        if (measured(sweep, &sweep->group[g], true) != measured(sweep, &sweep->group[g], false))
            return false;
    return true;
}
