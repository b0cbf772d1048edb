/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens libraries with dlopen and RTLD_LOCAL. So Weft and FFTW-MPI, which define the same
 * functions, can both be in one process, and both use the same serial FFTW.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/library.h"
#include "tools/bench/path.h"

static const char *const letter[] = {"", "f", "l"};

/* Finds the function whose name is `pattern` with the precision's letter in place of %s. */
static void *find(void *handle, const char *pattern, bench_precision precision)
{
    char name[96];
    snprintf(name, sizeof name, pattern, letter[precision]);
    return dlsym(handle, name);
}

/* Finds all functions. Returns false if a function of FFTW-MPI is missing. */
static bool fill(bench_functions *of, bench_precision precision)
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
                 {&of->grid_create_column_major, "weft%s_grid_create_column_major", false},
                 {&of->grid_free, "weft%s_grid_free", false},
                 {&of->local_size, "weft%s_local_size", false},
                 {&of->plan_many_kinds, "weft%s_plan_many_kinds", false},
                 {&of->plan_multiply, "weft%s_plan_multiply", false},
                 {&of->plan_fields, "weft%s_plan_fields", false},
                 {&of->alloc_real, "weft%s_alloc_real", false},
                 {&of->free, "weft%s_free", false},
                 {&of->last_error, "weft%s_last_error", false},
                 {&of->backend_name, "weft%s_backend_name", false},
                 {&of->plan_report_json, "weft%s_plan_report_json", false}};
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
static bool name_of(const char *name, bench_precision precision, char *text, size_t capacity)
{
    const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    const char *at = strstr(base, "weft");
    at = at ? at + strlen("weft") : strstr(base, "fftw3");
    if (!at)
        return false;
    if (strncmp(at, "fftw3", 5) == 0)
        at += 5;
    const int before = (int)(at - name);
    return (size_t)snprintf(text, capacity, "%.*s%s%s", before, name, letter[precision], at) <
           capacity;
}

/* Whether the library is linked to another kind of MPI than this program. Only Open MPI has a
 * symbol with this name, and only libraries of MPI 5's standard ABI are in a file with that name.
 */
static bool for_another_mpi(void *handle)
{
    const void *mpi = dlsym(handle, "PMPI_Initialized");
    Dl_info info;
    const bool standard =
        mpi && dladdr(mpi, &info) && info.dli_fname && strstr(info.dli_fname, "libmpi_abi");
    const bool open_mpi = dlsym(handle, "ompi_mpi_comm_world") != NULL;
#if defined MPI_ABI_VERSION && MPI_ABI_VERSION > 0
    (void)open_mpi;
    return mpi && !standard;
#elif defined OPEN_MPI
    return mpi && (standard || !open_mpi);
#else
    return mpi && (standard || open_mpi);
#endif
}

/* Opens a file and finds its functions. Returns NULL, or the reason why that failed. */
static const char *open_functions(bench_functions *of, const char *name, bench_precision precision)
{
    of->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!of->handle)
        return dlerror();
    const char *why = NULL;
    if (for_another_mpi(of->handle))
        why = "it was built for another MPI than weft-bench; weft-info prints which one that is";
    else if (!fill(of, precision))
        why = "it lacks functions of FFTW's MPI library";
    if (!why) {
        of->init();
        return NULL;
    }
    dlclose(of->handle);
    of->handle = NULL;
    return why;
}

bench_library *bench_library_open(const char *name, char *error, size_t capacity)
{
    bench_library *library = calloc(1, sizeof *library);
    if (!library || strlen(name) >= sizeof library->name) {
        snprintf(error, capacity, "there is no memory, or the name is too long");
        free(library);
        return NULL;
    }
    strcpy(library->name, name);
    const char *why = open_functions(&library->of[BENCH_DOUBLE], name, BENCH_DOUBLE);
    if (!why)
        return library;
    snprintf(error, capacity, "%s", why);
    free(library);
    return NULL;
}

bool bench_library_with_threads(void)
{
    bool any = false;
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "libfftw3%s_threads.so.3", letter[i]);
        any |= dlopen(name, RTLD_NOW | RTLD_GLOBAL) != NULL;
    }
    return any;
}

void bench_library_threads(bench_precision precision, int threads)
{
    void *initialize = find(RTLD_DEFAULT, "fftw%s_init_threads", precision);
    void *use = find(RTLD_DEFAULT, "fftw%s_plan_with_nthreads", precision);
    int (*init_threads)(void);
    void (*plan_with_nthreads)(int);
    if (!initialize || !use)
        return;
    memcpy(&init_threads, &initialize, sizeof initialize);
    memcpy(&plan_with_nthreads, &use, sizeof use);
    init_threads();
    plan_with_nthreads(threads > 1 ? threads : 1);
}

bench_library *bench_library_open_weft(const char *name, char *error, size_t capacity)
{
    char path[600];
    bench_library_path("libweft" WEFT_SUFFIX ".so.0", path, sizeof path);
    return bench_library_open(name ? name : path, error, capacity);
}

void bench_forget(bench_precision precision)
{
    void *function = find(RTLD_DEFAULT, "fftw%s_forget_wisdom", precision);
    void (*forget_wisdom)(void);
    if (!function)
        return;
    memcpy(&forget_wisdom, &function, sizeof forget_wisdom);
    forget_wisdom();
}

void *bench_library_function(bench_library *library, bench_precision precision, const char *pattern)
{
    return bench_library_has(library, precision)
               ? find(library->of[precision].handle, pattern, precision)
               : NULL;
}

void bench_library_close(bench_library *library)
{
    free(library); /* the files stay loaded, because MPI_Finalize may call functions in them */
}

bool bench_library_has(bench_library *library, bench_precision precision)
{
    bench_functions *of = &library->of[precision];
    char name[600];
    return of->handle || (name_of(library->name, precision, name, sizeof name) &&
                          !open_functions(of, name, precision));
}

const char *bench_library_error(bench_library *library, bench_precision precision)
{
    const bench_functions *of = &library->of[precision];
    return of->last_error ? of->last_error() : "";
}

bool bench_library_is_weft(const bench_library *library)
{
    return library->of[BENCH_DOUBLE].backend_name != NULL;
}

const char *bench_library_backend(bench_library *library, int place)
{
    const bench_functions *of = &library->of[BENCH_DOUBLE];
    return of->backend_name ? of->backend_name(place) : NULL;
}
