/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement between ranks. Every joint decision uses these functions, so that either all ranks
 * continue or all ranks fail. All functions are collective over comm.
 */
#ifndef WEFT_AGREEMENT_H
#define WEFT_AGREEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether ok is true on every rank. If not, every rank's last error becomes the error of
 * the lowest rank that failed. */
bool weft_agree(MPI_Comm comm, bool ok);
/* Returns whether all ranks pass the same bytes; if not, the error says that `what` differs between
 * ranks. Ranks compare only a hash of the bytes, so the lengths may differ too. */
bool weft_agree_same(MPI_Comm comm, const void *bytes, size_t length, const char *what);
/* weft_agree and weft_agree_same in one reduction; where ok is false the bytes are ignored. If
 * `any` is not NULL, each of its flags becomes whether the flag was true on some rank. */
bool weft_agree_both(MPI_Comm comm, bool ok, const void *bytes, size_t length, const char *what,
                     bool any[2]);
/* The largest value of all ranks. weft_agree_max_all replaces each of `count` values by its
 * largest. */
double weft_agree_max(MPI_Comm comm, double value);
void weft_agree_max_all(MPI_Comm comm, double *value, int count);
/* Broadcasts rank 0's string; each rank may then change its copy. The field `text` is NULL on all
 * ranks when rank 0 passes NULL, or when a rank has no memory (with an error). A string shorter
 * than WEFT_SHORT_TEXT takes a single broadcast. */
enum { WEFT_SHORT_TEXT = 504 };
typedef struct {
    char *text;
    long long length;
    char few[WEFT_SHORT_TEXT]; /* a short string with its final 0 */
} weft_common_text;
void weft_broadcast_text(MPI_Comm comm, const char *text, weft_common_text *common);
void weft_common_text_free(weft_common_text *common);
/* Returns rank 0's new number on all ranks. The number is never 0, no other call has returned it to
 * any of these ranks, and it is larger than all numbers that this rank 0 made before. */
uint64_t weft_agree_number(MPI_Comm comm);
/* weft_comm_of_group makes one communicator for each set of ranks with the same leader (for all
 * ranks if leader is NULL), in rank order. weft_comm_of_node makes one for the ranks that share
 * memory according to MPI. If any rank gets no communicator, both return false on all ranks, with
 * an error and MPI_COMM_NULL, for any error handler of comm. */
bool weft_comm_of_group(MPI_Comm comm, const int *leader, MPI_Comm *made);
bool weft_comm_of_node(MPI_Comm comm, MPI_Comm *made);

#endif
