/* SPDX-License-Identifier: BSD-3-Clause */
/* WEFT_WIRE=float: messages carry doubles as floats, with every backend of the table. */
#include "api/fftw3-mpi.h"
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"
#include "tests/mpi/variants.h"
#include "api/weft.h"

#define CUBE .what = DROPIN_C2C, .rank = 3, .n = {32, 16, 16}
static const dropin_case wires[] = {
    {CUBE},
    {CUBE, .in_place = true},
    {CUBE, .flags = FFTW_MPI_TRANSPOSED_OUT},
    {CUBE, .flags = FFTW_MPI_TRANSPOSED_OUT, .in_place = true},
    {CUBE, .flags = FFTW_CONSERVE_MEMORY, .in_place = true},
    {.what = DROPIN_TRANSPOSE, .rank = 2, .n = {16, 16}, .in_place = true},
};

/* Plans and runs a case, whose errors may be so many times as large as usual. Returns what is wrong
 * on the lowest such rank, "" if nothing. Only the setting of rank 0 counts. */
static const char *wrong(const dropin_case *asked, const char *backend, bool wire, weft_real times)
{
    static char text[PROBLEM_TEXT];
    dropin_case it = dropin_single(asked, FFTW_ESTIMATE);
    problem of;
    problem_on_slabs(&of, &it, MPI_COMM_WORLD);
    of.largest *= times;
    of.backend = backend;
    of.halves = it.in_place;
    text[0] = '\0';
    if (wire && rank == 0)
        setenv("WEFT_WIRE", "float", 1);
    problem_try(&of, MPI_COMM_WORLD, text);
    unsetenv("WEFT_WIRE");
    int lowest = text[0] ? rank : ranks - 1;
    MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Bcast(text, sizeof text, MPI_CHAR, lowest, MPI_COMM_WORLD);
    return text;
}

static int backends(void)
{
    int count = 0;
    while (WEFT(backend_name)(count))
        count++;
    return count;
}

/* A transposition, which transforms nothing, always moves the numbers as they are. */
TEST(messages_carry_floats_only_if_asked_to, .count = backends)
{
    enum { FLOAT_TO_DOUBLE = 4000000 }; /* between the precisions */
    const char *const name = WEFT(backend_name)(_i);
    for (int i = 0; i < NUMBER(wires); i++) {
        const bool rounds = ranks > 1 && wires[i].what != DROPIN_TRANSPOSE;
        const char *text = wrong(&wires[i], name, false, 1);
        if (strncmp(text, "no plan", 7) == 0) /* this backend is not for these ranks */
            continue;
        all_true(!*text, "%s, case %d: %s", name, i, text);
        text = wrong(&wires[i], name, true, FLOAT_TO_DOUBLE);
        if (rounds && strcmp(name, "shared") == 0) {
            all_true(strstr(text, "WEFT_WIRE=float is for"), "shared, case %d: %s", i, text);
            continue;
        }
        all_true(!*text, "%s, case %d as floats: %s", name, i, text);
        text = wrong(&wires[i], name, true, 1);
        all_true(!*text == !rounds, "%s, case %d: %s", name, i, *text ? text : "not rounded");
    }
}

AROUND(.start = variant_begin)
