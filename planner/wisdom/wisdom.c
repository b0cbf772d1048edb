/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decisions of this process: a list, in the order in which they were learnt. There are as many
 * as a program has problems, so a search from one end to the other is quick enough.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "planner/wisdom/line.h"
#include "planner/wisdom/wisdom.h"

typedef struct {
    char *key, *decision;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *known;
static size_t entries, room;

static entry *find(const char *key, size_t length)
{
    for (size_t i = 0; i < entries; i++)
        if (strncmp(known[i].key, key, length) == 0 && known[i].key[length] == '\0')
            return &known[i];
    return NULL;
}

static bool more_room(void)
{
    if (entries < room)
        return true;
    const size_t more = room ? 2 * room : 16;
    entry *larger = realloc(known, more * sizeof *known);
    if (!larger)
        return false;
    known = larger;
    room = more;
    return true;
}

/* With the lock held. */
static bool put(const char *key, size_t key_length, const char *decision, size_t length)
{
    entry *at = find(key, key_length);
    char *copy = strndup(decision, length);
    if (copy && at) {
        free(at->decision);
        at->decision = copy;
        return true;
    }
    char *name = copy && more_room() ? strndup(key, key_length) : NULL;
    if (!name) {
        free(copy);
        weft_error("no memory for wisdom");
        return false;
    }
    known[entries++] = (entry){name, copy};
    return true;
}

char *weft_wisdom_find(const char *key)
{
    pthread_mutex_lock(&lock);
    const entry *at = find(key, strlen(key));
    char *copy = at ? strdup(at->decision) : NULL;
    pthread_mutex_unlock(&lock);
    return copy;
}

bool weft_wisdom_learn(const char *key, const char *decision)
{
    char line[WEFT_WISDOM_LINE];
    if (!weft_line_write(key, decision, line))
        return false;
    pthread_mutex_lock(&lock);
    const bool ok = put(key, strlen(key), decision, strlen(decision));
    pthread_mutex_unlock(&lock);
    return ok;
}

void weft_wisdom_forget(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < entries; i++) {
        free(known[i].key);
        free(known[i].decision);
    }
    free(known);
    known = NULL;
    entries = room = 0;
    pthread_mutex_unlock(&lock);
}

static void write_all(FILE *file)
{
    char line[WEFT_WISDOM_LINE];
    fprintf(file, "weft-wisdom %d\n", WEFT_WISDOM_VERSION);
    for (size_t i = 0; i < entries; i++)
        if (weft_line_write(known[i].key, known[i].decision, line))
            fputs(line, file);
}

/* What was written to memory; NULL and an error when it could not be. */
static char *written(FILE *file, char **text)
{
    const bool ok = file && !ferror(file);
    if ((file && fclose(file) != 0) || !ok) {
        free(*text);
        weft_error("no memory for the text of wisdom");
        return NULL;
    }
    return *text;
}

char *weft_wisdom_text(void)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    pthread_mutex_lock(&lock);
    if (file)
        write_all(file);
    pthread_mutex_unlock(&lock);
    return written(file, &text);
}

weft_wisdom_tally weft_wisdom_add(const char *text)
{
    weft_wisdom_tally tally = {0};
    bool ours = true;
    pthread_mutex_lock(&lock);
    while (*text) {
        weft_line line;
        text = weft_line_read(text, &line);
        if (line.kind == WEFT_LINE_HEAD)
            ours = line.version == WEFT_WISDOM_VERSION;
        else if (line.kind != WEFT_LINE_EMPTY && !ours)
            tally.other++;
        else if (line.kind == WEFT_LINE_DAMAGED)
            tally.damaged++;
        else if (line.kind == WEFT_LINE_DECISION &&
                 put(line.text, line.key_length, line.decision, line.decision_length))
            tally.used++;
    }
    pthread_mutex_unlock(&lock);
    return tally;
}

bool weft_wisdom_recognised(const char *text)
{
    bool empty = true;
    while (*text) {
        weft_line line;
        text = weft_line_read(text, &line);
        if (line.kind == WEFT_LINE_HEAD || line.kind == WEFT_LINE_DECISION)
            return true;
        empty &= line.kind == WEFT_LINE_EMPTY;
    }
    return empty;
}

/* Whether a line of an older text is kept beside a new one. */
static bool kept(const weft_line *line, bool ours, const char *key)
{
    if (!ours || line->kind == WEFT_LINE_HEAD)
        return true;
    if (line->kind == WEFT_LINE_DECISION)
        return strlen(key) != line->key_length || memcmp(line->text, key, line->key_length) != 0;
    return line->kind == WEFT_LINE_EMPTY;
}

char *weft_wisdom_with(const char *text, const char *key, const char *decision)
{
    char added[WEFT_WISDOM_LINE], *result = NULL;
    size_t length;
    bool ours = true, headed = false;
    if (!weft_line_write(key, decision, added))
        return NULL;
    FILE *file = open_memstream(&result, &length);
    while (file && *text) {
        weft_line line;
        text = weft_line_read(text, &line);
        if (line.kind == WEFT_LINE_HEAD)
            ours = line.version == WEFT_WISDOM_VERSION;
        headed |= line.kind == WEFT_LINE_HEAD;
        if (kept(&line, ours, key)) {
            fwrite(line.text, 1, line.length, file);
            fputc('\n', file);
        }
    }
    if (file && (!headed || !ours))
        fprintf(file, "weft-wisdom %d\n", WEFT_WISDOM_VERSION);
    if (file)
        fputs(added, file);
    return written(file, &result);
}
