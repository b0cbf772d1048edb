/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wisdom: which decision was made for which problem. Text, one line a decision:
 *
 *     weft-wisdom 1
 *     KEY => DECISION ~ CHECKSUM
 *
 * Keys and decisions are words of printable characters, a key without " => ". Every line stands for
 * itself, so that files are merged by writing them one after another; of two lines with one key the
 * later counts. The checksum tells lines that were cut or changed. What follows a head line with
 * another number is left alone. Lines that begin with # are comments.
 */
#ifndef WEFT_WISDOM_H
#define WEFT_WISDOM_H

#include <stdbool.h>
#include <stddef.h>

enum { WEFT_WISDOM_VERSION = 1, WEFT_WISDOM_LINE = 4096 };

/* What this process knows; all functions may be called by several threads. */

/* A copy of the decision, to be freed; NULL: there is none. */
char *weft_wisdom_find(const char *key);
/* Whether there is a key that begins so. */
bool weft_wisdom_begins(const char *text, size_t length);
/* Replaces what was known for the key. False and an error when there is no memory, or when the
 * words do not fit a line. */
bool weft_wisdom_learn(const char *key, const char *decision);
void weft_wisdom_drop(const char *key);
void weft_wisdom_forget(void);
/* All of it, to be freed; NULL and an error: no memory. */
char *weft_wisdom_text(void);

typedef struct {
    int used;    /* lines taken over */
    int damaged; /* lines that nothing can be made of */
    int other;   /* lines of another version */
} weft_wisdom_tally;

/* Adds what a text holds. */
weft_wisdom_tally weft_wisdom_add(const char *text);
/* Whether it is wisdom at all, of whatever version; an empty text is, too. */
bool weft_wisdom_recognised(const char *text);

/* A text with one line more, in place of one with the same key; without damaged lines. To be freed;
 * NULL and an error: no memory, or the words do not fit a line. */
char *weft_wisdom_with(const char *text, const char *key, const char *decision);

/* In files. Nothing that is wrong with a file ever fails a job: what is readable is used, and an
 * error says what was not. */

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
/* The same for a file of any lines, in which each stands once. */
bool weft_file_add_line(const char *path, const char *line);

/* The file of a setting: loaded when its name is first met, and again when the name changes, and
 * appended to. What is wrong with it is one warning and nothing else. */
void weft_wisdom_use(const char *path);
void weft_wisdom_keep(const char *path, const char *key, const char *decision);

#endif
