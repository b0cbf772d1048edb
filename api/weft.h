/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft.h: the functions that Weft offers in addition to FFTW's interface. They are named weft_name
 * in libweft (double), weftf_name in libweftf (float) and weftl_name in libweftl (long double), as
 * FFTW's are. The manual has a page for each (`man weft_grid_create`), with the rules and an
 * example. They are collective unless the page says "local". last_error explains why a call failed.
 */
#ifndef WEFT_H
#define WEFT_H

#include <fftw3.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Process grids, and distributions, which say which part of an array each rank has: see
 * WEFT_DEFINE_GRID_API. */
typedef struct weft_grid_s *weft_grid;
typedef struct weft_distribution_s *weft_distribution;

/* The transform along an axis, besides FFTW's r2r kinds. WEFT_NONE means no transform; arrays of
 * fftw_r2r_kind may contain it, too. WEFT_R2R is not a transform: local_size and grid_tune take it
 * for any mixture of r2r kinds. */
enum { WEFT_NONE = 64, WEFT_DFT_FORWARD, WEFT_DFT_BACKWARD, WEFT_DFT_R2C, WEFT_DFT_C2R, WEFT_R2R };

/*
 * An operator of plan_operator: a function that changes a spectrum. `values` has `count` points of
 * the spectrum, which follow one another along `axis`; index[a] is the index of the first point
 * along axis a in the whole array. A point has `howmany` numbers: complex numbers, or real numbers
 * if all kinds are r2r or the last is c2r. `data` is the pointer that the program passed to
 * plan_operator. Each run calls the function exactly once for each point of the spectrum, in any
 * order. Several threads of a rank may call it at the same time.
 */
typedef void (*weft_operator)(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis,
                              void *data);

/* The data of the operators that Weft has. Frequency i of an axis with n points (for i > n / 2 the
 * frequency i - n) has the wave number 2 pi i / length. */
typedef struct {
    int rank;
    const ptrdiff_t *n;   /* grid points along each axis (if the plan has modes: modes) */
    const double *length; /* length of the domain along each axis; NULL: 2 pi */
    ptrdiff_t howmany;    /* numbers of a point */
    double scale;         /* multiplies all results; 1 / (n0 n1 ...) normalizes the transforms */
    double value;         /* zero mode of the inverse Laplacian, as a factor; width of the filter */
    int axis;             /* the axis of the derivative */
} weft_wave;

/* The data of power_spectrum. Shell s has the wave numbers from s - 1/2 to s + 1/2. */
typedef struct {
    weft_wave wave;   /* `howmany`, `length` and `n` are used, and `scale`, once for each number */
    int halved;       /* 1: r2c; the frequencies that are not stored count, too */
    ptrdiff_t shells; /* the number of sums; higher wave numbers are ignored */
    double *power;
} weft_shells;

/* Passed to plan_set_stream, this value makes the plan use its own stream again. */
#define WEFT_OWN_STREAM ((void *)-1)

/* Flags of functions that take a grid, besides the flags of fftw3.h. */
#define WEFT_ROWS         (1U << 22) /* divide arrays of 3 or 4 axes in rows: see below */
#define WEFT_UNPADDED     (1U << 23) /* r2c, c2r: real rows have n numbers, not 2 (n / 2 + 1) */
#define WEFT_FFTW_BLOCKS  (1U << 24) /* blocks of ceil(n / ranks) indices, as in FFTW */
#define WEFT_REVERSED     (1U << 25) /* exchanges the layouts of input and output */
#define WEFT_SAME_LAYOUT  (1U << 26) /* the last axis is whole in the input and the output */
#define WEFT_ON_DEVICE    (1U << 27) /* grid_tune: for arrays on the current GPU */
#define WEFT_EITHER_ORDER (1U << 28) /* grid_tune: also try column-major order of ranks */
/* If the first axis of the input (or output) is whole, the order in memory is: its divided axes,
 * then axis 0, then the other axes. */
