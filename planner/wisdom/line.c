/* SPDX-License-Identifier: BSD-3-Clause */
/* A line counts only when its checksum is right: a decision read wrongly would be worse than none.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "kernels/base/error.h"
#include "planner/wisdom/line.h"

static const char arrow[] = " => ", tilde[] = " ~ ", head[] = "weft-wisdom ";

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

static bool read_head(weft_line *line)
{
    if (line->length <= HEAD || line->length > HEAD + MOST_DIGITS ||
        memcmp(line->text, head, HEAD) != 0)
        return false;
    for (size_t i = HEAD; i < line->length; i++) {
        if (line->text[i] < '0' || line->text[i] > '9')
            return false;
        line->version = 10 * line->version + (line->text[i] - '0');
    }
    return true;
}

static bool read_decision(weft_line *line)
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

const char *weft_line_read(const char *text, weft_line *line)
{
    const char *end = strchr(text, '\n');
    const char *next = end ? end + 1 : text + strlen(text);
    *line = (weft_line){.text = text, .length = (size_t)((end ? end : next) - text)};
    if (line->length > 0 && text[line->length - 1] == '\r')
        line->length--;
    if (line->length == 0 || text[0] == '#')
        line->kind = WEFT_LINE_EMPTY;
    else if (read_head(line))
        line->kind = WEFT_LINE_HEAD;
    else
        line->kind = read_decision(line) ? WEFT_LINE_DECISION : WEFT_LINE_DAMAGED;
    return next;
}

bool weft_line_write(const char *key, const char *decision, char line[WEFT_WISDOM_LINE])
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
