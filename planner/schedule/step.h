/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps: what a schedule is made of; for the files of the schedule and their tests. A path becomes
 * a row of steps, passes and exchanges; step i reads array i and writes array i + 1:
 *
 *     path        stage 0          ->          stage 1
 *     steps       pass 0       exchange 1      pass 2
 *     arrays    0          1              2          3
 *
 * Array 0 is the user's input, the last one the output; where the others lie is arranged once
 * (places.c). Each step then says in `from` and `to` just what memory it reads and writes, and
 * running it is nothing but that.
 */
#ifndef WEFT_STEP_H
#define WEFT_STEP_H

#include "backends/exchange/exchange.h"
#include "backends/messages/in-place.h"
#include "kernels/pass/pass.h"
#include "planner/path/path.h"
#include "planner/schedule/schedule.h"

enum { WEFT_MAX_STEPS = 2 * WEFT_MAX_STAGES };

typedef enum {
    WEFT_PASS,
    WEFT_MESSAGES, /* an exchange that a backend of messages carries out, or a backend of memory by
                      itself */
    WEFT_WITHIN,   /* with little memory: an exchange by messages within the output array, see
                      in-place.h */
    WEFT_MEMORY /* an exchange through memory that ranks share: the passes around it write and read
                   there */
} weft_step_kind;

typedef enum {
    WEFT_IN, /* the user's arrays */
    WEFT_OUT,
    WEFT_WORK_A, /* the two parts of the workspace that hold arrays */
    WEFT_WORK_B,
    WEFT_PART,      /* this rank's part of memory that ranks share */
    WEFT_ALL_PARTS, /* the parts of all ranks of an exchange; or their own arrays, where these are
                       shared */
    WEFT_NOWHERE
} weft_place;

/* What lies between two steps. */
typedef struct {
    size_t bytes;           /* the most that any rank holds */
    bool fits_in, fits_out; /* the user's array has room for it, on all ranks */
    weft_place place;       /* WEFT_PART: next to an exchange through memory */
} weft_array_between;

/* Where a step reads, or where it writes. */
typedef struct {
    weft_place place;
    int exchange;   /* of WEFT_PART and WEFT_ALL_PARTS: the step in whose region of the memory */
    weft_place own; /* where the rank's own piece is, when not there; WEFT_NOWHERE: it is there */
} weft_end;

/* A step, or a part of one that is cut. */
typedef struct {
    weft_exchange *exchange; /* NULL: a pass */
    weft_prepared *prepared; /* of WEFT_MESSAGES */
    weft_in_place *within;   /* of WEFT_WITHIN */
    weft_pass *pass;         /* NULL: an exchange, or this rank has nothing to do */
    size_t scratch[2];       /* where the part of the workspace begins that it uses for itself, and
                              * on a device that of the pinned one */
} weft_part;

/* Exchanges through memory that follow one another, with nothing but a pass between them, are a
 * stretch. A run uses windows only within a stretch, and is never interrupted there: what it has
 * in a window when it begins to wait for messages, nobody reads any more. So plans in flight share
 * windows.
 *
 *     steps      pass  memory  pass  memory  pass  messages  pass  memory  pass
 *     stretches  '--------------------------------'          '----------------'
 *     windows    begin                       done            begin         done
 */
typedef struct {
    weft_step_kind kind;
    int stage; /* of a pass its stage, of an exchange the one before it */
    weft_end from, to;
    int parts; /* at least 1; more: it is cut, so that one part moves while another is transformed
                */
    weft_part *part;

    int label, wait_label; /* in the trace; 0: there is none */

    /* Of a pass: it is cut as the exchange before it is, and as the one after it. */
    bool with_before, with_after;

    /* Of an exchange: */
    unsigned flags;          /* how it is made: exchange.h */
    weft_cut cut;            /* how it is cut */
    weft_exchange *exchange; /* all of it */
    bool stays;              /* no rank sends anything to another: nothing is waited for */
    weft_load load;          /* what this rank has to do in it */

    /* Of an exchange through memory: */
    const weft_backend *backend; /* of memory, and */
    void *window;                /* what it has opened */
    int region_of; /* the step whose region of it is used: this one, or an earlier one that this
                      undoes */
    size_t region_bytes; /* the most that any rank puts there */
    size_t region;       /* where it begins in each part */
    size_t window_bytes; /* of this rank's part, of all exchanges of the stretch */
    bool begins, ends;   /* the first, the last use of the window in a stretch */
    const void *
        *at; /* where each rank's part is, and the user's own array; looked up at every run */
    /* The pass before (own WEFT_IN, it is the first), or after (WEFT_OUT, the last), only copies:
     * for what this rank has on both sides of the exchange it need not, the other pass reads that
     * in the input, or writes it to the output. */
    weft_place own;
    bool shares;         /* and where arrays lie so that others see them, it need not copy at all */
    size_t shared_bytes; /* of this rank's array */
    bool shared;         /* it is, in this run */
} weft_step;

