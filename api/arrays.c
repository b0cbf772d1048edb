/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of weft.h that allocate arrays. */
#include <stdint.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "backends/memory/shared-array.h"
#include "kernels/device/load.h"
#include "kernels/device/memory.h"
#include "api/mpi-state.h"
#include "api/names.h"
#include "api/weft.h"

static bool fits(const char *function, ptrdiff_t n, size_t size)
{
    const bool ok = n >= 0 && (size_t)n <= PTRDIFF_MAX / 2 / size;
    if (!ok)
        weft_error("%s: an array of %td numbers cannot be", function, n);
    return ok;
}

static void *allocated(const char *function, ptrdiff_t n, size_t size, MPI_Comm comm)
{
    int rank, ranks;
    weft_error_clear();
    if (!weft_comm_joint(function, comm, &rank, &ranks))
        return NULL;
    WEFT_ERRORS_ARE_FATAL(comm);
    if (!weft_agree(comm, fits(function, n, size)))
        return NULL;
    void *array = weft_shared_array_make(comm, (size_t)n * size);
    if (!array)
        array = FFTW(malloc)(n > 0 ? (size_t)n * size : 1);
    if (array)
        weft_error_clear();
    else
        weft_error("%s: no memory for %td numbers", function, n);
    if (weft_agree(comm, array != NULL))
        return array;
    WEFT(free)(array);
    return NULL;
}

weft_real *WEFT(alloc_real)(ptrdiff_t n, MPI_Comm comm)
{
    return allocated(OWN_NAME("alloc_real"), n, sizeof(weft_real), comm);
}

weft_complex *WEFT(alloc_complex)(ptrdiff_t n, MPI_Comm comm)
{
    return allocated(OWN_NAME("alloc_complex"), n, sizeof(weft_complex), comm);
}

/* On the device that is current; NULL and an error: there is none, or no memory. */
static void *on_device(const char *function, size_t bytes)
{
    const weft_device_library *library = weft_device_load();
    const int number = library ? library->current() : WEFT_DEVICE_HOST;
    if (number >= 0 && library->usable(number))
        return weft_memory_take((weft_memory_kind){.library = library, .number = number}, bytes);
    if (library)
        weft_error("%s: no device can be used: %s", function, library->why());
    return NULL;
}

static void *allocated_there(const char *function, ptrdiff_t n, size_t size, MPI_Comm comm)
{
    int rank, ranks;
    weft_error_clear();
    if (!weft_comm_joint(function, comm, &rank, &ranks))
        return NULL;
    WEFT_ERRORS_ARE_FATAL(comm);
    void *array = fits(function, n, size) ? on_device(function, (size_t)n * size) : NULL;
    if (weft_agree(comm, array != NULL))
        return array;
    WEFT(free)(array);
    return NULL;
}

weft_real *WEFT(alloc_device_real)(ptrdiff_t n, MPI_Comm comm)
{
    return allocated_there(OWN_NAME("alloc_device_real"), n, sizeof(weft_real), comm);
}

weft_complex *WEFT(alloc_device_complex)(ptrdiff_t n, MPI_Comm comm)
{
    return allocated_there(OWN_NAME("alloc_device_complex"), n, sizeof(weft_complex), comm);
}

/* False: it does not lie on one. */
static bool free_on_device(void *array)
{
    if (!weft_device_seen() || weft_device_where(array) < 0)
        return false;
    const weft_device device = {.library = weft_device_load(), .number = weft_device_where(array)};
    const int before = weft_device_enter(&device);
    weft_memory_give(weft_memory_of(&device), array);
    weft_device_leave(&device, before);
    return true;
}

void WEFT(free)(void *array)
{
    if (!free_on_device(array) && !weft_shared_array_free(array))
        FFTW(free)(array);
}
