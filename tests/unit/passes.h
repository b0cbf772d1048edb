/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passes for tests: expected results by the definition of the transforms, random views and their
 * arrays, and cases of them. Compiled once per precision.
 */
#ifndef PASSES_H
#define PASSES_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernels/pass/pass.h"
#include "tests/unit/harness.h"

#if defined(WEFT_SINGLE)
#define EPSILON ((long double)FLT_EPSILON)
#elif defined(WEFT_LONG_DOUBLE)
#define EPSILON LDBL_EPSILON
#else
#define EPSILON ((long double)DBL_EPSILON)
#endif

#define TURN 6.28318530717958647692528676655900577L

/* A small random generator, so that cases are the same on all machines. */
void seed(uint64_t which);
int below(int n);
bool one_in(int n);
weft_real number(void);

/* The global array, compact, in C order: always complex, in long double. */
typedef struct {
    int axes;
    ptrdiff_t count[WEFT_MAX_AXES];
    long double (*value)[2];
} whole;

ptrdiff_t elements(int axes, const ptrdiff_t *count);
whole whole_make(int axes, const ptrdiff_t *count);
/* Transforms along one axis into `count` outputs. */
void transform(whole *w, int axis, weft_kind kind, ptrdiff_t count);
/* Changes the number of modes of a spectrum along one axis, halved or not. */
void resize(whole *w, int axis, bool halved, ptrdiff_t from, ptrdiff_t to);
/* c2r of lines with any numbers, also those that no real line has. */
void transform_c2r(whole *w, int axis, ptrdiff_t n);
/* Advances the index in C order. After the last it returns false and the index is zero again. */
bool index_next(int axes, const ptrdiff_t *count, ptrdiff_t *index);

enum { ARRAYS = 5 };

/* One side of a case: a view with its blocks, and the size of each array. */
typedef struct {
    weft_view view;
    weft_view_block block[24];
    ptrdiff_t reach[ARRAYS]; /* elements of each array */
    size_t element;
} shape;

void shuffle(int *order, int n);
/* Makes a random view. */
void shape_make(shape *s, int axes, const ptrdiff_t *count, size_t element, int most_blocks);

/* Memory of a side: its arrays, each between guards. */
typedef struct {
    size_t bytes[ARRAYS];
    weft_real *base[ARRAYS];
    void *first[ARRAYS]; /* the arrays that a pass gets */
} memory;

/* Allocates memory for one shape, or for the larger of two. */
memory memory_make(const shape *a, const shape *b, int misaligned);
memory memory_copy(const memory *from);
void memory_free(memory *m);
weft_real *element_at(const memory *m, const shape *s, int axes, const ptrdiff_t *index);

typedef enum {
    C2C,
    REAL_TO_COMPLEX,
    COMPLEX_TO_REAL,
    R2R,
    COPY_REAL,
    COPY_COMPLEX,
    FAMILIES
} pass_family;

typedef struct {
    char name[40];
    weft_pass_spec spec;
    shape source, target;
    ptrdiff_t source_count[WEFT_MAX_AXES], target_count[WEFT_MAX_AXES];
    weft_pass_limits limits;
    int misaligned;
} test_case;

/* Makes a pass, with limits or without, or fails the test. */
weft_pass *pass_made(const weft_pass_spec *spec, const weft_pass_limits *limits);

/* Returns an estimated pass over two axes, from one block along axis 0 to another. */
weft_pass_spec pass_of_two_axes(ptrdiff_t n0, ptrdiff_t n1, weft_kind first, weft_kind second,
                                const weft_view_block *source, const weft_view_block *target);

bool case_has_modes(const test_case *c);
void case_make(test_case *c, int number, pass_family family);

#endif
