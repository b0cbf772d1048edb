/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement between ranks: the one helper through which every joint decision goes, so that either
 * all ranks go on or none does. All functions are collective over comm.
 */
#ifndef WEFT_AGREEMENT_H
#define WEFT_AGREEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True when ok on every rank. Else every rank's last error becomes that of the lowest rank that
 * failed. */
bool weft_agree(MPI_Comm comm, bool ok);
/* True when every rank holds the same bytes; else the error says that `what` differs between ranks.
 * Only the digest of the bytes travels, so lengths may differ too. */
bool weft_agree_same(MPI_Comm comm, const void *bytes, size_t length, const char *what);
/* Both at once, for the price of one; where ok is false the bytes do not count. *any, unless it is
 * NULL, becomes whether it is so on any rank. */
bool weft_agree_both(MPI_Comm comm, bool ok, const void *bytes, size_t length, const char *what,
                     bool *any);
/* The same of two things at once. */
bool weft_agree_all(MPI_Comm comm, bool ok, const void *bytes, size_t length, const char *what,
                    bool any[2]);
/* The largest on all ranks. */
double weft_agree_max(MPI_Comm comm, double value);
void weft_agree_max_all(MPI_Comm comm, double *value, int count);
/* Rank 0's string on all ranks, which may change it; NULL on all when rank 0's is NULL, or when a
 * rank has no memory (error set). Short ones travel in one message. */
enum { WEFT_SHORT_TEXT = 504 };
typedef struct {
    char *text;
    long long length;
    char few[WEFT_SHORT_TEXT]; /* a short one, and its end */
} weft_told;
void weft_agree_text(MPI_Comm comm, const char *text, weft_told *told);
void weft_told_free(weft_told *told);
/* A number that no other call has given to any of these ranks, and larger than what their rank 0
 * has given before; never 0. */
uint64_t weft_agree_number(MPI_Comm comm);
/* What every rank has one of, known by its number. Threads may take and leave at the same time. */
typedef struct {
    uint64_t (*after)(uint64_t number, MPI_Group group); /* the next one of the group, or 0 */
    void *(*take)(uint64_t number);                      /* NULL: it is taken, here */
    void (*leave)(void *it);
} weft_shelf;
/* The first that all ranks of the group, which is comm's, can take; NULL: there is none. */
void *weft_agree_to_take(MPI_Comm comm, MPI_Group group, const weft_shelf *shelf);
/* Communicators, of the ranks that have one leader (NULL: of all), in order, or of those that MPI
 * says share memory. Failure comes back whatever the error handler says, on this rank, with an
 * error. */
bool weft_comm_of_group(MPI_Comm comm, const int *leader, MPI_Comm *made);
bool weft_comm_of_node(MPI_Comm comm, MPI_Comm *made);

#endif
