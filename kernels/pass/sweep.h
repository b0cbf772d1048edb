/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a pass is made of. Internal to the passes; compiled once a precision.
 *
 * A pass is one sweep over memory, or a few when what it transforms does not fit the cache. A sweep
 * cuts the kept axes into tiles, and for every tile runs a program: gather the tile
 * into a buffer, transform, multiply, scatter. FFTW reads straight from the source, or writes
 * straight to the target, where that is as good.
 */
#ifndef WEFT_PASS_PLAN_H
#define WEFT_PASS_PLAN_H

#include "kernels/copy/copy.h"
#include "kernels/pass/tiles.h"

/* Where the data is between the steps of a tile. The first buffer holds elements of the source's
 * kind, the second those of the target's; they are one where the kinds are one. */
typedef enum { WEFT_AT_SOURCE, WEFT_AT_FIRST, WEFT_AT_SECOND, WEFT_AT_TARGET } weft_at;

/* How much of the level 2 cache a tile gets: beside it there must be room for what is on its way
 * from the source and to the target. */
#define WEFT_TILE_SHARE 0.25

/* How a sweep is done: what candidates differ in. */
typedef struct {
    double tile;        /* bytes of a tile that are aimed at */
    bool gather;        /* through the buffer also where FFTW could read from the source */
    bool scatter;       /* the same for the target */
    bool stream;        /* scatter with streaming stores */
    bool apart;         /* one plan an axis instead of one for all */
    bool estimated;     /* FFTW's plans are made with ESTIMATE, whatever the rigor */
    bool quick;         /* with MEASURE, FFTW times but the few ways that are mostly best */
    bool follow_source; /* the buffer is ordered as the source, not as the target */
} weft_choice;

/* Axes that one FFTW plan transforms. */
typedef struct {
    weft_kind kind; /* WEFT_R2C, WEFT_C2R, WEFT_FORWARD, WEFT_BACKWARD, or any r2r kind */
    int axes, axis[WEFT_MAX_AXES]; /* that of r2c and c2r is the last */
    weft_at from, to;
    bool in_rows; /* one row a plan, which is run for all of a tile's */
} weft_group;

/* Factors of a twiddle: the product of a coarse and a fine power of the root. */
typedef struct {
    ptrdiff_t n;
    int axis[2], more;
    ptrdiff_t start[2], weight;
    int bits; /* of the fine power */
    weft_complex *fine, *coarse;
} weft_factors;

/* Steps of the buffers. */
typedef struct {
    ptrdiff_t stride[2][WEFT_MAX_AXES];
    size_t bytes[2];
} weft_buffer;

/* What transforms a group: a plan for aligned arrays, one for any, and for rows how many times
 * along each of so many axes, in steps of bytes, the first the outermost. */
typedef struct {
    FFTW(plan) aligned, any;
    int loops;
    ptrdiff_t count[WEFT_MAX_AXES], from_step[WEFT_MAX_AXES], to_step[WEFT_MAX_AXES];
} weft_transform;

/* One sort of tile. */
typedef struct {
    bool made;
    ptrdiff_t tiles;                   /* how many are of this sort */
    ptrdiff_t count[2][WEFT_MAX_AXES]; /* before and after the transform */
    weft_buffer buffer;
    weft_copy **gather,
        **scatter;             /* of every piece that a tile sees; doubles point to the same copy */
    weft_transform *transform; /* of every group */
} weft_program;

typedef enum { WEFT_IN_ARRAY, WEFT_OUT_ARRAY, WEFT_WORK_ARRAY } weft_array;

typedef struct {
    int axes;
    ptrdiff_t size[WEFT_MAX_AXES];
    weft_kind kind[WEFT_MAX_AXES];
    bool transformed[WEFT_MAX_AXES];
    weft_side source, target;
    weft_array source_array, target_array;
    bool in_place;    /* source and target match, in the same memory */
    bool may_destroy; /* the source */
    unsigned flags;
    bool timed;   /* the choice may be a matter of timing */
    double until; /* when that has to stop; 0: whenever */
    int threads;
    weft_factors *factors;    /* NULL, or multiplied in this sweep; the pass's */
    weft_choice choice, rule; /* rule: where the search began */

    int groups;
    weft_group group[WEFT_MAX_AXES];
    weft_tiling tiling;
    weft_program *program;
    size_t buffer[2];           /* bytes each */
    double time, straight_time; /* seconds a run, of the choice and without buffers; 0: not known */
    double flops;
} weft_sweep;

