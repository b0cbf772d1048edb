/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-backend.h: the interface of a backend, for the backends of Weft and for plug-ins.
 *
 * An exchange moves an array from one layout to another over a communicator. A backend is one way
 * to carry out exchanges: by messages, or through memory that the ranks share. Each backend is one
 * file that defines one const descriptor of type weft_backend. A plug-in is a shared object that
 * exports such a descriptor under the name `weft_plugin`. Users load a plug-in by naming its file
 * in WEFT_PLUGINS. A plug-in does not link to Weft: it calls Weft only through the function
 * pointers in `services`.
 */
#ifndef WEFT_BACKEND_H
#define WEFT_BACKEND_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Increases whenever a structure of this file changes. Weft refuses plug-ins made for another
 * version. */
#define WEFT_BACKEND_VERSION 10

/* The largest number of axes of an array, including the axis of `howmany`. */
#define WEFT_MAX_AXES 32

/*
 * A block: the elements that this rank sends to one rank, or receives from one rank. A block is a
 * strided region of this rank's array. Its axes are in the order in which the elements travel,
 * slowest first. The sender and the receiver use the same order, so packing the send block and
 * unpacking the matching receive block, each in the order of its axes, moves every element to its
 * place. Weft has already merged adjacent axes that both ranks can walk as one. Offsets and strides
 * count elements. An empty block has `elements` 0. Where ranks have several boxes, a block may
 * consist of several regions of the same array: `next` is then the next region, on both ranks
 * alike, and `elements` counts this region and all that follow.
 */
typedef struct weft_block {
    ptrdiff_t elements;
    ptrdiff_t offset;
    const ptrdiff_t *count;
    const ptrdiff_t *stride;
    int axes;
    int contiguous; /* nonzero: the elements are contiguous in memory, in travel order */
    const struct weft_block *next; /* the next region of this block; NULL: this is the last one */
} weft_block;
typedef weft_block weft_piece; /* the former name, for plug-ins */

typedef struct weft_copy weft_copy;
typedef struct weft_exchange weft_exchange;
struct weft_device; /* the device of a plan that runs on a GPU; internal to Weft */

/* Functions that Weft offers to a backend. All of them are local: none communicates. */
typedef struct weft_services {
    /* The block that this rank sends to a rank of `comm`, and the block that this rank receives
     * from a rank of `comm`. Backends may call both functions only inside `applicable`, `values`
     * and `prepare`, in any order. Weft computes each block on demand: a returned block is valid
     * until the next call of the same function, or of own_prepare. */
    const weft_block *(*sent)(const weft_exchange *, int rank);
    const weft_block *(*received)(const weft_exchange *, int rank);
    /* Prepares a copy from a block to contiguous memory (pack), or from contiguous memory to a
     * block (unpack). NULL: out of memory; the error is already set. */
    weft_copy *(*pack_prepare)(const weft_exchange *, const weft_block *);
    weft_copy *(*unpack_prepare)(const weft_exchange *, const weft_block *);
    /* Prepares the copy of this rank's own block from its place in `in` to its place in `out`. */
    weft_copy *(*own_prepare)(const weft_exchange *);
    /* Runs a prepared copy. `from` and `to` point to the first byte of the array or of the
     * contiguous memory. */
    void (*copy_run)(const weft_copy *, const void *from, void *to);
    void (*copy_release)(weft_copy *); /* accepts NULL */
    /* Makes a committed datatype that walks a block in travel order, relative to the first byte of
     * the array. Its signature is not MPI_BYTE, so both ends of a message must use such a datatype.
     * Returns 0 on failure; the error is already set. */
    int (*piece_type)(const weft_exchange *, const weft_block *, MPI_Datatype *);
    /* Makes a committed datatype of `bytes` contiguous bytes, so that a message with count 1 can
     * exceed INT_MAX bytes. */
    int (*bytes_type)(ptrdiff_t bytes, MPI_Datatype *);
    /* Sets the error: one sentence that says why something failed, in printf's format. Returns
     * false. */
    bool (*error)(const char *format, ...);
} weft_services;

