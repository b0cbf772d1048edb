/* SPDX-License-Identifier: BSD-3-Clause */
/* Digests by FNV-1a: 64-bit numbers that almost surely differ for different data. */
#ifndef WEFT_DIGEST_H
#define WEFT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* The digest of nothing; every digest starts with this value. */
#define WEFT_DIGEST UINT64_C(14695981039346656037)

/* Extends a digest by a number. */
uint64_t weft_digest(uint64_t digest, ptrdiff_t number);
/* The digest of bytes; every bit of the bytes affects every bit of the digest. */
uint64_t weft_digest_bytes(const void *bytes, size_t length);

#endif
