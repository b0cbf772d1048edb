/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sweep: one walk over local memory, tile by tile. A pass is one sweep, or a few where what it
 * transforms does not fit the cache. Compiled once a precision.
 *
 *      source --gather--> first buffer --FFTW--> second buffer --factors, scatter--> target
 *
 * Without gathering FFTW reads the source itself; without scattering it writes the target.
 */
#ifndef WEFT_PASS_SWEEP_H
#define WEFT_PASS_SWEEP_H

#include "kernels/copy/copy.h"
#include "kernels/pass/arithmetic.h"
#include "kernels/pass/plans.h"
#include "kernels/pass/tiles.h"

/* The memories that a tile passes through. The first buffer has elements of the source's type, the
 * second of the target's; where the types are the same, both are usually one buffer. One axis may
 * be transformed into or out of a third buffer, of complex numbers; then the first and the second
 * buffer are the same memory at different times. */
typedef enum {
    WEFT_AT_SOURCE,
    WEFT_AT_FIRST,
    WEFT_AT_MIDDLE,
    WEFT_AT_SECOND,
    WEFT_AT_TARGET
} weft_at;

/* The buffers of a tile. */
enum { WEFT_FIRST, WEFT_SECOND, WEFT_MIDDLE, WEFT_BUFFERS };

/* How a sweep is done. Candidates of a search differ in this. */
typedef struct {
    double tile;        /* bytes that a tile should have */
    bool gather;        /* gather also where FFTW could read the source */
    bool scatter;       /* scatter also where FFTW could write the target */
    bool stream;        /* scatter with streaming stores */
    bool estimated;     /* plan with ESTIMATE, also if the rigor is higher */
    bool quick;         /* with MEASURE, FFTW times only the few ways that are mostly the best */
    bool follow_source; /* the axes of the buffer are ordered as in the source, else the target */
    bool unpruned;      /* quick, on a processor where FFTW's first plans are slow: effort.c */
    bool halves;        /* rows of real numbers by complex transforms of half the length */
} weft_variant;

/* Axes that one FFTW plan transforms. */
typedef struct {
    weft_kind kind; /* WEFT_R2C, WEFT_C2R, WEFT_FORWARD, WEFT_BACKWARD, or any r2r kind */
    int axes, axis[WEFT_MAX_AXES]; /* the axis of r2c and c2r is the last */
    weft_at from, to;
    bool in_halves; /* the plan transforms a batch of rows as complex rows of half the length */
} weft_group;

/* The FFTW plans of one group, for tiles of one shape. */
typedef struct {
    weft_fftw_plan *aligned; /* for aligned addresses; in halves: of a full batch */
    weft_fftw_plan *any;     /* for any address, or NULL where no tile needs it */
    weft_fftw_plan *rest;    /* in halves: of the rows that do not fill a batch */
    ptrdiff_t halves, batch; /* the length of rows in halves, or 0; rows of a batch */
    int loops;               /* in halves: over rows, the outermost first; steps in bytes */
    ptrdiff_t count[WEFT_MAX_AXES], from_step[WEFT_MAX_AXES], to_step[WEFT_MAX_AXES];
    weft_resize resize; /* after a transform forward, before one backward */
} weft_transform;

/* What all tiles of one shape have in common. */
typedef struct {
    ptrdiff_t tiles;                               /* how many have this shape */
    ptrdiff_t count[2][WEFT_MAX_AXES];             /* before and after the transform */
    ptrdiff_t stride[WEFT_BUFFERS][WEFT_MAX_AXES]; /* of the buffers */
    weft_copy **gather, **scatter; /* for every piece that a tile sees; pieces of the same strides
                                      and counts share a copy */
    weft_transform *transform;     /* of every group */
} weft_tile_work;

typedef enum { WEFT_IN_ARRAY, WEFT_OUT_ARRAY, WEFT_WORK_ARRAY } weft_array;

typedef struct {
    int axes;
    ptrdiff_t size[WEFT_MAX_AXES];
    weft_kind kind[WEFT_MAX_AXES];
    bool transformed[WEFT_MAX_AXES];
    ptrdiff_t modes[WEFT_MAX_AXES]; /* of axes whose spectrum has another length; else 0 */
    weft_side source, target;
    weft_array source_array, target_array;
    bool in_place;    /* source and target match and are the same memory */
    bool may_destroy; /* the source */
    bool far;         /* the arrays do not stay in the caches from one pass to the next */
    unsigned flags;
    bool timed;   /* candidates may be timed */
    double until; /* when timing has to stop; 0: no limit */
    int threads;
    const weft_factors *factors; /* of the pass, multiplied in this sweep; or NULL */
    weft_variant variant, rule;  /* rule: where the search began */

    int apart;   /* the group that goes from one buffer to another though its types are the same;
                    negative: none */
    bool turned; /* the lines of the last axis are contiguous in the second buffer */
    bool middle; /* there is a third buffer */
    int groups;
    weft_group group[WEFT_MAX_AXES];
    weft_tiling tiling;
    weft_tile_work *work; /* by shape of tile */
    size_t buffer[2];     /* bytes of the first buffer, and of the memory of the other ones */
    double time;          /* seconds a run; 0: not known */
    double flops;
} weft_pass_sweep;

