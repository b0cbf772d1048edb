/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a distributed transform should give: serial FFTW on the whole array, one axis after another.
 * For tests and for weft-info --check. Compiled once a precision.
 */
#ifndef WHOLE_H
#define WHOLE_H

#include <stddef.h>
#include "kernels/base/precision.h"

enum { WHOLE_AXES = 5 };

typedef struct {
    int axes;
    ptrdiff_t n[WHOLE_AXES];     /* points of the grid */
    ptrdiff_t modes[WHOLE_AXES]; /* of the spectrum; all 0: as many as points */
    ptrdiff_t howmany;           /* numbers at each point */
    int kind[WHOLE_AXES];        /* as of weft_plan_many_kinds */
    int there_and_back;          /* forward, then backward */
    int operates;                /* there, times whole_factor, and back to the form of the input */
    ptrdiff_t
        fields; /* with an operator: numbers at each point of the output (0: as many as before); f
                   is f + 1 times the product of number f % howmany and the factor */
} whole_problem;

/* Both sides, input and output, each in the form that a plan takes: real numbers, complex ones, or
 * complex ones with n / 2 + 1 along the last axis. */
typedef struct {
    whole_problem of;
    ptrdiff_t length[2][WHOLE_AXES];
    ptrdiff_t tuple[2]; /* real numbers at each point */
    weft_real *number[2];
    weft_real largest; /* the largest absolute value of the output */
} whole_array;

#define whole_compute WEFT(whole_compute)
#define whole_factor  WEFT(whole_factor)
#define whole_free    WEFT(whole_free)
#define whole_numbers WEFT(whole_numbers)

/* The input is random, the same on all ranks. False: no memory. */
int whole_compute(const whole_problem *problem, whole_array *array);
/* The factor of a point of the spectrum, a complex number. It is real, and the same for opposite
 * frequencies, where the output must be real. */
void whole_factor(const whole_problem *problem, const ptrdiff_t *index, weft_real factor[2]);
void whole_free(whole_array *array);
/* How many real numbers a side has. */
ptrdiff_t whole_numbers(const whole_array *array, int side);

#endif
