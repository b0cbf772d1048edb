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

/* The words of --kinds and the numbers of weft.h. */
#define WEFT_KIND_WORDS                                                                            \
    {                                                                                              \
        {"r2hc", FFTW_R2HC}, {"hc2r", FFTW_HC2R}, {"dht", FFTW_DHT}, {"redft00", FFTW_REDFT00},    \
            {"redft01", FFTW_REDFT01}, {"redft10", FFTW_REDFT10}, {"redft11", FFTW_REDFT11},       \
            {"rodft00", FFTW_RODFT00}, {"rodft01", FFTW_RODFT01}, {"rodft10", FFTW_RODFT10},       \
            {"rodft11", FFTW_RODFT11}, {"none", WEFT_NONE}, {"forward", WEFT_DFT_FORWARD},         \
            {"backward", WEFT_DFT_BACKWARD}, {"r2c", WEFT_DFT_R2C}, {"c2r", WEFT_DFT_C2R},         \
        {                                                                                          \
            NULL, 0                                                                                \
        }                                                                                          \
    }

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
