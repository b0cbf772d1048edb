/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of weft.h that plan nothing: version, settings, reports, workspace, lengths,
 * memory, and running plans.
 *
 * FFTW's functions that run plans on other arrays than in planning are collective, like
 * fftw_execute. They return no error, so a handle that is not a plan of this library ends the
 * program; execute_r2r, however, runs every plan that fftw_execute_r2r runs, as FFTW-MPI's does.
 */
#include <stdint.h>
#include "backends/exchange/agreement.h"
#include "backends/memory/shared-array.h"
#include "backends/table.h"
#include "kernels/base/error.h"
#include "kernels/device/memory.h"
#include "planner/handle.h"
#include "api/entries.h"
#include "api/mpi-state.h"
#include "api/planning.h"

const char *WEFT(version)(void)
{
    return PACKAGE_VERSION;
}

const char *WEFT(last_error)(void)
{
    return weft_error_text();
}

const char *WEFT(backend_name)(int place)
{
    const weft_backend *backend = weft_backend_at(place);
    return backend ? backend->name : NULL;
}

const char *WEFT(backend_about)(int place)
{
    const weft_backend *backend = weft_backend_at(place);
    return backend ? backend->about : NULL;
}

int WEFT(set_backend)(const char *backends)
{
    weft_error_clear();
    return weft_settings_set_backend(backends);
}

void WEFT(set_timelimit)(double seconds)
{
    weft_settings_set_limit(seconds);
}

static weft_plan *ours(FFTW(plan) handle)
{
    weft_plan *plan = weft_handle_plan(handle);
    weft_error_clear();
    if (!plan)
        weft_error("the plan is not one of Weft's");
    return plan;
}

static const weft_plan *reportable(const char *function, FFTW(plan) handle, const FILE *file)
{
    const weft_plan *plan = ours(handle);
    if (plan && !file)
        weft_error("%s: the file is NULL; pass an open file, such as stdout", function);
    return file ? plan : NULL;
}

int WEFT(plan_report)(FFTW(plan) handle, FILE *file)
{
    const weft_plan *plan = reportable(OWN_NAME("plan_report"), handle, file);
    if (plan)
        weft_report(plan, file);
    return plan != NULL;
}

int WEFT(plan_report_json)(FFTW(plan) handle, FILE *file)
{
    const weft_plan *plan = reportable(OWN_NAME("plan_report_json"), handle, file);
    if (plan)
        weft_report_json(plan, file);
    return plan != NULL;
}

ptrdiff_t WEFT(plan_memory)(FFTW(plan) handle, ptrdiff_t *borrowed, ptrdiff_t *shared)
{
    const weft_plan *plan = ours(handle);
    if (!plan)
        return -1;
    const size_t window = weft_schedule_window(plan->schedule);
    if (borrowed)
        *borrowed = (ptrdiff_t)plan->workspace;
    if (shared)
        *shared = (ptrdiff_t)window;
    return (ptrdiff_t)(plan->workspace + window);
}

int WEFT(plan_set_workspace)(FFTW(plan) handle, void *memory, ptrdiff_t bytes)
{
    weft_plan *plan = ours(handle);
    return plan && weft_plan_use_workspace(plan, memory, bytes > 0 ? (size_t)bytes : 0);
}

int WEFT(plan_set_stream)(FFTW(plan) handle, void *stream)
{
    weft_plan *plan = ours(handle);
    return plan && weft_plan_use_stream(plan, stream, stream == WEFT_OWN_STREAM);
}

static void check(const char *function, FFTW(plan) plan)
{
    if (!plan)
        weft_abort(
            "%s: the plan is NULL, because planning failed; WEFT_VERBOSE=1 prints the reason",
            function);
}

void weft_execute(const char *function, FFTW(plan) plan, void *in, void *out)
{
    check(function, plan);
    if (!weft_handle_run(plan, in, out))
        weft_abort("%s: the plan was not made by a function of fftw%s_mpi or weft", function,
                   WEFT_LETTER);
}

void weft_mpi_execute_r2r(FFTW(plan) p, weft_real *in, weft_real *out)
{
    check(NAME("execute_r2r"), p);
    if (!weft_handle_run(p, in, out))
        FFTW(execute_r2r)(p, in, out);
}

/* Checks that all plans are Weft's and can start, and that none is in the list twice. */
static bool startable(const char *function, int count, FFTW(plan) * plans, void **in, void **out)
{
    if (count > 0 && (!in || !out))
        return weft_error("%s: the array of inputs or of outputs is NULL", function);
    if (count < 0 || (count > 0 && !plans))
        return weft_error("%s: the number of plans is %d, or their array is NULL; the number must "
                          "not be negative, and only 0 plans may have no array",
                          function, count);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++)
            if (plans[i] == plans[j])
                return weft_error(
                    "%s: plans %d and %d are the same plan; each plan may be in the list once",
                    function, j, i);
        if (!weft_handle_idle(function, plans[i]))
            return false;
    }
    return true;
}

