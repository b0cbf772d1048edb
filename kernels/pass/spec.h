/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pass is to do: the views on both sides, and the transform of each axis. */
#ifndef WEFT_PASS_SPEC_H
#define WEFT_PASS_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/base/limits.h"

/*
 * A view: how a local array lies in memory. One axis may be divided into pieces, each of which lies
 * elsewhere and has steps of its own; an ordinary strided array has one piece. Counts, offsets and
 * steps are in elements of that side: complex numbers where it is complex, real ones where it is
 * real. Pieces are as many as ranks, but of few sorts, and equal ones lie at equal distances:
 *
 *     | 0 | 1 | 2 | ... | 997 |998|     as 0 is, and 997 more, each so far from the one before;
 *                                       and 998, which is shorter
 */
typedef struct {
    ptrdiff_t count;                 /* indices of the divided axis in this piece */
    int array;                       /* of those given to pass_run, from 0 */
    ptrdiff_t offset;                /* of the first element in that array */
    ptrdiff_t stride[WEFT_MAX_AXES]; /* step of every axis */
    int more;                        /* pieces after it that are as this one, but lie elsewhere: */
    int array_step;                  /* so many arrays */
    ptrdiff_t offset_step;           /* and elements after the one before */
} weft_view_piece;

typedef struct {
    int axis; /* the divided axis */
    int pieces;
    const weft_view_piece *piece; /* copied by pass_create */
} weft_view;

/* Where the nth of pieces that are alike lies. */
static inline ptrdiff_t weft_piece_offset(const weft_view_piece *piece, ptrdiff_t nth)
{
    return piece->offset + nth * piece->offset_step;
}

static inline int weft_piece_array(const weft_view_piece *piece, ptrdiff_t nth)
{
    return piece->array + (int)nth * piece->array_step;
}

/* What is done along an axis. */
typedef enum {
    WEFT_KEEP, /* nothing: one transform for every index */
    WEFT_FORWARD,
    WEFT_BACKWARD,
    WEFT_R2C, /* at most one axis; the target is complex, of size / 2 + 1 */
    WEFT_C2R, /* at most one axis; the source is complex, of size / 2 + 1 */
    WEFT_R2HC,
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

/* Multiplies, after the transform, the element whose indices along two axes are a and b by
 * exp(sign 2 pi i (start_a + a) (start_b + b) / n) (complex passes only; n 0: no factor). With a
 * weight, b is the index along the second axis and, so many times, that along `more`. */
typedef struct {
    ptrdiff_t n;
    int sign;
    int axis[2];
    ptrdiff_t start[2];
    ptrdiff_t weight; /* 0: of two axes alone */
    int more;
} weft_twiddle;

typedef struct {
    int axes;                      /* howmany is just one more axis, kept */
    ptrdiff_t size[WEFT_MAX_AXES]; /* logical sizes: of the real side for r2c and c2r */
    weft_kind kind[WEFT_MAX_AXES];
    ptrdiff_t modes[WEFT_MAX_AXES]; /* c2c, r2c and c2r: how many there are on the spectral side
                                       (r2c and c2r: modes / 2 + 1); 0: as many as `size` */
    bool real; /* without any transform, or with r2r only, elements are real; else complex */
    weft_view source, target;
    weft_twiddle twiddle;
    bool in_place;       /* source and target arrays are the same memory at every run. Views that
                            differ are staged, unless only by pieces of the target in arrays
                            where the source has none */
    bool may_destroy;    /* the source may be overwritten */
    unsigned fftw_flags; /* rigor and FFTW_UNALIGNED, as for serial FFTW; wisdom-only too */
    int threads;
    int ranks_per_core;  /* ranks that share a core, and its caches; 0: one */
    const char *variant; /* NULL: as a rule or timing says; else the pass_variant of another pass,
                            or by rule where that does not fit this one */
    size_t buffer;       /* bytes of workspace to make do with if possible; 0: as caches are */
    double until;        /* seconds of weft_clock after which nothing more is tried; 0: no limit */
    struct weft_device *device; /* NULL: the host */
} weft_pass_spec;

typedef struct weft_pass weft_pass;

#endif
