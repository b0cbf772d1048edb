/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether all ranks ask for the same. One digest tells in most cases; only when it differs do more
 * calls find out which argument it is.
 */
#include "backends/exchange/agreement.h"
#include "planner/wisdom/decision.h"
#include "api/place.h"
#include "api/request.h"
#include "api/weft.h"

enum { NUMBERS = 4 * WEFT_MAX_RANK + 13 };

/* The flags on which ranks must agree, besides rigor: some of FFTW's, and all of MPI's and grids'.
 */
#define COUNTING (FFTW_WISDOM_ONLY | FFTW_UNALIGNED | FFTW_CONSERVE_MEMORY | ~WEFT_SERIAL_FLAGS)

typedef struct {
    const char *what;
    int from, until;
} part;

/* The request as numbers, in parts that each have a name. */
static int flattened(const weft_request *request, const weft_problem *problem, ptrdiff_t *number,
                     part *parts)
{
    int count = 0, named = 0;
    number[count++] = request->asked;
    number[count++] = problem->axes;
    for (int axis = 0; axis < problem->axes; axis++)
        number[count++] = problem->size[axis];
    parts[named++] = (part){"the size", 0, count};
    number[count++] = problem->howmany;
    parts[named] = (part){"howmany", parts[named - 1].until, count};
    named++;
    number[count++] = weft_layout_block(&problem->from.layout);
    number[count++] = weft_layout_block(&problem->to.layout);
    parts[named] = (part){"a block", parts[named - 1].until, count};
    named++;
    for (int axis = 0; axis < problem->axes; axis++)
        number[count++] = problem->kind[axis];
    parts[named] = (part){"the kind of transform", parts[named - 1].until, count};
    named++;
    for (int axis = 0; axis < problem->axes; axis++)
        number[count++] = problem->modes[axis];
    parts[named] = (part){"the number of modes", parts[named - 1].until, count};
    named++;
    number[count++] = (ptrdiff_t)(problem->flags & COUNTING);
    number[count++] = weft_rigor(problem->flags);
    number[count++] = problem->may_destroy;
    parts[named] = (part){"the value of the flags", parts[named - 1].until, count};
    named++;
    number[count++] = problem->grid.axes;
    for (int g = 0; g < problem->grid.axes; g++)
        number[count++] = problem->grid.extent[g];
    number[count++] = problem->grid.column_major;
    parts[named] = (part){"the process grid", parts[named - 1].until, count};
    named++;
    number[count++] = (ptrdiff_t)weft_layout_digest(&problem->from.layout);
    number[count++] = (ptrdiff_t)weft_layout_digest(&problem->to.layout);
    parts[named] = (part){"what the ranks hold", parts[named - 1].until, count};
    return named + 1;
}

/* Only ranks that hold a part of both sides know whether they are one. Rank 0 does, if there is
 * anything at all. Two arrays of NULL are one, as for FFTW, but where only two can be meant. */
static bool is_one(const weft_problem *problem)
{
    return weft_numbers_held(&problem->from, problem->rank) > 0 &&
           weft_numbers_held(&problem->to, problem->rank) > 0 && problem->in == problem->out &&
           !(problem->flags & WEFT_UNPADDED);
}

bool weft_problem_agreed(const weft_request *request, weft_problem *problem, bool valid)
{
    MPI_Comm comm = request->comm;
    ptrdiff_t number[NUMBERS];
    part parts[8];
    const int named = valid ? flattened(request, problem, number, parts) : 0;
    const size_t bytes = named > 0 ? sizeof number[0] * (size_t)parts[named - 1].until : 0;
    bool any[2] = {valid && is_one(problem), valid && weft_place_concerns(problem)};
    if (weft_agree_all(comm, valid, number, bytes, "what is asked for", any)) {
        problem->in_place = any[0];
        return !any[1] || weft_place_agreed(request->function, problem);
    }
    if (!weft_agree(comm, valid))
        return false;
    for (int i = 0; i < named; i++) {
        size_t length = sizeof number[0] * (size_t)(parts[i].until - parts[i].from);
        if (!weft_agree_same(comm, number + parts[i].from, length, parts[i].what))
            break;
    }
    return false;
}
