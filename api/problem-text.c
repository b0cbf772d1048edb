/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "api/problem-text.h"
#include "api/weft.h"
#include "kernels/base/error.h"
#include "planner/path/process-grid.h"
#include "planner/wisdom/wisdom.h"

static const char *const kind_name[] = {
    "none",    "forward", "backward", "r2c",     "c2r",     "r2hc",    "hc2r",    "dht",
    "redft00", "redft01", "redft10",  "redft11", "rodft00", "rodft01", "rodft10", "rodft11"};

/* For slabs one kind stands for all axes, except for r2r. */
static void write_kinds(weft_writer *to, const weft_problem *problem, bool slabs)
{
    const weft_kind last = weft_last_kind(problem);
    if (problem->task != WEFT_TRANSFORM)
        weft_write(to, problem->task == WEFT_TRANSPOSE ? "--kind transpose" : "redistribute");
    else if (slabs && !weft_kind_is_r2r(last))
        weft_write(to, "--kind %s",
                   last == WEFT_FORWARD    ? "c2c"
                   : last == WEFT_BACKWARD ? "c2c --backward"
                                           : kind_name[last]);
    else
        for (int axis = 0; axis < problem->axes; axis++)
            weft_write(to, "%s%s", axis ? "," : "--kinds ", kind_name[problem->kind[axis]]);
}

/* Writes the options of a plan with an operator. They do not name the function, because planning
 * does not call it. */
static void write_operator(weft_writer *to, const weft_problem *problem)
{
    weft_write(to, problem->fixed ? " --factors" : " --operator");
    if (problem->to.layout.howmany != problem->howmany)
        weft_write(to, " --fields-out %td", problem->to.layout.howmany);
}

static void write_modes(weft_writer *to, const weft_problem *problem)
{
    const bool any = weft_modes_differ(problem->axes, problem->modes);
    for (int axis = 0; any && axis < problem->axes; axis++)
        weft_write(to, "%s%td", axis ? "x" : " --modes ",
                   problem->modes[axis] ? problem->modes[axis] : problem->size[axis]);
}

/* The blocks of slabs, if one is not n / ranks, rounded up. */
static void write_blocks(weft_writer *to, const weft_problem *problem)
{
    const weft_problem_side *side[] = {&problem->from, &problem->to};
    ptrdiff_t block[2];
    bool usual = true;
    for (int i = 0; i < 2; i++) {
        const ptrdiff_t n = side[i]->layout.axis[side[i]->first].size;
        block[i] = weft_layout_block(&side[i]->layout);
        usual = usual && block[i] == n / problem->ranks + (n % problem->ranks != 0);
    }
    if (!usual)
        weft_write(to, " --blocks %td,%td", block[0], block[1]);
}

static void write_flags(weft_writer *to, unsigned flags)
{
    static const weft_word words[] = WEFT_FLAG_WORDS;
    const char *before = " --flags ";
    for (const weft_word *flag = words; flag->word; flag++)
        if (flags & flag->number) {
            weft_write(to, "%s%s", before, flag->word);
            before = ",";
        }
}

void weft_problem_write(weft_problem *problem)
{
    weft_writer writer = weft_write_to(problem->text, sizeof problem->text), *to = &writer;
    const bool slabs =
        problem->grid.axes == 0 && !problem->rows && !problem->between && !weft_operates(problem);
    write_kinds(to, problem, slabs);
    if (weft_operates(problem))
        write_operator(to, problem);
    write_modes(to, problem);
    if (problem->howmany != 1)
        weft_write(to, " --howmany %td", problem->howmany);
    if (slabs)
        write_blocks(to, problem);
    if (problem->rows)
        weft_write(to, " --grid %d", problem->ranks);
    weft_process_grid_write(to, " --grid ", &problem->grid);
    write_flags(to, problem->flags);
    weft_write(to, "%s", problem->in_place ? " --in-place" : "");
    for (int axis = 0; axis < problem->axes; axis++)
        weft_write(to, "%s%td", axis ? "x" : " ", problem->size[axis]);
    if (problem->between && problem->task == WEFT_TRANSFORM)
        weft_write(to, " between distributions");
}

void weft_problem_record(const weft_problem *problem, const char *precision)
{
    char line[WEFT_PROBLEM_TEXT + 64];
    weft_writer to = weft_write_to(line, sizeof line);
    const char *path = problem->rank == 0 ? weft_setting("WEFT_RECORD") : NULL;
    if (!path || !*path || problem->howmany == 0 || problem->between)
        return;
    weft_write(&to, "--ranks %d --precision %s ", problem->ranks,
               strcmp(precision, "long double") == 0 ? "long" : precision);
    if (problem->threads > 1)
        weft_write(&to, "--threads %d ", problem->threads);
    weft_write(&to, "%s", problem->text);
    if (!weft_wisdom_append(path, line, NULL))
        weft_print_once("WEFT_RECORD records nothing: %s", weft_error_text());
    weft_error_clear();
}