/* Totals over the blocks that this rank sends to, or receives from, all other ranks. */
typedef struct weft_traffic {
    ptrdiff_t elements; /* elements in all blocks */
    ptrdiff_t largest;  /* elements in the largest block */
    int pieces;         /* number of blocks that are not empty */
    int contiguous;     /* nonzero: every block is contiguous */
} weft_traffic;

/*
 * One exchange as one rank sees it. `comm` contains only the ranks that exchange data with one
 * another, in the order of the caller's communicator. Weft owns `comm`: a backend that sends
 * messages uses only the tag `tag`, so that concurrent exchanges do not receive each other's
 * messages. A rank's own block goes from sent(rank) to received(rank): copy the own block with
 * own_prepare, because MPI is slow at messages from a rank to itself.
 */
struct weft_exchange {
    MPI_Comm comm;
    int rank, ranks;
    int tag;
    size_t element;             /* bytes of one element */
    weft_traffic send, receive; /* totals of the blocks to and from other ranks */
    ptrdiff_t own_elements;     /* elements of the own block */
    ptrdiff_t in_elements;      /* lengths of the arrays, padding included */
    ptrdiff_t out_elements;
    int in_place; /* nonzero: `in` and `out` are the same array in every run */
    const weft_services *services;
    /* The ranks of comm on this rank's node; set only for backends that define `shared`. */
    MPI_Comm node;
};

/*
 * Memory that the ranks of a communicator share. Each rank has one part: the rank alone writes its
 * part, and the other ranks read it. With `put` it is the other way round: the other ranks write,
 * and the owner reads. Two ranks in one run; time goes downwards:
 *
 *     rank 0                            rank 1
 *     begin     .. waits until no rank reads the data of the last run any more ..
 *     writes [to 0|to 1]                writes [to 0|to 1]
 *     publish   .. waits until all ranks have published ..
 *     reads "to 0" of both parts        reads "to 1" of both parts
 *     done                              done
 *
 * A run of the memory lasts from begin to done. One run of a plan may contain several runs of the
 * memory, and returns to the program only between them. All ranks of the communicator make all runs
 * in the same order. Between publish and done a rank may write to regions that nobody has read in
 * this run, and publish again. `memory` is the pointer that `open` returned.
 */
typedef struct weft_memory {
    /* Collective over comm. Returns shared memory in which this rank's part has at least `bytes`
     * bytes and begins on a page boundary; the ranks may pass different sizes. Later calls for the
     * same ranks in the same order return the same memory, even on other communicators; the
     * contents do not survive from one run to the next. Exception: where MPI_Query_thread says
     * MPI_THREAD_MULTIPLE, several plans may run at once, each with its own communicators. Then
     * runs of two communicators that overlap in time use different memory. Returns NULL on all
     * ranks of comm, with an error, when any rank fails. */
    void *(*open)(MPI_Comm comm, size_t bytes);
    /* Local. Call it once for each open; it may be called after MPI_Finalize. */
    void (*close)(void *memory);
    /* The address, in this process, of the part of a rank of comm. Valid from begin on; do not keep
     * the address from one run to the next. */
    void *(*part)(const void *memory, int rank);
    /* Begins a run: waits until no rank reads the data of the last run any more. All ranks call
     * begin once per run, before they write. */
    void (*begin)(void *memory);
    /* Makes what this rank has written visible to the other ranks, streaming stores included. Waits
     * until all ranks have published equally often. */
    void (*publish)(void *memory);
    /* Ends the run on this rank: the rank reads no more. Does not wait. */
    void (*done)(void *memory);
    /* Supports user arrays in memory that other ranks can see: ranks read such an array
     * directly, or write to it with `put`, instead of copying through the parts. NULL: the memory
     * does not support such arrays. All ranks call `share` instead of begin or after it, once per
     * run for each value of `put`, and pass their own array. The other ranks know the array after
     * the next publish of this memory, or of another memory that they have in common. Returns
     * nonzero when the other ranks can use the array. */
    int (*share)(void *memory, int put, const void *array, size_t bytes);
    /* The address, in this process, of the array that a rank has passed to `share`. NULL: the array
     * is not shared, so use the rank's part. */
    void *(*shared)(const void *memory, int rank, int put);
    /* For memory on a device: plans that run on a device call this function instead of `open`.
     * NULL: the memory is on the host. */
    void *(*open_on)(MPI_Comm comm, size_t bytes, struct weft_device *device);
} weft_memory;

