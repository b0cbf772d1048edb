! SPDX-License-Identifier: BSD-3-Clause
! The same in Fortran: one plane wave becomes one peak. Every rank then exits with status 0.
program wave
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  include 'fftw3-mpi.f03'
  integer(C_INTPTR_T), parameter :: L = 6, M = 8, p = 2, q = 3
  real(C_DOUBLE), parameter :: pi = acos(-1.0_C_DOUBLE)
  type(C_PTR) :: plan, memory
  complex(C_DOUBLE_COMPLEX), pointer :: data(:, :)
  complex(C_DOUBLE_COMPLEX) :: expected
  real(C_DOUBLE) :: most, largest
  integer(C_INTPTR_T) :: i, j, local_M, offset
  integer :: rank, ranks, error

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call fftw_mpi_init()
  memory = fftw_alloc_complex(int(fftw_mpi_local_size_2d(M, L, MPI_COMM_WORLD, local_M, offset), C_SIZE_T))
  call c_f_pointer(memory, data, [L, local_M])
  plan = fftw_mpi_plan_dft_2d(M, L, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE)
  do j = 1, local_M
    do i = 1, L
      data(i, j) = exp(cmplx(0, 2 * pi * (real(p * (i - 1), C_DOUBLE) / L + &
                   real(q * (j - 1 + offset), C_DOUBLE) / M), C_DOUBLE_COMPLEX))
    end do
  end do
  call fftw_mpi_execute_dft(plan, data, data)
  most = 0
  do j = 1, local_M
    do i = 1, L
      expected = 0
      if (i - 1 == p .and. j - 1 + offset == q) expected = L * M
      most = max(most, abs(data(i, j) - expected))
    end do
  end do
  call fftw_destroy_plan(plan)
  call fftw_free(memory)
  call fftw_mpi_cleanup()
  call MPI_Allreduce(most, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, es8.1, a, i0, a)', 'largest error', largest, ' on ', ranks, ' ranks'
  call MPI_Finalize(error)
  if (.not. largest < 1e-9_C_DOUBLE) stop 1
end program
