! SPDX-License-Identifier: BSD-3-Clause
! A Fortran program of today: communicators are of mpi_f08, a part of all ranks at that, and FFTW's interface, which
! takes an integer, gets comm%MPI_val. Prints as the programs in C do.
program habit
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  include 'fftw3-mpi.f03'
  integer(C_INTPTR_T), parameter :: L = 8, M = 6, N = 10
  type(MPI_Comm) :: comm
  integer :: rank, ranks, wrong, any

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call fftw_mpi_init()
  ! The last rank first.
  call MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, comm)
  wrong = 0
  call transform()
  call fftw_mpi_cleanup()
  call MPI_Allreduce(wrong, any, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (any /= 0) error stop 1

contains

  ! The number at place i of the whole array.
  elemental real(C_DOUBLE) function number(i)
    integer(C_INTPTR_T), intent(in) :: i
    number = real(mod(i * 7919, 1009_C_INTPTR_T), C_DOUBLE) / 1009 - 0.5_C_DOUBLE
  end function

  ! Real numbers there, compared with serial FFTW on the whole array, and back.
  subroutine transform()
    type(C_PTR) :: memory, whole_memory, there, back, whole
    real(C_DOUBLE), pointer :: numbers(:, :, :), whole_numbers(:, :, :)
    complex(C_DOUBLE_COMPLEX), pointer :: waves(:, :, :), whole_waves(:, :, :)
    integer(C_INTPTR_T) :: size, count, start, i, j, k
    size = fftw_mpi_local_size_3d(N, M, L / 2 + 1, comm%MPI_val, count, start)
    memory = fftw_alloc_complex(int(size, C_SIZE_T))
    whole_memory = fftw_alloc_complex(int((L / 2 + 1) * M * N, C_SIZE_T))
    call c_f_pointer(memory, numbers, [2 * (L / 2 + 1), M, count])
    call c_f_pointer(memory, waves, [L / 2 + 1, M, count])
    call c_f_pointer(whole_memory, whole_numbers, [2 * (L / 2 + 1), M, N])
    call c_f_pointer(whole_memory, whole_waves, [L / 2 + 1, M, N])
    there = fftw_mpi_plan_dft_r2c_3d(N, M, L, numbers, waves, comm%MPI_val, FFTW_MEASURE)
    back = fftw_mpi_plan_dft_c2r_3d(N, M, L, waves, numbers, comm%MPI_val, FFTW_MEASURE)
    whole = fftw_plan_dft_r2c_3d(int(N), int(M), int(L), whole_numbers, whole_waves, FFTW_ESTIMATE)
    if (.not. (c_associated(there) .and. c_associated(back))) error stop 'no plan'
    forall (i = 1:L, j = 1:M, k = 1:N) whole_numbers(i, j, k) = number(i - 1 + L * (j - 1 + M * (k - 1)))
    numbers(1:L, :, :) = whole_numbers(1:L, :, start + 1:start + count)
    call fftw_execute_dft_r2c(whole, whole_numbers, whole_waves)
    call fftw_mpi_execute_dft_r2c(there, numbers, waves)
    call expect(maxval([0._C_DOUBLE, abs(waves - whole_waves(:, :, start + 1:start + count))]) < 1e-11_C_DOUBLE, &
                'there')
    call show(reshape([real(waves), aimag(waves)], [int(2 * (L / 2 + 1) * M * count)]))
    call fftw_mpi_execute_dft_c2r(back, waves, numbers)
    forall (i = 1:L, j = 1:M, k = 1:N) whole_numbers(i, j, k) = number(i - 1 + L * (j - 1 + M * (k - 1)))
    call expect(maxval([0._C_DOUBLE, abs(numbers(1:L, :, :) / (L * M * N) - &
                whole_numbers(1:L, :, start + 1:start + count))]) < 1e-11_C_DOUBLE, 'back')
    call fftw_destroy_plan(there)
    call fftw_destroy_plan(back)
    call fftw_destroy_plan(whole)
    call fftw_free(memory)
    call fftw_free(whole_memory)
  end subroutine

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    write (0, *) 'rank', rank, 'of', ranks, ': wrong: ', what
    wrong = 1
  end subroutine

  ! Rank 0 prints what all ranks hold.
  subroutine show(numbers)
    real(C_DOUBLE), intent(in) :: numbers(:)
    real(C_DOUBLE), allocatable :: all(:)
    integer :: counts(ranks), starts(ranks), i
    call MPI_Gather(size(numbers), 1, MPI_INTEGER, counts, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
    if (rank > 0) counts = 0
    starts = [(sum(counts(:i)), i = 0, ranks - 1)]
    allocate (all(sum(counts)))
    call MPI_Gatherv(numbers, size(numbers), MPI_DOUBLE_PRECISION, all, counts, starts, MPI_DOUBLE_PRECISION, 0, &
                     MPI_COMM_WORLD)
    do i = 1, merge(sum(counts), 0, rank == 0)
      print '(a, i0, 1x, es23.15)', 'waves ', i - 1, all(i)
    end do
  end subroutine
end program
