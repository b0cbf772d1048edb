/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prepares an exchange with a backend and runs it. Preparation succeeds on all ranks of the
 * communicator or on none, even on ranks of groups that do not talk to one another, because a plan
 * must be the same on all ranks.
 */
#include <stdint.h>
#include <stdlib.h>
#include "backends/device/staged.h"
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "backends/exchange/exchange.h"
#include "backends/memory/copies.h"
#include "backends/table.h"

const char *weft_exchange_why_unsuited(const weft_exchange *exchange, const weft_backend *backend)
{
    const bool device = weft_base(exchange)->device;
    const bool needs = backend->memory ? backend->memory->open_on != NULL : backend->on_device;
    if (device == needs || (device && !backend->memory))
        return NULL;
    return device ? "its arrays lie on a device" : "its arrays lie in memory of the host";
}

bool weft_exchange_staged(const weft_exchange *exchange, const weft_backend *backend)
{
    return weft_base(exchange)->device && !backend->memory && !backend->on_device &&
           exchange->ranks > 1;
}

const char *weft_exchange_why_refused(const weft_exchange *exchange, const weft_backend *backend,
                                      int value)
{
    const char *unsuited = weft_exchange_why_unsuited(exchange, backend);
    if (unsuited)
        return unsuited;
    if (weft_exchange_staged(exchange, backend))
        exchange = weft_base(exchange)->packed;
    if (backend->applicable != NULL)
        return backend->applicable(exchange, value);
    return backend->memory == NULL || weft_base(exchange)->within_nodes
               ? NULL
               : "its ranks are on several nodes";
}

/* Does the local part of weft_prepare, before the backend is called. */
static weft_prepared *begin(const weft_exchange *exchange, const weft_backend *backend, int value)
{
    const weft_backend *used = exchange->ranks > 1 ? backend : weft_backend_alone;
    weft_prepared *prepared;
    const char *reason = weft_exchange_why_refused(exchange, used, value);
    if (reason != NULL) {
        weft_error("backend %s cannot carry out this exchange: %s", backend->name, reason);
        return NULL;
    }
    prepared = calloc(1, sizeof *prepared);
    if (prepared == NULL) {
        weft_error("no memory to prepare an exchange");
        return NULL;
    }
    prepared->asked = backend;
    prepared->backend = used->memory != NULL                   ? &weft_copies
                        : weft_exchange_staged(exchange, used) ? &weft_staged
                                                               : used;
    prepared->value = value;
    return prepared;
}

weft_prepared *weft_prepare(const weft_exchange *exchange, const weft_backend *backend, int value)
{
    MPI_Comm home = weft_base(exchange)->home;
    weft_prepared *prepared;

    if (home == MPI_COMM_NULL) {
        weft_error("the exchange has no communicator");
        return NULL;
    }
    prepared = begin(exchange, backend, value);
    if (!weft_agree(home, prepared != NULL))
        goto fail;
    weft_error_clear();
    if (backend->shared && !weft_exchange_open_node(exchange))
        goto fail;
    if (prepared->backend == &weft_copies)
        prepared->state = weft_copies_prepare(exchange, backend->memory);
    else if (prepared->backend == &weft_staged)
        prepared->state =
            weft_staged_prepare(exchange, backend, value, &prepared->workspace, &prepared->pinned);
    else
        prepared->state = prepared->backend->prepare(exchange, value, &prepared->workspace);
    if (prepared->state == NULL && weft_error_text()[0] == '\0')
        weft_error("backend %s could not be prepared", backend->name);
    const bool fits = prepared->workspace <= PTRDIFF_MAX;
    if (prepared->state && !fits)
        weft_error("backend %s asks for %zu bytes of workspace, more than can be addressed",
                   backend->name, prepared->workspace);
    if (!weft_agree(home, prepared->state && fits))
        goto fail;
    prepared->workspace = (prepared->workspace + 63) / 64 * 64;
    return prepared;

fail:
    weft_prepared_release(prepared);
    return NULL;
}

void weft_prepared_pin(weft_prepared *prepared, void *pinned)
{
    if (prepared->backend == &weft_staged)
        weft_staged_pin(prepared->state, pinned);
}

size_t weft_prepared_shared(const weft_prepared *prepared)
{
    return prepared->backend->shared ? prepared->backend->shared(prepared->state) : 0;
}

void weft_prepared_start(weft_prepared *prepared, const void *in, void *out, void *workspace)
{
    prepared->backend->start(prepared->state, in, out, workspace);
}

void weft_prepared_finish(weft_prepared *prepared, const void *in, void *out, void *workspace)
{
    prepared->backend->finish(prepared->state, in, out, workspace);
}

bool weft_prepared_test(weft_prepared *prepared)
{
    return !prepared->backend->test || prepared->backend->test(prepared->state);
}

void weft_prepared_run(weft_prepared *prepared, const void *in, void *out, void *workspace)
{
    prepared->backend->start(prepared->state, in, out, workspace);
    prepared->backend->finish(prepared->state, in, out, workspace);
}

void weft_prepared_release(weft_prepared *prepared)
{
    int over = 0;

    if (prepared == NULL)
        return;
    /* After MPI_Finalize a backend can free neither requests nor datatypes. */
    MPI_Finalized(&over);
    if (prepared->state != NULL && !over)
        prepared->backend->release(prepared->state);
    free(prepared);
}
