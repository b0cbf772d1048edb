/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds out more about a plan than its time: bytes that move between ranks, memory besides the
 * arrays, and how the time of a run divides. Weft's report contains all three; a report of an older
 * Weft contains fewer. For other libraries the layouts give the number of bytes.
 *
 * How the time divides is measured in separate runs, because a plan reads the clock only after its
 * first report. The time of an exchange by messages includes waiting for other ranks. The shortest
 * time of any rank counts as moving, and the rest as waiting. In exchanges through shared memory
 * the passes move the data.
 */
#include <stdlib.h>
#include "tools/json.h"
#include "tools/bench/library.h"

/* The facts of a report; negative: the report does not contain the number. */
typedef struct {
    double sent, memory;
    bench_account account;
} facts;

static double sent_in(const char *json)
{
    char path[48];
    double sum = 0;
    const int exchanges = json_count(json_find(json, "exchanges"));
    for (int i = 0; i < exchanges; i++) {
        snprintf(path, sizeof path, "exchanges.%d.bytes", i);
        const double bytes = json_number_of(json, path);
        sum = bytes < 0 || sum < 0 ? -1 : sum + bytes;
    }
    return exchanges < 0 ? -1 : sum;
}

static double memory_in(const char *json)
{
    const double workspace = json_number_of(json, "workspace_bytes"),
                 shared = json_number_of(json, "shared_bytes");
    return workspace < 0 ? -1 : workspace + (shared > 0 ? shared : 0);
}

/* Reads the report on this rank. */
static facts ask(const bench_functions *of, void *plan)
{
    facts it = {-1, -1, {-1, -1, -1, -1}};
    char *text = NULL;
    size_t length;
    FILE *file = of->plan_report_json ? open_memstream(&text, &length) : NULL;
    const bool reported = file && plan && of->plan_report_json(plan, file);
    if (file && fclose(file) == 0 && reported && json_valid(text, NULL))
        it = (facts){.sent = sent_in(text),
                     .memory = memory_in(text),
                     .account = {.runs = json_number_of(text, "counted_runs"),
                                 .passes = json_number_of(text, "pass_seconds"),
                                 .exchanges = json_number_of(text, "exchange_seconds"),
                                 .waits = json_number_of(text, "wait_seconds")}};
    free(text);
    return it;
}

/* Whether the number is known, which means not negative, on all ranks. */
static bool known_to_all(double number)
{
    double least;
    MPI_Allreduce(&number, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return least >= 0;
}

static double over_all(double number, MPI_Op operation)
{
    double all;
    MPI_Allreduce(&number, &all, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
    return all;
}

/* Sets the times of one run from the difference of two accounts of this rank. */
static void split(const bench_account *before, const bench_account *now, bench_result *result)
{
    const double runs = now->runs - before->runs, exchanges = now->exchanges - before->exchanges,
                 waits = now->waits - before->waits;
    int ranks;
    if (!known_to_all(before->runs) || !known_to_all(runs - 1))
        return;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const double least = over_all(exchanges, MPI_MIN);
    result->passes = over_all(now->passes - before->passes, MPI_SUM) / ranks / runs;
    result->moving = least / runs;
    result->waiting = (over_all(waits + exchanges, MPI_SUM) / ranks - least) / runs;
}

void bench_read_report(bench_library *library, const bench_case *that, void *plan,
                       bench_account *account, bench_result *result)
{
    const facts it = ask(&library->of[that->precision], bench_operator_whole(that, plan));
    const double sent = it.sent >= 0 ? it.sent
                        : bench_library_is_weft(library) || that->operates
                            ? -1
                            : bench_slabs_sent(library, that);
    if (known_to_all(sent))
        result->sent = over_all(sent, MPI_SUM);
    if (known_to_all(it.memory))
        result->memory = over_all(it.memory, MPI_MAX);
    split(account, &it.account, result);
    *account = it.account;
}
