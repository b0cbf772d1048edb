/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps decisions in FFTW's wisdom, and looks up a decision: first in the store of this process,
 * which also has the decisions of the WEFT_WISDOM file, then in FFTW's wisdom. A decision found in
 * FFTW's wisdom is added to the store, so FFTW's wisdom is searched only once for a key. When a
 * program makes FFTW forget its wisdom, Weft also forgets the decisions of that wisdom, but
 * not the decisions of the file.
 *
 * FFTW cannot remove a single line. To remove its records, Weft makes FFTW forget everything and
 * import the rest again.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/digest.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "kernels/pass/libfftw3.h"
#include "planner/wisdom/fftw.h"
#include "planner/wisdom/wisdom.h"

typedef struct {
    const char *from; /* NULL: export */
    bool forget, done;
    char *to;
} wisdom_call;

static void do_call(void *argument)
{
    wisdom_call *it = argument;
    if (it->forget)
        FFTW(forget_wisdom)();
    if (it->from)
        it->done = FFTW(import_wisdom_from_string)(it->from);
    else
        it->to = FFTW(export_wisdom_to_string)();
}

char *weft_serial_export(void)
{
    wisdom_call it = {0};
    weft_planner_locked(do_call, &it);
    return it.to;
}

bool weft_serial_import(const char *text, bool forget)
{
    wisdom_call it = {.from = text, .forget = forget};
    weft_planner_locked(do_call, &it);
    return it.done;
}

#define RECORD_BEGIN "(TIMEOUT 0 #x3ef7 #x3ef7 "

enum {
    FORMAT = 1,
    LINE_BYTES = 10, /* bytes of a line */
    HEAD_BYTES = offsetof(weft_record, decision),
    MOST_LINES = (HEAD_BYTES + WEFT_DECISION_TEXT + LINE_BYTES - 1) / LINE_BYTES,
    MOST_RIGOR = 3
};

/* A record as the bytes of its lines; the last line is padded with 0. On a processor with the other
 * byte order its digest differs, so it is not used: decisions are for one processor anyway. */
typedef union {
    weft_record record;
    unsigned char byte[MOST_LINES * LINE_BYTES];
} record_bytes;

/* One line, as read. */
typedef struct {
    uint32_t identity;
    unsigned place, lines;
    unsigned char byte[LINE_BYTES];
} record_line;

uint64_t weft_record_key(const char *key)
{
    const char *rigor = strstr(key, " rigor=");
    return weft_digest_bytes(key, rigor ? (size_t)(rigor - key) : strlen(key));
}

static uint32_t identity_of(const record_bytes *all, unsigned lines)
{
    return (uint32_t)weft_digest_bytes(all->byte, (size_t)lines * LINE_BYTES);
}

void weft_record_write(const weft_record *record, char lines[WEFT_RECORD_LINES])
{
    record_bytes all = {.byte = {0}};
    weft_writer to = weft_write_to(lines, WEFT_RECORD_LINES);
    const size_t bytes = HEAD_BYTES + strlen(record->decision);
    const unsigned count = (unsigned)((bytes + LINE_BYTES - 1) / LINE_BYTES);
    memcpy(all.byte, record, bytes);
    const unsigned identity = identity_of(&all, count);
    for (unsigned i = 0; i < count; i++) {
        const unsigned char *byte = all.byte + (size_t)i * LINE_BYTES;
        uint32_t word[2];
        memcpy(word, byte + 2, sizeof word);
        weft_write(&to, "  " RECORD_BEGIN "#x%x #x%08x #x%02x%02x%02x%02x #x%08x #x%08x)\n", FORMAT,
                   identity, byte[1], byte[0], i, count, word[0], word[1]);
    }
}

/* Reads the next line of any record; returns the text after its begin. NULL: no line is left. */
static const char *next_line(const char *text, record_line *it)
{
    while ((text = strstr(text, RECORD_BEGIN))) {
        char line[64], end;
        unsigned version, identity, first;
        uint32_t word[2];
        text += sizeof RECORD_BEGIN - 1;
        snprintf(line, sizeof line, "%.63s", text);
        if (sscanf(line, "#x%8x #x%8x #x%8x #x%8" SCNx32 " #x%8" SCNx32 "%c", &version, &identity,
                   &first, &word[0], &word[1], &end) < 6 ||
            version != FORMAT || end != ')')
            continue;
        *it = (record_line){.identity = identity,
                            .place = first >> 8 & 255,
                            .lines = first & 255,
                            .byte = {first >> 16 & 255, first >> 24}};
        memcpy(it->byte + 2, word, sizeof word);
        if (it->place < it->lines && it->lines <= MOST_LINES)
            return text;
    }
    return NULL;
}

