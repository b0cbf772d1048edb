/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of a plan as text (brief for WEFT_VERBOSE=1, complete otherwise) and as JSON. Both give
 * the same facts. */
#include <stdlib.h>
#include <string.h>
#include "planner/plan.h"
#include "kernels/base/events.h"
#include "kernels/base/text.h"
#include "planner/search/search.h"

enum { LINE = WEFT_DECISION_TEXT + 512 };

static const char *const source_name[] = {"the model", "timing", "wisdom", "the user"};

static weft_writer write_problem(const weft_plan *plan, char line[LINE])
{
    weft_writer to = weft_write_to(line, LINE);
    weft_write(&to, "%s, %s, %d rank%s, %s%s%s", plan->problem.text, WEFT_PRECISION,
               plan->problem.ranks, plan->problem.ranks == 1 ? "" : "s", plan->shape,
               plan->shape[0] ? ", " : "", weft_rigor_name[weft_rigor(plan->problem.flags)]);
    return to;
}

void weft_report_sum(weft_plan *plan)
{
    char line[LINE], name[128];
    weft_writer to = write_problem(plan, line);
    const int exchanges = weft_schedule_exchanges(plan->schedule);
    for (int i = 0; i < exchanges; i++) {
        weft_method_write(weft_step_method(weft_schedule_exchange(plan->schedule, i)), name,
                          sizeof name);
        weft_write(&to, "%s%s", i ? ", " : "; exchanges by ", name);
    }
    if (plan->schedule)
        weft_write(&to, "; chosen by %s", source_name[plan->source]);
    plan->summary = weft_summary_enter(plan->problem.comm, line, plan->planning_seconds);
}

static void report_tried(const weft_plan *plan, const char *begin, bool all, FILE *file)
{
    for (int i = 0; i < plan->tried.count; i++) {
        const weft_candidate *tried = &plan->tried.candidate[i];
        if (tried->seconds < 0 && !all)
            continue;
        fprintf(file, "%s  tried %s: ", begin, tried->what);
        if (tried->seconds >= 0)
            fprintf(file, "%.4g s in %d run%s, ", tried->seconds, tried->runs,
                    tried->runs == 1 ? "" : "s");
        if (tried->model >= 0 && all)
            fprintf(file, "the model said %.3g s, ", tried->model);
        fprintf(file, "%s\n", weft_outcome_name(tried->outcome));
    }
}

static void report_steps(const weft_plan *plan, const char *begin, FILE *file)
{
    for (int i = 0; i < plan->schedule->steps; i++) {
        char step[WEFT_STEP_TEXT];
        weft_schedule_print_step(plan->schedule, i, step);
        fprintf(file, "%s  %s\n", begin, step);
    }
}

enum { BRIEF_EXCHANGES = 4, BRIEF_TRIED = 3 };

/* Writes the path: for a pass, what it transforms; for an exchange, only its name. */
static void brief_path(const weft_schedule *schedule, FILE *file)
{
    for (int i = 0; i < schedule->steps; i++) {
        char step[WEFT_STEP_TEXT];
        weft_schedule_print_step(schedule, i, step);
        const bool is_pass = strncmp(step, "pass ", 5) == 0;
        const char *text = step + (is_pass ? 5 : 0);
        fprintf(file, "%s%.*s",
                i ? ", " : "weft:   path: ", (int)strcspn(text, is_pass ? "," : " ,"), text);
    }
    fputc('\n', file);
}

static void brief_exchanges(const weft_plan *plan, FILE *file)
{
    const int exchanges = weft_schedule_exchanges(plan->schedule);
    for (int i = 0; i < exchanges; i++) {
        char name[128];
        const weft_method method = weft_step_method(weft_schedule_exchange(plan->schedule, i));
        if (i == BRIEF_EXCHANGES - 1 && exchanges > BRIEF_EXCHANGES) {
            fprintf(file, "weft:   %d more exchanges: WEFT_VERBOSE=2 lists them\n", exchanges - i);
            return;
        }
        weft_method_write(method, name, sizeof name);
        fprintf(file, "weft:   exchange %d: %s, among %d ranks: %s\n", i + 1, name,
                weft_schedule_exchange(plan->schedule, i)->transfer.exchange->ranks,
                method.backend ? method.backend->about : "");
    }
}

