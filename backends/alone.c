/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank alone: idle, or only its axes change their order. One copy; in place it goes through the
 * workspace, unless everything stays where it is. Backends can so rely on having a peer.
 */
#include <stdlib.h>
#include "alone.h"

typedef struct {
    const weft_services *services;
    weft_copy *first;  /* from `in`, to `out` or the workspace */
    weft_copy *second; /* from the workspace to `out`, in place only */
} state;

/* Whether send and receive piece are the same places. */
static int stays(const weft_piece *from, const weft_piece *to)
{
    if (from->elements == 0)
        return 1;
    if (from->offset != to->offset)
        return 0;
    for (int i = 0; i < from->axes; i++)
        if (from->count[i] > 1 && from->stride[i] != to->stride[i])
            return 0;
    return 1;
}

static void release(void *argument)
{
    state *s = argument;

    if (s == NULL)
        return;
    if (s->first != NULL)
        s->services->copy_release(s->first);
    if (s->second != NULL)
        s->services->copy_release(s->second);
    free(s);
}

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    const weft_piece *from = &exchange->send[0], *to = &exchange->receive[0];
    const weft_services *services = exchange->services;
    state *s = calloc(1, sizeof *s);

    (void)value;
    *workspace = 0;
    if (s == NULL) {
        services->error("no memory to prepare an exchange");
        return NULL;
    }
    s->services = services;
    if (!exchange->in_place) {
        s->first = services->own_prepare(exchange);
        if (s->first == NULL)
            goto fail;
    } else if (!stays(from, to)) {
        s->first = services->pack_prepare(exchange, from);
        s->second = services->unpack_prepare(exchange, to);
        if (s->first == NULL || s->second == NULL)
            goto fail;
        *workspace = (size_t)from->elements * exchange->element;
    }
    return s;

fail:
    release(s);
    return NULL;
}

static void start(void *argument, const void *in, void *out, void *workspace)
{
    const state *s = argument;

    if (s->second != NULL) {
        s->services->copy_run(s->first, in, workspace);
        s->services->copy_run(s->second, workspace, out);
    } else if (s->first != NULL) {
        s->services->copy_run(s->first, in, out);
    }
}

static void finish(void *argument, const void *in, void *out, void *workspace)
{
    (void)argument, (void)in, (void)out, (void)workspace;
}

const weft_backend weft_alone = {
    .version = WEFT_BACKEND_VERSION,
    .name = "alone",
    .about = "copies the rank's own piece",
    .prepare = prepare,
    .start = start,
    .finish = finish,
    .release = release,
};
