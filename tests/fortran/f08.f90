! SPDX-License-Identifier: BSD-3-Clause
! A program with mpi_f08 passes communicators (to transforms.f90 and grids.f90 in the form for mpi_f08), and their handles,
! also of communicators made by MPI_Comm_split. Every rank exits with status 0 if no number is wrong.
program f08
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function transforms_f08(comm) bind(C)
      import
      type(MPI_Comm), intent(in) :: comm
    end function
    integer(c_int) function grids_f08(comm) bind(C)
      import
      type(MPI_Comm), intent(in) :: comm
    end function
    integer(c_int) function fortran_transforms(comm) bind(C)
      import
      integer(c_int32_t), value :: comm
    end function
    integer(c_int) function fortran_grids(comm) bind(C)
      import
      integer(c_int32_t), value :: comm
    end function
  end interface
  type(MPI_Comm) :: part
  integer :: rank, wrong, all_wrong

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, part)
  wrong = transforms_f08(MPI_COMM_WORLD) + grids_f08(MPI_COMM_WORLD)
  wrong = wrong + transforms_f08(part) + grids_f08(part)
  wrong = wrong + fortran_transforms(part%MPI_VAL) + fortran_grids(part%MPI_VAL)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(i0, a)', all_wrong, ' numbers are wrong'
  call MPI_Comm_free(part)
  call MPI_Finalize()
  if (all_wrong /= 0) stop 1
end program
