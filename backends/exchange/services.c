/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The services that Weft offers to backends. The strided copy moves blocks; on a device its parts
 * are queued and run later, in order. A block's datatype is a vector of vectors, from the innermost
 * axis outward, with strides in bytes as MPI_Aint. For a count that an int cannot hold, the
 * datatype is a vector of vectors of 2^30 elements followed by a shorter vector. So no count or
 * displacement overflows an int.
 */
#include "backends/exchange/blocks.h"

#include <stdlib.h>
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "kernels/copy/copy.h"
#include "kernels/device/strided-copies.h"

enum { PART = 1 << 30 };

static int small_repeat(ptrdiff_t count, ptrdiff_t step, MPI_Datatype type, MPI_Datatype *repeated)
{
    return MPI_Type_create_hvector((int)count, 1, (MPI_Aint)step, type, repeated) == MPI_SUCCESS;
}

/* A datatype of `first`, and of `second` `bytes` bytes after it. */
static int join(MPI_Datatype first, ptrdiff_t bytes, MPI_Datatype second, MPI_Datatype *joined)
{
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, (MPI_Aint)bytes};
    const MPI_Datatype types[2] = {first, second};

    return MPI_Type_create_struct(2, lengths, places, types, joined) == MPI_SUCCESS;
}

/* Makes a datatype of `count` copies of a type, `step` bytes apart: a large number as whole parts,
 * followed by the remainder. */
static int repeat(ptrdiff_t count, ptrdiff_t step, MPI_Datatype type, MPI_Datatype *repeated)
{
    MPI_Datatype part, parts, rest;
    ptrdiff_t whole = count / PART, left = count % PART;
    int ok;

    if (count <= PART)
        return small_repeat(count, step, type, repeated);
    if (!small_repeat(PART, step, type, &part))
        return 0;
    ok = repeat(whole, PART * step, part, &parts);
    MPI_Type_free(&part);
    if (!ok)
        return 0;
    if (left == 0) { /* MPICH's extent of a type with an empty part would be wrong */
        *repeated = parts;
        return 1;
    }
    ok = small_repeat(left, step, type, &rest);
    if (ok) {
        ok = join(parts, whole * PART * step, rest, repeated);
        MPI_Type_free(&rest);
    }
    MPI_Type_free(&parts);
    return ok;
}

/* Replaces a type by its repetition; frees the type also on failure. */
static int repeat_instead(ptrdiff_t count, ptrdiff_t step, MPI_Datatype *type)
{
    MPI_Datatype inner = *type;
    int ok = repeat(count, step, inner, type);

    MPI_Type_free(&inner);
    return ok;
}

static int displace_instead(ptrdiff_t bytes, MPI_Datatype *type)
{
    const MPI_Aint place = (MPI_Aint)bytes;
    MPI_Datatype inner = *type;
    int ok = MPI_Type_create_hindexed_block(1, 1, &place, inner, type) == MPI_SUCCESS;

    MPI_Type_free(&inner);
    return ok;
}

static int commit(MPI_Datatype *type)
{
    if (MPI_Type_commit(type) == MPI_SUCCESS)
        return 1;
    MPI_Type_free(type);
    return 0;
}

static int bytes_type(ptrdiff_t bytes, MPI_Datatype *type)
{
    if (repeat(bytes, 1, MPI_BYTE, type) && commit(type))
        return 1;
    return weft_error("MPI could not make a datatype of %td bytes", bytes);
}

static MPI_Datatype widest_type(ptrdiff_t element, ptrdiff_t *bytes)
{
    static const ptrdiff_t widths[] = {16, 8, 4, 2, 1};
    const MPI_Datatype types[] = {MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE, MPI_FLOAT, MPI_SHORT, MPI_BYTE};
    int i = 0;

    while (element % widths[i] != 0)
        i++;
    *bytes = widths[i];
    return types[i];
}

