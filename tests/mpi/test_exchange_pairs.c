/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges beside one another: two of them alternately and under way at the same time, on one
 * communicator and on overlapping ones; and one after the other thousands of times, without leaving
 * anything behind.
 */
#include "kernels/base/error.h"
#include "kernels/base/limits.h"
#include "tests/mpi/transfers.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/watch.h"

/* An exchange with its arrays and a backend. */
typedef struct {
    weft_layout from, to;
    weft_exchange *exchange;
    weft_prepared *prepared;
    moving transfer;
    method methods[MOST_WAYS];
    int number;
    const char *wrong;
} errand;

static bool job_begin(errand *job, const char *from, const char *to, unsigned flags, MPI_Comm comm)
{
    static const ptrdiff_t size[] = {8, 9, 10};
    int members;
    MPI_Comm_size(comm, &members);
    transfer_layout(&job->from, from, size, 1, members);
    transfer_layout(&job->to, to, size, 1, members);
    job->prepared = NULL;
    job->wrong = NULL;
    job->exchange = weft_exchange_create(&job->from, &job->to, 16, flags, NULL, 0, comm);
    if (!job->exchange)
        return false;
    transfer_begin(&job->transfer, &job->from, &job->to, 16, flags, comm);
    job->number = transfer_ways(job->exchange, comm, job->methods);
    return true;
}

static void job_end(errand *job)
{
    transfer_end(&job->transfer);
    weft_exchange_destroy(job->exchange);
}

static void job_prepare(errand *job, int which)
{
    method used = job->methods[which % job->number];
    job->wrong = NULL;
    job->prepared = weft_prepare(job->exchange, used.backend, used.value);
    if (!job->prepared)
        job->wrong = weft_error_text();
}

static void job_start(errand *job)
{
    if (!job->prepared)
        return;
    transfer_reset(&job->transfer, job->prepared->workspace);
    weft_prepared_start(job->prepared, job->transfer.in, job->transfer.out, job->transfer.work);
}

static void job_finish(errand *job)
{
    if (!job->prepared)
        return;
    weft_prepared_finish(job->prepared, job->transfer.in, job->transfer.out, job->transfer.work);
    const char *wrong = transfer_wrong(&job->transfer, job->prepared->workspace);
    job->wrong = job->wrong ? job->wrong : wrong;
}

/* Two runs, one after the other and interleaved; NULL or what is wrong, of either. */
static const char *beside(errand *a, errand *b)
{
    job_start(a), job_finish(a), job_start(b), job_finish(b);
    job_start(a), job_start(b), job_finish(a), job_finish(b);
    job_start(b), job_start(a), job_finish(a), job_finish(b);
    weft_prepared_release(a->prepared);
    weft_prepared_release(b->prepared);
    return a->wrong ? a->wrong : b->wrong;
}

static const char *name_of(const errand *job, int which)
{
    return job->methods[which % job->number].backend->name;
}

/* Every way of the one beside two of the other. */
static void try_beside(errand *a, errand *b)
{
    for (int which = 0; which < a->number; which++)
        for (int other = which; other < which + 4; other += 3) {
            job_prepare(a, which);
            job_prepare(b, other);
            const char *wrong = beside(a, b);
            all_true(!wrong, "%s beside %s: %s", name_of(a, which), name_of(b, other), wrong);
        }
}

START_TEST(two_exchanges_do_not_disturb_each_other)
{
    errand a, b;
    all_true(job_begin(&a, "a0 b c", "b0 a c", 0, MPI_COMM_WORLD), "%s", weft_error_text());
    all_true(job_begin(&b, "a0 b1 c", "a0 b c1", WEFT_IN_PLACE, MPI_COMM_WORLD), "%s",
             weft_error_text());
    try_beside(&a, &b);
    job_end(&a);
    job_end(&b);
}
END_TEST

START_TEST(one_exchange_may_be_under_way_twice)
{
    errand a, b;
    all_true(job_begin(&a, "a0 b c", "c0 a b", 0, MPI_COMM_WORLD), "%s", weft_error_text());
    all_true(job_begin(&b, "a0 b c", "c0 a b", 0, MPI_COMM_WORLD), "%s", weft_error_text());
    weft_exchange *unused = b.exchange;
    b.exchange = a.exchange;
    try_beside(&a, &b);
    b.exchange = unused;
    job_end(&a);
    job_end(&b);
}
END_TEST

START_TEST(exchanges_on_overlapping_communicators_do_not_disturb_each_other)
{
    const int middle = ranks / 2;
    int number = 0;
    MPI_Comm comm[2];
    errand jobs[2];
    bool in[2] = {rank <= middle, rank >= middle};
    for (int i = 0; i < 2; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, in[i] ? 0 : MPI_UNDEFINED, rank, &comm[i]);
        bool ok = !in[i] || job_begin(&jobs[i], "a0 b c", "b0 a c", 0, comm[i]);
        all_true(ok, "%s", weft_error_text());
        number = in[i] && jobs[i].number > number ? jobs[i].number : number;
    }
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int which = 0; which < number; which++) {
        const char *wrong = NULL;
        for (int i = 0; i < 2; i++)
            if (in[i])
                job_prepare(&jobs[i], which);
        /* Start both, finish both. */
        for (int step = 0; step < 4; step++)
            if (in[step % 2])
                (step < 2 ? job_start : job_finish)(&jobs[step % 2]);
        for (int i = 0; i < 2; i++)
            if (in[i]) {
                wrong = wrong ? wrong : jobs[i].wrong;
                weft_prepared_release(jobs[i].prepared);
            }
        all_true(!wrong, "%s: %s", name_of(&jobs[!in[0]], which), wrong);
    }
    for (int i = 0; i < 2; i++)
        if (in[i]) {
            job_end(&jobs[i]);
            MPI_Comm_free(&comm[i]);
        }
}
END_TEST

enum { PREPARES = 500 };

static const unsigned places[] = {0, WEFT_IN_PLACE};

/* Prepared, run once or twice and released; as large messages, too. (Memory is for the
 * leak sanitizer to watch: MPI libraries keep some of their own.) */
START_TEST(runs_leave_no_handles_behind)
{
    errand job;
    all_true(job_begin(&job, "a0 b c", "c0 a b", places[_i], MPI_COMM_WORLD), "%s",
             weft_error_text());
    const int before = watch_alive_all();
    for (int i = 0; i < PREPARES; i++) {
        int round = i / job.number;
        weft_limit_set(round % 3 ? 0 : 100);
        const char *wrong =
            transfer_try(&job.transfer, job.exchange, job.methods[i % job.number], 1 + round % 2);
        job.wrong = job.wrong ? job.wrong : wrong;
    }
    weft_limit_set(0);
    all_true(!job.wrong, "%s", job.wrong);
    all_true(watch_alive_all() == before, "%d handles of MPI are left", watch_alive_all() - before);
    job_end(&job);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("exchange_pairs");
    TCase *tests = tcase_create("pairs");
    tcase_add_test(tests, two_exchanges_do_not_disturb_each_other);
    tcase_add_test(tests, one_exchange_may_be_under_way_twice);
    tcase_add_test(tests, exchanges_on_overlapping_communicators_do_not_disturb_each_other);
    tcase_add_loop_test(tests, runs_leave_no_handles_behind, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return transfer_run(&argc, &argv, suite);
}
