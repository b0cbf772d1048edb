! SPDX-License-Identifier: BSD-3-Clause
!
! heat.c in Fortran. Axes have the reverse order here, and the spectrum is transposed: mode(k, i, j) with the j of this rank.
!
!     mpifort heat.f90 -o heat `pkg-config --cflags --libs weft` -lm
!     mpifort heat.f90 -o heat -lfftw3_mpi `pkg-config --cflags --libs fftw3` -I/usr/include -lm (FFTW-MPI)
!     mpiexec -n 4 ./heat heat.ppm
!
program heat
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  include 'fftw3-mpi.f03'

  integer(C_INTPTR_T), parameter :: n = 64
  real(C_DOUBLE), parameter :: time = 0.05_C_DOUBLE, width = 0.3_C_DOUBLE, pi = acos(-1.0_C_DOUBLE)

  type(C_PTR) :: memory, there, back
  real(C_DOUBLE), pointer :: u(:, :, :)
  complex(C_DOUBLE_COMPLEX), pointer :: mode(:, :, :)
  real(C_DOUBLE), allocatable :: before(:, :)
  integer(C_INTPTR_T) :: numbers, rows, row, columns, column, i, j, k
  real(C_DOUBLE) :: error, most
  integer :: rank, ranks, turn, unit, ierror
  character(len=200) :: name

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call fftw_mpi_init()

  numbers = fftw_mpi_local_size_3d_transposed(n, n, n / 2 + 1, MPI_COMM_WORLD, rows, row, columns, column)
  memory = fftw_alloc_complex(int(numbers, C_SIZE_T))
  call c_f_pointer(memory, u, [n + 2, n, rows])
  call c_f_pointer(memory, mode, [n / 2 + 1, n, columns])
  there = fftw_mpi_plan_dft_r2c_3d(n, n, n, u, mode, MPI_COMM_WORLD, ior(FFTW_ESTIMATE, FFTW_MPI_TRANSPOSED_OUT))
  back = fftw_mpi_plan_dft_c2r_3d(n, n, n, mode, u, MPI_COMM_WORLD, ior(FFTW_ESTIMATE, FFTW_MPI_TRANSPOSED_IN))
  if (.not. (c_associated(there) .and. c_associated(back))) then
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end if

  do i = 1, rows
    do j = 1, n
      do k = 1, n
        u(k, j, i) = exact(row + i - 1, j - 1, k - 1, 0.0_C_DOUBLE)
      end do
    end do
  end do
  allocate (before(n, rows), source=u(n / 2 + 1, :, :)) ! the plane z = pi
  call fftw_mpi_execute_dft_r2c(there, u, mode)
  do j = 1, columns
    do i = 1, n
      do k = 1, n / 2 + 1
        mode(k, i, j) = mode(k, i, j) / real(n**3, C_DOUBLE) * &
                        exp(-time * (wave(k - 1)**2 + wave(i - 1)**2 + wave(column + j - 1)**2))
      end do
    end do
  end do
  call fftw_mpi_execute_dft_c2r(back, mode, u)

  error = 0
  do i = 1, rows
    do j = 1, n
      do k = 1, n
        error = max(error, abs(u(k, j, i) - exact(row + i - 1, j - 1, k - 1, time)))
      end do
    end do
  end do
  call MPI_Allreduce(error, most, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a, es8.1)', 'heat: largest error', most

  call get_command_argument(1, name)
  do turn = 0, ranks - 1
    if (turn == rank .and. name /= '') then
      open (newunit=unit, file=name, position=merge('rewind', 'append', rank == 0), action='write')
      if (rank == 0) write (unit, '(a, /, i0, 1x, i0, /, a)') 'P3', 2 * n, n, '255'
      do i = 1, rows ! before and after side by side, from white to red
        write (unit, '(3(1x, i0))') (255, pale(before(j, i)), pale(before(j, i)), j=1, n), &
          (255, pale(u(n / 2 + 1, j, i)), pale(u(n / 2 + 1, j, i)), j=1, n)
      end do
      close (unit)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do

  call fftw_destroy_plan(there)
  call fftw_destroy_plan(back)
  call fftw_free(memory)
  call MPI_Finalize(ierror)
  if (.not. most < 1e-12_C_DOUBLE) stop 1

contains

  ! One axis of the spot and of its periodic images.
  real(C_DOUBLE) function profile(i, t)
    integer(C_INTPTR_T), intent(in) :: i
    real(C_DOUBLE), intent(in) :: t
    integer :: image
    real(C_DOUBLE) :: x, square
    x = 2 * pi * (real(i, C_DOUBLE) / n - 0.5_C_DOUBLE); square = width**2 + 2 * t
    profile = width / sqrt(square) * sum([(exp(-(x + 2 * pi * image)**2 / (2 * square)), image=-2, 2)])
  end function

  real(C_DOUBLE) function exact(i, j, k, t)
    integer(C_INTPTR_T), intent(in) :: i, j, k
    real(C_DOUBLE), intent(in) :: t
    exact = profile(i, t) * profile(j, t) * profile(k, t)
  end function

  real(C_DOUBLE) function wave(i)
    integer(C_INTPTR_T), intent(in) :: i
    wave = merge(i, i - n, i <= n / 2)
  end function

  integer function pale(heat)
    real(C_DOUBLE), intent(in) :: heat
    pale = int(255 * (1 - min(1.0_C_DOUBLE, max(0.0_C_DOUBLE, heat))))
  end function
end program
