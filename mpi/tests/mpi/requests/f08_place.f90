! SPDX-License-Identifier: Apache-2.0
! What the arguments of calls that make requests are taken from (constructors.hpp), for calls of mpi_f08.
module f08_place
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none

  !> As in f08_place.hpp.
  type, bind(c) :: place
    integer(c_int) :: comm, grid, file, win, session, message, made
    integer(c_int) :: dest, source, tag, partitions, count, elements, ranks
    integer(MPI_OFFSET_KIND) :: offset
    type(c_ptr) :: sent, received, both
    type(c_ptr) :: counts, displs, byte_displs, large_counts, large_displs, large_byte_displs
  end type

  type(MPI_Comm) :: comm, grid
  type(MPI_Comm), asynchronous :: made_comm
  type(MPI_File) :: file
  type(MPI_Win) :: win
  type(MPI_Session) :: session
  type(MPI_Message) :: message
  integer(c_int), pointer, contiguous, asynchronous, dimension(:) :: sent, received, both, counts, displs, byte_displs
  integer(MPI_COUNT_KIND), pointer, contiguous, asynchronous :: large_counts(:)
  integer(MPI_ADDRESS_KIND), pointer, contiguous, asynchronous, dimension(:) :: large_displs, large_byte_displs
  integer, parameter :: most_ranks = 16
  type(MPI_Datatype), asynchronous :: types(most_ranks)

contains

  subroutine take(at)
    type(place), intent(in) :: at
    comm%MPI_VAL = at%comm
    grid%MPI_VAL = at%grid
    file%MPI_VAL = at%file
    win%MPI_VAL = at%win
    session%MPI_VAL = at%session
    message%MPI_VAL = at%message
    made_comm%MPI_VAL = at%made
    call c_f_pointer(at%sent, sent, [at%elements])
    call c_f_pointer(at%received, received, [at%elements])
    call c_f_pointer(at%both, both, [at%elements])
    call c_f_pointer(at%counts, counts, [at%ranks])
    call c_f_pointer(at%displs, displs, [at%ranks])
    call c_f_pointer(at%byte_displs, byte_displs, [at%ranks])
    call c_f_pointer(at%large_counts, large_counts, [at%ranks])
    call c_f_pointer(at%large_displs, large_displs, [at%ranks])
    call c_f_pointer(at%large_byte_displs, large_byte_displs, [at%ranks])
    types = MPI_INTEGER
  end subroutine

  subroutine give(at)
    type(place), intent(inout) :: at
    at%message = message%MPI_VAL
    at%made = made_comm%MPI_VAL
  end subroutine

  subroutine query(extra_state, status, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_BYTE, int(extra_state), ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
  end subroutine

  subroutine release(extra_state, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, extra_state == 0)
  end subroutine

  subroutine cancel(extra_state, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, extra_state == 0 .or. complete)
  end subroutine
end module
