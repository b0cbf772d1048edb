/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays to time a sweep on, which reach as far as the real ones. Only what is touched of them ever
 * becomes memory.
 */
#include "kernels/pass/sweep.h"

#include <stdlib.h>
#include <sys/mman.h>
#include "kernels/base/cache.h"

enum { PAGE = 4096 };

/* Widens the range of bytes, relative to the array, that the pieces of a side have in one array. */
static void find_reach(const weft_side *side, int array, ptrdiff_t *lowest, ptrdiff_t *highest)
{
    for (int p = 0; p < side->pieces; p++) {
        const weft_view_piece *piece = &side->piece[p];
        ptrdiff_t count[WEFT_MAX_AXES], low, high, element = (ptrdiff_t)side->element;
        if (piece->array != array)
            continue;
        for (int a = 0; a < side->axes; a++)
            count[a] = a == side->axis ? piece->count : side->count[a];
        weft_box_reach(side->axes, count, piece->stride, &low, &high);
        low = (low + piece->offset) * element;
        high = (high + piece->offset + 1) * element;
        *lowest = low < *lowest ? low : *lowest;
        *highest = high > *highest ? high : *highest;
    }
}

/* Memory that is not there yet, on such pages as the system gives to arrays. NULL: there is none.
 */
static char *zeros(size_t bytes)
{
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return base == MAP_FAILED ? NULL : base;
}

static bool map(weft_scratch *scratch, int s, int array, ptrdiff_t lowest, ptrdiff_t highest)
{
    size_t before = ((size_t)-lowest + PAGE - 1) / PAGE * PAGE;
    size_t bytes = before + (size_t)highest + PAGE;
    char *base = zeros(bytes);
    if (!base)
        return false;
    scratch->mapped[s][array].base = base;
    scratch->mapped[s][array].bytes = bytes;
    scratch->array[s][array] = base + before;
    return true;
}

bool weft_pass_scratch_make(weft_scratch *scratch, const weft_sweep *sweep)
{
    const weft_side *sides[] = {&sweep->source, &sweep->target};
    *scratch = (weft_scratch){.sides = sweep->in_place ? 1 : 2};
    for (int s = 0; s < scratch->sides; s++) {
        int arrays = sides[s]->arrays;
        if (sweep->in_place && arrays < sides[1]->arrays)
            arrays = sides[1]->arrays;
        scratch->arrays[s] = arrays;
        scratch->array[s] = calloc((size_t)arrays, sizeof *scratch->array[s]);
        scratch->mapped[s] = calloc((size_t)arrays, sizeof *scratch->mapped[s]);
        bool made = scratch->array[s] && scratch->mapped[s];
        for (int k = 0; made && k < arrays; k++) {
            ptrdiff_t lowest = 0, highest = 0;
            find_reach(sides[s], k, &lowest, &highest);
            if (sweep->in_place)
                find_reach(sides[1], k, &lowest, &highest);
            made = map(scratch, s, k, lowest, highest);
        }
        if (!made) {
            weft_pass_scratch_free(scratch);
            return false;
        }
    }
    return true;
}

void weft_pass_scratch_free(weft_scratch *scratch)
{
    for (int s = 0; s < 2; s++) {
        for (int k = 0; scratch->mapped[s] && k < scratch->arrays[s]; k++)
            if (scratch->mapped[s][k].base)
                munmap(scratch->mapped[s][k].base, scratch->mapped[s][k].bytes);
        free(scratch->mapped[s]);
        free(scratch->array[s]);
    }
    free(scratch->buffers);
    if (scratch->other)
        munmap(scratch->other, scratch->other_bytes);
    *scratch = (weft_scratch){0};
}

/* Room for the tiles' buffers. */
bool weft_pass_scratch_buffers(weft_scratch *scratch, size_t bytes)
{
    if (scratch->buffers_bytes >= bytes)
        return true;
    free(scratch->buffers);
    scratch->buffers_bytes = (bytes + WEFT_LINE - 1) / WEFT_LINE * WEFT_LINE;
    scratch->buffers = aligned_alloc(WEFT_LINE, scratch->buffers_bytes);
    if (!scratch->buffers)
        scratch->buffers_bytes = 0;
    return scratch->buffers != NULL;
}

/* Reads as much as this core's part of the last cache holds, that nothing else be left there. */
void weft_pass_scratch_fill_caches(weft_scratch *scratch, size_t bytes)
{
    if (!scratch->other) {
        scratch->other = zeros(bytes);
        scratch->other_bytes = bytes;
        /* pages that were never written to would all be the same memory */
        for (size_t i = 0; scratch->other && i < bytes; i += PAGE)
            *(volatile char *)(scratch->other + i) = 1;
    }
    for (size_t i = 0; scratch->other && i < bytes; i += WEFT_LINE)
        (void)*(volatile char *)(scratch->other + i);
}
