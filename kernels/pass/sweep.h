/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sweep: one walk over local memory, tile by tile. A pass is one sweep, or a few when what it
 * transforms does not fit the cache. Compiled once a precision.
 *
 *      source --gather--> first buffer --FFTW--> second buffer --factors, scatter--> target
 *
 * Without the gathering FFTW reads the source itself, without the scattering it writes the target.
 */
#ifndef WEFT_PASS_SWEEP_H
#define WEFT_PASS_SWEEP_H

#include "kernels/copy/copy.h"
#include "kernels/pass/factors.h"
#include "kernels/pass/inner.h"
#include "kernels/pass/tiles.h"

/* Where the data of a tile is. The first buffer holds elements of the source's kind, the second
 * those of the target's; the buffers are one where the kinds are one. There may be a third one of
 * complex numbers, between one axis and the others: the first and the second are then the same
 * memory, at different times. */
typedef enum {
    WEFT_AT_SOURCE,
    WEFT_AT_FIRST,
    WEFT_AT_MIDDLE,
    WEFT_AT_SECOND,
    WEFT_AT_TARGET
} weft_at;

/* The buffers of a tile. */
enum { WEFT_FIRST, WEFT_SECOND, WEFT_MIDDLE, WEFT_BUFFERS };

/* How a sweep is done: what candidates differ in. */
typedef struct {
    double tile;        /* bytes of a tile that are aimed at */
    bool gather;        /* through the buffer also where FFTW could read from the source */
    bool scatter;       /* the same for the target */
    bool stream;        /* scatter with streaming stores */
    bool estimated;     /* FFTW's plans are made with ESTIMATE, whatever the rigor */
    bool quick;         /* with MEASURE, FFTW times but the few ways that are mostly best */
    bool follow_source; /* the buffer is ordered as the source, not as the target */
    bool unpruned;      /* a quick one where FFTW's first way would not do: first.c */
    bool halves;        /* rows of real numbers by complex transforms of half the length */
} weft_choice;

/* Axes that one FFTW plan transforms. */
typedef struct {
    weft_kind kind; /* WEFT_R2C, WEFT_C2R, WEFT_FORWARD, WEFT_BACKWARD, or any r2r kind */
    int axes, axis[WEFT_MAX_AXES]; /* that of r2c and c2r is the last */
    weft_at from, to;
    bool in_rows;   /* one row a plan, which is run for all of a tile's */
    bool in_halves; /* these rows as complex ones of half the length, several a plan: halves.h */
} weft_group;

/* A spectrum in a buffer that becomes shorter or longer along an axis: see modes.h. Steps in bytes.
 */
typedef struct {
    ptrdiff_t from, to; /* modes; the same: nothing is done */
    bool halved;
    ptrdiff_t step, width; /* between modes, and how many numbers lie together at each */
    int loops;
    ptrdiff_t count[WEFT_MAX_AXES], jump[WEFT_MAX_AXES];
} weft_resize;

/* What transforms a group: a plan for aligned addresses, one for any where tiles begin at others,
 * and for rows how many times along each of so many axes, in steps of bytes, the first the
 * outermost. In halves a plan is for a batch of rows along the last of these, another one for those
 * that are left. */
typedef struct {
    weft_inner *aligned, *any, *rest;
    ptrdiff_t halves, batch; /* the length of rows in halves, or 0; rows of a plan */
    int loops;
    ptrdiff_t count[WEFT_MAX_AXES], from_step[WEFT_MAX_AXES], to_step[WEFT_MAX_AXES];
    weft_resize resize; /* after a transform forward, before one backward */
} weft_transform;

/* What is done with all tiles of one shape. */
typedef struct {
    ptrdiff_t tiles;                               /* how many have this shape */
    ptrdiff_t count[2][WEFT_MAX_AXES];             /* before and after the transform */
    ptrdiff_t stride[WEFT_BUFFERS][WEFT_MAX_AXES]; /* of the buffers */
    weft_copy **gather, **scatter; /* of every piece that a tile sees; pieces of the same strides
                                      and counts have the same copy */
    weft_transform *transform;     /* of every group */
} weft_program;

typedef enum { WEFT_IN_ARRAY, WEFT_OUT_ARRAY, WEFT_WORK_ARRAY } weft_array;

typedef struct {
    int axes;
    ptrdiff_t size[WEFT_MAX_AXES];
    weft_kind kind[WEFT_MAX_AXES];
    bool transformed[WEFT_MAX_AXES];
    ptrdiff_t modes[WEFT_MAX_AXES]; /* of the axes whose spectrum has another length; else 0 */
    weft_side source, target;
    weft_array source_array, target_array;
    bool in_place;    /* source and target match, in the same memory */
    bool may_destroy; /* the source */
    unsigned flags;
    bool timed;   /* the choice may be a matter of timing */
    double until; /* when that has to stop; 0: whenever */
    int threads;
    const weft_factors *factors; /* NULL, or multiplied in this sweep; the pass's */
    weft_choice choice, rule;    /* rule: where the search began */

    int apart;   /* the group that goes from one memory to another though its kinds are one;
                    negative: none */
    bool turned; /* in the second buffer its lines lie one after another */
    bool middle; /* there is a third buffer */
    int groups;
    weft_group group[WEFT_MAX_AXES];
    weft_tiling tiling;
    weft_program *program; /* of every shape of tile */
    size_t buffer[2];      /* bytes: of the first and, in the same memory, what is not apart from
                              it, and of the others */
    double time;           /* seconds a run; 0: not known */
    double flops;
} weft_sweep;

/* Whether the first buffer serves as the second, too. */
static inline bool weft_one_buffer(const weft_sweep *sweep)
{
    return sweep->source.element == sweep->target.element && sweep->apart < 0;
}

/* Sizes of caches in bytes, of the last one what this pass may count on; pass_create takes them
 * from the machine, tests make them small. */
typedef struct {
    size_t level2, last;
} weft_pass_limits;

/* Sets up what a choice means. False, with an error: FFTW has no plan, or there is no memory. */
bool weft_sweep_make(weft_sweep *sweep, const weft_choice *choice);
/* Frees what the choice made; sides stay. */
void weft_sweep_unmake(weft_sweep *sweep);
/* So many tiles from `first` on; each thread has buffers of its own, buffer_step bytes apart. */
void weft_sweep_run(const weft_sweep *sweep, const void *const *from, void *const *to,
                    char *buffers, size_t buffer_step, ptrdiff_t first, ptrdiff_t tiles);

#endif
