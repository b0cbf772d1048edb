/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing into a text of limited room, piece by piece; what does not fit is cut. */
#ifndef WEFT_TEXT_H
#define WEFT_TEXT_H

#include <stddef.h>

typedef struct {
    char *text;
    size_t room, used;
} weft_writer;

weft_writer weft_write_to(char *text, size_t room);
void weft_write(weft_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