/* Prints how many other candidates were timed, and the fastest of them. Variants of passes are
 * left out, because users do not know their names. */
static void brief_tried(const weft_plan *plan, FILE *file)
{
    const weft_candidate *const tried = plan->tried.candidate;
    int timed = 0;
    double before = 0;
    for (int i = 0; i < plan->tried.count; i++)
        timed += tried[i].seconds > 0 && tried[i].outcome != WEFT_CHOSEN;
    if (timed > 0)
        fprintf(file, "weft:   also timed: %d other way%s (WEFT_VERBOSE=2 lists all)\n", timed,
                timed == 1 ? "" : "s");
    for (int n = 0; n < BRIEF_TRIED; n++) {
        const weft_candidate *next = NULL;
        for (int i = 0; i < plan->tried.count; i++)
            if (tried[i].seconds > before && tried[i].outcome != WEFT_CHOSEN &&
                strncmp(tried[i].what, "passes ", 7) != 0 &&
                (!next || tried[i].seconds < next->seconds))
                next = &tried[i];
        if (!next)
            return;
        before = next->seconds;
        const char *end = strstr(next->what, ", in place of");
        fprintf(file, "weft:     %.*s: %.3g ms%s\n",
                (int)(end ? (size_t)(end - next->what) : strlen(next->what)), next->what,
                1e3 * before, strncmp(next->what, "exchange ", 9) ? "" : ", the exchange alone");
    }
}

/* Writes the report. Level 1, for users, has at most 12 lines: the path, the backend of each
 * exchange, the fastest other candidates. Level 2 has the steps and the candidates that were timed,
 * level 3 all candidates. */
static void report(const weft_plan *plan, const char *begin, int level, FILE *file)
{
    char problem[LINE];
    write_problem(plan, problem);
    fprintf(file, "%splan %s\n", begin, problem);
    if (plan->schedule && level > 1) {
        report_steps(plan, begin, file);
    } else if (plan->schedule) {
        brief_path(plan->schedule, file);
        brief_exchanges(plan, file);
    }
    if (plan->schedule)
        fprintf(file, "%s  chosen by %s%s", begin, source_name[plan->source],
                plan->cut_short ? " (the time limit came first)" : "");
    else
        fprintf(file, "%s  nothing to do", begin);
    fprintf(file, ", planned in %.3g s; ", plan->planning_seconds);
    if (plan->seconds > 0)
        fprintf(file, "a run takes %.3g ms\n", 1e3 * plan->seconds);
    else
        fputs("a run was not timed\n", file);
    fprintf(file, "%s  memory on this rank: workspace %zu bytes, shared memory %zu bytes", begin,
            plan->workspace, weft_schedule_window(plan->schedule));
    if (plan->pinned > 0)
        fprintf(file, ", pinned memory of the host %zu bytes", plan->pinned);
    fputc('\n', file);
    if (level > 1)
        report_tried(plan, begin, level > 2, file);
    else
        brief_tried(plan, file);
}

/* Returns the time spent so far. The first call starts the counting of runs. */
static weft_account account_of(const weft_plan *plan)
{
    if (!plan->schedule)
        return (weft_account){0};
    plan->schedule->accounted = true;
    return plan->schedule->account;
}

void weft_report(const weft_plan *plan, FILE *file)
{
    const weft_account spent = account_of(plan);
    const locale_t before = weft_decimal_point_begin();
    report(plan, "", 3, file);
    if (spent.runs > 0)
        fprintf(file,
                "  %ld run%s since the first report: %.3g s in passes, %.3g s in exchanges of "
                "messages, %.3g s waiting for shared memory\n",
                spent.runs, spent.runs == 1 ? "" : "s", spent.passes, spent.exchanges, spent.waits);
    weft_decimal_point_end(before);
}

void weft_report_verbose(const weft_plan *plan, int verbose)
{
    if (verbose < 1 || plan->problem.rank != 0)
        return;
    char *text = NULL; /* one call prints it, so that other ranks print no words in between */
    size_t length;
    FILE *file = open_memstream(&text, &length);
    const locale_t before = weft_decimal_point_begin();
    report(plan, "weft: ", verbose, file ? file : stderr);
    weft_decimal_point_end(before);
    if (file && fclose(file) == 0)
        fputs(text, stderr);
    free(text);
}

