/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of weft.h. */
#include "kernels/base/error.h"
#include "planner/handle.h"
#include "kernels/base/precision.h"
#include "planner/report.h"
#include "planner/settings.h"
#include "backends/table.h"
#include "api/names.h"
#include "api/weft.h"
#include "planner/wisdom/carried.h"
#include "planner/wisdom/wisdom.h"

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

static bool given(const char *text, const char *what)
{
    weft_error_clear();
    if (!text)
        weft_error("the %s is NULL", what);
    return text != NULL;
}

int WEFT(export_wisdom_to_filename)(const char *filename)
{
    return given(filename, "name of the wisdom file") && weft_wisdom_save(filename);
}

char *WEFT(export_wisdom_to_string)(void)
{
    weft_error_clear();
    return weft_wisdom_text();
}

int WEFT(import_wisdom_from_filename)(const char *filename)
{
    if (!given(filename, "name of the wisdom file"))
        return 0;
    const weft_file_state state = weft_wisdom_load(filename);
    if (state == WEFT_FILE_ABSENT)
        weft_error("there is no wisdom file %s", filename);
    return state == WEFT_FILE_WHOLE;
}

int WEFT(import_wisdom_from_string)(const char *text)
{
    if (!given(text, "text of the wisdom"))
        return 0;
    const weft_wisdom_tally tally = weft_wisdom_add(text);
    if (tally.damaged + tally.other > 0)
        weft_error("of the wisdom, %d lines are used, %d are damaged and %d of another version",
                   tally.used, tally.damaged, tally.other);
    return tally.damaged + tally.other == 0;
}

void WEFT(forget_wisdom)(void)
{
    weft_wisdom_forget();
    weft_carried_forget();
}

/* The plan within a handle; NULL and an error when it is not Weft's. */
static weft_plan *ours(FFTW(plan) handle)
{
    weft_plan *plan = weft_handle_plan(handle);
    weft_error_clear();
    if (!plan)
        weft_error("the plan is not one of Weft's");
    return plan;
}

/* The plan that is to be reported to a file. */
static const weft_plan *reportable(const char *function, FFTW(plan) handle, const FILE *file)
{
    const weft_plan *plan = ours(handle);
    if (plan && !file)
        weft_error("%s: the file is NULL; pass an open one, as stdout", function);
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
    const size_t window = plan->schedule ? weft_schedule_window(plan->schedule) : 0;
    if (borrowed)
        *borrowed = (ptrdiff_t)plan->workspace;
    if (shared)
        *shared = (ptrdiff_t)window;
    return (ptrdiff_t)(plan->workspace + window);
}

int WEFT(plan_set_workspace)(FFTW(plan) handle, void *memory, ptrdiff_t bytes)
{
    weft_plan *plan = ours(handle);
    return plan && weft_plan_work_in(plan, memory, bytes > 0 ? (size_t)bytes : 0);
}

int WEFT(plan_set_stream)(FFTW(plan) handle, void *stream)
{
    weft_plan *plan = ours(handle);
    return plan && weft_plan_use_stream(plan, stream, stream == WEFT_OWN_STREAM);
}

/* The least product of the primes from the i-th on, and a number, that is n or more, if it is less
 * than `least`. */
static ptrdiff_t product_from(ptrdiff_t number, int i, ptrdiff_t n, ptrdiff_t least)
{
    static const int primes[] = {2, 3, 5, 7};
    for (; i < 4 && number < n; number *= primes[i]) {
        least = product_from(number, i + 1, n, least);
        if (number > PTRDIFF_MAX / primes[i])
            return least;
    }
    return number >= n && number < least ? number : least;
}

/* What is left of parts without factors 2, 3, 5 and 7. */
static int odd_part(int parts)
{
    static const int primes[] = {2, 3, 5, 7};
    for (int i = 0; i < 4; i++)
        while (parts % primes[i] == 0)
            parts /= primes[i];
    return parts;
}

ptrdiff_t WEFT(good_size)(ptrdiff_t n, int parts)
{
    weft_error_clear();
    if (n < 1 || parts < 1) {
        weft_error("%s: a length of %td in %d parts; both are at least 1", OWN_NAME("good_size"), n,
                   parts);
        return 0;
    }
    const int left = odd_part(parts);
    const ptrdiff_t step = left == 1 || left == 11 || left == 13 ? parts : 1;
    const ptrdiff_t times = n / step + (n % step != 0);
    ptrdiff_t least = product_from(1, 0, times, PTRDIFF_MAX);
    for (int extra = 11; extra <= 13 && (left == 1 || step == 1); extra += 2)
        least = product_from(extra, 0, times, least);
    if (least > PTRDIFF_MAX / step || least == PTRDIFF_MAX) {
        weft_error("%s: there is no such length from %td on", OWN_NAME("good_size"), n);
        return 0;
    }
    return least * step;
}
