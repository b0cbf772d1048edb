/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers for text: appending to a buffer of limited size, which cuts text that does not fit;
 * settings from the environment; numbers with a decimal point in every locale; writing to files. */
#ifndef WEFT_TEXT_H
#define WEFT_TEXT_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    char *text;
    size_t capacity, used;
} weft_writer;

weft_writer weft_write_to(char *text, size_t capacity);
void weft_write(weft_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The value of an environment variable. NULL: it is not set, or the program runs with more rights
 * than its user (setuid). */
const char *weft_setting(const char *name);

/* strtod, but always with a decimal point. */
double weft_parse_number(const char *text, char **end);
/* Reads a whole number and sets *end to the text after it. Returns false if there is no number from
 * `least` to `most`. */
bool weft_parse_whole(const char *text, char **end, ptrdiff_t least, ptrdiff_t most,
                      ptrdiff_t *number);
/* Reads whole numbers with an x between them, such as "256x256x256", and then the text `after`. The
 * array has space for `capacity` numbers. Returns how many numbers there are; 0: the text is
 * malformed, a number is out of range, or there are too many. */
int weft_parse_sizes(const char *text, const char *after, ptrdiff_t least, ptrdiff_t most,
                     ptrdiff_t *number, int capacity);
/* Between these two calls this thread prints numbers with a decimal point. */
locale_t weft_decimal_point_begin(void);
void weft_decimal_point_end(locale_t before);

/* Whether the process may write a file of this length. A longer file would end the program by a
 * signal. False with errno set. */
bool weft_file_may_have(uint64_t bytes);
/* Writes the whole text to an open file. False with errno set; part of the text may be written. */
bool weft_file_write(int file, const char *text);

#endif