/* Collects all lines of the record that begins with `first`. When two lines have the same place,
 * one of them is damaged; `last` says which of the two is used. */
static bool collect(const char *text, const record_line *first, bool last, weft_record *record)
{
    record_bytes all = {.byte = {0}};
    bool have[MOST_LINES] = {false};
    record_line it;
    while ((text = next_line(text, &it)))
        if (it.identity == first->identity && it.lines == first->lines &&
            (last || !have[it.place])) {
            memcpy(all.byte + (size_t)it.place * LINE_BYTES, it.byte, LINE_BYTES);
            have[it.place] = true;
        }
    *record = all.record;
    return identity_of(&all, first->lines) == first->identity && record->rigor <= MOST_RIGOR &&
           !record->decision[sizeof record->decision - 1];
}

/* Whether a counts before b. The last comparison only makes the order the same in every process. */
static bool better(const weft_record *a, const weft_record *b)
{
    if (a->rigor != b->rigor)
        return a->rigor > b->rigor;
    if (a->generation != b->generation)
        return a->generation > b->generation;
    return strcmp(a->decision, b->decision) < 0;
}

bool weft_record_find(const char *text, uint64_t key, int rigor, weft_record *record)
{
    bool found = false;
    record_line first;
    for (const char *at = text; (at = next_line(at, &first));) {
        weft_record other;
        if (first.place != 0 || memcmp(first.byte, &key, sizeof key) != 0 ||
            !(collect(text, &first, true, &other) || collect(text, &first, false, &other)))
            continue;
        if (other.key != key || other.rigor < rigor || (found && !better(&other, record)))
            continue;
        *record = other;
        found = true;
    }
    return found;
}

bool weft_records_remove(char *text)
{
    char *to = text;
    const char *from = text;
    while (*from)
        if (strncmp(from, RECORD_BEGIN, sizeof RECORD_BEGIN - 1) == 0)
            from += strcspn(from, ")"), from += *from == ')';
        else
            *to++ = *from++;
    *to = '\0';
    return to < from;
}

/* Plans the key entry of a key, so that the wisdom has the entry; with FFTW_WISDOM_ONLY, only if it
 * has the entry already. False: there is no plan. FFTW_ESTIMATE keeps FFTW from touching the
 * arrays. */
static bool plan_key_entry(uint64_t key, unsigned flags)
{
    static _Alignas(64) weft_real from[2], to[2];
    ptrdiff_t part[4];
    for (int i = 0; i < 4; i++)
        part[i] = ((ptrdiff_t)1 << (20 + 2 * i)) + (ptrdiff_t)(key >> 16 * i & 0xffff);
    const FFTW(iodim64) loop[2] = {{2, part[0], part[1]}, {3, part[2], part[3]}};
    weft_planner_one_thread(-1); /* FFTW's wisdom depends on its threads, which others may change */
    FFTW(plan)
    entry = FFTW(plan_guru64_r2r)(0, NULL, 2, loop, from, to, NULL, FFTW_ESTIMATE | flags);
    weft_planner_restore();
    if (entry)
        FFTW(destroy_plan)(entry);
    return entry != NULL;
}

static bool find_record(uint64_t key, int rigor, weft_record *record)
{
    char *text = plan_key_entry(key, FFTW_WISDOM_ONLY) ? weft_serial_export() : NULL;
    const bool found = text && weft_record_find(text, key, rigor, record);
    free(text);
    return found;
}

/* Imports a record's lines into FFTW's wisdom, below FFTW's own first line, which names the version
 * of FFTW, and adds the key entry. False: this FFTW does not accept them. */
static bool add_record(uint64_t key, const char *lines)
{
    char *own = weft_serial_export(), *text = NULL;
    bool ok = own && asprintf(&text, "%.*s\n%s)\n", (int)strcspn(own, "\n"), own, lines) >= 0;
    ok = ok && weft_serial_import(text, false);
    free(text);
    free(own);
    return ok && plan_key_entry(key, 0);
}

void weft_forget_records(void)
{
    char *text = weft_serial_export();
    if (text && weft_records_remove(text))
        weft_serial_import(text, true);
    free(text);
}

enum { GENERATIONS = 255 };

/* Returns the decision with the most rigor, at least `least`; the caller frees it. Changes the
 * rigor in the key. With `lost`, the program has made FFTW forget the key's records, so their
 * decisions are dropped. NULL: none. */
