/* SPDX-License-Identifier: BSD-3-Clause */
/* Digests: one multiplication for each number or byte. Wisdom files contain digests of numbers, so
 * the algorithm of weft_digest must never change. */
#include "kernels/base/digest.h"

uint64_t weft_digest(uint64_t digest, ptrdiff_t number)
{
    return (digest ^ (uint64_t)number) * UINT64_C(1099511628211);
}

uint64_t weft_digest_bytes(const void *bytes, size_t length)
{
    uint64_t digest = WEFT_DIGEST ^ length;

    for (size_t i = 0; i < length; i++)
        digest = weft_digest(digest, ((const unsigned char *)bytes)[i]);
    /* A final mixing of the bits. */
    digest = (digest ^ digest >> 33) * UINT64_C(0xff51afd7ed558ccd);
    return digest ^ digest >> 33;
}