#define WEFT_TRANSPOSED_IN  (1U << 29)
#define WEFT_TRANSPOSED_OUT (1U << 30)

#define WEFT_DEFINE_API(W, X)                                                                      \
    /* The version of this library, such as "0.2.0". */                                            \
    WEFT_API const char *W(version)(void);                                                         \
    /* One sentence with the reason of the last failed call of this thread; "" if the last         \
     * planning or local_size function did not fail. The text is valid until the next call. */     \
    WEFT_API const char *W(last_error)(void);                                                      \
    /* The name of a backend, and a line that explains how it moves data. `place` is its place     \
     * in the table, from 0; NULL after the last. */                                               \
    WEFT_API const char *W(backend_name)(int place);                                               \
    WEFT_API const char *W(backend_about)(int place);                                              \
    /* The backends of plans made from now on, in place of WEFT_BACKEND: "waitsome", "bruck:4",    \
     * "auto", one for each exchange as "alltoallw,auto", or all except some, "^bruck,shared".     \
     * NULL: WEFT_BACKEND again. Returns 0 if there is no memory. */                               \
    WEFT_API int W(set_backend)(const char *backends);                                             \
    /* Planning stops after this many seconds and returns the best plan so far. Negative: no       \
     * limit. */                                                                                   \
    WEFT_API void W(set_timelimit)(double seconds);                                                \
    /* Wisdom: the decisions of planning as text. Returns 0 or NULL on failure; the caller         \
     * frees the string. Importing uses every readable line, and returns 0 if any line is not      \
     * readable. */                                                                                \
    WEFT_API int W(export_wisdom_to_filename)(const char *filename);                               \
    WEFT_API char *W(export_wisdom_to_string)(void);                                               \
    WEFT_API int W(import_wisdom_from_filename)(const char *filename);                             \
    WEFT_API int W(import_wisdom_from_string)(const char *text);                                   \
    WEFT_API void W(forget_wisdom)(void);                                                          \
    /* Write the steps of a plan on this rank, how it was found, the other candidates, and the     \
     * times of its runs. Local. Return 0 if the plan is not one of Weft's. */                     \
    WEFT_API int W(plan_report)(X(plan) plan, FILE * file);                                        \
    WEFT_API int W(plan_report_json)(X(plan) plan, FILE * file);                                   \
    /* Run a plan in two halves, on arrays as for fftw_mpi_execute_dft: start works until it       \
     * would have to wait for messages, finish does the rest, test returns 1 when the messages     \
     * have arrived. Several plans may be started at a time. Return 0 if the plan is in the        \
     * wrong state. */                                                                             \
    WEFT_API int W(execute_start)(X(plan) plan, void *in, void *out);                              \
    WEFT_API int W(execute_test)(X(plan) plan);                                                    \
    WEFT_API int W(execute_finish)(X(plan) plan);                                                  \
    /* Runs `count` plans, plan i on in[i] and out[i]; while one waits for messages the next       \
     * one is started. Returns 0, before any plan runs, for the same reasons. */                   \
    WEFT_API int W(execute_many)(int count, X(plan) * plans, void **in, void **out);               \
    /* The bytes that a plan uses on this rank besides its arrays: `borrowed` from the             \
     * workspace that all plans share, and `shared` with other ranks. Pointers may be NULL.        \
     * Returns the sum; negative if the plan is not one of Weft's. Local. */                       \
    WEFT_API ptrdiff_t W(plan_memory)(X(plan) plan, ptrdiff_t * borrowed, ptrdiff_t * shared);     \
    /* The plan uses this buffer of the program while it runs, instead of the workspace that       \
     * all plans share. The buffer needs the `borrowed` bytes of plan_memory, and 63 bytes more    \
     * if it is not aligned to 64 bytes. NULL: the common workspace again. Local. */               \
    WEFT_API int W(plan_set_workspace)(X(plan) plan, void *memory, ptrdiff_t bytes);               \
    /* A plan whose arrays are on a GPU uses this stream, a cudaStream_t, from now on; its runs    \
     * then wait only in steps that need the host. WEFT_OWN_STREAM: the plan's own stream          \
     * again. Local. */                                                                            \
    WEFT_API int W(plan_set_stream)(X(plan) plan, void *stream);                                   \
    /* The smallest length, n or larger, that FFTW transforms fast and that can be divided into    \
     * `parts` equal parts, if possible. Returns 0 if n or `parts` is less than 1. Local. */       \
    WEFT_API ptrdiff_t W(good_size)(ptrdiff_t n, int parts);

