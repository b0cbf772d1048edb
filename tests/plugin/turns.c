/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A user's backend, made with only weft-backend.h and MPI: one rank after the other sends its
 * blocks, while all others receive. With one of the macros FLAW_... it becomes a plug-in that must
 * be refused.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "weft-backend.h"

/* The blocks to and from a rank. */
typedef struct {
    weft_copy *pack, *unpack;    /* NULL: no elements */
    MPI_Datatype sent, received; /* one packed block */
    size_t sent_bytes, received_bytes;
} peer;

typedef struct {
    const weft_exchange *exchange;
    size_t packed; /* bytes of the workspace before received blocks */
    peer peer[];   /* one for each rank */
} turns;

static void release(void *state)
{
    turns *t = state;
    for (int i = 0; t && i < t->exchange->ranks; i++) {
        peer *it = &t->peer[i];
        if (it->pack)
            t->exchange->services->copy_release(it->pack);
        if (it->unpack)
            t->exchange->services->copy_release(it->unpack);
        if (it->sent != MPI_DATATYPE_NULL)
            MPI_Type_free(&it->sent);
        if (it->received != MPI_DATATYPE_NULL)
            MPI_Type_free(&it->received);
    }
    free(t);
}

static bool make(peer *it, const weft_exchange *e, int rank)
{
    const weft_services *services = e->services;
    const weft_block *send = services->sent(e, rank), *receive = services->received(e, rank);
    it->sent_bytes = (size_t)send->elements * e->element;
    it->received_bytes = (size_t)receive->elements * e->element;
    if (send->elements && !(it->pack = services->pack_prepare(e, send)))
        return false;
    if (receive->elements && !(it->unpack = services->unpack_prepare(e, receive)))
        return false;
    return services->bytes_type((ptrdiff_t)it->sent_bytes, &it->sent) &&
           services->bytes_type((ptrdiff_t)it->received_bytes, &it->received);
}

static void *prepare(const weft_exchange *e, int value, size_t *workspace)
{
    size_t most = 0;
    bool made = true;
    turns *t = calloc(1, sizeof *t + (size_t)e->ranks * sizeof t->peer[0]);
    (void)value; /* used by a flaw */
    if (!t)
        return NULL;
    t->exchange = e;
    for (int i = 0; i < e->ranks; i++)
        t->peer[i].sent = t->peer[i].received = MPI_DATATYPE_NULL;
    for (int i = 0; made && i < e->ranks; i++) {
        made = make(&t->peer[i], e, i);
        t->packed += t->peer[i].sent_bytes;
        most = t->peer[i].received_bytes > most ? t->peer[i].received_bytes : most;
    }
    if (!made) {
        e->services->error("turns has no memory for %d ranks", e->ranks);
        release(t);
        return NULL;
    }
    *workspace = t->packed + most;
#ifdef FLAW_GREED
    *workspace = value == 2 ? SIZE_MAX / 2 - 8191 : SIZE_MAX;
#endif
    return t;
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    const turns *t = state;
    const weft_exchange *e = t->exchange;
    char *packed = workspace, *arrived = packed + t->packed, *next = packed, *own = packed;
    for (int i = 0; i < e->ranks; next += t->peer[i++].sent_bytes) {
        own = i == e->rank ? next : own;
        if (t->peer[i].pack)
            e->services->copy_run(t->peer[i].pack, in, next);
    }
    if (t->peer[e->rank].unpack) /* last, because in place this overwrites the source */
        e->services->copy_run(t->peer[e->rank].unpack, own, out);
    for (int turn = 0; turn < e->ranks; turn++) {
        const peer *it = &t->peer[turn];
        if (turn != e->rank) {
            MPI_Recv(arrived, 1, it->received, turn, e->tag, e->comm, MPI_STATUS_IGNORE);
            if (it->unpack)
                e->services->copy_run(it->unpack, arrived, out);
            continue;
        }
        next = packed;
        for (int i = 0; i < e->ranks; next += t->peer[i++].sent_bytes)
            if (i != e->rank)
                MPI_Send(next, 1, t->peer[i].sent, i, e->tag, e->comm);
    }
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    (void)state, (void)in, (void)out, (void)workspace;
}

static const char *applicable(const weft_exchange *exchange, int value)
{
    (void)exchange, (void)value;
    return NULL;
}

#if defined FLAW_GREED || defined FLAW_SILENCE
static int values(const weft_exchange *exchange, int *value, int most)
{
    (void)exchange, (void)most;
#ifdef FLAW_GREED
    *value = 1;
    return 1;
#else
    (void)value;
    return 0;
#endif
}
#endif

#ifndef DESCRIPTOR
#define DESCRIPTOR weft_plugin
#endif
#ifndef VERSION
#define VERSION WEFT_BACKEND_VERSION
#endif
#ifndef CALLED
#define CALLED "turns"
#endif
#ifndef FINISH
#define FINISH finish
#endif

extern const weft_backend DESCRIPTOR;
const weft_backend DESCRIPTOR = {
    .version = VERSION,
    .name = CALLED,
    .about = "one rank after the other sends",
#ifdef FLAW_MEMORY
    .memory = &(const weft_memory){0},
#endif
#ifdef FLAW_PARAMETER
    .parameter = "a parameter without values",
#endif
#if defined FLAW_GREED || defined FLAW_SILENCE
    .parameter = "a number",
    .values = values,
#endif
    .applicable = applicable,
    .prepare = prepare,
    .start = start,
    .finish = FINISH,
    .release = release,
};
