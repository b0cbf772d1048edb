/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decisions in FFTW's wisdom. A record is a decision as lines of that wisdom, which a program may
 * save and send as it likes. FFTW keeps a line of the name TIMEOUT whatever it says (FFTW found
 * nothing for this signature in that time) and writes it out again; a signature has 128 bits, and
 * no problem of FFTW's will ever have one of these:
 *
 *     (TIMEOUT 0 #x3ef7 #x3ef7 #x1 #xIDENTITY #xPPPPIICC #xPPPPPPPP #xPPPPPPPP)
 *                ^ the mark    ^ the version of the format
 *
 * IDENTITY is a digest of the whole record, II the line's number of CC lines, P its ten bytes: of
 * the key's digest, the rigor, the generation and the decision's text. A record that is incomplete
 * or damaged does not count. FFTW never removes a line, so of several records for a key the one
 * with the most rigor counts, and of these the one of the highest generation.
 *
 * A marker tells within a microsecond whether there are records for a key, where exporting FFTW's
 * wisdom takes a hundred and more: it is the wisdom for a copy of a few numbers, with strides that
 * encode the key's digest.
 */
#ifndef WEFT_WISDOM_FFTW_H
#define WEFT_WISDOM_FFTW_H

#include <stdbool.h>
#include <stdint.h>
#include "kernels/base/precision.h"
#include "planner/settings.h"
#include "planner/wisdom/decision.h"

/* Collective: the decision that rank 0 knows for the problem, made with the problem's rigor or
 * more; false: there is none. A file that cannot be used is a warning on rank 0 and nothing else.
 */
bool weft_known(const weft_problem *problem, const weft_environment *environment,
                const weft_settings *settings, weft_decision *decision);
/* Collective: all ranks keep rank 0's decision, in the store, in FFTW's wisdom and in the file. */
void weft_learn(const weft_problem *problem, const weft_environment *environment,
                const weft_settings *settings, const weft_decision *decision);

typedef struct {
    uint64_t key; /* digest of the key, which is the same for all rigors */
    unsigned char rigor, generation;
    char decision[WEFT_DECISION_TEXT];
} weft_record;

enum { WEFT_RECORD_LINES = 24576 };

uint64_t weft_record_key(const char *key);
void weft_record_write(const weft_record *record, char lines[WEFT_RECORD_LINES]);
/* The best record for a key, with at least this rigor, among the lines of a text. */
bool weft_record_find(const char *text, uint64_t key, int rigor, weft_record *record);
/* Removes the lines of all records from a text. False: there are none. */
bool weft_records_remove(char *text);

/* Removes all records from FFTW's wisdom. */
void weft_carried_forget(void);

/* FFTW's own functions for its wisdom take no lock, even when the program has made the planner safe
 * for threads; these do. */

/* To be freed; NULL: no memory. */
char *weft_serial_export(void);
/* Adds the wisdom of the text; false: it is no wisdom of FFTW's. */
bool weft_serial_import(const char *text);
/* Forgets what there was before. */
bool weft_serial_replace(const char *text);

#endif
