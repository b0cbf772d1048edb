/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A backend of a user, made from weft-backend.h and MPI alone: one rank after the other sends what
 * it has, while all others receive. With one of the macros FLAW_... it becomes a plug-in that must
 * be refused.
 */
#include <stdint.h>
#include <stdlib.h>
#include "weft-backend.h"

typedef struct {
    const weft_exchange *exchange;
    weft_copy **pack, **unpack; /* [ranks] of the blocks that have elements */
    MPI_Datatype *type;         /* [ranks] one packed block that is sent; then [ranks] received */
    size_t *bytes;              /* [ranks] of that which is sent */
    size_t packed;              /* bytes of the workspace before what is received */
} turns;

static size_t bytes(const weft_exchange *exchange, const weft_block *block)
{
    return (size_t)block->elements * exchange->element;
}

static void release(void *state)
{
    turns *t = state;
    for (int i = 0; t && i < t->exchange->ranks; i++) {
        if (t->pack && t->pack[i])
            t->exchange->services->copy_release(t->pack[i]);
        if (t->unpack && t->unpack[i])
            t->exchange->services->copy_release(t->unpack[i]);
        for (int side = 0; t->type && side < 2; side++)
            if (t->type[i + side * t->exchange->ranks] != MPI_DATATYPE_NULL)
                MPI_Type_free(&t->type[i + side * t->exchange->ranks]);
    }
    if (t) {
        free(t->pack);
        free(t->unpack);
        free(t->type);
        free(t->bytes);
    }
    free(t);
}

/* What goes to a rank and what comes from it; bytes of the latter, or -1. */
static ptrdiff_t make(turns *t, const weft_exchange *e, int peer)
{
    const weft_services *services = e->services;
    const weft_block *send = services->sent(e, peer), *receive = services->received(e, peer);
    if (send->elements)
        t->pack[peer] = services->pack_prepare(e, send);
    if (receive->elements)
        t->unpack[peer] = services->unpack_prepare(e, receive);
    t->bytes[peer] = bytes(e, send);
    if ((t->pack[peer] || !send->elements) && (t->unpack[peer] || !receive->elements) &&
        services->bytes_type((ptrdiff_t)bytes(e, send), &t->type[peer]) &&
        services->bytes_type((ptrdiff_t)bytes(e, receive), &t->type[peer + e->ranks]))
        return (ptrdiff_t)bytes(e, receive);
    return -1;
}

static void *prepare(const weft_exchange *e, int value, size_t *workspace)
{
    size_t ranks = (size_t)e->ranks, most = 0;
    turns *t = calloc(1, sizeof *t);
    (void)value; /* used by a flaw */
    if (!t)
        return NULL;
    t->exchange = e;
    t->pack = calloc(ranks, sizeof *t->pack);
    t->unpack = calloc(ranks, sizeof *t->unpack);
    t->type = calloc(2 * ranks, sizeof *t->type);
    t->bytes = calloc(ranks, sizeof *t->bytes);
    for (size_t i = 0; t->type && i < 2 * ranks; i++)
        t->type[i] = MPI_DATATYPE_NULL;
    for (int peer = 0; peer < e->ranks; peer++) {
        ptrdiff_t comes = t->pack && t->unpack && t->type && t->bytes ? make(t, e, peer) : -1;
        if (comes < 0) {
            e->services->error("turns has no memory for %d ranks", e->ranks);
            release(t);
            return NULL;
        }
        t->packed += t->bytes[peer];
        if ((size_t)comes > most)
            most = (size_t)comes;
    }
    *workspace = t->packed + most;
#ifdef FLAW_GREED
    *workspace = value == 2 ? SIZE_MAX / 2 - 8191 : SIZE_MAX;
#endif
    return t;
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    turns *t = state;
    const weft_exchange *e = t->exchange;
    char *packed = workspace, *arrived = packed + t->packed, *own = packed, *next = packed;
    for (int peer = 0; peer < e->ranks; peer++) {
        if (peer == e->rank)
            own = next;
        if (t->pack[peer])
            e->services->copy_run(t->pack[peer], in, next);
        next += t->bytes[peer];
    }
    if (t->unpack[e->rank])
        e->services->copy_run(t->unpack[e->rank], own, out);
    for (int turn = 0; turn < e->ranks; turn++) {
        if (turn != e->rank) {
            MPI_Recv(arrived, 1, t->type[turn + e->ranks], turn, e->tag, e->comm,
                     MPI_STATUS_IGNORE);
            if (t->unpack[turn])
                e->services->copy_run(t->unpack[turn], arrived, out);
            continue;
        }
        next = packed;
        for (int peer = 0; peer < e->ranks; peer++) {
            if (peer != e->rank)
                MPI_Send(next, 1, t->type[peer], peer, e->tag, e->comm);
            next += t->bytes[peer];
        }
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

#ifdef FLAW_NAME
#define DESCRIPTOR another_name
#else
#define DESCRIPTOR weft_plugin
#endif

#ifdef FLAW_FUNCTION
#define FINISH (0 ? finish : NULL)
#else
#define FINISH finish
#endif

extern const weft_backend DESCRIPTOR;
const weft_backend DESCRIPTOR = {
#if defined FLAW_VERSION
    .version = WEFT_BACKEND_VERSION + 1,
#elif defined FLAW_OLD
    .version = WEFT_BACKEND_VERSION - 1,
#else
    .version = WEFT_BACKEND_VERSION,
#endif
#if defined FLAW_DUPLICATE
    .name = "pairwise",
#elif defined FLAW_STAR
    .name = "turns*3",
#elif defined FLAW_LONG
    .name = "turns-of-a-name-that-is-longer-than-sixty-four-characters-all-in-all",
#elif defined FLAW_GREED
    .name = "greed",
#elif defined FLAW_SILENCE
    .name = "silence",
#else
    .name = "turns",
#endif
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
