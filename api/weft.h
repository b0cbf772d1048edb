/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft.h: what Weft offers beyond FFTW's interface. Functions are weft_name in libweft, weftf_name
 * in libweftf and weftl_name in libweftl, as FFTW's are.
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

/* Process grids, and which part of an array each rank holds: see WEFT_DEFINE_GRID_API. */
typedef struct weft_grid_s *weft_grid;
typedef struct weft_distribution_s *weft_distribution;

/* What is done along an axis, besides FFTW's r2r kinds. WEFT_NONE, nothing, also stands in arrays
 * of fftw_r2r_kind. WEFT_R2R is no kind of its own: for local_size, any mixture of r2r kinds. */
enum { WEFT_NONE = 64, WEFT_DFT_FORWARD, WEFT_DFT_BACKWARD, WEFT_DFT_R2C, WEFT_DFT_C2R, WEFT_R2R };

/* No stream of the program's: what plan_set_stream takes back with. */
#define WEFT_OWN_STREAM ((void *)-1)

/* Flags of functions with a grid, besides those of fftw3.h. */
#define WEFT_ROWS         (1U << 22) /* in rows, of 3 and 4 axes, whatever the grid: see below */
#define WEFT_UNPADDED     (1U << 23) /* r2c, c2r: rows of n real numbers, not of 2 (n / 2 + 1) */
#define WEFT_FFTW_BLOCKS  (1U << 24) /* ceil(n / ranks) indices each until none are left */
#define WEFT_REVERSED     (1U << 25) /* input and output change their alignments */
#define WEFT_SAME_LAYOUT  (1U << 26) /* both aligned along the last axis */
#define WEFT_ON_DEVICE    (1U << 27) /* grid_tune: for arrays on the device that is current */
#define WEFT_EITHER_ORDER (1U << 28) /* grid_tune: in row- or in column-major order of ranks */
/* The side aligned along the first axis lies in memory with its divided axes first, then axis 0,
 * then the rest. */
#define WEFT_TRANSPOSED_IN  (1U << 29)
#define WEFT_TRANSPOSED_OUT (1U << 30)

#define WEFT_DEFINE_API(W, X)                                                                      \
    /* "0.2.0". */                                                                                 \
    WEFT_API const char *W(version)(void);                                                         \
    /* Why the last call of this thread failed that did, in a sentence; "" when the last call of a \
     * planning or local_size function did not fail. Valid until the next call. */                 \
    WEFT_API const char *W(last_error)(void);                                                      \
    /* The name of a backend, and a line on how it moves the data, by its place in the table, from \
     * 0; NULL past the end. */                                                                    \
    WEFT_API const char *W(backend_name)(int place);                                               \
    WEFT_API const char *W(backend_about)(int place);                                              \
    /* What plans made from now on use for their exchanges, in place of WEFT_BACKEND: "waitsome",  \
     * "bruck:4", "auto", one for each exchange, "alltoallw,auto", or any but some,                \
     * "^bruck,shared". NULL: as WEFT_BACKEND says.                                                \
     * What counts is what rank 0 of a plan's communicator was told. A name that is unknown, or    \
     * that cannot be used, makes planning fail. 0: no memory. */                                  \
    WEFT_API int W(set_backend)(const char *backends);                                             \
    /* Planning stops after so many seconds, with the best so far; in place of WEFT_TIMELIMIT.     \
     * Negative: no limit. Of this and fftw_set_timelimit the smaller counts, rank 0's. */         \
    WEFT_API void W(set_timelimit)(double seconds);                                                \
    /* What planning learnt, as text; each rank has what concerned it. 0 or NULL, with last_error  \
     * saying why, when it fails. The string is to be freed with free. Importing adds to what      \
     * there is, uses what is readable, and gives 0 when anything is not. */                       \
    WEFT_API int W(export_wisdom_to_filename)(const char *filename);                               \
    WEFT_API char *W(export_wisdom_to_string)(void);                                               \
    WEFT_API int W(import_wisdom_from_filename)(const char *filename);                             \
    WEFT_API int W(import_wisdom_from_string)(const char *text);                                   \
    WEFT_API void W(forget_wisdom)(void);                                                          \
    /* What a plan does on this rank, how it was found, what else was tried, and where the time of \
     * its runs went since the first of its reports; to read or as JSON. 0: it is no plan of       \
     * Weft's. Local; not while another thread runs it. */                                         \
    WEFT_API int W(plan_report)(X(plan) plan, FILE * file);                                        \
    WEFT_API int W(plan_report_json)(X(plan) plan, FILE * file);                                   \
    /* A run in two halves, on arrays as of fftw_mpi_execute_dft: start goes until it would wait   \
     * for messages, which MPI moves while the program does something else; finish does the rest.  \
     * test, in between, lets MPI go on, and is 1 when what is under way has arrived. Any number   \
     * of plans may be in flight, each of them once; all ranks start and finish them in the same   \
     * order, and leave their arrays alone meanwhile; to destroy one finishes it first. 0, with    \
     * last_error: no plan of Weft's, started already, or not started (test: or not arrived). */   \
    WEFT_API int W(execute_start)(X(plan) plan, void *in, void *out);                              \
    WEFT_API int W(execute_test)(X(plan) plan);                                                    \
    WEFT_API int W(execute_finish)(X(plan) plan);                                                  \
    /* Runs so many plans, each on its arrays: while one waits for messages the next is started.   \
     * 0: as of start, and none has been run. */                                                   \
    WEFT_API int W(execute_many)(int count, X(plan) * plans, void **in, void **out);               \
    /* Bytes that a plan takes on this rank besides the arrays: borrowed while it runs, of what    \
     * all plans of the process have together, and of memory that ranks share; pointers may be     \
     * NULL. Returns both together; negative: it is no plan of Weft's. Local. */                   \
    WEFT_API ptrdiff_t W(plan_memory)(X(plan) plan, ptrdiff_t * borrowed, ptrdiff_t * shared);     \
    /* The plan borrows this memory while it runs, in place of what all plans have together; it is \
     * the program's, and of one plan that runs at a time. Of memory that is aligned to 64 bytes   \
     * plan_memory tells how much, else up to 63 bytes more. NULL: as before. 0, with last_error,  \
     * and nothing has changed: it is too small, the plan is running, or no plan of Weft's, or     \
     * there is no memory to have together. Local. */                                              \
    WEFT_API int W(plan_set_workspace)(X(plan) plan, void *memory, ptrdiff_t bytes);               \
    /* A plan whose arrays lie on a GPU works in this stream, a cudaStream_t, from now on, and its \
     * runs wait only where the host takes part; NULL: the default stream, WEFT_OWN_STREAM: one of \
     * the plan's own again, whose runs return when the result is there. 0, with last_error, and   \
     * nothing has changed: the arrays lie elsewhere, the plan is running, or no plan of Weft's,   \
     * or the stream cannot be used. Local. */                                                     \
    WEFT_API int W(plan_set_stream)(X(plan) plan, void *stream);                                   \
    /* The least length from n on that FFTW is fast at, 2^a 3^b 5^c 7^d, or 11 or 13 times that,   \
     * and that divides into equal parts; where parts have other factors the latter cannot be.     \
     * 0: n or parts are less than 1. Local. */                                                    \
    WEFT_API ptrdiff_t W(good_size)(ptrdiff_t n, int parts);

