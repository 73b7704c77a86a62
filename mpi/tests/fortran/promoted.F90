! SPDX-License-Identifier: Apache-2.0
! What does not change where an option of the compiler makes REAL, or DOUBLE PRECISION as well, longer: the
! results of functions, the constants and the datatypes. WITH_HEADER, WITH_MPI or WITH_F08 says by which
! interface.
#ifdef WITH_F08
#define DATATYPE type(MPI_Datatype)
#else
#define DATATYPE integer
#endif
program promoted
#if defined WITH_F08
  use mpi_f08
  implicit none
#elif defined WITH_MPI
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer, parameter :: eight = selected_real_kind(15, 307)
  integer :: rank, ranks, code
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  call check(kind(1.0) == eight, 'the option has an effect')
  call times()
  call addresses()
  call datatypes()
  call numbers()
  call MPI_Finalize(code)
contains
  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (.not. right) then
      print '(a, a)', 'wrong: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1, code)
    end if
  end subroutine

  !> A quarter of a second by the clock of Fortran is one by MPI's.
  subroutine times()
    integer(kind=8) :: first, now, rate
    real(kind=eight) :: before, profiled, after
    call check(kind(MPI_WTIME()) == eight .and. kind(PMPI_WTIME()) == eight, 'the kind of the time')
    call check(kind(MPI_WTICK()) == eight .and. kind(PMPI_WTICK()) == eight, 'the kind of the tick')
    call system_clock(first, rate)
    before = MPI_WTIME()
    do
      call system_clock(now)
      if (4 * (now - first) >= rate) exit
    end do
    profiled = PMPI_WTIME()
    after = MPI_WTIME()
    call check(after - before > 0.2_eight .and. after - before < 60, 'the time')
    call check(profiled > before .and. profiled <= after, 'the time of the profiling interface')
    call check(MPI_WTICK() > 0 .and. MPI_WTICK() < 0.01_eight, 'the tick')
    call check(PMPI_WTICK() == MPI_WTICK(), 'the tick of the profiling interface')
  end subroutine

  subroutine addresses()
    integer(kind=MPI_ADDRESS_KIND) :: base, far
    base = 2_MPI_ADDRESS_KIND ** 40
    far = MPI_AINT_ADD(base, 5_MPI_ADDRESS_KIND)
    call check(far == base + 5 .and. PMPI_AINT_ADD(base, 5_MPI_ADDRESS_KIND) == far, 'a sum of addresses')
    call check(MPI_AINT_DIFF(far, base) == 5 .and. PMPI_AINT_DIFF(far, base) == 5, 'a difference of addresses')
    call check(kind(MPI_DISPLACEMENT_CURRENT) == MPI_OFFSET_KIND, 'the kind of a displacement')
    call check(kind(MPI_COMM_SELF_NUMBER()) == kind(1), 'the kind of a handle')
  end subroutine

  integer function MPI_COMM_SELF_NUMBER()
#ifdef WITH_F08
    MPI_COMM_SELF_NUMBER = MPI_COMM_SELF%MPI_VAL
#else
    MPI_COMM_SELF_NUMBER = MPI_COMM_SELF
#endif
  end function

  subroutine datatypes()
    call check_size(MPI_REAL, 4)
    call check_size(MPI_COMPLEX, 8)
    call check_size(MPI_DOUBLE_PRECISION, 8)
    call check_size(MPI_DOUBLE_COMPLEX, 16)
    call check_size(MPI_REAL8, 8)
    call check_size(MPI_2REAL, 8)
    call check_size(MPI_2DOUBLE_PRECISION, 16)
    call check_size(MPI_INTEGER, 4)
    call check_size(MPI_LOGICAL, 4)
  end subroutine

  subroutine check_size(datatype, bytes)
    DATATYPE, intent(in) :: datatype
    integer, intent(in) :: bytes
    integer :: found
    call MPI_Type_size(datatype, found, code)
    call check(found == bytes, 'the size of a datatype')
  end subroutine

  !> What the option has made of REAL and DOUBLE PRECISION travels by the datatypes that have its size.
  subroutine numbers()
    real :: single(3)
    double precision :: double(3)
    DATATYPE :: datatype
    integer :: next, i
    next = mod(rank + 1, ranks)
    single = [(rank + i / 3.0, i = 1, 3)]
    call MPI_Sendrecv_replace(single, 3, MPI_REAL8, next, 1, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    call check(all(single == [(next + i / 3.0, i = 1, 3)]), 'numbers by a name')
    call MPI_Type_create_f90_real(precision(single), range(single), datatype, code)
    call check_size(datatype, storage_size(single) / 8)
    call MPI_Sendrecv_replace(single, 3, datatype, next, 1, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    call check(all(single == [(rank + i / 3.0, i = 1, 3)]), 'numbers by their precision')
    double = [(rank + i / 3d0, i = 1, 3)]
    call MPI_Type_create_f90_real(precision(double), range(double), datatype, code)
    call check_size(datatype, storage_size(double) / 8)
    call MPI_Sendrecv_replace(double, 3, datatype, next, 1, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    call check(all(double == [(next + i / 3d0, i = 1, 3)]), 'longer numbers by their precision')
#ifndef WITH_HEADER
    call MPI_Sizeof(single, i, code)
    call check(i == storage_size(single) / 8, 'the size of a number')
    call MPI_Sizeof(double, i, code)
    call check(i == storage_size(double) / 8, 'the size of a longer number')
#endif
  end subroutine
end program
