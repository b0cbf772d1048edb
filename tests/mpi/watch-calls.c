/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrappers of MPI functions: all that Weft and its tests call, except functions that make no handle
 * and cannot fail, which tests/scripts/watch.sh lists. A local call that fails on demand does
 * nothing. A collective call does its work first, so that the other ranks do not wait for a rank
 * where it fails; the handle that it made is lost.
 */
#include "tests/mpi/watch.h"
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

PUBLIC int MPI_Init(int *argc, char ***argv)
{
    int code = PMPI_Init(argc, argv);
    watch_begin();
    return code;
}

PUBLIC int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided)
{
    int code = PMPI_Init_thread(argc, argv, wanted, provided);
    watch_begin();
    return code;
}

/* `before` and `after` are calls of watch.h. */
#define LOCAL(name, parameters, arguments, on, before, after)                                      \
    PUBLIC int MPI_##name parameters                                                               \
    {                                                                                              \
        static const char call[] = "MPI_" #name;                                                   \
        const void *place = __builtin_return_address(0);                                           \
        (void)place;                                                                               \
        before;                                                                                    \
        if (watch_fails(call))                                                                     \
            return watch_error(on);                                                                \
        int code = PMPI_##name arguments;                                                          \
        if (code == MPI_SUCCESS) {                                                                 \
            after;                                                                                 \
        }                                                                                          \
        return code;                                                                               \
    }
#define TOGETHER(name, parameters, arguments, comm, detail, after)                                 \
    PUBLIC int MPI_##name parameters                                                               \
    {                                                                                              \
        static const char call[] = "MPI_" #name;                                                   \
        const void *place = __builtin_return_address(0);                                           \
        watch_together(comm, call, detail, place);                                                 \
        int code = PMPI_##name arguments;                                                          \
        if (watch_fails(call))                                                                     \
            return watch_error(comm);                                                              \
        if (code == MPI_SUCCESS) {                                                                 \
            after;                                                                                 \
        }                                                                                          \
        return code;                                                                               \
    }
#define NOTHING            (void)0
#define MADE(which, value) watch_made(WATCH_##which, WATCH_BITS(value), call, place)
#define USED(which, value) watch_used(WATCH_##which, WATCH_BITS(value), call, place)
#define GONE(which, value) watch_gone(WATCH_##which, WATCH_BITS(value), call, place)
#define WORLD              MPI_COMM_WORLD

LOCAL(Comm_rank, (MPI_Comm comm, int *rank), (comm, rank), comm, USED(COMMUNICATOR, comm), NOTHING)
LOCAL(Comm_size, (MPI_Comm comm, int *size), (comm, size), comm, USED(COMMUNICATOR, comm), NOTHING)
LOCAL(Comm_test_inter, (MPI_Comm comm, int *flag), (comm, flag), comm, USED(COMMUNICATOR, comm),
      NOTHING)
LOCAL(Comm_compare, (MPI_Comm a, MPI_Comm b, int *result), (a, b, result), a,
      (USED(COMMUNICATOR, a), USED(COMMUNICATOR, b)), NOTHING)
LOCAL(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status),
      (request, flag, status), WORLD, NOTHING, NOTHING)
LOCAL(Comm_group, (MPI_Comm comm, MPI_Group *group), (comm, group), comm, USED(COMMUNICATOR, comm),
      MADE(GROUP, *group))
LOCAL(Comm_get_attr, (MPI_Comm comm, int key, void *value, int *flag), (comm, key, value, flag),
      comm, (USED(COMMUNICATOR, comm), USED(KEY, key)), NOTHING)
LOCAL(Comm_set_attr, (MPI_Comm comm, int key, void *value), (comm, key, value), comm,
      (USED(COMMUNICATOR, comm), USED(KEY, key)), NOTHING)
LOCAL(Comm_delete_attr, (MPI_Comm comm, int key), (comm, key), comm,
      (USED(COMMUNICATOR, comm), USED(KEY, key)), NOTHING)
LOCAL(Comm_create_keyval,
      (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function *delete, int *key,
       void *extra),
      (copy, delete, key, extra), WORLD, NOTHING, MADE(KEY, *key))
