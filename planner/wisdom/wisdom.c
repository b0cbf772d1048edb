/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decisions of this process are kept as the lines of a file, in a table by their keys, since
 * files may come from many programs. A line counts only when its checksum is right: seven of ten
 * damaged lines would else be taken for whole ones.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "planner/wisdom/wisdom.h"

static const char arrow[] = " => ", tilde[] = " ~ ", head[] = "weft-wisdom ";

typedef enum {
    LINE_EMPTY, /* nothing, or a comment */
    LINE_HEAD,
    LINE_DECISION,
    LINE_DAMAGED,
    LINE_OTHER /* after the head of another version */
} line_kind;

typedef struct {
    line_kind kind;
    int version;      /* of the last head line */
    const char *text; /* the line without its end */
    size_t length;
    size_t key_length; /* of a decision: the key begins the line */
    const char *decision;
    size_t decision_length;
} wisdom_line;

enum {
    ARROW = sizeof arrow - 1,
    TILDE = sizeof tilde - 1,
    HEAD = sizeof head - 1,
    CHECKSUM = 8,
    MOST_DIGITS = 6
};

/* FNV-1a. */
static uint32_t checksum(const char *text, size_t length)
{
    uint32_t hash = UINT32_C(0x811c9dc5);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT32_C(0x01000193);
    return hash;
}

static bool printable(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < ' ' || text[i] > '~')
            return false;
    return true;
}

static bool read_head(wisdom_line *line)
{
    if (line->length <= HEAD || line->length > HEAD + MOST_DIGITS ||
        memcmp(line->text, head, HEAD) != 0)
        return false;
    const char *digits = line->text + HEAD;
    if (strspn(digits, "0123456789") != line->length - HEAD)
        return false;
    line->version = atoi(digits);
    return true;
}

static bool read_decision(wisdom_line *line)
{
    char expected[CHECKSUM + 1];
    if (line->length < CHECKSUM + TILDE || line->length >= WEFT_WISDOM_LINE)
        return false;
    const size_t summed = line->length - CHECKSUM - TILDE;
    if (!printable(line->text, line->length) || memcmp(line->text + summed, tilde, TILDE) != 0)
        return false;
    snprintf(expected, sizeof expected, "%08lx", (unsigned long)checksum(line->text, summed));
    const char *at = memmem(line->text, summed, arrow, ARROW);
    if (!at || at == line->text || memcmp(line->text + summed + TILDE, expected, CHECKSUM) != 0)
        return false;
    line->key_length = (size_t)(at - line->text);
    line->decision = at + ARROW;
    line->decision_length = summed - line->key_length - ARROW;
    return true;
}

/* The line that begins here, after others; where the next one begins. */
static const char *read_line(const char *text, wisdom_line *line)
{
    const char *end = strchr(text, '\n');
    const char *next = end ? end + 1 : text + strlen(text);
    line->text = text;
    line->length = (size_t)((end ? end : next) - text);
    if (line->length > 0 && text[line->length - 1] == '\r')
        line->length--;
    if (line->length == 0 || text[0] == '#')
        line->kind = LINE_EMPTY;
    else if (read_head(line))
        line->kind = LINE_HEAD;
    else if (line->version != WEFT_WISDOM_VERSION)
        line->kind = LINE_OTHER;
    else
        line->kind = read_decision(line) ? LINE_DECISION : LINE_DAMAGED;
    return next;
}

/* With the line's end; false and an error when the words do not fit. */
static bool write_line(const char *key, const char *decision, char line[WEFT_WISDOM_LINE])
{
    const size_t length = strlen(key) + ARROW + strlen(decision);
    if (!*key || *key == '#' || strstr(key, arrow) || !printable(key, strlen(key)) ||
        !printable(decision, strlen(decision)) ||
        length + TILDE + CHECKSUM + 1 >= WEFT_WISDOM_LINE) {
        weft_error("no wisdom can be made of \"%.60s\" and \"%.60s\"", key, decision);
        return false;
    }
    snprintf(line, WEFT_WISDOM_LINE, "%s%s%s", key, arrow, decision);
    snprintf(line + length, WEFT_WISDOM_LINE - length, "%s%08lx\n", tilde,
             (unsigned long)checksum(line, length));
    return true;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The lines of decisions, in the order in which they came, and where each is by its key. */
static struct {
    size_t lines, room;
    char **line;  /* a dropped one is NULL */
    size_t slots; /* a power of two, more than there are lines; 0: nothing is known */
    size_t *slot; /* a line's number, from 1 on; 0: none; the next of one that is taken by another
                     key */
} known;

static bool has_key(const char *line, const char *key, size_t length)
{
    return strncmp(line, key, length) == 0 && strncmp(line + length, arrow, ARROW) == 0;
}

/* The line of a key; NULL: there is none. With the lock held. */
static char **find(const char *key, size_t length)
{
    if (known.slots == 0)
        return NULL;
    for (size_t at = checksum(key, length);; at++) {
        const size_t number = known.slot[at & (known.slots - 1)];
        if (number == 0)
            break;
        if (known.line[number - 1] && has_key(known.line[number - 1], key, length))
            return &known.line[number - 1];
    }
    return NULL;
}

static void enter(char *line, size_t key_length)
{
    size_t at = checksum(line, key_length);
    while (known.slot[at & (known.slots - 1)])
        at++;
    known.line[known.lines++] = line;
    known.slot[at & (known.slots - 1)] = known.lines;
}

/* For one more; what was dropped makes room. */
static bool make_room(void)
{
    if (known.lines < known.room)
        return true;
    size_t live = 0, slots = 128;
    for (size_t i = 0; i < known.lines; i++)
        live += known.line[i] != NULL;
    while (slots < 4 * (live + 1))
        slots *= 2;
    char **line = malloc(slots / 2 * sizeof *line), **old = known.line;
    size_t *slot = calloc(slots, sizeof *slot), lines = known.lines;
    if (!line || !slot) {
        free(line);
        free(slot);
        return false;
    }
    free(known.slot);
    known.lines = 0, known.room = slots / 2, known.line = line, known.slots = slots,
    known.slot = slot;
    for (size_t i = 0; i < lines; i++)
        if (old[i])
            enter(old[i], (size_t)(strstr(old[i], arrow) - old[i]));
    free(old);
    return true;
}

/* With the lock held. */
static void drop(const char *key, size_t length)
{
    char **old = find(key, length);
    if (old) {
        free(*old);
        *old = NULL;
    }
}

/* In place of the line with the same key. With the lock held. */
static bool put(const wisdom_line *line)
{
    char *text = strndup(line->text, line->length), **old = find(line->text, line->key_length);
    if (!text || (!old && !make_room())) {
        weft_error("no memory for wisdom");
        free(text);
        return false;
    }
    if (old) {
        free(*old);
        *old = text;
    } else {
        enter(text, line->key_length);
    }
    return true;
}

char *weft_wisdom_find(const char *key)
{
    wisdom_line line = {.version = WEFT_WISDOM_VERSION};
    pthread_mutex_lock(&lock);
    char **at = find(key, strlen(key));
    if (at)
        read_line(*at, &line);
    char *copy = at ? strndup(line.decision, line.decision_length) : NULL;
    pthread_mutex_unlock(&lock);
    return copy;
}

bool weft_wisdom_begins(const char *text, size_t length)
{
    bool any = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; !any && i < known.lines; i++)
        any = known.line[i] && strncmp(known.line[i], text, length) == 0;
    pthread_mutex_unlock(&lock);
    return any;
}

