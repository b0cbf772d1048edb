/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the tests of a program; the collective assertion. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/harness.h"
#include "kernels/base/error.h"
#include "backends/table.h"
#undef _ck_assert_failed

int rank, ranks;
MPI_Comm world = MPI_COMM_WORLD;
bool harness_in_session;

static const char *only = "";

bool harness_wanted(const char *line)
{
    const bool wanted = strstr(line, only);
    if (wanted && *only && rank == 0)
        puts(line);
    return wanted;
}

static harness_test *first, **last = &first;

void harness_add(harness_test *test)
{
    *last = test;
    last = &test->next;
}

static harness_around *around;

void harness_surround(harness_around *it)
{
    it->next = around;
    around = it;
}

static bool begun;

/* Runs before the first test, inside Check, so that it may use all_true. */
static void begin_once(void)
{
    for (const harness_around *it = begun ? NULL : around; it; it = it->next)
        if (it->begin)
            it->begin();
    begun = true;
}

static SRunner *runner_of(const char *program)
{
    Suite *suite = suite_create(program);
    for (const harness_test *it = first; it; it = it->next) {
        TCase *its = tcase_create(it->name);
        if (!getenv("CK_DEFAULT_TIMEOUT"))
            tcase_set_timeout(its, 100);
        tcase_add_unchecked_fixture(its, begin_once, NULL);
        tcase_add_checked_fixture(its, it->under_mpi ? weft_error_clear : it->setup, it->teardown);
        it->add(it, its, it->count ? it->count() : it->to ? it->to : 1);
        suite_add_tcase(suite, its);
    }
    return srunner_create(suite);
}

static int failures(SRunner *runner, enum print_output mode)
{
    srunner_run_all(runner, mode);
    const int failed = srunner_ntests_failed(runner) > 0;
    srunner_free(runner);
    return failed;
}

#ifdef MPI_SESSION_NULL
static MPI_Session session;

static void begin_session(void)
{
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "weft", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
    MPI_Group_free(&group);
}
#endif

int harness_run(int argc, char **argv)
{
    int provided;
    bool right = true;
    if (!first->under_mpi)
        return failures(runner_of(argv[0]), CK_ENV);
    for (const harness_around *it = around; it; it = it->next)
        if (it->start)
            it->start(&argc, &argv);
    if (argc == 3 && strcmp(argv[1], "--case") == 0)
        only = argv[2];
#ifdef MPI_SESSION_NULL
    if (harness_in_session)
        begin_session();
    else
#endif
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);

    SRunner *runner = runner_of(argv[0]);
    /* A forked child would not be a rank of the communicator. */
    srunner_set_fork_status(runner, CK_NOFORK);
    int failed = failures(runner, rank == 0 ? CK_ENV : CK_SILENT);

    for (const harness_around *it = begun ? around : NULL; it; it = it->next)
        if (it->end)
            it->end();
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, world);
#ifdef MPI_SESSION_NULL
    if (harness_in_session) {
        MPI_Comm_free(&world);
        MPI_Session_finalize(&session);
    } else
#endif
        MPI_Finalize();
    for (const harness_around *it = around; it; it = it->next)
        right = (!it->right || it->right()) && right;
    return failed || !right ? EXIT_FAILURE : EXIT_SUCCESS;
}

void harness_all_true(bool condition, const char *file, int line, const char *format, ...)
{
    int lowest = condition ? INT_MAX : rank;
    MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, world);
    if (lowest == INT_MAX) {
        mark_point();
        return;
    }

    char sentence[1024] = "";
    if (rank == lowest) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(sentence, sizeof sentence, format, arguments);
        va_end(arguments);
    }
    MPI_Bcast(sentence, (int)sizeof sentence, MPI_CHAR, lowest, world);
    ck_abort_msg("%s:%d: rank %d: %s", file, line, lowest, sentence);
}

int occurrences(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)); text++)
        count++;
    return count;
}

static FILE *caught, *streams[2]; /* the stream between the two calls; the original ones */
static char *said;
static size_t length;

void capture(void)
{
    streams[0] = stdout;
    streams[1] = stderr;
    if ((caught = open_memstream(&said, &length)))
        stdout = stderr = caught;
}

const char *capturing(void)
{
    return caught && fflush(caught) == 0 ? said : "";
}

long captured(char *text, size_t capacity)
{
    text[0] = '\0';
    if (!caught)
        return 0;
    stdout = streams[0];
    stderr = streams[1];
    fclose(caught);
    caught = NULL;
    snprintf(text, capacity, "%s", said);
    free(said);
    return (long)length;
}

void harness_ended(const char *file, int line, const char *expression, const char *format, ...)
{
    fprintf(stderr, "%s:%d: rank %d: %s", file, line, rank, expression);
    if (format) {
        va_list arguments;
        va_start(arguments, format);
        fputs(": ", stderr);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
    }
    fputc('\n', stderr);
    MPI_Abort(world, EXIT_FAILURE);
    abort();
}

const char *backend_for_all(int place)
{
    const weft_backend *backend;
    for (int i = 0; (backend = weft_backend_at(i)); i++)
        if (strcmp(backend->name, "node") != 0 && strcmp(backend->name, "alltoall") != 0 &&
            !backend->on_device && strcmp(backend->name, "device") != 0 && place-- == 0)
            return backend->name;
    return NULL;
}

int backends_for_all(void)
{
    int count = 0;
    while (backend_for_all(count))
        count++;
    return count;
}

const char *backend_by_chance(unsigned number)
{
    const unsigned count = (unsigned)backends_for_all(), which = number % (2 * count);
    return which < count ? backend_for_all((int)which) : NULL;
}
