/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-backend.h: all that a backend needs, one of ours or one of somebody else's.
 *
 * An exchange moves an array from one layout to another over a communicator. A backend is one way
 * to carry it out, by messages or through memory that ranks share: a file with one const descriptor
 * of type weft_backend. A plug-in is a shared object that exports such a descriptor under the name
 * `weft_plugin`; it is loaded by naming it in WEFT_PLUGINS and links to nothing of Weft: whatever
 * it wants to call comes with the exchange, in `services`.
 */
#ifndef WEFT_BACKEND_H
#define WEFT_BACKEND_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Goes up when a structure of this file changes; plug-ins of another version are refused. */
#define WEFT_BACKEND_VERSION 8

/* The most axes of an array, that of `howmany` included. */
#define WEFT_MAX_AXES 32

/*
 * What goes to one rank, or comes from it: a strided region of this rank's array. The axes of a
 * piece are in the order in which its elements travel, slowest first, and are the same at both
 * ends, so that packing a send piece and unpacking the matching receive piece, each in the order of
 * its axes, moves every element to its place. Adjacent axes that both ends could walk as one are
 * already collapsed. Offsets and strides count elements; a piece without elements has `elements` 0.
 * Where ranks hold several boxes a piece may go on in `next`, another section of the same array, at
 * both ends alike; `elements` are those of all of it from here on.
 */
typedef struct weft_piece {
    ptrdiff_t elements;
    ptrdiff_t offset;
    const ptrdiff_t *count;
    const ptrdiff_t *stride;
    int axes;
    int contiguous; /* its elements lie one after another, in the order in which they travel */
    const struct weft_piece *next; /* what travels after it; NULL: this is all */
} weft_piece;

typedef struct weft_copy weft_copy;
typedef struct weft_exchange weft_exchange;
struct weft_device; /* of a plan on a GPU; Weft's own */

/* What Weft does for a backend. All of it is local, none of it talks to other ranks. */
typedef struct weft_services {
    /* The piece that goes to a rank of `comm`, and that which comes from one. Pieces are not kept
     * but worked out, while `applicable`, `values` and `prepare` run, in any order: each is there
     * until another of its side is asked for, by own_prepare, too. */
    const weft_piece *(*sent)(const weft_exchange *, int rank);
    const weft_piece *(*received)(const weft_exchange *, int rank);
    /* Prepares copying a piece into contiguous memory, or contiguous memory into a piece. NULL: no
     * memory, which has been said. */
    weft_copy *(*pack_prepare)(const weft_exchange *, const weft_piece *);
    weft_copy *(*unpack_prepare)(const weft_exchange *, const weft_piece *);
    /* Prepares copying this rank's own piece from its place in `in` to its place in `out`. */
    weft_copy *(*own_prepare)(const weft_exchange *);
    /* Both arguments are where the array (or the contiguous memory) begins. */
    void (*copy_run)(const weft_copy *, const void *from, void *to);
    void (*copy_release)(weft_copy *); /* NULL is nothing */
    /* A committed datatype that walks a piece in the order in which it travels, from the array's
     * begin. It is not made of bytes, so both ends of a message must use one. 0: there is none, and
     * why has been said. */
    int (*piece_type)(const weft_exchange *, const weft_piece *, MPI_Datatype *);
    /* A committed datatype of so many contiguous bytes, and so usable beyond INT_MAX with count 1.
     */
    int (*bytes_type)(ptrdiff_t bytes, MPI_Datatype *);
    /* Says in a sentence why something failed; printf's format. */
    void (*error)(const char *format, ...);
} weft_services;

/* All pieces of one side but the own one. */
typedef struct weft_traffic {
    ptrdiff_t elements; /* of all of them */
    ptrdiff_t largest;  /* of one */
    int pieces;         /* that have elements */
    int contiguous;     /* each of them is */
} weft_traffic;

/*
 * One exchange as one rank sees it. `comm` holds just the ranks that talk with one another (in
 * the order of the caller's communicator) and belongs to Weft: a backend that sends messages
 * uses only `tag`, so that exchanges under way at the same time do not mix. A rank's own piece
 * goes from sent(rank) to received(rank): let the exchange copy it, MPI does that badly.
 */
struct weft_exchange {
    MPI_Comm comm;
    int rank, ranks;
    int tag;
    size_t element;             /* bytes of one element */
    weft_traffic send, receive; /* what goes to others, and comes from them */
    ptrdiff_t own_elements;     /* of the own piece */
    ptrdiff_t in_elements;      /* how far the arrays reach, padding included */
    ptrdiff_t out_elements;
    int in_place; /* nonzero: `in` and `out` are the same array at every run */
    const weft_services *services;
    MPI_Comm node; /* for backends that have `shared`: the ranks of comm on this rank's node */
};

/*
 * Memory that the ranks of a communicator share: each has a part, which it alone writes and the
 * others read, or with `put` the other way round. Two ranks in one run; time goes downwards:
 *
 *     rank 0                            rank 1
 *     begin     .. waits until nobody reads what is left of the last run ..
 *     writes [to 0|to 1]                writes [to 0|to 1]
 *     publish   .. waits until all have published ..
 *     reads to 0 of both parts          reads to 1 of both parts
 *     done                              done
 *
 * A run of the memory lasts from begin to done; a run of a plan may have several, and does not
 * return to the program within one. All ranks of the communicator make all runs in the same order.
 * Between publish and done a rank may write what nobody has read in this run, and publish again.
 * `memory` is what `open` returned.
 */
