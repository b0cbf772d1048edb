/* SPDX-License-Identifier: BSD-3-Clause */
/* The specification of a pass: the views of both sides and the transform of each axis. */
#ifndef WEFT_PASS_SPEC_H
#define WEFT_PASS_SPEC_H

#include "kernels/pass/views.h"

/* The transform along an axis. */
typedef enum {
    WEFT_KEEP, /* no transform: the other axes are transformed for every index of this one */
    WEFT_FORWARD,
    WEFT_BACKWARD,
    WEFT_R2C,  /* at most one axis; the target is complex and has size / 2 + 1 */
    WEFT_C2R,  /* at most one axis; the source is complex and has size / 2 + 1 */
    WEFT_R2HC, /* from here on in the order of FFTW's r2r kinds */
    WEFT_HC2R,
    WEFT_DHT,
    WEFT_REDFT00,
    WEFT_REDFT01,
    WEFT_REDFT10,
    WEFT_REDFT11,
    WEFT_RODFT00,
    WEFT_RODFT01,
    WEFT_RODFT10,
    WEFT_RODFT11
} weft_kind;

static inline bool weft_kind_is_r2r(weft_kind kind)
{
    return kind >= WEFT_R2HC;
}

static inline bool weft_kind_is_halving(weft_kind kind)
{
    return kind == WEFT_R2C || kind == WEFT_C2R;
}

/* Whether the result of the transform is the spectrum. */
static inline bool weft_kind_is_forward(weft_kind kind)
{
    return kind == WEFT_FORWARD || kind == WEFT_R2C;
}

/* Whether the source of the transform is the spectrum. */
static inline bool weft_kind_is_backward(weft_kind kind)
{
    return kind == WEFT_BACKWARD || kind == WEFT_C2R;
}

/* Whether any axis is transformed. */
static inline bool weft_kinds_transform(int axes, const weft_kind *kind)
{
    for (int a = 0; a < axes; a++)
        if (kind[a] != WEFT_KEEP)
            return true;
    return false;
}

/* The last axis with this kind; negative: there is none. */
static inline int weft_axis_of_kind(int axes, const weft_kind *kind, weft_kind wanted)
{
    int axis = axes - 1;
    while (axis >= 0 && kind[axis] != wanted)
        axis--;
    return axis;
}

/* Whether any axis has another number of modes than of points. */
static inline bool weft_modes_differ(int axes, const ptrdiff_t *modes)
{
    for (int a = 0; a < axes; a++)
        if (modes[a])
            return true;
    return false;
}

/* The transform that undoes a transform, except for a factor. */
static inline weft_kind weft_kind_inverse(weft_kind kind)
{
    /* the other kinds undo themselves */
    static const weft_kind inverse[WEFT_RODFT11 + 1] = {
        [WEFT_FORWARD] = WEFT_BACKWARD, [WEFT_BACKWARD] = WEFT_FORWARD,
        [WEFT_R2C] = WEFT_C2R,          [WEFT_C2R] = WEFT_R2C,
        [WEFT_R2HC] = WEFT_HC2R,        [WEFT_HC2R] = WEFT_R2HC,
        [WEFT_REDFT01] = WEFT_REDFT10,  [WEFT_REDFT10] = WEFT_REDFT01,
        [WEFT_RODFT01] = WEFT_RODFT10,  [WEFT_RODFT10] = WEFT_RODFT01,
    };
    return inverse[kind] ? inverse[kind] : kind;
}

/* A function of the program that changes a spectrum. A pass calls it for `count` points in a row
 * along `axis`; `index` has the indices of the first point in the whole array. */
typedef struct {
    void (*apply)(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis,
                  void *data); /* NULL while the planner times passes */
    void *data;
    bool owned; /* a plan with this callback frees `data` */
} weft_callback;

/* After the transform, the element with the indices a and b along two axes is multiplied by
 * exp(sign 2 pi i (start_a + a) (start_b + b) / n). Complex passes only; n 0: no factor. With a
 * weight, b is the index along the second axis plus `weight` times the index along `more`. */
typedef struct {
    ptrdiff_t n;
    int sign;
    int axis[2];
    ptrdiff_t start[2];
    ptrdiff_t weight; /* 0: two axes only */
    int more;
} weft_twiddle;

typedef struct {
    int axes;                      /* howmany counts as one more axis, which is kept */
    ptrdiff_t size[WEFT_MAX_AXES]; /* logical sizes; for r2c and c2r the sizes of the real side */
    weft_kind kind[WEFT_MAX_AXES];
    ptrdiff_t modes[WEFT_MAX_AXES]; /* c2c, r2c and c2r: frequencies on the spectral side (r2c and
                                       c2r: modes / 2 + 1 are stored); 0: as many as `size` */
    bool real;                      /* elements are real; used only if nothing is transformed */
    weft_view source, target;
    weft_twiddle twiddle;
    /* NULL: none. Otherwise the pass transforms at most one axis, not by r2c, calls the function
     * for every point of the result, and transforms back; source and target have the same points.
     */
    const weft_callback *callback;
    int point_axes;  /* with a callback: axes that count points. The later axes, which are kept, are
                        the numbers of a point, contiguous on both sides */
    ptrdiff_t after; /* with a callback: the size of axis `point_axes` after it; 0: as before */
    bool only_reads; /* with a callback: the pass ends with the call and writes nothing */
    ptrdiff_t start[WEFT_MAX_AXES]; /* with a callback: the indices of the first point */
    bool in_place; /* source and target arrays are the same memory in every run. If the views do not
                      match, the data goes through the workspace */
    bool may_destroy;    /* the source may be overwritten */
    unsigned fftw_flags; /* rigor, FFTW_UNALIGNED and FFTW_WISDOM_ONLY, with the meaning of serial
                            FFTW */
    int threads;
    int ranks_per_core;  /* number of ranks on each core; 0: one */
    const char *variant; /* weft_pass_variant of another pass, which is ignored if it does not fit;
                            NULL: choose by rule or by timing */
    size_t buffer; /* upper limit in bytes of the workspace, if possible; 0: the caches decide */
    double until;  /* time of weft_clock after which no more candidates are tried; 0: no limit */
    struct weft_device *device; /* NULL: the host */
} weft_pass_spec;

/* Cache sizes in bytes; `last` is the share of this pass in the last cache. weft_pass_create takes
 * them from the machine; tests make them small. */
typedef struct {
    size_t level2, last;
} weft_pass_limits;

/* The beginning of every pass: facts that do not change after the pass was made. */
typedef struct {
    char text[256];    /* a line for reports that describes the pass */
    char variant[121]; /* one word of at most 120 characters without commas and semicolons, for the
                          `variant` of a later pass */
    size_t workspace;  /* bytes, aligned to 64, that each run needs */
    double read, written, flops; /* bytes from memory and to memory, and operations, of a run */
    double seconds; /* of a run, as timed when the pass was made; negative: not timed */
    /* The pass completes every target block from its first element on, in this many steps; 0: it
     * does not. */
    ptrdiff_t in_order;
} weft_pass;

#endif