/*
 * Transforms on process grids. A grid of g dimensions, 1 <= g < rnk, divides g axes of the array,
 * evenly: an axis of n indices over p ranks gives each n / p, and one more to the first n % p.
 * Aligned along the last axis, dimension i of the grid divides axis i; aligned along the first,
 * axis i + 1. Forward transforms, r2c and r2r go from the former to the latter, backward ones and
 * c2r from the latter to the former, which is the fastest. Every rank's part lies in the order of
 * the axes.
 *
 * With WEFT_ROWS the side aligned along the last axis is an array in the order of the axes, that
 * aligned along the first one in the reverse, and each rank holds a range of it: of P ranks rank r
 * begins at floor(N r / P) rows, N being the first size in that order, or of the first two, or
 * three of four, as few as make P rows at least (at most all but the last). That moves the least.
 * In memory the range is contiguous; it is made of one box, or up to three, of 4 axes five.
 *
 * Ranks are the coordinates of the grid with the last dimension varying fastest (row-major), or
 * with the first one (column-major), where that was asked for. With the ranks of a node one after
 * another the fastest dimension lies on nodes, and its exchange does not leave them. What is
 * not said here is as in FFTW's MPI interface: plans are FFTW's, howmany numbers lie together at
 * every point, transforms are not normalized, and all calls are collective but those that only free
 * or tell something (free, grid_free, grid_dims, local_size, local_boxes, distribution_grid, _free,
 * _box). Every
 * rank must pass a grid, or distributions: one that passes NULL has no communicator over which to
 * tell the others, and they wait for it.
 */