struct weft_pass {
    int sweeps;
    weft_sweep sweep[WEFT_MAX_AXES + 1];
    weft_factors *factors; /* NULL, or what one of the sweeps uses */
    size_t between;        /* bytes of workspace for a whole array between sweeps */
    size_t buffers;        /* bytes of workspace for the buffers of one thread */
    int threads;
    char text[256], variant[121];
};

/* Sizes of caches in bytes, of the last one what this pass may count on; pass_create takes them
 * from the machine, tests make them small. */
typedef struct {
    size_t level2, last;
} weft_pass_limits;

/* pass.c */
weft_pass *weft_pass_create_limited(const weft_pass_spec *spec, const weft_pass_limits *limits);

/* pass-split.c: makes the sweeps of a pass: with more rigor than ESTIMATE the division into sweeps
 * that is the fastest. False, with an error. */
bool weft_pass_split(weft_pass *pass, const weft_pass_spec *spec, const weft_side *source,
                     const weft_side *target, const weft_pass_limits *limits);
void weft_pass_drop_sweeps(weft_pass *pass);

/* pass-fftw.c: a plan of a group between arrays of these steps, for counts of indices before and
 * after it. NULL: FFTW has none, or there is no memory. */
typedef struct {
    const weft_sweep *sweep;
    const weft_group *group;
    const ptrdiff_t *count_before, *count_after, *from_stride, *to_stride;
    unsigned flags;
} weft_fft;
FFTW(plan) weft_pass_fft(const weft_fft *fft);
/* Bytes of an element there. */
size_t weft_pass_element_at(const weft_sweep *sweep, weft_at at);
/* Whether FFTW finds what lies so many bytes from aligned memory aligned, too. */
bool weft_pass_aligned(ptrdiff_t bytes);
/* Serial plans even when the program plans with threads: saves and restores FFTW's setting. */
int weft_pass_threads_off(void);
void weft_pass_threads_restore(int threads);

/* pass-groups.c: which plans, from where to where. What cannot be done without a buffer gets one,
 * and the choice then says so. */
void weft_pass_group(weft_sweep *sweep);
/* The axis of a kind that only one can have; negative: none has it. */
int weft_pass_axis_of(int axes, const weft_kind *kind, weft_kind wanted);

/* pass-copies.c: between the buffer and every piece that such a tile sees (b 0: out of the source,
 * 1: into the target); straight from source to target, where it sees one piece of each. NULL, with
 * an error: no memory. */
weft_copy **weft_pass_copies(const weft_sweep *sweep, const weft_program *program, int b,
                             const weft_tile *tile);
weft_copy **weft_pass_copies_through(const weft_sweep *sweep, const weft_program *program,
                                     const weft_tile *tile);
void weft_pass_copies_free(const weft_sweep *sweep, weft_program *program);

/* pass-plans.c: what transforms a tile of this sort. False: FFTW has no plan, or no memory. */
bool weft_pass_plans(const weft_sweep *sweep, weft_program *program, const weft_tile *tile);
void weft_pass_plans_free(const weft_sweep *sweep, weft_program *program);
/* Adds those of one tile. */
void weft_pass_count_flops(weft_sweep *sweep, const weft_program *program);
/* Whether FFTW, when it is to be quick, needs no more than to time a few ways. */
bool weft_pass_pruned_well(const weft_sweep *sweep);
/* Whether it is to be quick. */
bool weft_pass_is_quick(const weft_sweep *sweep);

/* pass-sweep.c: sets up what a choice means. False, with an error. */
bool weft_pass_sweep_make(weft_sweep *sweep, const weft_choice *choice);
/* What the choice made; sides stay. */
void weft_pass_sweep_unmake(weft_sweep *sweep);

/* pass-run.c */
void weft_pass_sweep_run(const weft_sweep *sweep, const void *const *from, void *const *to,
                         char *buffers, size_t buffer_step, ptrdiff_t first, ptrdiff_t tiles);

