/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of wisdom: what each of them is. Pure; of wisdom.c and its tests. */
#ifndef WEFT_WISDOM_LINE_H
#define WEFT_WISDOM_LINE_H

#include "planner/wisdom/wisdom.h"

typedef enum {
    WEFT_LINE_EMPTY, /* nothing, or a comment */
    WEFT_LINE_HEAD,
    WEFT_LINE_DECISION,
    WEFT_LINE_DAMAGED
} weft_line_kind;

typedef struct {
    weft_line_kind kind;
    int version;      /* of a head line */
    const char *text; /* the line without its end */
    size_t length;
    size_t key_length; /* of a decision: the key begins the line */
    const char *decision;
    size_t decision_length;
} weft_line;

/* The line that begins here; where the next one begins. */
const char *weft_line_read(const char *text, weft_line *line);
/* With the line's end; false and an error when the words do not fit. */
bool weft_line_write(const char *key, const char *decision, char line[WEFT_WISDOM_LINE]);

#endif
