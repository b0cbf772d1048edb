/* SPDX-License-Identifier: BSD-3-Clause */
/* Without MPI: no function crashes, and functions that need MPI say so. */
#include "api/fftw3-mpi.h"
#include <string.h>
#include "kernels/base/precision.h"
#include "tests/unit/harness.h"
#include "api/weft.h"

#define COMM MPI_COMM_WORLD

static void check_sentence(const char *function)
{
    ck_assert_msg(strstr(WEFT(last_error)(), function) &&
                      strstr(WEFT(last_error)(), "call MPI_Init"),
                  "\"%s\"", WEFT(last_error)());
}

/* The functions for Fortran first convert a communicator. */
ptrdiff_t FFTW(mpi_local_size_2d_f03)(ptrdiff_t n0, ptrdiff_t n1, MPI_Fint comm,
                                      ptrdiff_t *local_n0, ptrdiff_t *local_0_start);

TEST(functions_that_need_mpi_say_so)
{
    ptrdiff_t n0 = 7, start = 7;
    FFTW(complex) *array = FFTW(alloc_complex)(16);
    ck_assert_int_eq(FFTW(mpi_local_size_2d)(4, 4, COMM, &n0, &start), 0);
    ck_assert(n0 == 0 && start == 0);
    check_sentence("mpi_local_size_2d");
    ck_assert_ptr_null(
        FFTW(mpi_plan_dft_2d)(4, 4, array, array, COMM, FFTW_FORWARD, FFTW_ESTIMATE));
    check_sentence("mpi_plan_dft_2d");
#ifndef MPI_SESSION_NULL /* other MPIs may end the program when it converts the communicator */
    ck_assert_int_eq(FFTW(mpi_local_size_2d_f03)(4, 4, 0, &n0, &start), 0);
    check_sentence("mpi_local_size_2d");
#endif
    FFTW(mpi_gather_wisdom)(COMM);
    check_sentence("mpi_gather_wisdom");
    FFTW(mpi_broadcast_wisdom)(COMM);
    check_sentence("mpi_broadcast_wisdom");
    FFTW(free)(array);
}

TEST(wisdom_of_nothing_is_refused)
{
    ck_assert(!WEFT(import_wisdom_from_string)(NULL));
    ck_assert_str_eq(WEFT(last_error)(), "the text of the wisdom is NULL");
    ck_assert(!WEFT(import_wisdom_from_filename)(NULL));
    ck_assert_str_eq(WEFT(last_error)(), "the name of the wisdom file is NULL");
    ck_assert(!WEFT(export_wisdom_to_filename)(NULL));
    ck_assert_str_eq(WEFT(last_error)(), "the name of the wisdom file is NULL");
}

TEST(init_and_cleanup_do_not)
{
    FFTW(mpi_init)();
    FFTW(mpi_init)();
    FFTW(mpi_cleanup)();
    FFTW(mpi_cleanup)();
}

TEST(the_library_names_its_version_and_backends)
{
    ck_assert_int_ge((int)strlen(WEFT(version)()), 5);
    int count = 0;
    while (WEFT(backend_name)(count)) {
        ck_assert(WEFT(backend_name)(count)[0] != '\0' && WEFT(backend_about)(count)[0] != '\0');
        count++;
    }
    ck_assert_int_ge(count, 5);
    ck_assert_ptr_null(WEFT(backend_about)(count));
    ck_assert_ptr_null(WEFT(backend_name)(-1));
}
