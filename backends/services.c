/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of services: copies of pieces by the strided copy, datatypes, errors. */
#include "kernels/copy/copy.h"
#include "kernels/base/error.h"
#include "backends/exchange/pieces.h"
#include "backends/services.h"
#include "backends/messages/types.h"

static weft_copy *told(weft_copy *copy, const weft_piece *piece)
{
    if (copy == NULL)
        weft_error("no memory to prepare the copy of a piece of %td elements", piece->elements);
    return copy;
}

static weft_copy *pack_prepare(const weft_exchange *exchange, const weft_piece *piece)
{
    ptrdiff_t packed[WEFT_MAX_AXES];

    weft_contiguous(piece->axes, piece->count, packed);
    return told(weft_copy_prepare(exchange->element, piece->axes, piece->count, piece->offset,
                                  piece->stride, 0, packed),
                piece);
}

static weft_copy *unpack_prepare(const weft_exchange *exchange, const weft_piece *piece)
{
    ptrdiff_t packed[WEFT_MAX_AXES];

    weft_contiguous(piece->axes, piece->count, packed);
    return told(weft_copy_prepare(exchange->element, piece->axes, piece->count, 0, packed,
                                  piece->offset, piece->stride),
                piece);
}

static weft_copy *own_prepare(const weft_exchange *exchange)
{
    const weft_piece *from = &exchange->send[exchange->rank];
    const weft_piece *to = &exchange->receive[exchange->rank];

    return told(weft_copy_prepare(exchange->element, from->axes, from->count, from->offset,
                                  from->stride, to->offset, to->stride),
                from);
}

const weft_services weft_services_ours = {
    .pack_prepare = pack_prepare,
    .unpack_prepare = unpack_prepare,
    .own_prepare = own_prepare,
    .copy_run = weft_copy_run,
    .copy_release = weft_copy_release,
    .piece_type = weft_type_piece,
    .bytes_type = weft_type_bytes,
    .error = weft_error,
};
