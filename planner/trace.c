/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace file: which rank creates it, how clocks of ranks are aligned, and how events are
 * written.
 *
 * Ranks join the trace when they plan. Not every rank may plan, and plans may use different
 * communicators, so nothing here is collective over all ranks. The ranks of one trace have the
 * same start time, which stands in the head of the file; all times in the trace count from it.
 *
 *     first plan      its rank 0 creates the file; if a file exists that is younger than this
 *                     process, it belongs to this run, and rank 0 continues it
 *     later plans     new ranks take the start time from ranks that know it
 *     MPI_Finalize    every rank locks the file, checks that the start time is unchanged, and
 *                     appends its events (with sessions: when its last communicator is closed)
 *
 * All ranks of a node use one clock. The lowest rank of each other node asks rank 0 for its time
 * several times and uses the fastest answer, whose error is less than half of its round-trip time.
 *
 * The report of WEFT_REPORT sums planning and running times of plans with the same description.
 */
#include "planner/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "backends/exchange/abort.h"
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "backends/exchange/finalize.h"
#include "kernels/base/error.h"
#include "kernels/base/events.h"
#include "kernels/base/text.h"

static const char head[] =
    "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"microseconds_since_1970\": \"";
static const char tail[] = "\n]}\n";

enum { LONGEST_HEAD = 256, QUESTIONS = 16 };

/* The state of the process, protected by the lock. */
static struct {
    pthread_mutex_t lock;
    double moment; /* start time of the trace in microseconds since 1970; 0: this process has not
                      joined; negative: no trace can be written */
    int64_t zero;  /* the start time on this process's clock, in nanoseconds */
    char *file;
    int rank;
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double microseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return 1e6 * (double)now.tv_sec + (double)(now.tv_nsec / 1000);
}

/* The time at which this process started, in microseconds since 1970; 0: unknown. /proc/self/stat
 * has the time since boot as word 22, the 20th after the name in parentheses. */
static double began(void)
{
    char text[1024];
    FILE *file = fopen("/proc/self/stat", "re");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *at = strrchr(text, ')');
    for (int word = 0; at && word < 20; word++)
        at = strchr(at + 1, ' ');
    const double since_boot = at ? 1e6 * strtod(at, NULL) / (double)sysconf(_SC_CLK_TCK) : 0;
    return at ? microseconds(CLOCK_REALTIME) - microseconds(CLOCK_BOOTTIME) + since_boot : 0;
}

/* Opens a file and locks it against other writers until it is closed. Negative, with errno set:
 * the file cannot be opened or locked. */
static int open_locked(const char *name, int flags)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int file = open(name, O_RDWR | O_CLOEXEC | flags, 0666);
    if (file < 0)
        return file;
    while (fcntl(file, F_SETLKW, &all) != 0)
        if (errno != EINTR) {
            const int error = errno;
            close(file);
            errno = error;
            return -1;
        }
    return file;
}

/* Reads the start time from the head of a file; 0: the file is empty; negative: the file is not a
 * trace. */
static double moment_of(int file)
{
    char text[LONGEST_HEAD + 1] = "";
    const ssize_t length = pread(file, text, LONGEST_HEAD, 0);
    if (length == 0)
        return 0;
    const size_t begin = sizeof head - 1;
    return length > (ssize_t)begin && memcmp(text, head, begin) == 0 ? strtod(text + begin, NULL)
                                                                     : -1;
}

/* Writes the whole text; on failure, which sets errno, part of it may be in the file. */
static bool written(int file, const char *text, off_t at)
{
    return lseek(file, at, SEEK_SET) == at && weft_file_write(file, text);
}

/* Returns the start time in this run's file, after creating the file if needed; negative, after a
 * printed sentence, on failure. The lock of the file does not exclude other threads. */
