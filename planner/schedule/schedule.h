/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A schedule is the sequence of passes and exchanges that carries out a path, with the memory that
 * they use. make.c makes a schedule once; run.c runs it any number of times. Its elements are
 * steps, each a pass or an exchange. Step i reads array i and writes array i + 1:
 *
 *      path        stage 0          ->          stage 1
 *      steps       pass 0       exchange 1      pass 2
 *      arrays    0          1              2          3
 *
 * Array 0 is the user's input and the last array is the user's output. places.c chooses the memory
 * of the arrays in between once. Then `from` and `to` of each step name the memory that the step
 * reads and writes, and a run needs no further decisions.
 */
#ifndef WEFT_SCHEDULE_H
#define WEFT_SCHEDULE_H

#include <stdint.h>
#include "backends/exchange/exchange.h"
#include "kernels/base/precision.h"
#include "kernels/pass/pass.h"
#include "planner/path/path.h"
#include "planner/search/model.h"
#include "planner/settings.h"

enum { WEFT_MAX_STEPS = 2 * WEFT_MAX_STAGES };

typedef enum {
    WEFT_PASS,
    WEFT_MESSAGES, /* an exchange by messages; or through shared memory where the backend does the
                      copying and no pass reads or writes the shared memory */
    WEFT_MEMORY    /* an exchange through memory that ranks share; the passes next to the exchange
                      write and read that memory */
} weft_step_kind;

typedef enum {
    WEFT_IN, /* the user's input and output */
    WEFT_OUT,
    WEFT_WORK_A, /* the two parts of the workspace that contain arrays */
    WEFT_WORK_B,
    WEFT_PART,      /* this rank's part of the window, the memory that ranks share */
    WEFT_ALL_PARTS, /* the parts of all ranks of an exchange, or the ranks' own arrays where the
                       ranks can share those */
    WEFT_NOWHERE
} weft_place;

/* An array between two steps. */
typedef struct {
    size_t bytes;           /* size on the rank with the largest array */
    bool fits_in, fits_out; /* the user's input or output is large enough on all ranks */
    weft_place place;       /* WEFT_PART: an exchange through memory reads or writes the array */
} weft_array_between;

/* The memory that a step reads or writes. */
typedef struct {
    weft_place place;
    int exchange;   /* for WEFT_PART, WEFT_ALL_PARTS: the step that owns the region of the window */
    weft_place own; /* memory of the rank's own block (the block that the rank keeps in the
                       exchange); WEFT_NOWHERE: in `place`, like all other blocks */
} weft_array_location;

/* What every exchange has. */
typedef struct {
    unsigned flags; /* WEFT_FROM_BLOCKED and the like, see exchange/blocks.h */
    weft_exchange *exchange;
    weft_prepared *prepared; /* for WEFT_MESSAGES */
    size_t scratch_at; /* offset in the scratch memory; not 0 where the pass before still uses its
                          scratch memory */
} weft_transfer_step;

/* What an exchange through memory has. A stretch is a series of exchanges through memory with only
 * one pass between each exchange and the next. A run uses windows only within a stretch and never
 * stops there, and no rank reads a window after the end of a stretch. So a run that waits for
 * messages leaves no data in a window, and all plans can share the same windows.
 *
 *     steps      pass  memory  pass  memory  pass  messages  pass  memory  pass
 *     stretches  '--------------------------------'          '----------------'
 *     windows    begin                       done            begin         done
 */
typedef struct {
    const weft_backend *backend; /* the backend that provides the memory */
    void *window;                /* the memory that `backend` opened */
    int region_of; /* the step whose region of the window is used: this step, or an earlier exchange
                      that this step undoes */
    size_t region_bytes; /* size of the region on the rank that needs most */
    size_t region;       /* offset of the region in each rank's part */
    size_t window_bytes; /* size of this rank's part, as the largest stretch needs it; 0 if a later
                            step has the same window */
    bool begins, ends;   /* the first and the last use of the window in a stretch */
    const void **at; /* address of each rank's part, then of the user's array; set in every run */
    /* WEFT_IN: the pass before the exchange is the first pass and only copies. It can leave out
     * this rank's own block, because the pass after the exchange reads that block in the input.
     * WEFT_OUT: the pass after the exchange is the last pass and only copies. It can leave out the
     * own block, because the pass before the exchange writes that block to the output. */
    weft_place own;
    bool shares; /* the copying pass is not needed at all if the user's arrays are in memory that
                    the other ranks can access */
    size_t shared_bytes; /* size of this rank's array */
    bool shared;         /* in the current run the other ranks access the user's array */
} weft_memory_step;

