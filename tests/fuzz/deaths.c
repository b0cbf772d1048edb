/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that dies prints its seed and step, and the messages that were caught so far. */
#include "tests/fuzz/fuzz.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTERM};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction before[SIGNALS];

static unsigned current_seed;
static bool within; /* in a sequence */

const char *fuzz_replay(unsigned seed)
{
    static char text[200];
    snprintf(text, sizeof text, "To see it again: --seed %u --count 1%s%s --loud", seed,
             fuzz_threads ? " --threads" : "", fuzz_whole ? " --whole" : "");
    return text;
}

static void say(const char *what)
{
    char text[2000];
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int bytes = snprintf(
        text, sizeof text, "%.1200sfuzz: %s on rank %d in seed %u, step %d, %s\n%s\n", capturing(),
        what, rank, current_seed, fuzz_step, fuzz_step_name, fuzz_replay(current_seed));
    if (write(STDERR_FILENO, text, (size_t)bytes) < 0)
        return;
}

/* Then the earlier handler of the signal continues, for instance a sanitizer's. */
static void die(int number)
{
    int i = 0;
    while (signals[i] != number)
        i++;
    if (within)
        say(number == SIGALRM ? "hangs" : strsignal(number));
    sigaction(number, &before[i], NULL);
    if (number != SIGSEGV && number != SIGBUS && number != SIGFPE && number != SIGILL)
        raise(number);
}

static void leave(void)
{
    if (within)
        say("the program ended");
}

void fuzz_watch_deaths(void)
{
    struct sigaction own = {.sa_handler = die};
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &own, &before[i]);
    atexit(leave);
}

void fuzz_begin_seed(unsigned seed, unsigned limit)
{
    current_seed = seed;
    within = true;
    alarm(limit);
}

void fuzz_end_seed(void)
{
    alarm(0);
    within = false;
}
