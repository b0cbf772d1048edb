/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges arrays on a device by messages between hosts, with any backend of messages:
 *
 *     device, rank 0        pinned                     pinned              device, rank 1
 *     | own | to 1 |  -copy->  | to 1 |  --message-->  | from 0 |  -copy->  | from 0 | own |
 *
 * A non-contiguous block is packed and unpacked on the device. Large blocks travel in chunks, so
 * that the bus works in both directions while MPI works. The copies have two separate queues:
 *
 *     down     | chunk 0 | chunk 1 | chunk 2 | ...
 *     MPI                | chunk 0 | chunk 1 | chunk 2 | ...
 *     up                           | chunk 0 | chunk 1 | chunk 2 | ...
 *
 * The backend sees an exchange of contiguous blocks in host memory, one after another. It is
 * prepared twice, because two chunks are under way at a time. All chunks have the same size: the
 * last one is padded.
 *
 *     pinned       [ sent, by chunk and rank | received, likewise | workspaces of the backend ]
 *     workspace    [ packed | to be unpacked | own block ]
 *
 * Cost: the slowest of bus and MPI, and two chunks.
 */
#include "backends/exchange/exchange.h"

#include "backends/exchange/agreement.h"
#include "backends/messages/blocks.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"

enum { LINE = 512, CHUNK = 1 << 20 /* least bytes of a message */, MOST_CHUNKS = 32, AT_ONCE = 2 };
/* Queues: of the plan, of copies to the host, and of copies to the device. */
enum { MAIN, DOWN, UP, QUEUES };

typedef struct {
    weft_message_blocks blocks;
    const weft_prepared *outer;             /* has the pinned memory of this run */
    const weft_prepared *messages[AT_ONCE]; /* of one chunk */
    int chunks, at_once;
    int begun, ended; /* chunks, in this run */
    weft_device *device;
    /* The ends of the queues, for another queue to wait for; then the ends of the copies of each
     * chunk to the host. */
    weft_device_event *event[QUEUES + MOST_CHUNKS];
    size_t sent, received, work; /* bytes of a chunk, and of the backend's workspace */
    char *out, *scratch;         /* of this run */
} staged;

static void release(void *state)
{
    staged *it = state;
    for (int i = 0; i < QUEUES + it->chunks; i++)
        it->device->library->event_destroy(it->event[i]);
    weft_messages_release(it);
}

/* Places the blocks of a side in the workspace as they are on the host. Returns the end. */
static size_t place(weft_message_block *block, int ranks, size_t begin)
{
    size_t end = begin;
    bool packed = false;
    for (int peer = 0; peer < ranks; peer++) {
        block[peer].place = (ptrdiff_t)end;
        end += (size_t)block[peer].bytes;
        packed |= block[peer].copy != NULL;
    }
    return packed ? weft_round_up(end, LINE) : begin;
}

static void lay_out(staged *it, weft_prepared *prepared)
{
    const weft_exchange *exchange = it->blocks.exchange, *chunk = it->messages[0]->owned;
    const size_t element = exchange->element;
    it->sent = (size_t)chunk->in_elements * element;
    it->received = (size_t)chunk->out_elements * element;
    it->work = weft_round_up(it->messages[0]->workspace, LINE);
    prepared->pinned = weft_round_up((size_t)it->chunks * it->sent, LINE) +
                       weft_round_up((size_t)it->chunks * it->received, LINE) +
                       (size_t)it->at_once * it->work;
    const size_t end =
        place(it->blocks.receive, exchange->ranks, place(it->blocks.send, exchange->ranks, 0));
    it->blocks.own_place = (ptrdiff_t)end;
    prepared->workspace =
        end +
        (it->blocks.own_pack ? weft_round_up((size_t)exchange->own_elements * element, LINE) : 0);
}

static bool open_queues(staged *it)
{
    const weft_device_library *library = it->device->library;
    bool ok = weft_device_open_bus(it->device);
    for (int i = 0; ok && i < QUEUES + it->chunks; i++)
        ok = (it->event[i] = library->event_create(false));
    return ok || weft_error("device %d has no queue or event for copies: %s", it->device->number,
                            library->why());
}

static bool prepare(weft_prepared *prepared, const weft_exchange *exchange)
{
    const double chunks = weft_agree_max(exchange->comm, (double)exchange->send.largest *
                                                             (double)exchange->element / CHUNK);
    staged *it = weft_messages_make(sizeof *it, exchange, WEFT_BLOCKS_BOTH | WEFT_BLOCKS_APART);
    if (it) {
        it->outer = prepared;
        it->device = weft_base(exchange)->device;
        it->chunks = chunks < 1 ? 1 : chunks > MOST_CHUNKS ? MOST_CHUNKS : (int)chunks;
        it->at_once = it->chunks > 1 ? AT_ONCE : 1;
    }
    prepared->state = it;
    bool ok = weft_agree(exchange->comm, it && open_queues(it));
    for (int i = 0; ok && i < it->at_once; i++) {
        weft_exchange *chunk = weft_exchange_packed(exchange, it->chunks, i > 0);
        ok = (it->messages[i] = weft_prepare_inner(prepared, chunk, exchange->comm));
    }
    if (ok)
        lay_out(it, prepared);
    return ok;
}