/* pass-choose.c: bytes that it reads or writes, those in place once. */
double weft_pass_touched_bytes(const weft_sweep *sweep);
/* Whether what the steps before have left in the caches will be gone from them, and
 * what this one leaves. */
bool weft_pass_is_far(const weft_sweep *sweep, const weft_pass_limits *limits);
/* By rule. False, with an error. */
bool weft_pass_choose(weft_sweep *sweep, const weft_pass_limits *limits);

/* pass-search.c: changes for the better what has been chosen. What is best is then finished with
 * all rigor. */
void weft_pass_search(weft_sweep *sweep, const weft_pass_limits *limits);
void weft_pass_finish(weft_sweep *sweep, const weft_pass_limits *limits);
/* Whether the time for choosing is over. */
bool weft_pass_expired(const weft_sweep *sweep);
/* Whether a search will begin, and compare with estimated plans. */
bool weft_pass_searches_estimated(const weft_sweep *sweep, const weft_pass_limits *limits);
/* One of so many changes to a choice. False: it makes no sense here. */
enum { WEFT_PASS_CHANGES = 9 };
bool weft_pass_change(const weft_sweep *sweep, const weft_pass_limits *limits, int change,
                      weft_choice *choice);

/* pass-variant.c: how a pass is done, as text: "c.gs---:524288/2.g-n-e:524288" says for every sweep
 * which axes (a hexadecimal mask) it transforms, and its choice. */
typedef struct {
    int sweeps;
    unsigned long axes[WEFT_MAX_AXES + 1];
    weft_choice choice[WEFT_MAX_AXES + 1];
} weft_variant;
/* "" when it would get too long. */
void weft_pass_variant_write(const weft_pass *pass, char *text, size_t size);
/* False: it is none. */
bool weft_pass_variant_read(const char *text, int axes, weft_variant *variant);

/* pass-scratch.c: arrays to time a sweep on. In place there is one side. */
typedef struct {
    int sides, arrays[2];
    void **array[2]; /* as given to a run */
    struct {
        void *base;
        size_t bytes;
    } * mapped[2];
    ptrdiff_t segments[WEFT_MAX_AXES]; /* how the tiles that have been touched divide the axes */
    bool whole;                        /* all of them */
    char *buffers;
    size_t buffers_bytes;
    bool careful; /* more runs: FFTW has spent long on what is to be judged */
    char *other;  /* memory to fill the caches with */
    size_t other_bytes;
} weft_scratch;
/* False: no memory. */
bool weft_pass_scratch_make(weft_scratch *scratch, const weft_sweep *sweep);
void weft_pass_scratch_free(weft_scratch *scratch);
/* Room for the tiles' buffers; false: no memory. */
bool weft_pass_scratch_buffers(weft_scratch *scratch, size_t bytes);
/* Reads so many bytes of memory, that nothing else be left in the caches. */
void weft_pass_scratch_fill_caches(weft_scratch *scratch, size_t bytes);

/* pass-visit.c: goes to all lines that some tiles have on one side: 0 is the source, 1 the target.
 * False: this processor cannot make its caches forget them. */
typedef enum { WEFT_VISIT_WRITES, WEFT_VISIT_READS, WEFT_VISIT_FORGETS } weft_visit;
bool weft_pass_visit(const weft_sweep *sweep, const weft_scratch *scratch, ptrdiff_t first,
                     ptrdiff_t tiles, int s, weft_visit visit);

/* pass-time.c: seconds since some moment. */
double weft_pass_now(void);
/* Seconds of the whole sweep; given up early when it gets clear that it is over
 * `limit` (0: none). Negative: no memory. */
double weft_pass_sweep_time(const weft_sweep *sweep, weft_scratch *scratch,
                            const weft_pass_limits *limits, double limit);

/* pass-text.c: adds what a sweep does to the text. */
void weft_pass_describe(const weft_sweep *sweep, char *text, size_t size);

/* pass-factors.c */
weft_factors *weft_pass_factors_make(const weft_twiddle *twiddle, int axes, const ptrdiff_t *size);
void weft_pass_factors_free(weft_factors *factors);
/* Multiplies a box of which the first index is `start`. */
void weft_pass_factors_apply(const weft_factors *factors, int axes, const ptrdiff_t *start,
                             const ptrdiff_t *count, const ptrdiff_t *stride, weft_complex *at);

#endif