/* A rough cost model, so that the planner does not time backends that are surely slow. */
typedef struct weft_backend_cost {
    double sweeps;  /* sweeps over the sent data to pack or unpack it, where blocks are not
                       contiguous */
    int typed;      /* nonzero: MPI packs and unpacks by datatypes; `sweeps` is ignored */
    int in_steps;   /* nonzero: messages go one after another */
    int in_stages;  /* nonzero: messages go in log P stages of radix `value`; if `value` divides P,
                       the first stage stays within groups of `value` consecutive ranks */
    int by_node;    /* nonzero: the ranks of a node combine their messages to each other node;
                       in_stages is ignored */
    double at_once; /* factor on the cost of the messages, because MPI does extra work; 1: no extra
                       work */
    double unpack_lag; /* fraction of the unpacking that does not overlap with messages under way */
} weft_backend_cost;

/*
 * A backend. All ranks of `comm` call its functions together, except those marked as local, and
 * only where `comm` has at least two ranks: Weft itself serves a rank that exchanges with nobody,
 * but calls `applicable` and `values` there, too.
 * `value` is the tuning parameter as in WEFT_BACKEND=name:value; a backend without a parameter gets
 * 0.
 *
 * There are two kinds of backends. A backend of messages defines prepare, start, finish and
 * release. A backend of memory defines `memory` instead, and has no parameter. The passes before
 * and after an exchange then write to and read from this memory directly; where they cannot, Weft
 * copies blocks to and from it.
 */
typedef struct weft_backend {
    unsigned version; /* WEFT_BACKEND_VERSION */
    const char *name;
    const char *about;     /* one line that says how the backend moves the data */
    const char *parameter; /* the meaning of `value`; NULL: the backend has no parameter */
    int grouped;           /* nonzero: `value` is the number of messages under way at a time */
    int on_device;         /* nonzero: sends messages between device memory only */
    /* NULL: plain messages, one sweep to pack and one sweep to unpack. */
    const weft_backend_cost *cost;
    const weft_memory *memory; /* NULL: a backend of messages */
    /* Local. Returns NULL when the backend can carry out this exchange with this value, else the
     * reason why it cannot. Weft uses the backend only where every rank returns NULL. The function
     * pointer may be NULL: a backend of memory then serves the ranks of one node, and a backend of
     * messages serves all exchanges. */
    const char *(*applicable)(const weft_exchange *, int value);
    /* Local, with the same result on all ranks. Writes at most `most` values worth trying, the
     * default first, and returns their number. NULL when the backend has no parameter. */
    int (*values)(const weft_exchange *, int *value, int most);
    /* Creates the state that the runs need, and sets the number of bytes of workspace that Weft
     * must pass to each run. Returns NULL on failure. When any rank fails, Weft releases the state
     * of the others. */
    void *(*prepare)(const weft_exchange *, int value, size_t *workspace);
    /* One run: start, then finish, with the same arguments. The workspace is aligned to 64 bytes;
     * its contents do not survive from one run to the next. Out of place, `in` must stay unchanged.
     */
    void (*start)(void *state, const void *in, void *out, void *workspace);
    void (*finish)(void *state, const void *in, void *out, void *workspace);
    void (*release)(void *state);
    /* Local, called between start and finish: lets MPI progress the messages under way, and returns
     * nonzero when all have arrived. NULL: nothing moves between start and finish. */
    int (*test)(void *state);
    /* Local: the number of bytes of shared memory of the node that this rank's part takes while the
     * state exists. NULL: the backend uses no shared memory, and `node` of its exchanges is not
     * set. */
    size_t (*shared)(const void *state);
    /* Sending while the pass before the exchange still runs; NULL: the backend cannot. Where the
     * blocks to send are contiguous and the arrays are two, Weft may call `begin` before the pass,
     * in place of `start`, and then `send` several times: the first done / of of the elements of
     * every sent block are complete in `in`. The last call has done == of. With such a backend,
     * blocks travel in the sender's order of axes. */
    void (*begin)(void *state, void *out, void *workspace);
    void (*send)(void *state, const void *in, ptrdiff_t done, ptrdiff_t of);
} weft_backend;

#ifdef __cplusplus
}
#endif

#endif