/* What a step does at a time: passes run, exchanges start and finish. */
typedef enum { WEFT_RUN, WEFT_START, WEFT_FINISH } weft_deed;

typedef struct {
    weft_deed deed;
    int step, part;
} weft_action;

struct weft_schedule {
    MPI_Comm comm;                 /* of planning; nothing after it uses it */
    weft_device *device;           /* NULL: the host */
    const weft_pass_functions *on; /* passes there */
    int steps;
    weft_step *step;           /* room for 2 * stages */
    weft_array_between *array; /* one more */
    bool in_place;             /* the input and the output are one array */
    bool may_destroy;          /* the input */
    size_t room;               /* workspace that a process may well have */
    size_t work_bytes[2];      /* of the parts of the workspace that hold arrays */
    bool little_memory;
    bool plain;  /* exchanges pack and unpack by themselves */
    int actions; /* the steps' parts in the order in which they run */
    weft_action *action;
    int overlaps;       /* parts of passes that run while something moves */
    int ranks_per_core; /* that share one */
    size_t array_at[2]; /* where in the workspace those two parts begin */
    size_t workspace;   /* bytes in all */
    size_t pinned;      /* of the host, on a device */
    bool traced, accounted;
    weft_account account;
};

static inline bool weft_is_exchange(const weft_step *step)
{
    return step->kind != WEFT_PASS;
}

/* Parts of the workspace and of windows begin on pages of their own. */
static inline size_t weft_whole_pages(size_t bytes)
{
    const size_t page = 4096;
    return (bytes + page - 1) / page * page;
}

/* steps.c: pure arithmetic, the same on all ranks. */

/* What the exchange after each stage is to be. */
typedef struct {
    const weft_backend
        *memory[WEFT_MAX_STAGES]; /* whose memory it goes through; NULL: it goes by messages */
    int parts[WEFT_MAX_STAGES];   /* 0 or 1: it is not cut */
} weft_exchange_wishes;

/* Whether the exchange after a stage can go through memory: one side must be a view. */
bool weft_may_use_memory(const weft_path *path, int stage, int ranks);
/* The steps of a path, each with its ends, in the order of the schedule's actions. False and an
 * error: no memory. */
bool weft_steps_make(const weft_path *path, const weft_problem *problem, size_t real_bytes,
                     const weft_exchange_wishes *wishes, weft_schedule *schedule);
/* Frees what steps_make has allocated. */
void weft_steps_free(weft_schedule *schedule);

/* places.c: where arrays lie, from kinds and flags of the steps and from sizes: goes beyond the
 * room the least, then moves the fewest own pieces in exchanges, then has the least workspace. */
void weft_places_arrange(weft_schedule *schedule);
/* An exchange both sides of which are blocks that passes write and read. */
bool weft_step_is_fused(const weft_step *step);

/* pipeline.c: chooses along which axes exchanges are cut, and cuts the passes around them where
 * that is possible; exchanges through memory and within an array stay whole. Then the order of all
 * parts: as much under way at a time as can be, or with little memory only what must be. False and
 * an error: no memory. */
void weft_pipeline_cut(const weft_path *path, const int *parts, weft_schedule *schedule);
bool weft_pipeline_order(weft_schedule *schedule);

/* view.c: what a pass sees on one side. False and an error: no memory. Pieces are to be freed. */
bool weft_step_view(const weft_schedule *schedule, const weft_path *path, int rank, int pass,
                    bool is_source, weft_view *view);
/* Takes boxes and views of a pass that only copies down to what is not the own piece, where that
 * need not be copied. False: there is nothing left, or no memory, with an error. */
bool weft_step_leave_out_own(const weft_schedule *schedule, const weft_path *path, int rank,
                             int pass, weft_box *before, weft_box *after, weft_pass_spec *spec);

/* passes.c: makes the pass that is step i, each part in which this rank has anything to do. Local.
 */
bool weft_schedule_make_pass(weft_schedule *schedule, int i, const weft_path *path,
                             const weft_problem *problem, const weft_pass_wishes *wishes);
/* make.c */
void weft_schedule_drop_pass(const weft_schedule *schedule, weft_step *step);
weft_method weft_step_method(const weft_step *exchange);

/* run.c: where in the workspace all parts have their own, after a step has changed; false and an
 * error: no memory. */
bool weft_schedule_lay_out(weft_schedule *schedule);

#endif