static inline const weft_side *weft_sweep_side(const weft_pass_sweep *sweep, bool target)
{
    return target ? &sweep->target : &sweep->source;
}

/* Whether the first buffer is the second, too. */
static inline bool weft_one_buffer(const weft_pass_sweep *sweep)
{
    return sweep->source.element == sweep->target.element && sweep->apart < 0;
}

/* Whether tiles see all pieces of a side, because the divided axis is transformed. */
static inline bool weft_sees_all(const weft_pass_sweep *sweep, const weft_side *side)
{
    return weft_side_divided(side) && sweep->transformed[side->axis];
}

/* The strides of the piece of a side that a tile sees. */
static inline const ptrdiff_t *weft_tile_strides(const weft_pass_sweep *sweep,
                                                 const weft_tile *tile, bool target)
{
    const weft_side *side = weft_sweep_side(sweep, target);
    const weft_tile_span *span = &tile->span[side->axis];
    return side->piece[target ? span->to_piece : span->from_piece].stride;
}

/* Whether a transformed axis has another number of modes than the grid has points. */
static inline bool weft_modes_differ(int axes, const ptrdiff_t *modes)
{
    for (int a = 0; a < axes; a++)
        if (modes[a])
            return true;
    return false;
}

/* How many indices of a transformed axis FFTW sees, before or after the transform: the length of
 * the grid. */
static inline ptrdiff_t weft_grid_count(const weft_pass_sweep *sweep, bool after, int axis)
{
    const bool halved = sweep->kind[axis] == (after ? WEFT_R2C : WEFT_C2R);
    return halved ? sweep->size[axis] / 2 + 1 : sweep->size[axis];
}

/* Bytes that a sweep reads and writes; an array in place counts once. */
static inline double weft_touched_bytes(const weft_pass_sweep *sweep)
{
    const double bytes = weft_side_bytes(&sweep->source);
    return sweep->in_place ? bytes : bytes + weft_side_bytes(&sweep->target);
}

/* effort.c: FFTW's planning flags. */

/* FFTW's flags for a group. `seldom` says that few tiles have this shape: FFTW estimates. */
unsigned weft_effort_flags(const weft_pass_sweep *sweep, const weft_group *group, bool seldom);
/* Whether FFTW estimates. */
bool weft_effort_is_estimate(const weft_pass_sweep *sweep);
/* Whether quick plans of this sweep are pruned. */
bool weft_effort_is_pruned(const weft_pass_sweep *sweep);
/* Whether quick plans and plans with all effort are the same. */
bool weft_effort_quick_is_all(const weft_pass_sweep *sweep);
/* Whether plans that FFTW takes without timing are about as fast here as those that it times. If
 * this process has not found out yet and `now` is true, the answer is true. */
bool weft_effort_first_will_do(bool now);
/* For tests: sets the answer. */
void weft_effort_set_first_will_do(bool will_do);

/* groups.c: chooses the groups and their buffers. Sets gather or scatter in the variant where
 * something cannot be done without a buffer. */
void weft_groups_choose(weft_pass_sweep *sweep);
/* Whether all lines are short powers of two, which FFTW transforms in one step: the first plan that
 * it thinks of is about the best. */
bool weft_groups_are_short(const weft_pass_sweep *sweep);

/* transforms.c: makes the FFTW plans for tiles of one shape. False, with an error: FFTW has no
 * plan, or there is no memory. */
bool weft_transforms_make(const weft_pass_sweep *sweep, weft_tile_work *work,
                          const weft_tile *tile);
void weft_transforms_free(const weft_pass_sweep *sweep, weft_tile_work *work);
/* Floating-point operations of one tile. */
double weft_transforms_flops(const weft_pass_sweep *sweep, const weft_tile_work *work);

/* sweep.c: sets up what a variant means. False, with an error: FFTW has no plan, or there is no
 * memory. */
bool weft_sweep_make(weft_pass_sweep *sweep, const weft_variant *variant);
/* Frees what weft_sweep_make made; the sides stay. */
void weft_sweep_unmake(weft_pass_sweep *sweep);
/* Frees an array of sweeps and all that is in them. */
void weft_sweeps_free(weft_pass_sweep *sweep, int sweeps);

/* run.c: runs `tiles` tiles from `first` on. Each thread has its own buffers, buffer_step bytes
 * apart. */
void weft_sweep_run(const weft_pass_sweep *sweep, const void *const *from, void *const *to,
                    char *buffers, size_t buffer_step, ptrdiff_t first, ptrdiff_t tiles);

#endif
