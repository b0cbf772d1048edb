/* SPDX-License-Identifier: BSD-3-Clause */
/* The writer always terminates the text. The "C" locale exists in every C library, and needs no
 * allocation. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

bool weft_parse_whole(const char *text, char **end, ptrdiff_t least, ptrdiff_t most,
                      ptrdiff_t *number)
{
    errno = 0;
    const long long read = strtoll(text, end, 10);
    *number = (ptrdiff_t)read;
    return *end != text && errno == 0 && read >= least && read <= most;
}

int weft_parse_sizes(const char *text, const char *after, ptrdiff_t least, ptrdiff_t most,
                     ptrdiff_t *number, int capacity)
{
    char *end;
    for (int count = 0; count < capacity; text = end + 1) {
        if (!weft_parse_whole(text, &end, least, most, &number[count]))
            return 0;
        count++;
        if (strcmp(end, after) == 0)
            return count;
        if (*end != 'x')
            return 0;
    }
    return 0;
}

weft_writer weft_write_to(char *text, size_t capacity)
{
    if (capacity > 0)
        text[0] = '\0';
    return (weft_writer){text, capacity, 0};
}

static void put(weft_writer *writer, const char *text, size_t length)
{
    const size_t left = writer->capacity - writer->used - 1;
    const size_t put = length < left ? length : left;
    memcpy(writer->text + writer->used, text, put);
    writer->used += put;
    writer->text[writer->used] = '\0';
}

static void put_number(weft_writer *writer, ptrdiff_t number)
{
    char digit[24], *at = digit + sizeof digit;
    size_t rest = number < 0 ? 0 - (size_t)number : (size_t)number;
    do
        *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0)
        *--at = '-';
    put(writer, at, (size_t)(digit + sizeof digit - at));
}

static void write_by_library(weft_writer *writer, const char *format, va_list arguments)
{
    const locale_t before = weft_decimal_point_begin();
    const int length =
        vsnprintf(writer->text + writer->used, writer->capacity - writer->used, format, arguments);
    weft_decimal_point_end(before);
    if (length > 0)
        writer->used += (size_t)length;
    if (writer->used >= writer->capacity)
        writer->used = writer->capacity - 1;
}

/* Formats up to the first conversion other than %s, %d and %td without the C library: its printf
 * and locales took a sixth of the time of making a small plan. */
static void write_all(weft_writer *writer, const char *format, va_list arguments)
{
    for (const char *end; *format; format = end) {
        end = strchrnul(format, '%');
        put(writer, format, (size_t)(end - format));
        const bool wide = strncmp(end, "%td", 3) == 0;
        if (wide || strncmp(end, "%d", 2) == 0) {
            put_number(writer, wide ? va_arg(arguments, ptrdiff_t) : va_arg(arguments, int));
            end += wide ? 3 : 2;
        } else if (strncmp(end, "%s", 2) == 0) {
            const char *text = va_arg(arguments, const char *);
            put(writer, text, strlen(text));
            end += 2;
        } else if (*end) {
            write_by_library(writer, end, arguments);
            return;
        }
    }
}

void weft_write(weft_writer *writer, const char *format, ...)
{
    va_list arguments;
    if (writer->used + 1 >= writer->capacity)
        return;
    va_start(arguments, format);
    write_all(writer, format, arguments);
    va_end(arguments);
}

bool weft_file_may_have(uint64_t bytes)
{
    struct rlimit most;
    if (getrlimit(RLIMIT_FSIZE, &most) != 0 || bytes <= most.rlim_cur)
        return true;
    errno = EFBIG;
    return false;
}

bool weft_file_write(int file, const char *text)
{
    size_t length = strlen(text);
    const off_t at = lseek(file, 0, fcntl(file, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
    if (at >= 0 && !weft_file_may_have((uint64_t)at + length)) /* -1: a pipe or a terminal */
        return false;
    while (length > 0) {
        const ssize_t put = write(file, text, length);
        if (put < 0 && errno != EINTR)
            return false;
        text += put > 0 ? put : 0;
        length -= put > 0 ? (size_t)put : 0;
    }
    return true;
}