bool weft_wisdom_learn(const char *key, const char *decision)
{
    char text[WEFT_WISDOM_LINE];
    wisdom_line line = {.version = WEFT_WISDOM_VERSION};
    if (!write_line(key, decision, text))
        return false;
    read_line(text, &line);
    pthread_mutex_lock(&lock);
    const bool ok = put(&line);
    pthread_mutex_unlock(&lock);
    return ok;
}

void weft_wisdom_drop(const char *key)
{
    pthread_mutex_lock(&lock);
    drop(key, strlen(key));
    pthread_mutex_unlock(&lock);
}

void weft_wisdom_forget(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < known.lines; i++)
        free(known.line[i]);
    free(known.line);
    free(known.slot);
    memset(&known, 0, sizeof known);
    pthread_mutex_unlock(&lock);
}

char *weft_wisdom_text(void)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (file)
        fprintf(file, "weft-wisdom %d\n", WEFT_WISDOM_VERSION);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; file && i < known.lines; i++)
        if (known.line[i])
            fprintf(file, "%s\n", known.line[i]);
    pthread_mutex_unlock(&lock);
    const bool ok = file && !ferror(file);
    if (file && fclose(file) == 0 && ok)
        return text;
    free(text);
    weft_error("no memory for the text of wisdom");
    return NULL;
}

weft_wisdom_tally weft_wisdom_add(const char *text)
{
    weft_wisdom_tally tally = {0};
    wisdom_line line = {.version = WEFT_WISDOM_VERSION};
    pthread_mutex_lock(&lock);
    while (*text) {
        text = read_line(text, &line);
        tally.other += line.kind == LINE_OTHER;
        tally.damaged += line.kind == LINE_DAMAGED;
        tally.used += line.kind == LINE_DECISION && put(&line);
    }
    pthread_mutex_unlock(&lock);
    return tally;
}

bool weft_wisdom_recognised(const char *text)
{
    bool empty = true;
    wisdom_line line = {.version = WEFT_WISDOM_VERSION};
    while (*text) {
        text = read_line(text, &line);
        if (line.kind == LINE_HEAD || line.kind == LINE_DECISION)
            return true;
        empty &= line.kind == LINE_EMPTY;
    }
    return empty;
}

/* Whether a line of an older text stays beside a new one for the key. */
static bool kept(const wisdom_line *line, const char *key)
{
    const bool same = line->kind == LINE_DECISION && strlen(key) == line->key_length &&
                      memcmp(line->text, key, line->key_length) == 0;
    return line->kind != LINE_DAMAGED && !same;
}

char *weft_wisdom_with(const char *text, const char *key, const char *decision)
{
    char added[WEFT_WISDOM_LINE], *result = NULL;
    size_t length;
    bool headed = false;
    wisdom_line line = {.version = WEFT_WISDOM_VERSION};
    if (!write_line(key, decision, added))
        return NULL;
    FILE *file = open_memstream(&result, &length);
    while (file && *text) {
        text = read_line(text, &line);
        headed |= line.kind == LINE_HEAD;
        if (kept(&line, key))
            fprintf(file, "%.*s\n", (int)line.length, line.text);
    }
    if (file && (!headed || line.version != WEFT_WISDOM_VERSION))
        fprintf(file, "weft-wisdom %d\n", WEFT_WISDOM_VERSION);
    const bool ok = file && fputs(added, file) >= 0 && !ferror(file);
    if ((!file || fclose(file) == 0) && ok)
        return result;
    free(result);
    weft_error("no memory for the text of wisdom");
    return NULL;
}
