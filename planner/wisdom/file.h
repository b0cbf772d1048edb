/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wisdom in files. Nothing that is wrong with a file ever fails a job: what is readable is used,
 * and an error says what was not.
 */
#ifndef WEFT_WISDOM_FILE_H
#define WEFT_WISDOM_FILE_H

#include <stdbool.h>

/* What went wrong, if anything: the sentence is in the error. */
typedef enum {
    WEFT_FILE_WHOLE,   /* all of it was used */
    WEFT_FILE_PARTLY,  /* what is readable was used */
    WEFT_FILE_ABSENT,  /* there is no such file: no error */
    WEFT_FILE_UNUSABLE /* cannot be read, or is no wisdom */
} weft_file_state;

/* Adds what a file holds to what this process knows. */
weft_file_state weft_wisdom_load(const char *path);
/* Writes all that this process knows, in place of what the file held. False and an error. */
bool weft_wisdom_save(const char *path);
/* Adds one decision to a file, which is made when there is none. Whoever does the same at the same
 * time, nothing is lost, and readers see the file before or after it. False and an error. */
bool weft_wisdom_append(const char *path, const char *key, const char *decision);

#endif
