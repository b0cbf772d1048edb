/* SPDX-License-Identifier: BSD-3-Clause */
/* Digests by FNV-1a: 64-bit numbers that almost surely differ for different data. They cost one
 * multiplication for each number or byte. Wisdom files contain digests of numbers, so the algorithm
 * of weft_digest must never change. */
#ifndef WEFT_DIGEST_H
#define WEFT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* The digest of nothing; every digest starts with this value. */
#define WEFT_DIGEST UINT64_C(14695981039346656037)

/* Extends a digest by a number. */
static inline uint64_t weft_digest(uint64_t digest, ptrdiff_t number)
{
    return (digest ^ (uint64_t)number) * UINT64_C(1099511628211);
}

/* The digest of bytes; every bit of the bytes affects every bit of the digest. */
static inline uint64_t weft_digest_bytes(const void *bytes, size_t length)
{
    uint64_t digest = WEFT_DIGEST ^ length;
    for (size_t i = 0; i < length; i++)
        digest = weft_digest(digest, ((const unsigned char *)bytes)[i]);
    digest = (digest ^ digest >> 33) * UINT64_C(0xff51afd7ed558ccd); /* mixes the bits once more */
    return digest ^ digest >> 33;
}

#endif
