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

/* The store: the decisions that this process knows (store.c). Several threads may call these
 * functions at once. */

/* Returns a copy of the decision, which the caller frees; NULL: there is none. */
char *weft_wisdom_find(const char *key);
/* Whether any key begins with this text. */
bool weft_wisdom_begins(const char *text, size_t length);
/* With `only_recorded`, drops the decision only if it was learned as recorded. */
void weft_wisdom_drop(const char *key, bool only_recorded);
void weft_wisdom_forget(void);

/* Text (store.c). */

/* Replaces the decision for the key. False with an error: no memory, or they do not fit a line of
 * wisdom. `recorded`: FFTW's wisdom has it, too. */
bool weft_wisdom_learn(const char *key, const char *decision, bool recorded);
/* The whole store as text, which the caller frees; NULL with an error: no memory. */
char *weft_wisdom_text(void);

typedef struct {
    int used;    /* lines added to the store */
    int damaged; /* lines that cannot be read */
    int other;   /* lines of another version */
} weft_wisdom_tally;

/* Adds the decisions of a text to the store. */
weft_wisdom_tally weft_wisdom_add(const char *text);
/* Whether a text is wisdom, of any version; an empty text is, too. */
bool weft_wisdom_recognised(const char *text);

/* A copy of the text in which a line for the key replaces any older one and damaged lines are left
 * out. The caller frees it. NULL with an error: no memory, or key and decision do not fit a
 * line. */
char *weft_wisdom_with(const char *text, const char *key, const char *decision);

/* Files (file.c). A bad file never makes a job fail: readable lines are used, and an error names
 * the problem. */

typedef enum {
    WEFT_FILE_WHOLE,   /* all lines were used */
    WEFT_FILE_PARTLY,  /* readable lines were used */
    WEFT_FILE_ABSENT,  /* the file does not exist, which is no error */
    WEFT_FILE_UNUSABLE /* the file cannot be read or is not wisdom */
} weft_file_state;

/* Returns the text of a file, for free(). NULL with errno set. */
char *weft_wisdom_read(const char *path);
/* Adds the decisions of a file to the store. */
weft_file_state weft_wisdom_load(const char *path);
/* Replaces the file's contents by the whole store; unless `unchanged` is NULL, only if the file
 * still has that text. False with an error. */
bool weft_wisdom_save(const char *path, const char *unchanged);
/* Adds one decision to a file and creates a missing file. Several processes may call this at once:
 * no decision is lost, and readers always see a complete file. Without a decision, adds the line
 * `key` to any text file, unless the file already has it. False with an error. */
bool weft_wisdom_append(const char *path, const char *key, const char *decision);

/* The file of WEFT_WISDOM. weft_wisdom_use loads it, once for each new name, and weft_wisdom_keep
 * appends to it. A bad file causes one warning. */
void weft_wisdom_use(const char *path);
void weft_wisdom_keep(const char *path, const char *key, const char *decision);

#endif