static char *find_in_store(char *key, int least, bool lost)
{
    char *found = NULL;
    for (int rigor = MOST_RIGOR; !found && rigor >= least; rigor--) {
        weft_key_change_rigor(key, rigor);
        if (lost)
            weft_wisdom_drop(key, true);
        found = weft_wisdom_find(key);
    }
    return found;
}

static char *find_in_fftw(char *key, int least)
{
    weft_record record;
    if (!find_record(weft_record_key(key), least, &record))
        return NULL;
    weft_key_change_rigor(key, record.rigor);
    if (!weft_wisdom_learn(key, record.decision, true))
        weft_error_clear(); /* a later search finds the record again */
    return strdup(record.decision);
}

static void report_elsewhere(const weft_environment *environment, const char *key)
{
    const char *where = strstr(key, environment->precision);
    if (where && weft_wisdom_begins(key, (size_t)(where - key)))
        fprintf(stderr, "weft: the wisdom knows %.*sbut not for %s\n", (int)(where - key), key,
                where);
}

static char *look_up(const weft_problem *problem, const weft_environment *environment,
                     const weft_settings *settings)
{
    char key[WEFT_KEY_TEXT];
    const int rigor = weft_rigor(problem->flags);
    weft_problem_key(problem, environment, rigor, key);
    if (settings->wisdom)
        weft_wisdom_use(settings->wisdom);
    const bool recorded = plan_key_entry(weft_record_key(key), FFTW_WISDOM_ONLY);
    char *found = find_in_store(key, rigor, !recorded && !settings->wisdom);
    if (!found && recorded)
        found = find_in_fftw(key, rigor);
    if (!found && settings->verbose > 0)
        report_elsewhere(environment, key);
    return found;
}

bool weft_find_decision(const weft_problem *problem, const weft_environment *environment,
                        const weft_settings *settings, weft_decision *decision)
{
    char *mine = problem->rank == 0 ? look_up(problem, environment, settings) : NULL;
    weft_common_text common;
    weft_broadcast_text(problem->comm, mine, &common);
    /* a plug-in with the backend may be missing on one rank */
    const bool known =
        common.text && weft_agree(problem->comm, weft_decision_read(common.text, decision));
    free(mine);
    weft_common_text_free(&common);
    weft_error_clear();
    return known;
}

/* The text that rank 0 sends to all ranks: the key, the decision, the lines of its record. */
static char *message(const char *key, const char *decision, int rigor)
{
    char *text, lines[WEFT_RECORD_LINES];
    weft_record last, record = {.key = weft_record_key(key), .rigor = (unsigned char)rigor};
    /* one more than the best record has */
    if (find_record(record.key, 0, &last))
        record.generation = last.generation < GENERATIONS ? last.generation + 1 : GENERATIONS;
    snprintf(record.decision, sizeof record.decision, "%s", decision);
    weft_record_write(&record, lines);
    return asprintf(&text, "%s\n%s\n%s", key, decision, lines) < 0 ? NULL : text;
}

/* Keeps a decision in the store, in the file (rank 0) and in FFTW's wisdom. Rank 0 prints a
 * sentence once if this libfftw3 does not accept records. */
static void keep(const weft_settings *settings, const char *key, const char *decision,
                 const char *lines, bool rank_0)
{
    static atomic_bool said;
    const bool recorded = add_record(weft_record_key(key), lines);
    if (!weft_wisdom_learn(key, decision, recorded))
        weft_error_clear(); /* the plan does not depend on it */
    if (rank_0 && settings->wisdom)
        weft_wisdom_keep(settings->wisdom, key, decision);
    if (recorded || !rank_0 || settings->verbose < 1 || atomic_exchange(&said, true))
        return;
    fputs("weft: FFTW's wisdom does not take Weft's decisions; WEFT_WISDOM keeps them in a file\n",
          stderr);
}

void weft_store_decision(const weft_problem *problem, const weft_environment *environment,
                         const weft_settings *settings, const weft_decision *decision)
{
    char key[WEFT_KEY_TEXT], text[WEFT_DECISION_TEXT], *mine = NULL;
    const int rigor = weft_rigor(problem->flags);
    if (problem->rank == 0) { /* key and decision have rank 0's processor and passes */
        weft_problem_key(problem, environment, rigor, key);
        weft_decision_write(decision, text);
        mine = message(key, text, rigor);
    }
    weft_common_text common;
    weft_broadcast_text(problem->comm, mine, &common);
    char *rest = common.text;
    const char *part[2] = {strsep(&rest, "\n"), rest ? strsep(&rest, "\n") : NULL};
    if (rest)
        keep(settings, part[0], part[1], rest, problem->rank == 0);
    weft_error_clear();
    weft_common_text_free(&common);
    free(mine);
}
