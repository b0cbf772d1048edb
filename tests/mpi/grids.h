/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cases of transforms on a process grid. The place of each number is computed here, from what
 * weft.h says, independently of the library.
 */
#ifndef GRIDS_H
#define GRIDS_H

#include <stdbool.h>
#include <stddef.h>
#include "tests/mpi/arrays.h"
#include "tools/info/whole.h"
#include "api/weft.h"

enum { GRIDS_RANK = ARRAYS_RANK, GRIDS_TEXT = 500 };

typedef struct {
    int rank;
    ptrdiff_t n[GRIDS_RANK];
    ptrdiff_t howmany;
    int kind[GRIDS_RANK]; /* numbers of weft.h */
    int dimensions, dims[GRIDS_RANK];
    bool column_major;
    unsigned flags;
    int operates; /* 1: there, an operator, and back; 2: times factors in place of an operator */
    ptrdiff_t fields; /* with an operator: numbers of a point of the output; 0: as many as before */
    ptrdiff_t modes[GRIDS_RANK]; /* with an operator; all 0: as many as n */
    bool in_place;
    bool null;           /* planned for arrays of NULL */
    unsigned shared;     /* bits 0 to 3: input and output of the first, then of the second run come
                            from memory that ranks share; 4: not on ranks of odd number */
    const char *backend; /* NULL: whatever is chosen */
} grids_case;

/* Sorts of transforms: with one kind along all axes, or r2r along some. */
enum {
    GRIDS_FORWARD,
    GRIDS_BACKWARD,
    GRIDS_R2C,
    GRIDS_C2R,
    GRIDS_R2R,
    GRIDS_MIXED,
    GRIDS_MIXED_REAL,
    GRIDS_SORTS
};

/* For a case with rank and n: kinds of a sort; and for one with kinds: flags, and whether it is in
 * place. */
void grids_any_kinds(grids_case *it, int sort, unsigned *state);
void grids_any_flags(grids_case *it, unsigned *state);
/* For a case with all of this: an operator or factors, modes, and fields of the output. */
void grids_any_operator(grids_case *it, unsigned *state);
/* In rows instead, of 3 and 4 axes, where there are no blocks and sides lie as they lie. */
void grids_in_rows(grids_case *it);

/* The whole transform's kind, as local_size wants it. */
int grids_sort(const grids_case *it);
/* Plans, runs twice, the second time on other arrays, compares and asserts (trials.c); collective
 * over all ranks, some of which may stay out with MPI_COMM_NULL. */
void grids_check(const grids_case *it, MPI_Comm comm);
/* The next grid of so many dimensions for all ranks; begins with dims of 0. False after the last.
 */
bool grids_next(int dimensions, int *dims, int ranks);
/* The plan of a case, by the function that is made for it. */
FFTW(plan) grids_plan(const grids_case *it, weft_grid grid, void *in, void *out);
/* The whole problem of a case. */
whole_problem grids_whole(const grids_case *it);
/* The same for a case with an operator. The plan uses `whole` and the factors as long as it lives;
 * the caller frees *factors. */
FFTW(plan)
grids_operator_plan(const grids_case *it, weft_grid grid, void *in, void *out,
                    const whole_problem *whole, weft_real **factors, MPI_Comm comm);
/* By the new-array function of the kind, with arrays of the same alignment. */
void grids_execute(const grids_case *it, FFTW(plan) plan, void *in, void *out);

/* What a rank of the grid holds of a side. */
/* What part `at` of so many has of an axis, balanced or in blocks as FFTW's. */
void grids_deal(ptrdiff_t n, int parts, int at, bool blocks, ptrdiff_t *start, ptrdiff_t *count);
arrays_part grids_part(const grids_case *it, bool out, int process);
/* In rows, where a part has the range of points as along axis 0: its map, and whether local_boxes
 * says the same. */
arrays_map grids_rows_map(const arrays_part *part);
void grids_check_boxes(const grids_case *it, weft_grid grid, const arrays_map side[2], int process,
                       char *text);
/* Whether local_size says the same, or else in the text why not; and how many numbers it says. */
void grids_check_sizes(const grids_case *it, weft_grid grid, const arrays_part part[2], int process,
                       ptrdiff_t *numbers, char *text);
/* Whether a run leaves the input as it was. */
bool grids_preserves(const grids_case *it);
/* The case in a line. */
void grids_describe(const grids_case *it, char *text);

#endif
