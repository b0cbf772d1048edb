/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries are opened with dlopen, each with names of its own (RTLD_LOCAL), so that Weft and
 * FFTW-MPI, which define the same functions, live in one process and share one serial FFTW.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include <fftw3.h>

/* Pointers to numbers are void: the binary interface is the same for all precisions. */
typedef struct {
    void *handle;
    void (*init)(void);
    ptrdiff_t (*local_size_many_transposed)(int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t,
                                            MPI_Comm, ptrdiff_t *, ptrdiff_t *, ptrdiff_t *,
                                            ptrdiff_t *);
    ptrdiff_t (*local_size_many_1d)(ptrdiff_t, ptrdiff_t, MPI_Comm, int, unsigned, ptrdiff_t *,
                                    ptrdiff_t *, ptrdiff_t *, ptrdiff_t *);
    void *(*plan_many_dft)(int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, void *, void *,
                           MPI_Comm, int, unsigned);
    void *(*plan_many_dft_r2c)(int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, void *,
                               void *, MPI_Comm, unsigned);
    void *(*plan_many_dft_c2r)(int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, void *,
                               void *, MPI_Comm, unsigned);
    void *(*plan_many_r2r)(int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, void *, void *,
                           MPI_Comm, const fftw_r2r_kind *, unsigned);
    void *(*plan_many_transpose)(ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, void *,
                                 void *, MPI_Comm, unsigned);
    /* Weft's own, on process grids. */
    void *(*grid_create)(MPI_Comm, int, const int *);
    void (*grid_free)(void *);
    ptrdiff_t (*local_size)(int, const ptrdiff_t *, ptrdiff_t, void *, int, unsigned, ptrdiff_t *,
                            ptrdiff_t *, ptrdiff_t *, ptrdiff_t *);
    void *(*plan_many_kinds)(int, const ptrdiff_t *, ptrdiff_t, void *, void *, void *, const int *,
                             unsigned);
    void (*execute)(void *); /* of the serial FFTW that comes along */
    void (*destroy_plan)(void *);
    const char *(*last_error)(void);
    const char *(*backend_name)(int);
    const char *(*version)(void);
} functions;

struct bench_library {
    char name[512];
    functions of[3];
};

static const char *const letter[] = {"", "f", "l"};

/* The function, of a name with the precision's letter in it. */
static void *find(void *handle, const char *pattern, bench_precision precision)
{
    char name[96];
    snprintf(name, sizeof name, pattern, letter[precision]);
    return dlsym(handle, name);
}

static bool fill(functions *of, bench_precision precision)
{
    const struct {
        void *where;
        const char *pattern;
        bool needed;
    } entry[] = {{&of->init, "fftw%s_mpi_init", true},
                 {&of->local_size_many_transposed, "fftw%s_mpi_local_size_many_transposed", true},
                 {&of->local_size_many_1d, "fftw%s_mpi_local_size_many_1d", true},
                 {&of->plan_many_dft, "fftw%s_mpi_plan_many_dft", true},
                 {&of->plan_many_dft_r2c, "fftw%s_mpi_plan_many_dft_r2c", true},
                 {&of->plan_many_dft_c2r, "fftw%s_mpi_plan_many_dft_c2r", true},
                 {&of->plan_many_r2r, "fftw%s_mpi_plan_many_r2r", true},
                 {&of->plan_many_transpose, "fftw%s_mpi_plan_many_transpose", true},
                 {&of->execute, "fftw%s_execute", true},
                 {&of->destroy_plan, "fftw%s_destroy_plan", true},
                 {&of->grid_create, "weft%s_grid_create", false},
                 {&of->grid_free, "weft%s_grid_free", false},
                 {&of->local_size, "weft%s_local_size", false},
                 {&of->plan_many_kinds, "weft%s_plan_many_kinds", false},
                 {&of->last_error, "weft%s_last_error", false},
                 {&of->backend_name, "weft%s_backend_name", false},
                 {&of->version, "weft%s_version", false}};
    for (size_t i = 0; i < sizeof entry / sizeof entry[0]; i++) {
        void *address = find(of->handle, entry[i].pattern, precision);
        if (!address && entry[i].needed)
            return false;
        memcpy(entry[i].where, &address, sizeof address);
    }
    return true;
}

/* The name of the library of another precision: libweft.so -> libweftf.so, libfftw3_mpi.so ->
 * libfftw3f_mpi.so. */
