! SPDX-License-Identifier: BSD-3-Clause
! Transforms on a grid through weft.f03: a wave becomes a peak, real numbers are transformed forward and backward, operators
! change a spectrum, numbers move from box to box; settings and errors. Returns the number of wrong numbers on this rank. Written
! for double; tests/scripts/fortran.sh makes the other precisions from it, and the form for mpi_f08.
integer(c_int) function fortran_grids(comm) bind(C)
  use, intrinsic :: iso_c_binding
  implicit none
  include 'fftw3-mpi.f03'
  include 'fftw3l-mpi.f03'
  include 'weft.f03'
  include 'weftl.f03'
  integer(c_int32_t), value :: comm
  integer(C_INTPTR_T), parameter :: n(3) = [8, 6, 5], wave(3) = [3, 2, 1]
  real(C_DOUBLE), parameter :: turn = 2 * acos(-1.0_C_DOUBLE), small = 1e4 * epsilon(turn)
  integer(C_INTPTR_T), dimension(3) :: count, start, count_out, start_out
  integer(C_INTPTR_T) :: numbers
  integer(C_INT) :: dims(2)
  type(C_PTR) :: grid

  call fftw_mpi_init()
  grid = weft_grid_create(comm, 2)
  fortran_grids = 1
  if (.not. c_associated(grid)) return
  if (weft_grid_dims(grid, dims) /= 2) return
  if (any(dims < 1)) return
  fortran_grids = settings_wrong() + complex_wrong() + real_wrong() + boxes_wrong() + operator_wrong() + fields_wrong()
  call weft_grid_free(grid)
  call fftw_mpi_cleanup()