static void json_name(const char *name, const char *value, FILE *file)
{
    fprintf(file, "  \"%s\": ", name);
    weft_events_write_string(file, value);
    fputs(",\n", file);
}

static void json_exchange(const weft_plan *plan, int which, FILE *file)
{
    const weft_step *step = weft_schedule_exchange(plan->schedule, which);
    const weft_exchange *exchange = step->transfer.exchange;
    const weft_method method = weft_step_method(step);
    const weft_load load = weft_model_load(exchange);
    fprintf(file, "%s\n    {\"backend\": ", which ? "," : "");
    weft_events_write_string(file, method.backend->name);
    fprintf(file,
            ", \"value\": %d, \"ranks\": %d, \"messages\": %d, \"bytes\": %.0f, "
            "\"staged\": %s}",
            method.value, exchange->ranks, method.backend->memory ? 0 : load.peers, load.bytes,
            weft_exchange_staged(exchange, method.backend) ? "true" : "false");
}

static void json_device(const weft_device *device, size_t pinned, FILE *file)
{
    if (device) {
        fprintf(file, "  \"device\": %d,\n", device->number);
        json_name("device_name", device->library->describe(device->number), file);
        json_name("device_library", device->library->name, file);
    } else {
        fputs("  \"device\": null,\n", file);
    }
    fprintf(file, "  \"pinned_bytes\": %zu,\n", pinned);
}

static void json_number(const char *name, double value, FILE *file)
{
    if (value >= 0)
        fprintf(file, ", \"%s\": %.6g", name, value);
    else
        fprintf(file, ", \"%s\": null", name);
}

static void json_tried(const weft_plan *plan, FILE *file)
{
    for (int i = 0; i < plan->tried.count; i++) {
        const weft_candidate *tried = &plan->tried.candidate[i];
        fprintf(file, "%s\n    {\"what\": ", i ? "," : "");
        weft_events_write_string(file, tried->what);
        json_number("seconds", tried->seconds, file);
        json_number("model_seconds", tried->model, file);
        fprintf(file, ", \"runs\": %d, \"outcome\": \"%s\"}", tried->runs,
                weft_outcome_name(tried->outcome));
    }
}

void weft_report_json(const weft_plan *plan, FILE *file)
{
    const weft_account spent = account_of(plan);
    const locale_t before = weft_decimal_point_begin();
    char step[WEFT_STEP_TEXT];
    fputs("{\n", file);
    json_name("problem", plan->problem.text, file);
    json_name("precision", WEFT_PRECISION, file);
    json_name("shape", plan->shape, file);
    json_name("rigor", weft_rigor_name[weft_rigor(plan->problem.flags)], file);
    json_name("found_by", source_name[plan->source], file);
    fprintf(file, "  \"ranks\": %d,\n  \"rank\": %d,\n  \"cut_short\": %s,\n", plan->problem.ranks,
            plan->problem.rank, plan->cut_short ? "true" : "false");
    fprintf(file, "  \"planning_seconds\": %.6g,\n  \"workspace_bytes\": %zu,\n",
            plan->planning_seconds, plan->workspace);
    fprintf(file, "  \"shared_bytes\": %zu,\n", weft_schedule_window(plan->schedule));
    json_device(plan->problem.device, plan->pinned, file);
    if (plan->seconds > 0)
        fprintf(file, "  \"seconds\": %.6g,\n", plan->seconds);
    fprintf(file,
            "  \"counted_runs\": %ld,\n  \"pass_seconds\": %.9g,\n  \"exchange_seconds\": "
            "%.9g,\n  \"wait_seconds\": %.9g,\n",
            spent.runs, spent.passes, spent.exchanges, spent.waits);
    fputs("  \"steps\": [", file);
    for (int i = 0; plan->schedule && i < plan->schedule->steps; i++) {
        weft_schedule_print_step(plan->schedule, i, step);
        fprintf(file, "%s\n    ", i ? "," : "");
        weft_events_write_string(file, step);
    }
    fputs("],\n  \"exchanges\": [", file);
    for (int i = 0; i < weft_schedule_exchanges(plan->schedule); i++)
        json_exchange(plan, i, file);
    fputs("],\n  \"candidates\": [", file);
    json_tried(plan, file);
    fputs("]\n}\n", file);
    weft_decimal_point_end(before);
}
