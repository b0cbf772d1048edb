/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decisions are found in this process's wisdom, which the file is read into, or else among FFTW's
 * records; what is found there is kept in the former, so that FFTW's wisdom is searched once for a
 * key. When a program has FFTW forget its wisdom, Weft forgets what that carried, but for what
 * stands in the file.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "planner/wisdom/carried.h"
#include "planner/wisdom/known.h"
#include "planner/wisdom/wisdom.h"

enum { MOST_RIGOR = 3, GENERATIONS = 255 };

/* The keys of a problem, by rigor. */
typedef struct {
    char text[MOST_RIGOR + 1][WEFT_KEY_TEXT];
    uint64_t digest;
} keys;

static void make_keys(const weft_problem *problem, const weft_environment *environment, keys *key)
{
    weft_problem_key(problem, environment, 0, key->text[0]);
    for (int rigor = 1; rigor <= MOST_RIGOR; rigor++) {
        memcpy(key->text[rigor], key->text[0], WEFT_KEY_TEXT);
        weft_key_change_rigor(key->text[rigor], rigor);
    }
    key->digest = weft_record_key(key->text[0]);
}

/* To be freed. */
static char *find_own(const keys *key, int least)
{
    char *found = NULL;
    for (int rigor = MOST_RIGOR; !found && rigor >= least; rigor--)
        found = weft_wisdom_find(key->text[rigor]);
    return found;
}

static char *find_carried(const keys *key, int least)
{
    weft_record record;
    if (!weft_carried_find(key->digest, least, &record))
        return NULL;
    if (!weft_wisdom_learn(key->text[record.rigor], record.decision))
        weft_error_clear(); /* found again next time */
    return strdup(record.decision);
}

/* Why there is none, if there is one for the same problem in other surroundings. */
static void tell_elsewhere(const weft_environment *environment, const char *key)
{
    const char *where = strstr(key, environment->precision);
    if (where && weft_wisdom_begins(key, (size_t)(where - key)))
        fprintf(stderr, "weft: the wisdom for %.*sis not for %s\n", (int)(where - key), key, where);
}

static char *look_up(const weft_problem *problem, const weft_environment *environment,
                     const weft_settings *settings)
{
    keys key;
    const int rigor = weft_rigor(problem->flags);
    make_keys(problem, environment, &key);
    if (settings->wisdom)
        weft_wisdom_use(settings->wisdom);
    else if (weft_carried_lost(key.digest))
        for (int i = 0; i <= MOST_RIGOR; i++)
            weft_wisdom_drop(key.text[i]);
    char *found = find_own(&key, rigor);
    if (!found)
        found = find_carried(&key, rigor);
    if (!found && settings->verbose > 0)
        tell_elsewhere(environment, key.text[rigor]);
    return found;
}

bool weft_known(const weft_problem *problem, const weft_environment *environment,
                const weft_settings *settings, weft_decision *decision)
{
    char *mine = problem->rank == 0 ? look_up(problem, environment, settings) : NULL;
    weft_told told;
    weft_agree_text(problem->comm, mine, &told);
    /* a backend of a plug-in may be missing on one rank */
    const bool known =
        told.text && weft_agree(problem->comm, weft_decision_read(told.text, decision));
    free(mine);
    weft_told_free(&told);
    weft_error_clear();
    return known;
}

/* Of the record that the next one takes the place of, and one more. */
static unsigned char next_generation(uint64_t key)
{
    weft_record last;
    if (!weft_carried_find(key, 0, &last))
        return 0;
    return last.generation < GENERATIONS ? last.generation + 1 : GENERATIONS;
}

/* What all ranks keep, in three parts: the key, the decision, the lines of its record. */
static char *lesson(const char *key, const char *decision, int rigor)
{
    char *text, lines[WEFT_RECORD_LINES];
    weft_record record = {.key = weft_record_key(key), .rigor = (unsigned char)rigor};
    record.generation = next_generation(record.key);
    snprintf(record.decision, sizeof record.decision, "%s", decision);
    weft_record_write(&record, lines);
    return asprintf(&text, "%s\n%s\n%s", key, decision, lines) < 0 ? NULL : text;
}

/* Where FFTW is not as expected, only its own file says so. */
static void keep(const weft_settings *settings, const char *key, const char *decision,
                 const char *lines, bool rank_0)
{
    static atomic_bool told;
    if (!weft_wisdom_learn(key, decision))
        weft_error_clear(); /* planned all the same */
    if (rank_0 && settings->wisdom)
        weft_wisdom_keep(settings->wisdom, key, decision);
    if (weft_carried_add(weft_record_key(key), lines) || !rank_0 || settings->verbose < 1 ||
        atomic_exchange(&told, true))
        return;
    fputs("weft: FFTW's wisdom does not take Weft's decisions; WEFT_WISDOM keeps them in a file\n",
          stderr);
}

void weft_learn(const weft_problem *problem, const weft_environment *environment,
                const weft_settings *settings, const weft_decision *decision)
{
    char key[WEFT_KEY_TEXT], text[WEFT_DECISION_TEXT], *mine = NULL;
    const int rigor = weft_rigor(problem->flags);
    if (problem->rank == 0) { /* the processor and the passes are rank 0's */
        weft_problem_key(problem, environment, rigor, key);
        weft_decision_write(decision, text);
        mine = lesson(key, text, rigor);
    }
    weft_told told;
    weft_agree_text(problem->comm, mine, &told);
    char *rest = told.text;
    const char *part[2] = {strsep(&rest, "\n"), rest ? strsep(&rest, "\n") : NULL};
    if (rest)
        keep(settings, part[0], part[1], rest, problem->rank == 0);
    weft_error_clear();
    weft_told_free(&told);
    free(mine);
}
