/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of weft.h. */
#include "kernels/base/error.h"
#include "planner/handle.h"
#include "kernels/base/precision.h"
#include "planner/report.h"
#include "planner/settings.h"
#include "backends/table.h"
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
static const weft_plan *ours(FFTW(plan) handle)
{
    const weft_plan *plan = weft_handle_plan(handle);
    weft_error_clear();
    if (!plan)
        weft_error("the plan is not one of Weft's");
    return plan;
}

int WEFT(plan_report)(FFTW(plan) handle, FILE *file)
{
    const weft_plan *plan = ours(handle);
    if (plan)
        weft_report(plan, file);
    return plan != NULL;
}

int WEFT(plan_report_json)(FFTW(plan) handle, FILE *file)
{
    const weft_plan *plan = ours(handle);
    if (plan)
        weft_report_json(plan, file);
    return plan != NULL;
}
