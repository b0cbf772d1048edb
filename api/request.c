/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checks that slabs and grids have in common. An error names the argument, its value and the
 * allowed values. Weft accepts everything that FFTW-MPI accepts, with two exceptions: numbers that
 * are no r2r kind, which FFTW-MPI treats as R2HC, and more than WEFT_MAX_RANK dimensions.
 */
#include "kernels/base/error.h"
#include "api/request.h"
#include "api/weft.h"

/* The largest size of a number in bytes: a complex long double. */
enum { LARGEST_NUMBER = 32 };

bool weft_sizes_valid(const char *function, int axes, const ptrdiff_t *size, ptrdiff_t howmany)
{
    if (axes < 1 || axes > WEFT_MAX_RANK)
        return weft_error("%s: the rank is %d; it must be 1 to %d", function, axes, WEFT_MAX_RANK);
    if (!size)
        return weft_error("%s: the array of sizes is NULL", function);
    if (howmany < 0)
        return weft_error("%s: howmany is %td; it must not be negative", function, howmany);
    ptrdiff_t bytes = LARGEST_NUMBER;
    bool overflows = __builtin_mul_overflow(bytes, howmany > 0 ? howmany : 1, &bytes);
    for (int axis = 0; axis < axes; axis++) {
        if (size[axis] < 1)
            return weft_error("%s: n[%d] is %td; it must be at least 1", function, axis,
                              size[axis]);
        /* The last axis is longer when it is padded. */
        ptrdiff_t length = size[axis];
        overflows |= axis == axes - 1 && __builtin_add_overflow(length, 2, &length);
        overflows |= __builtin_mul_overflow(bytes, length, &bytes);
    }
    return !overflows ||
           weft_error("%s: the sizes and howmany multiply to more bytes than can be counted",
                      function);
}

bool weft_flags_valid(const char *function, unsigned flags, unsigned known)
{
    const unsigned unknown = flags & ~known;
    if (unknown != 0)
        weft_error("%s: the flags contain unknown bits, 0x%x; the known bits are 0x%x", function,
                   unknown, known);
    return unknown == 0;
}

/* The flags that a request may have. */
static unsigned known_flags(const weft_request *request)
{
    if (request->process_grid)
        return WEFT_SERIAL_FLAGS | WEFT_ROWS | WEFT_UNPADDED | WEFT_FFTW_BLOCKS | WEFT_REVERSED |
               WEFT_SAME_LAYOUT | WEFT_TRANSPOSED_IN | WEFT_TRANSPOSED_OUT;
    return request->from ? WEFT_SERIAL_FLAGS : WEFT_SLAB_FLAGS | WEFT_IGNORED_FLAGS;
}

bool weft_sizes_and_flags_valid(const weft_request *request)
{
    return weft_sizes_valid(request->function, request->axes, request->size, request->howmany) &&
           weft_flags_valid(request->function, request->flags, known_flags(request));
}
