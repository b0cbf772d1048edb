/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written is always ended. */
#include <stdarg.h>
#include <stdio.h>
#include "kernels/base/text.h"

weft_writer weft_write_to(char *text, size_t room)
{
    if (room > 0)
        text[0] = '\0';
    return (weft_writer){text, room, 0};
}

void weft_write(weft_writer *writer, const char *format, ...)
{
    va_list arguments;
    if (writer->used + 1 >= writer->room)
        return;
    va_start(arguments, format);
    const int length =
        vsnprintf(writer->text + writer->used, writer->room - writer->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        writer->used += (size_t)length;
    if (writer->used >= writer->room)
        writer->used = writer->room - 1;
}
