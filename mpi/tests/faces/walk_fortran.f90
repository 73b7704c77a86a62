! SPDX-License-Identifier: Apache-2.0
! A Fortran program as another MPI's mpif.h would make it: its integers for handles, its statuses, its common blocks for
! MPI_IN_PLACE and MPI_STATUS_IGNORE.
program walk_fortran
  implicit none
  include 'constants.inc'
  integer :: ierror, rank, size, total, value, op, requests(2), statuses(status_size, 2), count, comm, error_class
  integer(kind=8) :: attribute
  logical :: flag
  character(len=256) :: text
  external add

  call mpi_init(ierror)
  call mpi_comm_rank(comm_world, rank, ierror)
  call mpi_comm_size(comm_world, size, ierror)
  total = rank + 1
  call mpi_allreduce(in_place, total, 1, integer_type, sum_op, comm_world, ierror)
  call expect(total == size * (size + 1) / 2, 'a sum in place')
  call mpi_op_create(add, .true., op, ierror)
  total = rank + 1
  call mpi_allreduce(in_place, total, 1, integer_type, op, comm_world, ierror)
  call expect(total == size * (size + 1) / 2, 'an operation of the program sees its datatype')
  call mpi_op_free(op, ierror)

  call mpi_irecv(value, 1, integer_type, any_source, any_tag, comm_world, requests(1), ierror)
  call mpi_isend(rank, 1, integer_type, mod(rank + 1, size), 5, comm_world, requests(2), ierror)
  call mpi_waitall(2, requests, statuses, ierror)
  call mpi_get_count(statuses(1, 1), integer_type, count, ierror)
  call expect(statuses(source, 1) == mod(rank + size - 1, size) .and. statuses(tag, 1) == 5 .and. count == 1, 'a status')
  call expect(all(requests == request_null), 'complete requests are null')
  call mpi_sendrecv(rank, 1, integer_type, rank, 1, value, 1, integer_type, rank, any_tag, comm_world, status_ignore, ierror)
  call expect(value == rank, 'a status that is ignored')
  call mpi_recv(value, 1, integer_type, proc_null, any_tag, comm_world, statuses(1, 1), ierror)
  call expect(statuses(source, 1) == proc_null .and. statuses(tag, 1) == any_tag, 'nobody sends')

  call mpi_comm_split(comm_world, undefined, 0, comm, ierror)
  call expect(comm == comm_null, 'no communicator is MPI_COMM_NULL')
  call mpi_comm_dup(comm_world, comm, ierror)
  call mpi_comm_set_errhandler(comm, errors_return, ierror)
  call mpi_send(rank, 1, integer_type, size, 0, comm, ierror)
  call mpi_error_class(ierror, error_class, ierror)
  call expect(error_class == err_rank, 'the class of an error')
  call mpi_comm_free(comm, ierror)
  call expect(comm == comm_null, 'a freed communicator is MPI_COMM_NULL')
  call mpi_comm_get_attr(comm_world, tag_ub, attribute, flag, ierror)
  call expect(flag .and. attribute >= 32767, 'MPI_TAG_UB')
  call mpi_type_struct(2, [1, 1], [0, 32], [integer_type, type_ub], value, ierror)
  call mpi_type_extent(value, count, ierror)
  call expect(count == 32, 'MPI_UB says where a type ends')
  call mpi_type_free(value, ierror)
  call mpi_get_library_version(text, count, ierror)
  call expect(text(1:5) == 'Lisle' .and. text(count + 1:) == ' ', 'a string is filled with blanks')
  call mpi_finalize(ierror)
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (.not. holds) then
      write (0, '(a, i0, 2a)') 'rank ', rank, ': ', what
      call mpi_abort(comm_world, 1, ierror)
    end if
  end subroutine
end program

subroutine add(in, inout, count, datatype)
  implicit none
  include 'constants.inc'
  integer :: count, datatype, in(count), inout(count)
  if (datatype /= integer_type) stop 3
  inout = inout + in
end subroutine
