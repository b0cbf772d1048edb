/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records: decisions as lines of FFTW's own wisdom, which so goes wherever a program takes that.
 * FFTW keeps a line of the name TIMEOUT whatever it says (nothing was found for this signature in
 * that time) and writes it out again; a signature has room for 128 bits, and no problem of FFTW's
 * will ever have one of these:
 *
 *     (TIMEOUT 0 #x3ef7 #x3ef7 #x1 #xIDENTITY #xPPPPIICC #xPPPPPPPP #xPPPPPPPP)
 *                ^ the mark    ^ of what version
 *
 * IDENTITY is a digest of the whole record, II the line's place among CC lines, P its ten bytes:
 * of the key's digest, the rigor, the generation and the decision's text. What is incomplete or
 * changed does not count. Lines are never taken back by FFTW, so of several records for a key the
 * one of more rigor counts, and of these the one of the highest generation.
 */
#ifndef WEFT_RECORDS_H
#define WEFT_RECORDS_H

#include <stdbool.h>
#include <stdint.h>
#include "planner/wisdom/decision.h"

typedef struct {
    uint64_t key; /* digest of the key, which is the same for all rigors */
    unsigned char rigor, generation;
    char decision[WEFT_DECISION_TEXT];
} weft_record;

enum { WEFT_RECORD_LINES = 24576 };

uint64_t weft_record_key(const char *key);
/* The lines of a record. */
void weft_record_write(const weft_record *record, char lines[WEFT_RECORD_LINES]);
/* The best record for a key, of so much rigor or more, among the lines of a text. */
bool weft_record_find(const char *text, uint64_t key, int rigor, weft_record *record);
/* Takes the lines of all records out of a text. False: there are none. */
bool weft_records_remove(char *text);

#endif
