/* SPDX-License-Identifier: BSD-3-Clause */
/* Stale numbers are 1234; no transform of numbers from -1 to 1 has this value everywhere by chance.
 */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/mpi/arrays.h"
#include "api/weft.h"
#include "tests/mpi/twins.h"

#if defined(WEFT_SINGLE)
#define EPSILON FLT_EPSILON
#elif defined(WEFT_LONG_DOUBLE)
#define EPSILON LDBL_EPSILON
#else
#define EPSILON DBL_EPSILON
#endif

enum { GUARD = 8 };

/* Content of memory that no run should read. */
static const weft_real stale = 1234;

arrays_map arrays_map_of(const arrays_part *part)
{
    arrays_map map = {part->tuple, NULL};
    for (int axis = 0; axis < part->rank; axis++)
        map.slots *= part->stored[axis];
    map.global = malloc(sizeof *map.global * (size_t)(map.slots + 1));
    for (ptrdiff_t slot = 0; slot < map.slots; slot++) {
        ptrdiff_t rest = slot / part->tuple, index[ARRAYS_RANK], place = 0;
        bool padding = false;
        for (int i = part->rank - 1; i >= 0; i--) {
            const int axis = part->order[i];
            const ptrdiff_t at = rest % part->stored[axis] - part->before[axis];
            index[axis] = at + part->start[axis];
            padding |= at < 0 || at >= part->count[axis];
            rest /= part->stored[axis];
        }
        if (part->index_at && !padding)
            index[0] = part->index_at[index[0]];
        for (int axis = 0; axis < part->rank; axis++)
            place = place * part->length[axis] + index[axis];
        map.global[slot] = padding ? -1 : place * part->tuple + slot % part->tuple;
    }
    return map;
}

unsigned arrays_random(unsigned *state, unsigned bound)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % bound;
}

weft_real *arrays_fresh(ptrdiff_t numbers, int shift)
{
    weft_real *array = FFTW(malloc)(sizeof *array * (size_t)(numbers + GUARD + shift));
    arrays_spoil(array + shift, numbers + GUARD);
    twins_add(array + shift, sizeof *array * (size_t)(numbers + GUARD));
    return array + shift;
}

weft_real *arrays_shared(ptrdiff_t numbers, MPI_Comm comm)
{
    if (twins_begun())
        return arrays_fresh(numbers, 0);
    weft_real *array = WEFT(alloc_real)(numbers + GUARD, comm);
    arrays_spoil(array, numbers + GUARD);
    return array;
}

void arrays_free(weft_real *array, int shift)
{
    if (array) {
        twins_drop(array);
        WEFT(free)(array - shift);
    }
}

void arrays_spoil(weft_real *array, ptrdiff_t numbers)
{
    for (ptrdiff_t i = 0; i < numbers; i++)
        array[i] = stale;
}

void arrays_fill(weft_real *array, const arrays_map *map, const weft_real *whole)
{
    for (ptrdiff_t slot = 0; slot < map->slots; slot++)
        array[slot] = map->global[slot] < 0 ? stale : whole[map->global[slot]];
}

static bool all_stale(const weft_real *array, ptrdiff_t from, ptrdiff_t until)
{
    for (ptrdiff_t i = from; i < until; i++)
        if (!(array[i] == stale))
            return false;
    return true;
}

bool arrays_untouched(const weft_real *array, ptrdiff_t numbers)
{
    return all_stale(array, 0, numbers + GUARD);
}

bool arrays_guarded(const weft_real *array, ptrdiff_t numbers)
{
    return all_stale(array, numbers, numbers + GUARD);
}

bool arrays_unchanged(const weft_real *array, const arrays_map *map, const weft_real *whole,
                      char *text, size_t capacity)
{
    for (ptrdiff_t slot = 0; slot < map->slots; slot++) {
        const ptrdiff_t place = map->global[slot];
        if (!(array[slot] == (place < 0 ? stale : whole[place]))) {
            snprintf(text, capacity, "the input has changed at number %td", slot);
            return false;
        }
    }
    return true;
}

bool arrays_kept_holes(const weft_real *array, const arrays_map *map, const arrays_map *other)
{
    for (ptrdiff_t slot = 0; slot < map->slots; slot++) {
        const bool others = other && slot < other->slots && other->global[slot] >= 0;
        if (map->global[slot] < 0 && !others && !(array[slot] == stale))
            return false;
    }
    return true;
}

bool arrays_right(const weft_real *array, const arrays_map *map, const weft_real *whole,
                  weft_real largest, char *text, size_t capacity)
{
    const weft_real allowed = 100 * EPSILON * largest;
    for (ptrdiff_t slot = 0; slot < map->slots; slot++) {
        if (map->global[slot] < 0)
            continue;
        const weft_real expected = whole[map->global[slot]], error = array[slot] - expected;
        if (!(error <= allowed && -error <= allowed)) {
            snprintf(text, capacity, "number %td is %.8Lg, not %.8Lg", slot,
                     (long double)array[slot], (long double)expected);
            return false;
        }
    }
    return true;
}
