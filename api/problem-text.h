/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Problems as text, in the words of weft-bench's command line:
 *
 *     --kind r2c --howmany 3 --flags transposed-out --in-place 64x64x64
 *
 * Reports, traces and the keys of wisdom begin with this text. If WEFT_RECORD=FILE is set, a
 * program adds a line to FILE for every problem that it plans; weft-tune reads these lines.
 */
#ifndef WEFT_PROBLEM_TEXT_H
#define WEFT_PROBLEM_TEXT_H

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

/* Sets `text`. Different problems have different texts, except for the rigor, the threads, the
 * device, and the boxes of the ranks if the problem is between distributions. */
void weft_problem_write(weft_problem *problem);
/* Rank 0 appends the number of ranks, the precision, the number of threads and the text to the file
 * of WEFT_RECORD, unless the file contains that line already or there are no words for the
 * problem, because its distributions are arbitrary. */
void weft_problem_record(const weft_problem *problem, const char *precision);

#endif
