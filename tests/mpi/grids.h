/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cases of transforms on a process grid. This file computes the place of each number from the rules
 * of weft.h, independently of the library.
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
    int kind[GRIDS_RANK]; /* kinds of weft.h */
    int dimensions, dims[GRIDS_RANK];
    bool column_major;
    unsigned flags;
    int operates;     /* 1: forward, an operator, and backward; 2: factors instead of an operator */
    ptrdiff_t fields; /* with an operator: numbers at each point of the output; 0: howmany */
    ptrdiff_t modes[GRIDS_RANK]; /* of the spectrum; all 0: n */
    bool in_place;
    bool null;           /* the arrays of planning are NULL */
    unsigned shared;     /* bits 0, 1: input, output of the first run are in memory that the ranks
                            share; 2, 3: the same for the second run; 4: not on odd ranks */
    const char *backend; /* NULL: the planner chooses */
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

/* grids_any_kinds chooses kinds of a sort for a case with rank and n. grids_any_flags then chooses
 * flags and in_place. */
void grids_any_kinds(grids_case *it, int sort, unsigned *state);
void grids_any_flags(grids_case *it, unsigned *state);
/* Chooses an operator or factors, modes, and fields for a case with all the fields before. */
void grids_any_operator(grids_case *it, unsigned *state);
/* Changes the flags of a case with 3 or 4 axes to rows, without FFTW's blocks, not transposed. */
void grids_in_rows(grids_case *it);

/* Returns the kind of the whole transform, the argument of local_size. */
int grids_sort(const grids_case *it);
/* Plans, runs twice, the second time on other arrays, compares and asserts (trials.c). Collective
 * over all ranks; ranks that take no part pass MPI_COMM_NULL. */
void grids_check(const grids_case *it, MPI_Comm comm);
/* Writes the next grid of all ranks with so many dimensions. Set dims to 0 before the first call.
 * Returns false after the last grid. */
bool grids_next(int dimensions, int *dims, int ranks);
/* Makes the plan of a case by the function for its kind. */
FFTW(plan) grids_plan(const grids_case *it, weft_grid grid, void *in, void *out);
/* Returns the whole problem of a case. */
whole_problem grids_whole(const grids_case *it);
/* Makes the plan of a case with an operator. The plan uses `whole` and the factors until it is
 * destroyed; the caller frees *factors. */
FFTW(plan)
grids_operator_plan(const grids_case *it, weft_grid grid, void *in, void *out,
                    const whole_problem *whole, weft_real **factors, MPI_Comm comm);
/* Runs the plan by the new-array function of its kind, on arrays of the same alignment. */
void grids_execute(const grids_case *it, FFTW(plan) plan, void *in, void *out);

/* Writes the range of each divided axis for a rank of a grid. Dimension g divides axis divided[g].
 */
void grids_box(const ptrdiff_t *n, const int *dims, int dimensions, bool column_major,
               const int *divided, bool blocks, int process, ptrdiff_t *start, ptrdiff_t *count);
/* Writes a rank's range of points in rows, in the order of memory. */
void grids_rows(const ptrdiff_t *n, int axes, const int *order, int ranks, int process,
                ptrdiff_t *start, ptrdiff_t *count);
/* Returns the part of a side that a rank of the grid has. */
arrays_part grids_part(const grids_case *it, bool out, int process);
/* grids_rows_map returns the map of a part in rows: axis 0 of the part is its range of points.
 * grids_check_boxes compares maps with local_boxes; the text says what is wrong. */
arrays_map grids_rows_map(const arrays_part *part);
void grids_check_boxes(const grids_case *it, weft_grid grid, const arrays_map side[2], int process,
                       char *text);
/* Compares the parts with local_size; the text says what is wrong. Writes the number of numbers
 * that local_size returns. */
void grids_check_sizes(const grids_case *it, weft_grid grid, const arrays_part part[2], int process,
                       ptrdiff_t *numbers, char *text);
/* Whether a run does not change the input. */
bool grids_preserves(const grids_case *it);
/* Writes the case as one line. */
void grids_describe(const grids_case *it, char *text);

#endif
