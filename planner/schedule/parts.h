/* SPDX-License-Identifier: BSD-3-Clause */
/* What a schedule is made of; for the files of the schedule only. */
#ifndef WEFT_SCHEDULE_PARTS_H
#define WEFT_SCHEDULE_PARTS_H

#include "backends/exchange/exchange.h"
#include "backends/messages/in-place.h"
#include "planner/schedule/pipeline.h"
#include "planner/schedule/schedule.h"

/* Parts of the workspace and of windows begin on pages of their own. */
static inline size_t weft_whole_pages(size_t bytes)
{
    const size_t page = 4096;
    return (bytes + page - 1) / page * page;
}

/* A step, or a part of it. */
typedef struct {
    weft_exchange *exchange; /* NULL: a pass */
    weft_prepared *prepared; /* NULL: a pass, or an exchange through the window */
    weft_pass *pass;         /* NULL: an exchange, or this rank has nothing to do */
    weft_in_place *inside;   /* an exchange within an array, instead of prepared */
    size_t scratch;          /* where the part of the workspace begins that it uses for itself */
} weft_part;

typedef struct {
    weft_exchange *exchange; /* all of it; NULL: a pass */
    int parts;
    weft_part *part;
    /* Of an exchange through a window: */
    void *window;  /* opened memory of the schedule's backend */
    size_t region; /* where in the parts its array begins */
    /* Where each rank of the group has that array, and the user's; looked up at every run. */
    const void **from;
    bool begins, ends; /* the first, the last use of this window in a run */
    /* Where arrays may be lent: */
    size_t lent_bytes; /* of this rank's array */
    bool lends;        /* it is lent in this run */
} weft_step;

struct weft_schedule {
    MPI_Comm comm; /* of planning; nothing after it uses it */
    weft_steps plan;
    const weft_backend *through; /* whose memory the windows are; NULL: there are none */
    weft_pipeline pipeline;
    bool little_memory;
    int ranks_per_core; /* ranks that share a core */
    weft_step step[WEFT_MAX_STEPS];
    size_t array[2];  /* where the two parts of the workspace that hold arrays begin */
    size_t workspace; /* bytes in all */
};

/* Makes the pass that is step i, each part in which this rank has anything to do. Local. */
bool weft_schedule_make_pass(weft_schedule *schedule, int i, const weft_path *path,
                             const weft_problem *problem, const weft_pass_wishes *wishes);
/* The view on one side of a pass. False and an error: no memory. Pieces are to be freed. */
bool weft_schedule_view(const weft_schedule *schedule, const weft_path *path, int rank, int pass,
                        bool is_source, weft_view *view);
/* Takes boxes and views of a pass that only copies down to what is not the own piece, where that
 * need not be copied. False: there is nothing left, or no memory, with an error. */
bool weft_schedule_leave_out_own(const weft_steps *plan, const weft_path *path, int rank, int pass,
                                 weft_box *before, weft_box *after, weft_pass_spec *spec);
/* How an exchange that does not go through a window is carried out, its first part at least. */
weft_prepared *weft_schedule_prepared(const weft_step *exchange);
void weft_schedule_drop_pass(weft_step *step);
/* Opens the windows of exchanges, which exist already. Collective; false on every rank, with an
 * error, when any rank cannot. */
bool weft_schedule_open_windows(weft_schedule *schedule);
/* After a step has changed; false and an error: no memory. */
bool weft_schedule_lay_out(weft_schedule *schedule);

#endif
