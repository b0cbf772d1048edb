/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decisions in FFTW's wisdom. A record is one decision, written as lines of FFTW's wisdom, so that
 * a program saves and sends it with the wisdom. FFTW keeps and exports any line with the name
 * TIMEOUT (which means: FFTW found no plan for this signature in time). A signature has 128 bits,
 * and FFTW's own problems do not have the signatures that Weft uses:
 *
 *     (TIMEOUT 0 #x3ef7 #x3ef7 #x1 #xIDENTITY #xPPPPIICC #xPPPPPPPP #xPPPPPPPP)
 *                ^ Weft's number   ^ the version of the format
 *
 * IDENTITY is a digest of the whole record, II the index of the line among the record's CC lines, P
 * ten bytes of the record, which consists of the key's digest, the rigor, the generation and the
 * text of the decision. An incomplete or damaged record is ignored. FFTW never removes a line. Of
 * several records for a key, the one with the most rigor counts; of these, the one of the highest
 * generation.
 *
 * A key entry shows within a microsecond whether a key has records; exporting FFTW's wisdom takes
 * more than a hundred. The key entry is FFTW's wisdom for copying a few numbers with strides that
 * encode the key's digest.
 */
#ifndef WEFT_WISDOM_FFTW_H
#define WEFT_WISDOM_FFTW_H

#include <stdbool.h>
#include <stdint.h>
#include "kernels/base/precision.h"
#include "planner/settings.h"
#include "planner/wisdom/decision.h"

/* Returns the decision that rank 0 knows for the problem, made with at least the problem's rigor;
 * false: there is none. A wisdom file that cannot be used only makes rank 0 print a warning.
 * Collective. */
bool weft_find_decision(const weft_problem *problem, const weft_environment *environment,
                        const weft_settings *settings, weft_decision *decision);
/* All ranks keep rank 0's decision in the store and in FFTW's wisdom; rank 0 also adds it to the
 * file. Collective. */
void weft_store_decision(const weft_problem *problem, const weft_environment *environment,
                         const weft_settings *settings, const weft_decision *decision);

typedef struct {
    uint64_t key; /* digest of the key without its rigor */
    unsigned char rigor, generation;
    char decision[WEFT_DECISION_TEXT];
} weft_record;

enum { WEFT_RECORD_LINES = 24576 };

uint64_t weft_record_key(const char *key);
void weft_record_write(const weft_record *record, char lines[WEFT_RECORD_LINES]);
/* Finds the best record for a key, with at least this rigor, in a text. */
bool weft_record_find(const char *text, uint64_t key, int rigor, weft_record *record);
/* Removes the lines of all records from a text. False: it contains none. */
bool weft_records_remove(char *text);

/* Removes all records from FFTW's wisdom. */
void weft_forget_records(void);

/* FFTW's functions for wisdom take no lock, even after the program made the planner thread safe.
 * The following functions do. */

/* The caller frees the text; NULL: no memory. */
char *weft_serial_export(void);
/* Adds the wisdom in the text or, with `forget`, replaces FFTW's wisdom by it; false: FFTW does not
 * accept the text. */
bool weft_serial_import(const char *text, bool forget);

#endif
