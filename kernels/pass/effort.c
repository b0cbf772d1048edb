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
    return kind < WEFT_R2HC && weft_fft_first_will_do(sweep->flags & FFTW_WISDOM_ONLY);
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
 * numbers, and longer beyond: then the arrays should be large.
 */
static const unsigned patient_where_it_pays =
    FFTW_PATIENT | FFTW_NO_RANK_SPLITS | FFTW_NO_VRANK_SPLITS | FFTW_NO_NONTHREADED |
    FFTW_NO_DFT_R2HC | FFTW_NO_FIXED_RADIX_LARGE_N | FFTW_BELIEVE_PCOST;
enum { LONG_LINE = 256, LARGE = 64 << 20 };

static bool only_small_factors(ptrdiff_t length)
{
    for (int factor = 2; factor <= 7; factor++)
        while (length % factor == 0)
            length /= factor;
    return length == 1;
}

/* Of real kinds, and of large primes, there is more to try than it is worth, of lines that lie
 * along already little. */
static bool patience_pays(const weft_sweep *sweep, const weft_group *group)
{
    const bool large = weft_side_bytes(&sweep->source) >= LARGE;
    const bool along = sweep->turned && sweep->groups > 1 && group == sweep->group;
    bool pays = group->kind < WEFT_R2HC && !along;
    for (int k = 0; k < group->axes && pays; k++) {
        const ptrdiff_t length = sweep->size[group->axis[k]];
        pays = only_small_factors(length) && (length <= LONG_LINE || large);
    }
    return pays;
}

unsigned weft_fft_effort(const weft_sweep *sweep, const weft_group *group, bool seldom)
{
    const unsigned flags = seldom ? FFTW_ESTIMATE : rigor(sweep);
    if (flags & (FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE))
        return flags;
    if (!sweep->choice.quick)
        return flags | FFTW_NO_INDIRECT_OP |
               (patience_pays(sweep, group) ? patient_where_it_pays : 0);
    return flags | (pruned_well(sweep, group->kind)
                        ? FFTW_ALLOW_PRUNING
                        : FFTW_NO_INDIRECT_OP | FFTW_NO_BUFFERING | FFTW_NO_RANK_SPLITS);
}
