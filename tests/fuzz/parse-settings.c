/* SPDX-License-Identifier: BSD-3-Clause */
/* Any lines as values of environment variables: each setting is refused with a sentence, or chooses
 * existing backends for every exchange. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/exchange.h"
#include "kernels/base/error.h"
#include "planner/path/process-grid.h"
#include "planner/settings.h"
#include "tests/layouts.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static weft_layout from, to;
static weft_exchange *exchange;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    slab_layouts(2, (ptrdiff_t[]){8, 8}, 1, 4, &from, &to);
    exchange = weft_exchange_describe(&from, &to, 16, 0, NULL, 0, 4);
    return 0;
}

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void choose(const weft_settings *settings)
{
    for (int which = 0; which < 4; which++) {
        weft_method method, again;
        char text[200];
        weft_error_clear();
        if (!weft_settings_choose(settings, exchange, which, &method)) {
            must(weft_error_text()[0]);
            continue;
        }
        if (!method.backend)
            continue;
        must(!weft_exchange_why_refused(exchange, method.backend, method.value));
        weft_method_write(method, text, sizeof text);
        must(weft_method_read(text, &again) && again.backend == method.backend &&
             again.value == method.value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[] = {"WEFT_BACKEND", "WEFT_TIMELIMIT", "WEFT_VERBOSE",
                                       "WEFT_GRID",    "WEFT_WISDOM",    "WEFT_MACHINE",
                                       "WEFT_WIRE"};
    char *text = calloc(size + 1, 1), *rest = text;
    weft_settings settings;
    weft_process_grid grid;
    memcpy(text, data, size);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        const char *value = rest ? strsep(&rest, "\n") : NULL;
        if (value && *value)
            setenv(name[i], value, 1);
        else
            unsetenv(name[i]);
    }
    weft_error_clear();
    if (weft_settings_read(MPI_COMM_SELF, true, size % 3 ? -1 : (double)size, &settings)) {
        must(settings.verbose >= 0 && settings.verbose <= 3 && settings.limit == settings.limit);
        choose(&settings);
    } else {
        must(weft_error_text()[0]);
    }
    weft_settings_free(&settings);
    if (weft_process_grid_read(MPI_COMM_SELF, &grid))
        must(grid.axes >= 0 && grid.axes <= WEFT_MAX_RANK && weft_process_grid_ranks(&grid) >= 0);
    free(text);
    return 0;
}
