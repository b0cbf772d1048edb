/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 lists the ways, since what backends say of their values may differ on ranks that take no
 * part; the others are told by name. The model's time is that of the slowest rank.
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/exchange.h"
#include "kernels/base/clock.h"
#include "planner/wisdom/decision.h"
#include "kernels/base/error.h"
#include "backends/table.h"
#include "kernels/base/text.h"
#include "planner/search/methods.h"

enum { LIST = 8192 };

static const double inapplicable = 1e30;

/* With less rigor, what the model gives more than so many times the best is not timed... */
static const double prospects[] = {1, 2.0, 1e9, 1e9};
/* ...nor are more than so many; and each backend has so many values. */
static const int most_timed[] = {1, 5, 24, WEFT_MAX_METHODS}, most_values[] = {1, 1, 3, 16};
/* Seconds by which models cannot tell small exchanges apart. */
static const double slack = 5e-6;

double weft_search_spent(const weft_search *search)
{
    return weft_agree_max(search->comm, weft_clock() - search->begin);
}

int weft_methods_shortlist(weft_ranked_method *candidate, int count, int rigor)
{
    int kept = 0;
    for (int i = 1; i < count; i++) {
        const weft_ranked_method this = candidate[i];
        int at = i;
        for (; at > 0 && candidate[at - 1].model > this.model; at--)
            candidate[at] = candidate[at - 1];
        candidate[at] = this;
    }
    while (kept < count && kept < most_timed[rigor] &&
           candidate[kept].model <= candidate[0].model * prospects[rigor] + slack)
        kept++;
    return kept;
}

static bool applies(const weft_exchange *exchange, weft_method method)
{
    return exchange->ranks == 1 || !weft_exchange_refused(exchange, method.backend, method.value);
}

/* Groups of all ranks are no groups: the backend without them does the same. */
static bool pointless(const weft_exchange *exchange, weft_method method)
{
    return method.backend->grouped && method.value >= exchange->ranks - 1;
}

/* Rank 0's list, as text. */
static void write_list(const weft_exchange *exchange, int rigor, char list[LIST])
{
    weft_writer to = weft_write_to(list, LIST);
    const weft_backend *backend;
    const char *comma = "";
    for (int place = 0; (backend = weft_backend_at(place)); place++) {
        int value[16] = {0}, values = 1;
        char name[128];
        if (backend->values)
            values = backend->values(exchange, value, most_values[rigor]);
        for (int i = 0; i < values; i++) {
            const weft_method method = {.backend = backend, .value = value[i]};
            if (!applies(exchange, method) || pointless(exchange, method))
                continue;
            weft_method_write(method, name, sizeof name);
            weft_write(&to, "%s%s", comma, name);
            comma = ",";
        }
    }
}

static int read_list(char *list, weft_ranked_method *candidate)
{
    int count = 0;
    for (char *name; *list && count < WEFT_MAX_METHODS && (name = strsep(&list, ","));) {
        count += weft_method_read(name, &candidate[count].method);
        if (!list)
            break;
    }
    return count;
}

int weft_methods_list(const weft_search *search, const weft_exchange *exchange,
                      weft_ranked_method candidate[WEFT_MAX_METHODS])
{
    char mine[LIST];
    double model[WEFT_MAX_METHODS];
    int count = 0;
    write_list(exchange, search->rigor, mine);
    char *list = weft_agree_text(search->comm, mine);
    if (!list)
        return 0;
    count = read_list(list, candidate);
    free(list);
    /* the same number everywhere, unless plug-ins differ: then the vectors must not */
    if (!weft_agree_same(search->comm, &count, sizeof count, "the list of backends"))
        return 0;
    const weft_load load = weft_model_load(exchange);
    for (int i = 0; i < count; i++)
        model[i] = applies(exchange, candidate[i].method)
                       ? weft_model_time(&search->machine, &load, candidate[i].method.backend,
                                         candidate[i].method.value)
                       : inapplicable;
    weft_agree_max_all(search->comm, model, count);
    int usable = 0;
    for (int i = 0; i < count; i++)
        if (model[i] < inapplicable)
            candidate[usable++] = (weft_ranked_method){candidate[i].method, model[i]};
    if (usable == 0)
        weft_error("no backend can carry out this exchange");
    return usable;
}