/* Queues an event at the end of one queue, and makes another queue wait for it. */
static void follow(const staged *it, int later, int earlier)
{
    weft_device *device = it->device;
    weft_queue *const queue[QUEUES] = {device->queue, device->down, device->up};
    weft_device_call(device, event_record(it->event[earlier], queue[earlier]));
    weft_device_call(device, event_wait_for(it->event[earlier], queue[later]));
}

static char *sent_at(const staged *it, int chunk)
{
    return (char *)it->outer->pinned_memory + (size_t)chunk * it->sent;
}

static char *received_at(const staged *it, int chunk)
{
    return sent_at(it, 0) + weft_round_up((size_t)it->chunks * it->sent, LINE) +
           (size_t)chunk * it->received;
}

static char *work_at(const staged *it, int chunk)
{
    return received_at(it, 0) + weft_round_up((size_t)it->chunks * it->received, LINE) +
           (size_t)(chunk % AT_ONCE) * it->work;
}

/* A range of bytes that are adjacent both on the device and on the host. */
typedef struct {
    char *device, *host;
    size_t bytes;
} stretch;

static void copy_stretch(weft_device *device, const stretch *all, bool sent)
{
    if (all->bytes == 0)
        return;
    if (sent)
        weft_device_call(device, copy(all->host, all->device, all->bytes, device->down));
    else
        weft_device_call(device, copy(all->device, all->host, all->bytes, device->up));
}

/* Copies a chunk of all blocks to the host or to the device, with as few copies as possible. */
static void copy_chunk(const staged *it, int chunk, bool sent, char *array)
{
    const weft_exchange *exchange = it->blocks.exchange;
    const ptrdiff_t element = (ptrdiff_t)exchange->element;
    char *host = sent ? sent_at(it, chunk) : received_at(it, chunk);
    stretch all = {0};
    for (int peer = 0; peer < exchange->ranks; peer++) {
        const weft_message_block *block = &(sent ? it->blocks.send : it->blocks.receive)[peer];
        const ptrdiff_t size = weft_chunk_size(block->bytes / element, it->chunks) * element;
        const ptrdiff_t left = block->bytes - chunk * size;
        char *at = (block->copy ? it->scratch + block->place : array + block->begin) + chunk * size;
        if (left > 0 && (all.device + all.bytes != at || all.host + all.bytes != host)) {
            copy_stretch(it->device, &all, sent);
            all = (stretch){at, host, 0};
        }
        if (left > 0)
            all.bytes += (size_t)(left < size ? left : size);
        host += size;
    }
    copy_stretch(it->device, &all, sent);
}

/* Sends the messages of the next chunk as soon as the chunk is on the host. */
static void begin_chunk(staged *it)
{
    const int chunk = it->begun++;
    const weft_prepared *messages = it->messages[chunk % AT_ONCE];
    weft_device_call(it->device, event_await(it->event[QUEUES + chunk]));
    messages->backend->start(messages->state, sent_at(it, chunk), received_at(it, chunk),
                             work_at(it, chunk));
}

/* Ends the messages of the oldest chunk under way, and queues its copies to the device. Sends the
 * next chunk first. Nothing arrives in an array before the work of the plan's queue has read it. */
static void end_chunk(staged *it)
{
    const int chunk = it->ended++;
    const weft_prepared *messages = it->messages[chunk % AT_ONCE];
    if (it->begun < it->chunks)
        begin_chunk(it);
    messages->backend->finish(messages->state, sent_at(it, chunk), received_at(it, chunk),
                              work_at(it, chunk));
    follow(it, UP, MAIN);
    copy_chunk(it, chunk, false, it->out);
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    staged *it = state;
    it->out = out;
    it->scratch = workspace;
    it->begun = it->ended = 0;
    for (int peer = 0; peer < it->blocks.exchange->ranks; peer++)
        weft_message_copy(&it->blocks, peer, in, workspace);
    follow(it, DOWN, MAIN);
    for (int chunk = 0; chunk < it->chunks; chunk++) {
        copy_chunk(it, chunk, true, (char *)in);
        weft_device_call(it->device, event_record(it->event[QUEUES + chunk], it->device->down));
    }
    if (it->blocks.exchange->in_place) /* the own block may overwrite blocks that are sent */
        follow(it, MAIN, DOWN);
    weft_message_blocks_own(&it->blocks, in, out);
    weft_message_blocks_own_in_place(&it->blocks, in, out, workspace);
    begin_chunk(it);
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    (void)in;
    staged *it = state;
    while (it->ended < it->chunks)
        end_chunk(it);
    follow(it, MAIN, UP);
    for (int peer = 0; peer < it->blocks.exchange->ranks; peer++)
        weft_message_unpack(&it->blocks, peer, out, workspace);
}

/* Begins no other chunk: start is collective with some backends, and each rank calls `test` as
 * often as it likes. */
static int test(void *state)
{
    return weft_prepared_test(((const staged *)state)->messages[0]);
}

const weft_wrapper weft_wrapper_staged = {
    .prepare = prepare,
    .run = {.start = start, .finish = finish, .release = release, .test = test}};