typedef struct {
    weft_step_kind kind;
    int stage; /* a pass's stage, or the stage before an exchange */
    weft_array_location from, to;
    int label, wait_label; /* labels in the trace; 0: none */
    union {
        weft_pass *pass; /* NULL: this rank has nothing to do */
        struct {
            weft_transfer_step transfer;
            weft_memory_step memory; /* of messages, `own`, `shares` and `region_of` only */
        };
    };
} weft_step;

/* Seconds that this rank spent in each kind of work. Exchanges through shared memory move their
 * data in passes and count there. */
typedef struct {
    long runs;
    double passes, exchanges /* by messages */, waits /* for the other ranks of a window */;
} weft_account;
typedef struct weft_schedule {
    weft_device *device;           /* NULL: the host */
    const weft_pass_functions *on; /* the functions of passes on the host or on the device */
    int steps;
    weft_step *step;           /* allocated for 2 * stages */
    weft_array_between *array; /* steps + 1 of them */
    bool in_place;             /* the input and the output are one array */
    bool may_destroy;          /* whether passes may overwrite the input */
    size_t workspace_limit;    /* bytes of workspace that are acceptable; weft_places_arrange avoids
                                  using more */
    size_t work_bytes[2];      /* size of WEFT_WORK_A and of WEFT_WORK_B */
    /* offsets of WEFT_WORK_A, of WEFT_WORK_B and of the steps' scratch memory in the workspace */
    size_t work_at[2], scratch_at;
    size_t workspace;       /* bytes of workspace in total */
    size_t pinned;          /* bytes of pinned host memory, for a schedule on a device */
    double flops;           /* this rank's arithmetic per run */
    bool traced, accounted; /* if neither, runs do not read the clock */
    weft_account account;
} weft_schedule;

static inline bool weft_is_exchange(const weft_step *step)
{
    return step->kind != WEFT_PASS;
}

/* Whether the step is an exchange with one of these flags. */
static inline bool weft_has_flag(const weft_step *step, unsigned flags)
{
    return weft_is_exchange(step) && (step->transfer.flags & flags);
}

/* Whether passes write the blocks of an exchange on one side and read the blocks on the other. */
static inline bool weft_step_is_fused(const weft_step *step)
{
    const unsigned both = WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED;
    return weft_is_exchange(step) && (step->transfer.flags & both) == both;
}

/* The place of an array; for an in-place plan, the input and the output are one array. */
static inline weft_place weft_place_in(const struct weft_schedule *schedule, weft_place place)
{
    return place == WEFT_IN && schedule->in_place ? WEFT_OUT : place;
}

static inline size_t weft_number_bytes(bool real)
{
    return real ? sizeof(weft_real) : sizeof(weft_complex);
}

/* Bytes in a rank's memory on one side of a problem, with padding and enclosing arrays. */
static inline size_t weft_local_bytes(const weft_problem_side *side, int of_rank)
{
    return (size_t)weft_layout_local_elements(&side->layout, of_rank) *
           weft_number_bytes(side->real);
}

/* The callback that chooses the backend and parameter of exchange number `which`.
 * It returns false, with an error, when no method is possible. All ranks call it for each exchange
 * in order, and it must give the same answer on all ranks. */
typedef bool (*weft_choose)(void *context, const weft_exchange *exchange, int which,
                            weft_method *method);

/* Options for making the passes. */
typedef struct {
    const char *variants; /* text that weft_schedule_variants wrote for another schedule; NULL:
                             choose the variants */
    double until; /* time of CLOCK_MONOTONIC after which no more variants are timed; 0: no limit */
    int ranks_per_core; /* ranks on each core; 0: one */
} weft_pass_options;

/* Collective. Returns NULL on every rank, with an error, when any rank fails. */
weft_schedule *weft_schedule_make(const weft_path *path, const weft_problem *problem,
                                  weft_choose choose, void *context,
                                  const weft_pass_options *options);

/* Writes the variant of each of this rank's passes, separated by semicolons; for pass number
 * `which`, counted from 0, the other variant that is worth timing. Returns false when that pass has
 * no other variant, or `which` is negative. */