LOCAL(Comm_free_keyval, (int *key), (key), WORLD, GONE(KEY, *key), NOTHING)
LOCAL(Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *handler), (comm, handler), comm,
      USED(COMMUNICATOR, comm), MADE(HANDLER, *handler))
LOCAL(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler), comm,
      USED(COMMUNICATOR, comm), NOTHING)
LOCAL(Comm_create_errhandler, (MPI_Comm_errhandler_function * function, MPI_Errhandler *handler),
      (function, handler), WORLD, NOTHING, MADE(HANDLER, *handler))
LOCAL(Errhandler_free, (MPI_Errhandler * handler), (handler), WORLD, GONE(HANDLER, *handler),
      NOTHING)
TOGETHER(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *child),
         (comm, color, key, child), comm, 0, watch_born(comm, *child, call, place))
TOGETHER(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *child),
         (comm, group, tag, child), comm, 0, watch_born(comm, *child, call, place))
TOGETHER(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *child),
         (comm, type, key, info, child), comm, 0, watch_born(comm, *child, call, place))
TOGETHER(Comm_dup, (MPI_Comm comm, MPI_Comm *child), (comm, child), comm, 0,
         watch_born(comm, *child, call, place))
TOGETHER(Intercomm_create,
         (MPI_Comm comm, int leader, MPI_Comm peer, int other, int tag, MPI_Comm *child),
         (comm, leader, peer, other, tag, child), comm, leader,
         watch_born(comm, *child, call, place))
LOCAL(Comm_free, (MPI_Comm * comm), (comm), *comm, GONE(COMMUNICATOR, *comm), NOTHING)

TOGETHER(Barrier, (MPI_Comm comm), (comm), comm, 0, NOTHING)
TOGETHER(Bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm),
         (data, count, type, root, comm), comm, root, NOTHING)
TOGETHER(Reduce,
         (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root,
          MPI_Comm comm),
         (from, to, count, type, op, root, comm), comm, count + ((int64_t)root << 32), NOTHING)
