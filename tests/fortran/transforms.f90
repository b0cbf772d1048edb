! SPDX-License-Identifier: BSD-3-Clause
! Transforms through the Fortran interface: a complex one, real to complex and back, and a transpose, each on
! data whose result is known. Returns the number of wrong numbers on this rank.
integer(c_int) function fortran_transforms(comm) bind(C)
  use, intrinsic :: iso_c_binding
  implicit none
  include 'fftw3-mpi.f03'
  integer(c_int32_t), value :: comm

  call fftw_mpi_init()
  fortran_transforms = complex_wrong() + real_wrong() + transpose_wrong()
  call fftw_mpi_cleanup()

contains

  ! One wave: its transform is a single number, L * M at (p, q).
  integer(c_int) function complex_wrong()
    integer(C_INTPTR_T), parameter :: L = 10, M = 12, p = 3, q = 5
    real(C_DOUBLE), parameter :: pi = acos(-1.0_C_DOUBLE)
    type(C_PTR) :: plan, cdata
    complex(C_DOUBLE_COMPLEX), pointer :: data(:, :)
    integer(C_INTPTR_T) :: i, j, alloc_local, local_M, local_j_offset
    complex_wrong = 0
    alloc_local = fftw_mpi_local_size_2d(M, L, comm, local_M, local_j_offset)
    cdata = fftw_alloc_complex(int(alloc_local, C_SIZE_T))
    call c_f_pointer(cdata, data, [L, local_M])
    plan = fftw_mpi_plan_dft_2d(M, L, data, data, comm, FFTW_FORWARD, FFTW_MEASURE)
    if (.not. c_associated(plan)) then
      complex_wrong = 1
      return
    end if
    do concurrent (i = 1:L, j = 1:local_M)
      data(i, j) = exp(cmplx(0, 2 * pi * (real(p * (i - 1), C_DOUBLE) / L + &
                   real(q * (j - 1 + local_j_offset), C_DOUBLE) / M), C_DOUBLE_COMPLEX))
    end do
    call fftw_mpi_execute_dft(plan, data, data)
    do concurrent (i = 1:L, j = 1:local_M, i - 1 == p .and. j - 1 + local_j_offset == q)
      data(i, j) = data(i, j) - L * M
    end do
    complex_wrong = sum(merge(0, 1, abs(data(:, 1:local_M)) < 1e-9_C_DOUBLE))
    call fftw_destroy_plan(plan)
    call fftw_free(cdata)
  end function

  ! Forward and backward, with the transposed order between.
  integer(c_int) function real_wrong()
    integer(C_INTPTR_T), parameter :: K = 6, L = 7, M = 5
    type(C_PTR) :: there, back, creal, ccomplex
    real(C_DOUBLE), pointer :: numbers(:, :, :)
    complex(C_DOUBLE_COMPLEX), pointer :: spectrum(:)
    integer(C_INTPTR_T) :: i, j, m_, alloc_local, local_M, offset, local_L, offset_L
    real_wrong = 0
    alloc_local = fftw_mpi_local_size_3d_transposed(M, L, K / 2 + 1, comm, local_M, offset, local_L, offset_L)
    creal = fftw_alloc_real(int(2 * alloc_local, C_SIZE_T))
    ccomplex = fftw_alloc_complex(int(alloc_local, C_SIZE_T))
    call c_f_pointer(creal, numbers, [2 * (K / 2 + 1), L, local_M])
    call c_f_pointer(ccomplex, spectrum, [alloc_local])
    there = fftw_mpi_plan_dft_r2c_3d(M, L, K, numbers, spectrum, comm, &
                                     ior(FFTW_ESTIMATE, FFTW_MPI_TRANSPOSED_OUT))
    back = fftw_mpi_plan_dft_c2r_3d(M, L, K, spectrum, numbers, comm, &
                                    ior(FFTW_ESTIMATE, FFTW_MPI_TRANSPOSED_IN))
    if (.not. (c_associated(there) .and. c_associated(back))) then
      real_wrong = 1
      return
    end if
    do concurrent (i = 1:K, j = 1:L, m_ = 1:local_M)
      numbers(i, j, m_) = number_at(i, j, m_ + offset)
    end do
    call fftw_mpi_execute_dft_r2c(there, numbers, spectrum)
    numbers = 0
    call fftw_mpi_execute_dft_c2r(back, spectrum, numbers)
    do concurrent (i = 1:K, j = 1:L, m_ = 1:local_M)
      numbers(i, j, m_) = numbers(i, j, m_) / (K * L * M) - number_at(i, j, m_ + offset)
    end do
    real_wrong = sum(merge(0, 1, abs(numbers(1:K, :, :)) < 1e-9_C_DOUBLE))
    call fftw_destroy_plan(there)
    call fftw_destroy_plan(back)
    call fftw_free(creal)
    call fftw_free(ccomplex)
  end function

  pure real(C_DOUBLE) function number_at(i, j, m)
    integer(C_INTPTR_T), intent(in) :: i, j, m
    number_at = real(mod(3 * i + 5 * j + 7 * m, 11_C_INTPTR_T), C_DOUBLE)
  end function

  integer(c_int) function transpose_wrong()
    integer(C_INTPTR_T), parameter :: L = 9, M = 8
    type(C_PTR) :: plan, cin, cout
    real(C_DOUBLE), pointer :: in(:, :), out(:, :)
    integer(C_INTPTR_T) :: i, j, alloc_local, local_M, offset_M, local_L, offset_L
    transpose_wrong = 0
    alloc_local = fftw_mpi_local_size_2d_transposed(M, L, comm, local_M, offset_M, local_L, offset_L)
    cin = fftw_alloc_real(int(alloc_local, C_SIZE_T))
    cout = fftw_alloc_real(int(alloc_local, C_SIZE_T))
    call c_f_pointer(cin, in, [L, local_M])
    call c_f_pointer(cout, out, [M, local_L])
    plan = fftw_mpi_plan_transpose(M, L, in, out, comm, FFTW_ESTIMATE)
    if (.not. c_associated(plan)) then
      transpose_wrong = 1
      return
    end if
    do concurrent (i = 1:L, j = 1:local_M)
      in(i, j) = real(100 * (j + offset_M) + i, C_DOUBLE)
    end do
    call fftw_mpi_execute_r2r(plan, in, out)
    do concurrent (i = 1:M, j = 1:local_L)
      out(i, j) = out(i, j) - real(100 * i + j + offset_L, C_DOUBLE)
    end do
    transpose_wrong = sum(merge(0, 1, out == 0))
    call fftw_destroy_plan(plan)
    call fftw_free(cin)
    call fftw_free(cout)
  end function
end function

! The long double interface compiles beside the others.
subroutine fortran_long_double(comm) bind(C)
  use, intrinsic :: iso_c_binding
  implicit none
  include 'fftw3-mpi.f03'
  include 'fftw3l-mpi.f03'
  integer(c_int32_t), value :: comm
  integer(C_INTPTR_T) :: n0, start
  if (fftw_mpi_local_size_2d(4_C_INTPTR_T, 4_C_INTPTR_T, comm, n0, start) < 1) stop 1
end subroutine
