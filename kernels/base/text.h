/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing into a text of limited room, piece by piece; what does not fit is cut. Settings of the
 * environment. Numbers, which are written and read with a decimal point, whatever the program's
 * locale says. */
#ifndef WEFT_TEXT_H
#define WEFT_TEXT_H

#include <locale.h>
#include <stddef.h>

typedef struct {
    char *text;
    size_t room, used;
} weft_writer;

weft_writer weft_write_to(char *text, size_t room);
void weft_write(weft_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A setting of the environment; NULL: there is none, or the program has rights that its user has
 * not. */
const char *weft_setting(const char *name);

/* strtod. */
double weft_number(const char *text, char **end);
/* What this thread prints in between has decimal points. */
locale_t weft_points_begin(void);
void weft_points_end(locale_t before);

#endif
