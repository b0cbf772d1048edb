/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written is always ended. Every C library has the plain locale without allocating it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "kernels/base/text.h"

locale_t weft_points_begin(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void weft_points_end(locale_t before)
{
    const locale_t plain = uselocale(before);
    if (plain != LC_GLOBAL_LOCALE && plain != before)
        freelocale(plain);
}

const char *weft_setting(const char *name)
{
#ifdef HAVE_SECURE_GETENV
    return secure_getenv(name);
#else
    return getuid() == geteuid() && getgid() == getegid() ? getenv(name) : NULL;
#endif
}

double weft_number(const char *text, char **end)
{
    const locale_t before = weft_points_begin();
    const double number = strtod(text, end);
    weft_points_end(before);
    return number;
}

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
    const locale_t before = weft_points_begin();
    const int length =
        vsnprintf(writer->text + writer->used, writer->room - writer->used, format, arguments);
    weft_points_end(before);
    va_end(arguments);
    if (length > 0)
        writer->used += (size_t)length;
    if (writer->used >= writer->room)
        writer->used = writer->room - 1;
}