/*
 * Transforms on process grids. A grid of g dimensions, 1 <= g < rnk, divides g axes of the array
 * evenly. If the last axis of a side (input or output) is whole, that is, not divided, dimension i
 * of the grid divides axis i; if the first axis is whole, it divides axis i + 1. In forward
 * transforms, r2c and r2r the last axis of the input and the first axis of the output are whole; in
 * backward transforms and c2r it is the reverse. With WEFT_ROWS, each rank has a contiguous range
 * of rows of the array, which is stored in the order of the axes, or in the reverse order.
 *
 * Everything else is as in FFTW's MPI interface: plans are FFTW plans, `howmany` numbers are
 * contiguous at every point, and transforms are not normalized. Every rank must pass a valid grid
 * or distributions: a rank that passes NULL has no communicator to inform the others, and they wait
 * forever.
 */
#define WEFT_DEFINE_GRID_API(W, X, R, C)                                                           \
    /* Creates a grid of `rank` dimensions. Weft chooses the dimensions that are 0, or all of      \
     * them if dims is NULL. The communicator must live as long as the grid. */                    \
    WEFT_API weft_grid W(grid_create)(MPI_Comm comm, int rank, const int *dims);                   \
    /* The same in column-major order. */                                                          \
    WEFT_API weft_grid W(grid_create_column_major)(MPI_Comm comm, int rank, const int *dims);      \
    WEFT_API void W(grid_free)(weft_grid grid);                                                    \
    /* Returns the grid on which this transform is the fastest; it plans and times the             \
     * transform on the most promising grids, with WEFT_ROWS also in rows, and with                \
     * WEFT_EITHER_ORDER also in column-major order. grid_rows and grid_column_major return        \
     * whether these were chosen. */                                                               \
    WEFT_API weft_grid W(grid_tune)(MPI_Comm comm, int rank, int rnk, const ptrdiff_t *n,          \
                                    ptrdiff_t howmany, int kind, unsigned flags);                  \
    WEFT_API int W(grid_rows)(weft_grid grid);                                                     \
    WEFT_API int W(grid_column_major)(weft_grid grid);                                             \
    /* Writes the dimensions of the grid into dims, unless dims is NULL; returns their number. */  \
    WEFT_API int W(grid_dims)(weft_grid grid, int *dims);                                          \
    /* The part of this rank, or of `process`, before and after a transform; pointers may be       \
     * NULL. `n` has the sizes of the real side; flags are the flags of the plan. Returns how      \
     * many numbers to allocate for either side: real numbers for r2r, otherwise complex           \
     * numbers; 0 on errors. In rows, axis 0 has the rank's range of points, the other axes        \
     * length 1. */                                                                                \
    WEFT_API ptrdiff_t W(local_size)(                                                              \
        int rnk, const ptrdiff_t *n, ptrdiff_t howmany, weft_grid grid, int kind, unsigned flags,  \
        ptrdiff_t *local_n_in, ptrdiff_t *start_in, ptrdiff_t *local_n_out, ptrdiff_t *start_out); \
    WEFT_API ptrdiff_t W(local_size_process)(                                                      \
        int process, int rnk, const ptrdiff_t *n, ptrdiff_t howmany, weft_grid grid, int kind,     \
        unsigned flags, ptrdiff_t *local_n_in, ptrdiff_t *start_in, ptrdiff_t *local_n_out,        \
        ptrdiff_t *start_out);                                                                     \
    /* Writes the boxes of a process, of the input or, if `output` is not 0, of the output, in     \
     * their order in memory: `rnk` numbers in `start` and in `count` for each box. Returns        \
     * their number, at most 2 rnk - 3. */                                                         \
    WEFT_API int W(local_boxes)(int process, int rnk, const ptrdiff_t *n, weft_grid grid,          \
                                int kind, unsigned flags, int output, ptrdiff_t *start,            \
                                ptrdiff_t *count);                                                 \
    /* Allocates n numbers on this rank. Collective. Where possible all ranks of a node can        \
     * access the memory, and plans on grids then copy less. NULL on all ranks if any rank         \
     * cannot allocate. */                                                                         \
    WEFT_API R *W(alloc_real)(ptrdiff_t n, MPI_Comm comm);                                         \
    WEFT_API C *W(alloc_complex)(ptrdiff_t n, MPI_Comm comm);                                      \
    /* The same on the current GPU of this rank; plans on these arrays run on the GPU. */          \
    WEFT_API R *W(alloc_device_real)(ptrdiff_t n, MPI_Comm comm);                                  \
    WEFT_API C *W(alloc_device_complex)(ptrdiff_t n, MPI_Comm comm);                               \
    /* Frees an array of the functions above. Local; may be called after MPI_Finalize. */          \
    WEFT_API void W(free)(void *array);                                                            \
    WEFT_API X(plan) W(plan_many_dft)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, C *in,       \
                                      C *out, weft_grid grid, int sign, unsigned flags);           \
    WEFT_API X(plan) W(plan_dft)(int rnk, const ptrdiff_t *n, C *in, C *out, weft_grid grid,       \
                                 int sign, unsigned flags);                                        \
    WEFT_API X(plan) W(plan_dft_2d)(ptrdiff_t n0, ptrdiff_t n1, C * in, C * out, weft_grid grid,   \
                                    int sign, unsigned flags);                                     \
    WEFT_API X(plan) W(plan_dft_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, C * in, C * out,     \
                                    weft_grid grid, int sign, unsigned flags);                     \
    WEFT_API X(plan) W(plan_many_dft_r2c)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, R *in,   \
                                          C *out, weft_grid grid, unsigned flags);                 \
    WEFT_API X(plan) W(plan_dft_r2c)(int rnk, const ptrdiff_t *n, R *in, C *out, weft_grid grid,   \
                                     unsigned flags);                                              \
    WEFT_API X(plan) W(plan_dft_r2c_2d)(ptrdiff_t n0, ptrdiff_t n1, R * in, C * out,               \
                                        weft_grid grid, unsigned flags);                           \
    WEFT_API X(plan) W(plan_dft_r2c_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R * in, C * out, \
                                        weft_grid grid, unsigned flags);                           \
    WEFT_API X(plan) W(plan_many_dft_c2r)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, C *in,   \
                                          R *out, weft_grid grid, unsigned flags);                 \
    WEFT_API X(plan) W(plan_dft_c2r)(int rnk, const ptrdiff_t *n, C *in, R *out, weft_grid grid,   \
                                     unsigned flags);                                              \
    WEFT_API X(plan) W(plan_dft_c2r_2d)(ptrdiff_t n0, ptrdiff_t n1, C * in, R * out,               \
                                        weft_grid grid, unsigned flags);                           \
    WEFT_API X(plan) W(plan_dft_c2r_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, C * in, R * out, \
                                        weft_grid grid, unsigned flags);                           \
    WEFT_API X(plan)                                                                               \
        W(plan_many_r2r)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, R *in, R *out,            \
                         weft_grid grid, const X(r2r_kind) * kind, unsigned flags);                \
    WEFT_API X(plan) W(plan_r2r)(int rnk, const ptrdiff_t *n, R *in, R *out, weft_grid grid,       \
                                 const X(r2r_kind) * kind, unsigned flags);                        \
    WEFT_API X(plan) W(plan_r2r_2d)(ptrdiff_t n0, ptrdiff_t n1, R * in, R * out, weft_grid grid,   \
                                    X(r2r_kind) kind0, X(r2r_kind) kind1, unsigned flags);         \
    WEFT_API X(plan)                                                                               \
        W(plan_r2r_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R * in, R * out, weft_grid grid,  \
                       X(r2r_kind) kind0, X(r2r_kind) kind1, X(r2r_kind) kind2, unsigned flags);   \
    /* Takes one kind for each axis: FFTW's r2r kinds, WEFT_NONE, and Fourier transforms of one    \
     * sign, with WEFT_DFT_R2C or WEFT_DFT_C2R last if one side is real. */                        \
    WEFT_API X(plan)                                                                               \
        W(plan_many_kinds)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, void *in, void *out,    \
                           weft_grid grid, const int *kind, unsigned flags);                       \
    /* A distribution on a grid of at most rnk dimensions: dimension i of the grid divides         \
     * axis[i] of the array (axis i if `axis` is NULL). `flags` is WEFT_FFTW_BLOCKS or 0. */       \
    WEFT_API weft_distribution W(distribution_grid)(weft_grid grid, int rnk, const ptrdiff_t *n,   \
                                                    const int *axis, unsigned flags);              \
    /* A distribution with any box for each rank; every rank passes its own box, a rank without    \
     * numbers passes counts of 0. NULL if boxes overlap or do not cover the array. */             \
    WEFT_API weft_distribution W(distribution_boxes)(MPI_Comm comm, int rnk, const ptrdiff_t *n,   \
                                                     const ptrdiff_t *start,                       \
                                                     const ptrdiff_t *count);                      \
    /* The same with any number of boxes for each rank, which follow one another in its memory. */ \
    WEFT_API weft_distribution W(distribution_many_boxes)(                                         \
        MPI_Comm comm, int rnk, const ptrdiff_t *n, int boxes, const ptrdiff_t *start,             \
        const ptrdiff_t *count);                                                                   \
    /* A distribution in rows of an array whose axes are stored in this order, the slowest axis    \
     * first; NULL: in the order of their numbers. Only the ranks of the grid matter. */           \
    WEFT_API weft_distribution W(distribution_rows)(weft_grid grid, int rnk, const ptrdiff_t *n,   \
                                                    const int *order);                             \
    /* The same distribution, but each box is part of an enclosing array of these sizes and        \
     * begins at these offsets in it: `rnk` sizes and `rnk` offsets for each non-empty box.        \
     * Plans neither read nor write the numbers around the boxes. */                               \
    WEFT_API weft_distribution W(distribution_embedded)(                                           \
        weft_distribution distribution, const ptrdiff_t *sizes, const ptrdiff_t *offsets);         \
    WEFT_API void W(distribution_free)(weft_distribution distribution);                            \
    /* The box of a process, or the smallest box that contains all of its boxes. Returns the       \
     * number of points in the memory of the process, including those around its boxes. */         \
    WEFT_API ptrdiff_t W(distribution_box)(weft_distribution distribution, int process,            \
                                           ptrdiff_t *start, ptrdiff_t *count);                    \
    /* All boxes of a process, as local_boxes returns them, and the order of the axes in           \
     * memory. Pointers may be NULL. Returns the number of boxes. */                               \
    WEFT_API int W(distribution_list)(weft_distribution distribution, int process, int *order,     \
                                      ptrdiff_t *start, ptrdiff_t *count);                         \
    /* The distribution of a plan's input or, if `output` is not 0, of its output, for plans on    \
     * comm, which must have the ranks of the plan in the same order. NULL if this side is         \
     * scrambled. Local. */                                                                        \
    WEFT_API weft_distribution W(plan_layout)(X(plan) plan, MPI_Comm comm, int output);            \
    /* Transforms, with the kinds of plan_many_kinds, between any two distributions of the same    \
     * communicator, which may be freed once the plan is made. The complex side of r2c and c2r     \
     * has size n / 2 + 1 along the last axis; real rows have no padding. In place: in == out,     \
     * except for r2c and c2r. */                                                                  \
    WEFT_API X(plan)                                                                               \
        W(plan_between)(weft_distribution from, weft_distribution to, ptrdiff_t howmany, void *in, \
                        void *out, const int *kind, unsigned flags);                               \
    /* The same with modes[axis] modes in the spectrum, 1 to 2 n, for n grid points: a forward     \
     * transform truncates the spectrum or pads it with zeros, a backward transform does the       \
     * opposite. The spectrum has size modes[axis], or modes[axis] / 2 + 1 along the axis that     \
     * r2c or c2r halves. */                                                                       \
    WEFT_API X(plan) W(plan_between_modes)(weft_distribution from, weft_distribution to,           \
                                           const ptrdiff_t *modes, ptrdiff_t howmany, void *in,    \
                                           void *out, const int *kind, unsigned flags);            \
    /* Moves an array from one distribution to another of the same communicator; count a           \
     * complex number as two in howmany. In place: in == out. */                                   \
    WEFT_API X(plan) W(plan_redistribute)(weft_distribution from, weft_distribution to,            \
                                          ptrdiff_t howmany, R * in, R * out, unsigned flags);     \
    /* The same with the box of this rank before and the box after. */                             \
    WEFT_API X(plan) W(plan_redistribute_boxes)(                                                   \
        int rnk, const ptrdiff_t *n, ptrdiff_t howmany, const ptrdiff_t *start_in,                 \
        const ptrdiff_t *count_in, const ptrdiff_t *start_out, const ptrdiff_t *count_out, R *in,  \
        R *out, MPI_Comm comm, unsigned flags);                                                    \
    /* Transforms forward, applies an operator to the spectrum, and transforms back, in one plan.  \
     * This takes fewer sweeps through memory than two plans with a loop between them, and the     \
     * spectrum needs no array. `kind` has the kinds of the first transform, as for                \
     * plan_many_kinds; if it is a backward transform, the operator changes the function, and the  \
     * input and the output are spectra. `modes` are the modes of the                              \
     * spectrum along each axis, as for plan_between_modes; NULL: as many as points. Input and     \
     * output have the distribution of the input of plan_many_kinds, on the grid or, if `grid` is  \
     * NULL, in slabs of `comm`, as FFTW's; in == out is possible. The transforms are not          \
     * normalized. Planning does not call the operator. The arrays must be in host memory. */      \
    WEFT_API X(plan)                                                                               \
        W(plan_operator)(int rnk, const ptrdiff_t *n, const ptrdiff_t *modes, ptrdiff_t howmany,   \
                         void *in, void *out, weft_grid grid, const int *kind,                     \
                         weft_operator apply, void *data, MPI_Comm comm, unsigned flags);          \
    /* The same with a multiplication by factors: one factor for each point of the spectrum        \
     * that this rank has after the forward transform, in the same order. (In slabs with the       \
     * flag WEFT_TRANSPOSED_OUT, the order is as in FFTW's transposed output.) The factors are     \
     * complex numbers if `complex_factors` is not 0, otherwise real numbers. The plan reads       \
     * them in every run; they may change between runs. */                                         \
    WEFT_API X(plan)                                                                               \
        W(plan_multiply)(int rnk, const ptrdiff_t *n, const ptrdiff_t *modes, ptrdiff_t howmany,   \
                         void *in, void *out, weft_grid grid, const int *kind,                     \
                         const void *factors, int complex_factors, MPI_Comm comm, unsigned flags); \
    /* The same with another number of fields (numbers of a point) in the output. The operator     \
     * gets points of max(fields_in, fields_out) numbers; the first fields_in are the input,       \
     * and it writes the first fields_out. If the numbers of fields differ, input and output       \
     * must be different arrays. With fields_out 0 the plan ends with the operator: it writes      \
     * no array, and `out` is not used. */                                                         \
    WEFT_API X(plan)                                                                               \
        W(plan_fields)(int rnk, const ptrdiff_t *n, const ptrdiff_t *modes, ptrdiff_t fields_in,   \
                       ptrdiff_t fields_out, void *in, void *out, weft_grid grid, const int *kind, \
                       weft_operator apply, void *data, MPI_Comm comm, unsigned flags);            \
    /* The convolution of spectra, which are the fields of the input. The result has the           \
     * Fourier coefficients of the product of the functions. `kind` has WEFT_DFT_BACKWARD, with    \
     * WEFT_DFT_C2R last if the functions are real. With at least 3/2 (for two fields) as many     \
     * points n as modes, no product of two modes is aliased to a third. */                        \
    WEFT_API X(plan) W(plan_convolution)(int rnk, const ptrdiff_t *n, const ptrdiff_t *modes,      \
                                         ptrdiff_t fields, void *in, void *out, weft_grid grid,    \
                                         const int *kind, MPI_Comm comm, unsigned flags);          \
    /* Operators for Fourier transforms, whose data is a weft_wave: division by minus the square   \
     * of the wave number (the solution of Poisson's equation); multiplication by i times the wave \
     * number along data->axis; multiplication by exp(-(wave number times value)^2 / 2). */        \
    WEFT_API void W(inverse_laplacian)(void *values, ptrdiff_t count, const ptrdiff_t *index,      \
                                       int axis, void *data);                                      \
    WEFT_API void W(derivative)(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis,   \
                                void *data);                                                       \
    WEFT_API void W(gaussian_filter)(void *values, ptrdiff_t count, const ptrdiff_t *index,        \
                                     int axis, void *data);                                        \
    /* For plan_fields with one field in the input and as many in the output as the array has      \
     * axes: the derivatives along all axes. */                                                    \
    WEFT_API void W(gradient)(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis,     \
                              void *data);                                                         \
    /* Adds the squares of the absolute values of all numbers to data->power, whose type is        \
     * weft_shells, and changes no number. The program sets the sums of all ranks to 0 before a    \
     * run and adds them up after it. */                                                           \
    WEFT_API void W(power_spectrum)(void *values, ptrdiff_t count, const ptrdiff_t *index,         \
                                    int axis, void *data);

#define WEFT_MANGLE_DOUBLE(name)      weft_##name
#define WEFT_MANGLE_FLOAT(name)       weftf_##name
#define WEFT_MANGLE_LONG_DOUBLE(name) weftl_##name

WEFT_DEFINE_API(WEFT_MANGLE_DOUBLE, FFTW_MANGLE_DOUBLE)
WEFT_DEFINE_API(WEFT_MANGLE_FLOAT, FFTW_MANGLE_FLOAT)
WEFT_DEFINE_API(WEFT_MANGLE_LONG_DOUBLE, FFTW_MANGLE_LONG_DOUBLE)

WEFT_DEFINE_GRID_API(WEFT_MANGLE_DOUBLE, FFTW_MANGLE_DOUBLE, double, fftw_complex)
WEFT_DEFINE_GRID_API(WEFT_MANGLE_FLOAT, FFTW_MANGLE_FLOAT, float, fftwf_complex)
WEFT_DEFINE_GRID_API(WEFT_MANGLE_LONG_DOUBLE, FFTW_MANGLE_LONG_DOUBLE, long double, fftwl_complex)

#ifdef __cplusplus
}
#endif

#endif
