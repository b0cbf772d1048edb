/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows larger than the shared memory there is are refused, and the program goes on. On most
 * machines there is enough; tests/scripts/shortage.sh runs this where there is little.
 */
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include "kernels/base/error.h"
#include "tests/mpi/harness.h"
#include "backends/memory/window.h"

START_TEST(windows_that_have_no_room_are_refused)
{
    enum { SMALL = 1 << 16, LARGE = 64 << 20 };
    struct statvfs state;
    if (statvfs("/dev/shm", &state) != 0)
        return;
    double room = (double)state.f_bavail * (double)state.f_frsize;
    MPI_Bcast(&room, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    weft_window *small = weft_window_open(MPI_COMM_WORLD, SMALL);
    all_true(small, "%s", weft_error_text());
    weft_window *large = weft_window_open(MPI_COMM_WORLD, LARGE);
    if (room < (double)LARGE * ranks)
        all_true(!large && strstr(weft_error_text(), "has room for"), "it says: %s",
                 weft_error_text());
    else if (room > 2.0 * LARGE * ranks)
        all_true(large, "%s", weft_error_text());
    if (rank == 0 && !large)
        printf("refused: %s\n", weft_error_text());
    memset(weft_window_part(small, rank), 1, SMALL);
    MPI_Barrier(MPI_COMM_WORLD);
    weft_window_close(large);
    weft_window_close(small);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("shortage");
    TCase *tests = tcase_create("windows");
    tcase_add_test(tests, windows_that_have_no_room_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
