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
        bool only_copies; /* no axis is transformed */
        bool by_boxes;    /* a redistribution by the function for one box per rank */
        box side[2];      /* with by_boxes */
    } between;
    whole_problem whole_problem; /* on a grid; the data of an operator */
    weft_real *factors;
    weft_grid grid;
    weft_distribution made[2];
    ptrdiff_t *scrambled; /* the order of a scrambled line */
    arrays_map side[2];
    weft_real *all[2];                          /* the whole arrays; NULL: could not be made */
    ptrdiff_t whole[2];                         /* how many real numbers they have */
    ptrdiff_t length[2][ARRAYS_RANK], tuple[2]; /* their axes; real numbers at each point */
    bool exact;                                 /* nothing is rounded */
    weft_real largest;                          /* of the output; 0: the output must be exact */
    ptrdiff_t numbers;                          /* real numbers to allocate */
    int shift, new_shift; /* offsets of the arrays from FFTW's alignment, in numbers */
    bool may_fail;        /* planning may also fail */
    /* How problem_try plans and runs. */
    bool in_place;
    bool nulls;       /* NULL for arrays of ranks without numbers */
    unsigned null;    /* bits 0, 1: the input, the output of planning is NULL; 2: on rank 0 only */
    unsigned shared;  /* bits 0, 1: input, output of the first run are in memory that the ranks
                         share; 2, 3: the same for the second run; 4: not on odd ranks */
    bool new_arrays;  /* also run on other arrays */
    bool other_place; /* the other arrays are in place if the arrays of planning are not, and vice
                         versa */
    bool halves;      /* runs are started and finished */
    const char *backend; /* NULL: the planner chooses */
} problem;

/* Collective: makes the problem of a case. Returns false if the library made no grid; the text says
 * why. */
void problem_on_slabs(problem *it, const dropin_case *asked, MPI_Comm comm);
bool problem_on_grid(problem *it, const grids_case *asked, MPI_Comm comm, char text[PROBLEM_TEXT]);
/* Collective: makes a random problem, the same on all ranks. Returns false if the library did not
 * make a grid or distribution; the text says so if it should have made one. */
bool problem_any(problem *it, unsigned *state, MPI_Comm comm, char text[PROBLEM_TEXT]);
/* Computes the whole arrays of a case, multiplied by a factor. */
void problem_compute(problem *it, weft_real by);
/* Multiplies both whole arrays. */
void problem_times(problem *it, weft_real by);
void problem_set_rigor(problem *it, unsigned rigor);
void problem_free(problem *it);
/* Sets an environment variable, or removes it (NULL). Returns what it was; the caller frees it. */
char *problem_setting(const char *name, const char *value);

/* Collective: writes the order of a scrambled line for a case. Returns false if the library has no
 * such order. */
bool problem_scrambled(const dropin_case *asked, ptrdiff_t *order, MPI_Comm comm);

FFTW(plan) problem_plan(const problem *it, weft_real *in, weft_real *out, MPI_Comm comm);
/* Runs the plan by the new-array function. */
void problem_execute(const problem *it, FFTW(plan) plan, weft_real *in, weft_real *out);
/* Whether a run in place, or not, leaves the input unchanged; whether planning does. */
bool problem_preserves(const problem *it, bool in_place);
/* Whether memory around a rank's numbers is left unchanged. */
bool problem_keeps_holes(const problem *it);
bool problem_estimates(const problem *it);
/* Whether a plan that is not in place may run in place. */
bool problem_fits_in_place(const problem *it);
/* If arrays have twins on a device: removes from the problem what a device cannot do. Returns false
 * if it can never do the problem.
 */
bool problem_fits_device(problem *it);
void problem_describe(const problem *it, char text[PROBLEM_TEXT]);

/* A run of a plan, on two arrays of this rank. */
typedef struct {
    const problem *of;
    FFTW(plan) plan;
    weft_real *in, *out;
    int shift;
    bool others; /* other arrays than the arrays of planning */
    bool halves; /* the run is started and finished */
    char text[PROBLEM_TEXT];
} trial;

/* Collective: makes the input and the output of planning, or with `others` of a run on other
 * arrays. */
trial trial_arrays(const problem *of, bool others, MPI_Comm comm);
void trial_free_arrays(trial *it);
/* Collective: plans for the arrays, with the backend of the problem. Returns false if a rank has no
 * plan. */
bool trial_plan(trial *it, MPI_Comm comm);
void trial_fill(const trial *it);
void trial_check(trial *it);
/* Checks that a function that must succeed did. */
void trial_must(trial *it, int done, const char *function);
void trial_start(trial *it);
/* Asks so many times whether messages have arrived, then finishes and compares. */
void trial_finish(trial *it, unsigned questions);
/* Does a whole run; the function of a thread. */
void *trial_run(void *of);

/* A problem with its plan and arrays, for tests that keep several plans. The test makes the
 * problem; it must not move the struct afterwards. */
typedef struct {
    problem of;
    trial run;
} kept_plan;

/* Collective: makes arrays, with `shared` in memory that the ranks share. */
void kept_arrays(kept_plan *my, bool shared, MPI_Comm comm);
/* The same, and makes the plan, with the backend of the problem. */
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
