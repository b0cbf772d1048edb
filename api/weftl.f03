! SPDX-License-Identifier: BSD-3-Clause
! The same for long double, to be included after fftw3l-mpi.f03 and weft.f03. Generated from api/weft.h.

  interface
    type(C_PTR) function weftl_version() &
        bind(C, name='weftl_version')
      import
    end function
    type(C_PTR) function weftl_last_error() &
        bind(C, name='weftl_last_error')
      import
    end function
    type(C_PTR) function weftl_backend_name(place) &
        bind(C, name='weftl_backend_name')
      import
      integer(C_INT), value :: place
    end function
    type(C_PTR) function weftl_backend_about(place) &
        bind(C, name='weftl_backend_about')
      import
      integer(C_INT), value :: place
    end function
    integer(C_INT) function weftl_set_backend(backends) &
        bind(C, name='weftl_set_backend')
      import
      character(kind=C_CHAR), dimension(*), intent(in), optional :: backends
    end function
    subroutine weftl_set_timelimit(seconds) &
        bind(C, name='weftl_set_timelimit')
      import
      real(C_DOUBLE), value :: seconds
    end subroutine
    integer(C_INT) function weftl_export_wisdom_to_filename(filename) &
        bind(C, name='weftl_export_wisdom_to_filename')
      import
      character(kind=C_CHAR), dimension(*), intent(in) :: filename
    end function
    type(C_PTR) function weftl_export_wisdom_to_string() &
        bind(C, name='weftl_export_wisdom_to_string')
      import
    end function
    integer(C_INT) function weftl_import_wisdom_from_filename(filename) &
        bind(C, name='weftl_import_wisdom_from_filename')
      import
      character(kind=C_CHAR), dimension(*), intent(in) :: filename
    end function
    integer(C_INT) function weftl_import_wisdom_from_string(text) &
        bind(C, name='weftl_import_wisdom_from_string')
      import
      character(kind=C_CHAR), dimension(*), intent(in) :: text
    end function
    subroutine weftl_forget_wisdom() &
        bind(C, name='weftl_forget_wisdom')
      import
    end subroutine
    integer(C_INT) function weftl_plan_report(plan, file) &
        bind(C, name='weftl_plan_report')
      import
      type(C_PTR), value :: plan
      type(C_PTR), value :: file
    end function
    integer(C_INT) function weftl_plan_report_json(plan, file) &
        bind(C, name='weftl_plan_report_json')
      import
      type(C_PTR), value :: plan
      type(C_PTR), value :: file
    end function
    integer(C_INT) function weftl_execute_start(plan, in, out) &
        bind(C, name='weftl_execute_start')
      import
      type(C_PTR), value :: plan
      type(C_PTR), value :: in
      type(C_PTR), value :: out
    end function
    integer(C_INT) function weftl_execute_test(plan) &
        bind(C, name='weftl_execute_test')
      import
      type(C_PTR), value :: plan
    end function
    integer(C_INT) function weftl_execute_finish(plan) &
        bind(C, name='weftl_execute_finish')
      import
      type(C_PTR), value :: plan
    end function
    integer(C_INT) function weftl_execute_many(count, plans, in, out) &
        bind(C, name='weftl_execute_many')
      import
      integer(C_INT), value :: count
      type(C_PTR), dimension(*), intent(in) :: plans
      type(C_PTR), dimension(*), intent(in) :: in
      type(C_PTR), dimension(*), intent(in) :: out
    end function
    integer(C_INTPTR_T) function weftl_plan_memory(plan, borrowed, shared) &
        bind(C, name='weftl_plan_memory')
      import
      type(C_PTR), value :: plan
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: borrowed
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: shared
    end function
    integer(C_INT) function weftl_plan_set_workspace(plan, memory, bytes) &
        bind(C, name='weftl_plan_set_workspace')
      import
      type(C_PTR), value :: plan
      type(C_PTR), value :: memory
      integer(C_INTPTR_T), value :: bytes
    end function
    integer(C_INT) function weftl_plan_set_stream(plan, stream) &
        bind(C, name='weftl_plan_set_stream')
      import
      type(C_PTR), value :: plan
      type(C_PTR), value :: stream
    end function
    integer(C_INTPTR_T) function weftl_good_size(n, parts) &
        bind(C, name='weftl_good_size')
      import
      integer(C_INTPTR_T), value :: n
      integer(C_INT), value :: parts
    end function
    type(C_PTR) function weftl_grid_create(comm, rank, dims) &
        bind(C, name='weftl_grid_create_f08')
      import
      integer(C_INT32_T), intent(in) :: comm
      integer(C_INT), value :: rank
      integer(C_INT), dimension(*), intent(in), optional :: dims
    end function
    type(C_PTR) function weftl_grid_create_column_major(comm, rank, dims) &
        bind(C, name='weftl_grid_create_column_major_f08')
      import
      integer(C_INT32_T), intent(in) :: comm
      integer(C_INT), value :: rank
      integer(C_INT), dimension(*), intent(in), optional :: dims
    end function
    subroutine weftl_grid_free(grid) &
        bind(C, name='weftl_grid_free')
      import
      type(C_PTR), value :: grid
    end subroutine
    type(C_PTR) function weftl_grid_tune(comm, rank, rnk, n, howmany, kind, flags) &
        bind(C, name='weftl_grid_tune_f08')
      import
      integer(C_INT32_T), intent(in) :: comm
      integer(C_INT), value :: rank
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      integer(C_INTPTR_T), value :: howmany
      integer(C_INT), value :: kind
      integer(C_INT), value :: flags
    end function
    integer(C_INT) function weftl_grid_rows(grid) &
        bind(C, name='weftl_grid_rows')
      import
      type(C_PTR), value :: grid
    end function
    integer(C_INT) function weftl_grid_column_major(grid) &
        bind(C, name='weftl_grid_column_major')
      import
      type(C_PTR), value :: grid
    end function
    integer(C_INT) function weftl_grid_dims(grid, dims) &
        bind(C, name='weftl_grid_dims')
      import
      type(C_PTR), value :: grid
      integer(C_INT), dimension(*), intent(out), optional :: dims
    end function
    integer(C_INTPTR_T) function weftl_local_size(rnk, n, howmany, grid, kind, flags, local_n_in, &
           start_in, local_n_out, start_out) &
        bind(C, name='weftl_local_size')
      import
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      integer(C_INTPTR_T), value :: howmany
      type(C_PTR), value :: grid
      integer(C_INT), value :: kind
      integer(C_INT), value :: flags
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: local_n_in
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: start_in
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: local_n_out
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: start_out
    end function
    integer(C_INTPTR_T) function weftl_local_size_process(process, rnk, n, howmany, grid, kind, &
           flags, local_n_in, start_in, local_n_out, start_out) &
        bind(C, name='weftl_local_size_process')
      import
      integer(C_INT), value :: process
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      integer(C_INTPTR_T), value :: howmany
      type(C_PTR), value :: grid
      integer(C_INT), value :: kind
      integer(C_INT), value :: flags
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: local_n_in
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: start_in
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: local_n_out
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: start_out
    end function
    integer(C_INT) function weftl_local_boxes(process, rnk, n, grid, kind, flags, output, start, &
           count) &
        bind(C, name='weftl_local_boxes')
      import
      integer(C_INT), value :: process
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      type(C_PTR), value :: grid
      integer(C_INT), value :: kind
      integer(C_INT), value :: flags
      integer(C_INT), value :: output
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: start
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: count
    end function
    type(C_PTR) function weftl_alloc_real(n, comm) &
        bind(C, name='weftl_alloc_real_f08')
      import
      integer(C_INTPTR_T), value :: n
      integer(C_INT32_T), intent(in) :: comm
    end function
    type(C_PTR) function weftl_alloc_complex(n, comm) &
        bind(C, name='weftl_alloc_complex_f08')
      import
      integer(C_INTPTR_T), value :: n
      integer(C_INT32_T), intent(in) :: comm
    end function
    type(C_PTR) function weftl_alloc_device_real(n, comm) &
        bind(C, name='weftl_alloc_device_real_f08')
      import
      integer(C_INTPTR_T), value :: n
      integer(C_INT32_T), intent(in) :: comm
    end function
    type(C_PTR) function weftl_alloc_device_complex(n, comm) &
        bind(C, name='weftl_alloc_device_complex_f08')
      import
      integer(C_INTPTR_T), value :: n
      integer(C_INT32_T), intent(in) :: comm
    end function
    subroutine weftl_free(array) &
        bind(C, name='weftl_free')
      import
      type(C_PTR), value :: array
    end subroutine
    type(C_PTR) function weftl_plan_many_dft(rnk, n, howmany, in, out, grid, sign, flags) &
        bind(C, name='weftl_plan_many_dft')
      import
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      integer(C_INTPTR_T), value :: howmany
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: in
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_INT), value :: sign
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_dft(rnk, n, in, out, grid, sign, flags) &
        bind(C, name='weftl_plan_dft')
      import
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: in
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_INT), value :: sign
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_dft_2d(n0, n1, in, out, grid, sign, flags) &
        bind(C, name='weftl_plan_dft_2d')
      import
      integer(C_INTPTR_T), value :: n0
      integer(C_INTPTR_T), value :: n1
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: in
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_INT), value :: sign
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_dft_3d(n0, n1, n2, in, out, grid, sign, flags) &
        bind(C, name='weftl_plan_dft_3d')
      import
      integer(C_INTPTR_T), value :: n0
      integer(C_INTPTR_T), value :: n1
      integer(C_INTPTR_T), value :: n2
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: in
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_INT), value :: sign
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_many_dft_r2c(rnk, n, howmany, in, out, grid, flags) &
        bind(C, name='weftl_plan_many_dft_r2c')
      import
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      integer(C_INTPTR_T), value :: howmany
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: in
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_dft_r2c(rnk, n, in, out, grid, flags) &
        bind(C, name='weftl_plan_dft_r2c')
      import
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: in
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_dft_r2c_2d(n0, n1, in, out, grid, flags) &
        bind(C, name='weftl_plan_dft_r2c_2d')
      import
      integer(C_INTPTR_T), value :: n0
      integer(C_INTPTR_T), value :: n1
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: in
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_dft_r2c_3d(n0, n1, n2, in, out, grid, flags) &
        bind(C, name='weftl_plan_dft_r2c_3d')
      import
      integer(C_INTPTR_T), value :: n0
      integer(C_INTPTR_T), value :: n1
      integer(C_INTPTR_T), value :: n2
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: in
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_many_dft_c2r(rnk, n, howmany, in, out, grid, flags) &
        bind(C, name='weftl_plan_many_dft_c2r')
      import
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      integer(C_INTPTR_T), value :: howmany
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: in
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_dft_c2r(rnk, n, in, out, grid, flags) &
        bind(C, name='weftl_plan_dft_c2r')
      import
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: in
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_dft_c2r_2d(n0, n1, in, out, grid, flags) &
        bind(C, name='weftl_plan_dft_c2r_2d')
      import
      integer(C_INTPTR_T), value :: n0
      integer(C_INTPTR_T), value :: n1
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: in
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_dft_c2r_3d(n0, n1, n2, in, out, grid, flags) &
        bind(C, name='weftl_plan_dft_c2r_3d')
      import
      integer(C_INTPTR_T), value :: n0
      integer(C_INTPTR_T), value :: n1
      integer(C_INTPTR_T), value :: n2
      complex(C_LONG_DOUBLE_COMPLEX), dimension(*), intent(inout) :: in
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_many_r2r(rnk, n, howmany, in, out, grid, kind, flags) &
        bind(C, name='weftl_plan_many_r2r')
      import
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      integer(C_INTPTR_T), value :: howmany
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: in
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_FFTW_R2R_KIND), dimension(*), intent(in) :: kind
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_r2r(rnk, n, in, out, grid, kind, flags) &
        bind(C, name='weftl_plan_r2r')
      import
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: in
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_FFTW_R2R_KIND), dimension(*), intent(in) :: kind
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_r2r_2d(n0, n1, in, out, grid, kind0, kind1, flags) &
        bind(C, name='weftl_plan_r2r_2d')
      import
      integer(C_INTPTR_T), value :: n0
      integer(C_INTPTR_T), value :: n1
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: in
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_FFTW_R2R_KIND), value :: kind0
      integer(C_FFTW_R2R_KIND), value :: kind1
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_r2r_3d(n0, n1, n2, in, out, grid, kind0, kind1, kind2, flags) &
        bind(C, name='weftl_plan_r2r_3d')
      import
      integer(C_INTPTR_T), value :: n0
      integer(C_INTPTR_T), value :: n1
      integer(C_INTPTR_T), value :: n2
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: in
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: out
      type(C_PTR), value :: grid
      integer(C_FFTW_R2R_KIND), value :: kind0
      integer(C_FFTW_R2R_KIND), value :: kind1
      integer(C_FFTW_R2R_KIND), value :: kind2
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_many_kinds(rnk, n, howmany, in, out, grid, kind, flags) &
        bind(C, name='weftl_plan_many_kinds')
      import
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      integer(C_INTPTR_T), value :: howmany
      type(C_PTR), value :: in
      type(C_PTR), value :: out
      type(C_PTR), value :: grid
      integer(C_INT), dimension(*), intent(in) :: kind
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_distribution_grid(grid, rnk, n, axis, flags) &
        bind(C, name='weftl_distribution_grid')
      import
      type(C_PTR), value :: grid
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      integer(C_INT), dimension(*), intent(in), optional :: axis
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_distribution_boxes(comm, rnk, n, start, count) &
        bind(C, name='weftl_distribution_boxes_f08')
      import
      integer(C_INT32_T), intent(in) :: comm
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      integer(C_INTPTR_T), dimension(*), intent(in) :: start
      integer(C_INTPTR_T), dimension(*), intent(in) :: count
    end function
    type(C_PTR) function weftl_distribution_many_boxes(comm, rnk, n, boxes, start, count) &
        bind(C, name='weftl_distribution_many_boxes_f08')
      import
      integer(C_INT32_T), intent(in) :: comm
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      integer(C_INT), value :: boxes
      integer(C_INTPTR_T), dimension(*), intent(in) :: start
      integer(C_INTPTR_T), dimension(*), intent(in) :: count
    end function
    type(C_PTR) function weftl_distribution_rows(grid, rnk, n, order) &
        bind(C, name='weftl_distribution_rows')
      import
      type(C_PTR), value :: grid
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      integer(C_INT), dimension(*), intent(in), optional :: order
    end function
    type(C_PTR) function weftl_distribution_embedded(distribution, sizes, offsets) &
        bind(C, name='weftl_distribution_embedded')
      import
      type(C_PTR), value :: distribution
      integer(C_INTPTR_T), dimension(*), intent(in) :: sizes
      integer(C_INTPTR_T), dimension(*), intent(in) :: offsets
    end function
    subroutine weftl_distribution_free(distribution) &
        bind(C, name='weftl_distribution_free')
      import
      type(C_PTR), value :: distribution
    end subroutine
    integer(C_INTPTR_T) function weftl_distribution_box(distribution, process, start, count) &
        bind(C, name='weftl_distribution_box')
      import
      type(C_PTR), value :: distribution
      integer(C_INT), value :: process
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: start
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: count
    end function
    integer(C_INT) function weftl_distribution_list(distribution, process, order, start, count) &
        bind(C, name='weftl_distribution_list')
      import
      type(C_PTR), value :: distribution
      integer(C_INT), value :: process
      integer(C_INT), dimension(*), intent(out), optional :: order
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: start
      integer(C_INTPTR_T), dimension(*), intent(out), optional :: count
    end function
    type(C_PTR) function weftl_plan_layout(plan, comm, output) &
        bind(C, name='weftl_plan_layout_f08')
      import
      type(C_PTR), value :: plan
      integer(C_INT32_T), intent(in) :: comm
      integer(C_INT), value :: output
    end function
    type(C_PTR) function weftl_plan_between(from, to, howmany, in, out, kind, flags) &
        bind(C, name='weftl_plan_between')
      import
      type(C_PTR), value :: from
      type(C_PTR), value :: to
      integer(C_INTPTR_T), value :: howmany
      type(C_PTR), value :: in
      type(C_PTR), value :: out
      integer(C_INT), dimension(*), intent(in), optional :: kind
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_between_modes(from, to, modes, howmany, in, out, kind, flags) &
        bind(C, name='weftl_plan_between_modes')
      import
      type(C_PTR), value :: from
      type(C_PTR), value :: to
      integer(C_INTPTR_T), dimension(*), intent(in) :: modes
      integer(C_INTPTR_T), value :: howmany
      type(C_PTR), value :: in
      type(C_PTR), value :: out
      integer(C_INT), dimension(*), intent(in), optional :: kind
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_redistribute(from, to, howmany, in, out, flags) &
        bind(C, name='weftl_plan_redistribute')
      import
      type(C_PTR), value :: from
      type(C_PTR), value :: to
      integer(C_INTPTR_T), value :: howmany
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: in
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: out
      integer(C_INT), value :: flags
    end function
    type(C_PTR) function weftl_plan_redistribute_boxes(rnk, n, howmany, start_in, count_in, &
           start_out, count_out, in, out, comm, flags) &
        bind(C, name='weftl_plan_redistribute_boxes_f08')
      import
      integer(C_INT), value :: rnk
      integer(C_INTPTR_T), dimension(*), intent(in) :: n
      integer(C_INTPTR_T), value :: howmany
      integer(C_INTPTR_T), dimension(*), intent(in) :: start_in
      integer(C_INTPTR_T), dimension(*), intent(in) :: count_in
      integer(C_INTPTR_T), dimension(*), intent(in) :: start_out
      integer(C_INTPTR_T), dimension(*), intent(in) :: count_out
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: in
      real(C_LONG_DOUBLE), dimension(*), intent(inout) :: out
      integer(C_INT32_T), intent(in) :: comm
      integer(C_INT), value :: flags
    end function
  end interface