static int make_region(ptrdiff_t element, const weft_block *block, MPI_Datatype *type)
{
    ptrdiff_t run = 1; /* contiguous elements in this rank's memory */
    ptrdiff_t bytes;
    MPI_Datatype base = widest_type(element, &bytes);
    int axes = block->axes;

    while (axes > 0 && (block->count[axes - 1] == 1 || block->stride[axes - 1] == run))
        run *= block->count[--axes];
    if (!repeat(run * (element / bytes), bytes, base, type))
        return 0;
    while (axes > 0) {
        ptrdiff_t count = block->count[--axes], stride = block->stride[axes];

        /* Joins outer axes that continue this axis in this rank's memory, even if not in the
         * peer's. */
        while (axes > 0 && block->stride[axes - 1] == count * stride)
            count *= block->count[--axes];
        if (!repeat_instead(count, stride * element, type))
            return 0;
    }
    return block->offset == 0 || displace_instead(block->offset * element, type);
}

/* Makes a datatype of all regions of a block at once: Open MPI took 26 s for 20,000 regions that
 * were added one by one, each to the type of those before. */
static int make_regions(ptrdiff_t element, const weft_block *block, MPI_Datatype *type)
{
    int regions = 0, made = 0, ok = 1;

    for (const weft_block *at = block; at; at = at->next)
        regions++;
    if (regions == 1)
        return make_region(element, block, type);
    int *lengths = weft_new((size_t)regions, sizeof *lengths, "a datatype");
    MPI_Aint *places = weft_new((size_t)regions, sizeof *places, "a datatype");
    MPI_Datatype *types = weft_new((size_t)regions, sizeof *types, "a datatype");
    for (ok = lengths && places && types; ok && block; block = block->next, made += ok) {
        lengths[made] = 1;
        ok = make_region(element, block, &types[made]);
    }
    ok = ok && MPI_Type_create_struct(regions, lengths, places, types, type) == MPI_SUCCESS;
    while (made > 0)
        MPI_Type_free(&types[--made]);
    free(lengths);
    free(places);
    free(types);
    return ok;
}

static int block_type(const weft_exchange *exchange, const weft_block *block, MPI_Datatype *type)
{
    const ptrdiff_t element = (ptrdiff_t)exchange->element;

    if (make_regions(element, block, type) && commit(type))
        return 1;
    return weft_error("MPI could not make a datatype for a block of %td elements", block->elements);
}

/* One end of the copy of a region. */
typedef struct {
    ptrdiff_t offset;
    const ptrdiff_t *stride;
} copy_end;

/* Prepares the copy of a block's regions from one place to another; NULL: to or from contiguous
 * memory. */
static weft_copy *prepare(const weft_exchange *exchange, const weft_block *from,
                          const weft_block *to)
{
    const weft_block *at = from ? from : to;
    const ptrdiff_t elements = at->elements;
    weft_copy *copies = NULL;
    for (; at; at = at->next) {
        ptrdiff_t stride[WEFT_MAX_AXES];
        copy_end packed = {elements - at->elements, stride}, start = packed, end = packed;
        weft_contiguous(at->axes, at->count, stride);
        if (from)
            start = (copy_end){from->offset, from->stride}, from = from->next;
        if (to)
            end = (copy_end){to->offset, to->stride}, to = to->next;
        weft_copy *copy =
            weft_copy_prepare_on(weft_base(exchange)->device, exchange->element, at->axes,
                                 at->count, start.offset, start.stride, end.offset, end.stride);
        if (!copy) {
            weft_copy_release(copies);
            return NULL;
        }
        copies = weft_copy_prepend(copy, copies);
    }
    return copies;
}

static weft_copy *pack_prepare(const weft_exchange *exchange, const weft_block *block)
{
    return prepare(exchange, block, NULL);
}

static weft_copy *unpack_prepare(const weft_exchange *exchange, const weft_block *block)
{
    return prepare(exchange, NULL, block);
}

static weft_copy *own_prepare(const weft_exchange *exchange)
{
    return prepare(exchange, exchange->services->sent(exchange, exchange->rank),
                   exchange->services->received(exchange, exchange->rank));
}

const weft_services weft_services_ours = {
    .sent = weft_exchange_sent,
    .received = weft_exchange_received,
    .pack_prepare = pack_prepare,
    .unpack_prepare = unpack_prepare,
    .own_prepare = own_prepare,
    .copy_run = weft_copy_run,
    .copy_release = weft_copy_release,
    .piece_type = block_type,
    .bytes_type = bytes_type,
    .error = weft_error,
};
