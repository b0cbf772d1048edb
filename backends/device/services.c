/* SPDX-License-Identifier: BSD-3-Clause */
/* The services for arrays on a device. The copy of a block is one strided copy per region. Running
 * the copy puts the strided copies into the queue of the device, which executes them later in this
 * order. */
#include "backends/exchange/blocks.h"

#include <stdlib.h>
#include "kernels/base/error.h"
#include "kernels/device/strided-copies.h"

typedef struct {
    weft_device *device;
    weft_strided_copies strided;
} device_copy;

static void release(weft_copy *handle)
{
    device_copy *copy = (device_copy *)handle;
    if (copy)
        weft_strided_copies_free(&copy->strided);
    free(copy);
}

static device_copy *begin(const weft_exchange *exchange)
{
    device_copy *copy = calloc(1, sizeof *copy);
    if (copy)
        copy->device = weft_base(exchange)->device;
    else
        weft_error("no memory to prepare the copy of a block");
    return copy;
}

static weft_copy *packing(const weft_exchange *exchange, const weft_block *block, bool unpacks)
{
    device_copy *copy = begin(exchange);
    bool ok = copy;
    for (const weft_block *at = block; ok && at; at = at->next) {
        const ptrdiff_t place = block->elements - at->elements;
        ptrdiff_t packed[WEFT_MAX_AXES];
        weft_contiguous(at->axes, at->count, packed);
        ok = unpacks
                 ? weft_strided_copies_add(&copy->strided, exchange->element, at->axes, at->count,
                                           0, place, packed, 0, at->offset, at->stride)
                 : weft_strided_copies_add(&copy->strided, exchange->element, at->axes, at->count,
                                           0, at->offset, at->stride, 0, place, packed);
    }
    if (ok)
        return (weft_copy *)copy;
    release((weft_copy *)copy);
    return NULL;
}

static weft_copy *pack_prepare(const weft_exchange *exchange, const weft_block *block)
{
    return packing(exchange, block, false);
}

static weft_copy *unpack_prepare(const weft_exchange *exchange, const weft_block *block)
{
    return packing(exchange, block, true);
}

static weft_copy *own_prepare(const weft_exchange *exchange)
{
    const weft_block *from = exchange->services->sent(exchange, exchange->rank);
    const weft_block *to = exchange->services->received(exchange, exchange->rank);
    device_copy *copy = begin(exchange);
    bool ok = copy;
    for (; ok && from; from = from->next, to = to->next)
        ok = weft_strided_copies_add(&copy->strided, exchange->element, from->axes, from->count, 0,
                                     from->offset, from->stride, 0, to->offset, to->stride);
    if (ok)
        return (weft_copy *)copy;
    release((weft_copy *)copy);
    return NULL;
}

static void run(const weft_copy *handle, const void *from, void *to)
{
    const device_copy *copy = (const device_copy *)handle;
    weft_strided_copies_run(&copy->strided, copy->device, &from, &to);
}

static int block_type(const weft_exchange *exchange, const weft_block *block, MPI_Datatype *type)
{
    return weft_services_ours.piece_type(exchange, block, type);
}

static int bytes_type(ptrdiff_t bytes, MPI_Datatype *type)
{
    return weft_services_ours.bytes_type(bytes, type);
}

const weft_services weft_services_device = {
    .sent = weft_exchange_sent,
    .received = weft_exchange_received,
    .pack_prepare = pack_prepare,
    .unpack_prepare = unpack_prepare,
    .own_prepare = own_prepare,
    .copy_run = run,
    .copy_release = release,
    .piece_type = block_type,
    .bytes_type = bytes_type,
    .error = weft_error,
};