int WEFT(execute_many)(int count, FFTW(plan) * plans, void **in, void **out)
{
    const char *function = OWN_NAME("execute_many");
    weft_error_clear();
    if (!startable(function, count, plans, in, out))
        return 0;
    for (int i = 0; i <= count; i++) {
        if (i < count && !weft_handle_start(function, plans[i], in[i], out[i]))
            return 0;
        if (i > 0)
            weft_handle_finish(function, plans[i - 1]);
    }
    return 1;
}

static const int primes[] = {2, 3, 5, 7};

/* Returns the smallest product, at least n, of `number` and powers of the primes from the i-th on;
 * returns `least` if that is smaller. */
static ptrdiff_t product_from(ptrdiff_t number, int i, ptrdiff_t n, ptrdiff_t least)
{
    for (; i < 4 && number < n; number *= primes[i]) {
        least = product_from(number, i + 1, n, least);
        if (number > PTRDIFF_MAX / primes[i])
            return least;
    }
    return number >= n && number < least ? number : least;
}

/* `parts` divided by all of its factors 2, 3, 5 and 7. */
static int odd_part(int parts)
{
    for (int i = 0; i < 4; i++)
        while (parts % primes[i] == 0)
            parts /= primes[i];
    return parts;
}

ptrdiff_t WEFT(good_size)(ptrdiff_t n, int parts)
{
    weft_error_clear();
    if (n < 1 || parts < 1)
        return weft_error(
            "%s: the length is %td and the number of parts is %d; both must be at least 1",
            OWN_NAME("good_size"), n, parts);
    const int left = odd_part(parts);
    const ptrdiff_t step = left == 1 || left == 11 || left == 13 ? parts : 1;
    const ptrdiff_t times = n / step + (n % step != 0);
    ptrdiff_t least = product_from(1, 0, times, PTRDIFF_MAX);
    for (int extra = 11; extra <= 13 && (left == 1 || step == 1); extra += 2)
        least = product_from(extra, 0, times, least);
    if (least > PTRDIFF_MAX / step || least == PTRDIFF_MAX)
        return weft_error("%s: there is no length of at least %td with small prime factors only",
                          OWN_NAME("good_size"), n);
    return least * step;
}

/* Arrays. */

static bool fits(const char *function, ptrdiff_t n, size_t size)
{
    const bool ok = n >= 0 && (size_t)n <= PTRDIFF_MAX / 2 / size;
    return ok || weft_error("%s: the number of elements is %td; it must be 0 to %td", function, n,
                            (ptrdiff_t)(PTRDIFF_MAX / 2 / size));
}

/* Allocates on the current device. Returns NULL with an error if there is no device or no
 * memory. */
static void *on_device(size_t bytes)
{
    const weft_device_library *library = weft_device_load();
    const int number = library ? library->current() : WEFT_DEVICE_HOST;
    const weft_device device = {.library = library, .number = number};
    if (number >= 0 && library->usable(number))
        return weft_memory_allocate_on(&device, false, bytes);
    if (library)
        weft_error("no device can be used: %s", library->why());
    return NULL;
}

/* Allocates memory that the ranks of the node share or, if that cannot be had, private memory. */
static void *on_host(size_t bytes, MPI_Comm comm)
{
    void *array = weft_shared_array_make(comm, bytes);
    if (!array)
        array = FFTW(malloc)(bytes > 0 ? bytes : 1);
    if (array)
        weft_error_clear();
    else
        weft_error("no memory for an array of %zu bytes", bytes);
    return array;
}

static void *on_all(const char *function, ptrdiff_t n, size_t size, MPI_Comm comm, bool device)
{
    int rank, ranks;
    weft_error_clear();
    if (!weft_comm_usable_on_all(function, comm, &rank, &ranks))
        return NULL;
    WEFT_ERRORS_ARE_FATAL(comm);
    if (!weft_agree(comm, fits(function, n, size)))
        return NULL;
    void *array = device ? on_device((size_t)n * size) : on_host((size_t)n * size, comm);
    if (weft_agree(comm, array != NULL))
        return array;
    WEFT(free)(array);
    return NULL;
}

void *weft_allocated(const char *function, ptrdiff_t n, size_t size, MPI_Comm comm, bool device)
{
    return weft_or_error(on_all(function, n, size, comm, device), comm);
}

/* Returns false if the array is not in device memory. */
static bool free_on_device(void *array)
{
    if (!weft_device_may_be_in_use() || weft_device_where(array) < 0)
        return false;
    const weft_device device = {.library = weft_device_load(), .number = weft_device_where(array)};
    const int before = weft_device_enter(&device);
    weft_memory_free_on(&device, false, array);
    weft_device_leave(&device, before);
    return true;
}

void WEFT(free)(void *array)
{
    if (!free_on_device(array) && !weft_shared_array_free(array))
        FFTW(free)(array);
}
