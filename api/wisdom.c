/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wisdom: Weft's own in files and strings; and gathering and broadcasting serial FFTW's wisdom,
 * which Weft's passes use, and Weft's own. Gathering goes up a binomial tree in log P steps: a rank
 * adds the wisdom that it receives to its own and sends the result.
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "api/entries.h"
#include "kernels/base/error.h"
#include "api/mpi-state.h"
#include "api/planning.h"
#include "planner/wisdom/fftw.h"
#include "planner/wisdom/wisdom.h"

static bool given(const char *text, const char *error)
{
    weft_error_clear();
    return text || weft_error("%s", error);
}

int WEFT(export_wisdom_to_filename)(const char *filename)
{
    return given(filename, "the name of the wisdom file is NULL") &&
           weft_wisdom_save(filename, NULL);
}

char *WEFT(export_wisdom_to_string)(void)
{
    weft_error_clear();
    return weft_wisdom_text();
}

int WEFT(import_wisdom_from_filename)(const char *filename)
{
    if (!given(filename, "the name of the wisdom file is NULL"))
        return 0;
    const weft_file_state state = weft_wisdom_load(filename);
    if (state == WEFT_FILE_ABSENT)
        weft_error("there is no wisdom file %s", filename);
    return state == WEFT_FILE_WHOLE;
}

/* Adds the text to Weft's own wisdom. Returns false, with an error, if any line is not used. */
static bool added(const char *text)
{
    const weft_wisdom_tally tally = weft_wisdom_add(text);
    return tally.damaged + tally.other == 0 ||
           weft_error(
               "%d lines of the wisdom were used, %d are damaged, and %d are of another version",
               tally.used, tally.damaged, tally.other);
}

int WEFT(import_wisdom_from_string)(const char *text)
{
    return given(text, "the text of the wisdom is NULL") && added(text);
}

void WEFT(forget_wisdom)(void)
{
    weft_wisdom_forget();
    weft_forget_records();
}

/* Weft's own wisdom or serial FFTW's; the caller frees the text with free. */
static char *exported(bool own)
{
    char *text = own ? weft_wisdom_text() : weft_serial_export();
    if (!text)
        weft_error("no memory for the wisdom");
    return text;
}

/* Adds the text to Weft's own wisdom or to serial FFTW's; with `forget`, replaces the latter by
 * it. */
static bool import(const char *text, bool own, bool forget)
{
    return own ? added(text) : weft_serial_import(text, forget);
}

/* Text is sent in chunks, so that a rank without memory for the whole text can still receive the
 * messages. */
enum { CHUNK = 65536 };

static void send(const char *text, int to, MPI_Comm comm)
{
    unsigned long long length = text ? strlen(text) : 0;
    MPI_Send(&length, 1, MPI_UNSIGNED_LONG_LONG, to, 0, comm);
    for (unsigned long long done = 0; done < length; done += CHUNK)
        MPI_Send(text + done, length - done < CHUNK ? (int)(length - done) : CHUNK, MPI_CHAR, to, 0,
                 comm);
}

/* Of two decisions for one problem the rank keeps the one that it had, as FFTW does: Weft's own are
 * added again after the received ones. */
static void receive(int from, MPI_Comm comm, bool own)
{
    unsigned long long length = 0;
    char chunk[CHUNK];
    MPI_Recv(&length, 1, MPI_UNSIGNED_LONG_LONG, from, 0, comm, MPI_STATUS_IGNORE);
    char *text = malloc(length + 1);
    for (unsigned long long done = 0; done < length; done += CHUNK) {
        int size = length - done < CHUNK ? (int)(length - done) : CHUNK;
        MPI_Recv(chunk, size, MPI_CHAR, from, 0, comm, MPI_STATUS_IGNORE);
        if (text)
            memcpy(text + done, chunk, (size_t)size);
    }
    if (!text) {
        weft_error("no memory for the wisdom of rank %d", from);
        return;
    }
    text[length] = '\0';
    char *mine = own ? exported(true) : NULL;
    if (length > 0 && !import(text, own, false))
        weft_error("the wisdom of rank %d cannot be read", from);
    if (mine)
        import(mine, true, false);
    free(mine);
    free(text);
}

static void gather(MPI_Comm comm, int rank, int ranks, bool own)
{
    for (int step = 1; step < ranks; step *= 2) {
        if (rank & step) {
            char *text = exported(own);
            send(text, rank - step, comm);
            free(text);
            break;
        }
        if (rank + step < ranks)
            receive(rank + step, comm, own);
    }
}

void weft_mpi_gather_wisdom(MPI_Comm comm)
{
    int rank, ranks;
    MPI_Comm own;
    weft_error_clear();
    if (!weft_comm_usable_on_all(NAME("gather_wisdom"), comm, &rank, &ranks))
        return;
    WEFT_ERRORS_ARE_FATAL(comm);
    /* a duplicate keeps these messages apart from the program's */
    if (!weft_comm_of_group(comm, NULL, &own))
        return;
    gather(own, rank, ranks, false);
    gather(own, rank, ranks, true);
    MPI_Comm_free(&own);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines of FFTW's wisdom in place. FFTW writes its lines in a different order every
 * time, and if two lines are for the same problem, FFTW uses the first one. Without sorting,
 * programs that read, broadcast and write wisdom would get different last bits in every run. */
static void sort_lines(char *text)
{
    char *copy = strdup(text), *rest = copy;
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    char **line = calloc(lines + 1, sizeof *line);
    if (copy && line && lines > 2) {
        for (size_t i = 0; i <= lines; i++)
            line[i] = strsep(&rest, "\n");
        qsort(line + 1, lines - 2, sizeof *line, by_text); /* all but the first line and ")" */
        for (size_t i = 0; i < lines; i++)
            text = stpcpy(stpcpy(text, line[i]), "\n");
    }
    free(line);
    free(copy);
}

/* Other ranks keep decisions that rank 0 does not have. FFTW keeps the first of two lines for
 * the same problem. So a rank forgets its wisdom of FFTW, reads rank 0's, and then reads its own
 * again. */
static void broadcast(MPI_Comm comm, int rank, bool own)
{
    char *mine = rank == 0 || !own ? exported(own) : NULL;
    if (mine && !own)
        sort_lines(mine);
    weft_common_text common;
    weft_broadcast_text(comm, rank == 0 ? mine : NULL, &common);
    if (common.text && (rank > 0 || !own) && !import(common.text, own, mine != NULL))
        weft_error("%s: the wisdom of rank 0 cannot be read", NAME("broadcast_wisdom"));
    if (common.text && rank > 0 && mine)
        import(mine, own, false);
    weft_common_text_free(&common);
    free(mine);
}

void weft_mpi_broadcast_wisdom(MPI_Comm comm)
{
    int rank, ranks;
    weft_error_clear();
    if (!weft_comm_usable_on_all(NAME("broadcast_wisdom"), comm, &rank, &ranks))
        return;
    WEFT_ERRORS_ARE_FATAL(comm);
    broadcast(comm, rank, false);
    broadcast(comm, rank, true);
}
