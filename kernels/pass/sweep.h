/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sweep: one walk over local memory, tile by tile. A pass is one sweep, or a few sweeps if its
 * transforms do not fit the cache together. Compiled once per precision.
 *
 *      source --gather--> first buffer --FFTW--> second buffer --factors, scatter--> target
 *
 * Without gathering, FFTW reads the source itself; without scattering, FFTW writes the target.
 *
 * With a callback there are at most two groups, and the data returns to the first buffer:
 *
 *      source --gather--> first --FFTW--> second, callback --FFTW--> first --scatter--> target
 */
#ifndef WEFT_PASS_SWEEP_H
#define WEFT_PASS_SWEEP_H

#include "kernels/copy/copy.h"
#include "kernels/pass/arithmetic.h"
#include "kernels/pass/plans.h"
#include "kernels/pass/tiles.h"

/* The arrays and buffers that a tile passes through. The first buffer has elements of the source's
 * type, the second of the target's (real ones for c2r with a callback). If the types are the same,
 * both are usually one buffer. One axis may be transformed into or out of a third buffer, of
 * complex numbers; then the first and the second buffer are the same memory at different times. */
typedef enum {
    WEFT_AT_FIRST,
    WEFT_AT_SECOND,
    WEFT_AT_MIDDLE,
    WEFT_BUFFERS, /* the number of buffers */
    WEFT_AT_SOURCE,
    WEFT_AT_TARGET
} weft_at;

/* The method of a sweep. The candidates of a search are variants. */
typedef struct {
    double tile;    /* wanted size of a tile in bytes */
    bool gather;    /* gather even if FFTW could read the source */
    bool scatter;   /* scatter even if FFTW could write the target */
    bool stream;    /* scatter with streaming stores */
    bool estimated; /* plan with ESTIMATE even if the rigor is higher */
    bool quick; /* with MEASURE, FFTW times only the few algorithms that are mostly the fastest */
    bool follow_source; /* the axes of the buffer are in the order of the source; false: of the
                           target */
    bool unpruned;      /* a quick plan without pruning, for processors where FFTW's first plans are
                           slow: effort.c */
    bool halves; /* transform rows of real numbers by complex transforms of half the length */
} weft_variant;

/* Axes that one FFTW plan transforms. */
typedef struct {
    weft_kind kind; /* WEFT_R2C, WEFT_C2R, WEFT_FORWARD, WEFT_BACKWARD, or any r2r kind */
    int axes, axis[WEFT_MAX_AXES]; /* the axis of r2c and c2r is the last */
    weft_at from, to;
    bool inverse;   /* after the callback: `kind` undoes the sweep's kind */
    bool in_halves; /* the plan transforms a batch of rows as complex rows of half the length */
} weft_group;

/* The FFTW plans of one group, for tiles of one shape. */
typedef struct {
    weft_fftw_plan *aligned; /* for aligned addresses; in halves: of a full batch */
    weft_fftw_plan *any;     /* for any address; NULL: no tile needs it */
    weft_fftw_plan *rest;    /* in halves: for the rows that do not fill a batch */
    ptrdiff_t halves, batch; /* length of rows in halves, or 0; number of rows in a batch */
    int loops;               /* in halves: the loops over rows, the outermost first */
    weft_copy_axis loop[WEFT_MAX_AXES];
    weft_resize resize; /* runs after a forward transform, before a backward one */
} weft_transform;

/* The data that all tiles of one shape share. */
typedef struct {
    ptrdiff_t tiles;                               /* number of tiles of this shape */
    ptrdiff_t count[2][WEFT_MAX_AXES];             /* before and after the transform */
    ptrdiff_t stride[WEFT_BUFFERS][WEFT_MAX_AXES]; /* of the buffers */
    weft_copy **gather, **scatter; /* for each block that a tile reaches; blocks of the same strides
                                      and counts share a copy */
    weft_transform *transform;     /* of every group */
} weft_tile_work;

typedef enum { WEFT_IN_ARRAY, WEFT_OUT_ARRAY, WEFT_WORK_ARRAY } weft_array;

typedef struct {
    const weft_pass_spec *spec; /* of the pass */
    int axes;
    ptrdiff_t size[WEFT_MAX_AXES];
    weft_kind kind[WEFT_MAX_AXES];
    bool transformed[WEFT_MAX_AXES];
    ptrdiff_t modes[WEFT_MAX_AXES];   /* for axes whose spectrum has another length than the grid;
                                         otherwise 0 */
    const weft_side *source, *target; /* of the pass, or `between` of one sweep or the one before */
    weft_side between;                /* the target, if it is in the workspace */
    weft_array source_array, target_array;
    bool in_place;    /* source and target match and are the same memory */
    bool may_destroy; /* the source */
    bool far;         /* the arrays do not stay in the caches from one pass to the next */
    const weft_factors *factors;   /* factors of the pass that this sweep applies; NULL: none */
    const weft_callback *callback; /* of the pass; NULL: none */
    bool only_reads;               /* nothing is written: no inverse transform and no scattering */
    weft_variant variant, rule;    /* rule: the variant where the search began */

    int apart;   /* the group that goes from one buffer to another although the types are the same;
                    negative: none */
    bool turned; /* lines along the last axis are contiguous in the second buffer */
    bool middle; /* there is a third buffer */
    int groups;
    weft_group group[WEFT_MAX_AXES];
    weft_tiling tiling;
    weft_tile_work *work; /* by shape of tile */
    size_t second;        /* bytes of an element of the second buffer */
    size_t buffer[2];     /* bytes of each memory of buffers */
    double time;          /* seconds of a run; 0: unknown */
    double flops;
} weft_pass_sweep;

