/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes problems as lines of text, in the words of weft-bench's command line:
 *
 *     --ranks 4 --precision float --kind r2c --howmany 3 --flags transposed-out --in-place 64x64x64
 *
 * If WEFT_RECORD=FILE is set, a program adds a line to FILE for every problem that it plans;
 * weft-tune reads these lines.
 */
#ifndef WEFT_RECORD_H
#define WEFT_RECORD_H

#include "api/request.h"
#include "api/weft.h"

/* A word and the number that it stands for; a list ends with a word of NULL. */
typedef struct {
    const char *word;
    unsigned number;
} weft_word;

/* The words of --flags, for those flags that change the problem. */
#define WEFT_FLAG_WORDS                                                                            \
    {                                                                                              \
        {"destroy-input", FFTW_DESTROY_INPUT}, {"preserve-input", FFTW_PRESERVE_INPUT},            \
            {"unaligned", FFTW_UNALIGNED}, {"conserve-memory", FFTW_CONSERVE_MEMORY},              \
            {"scrambled-in", WEFT_SCRAMBLED_IN}, {"scrambled-out", WEFT_SCRAMBLED_OUT},            \
            {"transposed-in", WEFT_TRANSPOSED_IN}, {"transposed-out", WEFT_TRANSPOSED_OUT},        \
            {"rows", WEFT_ROWS}, {"unpadded", WEFT_UNPADDED}, {"fftw-blocks", WEFT_FFTW_BLOCKS},   \
            {"reversed", WEFT_REVERSED}, {"same-layout", WEFT_SAME_LAYOUT},                        \
        {                                                                                          \
            NULL, 0                                                                                \
        }                                                                                          \
    }

/* Rank 0 appends the line to the file of WEFT_RECORD, unless the file contains it already. */
void weft_record(const weft_request *request, const weft_problem *problem, const char *precision);

#endif