static bool name_of(const char *name, bench_precision precision, char *text, size_t room)
{
    const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    const char *at = strstr(base, "weft");
    at = at ? at + strlen("weft") : strstr(base, "fftw3");
    if (!at)
        return false;
    if (strncmp(at, "fftw3", 5) == 0)
        at += 5;
    const int before = (int)(at - name);
    return (size_t)snprintf(text, room, "%.*s%s%s", before, name, letter[precision], at) < room;
}

static bool open_precision(bench_library *library, bench_precision precision)
{
    functions *of = &library->of[precision];
    char name[600];
    if (of->handle)
        return true;
    if (!name_of(library->name, precision, name, sizeof name))
        return false;
    of->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!of->handle)
        return false;
    if (!fill(of, precision)) {
        dlclose(of->handle);
        of->handle = NULL;
        return false;
    }
    of->init();
    return true;
}

bench_library *bench_library_open(const char *name, char *error, size_t room)
{
    bench_library *library = calloc(1, sizeof *library);
    if (!library || strlen(name) >= sizeof library->name) {
        snprintf(error, room, "no memory, or the name is too long");
        free(library);
        return NULL;
    }
    strcpy(library->name, name);
    functions *of = &library->of[BENCH_DOUBLE];
    of->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!of->handle || !fill(of, BENCH_DOUBLE)) {
        const char *why = of->handle ? "it does not have FFTW-MPI's functions" : dlerror();
        snprintf(error, room, "%s", why ? why : "unknown reason");
        free(library);
        return NULL;
    }
    of->init();
    return library;
}

void bench_library_close(bench_library *library)
{
    free(library); /* what MPI calls back at its end may lie in the libraries: they stay loaded */
}

bool bench_library_has(bench_library *library, bench_precision precision)
{
    return open_precision(library, precision);
}

const char *bench_library_error(bench_library *library, bench_precision precision)
{
    const functions *of = &library->of[precision];
    return of->last_error ? of->last_error() : "";
}

const char *bench_library_backend(bench_library *library, int place)
{
    const functions *of = &library->of[BENCH_DOUBLE];
    return of->backend_name ? of->backend_name(place) : NULL;
}

const char *bench_library_version(bench_library *library)
{
    const functions *of = &library->of[BENCH_DOUBLE];
    return of->version ? of->version() : "";
}

static ptrdiff_t max_of(ptrdiff_t a, ptrdiff_t b)
{
    return a > b ? a : b;
}

static unsigned order_flags(const bench_case *that)
{
    const unsigned scrambled_out = 1u << 28, transposed_in = 1u << 29, transposed_out = 1u << 30;
    if (that->scrambled)
        return scrambled_out;
    if (!that->transposed)
        return 0;
    return that->kind == BENCH_C2R ? transposed_in : transposed_out;
}

/* The numbers of weft.h. */
enum { DFT_FORWARD = 65, DFT_BACKWARD, DFT_R2C, DFT_C2R, R2R };
static const unsigned grid_transposed_in = 1u << 29, grid_transposed_out = 1u << 30;

static int grid_kind(const bench_case *that)
{
    static const int kind[] = {DFT_FORWARD, DFT_R2C, DFT_C2R, R2R, R2R};
    return kind[that->kind];
}

static unsigned grid_flags(const bench_case *that)
{
    if (!that->transposed)
        return 0;
    return that->kind == BENCH_C2R ? grid_transposed_in : grid_transposed_out;
}

static ptrdiff_t grid_numbers(const functions *of, const bench_case *that, ptrdiff_t *output)
{
    ptrdiff_t count[BENCH_MAX_AXES], numbers = 0;
    void *grid =
        of->grid_create ? of->grid_create(MPI_COMM_WORLD, that->grid_axes, that->grid) : NULL;
    *output = 0;
    if (!grid)
        return 1;
    numbers = of->local_size(that->axes, that->size, that->howmany, grid, grid_kind(that),
                             grid_flags(that), NULL, NULL, count, NULL);
    of->grid_free(grid);
    *output = numbers > 0
                  ? that->howmany * (grid_kind(that) == R2R || that->kind == BENCH_C2R ? 1 : 2)
                  : 0;
    for (int axis = 0; numbers > 0 && axis < that->axes; axis++)
        *output *= that->kind == BENCH_C2R && axis == that->axes - 1
                       ? 2 * (that->size[axis] / 2 + 1)
                       : count[axis];
    return max_of(1, 2 * numbers);
}

