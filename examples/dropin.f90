! SPDX-License-Identifier: BSD-3-Clause
!
! dropin.c in Fortran: a wave packet spreads freely. Axes have the reverse order here, and the spectrum is transposed:
! psi(j, i) with all j and the columns i of this rank.
!
!     mpifort dropin.f90 -o dropin `pkg-config --cflags --libs weft` -lm
!     mpifort dropin.f90 -o dropin -lfftw3_mpi `pkg-config --cflags --libs fftw3` -I/usr/include -lm (FFTW-MPI)
!     mpiexec -n 4 ./dropin
!
program dropin
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  include 'fftw3-mpi.f03'

  integer(C_INTPTR_T), parameter :: n0 = 192, n1 = 160
  real(C_DOUBLE), parameter :: width = 24, time = 0.6_C_DOUBLE, pi = acos(-1.0_C_DOUBLE)
  complex(C_DOUBLE_COMPLEX), parameter :: i_ = (0, 1)

  type(C_PTR) :: memory, forward, backward
  complex(C_DOUBLE_COMPLEX), pointer :: psi(:, :), spectrum(:, :)
  integer(C_INTPTR_T) :: numbers, rows, first_row, columns, first_column, i, j
  real(C_DOUBLE) :: error, most
  integer :: rank, ierror

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call fftw_mpi_init()

  numbers = fftw_mpi_local_size_2d_transposed(n0, n1, MPI_COMM_WORLD, rows, first_row, columns, first_column)
  memory = fftw_alloc_complex(int(numbers, C_SIZE_T))
  call c_f_pointer(memory, psi, [n1, rows])
  call c_f_pointer(memory, spectrum, [n0, columns])
  forward = fftw_mpi_plan_dft_2d(n0, n1, psi, psi, MPI_COMM_WORLD, FFTW_FORWARD, &
                                 ior(FFTW_ESTIMATE, FFTW_MPI_TRANSPOSED_OUT))
  backward = fftw_mpi_plan_dft_2d(n0, n1, psi, psi, MPI_COMM_WORLD, FFTW_BACKWARD, &
                                  ior(FFTW_ESTIMATE, FFTW_MPI_TRANSPOSED_IN))
  if (.not. (c_associated(forward) .and. c_associated(backward))) then
    print *, 'dropin: no plan'
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end if

  do i = 1, rows
    do j = 1, n1
      psi(j, i) = exact(first_row + i - 1, j - 1, 0.0_C_DOUBLE)
    end do
  end do

  call fftw_mpi_execute_dft(forward, psi, psi)
  do j = 1, columns
    do i = 1, n0
      spectrum(i, j) = spectrum(i, j) / real(n0 * n1, C_DOUBLE) * &
                       exp(-i_ * time * (wave(i - 1, n0)**2 + wave(first_column + j - 1, n1)**2) / 2)
    end do
  end do
  call fftw_mpi_execute_dft(backward, psi, psi)

  error = 0
  do i = 1, rows
    do j = 1, n1
      error = max(error, abs(psi(j, i) - exact(first_row + i - 1, j - 1, time)))
    end do
  end do
  call MPI_Allreduce(error, most, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a, es8.1)', 'dropin: largest error', most

  call fftw_destroy_plan(forward)
  call fftw_destroy_plan(backward)
  call fftw_free(memory)
  call fftw_mpi_cleanup()
  call MPI_Finalize(ierror)
  if (.not. most < 1e-12_C_DOUBLE) stop 1

contains

  ! The exact solution on an infinite line, with mean momentum p.
  complex(C_DOUBLE_COMPLEX) function packet(x, p, t)
    real(C_DOUBLE), intent(in) :: x, p, t
    complex(C_DOUBLE_COMPLEX) :: spread
    spread = 1 + i_ * t
    packet = exp((-(x - i_ * p)**2 / 2 - spread * p**2 / 2) / spread) / sqrt(spread)
  end function

  complex(C_DOUBLE_COMPLEX) function exact(i0, i1, t)
    integer(C_INTPTR_T), intent(in) :: i0, i1
    real(C_DOUBLE), intent(in) :: t
    real(C_DOUBLE) :: x, y
    x = width * (real(i0, C_DOUBLE) / n0 - 0.5_C_DOUBLE)
    y = width * (real(i1, C_DOUBLE) / n1 - 0.5_C_DOUBLE)
    exact = packet(x, 2.0_C_DOUBLE, t) * packet(y, -1.0_C_DOUBLE, t)
  end function

  ! The wave number of index i out of n.
  real(C_DOUBLE) function wave(i, n)
    integer(C_INTPTR_T), intent(in) :: i, n
    wave = 2 * pi / width * merge(i, i - n, i <= n / 2)
  end function
end program
