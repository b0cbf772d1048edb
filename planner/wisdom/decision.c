/* SPDX-License-Identifier: BSD-3-Clause */
/* "exchanges=waitsome,bruck:4 passes=... seconds=0.0123": words of the form name=value. */
#include "backends/exchange/layout.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "planner/wisdom/decision.h"
#include "kernels/base/error.h"
#include "backends/table.h"
#include "kernels/base/text.h"

void weft_method_write(weft_method method, char *text, size_t room)
{
    weft_writer to = weft_write_to(text, room);
    weft_write(&to, "%s", method.backend ? method.backend->name : "auto");
    if (method.backend && method.backend->parameter)
        weft_write(&to, ":%d", method.value);
    if (method.parts > 1)
        weft_write(&to, "*%d", method.parts);
}

bool weft_method_read(const char *text, weft_method *method)
{
    char name[128];
    const size_t length = strcspn(text, "*");
    *method = (weft_method){0};
    if (length >= sizeof name) {
        weft_error("the name of a backend is too long: %.100s...", text);
        return false;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    method->backend = weft_backend_parse(name, &method->value);
    if (!method->backend || !text[length])
        return method->backend != NULL;
    char *end;
    const long parts = strtol(text + length + 1, &end, 10);
    if (*end || text[length + 1] < '1' || text[length + 1] > '9' || parts > WEFT_MAX_PARTS) {
        weft_error("\"%.100s\" should end with the number of parts, 1 to %d", text, WEFT_MAX_PARTS);
        return false;
    }
    method->parts = (int)parts;
    return true;
}

void weft_decision_write(const weft_decision *decision, char text[WEFT_DECISION_TEXT])
{
    weft_writer to = weft_write_to(text, WEFT_DECISION_TEXT);
    char method[128];
    if (decision->path > 0)
        weft_write(&to, "chain=%d ", decision->path);
    weft_write(&to, "exchanges=");
    for (int i = 0; i < decision->exchanges; i++) {
        weft_method_write(decision->method[i], method, sizeof method);
        weft_write(&to, "%s%s", i ? "," : "", method);
    }
    if (decision->passes[0])
        weft_write(&to, " passes=%s", decision->passes);
    if (decision->seconds > 0)
        weft_write(&to, " seconds=%.3e", decision->seconds);
}

/* The value of a word, of so many characters; NULL: there is none. */
static const char *word(const char *text, const char *name, size_t *length)
{
    const size_t named = strlen(name);
    for (const char *at = text; *at;) {
        if (strncmp(at, name, named) == 0 && at[named] == '=') {
            *length = strcspn(at + named + 1, " ");
            return at + named + 1;
        }
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    return NULL;
}

static bool read_methods(const char *text, size_t length, weft_decision *decision)
{
    char list[WEFT_DECISION_TEXT], *rest = list;
    if (length >= sizeof list)
        return false;
    memcpy(list, text, length);
    list[length] = '\0';
    if (length == 0)
        return true;
    for (char *name; (name = strsep(&rest, ","));) {
        if (decision->exchanges == WEFT_MAX_STEPS)
            return false;
        weft_method *method = &decision->method[decision->exchanges++];
        if (!weft_method_read(name, method) || (method->backend->parameter && method->value == 0))
            return false;
    }
    return true;
}

bool weft_decision_read(const char *text, weft_decision *decision)
{
    size_t length = 0;
    *decision = (weft_decision){0};
    const char *methods = word(text, "exchanges", &length);
    if (!methods || !read_methods(methods, length, decision))
        return false;
    const char *path = word(text, "chain", &length);
    decision->path = path ? atoi(path) : 0;
    const char *passes = word(text, "passes", &length);
    if (passes && length >= sizeof decision->passes)
        return false;
    if (passes)
        memcpy(decision->passes, passes, length);
    const char *seconds = word(text, "seconds", &length);
    decision->seconds = seconds ? strtod(seconds, NULL) : 0;
    return true;
}

int weft_rigor(unsigned flags)
{
    if (flags & FFTW_ESTIMATE)
        return 0;
    return flags & FFTW_EXHAUSTIVE ? 3 : flags & FFTW_PATIENT ? 2 : 1;
}

const char *weft_rigor_name(int rigor)
{
    static const char *const name[] = {"estimate", "measure", "patient", "exhaustive"};
    return name[rigor];
}

static const char *kind_name(weft_kind kind)
{
    static const char *const name[] = {
        "keep",    "forward", "backward", "r2c",     "c2r",     "r2hc",    "hc2r",    "dht",
        "redft00", "redft01", "redft10",  "redft11", "rodft00", "rodft01", "rodft10", "rodft11"};
    return name[kind];
}

/* One word for all axes where they are alike, or but for the last one. */
static void write_kinds(weft_writer *to, const weft_problem *problem)
{
    const weft_kind *kind = problem->kind;
    const int last = problem->axes - 1;
    if (problem->task == WEFT_TRANSPOSE || problem->task == WEFT_REDISTRIBUTE) {
        weft_write(to, problem->task == WEFT_TRANSPOSE ? "transpose" : "redistribute");
    } else if (problem->grid.axes > 0) { /* any kinds may be mixed */
        weft_write(to, "grid");
        for (int axis = 0; axis <= last; axis++)
            weft_write(to, "-%s", kind_name(kind[axis]));
    } else if (kind[last] == WEFT_R2C || kind[last] == WEFT_C2R) {
        weft_write(to, "%s", kind_name(kind[last]));
    } else if (kind[last] == WEFT_FORWARD || kind[last] == WEFT_BACKWARD) {
        weft_write(to, "c2c-%s", kind_name(kind[last]));
    } else {
        weft_write(to, "r2r");
        for (int axis = 0; axis <= last; axis++)
            weft_write(to, "-%s", kind_name(kind[axis]));
    }
}

/* The name before the first extent; nothing for no extents. */
static void write_extents(weft_writer *to, const char *name, const weft_process_grid *process_grid)
{
    for (int i = 0; i < process_grid->axes; i++)
        weft_write(to, "%s%d", i ? "x" : name, process_grid->extent[i]);
}

static void write_name(weft_writer *to, const weft_problem *problem)
{
    write_kinds(to, problem);
    for (int axis = 0; axis < problem->axes; axis++)
        weft_write(to, "%s%td", axis ? "x" : " ", problem->size[axis]);
    if (problem->howmany != 1)
        weft_write(to, " howmany=%td", problem->howmany);
    write_extents(to, " on ", &problem->grid);
    if (problem->grid.axes > 0)
        weft_write(to, " %s-%s%s%s", problem->first_in ? "first" : "last",
                   problem->first_out ? "first" : "last",
                   problem->rule == WEFT_BLOCKS ? " fftw-blocks" : "",
                   problem->unpadded ? " unpadded" : "");
    weft_write(to, "%s%s%s", problem->transposed_in ? " transposed-in" : "",
               problem->transposed_out ? " transposed-out" : "",
               problem->in_place ? " in-place" : "");
}

void weft_problem_name(const weft_problem *problem, char *text, size_t room)
{
    weft_writer to = weft_write_to(text, room);
    write_name(&to, problem);
}

void weft_problem_shape(const weft_problem *problem, const weft_process_grid *through, char *text,
                        size_t room)
{
    weft_writer to = weft_write_to(text, room);
    if (problem->task == WEFT_REDISTRIBUTE) {
        weft_write(&to, "redistribute-%d", problem->ranks);
    } else if (problem->grid.axes > 0) {
        write_extents(&to, "grid-", &problem->grid);
        if (through->axes != problem->grid.axes)
            write_extents(&to, "-through-", through);
    } else {
        weft_write(&to, "slab-%d", problem->ranks);
        write_extents(&to, "-through-", through);
    }
}

void weft_problem_key(const weft_problem *problem, const weft_environment *environment, int rigor,
                      char text[WEFT_KEY_TEXT])
{
    weft_writer to = weft_write_to(text, WEFT_KEY_TEXT);
    write_name(&to, problem);
    weft_write(&to, " blocks=%td,%td", problem->in_block, problem->out_block);
    if (problem->scrambled_in || problem->scrambled_out)
        weft_write(&to, " scrambled=%td,%td", problem->scrambled_in, problem->scrambled_out);
    if (problem->task == WEFT_REDISTRIBUTE)
        weft_write(&to, " from=%llx to=%llx", weft_layout_digest(problem->from),
                   weft_layout_digest(problem->to));
    write_extents(&to, " between=", &environment->between);
    weft_write(&to, "%s%s%s", problem->may_destroy ? " destroys" : "",
               problem->flags & FFTW_UNALIGNED ? " unaligned" : "",
               problem->flags & FFTW_CONSERVE_MEMORY ? " little-memory" : "");
    weft_write(&to, " %s threads=%d ranks=%d per-node=%d rigor=%s mpi=%s weft=%s",
               environment->precision, problem->threads, problem->ranks, environment->per_node,
               weft_rigor_name(rigor), environment->mpi, PACKAGE_VERSION);
}

void weft_mpi_name(const char *version, char *text, size_t room)
{
    size_t used = 0;
    bool blank = false;
    for (; *version && *version != '\n' && *version != ',' && used + 2 < room; version++) {
        const unsigned char letter = (unsigned char)*version;
        if (isalnum(letter) || letter == '.') {
            if (blank && used > 0)
                text[used++] = '-';
            text[used++] = (char)letter;
        }
        blank = !isalnum(letter) && letter != '.';
    }
    text[used] = '\0';
}