static double begin_file(const char *name)
{
    char text[LONGEST_HEAD];
    struct stat about = {0};
    pthread_mutex_lock(&trace.lock);
    const int file = open_locked(name, O_CREAT | O_NONBLOCK);
    const bool regular = file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    const char *why = file < 0 ? strerror(errno) : regular ? NULL : "it is no regular file";
    double moment = regular ? moment_of(file) : -1;
    const double changed =
        1e6 * (double)about.st_mtim.tv_sec + (double)(about.st_mtim.tv_nsec / 1000);
    if (regular && moment < 0) {
        why = "it exists already and is not a trace";
    } else if (regular && (moment <= 0 || changed < began())) { /* not of this run */
        moment = microseconds(CLOCK_REALTIME);
        snprintf(text, sizeof text, "%s%.0f\", \"by\": \"Weft %s\"}, \"traceEvents\": [%s", head,
                 moment, PACKAGE_VERSION, tail);
        if (ftruncate(file, 0) != 0 || !written(file, text, 0))
            why = strerror(errno);
    }
    if (why)
        weft_print_once("there is no trace: %s cannot be written: %s", name, why);
    if (file >= 0)
        close(file);
    pthread_mutex_unlock(&trace.lock);
    return why ? -1 : moment;
}

static void write_names(FILE *file, bool first)
{
    char text[160];
    fprintf(file,
            "%s\n{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": %d, \"args\": {\"name\": ",
            first ? "" : ",", trace.rank);
    snprintf(text, sizeof text, "rank %d on %.100s", trace.rank, weft_host());
    weft_events_write_string(file, text);
    fprintf(file,
            "}},\n{\"name\": \"process_sort_index\", \"ph\": \"M\", \"pid\": %d, \"args\": "
            "{\"sort_index\": %d}}",
            trace.rank, trace.rank);
    if (weft_events_dropped() == 0)
        return;
    snprintf(text, sizeof text, "its last events; %lld before them were dropped",
             weft_events_dropped());
    fprintf(file,
            ",\n{\"name\": \"process_labels\", \"ph\": \"M\", \"pid\": %d, \"args\": {\"labels\": ",
            trace.rank);
    weft_events_write_string(file, text);
    fprintf(file, "}}");
    if (trace.rank == 0)
        weft_print_once("for rank 0 the trace contains only %s", text);
}

/* Returns the events of this process and the tail; NULL, with errno set, without memory. */
static char *events_and_tail(bool first)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return NULL;
    write_names(file, first);
    weft_events_write(file, trace.rank, trace.zero);
    fputs(tail, file);
    const bool ok = !ferror(file);
    if (fclose(file) == 0 && ok)
        return text;
    free(text);
    errno = ENOMEM;
    return NULL;
}

/* Writes the tail again and cuts the file behind it. The file had the tail at the same offset, so
 * this needs no space, and where nothing could be written the tail is still there. */
static bool restored(int file, off_t at)
{
    char now[sizeof tail - 1];
    (void)written(file, tail, at);
    return pread(file, now, sizeof now, at) == (ssize_t)sizeof now &&
           memcmp(now, tail, sizeof now) == 0 && ftruncate(file, at + (off_t)sizeof now) == 0;
}

/* Writes the events over the tail. If that fails, the function restores the tail. The file must
 * stay open until then, and this process must not open it a second time: when a process closes any
 * descriptor of a file, it loses its lock. */
static bool append(int file, off_t at)
{
    char before = '[';
    bool ok = pread(file, &before, 1, at - 1) == 1;
    char *text = ok ? events_and_tail(before == '[') : NULL;
    ok = text && written(file, text, at);
    const int error = errno;
    if (text && !ok && !restored(file, at))
        weft_print_once("the trace %s is incomplete", trace.file);
    free(text);
    errno = error;
    return ok;
}

