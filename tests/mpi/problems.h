/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fixture of all tests of transforms: a problem is a transform on slabs, on a process grid or
 * between two distributions, or a redistribution, with the whole arrays before and after, which
 * serial FFTW computes (tools/info/whole.h). The files dropin.h, grids.h and distributions.h find
 * out which numbers each rank has, independently of the library.
 */
#ifndef PROBLEMS_H
#define PROBLEMS_H

#include "tests/mpi/distributions.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/grids.h"

enum { PROBLEM_TEXT = 700 };

typedef enum { ON_SLABS, ON_GRID, BETWEEN } problem_sort;

typedef struct {
    problem_sort sort;
    dropin_case slabs;
    grids_case on_grid;
    struct {
        grids_case it;
        ptrdiff_t modes[GRIDS_RANK];
        bool only_copies; /* no axis is transformed */
        bool by_boxes;    /* moves, by the function of one box a rank */
        bool by_modes;
        box side[2]; /* of by_boxes */
    } between;
    whole_problem whole_problem; /* on a grid; the data of an operator */
    weft_real *factors;
    weft_grid grid;
    weft_distribution made[2];
    ptrdiff_t *scrambled; /* the order of a scrambled line */
    arrays_map side[2];
    weft_real *all[2];  /* the whole arrays; NULL for what could not be made */
    ptrdiff_t whole[2]; /* how many real numbers they have */
    ptrdiff_t length[2][ARRAYS_RANK], tuple[2]; /* their axes; real numbers at each point */
    bool exact;                                 /* nothing is rounded */
    weft_real largest;                          /* of the output; 0: the output must be exact */
    ptrdiff_t numbers;                          /* real ones, to allocate */
    int shift, new_shift; /* numbers by which arrays are off FFTW's alignment */
    bool may_fail;        /* no plan is right as well */
    /* How problem_try plans and runs. */
    bool in_place;
    bool nulls;       /* NULL for arrays of ranks without numbers */
    unsigned null;    /* bits 0, 1: planned for an input, an output of NULL; 2: on rank 0 alone */
    unsigned shared;  /* bits 0 to 3: input and output of the first, then of the second run are in
                         memory that ranks share; 4: not on ranks of odd number */
    bool new_arrays;  /* run on other arrays as well */
    bool other_place; /* those are in place if the arrays of planning are not, and vice versa */
    bool halves;      /* a run is started and finished */
    const char *backend; /* NULL: the planner chooses */
} problem;

/* Collective: the problem of a case. False: there is no grid, and the text says why. */
void problem_on_slabs(problem *it, const dropin_case *asked, MPI_Comm comm);
bool problem_on_grid(problem *it, const grids_case *asked, MPI_Comm comm, char text[PROBLEM_TEXT]);
/* Collective: a random problem, the same on all ranks. False: the library did not make what the
 * problem needs, a grid for instance; the text says so if that is wrong. */
bool problem_any(problem *it, unsigned *state, MPI_Comm comm, char text[PROBLEM_TEXT]);
/* Computes the whole arrays of a case, times a factor. */
void problem_compute(problem *it, weft_real by);
/* Multiplies both whole arrays. */
void problem_times(problem *it, weft_real by);
void problem_set_rigor(problem *it, unsigned rigor);
void problem_free(problem *it);

/* Collective: the order of a scrambled line, which the case asks for; false: there is none. */
bool problem_scrambled(const dropin_case *asked, ptrdiff_t *order, MPI_Comm comm);

FFTW(plan) problem_plan(const problem *it, weft_real *in, weft_real *out, MPI_Comm comm);
/* By the function for other arrays. */
void problem_execute(const problem *it, FFTW(plan) plan, weft_real *in, weft_real *out);
/* Whether a run in place, or not, leaves the input unchanged; whether planning does. */
bool problem_preserves(const problem *it, bool in_place);
/* Whether memory around a rank's numbers is left unchanged. */
bool problem_keeps_holes(const problem *it);
bool problem_estimates(const problem *it);
/* Whether a plan that is not in place may run in place. */
bool problem_fits_in_place(const problem *it);
/* Changes what a device cannot do, where arrays have twins there. False: it cannot do the problem.
 */
bool problem_fits_device(problem *it);
void problem_describe(const problem *it, char text[PROBLEM_TEXT]);

/* A run of a plan, on two arrays of this rank. */
typedef struct {
    const problem *of;
    FFTW(plan) plan;
    weft_real *in, *out;
    int shift;
    bool others; /* not the arrays of planning */
    bool halves; /* the run is started and finished */
    char text[PROBLEM_TEXT];
} trial;

void trial_fill(const trial *it);
void trial_check(trial *it);
/* Whether a function that must succeed has. */
void trial_must(trial *it, int done, const char *function);
void trial_start(trial *it);
/* Asks so many times whether messages have arrived, then finishes and compares. */
void trial_finish(trial *it, unsigned questions);
/* All of a run, as a thread does it. */
void *trial_run(void *of);

/* A problem with its plan and arrays, for tests that keep several plans. The test makes the
 * problem; it must not move the struct afterwards. */
typedef struct {
    problem of;
    trial run;
} kept_plan;

/* Collective: makes arrays, in memory that the ranks share or not. */
void kept_arrays(kept_plan *my, bool shared, MPI_Comm comm);
/* The same, and plans. */
void kept_make(kept_plan *my, bool shared, MPI_Comm comm);
/* Whether there is a plan and a run of it is right. */
bool kept_works(kept_plan *my);
/* Destroys the plan and frees the arrays and the problem. */
void kept_drop(kept_plan *my);

/* Collective: makes arrays, plans, runs, compares, and frees the problem. The text says what is
 * wrong on this rank, "" if nothing. */
void problem_try(problem *it, MPI_Comm comm, char text[PROBLEM_TEXT]);

#define fuzz_one_in(state, so_many) (arrays_random(state, so_many) == 0)

#endif