static void *grid_plan(const functions *of, const bench_case *that, void *in, void *out,
                       unsigned rigor)
{
    int kind[BENCH_MAX_AXES];
    void *grid =
        of->grid_create ? of->grid_create(MPI_COMM_WORLD, that->grid_axes, that->grid) : NULL;
    if (!grid || that->kind == BENCH_TRANSPOSE)
        return NULL;
    for (int axis = 0; axis < that->axes; axis++)
        kind[axis] = that->kind == BENCH_R2R   ? (int)FFTW_REDFT10
                     : that->kind == BENCH_C2R ? (int)DFT_BACKWARD
                                               : (int)DFT_FORWARD;
    if (that->kind != BENCH_R2R)
        kind[that->axes - 1] = grid_kind(that);
    void *plan = of->plan_many_kinds(that->axes, that->size, that->howmany, in, out, grid, kind,
                                     rigor | grid_flags(that));
    of->grid_free(grid);
    return plan;
}

ptrdiff_t bench_local_numbers(bench_library *library, const bench_case *that, ptrdiff_t *output)
{
    const functions *of = &library->of[that->precision];
    if (that->grid_axes > 0)
        return grid_numbers(of, that, output);
    const bool real = that->kind == BENCH_R2R || that->kind == BENCH_TRANSPOSE;
    const bool transposed_out =
        that->kind == BENCH_TRANSPOSE || (that->transposed && that->kind != BENCH_C2R);
    ptrdiff_t size[BENCH_MAX_AXES], local_in, in_start, local_out, out_start, points;
    memcpy(size, that->size, sizeof size);
    if (that->kind == BENCH_R2C || that->kind == BENCH_C2R)
        size[that->axes - 1] = size[that->axes - 1] / 2 + 1;
    if (that->axes == 1) {
        points =
            of->local_size_many_1d(size[0], that->howmany, MPI_COMM_WORLD, FFTW_FORWARD,
                                   order_flags(that), &local_in, &in_start, &local_out, &out_start);
    } else {
        points =
            of->local_size_many_transposed(that->axes, size, that->howmany, 0, 0, MPI_COMM_WORLD,
                                           &local_in, &in_start, &local_out, &out_start);
        local_out = transposed_out ? local_out * size[0] : local_in * size[1];
    }
    *output = local_out * that->howmany * (real ? 1 : 2);
    for (int axis = 2; axis < that->axes; axis++)
        *output *= size[axis];
    return max_of(1, 2 * points);
}

void *bench_plan(bench_library *library, const bench_case *that, void *in, void *out,
                 unsigned rigor)
{
    static const fftw_r2r_kind dct[BENCH_MAX_AXES] = {FFTW_REDFT10, FFTW_REDFT10, FFTW_REDFT10,
                                                      FFTW_REDFT10, FFTW_REDFT10, FFTW_REDFT10,
                                                      FFTW_REDFT10, FFTW_REDFT10};
    const functions *of = &library->of[that->precision];
    const unsigned flags = rigor | order_flags(that);
    const MPI_Comm world = MPI_COMM_WORLD;
    if (that->grid_axes > 0)
        return grid_plan(of, that, in, out, rigor);
    switch (that->kind) {
    case BENCH_C2C:
        return of->plan_many_dft(that->axes, that->size, that->howmany, 0, 0, in, out, world,
                                 FFTW_FORWARD, flags);
    case BENCH_R2C:
        return of->plan_many_dft_r2c(that->axes, that->size, that->howmany, 0, 0, in, out, world,
                                     flags);
    case BENCH_C2R:
        return of->plan_many_dft_c2r(that->axes, that->size, that->howmany, 0, 0, in, out, world,
                                     flags);
    case BENCH_R2R:
        return of->plan_many_r2r(that->axes, that->size, that->howmany, 0, 0, in, out, world, dct,
                                 flags);
    case BENCH_TRANSPOSE:
        return of->plan_many_transpose(that->size[0], that->size[1], that->howmany, 0, 0, in, out,
                                       world, rigor);
    }
    return NULL;
}

void bench_execute(bench_library *library, const bench_case *that, void *plan)
{
    library->of[that->precision].execute(plan);
}

void bench_destroy(bench_library *library, const bench_case *that, void *plan)
{
    library->of[that->precision].destroy_plan(plan);
}
