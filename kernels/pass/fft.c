/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making FFTW plans for tiles. A plan is made once, on scratch memory that reaches as far as the
 * tile does in the real arrays (only what FFTW touches while it measures ever becomes memory), and
 * is then executed on the arrays of each run.
 */
#include "kernels/pass/sweep.h"

#include <stdint.h>
#include <sys/mman.h>
#include "kernels/base/error.h"

extern int FFTW(planner_nthreads)(void) __attribute__((weak));
extern void FFTW(plan_with_nthreads)(int) __attribute__((weak));

int weft_pass_threads_off(void)
{
    int threads = 1;
    if (FFTW(planner_nthreads) && FFTW(plan_with_nthreads)) {
        threads = FFTW(planner_nthreads)();
        if (threads > 1)
            FFTW(plan_with_nthreads)(1);
    }
    return threads;
}

void weft_pass_threads_restore(int threads)
{
    if (threads > 1)
        FFTW(plan_with_nthreads)(threads);
}

/* Addresses for a box, and where its first index lies in them. */
typedef struct {
    char *base, *first;
    size_t bytes;
} addresses;

static bool range_make(addresses *range, int axes, const ptrdiff_t *count, const ptrdiff_t *stride,
                       size_t element)
{
    ptrdiff_t lowest, highest;
    weft_box_reach(axes, count, stride, &lowest, &highest);
    range->bytes = ((size_t)(highest - lowest) + 2) * element + 64;
    range->base = mmap(NULL, range->bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range->base == MAP_FAILED)
        return false;
    size_t before = (size_t)-lowest * element;
    range->first = range->base + before + (64 - before % 64) % 64;
    return true;
}

typedef struct {
    int rank, many;
    FFTW(iodim64) dim[WEFT_MAX_AXES], loop[WEFT_MAX_AXES];
    FFTW(r2r_kind) kind[WEFT_MAX_AXES];
} fft_dims;

static FFTW(r2r_kind) r2r_kind(weft_kind kind)
{
    static const FFTW(r2r_kind) kinds[] = {
        FFTW_R2HC,    FFTW_HC2R,    FFTW_DHT,     FFTW_REDFT00, FFTW_REDFT01, FFTW_REDFT10,
        FFTW_REDFT11, FFTW_RODFT00, FFTW_RODFT01, FFTW_RODFT10, FFTW_RODFT11,
    };
    return kind >= WEFT_R2HC ? kinds[kind - WEFT_R2HC] : FFTW_R2HC;
}

static void describe(const weft_fft *fft, fft_dims *dims)
{
    const weft_sweep *sweep = fft->sweep;
    bool transformed[WEFT_MAX_AXES] = {false};
    dims->rank = fft->group->axes;
    dims->many = 0;
    for (int k = 0; k < fft->group->axes; k++) {
        int a = fft->group->axis[k];
        transformed[a] = true;
        dims->dim[k] = (FFTW(iodim64)){sweep->size[a], fft->from_stride[a], fft->to_stride[a]};
        dims->kind[k] = r2r_kind(sweep->kind[a]);
    }
    for (int a = 0; a < sweep->axes && !fft->group->in_rows; a++)
        if (!transformed[a] && fft->count_before[a] > 1)
            dims->loop[dims->many++] =
                (FFTW(iodim64)){fft->count_before[a], fft->from_stride[a], fft->to_stride[a]};
}

static FFTW(plan)
    plan_with(const weft_fft *fft, unsigned flags, const fft_dims *dims, void *from, void *to)
{
    switch (fft->group->kind) {
    case WEFT_FORWARD:
    case WEFT_BACKWARD:
        return FFTW(plan_guru64_dft)(
            dims->rank, dims->dim, dims->many, dims->loop, from, to,
            fft->group->kind == WEFT_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD, flags);
    case WEFT_R2C:
        return FFTW(plan_guru64_dft_r2c)(dims->rank, dims->dim, dims->many, dims->loop, from, to,
                                         flags);
    case WEFT_C2R:
        return FFTW(plan_guru64_dft_c2r)(dims->rank, dims->dim, dims->many, dims->loop, from, to,
                                         flags);
    default:
        return FFTW(plan_guru64_r2r)(dims->rank, dims->dim, dims->many, dims->loop, from, to,
                                     dims->kind, flags);
    }
}

/* There may be none without what effort left out. */
static FFTW(plan) plan(const weft_fft *fft, const fft_dims *dims, void *from, void *to)
{
    const unsigned left_out =
        FFTW_NO_INDIRECT_OP | FFTW_NO_BUFFERING | FFTW_NO_RANK_SPLITS | FFTW_ALLOW_PRUNING;
    FFTW(plan) made = plan_with(fft, fft->flags, dims, from, to);
    if (!made && (fft->flags & left_out))
        made = plan_with(fft, fft->flags & ~left_out, dims, from, to);
    return made;
}

size_t weft_pass_element_at(const weft_sweep *sweep, weft_at at)
{
    return at == WEFT_AT_SOURCE || at == WEFT_AT_FIRST ? sweep->source.element
                                                       : sweep->target.element;
}

bool weft_pass_aligned(ptrdiff_t bytes)
{
    return FFTW(alignment_of)((void *)(uintptr_t)bytes) == 0;
}

static bool same_memory(const weft_sweep *sweep, const weft_group *group)
{
    return group->from == group->to ||
           (sweep->in_place && group->from == WEFT_AT_SOURCE && group->to == WEFT_AT_TARGET);
}

FFTW(plan) weft_pass_fft(const weft_fft *fft)
{
    const weft_sweep *sweep = fft->sweep;
    const weft_group *group = fft->group;
    fft_dims dims;
    addresses from, to = {0};
    FFTW(plan) made = NULL;
    describe(fft, &dims);
    size_t from_element = weft_pass_element_at(sweep, group->from),
           to_element = weft_pass_element_at(sweep, group->to);
    bool in_place = same_memory(sweep, group);
    /* In place, real rows may reach a little further than complex ones or the reverse: take both.
     */
    if (!range_make(&from, sweep->axes, fft->count_before, fft->from_stride,
                    in_place ? 2 * from_element : from_element)) {
        weft_error("pass: no addresses to plan in");
        return NULL;
    }
    if (in_place || range_make(&to, sweep->axes, fft->count_after, fft->to_stride, to_element)) {
        int threads = weft_pass_threads_off();
        made = plan(fft, &dims, from.first, in_place ? from.first : to.first);
        weft_pass_threads_restore(threads);
    }
    munmap(from.base, from.bytes);
    if (to.bytes)
        munmap(to.base, to.bytes);
    return made;
}
