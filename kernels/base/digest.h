/* SPDX-License-Identifier: BSD-3-Clause */
/* Digests: numbers that differ, most likely, between different things; FNV-1a. */
#ifndef WEFT_DIGEST_H
#define WEFT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* Of nothing; every digest begins so. */
#define WEFT_DIGEST UINT64_C(14695981039346656037)

/* Of what came before, and then a number. */
uint64_t weft_digest(uint64_t digest, ptrdiff_t number);
/* Of bytes; every bit of them reaches every bit of it. */
uint64_t weft_digest_bytes(const void *bytes, size_t length);

#endif
