/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of weft.h that allocate arrays. */
#include <stdint.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "backends/memory/shared-array.h"
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
    if (!weft_comm_usable(function, comm, &rank, &ranks))
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

void WEFT(free)(void *array)
{
    if (!weft_shared_array_free(array))
        FFTW(free)(array);
}
