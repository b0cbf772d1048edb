/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "api/record.h"
#include "kernels/base/error.h"
#include "planner/path/process-grid.h"
#include "planner/wisdom/decision.h"
#include "planner/wisdom/wisdom.h"

enum { LONGEST = 1024 };

static void write_kinds(weft_writer *to, const weft_request *request, const weft_problem *problem)
{
    static const char *const whole[] = {
        [WEFT_ASK_C2C] = "c2c", [WEFT_ASK_R2C] = "r2c",     [WEFT_ASK_C2R] = "c2r",
        [WEFT_ASK_R2R] = "r2r", [WEFT_ASK_OPERATOR] = NULL, [WEFT_ASK_TRANSPOSE] = "transpose"};
    if (whole[request->asked])
        weft_write(to, " --kind %s", whole[request->asked]);
    if (request->asked == WEFT_ASK_C2C && problem->kind[0] == WEFT_BACKWARD)
        weft_write(to, " --backward");
    if (request->asked != WEFT_ASK_R2R && whole[request->asked])
        return;
    for (int axis = 0; axis < request->axes; axis++)
        weft_write(to, "%s%s", axis ? "," : " --kinds ",
                   problem->kind[axis] == WEFT_KEEP ? "none" : weft_kind_name[problem->kind[axis]]);
}

static void write_flags(weft_writer *to, const weft_request *request)
{
    static const weft_word words[] = WEFT_FLAG_WORDS;
    const unsigned of_grids =
        WEFT_ROWS | WEFT_UNPADDED | WEFT_FFTW_BLOCKS | WEFT_REVERSED | WEFT_SAME_LAYOUT;
    const unsigned flags = request->process_grid ? request->flags : request->flags & ~of_grids;
    const char *comma = " --flags ";
    for (const weft_word *flag = words; flag->word; flag++)
        if (flags & flag->number) {
            weft_write(to, "%s%s", comma, flag->word);
            comma = ",";
        }
}

/* Writes what an operator's plan has besides. The function is not recorded: planning calls none. */
static void write_operator(weft_writer *to, const weft_request *request)
{
    weft_write(to, request->multiplies ? " --factors" : " --operator");
    for (int axis = 0; request->modes && axis < request->axes; axis++)
        weft_write(to, "%s%td", axis ? "x" : " --modes ", request->modes[axis]);
    if (request->fields_out != request->howmany)
        weft_write(to, " --fields-out %td", request->fields_out);
}

/* Writes the line, without a newline. Returns false if a line cannot describe the problem, because
 * its distributions are arbitrary, or if the line is too long. */
static bool write_line(const weft_request *request, const weft_problem *problem,
                       const char *precision, char line[LONGEST])
{
    weft_writer to = weft_write_to(line, LONGEST);
    if (request->from)
        return false;
    weft_write(&to, "--ranks %d --precision %s", problem->ranks,
               strcmp(precision, "long double") == 0 ? "long" : precision);
    write_kinds(&to, request, problem);
    if (request->asked == WEFT_ASK_OPERATOR)
        write_operator(&to, request);
    if (request->howmany != 1)
        weft_write(&to, " --howmany %td", request->howmany);
    if (request->in_block != 0 || request->out_block != 0)
        weft_write(&to, " --blocks %td,%td", request->in_block, request->out_block);
    if (request->process_grid && request->process_grid->extent[0] > 0) /* 0: slabs */
        weft_process_grid_write(&to, " --grid ", request->process_grid);
    write_flags(&to, request);
    if (problem->threads > 1)
        weft_write(&to, " --threads %d", problem->threads);
    weft_write(&to, "%s", problem->in_place ? " --in-place" : "");
    for (int axis = 0; axis < request->axes; axis++)
        weft_write(&to, "%s%td", axis ? "x" : " ", request->size[axis]);
    return to.used + 1 < to.capacity;
}

void weft_record(const weft_request *request, const weft_problem *problem, const char *precision)
{
    char line[LONGEST];
    const char *path = problem->rank == 0 ? weft_setting("WEFT_RECORD") : NULL;
    if (!path || !*path || problem->howmany == 0 || !write_line(request, problem, precision, line))
        return;
    if (!weft_wisdom_append(path, line, NULL))
        weft_print_once("WEFT_RECORD records nothing: %s", weft_error_text());
    weft_error_clear();
}
