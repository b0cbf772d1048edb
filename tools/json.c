/* SPDX-License-Identifier: BSD-3-Clause */
/* One function for each rule of the grammar; each returns where its value ends, NULL when it is
 * none. `fault` then says how far the text was right. */
#include "tools/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A depth of KNOWN or more, below 0, marks a value known to be valid: in it names are not
 * compared again, which would take twice the time with each level. */
enum { DEEPEST = 64, KNOWN = -2 * DEEPEST };

static const char *fault;

static const char *value_end(const char *at, int depth);

static const char *wrong(const char *at)
{
    if (at > fault)
        fault = at;
    return NULL;
}

static const char *blank(const char *at)
{
    return at + strspn(at, " \t\n\r");
}

static const char *digits(const char *at)
{
    const size_t count = strspn(at, "0123456789");
    return count > 0 ? at + count : wrong(at);
}

static const char *string_end(const char *at)
{
    if (*at++ != '"')
        return wrong(at - 1);
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return wrong(at);
        if (*at != '\\')
            continue;
        at++;
        if (*at == 'u') {
            if (strspn(at + 1, "0123456789abcdefABCDEF") < 4)
                return wrong(at);
            at += 4;
        } else if (!*at || !strchr("\"\\/bfnrt", *at)) {
            return wrong(at);
        }
    }
    return at + 1;
}

static const char *number_end(const char *at)
{
    at += *at == '-';
    at = *at == '0' ? at + 1 : digits(at);
    if (at && *at == '.')
        at = digits(at + 1);
    if (at && (*at == 'e' || *at == 'E')) {
        at++;
        at += *at == '+' || *at == '-';
        at = digits(at);
    }
    return at;
}

static const char *word_end(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    return wrong(at);
}

/* A name, its colon and the blanks around it. */
static const char *name_end(const char *at)
{
    at = string_end(at);
    if (!at)
        return NULL;
    at = blank(at);
    return *at == ':' ? blank(at + 1) : wrong(at);
}

/* Whether a name was there before, in the object that begins at `begin`. */
static bool repeated(const char *begin, const char *name)
{
    const char *after = string_end(name);
    for (const char *at = blank(begin + 1); at < name;) {
        const char *end = string_end(at);
        if (end - at == after - name && memcmp(at, name, (size_t)(end - at)) == 0)
            return true;
        at = blank(value_end(name_end(at), KNOWN));
        at = blank(at + 1);
    }
    return false;
}

static const char *list_end(const char *at, char close, int depth)
{
    const char *begin = at;
    at = blank(at + 1);
    if (*at == close)
        return at + 1;
    for (;;) {
        const char *name = at;
        if (close == '}' && (!(at = name_end(at)) || (depth >= 0 && repeated(begin, name))))
            return wrong(name);
        at = value_end(at, depth + 1);
        if (!at)
            return NULL;
        at = blank(at);
        if (*at == close)
            return at + 1;
        if (*at != ',')
            return wrong(at);
        at = blank(at + 1);
    }
}

static const char *value_end(const char *at, int depth)
{
    if (depth > DEEPEST)
        return wrong(at);
    switch (*at) {
    case '{':
        return list_end(at, '}', depth);
    case '[':
        return list_end(at, ']', depth);
    case '"':
        return string_end(at);
    case 't':
    case 'f':
    case 'n':
        return word_end(at);
    default:
        return number_end(at);
    }
}

bool json_valid(const char *text, size_t *at)
{
    fault = text;
    const char *end = value_end(blank(text), 0);
    end = end ? blank(end) : NULL;
    const bool valid = end && *end == '\0';
    if (at)
        *at = valid ? 0 : (size_t)((end ? end : fault) - text);
    return valid;
}

/* The member of that name or index. */
static const char *member(const char *value, const char *name, size_t length)
{
    const bool object = *value == '{';
    if (!object && *value != '[')
        return NULL;
    int left = object ? 0 : atoi(name);
    for (const char *at = blank(value + 1); *at != '}' && *at != ']';) {
        const char *begin = object ? name_end(at) : at;
        const bool named = object && strncmp(at + 1, name, length) == 0 && at[length + 1] == '"';
        if (named || (!object && left-- == 0))
            return begin;
        at = blank(value_end(begin, KNOWN));
        at = *at == ',' ? blank(at + 1) : at;
    }
    return NULL;
}

const char *json_find(const char *text, const char *path)
{
    const char *value = blank(text);
    while (value && *path) {
        const size_t length = strcspn(path, ".");
        value = member(value, path, length);
        path += length;
        path += *path == '.';
    }
    return value;
}

int json_count(const char *value)
{
    int count = 0;
    if (!value || (*value != '{' && *value != '['))
        return -1;
    for (const char *at = blank(value + 1); *at != '}' && *at != ']'; count++) {
        at = blank(value_end(*value == '{' ? name_end(at) : at, KNOWN));
        at = *at == ',' ? blank(at + 1) : at;
    }
    return count;
}

double json_number_of(const char *text, const char *path)
{
    const char *value = json_find(text, path);
    return value && (*value == '-' || (*value >= '0' && *value <= '9')) ? strtod(value, NULL) : -1;
}

bool json_string_of(const char *text, const char *path, char *string, size_t capacity)
{
    const char *at = json_find(text, path);
    size_t used = 0;
    if (!at || *at++ != '"')
        return false;
    for (; *at != '"' && used + 1 < capacity; at++) {
        unsigned letter = (unsigned char)*at;
        if (*at == '\\' && *++at == 'u') {
            sscanf(at + 1, "%4x", &letter);
            at += 4;
        } else {
            letter = (unsigned char)*at;
        }
        string[used++] = (char)letter;
    }
    string[used] = '\0';
    return *at == '"';
}
