/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wisdom: which decision was made for which problem. As text, a decision is a line:
 *
 *     weft-wisdom 1
 *     KEY => DECISION ~ CHECKSUM
 *
 * Keys and decisions are printable characters, a key without " => ". No line depends on another, so
 * that files are merged by concatenation; of two lines with one key the later counts. The checksum
 * shows that a line was cut or changed. Lines after a head line with another number are ignored.
 * Lines that begin with # are comments.
 */
#ifndef WEFT_WISDOM_H
#define WEFT_WISDOM_H

#include <stdbool.h>
#include <stddef.h>

enum { WEFT_WISDOM_VERSION = 1, WEFT_WISDOM_LINE = 4096 };

/* The store: the decisions that this process knows (store.c). Threads may call all functions at
 * once. */

/* A copy of the decision, to be freed; NULL: there is none. */
char *weft_wisdom_find(const char *key);
/* Whether there is a key that begins so. */
bool weft_wisdom_begins(const char *text, size_t length);
/* Replaces the decision for the key. False and an error: no memory. */
bool weft_wisdom_put(const char *key, const char *decision);
void weft_wisdom_drop(const char *key);
void weft_wisdom_forget(void);
/* Calls a function for each decision, in the order in which they came, with the store locked. */
void weft_wisdom_visit(void (*visit)(const char *key, const char *decision, void *argument),
                       void *argument);

/* Text (text.c). */

/* weft_wisdom_put for words that have been checked: false and an error, too, when they do not fit a
 * line. */
bool weft_wisdom_learn(const char *key, const char *decision);
/* All of the store, to be freed; NULL and an error: no memory. */
char *weft_wisdom_text(void);

typedef struct {
    int used;    /* lines taken over */
    int damaged; /* lines that nothing can be made of */
    int other;   /* lines of another version */
} weft_wisdom_tally;

/* Adds the decisions of a text to the store. */
weft_wisdom_tally weft_wisdom_add(const char *text);
/* Whether a text is wisdom, of any version; an empty text is, too. */
bool weft_wisdom_recognised(const char *text);

/* A copy of the text with a line for the key in place of an older one, and without damaged lines.
 * To be freed; NULL and an error: no memory, or the words do not fit a line. */
char *weft_wisdom_with(const char *text, const char *key, const char *decision);

/* Files (text.c). A bad file never fails a job: what is readable is used, and an error says what is
 * not. */

typedef enum {
    WEFT_FILE_WHOLE,   /* all of it was used */
    WEFT_FILE_PARTLY,  /* what is readable was used */
    WEFT_FILE_ABSENT,  /* there is no such file: no error */
    WEFT_FILE_UNUSABLE /* cannot be read, or is no wisdom */
} weft_file_state;

/* Adds the decisions of a file to the store. */
weft_file_state weft_wisdom_load(const char *path);
/* Replaces the file by all of the store. False and an error. */
bool weft_wisdom_save(const char *path);
/* Adds one decision to a file, which is created when it is missing. Several processes may do so at
 * once: no decision is lost, and readers see a whole file. False and an error. */
bool weft_wisdom_append(const char *path, const char *key, const char *decision);
/* The same for a file of any lines, in which no line is there twice. */
bool weft_file_add_line(const char *path, const char *line);

/* The file of WEFT_WISDOM. weft_wisdom_use loads it, once for each new name, and weft_wisdom_keep
 * appends to it. A bad file causes one warning. */
void weft_wisdom_use(const char *path);
void weft_wisdom_keep(const char *path, const char *key, const char *decision);

#endif
