/* SPDX-License-Identifier: BSD-3-Clause */
/* Decisions are written as text and read again; a key contains every fact that they depend on. */
#include <stdio.h>
#include <string.h>
#include "planner/wisdom/decision.h"
#include "kernels/base/error.h"
#include "backends/table.h"
#include "api/problem-text.h"
#include "tests/unit/harness.h"

static const char *const whole[] = {
    "exchanges=waitall",
    "exchanges=waitsome/b:16,bruck:4",
    "exchanges=shared,shared passes=6.gs-----:262144;1.gs----q:262144;- seconds=1.235e-02",
    "chain=1 exchanges=alltoallw,pairwise,alltoallv,waitsome seconds=3.000e-06",
    "exchanges=waitall,shared",
    "exchanges=waitsome/b:2 passes=-;-",
    "exchanges= passes=3.------q:0",
};

TEST(decisions_are_read_as_written, .to = NUMBER(whole))
{
    char text[WEFT_DECISION_TEXT];
    weft_decision decision;
    ck_assert_msg(weft_decision_read(whole[_i], &decision), "%s", whole[_i]);
    weft_decision_write(&decision, text);
    ck_assert_str_eq(text, whole[_i]);
}

static const char *const broken[] = {
    "",
    "passes=1 seconds=2",
    "exchanges=nobody",
    "exchanges=waitall,nobody",
    "exchanges=bruck:x",
    "exchanges=waitall,,shared",
};

TEST(broken_decisions_are_refused, .to = NUMBER(broken))
{
    weft_decision decision;
    ck_assert_msg(!weft_decision_read(broken[_i], &decision), "\"%s\"", broken[_i]);
}

TEST(decisions_that_are_too_long_are_refused)
{
    weft_decision decision;
    char text[3 * WEFT_DECISION_TEXT] = "exchanges=waitall";
    for (int i = 0; i < WEFT_MAX_STAGES; i++)
        strcat(text, ",shared");
    ck_assert(!weft_decision_read(text, &decision));
    strcpy(text, "exchanges=waitall passes=");
    memset(text + strlen(text), '1', WEFT_PASSES_TEXT);
    ck_assert(!weft_decision_read(text, &decision));
}

/* A problem; the tests change one fact of it. */
static void plain(weft_problem *problem, weft_environment *environment)
{
    *problem = (weft_problem){.axes = 3,
                              .size = {8, 9, 10},
                              .kind = {WEFT_FORWARD, WEFT_FORWARD, WEFT_FORWARD},
                              .howmany = 1,
                              .ranks = 4,
                              .threads = 1};
    weft_divide_in_slabs(problem, 2, 2);
    *environment = (weft_environment){.precision = "double",
                                      .mpi = "Open-MPI-v4.1.4",
                                      .fftw = "fftw-3.3.10-sse2",
                                      .processor = "6-143-Xeon",
                                      .machine = {.per_node = 4}};
}

static const char *change(int which, weft_problem *problem, weft_environment *environment,
                          int *rigor)
{
#define CHANGE(name, ...)                                                                          \
    if (which-- == 0) {                                                                            \
        __VA_ARGS__;                                                                               \
        return name;                                                                               \
    }
    CHANGE("sizes", problem->size[2] = 11);
    CHANGE("the kind", problem->kind[2] = WEFT_R2C);
    CHANGE("the sign", for (int axis = 0; axis < 3; axis++) problem->kind[axis] = WEFT_BACKWARD);
    CHANGE("howmany", problem->howmany = 2);
    CHANGE("a block", weft_divide_in_slabs(problem, 3, 2));
    CHANGE("the order", problem->flags = WEFT_TRANSPOSED_OUT);
    CHANGE("in place", problem->in_place = true);
    CHANGE("ranks", problem->ranks = 5);
    CHANGE("ranks of a node", environment->machine.per_node = 2);
    CHANGE("the precision", environment->precision = "float");
    CHANGE("the MPI library", strcpy(environment->mpi, "MPICH-4.0"));
    CHANGE("rigor", *rigor = 2);
    CHANGE("threads", problem->threads = 2);
    CHANGE("the grid", problem->grid = (weft_process_grid){2, {2, 2}, 0});
    CHANGE("pencils in between", environment->between = (weft_process_grid){2, {2, 2}, 0});
    CHANGE("memory", problem->flags = FFTW_CONSERVE_MEMORY);
    CHANGE("what becomes of the input", problem->flags = FFTW_DESTROY_INPUT);
    CHANGE("FFTW", strcpy(environment->fftw, "fftw-3.3.10-sse2-avx"));
    CHANGE("the processor", strcpy(environment->processor, "25-17-EPYC"));
    CHANGE("the order of ranks on the grid", problem->grid = (weft_process_grid){2, {2, 2}, 1});
    CHANGE("the order of ranks in between",
           environment->between = (weft_process_grid){2, {2, 2}, 1});
    CHANGE("how ranks are placed on nodes", environment->placement = UINT64_C(0x123456789abcdef0));
    CHANGE("alignment", problem->flags = FFTW_UNALIGNED);
    return NULL;
}

enum { CHANGES = 23 };

TEST(every_difference_makes_another_key)
{
    weft_problem problem;
    weft_environment environment;
    static char key[CHANGES + 1][WEFT_KEY_TEXT];
    for (int which = -1; which < CHANGES; which++) {
        int rigor = 1;
        plain(&problem, &environment);
        const char *what = change(which, &problem, &environment, &rigor);
        weft_problem_write(&problem);
        weft_problem_key(&problem, &environment, rigor, key[which + 1]);
        for (int before = 0; before <= which; before++)
            ck_assert_msg(strcmp(key[before], key[which + 1]) != 0, "not changed by %s: %s", what,
                          key[before]);
    }
}

/* Lines of /proc/cpuinfo of several processors, and the word made from them. */
static const char *const processors[][5] = {
    {"25-17-AMD-EPYC", "processor\t: 0\n", "cpu family\t: 25\n", "model\t\t: 17\n",
     "model name\t: AMD EPYC\n"},
    {"0x41-0x3-0xd0c", "BogoMIPS\t: 50.00\n", "CPU implementer\t: 0x41\n", "CPU variant\t: 0x3\n",
     "CPU part\t: 0xd0c\n"},
    {"POWER9", "processor\t: 0\n", "cpu\t\t: POWER9, altivec supported\n", "clock\t\t: 2.2GHz\n",
     "revision\t: 2.2 (pvr 004e 1202)\n"},
    {"", "\n", "", ":\n", "model"},
};

TEST(processors_are_named_by_their_differences, .to = NUMBER(processors))
{
    char name[20] = "";
    for (int i = 1; i < 5; i++)
        weft_processor_add(processors[_i][i], name, sizeof name);
    ck_assert_str_eq(name, processors[_i][0]);
    for (int i = 1; i < 10; i++)
        weft_processor_add("model name : of some length\n", name, sizeof name);
    ck_assert_uint_lt(strlen(name), sizeof name);
}

static const char *const versions[][2] = {
    {"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "Open-MPI-v4.1.4"},
    {"MPICH Version:      4.0.2\nMPICH Release date: x", "MPICH-Version-4.0.2"},
    {"  (odd) => library ~", "odd-library"},
    {"", ""},
};

TEST(names_become_words, .to = NUMBER(versions))
{
    char name[64];
    weft_plain_word(versions[_i][0], name, sizeof name);
    ck_assert_str_eq(name, versions[_i][1]);
}
