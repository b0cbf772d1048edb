#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The watch (tests/mpi/watch.c) has wrappers for every MPI function that Weft calls, and finds errors of programs:
# handles that they do not free, invalid handles, and ranks that make different calls.
. "${srcdir:-.}/tests/scripts/tools.sh"

# Functions that make no handle and cannot fail.
free='MPI_(Abort|Comm_(c2f|f2c)|Error_string|Finalize|Finalized|Get_library_version|Initialized|Query_thread|Wtime)'
${NM:-nm} -D --defined-only .libs/libwatch.so | sed -n 's/.* T //p' >$out/watched
for library in .libs/libweft.so .libs/libweftf.so .libs/libweftl.so .libs/libturns.so; do
    ! test -f $library || ! ${NM:-nm} -D --undefined-only $library | sed -n 's/.* \(MPI_[A-Za-z0-9_]*\)$/\1/p' |
        grep -Evx "$free" | grep -vxFf $out/watched || fail "$library calls these functions, which are not watched"
done

cat >$out/watched.c <<'END_OF_PROGRAM'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *how = getenv("HOW");
    int rank, number = 0;
    MPI_Comm comm;
    MPI_Group group, same;
    MPI_Request request;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    MPI_Comm_group(comm, &group);
    same = group;
    if (strcmp(how, "request") == 0)
        MPI_Irecv(&number, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    if (strcmp(how, "datatype") == 0)
        MPI_Type_create_hvector(2, 1, 8, MPI_INT, &type);
    if (strcmp(how, "order") == 0 && rank == 0) /* which works, since nothing is sent */
        MPI_Bcast(&number, 0, MPI_INT, 0, comm);
    MPI_Bcast(&number, 1, MPI_INT, 0, comm);
    if (strcmp(how, "group") != 0)
        MPI_Group_free(&group);
    if (strcmp(how, "communicator") != 0)
        MPI_Comm_free(&comm);
    if (strcmp(how, "freed") == 0)
        MPI_Group_size(same, &number);
    MPI_Finalize();
    return 0;
}
END_OF_PROGRAM
compile $out/test_watched $out/watched.c
export WATCH=2

HOW=right run watched 2 >$out/log 2>&1 || fail 'nothing is wrong:'
lacks 'watch:'
# complains HOW SENTENCE
complains() {
    ! HOW=$1 run watched 2 >$out/log 2>&1 || fail "$1: the status is 0:"
    has "watch: rank 0: .*$2"
}
for object in communicator datatype group request; do
    complains $object "1 of the ${object}s is left"
done
complains freed 'MPI_Group_size is called with one of the groups that was freed'
complains order 'ranks differ in the collective calls on communicator'
