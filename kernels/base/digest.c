/* SPDX-License-Identifier: BSD-3-Clause */
/* Digests: one multiplication for every number or byte. Those of numbers stand in wisdom files, and
 * so must stay what they are. */
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
    /* A last stirring. */
    digest = (digest ^ digest >> 33) * UINT64_C(0xff51afd7ed558ccd);
    return digest ^ digest >> 33;
}
