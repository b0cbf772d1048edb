/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Problems made up: transforms on slabs, on grids, and between distributions of any sort, with
 * spectra of other lengths or not, and redistributions; each with the whole arrays before and
 * after. The files dropin.h, grids.h and distributions.h work out what each rank holds of them,
 * independently of the library.
 */
#ifndef FUZZ_PROBLEMS_H
#define FUZZ_PROBLEMS_H

#include "api/fftw3-mpi.h"
#include "tests/mpi/distributions.h"
#include "tests/mpi/dropin-parts.h"
#include "tests/mpi/modes.h"

enum { PROBLEM_TEXT = 700 };

typedef enum { ON_SLABS, ON_GRID, BETWEEN } problem_sort;

typedef struct {
    problem_sort sort;
    dropin_case slabs;
    grids_case on_grid;
    struct {
        modes_case modal;
        bool moves;    /* and transforms nothing */
        bool by_boxes; /* moves, by the function of one box a rank */
        bool by_modes;
        box side[2]; /* of by_boxes */
    } between;
    weft_grid grid;
    weft_distribution made[2];
    ptrdiff_t *scrambled; /* the order of a scrambled line */
    arrays_map side[2];
    weft_real *all[2];  /* the whole arrays; of what failed to be made, none */
    ptrdiff_t whole[2]; /* how many real numbers they have */
    bool exact;         /* nothing is rounded */
    weft_real largest;  /* that comes out; 0: must be exact */
    ptrdiff_t numbers;  /* real ones, to allocate */
    bool in_place;
    int shift, new_shift; /* off FFTW's alignment, by so many numbers */
    bool may_fail;        /* no plan is right as well */
} problem;

/* Collective, the same on all ranks. False: the library did not make what it needs, a grid for
 * instance, which the text says if that is wrong. */
bool problem_any(problem *it, unsigned *state, MPI_Comm comm, char text[PROBLEM_TEXT]);
void problem_free(problem *it);
/* The same with something that cannot be, which the word names; NULL: that cannot be said of this
 * one. */
const char *problem_spoil(problem *it, unsigned *state, MPI_Comm comm);

/* Collective: the order of a scrambled line, which the case asks for; false: there is none. */
bool problem_scrambled(const dropin_case *asked, ptrdiff_t *order, MPI_Comm comm);

FFTW(plan) problem_plan(const problem *it, weft_real *in, weft_real *out, MPI_Comm comm);
/* By the function for other arrays. */
void problem_execute(const problem *it, FFTW(plan) plan, weft_real *in, weft_real *out);
/* Whether a run in place, or not, leaves the input alone; whether planning does. */
bool problem_preserves(const problem *it, bool in_place);
/* Whether what lies around a rank's numbers stays. */
bool problem_keeps_holes(const problem *it);
bool problem_estimates(const problem *it);
/* Whether a plan that is not in place may run in place. */
bool problem_fits_in_place(const problem *it);
void problem_describe(const problem *it, char text[PROBLEM_TEXT]);

bool fuzz_one_in(unsigned *state, unsigned so_many);

#endif