bool weft_schedule_variants(const weft_schedule *schedule, int which, char *text, size_t capacity);

/* The number of exchanges, 0 without a schedule; exchange number `which`, counted from 0. */
int weft_schedule_exchanges(const weft_schedule *schedule);
weft_step *weft_schedule_exchange(const weft_schedule *schedule, int which);
weft_method weft_step_method(const weft_step *exchange);

/* The state of one run. A run can stop before it waits for messages. */
typedef struct {
    void *in, *out, *workspace;
    void *pinned;  /* pinned workspace on the host; only for a schedule on a device */
    int next;      /* index of the next step */
    bool started;  /* that step is an exchange that has been started */
    int64_t begun; /* when, for the trace */
} weft_run;

/* Bytes that a run needs of this rank's part of windows; 0 without a schedule. */
size_t weft_schedule_window(const weft_schedule *schedule);
/* Runs the schedule on the arrays and workspace of `run`, from step run->next to the end or, with
 * `stops`, until it would wait for messages. On a device the work has only been queued
 * when this returns if the caller supplied the queue; if the plan owns the queue, the work is
 * complete. */
void weft_schedule_run(weft_schedule *schedule, weft_run *run, bool stops);
/* Whether the messages that the run waits for have arrived. The call lets MPI make progress. */
bool weft_schedule_test(const weft_schedule *schedule, const weft_run *run);
/* Whether this rank's schedules for a problem need aligned arrays. */
bool weft_schedule_aligned(const weft_problem *problem);
/* Starts tracing the runs of a schedule, under the name `plan`. */
void weft_schedule_trace(weft_schedule *schedule, const char *plan);
/* Seconds that this rank's passes took when they were timed during planning; negative: at least one
 * was not timed. */
double weft_schedule_pass_seconds(const weft_schedule *schedule);
void weft_schedule_destroy(weft_schedule *schedule);

enum { WEFT_STEP_TEXT = 512 };
/* Writes the work of step i, its backend, and the bytes that this rank reads and writes. */
void weft_schedule_print_step(const weft_schedule *schedule, int i, char line[WEFT_STEP_TEXT]);

/* What follows is for the files of this folder and their tests. Functions return false, with an
 * error, when there is no memory.
 *
 * steps.c: arithmetic without communication; all ranks get the same result. */

/* Whether the exchange after a stage can go through memory: the blocks of at least one side must
 * form a view, so that a pass can read or write them. */
bool weft_may_use_memory(const weft_path *path, int stage, int ranks);
/* Makes the steps of a path, and their `from` and `to`. `chosen` has the backend of the exchange
 * after each stage where it changes the steps: it goes through memory, or it sends while the pass
 * before still runs; otherwise NULL. */
bool weft_steps_make(const weft_path *path, const weft_problem *problem, size_t real_bytes,
                     const weft_backend *const *chosen, weft_schedule *schedule);
/* Frees the arrays that weft_steps_make allocated. */
void weft_steps_free(weft_schedule *schedule);

/* places.c: chooses the memory of each array from the kinds and flags of the steps and the sizes of
 * the arrays. First priority: exceed schedule->workspace_limit as little as possible. Second: copy
 * the fewest own blocks in exchanges. Third: use the least workspace. */
void weft_places_arrange(weft_schedule *schedule);

/* view.c. Whether the blocks of every rank on the side of `mine` divide that rank's box along at
 * most one axis. Only then do the blocks form a view. The answer is the same on all ranks. */
bool weft_blocks_are_view(const weft_layout *mine, const weft_layout *other, int ranks);
/* Makes the view of a pass on its source or target side. The exchanges beside the pass must still
 * have their blocks. The caller frees the view's blocks. */
bool weft_step_view(const weft_schedule *schedule, const weft_path *path, int rank, int pass,
                    bool is_source, weft_view *view);
/* Removes the rank's own block from the boxes of a pass that only copies, where the own block need
 * not be copied (weft_memory_step.own); the views are already without it. Returns false when
 * nothing is left to copy. */
bool weft_step_leave_out_own(const weft_schedule *schedule, int pass, weft_box *before,
                             weft_box *after);

/* passes.c: makes the pass that is step i. Local. */
bool weft_schedule_make_pass(weft_schedule *schedule, int i, const weft_path *path,
                             const weft_problem *problem, const weft_pass_options *options);

#endif
