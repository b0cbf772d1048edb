/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text as wisdom: a file of Weft, with corrected checksums in half of the cases; a decision;
 * and records among the lines of FFTW's wisdom, changed after they were written. Wisdom that was
 * read and written must read the same again.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "planner/wisdom/decision.h"
#include "planner/wisdom/fftw.h"
#include "planner/wisdom/wisdom.h"
#include "tests/fuzz/seal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void try_file(const char *text)
{
    weft_wisdom_recognised(text);
    weft_wisdom_forget();
    weft_wisdom_tally tally = weft_wisdom_add(text);
    char *first = weft_wisdom_text(), *more = weft_wisdom_with(text, "a key", "a decision");
    weft_wisdom_forget();
    tally = weft_wisdom_add(first);
    char *again = weft_wisdom_text();
    must(tally.damaged == 0 && tally.other == 0 && strcmp(first, again) == 0);
    weft_wisdom_add(more);
    char *found = weft_wisdom_find("a key");
    must(found && strcmp(found, "a decision") == 0);
    free(first);
    free(again);
    free(more);
    free(found);
}

static void try_decision(const char *text)
{
    weft_decision decision, again;
    char written[WEFT_DECISION_TEXT], twice[WEFT_DECISION_TEXT];
    if (!weft_decision_read(text, &decision))
        return;
    weft_decision_write(&decision, written);
    must(strlen(written) < sizeof written - 1 && weft_decision_read(written, &again));
    weft_decision_write(&again, twice);
    must(strcmp(written, twice) == 0);
}

static void try_lines(char *text)
{
    weft_record record;
    for (int rigor = 0; rigor < 4; rigor++)
        if (weft_record_find(text, 7, rigor, &record))
            must(record.key == 7 && record.rigor >= rigor);
    weft_records_remove(text);
    must(!weft_record_find(text, 7, 0, &record));
}

/* Makes a record from the first half of the text, and replaces some letters of it according to the
 * second half. */
static void try_record(const char *text, size_t length)
{
    static char lines[WEFT_RECORD_LINES];
    weft_record record = {.key = 7, .rigor = (unsigned char)length & 3}, found;
    const size_t half = length / 2 < sizeof record.decision ? length / 2 : 0;
    memcpy(record.decision, text, half);
    weft_record_write(&record, lines);
    must(weft_record_find(lines, 7, 0, &found) && strcmp(found.decision, record.decision) == 0);
    const size_t capacity = strlen(lines);
    for (size_t i = half; i + 2 < length; i += 3)
        lines[((unsigned char)text[i] << 8 | (unsigned char)text[i + 1]) % capacity] = text[i + 2];
    try_lines(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned how = size > 0 ? data[0] % 5 : 0;
    char *text = calloc(size + 1, 1);
    if (size > 0)
        memcpy(text, data + 1, size - 1);
    if (how == 1)
        seal(text);
    if (how < 2)
        try_file(text);
    else if (how == 2)
        try_decision(text);
    else if (how == 3)
        try_lines(text);
    else
        try_record(text, strlen(text));
    free(text);
    return 0;
}