static inline const weft_side *weft_sweep_side(const weft_pass_sweep *sweep, bool target)
{
    return target ? sweep->target : sweep->source;
}

/* Whether the first and the second buffer are the same. */
static inline bool weft_has_one_buffer(const weft_pass_sweep *sweep)
{
    return sweep->source->element == sweep->second && sweep->apart < 0;
}

/* The memory of a buffer: 0 or, behind it, 1. */
static inline int weft_buffer_memory(const weft_pass_sweep *sweep, weft_at buffer)
{
    return sweep->middle ? buffer == WEFT_AT_MIDDLE
                         : buffer == WEFT_AT_SECOND && !weft_has_one_buffer(sweep);
}

/* Whether an axis counts the numbers of a point that a callback gets. */
static inline bool weft_axis_in_point(const weft_pass_sweep *sweep, int axis)
{
    return sweep->callback && axis >= sweep->spec->point_axes;
}

/* The buffer from which tiles are scattered. */
static inline weft_at weft_scattered_buffer(const weft_pass_sweep *sweep)
{
    return sweep->callback ? WEFT_AT_FIRST : WEFT_AT_SECOND;
}

/* Whether a tile reaches through all blocks of a side, because the divided axis is transformed. */
static inline bool weft_tile_reaches_all_blocks(const weft_pass_sweep *sweep, const weft_side *side)
{
    return weft_side_divided(side) && sweep->transformed[side->axis];
}

/* The strides of the block of a side in which the tile is. */
static inline const ptrdiff_t *weft_tile_strides(const weft_pass_sweep *sweep,
                                                 const weft_tile *tile, bool target)
{
    const weft_side *side = weft_sweep_side(sweep, target);
    const weft_tile_span *span = &tile->span[side->axis];
    return side->block[target ? span->to_block : span->from_block].stride;
}

/* Number of indices of a transformed axis that FFTW sees, before or after the transform: the length
 * of the grid. */
static inline ptrdiff_t weft_grid_count(const weft_pass_sweep *sweep, bool after, int axis)
{
    const bool halved = sweep->kind[axis] == (after ? WEFT_R2C : WEFT_C2R);
    return halved ? sweep->size[axis] / 2 + 1 : sweep->size[axis];
}

/* Bytes that a sweep reads and writes; an array in place counts once. */
static inline double weft_touched_bytes(const weft_pass_sweep *sweep)
{
    const double bytes = weft_side_bytes(sweep->source);
    return sweep->in_place ? bytes : bytes + weft_side_bytes(sweep->target);
}

/* effort.c: FFTW's planning flags. */

/* FFTW's flags for a group. `seldom`: few tiles have this shape, so FFTW estimates. */
unsigned weft_effort_flags(const weft_pass_sweep *sweep, const weft_group *group, bool seldom);
/* Whether FFTW estimates. */
bool weft_effort_is_estimate(const weft_pass_sweep *sweep);
/* Whether quick plans of this sweep are pruned. */
bool weft_effort_is_pruned(const weft_pass_sweep *sweep);
/* Whether quick plans and plans with all effort are the same. */
bool weft_effort_quick_is_full(const weft_pass_sweep *sweep);
/* Whether plans that FFTW takes without timing are about as fast on this processor as timed plans.
 * With `may_time`, the first call times this. Returns true as long as nothing has been timed. */
bool weft_effort_first_plan_is_good(bool may_time);
/* For tests: sets the answer. */
void weft_effort_set_first_plan_is_good(bool will_do);

/* groups.c: chooses the groups and their buffers. Sets gather or scatter in the variant if
 * something cannot be done without a buffer. */
void weft_groups_choose(weft_pass_sweep *sweep);
/* Whether FFTW transforms all lines in one step, because they are short; its first plan is then
 * about the best. */
bool weft_groups_are_short(const weft_pass_sweep *sweep);
/* Whether tiles, or rows, begin at aligned addresses if the arrays are aligned. Axes with `within`
 * true are inside of a tile or a row. */
bool weft_tiles_aligned(const weft_side *side, const bool *within);

/* transforms.c: makes the FFTW plans for tiles of one shape. Returns false, with an error, if FFTW
 * has no plan or there is no memory. */
bool weft_transforms_make(const weft_pass_sweep *sweep, weft_tile_work *work,
                          const weft_tile *tile);
void weft_transforms_free(const weft_pass_sweep *sweep, weft_tile_work *work);
/* Floating-point operations of one tile. */
double weft_transforms_flops(const weft_pass_sweep *sweep, const weft_tile_work *work);

/* sweep.c: sets up a sweep according to a variant. Returns false, with an error, if FFTW has no
 * plan or there is no memory. */
bool weft_sweep_make(weft_pass_sweep *sweep, const weft_variant *variant);
/* Frees what weft_sweep_make allocated; the side `between` stays. */
void weft_sweep_clear(weft_pass_sweep *sweep);
/* Frees an array of sweeps and everything that belongs to them. */
void weft_sweeps_free(weft_pass_sweep *sweep, int sweeps);

/* run.c: the address of a tile's first element in a block of the source or of the target. */
void *weft_tile_address(const weft_pass_sweep *sweep, const weft_tile *tile, bool target,
                        weft_block_at at, const void *const *arrays);
/* run.c: runs `tiles` tiles, the first of which is number `first`. Each thread has its own buffers,
 * buffer_step bytes apart. */
void weft_sweep_run(const weft_pass_sweep *sweep, const void *const *from, void *const *to,
                    char *buffers, size_t buffer_step, ptrdiff_t first, ptrdiff_t tiles);

#endif
