/* SPDX-License-Identifier: BSD-3-Clause */
/* The last error: a buffer for each thread, so that nothing is allocated while something is
 * failing. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "kernels/base/error.h"

enum { LONGEST = 1024 };

static _Thread_local char last[LONGEST];

void weft_error(const char *format, ...)
{
    char text[LONGEST]; /* the arguments may point into `last` */
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(last, text, sizeof text);
    last[LONGEST - 1] = '\0';
}

const char *weft_error_text(void)
{
    return last;
}

void weft_error_clear(void)
{
    last[0] = '\0';
}