static void end(bool over)
{
    (void)over;
    const int file = open_locked(trace.file, 0);
    const off_t size = file >= 0 ? lseek(file, 0, SEEK_END) : 0;
    if (file < 0)
        weft_print_once("%s cannot be written: %s", trace.file, strerror(errno));
    else if (moment_of(file) != trace.moment || size < (off_t)(sizeof head + sizeof tail))
        weft_print_once("the trace %s has been replaced or cut; events of some ranks are missing",
                        trace.file);
    else if (!append(file, size - (off_t)(sizeof tail - 1)))
        weft_print_once("%s cannot be written: %s", trace.file, strerror(errno));
    if (file >= 0)
        close(file);
    free(trace.file);
    trace.moment = 0;
    weft_events_clear();
}

/* Another rank (`asks`) asks rank 0 for its time, and gets by how many nanoseconds rank 0's clock
 * is ahead of its clock; rank 0 answers. */
static double compare(MPI_Comm comm, bool asks, int peer, int tag)
{
    double best = 0, shortest = -1, theirs;
    for (int i = 0; i < QUESTIONS; i++) {
        const double before = (double)weft_event_clock();
        if (asks)
            MPI_Send(&before, 1, MPI_DOUBLE, peer, tag, comm);
        MPI_Recv(&theirs, 1, MPI_DOUBLE, peer, tag, comm, MPI_STATUS_IGNORE);
        const double after = (double)weft_event_clock();
        if (!asks)
            MPI_Send(&after, 1, MPI_DOUBLE, peer, tag, comm);
        if (shortest < 0 || after - before < shortest) {
            shortest = after - before;
            best = theirs - before / 2 - after / 2;
        }
    }
    return best;
}

/* Sets by how many nanoseconds rank 0's clock is ahead. Collective. False on all ranks: no
 * memory. */
static bool compare_clocks(MPI_Comm user, double *ahead)
{
    weft_communicator *communicator = weft_communicator_open(user);
    if (!communicator)
        return false;
    const int rank = communicator->rank, ranks = communicator->ranks;
    const MPI_Comm comm = communicator->all;
    const int *leader = communicator->nodes;
    const int tag = weft_communicator_tag(communicator);
    double mine = 0, *all = malloc((size_t)ranks * sizeof *all);
    const bool ok = weft_agree(comm, all != NULL);
    for (int r = 1; ok && r < ranks; r++)
        if (leader[r] == r && (rank == 0 || rank == r))
            mine = compare(comm, rank > 0, rank > 0 ? 0 : r, tag);
    if (ok) {
        mine = rank > 0 ? mine : 0;
        MPI_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, comm);
        *ahead = all[leader[rank]];
    }
    free(all);
    weft_communicator_close(communicator);
    return ok;
}

/* Makes this process part of the trace; the caller holds the lock. False: no memory. */
static bool become_part(const char *file, double moment, int64_t zero, int rank)
{
    static weft_finalizer finalizer = {.end = end};
    if (trace.moment > 0)
        return true;
    char *name = strdup(file);
    if (!name || !weft_events_open() || !weft_at_finalize(&finalizer)) {
        free(name);
        weft_print_once("there is no trace: no memory");
        return false;
    }
    trace.file = name;
    trace.zero = zero;
    trace.moment = moment;
    trace.rank = rank;
    return true;
}

static bool join(MPI_Comm comm, const char *file, double moment)
{
    int rank;
    double ahead = 0;
    MPI_Comm_rank(comm, &rank);
    if (!compare_clocks(comm, &ahead))
        return false;
    pthread_mutex_lock(&trace.lock);
    double zero = trace.moment > 0
                      ? (double)trace.zero
                      : (double)weft_event_clock() - 1e3 * (microseconds(CLOCK_REALTIME) - moment);
    pthread_mutex_unlock(&trace.lock);
    zero = weft_agree_max(comm, rank == 0 ? zero : -1e300); /* all ranks take rank 0's value */
    pthread_mutex_lock(&trace.lock);
    const bool ok = become_part(file, moment, (int64_t)(zero - ahead), weft_process_rank(comm));
    pthread_mutex_unlock(&trace.lock);
    return weft_agree(comm, ok);
}

