/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A strict reader of JSON (RFC 8259), for what Weft writes: nothing but the grammar is
 * accepted, names within an object must differ, and values are found by path.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the text is one value, with nothing but white space around it; else `at` is where it goes
 * wrong. */
bool json_valid(const char *text, size_t *at);

/* Where a value begins, by names and indices: "exchanges.0.bytes"; NULL: there is none. Of valid
 * texts. */
const char *json_find(const char *text, const char *path);
/* How many values an array or an object has; -1: it is neither, or NULL. */
int json_count(const char *value);
/* A number; -1 when there is none. */
double json_number_of(const char *text, const char *path);
/* Writes the string without its quotes and escapes (of one byte each); false: it is none. */
bool json_string_of(const char *text, const char *path, char *string, size_t capacity);

#endif
