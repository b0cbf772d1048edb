/* SPDX-License-Identifier: BSD-3-Clause */
/* The writer always terminates the text. The "C" locale exists in every C library, and needs no
 * allocation. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/text.h"

locale_t weft_decimal_point_begin(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void weft_decimal_point_end(locale_t before)
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

double weft_parse_number(const char *text, char **end)
{
    const locale_t before = weft_decimal_point_begin();
    const double number = strtod(text, end);
    weft_decimal_point_end(before);
    return number;
}

weft_writer weft_write_to(char *text, size_t capacity)
{
    if (capacity > 0)
        text[0] = '\0';
    return (weft_writer){text, capacity, 0};
}

/* Whether a format prints numbers with a decimal point, which the locale chooses. */
static bool has_decimals(const char *format)
{
    bool found = false;
    while (!found && (format = strchr(format, '%'))) {
        format += 1 + strspn(format + 1, "-+ #0123456789.*hljzt");
        found = *format && strchr("aAeEfFgG", *format);
        format += *format == '%';
    }
    return found;
}

void weft_write(weft_writer *writer, const char *format, ...)
{
    const bool decimals = has_decimals(format);
    va_list arguments;
    if (writer->used + 1 >= writer->capacity)
        return;
    const locale_t before = decimals ? weft_decimal_point_begin() : (locale_t)0;
    va_start(arguments, format);
    const int length =
        vsnprintf(writer->text + writer->used, writer->capacity - writer->used, format, arguments);
    va_end(arguments);
    if (decimals)
        weft_decimal_point_end(before);
    if (length > 0)
        writer->used += (size_t)length;
    if (writer->used >= writer->capacity)
        writer->used = writer->capacity - 1;
}