typedef struct weft_memory {
    /* Collective over comm: memory in which this rank has a part of at least so many bytes (other
     * ranks may ask for more or less), on a page of its own. Whoever opens it later, for the same
     * ranks in the same order, gets the same memory, however many communicators there are: it holds
     * nothing from one run to the next. Not so where MPI_Query_thread says MPI_THREAD_MULTIPLE:
     * then plans may run at once, each has communicators of its own, and runs of two communicators
     * that overlap in time do not use the same memory. NULL on all ranks of comm, with an error,
     * when any cannot. */
    void *(*open)(MPI_Comm comm, size_t bytes);
    /* Local, once for each open, also after MPI_Finalize. */
    void (*close)(void *memory);
    /* Where the part of a rank of comm is in this process, from begin on; not to be kept between
     * runs. */
    void *(*part)(const void *memory, int rank);
    /* Waits until nobody reads what is left of the last run. All ranks call it once a run,
     * before they write. */
    void (*begin)(void *memory);
    /* What this rank has written, by streaming stores too, is there for the others; waits until
     * all have published as often. */
    void (*publish)(void *memory);
    /* This rank has read what it wanted. Does not wait. */
    void (*done)(void *memory);
    /* Arrays of users that lie where other ranks see them are read, or with `put` written to, in
     * place of the parts: nothing is copied. NULL: there are no such arrays. Instead of begin or
     * after it, on all ranks, once a run for each `put`: says where this rank's own array is, for
     * the others to know after the next publish of this or another memory that they have in common.
     * Nonzero: they can use it. */
    int (*share)(void *memory, int put, const void *array, size_t bytes);
    /* Where that array of a rank is in this process; NULL: it is not shared, its part counts. */
    void *(*shared)(const void *memory, int rank, int put);
    /* Of memory on a device instead of `open`, by a plan that works there. NULL: it is the host's.
     */
    void *(*open_on)(MPI_Comm comm, size_t bytes, struct weft_device *device);
} weft_memory;

/* About what a backend costs, so that what is sure to be slow is not timed. */
typedef struct weft_backend_cost {
    double sweeps;  /* over what is sent, to pack or to unpack, where pieces are not in one run */
    int typed;      /* MPI packs and unpacks, by datatypes: `sweeps` is not looked at */
    int in_steps;   /* one message after the other */
    int in_stages;  /* log P of them, of radix `value` */
    int by_node;    /* ranks of a node send to another node together; stages are not looked at */
    double at_once; /* times the messages' cost, because MPI does more than needed; 1: no more */
    double unpack_lag; /* part of unpacking that is not hidden behind messages still under way */
} weft_backend_cost;

/*
 * A backend. Its functions are called by all ranks of `comm` together, but for what is said to be
 * local, and only where there are at least two: a rank alone Weft serves itself. `value` is the
 * tuning parameter as in WEFT_BACKEND=name:value; backends without one get 0.
 *
 * There are two kinds. A backend of messages has prepare, start, finish and release. A backend of
 * memory has `memory` instead, which the passes before and after an exchange then write and read
 * themselves (where neither can, Weft copies pieces there and from there); it has no parameter.
 */
typedef struct weft_backend {
    unsigned version; /* WEFT_BACKEND_VERSION */
    const char *name;
    const char *about;     /* one line: how it moves the data */
    const char *parameter; /* what `value` means, NULL when there is none */
    int overlaps;          /* nonzero: data moves between start and finish */
    int grouped;           /* nonzero: `value` is how many messages are under way at a time */
    int on_device;         /* nonzero: of messages from and to memory of a device, and no others */
    const weft_backend_cost
        *cost;                 /* NULL: one sweep each to pack and to unpack, and plain messages */
    const weft_memory *memory; /* NULL: a backend of messages */
    /* NULL, or why it cannot carry out this exchange with this value. Local; it is used where no
     * rank has a reason against it. The function itself may be NULL: a backend of memory then
     * serves ranks of one node, one of messages all. */
    const char *(*applicable)(const weft_exchange *, int value);
    /* Writes the values worth trying, the default first, at most `most`; says how many. Local; the
     * same on all ranks. NULL when there is no parameter. */
    int (*values)(const weft_exchange *, int *value, int most);
    /* Makes whatever the runs need, and says how many bytes of workspace each run must be given.
     * NULL when that fails, on any rank; Weft then releases it on the others. */
    void *(*prepare)(const weft_exchange *, int value, size_t *workspace);
    /* One run: start, then finish, with the same arguments. The workspace is aligned to 64 bytes
     * and holds nothing from one run to the next. When not in place, `in` is left unchanged. */
    void (*start)(void *state, const void *in, void *out, void *workspace);
    void (*finish)(void *state, const void *in, void *out, void *workspace);
    void (*release)(void *state);
    /* Local, between start and finish: lets MPI move what is under way, and says whether it has
     * arrived. NULL: nothing moves in between. */
    int (*test)(void *state);
    /* Local: how many bytes of memory that the ranks of a node share are this rank's, for as long
     * as the state is there. NULL: it uses none, and finds no communicator in `node`. */
    size_t (*shared)(const void *state);
} weft_backend;

#ifdef __cplusplus
}
#endif

#endif