contains

  ! A grid without dimensions is refused with a sentence.
  integer(c_int) function settings_wrong()
    character(kind=C_CHAR), pointer :: text(:)
    settings_wrong = 0
    if (c_associated(weft_grid_create(comm, 0))) settings_wrong = 1
    call c_f_pointer(weft_last_error(), text, [4])
    if (any(text == C_NULL_CHAR)) settings_wrong = settings_wrong + 1
    if (weft_set_backend('waitall' // C_NULL_CHAR) /= 1) settings_wrong = settings_wrong + 1
    if (weft_set_backend() /= 1) settings_wrong = settings_wrong + 1
    call weft_set_timelimit(-1d0)
  end function

  integer(c_int) function complex_wrong()
    complex(C_DOUBLE_COMPLEX), pointer :: in(:, :, :), out(:, :, :)
    type(C_PTR) :: memory_in, memory_out, plan
    numbers = weft_local_size(3, n, 1_C_INTPTR_T, grid, WEFT_DFT_FORWARD, 0, count, start, count_out, start_out)
    memory_in = weft_alloc_complex(numbers, comm)
    memory_out = weft_alloc_complex(numbers, comm)
    call c_f_pointer(memory_in, in, [count(3), count(2), count(1)])
    call c_f_pointer(memory_out, out, [count_out(3), count_out(2), count_out(1)])
    plan = weft_plan_dft_3d(n(1), n(2), n(3), in, out, grid, FFTW_FORWARD, FFTW_ESTIMATE)
    complex_wrong = 1
    if (.not. c_associated(plan)) return
    in = wave_in(count, start)
    call fftw_mpi_execute_dft(plan, in, out)
    where (numbers_in(count_out, start_out) == number_at(wave)) out = out - product(n)
    complex_wrong = sum(merge(0, 1, abs(out) < small))
    call fftw_destroy_plan(plan)
    call weft_free(memory_in)
    call weft_free(memory_out)
  end function

  integer(c_int) function real_wrong()
    real(C_DOUBLE), pointer :: in(:, :, :)
    complex(C_DOUBLE_COMPLEX), pointer :: out(:)
    type(C_PTR) :: memory_in, memory_out, there, back
    numbers = weft_local_size(3, n, 1_C_INTPTR_T, grid, WEFT_DFT_R2C, WEFT_UNPADDED, count, start)
    memory_in = weft_alloc_real(2 * numbers, comm)
    memory_out = weft_alloc_complex(numbers, comm)
    call c_f_pointer(memory_in, in, [count(3), count(2), count(1)])
    call c_f_pointer(memory_out, out, [numbers])
    there = weft_plan_dft_r2c(3, n, in, out, grid, ior(FFTW_ESTIMATE, WEFT_UNPADDED))
    back = weft_plan_dft_c2r(3, n, out, in, grid, ior(FFTW_ESTIMATE, WEFT_UNPADDED))
    real_wrong = 1
    if (.not. (c_associated(there) .and. c_associated(back))) return
    in = numbers_in(count, start)
    call fftw_mpi_execute_dft_r2c(there, in, out)
    in = 0
    call fftw_mpi_execute_dft_c2r(back, out, in)
    real_wrong = sum(merge(0, 1, abs(in / product(n) - numbers_in(count, start)) < small))
    call fftw_destroy_plan(there)
    call fftw_destroy_plan(back)
    call weft_free(memory_in)
    call weft_free(memory_out)
  end function

  ! Forward, times 2, and backward. Without an operator there is no plan.
  integer(c_int) function operator_wrong()
    complex(C_DOUBLE_COMPLEX), allocatable, target :: values(:, :, :)
    real(C_DOUBLE), allocatable, target :: factors(:)
    integer(C_INT), parameter :: kinds(3) = [WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD]
    type(C_PTR) :: plan
    numbers = weft_local_size(3, n, 1_C_INTPTR_T, grid, WEFT_DFT_FORWARD, 0, count, start, count_out, start_out)
    allocate (values(count(3), count(2), count(1)), factors(product(count_out) + 1))
    factors = 2 / real(product(n), C_DOUBLE)
    operator_wrong = 1
    plan = weft_plan_operator(3, n, n, 1_C_INTPTR_T, c_loc(values), c_loc(values), grid, kinds, C_NULL_FUNPTR, &
        C_NULL_PTR, comm, FFTW_ESTIMATE)
    if (c_associated(plan)) return
    plan = weft_plan_multiply(3, n, howmany=1_C_INTPTR_T, in=c_loc(values), out=c_loc(values), grid=grid, kind=kinds, &
        factors=c_loc(factors), complex_factors=0, comm=comm, flags=FFTW_ESTIMATE)
    if (.not. c_associated(plan)) return
    values = numbers_in(count, start)
    call fftw_mpi_execute_dft(plan, values, values)
    operator_wrong = sum(merge(0, 1, abs(values - 2 * numbers_in(count, start)) < small * product(n)))
    call fftw_destroy_plan(plan)
  end function

  ! The gradient of the wave, and its power in shells: its wave number of 3.7 is in shell 4, on one rank.
  integer(c_int) function fields_wrong()
    complex(C_DOUBLE_COMPLEX), allocatable, target :: out(:, :, :, :)
    complex(C_DOUBLE_COMPLEX), pointer :: in(:, :, :)
    real(C_DOUBLE), pointer :: reals(:)
    real(kind(1d0)), target :: power(0:5)
    integer(C_INTPTR_T), target :: sizes(3)
    integer(C_INT), parameter :: kinds(3) = [WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD]
    type(weft_wave), target :: waves
    type(weft_shells), target :: shells
    type(C_PTR) :: memory, gradient, spectrum
    integer :: axis
    sizes = n
    numbers = weft_local_size(3, n, 1_C_INTPTR_T, grid, WEFT_DFT_FORWARD, 0, count, start)
    memory = weft_alloc_complex(numbers, comm)
    call c_f_pointer(memory, in, [count(3), count(2), count(1)])
    call c_f_pointer(memory, reals, [2 * numbers])
    allocate (out(3, count(3), count(2), count(1)))
    waves = weft_wave(3, c_loc(sizes), C_NULL_PTR, 1, 1d0 / real(product(n), kind(1d0)), 0d0, 0)
    power = 0
    shells = weft_shells(waves, 0, size(power), c_loc(power))
    gradient = weft_plan_fields(3, n, n, 1_C_INTPTR_T, 3_C_INTPTR_T, memory, c_loc(out), grid, kinds, &
        c_funloc(weft_gradient), c_loc(waves), comm, FFTW_ESTIMATE)
    spectrum = weft_plan_fields(3, n, n, 1_C_INTPTR_T, 0_C_INTPTR_T, memory, C_NULL_PTR, grid, kinds, &
        c_funloc(weft_power_spectrum), c_loc(shells), comm, FFTW_ESTIMATE)
    fields_wrong = 1
    if (.not. (c_associated(gradient) .and. c_associated(spectrum))) return
    in = wave_in(count, start)
    call fftw_mpi_execute_r2r(spectrum, reals, reals)
    call fftw_mpi_execute_dft(gradient, in, out)
    if (dims(1) * dims(2) == 1) power(4) = power(4) - 1
    fields_wrong = sum(merge(0, 1, abs(power * (1 - power)) < small))
    in = wave_in(count, start)
    do axis = 1, 3
      fields_wrong = fields_wrong + sum(merge(0, 1, abs(out(axis, :, :, :) - (0, 1) * wave(axis) * in) < small))
    end do
    call fftw_destroy_plan(gradient)
    call fftw_destroy_plan(spectrum)
    call weft_free(memory)
  end function

  ! From the box of this rank before a transform to its box after it.
  integer(c_int) function boxes_wrong()
    real(C_DOUBLE), allocatable :: in(:, :, :), out(:, :, :)
    type(C_PTR) :: plan, distribution
    numbers = weft_local_size(3, n, 1_C_INTPTR_T, grid, WEFT_R2R, 0, count, start, count_out, start_out)
    allocate (in(count(3), count(2), count(1)), out(count_out(3), count_out(2), count_out(1)))
    distribution = weft_distribution_boxes(comm, 3, n, start, count)
    boxes_wrong = 1
    if (.not. c_associated(distribution)) return
    if (weft_distribution_box(distribution, 0) < 1) return
    call weft_distribution_free(distribution)
    plan = weft_plan_redistribute_boxes(3, n, 1_C_INTPTR_T, start, count, start_out, count_out, in, out, comm, FFTW_ESTIMATE)
    if (.not. c_associated(plan)) return
    in = numbers_in(count, start)
    call fftw_mpi_execute_r2r(plan, in, out)
    boxes_wrong = sum(merge(0, 1, out == numbers_in(count_out, start_out)))
    call fftw_destroy_plan(plan)
  end function

  pure real(C_DOUBLE) function number_at(place)
    integer(C_INTPTR_T), intent(in) :: place(3)
    number_at = real(place(3) + n(3) * (place(2) + n(2) * place(1)), C_DOUBLE)
  end function

  ! Fills a box with numbers, and with the wave.
  pure function numbers_in(count, start) result(numbers)
    integer(C_INTPTR_T), intent(in) :: count(3), start(3)
    real(C_DOUBLE) :: numbers(count(3), count(2), count(1))
    integer(C_INTPTR_T) :: i, j, k
    do concurrent (i = 1:count(3), j = 1:count(2), k = 1:count(1))
      numbers(i, j, k) = number_at(start + [k, j, i] - 1)
    end do
  end function

  pure function wave_in(count, start) result(numbers)
    integer(C_INTPTR_T), intent(in) :: count(3), start(3)
    complex(C_DOUBLE_COMPLEX) :: numbers(count(3), count(2), count(1))
    integer(C_INTPTR_T) :: i, j, k
    do concurrent (i = 1:count(3), j = 1:count(2), k = 1:count(1))
      numbers(i, j, k) = exp(cmplx(0, turn * sum(real(wave * (start + [k, j, i] - 1), C_DOUBLE) / n), C_DOUBLE_COMPLEX))
    end do
  end function
end function
