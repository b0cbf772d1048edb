/* SPDX-License-Identifier: BSD-3-Clause */
/* Corrects the checksums of changed lines of wisdom, so that the parser reads the lines. */
#ifndef FUZZ_SEAL_H
#define FUZZ_SEAL_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The checksum of wisdom.h: FNV-1a of the text before " ~ ". */
static inline void seal(char *text)
{
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        char digits[9];
        uint32_t hash = UINT32_C(0x811c9dc5);
        if (end - line < 11 || memcmp(end - 11, " ~ ", 3) != 0)
            continue;
        for (const char *at = line; at < end - 11; at++)
            hash = (hash ^ (unsigned char)*at) * UINT32_C(0x01000193);
        snprintf(digits, sizeof digits, "%08lx", (unsigned long)hash);
        memcpy(end - 8, digits, 8);
    }
}

#endif