bool weft_trace_join(MPI_Comm comm, const char *file)
{
    int rank;
    if (!file)
        return false;
    MPI_Comm_rank(comm, &rank);
    pthread_mutex_lock(&trace.lock);
    double moment[2] = {trace.moment, -trace.moment};
    pthread_mutex_unlock(&trace.lock);
    weft_agree_max_all(comm, moment, 2);
    if (moment[1] < 0 || moment[0] < 0)
        return moment[1] < 0; /* all ranks have joined, or know that they cannot */
    if (moment[0] == 0)
        moment[0] = weft_agree_max(comm, rank == 0 ? begin_file(file) : -1);
    if (moment[0] > 0)
        return join(comm, file, moment[0]);
    pthread_mutex_lock(&trace.lock);
    trace.moment = -1;
    pthread_mutex_unlock(&trace.lock);
    return false;
}

struct weft_summary {
    weft_summary *next;
    double planning, running; /* seconds on this rank */
    long plans, runs;
    char what[];
};

static pthread_mutex_t summary_lock = PTHREAD_MUTEX_INITIALIZER;
static weft_summary *all, **last = &all; /* in the order of planning */
static bool asked, wanted;               /* wanted: on rank 0 only */

static const char *plural(long count)
{
    return count == 1 ? "" : "s";
}

static void print_all(void)
{
    weft_summary sum = {0};
    const locale_t before = weft_decimal_point_begin();
    for (const weft_summary *it = all; it; it = it->next) {
        sum.planning += it->planning;
        sum.running += it->running;
        sum.plans += it->plans;
        sum.runs += it->runs;
        fprintf(stderr,
                "weft: report: %s; planned %ld time%s in %.3g s; ran %ld time%s in %.3g s\n",
                it->what, it->plans, plural(it->plans), it->planning, it->runs, plural(it->runs),
                it->running);
    }
    fprintf(stderr,
            "weft: report: in total %ld plan%s made in %.3g s, %ld run%s in %.3g s, on rank 0\n",
            sum.plans, plural(sum.plans), sum.planning, sum.runs, plural(sum.runs), sum.running);
    weft_decimal_point_end(before);
}

static void print_at_end(bool over)
{
    (void)over;
    pthread_mutex_lock(&summary_lock);
    print_all();
    asked = wanted = false;
    pthread_mutex_unlock(&summary_lock);
}

/* Sets up the report at the first call if WEFT_REPORT asks for it. The caller holds the lock. */
static bool is_wanted(MPI_Comm comm)
{
    static weft_finalizer finalizer = {.end = print_at_end};
    const char *setting = asked ? NULL : weft_setting("WEFT_REPORT");
    asked = true;
    if (setting && *setting && strcmp(setting, "0") != 0 && weft_process_rank(comm) == 0)
        wanted = weft_at_finalize(&finalizer);
    return wanted;
}

static weft_summary *find(const char *what)
{
    weft_summary *it = all;
    while (it && strcmp(it->what, what) != 0)
        it = it->next;
    if (!it && (it = calloc(1, sizeof *it + strlen(what) + 1))) {
        strcpy(it->what, what);
        *last = it;
        last = &it->next;
    }
    return it;
}

weft_summary *weft_summary_enter(MPI_Comm comm, const char *what, double planning_seconds)
{
    pthread_mutex_lock(&summary_lock);
    weft_summary *it = is_wanted(comm) ? find(what) : NULL;
    if (it) {
        it->plans++;
        it->planning += planning_seconds;
    }
    pthread_mutex_unlock(&summary_lock);
    return it;
}

void weft_summary_ran(weft_summary *summary, double seconds)
{
    pthread_mutex_lock(&summary_lock);
    summary->runs++;
    summary->running += seconds;
    pthread_mutex_unlock(&summary_lock);
}
