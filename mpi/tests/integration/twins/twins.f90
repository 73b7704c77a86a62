! SPDX-License-Identifier: Apache-2.0
! Mistakes of Fortran programs through mpi_f08, mpi and mpif.h, each beside its correct twin.

module of_f08
  use mpi_f08
  implicit none
  logical :: right
  integer :: rank, other
contains
  subroutine f08_type()
    real(kind=8) :: field(4)
    field = rank
    if (rank == 0) then
      call MPI_Send(field, 4, MPI_DOUBLE_PRECISION, 1, 5, MPI_COMM_WORLD)
    else if (right) then
      call MPI_Recv(field, 4, MPI_DOUBLE_PRECISION, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    else
      call MPI_Recv(field, 8, MPI_REAL, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! A f08_type
    end if
  end subroutine

  ! The bytes fit, the kind does not: the call knows of which kind the array is.
  subroutine f08_kind()
    real(kind=8) :: field(4)
    field = rank
    if (right) then
      call MPI_Bcast(field, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    else
      call MPI_Bcast(field, 8, MPI_REAL, 0, MPI_COMM_WORLD) ! A f08_kind
    end if
  end subroutine

  subroutine begin(request, kept)
    type(MPI_Request), intent(out) :: request
    integer, asynchronous, intent(inout) :: kept(8)
    integer, asynchronous :: own(8)
    own = rank
    if (right) then
      call MPI_Isend(kept, 8, MPI_INTEGER, other, 5, MPI_COMM_WORLD, request)
    else
      call MPI_Isend(own, 8, MPI_INTEGER, other, 5, MPI_COMM_WORLD, request) ! A f08_returned
    end if
  end subroutine

  subroutine f08_returned()
    type(MPI_Request) :: request
    integer, asynchronous :: kept(8)
    integer :: got(8)
    kept = rank
    call begin(request, kept)
    call MPI_Recv(got, 8, MPI_INTEGER, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
  end subroutine

  ! Every second element belongs to the operation, and only these.
  subroutine f08_section()
    integer, asynchronous :: field(16)
    integer :: got(8)
    type(MPI_Request) :: request
    field = rank
    call MPI_Isend(field(1:16:2), 8, MPI_INTEGER, other, 5, MPI_COMM_WORLD, request) ! A f08_section
    if (right) then
      field(2) = 7
    else
      field(3) = 7
    end if
    call MPI_Recv(got, 8, MPI_INTEGER, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
  end subroutine
end module

module of_mpi
  implicit none
contains
  subroutine mpi_left(right)
    use mpi
    logical, intent(in) :: right
    integer :: column, code
    call MPI_Type_vector(4, 1, 4, MPI_INTEGER, column, code) ! A mpi_left
    if (right) call MPI_Type_free(column, code)
  end subroutine

  ! Through this module a section is a copy of the compiler's, which goes when the call returns.
  subroutine mpi_section(right, other)
    use mpi
    logical, intent(in) :: right
    integer, intent(in) :: other
    integer :: field(20000), whole(10000), got(10000), request, code
    field = 1
    whole = 1
    if (right) then
      call MPI_Isend(whole, 10000, MPI_INTEGER, other, 5, MPI_COMM_WORLD, request, code)
    else
      call MPI_Isend(field(1:20000:2), 10000, MPI_INTEGER, other, 5, MPI_COMM_WORLD, request, code) ! A mpi_section
    end if
    call MPI_Recv(got, 10000, MPI_INTEGER, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    call MPI_Wait(request, MPI_STATUS_IGNORE, code)
  end subroutine
end module

subroutine old_both_receive(right, other)
  implicit none
  include 'mpif.h'
  logical right
  integer other, number, code
  number = 0
  if (right .and. other == 1) call MPI_Send(number, 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, code)
  call MPI_Recv(number, 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code) ! A old_both_receive
  if (right .and. other == 0) call MPI_Send(number, 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, code)
end subroutine

subroutine old_root(right, rank)
  implicit none
  include 'mpif.h'
  logical right
  integer rank, root, number, code
  number = 0
  root = 0
  if (.not. right) root = rank
  call MPI_Bcast(number, 1, MPI_INTEGER, root, MPI_COMM_WORLD, code) ! A old_root
end subroutine

program twins
  use of_f08
  use of_mpi
  implicit none
  character(len=32) :: name
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  other = 1 - rank
  right = command_argument_count() > 1
  call get_command_argument(1, name)
  select case (name)
  case ('f08_type')
    call f08_type()
  case ('f08_kind')
    call f08_kind()
  case ('f08_returned')
    call f08_returned()
  case ('f08_section')
    call f08_section()
  case ('mpi_left')
    call mpi_left(right)
  case ('mpi_section')
    call mpi_section(right, other)
  case ('old_both_receive')
    call old_both_receive(right, other)
  case ('old_root')
    call old_root(right, rank)
  case default
    error stop 2
  end select
  call MPI_Finalize()
end program
