/* SPDX-License-Identifier: BSD-3-Clause */
/* The decisions that this process knows, sorted by key, since wisdom files may come from many
 * programs and have thousands of lines; one lock protects them. And their text: a line counts only
 * if its checksum is right, because without a checksum seven of ten damaged lines would be
 * accepted. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "planner/wisdom/wisdom.h"

typedef struct {
    char *key, *decision; /* in one allocation, the key first */
    bool recorded;        /* FFTW's wisdom has the decision, too */
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    size_t count;
    entry *entry;
} known;

/* The number of entries before the first whose key is not less than this text. The caller holds the
 * lock. */
static size_t place_of(const char *text)
{
    size_t low = 0, high = known.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(known.entry[middle].key, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static entry *find(const char *key)
{
    const size_t place = place_of(key);
    return place < known.count && strcmp(known.entry[place].key, key) == 0 ? &known.entry[place]
                                                                           : NULL;
}

static entry *insert(const char *key)
{
    entry *larger = realloc(known.entry, (known.count + 1) * sizeof *larger);
    if (!larger)
        return NULL;
    known.entry = larger;
    entry *at = known.entry + place_of(key);
    memmove(at + 1, at, (size_t)(known.entry + known.count++ - at) * sizeof *at);
    *at = (entry){0};
    return at;
}

/* Replaces the decision for the key. False and an error: no memory. */
static bool put(const char *key, size_t length, const char *decision, size_t bytes, bool recorded)
{
    char *text = calloc(length + bytes + 2, 1);
    pthread_mutex_lock(&lock);
    entry *at = text ? find(memcpy(text, key, length)) : NULL;
    at = at || !text ? at : insert(text);
    if (at) {
        free(at->key);
        *at = (entry){text, memcpy(text + length + 1, decision, bytes), recorded || at->recorded};
    }
    pthread_mutex_unlock(&lock);
    if (!at) {
        weft_error("no memory for wisdom");
        free(text);
    }
    return at != NULL;
}

char *weft_wisdom_find(const char *key)
{
    pthread_mutex_lock(&lock);
    const entry *found = find(key);
    char *copy = found ? strdup(found->decision) : NULL;
    pthread_mutex_unlock(&lock);
    return copy;
}

bool weft_wisdom_begins(const char *text, size_t length)
{
    char *begin = strndup(text, length);
    pthread_mutex_lock(&lock);
    const size_t place = begin ? place_of(begin) : known.count;
    const bool any = place < known.count && strncmp(known.entry[place].key, text, length) == 0;
    pthread_mutex_unlock(&lock);
    free(begin);
    return any;
}

void weft_wisdom_drop(const char *key, bool only_recorded)
{
    pthread_mutex_lock(&lock);
    entry *old = find(key);
    if (old && (old->recorded || !only_recorded)) {
        free(old->key);
        memmove(old, old + 1, (size_t)(known.entry + --known.count - old) * sizeof *old);
    }
    pthread_mutex_unlock(&lock);
}

void weft_wisdom_forget(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < known.count; i++)
        free(known.entry[i].key);
    free(known.entry);
    memset(&known, 0, sizeof known);
    pthread_mutex_unlock(&lock);
}

static const char arrow[] = " => ", tilde[] = " ~ ", head[] = "weft-wisdom ";

typedef enum {
    LINE_EMPTY, /* empty, or a comment */
    LINE_HEAD,
    LINE_DECISION,
    LINE_DAMAGED,
    LINE_OTHER /* a line below the head line of another version */
} line_kind;

typedef struct {
    line_kind kind;
    int version;      /* version in the last head line */
    const char *text; /* the line without its line end */
    size_t length;
    size_t key_length; /* length of a decision's key, with which the line begins */
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
    if (line->length < CHECKSUM + TILDE || line->length + 1 >= WEFT_WISDOM_LINE)
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

/* Reads the line at the beginning of `text` and returns where the next line begins. `line` still
 * has the version of the last head line before it. */
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

/* Writes a line with its line end; false with an error when key and decision do not fit a line. */
static bool write_line(const char *key, const char *decision, char line[WEFT_WISDOM_LINE])
{
    const size_t length = strlen(key) + ARROW + strlen(decision);
    if (!*key || *key == '#' || strstr(key, arrow) || !printable(key, strlen(key)) ||
        !printable(decision, strlen(decision)) || length + TILDE + CHECKSUM + 1 >= WEFT_WISDOM_LINE)
        return weft_error(
            "the key \"%.60s\" and the decision \"%.60s\" do not fit a line of wisdom", key,
            decision);
    snprintf(line, WEFT_WISDOM_LINE, "%s%s%s", key, arrow, decision);
    snprintf(line + length, WEFT_WISDOM_LINE - length, "%s%08lx\n", tilde,
             (unsigned long)checksum(line, length));
    return true;
}

bool weft_wisdom_learn(const char *key, const char *decision, bool recorded)
{
    char line[WEFT_WISDOM_LINE];
    return write_line(key, decision, line) &&
           put(key, strlen(key), decision, strlen(decision), recorded);
}

static char *text_of(FILE *file, char **text)
{
    const bool ok = file && !ferror(file);
    if (file && fclose(file) == 0 && ok)
        return *text;
    free(*text);
    weft_error("no memory for the text of wisdom");
    return NULL;
}

char *weft_wisdom_text(void)
{
    char *text = NULL, line[WEFT_WISDOM_LINE];
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (file) {
        fprintf(file, "%s%d\n", head, WEFT_WISDOM_VERSION);
        pthread_mutex_lock(&lock);
        for (size_t i = 0; i < known.count; i++) /* entries always fit a line */
            if (write_line(known.entry[i].key, known.entry[i].decision, line))
                fputs(line, file);
        pthread_mutex_unlock(&lock);
    }
    return text_of(file, &text);
}

weft_wisdom_tally weft_wisdom_add(const char *text)
{
    weft_wisdom_tally tally = {0};
    wisdom_line line = {.version = WEFT_WISDOM_VERSION};
    while (*text) {
        text = read_line(text, &line);
        tally.other += line.kind == LINE_OTHER;
        tally.damaged += line.kind == LINE_DAMAGED;
        tally.used += line.kind == LINE_DECISION &&
                      put(line.text, line.key_length, line.decision, line.decision_length, false);
    }
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
        fprintf(file, "%s%d\n", head, WEFT_WISDOM_VERSION);
    if (file)
        fputs(added, file);
    return text_of(file, &result);
}