#define WEFT_DEFINE_GRID_API(W, X, R, C)                                                           \
    /* A grid of `rank` dimensions; those of 0, or all when dims is NULL, are chosen: as WEFT_GRID \
     * says (4x2) if that fits, else near to a square. 1 leaves an axis undivided. The             \
     * communicator must live as long as the grid. NULL when dims do not multiply to its size. */  \
    WEFT_API weft_grid W(grid_create)(MPI_Comm comm, int rank, const int *dims);                   \
    /* The same in column-major order. */                                                          \
    WEFT_API weft_grid W(grid_create_column_major)(MPI_Comm comm, int rank, const int *dims);      \
    WEFT_API void W(grid_free)(weft_grid grid);                                                    \
    /* The grid on which this transform is the fastest: plans and times it, in memory of           \
     * alloc_complex (with WEFT_ON_DEVICE, of alloc_device_complex), on those that promise well,   \
     * unless WEFT_GRID says one that fits. `kind` and flags as for local_size, besides FFTW's;    \
     * with WEFT_ROWS rows are timed, too, where they differ from all grids, and if they are the   \
     * fastest what is planned and asked on this grid is in rows, as if with WEFT_ROWS: grid_rows  \
     * then returns 1, else 0. With WEFT_EITHER_ORDER grids in column-major order are timed, too,  \
     * where less leaves nodes so: grid_column_major returns 1 for such a grid, else 0. */         \
    WEFT_API weft_grid W(grid_tune)(MPI_Comm comm, int rank, int rnk, const ptrdiff_t *n,          \
                                    ptrdiff_t howmany, int kind, unsigned flags);                  \
    WEFT_API int W(grid_rows)(weft_grid grid);                                                     \
    WEFT_API int W(grid_column_major)(weft_grid grid);                                             \
    /* Its dimensions, into dims unless that is NULL; how many there are. */                       \
    WEFT_API int W(grid_dims)(weft_grid grid, int *dims);                                          \
    /* The part of this rank, or of `process`, before and after; pointers may be NULL. Sizes are   \
     * those of the real side; a local length of the last axis is told without padding, and of     \
     * n / 2 + 1 on the complex side of r2c and c2r. Returns how many numbers to allocate for      \
     * either side: real ones for r2r, else complex; 0 on errors. `kind` is WEFT_DFT_FORWARD,      \
     * _BACKWARD, _R2C, _C2R or WEFT_R2R; flags are the plan's. With WEFT_ROWS the length and the  \
     * start of axis 0 are those of the range, in points without padding, and of others 1 and 0.   \
     */                                                                                            \
    WEFT_API ptrdiff_t W(local_size)(                                                              \
        int rnk, const ptrdiff_t *n, ptrdiff_t howmany, weft_grid grid, int kind, unsigned flags,  \
        ptrdiff_t *local_n_in, ptrdiff_t *start_in, ptrdiff_t *local_n_out, ptrdiff_t *start_out); \
    WEFT_API ptrdiff_t W(local_size_process)(                                                      \
        int process, int rnk, const ptrdiff_t *n, ptrdiff_t howmany, weft_grid grid, int kind,     \
        unsigned flags, ptrdiff_t *local_n_in, ptrdiff_t *start_in, ptrdiff_t *local_n_out,        \
        ptrdiff_t *start_out);                                                                     \
    /* The boxes that a process holds of the input, or with `output` of the output, in the order   \
     * in which they lie in memory, `rnk` numbers each, at most 2 rnk - 3 boxes; how many. */      \
    WEFT_API int W(local_boxes)(int process, int rnk, const ptrdiff_t *n, weft_grid grid,          \
                                int kind, unsigned flags, int output, ptrdiff_t *start,            \
                                ptrdiff_t *count);                                                 \
    /* Memory for n numbers on this rank (each has its own n), collectively. All ranks of a node   \
     * see it, and plans on grids then read and write what they would else have copied. Where a    \
     * node has no memory to share it is as fftw_malloc's. NULL on all ranks when one cannot. */   \
    WEFT_API R *W(alloc_real)(ptrdiff_t n, MPI_Comm comm);                                         \
    WEFT_API C *W(alloc_complex)(ptrdiff_t n, MPI_Comm comm);                                      \
    /* The same on the GPU that is current on this rank; plans for it run there. NULL on all ranks \
     * when one has none. */                                                                       \
    WEFT_API R *W(alloc_device_real)(ptrdiff_t n, MPI_Comm comm);                                  \
    WEFT_API C *W(alloc_device_complex)(ptrdiff_t n, MPI_Comm comm);                               \
    /* Local. The memory ends with MPI_Finalize, too. */                                           \
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
    /* A kind for each axis: FFTW's r2r kinds, WEFT_NONE, and of one sign WEFT_DFT_FORWARD (with   \
     * WEFT_DFT_R2C last: from real numbers) or WEFT_DFT_BACKWARD (with WEFT_DFT_C2R last: to real \
     * numbers). R2r kinds transform the parts of complex numbers alike. */                        \
    WEFT_API X(plan)                                                                               \
        W(plan_many_kinds)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, void *in, void *out,    \
                           weft_grid grid, const int *kind, unsigned flags);                       \
    /* Which part each rank holds: on a grid of at most rnk dimensions, axis[i] divided by         \
     * dimension i (NULL: axis i), with WEFT_FFTW_BLOCKS or 0. */                                  \
    WEFT_API weft_distribution W(distribution_grid)(weft_grid grid, int rnk, const ptrdiff_t *n,   \
                                                    const int *axis, unsigned flags);              \
    /* Or any box for every rank: each gives its own. NULL, with why, when they overlap or leave a \
     * hole. A rank without numbers gives counts of 0. */                                          \
    WEFT_API weft_distribution W(distribution_boxes)(MPI_Comm comm, int rnk, const ptrdiff_t *n,   \
                                                     const ptrdiff_t *start,                       \
                                                     const ptrdiff_t *count);                      \
    /* Each rank any number of boxes, rnk numbers each in `start` and `count`; they lie one after  \
     * another in its memory. */                                                                   \
    WEFT_API weft_distribution W(distribution_many_boxes)(                                         \
        MPI_Comm comm, int rnk, const ptrdiff_t *n, int boxes, const ptrdiff_t *start,             \
        const ptrdiff_t *count);                                                                   \
    /* Rows, as of WEFT_ROWS, of an array whose axes lie in this order, the slowest first; NULL:   \
     * their own. The grid says only among which ranks. */                                         \
    WEFT_API weft_distribution W(distribution_rows)(weft_grid grid, int rnk, const ptrdiff_t *n,   \
                                                    const int *order);                             \
    /* The same, but each box lies in an array of these sizes, from these offsets on: `rnk`        \
     * numbers of each for every box of this rank that is not empty, in their order, and the       \
     * arrays one after another. What is around the boxes is neither read nor written. The one     \
     * given is left as it is. NULL: a box does not fit. */                                        \
    WEFT_API weft_distribution W(distribution_embedded)(                                           \
        weft_distribution distribution, const ptrdiff_t *sizes, const ptrdiff_t *offsets);         \
    WEFT_API void W(distribution_free)(weft_distribution distribution);                            \
    /* The box of a process, of several the one around them; how many points memory has, with all  \
     * that is around them. */                                                                     \
    WEFT_API ptrdiff_t W(distribution_box)(weft_distribution distribution, int process,            \
                                           ptrdiff_t *start, ptrdiff_t *count);                    \
    /* All boxes of a process, as local_boxes tells them, and the order in which axes lie in       \
     * memory; pointers may be NULL. How many boxes. */                                            \
    WEFT_API int W(distribution_list)(weft_distribution distribution, int process, int *order,     \
                                      ptrdiff_t *start, ptrdiff_t *count);                         \
    /* What a plan takes, or with `output` gives: for distribution_list, and plans on comm, which  \
     * has the plan's ranks in their order. Rows that the plan pads are so. Local; NULL: it is no  \
     * plan of Weft's, or that side is scrambled. */                                               \
    WEFT_API weft_distribution W(plan_layout)(X(plan) plan, MPI_Comm comm, int output);            \
    /* Transforms, of kinds as of plan_many_kinds, between any two distributions of the same       \
     * communicator, which may be freed at once; of r2c and c2r that of the complex side has       \
     * n / 2 + 1 along the last axis, and rows of the real side have no padding. In place:         \
     * in == out, but of r2c and c2r. */                                                           \
    WEFT_API X(plan)                                                                               \
        W(plan_between)(weft_distribution from, weft_distribution to, ptrdiff_t howmany, void *in, \
                        void *out, const int *kind, unsigned flags);                               \
    /* The same with modes[axis] modes in the spectrum, 1 to 2 n of them, of n points on the grid: \
     * forward what is too many is cut away, or zeros are added, backward the other way round (the \
     * 3/2 rule). The distribution of the spectrum has modes[axis] along an axis, modes / 2 + 1    \
     * where r2c or c2r halve it; axes of other kinds have n. Of an even number m of modes the one \
     * at m / 2 is that of m / 2 and -m / 2: a spectrum that is cut has the sum of both there, one \
     * that is extended has half of it at each. */                                                 \
    WEFT_API X(plan) W(plan_between_modes)(weft_distribution from, weft_distribution to,           \
                                           const ptrdiff_t *modes, ptrdiff_t howmany, void *in,    \
                                           void *out, const int *kind, unsigned flags);            \
    /* Moves an array from one distribution to another of the same communicator; complex numbers   \
     * are two of howmany. The distributions may be freed at once. In place: in == out. */         \
    WEFT_API X(plan) W(plan_redistribute)(weft_distribution from, weft_distribution to,            \
                                          ptrdiff_t howmany, R * in, R * out, unsigned flags);     \
    /* The same for the box that this rank has and the box that it wants. */                       \
    WEFT_API X(plan) W(plan_redistribute_boxes)(                                                   \
        int rnk, const ptrdiff_t *n, ptrdiff_t howmany, const ptrdiff_t *start_in,                 \
        const ptrdiff_t *count_in, const ptrdiff_t *start_out, const ptrdiff_t *count_out, R *in,  \
        R *out, MPI_Comm comm, unsigned flags);

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