TOGETHER(Allreduce,
         (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
         (from, to, count, type, op, comm), comm, count, NOTHING)
TOGETHER(Gather,
         (const void *from, int count, MPI_Datatype type, void *to, int counts,
          MPI_Datatype to_type, int root, MPI_Comm comm),
         (from, count, type, to, counts, to_type, root, comm), comm, root, NOTHING)
TOGETHER(Gatherv,
         (const void *from, int count, MPI_Datatype type, void *to, const int *counts,
          const int *at, MPI_Datatype to_type, int root, MPI_Comm comm),
         (from, count, type, to, counts, at, to_type, root, comm), comm, root, NOTHING)
TOGETHER(Scatterv,
         (const void *from, const int *counts, const int *at, MPI_Datatype type, void *to,
          int count, MPI_Datatype to_type, int root, MPI_Comm comm),
         (from, counts, at, type, to, count, to_type, root, comm), comm, root, NOTHING)
TOGETHER(Allgather,
         (const void *from, int count, MPI_Datatype type, void *to, int counts,
          MPI_Datatype to_type, MPI_Comm comm),
         (from, count, type, to, counts, to_type, comm), comm, counts, NOTHING)
TOGETHER(Allgatherv,
         (const void *from, int count, MPI_Datatype type, void *to, const int *counts,
          const int *at, MPI_Datatype to_type, MPI_Comm comm),
         (from, count, type, to, counts, at, to_type, comm), comm, 0, NOTHING)
TOGETHER(Alltoall,
         (const void *from, int count, MPI_Datatype type, void *to, int counts,
          MPI_Datatype to_type, MPI_Comm comm),
         (from, count, type, to, counts, to_type, comm), comm, counts, NOTHING)
TOGETHER(Alltoallv,
         (const void *from, const int *counts, const int *at, MPI_Datatype type, void *to,
          const int *to_counts, const int *to_at, MPI_Datatype to_type, MPI_Comm comm),
         (from, counts, at, type, to, to_counts, to_at, to_type, comm), comm, 0, NOTHING)
TOGETHER(Alltoallw,
         (const void *from, const int *counts, const int *at, const MPI_Datatype *types, void *to,
          const int *to_counts, const int *to_at, const MPI_Datatype *to_types, MPI_Comm comm),
         (from, counts, at, types, to, to_counts, to_at, to_types, comm), comm, 0, NOTHING)
TOGETHER(Ialltoallv,
         (const void *from, const int *counts, const int *at, MPI_Datatype type, void *to,
          const int *to_counts, const int *to_at, MPI_Datatype to_type, MPI_Comm comm,
          MPI_Request *request),
         (from, counts, at, type, to, to_counts, to_at, to_type, comm, request), comm, 0,
         MADE(REQUEST, *request))
TOGETHER(Iallreduce,
         (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
          MPI_Request *request),
         (from, to, count, type, op, comm, request), comm, 0, MADE(REQUEST, *request))
TOGETHER(Ialltoallw,
         (const void *from, const int *counts, const int *at, const MPI_Datatype *types, void *to,
          const int *to_counts, const int *to_at, const MPI_Datatype *to_types, MPI_Comm comm,
          MPI_Request *request),
         (from, counts, at, types, to, to_counts, to_at, to_types, comm, request), comm, 0,
         MADE(REQUEST, *request))
#if MPI_VERSION >= 4
TOGETHER(Alltoallv_c,
         (const void *from, const MPI_Count *counts, const MPI_Aint *at, MPI_Datatype type,
          void *to, const MPI_Count *to_counts, const MPI_Aint *to_at, MPI_Datatype to_type,
          MPI_Comm comm),
         (from, counts, at, type, to, to_counts, to_at, to_type, comm), comm, 0, NOTHING)
TOGETHER(Ialltoallv_c,
         (const void *from, const MPI_Count *counts, const MPI_Aint *at, MPI_Datatype type,
          void *to, const MPI_Count *to_counts, const MPI_Aint *to_at, MPI_Datatype to_type,
          MPI_Comm comm, MPI_Request *request),
         (from, counts, at, type, to, to_counts, to_at, to_type, comm, request), comm, 0,
         MADE(REQUEST, *request))
LOCAL(Type_create_hvector_c,
      (MPI_Count count, MPI_Count length, MPI_Count step, MPI_Datatype type, MPI_Datatype *result),
      (count, length, step, type, result), WORLD, USED(DATATYPE, type), MADE(DATATYPE, *result))
#endif

LOCAL(Send, (const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm),
      (data, count, type, to, tag, comm), comm, (USED(COMMUNICATOR, comm), USED(DATATYPE, type)),
      NOTHING)
LOCAL(Recv,
      (void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
       MPI_Status *status),
      (data, count, type, from, tag, comm, status), comm,
      (USED(COMMUNICATOR, comm), USED(DATATYPE, type)), NOTHING)
LOCAL(Sendrecv,
      (const void *data, int count, MPI_Datatype type, int to, int tag, void *got, int most,
       MPI_Datatype got_type, int from, int got_tag, MPI_Comm comm, MPI_Status *status),
      (data, count, type, to, tag, got, most, got_type, from, got_tag, comm, status), comm,
      (USED(COMMUNICATOR, comm), USED(DATATYPE, type), USED(DATATYPE, got_type)), NOTHING)
LOCAL(Isend,
      (const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
       MPI_Request *request),
      (data, count, type, to, tag, comm, request), comm,
      (USED(COMMUNICATOR, comm), USED(DATATYPE, type)), MADE(REQUEST, *request))
LOCAL(Irecv,
      (void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
       MPI_Request *request),
      (data, count, type, from, tag, comm, request), comm,
      (USED(COMMUNICATOR, comm), USED(DATATYPE, type)), MADE(REQUEST, *request))
LOCAL(Iprobe, (int from, int tag, MPI_Comm comm, int *there, MPI_Status *status),
      (from, tag, comm, there, status), comm, USED(COMMUNICATOR, comm), NOTHING)

/* Notes requests that a call has completed. */
static void finished(int count, const MPI_Request *before, const MPI_Request *after,
                     const char *call, const void *place)
{
    for (int i = 0; i < count; i++)
        if (before[i] != MPI_REQUEST_NULL && after[i] == MPI_REQUEST_NULL)
            watch_gone(WATCH_REQUEST, WATCH_BITS(before[i]), call, place);
}

static MPI_Request *copy_of(int count, const MPI_Request *request)
{
    MPI_Request *copy = malloc((size_t)count * sizeof *copy + 1);
    if (!copy)
        abort();
    memcpy(copy, request, (size_t)count * sizeof *copy);
    return copy;
}

LOCAL(Test, (MPI_Request * request, int *done, MPI_Status *status), (request, done, status), WORLD,
      MPI_Request was = *request, finished(1, &was, request, call, place))
LOCAL(Request_free, (MPI_Request * request), (request), WORLD, MPI_Request was = *request,
      finished(1, &was, request, call, place))
LOCAL(Wait, (MPI_Request * request, MPI_Status *status), (request, status), WORLD,
      MPI_Request was = *request, finished(1, &was, request, call, place))
LOCAL(Waitall, (int count, MPI_Request *request, MPI_Status *status), (count, request, status),
      WORLD, MPI_Request *was = copy_of(count, request),
      (finished(count, was, request, call, place), free(was)))
LOCAL(Waitsome, (int count, MPI_Request *request, int *done, int *which, MPI_Status *status),
      (count, request, done, which, status), WORLD, MPI_Request *was = copy_of(count, request),
      (finished(count, was, request, call, place), free(was)))

LOCAL(Type_create_hvector,
      (int count, int length, MPI_Aint step, MPI_Datatype type, MPI_Datatype *result),
      (count, length, step, type, result), WORLD, USED(DATATYPE, type), MADE(DATATYPE, *result))
LOCAL(Type_create_hindexed_block,
      (int count, int length, const MPI_Aint *at, MPI_Datatype type, MPI_Datatype *result),
      (count, length, at, type, result), WORLD, USED(DATATYPE, type), MADE(DATATYPE, *result))
LOCAL(Type_create_hindexed,
      (int count, const int *length, const MPI_Aint *at, MPI_Datatype type, MPI_Datatype *result),
      (count, length, at, type, result), WORLD, USED(DATATYPE, type), MADE(DATATYPE, *result))
LOCAL(Type_create_struct,
      (int count, const int *length, const MPI_Aint *at, const MPI_Datatype *types,
       MPI_Datatype *result),
      (count, length, at, types, result), WORLD, NOTHING, MADE(DATATYPE, *result))
LOCAL(Type_commit, (MPI_Datatype * type), (type), WORLD, USED(DATATYPE, *type), NOTHING)
LOCAL(Type_free, (MPI_Datatype * type), (type), WORLD, GONE(DATATYPE, *type), NOTHING)

LOCAL(Group_size, (MPI_Group group, int *size), (group, size), WORLD, USED(GROUP, group), NOTHING)
LOCAL(Group_compare, (MPI_Group a, MPI_Group b, int *result), (a, b, result), WORLD,
      (USED(GROUP, a), USED(GROUP, b)), NOTHING)
LOCAL(Group_union, (MPI_Group a, MPI_Group b, MPI_Group *both), (a, b, both), WORLD,
      (USED(GROUP, a), USED(GROUP, b)), MADE(GROUP, *both))
LOCAL(Group_translate_ranks, (MPI_Group a, int count, const int *rank, MPI_Group b, int *there),
      (a, count, rank, b, there), WORLD, (USED(GROUP, a), USED(GROUP, b)), NOTHING)
LOCAL(Group_incl, (MPI_Group group, int count, const int *member, MPI_Group *made),
      (group, count, member, made), WORLD, USED(GROUP, group), MADE(GROUP, *made))
LOCAL(Group_free, (MPI_Group * group), (group), WORLD, GONE(GROUP, *group), NOTHING)

LOCAL(Op_create, (MPI_User_function * function, int commutes, MPI_Op *op), (function, commutes, op),
      WORLD, NOTHING, MADE(OPERATION, *op))
LOCAL(Op_free, (MPI_Op * op), (op), WORLD, GONE(OPERATION, *op), NOTHING)
LOCAL(Dims_create, (int ranks, int axes, int *extent), (ranks, axes, extent), WORLD, NOTHING,
      NOTHING)
